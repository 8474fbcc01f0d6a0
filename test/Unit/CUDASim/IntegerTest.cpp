//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer arithmetic, bit fields and comparisons of the simulator against plain
// C++.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

#include <climits>
#include <cmath>
#include <functional>
#include <limits>

using namespace coil::cudasim::test;

namespace {

template <class T>
std::vector<T> ends() {
  using L = std::numeric_limits<T>;
  return {0,        1,        2,
          3,        7,        31,
          32,       100,      T(L::max() - 1),
          L::max(), L::min(), T(L::min() + 1),
          T(-1),    T(-2),    T(0x5A5A5A5A5A5A5A5A)};
}

class IntegerTest : public SimTest {
protected:
  template <class D, class T>
  void check(const std::string &statements,
             const std::function<D(T, T)> &expected,
             const std::function<bool(T, T)> &applies = nullptr) {
    Pairs<T> in(ends<T>());
    std::vector<D> r = map<D>(statements, in.a, in.b);
    for (size_t i = 0; i < in.size(); ++i)
      if (!applies || applies(in.a[i], in.b[i])) {
        EXPECT_EQ(+r[i], +expected(in.a[i], in.b[i]))
            << statements << " a=" << +in.a[i] << " b=" << +in.b[i];
      }
  }
  template <class T>
  void checkSame(const std::string &statements,
                 const std::function<T(T, T)> &expected,
                 const std::function<bool(T, T)> &applies = nullptr) {
    check<T, T>(statements, expected, applies);
  }
  template <class T>
  void arithmetic(const std::string &type) {
    using U = std::make_unsigned_t<T>;
    checkSame<T>("add." + type + " d, a, b;",
                 [](T a, T b) { return T(U(a) + U(b)); });
    checkSame<T>("sub." + type + " d, a, b;",
                 [](T a, T b) { return T(U(a) - U(b)); });
    checkSame<T>("mul.lo." + type + " d, a, b;",
                 [](T a, T b) { return T(uint64_t(U(a)) * uint64_t(U(b))); });
    checkSame<T>("mul.hi." + type + " d, a, b;", [](T a, T b) {
      using W =
          std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return T(W(a) * W(b) >> (8 * sizeof(T)));
    });
    checkSame<T>("mad.lo." + type + " d, a, b, a;", [](T a, T b) {
      return T(uint64_t(U(a)) * uint64_t(U(b)) + uint64_t(U(a)));
    });
    auto divides = [](T a, T b) {
      return b != 0 && !(std::is_signed_v<T> && b == T(-1) &&
                         a == std::numeric_limits<T>::min());
    };
    checkSame<T>(
        "div." + type + " d, a, b;", [](T a, T b) { return T(a / b); },
        divides);
    checkSame<T>(
        "rem." + type + " d, a, b;", [](T a, T b) { return T(a % b); },
        divides);
    checkSame<T>("min." + type + " d, a, b;",
                 [](T a, T b) { return std::min(a, b); });
    checkSame<T>("max." + type + " d, a, b;",
                 [](T a, T b) { return std::max(a, b); });
    for (auto [name, f] : std::initializer_list<
             std::pair<const char *, std::function<bool(T, T)>>>{
             {"eq", std::equal_to<T>()},
             {"ne", std::not_equal_to<T>()},
             {"lt", std::less<T>()},
             {"le", std::less_equal<T>()},
             {"gt", std::greater<T>()},
             {"ge", std::greater_equal<T>()}})
      check<uint32_t, T>("setp." + std::string(name) + "." + type +
                             " p, a, b; selp.b32 d, 1, 0, p;",
                         f);
  }
};

TEST_F(IntegerTest, computes16Bits) {
  arithmetic<int16_t>("s16");
  arithmetic<uint16_t>("u16");
}
TEST_F(IntegerTest, computes32Bits) {
  arithmetic<int32_t>("s32");
  arithmetic<uint32_t>("u32");
}
TEST_F(IntegerTest, computes64Bits) {
  arithmetic<int64_t>("s64");
  arithmetic<uint64_t>("u64");
}

TEST_F(IntegerTest, widensProducts) {
  check<int64_t, int32_t>("mul.wide.s32 d, a, b;",
                          [](int32_t a, int32_t b) { return int64_t(a) * b; });
  check<uint64_t, uint32_t>(
      "mul.wide.u32 d, a, b;",
      [](uint32_t a, uint32_t b) { return uint64_t(a) * b; });
  check<int32_t, int16_t>("mul.wide.s16 d, a, b;",
                          [](int16_t a, int16_t b) { return a * b; });
  check<int64_t, int32_t>(
      "mov.b64 e, -5; mad.wide.s32 d, a, b, e;",
      [](int32_t a, int32_t b) { return int64_t(a) * b - 5; });
}

TEST_F(IntegerTest, carries) {
  // A 64-bit sum and a 64-bit product of halves.
  check<uint64_t, uint64_t>(
      "mov.b64 {r0, r1}, a; mov.b64 {r2, r3}, b; add.cc.u32 r0, r0, r2;"
      "addc.u32 r1, r1, r3; mov.b64 d, {r0, r1};",
      [](uint64_t a, uint64_t b) { return a + b; });
  check<uint64_t, uint64_t>(
      "mov.b64 {r0, r1}, a; mov.b64 {r2, r3}, b; sub.cc.u32 r0, r0, r2;"
      "subc.u32 r1, r1, r3; mov.b64 d, {r0, r1};",
      [](uint64_t a, uint64_t b) { return a - b; });
}

TEST_F(IntegerTest, clampsExtremesAtZero) {
  checkSame<int32_t>("min.relu.s32 d, a, b;", [](int32_t a, int32_t b) {
    return std::max(std::min(a, b), 0);
  });
  checkSame<int32_t>("max.relu.s32 d, a, b;", [](int32_t a, int32_t b) {
    return std::max(std::max(a, b), 0);
  });
  EXPECT_EQ(map<uint32_t>("min.relu.s16x2 d, a, b;",
                          std::vector<uint32_t>{0x80000005},
                          std::vector<uint32_t>{0x00010007})[0],
            5u);
}

TEST_F(IntegerTest, negatesAndSaturates) {
  checkSame<int32_t>("neg.s32 d, a;",
                     [](int32_t a, int32_t) { return int32_t(-uint32_t(a)); });
  checkSame<int32_t>("abs.s32 d, a;", [](int32_t a, int32_t) {
    return a < 0 ? int32_t(-uint32_t(a)) : a;
  });
  checkSame<int32_t>("add.sat.s32 d, a, b;", [](int32_t a, int32_t b) {
    int64_t s = int64_t(a) + b;
    return int32_t(std::max<int64_t>(INT_MIN, std::min<int64_t>(INT_MAX, s)));
  });
  checkSame<uint32_t>("sad.u32 d, a, b, 5;", [](uint32_t a, uint32_t b) {
    return (a > b ? a - b : b - a) + 5;
  });
}

TEST_F(IntegerTest, combinesBits) {
  using U = uint32_t;
  checkSame<U>("and.b32 d, a, b;", [](U a, U b) { return a & b; });
  checkSame<U>("or.b32 d, a, b;", [](U a, U b) { return a | b; });
  checkSame<U>("xor.b32 d, a, b;", [](U a, U b) { return a ^ b; });
  checkSame<U>("not.b32 d, a;", [](U a, U) { return ~a; });
  checkSame<U>("lop3.b32 d, a, b, 0x0FF00FF0, 0xE8;", [](U a, U b) {
    U c = 0x0FF00FF0;
    return (a & b) | (a & c) | (b & c);
  });
  checkSame<uint64_t>("xor.b64 d, a, b;",
                      [](uint64_t a, uint64_t b) { return a ^ b; });
  checkSame<uint16_t>("and.b16 d, a, b;",
                      [](uint16_t a, uint16_t b) { return a & b; });
  checkSame<U>("setp.lt.u32 p, a, b; setp.ne.u32 q, a, 7; and.pred p, p, q;"
               "not.pred q, p; xor.pred p, p, q; selp.u32 d, 1, 0, q;",
               [](U a, U b) { return U(!(a < b && a != 7)); });
}

TEST_F(IntegerTest, shifts) {
  using U = uint32_t;
  checkSame<U>("shl.b32 d, a, b;",
               [](U a, U b) { return b > 31 ? 0 : a << b; });
  checkSame<U>("shr.u32 d, a, b;",
               [](U a, U b) { return b > 31 ? 0 : a >> b; });
  checkSame<int32_t>("shr.s32 d, a, b;", [](int32_t a, int32_t b) {
    return a >> (U(b) > 31 ? 31 : b);
  });
  checkSame<uint64_t>(
      "cvt.u32.u64 r0, b; shl.b64 d, a, r0;",
      [](uint64_t a, uint64_t b) { return U(b) > 63 ? 0 : a << U(b); });
  checkSame<int16_t>("cvt.u32.u16 r0, b; shr.s16 d, a, r0;",
                     [](int16_t a, int16_t b) {
                       return int16_t(a >> std::min<int>(uint16_t(b), 15));
                     });
  checkSame<U>("shf.l.wrap.b32 d, a, b, 9;",
               [](U a, U b) { return b << 9 | a >> 23; });
  checkSame<U>("shf.r.wrap.b32 d, a, a, b;", [](U a, U b) {
    U s = b & 31;
    return s ? a >> s | a << (32 - s) : a;
  });
  checkSame<U>("shf.r.clamp.b32 d, a, b, 40;", [](U, U b) { return b; });
}

TEST_F(IntegerTest, movesBitFields) {
  using U = uint32_t;
  checkSame<U>("bfe.u32 d, a, 4, 9;", [](U a, U) { return a >> 4 & 0x1FF; });
  checkSame<int32_t>("bfe.s32 d, a, 4, 9;", [](int32_t a, int32_t) {
    return int32_t(U(a) << 19) >> 23;
  });
  checkSame<int32_t>("bfe.s32 d, a, 28, 8;",
                     [](int32_t a, int32_t) { return a >> 28; });
  checkSame<uint64_t>("bfe.u64 d, a, 30, 12;",
                      [](uint64_t a, uint64_t) { return a >> 30 & 0xFFF; });
  checkSame<U>("bfi.b32 d, a, b, 8, 5;",
               [](U a, U b) { return (b & ~(31u << 8)) | (a & 31) << 8; });
  checkSame<U>("popc.b32 d, a;",
               [](U a, U) { return U(__builtin_popcount(a)); });
  checkSame<U>("clz.b32 d, a;",
               [](U a, U) { return a ? U(__builtin_clz(a)) : 32; });
  checkSame<U>("bfind.u32 d, a;",
               [](U a, U) { return a ? 31 - U(__builtin_clz(a)) : ~0u; });
  checkSame<U>("brev.b32 d, a;", [](U a, U) {
    U r = 0;
    for (int i = 0; i < 32; ++i)
      r |= (a >> i & 1) << (31 - i);
    return r;
  });
  check<uint32_t, uint64_t>("popc.b64 d, a;", [](uint64_t a, uint64_t) {
    return U(__builtin_popcountll(a));
  });
  check<uint32_t, uint64_t>("clz.b64 d, a;", [](uint64_t a, uint64_t) {
    return a ? U(__builtin_clzll(a)) : 64;
  });
}

TEST_F(IntegerTest, permutesBytes) {
  std::vector<uint32_t> a = {0x33221100}, b = {0x77665544};
  auto prmt = [&](const std::string &selector) {
    return map<uint32_t>("prmt.b32 d, a, b, " + selector + ";", a, b)[0];
  };
  EXPECT_EQ(prmt("0x3210"), 0x33221100u);
  EXPECT_EQ(prmt("0x7531"), 0x77553311u);
  EXPECT_EQ(prmt("0x0123"), 0x00112233u);
  EXPECT_EQ(prmt("0x5410"), 0x55441100u);
  // The top bit of a selector repeats the sign.
  std::vector<uint32_t> signs = {0x00008000};
  EXPECT_EQ(map<uint32_t>("prmt.b32 d, a, 0, 0x9980;", signs)[0], 0xFFFF0000u);
}

TEST_F(IntegerTest, addsProductsOfBytes) {
  std::vector<uint32_t> a = {0x01FF7F80}, b = {0x02030405}, c = {1000};
  EXPECT_EQ(map<uint32_t>("dp4a.u32.u32 d, a, b, c;", a, b, c)[0],
            1000u + 2 + 255 * 3 + 127 * 4 + 128 * 5);
  EXPECT_EQ(map<uint32_t>("dp4a.s32.s32 d, a, b, c;", a, b, c)[0],
            1000u + 2 - 3 + 127 * 4 - 128 * 5);
}

TEST_F(IntegerTest, comparesFloats) {
  std::vector<float> values = {0, -0.0f, 1, -1, INFINITY, NAN};
  Pairs<float> in(values);
  auto is = [&](const std::string &op,
                const std::function<bool(float, float)> &f) {
    auto r = map<uint32_t>("setp." + op + ".f32 p, a, b; selp.u32 d, 1, 0, p;",
                           in.a, in.b);
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_EQ(r[i], f(in.a[i], in.b[i])) << op << in.a[i] << " " << in.b[i];
  };
  auto nan = [](float a, float b) { return a != a || b != b; };
  is("eq", std::equal_to<float>());
  is("lt", std::less<float>());
  is("ge", std::greater_equal<float>());
  is("ne", [&](float a, float b) { return !nan(a, b) && a != b; });
  is("neu", std::not_equal_to<float>());
  is("ltu", [&](float a, float b) { return nan(a, b) || a < b; });
  is("num", [&](float a, float b) { return !nan(a, b); });
  is("nan", nan);
}

TEST_F(IntegerTest, comparesWithASecondPredicate) {
  // p = (a < b) and r, q = !(a < b) and r.
  std::vector<uint32_t> a = {1, 5, 1, 5}, b = {3, 3, 3, 3}, c = {0, 0, 1, 1};
  auto r = map<uint32_t>(".reg .pred s; setp.ne.u32 s, c, 0;"
                         "setp.lt.and.u32 p|q, a, b, s; selp.u32 r0, 1, 0, p;"
                         "selp.u32 r1, 2, 0, q; or.b32 d, r0, r1;",
                         a, b, c);
  EXPECT_EQ(r, (std::vector<uint32_t>{0, 0, 1, 2}));
  EXPECT_EQ(map<uint32_t>("set.lt.u32.u32 d, a, b;", a, b),
            (std::vector<uint32_t>{~0u, 0, ~0u, 0}));
  EXPECT_EQ(map<uint32_t>("slct.u32.s32 d, a, b, c;", a, b,
                          std::vector<int32_t>{0, -1, 5, INT_MIN}),
            (std::vector<uint32_t>{1, 3, 1, 3}));
}

TEST_F(IntegerTest, selectsAndPredicates) {
  std::vector<uint32_t> a = {0, 1, 2, 3};
  EXPECT_EQ(map<uint32_t>("setp.gt.u32 p, a, 1; selp.b32 d, 10, 20, p;", a),
            (std::vector<uint32_t>{20, 20, 10, 10}));
  EXPECT_EQ(map<uint32_t>("mov.u32 d, 7; setp.eq.u32 p, a, 2;"
                          "@p mov.u32 d, 8; @!p add.u32 d, d, a;",
                          a),
            (std::vector<uint32_t>{7, 8, 8, 10}));
  EXPECT_EQ(map<double>("setp.gt.u32 p, a, 1; selp.f64 d, 0d3FF0000000000000,"
                        "0d4000000000000000, p;",
                        a),
            (std::vector<double>{2, 2, 1, 1}));
  EXPECT_EQ(map<uint16_t>("setp.gt.u32 p, a, 1; selp.b16 d, 5, 6, p;", a),
            (std::vector<uint16_t>{6, 6, 5, 5}));
}

TEST_F(IntegerTest, splitsRegisters) {
  std::vector<uint64_t> a = {0x1122334455667788};
  EXPECT_EQ(map<uint64_t>("mov.b64 {r0, r1}, a; mov.b64 d, {r1, r0};", a)[0],
            0x5566778811223344u);
  EXPECT_EQ(map<uint64_t>("mov.b64 {h0, h1, h2, h3}, a;"
                          "mov.b64 d, {h3, h2, h1, h0};",
                          a)[0],
            0x7788556633441122u);
  EXPECT_EQ(map<uint32_t>("mov.b64 {_, r1}, a; mov.b32 d, r1;", a)[0],
            0x11223344u);
}

TEST_F(IntegerTest, computesPairsOf16Bits) {
  std::vector<uint32_t> a = {0x7FFF0001, 0x8000FFFF},
                        b = {0x00010005, 0x00010002};
  EXPECT_EQ(map<uint32_t>("add.s16x2 d, a, b;", a, b),
            (std::vector<uint32_t>{0x80000006, 0x80010001}));
  EXPECT_EQ(map<uint32_t>("min.s16x2 d, a, b;", a, b),
            (std::vector<uint32_t>{0x00010001, 0x8000FFFF}));
  EXPECT_EQ(map<uint32_t>("max.u16x2 d, a, b;", a, b),
            (std::vector<uint32_t>{0x7FFF0005, 0x8000FFFF}));
}

} // namespace
