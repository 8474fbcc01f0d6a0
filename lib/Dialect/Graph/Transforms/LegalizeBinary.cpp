//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of pointwise operators with two and three operands.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using Fn = Value (*)(TensorBuilder &, Value, Value);

/// How 16-bit floats are computed: with one op, or with several in `f32`.
/// Numbers among the arguments are not rounded to 16 bits by the framework's
/// arithmetic, so they call for `f32`, too.
enum class Width { Narrow, Wide, WideForNumbers };

static Type getComputeType(AtenCall &c, Type type, Width width,
                           StringRef lhs = "self", StringRef rhs = "other") {
  bool hasNumber = !c.tensor(lhs) || !c.tensor(rhs);
  bool wide =
      width == Width::Wide || (width == Width::WideForNumbers && hasNumber);
  return wide ? getAccumulationType(type) : type;
}

/// An operator whose operands are converted to the result's element type.
static AtenHandler binary(Fn fn, Width width = Width::Narrow,
                          StringRef lhs = "self", StringRef rhs = "other") {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getComputeType(c, c.resultElementType(), width, lhs, rhs);
    Value x = c.operand(lhs, type), y = c.operand(rhs, type);
    return x && y ? c.replace(fn(c.b, x, y)) : c.fail("an operand is missing");
  };
}

template <typename OpTy>
static AtenHandler op(Width width = Width::Narrow) {
  return binary(
      [](TensorBuilder &b, Value x, Value y) { return b.binary<OpTy>(x, y); },
      width);
}

static AtenHandler compare(Pred predicate) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getPromotedType(c, {"self", "other"});
    Value x = type ? c.operand("self", type) : Value();
    Value y = type ? c.operand("other", type) : Value();
    return x && y ? c.replace(c.b.compare(predicate, x, y))
                  : c.fail("an operand is missing");
  };
}

/// isclose: equal, or nearer than `atol + rtol * |other|`.
static LogicalResult legalizeIsClose(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getPromotedType(c, {"self", "other"});
  Value self = type ? c.operand("self", type) : Value();
  Value other = type ? c.operand("other", type) : Value();
  if (!self || !other)
    return c.fail("an operand is missing");
  Num x(b, self), y(b, other);
  Num isClose = x == y;
  if (isa<FloatType>(type) && c.boolOr("equal_nan", false))
    isClose = isClose | (isNan(x) & isNan(y));
  double rtol = c.floatOr("rtol", 1e-5), atol = c.floatOr("atol", 1e-8);
  if (rtol == 0 && atol == 0)
    return c.replace(isClose);
  // Integers are compared as floats.
  Type wide = isa<FloatType>(type) ? getAccumulationType(type)
                                   : Type(b.getBuilder().getF32Type());
  Num distance = abs(x.to(wide) - y.to(wide));
  Num allowed = abs(y.to(wide) * rtol) + atol;
  double infinity = std::numeric_limits<double>::infinity();
  return c.replace(isClose | ((distance < infinity) & (distance <= allowed)));
}

/// Euclid's algorithm, with as many steps as the longest case of the type
/// takes: neighbours in Fibonacci's sequence. Steps and remainders are the
/// framework's, which decides about numbers without a magnitude.
static Num greatestDivisor(Num x, Num y) {
  unsigned width = x.type().getIntOrFloatBitWidth();
  bool isUnsigned = x.type().isUnsignedInteger();
  Num a = isUnsigned ? y : abs(y), rest = isUnsigned ? x : abs(x);
  for (unsigned step = 0; step < width * 3 / 2; ++step) {
    Num isDone = rest == 0;
    Num next = select(isDone, 0, a.binary<FmodOp>(rest));
    a = select(isDone, a, rest);
    rest = next;
  }
  return a;
}

/// gcd, lcm
static AtenHandler commonDivisor(bool multiple) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value self = c.operand("self", type), other = c.operand("other", type);
    if (!self || !other)
      return c.fail("an operand is missing");
    if (!isa<IntegerType>(type) || type.isInteger(1))
      return c.fail("its elements are no integers");
    Num x(c.b, self), y(c.b, other), divisor = greatestDivisor(x, y);
    if (!multiple)
      return c.replace(divisor);
    // Narrow integers are multiplied as C's int.
    if (type.getIntOrFloatBitWidth() < 32) {
      Type wide = c.b.getBuilder().getI32Type();
      x = x.to(wide);
      y = y.to(wide);
      divisor = divisor.to(wide);
    }
    Num result = x.binary<TruncDivOp>(select(divisor == 0, 1, divisor)) * y;
    return c.replace(type.isUnsignedInteger() ? result : abs(result));
  };
}

