//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of convolutions against plain loops.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <algorithm>

namespace {

class ConvolutionTest : public RuntimeTest {
protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    if (!coil_rt_library_available("onednn"))
      GTEST_SKIP() << coil_last_error();
  }
};

struct Shape {
  int64_t batch, inChannels, outChannels, groups;
  std::vector<int64_t> in, kernel;
  int64_t stride = 1, padLo = 0, padHi = 0, dilation = 1;
};

void contiguous(int64_t *strides, const std::vector<int64_t> &sizes) {
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= sizes[d];
  }
}

void channelsLast(int64_t *strides, const std::vector<int64_t> &sizes) {
  int64_t stride = sizes[1];
  strides[1] = 1;
  for (size_t d = sizes.size(); d-- > 0;)
    if (d != 1) {
      strides[d] = stride;
      stride *= sizes[d];
    }
}

std::vector<int64_t> join(int64_t a, int64_t b, const int64_t *rest,
                          int32_t rank) {
  std::vector<int64_t> sizes = {a, b};
  sizes.insert(sizes.end(), rest, rest + rank);
  return sizes;
}

coil_convolution makeDesc(const Shape &s) {
  coil_convolution d = {};
  d.struct_size = sizeof(d);
  d.x_dtype = d.w_dtype = d.bias_dtype = d.y_dtype = COIL_F32;
  d.spatial_rank = int32_t(s.in.size());
  d.batch = s.batch;
  d.in_channels = s.inChannels;
  d.out_channels = s.outChannels;
  d.groups = s.groups;
  d.bias_stride = 1;
  for (int32_t i = 0; i < d.spatial_rank; ++i) {
    d.in_sizes[i] = s.in[i];
    d.kernel_sizes[i] = s.kernel[i];
    d.strides[i] = s.stride;
    d.padding_lo[i] = s.padLo;
    d.padding_hi[i] = s.padHi;
    d.dilations[i] = s.dilation;
    int64_t room =
        s.in[i] + s.padLo + s.padHi - (s.kernel[i] - 1) * s.dilation - 1;
    d.out_sizes[i] = room < 0 ? 0 : room / s.stride + 1;
  }
  contiguous(d.x_strides,
             join(s.batch, s.inChannels, d.in_sizes, d.spatial_rank));
  contiguous(d.w_strides, join(s.outChannels, s.inChannels / s.groups,
                               d.kernel_sizes, d.spatial_rank));
  contiguous(d.y_strides,
             join(s.batch, s.outChannels, d.out_sizes, d.spatial_rank));
  return d;
}

int64_t span(const std::vector<int64_t> &sizes, const int64_t *strides) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d)
    last += std::max<int64_t>(sizes[d] - 1, 0) * strides[d];
  return last + 1;
}

