//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of losses. 16-bit floats are computed in `f32` throughout and
// rounded once.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

/// The framework's numbers for what happens to the losses of the elements.
enum class LossReduction : int64_t { None = 0, Mean = 1, Sum = 2 };

static SmallVector<int64_t> allDims(Value v) {
  return llvm::to_vector(llvm::seq<int64_t>(0, getRank(v)));
}

static Value sumOfAll(TensorBuilder &b, Value v) {
  return b.reduce(ReduceKind::Sum, v, allDims(v), /*keepdims=*/false);
}

static std::optional<LossReduction> getReduction(AtenCall &c) {
  int64_t number = c.intOr("reduction", 1);
  // Numbers that are no kind of reduction are as none to the framework, where
  // it leaves the elements.
  if (number < 0 || number > 2)
    return c.resultType().getRank() ? std::optional(LossReduction::None)
                                    : std::nullopt;
  return static_cast<LossReduction>(number);
}

//===----------------------------------------------------------------------===//
// Elementwise losses
//===----------------------------------------------------------------------===//

namespace {

/// Operands of an elementwise loss, in the type it is computed in.
struct LossOperands {
  AtenCall &c;
  TensorBuilder &b;
  Value input, target;

  Value number(double value) const {
    return b.scalar(value, getElementType(input));
  }
};

} // namespace

/// `weight`, if the operator has one, scales the loss of each element.
static AtenHandler elementwiseLoss(Value (*fn)(const LossOperands &)) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getAccumulationType(c.resultElementType());
    Value x = c.operand("self", type), target = c.operand("target", type);
    if (!x || !target)
      return c.fail("an operand is missing");
    std::optional<LossReduction> reduction = getReduction(c);
    if (!reduction)
      return c.fail("its kind of reduction is unknown");
    Value v = fn({c, c.b, x, target});
    if (Value weight = c.operand("weight", type))
      v = c.b.mul(v, weight);
    switch (*reduction) {
    case LossReduction::None:
      break;
    case LossReduction::Mean:
      v = c.b.mean(v, allDims(v), /*keepdims=*/false);
      break;
    case LossReduction::Sum:
      v = sumOfAll(c.b, v);
      break;
    }
    return c.replace(v);
  };
}

static Value absoluteDifference(const LossOperands &l) {
  return l.b.unary<AbsOp>(l.b.sub(l.input, l.target));
}

static Value squaredError(const LossOperands &l) {
  Value d = l.b.sub(l.input, l.target);
  return l.b.mul(d, d);
}

/// Quadratic near zero, linear further out: `near` times the square up to
/// `limit`, then `slope` times the distance from `offset`.
static Value quadraticThenLinear(const LossOperands &l, Value d, double limit,
                                 double near, double slope, double offset,
                                 Pred isNear) {
  Value square = l.b.mul(l.b.mul(d, d), l.number(near));
  Value line = l.b.mul(l.b.sub(d, l.number(offset)), l.number(slope));
  return l.b.select(l.b.compare(isNear, d, l.number(limit)), square, line);
}

static Value smoothL1(const LossOperands &l) {
  Value d = absoluteDifference(l);
  double beta = l.c.floatOr("beta", 1);
  if (beta == 0)
    return d;
  return quadraticThenLinear(l, d, beta, 0.5 / beta, 1, 0.5 * beta, Pred::Lt);
}

static Value huber(const LossOperands &l) {
  double delta = l.c.floatOr("delta", 1);
  return quadraticThenLinear(l, absoluteDifference(l), delta, 0.5, delta,
                             0.5 * delta, Pred::Le);
}

/// Logarithms are bounded below, so that a certain and wrong prediction costs
/// a finite amount.
static Value binaryCrossEntropy(const LossOperands &l) {
  TensorBuilder &b = l.b;
  auto bounded = [&](Value logarithm) {
    return b.binary<MaximumOp>(logarithm, l.number(-100));
  };
  Value yes = bounded(b.unary<LogOp>(l.input));
  Value no = bounded(b.unary<Log1pOp>(b.unary<NegOp>(l.input)));
  return b.sub(b.mul(b.sub(l.target, l.number(1)), no), b.mul(l.target, yes));
}

static Value logSigmoid(const LossOperands &l) {
  TensorBuilder &b = l.b;
  Value tail =
      b.unary<Log1pOp>(b.unary<ExpOp>(b.unary<NegOp>(b.unary<AbsOp>(l.input))));
  return b.sub(b.binary<MinimumOp>(l.input, l.number(0)), tail);
}

