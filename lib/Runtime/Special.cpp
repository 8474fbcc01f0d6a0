//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special functions by textbook series, continued fractions, asymptotic
// expansions and Newton's method on libm's erfc and lgamma.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Special.h"

#include <cmath>
#include <limits>

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrtPi = 1.77245385090551602730;
constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = 1e-17;

/// exp(x * x) with the rounding error of the square put back.
double expOfSquare(double x) {
  double square = x * x;
  double error = std::fma(x, x, -square);
  return std::exp(square) * (1 + error);
}

/// sqrt(pi) * x * erfcx(x) for large x by its asymptotic expansion.
double erfcxTail(double x) {
  double sum = 1, term = 1, scale = -0.5 / (x * x);
  for (int n = 1; n < 60; ++n) {
    term *= (2 * n - 1) * scale;
    sum += term;
    if (std::fabs(term) < kEps)
      break;
  }
  return sum;
}

double erfcx(double x) {
  if (std::isnan(x))
    return x;
  if (x < 10)
    return expOfSquare(x) * std::erfc(x);
  return erfcxTail(x) / (kSqrtPi * x);
}

/// The y >= 0 with erfc(y) = q, for 0 < q <= 1. Halley's method from
/// Winitzki's approximation; each step triples the correct digits.
double erfcInverse(double q) {
  double log = std::log(q * (2 - q));
  double half = 2 / (kPi * 0.147) + log / 2;
  double y = std::sqrt(std::sqrt(half * half - log / 0.147) - half);
  for (int i = 0; i < 4; ++i) {
    // (erfc(y) - q) / erfc'(y), scaled so that nothing underflows.
    double step = -(erfcx(y) - q * expOfSquare(y)) * (kSqrtPi / 2);
    if (y > 26)
      step = -(1 - q / std::erfc(y)) * erfcxTail(y) / (2 * y);
    y -= step / (1 + y * step);
    if (std::fabs(step) < 1e-17 * y)
      break;
  }
  return y;
}

double erfinv(double x) {
  if (!(std::fabs(x) <= 1))
    return kNaN;
  if (std::fabs(x) == 1)
    return std::copysign(kInf, x);
  double a = std::fabs(x);
  if (a > 0.5)
    return std::copysign(erfcInverse(1 - a), x);
  if (a < 1e-8)
    return x * (kSqrtPi / 2);
  // Near zero erfc would lose digits: the same iteration on erf.
  double y = a * (kSqrtPi / 2);
  for (int i = 0; i < 5; ++i) {
    double step = (std::erf(y) - a) * expOfSquare(y) * (kSqrtPi / 2);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1))
    return kNaN;
  if (p == 0 || p == 1)
    return p == 0 ? -kInf : kInf;
  if (p > 0.25 && p < 0.75)
    return kSqrt2 * erfinv(2 * (p - 0.5));
  return p < 0.5 ? -kSqrt2 * erfcInverse(2 * p)
                 : kSqrt2 * erfcInverse(2 * (1 - p));
}

double logNdtr(double x) {
  if (x < -1)
    return std::log(erfcx(-x / kSqrt2) / 2) - x * x / 2;
  return std::log1p(-std::erfc(x / kSqrt2) / 2);
}

/// exp(-|x|) times the Bessel function I of order 0 or 1 of |x|. All terms of
/// the power series are positive, and far out the asymptotic expansion is
/// accurate before its terms grow.
double besselIScaled(double x, int order) {
  x = std::fabs(x);
  if (std::isinf(x))
    return 0;
  if (x < 30) {
    double quarter = x * x / 4, term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 200; ++k) {
      term *= quarter / (double(k) * (k + order));
      sum += term;
      if (term < kEps * sum)
        break;
    }
    return sum * std::exp(-x);
  }
  double sum = 1, term = 1, mu = 4 * order * order;
  for (int k = 1; k < 60; ++k) {
    double odd = 2 * k - 1;
    term *= (odd * odd - mu) / (k * 8 * x);
    sum += term;
    if (std::fabs(term) < kEps)
      break;
  }
  return sum / std::sqrt(2 * kPi * x);
}

/// besselI of moderate and large x without losing the overflow threshold.
double besselI(double x, int order) {
  double a = std::fabs(x);
  if (std::isinf(a))
    return kInf;
  double half = std::exp(a / 2);
  return besselIScaled(a, order) * half * half;
}

