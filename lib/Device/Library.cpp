//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that kernels call. A name is coil_<function>[_<mode>]_<type>.
//
//===----------------------------------------------------------------------===//

#include "ScalarMath.h"
#include "Single.h"
#include "Special.h"

using namespace coil;

#define UNARY(name)                                                            \
  COIL_DEVICE double coil_##name##_f64(double x) { return device::name(x); }   \
  COIL_DEVICE float coil_##name##_f32(float x) { return device::name(x); }
/// The float version is MathText.h's.
#define UNARY_TEXT(name)                                                       \
  COIL_DEVICE double coil_##name##_f64(double x) { return device::name(x); }   \
  COIL_DEVICE float coil_##name##_f32(float x) {                               \
    device::single::M m;                                                       \
    return device::single::name(m, m.num(x)).v;                                \
  }
/// A function of float by NarrowText.h.
#define NARROW(...)                                                            \
  [](float x) {                                                                \
    device::narrow::M m;                                                       \
    return static_cast<float>(                                                 \
        device::narrow::__VA_ARGS__(m, m.num(static_cast<double>(x))).v);      \
  }(x)
#define UNARY_NARROW(name, function)                                           \
  COIL_DEVICE double coil_##name##_f64(double x) { return device::name(x); }   \
  COIL_DEVICE float coil_##name##_f32(float x) { return NARROW(function); }
/// The float version is rounded from double.
#define UNARY_WIDE(name)                                                       \
  COIL_DEVICE double coil_##name##_f64(double x) { return device::name(x); }   \
  COIL_DEVICE float coil_##name##_f32(float x) {                               \
    return static_cast<float>(device::name(static_cast<double>(x)));           \
  }
#define BINARY_WIDE(name)                                                      \
  COIL_DEVICE double coil_##name##_f64(double x, double y) {                   \
    return device::name(x, y);                                                 \
  }                                                                            \
  COIL_DEVICE float coil_##name##_f32(float x, float y) {                      \
    return static_cast<float>(                                                 \
        device::name(static_cast<double>(x), static_cast<double>(y)));         \
  }
#define VERSION(name, mode, expression)                                        \
  COIL_DEVICE float coil_##name##_##mode##_f32(float x) { return expression; }

UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(sin)
UNARY(cos)
UNARY(tanh)
UNARY(erf)
UNARY_TEXT(asin)
UNARY_TEXT(acos)
UNARY_TEXT(atan)
UNARY_TEXT(sinh)
UNARY_TEXT(cosh)
UNARY_TEXT(atanh)
UNARY_NARROW(asinh, narrowAsinh)
UNARY_NARROW(acosh, narrowAcosh)
UNARY_NARROW(erfc, narrowErfc)
UNARY_WIDE(cbrt)
BINARY_WIDE(fmod)

COIL_DEVICE double coil_tan_f64(double x) { return device::tan(x); }
COIL_DEVICE float coil_tan_f32(float x) {
  if (!(device::fabs(x) < 0x1p16f))
    return static_cast<float>(device::tan(static_cast<double>(x)));
  device::single::M m;
  return device::single::tan(m, m.num(x)).v;
}
COIL_DEVICE double coil_atan2_f64(double y, double x) {
  return device::atan2(y, x);
}
COIL_DEVICE float coil_atan2_f32(float y, float x) {
  device::single::M m;
  return device::single::angle(m, m.num(y), m.num(x)).v;
}

COIL_DEVICE double coil_pow_f64(double x, double y) {
  return device::pow(x, y);
}
COIL_DEVICE float coil_pow_f32(float x, float y) { return device::pow(x, y); }
COIL_DEVICE float coil_pow_default_f32(float x, float y) {
  return device::powDefault(x, y);
}
COIL_DEVICE float coil_pow_fast_f32(float x, float y) {
  return device::powFast(x, y);
}
COIL_DEVICE double coil_rsqrt_f64(double x) { return 1 / device::sqrt(x); }
COIL_DEVICE float coil_rsqrt_f32(float x) { return device::rsqrt(x); }

VERSION(exp, default, device::expDefault(x))
VERSION(exp, fast, device::ex2Approx(x *device::log2eF))
VERSION(exp2, default, device::exp2Default(x))
VERSION(expm1, default, device::expm1Default(x))
VERSION(log, default, device::logDefault(x))
VERSION(log1p, default, device::log1pDefault(x))
VERSION(log, fast, device::lg2Approx(x) * device::ln2HiF)
VERSION(log2, fast, device::lg2Approx(x))
VERSION(log10, fast, device::lg2Approx(x) * 0x1.344136p-2f)
VERSION(sin, inside, device::sinInside(x))
VERSION(sin, narrow, device::sinNarrow(x))
VERSION(sin, fast, device::sinApprox(x))
VERSION(cos, inside, device::cosInside(x))
VERSION(cos, narrow, device::cosNarrow(x))
VERSION(cos, fast, device::cosApprox(x))
VERSION(tanh, default, device::tanhDefault(x))
VERSION(tanh, narrow, device::tanhNarrow(x))
VERSION(tanh, fast, device::tanhApprox(x))
VERSION(erf, default, device::erfDefault(x))
VERSION(erf, fast, device::erfFast(x))
VERSION(rsqrt, default, device::rsqrtApprox(x))

/// Powers with an integer exponent. Conversion may round the exponent, but not
/// its parity.
COIL_DEVICE double coil_powi_f64(double x, device::int64_t n) {
  double power = device::pow(device::fabs(x), static_cast<double>(n));
  return n & 1 ? device::copysign(power, x) : power;
}
COIL_DEVICE float coil_powi_f32(float x, device::int64_t n) {
  double y = static_cast<double>(n), a = device::fabs(x), power;
  if (!device::powSpecial(a, y, power))
    power = device::exp(y * device::log(a));
  float rounded = static_cast<float>(power);
  return n & 1 ? device::copysign(rounded, x) : rounded;
}

