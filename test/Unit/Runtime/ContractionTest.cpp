//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of contractions against plain loops.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

namespace {

class ContractionTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (!coil_rt_library_available("onednn"))
      GTEST_SKIP() << coil_last_error();
  }
};

/// A row-major problem; tests change what they need.
coil_contraction makeDesc(int64_t m, int64_t n, int64_t k,
                          std::vector<int64_t> batch = {}) {
  coil_contraction d = {};
  d.struct_size = sizeof(d);
  d.a_dtype = d.b_dtype = d.bias_dtype = d.c_dtype = COIL_F32;
  d.m = m;
  d.n = n;
  d.k = k;
  d.a_strides[0] = k;
  d.b_strides[0] = d.c_strides[0] = n;
  d.a_strides[1] = d.b_strides[1] = d.c_strides[1] = d.bias_stride = 1;
  d.batch_rank = int32_t(batch.size());
  int64_t a = m * k, b = k * n, c = m * n;
  for (int32_t i = d.batch_rank - 1; i >= 0; --i) {
    d.batch_sizes[i] = batch[i];
    d.a_batch_strides[i] = a;
    d.b_batch_strides[i] = b;
    d.c_batch_strides[i] = c;
    a *= batch[i];
    b *= batch[i];
    c *= batch[i];
  }
  return d;
}

/// Elements that strides reach, from offset 0.
int64_t extent(std::vector<std::pair<int64_t, int64_t>> dims) {
  int64_t last = 0;
  for (auto [size, stride] : dims)
    if (size > 0)
      last += (size - 1) * std::abs(stride);
  return last + 1;
}

int64_t span(const coil_contraction &d, int64_t rows, int64_t columns,
             const int64_t *strides, const int64_t *batchStrides) {
  std::vector<std::pair<int64_t, int64_t>> dims = {{rows, strides[0]},
                                                   {columns, strides[1]}};
  for (int32_t i = 0; i < d.batch_rank; ++i)
    dims.push_back({d.batch_sizes[i], batchStrides[i]});
  return extent(dims);
}

/// Runs a problem on random data and compares with loops in double. Operands
/// with negative strides start at their end. Types: all f32 or bf16 inputs.
void check(coil_run *run, const coil_contraction &d, bool withBias,
           double tolerance = 2e-5) {
  auto offsetOf = [](int64_t size, int64_t stride) {
    return stride < 0 ? (size - 1) * -stride : 0;
  };
  bool bf16 = d.a_dtype == COIL_BF16;
  auto fill = [&](int64_t count, uint32_t seed) {
    std::vector<float> values = randomFloats(size_t(count), seed);
    if (bf16)
      for (float &value : values)
        value = bf16ToFloat(floatToBF16(value));
    return values;
  };
  auto narrow = [](const std::vector<float> &values) {
    std::vector<uint16_t> bits;
    for (float value : values)
      bits.push_back(floatToBF16(value));
    return bits;
  };
  std::vector<float> a =
      fill(span(d, d.m, d.k, d.a_strides, d.a_batch_strides), 1);
  std::vector<float> b =
      fill(span(d, d.k, d.n, d.b_strides, d.b_batch_strides), 2);
  int64_t biasSize = d.bias_axis == COIL_BIAS_ALONG_M ? d.m : d.n;
  std::vector<float> bias = fill(extent({{biasSize, d.bias_stride}}), 3);
  size_t count = size_t(span(d, d.m, d.n, d.c_strides, d.c_batch_strides));
  const float untouched = -12345.f;
  std::vector<float> c(count, untouched), expected(count, untouched);
  std::vector<uint16_t> a16 = narrow(a), b16 = narrow(b), bias16 = narrow(bias),
                        c16 = narrow(c);
  int64_t aStart =
      offsetOf(d.m, d.a_strides[0]) + offsetOf(d.k, d.a_strides[1]);
  int64_t bStart =
      offsetOf(d.k, d.b_strides[0]) + offsetOf(d.n, d.b_strides[1]);

  int64_t batches = 1;
  for (int32_t i = 0; i < d.batch_rank; ++i)
    batches *= d.batch_sizes[i];
  for (int64_t batch = 0; batch < batches; ++batch) {
    int64_t rest = batch, ao = aStart, bo = bStart, co = 0;
    for (int32_t i = d.batch_rank - 1; i >= 0; --i) {
      int64_t index = rest % d.batch_sizes[i];
      rest /= d.batch_sizes[i];
      ao += index * d.a_batch_strides[i];
      bo += index * d.b_batch_strides[i];
      co += index * d.c_batch_strides[i];
    }
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < d.k; ++l)
          sum += double(a[ao + i * d.a_strides[0] + l * d.a_strides[1]]) *
                 b[bo + l * d.b_strides[0] + j * d.b_strides[1]];
        if (withBias)
          sum +=
              bias[(d.bias_axis == COIL_BIAS_ALONG_M ? i : j) * d.bias_stride];
        expected[co + i * d.c_strides[0] + j * d.c_strides[1]] =
            float(applyPostOp(sum, d.post_op));
      }
  }

  coil_run_stats before, after;
  coil_run_get_stats(run, &before);
  int32_t status;
  if (bf16) {
    const void *biasData = d.bias_dtype == COIL_BF16
                               ? static_cast<void *>(bias16.data())
                               : bias.data();
    status = coil_rt_contraction(
        run, &d, a16.data() + aStart, b16.data() + bStart,
        withBias ? biasData : nullptr,
        d.c_dtype == COIL_BF16 ? static_cast<void *>(c16.data()) : c.data());
    if (status == COIL_UNSUPPORTED)
      GTEST_SKIP() << coil_last_error();
    if (d.c_dtype == COIL_BF16)
      for (size_t i = 0; i < count; ++i)
        c[i] =
            c16[i] == floatToBF16(untouched) ? untouched : bf16ToFloat(c16[i]);
  } else {
    status = coil_rt_contraction(run, &d, a.data() + aStart, b.data() + bStart,
                                 withBias ? bias.data() : nullptr, c.data());
  }
  ASSERT_EQ(status, COIL_OK) << coil_last_error();
  coil_run_get_stats(run, &after);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  for (size_t i = 0; i < count; ++i)
    ASSERT_NEAR(c[i], expected[i],
                tolerance * (1 + std::abs(expected[i]) + double(d.k)))
        << "element " << i << ", m n k " << d.m << " " << d.n << " " << d.k;
}

