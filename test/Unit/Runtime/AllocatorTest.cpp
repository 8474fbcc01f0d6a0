//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocator of device memory that a caller installs. That of the tests
// caches blocks by stream as PyTorch's does: a block that is freed serves the
// next allocation on its stream at once, and other streams never. It checks
// that blocks are freed once, with the sizes and streams that they have.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include "coil/Runtime/DeviceMemory.h"

#include <map>
#include <mutex>
#include <thread>

namespace {

/// How the tests call the driver themselves.
template <typename... Args>
int callDriver(const char *name, Args... args) {
  auto *function =
      reinterpret_cast<int (*)(Args...)>(dlsym(dlopen(driver, RTLD_NOW), name));
  return function ? function(args...) : -1;
}

/// Allocator number 0 or 1 of the process.
class TestAllocator {
public:
  struct Block {
    int64_t bytes;
    void *stream;
    int32_t use;
  };

  void install(const char *name) {
    coil_device_allocator functions = {
        sizeof(functions),
        0,
        this,
        name,
        [](void *context, int32_t device, int64_t bytes, void *stream,
           int32_t use, void **address) {
          return static_cast<TestAllocator *>(context)->allocate(
              device, bytes, stream, use, address);
        },
        [](void *context, int32_t device, void *address, int64_t bytes,
           void *stream) {
          return static_cast<TestAllocator *>(context)->free(device, address,
                                                             bytes, stream);
        }};
    ASSERT_EQ(coil_cuda_set_allocator(&functions), COIL_OK);
  }

  int32_t allocate(int32_t device, int64_t bytes, void *stream, int32_t use,
                   void **address) {
    // The runtime holds no lock that this would wait for.
    coil_cuda_allocator_stats stats;
    EXPECT_EQ(coil_cuda_allocator_get_stats(device, &stats), COIL_OK);
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_GE(bytes, 1);
    if (failAfter >= 0 && failAfter-- == 0)
      return coil_rt_fail(nullptr, COIL_OUT_OF_MEMORY, "the limit is reached");
    ++allocations;
    ++uses[use];
    inUse += bytes;
    peak = std::max(peak, inUse);
    auto cached = cache.find({stream, bytes});
    if (cached != cache.end()) {
      *address = cached->second;
      cache.erase(cached);
    } else {
      uintptr_t made = 0;
      if (callDriver("cuMemAlloc_v2", &made, size_t(bytes)))
        return COIL_OUT_OF_MEMORY;
      *address = reinterpret_cast<void *>(made);
    }
    live[*address] = {bytes, stream, use};
    return COIL_OK;
  }

  int32_t free(int32_t device, void *address, int64_t bytes, void *stream) {
    coil_cuda_allocator_stats stats;
    EXPECT_EQ(coil_cuda_allocator_get_stats(device, &stats), COIL_OK);
    std::lock_guard<std::mutex> lock(mutex);
    auto found = live.find(address);
    if (found == live.end()) {
      ADD_FAILURE() << "freed twice";
      return COIL_INVALID_ARGUMENT;
    }
    EXPECT_EQ(found->second.bytes, bytes);
    EXPECT_EQ(found->second.stream, stream);
    inUse -= bytes;
    live.erase(found);
    cache.insert({{stream, bytes}, address});
    return COIL_OK;
  }

  std::mutex mutex;
  std::map<void *, Block> live;
  std::multimap<std::pair<void *, int64_t>, void *> cache;
  int64_t allocations = 0, inUse = 0, peak = 0;
  std::map<int32_t, int64_t> uses;
  int64_t failAfter = -1;
};

class AllocatorTest : public CUDATest {
protected:
  void SetUp() override {
    CUDATest::SetUp();
    coil_run_destroy(run);
    void *context = nullptr;
    ASSERT_EQ(callDriver("cuDevicePrimaryCtxRetain", &context, 0), 0);
    ASSERT_EQ(callDriver("cuCtxSetCurrent", context), 0);
    // Memory outlives no test, but what is known of an allocator may.
    allocator = new TestAllocator;
    allocator->install("the allocator of the test");
    run = makeRun(nullptr);
  }
  void TearDown() override {
    CUDATest::TearDown();
    coil_cuda_set_allocator(nullptr);
    EXPECT_TRUE(allocator->live.empty());
  }