/// Powers of integers; a negative exponent is an inverse, which is zero unless
/// the base is 1 or -1.
COIL_DEVICE device::int64_t coil_ipow_i64(device::int64_t x,
                                          device::int64_t y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
  device::uint64_t base = static_cast<device::uint64_t>(x), result = 1;
  for (; y; y >>= 1) {
    if (y & 1)
      result *= base;
    base *= base;
  }
  return static_cast<device::int64_t>(result);
}

#define SPECIAL(name, expression)                                              \
  COIL_DEVICE_LARGE double coil_##name##_f64(double x) { return expression; }  \
  COIL_DEVICE_LARGE float coil_##name##_f32(float x) {                         \
    return static_cast<float>(coil_##name##_f64(x));                           \
  }
#define SPECIAL_BINARY(name, expression)                                       \
  COIL_DEVICE_LARGE double coil_##name##_f64(double x, double y) {             \
    return expression;                                                         \
  }                                                                            \
  COIL_DEVICE_LARGE float coil_##name##_f32(float x, float y) {                \
    return static_cast<float>(coil_##name##_f64(x, y));                        \
  }

/// The float version is NarrowText.h's.
#define SPECIAL_NARROW(name, expression, ...)                                  \
  COIL_DEVICE_LARGE double coil_##name##_f64(double x) { return expression; }  \
  COIL_DEVICE_LARGE float coil_##name##_f32(float x) {                         \
    return NARROW(__VA_ARGS__);                                                \
  }
/// The same, but for large numbers.
#define SPECIAL_NEAR(name, expression, ...)                                    \
  COIL_DEVICE_LARGE double coil_##name##_f64(double x) { return expression; }  \
  COIL_DEVICE_LARGE float coil_##name##_f32(float x) {                         \
    return device::fabs(x) < 0x1p16f                                           \
               ? NARROW(__VA_ARGS__)                                           \
               : static_cast<float>(coil_##name##_f64(x));                     \
  }

SPECIAL_NARROW(lgamma, device::lgamma(x), narrowLgamma)
SPECIAL_NARROW(digamma, device::digamma(x), narrowDigamma)
SPECIAL_NARROW(erfinv, device::erfinv(x), narrowErfinv)
SPECIAL(erfcx, device::erfcx(x))
SPECIAL_NARROW(i0, device::besselI<0>(x), narrowBesselI<0, false>)
SPECIAL_NARROW(i0e, device::besselIScaled<0>(x), narrowBesselI<0, true>)
SPECIAL_NARROW(i1, device::copysign(device::besselI<1>(x), x),
               narrowBesselI<1, false>)
SPECIAL_NARROW(i1e, device::copysign(device::besselIScaled<1>(x), x),
               narrowBesselI<1, true>)
SPECIAL_NARROW(ndtri, device::ndtri(x), narrowNdtri)
SPECIAL_NARROW(log_ndtr, device::logNdtr(x), narrowLogNdtr)
SPECIAL_BINARY(igamma, device::incompleteGamma(x, y, /*upper=*/false))
SPECIAL_BINARY(igammac, device::incompleteGamma(x, y, /*upper=*/true))
SPECIAL_BINARY(zeta, device::zeta(x, y))
SPECIAL_NARROW(trigamma, device::trigamma(x), narrowTrigamma)
SPECIAL_NEAR(bessel_j0, device::besselJ(x, 0), narrowBesselJY<0, false>)
SPECIAL_NEAR(bessel_j1, device::besselJ(x, 1), narrowBesselJY<1, false>)
SPECIAL_NEAR(bessel_y0, device::besselY(x, 0), narrowBesselJY<0, true>)
SPECIAL_NEAR(bessel_y1, device::besselY(x, 1), narrowBesselJY<1, true>)
SPECIAL_NARROW(k0, device::besselK(x, 0), narrowBesselK<0, false>)
SPECIAL_NARROW(k0e, device::besselKScaled(x, 0), narrowBesselK<0, true>)
SPECIAL_NARROW(k1, device::besselK(x, 1), narrowBesselK<1, false>)
SPECIAL_NARROW(k1e, device::besselKScaled(x, 1), narrowBesselK<1, true>)
SPECIAL(airy_ai, device::airyAi(x))
SPECIAL_BINARY(chebyshev_t, device::chebyshev(x, y, 0))
SPECIAL_BINARY(chebyshev_u, device::chebyshev(x, y, 1))
SPECIAL_BINARY(chebyshev_v, device::chebyshev(x, y, 2))
SPECIAL_BINARY(chebyshev_w, device::chebyshev(x, y, 3))
SPECIAL_BINARY(shifted_chebyshev_t, device::chebyshev(2 * x - 1, y, 0))
SPECIAL_BINARY(shifted_chebyshev_u, device::chebyshev(2 * x - 1, y, 1))
SPECIAL_BINARY(shifted_chebyshev_v, device::chebyshev(2 * x - 1, y, 2))
SPECIAL_BINARY(shifted_chebyshev_w, device::chebyshev(2 * x - 1, y, 3))
SPECIAL_BINARY(hermite_h, device::hermite(x, y, /*physicist=*/true))
SPECIAL_BINARY(hermite_he, device::hermite(x, y, /*physicist=*/false))
SPECIAL_BINARY(laguerre_l, device::laguerre(x, y))
SPECIAL_BINARY(legendre_p, device::legendre(x, y))

COIL_DEVICE double coil_nextafter_f64(double x, double y) {
  return device::nextafter(x, y);
}
COIL_DEVICE float coil_nextafter_f32(float x, float y) {
  return device::nextafter(x, y);
}
