//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exact conversions between floating-point formats.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_FLOATFORMAT_H
#define COIL_TEST_LIB_CUDASIM_FLOATFORMAT_H

#include "Lanes.h"
#include "Lower.h"

#include <cmath>

namespace coil::cudasim {

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// A format narrower than f64.
struct FloatFormat {
  int mantissa;       ///< explicit bits
  int minExponent;    ///< of normal numbers
  uint32_t maxFinite; ///< bits of the largest finite number
  uint32_t infinity;  ///< bits, or of NaN where there is no infinity
  uint32_t nan;       ///< the canonical one
  uint32_t sign;
};

constexpr FloatFormat F16Format = {10, -14, 0x7BFF, 0x7C00, 0x7FFF, 0x8000};
constexpr FloatFormat BF16Format = {7, -126, 0x7F7F, 0x7F80, 0x7FFF, 0x8000};
constexpr FloatFormat F32Format = {23,         -126,       0x7F7FFFFF,
                                   0x7F800000, 0x7FFFFFFF, 0x80000000};
/// Without the 13 lowest bits.
constexpr FloatFormat TF32Format = {10,      -126,    0x3FBFF,
                                    0x3FC00, 0x3FFFF, 0x40000};
constexpr FloatFormat E4M3Format = {3, -6, 0x7E, 0x7F, 0x7F, 0x80};
constexpr FloatFormat E5M2Format = {2, -14, 0x7B, 0x7C, 0x7F, 0x80};

/// The bits of `value` in a format, rounded once.
inline uint32_t encode(double value, const FloatFormat &f,
                       Round mode = Round::Nearest, bool satfinite = false) {
  if (value != value)
    return f.nan;
  uint64_t bits = bitCast<uint64_t>(value);
  bool negative = bits >> 63;
  uint32_t sign = negative ? f.sign : 0;
  int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  uint64_t m = bits & ((1ull << 52) - 1);
  if (exponent == 1024)
    return sign | (satfinite ? f.maxFinite : f.infinity);
  if (exponent == -1023)
    exponent = -1022;
  else
    m |= 1ull << 52;
  if (m == 0)
    return sign;
  int quantum =
      (exponent > f.minExponent ? exponent : f.minExponent) - f.mantissa;
  int shift = quantum - (exponent - 52);
  uint64_t kept, rest, half;
  if (shift >= 64) {
    kept = 0;
    rest = 1;
    half = 2;
  } else {
    kept = shift > 0 ? m >> shift : m << -shift;
    rest = shift > 0 ? m & ((1ull << shift) - 1) : 0;
    half = shift > 0 ? 1ull << (shift - 1) : 1;
  }
  bool up = false;
  switch (mode) {
  case Round::Nearest:
    up = rest > half || (rest == half && (kept & 1));
    break;
  case Round::NearestAway:
    up = rest >= half;
    break;
  case Round::Zero:
    break;
  case Round::Down:
    up = negative && rest;
    break;
  case Round::Up:
    up = !negative && rest;
    break;
  }
  kept += up;
  uint64_t one = 1ull << f.mantissa;
  uint64_t result = kept;
  if (kept >= one)
    result = (static_cast<uint64_t>(quantum + f.mantissa - f.minExponent + 1)
              << f.mantissa) +
             (kept - one);
  if (result > f.maxFinite) {
    bool finite = satfinite || mode == Round::Zero ||
                  (mode == Round::Down && !negative) ||
                  (mode == Round::Up && negative);
    result = finite ? f.maxFinite : f.infinity;
  }
  return sign | static_cast<uint32_t>(result);
}

inline float decodeF16(uint16_t h) {
  // Exact: shifts the exponent and scales, so that subnormals come out right.
  uint32_t bits = uint32_t(h & 0x7FFF) << 13;
  float f = bitCast<float>(bits) * 0x1p112f;
  uint32_t r = bitCast<uint32_t>(f);
  r = (h & 0x7C00) == 0x7C00 ? (bits | 0x7F800000) : r;
  return bitCast<float>(r | uint32_t(h & 0x8000) << 16);
}
inline float decodeBF16(uint16_t b) {
  return bitCast<float>(uint32_t(b) << 16);
}

inline float decodeE5M2(uint8_t v) { return decodeF16(uint16_t(v << 8)); }
inline float decodeE4M3(uint8_t v) {
  unsigned magnitude = v & 0x7F, e = magnitude >> 3, m = magnitude & 7;
  float f = magnitude == 0x7F ? bitCast<float>(0x7FFFFFFFu)
            : e == 0          ? float(m) * 0x1p-9f
                              : std::ldexp(float(8 + m), int(e) - 10);
  return v & 0x80 ? -f : f;
}

inline uint16_t encodeBF16(float f) {
  uint32_t u = bitCast<uint32_t>(f);
  uint32_t r = (u + 0x7FFF + (u >> 16 & 1)) >> 16;
  return static_cast<uint16_t>(f != f ? 0x7FFF : r);
}

/// Zero instead of a subnormal.
inline float flush(float x) {
  return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x;
}
inline double flush(double x) { return x; }

/// The NaN that the hardware gives.
inline float canonical(float x) {
  return x != x ? bitCast<float>(0x7FFFFFFFu) : x;
}
inline double canonical(double x) { return x; }

inline double saturate(double x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }
inline float saturate(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

/// a * b + c, rounded to odd: a further rounding to fewer bits is then as if
/// there had been only that one. a * b must be exact.
inline double fmaToOdd(double a, double b, double c) {
  double p = a * b;
  double s = p + c;
  if (!(std::fabs(s) <= 1.7976931348623157e308))
    return s;
  double bb = s - p;
  double error = (p - (s - bb)) + (c - bb);
  uint64_t bits = bitCast<uint64_t>(s);
  if (error == 0 || (bits & 1))
    return s;
  // Towards the exact sum: one step if that makes the last bit odd.
  bool away = (error > 0) == !(bits >> 63);
  return bitCast<double>(away ? bits + 1 : bits - 1);
}

/// An integer as a double, rounded to odd.
inline double toOdd(uint64_t v, bool negative) {
  double r;
  if (v >> 53) {
    unsigned drop = 64 - static_cast<unsigned>(__builtin_clzll(v)) - 53;
    uint64_t rest = v & ((1ull << drop) - 1);
    r = std::ldexp(static_cast<double>(v >> drop | (rest != 0)),
                   static_cast<int>(drop));
  } else {
    r = static_cast<double>(v);
  }
  return negative ? -r : r;
}

/// Takes .rn, .rz, .rm, .rp or .rna; `found` says whether there was one.
Round takeRounding(Lowering &l, bool &found);

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_FLOATFORMAT_H
