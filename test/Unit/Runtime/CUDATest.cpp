//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the runtime for GPUs, compiled twice: with a driver made for them,
// which counts its calls, and with the simulator, which executes the kernels.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include "coil/Runtime/Functions.h"

#include <dlfcn.h>
#include <thread>

namespace {

//===----------------------------------------------------------------------===//
// Devices and memory
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, describesDevices) {
  if (simulated)
    GTEST_SKIP() << "there is one device";
  int32_t count = 0;
  ASSERT_EQ(coil_cuda_device_count(&count), COIL_OK);
  EXPECT_EQ(count, 2);
  coil_cuda_device_info info;
  ASSERT_EQ(coil_cuda_get_device_info(1, &info), COIL_OK);
  EXPECT_STREQ(info.name, "Fake GPU");
  EXPECT_EQ(info.major, 9);
  EXPECT_EQ(info.multiprocessors, 132);
  coil_cuda_device_rates rates;
  ASSERT_EQ(coil_cuda_get_device_rates(1, &rates), COIL_OK);
  EXPECT_GT(rates.bytes_per_second, 0);
  EXPECT_EQ(rates.matrix_flops_per_second, 16 * rates.flops_per_second);
  EXPECT_EQ(coil_cuda_get_device_rates(7, &rates), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(rates.bytes_per_second, 0);
  EXPECT_EQ(coil_cuda_get_device_info(7, &info), COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(), "there is no CUDA device 7 (2 found)");
}

TEST_F(CUDATest, reusesFreedMemoryOnTheSameStreamOnly) {
  void *a = alloc(5000);
  ASSERT_EQ(coil_rt_free_cuda(run, a), COIL_OK);
  EXPECT_EQ(alloc(5000), a);
  coil_run *other = nullptr;
  ASSERT_EQ(coil_run_create(&other), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(other, 0), COIL_OK);
  ASSERT_EQ(coil_run_set_stream(other, nullptr), COIL_OK);
  ASSERT_EQ(coil_rt_free_cuda(run, a), COIL_OK);
  void *b = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(other, 5000, &b), COIL_OK);
  EXPECT_NE(a, b);
  coil_run_destroy(other);
}

TEST_F(CUDATest, takesWhatWasFreedLastOfASize) {
  void *a = alloc(3000), *b = alloc(3000), *c = alloc(100);
  for (void *freed : {a, b, c})
    ASSERT_EQ(coil_rt_free_cuda(run, freed), COIL_OK);
  // Nobody owns it, joined with its neighbours or not.
  EXPECT_EQ(coil_rt_free_cuda(run, a), COIL_INVALID_ARGUMENT);
  coil_cuda_allocator_stats before, after;
  coil_cuda_allocator_get_stats(0, &before);
  EXPECT_EQ(alloc(3000), b);
  EXPECT_EQ(alloc(3001), a);
  EXPECT_EQ(alloc(100), c);
  coil_cuda_allocator_get_stats(0, &after);
  EXPECT_EQ(after.in_use_bytes - before.in_use_bytes, 2 * 3072 + 512);
  EXPECT_EQ(after.cached_bytes - before.cached_bytes, -2 * 3072 - 512);
  EXPECT_EQ(after.hits - before.hits, 3);
}

TEST_F(CUDATest, returnsWhatWasFreedLastToTheDriver) {
  ASSERT_EQ(coil_cuda_allocator_trim(0, 0, nullptr), COIL_OK);
  void *a = alloc(30 << 20);
  ASSERT_EQ(coil_rt_free_cuda(run, a), COIL_OK);
  int64_t released = 0;
  ASSERT_EQ(coil_cuda_allocator_trim(0, 0, &released), COIL_OK);
  EXPECT_EQ(released, 30 << 20);
}

