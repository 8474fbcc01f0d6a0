//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program that runs compiled Coil code sees of libcoil_runtime: status
// codes, tensors, runs, threads and the host allocator. Plain C; no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_RUNTIME_H
#define COIL_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define COIL_RT_API __attribute__((visibility("default")))
#else
#define COIL_RT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Version and errors
//===----------------------------------------------------------------------===//

/// Version of this interface. Functions are only ever added; a function whose
/// signature must change gets a new name.
#define COIL_RUNTIME_VERSION 1

/// Returns the version of the library that was loaded.
COIL_RT_API uint32_t coil_runtime_version(void);

/// Every function that can fail returns one of these as an int32_t.
typedef enum coil_status {
  COIL_OK = 0,
  /// An argument breaks the contract of the function.
  COIL_INVALID_ARGUMENT = 1,
  /// An allocation failed. The process and the run stay usable.
  COIL_OUT_OF_MEMORY = 2,
  /// A fact that compiled code relies on does not hold for these inputs.
  COIL_ASSERTION_FAILED = 3,
  /// The request is valid but no implementation takes it.
  COIL_UNSUPPORTED = 4,
  /// A library that the request needs cannot be loaded.
  COIL_UNAVAILABLE = 5,
  /// A library or the operating system failed in an unexpected way.
  COIL_INTERNAL = 6
} coil_status;

/// Returns a fixed name such as "out of memory" for a status.
COIL_RT_API const char *coil_status_name(int32_t status);

/// Returns the message of the last failure on the calling thread, or "". It is
/// overwritten by the next failure.
COIL_RT_API const char *coil_last_error(void);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

typedef enum coil_dtype {
  COIL_BOOL = 0, ///< One byte, 0 or 1.
  COIL_I8 = 1,
  COIL_U8 = 2,
  COIL_I16 = 3,
  COIL_U16 = 4,
  COIL_I32 = 5,
  COIL_U32 = 6,
  COIL_I64 = 7,
  COIL_U64 = 8,
  COIL_F16 = 9,
  COIL_BF16 = 10,
  COIL_F32 = 11,
  COIL_F64 = 12,
  COIL_F8E4M3FN = 13,
  COIL_F8E5M2 = 14
} coil_dtype;

typedef enum coil_device_type { COIL_CPU = 0, COIL_CUDA = 1 } coil_device_type;

/// Bytes of one element, or 0 for a number that is not a dtype.
COIL_RT_API int64_t coil_dtype_size(int32_t dtype);

/// The name that IR uses, such as "f32", or NULL.
COIL_RT_API const char *coil_dtype_name(int32_t dtype);

/// A view of memory that someone else owns. Strides count elements.
typedef struct coil_tensor {
  void *data;
  const int64_t *sizes;
  const int64_t *strides;
  int32_t rank;
  int32_t dtype;
  int32_t device_type;
  int32_t device_index;
} coil_tensor;

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// One execution of a compiled program. It owns every allocation made through
/// it, so that a program which stops half-way leaks nothing. Used by one thread
/// at a time; different runs are independent.
typedef struct coil_run coil_run;

COIL_RT_API int32_t coil_run_create(coil_run **out);

/// Frees the run and everything it still owns, outputs included. NULL is
/// allowed.
COIL_RT_API void coil_run_destroy(coil_run *run);

/// Moves the ownership of an allocation from the run to the caller, who gives
/// it back with coil_free.
COIL_RT_API int32_t coil_run_take(coil_run *run, void *pointer);

/// Frees an allocation that was taken out of its run. NULL is allowed.
COIL_RT_API int32_t coil_free(void *pointer);

/// Counters of one run. Byte counts are those asked for by the program, before
/// rounding by the allocator.
typedef struct coil_run_stats {
  int64_t live_bytes;
  int64_t peak_bytes;
  int64_t allocated_bytes; ///< Sum over all allocations.
  int64_t live_allocations;
  int64_t allocations;
  int64_t launches;
  int64_t library_calls;
  /// Inputs that came with other strides than the program was compiled for and
  /// were copied, and the bytes of their elements.
  int64_t input_copies;
  int64_t input_copy_bytes;
} coil_run_stats;

COIL_RT_API int32_t coil_run_get_stats(const coil_run *run,
                                       coil_run_stats *stats);

