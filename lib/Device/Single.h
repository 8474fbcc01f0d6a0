//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of float. Those that models use much have reductions and
// polynomials of their own; the others are rounded from double.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_SINGLE_H
#define COIL_LIB_DEVICE_SINGLE_H

#include "Elementary.h"

namespace coil::device {

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// e^r - 1 for |r| <= ln 2 / 2.
COIL_INLINE float expm1Reduced(float r) {
  float q = poly(r, 0x1.a125f6p-13f, 0x1.6d444ap-10f, 0x1.1110ep-7f,
                 0x1.5554e8p-5f, 0x1.555556p-3f, 0.5f);
  return fma(r * r, q, r);
}

/// p * 2^n, rounded once.
COIL_INLINE float scale(float p, int n) {
  int half = n >> 1;
  return p * exp2i<float>(half) * exp2i<float>(n - half);
}

inline constexpr float log2eF = 0x1.715476p+0f, log2eLoF = 0x1.4ae0cp-26f;
inline constexpr float ln2HiF = 0x1.62e43p-1f, ln2LoF = -0x1.05c61p-29f;

/// Clamps to where the result is finite and not zero; NaN stays.
COIL_INLINE float clampExponent(float x, float low, float high) {
  x = x > high ? high : x;
  return x < low ? low : x;
}

COIL_INLINE float exp(float x) {
  x = clampExponent(x, -105, 90);
  float n = rint(x * log2eF);
  float r = fma(-n, ln2LoF, fma(-n, ln2HiF, x));
  return scale(1 + expm1Reduced(r), toInt(n));
}

/// 2^n in `bits`, n being the whole number in the low bits of a sum with 1.5 *
/// 2^23, and in the range of normal numbers.
COIL_INLINE float exp2OfSum(float sum) {
  return fromBits((bits(sum) << 23) + 0x3f800000u);
}

COIL_INLINE float expDefault(float x) {
  // x log2(e) = n + f, f of at most about 1/2 while the result is normal;
  // further out f grows, and the product is subnormal, zero or infinity. An
  // instruction that saturates keeps n in the range of normal exponents.
  float part = saturate(fma(x, log2eF / 252, 0.5f));
  float sum = fma(part, 252.0f, 0x1.8p23f - 126), n = sum - 0x1.8p23f;
  float f = fma(x, log2eLoF, fma(x, log2eF, -n));
  return ex2Approx(f) * exp2OfSum(sum);
}

COIL_INLINE float exp2Default(float x) {
  float sum = clampExponent(x, -126, 127) + 0x1.8p23f;
  return ex2Approx(x - (sum - 0x1.8p23f)) * exp2OfSum(sum);
}

COIL_INLINE float exp2(float x) {
  x = clampExponent(x, -152, 130);
  float n = rint(x), f = x - n;
  float r = fma(f, ln2HiF, f * ln2LoF);
  return scale(1 + expm1Reduced(r), toInt(n));
}

COIL_INLINE float expm1(float x) {
  if (fabs(x) < 0x1p-26f)
    return x;
  x = clampExponent(x, -20, 89);
  float n = rint(x * log2eF);
  float r = fma(-n, ln2LoF, fma(-n, ln2HiF, x));
  float p = expm1Reduced(r);
  float half = exp2i<float>(toInt(n) - 1);
  return n == 0 ? p : 2 * fma(half, p, half - 0.5f);
}

/// Without branches, for the default mode.
COIL_INLINE float expm1Default(float x) {
  float limited = clampExponent(x, -20, 89);
  float sum = fma(limited, log2eF, 0x1.8p23f), n = sum - 0x1.8p23f;
  float r = fma(-n, ln2LoF, fma(-n, ln2HiF, limited));
  float p = expm1Reduced(r);
  // 2^(n - 1), n being up to 128.
  float half = fromBits((bits(sum) << 23) + 0x3f000000u);
  return copysign(2 * fma(half, p, half - 0.5f), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

COIL_INLINE float splitExponent(float x, int &k) {
  constexpr uint32_t root = 0x3f3504f3;
  int offset = x < 0x1p-126f ? -24 : 0;
  x = x < 0x1p-126f ? x * 0x1p24f : x;
  int32_t difference = static_cast<int32_t>(bits(x) - root);
  k = (difference >> 23) + offset;
  return fromBits((static_cast<uint32_t>(difference) & 0x7fffff) + root);
}

/// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2).
COIL_INLINE float log1pRest(float f) {
  float h = f * f;
  float p =
      poly(f, -0x1.fcc5d2p-5f, 0x1.aff8dep-4f, -0x1.b43de8p-4f, 0x1.c407eep-4f,
           -0x1.fdf42cp-4f, 0x1.2496dcp-3f, -0x1.555c7ap-3f, 0x1.9999a6p-3f,
           -0x1.fffff2p-3f, 0x1.555556p-2f);
  return fma(f * h, p, -0.5f * h);
}

COIL_INLINE float logBase(float x, float baseHi, float baseLo, float twoHi,
                          float twoLo) {
  float result;
  if (logSpecial(x, result))
    return result;
  int exponent;
  float f = splitExponent(x, exponent) - 1;
  float k = static_cast<float>(exponent);
  float rest = log1pRest(f);
  float p = f * baseHi;
  float e = fma(f, baseLo, fma(f, baseHi, -p));
  e = fma(rest, baseHi, e);
  float s = fma(k, twoHi, p);
  float error = p - fma(-k, twoHi, s);
  return s + (error + fma(k, twoLo, e));
}

COIL_INLINE float log(float x) {
  return logBase(x, 1, 0, 0x1.62e4p-1f, 0x1.7f7d1cp-20f);
}
COIL_INLINE float log2(float x) { return logBase(x, log2eF, log2eLoF, 1, 0); }
COIL_INLINE float log10(float x) {
  return logBase(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f,
                 0x1.3509f8p-18f);
}

COIL_INLINE float log1p(float x) {
  if (fabs(x) < 0x1p-26f)
    return x;
  float u = 1 + x, result;
  if (logSpecial(u, result))
    return result;
  float c = x < 1 ? x - (u - 1) : 1 - (u - x);
  int exponent;
  float m = splitExponent(u, exponent), k = static_cast<float>(exponent);
  float f = exponent == 0 ? x : m - 1;
  // The sum was rounded: c / u puts it back, for which the approximation does.
  float rest = log1pRest(f);
  if (exponent != 0)
    rest += c * (1 / u);
  return fma(k, 0x1.62e4p-1f, f + fma(k, 0x1.7f7d1cp-20f, rest));
}

/// -k 2^23 for u = 2^k m, m between 2/3 and 4/3.
COIL_INLINE uint32_t negatedExponent(float u) {
  return (0x3f2aaaabu + 0x7fffffu - bits(u)) & 0xff800000u;
}

/// k log(2) + log(1 + f) for |f| <= 1/3, `negated` being -k 2^23; the
/// polynomial is that of scripts/fit_math.py. A k of zero has a sign that keeps
/// that of f.
COIL_INLINE float logOfParts(uint32_t negated, float offset, float f) {
  float k =
      fma(static_cast<float>(static_cast<int32_t>(negated)), -0x1p-23f, offset);
  float p = poly(f, -0x1.07e5f4p-3f, 0x1.1e73ap-3f, -0x1.f32078p-4f,
                 0x1.1ed424p-3f, -0x1.559d36p-3f, 0x1.99d05ep-3f,
                 -0x1.fffef4p-3f, 0x1.555506p-2f, -0.5f);
  return fma(k, 0x1.62e43p-1f, fma(f * f, p, f));
}

/// Without branches, for the default mode: within 1 ulp.
COIL_INLINE float logDefault(float x) {
  bool isSubnormal = x < 0x1p-126f;
  float scaled = isSubnormal ? x * 0x1p24f : x;
  uint32_t negated = negatedExponent(scaled);
  float f = fromBits(bits(scaled) + negated) - 1;
  float result = logOfParts(negated, isSubnormal ? -24.0f : -0.0f, f);
  // The instruction has the limits.
  return x > 0 && x < infinity<float> ? result : lg2Flushed(scaled);
}

COIL_INLINE float log1pDefault(float x) {
  float u = 1 + x;
  uint32_t negated = negatedExponent(u);
  // 2^-k x - (1 - 2^-k); k is up to 128.
  float rest = fma(-0.25f, fromBits(0x40800000u + negated), 1.0f);
  float result = logOfParts(negated, -0.0f, fromBits(bits(x) + negated) - rest);
  return x > -1 && x < infinity<float> ? result : lg2Flushed(u);
}

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

struct PairF {
  float hi, lo;
};

/// x - n * pi / 2 for large finite x, as reduceLarge for double.
COIL_INLINE PairF reduceLarge(float x, int &n) {
  uint32_t b = bits(fabs(x));
  int e = static_cast<int>(b >> 23) - 150;
  uint64_t m = (b & 0x7fffff) | 0x800000;
  int position = e - 2 + 64, word = position >> 6, shift = position & 63;
  uint64_t words[3];
#pragma unroll
  for (int i = 0; i < 3; ++i)
    words[i] = word == 0   ? (i == 0   ? 0
                              : i == 1 ? 0xa2f9836e4e441529ull
                                       : 0xfc2757d1f534ddc0ull)
               : word == 1 ? (i == 0   ? 0xa2f9836e4e441529ull
                              : i == 1 ? 0xfc2757d1f534ddc0ull
                                       : 0xdb6295993c439041ull)
                           : (i == 0   ? 0xfc2757d1f534ddc0ull
                              : i == 1 ? 0xdb6295993c439041ull
                                       : 0xfe5163abdebbc561ull);
  uint64_t t0 = funnel(words[0], words[1], shift),
           t1 = funnel(words[1], words[2], shift);
  uint64_t high = m * t0 + static_cast<uint64_t>(
                               static_cast<unsigned __int128>(m) * t1 >> 64);
  int64_t fraction = static_cast<int64_t>(high << 2);
  n = static_cast<int>(high >> 62) + (fraction < 0);
  double r = static_cast<double>(fraction) * 0x1.921fb54442d18p-64;
  if (x < 0) {
    r = -r;
    n = -n;
  }
  float hi = static_cast<float>(r);
  return {hi, static_cast<float>(r - hi)};
}

COIL_INLINE PairF reduceAngle(float x, int &n) {
  if (!(fabs(x) < 0x1p16f)) {
    if (!(fabs(x) < infinity<float>)) {
      n = 0;
      return {notANumber<float>, 0};
    }
    return reduceLarge(x, n);
  }
  float k = rint(x * 0x1.45f306p-1f);
  n = toInt(k);
  float r = fma(-k, 0x1.921fb6p+0f, x);
  float t = k * 0x1.777a5cp-25f;
  float tail = fma(k, 0x1.777a5cp-25f, -t);
  float hi = r + t, back = hi - r;
  float lo = (r - (hi - back)) + (t - back);
  return {hi, lo + fma(k, 0x1.ee59dap-50f, tail)};
}

COIL_INLINE float sinReduced(PairF r) {
  float z = r.hi * r.hi;
  float p = poly(z, 0x1.6dbbeep-19f, -0x1.a013a2p-13f, 0x1.11110ep-7f,
                 -0x1.555556p-3f);
  return r.hi + fma(r.hi * z, p, r.lo);
}

COIL_INLINE float cosReduced(PairF r) {
  float z = r.hi * r.hi;
  float p = poly(z, 0x1.9bd67p-16f, -0x1.6c12cep-10f, 0x1.555554p-5f);
  float h = 0.5f * z, w = 1 - h;
  return w + (((1 - w) - h) + fma(z * z, p, -r.hi * r.lo));
}

COIL_INLINE float sinOrCos(float x, int quadrant) {
  int n;
  PairF r = reduceAngle(x, n);
  n += quadrant;
  float result = n & 1 ? cosReduced(r) : sinReduced(r);
  return n & 2 ? -result : result;
}
COIL_INLINE float sin(float x) { return x == 0 ? x : sinOrCos(x, 0); }
COIL_INLINE float cos(float x) { return sinOrCos(x, 1); }

/// The same for |x| < 2^16 without a branch, so that the lanes of a vector are
/// computed together, within 2 ulp. The first part of the quarters leaves no
/// rest; the coefficients are those of the quarter's function.
COIL_INLINE float sinOrCosInside(float x, int quadrant) {
  constexpr float shift = 0x1.8p23f;
  float shifted = fma(x, 0x1.45f306p-1f, shift), k = shifted - shift;
  uint32_t n = bits(shifted) + static_cast<uint32_t>(quadrant);
  bool isOdd = n & 1;
  float r = fma(-k, 0x1.921fb4p+0f, x);
  r = fma(-k, 0x1.4442dp-24f, r);
  r = fma(-k, 0x1.846988p-48f, r);
  float z = r * r, first = isOdd ? 1.0f : r;
  float p = poly(z, isOdd ? 0x1.9bd67p-16f : 0x1.6dbbeep-19f,
                 isOdd ? -0x1.6c12cep-10f : -0x1.a013a2p-13f,
                 isOdd ? 0x1.555554p-5f : 0x1.11110ep-7f,
                 isOdd ? -0.5f : -0x1.555556p-3f);
  float result = fma(z * first, p, first);
  return fromBits(bits(result) ^ ((n & 2) << 30));
}
COIL_INLINE float sinInside(float x) {
  return x == 0 ? x : sinOrCosInside(x, 0);
}
COIL_INLINE float cosInside(float x) { return sinOrCosInside(x, 1); }

/// sin(x - k * pi) for what is rounded to 16 bits, within 2^-19.7 of itself;
/// the polynomial is that of scripts/fit_math.py.
COIL_INLINE float sinNear(float x, float k) {
  float r = fma(-k, 0x1.921fb4p+1f, x);
  r = fma(-k, 0x1.4442dp-23f, r);
  return r *
         poly(r * r, -0x1.84dc3ep-13f, 0x1.107138p-7f, -0x1.555112p-3f, 1.0f);
}
/// For |x| < 2^16, as above.
COIL_INLINE float sinNarrow(float x) {
  constexpr float shift = 0x1.8p23f;
  float shifted = fma(x, 0x1.45f306p-2f, shift);
  return fromBits(bits(sinNear(x, shifted - shift)) ^ (bits(shifted) << 31));
}
COIL_INLINE float cosNarrow(float x) {
  constexpr float shift = 0x1.8p23f;
  // cos(x) = -sin(x - pi / 2).
  float shifted = fma(x, 0x1.45f306p-2f, -0.5f) + shift;
  float s = sinNear(x, shifted - shift + 0.5f);
  return fromBits(bits(s) ^ (~bits(shifted) << 31));
}

//===----------------------------------------------------------------------===//
// tanh, erf, roots
//===----------------------------------------------------------------------===//

/// tanh(x) for |x| < 0.6.
COIL_INLINE float tanhCentre(float x) {
  float z = x * x;
  float p = poly(z, 0x1.36bdb2p-9f, -0x1.1394cap-7f, 0x1.64fad8p-6f,
                 -0x1.ba0d94p-5f, 0x1.1110f6p-3f, -0x1.555556p-2f);
  return copysign(fma(x * z, p, x), x);
}

/// tanh(x) for |x| >= 0.6 by the inverse of e^(2 |x|) + 1. What steps lose is
/// put back: 2 / (e^(2 |x|) + 1) is up to 0.86 of the result.
COIL_INLINE float tanhFar(float x) {
  float a = fabs(x), limited = 2 * (a > 10 ? 10 : a);
  float n = rint(limited * log2eF);
  float r = fma(-n, ln2LoF, fma(-n, ln2HiF, limited));
  float p = expm1Reduced(r), power = exp2i<float>(toInt(n));
  // d + dLo = power + power * p + 1
  float whole = power + 1, wholeLo = 1 - (whole - power);
  float d = fma(power, p, whole);
  float dLo = fma(power, p, whole - d) + wholeLo;
  float inverse = 1 / d, q = 2 * inverse;
  float lo = fma(-q, dLo, fma(-q, d, 2.0f)) * inverse;
  float t = 1 - q;
  return copysign(t + (((1 - t) - q) - lo), x);
}

COIL_INLINE float tanh(float x) {
  if (fabs(x) < 0.6f)
    return tanhCentre(x);
  return isnan(x) ? x : tanhFar(x);
}

/// Without branches, for the default mode: from 0.6 on the inverse is at most
/// 0.86 of the result, so that its error is within 2 ulp of that.
COIL_INLINE float tanhDefault(float x) {
  float a = fabs(x);
  float far = fma(-2.0f, rcpApprox(ex2Approx(a * (2 * log2eF)) + 1), 1.0f);
  return copysign(a < 0.6f ? tanhCentre(x) : far, x);
}

/// For what is rounded to 16 bits. Where the difference has lost too much, two
/// terms of the series.
COIL_INLINE float tanhNarrow(float x) {
  float a = fabs(x);
  float far = fma(-2.0f, rcpApprox(ex2Approx(a * (2 * log2eF)) + 1), 1.0f);
  float near = x * fma(x * x, -0x1.555556p-2f, 1.0f);
  return a < 0.07f ? near : copysign(far, x);
}

/// erf(x) for |x| < 0.93.
COIL_INLINE float erfCentre(float x) {
  float p =
      poly(x * x, 0x1.5d955cp-14f, -0x1.aa7e38p-11f, 0x1.54cfb6p-8f,
           -0x1.b80f72p-6f, 0x1.ce2e14p-4f, -0x1.812744p-2f, 0x1.06eba8p-3f);
  return fma(x, p, x);
}

/// -log(erfc(a)) for a between 0.92 and 4.
COIL_INLINE float erfcExponent(float a) {
  return poly(a, -0x1.b9314p-20f, 0x1.835e5p-15f, -0x1.3963c6p-11f,
              0x1.382f88p-8f, -0x1.b10bbap-6f, 0x1.c2f26ep-4f, 0x1.437d32p-1f,
              0x1.21574p+0f, -0x1.5001dep-12f);
}

COIL_INLINE float erf(float x) {
  float a = fabs(x);
  if (a < 0.93f)
    return erfCentre(x);
  float far = 1 - exp(-erfcExponent(a > 4 ? 4 : a));
  return isnan(x) ? x : copysign(far, x);
}

COIL_INLINE float erfDefault(float x) {
  float a = fabs(x);
  float far = 1 - ex2Approx(erfcExponent(a > 4 ? 4 : a) * -log2eF);
  float near = erfCentre(x);
  return isnan(x) || a < 0.93f ? near : copysign(far, x);
}

/// Absolute error as that of a float near one: enough for 1 + erf(x).
COIL_INLINE float erfFast(float x) {
  float a = fabs(x), b = a > 4 ? 4 : a;
  float far =
      1 - ex2Approx(b * poly(b, 0x1.a45c0ap-14f, -0x1.e3ffa4p-12f,
                             -0x1.2dc1dep-9f, 0x1.e28cbap-6f, -0x1.3113dcp-3f,
                             -0x1.d62f2cp-1f, -0x1.a0bef4p+0f));
  // Where the difference has lost too much, 2/sqrt(pi) times x.
  return a < 0.005f ? x * 0x1.20dd76p+0f : copysign(far, x);
}

COIL_INLINE float rsqrt(float x) {
  float r = rsqrtApprox(x);
  float e = fma(-x * r, r, 1.0f);
  float y = fma(0.5f * r, e, r);
  return x > 0 && x < infinity<float> ? y : r;
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Through double without the correction that double itself needs.
COIL_INLINE float pow(float x, float y) {
  float result;
  if (powSpecial(x, y, result))
    return result;
  double exponent = static_cast<double>(y) * log(static_cast<double>(fabs(x)));
  return powSign(x, y, static_cast<float>(exp(exponent)));
}

/// log2(x) of a finite number above zero as a sum, within 2^-40 of itself.
COIL_INLINE PairF log2Pair(float x) {
  int exponent;
  float m = splitExponent(x, exponent), k = static_cast<float>(exponent);
  // log(m) = 2 atanh(s), s = (m - 1) / (m + 1), in two parts.
  float t = m - 1, d = m + 1, inverse = rcpApprox(d);
  float s = t * inverse;
  float rest = fma(-s, m - (d - 1), fma(-s, d, t)) * inverse;
  // atanh(s) = s + s w, w = s^2 / 3 + s^4 q.
  constexpr float third = 0x1.555556p-2f, thirdLo = -0x1.555556p-27f;
  float z = s * s, zLo = fma(2 * s, rest, fma(s, s, -z));
  float q = poly(z, 1 / 13.0f, 1 / 11.0f, 1 / 9.0f, 1 / 7.0f, 0.2f);
  float w = z * third;
  float wLo = fma(z * z, q, fma(z, third, -w) + fma(z, thirdLo, zLo * third));
  float p = s * w, pLo = fma(s, w, -p);
  float l = s + p;
  float lLo = (p - (l - s)) + (pLo + fma(s, wLo, fma(rest, w, rest)));
  float g = l * (2 * log2eF);
  float gLo = fma(l, 2 * log2eF, -g) + fma(l, 2 * log2eLoF, lLo * (2 * log2eF));
  float sum = k + g;
  return {sum, (g - (sum - k)) + gLo};
}

/// Without `double` and without branches, within 1 ulp.
COIL_INLINE float powDefault(float x, float y) {
  float a = fabs(x);
  PairF l = log2Pair(a);
  float e = y * l.hi, eLo = fma(y, l.hi, -e) + y * l.lo;
  // Beyond all results; an infinity has no rest.
  eLo = fabs(e) < 200 ? eLo : 0;
  e = clampExponent(e, -152, 130);
  float n = rint(e), f = (e - n) + eLo;
  float r = fma(f, ln2HiF, f * ln2LoF);
  float result = scale(1 + expm1Reduced(r), toInt(n));
  // Results that are known.
  float far = infinity<float>;
  result = a == 0 ? (y < 0 ? far : 0) : result;
  result = a == far ? (y < 0 ? 0 : far) : result;
  result = a == 1 ? 1 : result;
  bool isWhole = trunc(y) == y, isHalfWhole = trunc(0.5f * y) == 0.5f * y;
  result = isWhole && !isHalfWhole ? copysign(result, x) : result;
  result = x < 0 && a < far && !isWhole ? notANumber<float> : result;
  result = isnan(x) || isnan(y) ? notANumber<float> : result;
  return y == 0 || x == 1 ? 1 : result;
}

COIL_INLINE float powFast(float x, float y) {
  float result;
  if (powSpecial(x, y, result))
    return result;
  return powSign(x, y, ex2Approx(y * lg2Approx(fabs(x))));
}

} // namespace coil::device

#endif // COIL_LIB_DEVICE_SINGLE_H