static Value binaryCrossEntropyWithLogits(const LossOperands &l) {
  TensorBuilder &b = l.b;
  Value yes = logSigmoid(l);
  if (Value positive = l.c.operand("pos_weight", getElementType(l.input)))
    yes = b.mul(
        b.add(b.mul(b.sub(positive, l.number(1)), l.target), l.number(1)), yes);
  return b.sub(b.mul(b.sub(l.number(1), l.target), l.input), yes);
}

static Value divergence(const LossOperands &l) {
  TensorBuilder &b = l.b;
  if (l.c.boolOr("log_target", false))
    return b.mul(b.unary<ExpOp>(l.target), b.sub(l.target, l.input));
  // 0 log 0 is 0.
  Value entropy = b.mul(l.target, b.unary<LogOp>(l.target));
  Value isZero = b.compare(Pred::Eq, l.target, l.number(0));
  return b.sub(b.select(isZero, l.number(0), entropy),
               b.mul(l.target, l.input));
}

static Value softMargin(const LossOperands &l) {
  TensorBuilder &b = l.b;
  return b.unary<Log1pOp>(
      b.unary<ExpOp>(b.unary<NegOp>(b.mul(l.input, l.target))));
}

//===----------------------------------------------------------------------===//
// Losses over classes
//===----------------------------------------------------------------------===//

namespace {

/// Class indices of the samples, and what each sample counts.
struct ClassTargets {
  /// Index of the class, zero for samples that are ignored.
  Value index;
  /// One, or the weight of the sample's class; zero for ignored ones.
  Value weight;
};

} // namespace

/// The element of dimension `dim` of `x` that the index names, without that
/// dimension.
static Value pick(TensorBuilder &b, Value x, Value index, int64_t dim) {
  Value wide = b.unsqueeze(index, dim);
  Value picked = GatherOp::create(
      b.getBuilder(), b.getLoc(),
      sym::getTensorType(getSizes(wide), getElementType(x)), x, wide, dim);
  return b.reshape(picked, getSizes(index));
}

static ClassTargets getTargets(AtenCall &c, Value target, Value classWeight,
                               Type type) {
  TensorBuilder &b = c.b;
  Value index = b.convert(target, b.getBuilder().getI64Type());
  Value ignored =
      b.scalar(b.getBuilder().getI64IntegerAttr(c.intOr("ignore_index", -100)));
  Value counts = b.compare(Pred::Ne, index, ignored);
  index =
      b.select(counts, index, b.scalar(b.getBuilder().getI64IntegerAttr(0)));
  Value weight = b.scalar(1.0, type);
  if (classWeight)
    weight = b.index(classWeight, index, {0});
  return {index, b.select(counts, weight, b.scalar(0.0, type))};
}

/// `loss` has been scaled by `weight`; the mean is over the weights.
static Value reduceWeighted(TensorBuilder &b, Value loss, Value weight,
                            LossReduction reduction) {
  switch (reduction) {
  case LossReduction::None:
    return loss;
  case LossReduction::Mean:
    return b.div(sumOfAll(b, loss), sumOfAll(b, weight));
  case LossReduction::Sum:
    return sumOfAll(b, loss);
  }
  llvm_unreachable("all reductions are handled");
}

/// A loss takes `[classes]` or `[samples, classes, ...]`.
static int64_t getClassDim(Value x) { return getRank(x) == 1 ? 0 : 1; }

static LogicalResult legalizeNegativeLogLikelihood(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.tensor("self"), target = c.tensor("target");
  std::optional<LossReduction> reduction = getReduction(c);
  if (!x || !target || !reduction || getRank(x) < 1 ||
      getRank(target) != getRank(x) - 1)
    return c.fail("input and target do not fit");
  TensorBuilder &b = c.b;
  ClassTargets t = getTargets(c, target, c.operand("weight", type), type);
  Value picked = b.convert(pick(b, x, t.index, getClassDim(x)), type);
  // An ignored sample counts nothing, whatever its logarithm is.
  Value loss =
      b.select(b.compare(Pred::Eq, t.weight, b.scalar(0.0, type)),
               b.scalar(0.0, type), b.unary<NegOp>(b.mul(picked, t.weight)));
  Value result = reduceWeighted(b, loss, t.weight, *reduction);
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  Value total = *reduction == LossReduction::None ? b.scalar(0.0, type)
                                                  : sumOfAll(b, t.weight);
  return c.replace({result, total});
}

