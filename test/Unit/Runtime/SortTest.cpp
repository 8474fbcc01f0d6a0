//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts against the standard library's, bit by bit; equal elements keep their
// order.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <algorithm>
#include <numeric>

namespace {

/// An element as bits, and as a number; NaNs are marked.
struct Value {
  uint64_t bits;
  bool isNaN;
  double number;
};

/// Random elements of a type with many that are equal.
class SortTest : public RuntimeTest {
protected:
  Value draw(int32_t dtype) {
    uint64_t special = generator() % 8;
    int64_t small = int64_t(generator() % 41) - 20;
    switch (dtype) {
    case COIL_BOOL:
      return {generator() % 2, false, 0};
    case COIL_F16:
      return special == 0   ? Value{0x7E01, true, 0}
             : special == 1 ? Value{0x8000, false, 0}
             : special == 2 ? Value{0xFC00, false, -INFINITY}
             : special == 3 ? Value{0xFE00, true, 0}
                            : Value{0x3C00, false, 1};
    case COIL_BF16: {
      uint16_t bits = uint16_t(generator());
      float value = bf16ToFloat(bits);
      return {bits, std::isnan(value), value};
    }
    case COIL_F32: {
      float value = special == 0   ? -0.0f
                    : special == 1 ? 0.0f
                    : special == 2 ? -std::numeric_limits<float>::infinity()
                                   : float(small) / 8;
      uint32_t bits;
      memcpy(&bits, &value, 4);
      return special == 3 ? Value{0xFFC00001, true, 0}
                          : Value{bits, false, value};
    }
    case COIL_F64: {
      double value = special == 0 ? -0.0 : double(small) * 1e300;
      uint64_t bits;
      memcpy(&bits, &value, 8);
      return special == 3 ? Value{0x7FF0000000000001, true, 0}
                          : Value{bits, false, value};
    }
    default:
      break;
    }
    int64_t bytes = coil_dtype_size(dtype);
    uint64_t bits = special < 2 ? generator() * uint64_t(0x9E3779B97F4A7C15)
                                : uint64_t(small);
    return {bytes == 8 ? bits : bits & ((uint64_t(1) << 8 * bytes) - 1), false,
            0};
  }

  static bool isLess(int32_t dtype, const Value &x, const Value &y) {
    int shift = 64 - 8 * int(coil_dtype_size(dtype));
    switch (dtype) {
    case COIL_F16:
    case COIL_BF16:
    case COIL_F32:
    case COIL_F64:
      return x.isNaN || y.isNaN ? !x.isNaN : x.number < y.number;
    case COIL_I8:
    case COIL_I16:
    case COIL_I32:
    case COIL_I64:
      return int64_t(x.bits << shift) < int64_t(y.bits << shift);
    default:
      return x.bits < y.bits;
    }
  }

  void check(int32_t dtype, int64_t outer, int64_t size, int64_t inner,
             int64_t count, bool descending, bool unordered = false) {
    SCOPED_TRACE(testing::Message()
                 << coil_dtype_name(dtype) << " " << outer << "x" << size << "x"
                 << inner << " takes " << count << (descending ? " down" : ""));
    size_t bytes = size_t(coil_dtype_size(dtype));
    std::vector<Value> x(size_t(outer * size * inner));
    for (Value &value : x)
      value = draw(dtype);
    std::vector<char> data(x.size() * bytes + 1);
    for (size_t i = 0; i < x.size(); ++i)
      memcpy(&data[i * bytes], &x[i].bits, bytes);
    size_t results = size_t(outer * count * inner);
    std::vector<char> values(results * bytes + 1, 0x55);
    std::vector<int64_t> indices(results + 1, -7);
    coil_sort desc = {sizeof(coil_sort),
                      dtype,
                      descending,
                      unordered,
                      outer,
                      size,
                      inner,
                      count,
                      nullptr};
    ASSERT_EQ(
        coil_rt_sort(run, &desc, data.data(), values.data(), indices.data()),
        COIL_OK)
        << coil_last_error();
    EXPECT_EQ(indices[results], -7);
    EXPECT_EQ(values[results * bytes], 0x55);
    std::vector<int64_t> order(static_cast<size_t>(size));
    for (int64_t line = 0; line < outer * inner; ++line) {
      int64_t o = line / inner, i = line % inner;
      auto at = [&](int64_t k) { return (o * size + k) * inner + i; };
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        const Value &u = x[size_t(at(a))], &v = x[size_t(at(b))];
        bool less = isLess(dtype, u, v), greater = isLess(dtype, v, u);
        return less == greater ? a < b : descending ? greater : less;
      });
      std::vector<int64_t> positions;
      for (int64_t k = 0; k < count; ++k) {
        size_t to = size_t((o * count + k) * inner + i);
        positions.push_back(indices[to]);
        ASSERT_LT(uint64_t(indices[to]), uint64_t(size));
        ASSERT_EQ(memcmp(&values[to * bytes],
                         &data[size_t(at(indices[to])) * bytes], bytes),
                  0);
      }
      order.resize(size_t(count));
      if (unordered && count) {
        ASSERT_EQ(positions.back(), order.back()) << "line " << line;
        std::sort(positions.begin(), positions.end());
        std::sort(order.begin(), order.end());
      }
      ASSERT_EQ(positions, order) << "line " << line;
      order.resize(size_t(size));
    }
  }

  std::mt19937_64 generator{7};
};

constexpr int32_t sortable[] = {
    COIL_BOOL, COIL_I8,  COIL_U8,  COIL_I16,  COIL_U16, COIL_I32, COIL_U32,
    COIL_I64,  COIL_U64, COIL_F16, COIL_BF16, COIL_F32, COIL_F64};

