//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of complex numbers. Inverse functions are Kahan's ("Branch cuts for
// complex elementary functions", 1987).
//
//===----------------------------------------------------------------------===//

#include "ComplexMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

ComplexParts ComplexMath::mul(ComplexParts x, ComplexParts y) {
  return {b.sub(b.mul(x.re, y.re), b.mul(x.im, y.im)),
          b.add(b.mul(x.re, y.im), b.mul(x.im, y.re))};
}

ComplexParts ComplexMath::div(ComplexParts x, ComplexParts y) {
  // As the framework divides: by the larger part of the divisor, so that no
  // square leaves the range; this decides what infinities give, too.
  Value re = b.unary<AbsOp>(y.re), im = b.unary<AbsOp>(y.im);
  Value isWide = b.compare(Pred::Ge, re, im);
  Value larger = b.select(isWide, y.re, y.im),
        smaller = b.select(isWide, y.im, y.re);
  Value ratio = b.div(smaller, larger);
  Value scale = b.unary<ReciprocalOp>(b.add(larger, b.mul(smaller, ratio)));
  Value resultRe = b.select(isWide, b.add(x.re, b.mul(x.im, ratio)),
                            b.add(b.mul(x.re, ratio), x.im));
  Value resultIm = b.select(isWide, b.sub(x.im, b.mul(x.re, ratio)),
                            b.sub(b.mul(x.im, ratio), x.re));
  Value isZero =
      b.binary<BitwiseAndOp>(isWide, b.compare(Pred::Eq, re, constant(0, re)));
  return {b.select(isZero, b.div(x.re, re), b.mul(resultRe, scale)),
          b.select(isZero, b.div(x.im, im), b.mul(resultIm, scale))};
}

ComplexParts ComplexMath::reciprocal(ComplexParts x) {
  return div(number(1, 0, getElementType(x.re)), x);
}

ComplexParts ComplexMath::sgn(ComplexParts x) {
  Value magnitude = abs(x), zero = constant(0, x.re);
  Value isZero = b.compare(Pred::Eq, magnitude, zero);
  return {b.select(isZero, zero, b.div(x.re, magnitude)),
          b.select(isZero, zero, b.div(x.im, magnitude))};
}

ComplexParts ComplexMath::exp(ComplexParts x) {
  Value scale = b.unary<ExpOp>(x.re);
  // e^-inf is zero, whatever the angle is.
  Value isNone = b.binary<BitwiseAndOp>(
      b.compare(Pred::Eq, x.re,
                constant(-std::numeric_limits<double>::infinity(), x.re)),
      b.logicalNot(isFinite({x.im, x.im})));
  x.im = b.select(isNone, constant(0, x.im), x.im);
  // Of a real number the result is real, infinite ones included.
  Value isReal = b.compare(Pred::Eq, x.im, constant(0, x.im));
  return {b.select(isReal, scale, b.mul(scale, b.unary<CosOp>(x.im))),
          b.select(isReal, x.im, b.mul(scale, b.unary<SinOp>(x.im)))};
}

ComplexParts ComplexMath::expm1(ComplexParts x) {
  // exp(re) cos(im) - 1 = expm1(re) cos(im) - 2 sin(im / 2)^2
  Value half = b.unary<SinOp>(b.mul(x.im, constant(0.5, x.im)));
  Value re = b.sub(b.mul(b.unary<Expm1Op>(x.re), b.unary<CosOp>(x.im)),
                   b.mul(constant(2, x.re), b.mul(half, half)));
  return {re, b.mul(b.unary<ExpOp>(x.re), b.unary<SinOp>(x.im))};
}

Value ComplexMath::isHuge(ComplexParts x, bool ofSquares) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementType(x.re)).getFloatSemantics();
  double limit = APFloat::getLargest(semantics).convertToDouble();
  limit = (ofSquares ? std::sqrt(limit) : limit) / 8;
  Value largest =
      b.binary<MaximumOp>(b.unary<AbsOp>(x.re), b.unary<AbsOp>(x.im));
  return b.compare(Pred::Gt, largest, constant(limit, x.re));
}

Value ComplexMath::logOfAbs(ComplexParts x) {
  // The magnitude of finite parts may be infinite.
  Value huge = isHuge(x, /*ofSquares=*/false);
  Value factor = b.select(huge, constant(0.25, x.re), constant(1, x.re));
  return b.add(
      b.unary<LogOp>(abs(scale(x, factor))),
      b.select(huge, constant(std::log(4.0), x.re), constant(0, x.re)));
}

Value ComplexMath::logOfDouble(ComplexParts x, Value sign) {
  return b.binary<CopysignOp>(b.add(logOfAbs(x), constant(std::log(2.0), x.re)),
                              sign);
}

