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

/// The version of what code of packages and binaries rely on: the layouts of
/// the structures and the meaning of the functions that they refer to. It
/// changes when one of them becomes another thing; what is only added leaves it
/// as it is. test/Package/Inputs/abi-<version> records it.
#define COIL_HOST_ABI_VERSION 1

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
/// least: bytes, operations on floats, and those of them that are in
/// multiplications of matrices of 16-bit floats. Trace events and timed steps
/// pass it on. Programs that were compiled without reports do not call it.
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

/// Checks the sizes of an input of the right rank, and gives its elements the
/// strides that the program expects: where the input has others, `*data` is set
/// to a copy in memory of the run, which `input_copies` of its statistics
/// counts. Fails where elements of the expected layout share memory.
COIL_RT_API int32_t coil_rt_match_layout(coil_run *run,
                                         const coil_tensor *input,
                                         const char *name, const int64_t *sizes,
                                         const int64_t *strides, void **data);

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

/// What is done with a value that is debugged.
typedef enum coil_debug_action {
  COIL_DEBUG_PRINT = 0,
  COIL_DEBUG_SAVE = 1,
  /* Fail at an element that is NaN, or that is NaN or infinite. */
  COIL_DEBUG_NAN = 2,
  COIL_DEBUG_FINITE = 3
} coil_debug_action;

/// Writes "coil: [ label ]" to the standard error. `run` may be NULL.
COIL_RT_API int32_t coil_rt_debug_mark(coil_run *run, const char *label);

/// Prints a line of statistics of a buffer, and its elements if they are at
/// most 64, on the standard error; or saves it, as
/// `<directory>/run<run>/<number>-<label>.npy` in COIL_DEBUG_VALUES_DIR, or
/// else in `coil-debug-values` under the current directory. `run` may be NULL:
/// what is saved so is numbered as if one run did it. The deviation is that of
/// the elements themselves, not an estimate. NaNs and infinities are counted,
/// and have no part in the mean. Fails with COIL_INTERNAL when a file cannot be
/// written.
COIL_RT_API int32_t coil_rt_debug_value(coil_run *run, int32_t action,
                                        const char *label, const void *data,
                                        int32_t dtype, int32_t rank,
                                        const int64_t *sizes,
                                        const int64_t *strides);

/// What `coil_rt_check_lifetime` checks.
typedef enum coil_lifetime_check {
  COIL_LIFETIME_BEGIN = 0, ///< Forget what the function had before.
  COIL_LIFETIME_ALIVE = 1, ///< All that is given is allocated.
  COIL_LIFETIME_EXACT = 2  ///< And nothing else that the function had.
} coil_lifetime_check;

/// Fails with COIL_ASSERTION_FAILED, naming function, step and buffer, unless
/// all `addresses` are memory that the run owns, on any device; in mode EXACT
/// also if an address of an earlier check of the function is not among them and
/// is still owned. `names` are separated by line feeds.
COIL_RT_API int32_t coil_rt_check_lifetime(coil_run *run, int32_t mode,
                                           const char *function,
                                           const char *step, int64_t count,
                                           const char *names,
                                           void *const *addresses);

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
