//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointwise operators of complex numbers, and those that take them apart and
// put them together.
//
//===----------------------------------------------------------------------===//

#include "ComplexCall.h"
#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;

using Unary = ComplexParts (ComplexMath::*)(ComplexParts);

static ComplexHandler unary(Unary fn) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self");
    return x.re ? c.replace((c.math.*fn)(x)) : c.fail("its operand is missing");
  };
}

static ComplexHandler binary(ComplexParts (ComplexMath::*fn)(ComplexParts,
                                                             ComplexParts)) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self"), y = c.get("other");
    return x.re && y.re ? c.replace((c.math.*fn)(x, y))
                        : c.fail("an operand is missing");
  };
}

/// A function with real results of one operand.
static ComplexHandler realOf(Value (*fn)(ComplexMath &, ComplexParts)) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self");
    return x.re ? c.replaceReal(fn(c.math, x))
                : c.fail("its operand is missing");
  };
}

static ComplexHandler compare(Value (ComplexMath::*fn)(ComplexParts,
                                                       ComplexParts)) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self"), y = c.get("other");
    return x.re && y.re ? c.replaceReal((c.math.*fn)(x, y))
                        : c.fail("an operand is missing");
  };
}

/// self + alpha * other, or with the operands and the sign changed.
static ComplexHandler addition(bool subtract, bool reverse) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self"), y = c.get("other");
    if (!x.re || !y.re)
      return c.fail("an operand is missing");
    if (reverse)
      std::swap(x, y);
    Type type = c.getComputeType();
    Attribute alpha = c.op.getArgument("alpha");
    if (isa_and_nonnull<DictionaryAttr>(alpha) ||
        (isa_and_nonnull<IntegerAttr, FloatAttr>(alpha) &&
         convertScalar(alpha, type) != c.b.getBuilder().getFloatAttr(type, 1)))
      y = c.math.mul(y, c.get("alpha"));
    return c.replace(subtract ? c.math.sub(x, y) : c.math.add(x, y));
  };
}

/// self + value * tensor1 (* or /) tensor2
static ComplexHandler addCombined(bool divide) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self"), y = c.get("tensor1"), z = c.get("tensor2");
    if (!x.re || !y.re || !z.re)
      return c.fail("an operand is missing");
    if (c.op.getArgument("value"))
      y = c.math.mul(c.get("value"), y);
    return c.replace(
        c.math.add(x, divide ? c.math.div(y, z) : c.math.mul(y, z)));
  };
}

static LogicalResult expandPow(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("exponent");
  if (!x.re || !y.re)
    return c.fail("an operand is missing");
  // Powers that are products are exact where the general formula is not.
  std::optional<double> exponent;
  if (auto parts = getNumber(c.op.getArgument("exponent"))) {
    auto im = dyn_cast<FloatAttr>(parts->second);
    if (!im || !im.getValue().isZero())
      exponent = std::nullopt;
    else if (auto number = dyn_cast<FloatAttr>(parts->first))
      exponent = number.getValueAsDouble();
    else if (auto number = dyn_cast<IntegerAttr>(parts->first))
      exponent = static_cast<double>(number.getInt());
  }
  if (exponent && *exponent == 0.5)
    return c.replace(c.math.sqrt(x));
  if (exponent && *exponent == static_cast<int>(*exponent) &&
      std::abs(*exponent) <= 16) {
    ComplexParts power =
        c.math.powInteger(x, static_cast<unsigned>(std::abs(*exponent)));
    return c.replace(*exponent < 0 ? c.math.reciprocal(power) : power);
  }
  return c.replace(c.math.pow(x, y));
}

static LogicalResult expandLerp(ComplexCall &c) {
  ComplexParts start = c.get("self"), end = c.get("end"),
               weight = c.get("weight");
  if (!start.re || !end.re || !weight.re)
    return c.fail("an operand is missing");
  Type type = c.getComputeType();
  ComplexParts difference = c.math.sub(end, start);
  Value isNear = c.b.compare(ComparePredicate::Lt, c.math.abs(weight),
                             c.b.scalar(0.5, type));
  ComplexParts fromEnd = c.math.sub(
      end,
      c.math.mul(difference, c.math.sub(c.math.number(1, 0, type), weight)));
  return c.replace(c.math.select(
      isNear, c.math.add(start, c.math.mul(weight, difference)), fromEnd));
}

