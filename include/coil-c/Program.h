//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of compiled programs: load a package, ask what the program takes,
// run it, exchange its weights. libcoil_loader.so has all of it and needs
// neither the compiler nor LLVM. Plain C; functions are only ever added, under
// symbol versions (COIL_1.0). Any number of threads may use a program at the
// same time; a result belongs to one.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_C_PROGRAM_H
#define COIL_C_PROGRAM_H

#include "coil/Runtime/Functions.h"
#include "coil/Runtime/Objects.h"
#include "coil/Runtime/RunContext.h"
#include "coil/Runtime/Runtime.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define COIL_C_API __attribute__((visibility("default")))
#else
#define COIL_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this interface.
#define COIL_API_VERSION 12

/// Returns the version of the interface that the library implements.
COIL_C_API uint32_t coil_api_version(void);

/// Returns the version of Coil, such as "0.1.0".
COIL_C_API const char *coil_version(void);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// What functions return; the same numbers as the exit statuses of the tools.
typedef enum coil_result_code {
  COIL_API_OK = 0,
  /// A wrong argument, or an input that does not fit the program.
  COIL_API_USAGE = 2,
  /// The file cannot be read, verified or compiled.
  COIL_API_LOAD = 3,
  /// The program stopped while it ran.
  COIL_API_RUN = 4
} coil_result_code;

/// Frees a message that a function returned. NULL is allowed.
COIL_C_API void coil_string_free(char *text);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// A compiled program with its weights.
typedef struct coil_program coil_program;

/// How to load a package. Initialise with coil_load_options_init. NULL and 0
/// mean the default. Since API version 12.
typedef struct coil_load_options {
  /// sizeof(coil_load_options), so that fields can be added.
  size_t struct_size;
  /// The function of the package; "main" by default.
  const char *function;
  /// Calls of a program for a GPU to keep as CUDA graphs, by input sizes; none
  /// by default.
  uint32_t cuda_graphs;
  /// The GPU that kernels are loaded onto; others load at their first run.
  int32_t device;
  /// Not zero: records are not compared with their hashes, which reads them.
  int32_t skip_hashes;
} coil_load_options;

COIL_C_API void coil_load_options_init(coil_load_options *options);

/// Loads a package (.coilpkg) that this processor, and the GPU, can run:
/// nothing is compiled and nothing is unpacked. The file is mapped, weights are
/// used where they lie, and what is computed of weights alone is computed now.
/// The file must not be written meanwhile; to replace it is fine. `options` may
/// be NULL. On failure `*error` receives a message that the caller frees with
/// coil_string_free; `error` may be NULL. Since API version 12.
COIL_C_API int32_t coil_program_load(const char *path,
                                     const coil_load_options *options,
                                     coil_program **program, char **error);

/// Frees a program. Results that were made by it must be freed before. NULL is
/// allowed.
COIL_C_API void coil_program_destroy(coil_program *program);

/// The numbers of inputs and outputs; weights are not inputs.
COIL_C_API size_t coil_program_num_inputs(const coil_program *program);
COIL_C_API size_t coil_program_num_outputs(const coil_program *program);

/// What the program takes and gives, as JSON: {"inputs": [{"name", "dtype",
/// "sizes"}], "outputs": [...], "symbols": [{"name", "min", "max", "hint"}]}.
/// Sizes are integers, or strings in terms of symbols. A tensor of complex
/// numbers has "complex": true; it is passed by its real and imaginary parts,
/// which are the last dimension. Owned by the program.
COIL_C_API const char *coil_program_signature_json(const coil_program *program);

/// What compilation did, as JSON: seconds of each stage, kernels before and
/// after fusion. Owned by the program.
COIL_C_API const char *coil_program_stats_json(const coil_program *program);

/// What became of graphs of a program for a GPU so far, as JSON: counts of
/// calls and partitions that were recorded, replayed and run plainly, and for
/// partitions the reasons: {"calls": {"plain", ...}, "partitions": {"warmups",
/// ..., "failures": [{"partition", "reason", "count"}]}}. Valid until the
/// thread's next call of this function. Since API version 7.
COIL_C_API const char *coil_program_graph_stats_json(coil_program *program);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// The outputs of one run, with their memory. An output may point into an
/// input, which then must outlive the result.
typedef struct coil_result coil_result;

/// Runs the program. Errors as in coil_program_compile. A program for a GPU
/// runs on the device of its first input that is on one, else on GPU 0; it
/// copies inputs that are in host memory. Outputs are where the inputs are: in
/// device memory if any input is, else in host memory. They are complete when
/// this returns.
COIL_C_API int32_t coil_program_run(const coil_program *program,
                                    const coil_tensor *inputs,
                                    size_t num_inputs, coil_result **result,
                                    char **error);