TEST_F(ContractionTest, OddSizes) {
  for (int64_t m : {1, 2, 17, 65})
    for (int64_t n : {1, 3, 33, 100})
      for (int64_t k : {0, 1, 5, 48, 161})
        check(run, makeDesc(m, n, k), (m + n) % 2);
}

TEST_F(ContractionTest, EmptyResults) {
  check(run, makeDesc(0, 3, 4), true);
  check(run, makeDesc(3, 0, 4), true);
  check(run, makeDesc(3, 4, 5, {2, 0}), true);
  check(run, makeDesc(3, 4, 0, {2}), true);
  check(run, makeDesc(3, 4, 0, {2}), false);
}

TEST_F(ContractionTest, TransposedOperands) {
  for (int mask = 0; mask < 8; ++mask)
    for (auto [m, n, k] :
         {std::array<int64_t, 3>{7, 9, 11}, {1, 5, 6}, {5, 1, 6}, {5, 6, 1}}) {
      coil_contraction d = makeDesc(m, n, k);
      if (mask & 1)
        std::tie(d.a_strides[0], d.a_strides[1]) = std::pair(1, m);
      if (mask & 2)
        std::tie(d.b_strides[0], d.b_strides[1]) = std::pair(1, k);
      if (mask & 4)
        std::tie(d.c_strides[0], d.c_strides[1]) = std::pair(1, m);
      for (int axis : {COIL_BIAS_ALONG_N, COIL_BIAS_ALONG_M}) {
        d.bias_axis = axis;
        d.bias_stride = 1 + mask % 2;
        check(run, d, true);
      }
    }
}

TEST_F(ContractionTest, GapsBroadcastsAndReversals) {
  coil_contraction d = makeDesc(6, 7, 8);
  d.a_strides[0] = 20;
  d.b_strides[0] = 9;
  d.c_strides[0] = 31;
  check(run, d, true);
  d = makeDesc(6, 7, 8);
  d.a_strides[0] = 0; // All rows alike.
  d.b_strides[1] = 0; // All columns alike.
  d.b_strides[0] = 1;
  check(run, d, true);
  d = makeDesc(6, 7, 8, {3});
  d.a_strides[1] = 2;
  d.a_strides[0] = 16;
  d.a_batch_strides[0] = 96;
  d.b_strides[0] = -7;
  d.c_strides[1] = 3; // Neither stride of C is 1.
  d.c_strides[0] = 21;
  d.c_batch_strides[0] = 126;
  d.bias_axis = COIL_BIAS_ALONG_M;
  check(run, d, true);
}

