//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding, storage and comparison of reference tensors.
//
//===----------------------------------------------------------------------===//

#include "coil/Reference/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace coil::reference;

namespace {

uint16_t roundWithAPFloat(double value, const llvm::fltSemantics &format) {
  llvm::APFloat f(value);
  bool losesInfo;
  f.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(f.bitcastToAPInt().getZExtValue());
}

bool sameOrNaN(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

// Every 16-bit float decodes as APFloat's, and encodes to itself.
TEST(TensorTest, AllHalfValues) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    llvm::APInt integer(16, bits);
    double half =
        llvm::APFloat(llvm::APFloat::IEEEhalf(), integer).convertToDouble();
    double bfloat =
        llvm::APFloat(llvm::APFloat::BFloat(), integer).convertToDouble();
    ASSERT_TRUE(sameOrNaN(decodeF16(bits), half)) << bits;
    ASSERT_TRUE(sameOrNaN(decodeBF16(bits), bfloat)) << bits;
    if (!std::isnan(half)) {
      ASSERT_EQ(encodeF16(half), bits);
    }
    if (!std::isnan(bfloat)) {
      ASSERT_EQ(encodeBF16(bfloat), bits);
    }
  }
}

// Ties between neighbours, and what lies next to them, round as APFloat does.
TEST(TensorTest, HalfTies) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    double low = decodeF16(bits);
    double high = bits + 1 == 0x7c00 ? 65536 : decodeF16(bits + 1);
    double tie = (low + high) / 2;
    for (double x : {tie, std::nextafter(tie, low), std::nextafter(tie, high)})
      for (double value : {x, -x})
        ASSERT_EQ(encodeF16(value),
                  roundWithAPFloat(value, llvm::APFloat::IEEEhalf()))
            << value;
  }
}

TEST(TensorTest, RandomRounding) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    // Any bits, and values near the subnormals of both formats.
    double value = llvm::APInt(64, random()).bitsToDouble();
    if (i % 3 == 1)
      value = std::ldexp(double(random() >> 11), -53 - int(random() % 30));
    if (i % 3 == 2)
      value =
          std::ldexp(double(random() >> 11), -53 - 110 - int(random() % 30));
    if (std::isnan(value))
      continue;
    ASSERT_EQ(encodeF16(value),
              roundWithAPFloat(value, llvm::APFloat::IEEEhalf()))
        << value;
    ASSERT_EQ(encodeBF16(value),
              roundWithAPFloat(value, llvm::APFloat::BFloat()))
        << value;
  }
}

// An integer beyond 2^53 rounds to bf16 as if directly.
TEST(TensorTest, StickyIntegers) {
  uint64_t tie = (uint64_t(1) << 62) + (uint64_t(1) << 54);
  EXPECT_EQ(roundTo(DType::BF16, toStickyDouble(tie)), 0x1p62);
  EXPECT_EQ(roundTo(DType::BF16, toStickyDouble(tie + 1)), 0x1p62 + 0x1p55);
  EXPECT_EQ(roundTo(DType::BF16, toStickyDouble(tie - 1)), 0x1p62);
  EXPECT_EQ(toStickyDouble(int64_t(-5)), -5);
  EXPECT_EQ(toStickyDouble(INT64_MIN), -0x1p63);
}

TEST(TensorTest, IntegersWrap) {
  Tensor t(DType::U8, {3});
  t.set(0, makeInt(300));
  t.set(1, makeInt(-1));
  t.set(2, makeInt(255));
  EXPECT_EQ(t.get(0).i, 44);
  EXPECT_EQ(t.get(1).i, 255);
  EXPECT_EQ(wrapTo(DType::I16, 40000), 40000 - 65536);
  EXPECT_EQ(wrapTo(DType::Bool, 2), 0);
}

TEST(TensorTest, StridedMemory) {
  float memory[] = {1, 2, 3, 4, 5, 6};
  Tensor t = Tensor::fromStrided(DType::F32, {2, 3}, {1, 2}, memory);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(t.get(i).f, (i % 3) * 2 + i / 3 + 1);
  // Backward, and repeated.
  Tensor back = Tensor::fromStrided(DType::F32, {2, 2}, {-1, 0}, memory + 5);
  EXPECT_EQ(back.get(1).f, 6);
  EXPECT_EQ(back.get(2).f, 5);
  float out[6] = {};
  t.toStrided({1, 2}, out);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(out[i], memory[i]);
}

TEST(TensorTest, ElementCounts) {
  EXPECT_EQ(Tensor::countElements({}), 1);
  EXPECT_EQ(Tensor::countElements({INT64_MAX, 0, INT64_MAX}), 0);
  EXPECT_FALSE(Tensor::countElements({INT64_MAX, 3}));
  EXPECT_FALSE(Tensor::countElements({-1, 0}));
}

TEST(TensorTest, MemoryBudget) {
  auto budget = std::make_shared<MemoryBudget>();
  budget->limit = 100;
  {
    std::optional<Tensor> t = Tensor::allocate(DType::F64, {12}, budget);
    ASSERT_TRUE(t);
    EXPECT_FALSE(Tensor::allocate(DType::I8, {5}, budget));
    Tensor view = t->reshape({3, 4});
    EXPECT_EQ(budget->used, 96);
  }
  EXPECT_EQ(budget->used, 0);
  EXPECT_EQ(budget->peak, 96);
}

std::string print(const Tensor &t) {
  std::string text;
  llvm::raw_string_ostream os(text);
  t.print(os);
  return text;
}

TEST(TensorTest, Printing) {
  Tensor t(DType::F32, {2, 2});
  t.set(0, makeFloat(0.1f));
  t.set(1, makeFloat(-0.0));
  t.set(2, makeFloat(1e30f));
  t.set(3, makeFloat(NAN));
  EXPECT_EQ(print(t), "[[0.1, -0], [1e+30, nan]] : 2x2xf32");
  EXPECT_EQ(print(Tensor(DType::Bool, {})), "false : i1");
  EXPECT_EQ(print(Tensor(DType::I8, {2, 0})), "[] : 2x0xi8");
}

TEST(TensorTest, Comparison) {
  Tensor a(DType::F32, {2, 2}), b(DType::F32, {2, 2});
  EXPECT_FALSE(compare(a, b, {}));
  a.set(3, makeFloat(NAN));
  EXPECT_TRUE(compare(a, b, {1, 1}));
  b.set(3, makeFloat(NAN));
  EXPECT_FALSE(compare(a, b, {}));
  a.set(2, makeFloat(1.001));
  b.set(2, makeFloat(1));
  EXPECT_FALSE(compare(a, b, {1e-2, 0}));
  std::optional<std::string> message = compare(a, b, {1e-4, 0});
  ASSERT_TRUE(message);
  EXPECT_EQ(*message,
            "1 of 4 elements differ, most at [1, 0]: 1.001, expected 1");
  EXPECT_TRUE(compare(a, Tensor(DType::F32, {4}), {}));
  // Infinities are equal or not, whatever the tolerance.
  a.set(2, makeFloat(HUGE_VAL));
  EXPECT_TRUE(compare(a, b, {1e9, 1e9}));
}

} // namespace
