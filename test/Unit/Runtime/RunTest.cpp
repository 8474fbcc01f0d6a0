//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the host allocator and of what a run owns.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <thread>

namespace {

class AllocatorTest : public RuntimeTest {};

TEST_F(AllocatorTest, AlignsEverySize) {
  for (int64_t bytes : {0, 1, 63, 64, 65, 4096, 1000000, 3 << 20}) {
    void *pointer = nullptr;
    ASSERT_EQ(coil_rt_alloc(run, bytes, &pointer), COIL_OK);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 64, 0u);
    memset(pointer, 1, size_t(bytes));
  }
}

// Each block must hold what was asked for, at the edges of size classes too.
TEST_F(AllocatorTest, BlocksDoNotOverlap) {
  struct Piece {
    unsigned char *data;
    int64_t bytes;
  };
  std::vector<Piece> pieces;
  for (int64_t power = 64; power <= (4 << 20); power *= 2)
    for (int64_t eighths = 8; eighths < 16; ++eighths)
      for (int64_t delta : {-1, 0, 1}) {
        int64_t bytes = power / 8 * eighths + delta;
        void *pointer = nullptr;
        ASSERT_EQ(coil_rt_alloc(run, bytes, &pointer), COIL_OK);
        memset(pointer, int(pieces.size() % 251), size_t(bytes));
        pieces.push_back({static_cast<unsigned char *>(pointer), bytes});
      }
  for (size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].data[0], i % 251);
    EXPECT_EQ(pieces[i].data[pieces[i].bytes - 1], i % 251);
  }
}

TEST_F(AllocatorTest, FreedMemoryIsReused) {
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(coil_rt_alloc(run, 64 << 20, &first), COIL_OK);
  ASSERT_EQ(coil_rt_free(run, first), COIL_OK);
  coil_allocator_stats before, after;
  coil_allocator_get_stats(&before);
  ASSERT_EQ(coil_rt_alloc(run, 63 << 20, &second), COIL_OK);
  coil_allocator_get_stats(&after);
  EXPECT_EQ(first, second);
  EXPECT_EQ(after.misses, before.misses);
  EXPECT_EQ(after.hits, before.hits + 1);
}

TEST_F(AllocatorTest, TrimAndLimitGiveMemoryBack) {
  void *pointer = nullptr;
  ASSERT_EQ(coil_rt_alloc(run, 8 << 20, &pointer), COIL_OK);
  ASSERT_EQ(coil_rt_free(run, pointer), COIL_OK);
  EXPECT_GE(coil_allocator_trim(0), 8 << 20);
  coil_allocator_stats stats;
  coil_allocator_get_stats(&stats);
  EXPECT_EQ(stats.cached_bytes, 0);

  int64_t previous = coil_allocator_set_cache_limit(1 << 20);
  ASSERT_EQ(coil_rt_alloc(run, 8 << 20, &pointer), COIL_OK);
  ASSERT_EQ(coil_rt_free(run, pointer), COIL_OK);
  coil_allocator_get_stats(&stats);
  EXPECT_LE(stats.cached_bytes, 1 << 20);
  EXPECT_EQ(coil_allocator_set_cache_limit(previous), 1 << 20);
}

