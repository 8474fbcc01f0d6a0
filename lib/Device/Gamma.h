//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The logarithm of the gamma function, on the host, too. Near its roots, one
// and two among them, and wherever parts of it cancel, sums and products are
// pairs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_GAMMA_H
#define COIL_LIB_DEVICE_GAMMA_H

#include "Elementary.h"

namespace coil::device {

/// Halves away from zero.
COIL_INLINE double round(double x) {
  double t = trunc(x);
  return fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : t;
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

/// log(gamma(2 + t)) for |t| <= 0.5, relative to t where it vanishes.
COIL_INLINE Pair lgammaCentrePair(double t) {
  double p = poly(
      t, -0x1.091589d02d1a3p-25, 0x1.15fea8732cd9fp-24, -0x1.9a854795e5fe9p-24,
      0x1.b1a8c8bf04f15p-23, -0x1.e40f95a8192dep-22, 0x1.01462b5944f7dp-20,
      -0x1.11a85684e8499p-19, 0x1.258c9651dbedcp-18, -0x1.3cbce9a3c4ad1p-17,
      0x1.580e260121a51p-16, -0x1.78de5a3d2d4d3p-15, 0x1.a127af44aaf71p-14,
      -0x1.d3fd4c7b8f6a9p-13, 0x1.0b36af88b2884p-11, -0x1.38ac5c2bf50a2p-10,
      0x1.7add6eadb2c11p-9, -0x1.e404fc218f61fp-8, 0x1.51322ac7d849bp-6,
      -0x1.13e001a557606p-4);
  Pair inner = addSmaller(0x1.4a34cc4a60fa6p-2, t * p);
  double v = t * inner.hi;
  double vLo = fma(t, inner.hi, -v) + t * (inner.lo + 0x1.1341e0c7213c1p-56);
  Pair slope = addSmaller(0x1.b0ee6072093cep-2, v);
  double y = t * slope.hi;
  return {y, fma(t, slope.hi, -y) +
                 t * (slope.lo + (vLo + 0x1.6cb90701fbfabp-58))};
}

COIL_INLINE Pair logOf(Pair x) {
  Pair l = logPair(x.hi);
  return {l.hi, l.lo + x.lo / x.hi};
}

COIL_INLINE Pair add(Pair a, Pair b) {
  double sum = a.hi + b.hi, back = sum - a.hi;
  double lo = (a.hi - (sum - back)) + (b.hi - back);
  return addSmaller(sum, lo + (a.lo + b.lo));
}

/// log(gamma(x)) of a positive finite x.
COIL_DEVICE_INTERNAL Pair lgammaPair(double x) {
  if (x < 8) {
    // gamma(x + 1) = x gamma(x), from between 1.5 and 2.5. Differences are
    // exact.
    double t, sign = -1;
    Pair product = {1, 0};
    if (x < 0.5) {
      t = x;
      double above = 1 + x, p = x * above;
      product = {p, fma(x, above, -p) + x * ((1 - above) + x)};
    } else if (x < 1.5) {
      t = x - 1;
      product = {x, 0};
    } else {
      t = x - 2;
      for (sign = 1; t > 0.5; t -= 1)
        product = multiply(product, Pair{t + 1, 0});
    }
    Pair l = logOf(product);
    return add(lgammaCentrePair(t), Pair{sign * l.hi, sign * l.lo});
  }
  // Stirling's series: (x - 1/2) (log(x) - 1) and what is small against it.
  double inverse = 1 / x, z = inverse * inverse;
  double series = poly(z, 1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680,
                       1.0 / 1260, -1.0 / 360, 1.0 / 12) *
                  inverse;
  Pair l = logPair(x);
  double h = x - 0.5, hLo = (x - h) - 0.5;
  double a = l.hi - 1, aLo = ((l.hi - a) - 1) + l.lo;
  double p = h * a;
  if (p == infinity<double>)
    return {p, 0};
  double rest = fma(h, a, -p) + fma(h, aLo, hLo * a);
  return addSmaller(p, rest + (0x1.d67f1c864beb5p-1 - 0.5 + series));
}

/// log(|gamma(x)|).
COIL_DEVICE_INTERNAL double lgamma(double x) {
  if (isnan(x))
    return x;
  double a = fabs(x);
  if (a == infinity<double>)
    return a;
  if (x > 0) {
    Pair result = lgammaPair(x);
    return result.hi + result.lo;
  }
  if (x == floor(x))
    return infinity<double>;
  if (a < 0x1p-60)
    return -log(a);
  if (x > -20) {
    // 1 / gamma(x) = x (x + 1) ... (x + n - 1) / gamma(x + n). Sums with whole
    // numbers that make x smaller are exact.
    double n = rint(1 - x);
    Pair product = reciprocalGamma(x + n - 1);
    for (double k = 0; k < n; k += 1)
      product = multiply(product, Pair{x + k, 0});
    if (product.hi < 0)
      product = {-product.hi, -product.lo};
    Pair l = logOf(product);
    return -(l.hi + l.lo);
  }
  // gamma(x) gamma(-x) = -pi / (x sin(pi x)), the sine of the nearest integer's
  // distance, or the cosine of what is left to a half.
  double distance = fabs(x - round(x));
  bool near = distance <= 0.25;
  double angle = near ? distance : 0.5 - distance;
  double y = angle * 0x1.921fb54442d18p+1;
  Pair r = {y, fma(angle, 0x1.921fb54442d18p+1, -y) +
                   angle * 0x1.1a62633145c07p-53};
  Pair l = logOf(multiply(Pair{a, 0}, near ? sinReduced(r) : cosReduced(r)));
  constexpr Pair logPi = {0x1.250d048e7a1bdp+0, 0x1.7abf2ad8d5088p-57};
  Pair result = add(logPi, Pair{-l.hi, -l.lo}), other = lgammaPair(a);
  if (other.hi == infinity<double>)
    return -other.hi;
  result = add(result, Pair{-other.hi, -other.lo});
  return result.hi + result.lo;
}

} // namespace coil::device

#endif // COIL_LIB_DEVICE_GAMMA_H
