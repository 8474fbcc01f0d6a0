//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special functions by polynomials (scripts/fit_special.py), series, continued
// fractions and asymptotic expansions. The host and the device compile this
// text, each with elementary functions of its own; pairs of numbers are those
// of lib/Device/Elementary.h on both. The file that includes it defines
// COIL_SPECIAL_NAMESPACE, where they are visible, and COIL_SPECIAL_FUNCTION,
// what every function is declared with. It must not be contracted.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H
#define COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H

namespace COIL_SPECIAL_NAMESPACE {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kSqrtPi = 1.77245385090551602730;
inline constexpr double kSqrt2 = 1.41421356237309504880;
inline constexpr double kInf = __builtin_inf();
inline constexpr double kNaN = __builtin_nan("");
inline constexpr double kEps = 1e-17;

/// exp(x * x) with the rounding error of the square put back.
COIL_SPECIAL_FUNCTION double expOfSquare(double x) {
  double square = x * x;
  // Beyond the range of exp the error would be of infinity.
  double error = square < 1000 ? fma(x, x, -square) : 0;
  return exp(square) * (1 + error);
}

COIL_SPECIAL_FUNCTION double erfcx(double x) {
  if (isnan(x))
    return x;
  if (x < 0.5)
    return expOfSquare(x) * erfc(x);
  if (x > 0x1p60)
    return 1 / kSqrtPi / x;
  Pair result = erfcxRational(x);
  return result.hi + result.lo;
}

/// erfinv(x) for |x| <= 0.5.
COIL_SPECIAL_FUNCTION double erfinvCentre(double x) {
  double z = x * x;
  double p =
      poly(z, 0x1.b027b5feb0defp-4, -0x1.24d7db170e9bfp-4, 0x1.173d553b4c29ep-4,
           0x1.d1125ebbbc304p-8, 0x1.d15ef0034655cp-6, 0x1.c21818eabc1ddp-6,
           0x1.0408b29f2dccep-5, 0x1.2ab2766d938f0p-5, 0x1.5eeb83571203ep-5,
           0x1.a7c8594faae75p-5, 0x1.0a1318a43aacap-4, 0x1.62847c47ca0b6p-4,
           0x1.053c2c0ab9260p-3, 0x1.db29fb2fee5e4p-3);
  constexpr double slope = 0x1.c5bf891b4ef6bp-1,
                   slopeLo = -0x1.618f13eb7ca89p-55;
  double y = x * slope;
  // A product with subnormal numbers has no remainder.
  if (fabs(x) < 0x1p-900)
    return y;
  return y + (fma(x, slope, -y) + x * fma(z, p, slopeLo));
}

/// The y > 0 with erfc(y) = q and erf(y) = a, for 0 < q < 0.5.
COIL_SPECIAL_FUNCTION double erfcInverse(double q, double a) {
  if (q > 0.0375) {
    // y / a is smooth in log(1 - a^2).
    double below = 2 - q, power = q * below;
    double powerLo = fma(q, below, -power) + q * ((2 - below) - q);
    double t = (-log(power) - 1.44) - powerLo / power;
    double p = poly(
        t, -0x1.400922bfcfea7p-47, 0x1.85f4f56859ae3p-43,
        -0x1.911d9905c1a5cp-44, -0x1.233922bb55e35p-37, 0x1.01a852d7e3ea6p-35,
        0x1.382bbb42c1a30p-32, -0x1.303c969585f92p-29, -0x1.99ae28023c7d9p-28,
        0x1.046d8a1aa2db3p-23, -0x1.06f95e8262611p-23, -0x1.65ec0294ac76bp-18,
        0x1.a70df215f05aep-16, 0x1.6557398ef6bfep-13, -0x1.17b8bfae985e3p-9,
        0x1.4a5894a30a38ep-10, 0x1.003d5fd3a6291p-2);
    Pair sum = addSmaller(0x1.3caf072aa0141p+0, t * p);
    double y = a * sum.hi;
    return y + (fma(a, sum.hi, -y) + a * (sum.lo + 0x1.558cc1e295408p-63));
  }
  // One step of Halley's method on log(erfc(y)) - log(q).
  Pair l = logPair(q);
  double s = sqrt(-l.hi), t = (s - 6) / (s + 6);
  double y = s + poly(t, -0x1.1e4b387be0fbbp-4, 0x1.15364d5ecc6f4p-3,
                      -0x1.995eac8545375p-4, 0x1.16f42e02e50a4p-4,
                      -0x1.3575297363d1ep-4, 0x1.36be23b0f857ap-4,
                      -0x1.a717d2819ff10p-5, 0x1.9c85324b1cde2p-6,
                      0x1.8e09212022a12p-6, -0x1.2fd17afbc83d4p-4,
                      0x1.dfc6f66f58b60p-3, -0x1.96ea409cf477fp-3);
  Pair scaled = erfcxRational(y);
  double square = y * y, squareLo = fma(y, y, -square);
  double g = ((-l.hi - square) + log(scaled.hi)) +
             (scaled.lo / scaled.hi - squareLo - l.lo);
  double slope = 2 / (kSqrtPi * scaled.hi), step = g / slope;
  return y + step / (1 + step * (0.5 * slope - y));
}

COIL_SPECIAL_FUNCTION double erfinv(double x) {
  double a = fabs(x);
  if (!(a < 1))
    return a == 1 ? copysign(kInf, x) : kNaN;
  return a <= 0.5 ? erfinvCentre(x) : copysign(erfcInverse(1 - a, a), x);
}

COIL_SPECIAL_FUNCTION double ndtri(double p) {
  if (!(p >= 0 && p <= 1))
    return kNaN;
  if (p == 0 || p == 1)
    return p == 0 ? -kInf : kInf;
  if (p >= 0.25 && p <= 0.75)
    return kSqrt2 * erfinvCentre(2 * (p - 0.5));
  return p < 0.5 ? -kSqrt2 * erfcInverse(2 * p, 1 - 2 * p)
                 : kSqrt2 * erfcInverse(2 * (1 - p), 2 * p - 1);
}

COIL_SPECIAL_FUNCTION double logNdtr(double x) {
  if (x < -1)
    return log(erfcx(-x / kSqrt2) / 2) - x * x / 2;
  // Where erfc is small, an error of its argument is large in the result.
  constexpr double half = 0x1.6a09e667f3bcdp-1, halfLo = -0x1.bdd3413b26456p-55;
  double y = x * half;
  double lo = x < 40 ? fma(x, half, -y) + x * halfLo : 0;
  double q = erfc(y) - lo * (2 / kSqrtPi) * exp(-y * y);
  return log1p(-q / 2);
}

/// The Bessel function I of order 0 or 1 of 0 <= x < 8.
template <int Order>
COIL_SPECIAL_FUNCTION double besselISeries(double x) {
  // All terms are positive.
  double q = x * x / 4;
  if (Order == 0)
    return fma(q,
               poly(q, 0x1.2069052b0b501p-80, 0x1.0d6a26a87e4bcp-73,
                    0x1.f3ce33d9e3b74p-66, 0x1.40852a1bdf9fbp-58,
                    0x1.69eac23652b1dp-51, 0x1.55fedb223c9d2p-44,
                    0x1.0b315b8692d2bp-37, 0x1.522a407351c9ap-31,
                    0x1.522a442ca7776p-25, 0x1.02e85c06594fcp-19,
                    0x1.23456789cad8fp-14, 0x1.c71c71c71a6dep-10,
                    0x1.c71c71c71c835p-6, 0x1.ffffffffffff8p-3,
                    0x1.0000000000000p+0),
               1.0);
  return x / 2 *
         fma(q,
             poly(q, 0x1.18be74abc7634p-84, 0x1.2645a1df6278ep-77,
                  0x1.1c36d151fe25ep-69, 0x1.8ad126c06d494p-62,
                  0x1.e2811d44a152bp-55, 0x1.f1742082aee8fp-48,
                  0x1.ab8210355a0f4p-41, 0x1.2c97573d1a3e7p-34,
                  0x1.522a440f55384p-28, 0x1.27e4fb76812bfp-22,
                  0x1.845c8a0cf35b3p-17, 0x1.6c16c16c164acp-12,
                  0x1.c71c71c71c75dp-8, 0x1.5555555555554p-4,
                  0x1.0000000000000p-1),
             1.0);
}

/// exp(-x) times it for x >= 8.
template <int Order>
COIL_SPECIAL_FUNCTION double besselITail(double x) {
  double t = 16 / x - 1, p;
  if (Order == 0)
    p = poly(
        t, -0x1.36e52c10032d7p-34, -0x1.52109c25bd9ecp-36,
        0x1.1ce14787c5bdep-31, 0x1.42a55974d41b8p-33, -0x1.e8fd992032bedp-30,
        -0x1.31c908a5dd531p-31, 0x1.0ab5ef575d285p-28, 0x1.9bbbfe31d81e9p-30,
        -0x1.a9411c5b0ad08p-28, -0x1.df1549cddfaf8p-29, 0x1.047454ffcb608p-27,
        0x1.0317d4c7b215ap-27, -0x1.77cc956faaa2fp-28, -0x1.cc90f59ec1228p-27,
        -0x1.ce768f00b5374p-28, 0x1.03896efb09a41p-27, 0x1.7224b1828e507p-26,
        0x1.51ced7b713adcp-25, 0x1.7d0f75812d9bcp-24, 0x1.3f49a6bcfc2d9p-22,
        0x1.8e513a1d5e52bp-20, 0x1.75e5ee71edd14p-17, 0x1.1daa72b5e650cp-13,
        0x1.b87969bb93b75p-9, 0x1.9bd428ad249a5p-2);
  else
    p = poly(
        t, 0x1.432b0a4121172p-34, 0x1.33e83e12ca3b4p-36, -0x1.2839623e2341cp-31,
        -0x1.272ae05110368p-33, 0x1.fce6b32270b52p-30, 0x1.1aee882806184p-31,
        -0x1.162964d5f91dbp-28, -0x1.858c7591014bdp-30, 0x1.bdc8daed57db9p-28,
        0x1.d4345a69bfc30p-29, -0x1.1465ce7d29637p-27, -0x1.0630cddd4e099p-27,
        0x1.9f203cf2783b7p-28, 0x1.e20e7d69649cap-27, 0x1.cd81846fb3ff1p-28,
        -0x1.21895bb7ba33fp-27, -0x1.9180f82a1d429p-26, -0x1.727a73a8063a8p-25,
        -0x1.ad8db6e1fecbbp-24, -0x1.76137e6905189p-22, -0x1.ec8e101744487p-20,
        -0x1.f89c23066d278p-17, -0x1.cbc54df1ece76p-13, -0x1.3f796198ee628p-7,
        0x1.8ebe783a84030p-2);
  return p / sqrt(x);
}

/// exp(-|x|) times the Bessel function I of |x|.
template <int Order>
COIL_SPECIAL_FUNCTION double besselIScaled(double x) {
  double a = fabs(x);
  return a < 8 ? besselISeries<Order>(a) * exp(-a) : besselITail<Order>(a);
}

template <int Order>
COIL_SPECIAL_FUNCTION double besselI(double x) {
  double a = fabs(x);
  if (a < 8)
    return besselISeries<Order>(a);
  // The result overflows below 714. PyTorch has no value at infinity.
  if (a > 720)
    return isinf(a) ? kNaN : kInf;
  // The exponential may be out of range where the result is not.
  double half = exp(a / 2);
  return besselITail<Order>(a) * half * half;
}

/// digamma(x) for 1 <= x <= 2, exact also near its root.
COIL_SPECIAL_FUNCTION double digammaCentre(double x) {
  double p = poly(
      x - 1.5, 0x1.f255c4568ac4dp-14, -0x1.75c084e78a4cdp-13,
      0x1.94e73cc9821e1p-14, -0x1.2fae5cb379bf2p-13, 0x1.53b23429da21bp-12,
      -0x1.fd8e50abf2196p-12, 0x1.6a3e76070c135p-11, -0x1.0fb38d217b800p-10,
      0x1.99d3f5c0cad5ep-10, -0x1.336dbe66757c8p-9, 0x1.cd2011454fd05p-9,
      -0x1.5a06a5d662cb4p-8, 0x1.03c0adafa529cp-7, -0x1.863563f44f303p-7,
      0x1.2564717896ec6p-6, -0x1.b9f8b11bfd3d0p-6, 0x1.4de9aa1779d23p-5,
      -0x1.fb44202a2306bp-5, 0x1.8512e5903903ep-4, -0x1.2feeeb98a78eap-3,
      0x1.eca189b8e6f6dp-3, -0x1.b1cb63005ee98p-2, 0x1.e6f0cbb873616p-1);
  return ((x - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54) * p;
}

COIL_SPECIAL_FUNCTION double digamma(double x) {
  if (x == 0)
    return copysign(kInf, -x);
  if (isnan(x) || x == -kInf)
    return kNaN;
  if (x == kInf)
    return x;
  double result = 0;
  if (x < 0) {
    if (x == floor(x))
      return kNaN;
    result = -kPi / tan(kPi * (x - round(x)));
    x = 1 - x;
  }
  if (x < 1)
    return digammaCentre(x + 1) - 1 / x;
  if (x <= 2)
    return result + digammaCentre(x);
  while (x < 12) {
    result -= 1 / x;
    x += 1;
  }
  // log(x) - 1/(2x) - sum of B(2k) / (2k x^2k)
  double z = 1 / (x * x);
  double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 -
            z * (1.0 / 252 -
                 z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                        z * (1.0 / 12)))))));
  return result + log(x) - 0.5 / x - series;
}

