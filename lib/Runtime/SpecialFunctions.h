//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special functions by textbook series, continued fractions, asymptotic
// expansions and Newton's method on erfc and lgamma. The host and the device
// compile this text, each with elementary functions of its own: the file that
// includes it defines COIL_SPECIAL_NAMESPACE, where they are visible, and
// COIL_SPECIAL_FUNCTION, what every function is declared with.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H
#define COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H

namespace COIL_SPECIAL_NAMESPACE {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kSqrtPi = 1.77245385090551602730;
inline constexpr double kSqrt2 = 1.41421356237309504880;
inline constexpr double kInf = __builtin_inf();
inline constexpr double kNaN = __builtin_nan("");
inline constexpr double kEps = 1e-17;

/// exp(x * x) with the rounding error of the square put back.
COIL_SPECIAL_FUNCTION double expOfSquare(double x) {
  double square = x * x;
  // Beyond the range of exp the error would be of infinity.
  double error = square < 1000 ? fma(x, x, -square) : 0;
  return exp(square) * (1 + error);
}

/// sqrt(pi) * x * erfcx(x) for large x by its asymptotic expansion.
COIL_SPECIAL_FUNCTION double erfcxTail(double x) {
  double sum = 1, term = 1, scale = -0.5 / (x * x);
  for (int n = 1; n < 60; ++n) {
    term *= (2 * n - 1) * scale;
    sum += term;
    if (fabs(term) < kEps)
      break;
  }
  return sum;
}

COIL_SPECIAL_FUNCTION double erfcx(double x) {
  if (isnan(x))
    return x;
  if (x < 10)
    return expOfSquare(x) * erfc(x);
  return erfcxTail(x) / (kSqrtPi * x);
}

/// The y >= 0 with erfc(y) = q, for 0 < q <= 1. Halley's method from
/// Winitzki's approximation; each step triples the correct digits.
COIL_SPECIAL_FUNCTION double erfcInverse(double q) {
  double logarithm = log(q * (2 - q));
  double half = 2 / (kPi * 0.147) + logarithm / 2;
  double y = sqrt(sqrt(half * half - logarithm / 0.147) - half);
  for (int i = 0; i < 4; ++i) {
    // (erfc(y) - q) / erfc'(y), scaled so that nothing underflows.
    double step = -(erfcx(y) - q * expOfSquare(y)) * (kSqrtPi / 2);
    if (y > 26)
      step = -(1 - q / erfc(y)) * erfcxTail(y) / (2 * y);
    y -= step / (1 + y * step);
    if (fabs(step) < 1e-17 * y)
      break;
  }
  return y;
}

COIL_SPECIAL_FUNCTION double erfinv(double x) {
  if (!(fabs(x) <= 1))
    return kNaN;
  if (fabs(x) == 1)
    return copysign(kInf, x);
  double a = fabs(x);
  if (a > 0.5)
    return copysign(erfcInverse(1 - a), x);
  if (a < 1e-8)
    return x * (kSqrtPi / 2);
  // Near zero erfc would lose digits: the same iteration on erf.
  double y = a * (kSqrtPi / 2);
  for (int i = 0; i < 5; ++i) {
    double step = (erf(y) - a) * expOfSquare(y) * (kSqrtPi / 2);
    y -= step / (1 + y * step);
  }
  return copysign(y, x);
}

COIL_SPECIAL_FUNCTION double ndtri(double p) {
  if (!(p >= 0 && p <= 1))
    return kNaN;
  if (p == 0 || p == 1)
    return p == 0 ? -kInf : kInf;
  if (p > 0.25 && p < 0.75)
    return kSqrt2 * erfinv(2 * (p - 0.5));
  return p < 0.5 ? -kSqrt2 * erfcInverse(2 * p)
                 : kSqrt2 * erfcInverse(2 * (1 - p));
}

COIL_SPECIAL_FUNCTION double logNdtr(double x) {
  if (x < -1)
    return log(erfcx(-x / kSqrt2) / 2) - x * x / 2;
  return log1p(-erfc(x / kSqrt2) / 2);
}

/// The Bessel function I of order 0 or 1 of 0 <= x < 30 by its power series,
/// all of whose terms are positive.
COIL_SPECIAL_FUNCTION double besselISeries(double x, int order) {
  double quarter = x * x / 4, term = order ? x / 2 : 1, sum = term;
  for (int k = 1; k < 200; ++k) {
    term *= quarter / (double(k) * (k + order));
    sum += term;
    if (term < kEps * sum)
      break;
  }
  return sum;
}

/// exp(-x) times it for x >= 30 by the asymptotic expansion, which is accurate
/// before its terms grow.
COIL_SPECIAL_FUNCTION double besselITail(double x, int order) {
  double sum = 1, term = 1, mu = 4 * order * order;
  for (int k = 1; k < 60; ++k) {
    double odd = 2 * k - 1;
    term *= (odd * odd - mu) / (k * 8 * x);
    sum += term;
    if (fabs(term) < kEps)
      break;
  }
  // The product with x itself may be out of range.
  return sum / (kSqrt2 * kSqrtPi * sqrt(x));
}

/// exp(-|x|) times the Bessel function I of order 0 or 1 of |x|.
COIL_SPECIAL_FUNCTION double besselIScaled(double x, int order) {
  x = fabs(x);
  if (isinf(x))
    return 0;
  return x < 30 ? besselISeries(x, order) * exp(-x) : besselITail(x, order);
}

COIL_SPECIAL_FUNCTION double besselI(double x, int order) {
  double a = fabs(x);
  if (a < 30)
    return besselISeries(a, order);
  // The result overflows below 714. Beyond, there would be a product of zero
  // and infinity.
  if (a > 720)
    return kInf;
  // Moderate and large x without losing the overflow threshold.
  double half = exp(a / 2);
  return besselITail(a, order) * half * half;
}

COIL_SPECIAL_FUNCTION double digamma(double x) {
  if (x == 0)
    return copysign(kInf, -x);
  if (isnan(x) || x == -kInf)
    return kNaN;
  if (x == kInf)
    return x;
  double result = 0;
  if (x < 0) {
    if (x == floor(x))
      return kNaN;
    result = -kPi / tan(kPi * (x - round(x)));
    x = 1 - x;
  }
  while (x < 12) {
    result -= 1 / x;
    x += 1;
  }
  // log(x) - 1/(2x) - sum of B(2k) / (2k x^2k)
  double z = 1 / (x * x);
  double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 -
            z * (1.0 / 252 -
                 z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                        z * (1.0 / 12)))))));
  return result + log(x) - 0.5 / x - series;
}