/// Runs a problem on random data and compares with loops in double.
void check(coil_run *run, const coil_convolution &d, bool withBias) {
  int32_t rank = d.spatial_rank;
  int64_t perGroupIn = d.in_channels / d.groups,
          perGroupOut = d.out_channels / d.groups;
  std::vector<int64_t> xSizes = join(d.batch, d.in_channels, d.in_sizes, rank);
  std::vector<int64_t> wSizes =
      join(d.out_channels, perGroupIn, d.kernel_sizes, rank);
  std::vector<int64_t> ySizes =
      join(d.batch, d.out_channels, d.out_sizes, rank);
  std::vector<float> x = randomFloats(size_t(span(xSizes, d.x_strides)), 1);
  std::vector<float> w = randomFloats(size_t(span(wSizes, d.w_strides)), 2);
  std::vector<float> bias = randomFloats(
      size_t(std::max<int64_t>(d.out_channels, 1) * d.bias_stride), 3);
  size_t count = size_t(span(ySizes, d.y_strides));
  const float untouched = -12345.f;
  std::vector<float> y(count, untouched), expected(count, untouched);

  int64_t kernel[3] = {1, 1, 1}, in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  int64_t xs[5] = {}, ws[5] = {}, ys[5] = {}, stride[3] = {1, 1, 1},
          pad[3] = {}, dilation[3] = {1, 1, 1};
  for (int i = 0; i < 2; ++i) {
    xs[i] = d.x_strides[i];
    ws[i] = d.w_strides[i];
    ys[i] = d.y_strides[i];
  }
  for (int32_t i = 0; i < rank; ++i) {
    kernel[i] = d.kernel_sizes[i];
    in[i] = d.in_sizes[i];
    out[i] = d.out_sizes[i];
    stride[i] = d.strides[i];
    pad[i] = d.padding_lo[i];
    dilation[i] = d.dilations[i];
    xs[2 + i] = d.x_strides[2 + i];
    ws[2 + i] = d.w_strides[2 + i];
    ys[2 + i] = d.y_strides[2 + i];
  }
  for (int64_t n = 0; n < d.batch; ++n)
    for (int64_t co = 0; co < d.out_channels; ++co)
      for (int64_t o = 0; o < out[0] * out[1] * out[2]; ++o) {
        int64_t at[3] = {o / (out[1] * out[2]), o / out[2] % out[1],
                         o % out[2]};
        double sum = 0;
        for (int64_t ci = 0; ci < perGroupIn; ++ci)
          for (int64_t k = 0; k < kernel[0] * kernel[1] * kernel[2]; ++k) {
            int64_t tap[3] = {k / (kernel[1] * kernel[2]),
                              k / kernel[2] % kernel[1], k % kernel[2]};
            int64_t xo =
                n * xs[0] + (co / perGroupOut * perGroupIn + ci) * xs[1];
            int64_t wo = co * ws[0] + ci * ws[1];
            bool inside = true;
            for (int i = 0; i < 3; ++i) {
              int64_t p = at[i] * stride[i] + tap[i] * dilation[i] - pad[i];
              inside &= p >= 0 && p < in[i];
              xo += p * xs[2 + i];
              wo += tap[i] * ws[2 + i];
            }
            if (inside)
              sum += double(x[xo]) * w[wo];
          }
        if (withBias)
          sum += bias[co * d.bias_stride];
        expected[n * ys[0] + co * ys[1] + at[0] * ys[2] + at[1] * ys[3] +
                 at[2] * ys[4]] = float(applyPostOp(sum, d.post_op));
      }

  ASSERT_EQ(coil_rt_convolution(run, &d, x.data(), w.data(),
                                withBias ? bias.data() : nullptr, y.data()),
            COIL_OK)
      << coil_last_error();
  coil_run_stats stats;
  coil_run_get_stats(run, &stats);
  EXPECT_EQ(stats.live_bytes, 0);
  for (size_t i = 0; i < count; ++i)
    ASSERT_NEAR(y[i], expected[i], 1e-4 * (1 + std::abs(expected[i])))
        << "element " << i;
}

TEST_F(ConvolutionTest, Batches) {
  for (int64_t batch : {1, 2, 3, 31, 64, 65, 130}) {
    check(run, makeDesc({batch, 1, 16, 1, {8, 8}, {3, 3}, 1, 1, 1}), true);
    check(run, makeDesc({batch, 16, 8, 1, {4, 4}, {3, 3}, 1, 1, 1}), true);
  }
}

TEST_F(ConvolutionTest, SpatialRanks) {
  check(run, makeDesc({2, 3, 5, 1, {17}, {4}, 2, 1, 2}), true);
  check(run, makeDesc({2, 3, 5, 1, {9, 7}, {3, 2}, 2, 1, 0}), false);
  check(run, makeDesc({2, 3, 5, 1, {5, 6, 7}, {2, 3, 1}, 1, 1, 1}), true);
}

TEST_F(ConvolutionTest, DilationGroupsAndDepthwise) {
  check(run, makeDesc({2, 4, 6, 1, {12, 11}, {3, 3}, 1, 2, 2, 2}), true);
  check(run, makeDesc({2, 8, 12, 4, {6, 6}, {3, 3}, 1, 1, 1}), true);
  check(run, makeDesc({3, 16, 16, 16, {6, 6}, {3, 3}, 2, 1, 1}), false);
  check(run, makeDesc({3, 6, 12, 6, {9}, {3}, 1, 1, 1}), true);
}

TEST_F(ConvolutionTest, PostOps) {
  for (int32_t post : {COIL_POST_RELU, COIL_POST_GELU_ERF, COIL_POST_GELU_TANH})
    for (int64_t channels : {1, 16}) {
      coil_convolution d =
          makeDesc({5, channels, 7, 1, {6, 6}, {3, 3}, 1, 1, 1});
      d.post_op = post;
      check(run, d, true);
    }
}