/// Where the outputs of a run on a GPU go.
typedef enum coil_output_place {
  /// On the GPU if an input is, or if there are no inputs and the run has a
  /// stream of the caller's; else on the host.
  COIL_OUTPUTS_LIKE_INPUTS = 0,
  COIL_OUTPUTS_ON_HOST = 1,
  COIL_OUTPUTS_ON_DEVICE = 2
} coil_output_place;

/// How to run on a GPU. Initialise with coil_run_options_init.
typedef struct coil_run_options {
  /// sizeof(coil_run_options), so that fields can be added.
  size_t struct_size;
  /// The GPU, when no input says which.
  int32_t device;
  /// A coil_output_place.
  int32_t outputs;
  /// Whether to work on `stream`, a CUstream (null is the legacy default
  /// stream). Inputs are read and outputs are complete in the order of the
  /// stream, and the call does not wait, unless outputs go to host memory.
  /// Otherwise the run has a stream of its own, and the call waits for it.
  int32_t use_stream;
  void *stream;
  /// Whether the call waits although `stream` is the caller's.
  int32_t wait;
  /// Hands the inputs over: called once with `release_user` and the number of
  /// each input, after its last use in programs that were compiled with
  /// `release-inputs=true`, else at the end of the run, also of one that fails.
  /// On a GPU what uses the input may be queued on `stream`. Results do not
  /// point into inputs that are donated. NULL keeps them with the caller.
  /// Since API version 8.
  void (*release_input)(void *user, size_t input);
  void *release_user;
} coil_run_options;

COIL_C_API void coil_run_options_init(coil_run_options *options);

/// The same with options, which may be NULL. On a caller's stream, with inputs
/// on the GPU, the call checks its inputs, allocates outputs, launches and
/// returns; what repeats with the same memory is cheaper by coil_program_bind.
COIL_C_API int32_t coil_program_run_with(const coil_program *program,
                                         const coil_tensor *inputs,
                                         size_t num_inputs,
                                         const coil_run_options *options,
                                         coil_result **result, char **error);

/// Binds a call of a program for a GPU to its memory, without running it: the
/// result's outputs are where every launch writes, and inputs are read where
/// they are, on the GPU; the caller keeps them as long as the result. The call
/// works with the weights that are in use now. Fails with COIL_API_USAGE where
/// an input is in host memory or the program draws random numbers, and with
/// COIL_API_RUN where the call is not one CUDA graph. Of the options `outputs`
/// and `wait` do not matter.
COIL_C_API int32_t coil_program_bind(const coil_program *program,
                                     const coil_tensor *inputs,
                                     size_t num_inputs,
                                     const coil_run_options *options,
                                     coil_result **result, char **error);

/// Launches the call that a result of coil_program_bind is of, in the stream
/// that it was bound in, and waits for it if `wait` is not 0. Checks and
/// allocates nothing. Launches of one result are one thread's at a time.
COIL_C_API int32_t coil_result_launch(coil_result *result, int32_t wait,
                                      char **error);

/// Random numbers are those that PyTorch's CUDA generator draws from a seed and
/// an offset (a multiple of 4). A program begins with both zero; every run
/// moves the offset by what it draws. Since API version 4.
COIL_C_API void coil_program_get_random_state(const coil_program *program,
                                              uint64_t *seed, uint64_t *offset);
COIL_C_API void coil_program_set_random_state(const coil_program *program,
                                              uint64_t seed, uint64_t offset);

/// Sets the generator that the program's runs draw from and move, in place of
/// the program's state: how far is known before the run, which then moves it at
/// once, or with `random=generator` is done while it runs. NULL goes back to
/// the state. Not while the program runs. Since API version 8.
COIL_C_API int32_t coil_program_set_generator(coil_program *program,
                                              const coil_generator *generator);

/// Sets what each run calls for the results of steps, if the program was
/// compiled with `debug-values=hook`; NULL for nothing. Not while the program
/// runs. Since API version 8.
COIL_C_API void coil_program_set_hook(coil_program *program, coil_hook_fn fn,
                                      void *user);

/// Binds an object for the runs of this program, which look here before they
/// look at coil_bind_object; NULL takes it away. Not while the program runs.
/// Since API version 8.
COIL_C_API int32_t coil_program_bind_object(coil_program *program,
                                            const char *name,
                                            coil_object *object);

COIL_C_API size_t coil_result_num_outputs(const coil_result *result);

/// Output number `index`, or NULL. Owned by the result; the others lie after
/// one another in memory, as the elements of an array.
COIL_C_API const coil_tensor *coil_result_output(const coil_result *result,
                                                 size_t index);

