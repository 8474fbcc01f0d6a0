//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run has around the program: inputs that the caller donates, a hook
// that sees results of steps, a generator of random numbers, ranges for
// profilers. All of it is set before the program is called, and nothing costs
// anything where it is not.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_RUNCONTEXT_H
#define COIL_RUNTIME_RUNCONTEXT_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Donated inputs
//===----------------------------------------------------------------------===//

/// Hands input number `input` of the next call to the program: `release` is
/// called once with `user`, when nothing of the program uses the input any more
/// (`wrapper.drop`), or else with coil_run_release_inputs, or when the run is
/// destroyed. On a GPU steps that use it may be queued on the run's stream.
COIL_RT_API int32_t coil_run_set_input_release(coil_run *run, int32_t input,
                                               void (*release)(void *user),
                                               void *user);

/// Releases what the program has not.
COIL_RT_API void coil_run_release_inputs(coil_run *run);

/// `wrapper.drop`: releases an input if it was donated.
COIL_RT_API int32_t coil_rt_drop_input(coil_run *run, int32_t input);

/// What a program may do to the storage of inputs (`wrapper.resize_storage`,
/// `wrapper.set_storage`), which is the caller's. Functions return a status.
typedef struct coil_input_storage {
  uint32_t struct_size; ///< sizeof(coil_input_storage)
  int32_t reserved;     ///< 0
  /// Gives an input storage of so many bytes, in which as much as fits of what
  /// was in it is; `data` receives its address.
  int32_t (*resize)(void *user, int32_t input, int64_t bytes, void **data);
  /// Gives an input the storage and the layout of another one.
  int32_t (*set)(void *user, int32_t input, int32_t source);
  void *user;
} coil_input_storage;

/// Sets it for the next calls; NULL for nothing, which makes such programs fail
/// with COIL_UNSUPPORTED and a message that names the input.
COIL_RT_API int32_t
coil_run_set_input_storage(coil_run *run, const coil_input_storage *storage);

/// For compiled programs; `name` is that of the input.
/// @{
COIL_RT_API int32_t coil_rt_resize_input(coil_run *run, int32_t input,
                                         const char *name, int64_t bytes,
                                         void **data);
COIL_RT_API int32_t coil_rt_set_input(coil_run *run, int32_t input,
                                      const char *name, int32_t source);
/// @}

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

/// The result of a step. Everything lives until the hook returns.
typedef struct coil_hook_value {
  uint32_t struct_size; ///< sizeof(coil_hook_value)
  int32_t reserved;
  const char *step;  ///< The handle of the step: "relu_0:3".
  const char *name;  ///< Of the value: "out0".
  const char *where; ///< Its location in the model, or NULL.
  /// To be read, not written. On a GPU it is ready in the order of `stream`.
  const coil_tensor *tensor;
  void *stream; ///< The CUstream of the run; NULL on other devices.
} coil_hook_value;

/// Returns COIL_OK, or another status to stop the program, after it has said
/// why with coil_rt_fail.
typedef int32_t (*coil_hook_fn)(void *user, const coil_hook_value *value);

/// Sets what is called for each result of a step in programs that were compiled
/// with hooks (`hooks=true`); NULL for none.
COIL_RT_API void coil_run_set_hook(coil_run *run, coil_hook_fn fn, void *user);

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

/// A generator of random numbers: a seed, and an offset that is a multiple of
/// 4, as PyTorch's CUDA generators have them. Functions return a status, and
/// may be called from any thread that runs a program.
typedef struct coil_generator {
  uint32_t struct_size; ///< sizeof(coil_generator)
  int32_t reserved;     ///< 0
  int32_t (*get)(void *user, uint64_t *seed, uint64_t *offset);
  int32_t (*set)(void *user, uint64_t seed, uint64_t offset);
  void *user;
} coil_generator;

/// Sets the generator that the run's programs draw from and move
/// (`wrapper.rng_state`, `wrapper.rng_advance`); NULL for that of the process.
COIL_RT_API int32_t coil_run_set_generator(coil_run *run,
                                           const coil_generator *generator);

/// The generator of the process, which begins with both zero.
COIL_RT_API void coil_get_random_state(uint64_t *seed, uint64_t *offset);
/// Fails for an offset that is no multiple of 4.
COIL_RT_API int32_t coil_set_random_state(uint64_t seed, uint64_t offset);

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// `wrapper.profile_range`: begins and ends a range of NVTX where that is on
/// (coil_cuda_set_nvtx), and in traces of the run an event when it ends. Ranges
/// that a program which failed has left open end with the run.
COIL_RT_API int32_t coil_rt_begin_range(coil_run *run, const char *name);
COIL_RT_API int32_t coil_rt_end_range(coil_run *run);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_RUNCONTEXT_H