/// The kernel whose launch made the run fail, or NULL.
COIL_RT_API const void *coil_run_failed_kernel(const coil_run *run);

/// What a step moves and computes at least; -1 where the program does not say.
typedef struct coil_cost {
  int64_t bytes;
  int64_t flops;
  int64_t matrix_flops; ///< Of them, matrix multiplications of 16-bit floats.
} coil_cost;

typedef enum coil_trace_kind {
  COIL_TRACE_ALLOC = 0,
  COIL_TRACE_FREE = 1,
  COIL_TRACE_LAUNCH = 2,
  COIL_TRACE_LIBRARY = 3,
  COIL_TRACE_RANGE = 4 ///< A range that ended, by its name.
} coil_trace_kind;

/// One step of a run.
typedef struct coil_trace_event {
  int32_t kind;
  int32_t status;
  /// Library entry point ("contraction"), or NULL.
  const char *name;
  /// Kernel or memory that the step is about.
  const void *address;
  /// Bytes for alloc and free, iterations for a launch, else 0.
  int64_t amount;
  int64_t live_bytes;
  /// Monotonic clock, nanoseconds.
  int64_t begin_ns;
  int64_t end_ns;
  /// Of a launch or a library call.
  coil_cost cost;
} coil_trace_event;

typedef void (*coil_trace_fn)(void *user, const coil_trace_event *event);

/// Calls `fn` after every step of the run; NULL turns tracing off.
COIL_RT_API void coil_run_set_trace(coil_run *run, coil_trace_fn fn,
                                    void *user);

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Sets how many threads loops and libraries use; 0 restores the default
/// (OMP_NUM_THREADS or the processors that the process may use).
COIL_RT_API int32_t coil_set_num_threads(int32_t count);
COIL_RT_API int32_t coil_get_num_threads(void);

/// Calls `body` for disjoint ranges that cover [0, total), on all threads.
/// Ranges start at multiples of `grain`. Runs inline when total <= grain or
/// when the caller is itself a parallel body. Returns the first failure.
COIL_RT_API int32_t coil_parallel_for(
    int64_t total, int64_t grain,
    int32_t (*body)(void *context, int64_t begin, int64_t end), void *context);

//===----------------------------------------------------------------------===//
// Host allocator
//===----------------------------------------------------------------------===//

/// Process-wide counters. `in_use_bytes` and `cached_bytes` count whole blocks.
typedef struct coil_allocator_stats {
  int64_t in_use_bytes;
  int64_t cached_bytes;
  int64_t hits;   ///< Allocations served from the cache.
  int64_t misses; ///< Allocations that went to the operating system.
} coil_allocator_stats;

COIL_RT_API void coil_allocator_get_stats(coil_allocator_stats *stats);

/// Returns cached memory to the operating system until at most `keep_bytes`
/// stay cached; returns the bytes released.
COIL_RT_API int64_t coil_allocator_trim(int64_t keep_bytes);

/// Sets how much freed memory stays cached; returns the previous limit. The
/// default is a quarter of physical memory.
COIL_RT_API int64_t coil_allocator_set_cache_limit(int64_t bytes);

//===----------------------------------------------------------------------===//
// Symbols for a loader of compiled code
//===----------------------------------------------------------------------===//

typedef struct coil_symbol {
  const char *name;
  void *address;
} coil_symbol;

/// The functions that compiled code may refer to, sorted by name.
COIL_RT_API const coil_symbol *coil_runtime_symbols(size_t *count);

//===----------------------------------------------------------------------===//
// Test hooks
//===----------------------------------------------------------------------===//

/// Lets `n` more allocations succeed and makes the one after them fail, once.
/// A negative number disarms. Returns the allocations that were still to go
/// (negative when not armed).
COIL_RT_API int64_t coil_debug_fail_alloc_after(int64_t n);

/// Fills each new allocation with 0xFF bytes (a NaN in every float type), so
/// that elements which nothing writes show, and watches the bytes after each
/// new allocation of the host.
COIL_RT_API void coil_debug_set_poison(int32_t enable);

/// How many allocations of the host that were watched had bytes after them
/// written when they were freed, since the last call.
COIL_RT_API int64_t coil_debug_overruns(void);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_RUNTIME_H