COIL_SPECIAL_FUNCTION double trigamma(double x) {
  if (isnan(x) || x == -kInf)
    return kNaN;
  if (x == kInf)
    return 0;
  double reflected = 0, sign = 1;
  if (x < 0.5) {
    if (x == floor(x))
      return kInf;
    // The sine of the distance from the nearest integer keeps its digits.
    double ratio = kPi / sin(kPi * (x - round(x)));
    reflected = ratio * ratio;
    sign = -1;
    x = 1 - x;
  }
  double sum = 0;
  for (; x < 12; x += 1)
    sum += 1 / (x * x);
  // 1/x + 1/(2 x^2) + sum of B(2k) / x^(2k + 1)
  double z = 1 / (x * x);
  double series =
      1.0 / 6 -
      z * (1.0 / 30 -
           z * (1.0 / 42 -
                z * (1.0 / 30 -
                     z * (5.0 / 66 - z * (691.0 / 2730 - z * (7.0 / 6))))));
  return reflected + sign * (sum + (1 + (0.5 + series / x) / x) / x);
}

/// log(1 + u) - u.
COIL_SPECIAL_FUNCTION double log1pMinus(double u) {
  if (fabs(u) >= 0.1)
    return log1p(u) - u;
  double result = 0, power = u * u;
  for (int k = 2; k < 18; ++k, power *= -u)
    result -= power / k;
  return result;
}

