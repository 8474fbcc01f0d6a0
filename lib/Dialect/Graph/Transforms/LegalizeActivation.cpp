//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of activation functions. 16-bit floats are computed in `f32`
// throughout and rounded once.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

namespace {

/// The operand of an activation in its computing type, and shorthands.
struct Activation {
  AtenCall &c;
  TensorBuilder &b;
  Value x;

  Type type() const { return getElementType(x); }
  Value number(double value) const { return b.scalar(value, type()); }
  /// A number among the arguments.
  Value argument(StringRef name, double otherwise) const {
    return number(c.floatOr(name, otherwise));
  }
  Value clamp(Value v, double low, double high) const {
    return b.binary<MinimumOp>(b.binary<MaximumOp>(v, number(low)),
                               number(high));
  }
};

} // namespace

using Fn = Value (*)(const Activation &);

static AtenHandler activation(Fn fn) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getAccumulationType(c.resultElementType());
    Value x = c.operand("self", type);
    if (!x)
      return c.fail("its operand is missing");
    return c.replace(fn({c, c.b, x}));
  };
}

static Value gelu(const Activation &a) {
  TensorBuilder &b = a.b;
  Value inner;
  if (a.c.stringOr("approximate", "none") == "tanh") {
    // sqrt(2 / pi) * (x + 0.044715 x^3)
    Value cube = b.mul(b.mul(a.x, a.x), a.x);
    Value sum = b.add(a.x, b.mul(cube, a.number(0.044715)));
    inner = b.unary<TanhOp>(b.mul(sum, a.number(0.79788456080286535588)));
  } else {
    inner = b.unary<ErfOp>(b.mul(a.x, a.number(0.70710678118654752440)));
  }
  return b.mul(b.mul(a.x, a.number(0.5)), b.add(inner, a.number(1)));
}

/// x <= 0 ? (exp(x * inputScale) - 1) * negative : x * positive
static Value elu(const Activation &a, double negative, double positive,
                 double inputScale) {
  TensorBuilder &b = a.b;
  Value below = b.mul(b.unary<Expm1Op>(b.mul(a.x, a.number(inputScale))),
                      a.number(negative));
  Value above = b.mul(a.x, a.number(positive));
  return b.select(b.compare(Pred::Le, a.x, a.number(0)), below, above);
}

static Value softplus(const Activation &a) {
  TensorBuilder &b = a.b;
  Value beta = a.argument("beta", 1);
  Value scaled = b.mul(a.x, beta);
  Value smooth = b.div(b.unary<Log1pOp>(b.unary<ExpOp>(scaled)), beta);
  return b.select(b.compare(Pred::Gt, scaled, a.argument("threshold", 20)), a.x,
                  smooth);
}

static Value logSigmoid(const Activation &a) {
  TensorBuilder &b = a.b;
  Value tail =
      b.unary<Log1pOp>(b.unary<ExpOp>(b.unary<NegOp>(b.unary<AbsOp>(a.x))));
  return b.sub(b.binary<MinimumOp>(a.x, a.number(0)), tail);
}

static Value softShrink(const Activation &a) {
  TensorBuilder &b = a.b;
  double bound = a.c.floatOr("lambd", 0.5);
  // The product with zero keeps a NaN.
  Value inside = b.select(b.compare(Pred::Lt, a.x, a.number(-bound)),
                          b.add(a.x, a.number(bound)), b.mul(a.x, a.number(0)));
  return b.select(b.compare(Pred::Gt, a.x, a.number(bound)),
                  b.sub(a.x, a.number(bound)), inside);
}

static Value hardShrink(const Activation &a) {
  TensorBuilder &b = a.b;
  double bound = a.c.floatOr("lambd", 0.5);
  Value inside =
      b.binary<BitwiseAndOp>(b.compare(Pred::Ge, a.x, a.number(-bound)),
                             b.compare(Pred::Le, a.x, a.number(bound)));
  return b.select(inside, a.number(0), a.x);
}

static Value hardSigmoid(const Activation &a) {
  return a.b.div(a.clamp(a.b.add(a.x, a.number(3)), 0, 6), a.number(6));
}

static Value hardSwish(const Activation &a) {
  Value gate = a.clamp(a.b.add(a.x, a.number(3)), 0, 6);
  return a.b.div(a.b.mul(a.x, gate), a.number(6));
}

static LogicalResult legalizePrelu(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type), weight = c.operand("weight", type);
  if (!x || !weight)
    return c.fail("an operand is missing");
  // One weight for each channel, which is dimension one.
  int64_t rank = getRank(x);
  if (getRank(weight) == 1 && rank > 2) {
    Sizes sizes(rank - 1, c.b.size(1));
    sizes[0] = getSizes(weight)[0];
    weight = c.b.reshape(weight, sizes);
  }
  if (rank == 0)
    weight = c.b.reshape(weight, Sizes());
  Value positive = c.b.compare(Pred::Gt, x, c.b.scalar(0, type));
  return c.replace(c.b.select(positive, x, c.b.mul(weight, x)));
}

