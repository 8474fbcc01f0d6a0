//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 in arithmetic of f64, whose results are rounded to f32: for
// lanes of vectors on the CPU and threads of GPUs, so without loops, and
// without branches but for what is rare. It is included behind MathText.h.
// Polynomials are those that scripts/fit_special.py calls narrow, with relative
// errors below 2^-33: what is left is the rounding to f32. Where a result may
// be a small difference (near zeros of Bessel functions, of lgamma and digamma
// of negative numbers) errors are below 2^-48 of the terms.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

/// e^x for x between -700 and 700.
COIL_MATH_TEXT Num expInside(Num x) {
  Reduced r = reduceExponent(x);
  Num p = x.m->fma(r.r * r.r, expm1Rest(r.r), r.r);
  return (p + 1) * exp2OfInteger(r.shifted);
}

/// log(x) of a positive normal number, within 2^-34.
COIL_MATH_TEXT Num logInside(Num x) {
  M &m = *x.m;
  Split split = splitExponent(x, /*maySubnormal=*/false);
  Num f = split.significand - 1;
  Num rest =
      poly(f, 0x1.b9ce201c5fbb0p-5, -0x1.903d12a33abedp-4, 0x1.967b6c007aa1cp-4,
           -0x1.96fbfe69b0695p-4, 0x1.c3b930b4ce5fdp-4, -0x1.ffed885e08173p-4,
           0x1.24a4605850f32p-3, -0x1.555628452ffd2p-3, 0x1.99994a9651e26p-3,
           -0x1.fffffce751926p-3, 0x1.5555558685d78p-2, -0x1.0000000061fefp-1);
  return m.fma(split.k, m.num(0x1.62e42fefa39efp-1), m.fma(f * f, rest, f));
}

COIL_MATH_TEXT Num narrowAsinh(M &m, Num x) {
  Num a = m.abs(x), root = m.sqrt(m.fma(a, a, m.num(1.0)));
  Num far = logInside(a + root);
  Num near = m.fma(a * a, a * (-1.0 / 6), a);
  Num result = m.select(a < 0x1p-12, near, m.select(a < kInfinity, far, a));
  return m.copySign(result, x);
}

