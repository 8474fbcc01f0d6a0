//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention: one operator, or its definition where probabilities are dropped,
// and what is saved for gradients.
//
//===----------------------------------------------------------------------===//

#include "AttentionFormula.h"
#include "RandomDraws.h"
#include "TensorMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Attention as its definition has it, with probabilities that are dropped.
static Value attendWithDropout(TensorBuilder &b, const AttentionInputs &inputs,
                               Value value, const GroupDraw &draw,
                               double dropout) {
  Type type = getElementType(inputs.query), wide = getAccumulationType(type);
  int64_t last = getRank(inputs.query) - 1;
  Num scores(b, makeScores(b, inputs));
  Num weights(b, b.softmax(scores, last));
  // Rows of which nothing is left are zero.
  Num most = scores.reduce(ReduceKind::Max, last, /*keepdims=*/true);
  weights =
      select(most == -std::numeric_limits<double>::infinity(), 0, weights);
  Num factors(b, makeDropoutFactors(b, draw, getSizes(scores), dropout, wide));
  return b.matmul(b.convert(weights * factors, type), value);
}

/// Element `number` of the state from which a draw begins, as operators save
/// it.
static Value makeSavedState(TensorBuilder &b, const GroupDraw &draw,
                            int64_t number, Type type) {
  Value state =
      b.reshape(b.slice(draw.state, 0, b.size(number), b.size(1)), {});
  if (number == 1)
    state = b.add(state, b.expr(sym::mul(draw.skip, 4), getElementType(state)));
  return b.convert(state, type);
}

/// What operators save for their gradients: the logarithms of the sums of each
/// row, which some operators pad, and the seed and the offset of the generator,
/// from which nothing is drawn without dropout. They are the last two results
/// without dimensions.
static void appendSavedOfAttention(AtenCall &c, const AttentionInputs &inputs,
                                   const GroupDraw *draw,
                                   SmallVectorImpl<Value> &results) {
  TensorBuilder &b = c.b;
  SmallVector<unsigned> scalars;
  for (unsigned i = 1; i < c.op.getOutputs().size(); ++i)
    if (c.resultSizes(i).empty())
      scalars.push_back(i);
  auto findStatePart = [&](unsigned i) -> int64_t {
    size_t n = scalars.size();
    return n < 2 ? -1 : i == scalars[n - 2] ? 0 : i == scalars[n - 1] ? 1 : -1;
  };
  for (unsigned i = 1; i < c.op.getOutputs().size(); ++i) {
    Sizes sizes = c.resultSizes(i);
    if (c.op.getOutputs()[i].use_empty()) {
      results.push_back(Value());
    } else if (int64_t part = findStatePart(i); draw && part >= 0) {
      results.push_back(makeSavedState(b, *draw, part, c.resultElementType(i)));
    } else if (i > 1 || hasNoElements(c.op.getOutputs()[i])) {
      results.push_back(b.full(
          cast<TypedAttr>(b.getBuilder().getZeroAttr(c.resultElementType(i))),
          sizes));
    } else {
      Type wide = getAccumulationType(getElementType(inputs.query));
      AttentionInputs wider = inputs;
      wider.query = b.convert(inputs.query, wide);
      wider.key = b.convert(inputs.key, wide);
      Value log = makeLogSumExp(b, makeScores(b, wider));
      int64_t last = getRank(log) - 1;
      sym::ExprAttr rest = sym::sub(sizes.back(), getSizes(log)[last]);
      if (static_cast<int64_t>(sizes.size()) == last + 1 &&
          !rest.isConstant(0)) {
        Sizes padding = getSizes(log);
        padding[last] = rest;
        log = b.cat(
            {log, b.full(b.getBuilder().getFloatAttr(
                             wide, std::numeric_limits<double>::infinity()),
                         padding)},
            last);
      }
      results.push_back(log);
    }
  }
}