/// x^a exp(-x) / gamma(a + 1).
COIL_SPECIAL_FUNCTION double gammaPrefactor(double a, double x) {
  if (a < 20)
    return exp(a * log(x) - x - lgamma(a + 1));
  // Stirling's formula; the exponent a (log(x/a) - (x-a)/a) keeps its digits
  // when x is near a.
  double u = (x - a) / a;
  double exponent = fabs(u) < 0.1 ? log1pMinus(u) : log(x / a) - u;
  double z = 1 / (a * a);
  double stirling =
      (1.0 / 12 -
       z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) /
      a;
  return exp(a * exponent - stirling) / sqrt(2 * kPi * a);
}

/// Incomplete gamma by Temme's uniform expansion (DLMF 8.12), whose terms are
/// those of gamma_expansion in scripts/fit_special.py: for a >= 30 and x within
/// three tenths of a, where it is exact to a double.
COIL_SPECIAL_FUNCTION double expandGamma(double a, double x, bool upper) {
  static const double coefficients[9][14] = {
      {-0x1.2d2197c7a2faap-28, 0x1.6097d55c37c1cp-27, 0x1.ccf5ceb7f0d9fp-28,
       -0x1.7b5f9a2d0465cp-23, 0x1.bd6d21e4b4109p-21, -0x1.f1b22f594c6b5p-20,
       -0x1.255370652afc1p-19, 0x1.48c5892f7cd83p-15, -0x1.76e06fec7273bp-13,
       0x1.71de3a556c734p-12, 0x1.2f684bda12f68p-10, -0x1.e573ac901e574p-7,
       0x1.5555555555555p-4, -0x1.5555555555555p-2},
      {-0x1.349fbca3a377bp-36, 0x1.9aa7a30de114cp-27, -0x1.ee23d0cba8aeep-25,
       0x1.280f2cde3f847p-23, 0x1.3f59230a8357cp-28, -0x1.b0bdfcc629cbap-20,
       0x1.00a9cabd6b83ep-17, -0x1.2fa4ae89e5af0p-16, -0x1.af83440e53dbcp-22,
       0x1.af83440e53dbcp-13, -0x1.0394f6f09e723p-10, 0x1.5ac056b015ac0p-9,
       -0x1.c71c71c71c71cp-9, -0x1.e573ac901e574p-10},
      {0, -0x1.e437343a46f5dp-27, -0x1.c24bd0e740a6cp-33, 0x1.32ac81c15d3d7p-23,
       -0x1.522cb05171911p-21, 0x1.7058929663937p-20, 0x1.26154ae39151dp-25,
       -0x1.ac2d05890f2c3p-17, 0x1.bbf43daf4fe53p-15, -0x1.c253efaa1a932p-14,
       0x1.0db20a88f4696p-19, 0x1.948b0fcd6e9e0p-11, -0x1.5f7268edab4c8p-9,
       0x1.0ee643b990ee6p-8},
      {0, -0x1.4853ced169327p-26, 0x1.5bde8ef4c4dc7p-24, -0x1.6c2dcffbefeefp-23,
       -0x1.ea23269c140a7p-36, 0x1.7e0201539310ep-20, -0x1.7cd6f27b3f020p-18,
       0x1.73df462204ef4p-17, -0x1.0152a1871f27ap-22, -0x1.3d2a3a29b5d9dp-14,
       0x1.18b9b5bf2d984p-12, -0x1.ebfb188b7ca00p-12, 0x1.e13ce465fa859p-13,
       0x1.547d93b34e2b6p-11},
      {0, 0, 0x1.041515bab6adap-35, -0x1.ec676cf33153cp-23,
       0x1.de37d9f09164cp-21, -0x1.c71c074985d3fp-20, 0x1.13b3c5b7cb45ep-32,
       0x1.7db4c02846e81p-17, -0x1.4ce3fd902bcadp-15, 0x1.16908b48ce058p-14,
       -0x1.88f2ae1def9d0p-20, -0x1.3999a85a4237ap-12, 0x1.9b0ff6874f2c4p-11,
       -0x1.c3e0b02da7bf9p-11},
      {0, 0, -0x1.8c267becd0c0fp-23, 0x1.741504e5c87c2p-22,
       -0x1.659cfde0bb2ebp-32, -0x1.338eb19652fd9p-19, 0x1.0d0e229150428p-17,
       -0x1.c823fc1b3cc36p-17, 0x1.30bdcf208080ep-23, 0x1.1d1e9cb24760bp-14,
       -0x1.a2042c5148e27p-13, 0x1.22be87360ef1fp-12, -0x1.247604839c038p-14,
       -0x1.6128ac5a4fa71p-12},
      {0, 0, 0, 0x1.36c8903447d35p-21, -0x1.10587854fcb37p-19,
       0x1.d115d4f5dcc68p-19, -0x1.a74243fa27729p-29, -0x1.3382f4cf48618p-16,
       0x1.d6bdf83130dc1p-15, -0x1.5600945495b37p-14, 0x1.a8411da6cab49p-21,
       0x1.1c0950d3ecb9dp-12, -0x1.36773bdb97b48p-11, 0x1.168ef1b0931c8p-11},
      {0, 0, 0, -0x1.1c6acec59f442p-20, 0x1.0f82da50cdaeep-31,
       0x1.8467d794bd7f2p-18, -0x1.3269164e3e304p-16, 0x1.d179830b113abp-16,
       -0x1.119c70312e0a2p-23, -0x1.cc642787368cep-14, 0x1.26eeb5ece1d9fp-12,
       -0x1.5f3385098cebfp-12, 0x1.b1d75d3346711p-15, 0x1.691879c01efb4p-12},
      {0, 0, 0, 0, 0x1.c738f198ab550p-18, -0x1.6384af9ac219dp-17,
       0x1.3937992ec9b02p-28, 0x1.84637d3f583cdp-15, -0x1.0c16fcea7ddb2p-13,
       0x1.5d1157082916dp-13, -0x1.762676b30cfd6p-21, -0x1.cb967b4446107p-12,
       0x1.b8239c670e690p-11, -0x1.5629b3187b744p-11}};
  double u = (x - a) / a;
  double exponent = log1pMinus(u);
  double eta = copysign(sqrt(-2 * exponent), u);
  double sum = 0;
  for (int k = 8; k >= 0; --k) {
    double row = 0;
    for (int m = 0; m < 14; ++m)
      row = row * eta + coefficients[k][m];
    sum = sum / a + row;
  }
  double rest = exp(a * exponent) / sqrt(2 * kPi * a) * sum;
  double argument = eta * sqrt(a / 2);
  return upper ? 0.5 * erfc(argument) + rest : 0.5 * erfc(-argument) - rest;
}

