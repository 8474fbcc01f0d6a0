//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of libraries for linear algebra, one of each for a device, and small
// kernels of the runtime's own: orders of rows, triangles, factors.
//
//===----------------------------------------------------------------------===//

#include "DeviceLinalg.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

/// Handles for a device. What is asked for on one stream while another call
/// uses them would go to the other's stream, so calls take turns: they only put
/// work on their streams.
struct Handles {
  std::mutex mutex;
  const CuSolver *solver = nullptr;
  const CuBlas *blas = nullptr;
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  cublasHandle_t blasHandle = nullptr;
};

} // namespace

static Handles &getHandles(const Device &device) {
  static std::mutex mutex;
  static auto *all = new std::map<int, std::unique_ptr<Handles>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Handles> &handles = (*all)[device.index];
  if (!handles)
    handles = std::make_unique<Handles>();
  return *handles;
}

LinalgCall::LinalgCall(coil_call *call)
    : call(call), state(*getState(coil_call_get_run(call))) {}

int32_t LinalgCall::prepare() {
  solver = CuSolver::get();
  blas = CuBlas::get();
  if (!solver || !blas)
    return COIL_UNAVAILABLE;
  Handles &handles = getHandles(state.device);
  lock = std::unique_lock<std::mutex>(handles.mutex);
  if (handles.solver != solver) {
    // The first call, or another file was chosen.
    if (int32_t status =
            checkCuSolver(solver->cusolverDnCreate(&handles.handle), "start"))
      return status;
    if (int32_t status = checkCuSolver(
            solver->cusolverDnCreateParams(&handles.params), "start"))
      return status;
    handles.solver = solver;
  }
  if (handles.blas != blas) {
    if (int32_t status =
            checkCuBlas(blas->cublasCreate_v2(&handles.blasHandle), "start"))
      return status;
    handles.blas = blas;
  }
  handle = handles.handle;
  params = handles.params;
  blasHandle = handles.blasHandle;
  if (int32_t status = checkCuSolver(
          solver->cusolverDnSetStream(handle, state.stream), "stream"))
    return status;
  return checkCuBlas(blas->cublasSetStream_v2(blasHandle, state.stream),
                     "stream");
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

int32_t LinalgCall::narrow(const int64_t *from, int64_t count, int32_t *to) {
  return copyElements(state, to, {1}, from, {2}, {count}, sizeof(int32_t));
}

int32_t LinalgCall::clear(void *to, int64_t bytes) {
  // Memory of a call begins at a multiple of 8.
  int64_t element = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
  PackShape shape;
  shape.add(bytes / element, 1);
  return bytes ? rt::cuda::clear(state, to, element, shape) : int32_t(COIL_OK);
}

int32_t LinalgCall::upload(void *to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return COIL_OK;
  Device &device = state.device;
  CUresult result = device.driver.memcpyHtoDAsync(toDevice(to), from,
                                                  size_t(bytes), state.stream);
  return device.check(result, "cannot copy addresses to CUDA device %d",
                      device.index);
}

int32_t LinalgCall::download(const int32_t *from, int64_t count,
                             std::vector<int32_t> &out) {
  out.assign(size_t(count), 0);
  if (int32_t status = coil_rt_download_cuda(state.run, out.data(), from,
                                             count * int64_t(sizeof(int32_t))))
    return status;
  return state.synchronize();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// A kernel in PTX. Thread `%d1` of all does one piece of work; `%d2` and more
/// are its parameters: addresses, the number of pieces, other numbers.
struct OwnKernel {
  std::string name, text;
  coil_cuda_kernel kernel = {};

  OwnKernel(const char *name, int buffers, int numbers, const char *body)
      : name(name) {
    text = ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry " +
           this->name + "(";
    for (int i = 0; i < buffers + numbers; ++i)
      text += (i ? ", .param .u64 a" : ".param .u64 a") + std::to_string(i);
    text += ")\n{\n"
            "  .reg .pred %p<4>;\n"
            "  .reg .b32 %r<12>;\n"
            "  .reg .f32 %f<4>;\n"
            "  .reg .f64 %g<4>;\n"
            "  .reg .b64 %d<32>;\n"
            "  mov.u32 %r1, %ctaid.x;\n"
            "  mov.u32 %r2, %ntid.x;\n"
            "  mov.u32 %r3, %tid.x;\n"
            "  mul.wide.u32 %d1, %r1, %r2;\n"
            "  cvt.u64.u32 %d2, %r3;\n"
            "  add.s64 %d1, %d1, %d2;\n";
    for (int i = 0; i < buffers + numbers; ++i)
      text += "  ld.param.u64 %d" + std::to_string(2 + i) + ", [a" +
              std::to_string(i) + "];\n";
    text += "  setp.ge.u64 %p1, %d1, %d" + std::to_string(2 + buffers) +
            ";\n  @%p1 bra DONE;\n";
    text += body;
    text += "DONE:\n  ret;\n}\n";
    kernel.struct_size = sizeof(kernel);
    kernel.name = this->name.c_str();
    kernel.image = text.c_str();
    kernel.image_size = text.size() + 1;
    kernel.num_buffers = buffers;
    kernel.num_symbols = numbers;
    kernel.block[0] = 256;
    kernel.block[1] = kernel.block[2] = 1;
  }
};

} // namespace

int32_t coil::rt::cuda::computeOrder(RunState &state, const int32_t *pivots,
                                     int64_t count, int64_t numPivots,
                                     int64_t rows, int64_t *order) {
  // A thread a matrix: each exchange needs the ones before it. d2: order,
  // d3: pivots, d4: count, d5: pivots of a matrix, d6: rows.
  static OwnKernel *kernel = new OwnKernel("coil_row_order", 2, 3,
                                           "  mul.lo.s64 %d7, %d1, %d6;\n"
                                           "  shl.b64 %d7, %d7, 3;\n"
                                           "  add.s64 %d7, %d2, %d7;\n"
                                           "  mul.lo.s64 %d8, %d1, %d5;\n"
                                           "  shl.b64 %d8, %d8, 2;\n"
                                           "  add.s64 %d8, %d3, %d8;\n"
                                           "  mov.u64 %d9, 0;\n"
                                           "FILL:\n"
                                           "  setp.ge.s64 %p2, %d9, %d6;\n"
                                           "  @%p2 bra FILLED;\n"
                                           "  shl.b64 %d10, %d9, 3;\n"
                                           "  add.s64 %d10, %d7, %d10;\n"
                                           "  st.global.u64 [%d10], %d9;\n"
                                           "  add.s64 %d9, %d9, 1;\n"
                                           "  bra FILL;\n"
                                           "FILLED:\n"
                                           "  mov.u64 %d9, 0;\n"
                                           "NEXT:\n"
                                           "  setp.ge.s64 %p2, %d9, %d5;\n"
                                           "  @%p2 bra DONE;\n"
                                           "  shl.b64 %d10, %d9, 2;\n"
                                           "  add.s64 %d10, %d8, %d10;\n"
                                           "  ld.global.s32 %r4, [%d10];\n"
                                           "  sub.s32 %r4, %r4, 1;\n"
                                           "  cvt.s64.s32 %d11, %r4;\n"
                                           // Pivots of others may name no row.
                                           "  setp.ge.u64 %p3, %d11, %d6;\n"
                                           "  @%p3 bra SKIP;\n"
                                           "  shl.b64 %d11, %d11, 3;\n"
                                           "  add.s64 %d11, %d7, %d11;\n"
                                           "  shl.b64 %d12, %d9, 3;\n"
                                           "  add.s64 %d12, %d7, %d12;\n"
                                           "  ld.global.u64 %d13, [%d11];\n"
                                           "  ld.global.u64 %d14, [%d12];\n"
                                           "  st.global.u64 [%d11], %d14;\n"
                                           "  st.global.u64 [%d12], %d13;\n"
                                           "SKIP:\n"
                                           "  add.s64 %d9, %d9, 1;\n"
                                           "  bra NEXT;\n");
  void *buffers[] = {order, const_cast<int32_t *>(pivots)};
  int64_t symbols[] = {count, std::min(numPivots, rows), rows};
  return launchOwn(state, kernel->kernel, buffers, symbols, count);
}

int32_t LinalgCall::clearTriangle(void *data, int64_t count, int64_t rows,
                                  int64_t columns, int64_t element,
                                  bool isUpper) {
  // d2: data, d3: number of elements, d4: rows, d5: columns, d6: words of 4
  // bytes of an element, d7: whether to keep the upper triangle.
  static OwnKernel *kernel =
      new OwnKernel("coil_clear_triangle", 1, 5,
                    "  rem.u64 %d8, %d1, %d4;\n" // row
                    "  div.u64 %d9, %d1, %d4;\n"
                    "  rem.u64 %d9, %d9, %d5;\n" // column
                    "  setp.ne.u64 %p2, %d7, 0;\n"
                    "  selp.b64 %d10, %d8, %d9, %p2;\n"
                    "  selp.b64 %d11, %d9, %d8, %p2;\n"
                    "  setp.le.u64 %p3, %d10, %d11;\n"
                    "  @%p3 bra DONE;\n"
                    "  mul.lo.s64 %d12, %d1, %d6;\n"
                    "  shl.b64 %d12, %d12, 2;\n"
                    "  add.s64 %d12, %d2, %d12;\n"
                    "  mov.u32 %r4, 0;\n"
                    "WORD:\n"
                    "  st.global.u32 [%d12], %r4;\n"
                    "  add.s64 %d12, %d12, 4;\n"
                    "  sub.s64 %d6, %d6, 1;\n"
                    "  setp.gt.s64 %p2, %d6, 0;\n"
                    "  @%p2 bra WORD;\n");
  int64_t symbols[] = {count * rows * columns, rows, columns, element / 4,
                       isUpper};
  return launchOwn(state, kernel->kernel, &data, symbols, symbols[0]);
}

int32_t LinalgCall::widen(const int32_t *from, int64_t count, int64_t *to) {
  static OwnKernel *kernel = new OwnKernel("coil_widen", 2, 1,
                                           "  shl.b64 %d5, %d1, 2;\n"
                                           "  add.s64 %d5, %d3, %d5;\n"
                                           "  ld.global.s32 %r4, [%d5];\n"
                                           "  cvt.s64.s32 %d6, %r4;\n"
                                           "  shl.b64 %d5, %d1, 3;\n"
                                           "  add.s64 %d5, %d2, %d5;\n"
                                           "  st.global.u64 [%d5], %d6;\n");
  void *buffers[] = {to, const_cast<int32_t *>(from)};
  return launchOwn(state, kernel->kernel, buffers, &count, count);
}

int32_t coil::rt::cuda::scaleElements(RunState &state, void *data,
                                      int64_t count, int64_t element,
                                      double factor) {
  // d2: data, d3: count, d4: the factor's bits.
  static OwnKernel *single = new OwnKernel("coil_scale_f32", 1, 2,
                                           "  mov.b64 %g1, %d4;\n"
                                           "  cvt.rn.f32.f64 %f1, %g1;\n"
                                           "  shl.b64 %d5, %d1, 2;\n"
                                           "  add.s64 %d5, %d2, %d5;\n"
                                           "  ld.global.f32 %f2, [%d5];\n"
                                           "  mul.rn.f32 %f2, %f2, %f1;\n"
                                           "  st.global.f32 [%d5], %f2;\n");
  static OwnKernel *wide = new OwnKernel("coil_scale_f64", 1, 2,
                                         "  mov.b64 %g1, %d4;\n"
                                         "  shl.b64 %d5, %d1, 3;\n"
                                         "  add.s64 %d5, %d2, %d5;\n"
                                         "  ld.global.f64 %g2, [%d5];\n"
                                         "  mul.rn.f64 %g2, %g2, %g1;\n"
                                         "  st.global.f64 [%d5], %g2;\n");
  int64_t symbols[2] = {count, 0};
  static_assert(sizeof(double) == sizeof(int64_t));
  memcpy(&symbols[1], &factor, sizeof(factor));
  return launchOwn(state, (element == 4 ? single : wide)->kernel, &data,
                   symbols, count);
}
