//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floating-point arithmetic of the simulator against LLVM's APFloat and the C
// library.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <functional>
#include <random>

using namespace coil::cudasim::test;
using llvm::APFloat;
using llvm::APInt;
using llvm::fltSemantics;
using RM = llvm::RoundingMode;

namespace {

/// A format of 16, 32 or 64 bits, which a test handles by its bits.
template <class Bits>
struct Format {
  const char *name;
  const fltSemantics &semantics;
  APFloat decode(Bits v) const {
    return APFloat(semantics, APInt(8 * sizeof(Bits), v));
  }
  Bits encode(const APFloat &v) const {
    return static_cast<Bits>(v.bitcastToAPInt().getZExtValue());
  }
};

const Format<uint16_t> f16{"f16", APFloat::IEEEhalf()},
    bf16{"bf16", APFloat::BFloat()};
const Format<uint32_t> f32{"f32", APFloat::IEEEsingle()};
const Format<uint64_t> f64{"f64", APFloat::IEEEdouble()};

/// Special values, values near the ends of the range, and random ones.
template <class Bits>
std::vector<Bits> interesting(const Format<Bits> &f, size_t numRandom) {
  const fltSemantics &s = f.semantics;
  std::vector<Bits> values;
  auto add = [&](APFloat v) {
    values.push_back(f.encode(v));
    v.changeSign();
    values.push_back(f.encode(v));
  };
  add(APFloat::getZero(s));
  add(APFloat::getInf(s));
  add(APFloat::getNaN(s));
  add(APFloat::getLargest(s));
  add(APFloat::getSmallest(s));
  add(APFloat::getSmallestNormalized(s));
  add(APFloat(s, "1.0"));
  add(APFloat(s, "3.0"));
  add(APFloat(s, "0.1"));
  std::mt19937_64 random(7);
  for (size_t i = 0; i < numRandom; ++i) {
    values.push_back(static_cast<Bits>(random()));
    // One near 1, so that sums cancel and products do not overflow.
    APFloat v(s, std::to_string(1 + double(random() % 100000) / 33333));
    add(v);
  }
  return values;
}

/// Bits for a comparison: any NaN is the same.
template <class Bits>
Bits comparable(const Format<Bits> &f, Bits v) {
  return f.decode(v).isNaN() ? f.encode(APFloat::getNaN(f.semantics)) : v;
}

using Binary = std::function<void(APFloat &, const APFloat &, RM)>;

class FloatTest : public SimTest {
protected:
  template <class Bits>
  void check(const Format<Bits> &f, const std::string &statements,
             const std::vector<Bits> &a, const std::vector<Bits> &b,
             const std::vector<Bits> &result,
             const std::function<APFloat(APFloat, APFloat)> &expected) {
    unsigned errors = 0;
    for (size_t i = 0; i < a.size() && errors < 5; ++i) {
      Bits want = f.encode(expected(f.decode(a[i]), f.decode(b[i])));
      if (comparable(f, want) == comparable(f, result[i]))
        continue;
      ++errors;
      ADD_FAILURE() << statements << std::hex << " a=" << +a[i]
                    << " b=" << +b[i] << ": got " << +result[i] << ", expected "
                    << +want;
    }
  }

