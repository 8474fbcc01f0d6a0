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

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

ComplexParts ComplexMath::mul(ComplexParts x, ComplexParts y) {
  return {b.sub(b.mul(x.re, y.re), b.mul(x.im, y.im)),
          b.add(b.mul(x.re, y.im), b.mul(x.im, y.re))};
}

ComplexParts ComplexMath::div(ComplexParts x, ComplexParts y) {
  // The divisor is scaled to a magnitude near one, so that its square is in
  // range.
  Value scale = b.binary<MaximumOp>(b.unary<AbsOp>(y.re), b.unary<AbsOp>(y.im));
  ComplexParts d = {b.div(y.re, scale), b.div(y.im, scale)};
  Value norm = b.add(b.mul(d.re, d.re), b.mul(d.im, d.im));
  ComplexParts product = mul(x, conj(d));
  return {b.div(b.div(product.re, norm), scale),
          b.div(b.div(product.im, norm), scale)};
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
                  b.unary<LogOp>(abs(x)));
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
                   b.unary<LogOp>(abs(shifted))),
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
  return select(isZero, least, sum);
}

ComplexParts ComplexMath::sqrt(ComplexParts x) {
  // t = sqrt((|x| + |re|) / 2) is one part, im / (2 t) the other. Large numbers
  // are made smaller so that the sum stays in range.
  Value zero = constant(0, x.re), half = constant(0.5, x.re);
  Value re = b.unary<AbsOp>(x.re), im = b.unary<AbsOp>(x.im);
  Value scaled = b.add(b.mul(abs(x), half), b.mul(re, half));
  Value t = b.unary<SqrtOp>(scaled);
  Value other = b.div(b.mul(im, half), t);
  Value isZero = b.compare(Pred::Eq, t, zero);
  other = b.select(isZero, zero, other);
  Value isRight = b.compare(Pred::Ge, x.re, zero);
  Value resultRe = b.select(isRight, t, other);
  Value resultIm = b.select(isRight, other, t);
  return {resultRe, b.binary<CopysignOp>(resultIm, x.im)};
}

ComplexParts ComplexMath::pow(ComplexParts x, ComplexParts y) {
  // exp(y log x); 0 to a power with a positive real part is 0, and anything to
  // the power of 0 is 1.
  Type type = getElementType(x.re);
  ComplexParts zero = number(0, 0, type);
  ComplexParts power = exp(mul(y, log(x)));
  Value isPositive = b.compare(Pred::Gt, y.re, zero.re);
  Value isZero = b.binary<BitwiseAndOp>(equal(x, zero), isPositive);
  power = select(isZero, zero, power);
  return select(equal(y, zero), number(1, 0, type), power);
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
  return {b.mul(b.unary<SinOp>(x.re), b.unary<CoshOp>(x.im)),
          b.mul(b.unary<CosOp>(x.re), b.unary<SinhOp>(x.im))};
}

ComplexParts ComplexMath::cos(ComplexParts x) {
  return {b.mul(b.unary<CosOp>(x.re), b.unary<CoshOp>(x.im)),
          b.unary<NegOp>(b.mul(b.unary<SinOp>(x.re), b.unary<SinhOp>(x.im)))};
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
  return {b.div(h, norm),
          b.div(b.mul(b.mul(s, c), b.mul(inverse, inverse)), norm)};
}

ComplexParts ComplexMath::asin(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(one, x.re), b.unary<NegOp>(x.im)});
  ComplexParts high = sqrt({b.add(one, x.re), x.im});
  return {b.binary<Atan2Op>(x.re, mul(low, high).re),
          b.unary<AsinhOp>(mul(conj(low), high).im)};
}

ComplexParts ComplexMath::acos(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(one, x.re), b.unary<NegOp>(x.im)});
  ComplexParts high = sqrt({b.add(one, x.re), x.im});
  return {b.mul(constant(2, x.re), b.binary<Atan2Op>(low.re, high.re)),
          b.unary<AsinhOp>(mul(conj(high), low).im)};
}

ComplexParts ComplexMath::acosh(ComplexParts x) {
  Value one = constant(1, x.re);
  ComplexParts low = sqrt({b.sub(x.re, one), x.im});
  ComplexParts high = sqrt({b.add(x.re, one), x.im});
  return {b.unary<AsinhOp>(mul(conj(low), high).re),
          b.mul(constant(2, x.re), b.binary<Atan2Op>(low.im, high.re))};
}

ComplexParts ComplexMath::atanh(ComplexParts x) {
  // re = log1p(4 re / ((1 - re)^2 + im^2)) / 4, with |re| for its digits.
  Value one = constant(1, x.re), magnitude = b.unary<AbsOp>(x.re);
  Value distance = b.sub(one, magnitude), square = b.mul(x.im, x.im);
  Value ratio = b.div(b.mul(constant(4, x.re), magnitude),
                      b.add(b.mul(distance, distance), square));
  Value re = b.mul(constant(0.25, x.re), b.unary<Log1pOp>(ratio));
  Value im =
      b.binary<Atan2Op>(b.mul(constant(2, x.re), x.im),
                        b.sub(b.mul(distance, b.add(one, magnitude)), square));
  return {b.binary<CopysignOp>(re, x.re), b.mul(constant(0.5, x.re), im)};
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