Value ComplexMath::logAbs(ComplexParts x) {
  // Near the unit circle the logarithm of a rounded magnitude has no digits:
  // |x|^2 - 1 = (a - 1)(a + 1) + i^2, where a is the larger of both parts.
  Value re = b.unary<AbsOp>(x.re), im = b.unary<AbsOp>(x.im);
  Value larger = b.binary<MaximumOp>(re, im);
  Value smaller = b.binary<MinimumOp>(re, im);
  Value one = constant(1, re);
  Value square = b.add(b.mul(b.sub(larger, one), b.add(larger, one)),
                       b.mul(smaller, smaller));
  Value isNear = b.compare(Pred::Lt, b.unary<AbsOp>(square), constant(0.5, re));
  return b.select(isNear, b.mul(constant(0.5, re), b.unary<Log1pOp>(square)),
                  logOfAbs(x));
}

ComplexParts ComplexMath::log(ComplexParts x) { return {logAbs(x), angle(x)}; }

ComplexParts ComplexMath::log1p(ComplexParts x) {
  ComplexParts shifted = {b.add(x.re, constant(1, x.re)), x.im};
  // |1 + x|^2 - 1 = re (2 + re) + im^2
  Value square =
      b.add(b.mul(x.re, b.add(x.re, constant(2, x.re))), b.mul(x.im, x.im));
  Value isNear =
      b.compare(Pred::Lt, b.unary<AbsOp>(square), constant(0.5, x.re));
  return {b.select(isNear, b.mul(constant(0.5, x.re), b.unary<Log1pOp>(square)),
                   logOfAbs(shifted)),
          angle(shifted)};
}

ComplexParts ComplexMath::logAddExp(ComplexParts x, ComplexParts y) {
  // By the one with the larger real part.
  Value isLess = b.compare(ComparePredicate::Lt, x.re, y.re);
  ComplexParts most = select(isLess, y, x), least = select(isLess, x, y);
  ComplexParts sum = add(most, log1p(exp(sub(least, most))));
  // Of two zeros, e^-inf, there is no difference.
  Value isZero =
      b.compare(ComparePredicate::Eq, most.re,
                constant(-std::numeric_limits<double>::infinity(), most.re));
  // Of two infinite ones the angle is that of their sum.
  Value infinity = constant(std::numeric_limits<double>::infinity(), least.re);
  Value isInfinite = b.compare(ComparePredicate::Eq, least.re, infinity);
  sum = select(isInfinite, log(add(exp(least), exp(most))), sum);
  ComplexParts nan = number(NAN, NAN, getElementType(x.re));
  Value isNotNumber = b.binary<BitwiseOrOp>(isNan(x), isNan(y));
  return select(isNotNumber, nan, select(isZero, least, sum));
}

ComplexParts ComplexMath::sqrt(ComplexParts x) {
  // t = sqrt((|x| + |re|) / 2) is one part, im / (2 t) the other. Large numbers
  // are made smaller so that magnitude and sum stay in range.
  Value huge = isHuge(x, /*ofSquares=*/false), one = constant(1, x.re);
  x = scale(x, b.select(huge, constant(0.25, x.re), one));
  Value zero = constant(0, x.re), half = constant(0.5, x.re);
  Value re = b.unary<AbsOp>(x.re), im = b.unary<AbsOp>(x.im);
  Value scaled = b.add(b.mul(abs(x), half), b.mul(re, half));
  Value t = b.unary<SqrtOp>(scaled);
  Value other = b.div(b.mul(im, half), t);
  Value isZero = b.compare(Pred::Eq, t, zero);
  other = b.select(isZero, zero, other);
  Value isRight = b.compare(Pred::Ge, x.re, zero);
  Value grow = b.select(huge, constant(2, x.re), one);
  t = b.mul(t, grow);
  other = b.mul(other, grow);
  Value resultRe = b.select(isRight, t, other);
  Value resultIm = b.select(isRight, other, t);
  // Infinite parts: an imaginary one decides alone; a real one makes the other
  // part of the result zero if the other is a number.
  Value infinity = constant(std::numeric_limits<double>::infinity(), x.re);
  Value isWide = b.compare(Pred::Eq, re, infinity);
  Value isNumber = b.compare(Pred::Lt, im, infinity);
  Value isFlat = b.binary<BitwiseAndOp>(isWide, isNumber);
  resultRe = b.select(isFlat, b.select(isRight, infinity, zero), resultRe);
  resultIm = b.select(isFlat, b.select(isRight, zero, infinity), resultIm);
  Value isHigh = b.compare(Pred::Eq, im, infinity);
  resultRe = b.select(isHigh, infinity, resultRe);
  resultIm = b.select(isHigh, infinity, resultIm);
  return {resultRe, b.binary<CopysignOp>(resultIm, x.im)};
}

