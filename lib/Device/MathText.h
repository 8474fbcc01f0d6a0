//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementary functions of f32 and f64 without branches: one text for vectors of
// the CPU (lib/ExecutionEngine/MathBodies.cpp) and for threads of GPUs
// (ScalarMath.h). It may be included several times, each time in a namespace of
// its own in which `M` is the arithmetic: MathBuilder, or ScalarMath.
// COIL_MATH_TEXT is what every function is declared with. It must not be
// contracted.
//
// Most errors are about 0.6 ulp. The polynomials of f32 come from
// scripts/fit_math.py. Where two roundings would add up, the rest of the first
// is put back.
//
//===----------------------------------------------------------------------===//

using Num = M::Num;
using Bits = M::Bits;
using Cond = M::Cond;
using Pair = M::Pair;

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNaN = __builtin_nan("");

/// The polynomial with these coefficients, that of the highest power first.
COIL_MATH_TEXT Num poly(Num, Num p) { return p; }
template <typename... Rest>
COIL_MATH_TEXT Num poly(Num x, Num p, double next, Rest... rest) {
  return poly(x, x.m->fma(p, x, x.m->num(next)), rest...);
}
template <typename... Rest>
COIL_MATH_TEXT Num poly(Num x, double first, Rest... rest) {
  return poly(x, x.m->num(first), rest...);
}

