//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of losses. 16-bit floats are computed in `f32`
// throughout and rounded once.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

static constexpr int64_t kMean = 1;

namespace {

/// The gradient of an elementwise loss, divided by the number of elements if
/// the loss is their mean.
struct LossGradient {
  AtenCall &c;
  Num grad, x, target;
};

} // namespace

using Fn = Num (*)(const LossGradient &);

/// `number` of elements as a tensor of rank zero.
static Num numberOf(TensorBuilder &b, ExprAttr number, Type type) {
  return {b, b.expr(number, type)};
}

/// `fn` gives the gradient of the operand.
static AtenHandler elementwise(Fn fn) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = getAccumulationType(c.resultElementType());
    Value grad = c.operand("grad_output", type), x = c.operand("self", type),
          target = c.operand("target", type);
    if (!grad || !x || !target)
      return c.fail("an operand is missing");
    Num g(b, grad);
    if (c.intOr("reduction", kMean) == kMean)
      g = g / numberOf(b, sym::product(b.getContext(), c.resultSizes()), type);
    Num result = fn({c, g, {b, x}, {b, target}});
    if (Value weight = c.operand("weight", type))
      result = result * Num(b, weight);
    return c.replace(c.broadcastTo(result, c.resultSizes()));
  };
}

/// `slope` times the sign of the distance from the target where that is at
/// least `limit`, else `near` times the distance.
static Num quadraticThenLinear(const LossGradient &l, double limit, double near,
                               double slope) {
  Num d = l.x - l.target, step = l.grad * slope;
  return select(d <= -limit, -step,
                select(d >= limit, step, l.grad * d * near));
}

static Num smoothL1(const LossGradient &l) {
  double beta = l.c.floatOr("beta", 1);
  return quadraticThenLinear(l, beta, beta == 0 ? 0 : 1 / beta, 1);
}

static Num huber(const LossGradient &l) {
  double delta = l.c.floatOr("delta", 1);
  return quadraticThenLinear(l, delta, 1, delta);
}

/// A certain prediction has a large gradient, not an infinite one.
static Num binaryCrossEntropy(const LossGradient &l) {
  return l.grad * (l.x - l.target) / max((1 - l.x) * l.x, 1e-12);
}

static Num softMargin(const LossGradient &l) {
  Num z = exp(-(l.x * l.target));
  return l.grad * -l.target * z / (z + 1);
}

//===----------------------------------------------------------------------===//
// Losses over classes
//===----------------------------------------------------------------------===//

/// nll_loss_backward: each sample has a gradient at its class alone, so that
/// each element finds out whether it is that one.
static LogicalResult legalizeNegativeLogLikelihood(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_output", type), x = c.tensor("self"),
        target = c.tensor("target");
  int64_t rank = x ? getRank(x) : 0;
  if (!grad || !target || rank < 1 || getRank(target) > rank)
    return c.fail("input and target do not fit");
  int64_t dim = rank == 1 ? 0 : 1;
  Positions p(b);
  Sizes samples = getSizes(x);
  ExprAttr classes = samples[dim];
  samples.erase(samples.begin() + dim);
  Num index(b, b.reshape(b.convert(target, p.type()), samples));
  ExprAttr ignored = c.getExpr("ignore_index");
  Num counts = index != p.size(ignored ? ignored : b.size(-100));
  Num factor(b, grad);
  switch (c.intOr("reduction", kMean)) {
  case 0:
    factor = {b, b.reshape(grad, samples)};
    break;
  case kMean: {
    Value total = c.operand("total_weight", type);
    if (!total)
      return c.fail("the sum of its weights is missing");
    factor = {b, b.div(b.reshape(grad, {}), b.reshape(total, {}))};
    break;
  }
  default:
    factor = {b, b.reshape(grad, {})};
  }
  if (Value weight = c.operand("weight", type))
    factor = factor * Num(b, b.index(flatten(b, weight),
                                     Value(select(counts, index, 0)), 0));
  factor = select(counts, -factor, 0);
  // Along the classes.
  auto alongClasses = [&](Num v) { return getRank(v) ? v.unsqueeze(dim) : v; };
  Num position = p.iota(classes);
  for (int64_t d = dim + 1; d < rank; ++d)
    position = position.unsqueeze(getRank(position));
  Num result = select(position == alongClasses(index), alongClasses(factor), 0);
  return c.replace(c.broadcastTo(result, c.resultSizes()));
}

/// The operands of a margin loss: `[samples, classes]`, the gradient of each
/// sample, which has been divided by the numbers that the loss was divided by.
struct MarginOperands {
  Num x, grad;
  ExprAttr classes;
};