/// Moves the memory of an output from the result to the caller, who gives it
/// back with coil_free; sizes and strides stay the result's. That on a GPU
/// serves later work on the run's stream as soon as it is given back. Fails
/// with COIL_API_USAGE where an output has no memory of its own, which then
/// stays where it is: a part of another one or of an input, or a constant.
/// Since API version 9, on GPUs since version 12.
COIL_C_API int32_t coil_result_take_output(coil_result *result, size_t index);

/// Counters of the run: memory, launches, library calls.
COIL_C_API void coil_result_get_stats(const coil_result *result,
                                      coil_run_stats *stats);

/// Frees a result and its outputs. NULL is allowed.
COIL_C_API void coil_result_destroy(coil_result *result);

//===----------------------------------------------------------------------===//
// Weights of a program
//===----------------------------------------------------------------------===//

/// A program has a set of weights that is in use and can hold another one,
/// which is updated, prepared and swapped in while calls run. A set does not
/// change: a call works with the one that was in use when it began. What fails
/// leaves both as they were. All since API version 6.

/// A weight by its name in the model.
typedef struct coil_weight {
  const char *name;
  /// With any strides; on a GPU when whatever writes it has ended, and then not
  /// negative ones.
  coil_tensor tensor;
  /// The bytes of memory from `tensor.data` on, to be compared with what the
  /// tensor needs; 0 where that is not known.
  uint64_t num_bytes;
} coil_weight;

/// How to update. Initialise with coil_update_options_init.
typedef struct coil_update_options {
  /// sizeof(coil_update_options), so that fields can be added.
  size_t struct_size;
  /// Whether every weight has to be given.
  int32_t complete;
  /// Whether the elements stay where they are, in memory of the caller's that
  /// does not change as long as a set refers to it. They have to be in host
  /// memory and lie row by row. Otherwise they are copied.
  int32_t in_place;
  /// With `in_place`: called with `user`, once, when no set refers to the
  /// weights of this update any more, on whatever thread that happens. Not
  /// called if the update fails. May be NULL.
  void (*release)(void *user);
  void *user;
} coil_update_options;

COIL_C_API void coil_update_options_init(coil_update_options *options);

/// Makes the inactive set anew, of the weights that are given; others are those
/// of earlier updates since the last swap, else those in use. `options` may be
/// NULL. COIL_API_USAGE for a name that the program does not have or that comes
/// twice, and for another type, size or length: the error names the weight.
COIL_C_API int32_t coil_program_update_weights(
    coil_program *program, const coil_weight *weights, size_t num_weights,
    const coil_update_options *options, char **error);

/// The same with all weights of a .pt2 file or of a package, which may have
/// others, too. The file is mapped, not copied: it must not change while a set
/// refers to it (but may be removed or replaced).
COIL_C_API int32_t coil_program_update_weights_from_file(coil_program *program,
                                                         const char *path,
                                                         char **error);

/// Computes what depends on the inactive set alone, and brings it to the GPUs
/// where the set in use is. coil_program_swap_weights does so, too; then it
/// takes that long.
COIL_C_API int32_t coil_program_prepare_weights(coil_program *program,
                                                char **error);

/// Exchanges the two sets. Waits for no call: those that have begun go on with
/// the set that they have. Swapped again, the sets are as they were.
COIL_C_API int32_t coil_program_swap_weights(coil_program *program,
                                             char **error);

/// Frees the inactive set when no call uses it any more. Nothing happens when
/// there is none.
COIL_C_API void coil_program_drop_weights(coil_program *program);

/// How many weights the program has.
COIL_C_API size_t coil_program_num_weights(const coil_program *program);

/// Weight number `index` of the set in use, read-only. The name stays as long
/// as the program, the elements until the set is swapped out and then dropped
/// or updated.
COIL_C_API int32_t coil_program_get_weight(const coil_program *program,
                                           size_t index, coil_weight *weight,
                                           char **error);

/// What there is in addition to the set in use.
typedef enum coil_inactive_weights {
  COIL_WEIGHTS_NONE = 0,
  /// The set before the last swap.
  COIL_WEIGHTS_PREVIOUS = 1,
  /// A set that updates made, and of which nothing was computed yet.
  COIL_WEIGHTS_UPDATED = 2,
  /// The same, ready.
  COIL_WEIGHTS_PREPARED = 3
} coil_inactive_weights;

typedef struct coil_weights_info {
  /// The number of the set in use: 0 for the one that the program came with,
  /// and one more for each set that updates began.
  uint64_t active;
  /// A coil_inactive_weights.
  int32_t inactive;
  /// How many sets there are, those of calls that have not ended included.
  int64_t num_sets;
} coil_weights_info;

COIL_C_API void coil_program_get_weights_info(const coil_program *program,
                                              coil_weights_info *info);

/// The number of the set that a run worked with.
COIL_C_API uint64_t coil_result_weights(const coil_result *result);

#ifdef __cplusplus
}
#endif

#endif // COIL_C_PROGRAM_H
