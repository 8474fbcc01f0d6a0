//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call of a program asks the driver, and what it must not rely on:
// contexts and captures that others change between calls and in the midst of
// one.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/RunContext.h"
#include "coil/Runtime/Transfer.h"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace {

/// What the program does between its two kernels.
std::function<int32_t(coil_run *run)> *between;
coil_cuda_kernel *kernel;

/// y = x + 2, in place behind the first kernel.
int32_t addTwice(coil_run *run, const coil_tensor *inputs,
                 coil_tensor *outputs) {
  int64_t n = inputs[0].sizes[0], stride = 1;
  void *y = nullptr;
  if (int32_t status = coil_rt_alloc_cuda(run, n * 4, &y))
    return status;
  void *first[] = {inputs[0].data, y}, *second[] = {y, y};
  if (int32_t status =
          coil_rt_launch_cuda(run, kernel, first, &n, (n + 31) / 32, 1, 1))
    return status;
  if (between && *between)
    if (int32_t status = (*between)(run))
      return status;
  if (int32_t status =
          coil_rt_launch_cuda(run, kernel, second, &n, (n + 31) / 32, 1, 1))
    return status;
  outputs[0].device_type = COIL_CUDA;
  return coil_rt_set_output(run, outputs, y, COIL_F32, 1, &n, &stride);
}

/// What host functions of the tests do.
std::function<void()> *inFunction;

class CallScopeTest : public CUDATest {
protected:
  void SetUp() override {
    CUDATest::SetUp();
    addOne.flags |= COIL_CUDA_KERNEL_OVERLAPS;
    kernel = &addOne;
    between = &step;
    inFunction = &body;
    ASSERT_EQ(coil_cuda_program_create(&program), COIL_OK);
    for (int device : {0, 1})
      callDriver("cuDevicePrimaryCtxRetain", &contexts[device], device);
    callDriver("cuCtxSetCurrent", contexts[0]);
    callDriver("cuStreamCreate", &stream, 0u);
    x = alloc(4 * count);
    scratch = alloc(4 * count);
    std::vector<float> ones(count, 1);
    ASSERT_EQ(coil_rt_upload_cuda(run, x, ones.data(), 4 * count), COIL_OK);
    ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
    for (int32_t device : {COIL_CPU, COIL_CUDA}) {
      coil_function function = {sizeof(coil_function),
                                0,
                                "unit::between",
                                device,
                                0,
                                [](coil_call *, void *) -> int32_t {
                                  (*inFunction)();
                                  return COIL_OK;
                                },
                                nullptr};
      if (coil_find_function(function.name, device, nullptr))
        ASSERT_EQ(coil_register_function(&function), COIL_OK);
    }
  }
  void TearDown() override {
    callDriver("cuCtxSetCurrent", contexts[0]);
    callDriver("cuStreamDestroy_v2", stream);
    coil_cuda_program_destroy(program);
    CUDATest::TearDown();
  }

  template <typename... Args>
  void callDriver(const char *name, Args... args) {
    auto *function = reinterpret_cast<int (*)(Args...)>(
        dlsym(dlopen(driver, RTLD_NOW), name));
    ASSERT_NE(function, nullptr) << name;
    ASSERT_EQ(function(args...), 0) << name;
  }
  void *getContext() {
    void *context = nullptr;
    callDriver("cuCtxGetCurrent", &context);
    return context;
  }