TEST_F(CUDATest, joinsFreeNeighbours) {
  std::vector<void *> blocks;
  for (int i = 0; i < 8; ++i)
    blocks.push_back(alloc(200 << 10));
  for (int i : {0, 2, 4, 6, 1, 3, 5, 7})
    ASSERT_EQ(coil_rt_free_cuda(run, blocks[size_t(i)]), COIL_OK);
  int before = fake->driverAllocations;
  EXPECT_EQ(alloc(1 << 20), blocks[0]);
  EXPECT_COUNT(fake->driverAllocations, before);
}

TEST_F(CUDATest, givesCachedMemoryBackBeforeItFails) {
  int64_t released = 0;
  ASSERT_EQ(coil_cuda_allocator_trim(0, 0, &released), COIL_OK);
  void *a = alloc(150 << 20);
  void *b = nullptr;
  EXPECT_EQ(coil_rt_alloc_cuda(run, 150 << 20, &b), COIL_OUT_OF_MEMORY);
  EXPECT_EQ(b, nullptr);
  EXPECT_TRUE(strstr(coil_last_error(), "cannot allocate 157286400 bytes on "
                                        "CUDA device 0"))
      << coil_last_error();
  ASSERT_EQ(coil_rt_free_cuda(run, a), COIL_OK);
  // The freed block is too small for this and makes room for it.
  EXPECT_NE(alloc(200 << 20), nullptr);
  coil_cuda_allocator_stats stats;
  ASSERT_EQ(coil_cuda_allocator_get_stats(0, &stats), COIL_OK);
  EXPECT_GE(stats.retries, 2);
  EXPECT_GE(stats.in_use_bytes, 200 << 20);
}

TEST_F(CUDATest, injectsFailures) {
  coil_debug_fail_alloc_after(1);
  alloc(100);
  void *b = nullptr;
  EXPECT_EQ(coil_rt_alloc_cuda(run, 100, &b), COIL_OUT_OF_MEMORY);
  EXPECT_NE(alloc(100), nullptr);
  EXPECT_EQ(coil_rt_alloc_cuda(run, -1, &b), COIL_INVALID_ARGUMENT);
}