ComplexParts ComplexMath::mulInfinite(ComplexParts x, ComplexParts y) {
  // As C's multiplication (annex G): where the product is NaN in both parts but
  // a factor or a product of parts is infinite, infinities count as one, other
  // numbers as zero, and the result is infinite.
  Value zero = constant(0, x.re), one = constant(1, x.re);
  ComplexParts product = mul(x, y);
  auto isInfinite = [&](Value v) {
    return b.unary<IsInfOp>(v, /*predicate=*/true);
  };
  auto isNotNumber = [&](Value v) {
    return b.unary<IsNanOp>(v, /*predicate=*/true);
  };
  Value xIsInf = isInf(x), yIsInf = isInf(y);
  ComplexParts same = {b.mul(x.re, y.re), b.mul(x.im, y.im)},
               other = {b.mul(x.re, y.im), b.mul(x.im, y.re)};
  Value partIsInf = b.binary<BitwiseOrOp>(isInf(same), isInf(other));
  auto box = [&](Value v, Value isBoxed, Value otherIsInf) {
    Value unit = b.binary<CopysignOp>(b.select(isInfinite(v), one, zero), v);
    Value number = b.select(isNotNumber(v), b.binary<CopysignOp>(zero, v), v);
    return b.select(isBoxed, unit, b.select(otherIsInf, number, v));
  };
  Value anyIsInf =
      b.binary<BitwiseOrOp>(b.binary<BitwiseOrOp>(xIsInf, yIsInf), partIsInf);
  ComplexParts u = {box(x.re, xIsInf, anyIsInf), box(x.im, xIsInf, anyIsInf)};
  ComplexParts v = {box(y.re, yIsInf, anyIsInf), box(y.im, yIsInf, anyIsInf)};
  Value infinity = constant(std::numeric_limits<double>::infinity(), x.re);
  Value isLost = b.binary<BitwiseAndOp>(
      anyIsInf,
      b.binary<BitwiseAndOp>(isNotNumber(product.re), isNotNumber(product.im)));
  return select(isLost, scale(mul(u, v), infinity), product);
}

ComplexParts ComplexMath::pow(ComplexParts x, ComplexParts y) {
  // e^(y log x), as C's function; what is not finite depends on it.
  return exp(mulInfinite(y, log(x)));
}

ComplexParts ComplexMath::powInteger(ComplexParts x, unsigned n) {
  ComplexParts result = number(1, 0, getElementType(x.re)), base = x;
  bool isOne = true;
  for (; n; n >>= 1) {
    if (n & 1) {
      result = isOne ? base : mul(result, base);
      isOne = false;
    }
    if (n > 1)
      base = mul(base, base);
  }
  return result;
}

ComplexParts ComplexMath::sin(ComplexParts x) {
  // Of an imaginary number it is imaginary, infinities included.
  Value isImaginary = b.compare(Pred::Eq, x.re, constant(0, x.re));
  return {b.select(isImaginary, x.re,
                   b.mul(b.unary<SinOp>(x.re), b.unary<CoshOp>(x.im))),
          b.mul(b.unary<CosOp>(x.re), b.unary<SinhOp>(x.im))};
}

ComplexParts ComplexMath::cos(ComplexParts x) {
  Value isImaginary = b.compare(Pred::Eq, x.re, constant(0, x.re));
  Value im = b.mul(b.unary<SinOp>(x.re), b.unary<SinhOp>(x.im));
  return {b.mul(b.unary<CosOp>(x.re), b.unary<CoshOp>(x.im)),
          b.unary<NegOp>(b.select(isImaginary, x.re, im))};
}

ComplexParts ComplexMath::tanh(ComplexParts x) {
  // With t = tan(im) and h = tanh(re):
  //   (h (1 + t^2) + i t (1 - h^2)) / (1 + h^2 t^2),
  // 1 - h^2 as 1 / cosh^2. Divided by 1 + t^2 = 1 / cos^2 no part is large.
  Value c = b.unary<CosOp>(x.im), s = b.unary<SinOp>(x.im);
  Value h = b.unary<TanhOp>(x.re);
  Value inverse = b.unary<ReciprocalOp>(b.unary<CoshOp>(x.re));
  Value hs = b.mul(h, s);
  Value norm = b.add(b.mul(c, c), b.mul(hs, hs));
  ComplexParts result = {
      b.div(h, norm), b.div(b.mul(b.mul(s, c), b.mul(inverse, inverse)), norm)};
  // At infinity it is 1 or -1, whatever the imaginary part is.
  return select(b.unary<IsInfOp>(x.re, /*predicate=*/true),
                {h, constant(0, x.re)}, result);
}

ComplexParts ComplexMath::atInfinity(ComplexParts x, ComplexParts there,
                                     ComplexParts elsewhere) {
  return select(isInf(x), there, elsewhere);
}