TEST_F(AllocatorTest, ImpossibleSizesAreErrors) {
  void *pointer = run;
  EXPECT_EQ(coil_rt_alloc(run, int64_t(1) << 60, &pointer), COIL_OUT_OF_MEMORY);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_STREQ(coil_last_error(),
               "out of memory: cannot allocate 1152921504606846976 bytes");
  EXPECT_EQ(coil_rt_alloc(run, -1, &pointer), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(stats().live_allocations, 0);
  // More than there is, but not absurd.
  EXPECT_EQ(coil_rt_alloc(run, int64_t(1) << 48, &pointer), COIL_OUT_OF_MEMORY);
  EXPECT_EQ(coil_rt_alloc(run, 100, &pointer), COIL_OK);
}

TEST_F(AllocatorTest, InjectedFailureHitsOnce) {
  void *pointer = nullptr;
  coil_debug_fail_alloc_after(2);
  EXPECT_EQ(coil_rt_alloc(run, 10, &pointer), COIL_OK);
  EXPECT_EQ(coil_rt_alloc(run, 10, &pointer), COIL_OK);
  EXPECT_EQ(coil_rt_alloc(run, 10, &pointer), COIL_OUT_OF_MEMORY);
  EXPECT_STREQ(coil_last_error(), "out of memory: cannot allocate 10 bytes");
  EXPECT_EQ(coil_rt_alloc(run, 10, &pointer), COIL_OK);
  EXPECT_LT(coil_debug_fail_alloc_after(-1), 0);
}

TEST_F(AllocatorTest, PoisonIsNaN) {
  void *pointer = nullptr;
  coil_debug_set_poison(1);
  ASSERT_EQ(coil_rt_alloc(run, 4, &pointer), COIL_OK);
  coil_debug_set_poison(0);
  EXPECT_TRUE(std::isnan(*static_cast<float *>(pointer)));
}

TEST_F(AllocatorTest, NoticesWritesBehindPoisonedMemory) {
  coil_debug_overruns();
  for (int64_t bytes : {0, 2, 63, 64, 4096})
    for (bool overruns : {false, true}) {
      void *pointer = nullptr;
      coil_debug_set_poison(1);
      ASSERT_EQ(coil_rt_alloc(run, bytes, &pointer), COIL_OK);
      coil_debug_set_poison(0);
      static_cast<char *>(pointer)[bytes] ^= overruns;
      ASSERT_EQ(coil_rt_free(run, pointer), COIL_OK);
      EXPECT_EQ(coil_debug_overruns(), overruns) << bytes;
    }
}

TEST_F(AllocatorTest, ThreadsAllocateAtOnce) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      coil_run *own = nullptr;
      ASSERT_EQ(coil_run_create(&own), COIL_OK);
      std::mt19937 random(t);
      std::vector<std::pair<int64_t *, int64_t>> live;
      for (int i = 0; i < 5000; ++i) {
        if (live.size() < 16 && random() % 3) {
          int64_t words = 1 + random() % 4000;
          void *pointer = nullptr;
          ASSERT_EQ(coil_rt_alloc(own, words * 8, &pointer), COIL_OK);
          auto *data = static_cast<int64_t *>(pointer);
          data[0] = data[words - 1] = t;
          live.push_back({data, words});
        } else if (!live.empty()) {
          auto [data, words] = live.back();
          live.pop_back();
          ASSERT_EQ(data[0], t);
          ASSERT_EQ(data[words - 1], t);
          ASSERT_EQ(coil_rt_free(own, data), COIL_OK);
        }
      }
      coil_run_destroy(own);
    });
  for (std::thread &thread : threads)
    thread.join();
}

class RunTest : public RuntimeTest {};

TEST_F(RunTest, CountsLiveAndPeak) {
  void *a = nullptr, *b = nullptr;
  ASSERT_EQ(coil_rt_alloc(run, 1000, &a), COIL_OK);
  ASSERT_EQ(coil_rt_alloc(run, 500, &b), COIL_OK);
  ASSERT_EQ(coil_rt_free(run, a), COIL_OK);
  ASSERT_EQ(coil_rt_alloc(run, 200, &a), COIL_OK);
  coil_run_stats now = stats();
  EXPECT_EQ(now.live_bytes, 700);
  EXPECT_EQ(now.peak_bytes, 1500);
  EXPECT_EQ(now.allocated_bytes, 1700);
  EXPECT_EQ(now.live_allocations, 2);
  EXPECT_EQ(now.allocations, 3);
}

TEST_F(RunTest, DestroyFreesWhatIsLeft) {
  coil_allocator_stats before, after;
  coil_allocator_get_stats(&before);
  coil_run *other = nullptr;
  ASSERT_EQ(coil_run_create(&other), COIL_OK);
  void *pointer = nullptr;
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(coil_rt_alloc(other, 1000 << i, &pointer), COIL_OK);
  coil_run_destroy(other);
  coil_allocator_get_stats(&after);
  EXPECT_EQ(after.in_use_bytes, before.in_use_bytes);
}

TEST_F(RunTest, TakenMemoryOutlivesTheRun) {
  coil_run *other = nullptr;
  ASSERT_EQ(coil_run_create(&other), COIL_OK);
  void *pointer = nullptr;
  ASSERT_EQ(coil_rt_alloc(other, 4, &pointer), COIL_OK);
  *static_cast<int *>(pointer) = 42;
  ASSERT_EQ(coil_run_take(other, pointer), COIL_OK);
  EXPECT_EQ(coil_rt_free(other, pointer), COIL_INVALID_ARGUMENT);
  coil_run_destroy(other);
  EXPECT_EQ(*static_cast<int *>(pointer), 42);
  EXPECT_EQ(coil_free(pointer), COIL_OK);
  EXPECT_EQ(coil_free(pointer), COIL_INVALID_ARGUMENT);
}

TEST_F(RunTest, DoubleFreeIsAnError) {
  void *pointer = nullptr;
  ASSERT_EQ(coil_rt_alloc(run, 100, &pointer), COIL_OK);
  EXPECT_EQ(coil_rt_free(run, pointer), COIL_OK);
  EXPECT_EQ(coil_rt_free(run, pointer), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_rt_free(run, nullptr), COIL_OK);
}

