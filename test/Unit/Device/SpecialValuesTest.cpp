//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Zeros, infinities, NaN and the edges of domains: every version of a function
// of the device library does what the C library does.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "gtest/gtest.h"

#include <limits>
#include <string>

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Zeros with their sign, infinities and NaN are to be equal; of other values
/// only the sign.
template <typename T>
void expectSameKind(T got, T want, const char *name, double x, double y = 0) {
  auto message = [&] {
    return testing::Message() << name << "(" << x << ", " << y << ") is " << got
                              << ", not " << want;
  };
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << message();
    return;
  }
  EXPECT_EQ(std::fpclassify(got), std::fpclassify(want)) << message();
  EXPECT_EQ(std::signbit(got), std::signbit(want)) << message();
}

const double values[] = {0.0,  -0.0, 1.0,  -1.0, 2.0,   -2.0,   0.5,
                         -0.5, 3.0,  -3.0, 7.25, -7.25, 1e10,   -1e10,
                         inf,  -inf, nan,  1.5,  -1.5,  0x1p20, -0x1p20};

TEST(SpecialValues, Elementary) {
#define CHECK(name, oracle)                                                    \
  for (double x : values) {                                                    \
    expectSameKind<double>(coil_##name##_f64(x),                               \
                           static_cast<double>(oracle(x)), #name "_f64", x);   \
    float narrow = static_cast<float>(x);                                      \
    expectSameKind<float>(coil_##name##_f32(narrow),                           \
                          static_cast<float>(oracle(narrow)), #name "_f32",    \
                          x);                                                  \
  }
  COIL_ELEMENTARY_FUNCTIONS(CHECK)
#undef CHECK
}

TEST(SpecialValues, DefaultVersions) {
#define CHECK(name, mode, oracle)                                              \
  if (std::string(#mode) == "default")                                         \
    for (double x : values) {                                                  \
      float narrow = static_cast<float>(x);                                    \
      expectSameKind<float>(coil_##name##_##mode##_f32(narrow),                \
                            static_cast<float>(oracle(narrow)),                \
                            #name "_" #mode, x);                               \
    }
  COIL_ELEMENTARY_VERSIONS(CHECK)
#undef CHECK
}

TEST(SpecialValues, Binary) {
  for (double x : values)
    for (double y : values) {
      expectSameKind(coil_pow_f64(x, y), std::pow(x, y), "pow_f64", x, y);
      expectSameKind(coil_atan2_f64(x, y), std::atan2(x, y), "atan2_f64", x, y);
      expectSameKind(coil_fmod_f64(x, y), std::fmod(x, y), "fmod_f64", x, y);
      float a = static_cast<float>(x), b = static_cast<float>(y);
      expectSameKind(coil_pow_f32(a, b), std::pow(a, b), "pow_f32", x, y);
      expectSameKind(coil_pow_default_f32(a, b), std::pow(a, b),
                     "pow_default_f32", x, y);
      // Subnormal results become zero.
      if (float power = std::pow(a, b); std::fpclassify(power) != FP_SUBNORMAL)
        expectSameKind(coil_pow_fast_f32(a, b), power, "pow_fast_f32", x, y);
      expectSameKind(coil_atan2_f32(a, b), std::atan2(a, b), "atan2_f32", x, y);
      expectSameKind(coil_fmod_f32(a, b), std::fmod(a, b), "fmod_f32", x, y);
    }
}

TEST(SpecialValues, NextAfterIsExact) {
  const double steps[] = {0x1p-1074,      0x1p-149,
                          0x1.fffffep127, 0x1.fffffffffffffp1023,
                          0x1p-126,       0x1p-1022};
  auto check = [](double x, double y) {
    double want = std::nextafter(x, y), got = coil_nextafter_f64(x, y);
    EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
        << x << " to " << y;
    float a = static_cast<float>(x), b = static_cast<float>(y);
    float wantF = std::nextafter(a, b), gotF = coil_nextafter_f32(a, b);
    EXPECT_TRUE(gotF == wantF || (std::isnan(gotF) && std::isnan(wantF)))
        << a << " to " << b;
  };
  for (double x : values) {
    for (double y : values)
      check(x, y);
    for (double y : steps) {
      check(x, y);
      check(y, x);
      check(-y, x);
    }
  }
}

TEST(SpecialValues, IntegerPowersWrapAround) {
  EXPECT_EQ(coil_ipow_i64(3, 4), 81);
  EXPECT_EQ(coil_ipow_i64(-2, 63), std::numeric_limits<long long>::min());
  EXPECT_EQ(coil_ipow_i64(2, 64), 0);
  EXPECT_EQ(coil_ipow_i64(0, 0), 1);
  EXPECT_EQ(coil_ipow_i64(1, -5), 1);
  EXPECT_EQ(coil_ipow_i64(-1, -5), -1);
  EXPECT_EQ(coil_ipow_i64(-1, -4), 1);
  EXPECT_EQ(coil_ipow_i64(2, -1), 0);
}

TEST(SpecialValues, PowersKeepTheParityOfTheExponent) {
  long long odd = (1ll << 53) + 1;
  EXPECT_EQ(coil_powi_f64(-1, odd), -1);
  EXPECT_EQ(coil_powi_f64(-1, odd + 1), 1);
  EXPECT_EQ(coil_powi_f32(-1, odd), -1);
  EXPECT_EQ(coil_powi_f32(-2, odd), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(coil_powi_f64(-inf, 3), -inf);
  EXPECT_EQ(coil_powi_f64(nan, 0), 1);
  EXPECT_EQ(coil_powi_f32(-3, 3), -27);
  EXPECT_TRUE(std::signbit(coil_powi_f64(-0.0, 3)));
  EXPECT_EQ(coil_powi_f64(-0.0, -3), -inf);
}

TEST(SpecialValues, SpecialFunctions) {
  auto check = [](double got, double want, const char *what) {
    EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
        << what << " is " << got << ", not " << want;
  };
#define CHECK(call, want) check(call, want, #call)
  CHECK(coil_lgamma_f64(0), inf);
  CHECK(coil_lgamma_f64(-3), inf);
  CHECK(coil_lgamma_f64(1), 0);
  CHECK(coil_lgamma_f64(2), 0);
  CHECK(coil_lgamma_f64(-inf), inf);
  CHECK(coil_lgamma_f64(nan), nan);
  CHECK(coil_digamma_f64(0.0), -inf);
  CHECK(coil_digamma_f64(-0.0), inf);
  CHECK(coil_digamma_f64(-1), nan);
  CHECK(coil_digamma_f64(inf), inf);
  CHECK(coil_digamma_f64(nan), nan);
  CHECK(coil_erfinv_f64(1), inf);
  CHECK(coil_erfinv_f64(-1), -inf);
  CHECK(coil_erfinv_f64(0), 0);
  CHECK(coil_erfinv_f64(1.5), nan);
  CHECK(coil_erfinv_f64(nan), nan);
  CHECK(coil_erfcx_f64(0), 1);
  CHECK(coil_erfcx_f64(inf), 0);
  CHECK(coil_erfcx_f64(-inf), inf);
  CHECK(coil_erfcx_f64(-1e200), inf);
  CHECK(coil_erfcx_f64(nan), nan);
  CHECK(coil_i0_f64(0), 1);
  CHECK(coil_i0_f64(-1e300), inf);
  CHECK(coil_i0_f64(-inf), nan);
  CHECK(coil_i0_f64(nan), nan);
  CHECK(coil_i0e_f64(inf), 0);
  CHECK(coil_i0e_f64(nan), nan);
  CHECK(coil_i1_f64(0), 0);
  CHECK(coil_i1_f64(-1e300), -inf);
  CHECK(coil_i1_f64(-inf), nan);
  CHECK(coil_i1_f64(nan), nan);
  CHECK(coil_i1e_f64(inf), 0);
  CHECK(coil_ndtri_f64(0), -inf);
  CHECK(coil_ndtri_f64(1), inf);
  CHECK(coil_ndtri_f64(0.5), 0);
  CHECK(coil_ndtri_f64(-0.1), nan);
  CHECK(coil_log_ndtr_f64(inf), 0);
  CHECK(coil_log_ndtr_f64(-inf), -inf);
  CHECK(coil_log_ndtr_f64(nan), nan);
  CHECK(coil_igamma_f64(2, 0), 0);
  CHECK(coil_igamma_f64(2, inf), 1);
  CHECK(coil_igamma_f64(0, 1), 1);
  CHECK(coil_igamma_f64(-1, 1), nan);
  CHECK(coil_igammac_f64(2, 0), 1);
  CHECK(coil_igammac_f64(2, inf), 0);
  CHECK(coil_igammac_f64(nan, 1), nan);
  CHECK(coil_zeta_f64(1, 2), inf);
  CHECK(coil_zeta_f64(0.5, 2), nan);
  CHECK(coil_zeta_f64(2, 0), inf);
  CHECK(coil_zeta_f64(2.5, -1.5), nan);
  CHECK(coil_zeta_f64(nan, 1), nan);
#undef CHECK
}

} // namespace
