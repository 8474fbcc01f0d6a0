//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between the host and a GPU. The driver for tests copies when somebody
// waits, so a copy that relied on memory of the program would be seen.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include "coil/Runtime/Transfer.h"

#include <numeric>

namespace {

class TransferTest : public CUDATest {
protected:
  coil_tensor tensor(void *data, const std::vector<int64_t> &sizes,
                     const std::vector<int64_t> &strides, int32_t device) {
    return {data,
            sizes.data(),
            strides.data(),
            int32_t(sizes.size()),
            COIL_F32,
            device,
            0};
  }
};

TEST_F(TransferTest, takesElementsBeforeItReturns) {
  std::vector<float> x(1000), back(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<int64_t> sizes = {1000}, strides = {1};
  void *a = alloc(4000);
  coil_tensor host = tensor(x.data(), sizes, strides, COIL_CPU),
              gpu = tensor(a, sizes, strides, COIL_CUDA),
              result = tensor(back.data(), sizes, strides, COIL_CPU);
  int before = fake->synchronisations;
  ASSERT_EQ(coil_rt_transfer(run, &gpu, &host, 0), COIL_OK)
      << coil_last_error();
  EXPECT_COUNT(fake->synchronisations, before);
  std::fill(x.begin(), x.end(), -1.0f);
  ASSERT_EQ(coil_rt_transfer(run, &result, &gpu, 0), COIL_OK)
      << coil_last_error();
  EXPECT_EQ(back[0], 0.0f);
  EXPECT_EQ(back[999], 999.0f);
}

TEST_F(TransferTest, goesThroughSeveralStages) {
  int64_t count = (9 << 20) + 3; // 36 MiB, more than all stages together.
  std::vector<float> x(static_cast<size_t>(count)), back(x.size());
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<int64_t> sizes = {count}, strides = {1};
  coil_tensor host = tensor(x.data(), sizes, strides, COIL_CPU),
              gpu = tensor(alloc(count * 4), sizes, strides, COIL_CUDA),
              result = tensor(back.data(), sizes, strides, COIL_CPU);
  ASSERT_EQ(coil_rt_transfer(run, &gpu, &host, 0), COIL_OK);
  std::vector<float> kept = x;
  std::fill(x.begin(), x.end(), -1.0f);
  ASSERT_EQ(coil_rt_transfer(run, &result, &gpu, 0), COIL_OK);
  EXPECT_TRUE(back == kept);
}

TEST_F(TransferTest, gathersStridedSources) {
  std::vector<float> x = {0, 1, 2, 3, 4, 5}, back(3);
  std::vector<int64_t> sizes = {3}, two = {2}, one = {1}, minus = {-1};
  coil_tensor odd = tensor(x.data() + 1, sizes, two, COIL_CPU),
              gpu = tensor(alloc(12), sizes, one, COIL_CUDA);
  ASSERT_EQ(coil_rt_transfer(run, &gpu, &odd, 0), COIL_OK);
  // From the last to the first.
  coil_tensor reversed = tensor(static_cast<float *>(gpu.data) + 2, sizes,
                                minus, COIL_CUDA),
              result = tensor(back.data(), sizes, one, COIL_CPU);
  ASSERT_EQ(coil_rt_transfer(run, &result, &reversed, 0), COIL_OK);
  EXPECT_EQ(back, (std::vector<float>{5, 3, 1}));
}

TEST_F(TransferTest, waitsForKernelsBefore) {
  std::vector<float> x(8, 1.0f), back(8);
  std::vector<int64_t> sizes = {8}, strides = {1};
  coil_tensor host = tensor(x.data(), sizes, strides, COIL_CPU),
              a = tensor(alloc(32), sizes, strides, COIL_CUDA),
              b = tensor(alloc(32), sizes, strides, COIL_CUDA),
              result = tensor(back.data(), sizes, strides, COIL_CPU);
  ASSERT_EQ(coil_rt_transfer(run, &a, &host, 0), COIL_OK);
  ASSERT_EQ(launchAddOne(a.data, b.data, 8), COIL_OK);
  ASSERT_EQ(coil_rt_transfer(run, &result, &b, 0), COIL_OK);
  EXPECT_EQ(back, std::vector<float>(8, 2.0f));
  // What a kernel found is said where the host waits.
  void *buffers[] = {a.data};
  ASSERT_EQ(coil_rt_launch_cuda(run, &check, buffers, nullptr, 1, 1, 1),
            COIL_OK);
  EXPECT_EQ(coil_rt_transfer(run, &result, &a, 0), COIL_ASSERTION_FAILED);
  EXPECT_TRUE(strstr(coil_last_error(), "check")) << coil_last_error();
}

TEST_F(TransferTest, refusesWhatItCannotDo) {
  std::vector<float> x(6);
  std::vector<int64_t> sizes = {3}, other = {2}, one = {1}, two = {2};
  void *a = alloc(24);
  coil_tensor host = tensor(x.data(), sizes, one, COIL_CPU),
              gpu = tensor(a, sizes, one, COIL_CUDA),
              small = tensor(a, other, one, COIL_CUDA),
              gaps = tensor(a, sizes, two, COIL_CUDA),
              unknown = tensor(a, sizes, one, 77);
  EXPECT_EQ(coil_rt_transfer(run, &small, &host, 0), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_rt_transfer(run, &gaps, &host, 0), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_rt_transfer(run, &gpu, &unknown, 0), COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(), "elements cannot go from a device of type 77 "
                                  "to one of type 1 in one step");
  coil_tensor nowhere = gpu;
  nowhere.device_index = 63;
  EXPECT_EQ(coil_rt_transfer(run, &nowhere, &gpu, 0), COIL_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(coil_last_error(), "there is no CUDA device 63"))
      << coil_last_error();
  EXPECT_EQ(coil_rt_select_device(run, COIL_CUDA, 63), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_rt_select_device(run, 77, 1), COIL_UNSUPPORTED);
  EXPECT_EQ(coil_rt_select_device(run, 77, 0), COIL_OK);
  EXPECT_EQ(coil_rt_transfer(run, &unknown, &host, 0), COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "nobody is registered who moves elements between the host and "
               "devices of type 77");
  coil_run *unbound = nullptr;
  ASSERT_EQ(coil_run_create(&unbound), COIL_OK);
  EXPECT_EQ(coil_rt_transfer(unbound, &gpu, &host, 0), COIL_INVALID_ARGUMENT);
  coil_run_destroy(unbound);
}

TEST_F(TransferTest, asksWhoIsRegistered) {
  std::vector<float> x = {1, 2, 3}, y(3);
  std::vector<int64_t> sizes = {3}, one = {1};
  coil_tensor host = tensor(x.data(), sizes, one, COIL_CPU),
              there = tensor(y.data(), sizes, one, 78);
  auto move = [](coil_run *, const coil_tensor *to, const coil_tensor *from,
                 int32_t) -> int32_t {
    memcpy(to->data, from->data, 12);
    return COIL_OK;
  };
  EXPECT_EQ(coil_register_transfer(COIL_CUDA, move), COIL_INVALID_ARGUMENT);
  ASSERT_EQ(coil_register_transfer(78, move), COIL_OK);
  EXPECT_EQ(coil_register_transfer(78, move), COIL_INVALID_ARGUMENT);
  ASSERT_EQ(coil_rt_transfer(run, &there, &host, 0), COIL_OK);
  EXPECT_EQ(y, x);
}

} // namespace
