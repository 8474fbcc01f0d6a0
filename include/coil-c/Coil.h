//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of the compiler: compile a file. What is compiled is run by the
// functions of coil-c/Program.h, which programs of packages have alone. Plain
// C, no LLVM types; functions are only ever added.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_C_COIL_H
#define COIL_C_COIL_H

#include "coil-c/Program.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the cache on disk did in this process, as JSON: {"hits", "misses",
/// "refusals", "stores", "damaged", "evicted"}. Valid until the thread asks
/// again. Since API version 11.
COIL_C_API const char *coil_cache_stats_json(void);

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// How to compile. Initialise with coil_compile_options_init. NULL and 0 mean
/// the default.
typedef struct coil_compile_options {
  /// sizeof(coil_compile_options), so that fields can be added.
  size_t struct_size;
  /// Function of a .mlir file; "main" by default.
  const char *function;
  /// The .pt2 file that holds the weights of a .mlir file.
  const char *weights;
  /// Options of the pipelines, such as "library=none vector-bits=256", or
  /// "insert-passes={after-fusion:func.func(cse)}" for passes of a plugin;
  /// coil_options_json lists them.
  const char *pipeline_options;
  /// Directory that keeps compiled objects between processes; none by default.
  const char *object_cache;
  /// Threads that compile; all of the machine by default.
  uint32_t threads;
  /// 1 to 3; 2 by default.
  uint32_t opt_level;
  /// Calls of a program for a GPU to keep as CUDA graphs, by input sizes; none
  /// by default. Since API version 2.
  uint32_t cuda_graphs;
  /// The GPU that kernels are loaded onto; others load at their first run.
  /// Since API version 2.
  int32_t device;
  /// Directory that receives everything that is made on the way, with a page
  /// that leads through it; none by default. Since API version 6.
  const char *debug_directory;
  /// Not zero: neither looks for the program in the cache on disk nor keeps it
  /// there. Since API version 11.
  int32_t no_cache;
} coil_compile_options;

COIL_C_API void coil_compile_options_init(coil_compile_options *options);

/// All options of a compilation as JSON: a list of {"name", "keyword", "scope",
/// "kind", "default", "values", "min", "max", "tools", "description"}. Those of
/// the scope "pipeline" are for `pipeline_options`, those of the scope
/// "program" are fields of coil_compile_options. Owned by the library. Since
/// API version 10.
COIL_C_API const char *coil_options_json(void);

/// Fails unless the option `name` may have this value, with what it may have.
/// Errors as in coil_program_compile. Since API version 10.
COIL_C_API int32_t coil_option_check(const char *name, const char *value,
                                     char **error);

/// Loads a plugin with all that it offers, as the environment variable
/// COIL_PLUGINS does before the first compilation. Where the plugin registers
/// what is there already, all compilations that follow fail, too: half of it
/// may be there. Errors as in coil_program_compile. Since API version 9.
COIL_C_API int32_t coil_plugin_load(const char *path, char **error);

/// Compiles a .pt2 file, or a .mlir file of any stage, or loads a package
/// (.coilpkg), for which only `function`, `cuda_graphs` and `device` of the
/// options matter. `options` may be NULL.
/// On failure `*error` receives a message, one line for each diagnostic, that
/// the caller frees with coil_string_free; `error` may be NULL.
COIL_C_API int32_t coil_program_compile(const char *path,
                                        const coil_compile_options *options,
                                        coil_program **program, char **error);

/// Compiles a program from the text that a .pt2 file has of it: the JSON of an
/// exported program, schema version 8, of `length` bytes. All that it takes are
/// inputs of the user's; there are no weights. Of the options `function` and
/// `weights` do not matter. A line of the message begins with the names of the
/// nodes that it is about, where it is about any: "node 'add', 'mul' (...): ".
/// Since API version 9.
COIL_C_API int32_t coil_program_compile_text(
    const char *text, size_t length, const coil_compile_options *options,
    coil_program **program, char **error);

//===----------------------------------------------------------------------===//
// Kernels and weights, for host programs in other languages
//===----------------------------------------------------------------------===//

/// Kernels that were compiled together. Since API version 5.
typedef struct coil_kernels coil_kernels;

/// One of them, owned by the others. Any number of threads may launch it.
typedef struct coil_kernel coil_kernel;

/// Compiles kernels: `length` bytes of text, a module that holds nothing but
/// `wrapper.kernel` as value functions, or of users. Of the options,
/// `pipeline_options` ("target=cuda" for the GPU that is there, or
/// "target=cuda:sm_90"), `object_cache`, `threads`, `opt_level` and `device`
/// matter; they may be NULL. Errors as in coil_program_compile.
COIL_C_API int32_t coil_kernels_compile(const char *text, size_t length,
                                        const coil_compile_options *options,
                                        coil_kernels **kernels, char **error);

/// Frees kernels. NULL is allowed.
COIL_C_API void coil_kernels_destroy(coil_kernels *kernels);

/// The kernel of a name, or NULL.
COIL_C_API const coil_kernel *coil_kernels_lookup(const coil_kernels *kernels,
                                                  const char *name);

/// How many buffers a kernel takes, outputs included, and how many symbols.
COIL_C_API size_t coil_kernel_num_buffers(const coil_kernel *kernel);
COIL_C_API size_t coil_kernel_num_symbols(const coil_kernel *kernel);

/// Runs a kernel over all its points, on all threads: the addresses of inputs,
/// then of outputs, and the values of its symbols. The kernel relies on sizes,
/// strides and element types; nothing is checked but what its text checks.
COIL_C_API int32_t coil_kernel_launch(const coil_kernel *kernel, coil_run *run,
                                      void **buffers, const int64_t *symbols,
                                      char **error);

/// Runs a kernel of a user's on a grid of blocks along x, y and z: `arguments`
/// has the addresses of what is passed, in the order of the parameters. Fails
/// for other kernels, as coil_kernel_launch does for this one. Since API
/// version 7.
COIL_C_API int32_t coil_kernel_launch_user(const coil_kernel *kernel,
                                           coil_run *run,
                                           void *const *arguments,
                                           const int64_t *grid, char **error);

/// The weights of a .pt2 file, mapped into memory. Since API version 5.
typedef struct coil_weights coil_weights;

/// Opens the weights of a file and compares their bytes with their checksums.
COIL_C_API int32_t coil_weights_open(const char *path, coil_weights **weights,
                                     char **error);

/// Frees weights; tensors from coil_weights_get are dead then. NULL is allowed.
COIL_C_API void coil_weights_close(coil_weights *weights);

/// The weight of a name, read-only, or COIL_API_USAGE when there is none. A
/// complex one is passed by its parts, with one dimension more.
COIL_C_API int32_t coil_weights_get(const coil_weights *weights,
                                    const char *name, coil_tensor *tensor,
                                    char **error);

#ifdef __cplusplus
}
#endif

#endif // COIL_C_COIL_H
