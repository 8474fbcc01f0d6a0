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

#include "Elementary.h"

namespace coil::device {

COIL_INLINE bool isinf(double x) { return fabs(x) == infinity<double>; }
/// Halves away from zero.
COIL_INLINE double round(double x) {
  double t = trunc(x);
  return fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : t;
}

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

COIL_INLINE Pair multiply(Pair a, Pair b) {
  double p = a.hi * b.hi;
  return addSmaller(p, fma(a.hi, b.hi, -p) + fma(a.hi, b.lo, a.lo * b.hi));
}

/// a * b + c.
COIL_INLINE Pair multiplyAdd(Pair a, double b, Pair c) {
  double p = a.hi * b, pLo = fma(a.hi, b, -p) + a.lo * b;
  double sum = p + c.hi, back = sum - p;
  double lo = (p - (sum - back)) + (c.hi - back);
  return addSmaller(sum, lo + (pLo + c.lo));
}

/// 1 / gamma(1 + t) for |t| <= 0.5, by its series.
COIL_INLINE Pair reciprocalGamma(double t) {
  Pair sum = {poly(t, 0x1.a0dc770fb8a4ap-60, 0x1.5e3fee81de0eap-60,
                   -0x1.10613dde57a89p-53, 0x1.6198491a83bcdp-50,
                   -0x1.815f72a05f16fp-48, -0x1.72cb88ea5ae6ep-46,
                   0x1.1f20151323cd0p-41, -0x1.0423bac8ca3fbp-38,
                   0x1.11d065bfaf067p-37, 0x1.cae7675c18607p-34),
              0};
  constexpr Pair series[] = {{-0x1.44b4cedca388fp-30, -0x1.f1c4c0ce1c9c5p-84},
                             {0x1.57bc3fc384334p-28, -0x1.30a82205f48c5p-86},
                             {0x1.a44b7ba22d629p-28, -0x1.4d6f19c81365fp-82},
                             {-0x1.b9986666c225dp-23, -0x1.d12e45de59d01p-79},
                             {0x1.302509dbc0de3p-20, -0x1.bf09003481b1ap-75},
                             {-0x1.4fad41fc34fbbp-20, -0x1.01776ab160dc8p-75},
                             {-0x1.51ce8af47eabep-16, 0x1.26de8c501cb48p-75},
                             {0x1.0c8a78cd9f9d2p-13, -0x1.6193e5e682992p-67},
                             {-0x1.c364fe6f1563dp-13, 0x1.6707f71f86f2ep-69},
                             {-0x1.317112ce3a2a8p-10, 0x1.0b48922be53b9p-64},
                             {0x1.d919c527f60b2p-8, -0x1.a91714b11611fp-62},
                             {-0x1.3b4af28483e21p-7, -0x1.38dbcf40c139bp-61},
                             {-0x1.59af103c34092p-5, -0x1.ef8da0241c465p-59},
                             {0x1.5512320b43fbep-3, 0x1.77e9bfd84d0f8p-57},
                             {-0x1.5815e8fa27048p-5, 0x1.b85ea59bc3638p-60},
                             {-0x1.4fcf4026afa2ep-1, 0x1.8a3db7a90c42ap-56},
                             {0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58},
                             {0x1.0000000000000p+0, 0x0.0p+0}};
#pragma unroll
  for (Pair term : series)
    sum = multiplyAdd(sum, t, term);
  return sum;
}

/// log(|gamma(x)|) for -20 < x < -2, where |gamma| is 1 twice between whole
/// numbers: 1 / gamma(x) = x (x + 1) ... (x + n - 1) / gamma(x + n) with twice
/// the digits.
COIL_DEVICE_INTERNAL double lgammaNearRoots(double x) {
  // Sums with whole numbers that make x smaller are exact.
  double n = rint(1 - x);
  Pair product = reciprocalGamma(x + n - 1);
  for (double k = 0; k < n; k += 1)
    product = multiply(product, Pair{x + k, 0});
  if (product.hi < 0)
    product = {-product.hi, -product.lo};
  if (product.hi > 0.5 && product.hi < 2)
    return -log1pSum(product.hi - 1, product.lo);
  return -(log(product.hi) + product.lo / product.hi);
}

COIL_DEVICE_INTERNAL double lgamma(double x) {
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
  if (x > -20 && x < -2)
    return lgammaNearRoots(x);
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

#endif // COIL_LIB_DEVICE_SPECIAL_H