  template <class Bits>
  void binary(const Format<Bits> &f, const std::string &op, RM rounding,
              const Binary &apply) {
    Pairs<Bits> in(interesting(f, 12));
    std::string statement = op + "." + f.name + " d, a, b;";
    check<Bits>(f, statement, in.a, in.b, map<Bits>(statement, in.a, in.b),
                [&](APFloat x, APFloat y) {
                  apply(x, y, rounding);
                  return x;
                });
  }
};

const std::pair<const char *, RM> roundings[] = {{".rn", RM::NearestTiesToEven},
                                                 {".rz", RM::TowardZero},
                                                 {".rm", RM::TowardNegative},
                                                 {".rp", RM::TowardPositive}};

void add(APFloat &x, const APFloat &y, RM r) { x.add(y, r); }
void sub(APFloat &x, const APFloat &y, RM r) { x.subtract(y, r); }
void mul(APFloat &x, const APFloat &y, RM r) { x.multiply(y, r); }
void div(APFloat &x, const APFloat &y, RM r) { x.divide(y, r); }
/// x * y - 3.
void fma(APFloat &x, const APFloat &y, RM r) {
  x.fusedMultiplyAdd(y, APFloat(x.getSemantics(), "-3.0"), r);
}

TEST_F(FloatTest, roundsSumsProductsAndQuotients) {
  for (auto [suffix, rounding] : roundings) {
    binary(f32, "add" + std::string(suffix), rounding, add);
    binary(f32, "sub" + std::string(suffix), rounding, sub);
    binary(f32, "mul" + std::string(suffix), rounding, mul);
    binary(f32, "div" + std::string(suffix), rounding, div);
    binary(f64, "add" + std::string(suffix), rounding, add);
    binary(f64, "sub" + std::string(suffix), rounding, sub);
    binary(f64, "mul" + std::string(suffix), rounding, mul);
    binary(f64, "div" + std::string(suffix), rounding, div);
  }
  binary(f32, "add", RM::NearestTiesToEven, add);
  binary(f64, "mul", RM::NearestTiesToEven, mul);
}

TEST_F(FloatTest, roundsHalves) {
  for (const Format<uint16_t> &f : {f16, bf16}) {
    binary(f, "add.rn", RM::NearestTiesToEven, add);
    binary(f, "sub.rn", RM::NearestTiesToEven, sub);
    binary(f, "mul.rn", RM::NearestTiesToEven, mul);
    binary(f, "add", RM::NearestTiesToEven, add);
  }
}

TEST_F(FloatTest, fusesMultiplyAdd) {
  for (auto [suffix, rounding] : roundings) {
    Pairs<uint32_t> in(interesting(f32, 12));
    std::string s = "fma" + std::string(suffix) + ".f32 d, a, b, -3.0;";
    RM r = rounding;
    auto expected = [&](APFloat x, APFloat y) {
      fma(x, y, r);
      return x;
    };
    check<uint32_t>(f32, s, in.a, in.b, map<uint32_t>(s, in.a, in.b), expected);
    Pairs<uint64_t> wide(interesting(f64, 12));
    s = "fma" + std::string(suffix) + ".f64 d, a, b, 0dC008000000000000;";
    check<uint64_t>(f64, s, wide.a, wide.b, map<uint64_t>(s, wide.a, wide.b),
                    expected);
  }
  for (const Format<uint16_t> &f : {f16, bf16}) {
    Pairs<uint16_t> in(interesting(f, 12));
    std::string three = f.name == f16.name ? "0xC200" : "0xC040";
    std::string s =
        "mov.b16 e, " + three + "; fma.rn." + f.name + " d, a, b, e;";
    check<uint16_t>(f, s, in.a, in.b, map<uint16_t>(s, in.a, in.b),
                    [&](APFloat x, APFloat y) {
                      fma(x, y, RM::NearestTiesToEven);
                      return x;
                    });
  }
}

TEST_F(FloatTest, multipliesAndAddsUnderTheOldName) {
  auto r =
      map<float>("mad.rn.f32 d, a, b, c;", std::vector<float>{3, 0x1p-80f},
                 std::vector<float>{0.5f, 0x1p-80f}, std::vector<float>{1, 1});
  EXPECT_EQ(r, (std::vector<float>{2.5f, 1}));
}

TEST_F(FloatTest, computesPairsOfHalves) {
  // Two values in each register, and each half on its own.
  for (const Format<uint16_t> &f : {f16, bf16}) {
    Pairs<uint16_t> in(interesting(f, 6));
    std::vector<uint32_t> a, b;
    for (size_t i = 0; i < in.size(); ++i) {
      size_t j = (i * 7 + 3) % in.size();
      a.push_back(in.a[i] | uint32_t(in.a[j]) << 16);
      b.push_back(in.b[i] | uint32_t(in.b[j]) << 16);
    }
    for (auto [op, apply] : {std::pair<const char *, Binary>{"add.rn", add},
                             {"sub.rn", sub},
                             {"mul.rn", mul}}) {
      std::string s = std::string(op) + "." + f.name + "x2 d, a, b;";
      std::vector<uint32_t> r = map<uint32_t>(s, a, b);
      for (unsigned half = 0; half < 32; half += 16) {
        std::vector<uint16_t> x, y, z;
        for (size_t i = 0; i < a.size(); ++i) {
          x.push_back(uint16_t(a[i] >> half));
          y.push_back(uint16_t(b[i] >> half));
          z.push_back(uint16_t(r[i] >> half));
        }
        const Binary &g = apply;
        check<uint16_t>(f, s, x, y, z, [&](APFloat u, APFloat v) {
          g(u, v, RM::NearestTiesToEven);
          return u;
        });
      }
    }
  }
}

TEST_F(FloatTest, takesRootsAndReciprocals) {
  std::vector<float> a;
  for (uint32_t bits : interesting(f32, 200))
    a.push_back(bitCast<float>(bits));
  std::vector<float> root = map<float>("sqrt.rn.f32 d, a;", a),
                     rcp = map<float>("rcp.rn.f32 d, a;", a),
                     down = map<float>("sqrt.rm.f32 d, a;", a),
                     up = map<float>("sqrt.rp.f32 d, a;", a);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(root[i] == std::sqrt(a[i]) ||
                (root[i] != root[i] && !(a[i] >= 0)))
        << a[i];
    EXPECT_TRUE(rcp[i] == 1 / a[i] || a[i] != a[i]) << a[i];
    if (!(a[i] > 0) || std::isinf(a[i]))
      continue;
    // The squares enclose the operand; f64 holds them exactly.
    EXPECT_LE(double(down[i]) * down[i], double(a[i]));
    EXPECT_GE(double(up[i]) * up[i], double(a[i]));
    EXPECT_LE(up[i], std::nextafter(down[i], INFINITY));
  }
  std::vector<double> wide = {2, 0.1, 1e300, 4, -1};
  std::vector<double> wideRoot = map<double>("sqrt.rn.f64 d, a;", wide),
                      wideRcp = map<double>("rcp.rn.f64 d, a;", wide);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(wideRoot[i], std::sqrt(wide[i]));
  EXPECT_TRUE(std::isnan(wideRoot[4]));
  for (size_t i = 0; i < 5; ++i)
    EXPECT_EQ(wideRcp[i], 1 / wide[i]);
}