/// x == y, or |x - y| <= |atol + |rtol y|| of finite numbers.
static LogicalResult expandIsClose(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("other"), rtol = c.get("rtol"),
               atol = c.get("atol");
  if (!x.re || !y.re || !rtol.re || !atol.re)
    return c.fail("an operand is missing");
  TensorBuilder &b = c.b;
  ComplexMath &m = c.math;
  Value error = m.abs(m.sub(x, y));
  Value allowed = b.add(atol.re, b.mul(rtol.re, m.abs(y)));
  Value isNear = b.binary<BitwiseAndOp>(
      m.isFinite(m.sub(x, y)), b.compare(ComparePredicate::Le, error, allowed));
  Value result = b.binary<BitwiseOrOp>(m.equal(x, y), isNear);
  auto equalNan = dyn_cast_or_null<BoolAttr>(c.op.getArgument("equal_nan"));
  if (equalNan && equalNan.getValue())
    result = b.binary<BitwiseOrOp>(
        result, b.binary<BitwiseAndOp>(m.isNan(x), m.isNan(y)));
  return c.replaceReal(result);
}

static LogicalResult expandSinc(ComplexCall &c) {
  ComplexParts x = c.get("self");
  Type type = c.getComputeType();
  ComplexParts scaled =
      c.math.scale(x, c.b.scalar(3.14159265358979323846, type));
  Value isZero = c.math.equal(x, c.math.number(0, 0, type));
  return c.replace(c.math.select(isZero, c.math.number(1, 0, type),
                                 c.math.div(c.math.sin(scaled), scaled)));
}

/// self * 2^other
static LogicalResult expandLdexp(ComplexCall &c) {
  ComplexParts x = c.get("self"), y = c.get("other");
  if (!x.re || !y.re)
    return c.fail("an operand is missing");
  Value other = c.op.getTensor("other");
  if (!other || !ComplexCall::isComplex(other))
    return c.replace(c.math.scale(x, c.b.unary<Exp2Op>(y.re)));
  Value angle = c.b.mul(y.im, c.b.scalar(std::log(2.0), c.getComputeType()));
  return c.replace(c.math.mul(x, c.math.polar(c.b.unary<Exp2Op>(y.re), angle)));
}

/// base^x for numbers x at equal distances.
static LogicalResult expandLogSpace(ComplexCall &c) {
  ComplexParts start = c.get("start"), end = c.get("end");
  auto steps = dyn_cast_or_null<IntegerAttr>(c.op.getArgument("steps"));
  auto base = getNumber(c.op.getArgument("base"));
  if (!start.re || !end.re || !steps || getRank(start.re) != 0 ||
      getRank(end.re) != 0)
    return c.fail("an operand is missing");
  Type type = c.getComputeType();
  sym::ExprAttr count = c.b.size(steps.getInt());
  auto part = [&](Value from, Value to) {
    return spaced(c.b, {c.b, from}, {c.b, to}, count);
  };
  Value number = base ? c.b.scalar(convertScalar(base->first, type))
                      : c.b.scalar(10, type);
  return c.replace(
      c.math.pow({number, c.b.scalar(0, type)},
                 {part(start.re, end.re), part(start.im, end.im)}));
}