  static coil_run *makeRun(void *stream) {
    coil_run *made = nullptr;
    EXPECT_EQ(coil_run_create(&made), COIL_OK);
    EXPECT_EQ(coil_run_set_cuda_device(made, 0), COIL_OK);
    if (stream)
      EXPECT_EQ(coil_run_set_stream(made, stream), COIL_OK);
    return made;
  }
  static void *makeStream() {
    void *stream = nullptr;
    EXPECT_EQ(callDriver("cuStreamCreate", &stream, 1u), 0);
    return stream;
  }

  TestAllocator *allocator = nullptr;
};

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(AllocatorTest, givesAllMemoryOfRuns) {
  void *stream = makeStream();
  coil_run *one = makeRun(stream);
  void *x = nullptr, *y = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(one, 1000, &x), COIL_OK);
  ASSERT_EQ(coil_rt_alloc_cuda(one, 0, &y), COIL_OK);
  EXPECT_EQ(allocator->live.at(x).bytes, 1008); // Whole vectors.
  EXPECT_EQ(allocator->live.at(x).stream, stream);
  EXPECT_EQ(allocator->live.size(), 2u);
  coil_cuda_allocator_stats stats;
  ASSERT_EQ(coil_cuda_allocator_get_stats(0, &stats), COIL_OK);
  EXPECT_EQ(stats.in_use_bytes, 1024);
  EXPECT_EQ(stats.cached_bytes, 0);
  // What is freed is the allocator's at once.
  ASSERT_EQ(coil_rt_free_cuda(one, x), COIL_OK);
  EXPECT_EQ(allocator->live.size(), 1u);
  EXPECT_EQ(coil_rt_free_cuda(one, x), COIL_INVALID_ARGUMENT);
  coil_run_destroy(one);
  EXPECT_TRUE(allocator->live.empty());
}

TEST_F(AllocatorTest, isOneForEachRun) {
  coil_run *before = makeRun(nullptr);
  void *x = nullptr, *y = nullptr, *z = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(before, 64, &x), COIL_OK);
  coil_cuda_set_allocator(nullptr);
  coil_run *after = makeRun(nullptr);
  ASSERT_EQ(coil_rt_alloc_cuda(after, 64, &y), COIL_OK);
  ASSERT_EQ(coil_rt_alloc_cuda(before, 64, &z), COIL_OK);
  EXPECT_EQ(allocator->live.count(x), 1u);
  EXPECT_EQ(allocator->live.count(y), 0u);
  EXPECT_EQ(allocator->live.count(z), 1u);
  coil_device_allocator installed;
  coil_cuda_get_allocator(&installed);
  EXPECT_EQ(installed.allocate, nullptr);
  coil_run_destroy(before);
  coil_run_destroy(after);
}

TEST_F(AllocatorTest, needsBothFunctions) {
  coil_device_allocator functions = {};
  functions.struct_size = sizeof(functions);
  EXPECT_EQ(coil_cuda_set_allocator(&functions), COIL_INVALID_ARGUMENT);
}

TEST_F(AllocatorTest, runsOutOfMemory) {
  void *x = alloc(64);
  allocator->failAfter = 0;
  void *y = nullptr;
  EXPECT_EQ(coil_rt_alloc_cuda(run, 4096, &y), COIL_OUT_OF_MEMORY);
  EXPECT_NE(
      strstr(coil_last_error(), "the allocator of the test has no 4096 bytes"),
      nullptr)
      << coil_last_error();
  EXPECT_NE(strstr(coil_last_error(), ": the limit is reached"), nullptr);
  // Later allocations go on.
  ASSERT_EQ(coil_rt_alloc_cuda(run, 4096, &y), COIL_OK);
  EXPECT_EQ(coil_rt_free_cuda(run, x), COIL_OK);
  EXPECT_EQ(coil_rt_free_cuda(run, y), COIL_OK);
}