template <typename OpTy>
static LogicalResult legalizeLogical(AtenCall &c) {
  Value x = c.tensor("self"), y = c.tensor("other");
  if (!x || !y)
    return c.fail("an operand is missing");
  return c.replace(c.b.binary<OpTy>(toBool(c.b, x), toBool(c.b, y)));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// self + alpha * other, or with the operands and the sign changed.
static LogicalResult legalizeAddSub(AtenCall &c, bool subtract, bool reverse) {
  Type result = c.resultElementType();
  Attribute alpha = c.op.getArgument("alpha");
  TypedAttr one = convertScalar(c.b.getBuilder().getI64IntegerAttr(1), result);
  bool scaled = alpha && convertScalar(alpha, result) != one;
  Type type =
      getComputeType(c, result, scaled ? Width::Wide : Width::WideForNumbers);
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  if (reverse)
    std::swap(x, y);
  if (result.isInteger(1)) {
    // Sums of bools are disjunctions, and products conjunctions.
    if (subtract)
      return c.fail("bools are not subtracted");
    if (Value factor = scaled ? c.operand("alpha", type) : Value())
      y = c.b.binary<BitwiseAndOp>(y, factor);
    return c.replace(c.b.binary<BitwiseOrOp>(x, y));
  }
  if (scaled) {
    Value factor = c.operand("alpha", type);
    if (!factor)
      return c.fail("'alpha' is not a number");
    y = c.b.mul(y, factor);
  }
  return c.replace(subtract ? c.b.sub(x, y) : c.b.add(x, y));
}

static LogicalResult legalizeDivMode(AtenCall &c) {
  StringRef mode = c.stringOr("rounding_mode", "");
  Type type = getComputeType(c, c.resultElementType(), Width::WideForNumbers);
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!x || !y)
    return c.fail("an operand is missing");
  if (mode == "floor")
    return c.replace(c.b.binary<FloorDivOp>(x, y));
  if (mode == "trunc")
    return c.replace(c.b.binary<TruncDivOp>(x, y));
  if (mode.empty())
    return c.replace(c.b.div(x, y));
  return c.fail("rounding mode '" + mode + "' is unknown");
}

/// x to the power of a constant, by multiplication and, unless of `f16`, by
/// roots, where that is what the framework does. A root differs from a power
/// at minus infinity and minus zero.
static Value powConstant(TensorBuilder &b, Value x, double exponent,
                         bool byRoots) {
  Type type = getElementType(x);
  auto repeated = [&](uint64_t n) {
    Value result, base = x;
    for (; n; n >>= 1) {
      if (n & 1)
        result = result ? b.mul(result, base) : base;
      if (n > 1)
        base = b.mul(base, base);
    }
    return result;
  };
  if (exponent == 0)
    return b.full(convertScalar(b.getBuilder().getI64IntegerAttr(1), type),
                  getSizes(x));
  if (exponent == 1)
    return x;
  if (isa<FloatType>(type)) {
    if (exponent == 2 || exponent == 3)
      return repeated(exponent);
    if (exponent == 0.5 && byRoots)
      return b.unary<SqrtOp>(x);
    if (exponent == -0.5 && byRoots)
      return b.unary<RsqrtOp>(x);
    if (exponent == -1)
      return b.unary<ReciprocalOp>(x);
    if (exponent == -2)
      return b.unary<ReciprocalOp>(b.mul(x, x));
  } else if (exponent > 0 && exponent < 64) {
    return repeated(exponent);
  }
  return b.binary<PowOp>(x, b.scalar(exponent, type));
}

static LogicalResult legalizePowTensorScalar(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type);
  if (!x)
    return c.fail("its operand is missing");
  if (std::optional<double> exponent = c.getFloat("exponent"))
    return c.replace(powConstant(c.b, x, *exponent,
                                 /*byRoots=*/!c.resultElementType().isF16()));
  Value y = c.operand("exponent", type);
  return y ? c.replace(c.b.binary<PowOp>(x, y))
           : c.fail("the exponent is not a number");
}

static Value logAddExp(TensorBuilder &b, Value x, Value y, bool base2) {
  Type type = getElementType(x);
  Value larger = b.binary<MaximumOp>(x, y);
  Value distance = b.unary<NegOp>(b.unary<AbsOp>(b.sub(x, y)));
  Value tail =
      base2
          ? b.unary<Log2Op>(b.add(b.unary<Exp2Op>(distance), b.scalar(1, type)))
          : b.unary<Log1pOp>(b.unary<ExpOp>(distance));
  // Of two equal infinities the distance is not a number.
  Value equalInfinities = b.binary<BitwiseAndOp>(b.unary<IsInfOp>(x, true),
                                                 b.compare(Pred::Eq, x, y));
  return b.select(equalInfinities, x, b.add(larger, tail));
}

