//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator's driver functions beside kernels: memory, streams, events,
// graphs and errors.
//
//===----------------------------------------------------------------------===//

#include "SimTest.h"

using namespace coil::cudasim::test;

namespace {

class DriverTest : public SimTest {
protected:
  const char *increment = R"(
.visible .entry k(.param .u64 word) {
  .reg .b64 p; .reg .b32 r;
  ld.param.u64 p, [word];
  ld.global.u32 r, [p];
  add.u32 r, r, 1;
  st.global.u32 [p], r;
  ret;
})";
};

TEST_F(DriverTest, describesADevice) {
  int count = 0, major = 0, minor = 0, version = 0;
  EXPECT_EQ(cu.deviceGetCount(&count), 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cu.deviceGetAttribute(
                &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0),
            0);
  EXPECT_EQ(cu.deviceGetAttribute(
                &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
            0);
  EXPECT_EQ(major * 10 + minor, 90);
  EXPECT_EQ(cu.driverGetVersion(&version), 0);
  EXPECT_GE(version, minimumDriverVersion);
  CUdevice device;
  EXPECT_EQ(cu.deviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  const char *text;
  EXPECT_EQ(cu.getErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), 0);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
}

TEST_F(DriverTest, copiesAndFills) {
  CUdeviceptr a = upload(std::vector<uint32_t>{1, 2, 3}), b = allocate(12);
  EXPECT_EQ(cu.memcpyDtoDAsync(b, a, 12, nullptr), 0);
  EXPECT_EQ(cu.memsetD8Async(b + 4, 0xAB, 4, nullptr), 0);
  EXPECT_EQ(download<uint32_t>(b, 3),
            (std::vector<uint32_t>{1, 0xABABABAB, 3}));
  // Copies know the bounds, too.
  uint32_t word;
  EXPECT_NE(cu.memcpyDtoH(&word, b + 12, 4), 0);
  EXPECT_NE(cu.memFree(b + 4), 0);
  EXPECT_EQ(cu.memFree(b), 0);
  EXPECT_NE(cu.memFree(b), 0);
}

TEST_F(DriverTest, knowsWherePointersLead) {
  CUdeviceptr a = allocate(16);
  int type = 0, ordinal = -1;
  EXPECT_EQ(
      cu.pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a + 8),
      0);
  EXPECT_EQ(type, 2);
  EXPECT_EQ(
      cu.pointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a),
      0);
  EXPECT_EQ(ordinal, 0);
  EXPECT_EQ(cu.pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   reinterpret_cast<CUdeviceptr>(&type)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DriverTest, sharesHostMemoryWithKernels) {
  void *host = nullptr;
  ASSERT_EQ(cu.memHostAlloc(&host, 4, CU_MEMHOSTALLOC_DEVICEMAP), 0);
  *static_cast<uint32_t *>(host) = 41;
  EXPECT_EQ(launch(increment, 1, {reinterpret_cast<uint64_t>(host)}), 0)
      << cu.report();
  EXPECT_EQ(*static_cast<uint32_t *>(host), 42u);
  EXPECT_EQ(cu.memFreeHost(host), 0);
}

TEST_F(DriverTest, capturesAndReplaysGraphs) {
  CUmodule module = load(increment);
  CUfunction f;
  ASSERT_EQ(cu.moduleGetFunction(&f, module, "k"), 0);
  CUdeviceptr a = upload(std::vector<uint32_t>{10}),
              b = upload(std::vector<uint32_t>{20});
  CUstream stream;
  ASSERT_EQ(cu.streamCreate(&stream, CU_STREAM_NON_BLOCKING), 0);
  ASSERT_EQ(cu.streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), 0);
  int status = -1;
  uint64_t id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode *dependencies = nullptr;
  size_t count = 7;
  ASSERT_EQ(cu.streamGetCaptureInfo(stream, &status, &id, &graph, &dependencies,
                                    &count),
            0);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(count, 0u);
  void *params[] = {&a};
  auto launchIt = [&] {
    return cu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
  };
  ASSERT_EQ(launchIt(), 0);
  ASSERT_EQ(cu.streamGetCaptureInfo(stream, &status, &id, &graph, &dependencies,
                                    &count),
            0);
  ASSERT_EQ(count, 1u);
  CUgraphNode node = dependencies[0];
  ASSERT_EQ(launchIt(), 0);
  CUgraph captured = nullptr;
  ASSERT_EQ(cu.streamEndCapture(stream, &captured), 0);
  EXPECT_EQ(captured, graph);
  // Nothing ran so far.
  EXPECT_EQ(download<uint32_t>(a, 1)[0], 10u);
  CUgraphExec exec;
  ASSERT_EQ(cu.graphInstantiate(&exec, captured, 0), 0);
  ASSERT_EQ(cu.graphLaunch(exec, stream), 0);
  EXPECT_EQ(download<uint32_t>(a, 1)[0], 12u);
  // The first of the two launches gets another address.
  CUkernelNodeParams p = {};
  p.func = f;
  p.gridDimX = p.gridDimY = p.gridDimZ = 1;
  p.blockDimX = p.blockDimY = p.blockDimZ = 1;
  void *other[] = {&b};
  p.kernelParams = other;
  ASSERT_EQ(cu.graphExecKernelNodeSetParams(exec, node, &p), 0);
  ASSERT_EQ(cu.graphLaunch(exec, stream), 0);
  EXPECT_EQ(download<uint32_t>(a, 1)[0], 13u);
  EXPECT_EQ(download<uint32_t>(b, 1)[0], 21u);
  EXPECT_EQ(cu.graphExecDestroy(exec), 0);
  EXPECT_EQ(cu.graphDestroy(captured), 0);
  EXPECT_EQ(cu.streamDestroy(stream), 0);
}

