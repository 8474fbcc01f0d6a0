//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention as its definition has it, and its gradients from its result and
// the logarithms of the sums that the forward operators save.
//
//===----------------------------------------------------------------------===//

#include "AttentionFormula.h"
#include "TensorMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static constexpr double kHidden = -std::numeric_limits<double>::infinity();

Value graph::makeScores(TensorBuilder &b, const AttentionInputs &inputs) {
  Type wide = getAccumulationType(getElementType(inputs.query));
  int64_t rank = getRank(inputs.query);
  Value scores = b.convert(
      b.matmul(inputs.query, b.transpose(inputs.key, rank - 2, rank - 1)),
      wide);
  scores = b.mul(scores, b.scalar(inputs.scale, wide));
  Sizes sizes = getSizes(scores);
  Value hidden = b.scalar(kHidden, wide);
  if (inputs.isCausal) {
    Value row = b.unsqueeze(b.iota(0, 1, sizes[rank - 2]), 1);
    Value column = b.iota(0, 1, sizes[rank - 1]);
    scores =
        b.select(b.compare(ComparePredicate::Le, column, row), scores, hidden);
  }
  if (Value mask = inputs.mask)
    scores = getElementType(mask).isInteger(1)
                 ? b.select(mask, scores, hidden)
                 : b.add(scores, b.convert(mask, wide));
  return scores;
}

Value graph::fitMask(AtenCall &c, Value mask, SizesRef scores) {
  Sizes sizes = getSizes(mask);
  if (sizes.size() > scores.size()) {
    (void)c.fail("its mask has too many dimensions");
    return {};
  }
  for (auto [size, wanted] : llvm::zip(sizes, scores.take_back(sizes.size()))) {
    if (size.isConstant(1))
      continue;
    if (provablyDiffer(size, wanted)) {
      (void)c.fail("its mask does not broadcast to the scores");
      return {};
    }
    size = wanted;
  }
  return c.b.castSizes(mask, sizes);
}

Value graph::makeLogSumExp(TensorBuilder &b, Value scores) {
  int64_t last = getRank(scores) - 1;
  Num s(b, scores);
  Num most = s.reduce(ReduceKind::Max, last, /*keepdims=*/true);
  // Nothing is subtracted where nothing is left.
  most = select(most == kHidden, 0, most);
  Num sum = exp(s - most).reduce(ReduceKind::Sum, last, /*keepdims=*/true);
  return b.reshape(log(sum) + most, SizesRef(getSizes(scores)).drop_back());
}

Value graph::makeDropoutFactors(TensorBuilder &b, const GroupDraw &draw,
                                SizesRef sizes, double dropout, Type type) {
  Num u(b, drawUniformOfStream(b, draw, sizes));
  // All are dropped with a probability of one: no number is above it.
  double keep = dropout == 1 ? 0 : 1 / (1 - dropout);
  Num isKept = u > static_cast<float>(dropout);
  return b.select(isKept, b.scalar(keep, type), b.scalar(0, type));
}

/// The state of the generator that attention has saved.
static GroupDraw readSavedState(TensorBuilder &b, Value seed, Value offset) {
  Type word = b.getBuilder().getI64Type();
  auto part = [&](Value v) { return b.unsqueeze(b.convert(v, word), 0); };
  return {b.cat({part(seed), part(offset)}, 0), b.size(0)};
}

/// The first of some names that the call has a tensor of.
static Value findTensor(AtenCall &c, ArrayRef<StringRef> names) {
  for (StringRef name : names)
    if (Value v = c.tensor(name))
      return v;
  return {};
}

/// What each value was multiplied with, from the logarithms of the sums. The
/// core decomposition of the forward operator gives the probabilities in their
/// stead; eager mode does not run such a program. Null where it fails.
static Value findProbabilities(AtenCall &c, Value query, Value key, Value mask,
                               Value sums, double scale) {
  TensorBuilder &b = c.b;
  int64_t rank = getRank(query);
  Type wide = getElementType(query);
  if (getRank(sums) == rank)
    return b.convert(sums, wide);
  if (getRank(sums) != rank - 1) {
    (void)c.fail("its sums have another rank");
    return {};
  }
  Num scores(b, makeScores(b, {query, key, mask, c.boolOr("is_causal", false),
                               scale}));
  // Export declares sums of `f64` as `f32`.
  if (getElementType(sums) != wide && wide.isF64())
    sums = makeLogSumExp(b, scores);
  // Some operators pad the sums.
  ExprAttr rows = getSizes(query)[rank - 2];
  if (getSizes(sums).back() != rows)
    sums = b.slice(sums, rank - 2, b.size(0), rows);
  Num log = Num(b, b.convert(sums, wide)).unsqueeze(rank - 1);
  // Rows of which nothing is left have no probabilities.
  return select(scores == kHidden, 0, exp(scores - log));
}