TEST_F(AllocatorTest, letsCallersTakeMemory) {
  void *x = alloc(64), *y = alloc(64);
  EXPECT_EQ(coil_cuda_disown(x), COIL_INVALID_ARGUMENT); // Not taken.
  ASSERT_EQ(coil_run_take_cuda(run, x), COIL_OK);
  ASSERT_EQ(coil_run_take_cuda(run, y), COIL_OK);
  int there = 0;
  EXPECT_EQ(coil_run_take_cuda(run, &there), COIL_UNAVAILABLE);
  EXPECT_EQ(coil_free(y), COIL_OK);
  // The allocator knows it as before; the runtime does not any more.
  ASSERT_EQ(coil_cuda_disown(x), COIL_OK);
  EXPECT_EQ(coil_cuda_disown(x), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(allocator->live.size(), 1u);
  EXPECT_EQ(allocator->free(0, x, 64, allocator->live.at(x).stream), COIL_OK);
}

// Blocks that one stream frees are used by it again while the work before still
// runs; those of other streams are not.
TEST_F(AllocatorTest, ordersMemoryByStreams) {
  if (!simulated)
    GTEST_SKIP() << "this driver is for one thread";
  constexpr int numThreads = 4, numRuns = 25;
  coil_cuda_kernel_load(&addOne, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < numThreads; ++i)
    threads.emplace_back([&, i] {
      void *context = nullptr;
      callDriver("cuDevicePrimaryCtxRetain", &context, 0);
      callDriver("cuCtxSetCurrent", context);
      void *stream = makeStream();
      int64_t n = 64;
      std::vector<float> values(64, float(i)), back(64, 0);
      for (int k = 0; k < numRuns; ++k) {
        coil_run *one = makeRun(stream);
        void *x = nullptr, *y = nullptr, *z = nullptr;
        coil_rt_alloc_cuda(one, n * 4, &x);
        coil_rt_upload_cuda(one, x, values.data(), n * 4);
        coil_rt_alloc_cuda(one, n * 4, &y);
        void *first[] = {x, y};
        coil_rt_launch_cuda(one, &addOne, first, &n, 2, 1, 1);
        coil_rt_free_cuda(one, x);
        coil_rt_alloc_cuda(one, n * 4, &z);
        EXPECT_EQ(x, z);
        void *second[] = {y, z};
        coil_rt_launch_cuda(one, &addOne, second, &n, 2, 1, 1);
        coil_rt_download_cuda(one, back.data(), z, n * 4);
        coil_run_synchronize(one);
        EXPECT_EQ(back, std::vector<float>(64, float(i + 2)));
        coil_run_destroy(one);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  // Each stream has cached two blocks, however often they were used.
  EXPECT_EQ(allocator->cache.size(), size_t(2 * numThreads));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

coil_cuda_kernel *kernel;
const float constant[64] = {1, 2, 3};

/// Adds two by way of a temporary.
int32_t addTwo(coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0], stride = 1;
  void *t = nullptr, *y = nullptr;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &t))
    return status;
  void *first[] = {inputs[0].data, t};
  if (int32_t status =
          coil_rt_launch_cuda(run, kernel, first, &n, (n + 31) / 32, 1, 1))
    return status;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &y))
    return status;
  void *second[] = {t, y};
  if (int32_t status =
          coil_rt_launch_cuda(run, kernel, second, &n, (n + 31) / 32, 1, 1))
    return status;
  if (int32_t status = coil_rt_free_cuda(run, t))
    return status;
  outputs[0].device_type = COIL_CUDA;
  return coil_rt_set_output(run, outputs, y, COIL_F32, 1, &n, &stride);
}

/// Adds one to a constant.
int32_t addToConstant(coil_run *run, const coil_tensor *,
                      coil_tensor *outputs) {
  int64_t n = 64, stride = 1;
  void *x = nullptr, *y = nullptr;
  if (int32_t status = coil_rt_constant_cuda(run, constant, n * 4, &x))
    return status;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &y))
    return status;
  void *buffers[] = {x, y};
  if (int32_t status = coil_rt_launch_cuda(run, kernel, buffers, &n, 2, 1, 1))
    return status;
  outputs[0].device_type = COIL_CUDA;
  return coil_rt_set_output(run, outputs, y, COIL_F32, 1, &n, &stride);
}

class ProgramMemoryTest : public AllocatorTest {
protected:
  void SetUp() override {
    AllocatorTest::SetUp();
    kernel = &addOne;
    ASSERT_EQ(coil_cuda_program_create(&program), COIL_OK);
    x = alloc(256);
  }
  void TearDown() override {
    coil_cuda_program_destroy(program);
    AllocatorTest::TearDown();
  }