/// Lower incomplete gamma by its power series, upper by its continued fraction
/// (modified Lentz); each where it converges fast.
COIL_SPECIAL_FUNCTION double incompleteGamma(double a, double x, bool upper) {
  // Enough for numbers on both sides of what the expansion is for.
  constexpr int kMaxTerms = 1000;
  if (a < 0 || x < 0)
    return kNaN;
  double zero = upper ? 1 : 0, one = upper ? 0 : 1;
  if (a == 0)
    return x > 0 ? one : kNaN;
  if (x == 0)
    return zero;
  if (isinf(a))
    return isinf(x) ? kNaN : zero;
  if (isinf(x))
    return one;
  if (isnan(a) || isnan(x)) // Limits come first, as in the framework.
    return kNaN;
  if (a >= 30 && fabs(x - a) <= 0.3 * a)
    return expandGamma(a, x, upper);
  double prefactor = gammaPrefactor(a, x);
  if (x < a + 1) {
    double sum = 1, term = 1;
    for (int n = 1; n < kMaxTerms; ++n) {
      term *= x / (a + n);
      sum += term;
      if (term < kEps * sum)
        break;
    }
    return upper ? 1 - sum * prefactor : sum * prefactor;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    c = b + an / c;
    if (fabs(d) < 1e-300)
      d = 1e-300;
    if (fabs(c) < 1e-300)
      c = 1e-300;
    d = 1 / d;
    double factor = d * c;
    h *= factor;
    if (fabs(factor - 1) < 1e-16)
      break;
  }
  double q = prefactor * a * h;
  return upper ? q : 1 - q;
}