TEST_F(ContractionTest, BatchesInEveryOrder) {
  check(run, makeDesc(5, 6, 7, {4}), true);
  check(run, makeDesc(5, 6, 7, {2, 1, 3, 2}), false);
  // Attention: heads inside the sequence, [batch, sequence, head, width].
  int64_t batch = 2, heads = 5, sequence = 19, width = 8;
  coil_contraction d = makeDesc(sequence, sequence, width, {batch, heads});
  d.a_strides[0] = d.b_strides[1] = heads * width;
  d.a_strides[1] = d.b_strides[0] = 1;
  d.a_batch_strides[0] = d.b_batch_strides[0] = sequence * heads * width;
  d.a_batch_strides[1] = d.b_batch_strides[1] = width;
  check(run, d, false);
  // A shared B, which folds into one multiplication, and one that cannot.
  d = makeDesc(9, 10, 11, {3, 4});
  d.b_batch_strides[0] = d.b_batch_strides[1] = 0;
  check(run, d, true);
  d.bias_axis = COIL_BIAS_ALONG_M;
  check(run, d, true);
  d = makeDesc(1, 10, 11, {3, 4});
  d.b_batch_strides[0] = d.b_batch_strides[1] = 0;
  check(run, d, true);
}

TEST_F(ContractionTest, PostOps) {
  for (int32_t post :
       {COIL_POST_RELU, COIL_POST_GELU_ERF, COIL_POST_GELU_TANH}) {
    for (bool bias : {false, true}) {
      coil_contraction d = makeDesc(37, 41, 5);
      d.post_op = post;
      check(run, d, bias);
      d = makeDesc(600, 70, 9, {3}); // Row blocks.
      d.post_op = post;
      check(run, d, bias);
      d = makeDesc(1000, 64, 33);
      d.post_op = post;
      check(run, d, bias);
      d.bias_axis = COIL_BIAS_ALONG_M;
      check(run, d, bias);
    }
  }
}

TEST_F(ContractionTest, PostOpsAtTheEdgesOfFloat) {
  float inf = std::numeric_limits<float>::infinity();
  std::vector<float> a = {0.f, -0.f, inf, -100.f, 100.f, NAN, 1e-30f, -6.f};
  float one = 1.f;
  for (int32_t post :
       {COIL_POST_RELU, COIL_POST_GELU_ERF, COIL_POST_GELU_TANH}) {
    std::vector<float> c(a.size());
    coil_contraction d = makeDesc(int64_t(a.size()), 1, 1);
    d.post_op = post;
    ASSERT_EQ(coil_rt_contraction(run, &d, a.data(), &one, nullptr, c.data()),
              COIL_OK);
    EXPECT_EQ(c[0], 0.f);
    EXPECT_EQ(c[2], inf);
    EXPECT_NEAR(c[3], 0.f, 1e-30);
    EXPECT_EQ(c[4], 100.f);
    EXPECT_TRUE(std::isnan(c[5]));
    EXPECT_NEAR(c[7], applyPostOp(-6, post), 1e-6);
  }
}

TEST_F(ContractionTest, GeluIsAccurate) {
  std::vector<float> a;
  for (float x = -12.f; x < 12.f; x += 0.0037f)
    a.push_back(x);
  float one = 1.f;
  for (int32_t post : {COIL_POST_GELU_ERF, COIL_POST_GELU_TANH}) {
    std::vector<float> c(a.size());
    coil_contraction d = makeDesc(int64_t(a.size()), 1, 1);
    d.post_op = post;
    ASSERT_EQ(coil_rt_contraction(run, &d, a.data(), &one, nullptr, c.data()),
              COIL_OK);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(c[i], applyPostOp(a[i], post),
                  2e-7 * std::max(1.f, std::abs(a[i])))
          << a[i];
  }
}

TEST_F(ContractionTest, ThreadCounts) {
  for (int threads : {1, 2, 5}) {
    coil_set_num_threads(threads);
    check(run, makeDesc(300, 70, 40), true);
    check(run, makeDesc(30, 20, 10, {40}), true);
    check(run, makeDesc(130, 120, 110, {3}), true);
  }
  coil_set_num_threads(0);
}

