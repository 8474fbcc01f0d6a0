//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the device library is written in: bits, fused multiply-add, and the
// approximate instructions of the chip. The library is also compiled for the
// host, where the instructions are modelled by their documented errors, so that
// its accuracy can be measured without a device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_DEVICE_H
#define COIL_LIB_DEVICE_DEVICE_H

/// A function of the library that is always inlined.
#define COIL_DEVICE extern "C" __attribute__((always_inline))
/// One that is too large for that; it stays a call unless it is the only one.
#define COIL_DEVICE_LARGE extern "C" __attribute__((noinline))
/// A part of such functions.
#define COIL_DEVICE_INTERNAL __attribute__((noinline)) static
#define COIL_INLINE static inline __attribute__((always_inline))

namespace coil::device {

using int32_t = __INT32_TYPE__;
using uint32_t = __UINT32_TYPE__;
using int64_t = long long;
using uint64_t = unsigned long long;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// A whole number as an integer, 0 for NaN: a plain conversion of NaN is
/// undefined, and so would be what it is multiplied with.
template <typename T>
COIL_INLINE int toInt(T x) {
  return x == x ? static_cast<int>(x) : 0;
}

COIL_INLINE uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
COIL_INLINE uint64_t bits(double x) { return __builtin_bit_cast(uint64_t, x); }
COIL_INLINE float fromBits(uint32_t x) { return __builtin_bit_cast(float, x); }
COIL_INLINE double fromBits(uint64_t x) {
  return __builtin_bit_cast(double, x);
}

template <typename T>
inline constexpr T infinity = static_cast<T>(__builtin_inf());
template <typename T>
inline constexpr T notANumber = static_cast<T>(__builtin_nan(""));

/// 2^n for n within the range of normal numbers.
template <typename T>
COIL_INLINE T exp2i(int n) {
  if constexpr (sizeof(T) == 4)
    return fromBits(static_cast<uint32_t>(n + 127) << 23);
  else
    return fromBits(static_cast<uint64_t>(n + 1023) << 52);
}

//===----------------------------------------------------------------------===//
// Exact instructions
//===----------------------------------------------------------------------===//

COIL_INLINE float fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
COIL_INLINE double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
COIL_INLINE float fabs(float x) { return __builtin_fabsf(x); }
COIL_INLINE double fabs(double x) { return __builtin_fabs(x); }
COIL_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
COIL_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
COIL_INLINE float rint(float x) { return __builtin_rintf(x); }
COIL_INLINE double rint(double x) { return __builtin_rint(x); }
COIL_INLINE float floor(float x) { return __builtin_floorf(x); }
COIL_INLINE double floor(double x) { return __builtin_floor(x); }
COIL_INLINE float trunc(float x) { return __builtin_truncf(x); }
COIL_INLINE double trunc(double x) { return __builtin_trunc(x); }
COIL_INLINE float copysign(float x, float y) {
  return __builtin_copysignf(x, y);
}
COIL_INLINE double copysign(double x, double y) {
  return __builtin_copysign(x, y);
}
template <typename T>
COIL_INLINE bool isnan(T x) {
  return x != x;
}

/// A polynomial by Horner's rule, the coefficient of the highest power first.
template <typename T>
COIL_INLINE T poly(T, T c0) {
  return c0;
}
template <typename T, typename... Rest>
COIL_INLINE T poly(T x, T c0, T c1, Rest... rest) {
  return poly(x, fma(c0, x, c1), static_cast<T>(rest)...);
}

//===----------------------------------------------------------------------===//
// Approximate instructions
//===----------------------------------------------------------------------===//

#ifdef __NVPTX__
/// Clamps to 0 and 1, NaN to 0; part of the operation that makes `x`.
COIL_INLINE float saturate(float x) { return __nvvm_saturate_f(x); }
/// 2^x: relative error 2^-22; subnormal results become zero.
COIL_INLINE float ex2Approx(float x) { return __nvvm_ex2_approx_ftz_f(x); }
/// The logarithm to base 2: absolute error 2^-22 between 0.5 and 2, relative
/// error 2^-22 elsewhere.
COIL_INLINE float lg2Approx(float x) { return __nvvm_lg2_approx_f(x); }
/// The same where subnormal numbers count as zero.
COIL_INLINE float lg2Flushed(float x) { return __nvvm_lg2_approx_ftz_f(x); }
/// Relative error 2^-22.9.
COIL_INLINE float rsqrtApprox(float x) { return __nvvm_rsqrt_approx_f(x); }
/// 1 ulp; subnormal results become zero.
COIL_INLINE float rcpApprox(float x) { return __nvvm_rcp_approx_ftz_f(x); }
/// Absolute error 2^-20.5 between -pi and pi, growing outside.
COIL_INLINE float sinApprox(float x) { return __nvvm_sin_approx_ftz_f(x); }
COIL_INLINE float cosApprox(float x) { return __nvvm_cos_approx_ftz_f(x); }
/// Relative error 2^-11.
COIL_INLINE float tanhApprox(float x) {
  float y;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
/// The documented error, with the sign and as much of it as a test wants.
extern double errorScale;
COIL_INLINE float disturb(double exact, double relative) {
  return static_cast<float>(exact * (1 + errorScale * relative));
}
COIL_INLINE float flush(float x) {
  return fabs(x) < 0x1p-126f ? copysign(0.0f, x) : x;
}
COIL_INLINE float saturate(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
COIL_INLINE float ex2Approx(float x) {
  return flush(disturb(__builtin_exp2(static_cast<double>(x)), 0x1p-22));
}
COIL_INLINE float lg2Approx(float x) {
  double exact = __builtin_log2(static_cast<double>(x));
  if (x > 0.5f && x < 2)
    return static_cast<float>(exact + errorScale * 0x1p-22);
  return disturb(exact, 0x1p-22);
}
COIL_INLINE float lg2Flushed(float x) { return lg2Approx(flush(x)); }
COIL_INLINE float rsqrtApprox(float x) {
  return disturb(1 / __builtin_sqrt(static_cast<double>(x)), 0x1.12p-23);
}
COIL_INLINE float rcpApprox(float x) {
  return flush(disturb(1 / static_cast<double>(x), 0x1p-23));
}
COIL_INLINE float sinApprox(float x) {
  return static_cast<float>(__builtin_sin(static_cast<double>(x)) +
                            errorScale * 0x1.6ap-21);
}
COIL_INLINE float cosApprox(float x) {
  return static_cast<float>(__builtin_cos(static_cast<double>(x)) +
                            errorScale * 0x1.6ap-21);
}
COIL_INLINE float tanhApprox(float x) {
  return disturb(__builtin_tanh(static_cast<double>(x)), 0x1p-11);
}
#endif

} // namespace coil::device

#endif // COIL_LIB_DEVICE_DEVICE_H