TEST_F(FloatTest, choosesMinimaAndMaxima) {
  Pairs<uint32_t> in(interesting(f32, 4));
  auto expect = [&](const std::string &op, bool isMin, bool propagates) {
    std::string s = op + ".f32 d, a, b;";
    check<uint32_t>(
        f32, s, in.a, in.b, map<uint32_t>(s, in.a, in.b),
        [&](APFloat x, APFloat y) {
          if (propagates)
            return isMin ? llvm::minimum(x, y) : llvm::maximum(x, y);
          return isMin ? llvm::minimumnum(x, y) : llvm::maximumnum(x, y);
        });
  };
  expect("min", true, false);
  expect("max", false, false);
  expect("min.NaN", true, true);
  expect("max.NaN", false, true);
  for (const Format<uint16_t> &f : {f16, bf16}) {
    Pairs<uint16_t> halves(interesting(f, 4));
    std::string s = std::string("max.NaN.") + f.name + " d, a, b;";
    check<uint16_t>(f, s, halves.a, halves.b,
                    map<uint16_t>(s, halves.a, halves.b),
                    [](APFloat x, APFloat y) { return llvm::maximum(x, y); });
  }
}

TEST_F(FloatTest, changesSigns) {
  std::vector<uint32_t> a = interesting(f32, 10);
  auto neg = map<uint32_t>("neg.f32 d, a;", a),
       abs = map<uint32_t>("abs.f32 d, a;", a),
       copy = map<uint32_t>("copysign.f32 d, a, b;", a,
                            std::vector<uint32_t>(a.size(), 0x40000000));
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(bitCast<float>(a[i])))
      continue;
    EXPECT_EQ(neg[i], a[i] ^ 0x80000000);
    EXPECT_EQ(abs[i], a[i] & 0x7FFFFFFF);
    // The sign is that of the first operand.
    EXPECT_EQ(copy[i], 0x40000000 | (a[i] & 0x80000000));
  }
  EXPECT_EQ(map<uint16_t>("neg.bf16 d, a;", std::vector<uint16_t>{0x3F80})[0],
            0xBF80);
  EXPECT_EQ(map<uint16_t>("abs.f16 d, a;", std::vector<uint16_t>{0xBC00})[0],
            0x3C00);
  EXPECT_EQ(map<double>("neg.f64 d, a;", std::vector<double>{2})[0], -2);
}

TEST_F(FloatTest, flushesAndSaturates) {
  std::vector<float> a = {0x1p-140f, -0x1p-140f, 0.75f, 3.0f, NAN};
  std::vector<float> one(a.size(), 1.0f);
  auto flushed = map<float>("mul.rn.ftz.f32 d, a, b;", a, one);
  EXPECT_EQ(flushed[0], 0);
  EXPECT_TRUE(std::signbit(flushed[1]));
  EXPECT_EQ(flushed[2], 0.75f);
  auto kept = map<float>("mul.rn.f32 d, a, b;", a, one);
  EXPECT_EQ(kept[0], 0x1p-140f);
  auto saturated = map<float>("mul.rn.sat.f32 d, a, b;", a, one);
  EXPECT_EQ(saturated[1], 0);
  EXPECT_EQ(saturated[2], 0.75f);
  EXPECT_EQ(saturated[3], 1);
  EXPECT_EQ(bitCast<uint32_t>(saturated[4]), 0u);
}