TEST_F(ContractionTest, BF16) {
  for (int32_t result : {COIL_BF16, COIL_F32})
    for (bool bias : {false, true}) {
      coil_contraction d = makeDesc(17, 33, 20);
      d.a_dtype = d.b_dtype = COIL_BF16;
      d.bias_dtype = bias && result == COIL_F32 ? COIL_F32 : COIL_BF16;
      d.c_dtype = result;
      double tolerance = result == COIL_BF16 ? 1e-2 : 1e-4;
      check(run, d, bias, tolerance);
      d.post_op = COIL_POST_RELU;
      check(run, d, bias, tolerance);
      coil_contraction e = makeDesc(5, 6, 0, {2});
      e.a_dtype = e.b_dtype = e.bias_dtype = COIL_BF16;
      e.c_dtype = result;
      check(run, e, bias, tolerance);
      e = makeDesc(5, 6, 7, {2, 3});
      e.a_dtype = e.b_dtype = e.bias_dtype = COIL_BF16;
      e.c_dtype = result;
      e.b_batch_strides[1] = 0;
      std::tie(e.c_strides[0], e.c_strides[1]) = std::pair(1, 5);
      check(run, e, bias, tolerance);
    }
}

TEST_F(ContractionTest, UnsupportedAndBadDescriptors) {
  float x = 0;
  coil_contraction d = makeDesc(1, 1, 1);
  d.a_dtype = d.b_dtype = d.c_dtype = COIL_F64;
  EXPECT_EQ(coil_rt_contraction(run, &d, &x, &x, nullptr, &x),
            COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "library 'onednn' has no contraction of f64 by f64 to f64");
  d = makeDesc(1, 1, 1);
  d.struct_size = 4;
  EXPECT_EQ(coil_rt_contraction(run, &d, &x, &x, nullptr, &x),
            COIL_INVALID_ARGUMENT);
  d = makeDesc(1, -1, 1);
  EXPECT_EQ(coil_rt_contraction(run, &d, &x, &x, nullptr, &x),
            COIL_INVALID_ARGUMENT);
  d = makeDesc(1, 1, 1);
  d.batch_rank = 5;
  EXPECT_EQ(coil_rt_contraction(run, &d, &x, &x, nullptr, &x),
            COIL_INVALID_ARGUMENT);
}

// Operands that need a copy allocate; each such failure must be an error.
TEST_F(ContractionTest, AllocationFailures) {
  coil_contraction d = makeDesc(6, 7, 8);
  d.a_strides[1] = 2;
  d.a_strides[0] = 16;
  d.b_strides[0] = 0;
  d.b_strides[1] = 2;
  d.c_strides[0] = 21;
  d.c_strides[1] = 3;
  d.bias_stride = 2;
  std::vector<float> data(1000, 1.f), c(1000);
  int failures = 0;
  for (int64_t n = 0;; ++n) {
    coil_debug_fail_alloc_after(n);
    int32_t status = coil_rt_contraction(run, &d, data.data(), data.data(),
                                         data.data(), c.data());
    bool fired = coil_debug_fail_alloc_after(-1) < 0;
    EXPECT_EQ(stats().live_bytes, 0);
    if (!fired)
      break;
    ASSERT_EQ(status, COIL_OUT_OF_MEMORY);
    ++failures;
  }
  EXPECT_EQ(failures, 4);
}

TEST(LibraryTest, MissingLibraryIsAnError) {
  ASSERT_EQ(coil_library_set_file("onednn", "libno-such-onednn.so"), COIL_OK);
  EXPECT_FALSE(coil_rt_library_available("onednn"));
  coil_run *run = nullptr;
  ASSERT_EQ(coil_run_create(&run), COIL_OK);
  coil_contraction d = makeDesc(1, 1, 1);
  float x = 0;
  EXPECT_EQ(coil_rt_contraction(run, &d, &x, &x, nullptr, &x),
            COIL_UNAVAILABLE);
  EXPECT_NE(std::string(coil_last_error())
                .find("library 'onednn' is not available: libno-such-onednn"),
            std::string::npos)
      << coil_last_error();
  // A library that is not oneDNN.
  ASSERT_EQ(coil_library_set_file("onednn", "libm.so.6"), COIL_OK);
  EXPECT_FALSE(coil_rt_library_available("onednn"));
  EXPECT_STREQ(coil_last_error(), "library 'onednn' is not available: "
                                  "libm.so.6: no function 'dnnl_version'");
  ASSERT_EQ(coil_library_set_file("onednn", nullptr), COIL_OK);
  EXPECT_EQ(coil_library_set_file("nosuch", nullptr), COIL_INVALID_ARGUMENT);
  EXPECT_FALSE(coil_rt_library_available("nosuch"));
  coil_run_destroy(run);
}

} // namespace