/// x * log(y), 0 where x is zero unless y is not a number.
template <typename LogOpTy>
static Value xLogY(TensorBuilder &b, Value x, Value y) {
  Type type = getElementType(x);
  Value zero = b.scalar(0, type);
  Value product = b.mul(x, b.unary<LogOpTy>(y));
  Value result = b.select(b.compare(Pred::Eq, x, zero), zero, product);
  return b.select(b.unary<IsNanOp>(y, true), y, result);
}

static Value heaviside(TensorBuilder &b, Value x, Value y) {
  Type type = getElementType(x);
  Value zero = b.scalar(0, type);
  return b.select(b.compare(Pred::Eq, x, zero), y,
                  b.convert(b.compare(Pred::Gt, x, zero), type));
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

static LogicalResult legalizeWhere(AtenCall &c) {
  Type type = c.resultElementType();
  Value condition = c.tensor("condition");
  Value x = c.operand("self", type), y = c.operand("other", type);
  if (!condition || !x || !y)
    return c.fail("an operand is missing");
  return c.replace(c.b.select(toBool(c.b, condition), x, y));
}

static AtenHandler clamp(StringRef lower, StringRef upper) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = c.resultElementType();
    Value x = c.operand("self", type);
    if (!x)
      return c.fail("its operand is missing");
    // The upper end wins when the ends are crossed.
    if (Value min = lower.empty() ? Value() : c.operand(lower, type))
      x = c.b.binary<MaximumOp>(x, min);
    if (Value max = upper.empty() ? Value() : c.operand(upper, type))
      x = c.b.binary<MinimumOp>(x, max);
    return c.replace(x);
  };
}

static LogicalResult legalizeLerp(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value start = c.operand("self", type), end = c.operand("end", type);
  Value weight = c.operand("weight", type);
  if (!start || !end || !weight)
    return c.fail("an operand is missing");
  // From the nearer end, so that both ends are exact.
  TensorBuilder &b = c.b;
  Value difference = b.sub(end, start);
  Value isNearStart =
      b.compare(Pred::Lt, b.unary<AbsOp>(weight), b.scalar(0.5, type));
  Value fromStart = b.add(start, b.mul(weight, difference));
  Value fromEnd =
      b.sub(end, b.mul(difference, b.sub(b.scalar(1, type), weight)));
  return c.replace(b.select(isNearStart, fromStart, fromEnd));
}

/// self + value * tensor1 (* or /) tensor2
static AtenHandler addCombined(bool divide) {
  return [=](AtenCall &c) -> LogicalResult {
    Type type = getAccumulationType(c.resultElementType());
    Value x = c.operand("self", type), y = c.operand("tensor1", type),
          z = c.operand("tensor2", type);
    if (!x || !y || !z)
      return c.fail("an operand is missing");
    if (c.floatOr("value", 1) != 1)
      y = c.b.mul(c.operand("value", type), y);
    return c.replace(c.b.add(x, divide ? c.b.div(y, z) : c.b.mul(y, z)));
  };
}

