//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementary functions of double: reductions with fused multiply-add, and
// polynomials that interpolate at Chebyshev points. Errors stay below 3 ulp;
// docs/reference/GPUMath.md has the measured ones.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DEVICE_ELEMENTARY_H
#define COIL_LIB_DEVICE_ELEMENTARY_H

#include "Device.h"

namespace coil::device {

/// A number as the unevaluated sum of a rounded value and the rest.
struct Pair {
  double hi, lo;
};

/// a + b for |a| >= |b|, and what rounding took from it.
COIL_INLINE Pair addSmaller(double a, double b) {
  double sum = a + b;
  return {sum, (a - sum) + b};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// p * 2^n for |n| < 2048, rounded once.
COIL_INLINE double scale(double p, int n) {
  int half = n >> 1;
  return p * exp2i<double>(half) * exp2i<double>(n - half);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
COIL_INLINE double expm1Rest(double r) {
  return poly(r, 0x1.1f7385560be05p-29, 0x1.af4ecd2129492p-26,
              0x1.27e4db25ce3adp-22, 0x1.71de01c3fc936p-19,
              0x1.a01a01a6ec522p-16, 0x1.a01a01ac0a9eep-13,
              0x1.6c16c16c162bp-10, 0x1.111111111009cp-7, 0x1.5555555555556p-5,
              0x1.5555555555557p-3, 0.5);
}
/// e^r - 1 there.
COIL_INLINE double expm1Reduced(double r) {
  return fma(r * r, expm1Rest(r), r);
}

inline constexpr double ln2Hi = 0x1.62e42fefa39efp-1;
inline constexpr double ln2Lo = 0x1.abc9e3b39803fp-56;
inline constexpr double log2e = 0x1.71547652b82fep+0;

/// (factor + factorLo) * e^(hi + lo), the second parts being small against the
/// first.
COIL_INLINE double expSum(double hi, double lo, double factor = 1,
                          double factorLo = 0) {
  // Beyond these the result is infinity and zero. NaN fails both.
  hi = hi > 710 ? 710 : hi;
  hi = hi < -746 ? -746 : hi;
  double n = rint(hi * log2e);
  double r = fma(-n, ln2Hi, hi) + fma(-n, ln2Lo, lo);
  double p = expm1Reduced(r);
  return scale(factor + fma(factor, p, factorLo), toInt(n));
}

COIL_INLINE double exp(double x) { return expSum(x, 0); }

COIL_INLINE double exp2(double x) {
  double clamped = x > 1025 ? 1025 : x;
  clamped = clamped < -1076 ? -1076 : clamped;
  double n = rint(clamped);
  double f = clamped - n;
  double r = fma(f, ln2Hi, f * ln2Lo);
  return scale(1 + expm1Reduced(r), toInt(n));
}

/// e^x - 1 and what rounding took from it.
COIL_INLINE Pair expm1Pair(double x) {
  double n = rint(x * log2e);
  double whole = fma(-n, ln2Hi, x);
  double r = fma(-n, ln2Lo, whole), rest = fma(-n, ln2Lo, whole - r);
  double u = r * r * expm1Rest(r), p = r + u;
  double pLo = (r - p) + (u + rest);
  if (n == 0)
    return {p, pLo};
  // Half of 2^n, which itself may be out of range.
  double half = exp2i<double>(toInt(n) - 1);
  double a = half - 0.5, b = half * p, sum = a + b;
  double error = fabs(a) > fabs(b) ? (a - sum) + b : (b - sum) + a;
  return {2 * sum, 2 * (error + half * pLo)};
}

COIL_INLINE double expm1(double x) {
  double clamped = x > 710 ? 710 : x;
  clamped = clamped < -40 ? -40 : clamped;
  if (fabs(x) < 0x1p-54)
    return x;
  Pair p = expm1Pair(clamped);
  // Of an infinity nothing is left.
  return p.hi < infinity<double> ? p.hi + p.lo : p.hi;
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// x = m * 2^k, m between sqrt(1/2) and sqrt(2), of a positive x.
COIL_INLINE double splitExponent(double x, int &k) {
  constexpr uint64_t root = 0x3fe6a09e667f3bcdull;
  int offset = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    offset = -54;
  }
  int64_t difference = static_cast<int64_t>(bits(x) - root);
  k = static_cast<int>(difference >> 52) + offset;
  return fromBits((static_cast<uint64_t>(difference) & 0xfffffffffffffull) +
                  root);
}

/// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2).
COIL_INLINE double log1pRest(double f) {
  double s = f / (2 + f), z = s * s, h = 0.5 * f * f;
  double p =
      poly(z, 0x1.0c0aff044a97p-3, 0x1.0fbde0f4ad17bp-3, 0x1.3b1c3c1c81c8fp-3,
           0x1.745cf8e4bba1bp-3, 0x1.c71c7201a55d7p-3, 0x1.2492492476a1ap-2,
           0x1.9999999999a39p-2, 0x1.5555555555555p-1);
  return fma(s, fma(z, p, h), -h);
}

/// Logarithms of what has none of its own: NaN below zero, infinities.
template <typename T>
COIL_INLINE bool logSpecial(T x, T &result) {
  if (x > 0 && x < infinity<T>)
    return false;
  result = x == 0 ? -infinity<T> : x > 0 ? x : notANumber<T>;
  return true;
}

/// The logarithm in the base with log_b(e) = baseHi + baseLo and log_b(2) =
/// twoHi + twoLo, twoHi being short enough for products with exponents.
COIL_INLINE double logBase(double x, double baseHi, double baseLo, double twoHi,
                           double twoLo) {
  double result;
  if (logSpecial(x, result))
    return result;
  int exponent;
  double f = splitExponent(x, exponent) - 1, k = exponent;
  double rest = log1pRest(f);
  double p = f * baseHi;
  double e = fma(f, baseLo, fma(f, baseHi, -p));
  e = fma(rest, baseHi, e);
  double s = fma(k, twoHi, p);
  double error = p - fma(-k, twoHi, s);
  return s + (error + fma(k, twoLo, e));
}

COIL_INLINE double log(double x) {
  return logBase(x, 1, 0, 0x1.62e42ffp-1, -0x1.718432a1b0e26p-35);
}
COIL_INLINE double log2(double x) {
  return logBase(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0);
}
COIL_INLINE double log10(double x) {
  return logBase(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                 0x1.3441350ap-2, -0x1.0c0219dc1da99p-39);
}

/// log(1 + x + lo), lo being small against x.
COIL_INLINE double log1pSum(double x, double lo) {
  double u = 1 + x, result;
  if (logSpecial(u, result))
    return result;
  // What the sum lost, unless it is not used.
  double c = x < 1 ? x - (u - 1) : 1 - (u - x);
  int exponent;
  double m = splitExponent(u, exponent), k = exponent;
  double f = exponent == 0 ? x : m - 1;
  double rest = log1pRest(f) + ((exponent == 0 ? 0 : c) + lo) / u;
  return fma(k, ln2Hi, f + fma(k, ln2Lo, rest));
}

COIL_INLINE double log1p(double x) {
  return fabs(x) < 0x1p-54 ? x : log1pSum(x, 0);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log(x) of a positive finite x with about 64 bits.
COIL_INLINE Pair logPair(double x) {
  int exponent;
  double m = splitExponent(x, exponent), k = exponent;
  double f = m - 1, g = m + 1, gLo = m - (g - 1);
  // s = f / (m + 1), z = s * s
  double s = f / g;
  double sLo = (fma(-s, g, f) - s * gLo) / g;
  double z = s * s, zLo = fma(s, s, -z) + 2 * s * sLo;
  // atanh(s) / s - 1 = z / 3 + z * z * w
  double w =
      poly(z, 0x1.b8e0c07ef591ap-5, 0x1.ac4927065cf5ap-5, 0x1.e1f80a4c22cd4p-5,
           0x1.1110df7e2b9b8p-4, 0x1.3b13b1bd0eadp-4, 0x1.745d1745124c7p-4,
           0x1.c71c71c71cfe7p-4, 0x1.2492492492491p-3, 0x1.999999999999ap-3);
  constexpr double third = 0x1.5555555555555p-2,
                   thirdLo = 0x1.5555555555555p-56;
  double t = z * third;
  double tLo = fma(z, third, -t) + fma(z, thirdLo, fma(zLo, third, z * z * w));
  // 2 * (s + s * t)
  double u = s * t, uLo = fma(s, t, -u) + fma(s, tLo, sLo * t);
  double hi = s + u, lo = (s - hi) + u + (uLo + sLo);
  hi *= 2;
  lo *= 2;
  double a = k * 0x1.62e42ffp-1;
  double sum = a + hi;
  double rest = k == 0 ? 0 : hi - (sum - a);
  rest += fma(k, -0x1.718432a1b0e26p-35, lo);
  double total = sum + rest;
  return {total, (sum - total) + rest};
}

COIL_INLINE bool isInteger(double y) { return trunc(y) == y; }
COIL_INLINE bool isOddInteger(double y) {
  return fabs(y) < 0x1p53 && isInteger(y) && !isInteger(0.5 * y);
}

/// The power of a negative base from that of its magnitude.
template <typename T>
COIL_INLINE T powSign(T x, T y, T magnitude) {
  bool odd = isOddInteger(static_cast<double>(y));
  if (copysign(static_cast<T>(1), x) > 0)
    return magnitude;
  if (odd)
    return -magnitude;
  return x < 0 && fabs(x) < infinity<T> && !isInteger(static_cast<double>(y))
             ? notANumber<T>
             : magnitude;
}

/// Powers whose result is known; false if there is something to compute.
template <typename T>
COIL_INLINE bool powSpecial(T x, T y, T &result) {
  T a = fabs(x);
  if (y == 0 || x == 1)
    result = 1;
  else if (isnan(x) || isnan(y))
    result = notANumber<T>;
  else if (a == 0 || a == infinity<T>)
    result =
        powSign(x, y, (a == 0) == (y < 0) ? infinity<T> : static_cast<T>(0));
  else if (fabs(y) == infinity<T>)
    result = a == 1               ? static_cast<T>(1)
             : (a > 1) == (y > 0) ? infinity<T>
                                  : static_cast<T>(0);
  else
    return false;
  return true;
}

COIL_INLINE double pow(double x, double y) {
  double result;
  if (powSpecial(x, y, result))
    return result;
  Pair l = logPair(fabs(x));
  double hi = y * l.hi;
  bool large = fabs(hi) > 800;
  double lo = large ? 0 : fma(y, l.hi, -hi) + y * l.lo;
  hi = large ? copysign(800.0, hi) : hi;
  return powSign(x, y, expSum(hi, lo));
}

COIL_INLINE double cbrt(double x) {
  double a = fabs(x);
  if (!(a > 0 && a < infinity<double>))
    return x;
  int k;
  double m = splitExponent(a, k);
  // a = m * 2^(3 third), m from 0.7 to 5.7
  int third = (k + 3 * 1024) / 3 - 1024;
  m *= exp2i<double>(k - 3 * third);
  double y = fma(m, 0.21, 0.8);
  for (int i = 0; i < 3; ++i) {
    double cube = y * y * y;
    y *= (cube + 2 * m) / (2 * cube + m);
  }
  double square = y * y;
  y -= fma(square, y, -m) / (3 * square);
  return copysign(y * exp2i<double>(third), x);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

/// 64 bits of 2 / pi from bit 64 * (i - 1) on.
COIL_INLINE uint64_t twoOverPi(int i) {
  constexpr uint64_t words[] = {
      0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull,
      0xdb6295993c439041ull, 0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull,
      0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
      0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
      0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull,
      0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull,
      0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
  // A chain of selections: a table would live in memory.
  uint64_t word = 0;
#pragma unroll
  for (int j = 0; j < 21; ++j)
    word = i == j ? words[j] : word;
  return word;
}

/// 64 of the bits of two words, from a position in the first on.
COIL_INLINE uint64_t funnel(uint64_t high, uint64_t low, int shift) {
  return shift ? high << shift | low >> (64 - shift) : high;
}

/// x - n * pi / 2, at most pi / 4 in magnitude, for any finite x.
COIL_INLINE Pair reduceLarge(double x, int &n) {
  uint64_t b = bits(fabs(x));
  int e = static_cast<int>(b >> 52) - 1075;
  uint64_t m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
  // Of the product with 2 / pi, multiples of 4 do not count: the bits of 2 / pi
  // that matter begin here.
  int position = e - 2 + 64, word = position >> 6, shift = position & 63;
  uint64_t w0 = twoOverPi(word), w1 = twoOverPi(word + 1),
           w2 = twoOverPi(word + 2), w3 = twoOverPi(word + 3);
  uint64_t t0 = funnel(w0, w1, shift), t1 = funnel(w1, w2, shift),
           t2 = funnel(w2, w3, shift);
  using wide = unsigned __int128;
  wide low = static_cast<wide>(m) * t2;
  wide middle = static_cast<wide>(m) * t1 + static_cast<uint64_t>(low >> 64);
  uint64_t high = m * t0 + static_cast<uint64_t>(middle >> 64);
  wide product = static_cast<wide>(high) << 64 | static_cast<uint64_t>(middle);
  n = static_cast<int>(high >> 62);
  wide fraction = product << 2;
  bool negative = fraction >> 127;
  if (negative) {
    fraction = -fraction;
    ++n;
  }
  // To a pair: at most 60 bits cancel, so that some bits are left of 128.
  uint64_t top = static_cast<uint64_t>(fraction >> 64);
  int zeros = top ? __builtin_clzll(top) : 63;
  fraction <<= zeros;
  double unit = exp2i<double>(-zeros);
  double hi = static_cast<double>(static_cast<uint64_t>(fraction >> 64) >> 11) *
              0x1p-53 * unit;
  double lo = static_cast<double>(static_cast<uint64_t>(fraction >> 22) &
                                  0x1fffffffffffffull) *
              0x1p-106 * unit;
  constexpr double half = 0x1.921fb54442d18p+0, halfLo = 0x1.1a62633145c07p-54;
  double r = hi * half;
  double rest = fma(hi, half, -r) + fma(hi, halfLo, lo * half);
  if (negative != (x < 0)) {
    r = -r;
    rest = -rest;
  }
  if (x < 0)
    n = -n;
  return {r, rest};
}

COIL_INLINE Pair reduceAngle(double x, int &n) {
  if (!(fabs(x) < 0x1p20)) {
    if (!(fabs(x) < infinity<double>)) {
      n = 0;
      return {notANumber<double>, 0};
    }
    return reduceLarge(x, n);
  }
  double k = rint(x * 0x1.45f306dc9c883p-1);
  n = toInt(k);
  // The first difference is exact; the second cancels where it is small.
  double r = fma(-k, 0x1.921fb54442d18p+0, x);
  double t = k * -0x1.1a62633145c07p-54;
  double tail = fma(k, -0x1.1a62633145c07p-54, -t);
  double hi = r + t, back = hi - r;
  double lo = (r - (hi - back)) + (t - back);
  return {hi, lo + fma(k, 0x1.f1976b7ed8fbcp-110, tail)};
}

COIL_INLINE Pair sinReduced(Pair r) {
  double z = r.hi * r.hi;
  double p =
      poly(z, -0x1.ab161790d481ep-41, 0x1.61217c18c5ad8p-33,
           -0x1.ae64540f0c1bcp-26, 0x1.71de3a545e704p-19,
           -0x1.a01a01a019926p-13, 0x1.111111111111p-7, -0x1.5555555555555p-3);
  return addSmaller(r.hi, fma(r.hi * z, p, r.lo));
}

COIL_INLINE Pair cosReduced(Pair r) {
  double z = r.hi * r.hi;
  double p = poly(z, -0x1.907c0e977e8bdp-37, 0x1.1eeb66b6cb12cp-29,
                  -0x1.27e4fa15bdc69p-22, 0x1.a01a019f4d0fp-16,
                  -0x1.6c16c16c1696p-10, 0x1.5555555555555p-5);
  double h = 0.5 * z, w = 1 - h;
  return addSmaller(w, ((1 - w) - h) + fma(z * z, p, -r.hi * r.lo));
}

COIL_INLINE double sinOrCos(double x, int quadrant) {
  int n;
  Pair r = reduceAngle(x, n);
  n += quadrant;
  double result = n & 1 ? cosReduced(r).hi : sinReduced(r).hi;
  return n & 2 ? -result : result;
}
COIL_INLINE double sin(double x) { return x == 0 ? x : sinOrCos(x, 0); }
COIL_INLINE double cos(double x) { return sinOrCos(x, 1); }
COIL_INLINE double tan(double x) {
  if (x == 0)
    return x;
  int n;
  Pair r = reduceAngle(x, n);
  Pair s = sinReduced(r), c = cosReduced(r);
  Pair above = n & 1 ? c : s, below = n & 1 ? s : c;
  double q = above.hi / below.hi;
  double rest = fma(-q, below.hi, above.hi) + fma(-q, below.lo, above.lo);
  q += rest / below.hi;
  return n & 1 ? -q : q;
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// (atan(t) - t) / t of z = t * t, for |t| <= tan(pi / 8).
COIL_INLINE double atanRest(double z) {
  return z * poly(z, 0x1.0abb3a3829b06p-6, -0x1.1b28cee495a7dp-5,
                  0x1.74d9955076661p-5, -0x1.ac79a54276a46p-5,
                  0x1.e199f35dd1917p-5, -0x1.110e86a228a04p-4,
                  0x1.3b1392c5d6c1fp-4, -0x1.745d165d42469p-4,
                  0x1.c71c71c301242p-4, -0x1.249249248d7a3p-3,
                  0x1.9999999999953p-3, -0x1.5555555555555p-2);
}

/// base + sign * atan(numerator / denominator), 0 <= numerator <= denominator,
/// the base being 0, pi / 2 or pi.
COIL_INLINE double addAtan(Pair base, double sign, double numerator,
                           double denominator) {
  bool upper = numerator > 0.4142135623730951 * denominator;
  // atan(q) = pi / 4 + atan((q - 1) / (q + 1)). The sum may be out of range.
  double n = 0.5 * numerator, d = 0.5 * denominator;
  Pair sum = addSmaller(d, n), difference = addSmaller(-d, n);
  double a = upper ? difference.hi : numerator;
  double b = upper ? sum.hi : denominator;
  double t = a / b;
  // What the quotient has lost; an infinity has no remainder.
  double rest = fma(-t, b, a);
  rest = upper ? rest + fma(-t, sum.lo, difference.lo) : rest;
  double lo = b < infinity<double> ? rest / b : 0;
  lo = fma(t, atanRest(t * t), lo);
  double quarter = upper ? copysign(0x1.921fb54442d18p-1, sign) : 0;
  double quarterLo = upper ? copysign(0x1.1a62633145c07p-55, sign) : 0;
  // Multiples of pi / 4 of few bits: their sum is exact.
  double start = base.hi + quarter;
  Pair total = addSmaller(start, sign * t);
  return total.hi + (total.lo + fma(sign, lo, base.lo + quarterLo));
}

inline constexpr Pair halfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

COIL_INLINE double atan(double x) {
  double a = fabs(x);
  if (isnan(x))
    return x;
  bool steep = a > 1;
  return copysign(addAtan(steep ? halfPi : Pair{0, 0}, steep ? -1 : 1,
                          steep ? 1 : a, steep ? a : 1),
                  x);
}

COIL_INLINE double atan2(double y, double x) {
  if (isnan(x) || isnan(y))
    return notANumber<double>;
  double a = fabs(y), b = fabs(x);
  // Both zero or both infinite.
  if (a == b && (a == 0 || a == infinity<double>)) {
    a = a == 0 ? 0 : 1;
    b = 1;
  }
  bool steep = a > b, left = copysign(1.0, x) < 0;
  double numerator = steep ? b : a, denominator = steep ? a : b;
  // Keep small operands normal, so that the quotient has all its bits.
  double up = denominator < 0x1p-900 ? 0x1p100 : 1;
  // pi / 2 - r or r; pi minus that on the left.
  double quarters = steep ? 1 : left ? 2 : 0;
  Pair base = {quarters * halfPi.hi, quarters * halfPi.lo};
  return copysign(
      addAtan(base, steep == left ? 1 : -1, numerator * up, denominator * up),
      y);
}

/// (asin(x) - x) / x of z = x * x, for |x| <= 0.5.
COIL_INLINE double asinRest(double z) {
  return z *
         poly(z, 0x1.e70d4739cfcdbp-6, -0x1.3e33ab81c9ef2p-6,
              0x1.42690e2347252p-6, 0x1.8899fb37b6777p-9, 0x1.31cd3bf734fap-7,
              0x1.3b374c6a2c89fp-7, 0x1.7b04b32731abp-7, 0x1.c9907f8c561b2p-7,
              0x1.1c4efe1e6966p-6, 0x1.6e8ba118f5fd7p-6, 0x1.f1c71c7a8c0eap-6,
              0x1.6db6db6dabd04p-5, 0x1.333333333338bp-4, 0x1.5555555555555p-3);
}

/// acos(a) / 2 for 0.5 <= a <= 1; NaN above.
COIL_INLINE Pair acosHalf(double a) {
  double z = fma(-0.5, a, 0.5), s = sqrt(z);
  double lo = s > 0 ? 0.5 * fma(-s, s, z) / s : s;
  return {s, fma(s, asinRest(z), lo)};
}

COIL_INLINE double asin(double x) {
  double a = fabs(x);
  if (a <= 0.5)
    return fma(x, asinRest(x * x), x);
  Pair h = acosHalf(a);
  return copysign(
      0x1.921fb54442d18p+0 - 2 * (h.hi + (h.lo - 0x1.1a62633145c07p-55)), x);
}

COIL_INLINE double acos(double x) {
  double a = fabs(x);
  if (a <= 0.5)
    return 0x1.921fb54442d18p+0 -
           (x + fma(x, asinRest(x * x), -0x1.1a62633145c07p-54));
  Pair h = acosHalf(a);
  return x > 0 ? 2 * (h.hi + h.lo)
               : 0x1.921fb54442d18p+1 -
                     2 * (h.hi + (h.lo - 0x1.1a62633145c07p-54));
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// e^a / 2 of a >= 0 without overflow before the result does.
COIL_INLINE Pair halfExp(double a) {
  a = a > 711 ? 711 : a;
  double n = rint(a * log2e);
  double whole = fma(-n, ln2Hi, a);
  double r = fma(-n, ln2Lo, whole), rest = fma(-n, ln2Lo, whole - r);
  Pair p = addSmaller(r, r * r * expm1Rest(r));
  Pair sum = addSmaller(1, p.hi);
  // A quarter of 2^n, twice.
  double quarter = exp2i<double>(toInt(n) - 2);
  return {sum.hi * quarter * 2, (sum.lo + (p.lo + rest)) * quarter * 2};
}

/// (sinh(x) - x) / x^3 of z = x * x, for |x| <= 1: the series.
COIL_INLINE double sinhRest(double z) {
  return poly(
      z, 0x1.2f49b46814157p-57, 0x1.952c77030ad4ap-49, 0x1.ae7f3e733b81fp-41,
      0x1.6124613a86d09p-33, 0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,
      0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7, 0x1.5555555555555p-3);
}

COIL_INLINE double sinh(double x) {
  double a = fabs(x), z = x * x;
  if (a < 1)
    return fma(x * z, sinhRest(z), x);
  Pair h = halfExp(a);
  return copysign(h.hi + (h.lo - 0.25 / h.hi), x);
}

COIL_INLINE double cosh(double x) {
  Pair h = halfExp(fabs(x));
  return h.hi + (h.lo + 0.25 / h.hi);
}

COIL_INLINE double tanh(double x) {
  double a = fabs(x);
  // t / (t + 2) with t = e^(2a) - 1; near one, 1 - 2 / (t + 2). The remainders
  // put back what the steps lost.
  Pair t = expm1Pair(2 * (a > 22 ? 22 : a));
  bool near = a < 0.55;
  double d = t.hi + 2;
  double dLo = (t.hi < 2 ? (2 - d) + t.hi : (t.hi - d) + 2) + t.lo;
  double above = near ? t.hi : 2, q = above / d;
  double lo = (fma(-q, d, above) + fma(-q, dLo, near ? t.lo : 0)) * (1 / d);
  Pair far = addSmaller(1, -q);
  double result = near ? q + lo : far.hi + (far.lo - lo);
  return isnan(x) ? x : copysign(result, x);
}

COIL_INLINE double asinh(double x) {
  double a = fabs(x), result;
  if (a > 0x1p28)
    result = log(a) + 0x1.62e42fefa39efp-1;
  else
    result = log1p(a + a * a / (1 + sqrt(fma(a, a, 1))));
  return a < infinity<double> ? copysign(result, x) : x;
}

COIL_INLINE double acosh(double x) {
  if (x > 0x1p28)
    return log(x) + 0x1.62e42fefa39efp-1;
  double t = x < 1 ? notANumber<double> : x - 1;
  return log1p(t + sqrt(fma(t, t, 2 * t)));
}

COIL_INLINE double atanh(double x) {
  double a = fabs(x), d = 1 - a;
  if (!(a < 1) || a < 0x1p-28)
    return a < 1    ? fma(a * a, x * (1.0 / 3), x)
           : a == 1 ? copysign(infinity<double>, x)
                    : notANumber<double>;
  // log((1 + a) / (1 - a)) / 2, the quotient less one being 2 a / (1 - a).
  double dLo = (1 - d) - a, q = 2 * a / d;
  double lo = (fma(-q, d, 2 * a) - q * dLo) / d;
  return copysign(0.5 * log1pSum(q, lo), x);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erf(x) for |x| < 0.88.
COIL_INLINE double erfCentre(double x) {
  double p =
      poly(x * x, 0x1.225426508571ap-34, -0x1.41a1daea70e6fp-30,
           0x1.fa3a0af42ef7bp-27, -0x1.5f52c6b5d6a1dp-23, 0x1.b9e475fdd45ddp-20,
           -0x1.f4d23fa46e14cp-17, 0x1.f9a32608b3a66p-14, -0x1.c02db3faede6p-11,
           0x1.565bcd0e56fd1p-8, -0x1.b82ce31288616p-6, 0x1.ce2f21a042bd6p-4,
           -0x1.812746b0379e7p-2, 0x1.06eba8214db69p-3);
  return fma(x, p, x);
}

/// e^(x * x) * erfc(x) for x >= 0.45.
COIL_INLINE Pair erfcxRational(double x) {
  // (1 + 2 x) erfcx(x) is smooth in t up to infinity.
  double t = (x - 4) / (x + 4);
  double p = poly(
      t, 0x1.6245ca4a32629p-35, 0x1.b3a450f858c32p-29, -0x1.43dc0d7982afap-27,
      -0x1.839627bb2614fp-26, 0x1.b7ae491e36ceap-24, 0x1.5ec6123e89b82p-24,
      -0x1.b74f95deb9199p-21, 0x1.34f8518770cfcp-22, 0x1.7ee501f242256p-18,
      -0x1.78709427172bep-17, -0x1.99530d255a34ap-16, 0x1.3bdfcb11d5f70p-13,
      -0x1.a1df55929e3adp-13, -0x1.8d4a935612299p-11, 0x1.49c672c2b0dedp-8,
      -0x1.0962388ca6765p-6, 0x1.3079edf5c58c1p-5, -0x1.0fb06dfe205afp-4,
      0x1.7fee004e1795cp-4, -0x1.9ddb23c3ead2ep-4, 0x1.16ecefcfa515cp-4,
      0x1.f7f5df66fdb8ep-7, -0x1.1df1ad154a28cp-3);
  Pair above = addSmaller(0x1.3ba5916e9fd7fp+0, t * p);
  double d = fma(2.0, x, 1), q = above.hi / d;
  // The remainder by the exact divisor.
  double dLo = fma(2.0, x, 1 - d);
  double rest = fma(-q, d, above.hi) + (above.lo + -0x1.d6027da3d0acap-55);
  return {q, (rest - q * dLo) / d};
}

/// erfc(x) for x >= 0.45.
COIL_INLINE double erfcTail(double x) {
  double limited = x > 28 ? 28 : x;
  double square = limited * limited;
  Pair scaled = erfcxRational(limited);
  return expSum(-square, -fma(limited, limited, -square), scaled.hi, scaled.lo);
}

COIL_INLINE double erf(double x) {
  double a = fabs(x);
  if (a < 0.88)
    return erfCentre(x);
  return isnan(x) ? x : copysign(1 - erfcTail(a), x);
}

COIL_INLINE double erfc(double x) {
  double a = fabs(x);
  if (isnan(x))
    return x;
  if (a < 0.77)
    return 1 - erfCentre(x);
  double tail = erfcTail(a);
  return x > 0 ? tail : 2 - tail;
}

//===----------------------------------------------------------------------===//
// Remainders and integers
//===----------------------------------------------------------------------===//

/// Exponent of a positive finite number, also of a subnormal one.
COIL_INLINE int exponentOf(double x) {
  int biased = static_cast<int>(bits(x) >> 52);
  if (biased == 0)
    return static_cast<int>(bits(x * 0x1p54) >> 52) - 54;
  return biased;
}

COIL_INLINE double fmod(double x, double y) {
  double a = fabs(x), b = fabs(y);
  if (!(a < infinity<double>) || !(b > 0))
    return notANumber<double>;
  if (b == infinity<double>)
    return x;
  // Each step takes off 50 bits of the quotient; differences are exact.
  while (a >= b) {
    int shift = exponentOf(a) - exponentOf(b) - 50;
    double s = shift > 0 ? scale(b, shift) : b;
    double r = fma(-trunc(a / s), s, a);
    a = r < 0 ? r + s : r;
  }
  return copysign(a, x);
}

} // namespace coil::device

#endif // COIL_LIB_DEVICE_ELEMENTARY_H