TEST_F(SortTest, SortsEveryType) {
  for (int32_t dtype : sortable)
    for (bool descending : {false, true})
      for (int64_t size : {0, 1, 2, 17, 1023, 1024, 2503})
        check(dtype, 3, size, 1, size, descending);
}

TEST_F(SortTest, SortsAlongInnerDimensions) {
  for (int32_t dtype : {COIL_U8, COIL_F16, COIL_F32, COIL_F64})
    for (int64_t size : {1, 13, 1031})
      check(dtype, 2, size, 5, size, false);
  check(COIL_F32, 0, 5, 3, 5, false);
  check(COIL_F32, 3, 5, 0, 5, false);
}

TEST_F(SortTest, SelectsInEachWay) {
  for (int32_t dtype : sortable)
    for (bool descending : {false, true}) {
      check(dtype, 2, 5000, 1, 3, descending);    // few candidates
      check(dtype, 2, 5000, 1, 2000, descending); // by parts
      check(dtype, 1, 1031, 3, 16, descending);
      check(dtype, 2, 64, 1, 1, descending);
      check(dtype, 7, 11, 2, 10, descending);
      check(dtype, 2, 5, 1, 0, descending);
    }
}

TEST_F(SortTest, UnorderedSelectionsHaveTheLastInPlace) {
  for (int32_t dtype : sortable)
    for (bool descending : {false, true})
      for (int64_t count : {0, 1, 3, 515, 1030, 1031})
        check(dtype, 2, 1031, 3, count, descending, /*unordered=*/true);
}

TEST_F(SortTest, UsesAllThreads) {
  for (int32_t threads : {1, 3, 8}) {
    ASSERT_EQ(coil_set_num_threads(threads), COIL_OK);
    check(COIL_F32, 97, 211, 1, 211, false);
    check(COIL_I64, 1, 20000, 3, 20000, true);
  }
  ASSERT_EQ(coil_set_num_threads(0), COIL_OK);
  EXPECT_EQ(stats().live_bytes, 0);
  EXPECT_EQ(stats().library_calls, 6);
}

TEST_F(SortTest, ThreadsShareLongLines) {
  constexpr int64_t size = (1 << 16) + 41;
  for (int32_t threads : {2, 3, 4, 7}) {
    ASSERT_EQ(coil_set_num_threads(threads), COIL_OK);
    for (int32_t dtype : {COIL_I8, COIL_F16, COIL_F32, COIL_F64})
      check(dtype, 1, size, 1, size, threads == 3);
    check(COIL_I32, 1, size, 2, size, threads == 4);
  }
  // Of which one may fail.
  coil_debug_fail_alloc_after(0);
  std::vector<float> x(size), y(size);
  coil_sort desc = {
      sizeof(coil_sort), COIL_F32, 0, 0, 1, size, 1, size, nullptr};
  EXPECT_EQ(coil_rt_sort(run, &desc, x.data(), y.data(), nullptr),
            COIL_OUT_OF_MEMORY);
  ASSERT_EQ(coil_set_num_threads(0), COIL_OK);
  EXPECT_EQ(stats().live_bytes, 0);
}

TEST_F(SortTest, WritesWhatIsWanted) {
  float x[] = {3, 1, 2}, values[3];
  int64_t indices[3];
  coil_sort desc = {sizeof(coil_sort), COIL_F32, 0, 0, 1, 3, 1, 3, nullptr};
  ASSERT_EQ(coil_rt_sort(run, &desc, x, values, nullptr), COIL_OK);
  EXPECT_EQ(values[0], 1);
  ASSERT_EQ(coil_rt_sort(run, &desc, x, nullptr, indices), COIL_OK);
  EXPECT_EQ(indices[0], 1);
  EXPECT_EQ(indices[2], 0);
}

TEST_F(SortTest, RefusesWhatItCannotDo) {
  float x[4] = {}, y[4];
  auto refuse = [&](coil_sort desc, int32_t status, const char *message) {
    EXPECT_EQ(coil_rt_sort(run, &desc, x, y, nullptr), status);
    EXPECT_STREQ(coil_last_error(), message);
  };
  uint32_t bytes = sizeof(coil_sort);
  refuse({bytes + 8, COIL_F32, 0, 0, 1, 4, 1, 4, "m.py:3"},
         COIL_INVALID_ARGUMENT,
         "a sort was compiled for another version of the runtime, in sort "
         "(m.py:3)");
  refuse({bytes, COIL_F32, 0, 0, -1, 4, 1, 4, nullptr}, COIL_INVALID_ARGUMENT,
         "negative size");
  refuse({bytes, COIL_F32, 0, 0, 1, 4, 1, 5, "m.py:4"}, COIL_INVALID_ARGUMENT,
         "cannot take 5 of 4 elements, in sort (m.py:4)");
  refuse({bytes, COIL_F32, 0, 0, 1, int64_t(1) << 32, 1, 4, nullptr},
         COIL_UNSUPPORTED, "cannot sort 4294967296 elements");
  refuse({bytes, COIL_F8E5M2, 0, 0, 1, 4, 1, 4, nullptr}, COIL_UNSUPPORTED,
         "elements of type f8E5M2 have no order");
  refuse({bytes, 99, 0, 0, 1, 4, 1, 4, nullptr}, COIL_UNSUPPORTED,
         "elements of type ? have no order");
  coil_debug_fail_alloc_after(0);
  coil_sort desc = {bytes, COIL_F32, 0, 0, 1, 4, 1, 4, nullptr};
  EXPECT_EQ(coil_rt_sort(run, &desc, x, y, nullptr), COIL_OUT_OF_MEMORY);
}

} // namespace
