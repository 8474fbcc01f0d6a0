//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of the simulator against LLVM's APFloat and APSInt.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

#include <cfloat>
#include <cmath>
#include <functional>
#include <random>

using namespace coil::cudasim::test;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using RM = llvm::RoundingMode;

namespace {

APFloat decode(const llvm::fltSemantics &s, uint64_t bits) {
  return APFloat(s, APInt(APFloat::getSizeInBits(s), bits));
}
uint64_t encode(const APFloat &v) { return v.bitcastToAPInt().getZExtValue(); }

uint64_t convert(APFloat v, const llvm::fltSemantics &to, RM rounding) {
  bool loses;
  v.convert(to, rounding, &loses);
  return encode(v);
}

template <class T>
std::vector<T> randomBits(size_t n) {
  std::mt19937_64 random(11);
  std::vector<T> values;
  for (size_t i = 0; i < n; ++i)
    values.push_back(static_cast<T>(random()));
  return values;
}

/// Numbers around those that narrow formats and integers can hold.
std::vector<float> floats() {
  std::vector<float> values = {
      0,       0.5f,     1,        1.5f,      2.5f,     65504,         65519,
      65520,   448,      464,      465,       57344,    61440,         61441,
      127.5f,  128,      255.5f,   256,       32767.5f, 65535.5f,      0x1p31f,
      0x1p32f, 0x1p63f,  0x1p64f,  0x1p-14f,  0x1p-24f, 0x1.8p-25f,    0x1p-25f,
      0x1p-9f, 0x1p-10f, 0x1p-17f, 0x1p-130f, INFINITY, 3.3895314e38f, FLT_MAX};
  for (uint32_t bits : randomBits<uint32_t>(64))
    values.push_back(bitCast<float>(bits));
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i)
    values.push_back(std::ldexp(1 + float(random() % 65536) / 65536,
                                int(random() % 40) - 22));
  size_t n = values.size();
  for (size_t i = 0; i < n; ++i)
    values.push_back(-values[i]);
  values.push_back(NAN);
  return values;
}

class ConvertTest : public SimTest {
protected:
  template <class To, class From>
  void toFloat(const std::string &op, const std::vector<From> &values,
               const std::function<APFloat(From)> &exact,
               const llvm::fltSemantics &to, RM rounding) {
    std::vector<To> r = map<To>(op + " d, a;", values);
    for (size_t i = 0; i < values.size(); ++i) {
      APFloat v = exact(values[i]);
      uint64_t want = convert(v, to, rounding);
      if (v.isNaN())
        EXPECT_TRUE(decode(to, r[i]).isNaN()) << op;
      else
        EXPECT_EQ(uint64_t(r[i]), want) << op << " of " << +values[i];
    }
  }
  template <class To>
  void toInt(const std::string &op, bool isUnsigned, RM rounding) {
    std::vector<float> values = floats();
    std::vector<To> r = map<To>(op + " d, a;", values);
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i]))
        continue;
      APSInt want(8 * sizeof(To), isUnsigned);
      bool exact;
      // Saturates, as PTX does.
      APFloat(values[i]).convertToInteger(want, rounding, &exact);
      EXPECT_EQ(
          APInt(8 * sizeof(To), uint64_t(r[i]), false, true).getZExtValue(),
          want.getZExtValue())
          << op << " of " << values[i];
    }
  }
};

const std::pair<const char *, RM> roundings[] = {{"rn", RM::NearestTiesToEven},
                                                 {"rz", RM::TowardZero},
                                                 {"rm", RM::TowardNegative},
                                                 {"rp", RM::TowardPositive}};

TEST_F(ConvertTest, narrowsFloats) {
  auto exact = [](float v) { return APFloat(v); };
  for (auto [name, rounding] : roundings) {
    std::string r = name;
    toFloat<uint16_t, float>("cvt." + r + ".f16.f32", floats(), exact,
                             APFloat::IEEEhalf(), rounding);
    if (r == "rn" || r == "rz")
      toFloat<uint16_t, float>("cvt." + r + ".bf16.f32", floats(), exact,
                               APFloat::BFloat(), rounding);
    std::vector<double> wide;
    for (float v : floats()) {
      wide.push_back(v);
      wide.push_back(v * (1 + 0x1p-26) + 0x1p-140);
    }
    auto exactWide = [](double v) { return APFloat(v); };
    toFloat<uint32_t, double>("cvt." + r + ".f32.f64", wide, exactWide,
                              APFloat::IEEEsingle(), rounding);
    toFloat<uint16_t, double>("cvt." + r + ".f16.f64", wide, exactWide,
                              APFloat::IEEEhalf(), rounding);
  }
}

