//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The special functions: the text that the host compiles, too, over lgamma and
// the elementary functions of the device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_SPECIAL_H
#define COIL_LIB_DEVICE_SPECIAL_H

#include "Gamma.h"

namespace coil::device {

COIL_INLINE bool isinf(double x) { return fabs(x) == infinity<double>; }

/// log(gamma(2 + t)) for |t| <= 0.5, relative to t where it vanishes.
COIL_INLINE double lgammaCentre(double t) {
  return t * poly(t, -0x1.1c0e5950b4076p-23, 0x1.2b769bd4b3eb1p-22,
                  -0x1.d056cec5e006ep-22, 0x1.eddda186de4fp-21,
                  -0x1.125515730d7c1p-19, 0x1.2641bf94b9a2bp-18,
                  -0x1.3cb5e3757fb92p-17, 0x1.5806c8374ed87p-16,
                  -0x1.78de866c4cc63p-15, 0x1.a127dd9aef398p-14,
                  -0x1.d3fd4bd855aa6p-13, 0x1.0b36af331b7fp-11,
                  -0x1.38ac5c2c984e2p-10, 0x1.7add6eae5dfa3p-9,
                  -0x1.e404fc218ecd9p-8, 0x1.51322ac7d7fbep-6,
                  -0x1.13e001a557607p-4, 0x1.4a34cc4a60fa7p-2,
                  0x1.b0ee6072093cep-2);
}

/// log(gamma(x)) of a positive finite x.
COIL_INLINE double lgammaPositive(double x) {
  // Relative to x - 1, which x + 1 would round.
  if (x >= 0.5 && x < 1.5)
    return lgammaCentre(x - 1) - log(x);
  if (x < 8) {
    // Shifted to between 1.5 and 2.5 by gamma(x + 1) = x gamma(x).
    double below = 1, above = 1;
    while (x < 1.5) {
      below *= x;
      x += 1;
    }
    while (x > 2.5) {
      x -= 1;
      above *= x;
    }
    double shift = above != 1 ? log(above) : -log(below);
    return lgammaCentre(x - 2) + shift;
  }
  // Stirling's series.
  double z = 1 / (x * x);
  double series = poly(z, 1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                       1.0 / 1260, -1.0 / 360, 1.0 / 12) /
                  x;
  double l = log(x);
  return (x - 0.5) * (l - 1) + (0x1.d67f1c864beb5p-1 - 0.5 + series);
}

/// log(|gamma(x)|), for results that are rounded to float.
COIL_DEVICE_INTERNAL double lgammaNarrow(double x) {
  if (isnan(x))
    return x;
  double a = fabs(x);
  if (a == infinity<double>)
    return a;
  if (x > 0)
    return lgammaPositive(x);
  if (x == floor(x))
    return infinity<double>;
  if (a < 0x1p-60)
    return -log(a);
  // gamma(x) gamma(-x) = -pi / (x sin(pi x)), the sine of the nearest integer's
  // distance.
  double distance = x - round(x);
  double sine = sin(0x1.921fb54442d18p+1 * fabs(distance));
  return log(0x1.921fb54442d18p+1 / (a * sine)) - lgammaPositive(a);
}

COIL_INLINE double nextafter(double x, double y) {
  if (isnan(x) || isnan(y))
    return notANumber<double>;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(fromBits(static_cast<uint64_t>(1)), y);
  return fromBits((y > x) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}
COIL_INLINE float nextafter(float x, float y) {
  if (isnan(x) || isnan(y))
    return notANumber<float>;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(fromBits(static_cast<uint32_t>(1)), y);
  return fromBits((y > x) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}

} // namespace coil::device

#define COIL_SPECIAL_NAMESPACE coil::device
#define COIL_SPECIAL_FUNCTION COIL_DEVICE_INTERNAL
#include "SpecialFunctions.h"

#include "BesselFunctions.h"
#include "OrthogonalPolynomials.h"

#endif // COIL_LIB_DEVICE_SPECIAL_H
