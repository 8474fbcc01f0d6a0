//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the device library (lib/Device/Library.cpp), and what the
// host's C library calls them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_DEVICE_LIBRARY_H
#define COIL_TEST_UNIT_DEVICE_LIBRARY_H

#include <cmath>
#include <cstdint>

namespace coil::device {
/// How much of the documented error the models of approximate instructions
/// have: -1 to 1.
extern double errorScale;
} // namespace coil::device

/// Functions of one argument with an oracle: name, function of long double.
#define COIL_ELEMENTARY_FUNCTIONS(F)                                           \
  F(acos, acosl)                                                               \
  F(acosh, acoshl)                                                             \
  F(asin, asinl)                                                               \
  F(asinh, asinhl)                                                             \
  F(atan, atanl)                                                               \
  F(atanh, atanhl)                                                             \
  F(cbrt, cbrtl)                                                               \
  F(cos, cosl)                                                                 \
  F(cosh, coshl)                                                               \
  F(erf, erfl)                                                                 \
  F(erfc, erfcl)                                                               \
  F(exp, expl)                                                                 \
  F(exp2, exp2l)                                                               \
  F(expm1, expm1l)                                                             \
  F(log, logl)                                                                 \
  F(log10, log10l)                                                             \
  F(log1p, log1pl)                                                             \
  F(log2, log2l)                                                               \
  F(rsqrt, inverseSqrt)                                                        \
  F(sin, sinl)                                                                 \
  F(sinh, sinhl)                                                               \
  F(tan, tanl)                                                                 \
  F(tanh, tanhl)

/// Versions for other modes than the exact one: name, mode, oracle.
#define COIL_ELEMENTARY_VERSIONS(F)                                            \
  F(cos, fast, cosl)                                                           \
  F(cos, inside, cosl)                                                         \
  F(cos, narrow, cosl)                                                         \
  F(erf, default, erfl)                                                        \
  F(erf, fast, erfl)                                                           \
  F(exp, default, expl)                                                        \
  F(exp, fast, expl)                                                           \
  F(exp2, default, exp2l)                                                      \
  F(expm1, default, expm1l)                                                    \
  F(log, default, logl)                                                        \
  F(log, fast, logl)                                                           \
  F(log10, fast, log10l)                                                       \
  F(log1p, default, log1pl)                                                    \
  F(log2, fast, log2l)                                                         \
  F(rsqrt, default, inverseSqrt)                                               \
  F(sin, fast, sinl)                                                           \
  F(sin, inside, sinl)                                                         \
  F(sin, narrow, sinl)                                                         \
  F(tanh, default, tanhl)                                                      \
  F(tanh, fast, tanhl)                                                         \
  F(tanh, narrow, tanhl)

#define COIL_SPECIAL_UNARY(F)                                                  \
  F(lgamma)                                                                    \
  F(digamma)                                                                   \
  F(erfinv)                                                                    \
  F(erfcx)                                                                     \
  F(i0)                                                                        \
  F(i0e)                                                                       \
  F(i1)                                                                        \
  F(i1e)                                                                       \
  F(ndtri)                                                                     \
  F(log_ndtr)                                                                  \
  F(trigamma)                                                                  \
  F(bessel_j0)                                                                 \
  F(bessel_j1)                                                                 \
  F(bessel_y0)                                                                 \
  F(bessel_y1)                                                                 \
  F(k0)                                                                        \
  F(k0e)                                                                       \
  F(k1)                                                                        \
  F(k1e)                                                                       \
  F(airy_ai)

#define COIL_SPECIAL_BINARY(F)                                                 \
  F(igamma)                                                                    \
  F(igammac)                                                                   \
  F(zeta)                                                                      \
  F(chebyshev_t)                                                               \
  F(chebyshev_u)                                                               \
  F(chebyshev_v)                                                               \
  F(chebyshev_w)                                                               \
  F(shifted_chebyshev_t)                                                       \
  F(shifted_chebyshev_u)                                                       \
  F(shifted_chebyshev_v)                                                       \
  F(shifted_chebyshev_w)                                                       \
  F(hermite_h)                                                                 \
  F(hermite_he)                                                                \
  F(laguerre_l)                                                                \
  F(legendre_p)

extern "C" {
#define DECLARE(name, ...)                                                     \
  float coil_##name##_f32(float);                                              \
  double coil_##name##_f64(double);
COIL_ELEMENTARY_FUNCTIONS(DECLARE)
COIL_SPECIAL_UNARY(DECLARE)
#undef DECLARE
#define DECLARE(name, mode, oracle) float coil_##name##_##mode##_f32(float);
COIL_ELEMENTARY_VERSIONS(DECLARE)
#undef DECLARE
#define DECLARE(name)                                                          \
  float coil_##name##_f32(float, float);                                       \
  double coil_##name##_f64(double, double);
COIL_SPECIAL_BINARY(DECLARE)
DECLARE(atan2)
DECLARE(fmod)
DECLARE(nextafter)
DECLARE(pow)
#undef DECLARE
float coil_pow_default_f32(float, float);
float coil_pow_fast_f32(float, float);
float coil_powi_f32(float, long long);
double coil_powi_f64(double, long long);
long long coil_ipow_i64(long long, long long);
}

inline long double inverseSqrt(long double x) { return 1 / sqrtl(x); }

#endif // COIL_TEST_UNIT_DEVICE_LIBRARY_H
