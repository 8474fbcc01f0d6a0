//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar special functions for `loop.special`: what compiled kernels and the
// reference interpreter call. Each is accurate to a few units in the last
// place of a double away from its zeros; the float versions round once.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_SPECIAL_H
#define COIL_RUNTIME_SPECIAL_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Declares the double and the float version of a function.
#define COIL_SPECIAL_UNARY(name)                                               \
  COIL_RT_API double coil_special_##name(double x);                            \
  COIL_RT_API float coil_special_##name##f(float x);
#define COIL_SPECIAL_BINARY(name)                                              \
  COIL_RT_API double coil_special_##name(double x, double y);                  \
  COIL_RT_API float coil_special_##name##f(float x, float y);

/// Logarithm of the magnitude of the gamma function; infinite at its poles.
COIL_SPECIAL_UNARY(lgamma)
/// Derivative of the logarithm of the gamma function. At a zero the infinity
/// of the opposite sign, NaN at the negative integers.
COIL_SPECIAL_UNARY(digamma)
/// Inverse of erf; NaN outside [-1, 1].
COIL_SPECIAL_UNARY(erfinv)
/// exp(x * x) * erfc(x).
COIL_SPECIAL_UNARY(erfcx)
/// Modified Bessel functions of the first kind, order 0 and 1; the `e` versions
/// are scaled by exp(-|x|).
COIL_SPECIAL_UNARY(i0)
COIL_SPECIAL_UNARY(i0e)
COIL_SPECIAL_UNARY(i1)
COIL_SPECIAL_UNARY(i1e)
/// Inverse of the normal distribution function; NaN outside [0, 1].
COIL_SPECIAL_UNARY(ndtri)
/// Logarithm of the normal distribution function.
COIL_SPECIAL_UNARY(log_ndtr)
/// The neighbour of x on the way to y.
COIL_SPECIAL_BINARY(nextafter)
/// Regularised lower and upper incomplete gamma function of (a, x); NaN for a
/// negative argument.
COIL_SPECIAL_BINARY(igamma)
COIL_SPECIAL_BINARY(igammac)
/// Hurwitz zeta function of (x, q): infinite at x = 1 and at poles q, NaN for
/// x < 1.
COIL_SPECIAL_BINARY(zeta)
/// Derivative of digamma; infinite at the poles.
COIL_SPECIAL_UNARY(trigamma)
/// Bessel functions of the first and second kind, order 0 and 1; NaN at
/// infinities. Those of the second kind are minus infinity at zero, and NaN
/// below.
COIL_SPECIAL_UNARY(bessel_j0)
COIL_SPECIAL_UNARY(bessel_j1)
COIL_SPECIAL_UNARY(bessel_y0)
COIL_SPECIAL_UNARY(bessel_y1)
/// Modified Bessel functions of the second kind, order 0 and 1; the `e`
/// versions are scaled by exp(x). Infinite at zero, NaN below.
COIL_SPECIAL_UNARY(k0)
COIL_SPECIAL_UNARY(k0e)
COIL_SPECIAL_UNARY(k1)
COIL_SPECIAL_UNARY(k1e)
/// The Airy function Ai; NaN at infinities.
COIL_SPECIAL_UNARY(airy_ai)
/// Orthogonal polynomials of (x, degree). The degree is truncated to an
/// integer; below zero the polynomial is zero. Chebyshev's are of the first to
/// the fourth kind, shifted ones of 2x - 1; Hermite's are the physicist's (h)
/// and the probabilist's (he).
COIL_SPECIAL_BINARY(chebyshev_t)
COIL_SPECIAL_BINARY(chebyshev_u)
COIL_SPECIAL_BINARY(chebyshev_v)
COIL_SPECIAL_BINARY(chebyshev_w)
COIL_SPECIAL_BINARY(shifted_chebyshev_t)
COIL_SPECIAL_BINARY(shifted_chebyshev_u)
COIL_SPECIAL_BINARY(shifted_chebyshev_v)
COIL_SPECIAL_BINARY(shifted_chebyshev_w)
COIL_SPECIAL_BINARY(hermite_h)
COIL_SPECIAL_BINARY(hermite_he)
COIL_SPECIAL_BINARY(laguerre_l)
COIL_SPECIAL_BINARY(legendre_p)

#undef COIL_SPECIAL_UNARY
#undef COIL_SPECIAL_BINARY

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_SPECIAL_H
