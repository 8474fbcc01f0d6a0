//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partitions as compiled programs call them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_UNIT_RUNTIME_PARTITIONTEST_H
#define COIL_TEST_UNIT_RUNTIME_PARTITIONTEST_H

#include "CUDATest.h"

namespace {

/// What `add` launches.
coil_cuda_kernel *kernel = nullptr;

int32_t add(coil_run *run, void *x, void *y, int64_t n) {
  void *buffers[] = {x, y};
  return coil_rt_launch_cuda(run, kernel, buffers, &n, (n + 31) / 32, 1, 1);
}

int64_t getNumber(const coil_tensor *inputs, int count) {
  return static_cast<const int64_t *>(inputs[count].data)[0];
}

/// A buffer between partitions.
struct Buffer {
  void *data = nullptr;
  int64_t sizes[1] = {0}, strides[1] = {1};
};

/// Calls a partition as programs do.
int32_t call(coil_run *run, const char *name, coil_entry_point entry,
             void *data, int64_t n, const char *given, const char *results,
             Buffer &out) {
  int64_t numbers[1] = {n}, stride = 1;
  coil_tensor inputs[2] = {
      {data, &n, &stride, 1, COIL_F32, COIL_CUDA, 0},
      {numbers, nullptr, nullptr, 0, COIL_I64, COIL_CPU, 0}};
  coil_tensor output = {nullptr,   out.sizes, out.strides, 1, COIL_F32,
                        COIL_CUDA, 0};
  int32_t status = coil_rt_partition_cuda(run, name, entry, inputs, given, 1,
                                          &output, results);
  out.data = output.data;
  return status;
}

int32_t give(coil_run *run, coil_tensor *outputs, Buffer &buffer) {
  outputs[0].device_type = COIL_CUDA;
  return coil_rt_set_output(run, outputs, buffer.data, COIL_F32, 1,
                            buffer.sizes, buffer.strides);
}

} // namespace

#endif // COIL_TEST_UNIT_RUNTIME_PARTITIONTEST_H
