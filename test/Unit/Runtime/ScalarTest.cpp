//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value of each small float, and what lies between two of them.
//
//===----------------------------------------------------------------------===//

#include "Scalar.h"

#include "gtest/gtest.h"

using namespace coil::rt;

namespace {

struct Format {
  const char *name;
  int32_t dtype;
  unsigned bits;
};

uint32_t encodeAs(const Format &format, double value) {
  uint16_t result = 0;
  Scalar scalar;
  scalar.f = value;
  store(&result, format.dtype, scalar);
  return result;
}

double decode(const Format &format, uint32_t bits) {
  uint16_t memory = uint16_t(bits);
  return load(&memory, format.dtype).f;
}

class SmallFloats : public testing::TestWithParam<Format> {};

TEST_P(SmallFloats, EveryValueIsStoredAsItself) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits < 1u << format.bits; ++bits) {
    double value = decode(format, bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode(format, encodeAs(format, value)))) << bits;
    else
      EXPECT_EQ(encodeAs(format, value), bits) << value;
  }
}

TEST_P(SmallFloats, BetweenTwoValuesTheNearerIsStoredAndOfTwoTheEven) {
  const Format &format = GetParam();
  for (uint32_t bits = 0; bits + 1 < 1u << (format.bits - 1); ++bits) {
    double low = decode(format, bits), high = decode(format, bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high))
      continue;
    double middle = (low + high) / 2;
    EXPECT_EQ(encodeAs(format, middle), bits % 2 ? bits + 1 : bits) << middle;
    EXPECT_EQ(encodeAs(format, std::nextafter(middle, low)), bits) << middle;
    EXPECT_EQ(encodeAs(format, std::nextafter(middle, high)), bits + 1)
        << middle;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallFloats,
                         testing::Values(Format{"f16", COIL_F16, 16},
                                         Format{"bf16", COIL_BF16, 16},
                                         Format{"f8e4m3fn", COIL_F8E4M3FN, 8},
                                         Format{"f8e5m2", COIL_F8E5M2, 8}),
                         [](const auto &info) { return info.param.name; });

} // namespace