/// Gradients of query, key and value and, for operators that are asked for it,
/// of what is added to the scores.
static LogicalResult legalizeAttentionBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value query = c.tensor("query"), key = c.tensor("key"),
        value = c.tensor("value"), out = c.tensor("out"),
        sums = c.tensor("logsumexp"),
        grad = findTensor(c, {"grad_out", "grad_out_"}),
        mask = findTensor(c, {"attn_mask", "attn_bias"});
  if (!query || !key || !value || !out || !sums || !grad || getRank(query) < 3)
    return c.fail("an operand is missing");
  int64_t rank = getRank(query);
  for (Value v : {key, value, out, grad})
    if (getRank(v) != rank)
      return c.fail("its operands have different ranks");
  double dropout = c.floatOr("dropout_p", 0);
  Value seed = c.tensor("philox_seed"), offset = c.tensor("philox_offset");
  if (dropout != 0 && (!seed || !offset || getRank(seed) || getRank(offset)))
    return c.fail("which probabilities were dropped is not known any more");
  for (auto [q, k, v] : llvm::zip(SizesRef(getSizes(query)).drop_back(2),
                                  SizesRef(getSizes(key)).drop_back(2),
                                  SizesRef(getSizes(value)).drop_back(2)))
    if (provablyDiffer(q, k) || provablyDiffer(q, v))
      return c.fail("heads of the query share heads of key and value");
  Type wide = getAccumulationType(getElementType(query));
  std::optional<double> scale = c.getFloat("scale");
  if (auto width = getSizes(query).back().getConstant(); width && !scale)
    scale = 1 / std::sqrt(static_cast<double>(*width));
  if (!scale && c.has("scale"))
    return c.fail("its scale is not constant");

  // Sizes that are equal need not have equal expressions.
  Sizes q = getSizes(query);
  auto widen = [&](Value v, ExprAttr rows, ExprAttr columns) {
    Sizes sizes = q;
    sizes[rank - 2] = rows;
    sizes[rank - 1] = columns;
    return b.castSizes(b.convert(v, wide), sizes);
  };
  ExprAttr rows = q[rank - 2], keys = getSizes(key)[rank - 2],
           width = getSizes(value)[rank - 1];
  query = b.convert(query, wide);
  key = widen(key, keys, q[rank - 1]);
  value = widen(value, keys, width);
  grad = widen(grad, rows, width);
  out = widen(out, rows, width);
  // Of a width that the run knows, the query is divided by the root.
  std::optional<Num> root;
  if (!scale) {
    root = sqrt(Num(b, b.expr(q[rank - 1], wide)));
    query = b.div(query, *root);
    scale = 1;
  }
  Sizes scores = q;
  scores[rank - 1] = keys;
  if (mask && !(mask = fitMask(c, mask, scores)))
    return failure();
  auto transposed = [&](Value v) { return b.transpose(v, rank - 2, rank - 1); };
  Value found = findProbabilities(c, query, key, mask, sums, *scale);
  if (!found)
    return failure();
  Num weights(b, found), kept = weights;
  Num delta = (Num(b, grad) * Num(b, out))
                  .reduce(ReduceKind::Sum, rank - 1, /*keepdims=*/true);
  Num ofWeights(b, b.matmul(grad, transposed(value)));
  if (dropout != 0) {
    // The same numbers again, from the state that the forward operator saved.
    Num factors(b, makeDropoutFactors(b, readSavedState(b, seed, offset),
                                      getSizes(weights), dropout, wide));
    ofWeights = ofWeights * factors;
    kept = weights * factors;
  }
  Num ofScores = weights * (ofWeights - delta);
  Num scaled = ofScores * *scale;
  auto make = [&](unsigned number) -> Value {
    switch (number) {
    case 0: {
      Num ofQuery(b, b.matmul(scaled, key));
      return root ? ofQuery / *root : ofQuery;
    }
    case 1:
      return b.matmul(transposed(scaled), query);
    case 2:
      return b.matmul(transposed(kept), grad);
    default:
      break;
    }
    if (!mask)
      return {};
    // The sum over the dimensions in which what is added was broadcast.
    Value sum = ofScores;
    while (getRank(sum) > getRank(mask))
      sum = b.reduce(ReduceKind::Sum, sum, 0, /*keepdims=*/false);
    for (auto [d, size] : llvm::enumerate(getSizes(mask)))
      if (size.isConstant(1))
        sum = b.reduce(ReduceKind::Sum, sum, static_cast<int64_t>(d),
                       /*keepdims=*/true);
    return sum;
  };
  // An operator has either all results or those that it is asked for.
  auto asked = c.getInts("grad_input_mask");
  unsigned count = asked ? 4 : 3;
  bool hasAll = c.op.getOutputs().size() == count;
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i)
    if (hasAll || (*asked)[i])
      results.push_back(results.size() < c.op.getOutputs().size() &&
                                !c.op.getOutputs()[results.size()].use_empty()
                            ? make(i)
                            : Value());
  return c.replace(results);
}

void graph::populateAttentionBackwardLegalizations(AtenLegalizations &t) {
  t.add("_scaled_dot_product_flash_attention_for_cpu_backward "
        "_scaled_dot_product_flash_attention_backward "
        "_scaled_dot_product_efficient_attention_backward "
        "_scaled_dot_product_cudnn_attention_backward "
        "_scaled_dot_product_fused_attention_overrideable_backward",
        legalizeAttentionBackward);
}