double digamma(double x) {
  if (x == 0)
    return std::copysign(kInf, -x);
  if (std::isnan(x) || x == -kInf)
    return kNaN;
  if (x == kInf)
    return x;
  double result = 0;
  if (x < 0) {
    if (x == std::floor(x))
      return kNaN;
    result = -kPi / std::tan(kPi * (x - std::round(x)));
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
  return result + std::log(x) - 0.5 / x - series;
}

/// The sign of gamma is not needed, so the reentrant version where there is
/// one: lgamma writes a global.
double lgammaOf(double x) {
#if defined(__GLIBC__)
  int sign;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}

/// x^a exp(-x) / gamma(a + 1).
double gammaPrefactor(double a, double x) {
  if (a < 20)
    return std::exp(a * std::log(x) - x - lgammaOf(a + 1));
  // Stirling's formula; the exponent a (log(x/a) - (x-a)/a) keeps its digits
  // when x is near a.
  double u = (x - a) / a, exponent;
  if (std::fabs(u) < 0.1) {
    exponent = 0;
    double power = u * u;
    for (int k = 2; k < 30; ++k, power *= -u)
      exponent -= power / k;
  } else {
    exponent = std::log(x / a) - u;
  }
  double z = 1 / (a * a);
  double stirling =
      (1.0 / 12 -
       z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) /
      a;
  return std::exp(a * exponent - stirling) / std::sqrt(2 * kPi * a);
}

/// Lower incomplete gamma by its power series, upper by its continued fraction
/// (modified Lentz); each where it converges fast.
double incompleteGamma(double a, double x, bool upper) {
  if (!(a >= 0 && x >= 0))
    return kNaN;
  double zero = upper ? 1 : 0, one = upper ? 0 : 1;
  if (a == 0)
    return x > 0 ? one : kNaN;
  if (x == 0)
    return zero;
  if (std::isinf(a))
    return std::isinf(x) ? kNaN : zero;
  if (std::isinf(x))
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
    if (std::fabs(d) < 1e-300)
      d = 1e-300;
    if (std::fabs(c) < 1e-300)
      c = 1e-300;
    d = 1 / d;
    double factor = d * c;
    h *= factor;
    if (std::fabs(factor - 1) < 1e-16)
      break;
  }
  double q = prefactor * a * h;
  return upper ? q : 1 - q;
}

/// Euler-Maclaurin summation.
double zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1)
    return kNaN;
  if (x == 1)
    return kInf;
  if (q <= 0) {
    if (q == std::floor(q))
      return kInf;
    if (x != std::floor(x))
      return kNaN;
  }
  if (q == kInf)
    return 0;
  double sum = 0;
  for (int i = 0; q < 12 && i < 10000000; ++i, q += 1) {
    double term = std::pow(q, -x);
    sum += term;
    // All later terms are smaller once q is positive.
    if (q > 0 && term < 1e-20 * std::fabs(sum))
      return sum;
  }
  double power = std::pow(q, -x);
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
    if (std::fabs(term) < kEps * std::fabs(sum))
      break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

} // namespace

extern "C" {

#define COIL_UNARY(name, expression)                                           \
  double coil_special_##name(double x) { return expression; }                  \
  float coil_special_##name##f(float x) {                                      \
    return static_cast<float>(coil_special_##name(x));                         \
  }
#define COIL_BINARY(name, expression)                                          \
  double coil_special_##name(double x, double y) { return expression; }        \
  float coil_special_##name##f(float x, float y) {                             \
    return static_cast<float>(coil_special_##name(x, y));                      \
  }

COIL_UNARY(lgamma, lgammaOf(x))
COIL_UNARY(digamma, digamma(x))
COIL_UNARY(erfinv, erfinv(x))
COIL_UNARY(erfcx, erfcx(x))
COIL_UNARY(i0, besselI(x, 0))
COIL_UNARY(i0e, besselIScaled(x, 0))
COIL_UNARY(i1, std::copysign(besselI(x, 1), x))
COIL_UNARY(i1e, std::copysign(besselIScaled(x, 1), x))
COIL_UNARY(ndtri, ndtri(x))
COIL_UNARY(log_ndtr, logNdtr(x))
COIL_BINARY(igamma, incompleteGamma(x, y, /*upper=*/false))
COIL_BINARY(igammac, incompleteGamma(x, y, /*upper=*/true))
COIL_BINARY(zeta, zeta(x, y))

double coil_special_nextafter(double x, double y) {
  return std::nextafter(x, y);
}
float coil_special_nextafterf(float x, float y) {
  return std::nextafterf(x, y);
}

} // extern "C"