TEST_F(FloatTest, givesTheNaNOfTheHardware) {
  EXPECT_EQ(map<uint32_t>("add.rn.f32 d, a, a;",
                          std::vector<uint32_t>{0xFFC12345})[0],
            0x7FFFFFFFu);
  EXPECT_EQ(
      map<uint16_t>("add.rn.f16 d, a, a;", std::vector<uint16_t>{0xFE00})[0],
      0x7FFF);
}

/// The error of approximate instructions, relative where it is.
TEST_F(FloatTest, approximates) {
  std::vector<float> a;
  for (int i = 1; i < 200; ++i)
    a.push_back(static_cast<float>(i) * 0.173f);
  struct {
    const char *op;
    double (*exact)(double);
    double relative, absolute;
  } table[] = {
      {"ex2.approx.ftz.f32", std::exp2, 0x1p-21, 0},
      {"ex2.approx.f32", std::exp2, 0x1p-21, 0},
      {"lg2.approx.f32", std::log2, 0x1p-21, 0x1p-22},
      {"rcp.approx.f32", [](double x) { return 1 / x; }, 0x1p-22, 0},
      {"rcp.approx.ftz.f32", [](double x) { return 1 / x; }, 0x1p-22, 0},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22,
       0},
      {"sqrt.approx.f32", std::sqrt, 0x1p-22, 0},
      {"sin.approx.f32", std::sin, 0, 0x1p-20},
      {"cos.approx.f32", std::cos, 0, 0x1p-20},
      {"tanh.approx.f32", std::tanh, 0x1p-10, 0}};
  for (auto &t : table) {
    auto r = map<float>(std::string(t.op) + " d, a;", a);
    for (size_t i = 0; i < a.size(); ++i) {
      double exact = t.exact(a[i]);
      EXPECT_NEAR(r[i], exact, t.absolute + t.relative * std::fabs(exact))
          << t.op << " of " << a[i];
    }
  }
  std::vector<float> b(a.rbegin(), a.rend());
  auto quotient = map<float>("div.approx.f32 d, a, b;", a, b),
       full = map<float>("div.full.f32 d, a, b;", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(quotient[i], double(a[i]) / b[i], a[i] / b[i] * 0x1p-21);
    EXPECT_NEAR(full[i], double(a[i]) / b[i], a[i] / b[i] * 0x1p-21);
  }
  EXPECT_EQ(map<float>("ex2.approx.ftz.f32 d, a;",
                       std::vector<float>{-INFINITY, INFINITY, 0}),
            (std::vector<float>{0, INFINITY, 1}));
  EXPECT_EQ(map<float>("lg2.approx.f32 d, a;", std::vector<float>{0, INFINITY}),
            (std::vector<float>{-INFINITY, INFINITY}));
  double seed =
      map<double>("rcp.approx.ftz.f64 d, a;", std::vector<double>{3.0})[0];
  EXPECT_NEAR(seed, 1 / 3.0, 0x1p-19);
  EXPECT_EQ(bitCast<uint64_t>(seed) & 0xFFFFFFFF, 0u);
  seed = map<double>("rsqrt.approx.f64 d, a;", std::vector<double>{2.0})[0];
  EXPECT_NEAR(seed, std::sqrt(0.5), 0x1p-19);
}

TEST_F(FloatTest, readsConstants) {
  std::vector<float> zero = {0};
  EXPECT_EQ(map<float>("mov.f32 d, 0f3FC00000;", zero)[0], 1.5f);
  EXPECT_EQ(map<double>("mov.f64 d, 0dBFF8000000000000;", zero)[0], -1.5);
  EXPECT_EQ(map<float>("mov.b32 d, 0x3FC00000;", zero)[0], 1.5f);
  EXPECT_EQ(map<float>("add.f32 d, a, 0.25;", zero)[0], 0.25f);
}

