//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classical orthogonal polynomials of a degree that is a number of the program,
// truncated to an integer; zero for negative degrees. The host and the device
// compile this text, see SpecialFunctions.h.
//
// Chebyshev polynomials of a high degree are what they are by definition, a
// trigonometric function of a multiple of an angle; all others, and Chebyshev's
// outside of [-1, 1], follow a recurrence over the degrees.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_ORTHOGONALPOLYNOMIALS_H
#define COIL_LIB_RUNTIME_ORTHOGONALPOLYNOMIALS_H

namespace COIL_SPECIAL_NAMESPACE {

/// The degree; negative for one that is not a number.
COIL_SPECIAL_FUNCTION long long polynomialDegree(double n) {
  if (!(n > -1))
    return -1;
  return n < 9e18 ? static_cast<long long>(n) : 9000000000000000000LL;
}

/// Chebyshev polynomials: of the first to the fourth kind (0 to 3).
COIL_SPECIAL_FUNCTION double chebyshev(double x, double degree, int kind) {
  long long n = polynomialDegree(degree);
  if (n < 0)
    return 0;
  double odd = n & 1 ? -1 : 1, count = static_cast<double>(n);
  if (fabs(x) == 1) {
    // Values at 1, and without their sign at -1, where each has the value of
    // another kind.
    bool atOne = x > 0;
    double sign = atOne ? 1 : odd;
    switch (kind) {
    case 0:
      return sign;
    case 1:
      return sign * (count + 1);
    case 2:
      return sign * (atOne ? 1 : 2 * count + 1);
    default:
      return sign * (atOne ? 2 * count + 1 : 1);
    }
  }
  if (n == 0)
    return 1;
  // From the degree on from which the framework does so.
  if (fabs(x) < 1 && n > (kind == 0 ? 6 : 8)) {
    double angle = acos(x);
    switch (kind) {
    case 0:
      return cos(count * angle);
    case 1:
      return sin((count + 1) * angle) / sin(angle);
    case 2:
      return cos((count + 0.5) * angle) / cos(angle / 2);
    default:
      return sin((count + 0.5) * angle) / sin(angle / 2);
    }
  }
  double below = 1, current = kind == 0   ? x
                              : kind == 1 ? 2 * x
                              : kind == 2 ? 2 * x - 1
                                          : 2 * x + 1;
  for (long long k = 2; k <= n && !isnan(current); ++k) {
    double next = 2 * x * current - below;
    below = current;
    current = next;
  }
  return current;
}

/// Hermite polynomials: the physicist's, or the probabilist's.
COIL_SPECIAL_FUNCTION double hermite(double x, double degree, bool physicist) {
  long long n = polynomialDegree(degree);
  if (n < 0)
    return 0;
  double scale = physicist ? 2 : 1, below = 0, current = 1;
  // Values of this degree are out of range wherever the framework has them.
  if (n > 512)
    return kNaN;
  for (long long k = 0; k < n; ++k) {
    double next = scale * (x * current - static_cast<double>(k) * below);
    below = current;
    current = next;
  }
  return current;
}

COIL_SPECIAL_FUNCTION double laguerre(double x, double degree) {
  long long n = polynomialDegree(degree);
  if (n < 0)
    return 0;
  if (x == 0 || n == 0)
    return 1;
  double below = 1, current = 1 - x;
  for (long long i = 1; i < n && !isnan(current); ++i) {
    double k = static_cast<double>(i);
    double next = ((2 * k + 1 - x) * current - k * below) / (k + 1);
    below = current;
    current = next;
  }
  return current;
}

COIL_SPECIAL_FUNCTION double legendre(double x, double degree) {
  long long n = polynomialDegree(degree);
  if (n < 0)
    return 0;
  if (fabs(x) == 1)
    return x > 0 || n % 2 == 0 ? 1 : -1;
  if (n == 0)
    return 1;
  double below = 1, current = x;
  for (long long i = 1; i < n && !isnan(current); ++i) {
    double k = static_cast<double>(i);
    double next = ((2 * k + 1) * x * current - k * below) / (k + 1);
    below = current;
    current = next;
  }
  return current;
}

} // namespace COIL_SPECIAL_NAMESPACE

#endif // COIL_LIB_RUNTIME_ORTHOGONALPOLYNOMIALS_H
