//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The special functions on the host, over libm. What needs pairs of numbers is
// the device's, as written: this file is not contracted.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Special.h"

#include "../Device/Gamma.h"

#include <cmath>

namespace coil::special {
using std::acos;
using std::copysign;
using std::cos;
using std::erf;
using std::erfc;
using std::exp;
using std::fabs;
using std::floor;
using std::fma;
using std::isinf;
using std::isnan;
using std::log;
using std::log1p;
using std::pow;
using std::round;
using std::sin;
using std::sqrt;
using std::tan;

using device::addSmaller;
using device::erfcxRational;
using device::logPair;
using device::Pair;
using device::poly;

/// libm's, in its reentrant version where there is one: lgamma writes a global
/// for the sign, which is not needed.
static double lgammaOfLibrary(double x) {
#if defined(__GLIBC__)
  int sign;
  return ::lgamma_r(x, &sign);
#else
  return std::lgamma(x);
#endif
}
/// glibc's is off by 1.9 ulp at 9, and by 3 and more between roots.
static double lgamma(double x) { return device::lgamma(x); }
} // namespace coil::special

#define COIL_SPECIAL_NAMESPACE coil::special
#define COIL_SPECIAL_FUNCTION static
#include "SpecialFunctions.h"

#include "BesselFunctions.h"
#include "OrthogonalPolynomials.h"

using namespace coil::special;

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

double coil_special_lgamma(double x) { return coil::special::lgamma(x); }
float coil_special_lgammaf(float x) {
  return static_cast<float>(lgammaOfLibrary(x));
}
COIL_UNARY(digamma, digamma(x))
COIL_UNARY(erfinv, erfinv(x))
COIL_UNARY(erfcx, erfcx(x))
COIL_UNARY(i0, besselI<0>(x))
COIL_UNARY(i0e, besselIScaled<0>(x))
COIL_UNARY(i1, std::copysign(besselI<1>(x), x))
COIL_UNARY(i1e, std::copysign(besselIScaled<1>(x), x))
COIL_UNARY(ndtri, ndtri(x))
COIL_UNARY(log_ndtr, logNdtr(x))
COIL_BINARY(igamma, incompleteGamma(x, y, /*upper=*/false))
COIL_BINARY(igammac, incompleteGamma(x, y, /*upper=*/true))
COIL_BINARY(zeta, zeta(x, y))
COIL_UNARY(trigamma, coil::special::trigamma(x))
COIL_UNARY(bessel_j0, besselJ(x, 0))
COIL_UNARY(bessel_j1, besselJ(x, 1))
COIL_UNARY(bessel_y0, besselY(x, 0))
COIL_UNARY(bessel_y1, besselY(x, 1))
COIL_UNARY(k0, besselK(x, 0))
COIL_UNARY(k0e, besselKScaled(x, 0))
COIL_UNARY(k1, besselK(x, 1))
COIL_UNARY(k1e, besselKScaled(x, 1))
COIL_UNARY(airy_ai, airyAi(x))
COIL_BINARY(chebyshev_t, chebyshev(x, y, 0))
COIL_BINARY(chebyshev_u, chebyshev(x, y, 1))
COIL_BINARY(chebyshev_v, chebyshev(x, y, 2))
COIL_BINARY(chebyshev_w, chebyshev(x, y, 3))
COIL_BINARY(shifted_chebyshev_t, chebyshev(2 * x - 1, y, 0))
COIL_BINARY(shifted_chebyshev_u, chebyshev(2 * x - 1, y, 1))
COIL_BINARY(shifted_chebyshev_v, chebyshev(2 * x - 1, y, 2))
COIL_BINARY(shifted_chebyshev_w, chebyshev(2 * x - 1, y, 3))
COIL_BINARY(hermite_h, hermite(x, y, /*physicist=*/true))
COIL_BINARY(hermite_he, hermite(x, y, /*physicist=*/false))
COIL_BINARY(laguerre_l, laguerre(x, y))
COIL_BINARY(legendre_p, legendre(x, y))

double coil_special_nextafter(double x, double y) {
  return std::nextafter(x, y);
}
float coil_special_nextafterf(float x, float y) {
  return std::nextafterf(x, y);
}

} // extern "C"