  /// Calls a program on 64 elements in a run of its own, and takes the result.
  void *call(coil_entry_point entry, void *stream = nullptr,
             bool takes = false) {
    coil_run *one = makeRun(stream);
    int64_t n = 64, stride = 1;
    coil_tensor input = {x, &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output = {};
    EXPECT_EQ(
        coil_cuda_program_call(program, one, entry, &input, 1, &output, 1),
        COIL_OK)
        << coil_last_error();
    if (takes)
      EXPECT_EQ(coil_run_take_cuda(one, output.data), COIL_OK);
    else
      EXPECT_EQ(coil_run_synchronize(one), COIL_OK);
    coil_run_destroy(one);
    return takes ? output.data : nullptr;
  }
  int64_t countUse(int32_t use) {
    return std::exchange(allocator->uses[use], 0);
  }

  coil_cuda_program *program = nullptr;
  void *x = nullptr;
};

// The first run cannot know what its allocations become.
TEST_F(ProgramMemoryTest, tellsResults) {
  countUse(COIL_MEMORY_RESULT);
  countUse(COIL_MEMORY_TEMPORARY);
  for (int i = 0; i < 3; ++i) {
    coil_free(call(addTwo, nullptr, /*takes=*/true));
    EXPECT_EQ(countUse(COIL_MEMORY_RESULT), i ? 1 : 2);
    EXPECT_EQ(countUse(COIL_MEMORY_TEMPORARY), i ? 1 : 0);
  }
  // Once a result, always one.
  call(addTwo);
  EXPECT_EQ(countUse(COIL_MEMORY_RESULT), 1);
}

TEST_F(ProgramMemoryTest, keepsConstants) {
  void *stream = makeStream();
  call(addToConstant, stream);
  call(addToConstant, stream);
  EXPECT_EQ(countUse(COIL_MEMORY_KEPT), 1);
  EXPECT_EQ(allocator->live.size(), 2u); // With the input of the test.
  // A run of another allocator has a copy of its own.
  TestAllocator second;
  second.install("another");
  call(addToConstant);
  EXPECT_EQ(second.uses[COIL_MEMORY_KEPT], 1);
  coil_cuda_program_destroy(std::exchange(program, nullptr));
  EXPECT_EQ(allocator->live.size(), 1u);
  EXPECT_TRUE(second.live.empty());
}

TEST_F(ProgramMemoryTest, keepsMemoryOfGraphs) {
  coil_cuda_program_set_graph_limit(program, 2);
  call(addTwo);
  EXPECT_EQ(countUse(COIL_MEMORY_KEPT), 0);
  for (int i = 0; i < 3; ++i)
    call(addTwo);
  // The temporary. Results are memory of each run.
  EXPECT_GE(countUse(COIL_MEMORY_KEPT), 1);
  size_t kept = allocator->live.size() - 1;
  EXPECT_GE(kept, 1u);
  coil_cuda_graph_stats stats;
  coil_cuda_program_get_graph_stats(program, &stats);
  EXPECT_EQ(stats.recorded, 1);
  EXPECT_EQ(stats.replayed, 3);
  // No graph uses memory of two allocators.
  TestAllocator second;
  second.install("another");
  for (int i = 0; i < 3; ++i)
    call(addTwo);
  coil_cuda_program_get_graph_stats(program, &stats);
  EXPECT_EQ(stats.recorded, 2);
  EXPECT_GE(second.uses[COIL_MEMORY_KEPT], 1);
  coil_cuda_program_destroy(std::exchange(program, nullptr));
  EXPECT_EQ(allocator->live.size(), 1u);
  EXPECT_TRUE(second.live.empty());
}

// A run that has no memory for a step leaves nothing behind, recorded or not.
TEST_F(ProgramMemoryTest, goesOnAfterRunningOut) {
  for (int32_t graphs : {0, 2}) {
    coil_cuda_program_set_graph_limit(program, graphs);
    for (int failAt = 0; failAt < 4; ++failAt) {
      allocator->failAfter = failAt;
      coil_run *one = makeRun(nullptr);
      int64_t n = 64, stride = 1;
      coil_tensor input = {x, &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
      coil_tensor output = {};
      int32_t status =
          coil_cuda_program_call(program, one, addTwo, &input, 1, &output, 1);
      EXPECT_TRUE(status == COIL_OK || status == COIL_OUT_OF_MEMORY);
      EXPECT_EQ(coil_run_synchronize(one), COIL_OK);
      coil_run_destroy(one);
      allocator->failAfter = -1;
      call(addTwo);
    }
    coil_cuda_program_set_graph_limit(program, 0);
    EXPECT_EQ(allocator->live.size(), 1u);
  }
}

} // namespace
