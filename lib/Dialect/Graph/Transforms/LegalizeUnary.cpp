//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of pointwise operators with one operand.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using Fn = Value (*)(TensorBuilder &, Value);

static constexpr double kPi = 3.14159265358979323846;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An operator whose operand is converted to the result's element type. With
/// `wide`, 16-bit floats are computed in `f32` because `fn` makes several ops.
static AtenHandler unary(Fn fn, bool wide = false) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    if (wide)
      type = getAccumulationType(type);
    Value x = c.operand("self", type);
    return x ? c.replace(fn(c.b, x)) : c.fail("its operand is missing");
  };
}

template <typename OpTy>
static AtenHandler op() {
  return unary([](TensorBuilder &b, Value x) { return b.unary<OpTy>(x); });
}

/// Rounding operators do nothing to integers.
template <typename OpTy>
static AtenHandler rounding() {
  return unary([](TensorBuilder &b, Value x) {
    return isa<FloatType>(getElementType(x)) ? b.unary<OpTy>(x) : x;
  });
}

/// A test of floats; other numbers give `otherwise`.
static AtenHandler predicate(Fn fn, bool otherwise) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    if (isa<FloatType>(getElementType(x)))
      return c.replace(fn(c.b, x));
    OpBuilder &builder = c.b.getBuilder();
    return c.replace(c.b.full(builder.getBoolAttr(otherwise), getSizes(x)));
  };
}

static Value constant(TensorBuilder &b, double value, Value like) {
  return b.scalar(value, getElementType(like));
}

static LogicalResult legalizeNanToNum(AtenCall &c) {
  Value x = c.tensor("self");
  if (!x)
    return c.fail("its operand is missing");
  auto type = dyn_cast<FloatType>(getElementType(x));
  if (!type)
    return c.replace(x);
  TensorBuilder &b = c.b;
  double largest =
      APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  auto replaceWhere = [&](Value condition, double value) {
    x = b.select(condition, constant(b, value, x), x);
  };
  Value original = x;
  replaceWhere(b.compare(Pred::Eq, original, constant(b, kInfinity, x)),
               c.floatOr("posinf", largest));
  replaceWhere(b.compare(Pred::Eq, original, constant(b, -kInfinity, x)),
               c.floatOr("neginf", -largest));
  replaceWhere(b.unary<IsNanOp>(original, /*predicate=*/true),
               c.floatOr("nan", 0));
  return c.replace(x);
}

static LogicalResult legalizeLogit(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  if (!x)
    return c.fail("its operand is missing");
  TensorBuilder &b = c.b;
  if (std::optional<double> eps = c.getFloat("eps")) {
    x = b.binary<MaximumOp>(x, b.scalar(*eps, type));
    x = b.binary<MinimumOp>(x, b.scalar(1 - *eps, type));
  }
  return c.replace(b.unary<LogOp>(b.div(x, b.sub(b.scalar(1, type), x))));
}

/// round(x, decimals)
static LogicalResult legalizeRoundDecimals(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  std::optional<int64_t> decimals = c.getInt("decimals");
  if (!x || !decimals)
    return c.fail("'decimals' is not constant");
  TensorBuilder &b = c.b;
  if (!isa<FloatType>(type))
    return *decimals >= 0 ? c.replace(x)
                          : c.fail("integers are rounded to negative decimals");
  Value scale =
      b.scalar(std::pow(10.0, std::abs(static_cast<double>(*decimals))), type);
  if (*decimals >= 0)
    return c.replace(b.div(b.unary<RoundOp>(b.mul(x, scale)), scale));
  return c.replace(b.mul(b.unary<RoundOp>(b.div(x, scale)), scale));
}

