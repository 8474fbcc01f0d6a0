//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of activation functions. 16-bit floats are
// computed in `f32` throughout and rounded once.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

/// The gradient of the result, and the operand or the result of the function.
struct Gradient {
  AtenCall &c;
  Num grad, x;

  double argument(StringRef name, double otherwise) const {
    return c.floatOr(name, otherwise);
  }
};

} // namespace

using Fn = Num (*)(const Gradient &);

/// `fn` gives the gradient of the operand. Operators differ in what they call
/// the two tensors.
static AtenHandler gradient(Fn fn) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getAccumulationType(c.resultElementType());
    auto find = [&](ArrayRef<StringRef> names) -> Value {
      for (StringRef name : names)
        if (c.tensor(name))
          return c.operand(name, type);
      return {};
    };
    Value grad = find({"grad_output", "grad_out", "grad"}),
          x = find({"self", "self_or_result", "output"});
    if (!grad || !x)
      return c.fail("an operand is missing");
    return c.replace(fn({c, {c.b, grad}, {c.b, x}}));
  };
}

static Num logistic(Num x) { return 1 / (exp(-x) + 1); }

static Num gelu(const Gradient &g) {
  Num x = g.x;
  if (g.c.stringOr("approximate", "none") != "tanh") {
    Num cdf = ((x * M_SQRT1_2).unary<ErfOp>() + 1) * 0.5;
    Num pdf = exp(x * x * -0.5) * (M_2_SQRTPI * M_SQRT1_2 * 0.5);
    return g.grad * (cdf + x * pdf);
  }
  const double beta = M_SQRT2 * M_2_SQRTPI * 0.5, kappa = 0.044715;
  Num square = x * x;
  Num tanh = ((x + square * x * kappa) * beta).unary<TanhOp>();
  Num inner = (square * (3 * kappa) + 1) * beta;
  return g.grad * ((tanh + 1) * 0.5 + x * 0.5 * (1 - tanh * tanh) * inner);
}

static Num elu(const Gradient &g) {
  double scale = g.argument("scale", 1),
         inputScale = g.argument("input_scale", 1);
  double negative = g.argument("alpha", 1) * scale;
  Num below = g.c.boolOr("is_result", false)
                  ? g.grad * inputScale * (g.x + negative)
                  : g.grad * (inputScale * negative) * exp(g.x * inputScale);
  return select(g.x <= 0, below, g.grad * scale);
}

static Num logSigmoid(const Gradient &g) {
  Num z = exp(-abs(g.x)), part = z / (z + 1);
  return g.grad * select(g.x < 0, 1 - part, part);
}

static Num mish(const Gradient &g) {
  Num tanh = exp(g.x).unary<Log1pOp>().unary<TanhOp>();
  return g.grad * (tanh + g.x * logistic(g.x) * (1 - tanh * tanh));
}

/// Of hardshrink and softshrink: none where the result is zero.
static Num shrink(const Gradient &g) {
  double bound = g.argument("lambd", 0.5);
  return select((g.x >= -bound) & (g.x <= bound), 0, g.grad);
}

static Num hardSwish(const Gradient &g) {
  Num middle = g.grad * (g.x / 3 + 0.5);
  return select(g.x <= -3, 0, select(g.x < 3, middle, g.grad));
}

static Num leakyRelu(Num grad, Num x, double slope) {
  return select(x > 0, grad, grad * slope);
}

/// Outside of `eps` to `1 - eps` there is no gradient; without bounds it is not
/// defined outside of 0 to 1.
static Num logit(const Gradient &g) {
  bool isBounded = g.c.has("eps") && g.argument("eps", -1) >= 0;
  double low = isBounded ? g.argument("eps", 0) : 0, high = 1 - low;
  Num atEnds = g.grad * kInfinity;
  Num inside =
      select((g.x == 0) | (g.x == 1), atEnds, g.grad / (g.x * (1 - g.x)));
  Num outside =
      g.x.number(isBounded ? 0 : std::numeric_limits<double>::quiet_NaN());
  return select((g.x < low) | (g.x > high), outside, inside);
}

