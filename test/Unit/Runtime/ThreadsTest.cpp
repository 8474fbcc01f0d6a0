//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of parallel loops and of kernel launches.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

class ThreadsTest : public RuntimeTest {
protected:
  void TearDown() override {
    coil_set_num_threads(0);
    RuntimeTest::TearDown();
  }
};

/// Adds one to each point of buffer 0 and checks the alignment of ranges.
int32_t countKernel(void **buffers, const int64_t *symbols, int64_t begin,
                    int64_t end) {
  auto *counts = static_cast<int *>(buffers[0]);
  if (begin % symbols[0] != 0)
    return 2;
  for (int64_t i = begin; i < end; ++i)
    ++counts[i];
  return COIL_KERNEL_OK;
}

TEST_F(ThreadsTest, EveryPointExactlyOnce) {
  for (int threads : {1, 2, 3, 7})
    for (int64_t total : {0, 1, 2, 63, 64, 65, 1000, 12345})
      for (int64_t grain : {1, 8, 100, 100000}) {
        ASSERT_EQ(coil_set_num_threads(threads), COIL_OK);
        std::vector<int> counts(size_t(total) + 1);
        void *buffers[] = {counts.data()};
        ASSERT_EQ(
            coil_rt_launch_cpu(run, countKernel, buffers, &grain, total, grain),
            COIL_OK)
            << coil_last_error();
        for (int64_t i = 0; i < total; ++i)
          ASSERT_EQ(counts[i], 1) << i << " of " << total << "/" << grain;
        ASSERT_EQ(counts[total], 0);
      }
}

TEST_F(ThreadsTest, SmallLoopsRunInline) {
  static std::thread::id caller;
  caller = std::this_thread::get_id();
  auto kernel = [](void **, const int64_t *, int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
    return int32_t(COIL_KERNEL_OK);
  };
  EXPECT_EQ(coil_rt_launch_cpu(run, kernel, nullptr, nullptr, 100, 100),
            COIL_OK);
}

TEST_F(ThreadsTest, NestedLoopsRunInline) {
  coil_set_num_threads(4);
  static std::atomic<int64_t> sum;
  sum = 0;
  auto inner = [](void *, int64_t begin, int64_t end) -> int32_t {
    sum += end - begin;
    return COIL_OK;
  };
  static int32_t (*innerFn)(void *, int64_t, int64_t);
  innerFn = inner;
  auto outer = [](void *, int64_t begin, int64_t end) -> int32_t {
    for (int64_t i = begin; i < end; ++i)
      if (int32_t status = coil_parallel_for(1000, 1, innerFn, nullptr))
        return status;
    return COIL_OK;
  };
  EXPECT_EQ(coil_parallel_for(50, 1, outer, nullptr), COIL_OK);
  EXPECT_EQ(sum, 50 * 1000);
}

TEST_F(ThreadsTest, FirstFailureComesBack) {
  for (int threads : {1, 4}) {
    coil_set_num_threads(threads);
    auto kernel = [](void **, const int64_t *, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        if (i == 700)
          return int32_t(COIL_KERNEL_INDEX_OUT_OF_RANGE);
      return int32_t(COIL_KERNEL_OK);
    };
    EXPECT_EQ(coil_rt_launch_cpu(run, kernel, nullptr, nullptr, 1000, 1),
              COIL_ASSERTION_FAILED);
    EXPECT_STREQ(coil_last_error(), "index out of range");
    EXPECT_EQ(coil_run_failed_kernel(run),
              reinterpret_cast<const void *>(+kernel));
  }
}

TEST_F(ThreadsTest, ExceptionsDoNotCross) {
  for (int threads : {1, 4}) {
    coil_set_num_threads(threads);
    auto body = [](void *, int64_t, int64_t) -> int32_t {
      throw std::runtime_error("thrown inside");
    };
    EXPECT_EQ(coil_parallel_for(100, 1, body, nullptr), COIL_INTERNAL);
    EXPECT_STREQ(coil_last_error(), "internal error: thrown inside");
  }
}

TEST_F(ThreadsTest, CountIsCheckedAndRead) {
  EXPECT_EQ(coil_set_num_threads(-1), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_set_num_threads(3), COIL_OK);
  EXPECT_EQ(coil_get_num_threads(), 3);
  EXPECT_EQ(coil_set_num_threads(0), COIL_OK);
  EXPECT_GE(coil_get_num_threads(), 1);
}

TEST_F(ThreadsTest, ManyCallersAtOnce) {
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        std::vector<int> counts(1000);
        auto body = [](void *context, int64_t begin, int64_t end) -> int32_t {
          for (int64_t j = begin; j < end; ++j)
            ++static_cast<int *>(context)[j];
          return COIL_OK;
        };
        ASSERT_EQ(coil_parallel_for(1000, 10, body, counts.data()), COIL_OK);
        for (int count : counts)
          ASSERT_EQ(count, 1);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

} // namespace
