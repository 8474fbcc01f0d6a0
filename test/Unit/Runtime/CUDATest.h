//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests of the runtime for GPUs share: kernels, and a run on a device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_RUNTIME_CUDATEST_H
#define COIL_TEST_UNIT_RUNTIME_CUDATEST_H

#include "FakeCuda.h"
#include "RuntimeTest.h"

#include "coil/Runtime/CUDA.h"

#include <dlfcn.h>

namespace {

#ifdef COIL_CUDA_SIM
constexpr bool simulated = true;
const char *driver = COIL_CUDA_SIM;
#else
constexpr bool simulated = false;
const char *driver = COIL_FAKE_CUDA;
#endif

/// What a counter of the driver for tests says.
#define EXPECT_COUNT(a, b)                                                     \
  if (!simulated)                                                              \
  EXPECT_EQ(a, b)

/// The kernels that the driver for tests has, for the simulator.
const char *image = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u64 n) {
  .reg .b64 p, q, i, size; .reg .b32 t, c; .reg .f32 f; .reg .pred outside;
  mov.u32 t, %tid.x;
  mov.u32 c, %ctaid.x;
  mad.lo.u32 t, c, 32, t;
  cvt.u64.u32 i, t;
  ld.param.u64 size, [n];
  setp.ge.s64 outside, i, size;
  @outside ret;
  shl.b64 i, i, 2;
  ld.param.u64 p, [x];
  add.s64 p, p, i;
  ld.param.u64 q, [y];
  add.s64 q, q, i;
  ld.global.f32 f, [p];
  add.rn.f32 f, f, 0f3F800000;
  st.global.f32 [q], f;
  ret;
}
.visible .entry add_one_x2(.param .align 8 .b8 table[32], .param .u64 n) {
  .reg .b64 p, q, i, size, row; .reg .b32 t, c, k; .reg .f32 f; .reg .pred outside;
  mov.u32 k, %ctaid.y;
  mul.wide.u32 i, k, 8;
  mov.u64 row, table;
  add.s64 row, row, i;
  mov.u32 t, %tid.x;
  mov.u32 c, %ctaid.x;
  mad.lo.u32 t, c, 32, t;
  cvt.u64.u32 i, t;
  ld.param.u64 size, [n];
  setp.ge.s64 outside, i, size;
  @outside ret;
  shl.b64 i, i, 2;
  ld.param.u64 p, [row];
  add.s64 p, p, i;
  ld.param.u64 q, [row+16];
  add.s64 q, q, i;
  ld.global.f32 f, [p];
  add.rn.f32 f, f, 0f3F800000;
  st.global.f32 [q], f;
  ret;
}
.visible .entry check(.param .u64 x, .param .u64 word) {
  .reg .b64 p;
  ld.param.u64 p, [word];
  st.global.u32 [p], 1;
  ret;
}
.visible .entry mark(.param .u64 x, .param .u64 scratch) {
  .reg .b64 p, q, i; .reg .b32 t, c, v; .reg .pred other;
  mov.u32 t, %tid.x;
  setp.ne.u32 other, t, 0;
  @other ret;
  mov.u32 c, %ctaid.x;
  mul.wide.u32 i, c, 4;
  ld.param.u64 p, [x];
  add.s64 p, p, i;
  mul.wide.u32 i, c, 16;
  ld.param.u64 q, [scratch];
  add.s64 q, q, i;
  ld.global.u32 v, [q];
  add.u32 v, v, 1;
  st.global.u32 [q], v;
  st.global.u32 [p], v;
  ret;
}
.visible .entry crash(.param .u64 x) {
  st.global.u32 [16], 1;
  ret;
}
)";

/// A run on device 0 and the kernels of the driver for tests.
class CUDATest : public RuntimeTest {
protected:
  static void SetUpTestSuite() {
    setenv("COIL_CUDA_DRIVER", driver, 1);
    setenv("COIL_CUDA_SIM_MEMORY", "256M", 1);
    setenv("COIL_CUDA_SIM_DEVICES", "2", 1);
    setenv("COIL_CUDA_SIM_QUIET", "1", 1);
    // Some tests do not care what their kernels read.
    setenv("COIL_CUDA_SIM_RELAX", "uninit-global", 1);
  }
  void SetUp() override {
    RuntimeTest::SetUp();
    static FakeCuda none = {};
    auto *get = reinterpret_cast<FakeCuda *(*)()>(
        dlsym(dlopen(driver, RTLD_NOW), "fake_cuda"));
    ASSERT_NE(simulated, bool(get));
    fake = get ? get() : &none;
    fake->memoryLimit = 256 << 20;
    ASSERT_EQ(coil_run_set_cuda_device(run, 0), COIL_OK) << coil_last_error();
  }
  void TearDown() override {
    RuntimeTest::TearDown();
    coil_cuda_kernel_unload(&addOne);
    coil_cuda_kernel_unload(&addOneTwice);
    coil_cuda_kernel_unload(&check);
    coil_cuda_kernel_unload(&crash);
  }

  static coil_cuda_kernel makeKernel(const char *name, int32_t buffers,
                                     int32_t symbols, uint32_t flags = 0) {
    coil_cuda_kernel kernel = {};
    kernel.struct_size = sizeof(kernel);
    kernel.flags = flags;
    kernel.name = name;
    kernel.location = "model.py:3";
    kernel.image = image;
    kernel.num_buffers = buffers;
    kernel.num_symbols = symbols;
    kernel.block[0] = 32;
    kernel.block[1] = kernel.block[2] = 1;
    return kernel;
  }

  void *alloc(int64_t bytes) {
    void *result = nullptr;
    EXPECT_EQ(coil_rt_alloc_cuda(run, bytes, &result), COIL_OK)
        << coil_last_error();
    return result;
  }
  int32_t launchAddOne(void *x, void *y, int64_t n) {
    void *buffers[] = {x, y};
    return coil_rt_launch_cuda(run, &addOne, buffers, &n, (n + 31) / 32, 1, 1);
  }

  FakeCuda *fake = nullptr;
  coil_cuda_kernel addOne = makeKernel("add_one", 2, 1);
  coil_cuda_kernel addOneTwice =
      makeKernel("add_one_x2", 4, 1, COIL_CUDA_KERNEL_TABLE);
  coil_cuda_kernel check = makeKernel("check", 1, 0, COIL_CUDA_KERNEL_CHECKS);
  coil_cuda_kernel crash = makeKernel("crash", 1, 0);
};

} // namespace

#endif // COIL_TEST_UNIT_RUNTIME_CUDATEST_H