TEST_F(CUDATest, poisonsMemory) {
  coil_debug_set_poison(1);
  void *a = alloc(4);
  coil_debug_set_poison(0);
  uint32_t word = 0;
  ASSERT_EQ(coil_rt_download_cuda(run, &word, a, 4), COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  EXPECT_EQ(word, 0xFFFFFFFFu);
}

TEST_F(CUDATest, handsMemoryToTheCaller) {
  void *a = alloc(64);
  ASSERT_EQ(coil_run_take(run, a), COIL_OK);
  EXPECT_EQ(stats().live_allocations, 0);
  EXPECT_EQ(coil_rt_free_cuda(run, a), COIL_INVALID_ARGUMENT);
  EXPECT_EQ(coil_free(a), COIL_OK);
  // That driver's memory is the host's, where coil_free looks next.
  if (!simulated)
    EXPECT_EQ(coil_free(a), COIL_INVALID_ARGUMENT);
}

TEST_F(CUDATest, countsWhatARunOwns) {
  alloc(1000);
  void *b = alloc(500);
  ASSERT_EQ(coil_rt_free_cuda(run, b), COIL_OK);
  EXPECT_EQ(stats().live_bytes, 1000);
  EXPECT_EQ(stats().peak_bytes, 1500);
  coil_cuda_allocator_stats before, after;
  coil_cuda_allocator_get_stats(0, &before);
  coil_run_destroy(run);
  run = nullptr;
  coil_cuda_allocator_get_stats(0, &after);
  EXPECT_EQ(after.in_use_bytes, before.in_use_bytes - 1024);
  SetUp();
}

TEST_F(CUDATest, copiesMisalignedInputs) {
  char *a = static_cast<char *>(alloc(64));
  float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_EQ(coil_rt_upload_cuda(run, a + 4, values, sizeof(values)), COIL_OK);
  int64_t sizes[] = {8}, strides[] = {1};
  coil_tensor tensor = {a + 4, sizes, strides, 1, COIL_F32, COIL_CUDA, 0};
  void *data = nullptr;
  ASSERT_EQ(coil_rt_input_cuda(run, &tensor, "x", 16, &data), COIL_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 16, 0u);
  float copied[8] = {};
  ASSERT_EQ(coil_rt_download_cuda(run, copied, data, sizeof(copied)), COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  EXPECT_EQ(copied[7], 8);
  // Kernels that were made for it take it where it is.
  ASSERT_EQ(coil_rt_input_cuda(run, &tensor, "x", 4, &data), COIL_OK);
  EXPECT_EQ(data, a + 4);
  tensor.data = a;
  ASSERT_EQ(coil_rt_input_cuda(run, &tensor, "x", 16, &data), COIL_OK);
  EXPECT_EQ(data, a);
  tensor.device_index = 1;
  EXPECT_EQ(coil_rt_input_cuda(run, &tensor, "x", 16, &data),
            COIL_INVALID_ARGUMENT);
  EXPECT_STREQ(coil_last_error(), "input 'x' is on CUDA device 1, but the "
                                  "program runs on device 0");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, launchesKernels) {
  float x[100], y[100] = {};
  for (int i = 0; i < 100; ++i)
    x[i] = float(i);
  void *a = alloc(sizeof(x)), *b = alloc(sizeof(x));
  ASSERT_EQ(coil_rt_upload_cuda(run, a, x, sizeof(x)), COIL_OK);
  ASSERT_EQ(launchAddOne(a, b, 100), COIL_OK) << coil_last_error();
  ASSERT_EQ(launchAddOne(b, b, 100), COIL_OK);
  ASSERT_EQ(coil_rt_download_cuda(run, y, b, sizeof(y)), COIL_OK);
  EXPECT_COUNT(y[99], 0); // The simulator does not wait.
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(y[i], float(i) + 2);
  EXPECT_EQ(stats().launches, 2);
  EXPECT_COUNT(fake->modules, 1);
}

TEST_F(CUDATest, launchesKernelsWithATableOfBuffers) {
  float x[2][40], y[2][40] = {};
  void *buffers[4];
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 40; ++i)
      x[k][i] = float(100 * k + i);
    buffers[k] = alloc(sizeof(x[k]));
    buffers[2 + k] = alloc(sizeof(x[k]));
    ASSERT_EQ(coil_rt_upload_cuda(run, buffers[k], x[k], sizeof(x[k])),
              COIL_OK);
  }
  int64_t n = 40;
  ASSERT_EQ(coil_rt_launch_cuda(run, &addOneTwice, buffers, &n, 2, 2, 1),
            COIL_OK)
      << coil_last_error();
  for (int k = 0; k < 2; ++k)
    ASSERT_EQ(coil_rt_download_cuda(run, y[k], buffers[2 + k], sizeof(y[k])),
              COIL_OK);
  ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 40; ++i)
      EXPECT_EQ(y[k][i], x[k][i] + 1);
}

TEST_F(CUDATest, clearsScratchMemoryForEveryLaunch) {
  if (!simulated)
    GTEST_SKIP() << "the driver for tests does not have the kernel";
  coil_cuda_kernel mark = makeKernel("mark", 1, 0);
  mark.block_scratch = 16;
  void *x = alloc(5 * sizeof(int32_t));
  coil_run_stats before, after;
  coil_run_get_stats(run, &before);
  for (int launch = 0; launch < 3; ++launch) {
    void *buffers[] = {x};
    ASSERT_EQ(coil_rt_launch_cuda(run, &mark, buffers, nullptr, 5, 1, 1),
              COIL_OK)
        << coil_last_error();
    int32_t marks[5] = {};
    ASSERT_EQ(coil_rt_download_cuda(run, marks, x, sizeof(marks)), COIL_OK);
    for (int32_t found : marks)
      EXPECT_EQ(found, 1);
  }
  coil_run_get_stats(run, &after);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  coil_cuda_kernel_unload(&mark);
}

