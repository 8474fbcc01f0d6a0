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

#undef COIL_SPECIAL_UNARY
#undef COIL_SPECIAL_BINARY

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_SPECIAL_H
