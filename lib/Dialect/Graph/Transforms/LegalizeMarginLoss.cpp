//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of losses with a margin, and of others that compare several
// operands. 16-bit floats are computed in `f32` throughout and rounded once.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Replaces an operator by its losses, their mean or their sum.
static LogicalResult replaceByLoss(AtenCall &c, Num loss) {
  switch (c.intOr("reduction", 1)) {
  case 0:
    return c.replace(loss);
  case 1:
    return c.replace(c.b.mean(loss, allDims(loss), false));
  case 2:
    return c.replace(loss.reduce(ReduceKind::Sum, allDims(loss)));
  default:
    // As none, to the framework.
    return c.resultType().getRank()
               ? c.replace(loss)
               : c.fail("its kind of reduction is unknown");
  }
}

/// The operands of a name list, in the type that the loss is computed in;
/// nothing when one is missing.
static std::optional<SmallVector<Num>> readOperands(AtenCall &c,
                                                    ArrayRef<StringRef> names) {
  SmallVector<Num> operands;
  for (StringRef name : names) {
    Value v = c.operand(name, getAccumulationType(c.resultElementType()));
    if (!v)
      return std::nullopt;
    operands.push_back({c.b, v});
  }
  return operands;
}

/// The product of two operands as the framework has it, whose integers wrap, in
/// the type that the loss is computed in.
static Num product(AtenCall &c, StringRef a, StringRef b) {
  Type wide = getAccumulationType(c.resultElementType()),
       type = getPromotedType(c, {a, b});
  if (!type || isa<FloatType>(type))
    type = wide;
  return (Num(c.b, c.operand(a, type)) * Num(c.b, c.operand(b, type))).to(wide);
}

using Loss = Num (*)(AtenCall &c, ArrayRef<Num> operands);

static AtenHandler loss(std::vector<StringRef> names, Loss fn) {
  return [=](AtenCall &c) -> LogicalResult {
    auto operands = readOperands(c, names);
    if (!operands)
      return c.fail("an operand is missing");
    return replaceByLoss(c, fn(c, *operands));
  };
}

/// Targets are 1 or -1, which among unsigned integers is the largest. Integers
/// wrap in their own type, also where a sum is wider.
static LogicalResult legalizeHingeEmbedding(AtenCall &c) {
  Value target = c.tensor("target"), self = c.tensor("self");
  if (!self || !target)
    return c.fail("an operand is missing");
  TensorBuilder &b = c.b;
  Type wide = getAccumulationType(c.resultElementType());
  if (isa<FloatType>(getElementType(self)))
    self = b.convert(self, wide);
  if (getElementType(target).isInteger(1))
    target = b.convert(target, b.getBuilder().getI64Type());
  auto isNot = [&](int64_t value) {
    TypedAttr number = convertScalar(b.getBuilder().getI64IntegerAttr(value),
                                     getElementType(target));
    return Num(b, b.compare(ComparePredicate::Ne, target, b.scalar(number)));
  };
  Num x(b, self), far = max(c.floatOr("margin", 1) - x, 0);
  Num losses = select(isNot(1), far, 0) + select(isNot(-1), x, 0);
  return replaceByLoss(c, losses.to(wide));
}

/// Each step has the type that the framework promotes its operands to, in which
/// integers wrap: the negative of an unsigned target, a difference, a product.
static LogicalResult legalizeMarginRanking(AtenCall &c) {
  Type wide = getAccumulationType(c.resultElementType());
  auto getType = [&](ArrayRef<StringRef> names) {
    Type type = getPromotedType(c, names);
    return !type || isa<FloatType>(type) ? wide : type;
  };
  Type difference = getType({"input1", "input2"}),
       negative = getType({"target"}),
       product = getType({"input1", "input2", "target"});
  Value x = c.operand("input1", difference),
        y = c.operand("input2", difference),
        target = c.operand("target", negative);
  if (!x || !y || !target)
    return c.fail("an operand is missing");
  Num loss =
      (-Num(c.b, target)).to(product) * (Num(c.b, x) - Num(c.b, y)).to(product);
  return replaceByLoss(c, max(loss.to(wide) + c.floatOr("margin", 0), 0));
}

static Num cosineEmbedding(AtenCall &c, ArrayRef<Num> v) {
  Num x = v[0], y = v[1], target = v[2];
  auto dot = [](Num a, Num b) {
    return (a * b).reduce(ReduceKind::Sum, getRank(a) - 1);
  };
  Num cosine = dot(x, y) / sqrt((dot(x, x) + 1e-12) * (dot(y, y) + 1e-12));
  Num apart = max(cosine - c.floatOr("margin", 0), 0);
  return select(target == 1, 1 - cosine, 0) + select(target == -1, apart, 0);
}

static LogicalResult legalizeTripletMargin(AtenCall &c) {
  auto distance = [&](StringRef x, StringRef y) -> Value {
    return pairwiseDistance(c, x, y, c.floatOr("p", 2), c.floatOr("eps", 1e-6),
                            false);
  };
  Value near = distance("anchor", "positive"),
        far = distance("anchor", "negative");
  if (!near || !far)
    return c.fail("its operands are not vectors");
  Num positive(c.b, near), negative(c.b, far);
  if (c.boolOr("swap", false))
    negative = min(negative, Num(c.b, distance("positive", "negative")));
  return replaceByLoss(c, max(positive - negative + c.floatOr("margin", 1), 0));
}