static LogicalResult legalizeGlu(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  std::optional<int64_t> dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0 || c.resultType().getRank() != getRank(x))
    return c.fail("its dimension is not constant");
  sym::ExprAttr half = c.resultSizes()[*dim];
  Value value = c.b.slice(x, *dim, c.b.size(0), half);
  Value gate = c.b.slice(x, *dim, half, half);
  return c.replace(c.b.mul(value, c.b.unary<SigmoidOp>(gate)));
}

/// glu_jvp: how the result changes where the operand changes by `dx`.
static LogicalResult legalizeGluJvp(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value glu = c.operand("glu", type), x = c.operand("x", type),
        dx = c.operand("dx", type);
  std::optional<int64_t> dim =
      x && dx && glu ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0 || getRank(glu) != getRank(x))
    return c.fail("its dimension is not constant");
  sym::ExprAttr half = c.resultSizes()[*dim];
  Num gate = Num(b, b.slice(x, *dim, half, half)).unary<SigmoidOp>();
  Num change(b, b.slice(dx, *dim, b.size(0), half)),
      gateChange(b, b.slice(dx, *dim, half, half));
  return c.replace(change * gate +
                   Num(b, glu) * (gateChange - gate * gateChange));
}

void graph::populateActivationLegalizations(AtenLegalizations &t) {
  t.add("gelu", activation(gelu));
  t.add("relu6",
        activation([](const Activation &a) { return a.clamp(a.x, 0, 6); }));
  t.add("hardtanh", activation([](const Activation &a) {
          return a.clamp(a.x, a.c.floatOr("min_val", -1),
                         a.c.floatOr("max_val", 1));
        }));
  t.add("silu", activation([](const Activation &a) {
          Value e = a.b.unary<ExpOp>(a.b.unary<NegOp>(a.x));
          return a.b.div(a.x, a.b.add(e, a.number(1)));
        }));
  t.add("mish", activation([](const Activation &a) {
          Value s = a.b.unary<Log1pOp>(a.b.unary<ExpOp>(a.x));
          return a.b.mul(a.x, a.b.unary<TanhOp>(s));
        }));
  t.add("elu", activation([](const Activation &a) {
          double scale = a.c.floatOr("scale", 1);
          return elu(a, a.c.floatOr("alpha", 1) * scale, scale,
                     a.c.floatOr("input_scale", 1));
        }));
  t.add("selu", activation([](const Activation &a) {
          double scale = 1.0507009873554804934193349852946;
          return elu(a, 1.6732632423543772848170429916717 * scale, scale, 1);
        }));
  t.add("celu", activation([](const Activation &a) {
          double alpha = a.c.floatOr("alpha", 1);
          return elu(a, alpha, 1, 1 / alpha);
        }));
  t.add("leaky_relu", activation([](const Activation &a) {
          Value scaled = a.b.mul(a.x, a.argument("negative_slope", 0.01));
          return a.b.select(a.b.compare(Pred::Gt, a.x, a.number(0)), a.x,
                            scaled);
        }));
  t.add("threshold", activation([](const Activation &a) {
          return a.b.select(
              a.b.compare(Pred::Le, a.x, a.argument("threshold", 0)),
              a.argument("value", 0), a.x);
        }));
  t.add("hardswish", activation(hardSwish));
  t.add("hardsigmoid", activation(hardSigmoid));
  t.add("softplus", activation(softplus));
  t.add("log_sigmoid", activation(logSigmoid));
  t.add("log_sigmoid_forward", [](AtenCall &c) -> LogicalResult {
    Value x = c.operand("self", getAccumulationType(c.resultElementType()));
    if (!x)
      return c.fail("its operand is missing");
    // The second result is what its derivative needs, on the CPU alone.
    Value kept = c.b.unary<ExpOp>(c.b.unary<NegOp>(c.b.unary<AbsOp>(x)));
    if (c.resultType(1).getRank() == 1 && c.resultSizes(1)[0].isConstant(0))
      kept = c.broadcastTo(c.b.scalar(0, getElementType(x)), c.resultSizes(1));
    return c.replace({logSigmoid({c, c.b, x}), kept});
  });
  t.add("tanhshrink", activation([](const Activation &a) {
          return a.b.sub(a.x, a.b.unary<TanhOp>(a.x));
        }));
  t.add("softshrink", activation(softShrink));
  t.add("hardshrink", activation(hardShrink));
  t.add("prelu _prelu_kernel", legalizePrelu);
  t.add("glu", legalizeGlu);
  t.add("glu_jvp", legalizeGluJvp);
}