TEST_F(ConvertTest, widensFloats) {
  std::vector<uint16_t> all = randomBits<uint16_t>(512);
  all.insert(all.end(), {0, 0x8000, 1, 0x7C00, 0x3C00, 0x03FF, 0x7F80, 0x0080});
  auto half = [](uint16_t v) { return decode(APFloat::IEEEhalf(), v); };
  auto bfloat = [](uint16_t v) { return decode(APFloat::BFloat(), v); };
  RM rn = RM::NearestTiesToEven;
  toFloat<uint32_t, uint16_t>("cvt.f32.f16", all, half, APFloat::IEEEsingle(),
                              rn);
  toFloat<uint64_t, uint16_t>("cvt.f64.f16", all, half, APFloat::IEEEdouble(),
                              rn);
  toFloat<uint32_t, uint16_t>("cvt.f32.bf16", all, bfloat,
                              APFloat::IEEEsingle(), rn);
  toFloat<uint64_t, float>(
      "cvt.f64.f32", floats(), [](float v) { return APFloat(v); },
      APFloat::IEEEdouble(), rn);
}

TEST_F(ConvertTest, roundsToIntegralValues) {
  const std::pair<const char *, RM> names[] = {{"rni", RM::NearestTiesToEven},
                                               {"rzi", RM::TowardZero},
                                               {"rmi", RM::TowardNegative},
                                               {"rpi", RM::TowardPositive}};
  for (auto [name, rounding] : names) {
    std::string r = name;
    RM rm = rounding;
    auto values = floats();
    auto result = map<uint32_t>("cvt." + r + ".f32.f32 d, a;", values);
    for (size_t i = 0; i < values.size(); ++i) {
      APFloat v(values[i]);
      v.roundToIntegral(rm);
      if (!v.isNaN())
        EXPECT_EQ(result[i], encode(v)) << r << " of " << values[i];
    }
    toInt<int32_t>("cvt." + r + ".s32.f32", false, rm);
    toInt<uint32_t>("cvt." + r + ".u32.f32", true, rm);
    toInt<int64_t>("cvt." + r + ".s64.f32", false, rm);
    toInt<uint64_t>("cvt." + r + ".u64.f32", true, rm);
    toInt<int16_t>("cvt." + r + ".s16.f32", false, rm);
    toInt<uint16_t>("cvt." + r + ".u16.f32", true, rm);
  }
  EXPECT_EQ(map<int32_t>("cvt.rzi.s32.f64 d, a;",
                         std::vector<double>{2147483647.9, -3e9, 1e-300}),
            (std::vector<int32_t>{2147483647, INT32_MIN, 0}));
}

TEST_F(ConvertTest, makesFloatsOfIntegers) {
  auto words = randomBits<uint32_t>(100);
  words.insert(words.end(), {0, 1, 0x80000000, 0xFFFFFFFF, 0x01000001,
                             0x01000003, 0x7FFFFFFF});
  auto longs = randomBits<uint64_t>(100);
  longs.insert(longs.end(),
               {0, 1, 1ull << 63, ~0ull, (1ull << 53) + 1, (1ull << 53) + 3,
                (1ull << 54) + 2, (1ull << 24) + 1});
  auto of = [](APInt v, bool isSigned) {
    // Exact: 64 bits of an integer fit into 113 of a quad.
    APFloat f(APFloat::IEEEquad());
    f.convertFromAPInt(v, isSigned, RM::NearestTiesToEven);
    return f;
  };
  auto u32 = [&](uint32_t v) { return of(APInt(32, v), false); };
  auto s32 = [&](uint32_t v) { return of(APInt(32, v), true); };
  auto u64 = [&](uint64_t v) { return of(APInt(64, v), false); };
  auto s64 = [&](uint64_t v) { return of(APInt(64, v), true); };
  for (auto [name, rounding] : roundings) {
    std::string r = "cvt." + std::string(name);
    const auto &single = APFloat::IEEEsingle(), &wide = APFloat::IEEEdouble(),
               &half = APFloat::IEEEhalf();
    toFloat<uint32_t, uint32_t>(r + ".f32.u32", words, u32, single, rounding);
    toFloat<uint32_t, uint32_t>(r + ".f32.s32", words, s32, single, rounding);
    toFloat<uint64_t, uint32_t>(r + ".f64.s32", words, s32, wide, rounding);
    toFloat<uint32_t, uint64_t>(r + ".f32.u64", longs, u64, single, rounding);
    toFloat<uint32_t, uint64_t>(r + ".f32.s64", longs, s64, single, rounding);
    toFloat<uint64_t, uint64_t>(r + ".f64.u64", longs, u64, wide, rounding);
    toFloat<uint64_t, uint64_t>(r + ".f64.s64", longs, s64, wide, rounding);
    toFloat<uint16_t, uint32_t>(r + ".f16.s32", words, s32, half, rounding);
  }
  toFloat<uint16_t, uint64_t>("cvt.rn.bf16.u64", longs, u64, APFloat::BFloat(),
                              RM::NearestTiesToEven);
}