void graph::populateBinaryLegalizations(AtenLegalizations &t) {
  t.add("add.Tensor add.Scalar",
        [](AtenCall &c) { return legalizeAddSub(c, false, false); });
  t.add("sub.Tensor sub.Scalar subtract.Tensor subtract.Scalar",
        [](AtenCall &c) { return legalizeAddSub(c, true, false); });
  t.add("rsub.Tensor rsub.Scalar",
        [](AtenCall &c) { return legalizeAddSub(c, true, true); });
  t.add("mul.Tensor mul.Scalar multiply.Tensor multiply.Scalar",
        binary(multiply, Width::WideForNumbers));
  t.add("div.Tensor div.Scalar divide.Tensor divide.Scalar "
        "true_divide.Tensor true_divide.Scalar",
        op<DivOp>(Width::WideForNumbers));
  t.add("div.Tensor_mode div.Scalar_mode divide.Tensor_mode "
        "divide.Scalar_mode",
        legalizeDivMode);
  t.add("floor_divide floor_divide.Scalar",
        op<FloorDivOp>(Width::WideForNumbers));
  t.add("fmod.Tensor fmod.Scalar", op<FmodOp>());
  t.add("remainder.Tensor remainder.Scalar remainder.Scalar_Tensor",
        op<RemainderOp>());
  t.add("pow.Tensor_Scalar float_power.Tensor_Scalar", legalizePowTensorScalar);
  t.add("pow.Tensor_Tensor pow.Scalar",
        binary([](TensorBuilder &b, Value x,
                  Value y) { return b.binary<PowOp>(x, y); },
               Width::WideForNumbers, "self", "exponent"));
  t.add("float_power.Tensor_Tensor float_power.Scalar",
        binary([](TensorBuilder &b, Value x,
                  Value y) { return b.binary<PowOp>(x, y); },
               Width::Narrow, "self", "exponent"));
  t.add("ldexp.Tensor",
        binary([](TensorBuilder &b, Value x,
                  Value y) { return b.mul(x, b.unary<Exp2Op>(y)); },
               Width::Wide));
  t.add("maximum max.other", op<MaximumOp>());
  t.add("minimum min.other", op<MinimumOp>());
  auto numberOf = [](bool larger) {
    return [larger](AtenCall &c) -> LogicalResult {
      Type type = c.resultElementType();
      Value x = c.operand("self", type), y = c.operand("other", type);
      if (!x || !y)
        return c.fail("an operand is missing");
      // Only floats have a NaN to lose against a number.
      if (!isa<FloatType>(type))
        return c.replace(larger ? c.b.binary<MaximumOp>(x, y)
                                : c.b.binary<MinimumOp>(x, y));
      return c.replace(larger ? c.b.binary<FmaxOp>(x, y)
                              : c.b.binary<FminOp>(x, y));
    };
  };
  t.add("fmax", numberOf(true));
  t.add("fmin", numberOf(false));
  t.add("atan2 arctan2", op<Atan2Op>());
  t.add("copysign.Tensor copysign.Scalar", op<CopysignOp>());
  t.add("hypot", op<HypotOp>());
  t.add("logaddexp", binary([](TensorBuilder &b, Value x,
                               Value y) { return logAddExp(b, x, y, false); },
                            Width::Wide));
  t.add("logaddexp2", binary([](TensorBuilder &b, Value x,
                                Value y) { return logAddExp(b, x, y, true); },
                             Width::Wide));
  t.add("xlogy.Tensor xlogy.Scalar_Self xlogy.Scalar_Other "
        "special_xlogy special_xlogy.self_scalar special_xlogy.other_scalar",
        binary(xLogY<LogOp>, Width::Wide));
  t.add("special_xlog1py special_xlog1py.self_scalar "
        "special_xlog1py.other_scalar",
        binary(xLogY<Log1pOp>, Width::Wide));
  t.add("heaviside", binary(heaviside, Width::Narrow, "self", "values"));

  t.add("bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor "
        "__and__.Tensor __and__.Scalar",
        op<BitwiseAndOp>());
  t.add("bitwise_or.Tensor bitwise_or.Scalar bitwise_or.Scalar_Tensor "
        "__or__.Tensor __or__.Scalar",
        op<BitwiseOrOp>());
  t.add("bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor "
        "__xor__.Tensor __xor__.Scalar",
        op<BitwiseXorOp>());
  t.add("bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar "
        "bitwise_left_shift.Scalar_Tensor __lshift__.Tensor "
        "__lshift__.Scalar",
        op<ShiftLeftOp>());
  t.add("bitwise_right_shift.Tensor bitwise_right_shift.Tensor_Scalar "
        "bitwise_right_shift.Scalar_Tensor __rshift__.Tensor "
        "__rshift__.Scalar",
        op<ShiftRightOp>());
  t.add("gcd", commonDivisor(/*multiple=*/false));
  t.add("lcm", commonDivisor(/*multiple=*/true));
  t.add("isclose", legalizeIsClose);
  t.add("logical_and", legalizeLogical<BitwiseAndOp>);
  t.add("logical_or", legalizeLogical<BitwiseOrOp>);
  t.add("logical_xor", legalizeLogical<BitwiseXorOp>);

  t.add("eq.Tensor eq.Scalar", compare(Pred::Eq));
  t.add("ne.Tensor ne.Scalar not_equal.Tensor not_equal.Scalar",
        compare(Pred::Ne));
  t.add("lt.Tensor lt.Scalar less.Tensor less.Scalar", compare(Pred::Lt));
  t.add("le.Tensor le.Scalar less_equal.Tensor less_equal.Scalar",
        compare(Pred::Le));
  t.add("gt.Tensor gt.Scalar greater.Tensor greater.Scalar", compare(Pred::Gt));
  t.add("ge.Tensor ge.Scalar greater_equal.Tensor greater_equal.Scalar",
        compare(Pred::Ge));

  t.add("where.self where.ScalarSelf where.ScalarOther where.Scalar",
        legalizeWhere);
  t.add("clamp clamp.Tensor clip clip.Tensor", clamp("min", "max"));
  t.add("clamp_min clamp_min.Tensor", clamp("min", ""));
  t.add("clamp_max clamp_max.Tensor", clamp("", "max"));
  t.add("lerp.Scalar lerp.Tensor", legalizeLerp);
  t.add("addcmul", addCombined(false));
  t.add("addcdiv", addCombined(true));
}