TEST_F(RunTest, OutputsKeepTheirShape) {
  coil_tensor output = {};
  {
    int64_t sizes[] = {2, 3}, strides[] = {3, 1};
    ASSERT_EQ(
        coil_rt_set_output(run, &output, &output, COIL_F32, 2, sizes, strides),
        COIL_OK);
    sizes[0] = strides[0] = -1;
  }
  EXPECT_EQ(output.rank, 2);
  EXPECT_EQ(output.sizes[0], 2);
  EXPECT_EQ(output.sizes[1], 3);
  EXPECT_EQ(output.strides[0], 3);
  EXPECT_EQ(output.device_type, COIL_CPU);
}

TEST_F(RunTest, FailuresCarryTheirMessage) {
  EXPECT_EQ(coil_rt_assert_fail(run, "expected 's0' to be at most 64", 65, 64),
            COIL_ASSERTION_FAILED);
  EXPECT_STREQ(coil_last_error(),
               "expected 's0' to be at most 64 (got 65 and 64)");
  EXPECT_EQ(coil_rt_fail(run, COIL_UNSUPPORTED, "no"), COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(), "no");
}

TEST_F(RunTest, TraceSeesEachStep) {
  struct Seen {
    std::vector<coil_trace_event> events;
  } seen;
  coil_run_set_trace(
      run,
      [](void *user, const coil_trace_event *event) {
        static_cast<Seen *>(user)->events.push_back(*event);
      },
      &seen);
  void *pointer = nullptr;
  coil_cpu_kernel kernel = [](void **, const int64_t *, int64_t, int64_t) {
    return int32_t(COIL_KERNEL_OK);
  };
  ASSERT_EQ(coil_rt_note_cost(run, 11, 12, 5), COIL_OK);
  ASSERT_EQ(coil_rt_alloc(run, 100, &pointer), COIL_OK);
  ASSERT_EQ(coil_rt_launch_cpu(run, kernel, nullptr, nullptr, 7, 100), COIL_OK);
  ASSERT_EQ(coil_rt_free(run, pointer), COIL_OK);
  ASSERT_EQ(coil_rt_launch_cpu(run, kernel, nullptr, nullptr, 7, 100), COIL_OK);
  coil_run_set_trace(run, nullptr, nullptr);
  ASSERT_EQ(seen.events.size(), 4u);
  // A cost is that of the next step that computes, and of no other.
  EXPECT_EQ(seen.events[0].cost.bytes, -1);
  EXPECT_EQ(seen.events[1].cost.bytes, 11);
  EXPECT_EQ(seen.events[1].cost.flops, 12);
  EXPECT_EQ(seen.events[1].cost.matrix_flops, 5);
  EXPECT_EQ(seen.events[2].cost.bytes, -1);
  EXPECT_EQ(seen.events[3].cost.bytes, -1);
  EXPECT_EQ(seen.events[0].kind, COIL_TRACE_ALLOC);
  EXPECT_EQ(seen.events[0].amount, 100);
  EXPECT_EQ(seen.events[0].live_bytes, 100);
  EXPECT_EQ(seen.events[1].kind, COIL_TRACE_LAUNCH);
  EXPECT_EQ(seen.events[1].amount, 7);
  EXPECT_EQ(seen.events[1].address, reinterpret_cast<const void *>(kernel));
  EXPECT_EQ(seen.events[2].kind, COIL_TRACE_FREE);
  EXPECT_EQ(seen.events[2].live_bytes, 0);
  EXPECT_LE(seen.events[0].end_ns, seen.events[1].begin_ns);
}

TEST(SymbolsTest, SortedAndCallable) {
  size_t count = 0;
  const coil_symbol *symbols = coil_runtime_symbols(&count);
  ASSERT_GT(count, 0u);
  for (size_t i = 1; i < count; ++i)
    EXPECT_LT(strcmp(symbols[i - 1].name, symbols[i].name), 0);
  EXPECT_EQ(coil_runtime_version(), unsigned(COIL_RUNTIME_VERSION));
}

TEST(DTypeTest, SizesAndNames) {
  EXPECT_EQ(coil_dtype_size(COIL_BOOL), 1);
  EXPECT_EQ(coil_dtype_size(COIL_BF16), 2);
  EXPECT_EQ(coil_dtype_size(COIL_F64), 8);
  EXPECT_EQ(coil_dtype_size(99), 0);
  EXPECT_STREQ(coil_dtype_name(COIL_BF16), "bf16");
  EXPECT_EQ(coil_dtype_name(-1), nullptr);
}

} // namespace