/// x / sqrt(mean(x^2) + eps): the square, not that of the magnitude.
static LogicalResult expandRmsNorm(ComplexCall &c) {
  TensorBuilder &b = c.b;
  ComplexParts x = c.get("input"), weight = c.get("weight");
  auto shape =
      dyn_cast_or_null<DenseI64ArrayAttr>(c.op.getArgument("normalized_shape"));
  int64_t rank = x.re ? getRank(x.re) : 0;
  if (!x.re || !shape || shape.empty() || shape.size() > rank)
    return c.fail("its shape is not known");
  Type type = c.getComputeType();
  double eps = type.isF64() ? 0x1p-52 : 0x1p-23;
  if (auto given = dyn_cast_or_null<FloatAttr>(c.op.getArgument("eps")))
    eps = given.getValueAsDouble();
  SmallVector<int64_t> dims = lastDims(rank, shape.size());
  ComplexParts square = c.math.mul(x, x);
  ComplexParts mean = {
      b.add(b.mean(square.re, dims, /*keepdims=*/true), b.scalar(eps, type)),
      b.mean(square.im, dims, /*keepdims=*/true)};
  ComplexParts factor = c.math.reciprocal(c.math.sqrt(mean));
  ComplexParts result = c.math.mul(x, factor);
  if (weight.re)
    result = c.math.mul(result, weight);
  // Of real operands with complex weights the framework keeps the real part.
  if (!ComplexCall::isComplex(c.op.getOutputs().front()))
    result.im = nullptr;
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, factor});
}

/// A logarithm to another base than e.
static ComplexHandler logOfBase(double base) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts x = c.get("self");
    if (!x.re)
      return c.fail("its operand is missing");
    return c.replace(c.math.scale(
        c.math.log(x), c.b.scalar(1 / std::log(base), c.getComputeType())));
  };
}

/// The gradient of the operand of a holomorphic function: that of the result
/// times the conjugated derivative, which `fn` gives for what `name` names.
static ComplexHandler
gradient(StringRef name,
         ComplexParts (*fn)(ComplexMath &, ComplexParts one, ComplexParts x)) {
  return [=](ComplexCall &c) -> LogicalResult {
    ComplexParts grad = c.get("grad_output"), x = c.get(name);
    if (!grad.re || !x.re)
      return c.fail("an operand is missing");
    ComplexParts one = c.math.number(1, 0, c.getComputeType());
    return c.replace(c.math.mul(grad, c.math.conj(fn(c.math, one, x))));
  };
}