TEST_F(CUDATest, doesNotLaunchEmptyGrids) {
  int before = fake->launches;
  EXPECT_EQ(launchAddOne(nullptr, nullptr, 0), COIL_OK);
  EXPECT_COUNT(fake->launches, before);
}

TEST_F(CUDATest, refusesGridsThatAreTooLarge) {
  void *buffers[] = {nullptr, nullptr};
  int64_t n = 1;
  EXPECT_EQ(coil_rt_launch_cuda(run, &addOne, buffers, &n, 1, 70000, 1),
            COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "cannot launch kernel 'add_one' (model.py:3): a grid of 1 x "
               "70000 x 1 blocks");
}

TEST_F(CUDATest, namesKernelsThatDoNotLoad) {
  coil_cuda_kernel bad = makeKernel("add_one", 2, 1);
  bad.image = "bad";
  EXPECT_EQ(coil_cuda_kernel_load(&bad, 0), COIL_INTERNAL);
  EXPECT_EQ(coil_last_error(),
            "cannot load kernel 'add_one' (model.py:3) onto CUDA device 0 "
            "(sm_90): " +
                std::string(
                    simulated
                        ? "coil-cuda-sim: line 1: expected a directive before "
                          "'bad': a PTX JIT compilation failed "
                          "(CUDA_ERROR_INVALID_PTX)"
                        : "line 1: syntax error: not an image "
                          "(FAKE_ERROR)"));
  coil_cuda_kernel_unload(&bad);
  coil_cuda_kernel large = makeKernel("add_one", 2, 1);
  large.dynamic_shared = 300 << 10;
  EXPECT_EQ(coil_cuda_kernel_load(&large, 0), COIL_UNSUPPORTED);
  EXPECT_STREQ(coil_last_error(),
               "kernel 'add_one' (model.py:3) needs 307200 bytes of shared "
               "memory, but CUDA device 0 gives a block at most 232448");
  coil_cuda_kernel_unload(&large);
}

TEST_F(CUDATest, loadsKernelsFromManyThreads) {
  if (simulated)
    GTEST_SKIP() << "there is one device";
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      EXPECT_EQ(coil_cuda_kernel_load(i % 2 ? &addOne : &check, i % 4 / 2),
                COIL_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake->modules, 2); // One image on two devices.
  coil_cuda_kernel_unload(&addOne);
  coil_cuda_kernel_unload(&check);
  EXPECT_EQ(fake->modules, 0);
}

TEST_F(CUDATest, reportsFailedChecksAtSynchronisation) {
  void *a = alloc(4);
  ASSERT_EQ(launchAddOne(a, a, 1), COIL_OK);
  ASSERT_EQ(coil_rt_launch_cuda(run, &check, &a, nullptr, 1, 1, 1), COIL_OK);
  EXPECT_EQ(coil_run_synchronize(run), COIL_ASSERTION_FAILED);
  EXPECT_STREQ(coil_last_error(),
               "index out of range in kernel 'check' (model.py:3)");
  EXPECT_EQ(coil_run_synchronize(run), COIL_OK);
}

TEST_F(CUDATest, reportsFailedChecksOfRunsThatEnded) {
  void *a = alloc(4);
  ASSERT_EQ(coil_rt_launch_cuda(run, &check, &a, nullptr, 1, 1, 1), COIL_OK);
  coil_run_destroy(run);
  SetUp();
  // Same stream, since the run before gave it back.
  alloc(4);
  EXPECT_EQ(coil_run_synchronize(run), COIL_ASSERTION_FAILED);
  EXPECT_STREQ(coil_last_error(), "an earlier run failed in kernel 'check' "
                                  "(model.py:3): index out of range");
  EXPECT_EQ(coil_run_synchronize(run), COIL_OK);
}