static Num poisson(AtenCall &c, ArrayRef<Num> v) {
  Num x = v[0], target = v[1];
  Num result = c.boolOr("log_input", true)
                   ? exp(x) - product(c, "target", "input")
                   : x - target * log(x + c.floatOr("eps", 1e-8));
  if (!c.boolOr("full", false))
    return result;
  // Stirling's formula for the logarithm of the factorial.
  Num stirling = target * log(target) - target + log(target * (2 * M_PI)) * 0.5;
  return result + select(target <= 1, 0, stirling);
}

/// What is above zero; of NaN nothing is.
static Num aboveZero(Num x) { return select(x > 0, x, 0); }

/// multi_margin_loss: how much the other classes come near the right one.
static LogicalResult legalizeMultiMargin(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value given = c.operand("self", type), target = c.tensor("target");
  if (!given || !target || getRank(given) > 2 || getRank(target) > 1)
    return c.fail("its operands have other ranks");
  bool isOne = getRank(given) < 2;
  Num x(b, given);
  if (isOne)
    x = {b, b.reshape(x, {b.size(1), sym::getNumElements(cast<RankedTensorType>(
                                         given.getType()))})};
  Value index = toIndex(b, flatten(b, target));
  index = b.castSizes(index, getSizes(x)[0]);
  ExprAttr classes = getSizes(x)[1];
  Positions p(b);
  Num right(b, gatherAlong(b, x, b.unsqueeze(index, 1), 1));
  Num isOther =
      p.iota(classes) != Num(b, b.convert(index, p.type())).unsqueeze(1);
  Num distance = aboveZero(c.floatOr("margin", 1) - right + x);
  if (c.floatOr("p", 1) == 2)
    distance = distance * distance;
  else if (c.floatOr("p", 1) != 1)
    return c.fail("its exponent is neither 1 nor 2");
  if (Value weight = c.operand("weight", type))
    distance =
        distance * Num(b, b.index(flatten(b, weight), index, 0)).unsqueeze(1);
  Num sum = select(isOther, distance, 0).reduce(ReduceKind::Sum, 1);
  Num result = sum / Num(b, b.expr(classes, type));
  if (isOne && c.resultType().getRank() == 0)
    result = {b, b.reshape(result, {})};
  return replaceByLoss(c, result);
}

/// multilabel_margin_loss: the targets of a sample are the classes in front of
/// the first negative number.
static LogicalResult legalizeMultilabelMargin(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value given = c.operand("self", type), target = c.tensor("target");
  if (!given || !target || getRank(given) != getRank(target) ||
      getRank(given) > 2)
    return c.fail("its operands have other ranks");
  Positions p(b);
  Sizes sizes = getSizes(given), rows = sizes;
  while (rows.size() < 2)
    rows.insert(rows.begin(), b.size(1));
  Num x(b, b.reshape(given, rows));
  Num label(b, b.reshape(b.convert(target, p.type()), rows));
  ExprAttr classes = rows[1];
  Num isListed(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Min,
                                 (label >= 0).to(p.type()), uint64_t(1))
                      .getResult());
  isListed = isListed != 0;
  // [sample, label, class]
  Num isTarget =
      (isListed.unsqueeze(2) & (label.unsqueeze(2) == p.iota(classes)))
          .reduce(ReduceKind::Any, 1);
  Num right(b, gatherAlong(b, x, p.clamp(label, classes), 1));
  Num distance = aboveZero(1 - right.unsqueeze(2) + x.unsqueeze(1));
  Num counts = isListed.unsqueeze(2) & !isTarget.unsqueeze(1);
  Num sum = select(counts, distance, 0).reduce(ReduceKind::Sum, {1, 2});
  Num result = sum / Num(b, b.expr(classes, type));
  int64_t reduction = c.intOr("reduction", 1);
  if (sizes.size() < 2)
    result = {b, b.reshape(result, {})};
  Num total = reduction == 0 ? result
              : reduction == 1
                  ? Num(b, b.mean(result, allDims(result), false))
                  : result.reduce(ReduceKind::Sum, allDims(result));
  if (c.op.getOutputs().size() == 1)
    return c.replace(total);
  return c.replace({total, b.reshape(isTarget, sizes)});
}

void graph::populateMarginLossLegalizations(AtenLegalizations &t) {
  t.add("hinge_embedding_loss", legalizeHingeEmbedding);
  t.add("margin_ranking_loss", legalizeMarginRanking);
  t.add("cosine_embedding_loss",
        loss({"input1", "input2", "target"}, cosineEmbedding));
  t.add("triplet_margin_loss", legalizeTripletMargin);
  t.add("poisson_nll_loss", loss({"input", "target"}, poisson));
  t.add("multi_margin_loss", legalizeMultiMargin);
  t.add("multilabel_margin_loss multilabel_margin_loss_forward",
        legalizeMultilabelMargin);
}