/// frexp: a mantissa in [0.5, 1) and a power of two, from the bits of the
/// number.
static LogicalResult legalizeFrexp(AtenCall &c) {
  TensorBuilder &b = c.b;
  auto type = dyn_cast<FloatType>(getAccumulationType(c.resultElementType()));
  Value given = type ? c.operand("self", type) : Value();
  if (!given || c.op.getOutputs().size() != 2)
    return c.fail("its operand is no float");
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  int64_t bias = width == 64 ? 1022 : 126;
  Type bits = b.getBuilder().getIntegerType(width);
  Num x(b, given);
  auto bitcast = [&](Num v, Type to) -> Num {
    return {b, BitcastOp::create(b.getBuilder(), b.getLoc(),
                                 sym::getTensorType(getSizes(v), to), v)};
  };
  auto integer = [&](int64_t v) -> Num {
    return {b, b.scalar(b.getBuilder().getIntegerAttr(bits, v))};
  };
  // Numbers below the normal ones are made normal first.
  double smallest = APFloat::getSmallestNormalized(type.getFloatSemantics())
                        .convertToDouble();
  Num isSmall = abs(x) < smallest;
  Num normal = select(isSmall, x * std::ldexp(1.0, width), x);
  Num word = bitcast(normal, bits);
  Num mask = integer((int64_t(1) << (width - 1 - fraction)) - 1);
  Num exponent =
      word.binary<ShiftRightOp>(integer(fraction)).binary<BitwiseAndOp>(mask);
  Num field = mask.binary<ShiftLeftOp>(integer(fraction));
  Num half = integer(bias).binary<ShiftLeftOp>(integer(fraction));
  Num mantissa = bitcast(
      word.binary<BitwiseAndOp>(!field).binary<BitwiseOrOp>(half), type);
  exponent =
      exponent - integer(bias) - select(isSmall, integer(width), integer(0));
  Num isOther = (x == 0) | !(abs(x) < kInfinity);
  return c.replace(
      {select(isOther, x, mantissa), select(isOther, integer(0), exponent)});
}

