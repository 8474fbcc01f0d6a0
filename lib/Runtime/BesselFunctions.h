//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bessel functions J, Y and K of order 0 and 1, and the Airy function Ai. The
// host and the device compile this text, see SpecialFunctions.h.
//
// Each range has a method that loses no digits there: power series near zero,
// recurrences downwards and sums over all orders in the middle, sums of
// integrands that decay doubly exponentially, and asymptotic expansions.
// Functions with zeros have an absolute error of a few units in the last place
// of their amplitude, sqrt(2 / (pi x)).
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_BESSELFUNCTIONS_H
#define COIL_LIB_RUNTIME_BESSELFUNCTIONS_H

namespace COIL_SPECIAL_NAMESPACE {

inline constexpr double kEulerGamma = 0.57721566490153286061;
/// From here on the asymptotic expansions of J and Y are exact to a double.
inline constexpr double kBesselFar = 25;

/// J and Y of order 0 and 1; Y is computed where it is asked for.
struct BesselJY {
  double j0, j1, y0, y1;
};

/// For 0 < x < 1 by power series, whose terms hardly cancel.
COIL_SPECIAL_FUNCTION BesselJY besselSeries(double x) {
  double quarter = x * x / 4, half = x / 2;
  double term0 = 1, term1 = half, harmonic = 0;
  BesselJY sum = {1, half, 0, half};
  for (int k = 1; k < 30; ++k) {
    harmonic += 1.0 / k;
    term0 *= -quarter / (double(k) * k);
    term1 *= -quarter / (double(k) * (k + 1));
    sum.j0 += term0;
    sum.j1 += term1;
    sum.y0 -= harmonic * term0;
    sum.y1 += (2 * harmonic + 1.0 / (k + 1)) * term1;
    if (fabs(term0) < kEps)
      break;
  }
  double logarithm = log(half) + kEulerGamma;
  sum.y0 = 2 / kPi * (logarithm * sum.j0 + sum.y0);
  sum.y1 = (-2 / x + 2 * logarithm * sum.j1 - sum.y1) / kPi;
  return sum;
}

/// For 1 <= x < 25 by the recurrence of J from high orders down, where it is
/// stable. J0^2 + 2 (J1^2 + J2^2 + ...) = 1 gives its scale, and Y is a sum
/// over the orders.
COIL_SPECIAL_FUNCTION BesselJY besselRecurrence(double x) {
  int k = int(1.5 * x) / 2 * 2 + 30;
  // In all orders together it grows by less than 1e50.
  double above = 0, current = 1e-50, twoOverX = 2 / x;
  double squares = 0, sum0 = 0, sum1 = 0;
  // `current` is of order k, which is even; each step passes two orders.
  for (; k > 0; k -= 2) {
    double odd = k * twoOverX * current - above;
    double even = (k - 1) * twoOverX * odd - current;
    squares += current * current + odd * odd;
    double weight = (k & 2 ? -2.0 : 2.0) / k;
    sum0 += weight * current;
    // J(k - 1) - J(k + 1); `above` is the latter.
    sum1 += weight * (odd - above);
    above = odd;
    current = even;
  }
  double norm = 1 / sqrt(2 * squares + current * current);
  BesselJY result;
  result.j0 = current * norm;
  result.j1 = above * norm;
  double logarithm = log(x / 2) + kEulerGamma;
  result.y0 = 2 / kPi * (logarithm * result.j0 - 2 * sum0 * norm);
  result.y1 = 2 / kPi * (logarithm * result.j1 - result.j0 / x + sum1 * norm);
  return result;
}

/// Modulus and phase by Hankel's expansion: J = m (p cos - q sin), Y = m
/// (p sin + q cos) of x - pi / 4 - order pi / 2.
COIL_SPECIAL_FUNCTION void besselPhase(double x, int order, double &p,
                                       double &q) {
  double mu = 4 * order * order, term = 1;
  p = 1;
  q = 0;
  for (int k = 1; k < 60; ++k) {
    double odd = 2 * k - 1;
    term *= (mu - odd * odd) / (k * 8 * x);
    // Signs go + + - - over the powers of 1 / x.
    if (k & 1)
      q += k & 2 ? -term : term;
    else
      p += k & 2 ? -term : term;
    if (fabs(term) < kEps)
      break;
  }
}

COIL_SPECIAL_FUNCTION BesselJY besselFar(double x) {
  double s = sin(x), c = cos(x);
  // sqrt(2 / (pi x)) cos(x - pi / 4) = (c + s) / sqrt(pi x)
  double modulus = 1 / (kSqrtPi * sqrt(x)), p, q;
  BesselJY result;
  besselPhase(x, 0, p, q);
  result.j0 = modulus * (p * (c + s) - q * (s - c));
  result.y0 = modulus * (p * (s - c) + q * (c + s));
  besselPhase(x, 1, p, q);
  result.j1 = modulus * (p * (s - c) + q * (c + s));
  result.y1 = modulus * (q * (s - c) - p * (c + s));
  return result;
}

COIL_SPECIAL_FUNCTION BesselJY besselJY(double x) {
  return x < 1            ? besselSeries(x)
         : x < kBesselFar ? besselRecurrence(x)
                          : besselFar(x);
}

COIL_SPECIAL_FUNCTION double besselJ(double x, int order) {
  double a = fabs(x);
  // Infinities have no value, as in the framework.
  if (isnan(x) || isinf(x))
    return kNaN;
  if (a == 0)
    return order ? x : 1;
  BesselJY all = besselJY(a);
  return order ? copysign(1.0, x) * all.j1 : all.j0;
}

COIL_SPECIAL_FUNCTION double besselY(double x, int order) {
  if (x == 0)
    return -kInf;
  if (!(x > 0) || isinf(x))
    return kNaN;
  BesselJY all = besselJY(x);
  return order ? all.y1 : all.y0;
}

/// exp(x) K of a real order by the trapezoidal rule on the integral of
/// exp(-x (cosh t - 1)) cosh(order t), whose error falls doubly exponentially
/// with the step. All terms are positive. For moderate x.
COIL_SPECIAL_FUNCTION double besselKIntegral(double x, double order) {
  const double step = 0.1;
  double sum = 0.5;
  for (int k = 1; k < 200; ++k) {
    double t = k * step, half = exp(t / 2), sinhHalf = (half - 1 / half) / 2;
    double power = exp(order * t);
    // cosh t - 1 = 2 sinh(t / 2)^2
    double term = exp(-2 * x * sinhHalf * sinhHalf) * (power + 1 / power) / 2;
    sum += term;
    if (term < kEps * sum)
      break;
  }
  return step * sum;
}

/// exp(x) K of order 0 or 1 of x > 0.
COIL_SPECIAL_FUNCTION double besselKScaledPositive(double x, int order) {
  if (x < 1) {
    // The power series: sums of positive terms and a logarithm.
    double quarter = x * x / 4, harmonic = 0;
    double term = order ? x / 2 : 1, sumI = term, sumK = order ? term / 2 : 0;
    for (int k = 1; k < 30; ++k) {
      harmonic += 1.0 / k;
      term *= quarter / (double(k) * (k + order));
      sumI += term;
      sumK += term * (order ? harmonic + 0.5 / (k + 1) : harmonic);
      if (term < kEps * sumI)
        break;
    }
    double logarithm = log(x / 2) + kEulerGamma;
    double k =
        order ? 1 / x + logarithm * sumI - sumK : sumK - logarithm * sumI;
    return k * exp(x);
  }
  if (x < 30)
    return besselKIntegral(x, order);
  double sum = 1, term = 1, mu = 4 * order * order;
  for (int k = 1; k < 60; ++k) {
    double odd = 2 * k - 1;
    term *= (mu - odd * odd) / (k * 8 * x);
    sum += term;
    if (fabs(term) < kEps)
      break;
  }
  return sum * kSqrtPi / (kSqrt2 * sqrt(x));
}

COIL_SPECIAL_FUNCTION double besselKScaled(double x, int order) {
  if (x == 0)
    return kInf;
  if (!(x > 0))
    return kNaN;
  return isinf(x) ? 0 : besselKScaledPositive(x, order);
}

COIL_SPECIAL_FUNCTION double besselK(double x, int order) {
  if (x == 0)
    return kInf;
  if (!(x > 0))
    return kNaN;
  // Underflows beyond 746.
  return x > 800 ? 0 : besselKScaledPositive(x, order) * exp(-x);
}

/// Ai and its derivative at -10, -9, ..., 10, from which it is continued by
/// the Taylor series that Ai''(x) = x Ai(x) makes.
COIL_SPECIAL_FUNCTION double airyTaylor(double x) {
  static const double centres[][2] = {
      {0.040241238486443190689, 0.9962650441327900559},
      {-0.022133721547341403674, -0.97566398092633159471},
      {-0.052705050356386202622, 0.93556093819830655103},
      {0.18428083525050563728, -0.77100816841012654773},
      {-0.32914517362982310523, 0.34593548728134289493},
      {0.35076100902411431979, 0.32719281855444313679},
      {-0.070265532949289515099, -0.7906285753685813803},
      {-0.37881429367765807435, 0.31458376921659881365},
      {0.22740742820168557599, 0.61825902074169104141},
      {0.5355608832923521188, -0.010160567116645209395},
      {0.35502805388781723926, -0.25881940379280679841},
      {0.13529241631288141552, -0.15914744129679321279},
      {0.034924130423274379135, -0.053090384433653631704},
      {0.0065911393574607191443, -0.011912976705951318474},
      {0.00095156385120480187362, -0.0019586409502041789001},
      {0.00010834442813607441735, -0.000247413890868462476},
      {9.9476943602528895702e-6, -0.000024765200397034954754},
      {7.4921288639971670808e-7, -2.0081508947387919912e-6},
      {4.6922076160992316256e-8, -1.3414392979067865743e-7},
      {2.4711684308724898433e-9, -7.4806413896589464128e-9},
      {1.1047532552898685934e-10, -3.5206336767389236366e-10}};
  double centre = round(x), h = x - centre;
  const double *at = centres[static_cast<int>(centre) + 10];
  // The coefficients before, of the powers n - 1, n and n + 1.
  double before = 0, current = at[0], next = at[1];
  double power = h, sum = current + next * h;
  double least = kEps * (fabs(current) + fabs(next));
  for (int n = 0; n < 60; ++n) {
    double after = (centre * current + before) / ((n + 2.0) * (n + 1.0));
    before = current;
    current = next;
    next = after;
    power *= h;
    sum += after * power;
    if (fabs(after * power) < least && fabs(current * power) < least)
      break;
  }
  return sum;
}

/// Infinities have no value, as in the framework.
COIL_SPECIAL_FUNCTION double airyAi(double x) {
  if (isnan(x) || isinf(x))
    return kNaN;
  double a = fabs(x);
  if (a < 10)
    return airyTaylor(x);
  // Underflows.
  if (x > 108)
    return 0;
  double root = sqrt(a), zeta = a * root * (2.0 / 3);
  double term = 1, even = 1, odd = 0;
  for (int k = 1; k < 60; ++k) {
    // The ratio of neighbouring coefficients, without the signs.
    term *= (6.0 * k - 5) * (6.0 * k - 1) / (72.0 * k * zeta);
    if (x > 0)
      even += k & 1 ? -term : term;
    else if (k & 1)
      odd += k & 2 ? -term : term;
    else
      even += k & 2 ? -term : term;
    if (term < kEps)
      break;
  }
  double scale = 1 / (kSqrtPi * sqrt(root));
  if (x > 0)
    return exp(-zeta) * scale / 2 * even;
  // sin and cos of zeta + pi / 4
  double s = sin(zeta), c = cos(zeta);
  return scale / kSqrt2 * ((s + c) * even - (c - s) * odd);
}

} // namespace COIL_SPECIAL_NAMESPACE

#endif // COIL_LIB_RUNTIME_BESSELFUNCTIONS_H