/// x + y for |x| >= |y|, and what rounding took from it.
COIL_MATH_TEXT Pair addSmaller(Num x, Num y) {
  Num sum = x + y;
  return {sum, (x - sum) + y};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// The nearest whole number, and the sum whose low bits it is.
COIL_MATH_TEXT Num roundToInteger(Num x, Num &shifted) {
  shifted = x + x.m->getMagic();
  return shifted - x.m->getMagic();
}

/// 2^(n + offset) within the range of normal numbers, for n from
/// `roundToInteger`.
COIL_MATH_TEXT Num exp2OfInteger(Num shifted, int64_t offset = 0) {
  M &m = *shifted.m;
  unsigned mantissa = m.getMantissaBits();
  // The shift drops the bits of the constant that rounded.
  Bits exponent = m.shl(m.bits(shifted), mantissa);
  return m.fromBits(
      m.add(exponent, m.integer((m.getBias() + offset) << mantissa)));
}

/// p * 2^n, where 2^n may be out of range.
COIL_MATH_TEXT Num scale(Num p, Num n) {
  Num first, second;
  Num half = roundToInteger(n * 0.5, first);
  roundToInteger(n - half, second);
  return p * exp2OfInteger(first) * exp2OfInteger(second);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
COIL_MATH_TEXT Num expm1Rest(Num r) {
  if (r.m->isDouble)
    return poly(r, 0x1.1f7385560be05p-29, 0x1.af4ecd2129492p-26,
                0x1.27e4db25ce3adp-22, 0x1.71de01c3fc936p-19,
                0x1.a01a01a6ec522p-16, 0x1.a01a01ac0a9eep-13,
                0x1.6c16c16c162bp-10, 0x1.111111111009cp-7,
                0x1.5555555555556p-5, 0x1.5555555555557p-3, 0.5);
  return poly(r, 0x1.a125f6p-13, 0x1.6d444ap-10, 0x1.1110ep-7, 0x1.5554e8p-5,
              0x1.555556p-3, 0.5);
}

/// x = n ln 2 + r + rest.
struct Reduced {
  Num n, shifted, r, rest;
};
COIL_MATH_TEXT Reduced reduceExponent(Num x) {
  M &m = *x.m;
  Reduced result;
  result.n = roundToInteger(x * m.num(0x1.715476p+0f, 0x1.71547652b82fep+0),
                            result.shifted);
  Num ln2Lo = m.num(-0x1.05c61p-29f, 0x1.abc9e3b39803fp-56);
  Num whole = m.fma(-result.n, m.num(0x1.62e43p-1f, 0x1.62e42fefa39efp-1), x);
  result.r = m.fma(-result.n, ln2Lo, whole);
  result.rest = m.fma(-result.n, ln2Lo, whole - result.r);
  return result;
}

/// e^r - 1 of a reduced argument.
COIL_MATH_TEXT Pair expm1Reduced(const Reduced &x) {
  Num u = x.r * x.r * expm1Rest(x.r);
  Pair p = addSmaller(x.r, u);
  return {p.hi, p.lo + x.rest};
}

/// e^x.
COIL_MATH_TEXT Num exp(M &m, Num x) {
  // Beyond these the result is infinity and zero.
  Num limited = m.isDouble ? m.atLeast(m.atMost(x, 710), -746)
                           : m.atLeast(m.atMost(x, 90), -105);
  Reduced r = reduceExponent(limited);
  Num p = m.fma(r.r * r.r, expm1Rest(r.r), r.r);
  return scale(p + 1, r.n);
}

/// 2^x of f64.
COIL_MATH_TEXT Num exp2(M &m, Num x) {
  Num limited = m.atLeast(m.atMost(x, 1025), -1076), shifted;
  Num n = roundToInteger(limited, shifted), f = limited - n;
  // Beside one an error of r, and one of r + 1, count half an ulp each.
  Num ln2 = m.num(0x1.62e42fefa39efp-1), r = f * ln2;
  Num lost = m.fma(f, m.num(0x1.abc9e3b39803fp-56), m.fma(f, ln2, -r));
  Pair sum = addSmaller(m.num(1.0), r);
  return scale(sum.hi + (sum.lo + m.fma(r * r, expm1Rest(r), lost)), n);
}

/// e^x - 1 for x from where it is -1 up to where it overflows.
COIL_MATH_TEXT Pair expm1Pair(Num x) {
  M &m = *x.m;
  Reduced r = reduceExponent(x);
  Pair p = expm1Reduced(r);
  // Half of 2^n, which itself may be out of range.
  Num half = exp2OfInteger(r.shifted, -1);
  Num a = half - 0.5, b = half * p.hi, sum = a + b;
  Num error = m.select(m.abs(a) > m.abs(b), (a - sum) + b, (b - sum) + a);
  return {2 * sum, 2 * m.fma(half, p.lo, error)};
}

COIL_MATH_TEXT Num expm1(M &m, Num x) {
  Num limited = m.isDouble ? m.atLeast(m.atMost(x, 710), -40)
                           : m.atLeast(m.atMost(x, 89), -20);
  Reduced r = reduceExponent(limited);
  Pair p = expm1Reduced(r);
  // Half the result, as 2^n may be out of range.
  Num half = exp2OfInteger(r.shifted, -1), whole = half - 0.5;
  Num sum = m.fma(half, p.hi, whole), lo = half * p.lo;
  if (m.isDouble)
    lo = lo + m.select(m.abs(whole) > m.abs(half * p.hi),
                       m.fma(half, p.hi, whole - sum),
                       m.fma(half, p.hi, -sum) + whole);
  sum = sum + lo;
  // Keeps the sign of zero and the last bit of subnormal numbers.
  return m.select(m.abs(x) < (m.isDouble ? 0x1p-54 : 0x1p-26), x, sum + sum);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// x = significand * 2^k, from sqrt(1/2) to sqrt(2), of a positive finite x.
struct Split {
  Num significand, k;
  /// The exponent with its bias, where a float has it.
  Bits biasedExponent;
};
COIL_MATH_TEXT Split splitExponent(Num x, bool maySubnormal = true) {
  M &m = *x.m;
  unsigned mantissa = m.getMantissaBits();
  Bits root = m.integer(m.isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3);
  Cond subnormal = x < (m.isDouble ? 0x1p-1022 : 0x1p-126);
  if (maySubnormal)
    x = m.select(subnormal, x * (m.isDouble ? 0x1p54 : 0x1p24), x);
  Bits difference = m.sub(m.bits(x), root);
  // Positive with the bias, so that no arithmetic shift is needed, which
  // 64-bit integers do not have before AVX-512.
  Bits biased = m.add(difference, m.integer(m.getBias() << mantissa));
  Bits low = m.mask(difference, m.integer((int64_t(1) << mantissa) - 1));
  // The exponent as the low bits of a float.
  Num magic = m.num(m.getMagic());
  Num k = m.fromBits(m.add(m.bits(magic), m.lshr(biased, mantissa))) -
          (m.getMagic() + static_cast<double>(m.getBias()));
  if (maySubnormal)
    k = m.select(subnormal, k - (m.isDouble ? 54 : 24), k);
  return {m.fromBits(m.add(low, root)), k, m.sub(biased, low)};
}

/// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2).
COIL_MATH_TEXT Num log1pRest(Num f) {
  M &m = *f.m;
  if (m.isDouble) {
    Num s = f / (2 + f), z = s * s, h = 0.5 * f * f;
    Num p =
        poly(z, 0x1.0c0aff044a97p-3, 0x1.0fbde0f4ad17bp-3, 0x1.3b1c3c1c81c8fp-3,
             0x1.745cf8e4bba1bp-3, 0x1.c71c7201a55d7p-3, 0x1.2492492476a1ap-2,
             0x1.9999999999a39p-2, 0x1.5555555555555p-1);
    return m.fma(s, m.fma(z, p, h), -h);
  }
  Num h = f * f;
  Num p = poly(f, -0x1.fcc5d2p-5, 0x1.aff8dep-4, -0x1.b43de8p-4, 0x1.c407eep-4,
               -0x1.fdf42cp-4, 0x1.2496dcp-3, -0x1.555c7ap-3, 0x1.9999a6p-3,
               -0x1.fffff2p-3, 0x1.555556p-2);
  return m.fma(f * h, p, -0.5 * h);
}

/// `value`, but the logarithm's limits where `x` is not a positive number.
COIL_MATH_TEXT Num logLimits(Num x, Num value) {
  M &m = *x.m;
  Num limit = m.select(x == 0, m.num(-kInfinity),
                       m.select(x == kInfinity, x, m.num(kNaN)));
  return m.select((x > 0) & (x < kInfinity), value, limit);
}

/// The base b with log_b(e) = e.hi + e.lo and log_b(2) = two.hi + two.lo,
/// two.hi being short enough for products with exponents.
struct Base {
  double eHi, eLo, twoHi, twoLo;
};

COIL_MATH_TEXT Num logBase(Num x, Base base) {
  M &m = *x.m;
  Split split = splitExponent(x);
  Num f = split.significand - 1;
  Num rest = log1pRest(f);
  Num p = f * base.eHi;
  Num e = m.fma(f, m.num(base.eLo), m.fma(f, m.num(base.eHi), -p));
  e = m.fma(rest, m.num(base.eHi), e);
  Num s = m.fma(split.k, m.num(base.twoHi), p);
  Num error = p - m.fma(-split.k, m.num(base.twoHi), s);
  return logLimits(x, s + (error + m.fma(split.k, m.num(base.twoLo), e)));
}

COIL_MATH_TEXT Num log(M &m, Num x) {
  return logBase(x, m.isDouble
                        ? Base{1, 0, 0x1.62e42ffp-1, -0x1.718432a1b0e26p-35}
                        : Base{1, 0, 0x1.62e4p-1, 0x1.7f7d1cp-20});
}
COIL_MATH_TEXT Num log2(M &m, Num x) {
  return logBase(
      x, m.isDouble ? Base{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0}
                    : Base{0x1.715476p+0, 0x1.4ae0cp-26, 1, 0});
}
COIL_MATH_TEXT Num log10(M &m, Num x) {
  return logBase(x, m.isDouble
                        ? Base{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                               0x1.3441350ap-2, -0x1.0c0219dc1da99p-39}
                        : Base{0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.344p-2,
                               0x1.3509f8p-18});
}

/// log(1 + x + lo), `lo` being small against x.
COIL_MATH_TEXT Num log1pSum(Num x, Num lo) {
  M &m = *x.m;
  Num u = 1 + x;
  Split split = splitExponent(u, /*maySubnormal=*/false);
  // f = (1 + x) 2^-k - 1 from x itself: the sum has lost digits. 2^-k can be
  // subnormal, four times as much is not.
  unsigned mantissa = m.getMantissaBits();
  Num scale = m.fromBits(
      m.sub(m.integer(static_cast<int64_t>(
                static_cast<uint64_t>(2 * m.getBias() + 2) << mantissa)),
            split.biasedExponent));
  Num whole = m.fma(scale, m.num(0.25), m.num(-1.0)), quarter = 0.25 * x;
  Num f = m.fma(quarter, scale, whole);
  Num rest = m.fma(quarter, scale, whole - f);
  rest = m.fma(0.25 * lo, scale, rest);
  // What the sum has lost, over 1 + f.
  rest = m.fma(-f, rest, rest);
  Num ln2Hi = m.num(0x1.62e4p-1f, 0x1.62e42fefa39efp-1);
  Num ln2Lo = m.num(0x1.7f7d1cp-20f, 0x1.abc9e3b39803fp-56);
  Num k = split.k;
  rest = m.fma(k, ln2Lo, log1pRest(f) + rest);
  return logLimits(u, m.fma(k, ln2Hi, f + rest));
}

COIL_MATH_TEXT Num log1p(M &m, Num x) {
  Num result = log1pSum(x, m.num(0.0));
  return m.select(m.abs(x) < (m.isDouble ? 0x1p-54 : 0x1p-26), x, result);
}

COIL_MATH_TEXT Num atanh(M &m, Num x) {
  // log((1 + a) / (1 - a)) / 2, the quotient less one being 2 a / (1 - a).
  Num a = m.abs(x), below = 1 - a, belowLo = (1 - below) - a;
  Num inverse = 1 / below, q = 2 * a * inverse;
  Num rest = m.fma(-q, below, 2 * a) - q * belowLo;
  q = m.fma(rest, inverse, q);
  Num lo = (m.fma(-q, below, 2 * a) - q * belowLo) * inverse;
  Num result = 0.5 * log1pSum(q, lo);
  // At one the quotient is infinite, and so is the result.
  result = m.select(a == 1, m.num(kInfinity), result);
  result = m.select(a < (m.isDouble ? 0x1p-28 : 0x1p-14),
                    m.fma(a * a, a * (1.0 / 3), a), result);
  return m.copySign(m.select(a <= 1, result, m.num(kNaN)), x);
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// tanh of f32: odd powers up to 0.98, then 1 - 2 / (e^(2a) + 1), where the
/// quotient is below a quarter and so is its error.
COIL_MATH_TEXT Num tanhOfSingle(M &m, Num x) {
  Num a = m.abs(x), z = x * x;
  Num near = m.fma(x * z,
                   poly(z, 0x1.11513cp-13, -0x1.ca65fap-11, 0x1.9a22cp-9,
                        -0x1.1af49p-7, 0x1.65356cp-6, -0x1.ba04ap-5,
                        0x1.1110ap-3, -0x1.555554p-2),
                   x);
  Reduced r = reduceExponent(2 * m.atMost(a, 10));
  Num power = exp2OfInteger(r.shifted);
  Num p = m.fma(r.r * r.r, expm1Rest(r.r), r.r);
  Num far = 1 - 2 / m.fma(power, p, power + 1);
  // The sign of zero, too.
  return m.copySign(m.select(a < 0.98, near, far), x);
}

COIL_MATH_TEXT Num tanh(M &m, Num x) {
  if (!m.isDouble)
    return tanhOfSingle(m, x);
  Num a = m.atMost(m.abs(x), 22);
  // t / (t + 2) with t = e^(2a) - 1; the remainder puts back what the steps
  // lost.
  Pair t = expm1Pair(2 * a);
  Num d = t.hi + 2;
  Num dLo = m.select(t.hi < 2, (2 - d) + t.hi, (t.hi - d) + 2) + t.lo;
  Num inverse = 1 / d, q = t.hi * inverse;
  Num rest = m.fma(-q, d, t.hi) + m.fma(-q, dLo, t.lo);
  Num result = m.fma(rest, inverse, q);
  // Keeps the last bit of subnormal numbers.
  result = m.select(a < 0x1p-30, a, result);
  return m.copySign(result, x);
}

/// e^a / 2 for a from 0 to where it overflows.
COIL_MATH_TEXT Pair halfExp(Num a) {
  Reduced r = reduceExponent(a);
  Pair p = expm1Reduced(r);
  Pair sum = addSmaller(a.m->num(1.0), p.hi);
  Num half = exp2OfInteger(r.shifted, -2);
  // Twice, as 2^(n - 1) may be out of range.
  return {sum.hi * half * 2, (sum.lo + p.lo) * half * 2};
}

/// (sinh(x) - x) / x^3 of z = x * x, for |x| <= 1; of f64 the series.
COIL_MATH_TEXT Num sinhRest(Num z) {
  if (z.m->isDouble)
    return poly(
        z, 0x1.2f49b46814157p-57, 0x1.952c77030ad4ap-49, 0x1.ae7f3e733b81fp-41,
        0x1.6124613a86d09p-33, 0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,
        0x1.a01a01a01a01ap-13, 0x1.1111111111111p-7, 0x1.5555555555555p-3);
  return poly(z, 0x1.756c1ep-19, 0x1.a022bcp-13, 0x1.1110ep-7, 0x1.555556p-3);
}

COIL_MATH_TEXT double getExpLimit(M &m) { return m.isDouble ? 710.6 : 89.5; }

COIL_MATH_TEXT Num sinh(M &m, Num x) {
  Num a = m.abs(x), z = x * x;
  Num near = m.fma(x * z, sinhRest(z), x);
  Pair h = halfExp(m.atMost(a, getExpLimit(m)));
  Num far = h.hi + (h.lo - 0.25 / h.hi);
  return m.select(a < 1, near, m.copySign(far, x));
}

COIL_MATH_TEXT Num cosh(M &m, Num x) {
  Pair h = halfExp(m.atMost(m.abs(x), getExpLimit(m)));
  return h.hi + (h.lo + 0.25 / h.hi);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

/// Up to here multiples of pi / 2 are subtracted exactly enough.
COIL_MATH_TEXT double getAngleLimit(M &m) {
  return m.isDouble ? 0x1p20 : 0x1p16;
}

/// x - k * pi / 2 for a multiple k of 1/2.
COIL_MATH_TEXT Pair subtractQuarters(Num x, Num k) {
  M &m = *x.m;
  // The first difference is exact; the second cancels where it is small.
  Num half = m.num(0x1.921fb6p+0f, 0x1.921fb54442d18p+0);
  Num halfLo = m.num(0x1.777a5cp-25f, -0x1.1a62633145c07p-54);
  Num halfLast = m.num(0x1.ee59dap-50f, 0x1.f1976b7ed8fbcp-110);
  Num r = m.fma(-k, half, x);
  Num t = k * halfLo, tail = m.fma(k, halfLo, -t);
  Num hi = r + t, back = hi - r;
  Num lo = (r - (hi - back)) + (t - back);
  return {hi, lo + m.fma(k, halfLast, tail)};
}

/// x - n * pi / 2, and n in the low bits of `quadrant`.
COIL_MATH_TEXT Pair reduceAngle(Num x, Bits &quadrant) {
  M &m = *x.m;
  Num shifted;
  Num k =
      roundToInteger(x * m.num(0x1.45f306p-1f, 0x1.45f306dc9c883p-1), shifted);
  quadrant = m.bits(shifted);
  return subtractQuarters(x, k);
}

COIL_MATH_TEXT Pair sinReduced(Pair r) {
  M &m = *r.hi.m;
  Num z = r.hi * r.hi;
  Num p = m.isDouble ? poly(z, -0x1.ab161790d481ep-41, 0x1.61217c18c5ad8p-33,
                            -0x1.ae64540f0c1bcp-26, 0x1.71de3a545e704p-19,
                            -0x1.a01a01a019926p-13, 0x1.111111111111p-7,
                            -0x1.5555555555555p-3)
                     : poly(z, 0x1.6dbbeep-19, -0x1.a013a2p-13, 0x1.11110ep-7,
                            -0x1.555556p-3);
  return addSmaller(r.hi, m.fma(r.hi * z, p, r.lo));
}

COIL_MATH_TEXT Pair cosReduced(Pair r) {
  M &m = *r.hi.m;
  Num z = r.hi * r.hi;
  Num p = m.isDouble ? poly(z, -0x1.907c0e977e8bdp-37, 0x1.1eeb66b6cb12cp-29,
                            -0x1.27e4fa15bdc69p-22, 0x1.a01a019f4d0fp-16,
                            -0x1.6c16c16c1696p-10, 0x1.5555555555555p-5)
                     : poly(z, 0x1.9bd67p-16, -0x1.6c12cep-10, 0x1.555554p-5);
  Num h = 0.5 * z, w = 1 - h;
  return addSmaller(w, ((1 - w) - h) + m.fma(z * z, p, -r.hi * r.lo));
}

/// `value` with the sign changed where bit `bit` of `quadrant` is set.
COIL_MATH_TEXT Num negateAt(Num value, Bits quadrant, unsigned bit) {
  M &m = *value.m;
  Bits sign = m.shl(m.mask(quadrant, m.integer(int64_t(1) << bit)),
                    m.getWidth() - 1 - bit);
  return m.fromBits(m.flip(m.bits(value), sign));
}

COIL_MATH_TEXT Num sinOrCos(Num x, int64_t quarters) {
  M &m = *x.m;
  Bits quadrant;
  Pair r = reduceAngle(x, quadrant);
  quadrant = m.add(quadrant, m.integer(quarters));
  Cond isOdd = m.isNonZero(m.mask(quadrant, m.integer(1)));
  return negateAt(m.select(isOdd, cosReduced(r).hi, sinReduced(r).hi), quadrant,
                  1);
}
COIL_MATH_TEXT Num sin(M &m, Num x) {
  return m.select(x == 0, x, sinOrCos(x, 0));
}
COIL_MATH_TEXT Num cos(M &, Num x) { return sinOrCos(x, 1); }

COIL_MATH_TEXT Num tan(M &m, Num x) {
  Bits quadrant;
  Pair r = reduceAngle(x, quadrant);
  Pair s = sinReduced(r), c = cosReduced(r);
  Cond isOdd = m.isNonZero(m.mask(quadrant, m.integer(1)));
  Num above = m.select(isOdd, c.hi, s.hi), below = m.select(isOdd, s.hi, c.hi);
  Num aboveLo = m.select(isOdd, c.lo, s.lo),
      belowLo = m.select(isOdd, s.lo, c.lo);
  Num inverse = 1 / below, q = above * inverse;
  Num rest = m.fma(-q, below, above) + m.fma(-q, belowLo, aboveLo);
  return m.select(x == 0, x, negateAt(m.fma(rest, inverse, q), quadrant, 0));
}

//===----------------------------------------------------------------------===//
// Inverse trigonometric functions
//===----------------------------------------------------------------------===//

/// (atan(t) - t) / t of z = t * t, for |t| <= tan(pi / 8).
COIL_MATH_TEXT Num atanRest(Num z) {
  if (z.m->isDouble)
    return z * poly(z, 0x1.0abb3a3829b06p-6, -0x1.1b28cee495a7dp-5,
                    0x1.74d9955076661p-5, -0x1.ac79a54276a46p-5,
                    0x1.e199f35dd1917p-5, -0x1.110e86a228a04p-4,
                    0x1.3b1392c5d6c1fp-4, -0x1.745d165d42469p-4,
                    0x1.c71c71c301242p-4, -0x1.249249248d7a3p-3,
                    0x1.9999999999953p-3, -0x1.5555555555555p-2);
  return z * poly(z, 0x1.6473e6p-5, -0x1.53478ap-4, 0x1.c2f3dep-4,
                  -0x1.246fc6p-3, 0x1.99989p-3, -0x1.555554p-2);
}

COIL_MATH_TEXT Num atan(M &m, Num x) {
  Num a = m.abs(x);
  // atan(a), pi / 4 + atan((a - 1) / (a + 1)) or pi / 2 + atan(-1 / a).
  Cond isMiddle = a > 0.4142135623730951, isHigh = a > 2.414213562373095;
  Num sum = a + 1, sumLo = m.select(a < 1, (1 - sum) + a, (a - sum) + 1);
  Num above = m.select(isHigh, m.num(-1.0), m.select(isMiddle, a - 1, a));
  Num below = m.select(isHigh, a, m.select(isMiddle, sum, m.num(1.0)));
  Num inverse = 1 / below, t = above * inverse;
  // Of the quotient, the difference and the sum.
  Num rest = m.fma(-t, below, above);
  Num differenceLo = (-1 - (a - 1)) + a;
  rest = m.select(isHigh, rest,
                  m.select(isMiddle, rest + m.fma(-t, sumLo, differenceLo), 0));
  // An infinity has no remainder.
  Num lo = m.select(a < (m.isDouble ? 0x1p1000 : 0x1p100), rest * inverse, 0);
  Num z = t * t;
  Num base = m.select(
      isHigh, m.num(0x1.921fb6p+0f, 0x1.921fb54442d18p+0),
      m.select(isMiddle, m.num(0x1.921fb6p-1f, 0x1.921fb54442d18p-1), 0));
  Num baseLo = m.select(
      isHigh, m.num(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54),
      m.select(isMiddle, m.num(-0x1.777a5cp-26f, 0x1.1a62633145c07p-55), 0));
  Num small = m.fma(t, atanRest(z), lo + baseLo);
  // Base and quotient are summed exactly: they may cancel.
  Num total = base + t;
  Num error = m.select(isMiddle, (base - total) + t, 0);
  return m.copySign(total + (error + small), x);
}

/// atan2.
COIL_MATH_TEXT Num angle(M &m, Num y, Num x) {
  Num a = m.abs(y), b = m.abs(x);
  Cond isSteep = a > b, isLeft = m.isNegative(x), isSame = a == b;
  // The quotient of two zeros is 0, that of infinities 1.
  Num above = m.select(isSame, m.select(a == 0, m.num(0.0), m.num(1.0)),
                       m.select(isSteep, b, a));
  Num below = m.select(isSame, m.num(1.0), m.select(isSteep, a, b));
  // Neither the inverse of the divisor nor sums leave the normal numbers.
  double least = m.isDouble ? 0x1p-900 : 0x1p-64;
  double most = m.isDouble ? 0x1p900 : 0x1p64;
  Num scale = m.select(
      below < least, m.num(m.isDouble ? 0x1p200 : 0x1p64),
      m.select(below > most, m.num(m.isDouble ? 0x1p-200 : 0x1p-64), 1));
  above = above * scale;
  below = below * scale;
  // atan(q) or pi / 4 + atan((q - 1) / (q + 1)).
  Cond isMiddle = above > 0.4142135623730951 * below;
  Pair sum = addSmaller(below, above), difference = addSmaller(-below, above);
  above = m.select(isMiddle, difference.hi, above);
  below = m.select(isMiddle, sum.hi, below);
  Num inverse = 1 / below, t = above * inverse;
  // What the quotient has lost; an infinity has no remainder.
  Num rest = m.fma(-t, below, above);
  rest = m.select(isMiddle, rest + m.fma(-t, sum.lo, difference.lo), rest) *
         inverse;
  rest = m.select(below < kInfinity, rest, 0);
  rest = m.fma(t, atanRest(t * t), rest);
  // The multiple of pi / 4 that the angle is counted from, and the direction.
  Num base = m.select(
      isMiddle,
      m.select(isLeft, m.num(0x1.2d97c8p+1f, 0x1.2d97c7f3321d2p+1),
               m.num(0x1.921fb6p-1f, 0x1.921fb54442d18p-1)),
      m.select(
          isSteep, m.num(0x1.921fb6p+0f, 0x1.921fb54442d18p+0),
          m.select(isLeft, m.num(0x1.921fb6p+1f, 0x1.921fb54442d18p+1), 0)));
  Num baseLo = m.select(
      isMiddle,
      m.select(isLeft, m.num(-0x1.99bc5cp-28f, 0x1.a79394c9e8a0ap-54),
               m.num(-0x1.777a5cp-26f, 0x1.1a62633145c07p-55)),
      m.select(
          isSteep, m.num(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54),
          m.select(isLeft, m.num(-0x1.777a5cp-24f, 0x1.1a62633145c07p-53), 0)));
  Num sign = m.select(isSteep, m.select(isLeft, m.num(1.0), -1.0),
                      m.select(isLeft, m.num(-1.0), 1.0));
  Pair total = addSmaller(base, sign * t);
  return m.copySign(total.hi + (total.lo + m.fma(sign, rest, baseLo)), y);
}

/// (asin(x) - x) / x of z = x * x, for |x| <= 0.5.
COIL_MATH_TEXT Num asinRest(Num z) {
  if (z.m->isDouble)
    return z * poly(z, 0x1.e70d4739cfcdbp-6, -0x1.3e33ab81c9ef2p-6,
                    0x1.42690e2347252p-6, 0x1.8899fb37b6777p-9,
                    0x1.31cd3bf734fap-7, 0x1.3b374c6a2c89fp-7,
                    0x1.7b04b32731abp-7, 0x1.c9907f8c561b2p-7,
                    0x1.1c4efe1e6966p-6, 0x1.6e8ba118f5fd7p-6,
                    0x1.f1c71c7a8c0eap-6, 0x1.6db6db6dabd04p-5,
                    0x1.333333333338bp-4, 0x1.5555555555555p-3);
  return z * poly(z, 0x1.34db12p-5, 0x1.d4fb38p-7, 0x1.04d452p-5, 0x1.6ca744p-5,
                  0x1.3338acp-4, 0x1.55554cp-3);
}

/// The argument of the polynomial, and of what asin it is then.
struct ArcSine {
  Cond isNear;
  Num root, rest;
};
COIL_MATH_TEXT ArcSine reduceArcSine(Num x) {
  M &m = *x.m;
  Num a = m.abs(x);
  // asin(a) = pi / 2 - 2 asin(sqrt((1 - a) / 2)); NaN above one.
  Cond isNear = a <= 0.5;
  Num half = m.fma(m.num(-0.5), a, m.num(0.5));
  Num z = m.select(isNear, x * x, half);
  Num root = m.sqrt(half);
  // What the root has lost; zero has lost nothing.
  Num lo = m.select(root > 0, 0.5 * m.fma(-root, root, half) / root, 0);
  root = m.select(isNear, a, root);
  return {isNear, root,
          m.fma(root, asinRest(z), m.select(isNear, m.num(0.0), lo))};
}

COIL_MATH_TEXT Num asin(M &m, Num x) {
  ArcSine r = reduceArcSine(x);
  Num far =
      m.num(0x1.921fb6p+0f, 0x1.921fb54442d18p+0) -
      2 * (r.root + (r.rest - m.num(-0x1.777a5cp-26f, 0x1.1a62633145c07p-55)));
  return m.copySign(m.select(r.isNear, r.root + r.rest, far), x);
}

COIL_MATH_TEXT Num acos(M &m, Num x) {
  ArcSine r = reduceArcSine(x);
  Num half = m.num(0x1.921fb6p+0f, 0x1.921fb54442d18p+0);
  Num halfLo = m.num(-0x1.777a5cp-25f, 0x1.1a62633145c07p-54);
  Num near = half - (x + (m.copySign(r.rest, x) - halfLo));
  Num right = 2 * (r.root + r.rest);
  Num left = 2 * half - 2 * (r.root + (r.rest - halfLo));
  return m.select(r.isNear, near, m.select(x > 0, right, left));
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erf(x) of f64.
COIL_MATH_TEXT Num erf(M &m, Num x) {
  Num near = m.fma(
      x,
      poly(x * x, 0x1.225426508571ap-34, -0x1.41a1daea70e6fp-30,
           0x1.fa3a0af42ef7bp-27, -0x1.5f52c6b5d6a1dp-23, 0x1.b9e475fdd45ddp-20,
           -0x1.f4d23fa46e14cp-17, 0x1.f9a32608b3a66p-14, -0x1.c02db3faede6p-11,
           0x1.565bcd0e56fd1p-8, -0x1.b82ce31288616p-6, 0x1.ce2f21a042bd6p-4,
           -0x1.812746b0379e7p-2, 0x1.06eba8214db69p-3),
      x);
  // 1 - erfc(a), which is all but 1 from 6 on: (1 + 2 a) e^(a^2) erfc(a) is
  // smooth in t.
  Num a = m.abs(x), limited = m.atMost(a, 6.5);
  // One division for two.
  Num sum = limited + 4, twice = m.fma(m.num(2.0), limited, m.num(1.0));
  Num inverse = 1 / (sum * twice);
  Num t = (limited - 4) * twice * inverse;
  Num p = poly(
      t, 0x1.b76c22b7dbc6ep-30, -0x1.4bd065d1c926ep-27, -0x1.27dd9abc65872p-26,
      0x1.bb7c4eb74d9bbp-24, 0x1.3ce342b53c80ep-24, -0x1.b7f5f29e0f8acp-21,
      0x1.3c188c290efbp-22, 0x1.7ef46369c07c4p-18, -0x1.788e926472d77p-17,
      -0x1.9954c8e980297p-16, 0x1.3be06e6fea0c1p-13, -0x1.a1df45af72d2ap-13,
      -0x1.8d4a9c53e7824p-11, 0x1.49c672ab896cdp-8, -0x1.09623882b6a76p-6,
      0x1.3079edf6187c9p-5, -0x1.0fb06dfe53e55p-4, 0x1.7fee004e14f63p-4,
      -0x1.9ddb23c3e8ac1p-4, 0x1.16ecefcfa529dp-4, 0x1.f7f5df66fd70fp-7,
      -0x1.1df1ad154a28dp-3, 0x1.3ba5916e9fd7fp+0);
  Num q = p * sum * inverse;
  Reduced r = reduceExponent(-(limited * limited));
  Num e = m.fma(r.r * r.r, expm1Rest(r.r), r.r) + r.rest;
  Num tail = m.fma(q, e, q) * exp2OfInteger(r.shifted);
  return m.select(a < 0.88, near, m.copySign(1 - tail, x));
}
