//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers for tests of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_RUNTIME_RUNTIMETEST_H
#define COIL_TEST_UNIT_RUNTIME_RUNTIMETEST_H

#include "coil/Runtime/HostABI.h"
#include "coil/Runtime/Library.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

/// A run for each test, which must end without live temporaries.
class RuntimeTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(coil_run_create(&run), COIL_OK); }
  void TearDown() override {
    coil_debug_fail_alloc_after(-1);
    coil_run_destroy(run);
  }

  coil_run_stats stats() {
    coil_run_stats result;
    coil_run_get_stats(run, &result);
    return result;
  }

  coil_run *run = nullptr;
};

inline std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(int32_t(generator() % 2001) - 1000) / 512;
  return values;
}

inline float bf16ToFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof(value));
  return value;
}

/// Rounds to nearest even.
inline uint16_t floatToBF16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return uint16_t((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline double applyPostOp(double x, int32_t postOp) {
  switch (postOp) {
  case COIL_POST_RELU:
    return x < 0 ? 0 : x;
  case COIL_POST_GELU_ERF:
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case COIL_POST_GELU_TANH:
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  default:
    return x;
  }
}

#endif // COIL_TEST_UNIT_RUNTIME_RUNTIMETEST_H