ComplexParts ComplexMath::atHuge(ComplexParts x, ComplexParts there,
                                 ComplexParts elsewhere) {
  return select(b.binary<BitwiseOrOp>(isInf(x), isHuge(x, /*ofSquares=*/true)),
                there, elsewhere);
}

ComplexParts ComplexMath::asin(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(one, x.re), b.unary<NegOp>(x.im)});
  ComplexParts high = sqrt({b.add(one, x.re), x.im});
  return atHuge(
      x, {b.binary<Atan2Op>(x.re, b.unary<AbsOp>(x.im)), logOfDouble(x, x.im)},
      {b.binary<Atan2Op>(x.re, mul(low, high).re),
       b.unary<AsinhOp>(mul(conj(low), high).im)});
}

ComplexParts ComplexMath::acos(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(one, x.re), b.unary<NegOp>(x.im)});
  ComplexParts high = sqrt({b.add(one, x.re), x.im});
  return atHuge(x,
                {b.binary<Atan2Op>(b.unary<AbsOp>(x.im), x.re),
                 b.unary<NegOp>(logOfDouble(x, x.im))},
                {b.mul(constant(2, x.re), b.binary<Atan2Op>(low.re, high.re)),
                 b.unary<AsinhOp>(mul(conj(high), low).im)});
}

ComplexParts ComplexMath::acosh(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(x.re, one), x.im});
  ComplexParts high = sqrt({b.add(x.re, one), x.im});
  return atHuge(x, {logOfDouble(x, constant(1, x.re)), angle(x)},
                {b.unary<AsinhOp>(mul(conj(low), high).re),
                 b.mul(constant(2, x.re), b.binary<Atan2Op>(low.im, high.re))});
}

ComplexParts ComplexMath::atanh(ComplexParts x) {
  // re = log1p(4 re / ((1 - re)^2 + im^2)) / 4, with |re| for its digits.
  // Factors are where nothing finite becomes infinite with them.
  Value one = constant(1, x.re), magnitude = b.unary<AbsOp>(x.re);
  Value distance = b.sub(one, magnitude), square = b.mul(x.im, x.im);
  Value ratio =
      b.div(magnitude, b.mul(constant(0.25, x.re),
                             b.add(b.mul(distance, distance), square)));
  Value re = b.mul(constant(0.25, x.re), b.unary<Log1pOp>(ratio));
  // Right above or below one, where log1p(4 / y^2) is log(4 / y^2) long before
  // y^2 underflows: 4e20 is far above the inverse of an f64's last digit.
  Value isPole = b.binary<BitwiseAndOp>(
      b.compare(Pred::Eq, distance, constant(0, x.re)),
      b.compare(Pred::Lt, b.unary<AbsOp>(x.im), constant(1e-10, x.re)));
  re = b.select(
      isPole,
      b.mul(constant(0.5, x.re), b.sub(constant(std::log(2.0), x.re),
                                       b.unary<LogOp>(b.unary<AbsOp>(x.im)))),
      re);
  Value im = b.binary<Atan2Op>(
      x.im, b.mul(constant(0.5, x.re),
                  b.sub(b.mul(distance, b.add(one, magnitude)), square)));
  Value quarter = b.binary<CopysignOp>(constant(M_PI_2, x.im), x.im);
  Value isNotNumber = b.unary<IsNanOp>(x.im, /*predicate=*/true);
  return atInfinity(
      x,
      {b.binary<CopysignOp>(constant(0, x.re), x.re),
       b.select(isNotNumber, x.im, quarter)},
      {b.binary<CopysignOp>(re, x.re), b.mul(constant(0.5, x.re), im)});
}

Value ComplexMath::equal(ComplexParts x, ComplexParts y) {
  return b.binary<BitwiseAndOp>(b.compare(Pred::Eq, x.re, y.re),
                                b.compare(Pred::Eq, x.im, y.im));
}

Value ComplexMath::notEqual(ComplexParts x, ComplexParts y) {
  return b.binary<BitwiseOrOp>(b.compare(Pred::Ne, x.re, y.re),
                               b.compare(Pred::Ne, x.im, y.im));
}

Value ComplexMath::toBool(ComplexParts x) {
  return notEqual(x, number(0, 0, getElementType(x.re)));
}

Value ComplexMath::isNan(ComplexParts x) {
  return b.binary<BitwiseOrOp>(b.unary<IsNanOp>(x.re, /*predicate=*/true),
                               b.unary<IsNanOp>(x.im, /*predicate=*/true));
}

Value ComplexMath::isInf(ComplexParts x) {
  return b.binary<BitwiseOrOp>(b.unary<IsInfOp>(x.re, /*predicate=*/true),
                               b.unary<IsInfOp>(x.im, /*predicate=*/true));
}

Value ComplexMath::isFinite(ComplexParts x) {
  return b.logicalNot(b.binary<BitwiseOrOp>(isNan(x), isInf(x)));
}