  /// A call of the program in `stream`, by a run that the test destroys.
  void start(coil_run *&one, coil_tensor &output,
             const std::function<void(coil_run *)> &prepare = {}) {
    ASSERT_EQ(coil_run_create(&one), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(one, 0), COIL_OK);
    ASSERT_EQ(coil_run_set_stream(one, stream), COIL_OK);
    if (prepare)
      prepare(one);
    int64_t n = count, stride = 1;
    coil_tensor input = {x, &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
    ASSERT_EQ(
        coil_cuda_program_call(program, one, addTwice, &input, 1, &output, 1),
        COIL_OK)
        << coil_last_error();
  }

  /// A call of the program in `stream`, whose result is looked at if it is not
  /// recorded.
  void call(bool recorded = false,
            const std::function<void(coil_run *)> &prepare = {}) {
    coil_run *one = nullptr;
    coil_tensor output = {};
    ASSERT_NO_FATAL_FAILURE(start(one, output, prepare));
    EXPECT_COUNT(fake->launchedOn, 0);
    if (!recorded) {
      std::vector<float> y(count);
      ASSERT_EQ(coil_rt_download_cuda(one, y.data(), output.data, 4 * count),
                COIL_OK);
      ASSERT_EQ(coil_run_synchronize(one), COIL_OK);
      EXPECT_EQ(y, std::vector<float>(count, 3));
    }
    coil_run_destroy(one);
  }

  /// Calls the test's function of a device.
  static int32_t callFunction(coil_run *run, int32_t device) {
    coil_call_site site = {sizeof(coil_call_site),
                           device,
                           "unit::between",
                           nullptr,
                           nullptr,
                           nullptr};
    return coil_rt_call(run, &site, 0, nullptr, 0, nullptr, 0, nullptr);
  }

  /// One kernel more, on memory of the test's.
  int32_t launchAddOneOn(coil_run *one) {
    void *buffers[] = {scratch, scratch};
    int64_t n = count;
    return coil_rt_launch_cuda(one, &addOne, buffers, &n, 2, 1, 1);
  }

  static constexpr int64_t count = 40;
  coil_cuda_program *program = nullptr;
  void *contexts[2] = {}, *stream = nullptr, *x = nullptr, *scratch = nullptr;
  std::function<int32_t(coil_run *)> step;
  std::function<void()> body;
};

// Two kernels and an allocation: the context once, the capture once.
TEST_F(CallScopeTest, asksOnce) {
  call();
  int context = fake->contextCalls, capture = fake->captureCalls;
  int launches = fake->launches, overlapping = fake->overlapping;
  coil_run *one = nullptr;
  coil_tensor output = {};
  ASSERT_NO_FATAL_FAILURE(start(one, output));
  coil_run_destroy(one);
  EXPECT_COUNT(fake->launches - launches, 2);
  EXPECT_COUNT(fake->overlapping - overlapping, 2);
  EXPECT_COUNT(fake->contextCalls - context, 1);
  EXPECT_COUNT(fake->captureCalls - capture, 1);
}

TEST_F(CallScopeTest, followsContextsThatChangeBetweenCalls) {
  call();
  callDriver("cuCtxSetCurrent", contexts[1]);
  call();
  EXPECT_EQ(getContext(), contexts[1]);
  callDriver("cuCtxSetCurrent", static_cast<void *>(nullptr));
  call();
  EXPECT_EQ(getContext(), nullptr);
  callDriver("cuCtxSetCurrent", contexts[0]);
  call();
  EXPECT_EQ(getContext(), contexts[0]);
}

// Threads share the program, the allocator and two of them a stream.
TEST_F(CallScopeTest, servesManyThreads) {
  if (!simulated)
    GTEST_SKIP() << "this driver is for one thread";
  constexpr int numThreads = 4, numCalls = 50;
  void *streams[numThreads] = {nullptr, nullptr, stream, nullptr};
  callDriver("cuStreamCreate", &streams[3], 0u);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (void *own : streams)
    threads.emplace_back([&, own] {
      for (int i = 0; i < numCalls; ++i) {
        coil_run *one = nullptr;
        int64_t n = count, stride = 1;
        coil_tensor input = {x, &n, &stride, 1, COIL_F32, COIL_CUDA, 0};
        coil_tensor output = {};
        std::vector<float> y(count);
        bool ok = coil_run_create(&one) == COIL_OK &&
                  coil_run_set_cuda_device(one, 0) == COIL_OK &&
                  coil_run_set_stream(one, own) == COIL_OK &&
                  coil_cuda_program_call(program, one, addTwice, &input, 1,
                                         &output, 1) == COIL_OK &&
                  coil_rt_download_cuda(one, y.data(), output.data,
                                        4 * count) == COIL_OK &&
                  coil_run_synchronize(one) == COIL_OK;
        wrong += !ok || y != std::vector<float>(count, 3);
        coil_run_destroy(one);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  coil_cuda_graph_stats stats;
  coil_cuda_program_get_graph_stats(program, &stats);
  EXPECT_EQ(stats.plain, numThreads * numCalls);
  callDriver("cuStreamDestroy_v2", streams[3]);
}

// Functions of the runtime are called outside of calls, too.
TEST_F(CallScopeTest, reliesOnNothingBehindTheCall) {
  coil_run *one = nullptr;
  coil_tensor output = {};
  ASSERT_NO_FATAL_FAILURE(start(one, output));
  callDriver("cuCtxSetCurrent", contexts[1]);
  int64_t n = count;
  void *buffers[] = {output.data, output.data};
  EXPECT_EQ(coil_rt_launch_cuda(one, &addOne, buffers, &n, 2, 1, 1), COIL_OK)
      << coil_last_error();
  EXPECT_COUNT(fake->launchedOn, 0);
  coil_run_destroy(one);
}

// A side stream is not recorded because the run's is.
TEST_F(CallScopeTest, asksForEachStream) {
  if (simulated)
    GTEST_SKIP() << "this driver ends the capture when the streams join";
  call();
  int overlapping = fake->overlapping, sides = 0;
  step = [&](coil_run *run) -> int32_t {
    if (int32_t status = coil_rt_enter_stream_cuda(run, 1))
      return status;
    int before = fake->overlapping;
    if (int32_t status = launchAddOneOn(run))
      return status;
    sides = fake->overlapping - before;
    return coil_rt_leave_stream_cuda(run);
  };
  callDriver("cuStreamBeginCapture_v2", stream, 2);
  call(/*recorded=*/true);
  void *graph = nullptr;
  callDriver("cuStreamEndCapture", stream, &graph);
  callDriver("cuGraphDestroy", graph);
  EXPECT_EQ(sides, 1);
  // And the last launch of the recording, behind another one of it.
  EXPECT_EQ(fake->overlapping - overlapping, 2);
}

TEST_F(CallScopeTest, followsContextsThatFunctionsChange) {
  body = [&] { callDriver("cuCtxSetCurrent", contexts[1]); };
  for (int32_t device : {COIL_CPU, COIL_CUDA}) {
    step = [device](coil_run *run) { return callFunction(run, device); };
    callDriver("cuCtxSetCurrent", contexts[0]);
    call();
    // That of the call's caller was changed, and is not the call's to change.
    EXPECT_EQ(getContext(), contexts[1]);
  }
}

TEST_F(CallScopeTest, followsContextsThatOwnersOfInputsChange) {
  body = [&] { callDriver("cuCtxSetCurrent", contexts[1]); };
  step = [](coil_run *run) { return coil_rt_drop_input(run, 0); };
  call(false, [](coil_run *one) {
    ASSERT_EQ(coil_run_set_input_release(
                  one, 0, [](void *) { (*inFunction)(); }, nullptr),
              COIL_OK);
  });
  EXPECT_EQ(getContext(), contexts[1]);
}

TEST_F(CallScopeTest, followsContextsThatTracesChange) {
  body = [&] { callDriver("cuCtxSetCurrent", contexts[1]); };
  call(false, [](coil_run *one) {
    coil_run_set_trace(
        one, [](void *, const coil_trace_event *) { (*inFunction)(); },
        nullptr);
  });
  EXPECT_EQ(getContext(), contexts[1]);
}

TEST_F(CallScopeTest, followsContextsThatObjectsChange) {
  body = [&] { callDriver("cuCtxSetCurrent", contexts[1]); };
  coil_class description = {sizeof(coil_class), 0, "unit::Changes",
                            [](void *, void *) { (*inFunction)(); }, nullptr};
  if (coil_find_class(description.name))
    ASSERT_EQ(coil_register_class(&description), COIL_OK);
  // The program lets go of it last.
  step = [](coil_run *run) -> int32_t {
    coil_object *object = nullptr, *held = nullptr;
    if (int32_t status = coil_object_create("unit::Changes", nullptr, &object))
      return status;
    if (int32_t status = coil_run_bind_object(run, "unit object", object))
      return status;
    coil_object_release(object);
    if (int32_t status =
            coil_rt_bound_object(run, "unit object", "unit::Changes", &held))
      return status;
    if (int32_t status = coil_run_bind_object(run, "unit object", nullptr))
      return status;
    return coil_rt_drop_object(run, held);
  };
  call();
  EXPECT_EQ(getContext(), contexts[1]);
}

TEST_F(CallScopeTest, comesBackFromOtherDevices) {
  // What is entered on another device stays current until it is left.
  step = [](coil_run *run) -> int32_t {
    if (int32_t status = coil_rt_select_device(run, COIL_CUDA, 1))
      return status;
    if (int32_t status = coil_rt_enter_device_cuda(run))
      return status;
    return coil_rt_select_device(run, COIL_CUDA, 0);
  };
  call(false, [](coil_run *one) {
    ASSERT_EQ(coil_run_set_device_stream(one, 1, nullptr), COIL_OK);
  });
  step = {};
  callDriver("cuCtxSetCurrent", contexts[0]);
  call();
}

// Of what a caller records a kernel overlaps the one that is recorded before
// it, and nothing else; a call that begins behind the recording overlaps again.
TEST_F(CallScopeTest, followsCapturesThatBeginAndEndBetweenCalls) {
  call();
  int overlapping = fake->overlapping;
  callDriver("cuStreamBeginCapture_v2", stream, 2);
  call(/*recorded=*/true);
  void *graph = nullptr;
  callDriver("cuStreamEndCapture", stream, &graph);
  EXPECT_COUNT(fake->overlapping - overlapping, 1);
  callDriver("cuGraphDestroy", graph);
  call();
  EXPECT_COUNT(fake->overlapping - overlapping, 3);
}

TEST_F(CallScopeTest, followsCapturesThatFunctionsBegin) {
  call();
  int overlapping = fake->overlapping;
  body = [&] { callDriver("cuStreamBeginCapture_v2", stream, 2); };
  step = [](coil_run *run) { return callFunction(run, COIL_CPU); };
  call(/*recorded=*/true);
  void *graph = nullptr;
  callDriver("cuStreamEndCapture", stream, &graph);
  callDriver("cuGraphDestroy", graph);
  EXPECT_COUNT(fake->overlapping - overlapping, 1);
}

} // namespace