static std::optional<MarginOperands> readMargin(AtenCall &c, Type type) {
  TensorBuilder &b = c.b;
  Value grad = c.operand("grad_output", type), x = c.operand("self", type);
  if (!grad || !x || getRank(x) > 2)
    return std::nullopt;
  Sizes rows = getSizes(x);
  while (rows.size() < 2)
    rows.insert(rows.begin(), b.size(1));
  ExprAttr classes = rows[1];
  Num divisor = numberOf(b, classes, type);
  int64_t reduction = c.intOr("reduction", kMean);
  Value g;
  if (reduction == 1 || reduction == 2) {
    g = b.reshape(grad, {});
    if (reduction == kMean)
      divisor = divisor * numberOf(b, rows[0], type);
  } else {
    g = b.reshape(grad, {rows[0], b.size(1)});
  }
  return MarginOperands{{b, b.reshape(x, rows)}, Num(b, g) / divisor, classes};
}

/// multi_margin_loss_backward: classes that come too near the right one are
/// moved away, and that one by the sum of these.
static LogicalResult legalizeMultiMargin(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  auto m = readMargin(c, type);
  Value target = c.tensor("target");
  double exponent = c.floatOr("p", 1);
  if (!m || !target || getRank(target) > 1)
    return c.fail("its operands have other ranks");
  if (exponent != 1 && exponent != 2)
    return c.fail("its exponent is neither 1 nor 2");
  Positions p(b);
  Value index = b.castSizes(toIndex(b, flatten(b, target)), getSizes(m->x)[0]);
  Num right(b, gatherAlong(b, m->x, b.unsqueeze(index, 1), 1));
  Num isRight =
      p.iota(m->classes) == Num(b, b.convert(index, p.type())).unsqueeze(1);
  Num distance = c.floatOr("margin", 1) - right + m->x;
  Num slope = exponent == 1 ? m->grad : m->grad * distance * 2;
  if (Value weight = c.operand("weight", type))
    slope = slope * Num(b, b.index(flatten(b, weight), index, 0)).unsqueeze(1);
  Num others = select((distance > 0) & !isRight, slope, 0);
  Num sum = others.reduce(ReduceKind::Sum, 1, /*keepdims=*/true);
  return c.replace(b.reshape(select(isRight, -sum, others), c.resultSizes()));
}

/// multilabel_margin_loss_backward: each pair of a listed class and one that
/// is not, if these are too near.
static LogicalResult legalizeMultilabelMargin(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  auto m = readMargin(c, type);
  Value target = c.tensor("target"), isTarget = c.tensor("is_target");
  if (!m || !target || !isTarget || getRank(target) > 2)
    return c.fail("its operands have other ranks");
  Positions p(b);
  Sizes rows = getSizes(m->x);
  Num label(b, b.reshape(b.convert(target, p.type()), rows));
  Num isOther = !Num(b, toBool(b, b.reshape(isTarget, rows)));
  Num isListed(b, ScanOp::create(b.getBuilder(), b.getLoc(), ScanKind::Min,
                                 (label >= 0).to(p.type()), uint64_t(1))
                      .getResult());
  isListed = isListed != 0;
  // [sample, label, class]
  Num right(b, gatherAlong(b, m->x, p.clamp(label, m->classes), 1));
  Num distance = 1 - right.unsqueeze(2) + m->x.unsqueeze(1);
  Num counts = isListed.unsqueeze(2) & isOther.unsqueeze(1) & (distance > 0);
  Num moved = counts.to(type);
  // What the listed class of each label is moved by is added to that class.
  Num byLabel = -moved.reduce(ReduceKind::Sum, 2);
  Num isClass = label.unsqueeze(2) == p.iota(m->classes);
  Num ofListed =
      select(isClass & isListed.unsqueeze(2), byLabel.unsqueeze(2), 0)
          .reduce(ReduceKind::Sum, 1);
  Num total = moved.reduce(ReduceKind::Sum, 1) + ofListed;
  return c.replace(b.reshape(total * m->grad, c.resultSizes()));
}

void graph::populateLossBackwardLegalizations(AtenLegalizations &t) {
  t.add("mse_loss_backward", elementwise([](const LossGradient &l) {
          return l.grad * 2 * (l.x - l.target);
        }));
  t.add("smooth_l1_loss_backward", elementwise(smoothL1));
  t.add("huber_loss_backward", elementwise(huber));
  t.add("binary_cross_entropy_backward", elementwise(binaryCrossEntropy));
  t.add("soft_margin_loss_backward", elementwise(softMargin));
  t.add("nll_loss_backward nll_loss2d_backward", legalizeNegativeLogLikelihood);
  t.add("multi_margin_loss_backward", legalizeMultiMargin);
  t.add("multilabel_margin_loss_backward", legalizeMultilabelMargin);
}
