//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that compiled host programs and kernels call. All return a
// coil_status; a program stops at the first that is not COIL_OK and returns it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_HOSTABI_H
#define COIL_RUNTIME_HOSTABI_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a kernel returns.
typedef enum coil_kernel_status {
  COIL_KERNEL_OK = 0,
  /// A checked index was out of range; its access was skipped.
  COIL_KERNEL_INDEX_OUT_OF_RANGE = 1
} coil_kernel_status;

/// A compiled CPU kernel: computes the points [begin, end) of its flattened
/// outer iteration space and returns a coil_kernel_status. `symbols` are the
/// values of the sizes that it was compiled for in general form.
typedef int32_t (*coil_cpu_kernel)(void **buffers, const int64_t *symbols,
                                   int64_t begin, int64_t end);

/// A compiled host program.
typedef int32_t (*coil_entry_point)(coil_run *run, const coil_tensor *inputs,
                                    coil_tensor *outputs);

/// Allocates memory owned by the run, aligned to 64 bytes. Zero bytes give a
/// unique pointer.
COIL_RT_API int32_t coil_rt_alloc(coil_run *run, int64_t bytes, void **out);

/// Frees memory of the run. NULL is allowed.
COIL_RT_API int32_t coil_rt_free(coil_run *run, void *pointer);

/// Runs a kernel over [0, total), split over threads in multiples of `grain`;
/// inline when total <= grain. A kernel that reports an error makes the launch
/// fail with COIL_ASSERTION_FAILED.
COIL_RT_API int32_t coil_rt_launch_cpu(coil_run *run, coil_cpu_kernel kernel,
                                       void **buffers, const int64_t *symbols,
                                       int64_t total, int64_t grain);

/// Says what the next launch or library call of the run moves and computes at
/// least: bytes, operations on floats, and those of them that are in products
/// of matrices of 16-bit floats. Trace events and timed steps pass it on.
/// Programs that were compiled without reports do not call it.
COIL_RT_API int32_t coil_rt_note_cost(coil_run *run, int64_t bytes,
                                      int64_t flops, int64_t matrix_flops);

/// Checks that an input has the kind that the program was compiled for, or
/// fails with COIL_INVALID_ARGUMENT and a message that names it.
COIL_RT_API int32_t coil_rt_check_input(coil_run *run, const coil_tensor *input,
                                        const char *name, int32_t dtype,
                                        int32_t rank, int32_t device_type);

/// Checks the sizes and strides of an input of the right rank. Strides of
/// dimensions with at most one element, and of empty tensors, do not matter.
COIL_RT_API int32_t coil_rt_check_layout(coil_run *run,
                                         const coil_tensor *input,
                                         const char *name, const int64_t *sizes,
                                         const int64_t *strides);

/// Fills in an output. Sizes and strides are copied into the run; the memory
/// keeps its owner. A program may instead write the tensor itself.
COIL_RT_API int32_t coil_rt_set_output(coil_run *run, coil_tensor *output,
                                       void *data, int32_t dtype, int32_t rank,
                                       const int64_t *sizes,
                                       const int64_t *strides);

/// Reads one element into 8 bytes at `out`: an `int64_t` for integers and bools
/// (0 or 1; `u64` as its bits), a `double` for floats. No failure for memory
/// that the host can read and a known `dtype`.
COIL_RT_API int32_t coil_rt_item(coil_run *run, const void *data, int32_t dtype,
                                 void *out);

/// Records a failed assertion about two values and returns
/// COIL_ASSERTION_FAILED.
COIL_RT_API int32_t coil_rt_assert_fail(coil_run *run, const char *message,
                                        int64_t lhs, int64_t rhs);

/// Records a failure and returns `status`.
COIL_RT_API int32_t coil_rt_fail(coil_run *run, int32_t status,
                                 const char *message);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_HOSTABI_H