TEST_F(FloatTest, testsProperties) {
  std::vector<uint32_t> a = {0x7F800000, 0x3F800000, 0x7FC00000, 1, 0};
  auto is = [&](const std::string &property) {
    return map<uint32_t>(
        "testp." + property + ".f32 p, a; selp.u32 d, 1, 0, p;", a);
  };
  EXPECT_EQ(is("infinite"), (std::vector<uint32_t>{1, 0, 0, 0, 0}));
  EXPECT_EQ(is("finite"), (std::vector<uint32_t>{0, 1, 0, 1, 1}));
  EXPECT_EQ(is("notanumber"), (std::vector<uint32_t>{0, 0, 1, 0, 0}));
  EXPECT_EQ(is("subnormal"), (std::vector<uint32_t>{0, 0, 0, 1, 0}));
}

TEST_F(FloatTest, comparesHalves) {
  for (const Format<uint16_t> &f : {f16, bf16}) {
    Pairs<uint16_t> in(interesting(f, 3));
    auto is = [&](const std::string &op,
                  const std::function<bool(APFloat::cmpResult)> &holds) {
      auto r = map<uint32_t>("setp." + op + "." + f.name +
                                 " p, a, b; selp.u32 d, 1, 0, p;",
                             in.a, in.b);
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_EQ(r[i], holds(f.decode(in.a[i]).compare(f.decode(in.b[i]))))
            << op << f.name << std::hex << " " << in.a[i] << " " << in.b[i];
    };
    is("lt", [](auto c) { return c == APFloat::cmpLessThan; });
    is("ge", [](auto c) {
      return c == APFloat::cmpGreaterThan || c == APFloat::cmpEqual;
    });
    is("neu", [](auto c) { return c != APFloat::cmpEqual; });
    is("nan", [](auto c) { return c == APFloat::cmpUnordered; });
  }
  // Two at once: the first predicate is of the lower halves.
  EXPECT_EQ(map<uint32_t>("setp.lt.f16x2 p|q, a, b; selp.u32 r0, 1, 0, p;"
                          "selp.u32 r1, 2, 0, q; or.b32 d, r0, r1;",
                          std::vector<uint32_t>{0x3C004000, 0x40003C00},
                          std::vector<uint32_t>{0x40003C00, 0x3C004000}),
            (std::vector<uint32_t>{2, 1}));
}

TEST_F(FloatTest, approximatesHalves) {
  auto toFloat = [](const Format<uint16_t> &f, uint16_t bits) {
    APFloat v = f.decode(bits);
    bool loses;
    v.convert(APFloat::IEEEsingle(), RM::NearestTiesToEven, &loses);
    return v.convertToFloat();
  };
  std::vector<uint16_t> halves, bfloats;
  for (int i = -40; i <= 40; ++i) {
    halves.push_back(
        f16.encode(APFloat(APFloat::IEEEhalf(), std::to_string(i * 0.3))));
    bfloats.push_back(
        f16.encode(APFloat(APFloat::BFloat(), std::to_string(i * 0.3))));
  }
  auto check = [&](const Format<uint16_t> &f, const std::string &op,
                   const std::vector<uint16_t> &a, double (*exact)(double),
                   double relative) {
    auto r = map<uint16_t>(op + " d, a;", a);
    for (size_t i = 0; i < a.size(); ++i) {
      double want = exact(toFloat(f, a[i]));
      if (want < 65504)
        EXPECT_NEAR(toFloat(f, r[i]), want,
                    relative * std::fabs(want) + 0x1p-24)
            << op;
    }
  };
  check(f16, "ex2.approx.f16", halves, std::exp2, 0x1p-9);
  check(bf16, "ex2.approx.ftz.bf16", bfloats, std::exp2, 0x1p-6);
  check(f16, "tanh.approx.f16", halves, std::tanh, 0x1p-9);
  check(bf16, "tanh.approx.bf16", bfloats, std::tanh, 0x1p-6);
  EXPECT_EQ(map<uint32_t>("ex2.approx.f16x2 d, a;",
                          std::vector<uint32_t>{0x3C004000})[0],
            0x40004400u); // 2 and 4
}

TEST_F(FloatTest, clampsHalves) {
  std::vector<uint16_t> a = {0x3C00, 0xC000, 0x4400}, b(3, 0x3C00);
  EXPECT_EQ(map<uint16_t>("fma.rn.relu.f16 d, a, b, b;", a, b),
            (std::vector<uint16_t>{0x4000, 0, 0x4500}));
  EXPECT_EQ(map<uint16_t>("fma.rn.sat.f16 d, a, b, b;", a, b),
            (std::vector<uint16_t>{0x3C00, 0, 0x3C00}));
  EXPECT_EQ(map<uint16_t>("add.rn.ftz.f16 d, a, 0;",
                          std::vector<uint16_t>{0x0010})[0],
            0);
}

} // namespace