COIL_MATH_TEXT Num narrowAcosh(M &m, Num x) {
  Num result = logInside(x + m.sqrt((x - 1) * (x + 1)));
  result = m.select(x < kInfinity, result, x);
  return m.select(x >= 1, result, kNaN);
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

/// erfcx(a) for 0 <= a < 2^100.
COIL_MATH_TEXT Num erfcxInside(Num a) {
  M &m = *a.m;
  // (1 + 2 a) erfcx(a); one division for two.
  Num sum = a + 4, twice = m.fma(m.num(2.0), a, m.num(1.0));
  Num inverse = 1 / (sum * twice);
  Num t = (a - 4) * twice * inverse;
  Num p =
      poly(t, 0x1.b32728ffed931p-19, -0x1.421fc46669274p-17,
           -0x1.5cb386c5f93d8p-16, 0x1.35fa02dbb74cap-13,
           -0x1.a7f8487aa1b74p-13, -0x1.8c0317ad24219p-11, 0x1.49dcabc24e024p-8,
           -0x1.0967138d7e176p-6, 0x1.30793c079bf90p-5, -0x1.0fb01e5ef8665p-4,
           0x1.7fee0b4ffdd19p-4, -0x1.9ddb2dc12d988p-4, 0x1.16ecef4a29d80p-4,
           0x1.f7f5e336f6d98p-7, -0x1.1df1ad14c4d0ep-3, 0x1.3ba5916e9096ap+0);
  return p * sum * inverse;
}

COIL_MATH_TEXT Num narrowErfc(M &m, Num x) {
  Num a = m.atMost(m.abs(x), 20);
  Num tail = erfcxInside(a) * expInside(-(a * a));
  return m.select(x < 0, 2 - tail, tail);
}

/// The y > 0 with erfc(y) = q and erf(y) = a, for 0 < q <= 1.
COIL_MATH_TEXT Num erfcInverse(Num q, Num a) {
  M &m = *q.m;
  // a times a polynomial of -log(1 - a^2), or sqrt(-log(q)) and a correction.
  Cond isLow = q > 0.0184;
  Num l = -logInside(q * m.select(isLow, 1 + a, m.num(1.0)));
  Num low = a * poly(l, -0x1.5f254a5be48c0p-30, 0x1.cff1113d8bcf2p-27,
                     0x1.0588edc746d21p-24, -0x1.712f2e8fae793p-20,
                     0x1.73bc223187bcep-19, 0x1.7f1dca3c2efeep-15,
                     -0x1.0b06e7048dde2p-13, -0x1.321b79cf0e530p-9,
                     0x1.7a737b7deac70p-7, 0x1.db29fa64919ddp-3,
                     0x1.c5bf891c061d3p-1);
  Num s = m.sqrt(l), t = (s - 3) / (s + 3);
  Num high = s + poly(t, 0x1.479fd7ff8134cp-6, -0x1.455b217e91e2bp-5,
                      0x1.1eccdeff6b7d7p-5, 0x1.58b33c3ba0506p-8,
                      -0x1.cec0626824630p-5, 0x1.db0ba78ba8d03p-4,
                      -0x1.390ce91eaf49ep-3, 0x1.64c1b29154bbbp-3,
                      -0x1.02b90c63da29ep-3, 0x1.bf4baba3a1fc5p-5,
                      0x1.008731db84f9ep-2, -0x1.2415b1652b4eep-2);
  return m.select(isLow, low, high);
}

COIL_MATH_TEXT Num narrowErfinv(M &m, Num x) {
  Num a = m.abs(x);
  Num limit = m.select(a == 1, m.num(kInfinity), m.num(kNaN));
  return m.copySign(m.select(a < 1, erfcInverse(1 - a, a), limit), x);
}

COIL_MATH_TEXT Num narrowNdtri(M &m, Num p) {
  Num above = 1 - p, q = 2 * m.select(p < above, p, above);
  Num y = 0x1.6a09e667f3bcdp+0 * erfcInverse(q, 1 - q);
  y = m.select(q > 0, y, m.select(q == 0, m.num(kInfinity), m.num(kNaN)));
  return m.select(p < above, -y, y);
}

COIL_MATH_TEXT Num narrowLogNdtr(M &m, Num x) {
  Num square = 0.5 * x * x;
  Num half =
      0.5 * erfcxInside(m.atMost(m.abs(x) * 0x1.6a09e667f3bcdp-1, 0x1p90));
  // log of the tail below zero, log(1 - tail) above.
  Num tail = half * expInside(m.atLeast(-square, -300));
  Num l = logInside(m.select(x < 0, half, 1 - tail));
  Num above = m.select(tail < 0x1p-18, m.fma(-0.5 * tail, tail, -tail), l);
  Num result = m.select(x < 0, l - square, above);
  return m.select(x == x, result, x);
}

//===----------------------------------------------------------------------===//
// Bessel functions
//===----------------------------------------------------------------------===//

/// exp(-|x|) times I of |x|, or I.
template <int Order, bool IsScaled>
COIL_MATH_TEXT Num narrowBesselI(M &m, Num x) {
  Num a = m.abs(x), near = m.atMost(a, 8), far = m.atLeast(a, 8);
  Num q = near * near, inverse = 1 / far,
      t = m.fma(m.num(16.0), inverse, m.num(-1.0));
  Num series, tail;
  if constexpr (Order == 0) {
    series = poly(
        q, 0x1.2772a5231d6f6p-81, 0x1.ff5f71023dde2p-74, 0x1.6d39d7902e99bp-64,
        0x1.07f989bbe74f1p-55, 0x1.52c2e759c7227p-47, 0x1.5216f4b9d7d37p-39,
        0x1.02ea06747420cp-31, 0x1.2345365ed7919p-24, 0x1.c71c790a8b92cp-18,
        0x1.c71c7123e326bp-12, 0x1.000000076f576p-6, 0x1.fffffffeefc8dp-3,
        0x1.000000000671cp+0);
    tail = poly(t, -0x1.0549af0deb682p-27, 0x1.890ca334d7dd2p-30,
                0x1.a260057098b05p-25, 0x1.c67d5abdc5f50p-24,
                0x1.3c4383e6b0d90p-22, 0x1.8cb8c8ec27089p-20,
                0x1.75e8b706d3b8dp-17, 0x1.1daad75177365p-13,
                0x1.b87969ad8ea15p-9, 0x1.9bd428ace466cp-2);
  } else {
    series = near * poly(q, 0x1.bb5e9645db2e2p-77, 0x1.5ffa5ba179b0dp-69,
                         0x1.c830370b9fc2dp-60, 0x1.291241e309bb4p-51,
                         0x1.52baffe65364ap-43, 0x1.27d58edd575fep-35,
                         0x1.845eb21d0b466p-28, 0x1.6c16909d0c135p-21,
                         0x1.c71c76dc3cb7bp-15, 0x1.5555550f717a7p-9,
                         0x1.00000002efc9ap-4, 0x1.ffffffffd638ep-2);
    tail = poly(t, 0x1.0c324b2b14e6cp-27, -0x1.4125acfc15804p-29,
                -0x1.c9ef77019f9c2p-25, -0x1.fb0e5b3dc69f6p-24,
                -0x1.72c490a6947eep-22, -0x1.eadd4dc656c41p-20,
                -0x1.f89f31bea253bp-17, -0x1.cbc5b8b9529cfp-13,
                -0x1.3f79619513fb9p-7, 0x1.8ebe783ac82c6p-2);
  }
  tail = tail * m.sqrt(inverse);
  Num result;
  if constexpr (IsScaled) {
    result = m.select(a < 8, series * expInside(-near), tail);
  } else {
    result = m.select(a < 8, series, tail * expInside(m.atMost(far, 200)));
    // PyTorch has no value at infinity.
    result = m.select(a == kInfinity, m.num(kNaN), result);
  }
  return Order == 0 ? result : m.copySign(result, x);
}

/// exp(x) times K of x, or K.
template <int Order, bool IsScaled>
COIL_MATH_TEXT Num narrowBesselK(M &m, Num x) {
  Cond isNear = x <= 2;
  Num near = m.atMost(x, 2), far = m.atLeast(x, 2), q = near * near;
  Num inverse = 1 / m.select(isNear, near, far);
  Num l = logInside(0.5 * near);
  Num t = m.fma(m.num(4.0), m.select(isNear, m.num(0.5), inverse), m.num(-1.0));
  Num series, tail;
  if constexpr (Order == 0) {
    Num i =
        poly(q, 0x1.16072a90fbe9dp-31, 0x1.2270cef533b28p-24,
             0x1.c7258cf0e4046p-18, 0x1.c71c3ea38b7b1p-12, 0x1.0000008897194p-6,
             0x1.fffffffbba651p-3, 0x1.000000000594ap+0);
    Num k =
        poly(q, 0x1.05bfb6cdac68ep-30, 0x1.ef43aab3a7d36p-24,
             0x1.56c2eb29be734p-17, 0x1.1dd5f4b0cc4ccp-11, 0x1.d87732617a340p-7,
             0x1.b0ee6060c1c5cp-4, -0x1.2788cfc6e4cf0p-1);
    series = m.fma(-l, i, k);
    tail = poly(t, -0x1.4a1e60ef7b7bep-24, 0x1.8815cde701f42p-23,
                -0x1.df27080df0cadp-23, 0x1.5824f5f299f2ep-21,
                -0x1.297d749f70123p-19, 0x1.d9ac07429b6ffp-18,
                -0x1.9ee2907031417p-16, 0x1.a187c64adf591p-14,
                -0x1.f7132b3c48ed5p-12, 0x1.8d870067bc0eep-9,
                -0x1.fd132816121cfp-6, 0x1.37f5dd35e70a9p+0);
  } else {
    Num i =
        poly(q, 0x1.3af1a8c536c55p-35, 0x1.8388fb1fc267cp-28,
             0x1.6c1b48a948c9bp-21, 0x1.c71c585af86b2p-15, 0x1.555555993945ep-9,
             0x1.fffffffef03e3p-5, 0x1.0000000000b18p-1);
    Num k = poly(q, -0x1.3377d4cdca6bap-34, -0x1.5a9dc75ee53f2p-27,
                 -0x1.246739af41758p-20, -0x1.3a47d5057c830p-14,
                 -0x1.73ddaeec5e389p-9, -0x1.58773036ce520p-5,
                 0x1.3c467e37c3ee6p-5);
    series = m.fma(near, m.fma(l, i, k), inverse);
    tail = poly(
        t, 0x1.7ed2484381d46p-24, -0x1.cb5121703c82dp-23, 0x1.229c63a60c86dp-22,
        -0x1.a7e04acfb8a02p-21, 0x1.724c25ad13847p-19, -0x1.2ed9ce6a3f4c9p-17,
        0x1.1374a280157c1p-15, -0x1.24b58ff821791p-13, 0x1.81bb4e6b10131p-11,
        -0x1.6cd2409ac1dccp-8, 0x1.a7520dfaaa33fp-4, 0x1.5cf785b4b4e4bp+0);
  }
  tail = tail * m.sqrt(inverse);
  Num result;
  if constexpr (IsScaled)
    result = m.select(isNear, series * expInside(near), tail);
  else
    result = m.select(isNear, series, tail * expInside(m.atLeast(-far, -300)));
  Num limit = m.select(x == 0, m.num(kInfinity), m.num(kNaN));
  return m.select(x > 0, result, limit);
}

/// J or Y of order 0 or 1 of |x| < 2^20.
template <int Order, bool IsY>
COIL_MATH_TEXT Num narrowBesselJY(M &m, Num x) {
  Num a = m.abs(x), near = m.atMost(a, 8), far = m.atLeast(a, 8);
  // Series of the square; Y has the logarithm times J, too.
  Num t = m.fma(near * near, m.num(1.0 / 32), m.num(-1.0));
  constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  Num series;
  if constexpr (Order == 0)
    series = poly(
        t, -0x1.b558fbbc53c15p-37, 0x1.73936957fe7ddp-32,
        -0x1.0ff8031261ddap-27, 0x1.56a634f0aad1ap-23, -0x1.6cc526d76037fp-19,
        0x1.42bc916925110p-15, -0x1.d11773b2ddb1fp-12, 0x1.09f34489dbef7p-8,
        -0x1.d27f3cd0c36b6p-6, 0x1.2afc33916fe49p-3, -0x1.03d2da095b4dcp-1,
        0x1.09d33c8273433p+0, -0x1.9dbdd0f268edfp-1, -0x1.4c042a76a3d8cp-1,
        0x1.dc5071f1209f4p-1, 0x1.776fc5f84e27ep-5);
  else
    series = near * poly(t, -0x1.c2c89ea282aaap-42, 0x1.9a36aed03c986p-37,
                         -0x1.43968f39d3c0fp-32, 0x1.b9f2b1b189a63p-28,
                         -0x1.00fdba62dd55dp-23, 0x1.f58f15d1dd73fp-20,
                         -0x1.936bb44012d62p-16, 0x1.059d31145aa0ap-12,
                         -0x1.09f3448afe710p-9, 0x1.982f5536aba62p-7,
                         -0x1.c07a4d5a245f9p-5, 0x1.44c7908bb21fap-3,
                         -0x1.09d33c82734c7p-2, 0x1.364e5cb5ceb28p-3,
                         0x1.4c042a76a3d9ap-4, -0x1.dc5071f1209f4p-5);
  if constexpr (IsY) {
    Num rest;
    if constexpr (Order == 0)
      rest = poly(
          t, 0x1.d99758e3bc03ap-36, -0x1.89f1f8d706c7ap-31,
          0x1.1997efa6ed2adp-26, -0x1.5994172e627f9p-22, 0x1.651b8f7868903p-18,
          -0x1.31537db2b17c1p-14, 0x1.a6a8c6c8ef0bdp-11, -0x1.cc70600fb4fa1p-8,
          0x1.7bd6bf2ce9b8dp-5, -0x1.c06cc647fbc41p-3, 0x1.5827981135a14p-1,
          -0x1.13da2b14a4727p+0, 0x1.272bb3b608b46p-3, 0x1.a5a81d661f779p+0,
          -0x1.a828bfbfdc936p-1, -0x1.876cb72f1c7eap-2);
    else
      rest = m.fma(near,
                   poly(t, 0x1.ed0a7abfaa792p-41, -0x1.b7b8e36d2d92ap-36,
                        0x1.532ebc8e4e6f7p-31, -0x1.c3f04ecca3d1cp-27,
                        0x1.ff34fd0887975p-23, -0x1.e3516b2bf00d2p-19,
                        0x1.76c164b810f2fp-15, -0x1.d1604f9b92099p-12,
                        0x1.c097bb98fe01bp-9, -0x1.4198f92a33313p-6,
                        0x1.41bb6917b15d6p-4, -0x1.923952d7c4256p-3,
                        0x1.e16d7a1d07b70p-3, 0x1.7edab31507ce5p-6,
                        -0x1.f26fddceafd0ep-3, 0x1.21d516f81acf6p-4),
                   -twoOverPi / near);
    series = m.fma(twoOverPi * log(m, near), series, rest);
  }
  // sqrt(2 / (pi x)) times the modulus times sine or cosine of x - pi / 4 and
  // the phase.
  Num inverse = 1 / far, u = m.fma(128 * inverse, inverse, m.num(-1.0));
  Num modulus, phase;
  if constexpr (Order == 0) {
    modulus = poly(u, -0x1.d3445a4c9f770p-36, 0x1.6179e93eccd05p-33,
                   -0x1.419601d6eb3c6p-30, 0x1.a547381928a7cp-27,
                   -0x1.a031ae371c67cp-23, 0x1.7b0edeb856011p-18,
                   -0x1.f37c6ae901a95p-12, 0x1.ffc0cbf5724bfp-1);
    phase = poly(
        u, -0x1.4f9f1d1830ac7p-39, 0x1.2c32a67996b7ap-37,
        -0x1.e2bfbe07ea562p-36, 0x1.1fce204344603p-33, -0x1.948469cdcb8e3p-31,
        0x1.557b4505b6154p-28, -0x1.74c6cebfd7667p-25, 0x1.1fbcbdd35b7c6p-21,
        -0x1.6c57b2c1540a8p-17, 0x1.fca9766f319c5p-12, -0x1.fdf756b3b84f0p-4);
  } else {
    modulus = poly(u, 0x1.19ac5cbd66ed1p-35, -0x1.b54cc131bd666p-33,
                   0x1.9e72427d88aedp-30, -0x1.208aba43b40e3p-26,
                   0x1.3e50bb1754e7ap-22, -0x1.6a2583aa33e27p-17,
                   0x1.7a169eb43f9aap-10, 0x1.005f40034c36cp+0);
    phase = poly(
        u, 0x1.824dcbfe4a6dep-39, -0x1.5d42dce8fa44cp-37, 0x1.1e4e69b74ff98p-35,
        -0x1.5b764ce65d819p-33, 0x1.f41383633627bp-31, -0x1.b589a0545b92cp-28,
        0x1.f99d01f51d703p-25, -0x1.afa0953628e46p-21, 0x1.4c0898f6ee0fep-16,
        -0x1.44eb77ec95911p-10, 0x1.7eb5a9fde20fep-2);
  }
  Num shifted;
  Num k = roundToInteger(m.fma(far, m.num(twoOverPi), m.num(-0.5)), shifted);
  Pair r = subtractQuarters(far, k + 0.5);
  r = addSmaller(r.hi, m.fma(phase, inverse, r.lo));
  Bits quadrant = m.add(m.bits(shifted), m.integer((IsY ? 0 : 1) - Order));
  Cond isOdd = m.isNonZero(m.mask(quadrant, m.integer(1)));
  Num wave = negateAt(m.select(isOdd, cosReduced(r).hi, sinReduced(r).hi),
                      quadrant, 1);
  Num tail = m.sqrt(twoOverPi * inverse) * modulus * wave;
  Num result = m.select(a < 8, series, tail);
  if constexpr (IsY) {
    Num limit = m.select(x == 0, m.num(-kInfinity), m.num(kNaN));
    return m.select(x > 0, result, limit);
  }
  return Order == 0 ? result : m.select(m.isNegative(x), -result, result);
}

//===----------------------------------------------------------------------===//
// Gamma functions
//===----------------------------------------------------------------------===//

/// sin(pi x) and cos(pi x) for |x| <= 1/2.
struct HalfTurn {
  Num sine, cosine;
};
COIL_MATH_TEXT HalfTurn sinCosPi(Num x) {
  M &m = *x.m;
  // The distance from the nearest multiple of 1/2 is at most 1/4.
  Num a = m.abs(x);
  Cond isSteep = a > 0.25;
  Num r = 0x1.921fb54442d18p+1 * m.select(isSteep, 0.5 - a, a);
  Pair reduced = {r, m.num(0.0)};
  Num s = sinReduced(reduced).hi, c = cosReduced(reduced).hi;
  return {m.copySign(m.select(isSteep, c, s), x), m.select(isSteep, s, c)};
}

/// x less the nearest whole number, for |x| < 2^51.
COIL_MATH_TEXT Num getDistance(Num x) {
  Num shifted;
  return x - roundToInteger(x, shifted);
}

/// For y between 1 and 2 and gamma(x) = gamma(y) (x - 1) ... y below 4.
struct Shifted {
  Cond isSmall, isTwo, isThree, isFar;
  Num y;
};
COIL_MATH_TEXT Shifted shiftBelowTwo(Num x) {
  M &m = *x.m;
  Cond isSmall = x < 1, isTwo = x >= 2, isThree = x >= 3, isFar = x >= 4;
  Num y = m.select(isSmall, x + 1,
                   m.select(isThree, x - 2, m.select(isTwo, x - 1, x)));
  return {isSmall, isTwo, isThree, isFar, y};
}

COIL_MATH_TEXT Num narrowLgamma(M &m, Num x) {
  Num a = m.abs(x);
  Shifted shift = shiftBelowTwo(a);
  Num y = shift.y;
  Num factor = m.select(shift.isThree, (a - 1) * (a - 2),
                        m.select(shift.isTwo, a - 1, 1.0));
  Num l = log(m, m.select(shift.isFar, a, m.select(shift.isSmall, a, factor)));
  Num p = poly(
      y - 1.5, -0x1.2eb5136d557dbp-16, 0x1.db79b9599b3a6p-16,
      -0x1.72274bc432ce1p-16, 0x1.25823abba02b4p-15, -0x1.1bbedb9aeb43dp-14,
      0x1.c3ca9686347cfp-14, -0x1.61af5dcde0802p-13, 0x1.1c0dd4afb9573p-12,
      -0x1.cb4cc1c288e9ep-12, 0x1.7510a4178474dp-11, -0x1.313e688773355p-10,
      0x1.f81485f78bbd0p-10, -0x1.a50352d82388ep-9, 0x1.64f066cdbffa0p-8,
      -0x1.34dbda13c8fa0p-7, 0x1.13342351dde0fp-6, -0x1.007aa83cee7e5p-5,
      0x1.01af62a292e9ep-4, -0x1.2aed059bd608ap-3, 0x1.eeb95b094c191p-2);
  Num near = m.fma((y - 1) * (y - 2), p, m.select(shift.isSmall, -l, l));
  Num inverse = 1 / a;
  Num stirling = poly(
      inverse * inverse, -0x1.2fc6e8ae53b65p-7, 0x1.40f4bdcb08087p-8,
      -0x1.e497250cc63a2p-10, 0x1.b857ffda87921p-11, -0x1.380fb7479edb0p-11,
      0x1.a019fa4230bf4p-11, -0x1.6c16c16ab4adap-9, 0x1.555555555553fp-4);
  Num far = m.fma(a - 0.5, l - 1,
                  m.fma(stirling, inverse, m.num(0x1.d67f1c864beb5p-1 - 0.5)));
  Num positive = m.select(shift.isFar, far, near);
  return m.whereAny(x < 0, positive, [&] {
    // gamma(x) gamma(-x) = -pi / (x sin(pi x)); large numbers are whole.
    Num d = m.abs(getDistance(m.select(a < 0x1p24, a, 0.0)));
    Num sine = sinCosPi(d).sine;
    Num negative = log(m, 0x1.921fb54442d18p+1 / (a * sine)) - positive;
    negative = m.select(d == 0, m.num(kInfinity), negative);
    return m.select(x < 0, negative, positive);
  });
}

COIL_MATH_TEXT Num narrowDigamma(M &m, Num x) {
  Cond isNegative = x < 0;
  Num z = m.select(isNegative, 1 - x, x);
  Shifted shift = shiftBelowTwo(z);
  Num p = poly(
      shift.y - 1.5, -0x1.816cfd16c81bdp-12, 0x1.21127a2253fafp-11,
      -0x1.8172e036fd2ddp-12, 0x1.2119d7836c4dcp-11, -0x1.18d496797a39fp-10,
      0x1.a54aae0dbfbabp-10, -0x1.329de303f2b70p-9, 0x1.cc11e7ba7dc4ep-9,
      -0x1.5a121914f876dp-8, 0x1.03c8457c08041p-7, -0x1.863501851cd77p-7,
      0x1.25642f75e3d82p-6, -0x1.b9f8b3035b15bp-6, 0x1.4de9ab5f7cdd3p-5,
      -0x1.fb44202551da7p-5, 0x1.8512e58d002bap-4, -0x1.2feeeb98a9f7ap-3,
      0x1.eca189b8ea193p-3, -0x1.b1cb63005ee91p-2, 0x1.e6f0cbb873612p-1);
  p = ((shift.y - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54) * p;
  // One division for all.
  Num above =
      m.select(shift.isSmall, m.num(-1.0),
               m.select(shift.isThree, m.fma(m.num(2.0), z, m.num(-3.0)), 1.0));
  above = m.select(shift.isFar, m.num(1.0), above);
  Num below =
      m.select(shift.isFar, z,
               m.select(shift.isSmall, z,
                        m.select(shift.isThree, (z - 1) * (z - 2), z - 1)));
  Num q = above / below;
  Num near = p + m.select(shift.isSmall, q, m.select(shift.isTwo, q, 0.0));
  Num square = q * q;
  Num tail =
      poly(square, -0x1.f335a7ae25434p-4, 0x1.eccdeea4d7d17p-5,
           -0x1.48908c4de19b7p-6, 0x1.eea9e69c6f9b8p-8, -0x1.110a0903b1417p-8,
           0x1.04103362e2133p-8, -0x1.1111110bf4f17p-7, 0x1.555555555540fp-4);
  Num far = log(m, z) - m.fma(square, tail, 0.5 * q);
  Num result = m.select(shift.isFar, far, near);
  result = m.whereAny(isNegative, result, [&] {
    Num d = getDistance(m.select(x > -0x1p24, x, 0.0));
    HalfTurn turn = sinCosPi(d);
    Num reflected = result - 0x1.921fb54442d18p+1 * turn.cosine / turn.sine;
    reflected = m.select(d == 0, m.num(kNaN), reflected);
    return m.select(isNegative, reflected, result);
  });
  Num pole = m.copySign(m.num(kInfinity), -x);
  return m.select(x == 0, pole, result);
}

COIL_MATH_TEXT Num narrowTrigamma(M &m, Num x) {
  // Reflected below 1/2, as where its own sum would be.
  Cond isReflected = x < 0.5;
  Num z = m.select(isReflected, 1 - x, x);
  Shifted shift = shiftBelowTwo(z);
  Num p =
      poly(shift.y - 1.5, -0x1.f1efa5bd46299p-8, 0x1.63d9cef8e5bd3p-7,
           -0x1.88557ba2fb251p-8, 0x1.14a8debba9572p-7, -0x1.14f8fa01e0359p-6,
           0x1.85d8d12867d92p-6, -0x1.05090e6e879dap-5, 0x1.6ba8a32456f00p-5,
           -0x1.f9e3926122affp-5, 0x1.5c1ccc8059d65p-4, -0x1.db4c8c5049310p-4,
           0x1.41a4693ff1dfep-3, -0x1.aeb6f62a42dbfp-3, 0x1.1cc13af35199cp-2,
           -0x1.72d748700d4d6p-2, 0x1.da2d962b8e315p-2, -0x1.287825429a45ep-1,
           0x1.68ba30a4318cap-1, -0x1.a85808a40ab66p-1, 0x1.de9e64df22e9cp-1);
  // 1 / z^2, 1 / (z - 1)^2 and 1 / (z - 2)^2.
  Num a = 1 / m.select(shift.isFar, z, m.select(shift.isSmall, z, z - 1));
  Num b = 1 / m.select(shift.isThree, z - 2, 1.0);
  Num first = a * a;
  Num near = m.select(shift.isSmall, p + first,
                      m.select(shift.isThree, (p - first) - b * b,
                               m.select(shift.isTwo, p - first, p)));
  Num tail =
      poly(first, -0x1.b399426a13cb6p+0, 0x1.9534223200c55p-1,
           -0x1.e4899296559fep-3, 0x1.3482906597e2bp-4, -0x1.11034c6308bb1p-5,
           0x1.86182c51e7acbp-6, -0x1.111110fd27248p-5, 0x1.5555555554b69p-3);
  Num far = m.fma(first, m.fma(tail, a, m.num(0.5)), a);
  Num result = m.select(shift.isFar, far, near);
  result = m.whereAny(isReflected, result, [&] {
    // Whole numbers are poles.
    Num d = getDistance(m.select(x > -0x1p24, x, 0.0));
    Num ratio = 0x1.921fb54442d18p+1 / sinCosPi(d).sine;
    Num reflected = m.fma(ratio, ratio, -result);
    reflected = m.select(d == 0, m.num(kInfinity), reflected);
    return m.select(isReflected, reflected, result);
  });
  return m.select(x == -kInfinity, m.num(kNaN), result);
}