TEST_F(CUDATest, survivesMoreChecksThanThereAreWords) {
  void *a = alloc(4);
  int32_t status = COIL_OK;
  for (int i = 0; i < 1025 && !status; ++i)
    status = coil_rt_launch_cuda(run, &check, &a, nullptr, 1, 1, 1);
  EXPECT_EQ(status, COIL_INTERNAL);
  EXPECT_TRUE(strstr(coil_last_error(), "index out of range"));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// y = x + 1 + 1 through memory that is freed in between.
coil_cuda_kernel *graphKernel = nullptr;
int entries = 0;
bool throughCopy = false;

/// What copies in place of the runtime: the name of a host function.
const char *copyFunction = nullptr;
int functionCalls = 0;

/// Copies its operand on the stream of the call.
int32_t copyOnStream(coil_call *call, void *) {
  ++functionCalls;
  const coil_tensor *x = coil_call_tensor(call, 0), *y = nullptr;
  if (!x || !coil_call_stream(call) || coil_call_device_type(call) != COIL_CUDA)
    return coil_call_fail(call, "expected a tensor and a stream");
  if (int32_t status =
          coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y))
    return status;
  return coil_rt_copy_cuda(coil_call_get_run(call), y->data, x->data,
                           x->sizes[0] * 4);
}

int32_t callCopy(coil_run *run, const coil_tensor &x, void *to) {
  coil_call_site site = {sizeof(coil_call_site),
                         COIL_CUDA,
                         copyFunction,
                         nullptr,
                         nullptr,
                         nullptr};
  coil_tensor y = x;
  y.data = to;
  coil_argument argument = {};
  argument.kind = COIL_ARGUMENT_TENSOR;
  argument.value.tensor = &x;
  return coil_rt_call(run, &site, 1, &argument, 1, &y, 0, nullptr);
}

int32_t addTwo(coil_run *run, const coil_tensor *inputs, coil_tensor *outputs) {
  ++entries;
  int64_t n = inputs[0].sizes[0], stride = 1;
  void *t = nullptr, *y = nullptr;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &t))
    return status;
  if (throughCopy) {
    if (int32_t status = copyFunction
                             ? callCopy(run, inputs[0], t)
                             : coil_rt_copy_cuda(run, t, inputs[0].data, n * 4))
      return status;
  }
  void *first[] = {throughCopy ? t : inputs[0].data, t};
  if (int32_t status =
          coil_rt_launch_cuda(run, graphKernel, first, &n, (n + 31) / 32, 1, 1))
    return status;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &y))
    return status;
  void *second[] = {t, y};
  if (int32_t status = coil_rt_launch_cuda(run, graphKernel, second, &n,
                                           (n + 31) / 32, 1, 1))
    return status;
  if (int32_t status = coil_rt_free_cuda(run, t))
    return status;
  outputs[0].device_type = COIL_CUDA;
  return coil_rt_set_output(run, outputs, y, COIL_F32, 1, &n, &stride);
}

class CUDAGraphTest : public CUDATest {
protected:
  void SetUp() override {
    CUDATest::SetUp();
    graphKernel = &addOne;
    entries = 0;
    throughCopy = false;
    copyFunction = nullptr;
    functionCalls = 0;
    for (uint32_t flags : {0, 1}) {
      coil_function function = {sizeof(coil_function),
                                flags,
                                flags ? "unit::captured" : "unit::plain",
                                COIL_CUDA,
                                0,
                                copyOnStream,
                                nullptr};
      if (coil_find_function(function.name, COIL_CUDA, nullptr))
        ASSERT_EQ(coil_register_function(&function), COIL_OK);
    }
    ASSERT_EQ(coil_cuda_program_create(&program), COIL_OK);
    coil_cuda_program_set_graph_limit(program, 2);
    for (void *&memory : inputs)
      memory = alloc(4096);
  }
  void TearDown() override {
    coil_cuda_program_destroy(program);
    EXPECT_COUNT(fake->instances, 0);
    CUDATest::TearDown();
  }