TEST_F(ConvolutionTest, Layouts) {
  Shape s = {70, 6, 10, 1, {6, 5}, {3, 3}, 1, 1, 1};
  coil_convolution d = makeDesc(s);
  channelsLast(d.x_strides, join(70, 6, d.in_sizes, 2));
  check(run, d, true);
  channelsLast(d.y_strides, join(70, 10, d.out_sizes, 2));
  check(run, d, true);
  // A slice of a larger batch on both sides.
  d = makeDesc(s);
  d.x_strides[0] *= 2;
  d.y_strides[0] *= 3;
  check(run, d, true);
  // Every other column, a broadcast input channel, a strided bias.
  d = makeDesc(s);
  for (int i = 0; i < 4; ++i)
    d.x_strides[i] *= 2;
  d.bias_stride = 3;
  check(run, d, true);
  d = makeDesc(s);
  d.x_strides[1] = 0;
  d.w_strides[0] = 0;
  check(run, d, true);
  // Transposed weights.
  d = makeDesc(s);
  d.w_strides[2] = 1;
  d.w_strides[3] = 3;
  check(run, d, true);
}

TEST_F(ConvolutionTest, EmptyTensors) {
  check(run, makeDesc({0, 3, 4, 1, {8, 8}, {3, 3}}), true);
  check(run, makeDesc({2, 3, 0, 1, {8, 8}, {3, 3}}), false);
  check(run, makeDesc({2, 0, 4, 1, {8, 8}, {3, 3}}), true);
  check(run, makeDesc({2, 0, 4, 1, {8, 8}, {3, 3}}), false);
  check(run, makeDesc({2, 3, 4, 1, {2, 2}, {3, 3}}), true);
  check(run, makeDesc({2, 3, 4, 1, {0, 2}, {1, 1}, 1, 1, 1}), true);
}

TEST_F(ConvolutionTest, ThreadCounts) {
  for (int threads : {1, 3, 2}) {
    coil_set_num_threads(threads);
    check(run, makeDesc({20, 16, 32, 1, {8, 8}, {3, 3}, 1, 1, 1}), true);
  }
  coil_set_num_threads(0);
}

TEST_F(ConvolutionTest, BadRequests) {
  float x = 0;
  coil_convolution d = makeDesc({1, 1, 1, 1, {4}, {3}});
  d.transposed = 1;
  EXPECT_EQ(coil_rt_convolution(run, &d, &x, &x, nullptr, &x),
            COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "transposed convolution is not supported by the runtime");
  d = makeDesc({1, 1, 1, 1, {4}, {3}});
  d.out_sizes[0] = 3;
  EXPECT_EQ(coil_rt_convolution(run, &d, &x, &x, nullptr, &x),
            COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(), "convolution: expected output size 2 in "
                                  "spatial dimension 0 but got 3");
  d = makeDesc({1, 3, 4, 1, {4}, {3}});
  d.groups = 2;
  EXPECT_EQ(coil_rt_convolution(run, &d, &x, &x, nullptr, &x),
            COIL_INVALID_ARGUMENT);
  d = makeDesc({1, 1, 1, 1, {4}, {3}});
  d.x_dtype = COIL_F64;
  EXPECT_EQ(coil_rt_convolution(run, &d, &x, &x, nullptr, &x),
            COIL_UNSUPPORTED);
}

TEST_F(ConvolutionTest, AllocationFailures) {
  coil_convolution d = makeDesc({3, 8, 8, 1, {6, 6}, {3, 3}, 1, 1, 1});
  d.bias_stride = 2;
  d.w_strides[0] = 0;
  std::vector<float> data(10000, 1.f), y(10000);
  int failures = 0;
  for (int64_t n = 0;; ++n) {
    coil_debug_fail_alloc_after(n);
    int32_t status = coil_rt_convolution(run, &d, data.data(), data.data(),
                                         data.data(), y.data());
    bool fired = coil_debug_fail_alloc_after(-1) < 0;
    EXPECT_EQ(stats().live_bytes, 0);
    if (!fired)
      break;
    ASSERT_EQ(status, COIL_OUT_OF_MEMORY);
    ++failures;
  }
  EXPECT_GE(failures, 3);
}

} // namespace