void graph::populateUnaryLegalizations(AtenLegalizations &t) {
  t.add("abs absolute", unary([](TensorBuilder &b, Value x) {
          return getElementType(x).isInteger(1) ? x : b.unary<AbsOp>(x);
        }));
  t.add("neg negative", op<NegOp>());
  t.add("sign sgn", unary([](TensorBuilder &b, Value x) {
          return getElementType(x).isInteger(1) ? x : b.unary<SignOp>(x);
        }));
  t.add("ceil", rounding<CeilOp>());
  t.add("floor", rounding<FloorOp>());
  t.add("trunc fix", rounding<TruncOp>());
  t.add("round", rounding<RoundOp>());
  t.add("round.decimals", legalizeRoundDecimals);
  t.add("special_round", [](AtenCall &c) -> LogicalResult {
    return c.intOr("decimals", 0) ? legalizeRoundDecimals(c)
                                  : rounding<RoundOp>()(c);
  });
  t.add("sqrt", op<SqrtOp>());
  t.add("exp", op<ExpOp>());
  t.add("exp2 special_exp2", op<Exp2Op>());
  t.add("expm1 special_expm1", op<Expm1Op>());
  t.add("log", op<LogOp>());
  t.add("log2", op<Log2Op>());
  t.add("log10", op<Log10Op>());
  t.add("log1p special_log1p", op<Log1pOp>());
  t.add("sin", op<SinOp>());
  t.add("cos", op<CosOp>());
  t.add("tan", op<TanOp>());
  t.add("asin arcsin", op<AsinOp>());
  t.add("acos arccos", op<AcosOp>());
  t.add("atan arctan", op<AtanOp>());
  t.add("sinh", op<SinhOp>());
  t.add("cosh", op<CoshOp>());
  t.add("tanh", op<TanhOp>());
  t.add("asinh arcsinh", op<AsinhOp>());
  t.add("acosh arccosh", op<AcoshOp>());
  t.add("atanh arctanh", op<AtanhOp>());
  t.add("erf special_erf", op<ErfOp>());
  t.add("erfc special_erfc", op<ErfcOp>());
  t.add("rsqrt", op<RsqrtOp>());
  t.add("reciprocal", op<ReciprocalOp>());
  t.add("sigmoid special_expit", op<SigmoidOp>());
  t.add("relu", op<ReluOp>());
  t.add("bitwise_not", op<BitwiseNotOp>());
  // Of real numbers.
  t.add("positive conj _conj conj_physical _conj_physical resolve_conj "
        "resolve_neg real",
        unary([](TensorBuilder &, Value x) { return x; }));
  t.add("_neg_view", op<NegOp>());
  t.add("angle", unary([](TensorBuilder &b, Value x) {
          Value angle = b.select(b.compare(Pred::Lt, x, constant(b, 0, x)),
                                 constant(b, kPi, x), constant(b, 0, x));
          if (!isa<FloatType>(getElementType(x)))
            return angle;
          return b.select(b.unary<IsNanOp>(x, /*predicate=*/true), x, angle);
        }));
  t.add("isreal", [](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    return x ? c.replace(
                   c.b.full(c.b.getBuilder().getBoolAttr(true), getSizes(x)))
             : c.fail("its operand is missing");
  });
  t.add("square", unary([](TensorBuilder &b, Value x) { return b.mul(x, x); }));
  t.add("logical_not", [](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    return x ? c.replace(c.b.logicalNot(toBool(c.b, x)))
             : c.fail("its operand is missing");
  });

  t.add("isnan", predicate([](TensorBuilder &b,
                              Value x) { return b.unary<IsNanOp>(x, true); },
                           false));
  t.add("isinf", predicate([](TensorBuilder &b,
                              Value x) { return b.unary<IsInfOp>(x, true); },
                           false));
  t.add("isfinite", predicate(
                        [](TensorBuilder &b, Value x) {
                          return b.compare(Pred::Lt, b.unary<AbsOp>(x),
                                           constant(b, kInfinity, x));
                        },
                        true));
  t.add("isposinf", predicate(
                        [](TensorBuilder &b, Value x) {
                          return b.compare(Pred::Eq, x,
                                           constant(b, kInfinity, x));
                        },
                        false));
  t.add("isneginf", predicate(
                        [](TensorBuilder &b, Value x) {
                          return b.compare(Pred::Eq, x,
                                           constant(b, -kInfinity, x));
                        },
                        false));
  t.add("signbit", [](AtenCall &c) -> LogicalResult {
    Value x = c.tensor("self");
    if (!x)
      return c.fail("its operand is missing");
    if (getElementType(x).isInteger(1))
      return c.replace(
          c.b.full(c.b.getBuilder().getBoolAttr(false), getSizes(x)));
    return c.replace(c.b.unary<SignBitOp>(x, true));
  });

  t.add("frac", unary([](TensorBuilder &b,
                         Value x) { return b.sub(x, b.unary<TruncOp>(x)); },
                      true));
  t.add("deg2rad",
        unary([](TensorBuilder &b,
                 Value x) { return b.mul(x, constant(b, kPi / 180, x)); },
              true));
  t.add("rad2deg",
        unary([](TensorBuilder &b,
                 Value x) { return b.mul(x, constant(b, 180 / kPi, x)); },
              true));
  t.add("sinc special_sinc",
        unary(
            [](TensorBuilder &b, Value x) {
              Value scaled = b.mul(x, constant(b, kPi, x));
              return b.select(b.compare(Pred::Eq, x, constant(b, 0, x)),
                              constant(b, 1, x),
                              b.div(b.unary<SinOp>(scaled), scaled));
            },
            true));
  t.add("special_ndtr",
        unary(
            [](TensorBuilder &b, Value x) {
              Value t = b.mul(x, constant(b, -std::sqrt(0.5), x));
              return b.mul(b.unary<ErfcOp>(t), constant(b, 0.5, x));
            },
            true));
  t.add("special_entr",
        unary(
            [](TensorBuilder &b, Value x) {
              // -x log x, 0 at 0, -inf below.
              Value entropy = b.mul(b.unary<NegOp>(x), b.unary<LogOp>(x));
              Value zero = constant(b, 0, x);
              Value outside = b.select(b.compare(Pred::Eq, x, zero), zero,
                                       b.select(b.compare(Pred::Lt, x, zero),
                                                constant(b, -kInfinity, x), x));
              return b.select(b.compare(Pred::Gt, x, zero), entropy, outside);
            },
            true));
  t.add("logit special_logit", legalizeLogit);
  t.add("nan_to_num", legalizeNanToNum);
  t.add("frexp.Tensor", legalizeFrexp);
}