  /// Calls the program on input memory number `i` and checks the result.
  void call(int i, int64_t n, float value, void *stream = nullptr) {
    std::vector<float> x(size_t(n), value), y(size_t(n), 0);
    coil_run *one = nullptr;
    ASSERT_EQ(coil_run_create(&one), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
    if (stream)
      ASSERT_EQ(coil_run_set_stream(one, stream), COIL_OK);
    size_t bytes = x.size() * 4;
    ASSERT_EQ(coil_rt_upload_cuda(one, inputs[i], x.data(), int64_t(bytes)),
              COIL_OK);
    int64_t stride = 1;
    coil_tensor input = {inputs[i], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output = {};
    ASSERT_EQ(
        coil_cuda_program_call(program, one, addTwo, &input, 1, &output, 1),
        COIL_OK)
        << coil_last_error();
    ASSERT_EQ(output.rank, 1);
    ASSERT_EQ(output.sizes[0], n);
    ASSERT_EQ(coil_rt_download_cuda(one, y.data(), output.data, int64_t(bytes)),
              COIL_OK);
    ASSERT_EQ(coil_run_synchronize(one), COIL_OK);
    for (float element : y)
      EXPECT_EQ(element, value + 2);
    coil_run_stats stats;
    coil_run_get_stats(one, &stats);
    EXPECT_EQ(stats.launches, 2);
    coil_run_destroy(one);
  }
  coil_cuda_graph_stats graphStats() {
    coil_cuda_graph_stats result;
    coil_cuda_program_get_graph_stats(program, &result);
    return result;
  }

  coil_cuda_program *program = nullptr;
  void *inputs[8];
};

TEST_F(CUDAGraphTest, replaysTheThirdCall) {
  for (int i = 0; i < 5; ++i)
    call(0, 100, float(i));
  EXPECT_EQ(entries, 2); // Plain, and recorded.
  EXPECT_EQ(graphStats().plain, 1);
  EXPECT_EQ(graphStats().recorded, 1);
  EXPECT_EQ(graphStats().replayed, 4);
}

// Kernels that wait themselves may be launched while those before them run; in
// a graph only behind another kernel.
TEST_F(CUDAGraphTest, overlapsKernelsThatWait) {
  addOne.flags |= COIL_CUDA_KERNEL_OVERLAPS;
  int before = fake->overlapping;
  call(0, 100, 1);
  EXPECT_COUNT(fake->overlapping - before, 2);
  call(0, 100, 2);
  EXPECT_EQ(graphStats().recorded, 1);
  EXPECT_COUNT(fake->overlapping - before, 3);
  call(0, 100, 3);
  coil_cuda_set_overlap(0);
  call(0, 101, 4);
  coil_cuda_set_overlap(1);
  EXPECT_COUNT(fake->overlapping - before, 3);
  coil_cuda_set_blocking(1);
  call(0, 102, 5);
  coil_cuda_set_blocking(0);
  EXPECT_COUNT(fake->overlapping - before, 3);
}

TEST_F(CUDAGraphTest, patchesAddresses) {
  for (int i = 0; i < 8; ++i)
    call(i, 100, float(i));
  EXPECT_EQ(entries, 2);
  EXPECT_COUNT(fake->instances, 4);
  int patches = fake->patches;
  // The last four sets of addresses have graphs of their own.
  call(7, 100, 1);
  EXPECT_COUNT(fake->patches, patches);
}

/// Two results from one launch.
static int32_t addOneToBoth(coil_run *run, const coil_tensor *inputs,
                            coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0], stride = 1;
  void *buffers[4] = {inputs[0].data, inputs[0].data};
  for (int k = 0; k < 2; ++k)
    if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &buffers[2 + k]))
      return status;
  if (int32_t status = coil_rt_launch_cuda(run, graphKernel, buffers, &n,
                                           (n + 31) / 32, 2, 1))
    return status;
  for (int k = 0; k < 2; ++k) {
    if (int32_t status = coil_rt_set_output(run, outputs + k, buffers[2 + k],
                                            COIL_F32, 1, &n, &stride))
      return status;
    outputs[k].device_type = COIL_CUDA;
  }
  return COIL_OK;
}