/// rrelu_with_noise_backward: the noise is the slope of each element in
/// training, and otherwise all have the mean slope.
static LogicalResult legalizeRRelu(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_output", type), x = c.operand("self", type),
        noise = c.operand("noise", type);
  auto lower = c.getFloat("lower"), upper = c.getFloat("upper");
  if (!grad || !x || !noise || !lower || !upper)
    return c.fail("an operand is missing");
  Num g(c.b, grad);
  if (c.boolOr("training", false) && *upper - *lower > 1e-6)
    return c.replace(g * Num(c.b, noise));
  return c.replace(leakyRelu(g, {c.b, x}, (*lower + *upper) / 2));
}

static LogicalResult legalizeGlu(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_output", type), x = c.operand("self", type);
  auto dim = grad && x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim || getRank(x) == 0 || getRank(grad) != getRank(x))
    return c.fail("its dimension is not constant");
  sym::ExprAttr half = getSizes(grad)[*dim];
  Num g(b, grad), value(b, b.slice(x, *dim, b.size(0), half));
  Num gate = logistic({b, b.slice(x, *dim, half, half)});
  Num gateGrad = g * value * gate * (1 - gate);
  return c.replace(b.cat({g * gate, gateGrad}, *dim));
}

/// _prelu_kernel_backward: of the operand and, element by element, of the
/// weight, which broadcasts.
static LogicalResult legalizePrelu(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_output", type), self = c.operand("self", type),
        weight = c.operand("weight", type);
  if (!grad || !self || !weight)
    return c.fail("an operand is missing");
  Num g(c.b, grad), x(c.b, self);
  Num isPositive = x > 0;
  return c.replace({select(isPositive, g, g * Num(c.b, weight)),
                    select(isPositive, 0, g * x)});
}

void graph::populateActivationBackwardLegalizations(AtenLegalizations &t) {
  t.add("sigmoid_backward",
        gradient([](const Gradient &g) { return g.grad * ((1 - g.x) * g.x); }));
  t.add("tanh_backward",
        gradient([](const Gradient &g) { return g.grad * (1 - g.x * g.x); }));
  t.add("threshold_backward", gradient([](const Gradient &g) {
          return select(g.x <= g.argument("threshold", 0), 0, g.grad);
        }));
  t.add("softplus_backward", gradient([](const Gradient &g) {
          Num scaled = g.x * g.argument("beta", 1), z = exp(scaled);
          return select(scaled > g.argument("threshold", 20), g.grad,
                        g.grad * z / (z + 1));
        }));
  t.add("gelu_backward infinitely_differentiable_gelu_backward",
        gradient(gelu));
  t.add("silu_backward", gradient([](const Gradient &g) {
          Num s = logistic(g.x);
          return g.grad * s * (g.x * (1 - s) + 1);
        }));
  t.add("hardswish_backward", gradient(hardSwish));
  t.add("hardsigmoid_backward", gradient([](const Gradient &g) {
          // The framework rounds the slope to `f32` for all types.
          double slope = 1.0F / 6.0F;
          return select((g.x > -3) & (g.x < 3), g.grad * slope, 0);
        }));
  t.add("hardtanh_backward", gradient([](const Gradient &g) {
          return select((g.x <= g.argument("min_val", -1)) |
                            (g.x >= g.argument("max_val", 1)),
                        0, g.grad);
        }));
  t.add("elu_backward", gradient(elu));
  t.add("leaky_relu_backward", gradient([](const Gradient &g) {
          return leakyRelu(g.grad, g.x, g.argument("negative_slope", 0.01));
        }));
  t.add("log_sigmoid_backward", gradient(logSigmoid));
  t.add("mish_backward", gradient(mish));
  t.add("hardshrink_backward softshrink_backward", gradient(shrink));
  t.add("logit_backward", gradient(logit));
  t.add("rrelu_with_noise_backward", legalizeRRelu);
  t.add("glu_backward", legalizeGlu);
  t.add("_prelu_kernel_backward", legalizePrelu);
}