void graph::populateComplexFunctions(ComplexExpansions &t) {
  using M = ComplexMath;
  t.add("add", addition(/*subtract=*/false, /*reverse=*/false));
  t.add("sub subtract", addition(/*subtract=*/true, /*reverse=*/false));
  t.add("rsub", addition(/*subtract=*/true, /*reverse=*/true));
  t.add("mul multiply", binary(&M::mul));
  t.add("div divide true_divide", binary(&M::div));
  t.add("addcmul", addCombined(/*divide=*/false));
  t.add("addcdiv", addCombined(/*divide=*/true));
  t.add("lerp", expandLerp);
  t.add("pow float_power", expandPow);
  t.add("reciprocal", unary(&M::reciprocal));
  t.add("square", [](ComplexCall &c) {
    ComplexParts x = c.get("self");
    return c.replace(c.math.mul(x, x));
  });
  t.add("ldexp", expandLdexp);
  t.add("logaddexp", binary(&M::logAddExp));
  t.add("logspace", expandLogSpace);
  t.add("rms_norm _fused_rms_norm", expandRmsNorm);
  t.add("sgn", unary(&M::sgn));
  t.add("conj _conj conj_physical _conj_physical", unary(&M::conj));
  // The flags that these resolve are part of the values here.
  t.add("resolve_conj resolve_neg",
        [](ComplexCall &c) { return c.replace(c.get("self")); });
  t.add("_neg_view", unary(&M::neg));

  t.add("exp", unary(&M::exp));
  t.add("exp2 special_exp2", [](ComplexCall &c) {
    return c.replace(c.math.exp(c.math.scale(
        c.get("self"), c.b.scalar(std::log(2.0), c.getComputeType()))));
  });
  t.add("expm1 special_expm1", unary(&M::expm1));
  t.add("log", unary(&M::log));
  t.add("log2", logOfBase(2));
  t.add("log10", logOfBase(10));
  t.add("log1p special_log1p", unary(&M::log1p));
  t.add("sqrt", unary(&M::sqrt));
  t.add("rsqrt", [](ComplexCall &c) {
    return c.replace(c.math.reciprocal(c.math.sqrt(c.get("self"))));
  });
  t.add("sin", unary(&M::sin));
  t.add("cos", unary(&M::cos));
  t.add("tan", unary(&M::tan));
  t.add("sinh", unary(&M::sinh));
  t.add("cosh", unary(&M::cosh));
  t.add("tanh", unary(&M::tanh));
  t.add("asin arcsin", unary(&M::asin));
  t.add("acos arccos", unary(&M::acos));
  t.add("atan arctan", unary(&M::atan));
  t.add("asinh arcsinh", unary(&M::asinh));
  t.add("acosh arccosh", unary(&M::acosh));
  t.add("atanh arctanh", unary(&M::atanh));
  t.add("sinc special_sinc", expandSinc);
  t.add("sigmoid special_expit", [](ComplexCall &c) {
    ComplexParts one = c.math.number(1, 0, c.getComputeType());
    return c.replace(c.math.reciprocal(
        c.math.add(one, c.math.exp(c.math.neg(c.get("self"))))));
  });
  t.add("silu", [](ComplexCall &c) {
    ComplexParts x = c.get("self");
    ComplexParts one = c.math.number(1, 0, c.getComputeType());
    return c.replace(c.math.div(x, c.math.add(one, c.math.exp(c.math.neg(x)))));
  });

  t.add("sigmoid_backward",
        gradient("output", [](M &m, ComplexParts one, ComplexParts y) {
          return m.mul(m.sub(one, y), y);
        }));
  t.add("tanh_backward",
        gradient("output", [](M &m, ComplexParts one, ComplexParts y) {
          return m.sub(one, m.mul(y, y));
        }));
  t.add("silu_backward",
        gradient("self", [](M &m, ComplexParts one, ComplexParts x) {
          ComplexParts s = m.reciprocal(m.add(one, m.exp(m.neg(x))));
          return m.mul(s, m.add(one, m.mul(x, m.sub(one, s))));
        }));

  t.add("abs absolute", realOf([](M &m, ComplexParts x) { return m.abs(x); }));
  t.add("angle", realOf([](M &m, ComplexParts x) { return m.angle(x); }));
  t.add("real", realOf([](M &, ComplexParts x) { return x.re; }));
  t.add("imag", realOf([](M &, ComplexParts x) { return x.im; }));
  t.add("isnan", realOf([](M &m, ComplexParts x) { return m.isNan(x); }));
  t.add("isinf", realOf([](M &m, ComplexParts x) { return m.isInf(x); }));
  t.add("isfinite", realOf([](M &m, ComplexParts x) { return m.isFinite(x); }));
  t.add("isreal", realOf([](M &m, ComplexParts x) {
          return m.b.compare(ComparePredicate::Eq, x.im,
                             m.b.scalar(0, getElementType(x.im)));
        }));
  t.add("eq", compare(&M::equal));
  t.add("ne not_equal", compare(&M::notEqual));
  t.add("isclose", expandIsClose);

  t.add("complex", [](ComplexCall &c) -> LogicalResult {
    Value re = c.op.getTensor("real"), im = c.op.getTensor("imag");
    return re && im
               ? c.replace(ComplexParts{c.b.broadcast(re, c.resultSizes()),
                                        c.b.broadcast(im, c.resultSizes())})
               : c.fail("an operand is missing");
  });
  t.add("polar", [](ComplexCall &c) -> LogicalResult {
    Value abs = c.op.getTensor("abs"), angle = c.op.getTensor("angle");
    Type type = c.getComputeType();
    return abs && angle ? c.replace(c.math.polar(c.b.convert(abs, type),
                                                 c.b.convert(angle, type)))
                        : c.fail("an operand is missing");
  });
  t.add("view_as_real view_as_real_copy",
        [](ComplexCall &c) { return c.replaceReal(pack(c.b, c.get("self"))); });
  t.add("view_as_complex view_as_complex_copy", [](ComplexCall &c) {
    return c.replace(unpack(c.b, c.op.getTensor("self")));
  });
}