TEST_F(CUDAGraphTest, patchesAddressesInTables) {
  graphKernel = &addOneTwice;
  for (int i = 0; i < 6; ++i) {
    std::vector<float> x(64, float(i)), y[2] = {x, x};
    int64_t n = 64, stride = 1, bytes = 4 * n;
    coil_run *one = nullptr;
    ASSERT_EQ(coil_run_create(&one), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
    ASSERT_EQ(coil_rt_upload_cuda(one, inputs[i], x.data(), bytes), COIL_OK);
    coil_tensor input = {inputs[i], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    coil_tensor output[2] = {};
    ASSERT_EQ(coil_cuda_program_call(program, one, addOneToBoth, &input, 1,
                                     output, 2),
              COIL_OK)
        << coil_last_error();
    for (int k = 0; k < 2; ++k)
      ASSERT_EQ(coil_rt_download_cuda(one, y[k].data(), output[k].data, bytes),
                COIL_OK);
    ASSERT_EQ(coil_run_synchronize(one), COIL_OK);
    for (int k = 0; k < 2; ++k)
      for (float element : y[k])
        EXPECT_EQ(element, float(i) + 1);
    coil_run_destroy(one);
  }
  EXPECT_EQ(graphStats().replayed, 5);
  if (!simulated)
    EXPECT_GE(fake->patches, 1);
}

TEST_F(CUDAGraphTest, keepsResultsOfEarlierReplays) {
  for (int i = 0; i < 3; ++i)
    call(0, 64, 1);
  coil_tensor first = {}, second = {};
  int64_t n = 64, stride = 1;
  coil_tensor input = {inputs[0], &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
  ASSERT_EQ(coil_cuda_program_call(program, run, addTwo, &input, 1, &first, 1),
            COIL_OK);
  ASSERT_EQ(coil_cuda_program_call(program, run, addTwo, &input, 1, &second, 1),
            COIL_OK);
  EXPECT_NE(first.data, second.data);
}

TEST_F(CUDAGraphTest, isBoundedAndKeyedBySizes) {
  for (int64_t n : {10, 20, 30})
    for (int i = 0; i < 3; ++i)
      call(0, n, float(n));
  EXPECT_EQ(graphStats().recorded, 3);
  EXPECT_EQ(graphStats().evicted, 1);
  call(0, 20, 1);
  EXPECT_EQ(graphStats().replayed, 7);
}

TEST_F(CUDAGraphTest, copiesInputsWhoseAddressesAreKept) {
  throughCopy = true;
  for (int i = 0; i < 4; ++i)
    call(i, 100, float(i));
  EXPECT_EQ(graphStats().recorded, 1);
  EXPECT_EQ(graphStats().replayed, 3);
}

// A function runs at each call, unless it says that a graph can have its work.
TEST_F(CUDAGraphTest, recordsNoFunctionThatDoesNotAllowIt) {
  throughCopy = true;
  copyFunction = "unit::plain";
  for (int i = 0; i < 5; ++i)
    call(i % 2, 100, float(i));
  EXPECT_EQ(functionCalls, 5);
  EXPECT_EQ(graphStats().recorded, 0);
  EXPECT_EQ(graphStats().replayed, 0);
  EXPECT_EQ(graphStats().plain, 1);
  EXPECT_EQ(graphStats().refused, 4);
}

TEST_F(CUDAGraphTest, recordsFunctionsThatAllowIt) {
  throughCopy = true;
  copyFunction = "unit::captured";
  for (int i = 0; i < 5; ++i)
    call(i % 2, 100, float(i));
  EXPECT_EQ(functionCalls, entries);
  EXPECT_LT(functionCalls, 5);
  EXPECT_EQ(graphStats().recorded, 1);
  EXPECT_EQ(graphStats().replayed, 4);
}

TEST_F(CUDAGraphTest, recordsAnewWhenAStableInputMoves) {
  throughCopy = true;
  for (int i = 0; i < 3; ++i)
    call(0, 100, float(i));
  for (int i = 0; i < 3; ++i)
    call(i, 100, float(i));
  EXPECT_EQ(graphStats().recorded, 2);
}

TEST_F(CUDAGraphTest, ordersReplaysOnDifferentStreams) {
  for (int i = 0; i < 3; ++i)
    call(0, 100, float(i));
  int waits = fake->waits;
  alloc(4); // Gives this run a stream, so that `call` gets another.
  coil_run *other = nullptr;
  ASSERT_EQ(coil_run_create(&other), COIL_OK);
  ASSERT_EQ(coil_run_set_cuda_device(other, 0), COIL_OK);
  void *unused = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(other, 4, &unused), COIL_OK);
  call(0, 100, 5);
  EXPECT_COUNT(fake->waits, waits + 1);
  coil_run_destroy(other);
}

//===----------------------------------------------------------------------===//
// Measurement, and the end
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, timesSteps) {
  ASSERT_EQ(coil_run_set_timing(run, 1), COIL_OK);
  void *a = alloc(64);
  ASSERT_EQ(coil_rt_note_cost(run, 8, 1, 0), COIL_OK);
  ASSERT_EQ(launchAddOne(a, a, 1), COIL_OK);
  ASSERT_EQ(coil_rt_copy_cuda(run, a, a, 16), COIL_OK);
  ASSERT_EQ(launchAddOne(a, a, 1), COIL_OK);
  std::vector<std::string> names;
  ASSERT_EQ(coil_run_get_timing(
                run,
                [](void *user, const coil_cuda_step *step) {
                  if (simulated)
                    EXPECT_GE(step->microseconds, 0);
                  else
                    EXPECT_EQ(step->microseconds, 500);
                  static_cast<std::vector<std::string> *>(user)->push_back(
                      step->name + (" " + std::to_string(step->cost.bytes)));
                },
                &names),
            COIL_OK);
  EXPECT_EQ(names,
            (std::vector<std::string>{"add_one 8", "copy 32", "add_one -1"}));
}

/// Last: the device is of no use from then on.
using CUDALastTest = CUDATest;
TEST_F(CUDALastTest, reportsABrokenContext) {
  void *a = alloc(64);
  ASSERT_EQ(launchAddOne(a, a, 1), COIL_OK);
  ASSERT_EQ(coil_rt_launch_cuda(run, &crash, &a, nullptr, 1, 1, 1), COIL_OK);
  EXPECT_EQ(coil_run_synchronize(run), COIL_INTERNAL);
  std::string cause = simulated ? "an illegal memory access was encountered "
                                  "(CUDA_ERROR_ILLEGAL_ADDRESS)"
                                : "an illegal memory access (FAKE_ERROR)";
  EXPECT_EQ(coil_last_error(),
            "failure in one of the last 2 launches, which end with kernel "
            "'add_one' (model.py:3), kernel 'crash' (model.py:3) "
            "(COIL_CUDA_BLOCKING=1 tells which): " +
                cause +
                "; CUDA device 0 cannot be used any more in this process");
  EXPECT_EQ(launchAddOne(a, a, 1), COIL_INTERNAL);
  EXPECT_EQ(coil_last_error(),
            "CUDA device 0 cannot be used any more in this process after an "
            "earlier error: " +
                cause);
}

} // namespace