TEST_F(ConvertTest, resizesIntegers) {
  std::vector<uint32_t> a = {0,          0x80,   0x7F,      0xFF,
                             0x1234FF80, 0x8000, 0xFFFFFFFF};
  std::vector<uint32_t> s8, u8;
  std::vector<uint64_t> s64;
  std::vector<uint16_t> u16;
  for (uint32_t v : a) {
    s8.push_back(uint32_t(int32_t(int8_t(v))));
    u8.push_back(v & 0xFF);
    s64.push_back(uint64_t(int64_t(int32_t(v))));
    u16.push_back(uint16_t(v));
  }
  EXPECT_EQ(map<uint32_t>("cvt.s32.s8 d, a;", a), s8);
  EXPECT_EQ(map<uint32_t>("cvt.u32.u8 d, a;", a), u8);
  EXPECT_EQ(map<uint64_t>("cvt.s64.s32 d, a;", a), s64);
  EXPECT_EQ(map<uint16_t>("cvt.u16.u32 d, a;", a), u16);
  EXPECT_EQ(map<int32_t>("cvt.sat.s8.s32 d, a;",
                         std::vector<int32_t>{-1000, -128, 5, 127, 1000}),
            (std::vector<int32_t>{-128, -128, 5, 127, 127}));
  EXPECT_EQ(map<uint32_t>("cvt.sat.u8.s32 d, a;",
                          std::vector<int32_t>{-1000, 255, 256}),
            (std::vector<uint32_t>{0, 255, 255}));
}

TEST_F(ConvertTest, packsPairs) {
  std::vector<float> a = floats(), b(a.rbegin(), a.rend());
  auto check = [&](const std::string &type, const llvm::fltSemantics &s) {
    auto r = map<uint32_t>("cvt.rn." + type + "x2.f32 d, a, b;", a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      RM rn = RM::NearestTiesToEven;
      if (!std::isnan(a[i]))
        EXPECT_EQ(r[i] >> 16, convert(APFloat(a[i]), s, rn)) << type << a[i];
      if (!std::isnan(b[i]))
        EXPECT_EQ(r[i] & 0xFFFF, convert(APFloat(b[i]), s, rn)) << type << b[i];
    }
  };
  check("f16", APFloat::IEEEhalf());
  check("bf16", APFloat::BFloat());
}

TEST_F(ConvertTest, convertsEightBitFloats) {
  std::vector<float> a = floats(), b(a.rbegin(), a.rend());
  auto check = [&](const std::string &type, const llvm::fltSemantics &s,
                   uint64_t most) {
    auto r =
        map<uint16_t>("cvt.rn.satfinite." + type + "x2.f32 d, a, b;", a, b);
    auto want = [&](float v) -> uint64_t {
      APFloat limit = decode(s, most);
      bool loses;
      limit.convert(APFloat::IEEEsingle(), RM::NearestTiesToEven, &loses);
      // Everything from the largest number on, infinity too, gives it.
      if (std::fabs(v) >= limit.convertToFloat())
        return most | (std::signbit(v) ? 0x80 : 0);
      return convert(APFloat(v), s, RM::NearestTiesToEven);
    };
    for (size_t i = 0; i < a.size(); ++i) {
      if (!std::isnan(a[i]))
        EXPECT_EQ(r[i] >> 8, want(a[i])) << type << " " << a[i];
      else
        EXPECT_EQ(r[i] >> 8, 0x7F) << type;
      if (!std::isnan(b[i]))
        EXPECT_EQ(r[i] & 0xFF, want(b[i])) << type << " " << b[i];
    }
    // And back, all of them.
    std::vector<uint16_t> all;
    for (unsigned i = 0; i < 256; ++i)
      all.push_back(uint16_t(i | (255 - i) << 8));
    auto back = map<uint32_t>("cvt.rn.f16x2." + type + "x2 d, a;", all);
    for (unsigned i = 0; i < 256; ++i) {
      APFloat v = decode(s, i);
      if (v.isNaN())
        EXPECT_TRUE(decode(APFloat::IEEEhalf(), back[i] & 0xFFFF).isNaN());
      else
        EXPECT_EQ(back[i] & 0xFFFF,
                  convert(v, APFloat::IEEEhalf(), RM::NearestTiesToEven));
    }
  };
  check("e4m3", APFloat::Float8E4M3FN(), 0x7E);
  check("e5m2", APFloat::Float8E5M2(), 0x7B);
}

TEST_F(ConvertTest, clampsAtZero) {
  std::vector<float> a = {-1.5f, 2.0f, -0.0f};
  EXPECT_EQ(map<uint16_t>("cvt.rn.relu.f16.f32 d, a;", a),
            (std::vector<uint16_t>{0, 0x4000, 0}));
  EXPECT_EQ(map<uint32_t>("cvt.rna.tf32.f32 d, a;",
                          std::vector<float>{1 + 0x1p-11f})[0],
            0x3F802000u);
}

} // namespace
