//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocator of the memory of GPUs: Coil's own, or one that whoever runs
// programs installs, so that a process has one pool of device memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_DEVICEMEMORY_H
#define COIL_RUNTIME_DEVICEMEMORY_H

#include "coil/Runtime/HostABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What memory is for.
typedef enum coil_memory_use {
  /// A run frees it before it ends.
  COIL_MEMORY_TEMPORARY = 0,
  /// A caller may take it as a result of the run. This is a prediction from
  /// earlier runs of the program: what is unknown counts as a result.
  COIL_MEMORY_RESULT = 1,
  /// It is kept between runs: weights, constants, memory of CUDA graphs. Work
  /// on any stream uses it, and the runtime frees it when no work does any
  /// more, after the host has waited for that.
  COIL_MEMORY_KEPT = 2
} coil_memory_use;

/// An allocator of the memory of all GPUs.
///
/// **Streams.** Work on `stream` may use the memory at once. Work on another
/// stream uses it only after an event of `stream`, and `stream` waits for that
/// work before the memory is freed. So at `free` everything that uses the
/// memory is on `stream`, or is waited for there: the allocator may give the
/// memory to later work on the same stream at once, and to another stream only
/// once `stream` has come to this point. The stream of memory that is kept is
/// one that the runtime has for that alone, on which nothing ever runs.
///
/// **Threads.** Both functions are called from any thread, by several at the
/// same time. The runtime holds no lock, so that they may wait for locks of
/// their own, that of an interpreter included. They may be called while the
/// thread captures `stream` in a CUDA graph. They leave the current CUDA
/// context of the thread as it is, and do not throw.
///
/// **Errors.** `allocate` returns COIL_OK, or another status, usually
/// COIL_OUT_OF_MEMORY; it has done by then what it can do to make room, since
/// the runtime does not try again. It may say why with
/// coil_rt_fail(NULL, status, why), which becomes a part of the message of the
/// run that fails. What a run has allocated so far is freed, and later runs go
/// on. `free` returns COIL_OK; another status is reported to whoever waits for
/// the device next.
typedef struct coil_device_allocator {
  uint32_t struct_size; ///< sizeof(coil_device_allocator)
  uint32_t reserved;    ///< 0
  void *context;        ///< The first argument of both functions.
  const char *name;     ///< For messages, such as "PyTorch's allocator".
  /// Allocates `bytes` bytes, at least 1, aligned to 256 bytes or more. `use`
  /// is one of coil_memory_use.
  int32_t (*allocate)(void *context, int32_t device, int64_t bytes,
                      void *stream, int32_t use, void **address);
  /// Frees what `allocate` gave; device, bytes and stream are the same.
  int32_t (*free)(void *context, int32_t device, void *address, int64_t bytes,
                  void *stream);
} coil_device_allocator;

/// Installs an allocator, of which the runtime makes a copy; NULL is the
/// runtime's own again. Runs that begin later use it, on all devices; a run
/// keeps the one that it began with, and so does memory until it is freed:
/// `context` has to live until the process ends. CUDA graphs that were recorded
/// with another allocator are recorded anew, and constants are uploaded again.
COIL_RT_API int32_t
coil_cuda_set_allocator(const coil_device_allocator *allocator);

/// Copies the installed allocator, all zeros where it is the runtime's own.
COIL_RT_API void coil_cuda_get_allocator(coil_device_allocator *allocator);

/// Does what coil_run_take does for device memory alone; COIL_UNAVAILABLE where
/// the pointer is not the begin of device memory of the runtime.
COIL_RT_API int32_t coil_run_take_cuda(coil_run *run, void *pointer);

/// The runtime forgets memory that was taken (coil_run_take) and that came from
/// an installed allocator: from now on it is the caller's to free, with that
/// allocator.
COIL_RT_API int32_t coil_cuda_disown(void *pointer);

/// What a program calls where memory of any device could not be allocated: adds
/// the location in the model to the message. Returns `status`.
COIL_RT_API int32_t coil_rt_allocation_failed(coil_run *run, int32_t status,
                                              const char *where);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_DEVICEMEMORY_H