TEST_F(DriverTest, graphsRelyOnEventsOnly) {
  CUdeviceptr from = upload(std::vector<uint32_t>{1, 2}),
              to = upload(std::vector<uint32_t>{0});
  CUstream stream, side;
  ASSERT_EQ(cu.streamCreate(&stream, CU_STREAM_NON_BLOCKING), 0);
  ASSERT_EQ(cu.streamCreate(&side, CU_STREAM_NON_BLOCKING), 0);
  CUevent event;
  ASSERT_EQ(cu.eventCreate(&event, CU_EVENT_DISABLE_TIMING), 0);
  auto wait = [&](CUstream first, CUstream later) {
    ASSERT_EQ(cu.eventRecord(event, first), 0);
    ASSERT_EQ(cu.streamWaitEvent(later, event, 0), 0);
  };
  auto copy = [&](int number, CUstream where) {
    ASSERT_EQ(cu.memcpyDtoDAsync(to, from + CUdeviceptr(4 * number), 4, where),
              0);
  };
  // What both streams write, by the order of a replay; 0 where there is none.
  auto run = [&](bool isOrdered, bool isJoined) -> uint32_t {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cu.streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), 0);
    wait(stream, side);
    copy(0, side);
    if (isOrdered)
      wait(side, stream);
    copy(1, stream);
    if (isJoined && !isOrdered)
      wait(side, stream);
    CUresult result = cu.streamEndCapture(stream, &graph);
    // CUDA_ERROR_STREAM_CAPTURE_UNJOINED
    EXPECT_EQ(int(result), isJoined ? 0 : 904);
    if (result)
      return 0;
    EXPECT_EQ(cu.graphInstantiate(&exec, graph, 0), 0);
    EXPECT_EQ(cu.graphLaunch(exec, stream), 0);
    EXPECT_EQ(cu.graphExecDestroy(exec), 0);
    EXPECT_EQ(cu.graphDestroy(graph), 0);
    return download<uint32_t>(to, 1)[0];
  };
  EXPECT_EQ(run(/*isOrdered=*/true, /*isJoined=*/true), 2u);
  // The first one that was captured need not be the first that runs.
  EXPECT_EQ(run(/*isOrdered=*/false, /*isJoined=*/true), 1u);
  EXPECT_EQ(run(/*isOrdered=*/false, /*isJoined=*/false), 0u);
  EXPECT_EQ(cu.eventDestroy(event), 0);
  EXPECT_EQ(cu.streamDestroy(side), 0);
  EXPECT_EQ(cu.streamDestroy(stream), 0);
}

TEST_F(DriverTest, timesEvents) {
  CUevent begin, end;
  ASSERT_EQ(cu.eventCreate(&begin, CU_EVENT_DEFAULT), 0);
  ASSERT_EQ(cu.eventCreate(&end, CU_EVENT_DEFAULT), 0);
  ASSERT_EQ(cu.eventRecord(begin, nullptr), 0);
  ASSERT_EQ(cu.eventRecord(end, nullptr), 0);
  ASSERT_EQ(cu.eventSynchronize(end), 0);
  float ms = -1;
  EXPECT_EQ(cu.eventElapsedTime(&ms, begin, end), 0);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(cu.eventDestroy(begin), 0);
  EXPECT_NE(cu.eventDestroy(begin), 0);
}

TEST_F(DriverTest, refusesBadLaunches) {
  CUmodule module =
      load(".visible .entry k() .maxntid 64, 1, 1 { .shared .b8 x[64]; ret; }");
  ASSERT_TRUE(module) << log;
  CUfunction f;
  EXPECT_EQ(cu.moduleGetFunction(&f, module, "none"), 500);
  ASSERT_EQ(cu.moduleGetFunction(&f, module, "k"), 0);
  auto launchIt = [&](unsigned grid, unsigned block, unsigned shared) {
    return cu.launchKernel(f, grid, 1, 1, block, 1, 1, shared, nullptr, nullptr,
                           nullptr);
  };
  EXPECT_EQ(launchIt(1, 64, 0), 0);
  EXPECT_EQ(launchIt(1, 65, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchIt(0, 32, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launchIt(1, 32, 49152), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.funcSetAttribute(
                f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000),
            0);
  EXPECT_EQ(launchIt(1, 32, 100000), 0);
  int value = 0;
  EXPECT_EQ(
      cu.funcGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f),
      0);
  EXPECT_EQ(value, 64);
  EXPECT_EQ(cu.moduleUnload(module), 0);
}

} // namespace