/// log(sum(exp(x))) over the classes less the score of the right one: the
/// logarithms of all probabilities are never written.
static LogicalResult legalizeCrossEntropy(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value scores = c.tensor("self"), target = c.tensor("target");
  std::optional<LossReduction> reduction = getReduction(c);
  if (!scores || !target || !reduction || getRank(scores) < 1)
    return c.fail("input and target do not fit");
  TensorBuilder &b = c.b;
  Value x = b.convert(scores, type);
  int64_t dim = getClassDim(x);
  Value max = b.reduce(ReduceKind::Max, x, dim, /*keepdims=*/true);
  Value sum = b.reduce(ReduceKind::Sum, b.unary<ExpOp>(b.sub(x, max)), dim,
                       /*keepdims=*/true);
  Value log = b.unary<LogOp>(sum);
  // The logarithm of a sum of large scores would be rounded away next to them,
  // but not next to their distance from the largest.
  auto less = [&](Value score, Value top, Value logSum) {
    return b.add(b.sub(top, score), logSum);
  };
  Value classWeight = c.operand("weight", type);
  // Class weights, shaped so that they broadcast along the classes.
  auto alongClasses = [&]() {
    Sizes sizes(getRank(x) - dim, b.size(1));
    sizes[0] = getSizes(classWeight)[0];
    return b.reshape(classWeight, sizes);
  };
  double smoothing = c.floatOr("label_smoothing", 0);
  auto number = [&](double v) { return b.scalar(v, type); };

  if (isa<FloatType>(getElementType(target))) {
    // Probabilities of the classes.
    if (getRank(target) != getRank(scores))
      return c.fail("input and target do not fit");
    Value p = b.convert(target, type);
    Value classes = b.expr(getSizes(x)[dim], b.getBuilder().getI64Type());
    if (smoothing > 0)
      p = b.add(b.mul(p, number(1 - smoothing)),
                b.div(number(smoothing), b.convert(classes, type)));
    Value loss = b.mul(p, less(x, max, log));
    if (classWeight)
      loss = b.mul(loss, alongClasses());
    loss = b.reduce(ReduceKind::Sum, loss, dim, /*keepdims=*/false);
    switch (*reduction) {
    case LossReduction::None:
      return c.replace(loss);
    case LossReduction::Mean:
      return c.replace(b.mean(loss, allDims(loss), /*keepdims=*/false));
    case LossReduction::Sum:
      return c.replace(sumOfAll(b, loss));
    }
  }

  if (getRank(target) != getRank(scores) - 1)
    return c.fail("input and target do not fit");
  ClassTargets t = getTargets(c, target, classWeight, type);
  Value right = b.convert(pick(b, scores, t.index, dim), type);
  Value isIgnored = b.compare(Pred::Eq, t.weight, number(0));
  auto unlessIgnored = [&](Value v) {
    return b.select(isIgnored, number(0), v);
  };
  Sizes samples = getSizes(t.index);
  Value loss = less(right, b.reshape(max, samples), b.reshape(log, samples));
  loss = unlessIgnored(b.mul(loss, t.weight));
  Value result = reduceWeighted(b, loss, t.weight, *reduction);
  if (smoothing != 0) {
    // The same with every class the right one, at equal parts.
    Value rest = less(x, max, log);
    if (classWeight)
      rest = b.mul(rest, alongClasses());
    rest =
        unlessIgnored(b.reduce(ReduceKind::Sum, rest, dim, /*keepdims=*/false));
    Value smooth = reduceWeighted(b, rest, t.weight, *reduction);
    Value classes =
        b.convert(b.expr(getSizes(x)[dim], b.getBuilder().getI64Type()), type);
    result = b.add(b.mul(result, number(1 - smoothing)),
                   b.mul(smooth, b.div(number(smoothing), classes)));
  }
  return c.replace(result);
}

void graph::populateLossLegalizations(AtenLegalizations &t) {
  t.add("mse_loss", elementwiseLoss(squaredError));
  t.add("l1_loss", elementwiseLoss(absoluteDifference));
  t.add("smooth_l1_loss", elementwiseLoss(smoothL1));
  t.add("huber_loss", elementwiseLoss(huber));
  t.add("binary_cross_entropy", elementwiseLoss(binaryCrossEntropy));
  t.add("binary_cross_entropy_with_logits",
        elementwiseLoss(binaryCrossEntropyWithLogits));
  t.add("kl_div", elementwiseLoss(divergence));
  t.add("soft_margin_loss", elementwiseLoss(softMargin));
  t.add("nll_loss nll_loss_nd nll_loss2d nll_loss_forward nll_loss2d_forward",
        legalizeNegativeLogLikelihood);
  t.add("cross_entropy_loss", legalizeCrossEntropy);
}