static LogicalResult legalizeAttention(AtenCall &c) {
  Type type = c.resultElementType();
  Value query = c.operand("query", type), key = c.operand("key", type),
        value = c.operand("value", type);
  if (!query || !key || !value)
    return c.fail("an operand is missing");
  // Dimensions of stacks that some lack are broadcast.
  int64_t rank = std::max({getRank(query), getRank(key), getRank(value)});
  if (std::min({getRank(query), getRank(key), getRank(value)}) < 2)
    return c.fail("query, key or value is no matrix");
  for (Value *v : {&query, &key, &value})
    while (getRank(*v) < rank)
      *v = c.b.unsqueeze(*v, 0);
  TensorBuilder &b = c.b;

  // Every head of key and value serves several heads of the query.
  if (c.boolOr("enable_gqa", false) && rank >= 3) {
    ExprAttr heads = getSizes(query)[rank - 3];
    for (Value v : {key, value})
      if (getSizes(v)[rank - 3].isConstant(0))
        return c.fail("there are no heads");
    auto spread = [&](Value v) -> Value {
      Sizes sizes = getSizes(v);
      if (sizes[rank - 3] == heads)
        return v;
      ExprAttr count = sym::floorDiv(heads, sizes[rank - 3]);
      Sizes wide = sizes;
      wide.insert(wide.begin() + rank - 2, count);
      sizes[rank - 3] = heads;
      return b.reshape(b.broadcast(b.unsqueeze(v, rank - 2), wide), sizes);
    };
    key = spread(key);
    value = spread(value);
  }

  // Equal batch sizes.
  Sizes q = getSizes(query), k = getSizes(key), v = getSizes(value);
  auto batch = [&](const Sizes &s) { return Sizes(SizesRef(s).drop_back(2)); };
  FailureOr<Sizes> common = broadcastSizes({batch(q), batch(k), batch(v)});
  if (failed(common) || provablyDiffer(q[rank - 1], k[rank - 1]) ||
      provablyDiffer(k[rank - 2], v[rank - 2]))
    return c.fail("query, key and value do not fit");
  k[rank - 1] = q[rank - 1];
  v[rank - 2] = k[rank - 2];
  for (Sizes *s : {&q, &k, &v})
    std::copy(common->begin(), common->end(), s->begin());
  query = c.broadcastTo(query, q);
  key = c.broadcastTo(key, k);
  value = c.broadcastTo(value, v);

  double scale = 1;
  if (auto given = c.getFloat("scale")) {
    scale = *given;
  } else if (c.has("scale")) {
    return c.fail("its scale is not constant");
  } else if (auto width = q[rank - 1].getConstant()) {
    scale = 1 / std::sqrt(static_cast<double>(*width));
  } else {
    // Of a width that the run knows the query is divided by the root, which may
    // not be rounded to 16 bits.
    Type wide = getAccumulationType(type);
    Value root = b.unary<SqrtOp>(b.expr(q[rank - 1], wide));
    query = b.div(b.convert(query, wide), root);
    key = b.convert(key, wide);
    value = b.convert(value, wide);
    type = wide;
  }

  bool causal = c.boolOr("is_causal", false);
  Value mask = c.tensor(c.tensor("attn_bias") ? "attn_bias" : "attn_mask");
  if (mask && causal)
    return c.fail("it has a mask and is causal");
  if (mask && !getElementType(mask).isInteger(1))
    mask = b.convert(mask, type);
  Sizes scores = q;
  scores[rank - 1] = k[rank - 2];
  if (mask && !(mask = fitMask(c, mask, scores)))
    return failure();
  Sizes out = q;
  out[rank - 1] = v[rank - 1];
  AttentionInputs inputs = {query, key, mask, causal, scale};
  double dropout = c.floatOr("dropout_p", 0);
  if (!(dropout >= 0 && dropout <= 1))
    return c.fail("its probability is not between 0 and 1");
  SmallVector<Value> results;
  if (dropout == 0) {
    results.push_back(AttentionOp::create(b.getBuilder(), b.getLoc(),
                                          sym::getTensorType(out, type), query,
                                          key, value, mask, causal, scale));
    appendSavedOfAttention(c, inputs, /*draw=*/nullptr, results);
    return c.replace(results);
  }
  if (failed(checkDraws(c)))
    return failure();
  GroupDraw draw = takeWords(c, sym::product(b.getContext(), scores));
  results.push_back(attendWithDropout(b, inputs, value, draw, dropout));
  appendSavedOfAttention(c, inputs, &draw, results);
  return c.replace(results);
}

void graph::populateAttentionLegalizations(AtenLegalizations &t) {
  t.add("scaled_dot_product_attention "
        "_scaled_dot_product_flash_attention_for_cpu "
        "_scaled_dot_product_flash_attention "
        "_scaled_dot_product_efficient_attention "
        "_scaled_dot_product_cudnn_attention "
        "_scaled_dot_product_fused_attention_overrideable",
        legalizeAttention);
}
