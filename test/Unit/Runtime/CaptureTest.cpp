//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that the caller records as a graph of its own.
//
//===----------------------------------------------------------------------===//

#include "CUDATest.h"

namespace {

using Stream = void *;

class CaptureTest : public CUDATest {
protected:
  template <typename... Args>
  void callDriver(const char *name, Args... args) {
    auto *function = reinterpret_cast<int (*)(Args...)>(
        dlsym(dlopen(driver, RTLD_NOW), name));
    ASSERT_NE(function, nullptr) << name;
    ASSERT_EQ(function(args...), 0) << name;
  }

  /// A run on a stream of the caller's.
  void makeRun(coil_run *&made, Stream &stream) {
    ASSERT_EQ(coil_run_create(&made), COIL_OK);
    ASSERT_EQ(coil_run_set_cuda_device(made, 0), COIL_OK);
    void *context = nullptr;
    callDriver("cuDevicePrimaryCtxRetain", &context, 0);
    callDriver("cuCtxSetCurrent", context);
    callDriver("cuStreamCreate", &stream, 0u);
    ASSERT_EQ(coil_run_set_stream(made, stream), COIL_OK);
  }

  /// Ends a capture that writes `n` elements of `x`, each plus one, to `y`, and
  /// launches its graph a few times with other elements.
  void replayAddOne(coil_run *run, Stream stream, void *x, void *y, int64_t n,
                    int times) {
    void *graph = nullptr, *exec = nullptr;
    callDriver("cuStreamEndCapture", stream, &graph);
    callDriver("cuGraphInstantiateWithFlags", &exec, graph, 0ull);
    for (int i = 0; i < times; ++i) {
      std::vector<float> values(n, float(i)), back(n, -1);
      ASSERT_EQ(coil_rt_upload_cuda(run, x, values.data(), n * 4), COIL_OK);
      callDriver("cuGraphLaunch", exec, stream);
      ASSERT_EQ(coil_rt_download_cuda(run, back.data(), y, n * 4), COIL_OK);
      ASSERT_EQ(coil_run_synchronize(run), COIL_OK);
      EXPECT_EQ(back, std::vector<float>(n, float(i + 1)));
    }
    callDriver("cuGraphExecDestroy", exec);
    callDriver("cuGraphDestroy", graph);
  }
};

// Each replay may find an index out of range, not only the first that is waited
// for.
TEST_F(CaptureTest, reportsChecksOfEachReplay) {
  coil_run *other = nullptr;
  Stream stream = nullptr;
  ASSERT_NO_FATAL_FAILURE(makeRun(other, stream));
  void *memory = nullptr;
  ASSERT_EQ(coil_rt_alloc_cuda(other, 4, &memory), COIL_OK);
  void *buffers[] = {memory};
  // What a first launch sets up is no part of the graph.
  ASSERT_EQ(coil_rt_launch_cuda(other, &check, buffers, nullptr, 1, 1, 1),
            COIL_OK);
  EXPECT_EQ(coil_run_synchronize(other), COIL_ASSERTION_FAILED);
  EXPECT_EQ(coil_run_synchronize(other), COIL_OK);

  callDriver("cuStreamBeginCapture_v2", stream, 2);
  ASSERT_EQ(coil_rt_launch_cuda(other, &check, buffers, nullptr, 1, 1, 1),
            COIL_OK);
  void *graph = nullptr, *exec = nullptr;
  callDriver("cuStreamEndCapture", stream, &graph);
  callDriver("cuGraphInstantiateWithFlags", &exec, graph, 0ull);
  EXPECT_EQ(coil_run_synchronize(other), COIL_OK);
  for (int i = 0; i < 3; ++i) {
    callDriver("cuGraphLaunch", exec, stream);
    EXPECT_EQ(coil_run_synchronize(other), COIL_ASSERTION_FAILED) << i;
    EXPECT_NE(strstr(coil_last_error(), "check"), nullptr);
    EXPECT_EQ(coil_run_synchronize(other), COIL_OK);
  }
  callDriver("cuGraphExecDestroy", exec);
  callDriver("cuGraphDestroy", graph);
  coil_run_destroy(other);
}

// What emitted Python launches while torch records a partition.
TEST_F(CaptureTest, holdsKernelsOfUsers) {
  coil_run *other = nullptr;
  Stream stream = nullptr;
  ASSERT_NO_FATAL_FAILURE(makeRun(other, stream));
  coil_cuda_kernel user = makeKernel("add_one", 0, 0);
  user.parameters = "aa8";
  ASSERT_EQ(coil_cuda_kernel_load(&user, 0), COIL_OK);
  int64_t n = 40;
  void *x = alloc(n * 4), *y = alloc(n * 4);
  void *arguments[] = {&x, &y, &n};
  callDriver("cuStreamBeginCapture_v2", stream, 2);
  ASSERT_EQ(coil_rt_launch_user_cuda(other, &user, arguments, 2, 1, 1),
            COIL_OK);
  ASSERT_NO_FATAL_FAILURE(replayAddOne(other, stream, x, y, n, 3));
  coil_run_destroy(other);
  coil_cuda_kernel_unload(&user);
}

// A stream of the run becomes part of the capture when the run goes over to it,
// though its first step waits for nothing.
TEST_F(CaptureTest, holdsSideStreams) {
  if (!simulated)
    GTEST_SKIP() << "this driver ends the capture when the streams join";
  coil_run *other = nullptr;
  Stream stream = nullptr;
  ASSERT_NO_FATAL_FAILURE(makeRun(other, stream));
  ASSERT_EQ(coil_cuda_kernel_load(&addOne, 0), COIL_OK);
  int64_t n = 40;
  void *x = alloc(n * 4), *y = alloc(n * 4);
  void *buffers[] = {x, y}, *event = nullptr;
  callDriver("cuStreamBeginCapture_v2", stream, 1);
  ASSERT_EQ(coil_rt_enter_stream_cuda(other, 1), COIL_OK);
  ASSERT_EQ(coil_rt_launch_cuda(other, &addOne, buffers, &n, 2, 1, 1), COIL_OK);
  ASSERT_EQ(coil_rt_record_event_cuda(other, &event), COIL_OK);
  ASSERT_EQ(coil_rt_leave_stream_cuda(other), COIL_OK);
  ASSERT_EQ(coil_rt_wait_event_cuda(other, event), COIL_OK);
  ASSERT_NO_FATAL_FAILURE(replayAddOne(other, stream, x, y, n, 2));
  coil_run_destroy(other);
}

} // namespace