/// x^a exp(-x) / gamma(a + 1).
COIL_SPECIAL_FUNCTION double gammaPrefactor(double a, double x) {
  if (a < 20)
    return exp(a * log(x) - x - lgamma(a + 1));
  // Stirling's formula; the exponent a (log(x/a) - (x-a)/a) keeps its digits
  // when x is near a.
  double u = (x - a) / a, exponent;
  if (fabs(u) < 0.1) {
    exponent = 0;
    double power = u * u;
    for (int k = 2; k < 30; ++k, power *= -u)
      exponent -= power / k;
  } else {
    exponent = log(x / a) - u;
  }
  double z = 1 / (a * a);
  double stirling =
      (1.0 / 12 -
       z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) /
      a;
  return exp(a * exponent - stirling) / sqrt(2 * kPi * a);
}

/// Lower incomplete gamma by its power series, upper by its continued fraction
/// (modified Lentz); each where it converges fast.
COIL_SPECIAL_FUNCTION double incompleteGamma(double a, double x, bool upper) {
  if (!(a >= 0 && x >= 0))
    return kNaN;
  double zero = upper ? 1 : 0, one = upper ? 0 : 1;
  if (a == 0)
    return x > 0 ? one : kNaN;
  if (x == 0)
    return zero;
  if (isinf(a))
    return isinf(x) ? kNaN : zero;
  if (isinf(x))
    return one;
  double prefactor = gammaPrefactor(a, x);
  if (x < a + 1) {
    double sum = 1, term = 1;
    for (int n = 1; n < 1000000; ++n) {
      term *= x / (a + n);
      sum += term;
      if (term < kEps * sum)
        break;
    }
    return upper ? 1 - sum * prefactor : sum * prefactor;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < 1000000; ++n) {
    double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    if (fabs(d) < 1e-300)
      d = 1e-300;
    if (fabs(c) < 1e-300)
      c = 1e-300;
    d = 1 / d;
    double factor = d * c;
    h *= factor;
    if (fabs(factor - 1) < 1e-16)
      break;
  }
  double q = prefactor * a * h;
  return upper ? q : 1 - q;
}

/// Euler-Maclaurin summation.
COIL_SPECIAL_FUNCTION double zeta(double x, double q) {
  if (isnan(x) || isnan(q) || x < 1)
    return kNaN;
  if (x == 1)
    return kInf;
  if (q <= 0) {
    if (q == floor(q))
      return kInf;
    if (x != floor(x))
      return kNaN;
  }
  if (q == kInf)
    return 0;
  double sum = 0;
  // The terms of the correction shrink by (x / (2 pi q))^2 or more from here
  // on.
  double enough = 12 + 2 * x;
  for (int i = 0; q < enough && i < 10000000; ++i, q += 1) {
    double term = pow(q, -x);
    sum += term;
    // All later terms are smaller once q is positive.
    if (q > 0 && term <= 1e-20 * fabs(sum))
      return sum;
  }
  double power = pow(q, -x);
  sum += power * q / (x - 1) + power / 2;
  // B(2k) / (2k)! for k = 1, 2, ...
  static const double coefficients[] = {1.0 / 12,
                                        -1.0 / 720,
                                        1.0 / 30240,
                                        -1.0 / 1209600,
                                        1.0 / 47900160,
                                        -691.0 / 1307674368000,
                                        1.0 / 74724249600,
                                        -3617.0 / 10670622842880000,
                                        43867.0 / 5109094217170944000.0};
  double factor = x * power / q;
  for (int k = 0; k < 9; ++k) {
    double term = coefficients[k] * factor;
    sum += term;
    if (fabs(term) < kEps * fabs(sum))
      break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

} // namespace COIL_SPECIAL_NAMESPACE

#endif // COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H