/// Euler-Maclaurin summation.
COIL_SPECIAL_FUNCTION double zeta(double x, double q) {
  // As the framework has it: poles come before NaN, and where infinity would be
  // multiplied with zero it is NaN.
  if (x == 1)
    return kInf;
  if (x < 1)
    return kNaN;
  if (q <= 0) {
    if (q == floor(q))
      return kInf;
    if (x != floor(x))
      return kNaN;
  }
  if (isnan(x) || isnan(q) || q == kInf || (q > 1 && x > 1e13))
    return kNaN;
  double sum = 0;
  // The terms of the correction shrink by (x / (2 pi q))^2 or more from here
  // on.
  double enough = 12 + 2 * x;
  for (int i = 0; q < enough && i < 10000000; ++i, q += 1) {
    double term = pow(q, -x);
    sum += term;
    // All later terms are smaller once q is positive.
    if (q > 0 && term <= 1e-20 * fabs(sum))
      return sum;
  }
  double power = pow(q, -x);
  sum += power * q / (x - 1) + power / 2;
  // B(2k) / (2k)! for k = 1, 2, ...
  static const double coefficients[] = {1.0 / 12,
                                        -1.0 / 720,
                                        1.0 / 30240,
                                        -1.0 / 1209600,
                                        1.0 / 47900160,
                                        -691.0 / 1307674368000,
                                        1.0 / 74724249600,
                                        -3617.0 / 10670622842880000,
                                        43867.0 / 5109094217170944000.0};
  double factor = x * power / q;
  for (int k = 0; k < 9; ++k) {
    double term = coefficients[k] * factor;
    sum += term;
    if (fabs(term) < kEps * fabs(sum))
      break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

} // namespace COIL_SPECIAL_NAMESPACE

#endif // COIL_LIB_RUNTIME_SPECIALFUNCTIONS_H
