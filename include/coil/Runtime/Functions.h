//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host functions: what programs call that Coil did not compile, such as the
// custom operators of a model's owner.
//
// A function is registered under a name, "mylib::foo", for a kind of device,
// and is never replaced: a function that takes other arguments, or gives other
// results, gets a new name, "mylib::foo_v2", so that programs which were
// compiled against the old one go on working. Registration and calls are safe
// from any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_RUNTIME_FUNCTIONS_H
#define COIL_RUNTIME_FUNCTIONS_H

#include "coil/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

typedef enum coil_argument_kind {
  COIL_ARGUMENT_NONE = 0,   ///< An optional argument that is absent.
  COIL_ARGUMENT_TENSOR = 1, ///< `value.tensor`
  COIL_ARGUMENT_INT = 2,    ///< `value.integer`
  COIL_ARGUMENT_FLOAT = 3,  ///< `value.number`
  COIL_ARGUMENT_BOOL = 4,   ///< `value.integer`, 0 or 1
  COIL_ARGUMENT_STRING = 5, ///< `value.string`, which ends in 0
  COIL_ARGUMENT_LIST = 6,   ///< `count` elements at `value.elements`
  COIL_ARGUMENT_DTYPE = 7,  ///< `value.integer`, a coil_dtype
  COIL_ARGUMENT_OBJECT = 8  ///< `value.object`, the first of a method
} coil_argument_kind;

/// An object of a class that programs do not know (coil/Runtime/Objects.h).
typedef struct coil_object coil_object;

/// An argument of a call, or an element of a list at any depth.
typedef struct coil_argument {
  int32_t kind;
  /// Whether the function may write the tensor.
  int32_t is_mutable;
  int64_t count; ///< Of the elements of a list.
  union {
    const coil_tensor *tensor;
    int64_t integer;
    double number;
    const char *string;
    const struct coil_argument *elements;
    coil_object *object;
  } value;
} coil_argument;

//===----------------------------------------------------------------------===//
// What a function sees
//===----------------------------------------------------------------------===//

/// One call, from its begin to the return of the function.
typedef struct coil_call coil_call;

/// A host function. Returns COIL_OK, or another status after it has said why
/// with coil_call_fail.
typedef int32_t (*coil_function_pointer)(coil_call *call, void *user);

/// The run that the call is part of.
COIL_RT_API coil_run *coil_call_get_run(coil_call *call);

/// The name that the program calls.
COIL_RT_API const char *coil_call_name(const coil_call *call);

/// Where tensors are: a coil_device_type.
COIL_RT_API int32_t coil_call_device_type(const coil_call *call);
COIL_RT_API int32_t coil_call_device_index(const coil_call *call);

/// The CUstream on which a function for CUDA devices has to work; tensors are
/// ready, and results have to be, in its order. NULL on other devices.
COIL_RT_API void *coil_call_stream(coil_call *call);

COIL_RT_API int32_t coil_call_num_arguments(const coil_call *call);

/// Argument number `index`, or NULL if the caller has fewer. An optional
/// argument that is absent is there, with the kind COIL_ARGUMENT_NONE.
COIL_RT_API const coil_argument *coil_call_argument(const coil_call *call,
                                                    int32_t index);

/// The argument of a name, or NULL if the program does not give it or names
/// nothing. A program leaves out arguments that are as the operator's defaults.
COIL_RT_API const coil_argument *coil_call_named(const coil_call *call,
                                                 const char *name);

/// The name of an argument, or NULL.
COIL_RT_API const char *coil_call_argument_name(const coil_call *call,
                                                int32_t index);

/// \name Values of arguments
/// By pointer: NULL for one that is absent, for an optional argument and an
/// optional element alike. Also NULL, and the call then fails whatever the
/// function returns, for one of another kind; an integer counts as a float.
/// `argument` may be NULL, which counts as absent.
/// @{
COIL_RT_API const coil_tensor *
coil_argument_tensor(coil_call *call, const coil_argument *argument);
COIL_RT_API const int64_t *coil_argument_int(coil_call *call,
                                             const coil_argument *argument);
COIL_RT_API const double *coil_argument_float(coil_call *call,
                                              const coil_argument *argument);
COIL_RT_API const int64_t *coil_argument_bool(coil_call *call,
                                              const coil_argument *argument);
COIL_RT_API const char *coil_argument_string(coil_call *call,
                                             const coil_argument *argument);
/// The elements; -1 in `count` for a list that is absent.
COIL_RT_API const coil_argument *
coil_argument_list(coil_call *call, const coil_argument *argument,
                   int64_t *count);
/// @}

/// \name The same for an argument by its number
/// @{
COIL_RT_API const coil_tensor *coil_call_tensor(coil_call *call, int32_t index);
/// The tensor, if the program lets the function write it; another one makes the
/// call fail.
COIL_RT_API const coil_tensor *coil_call_mutable_tensor(coil_call *call,
                                                        int32_t index);
COIL_RT_API const int64_t *coil_call_int(coil_call *call, int32_t index);
COIL_RT_API const double *coil_call_float(coil_call *call, int32_t index);
COIL_RT_API const int64_t *coil_call_bool(coil_call *call, int32_t index);
COIL_RT_API const char *coil_call_string(coil_call *call, int32_t index);
COIL_RT_API const coil_argument *coil_call_list(coil_call *call, int32_t index,
                                                int64_t *count);
/// @}

/// The object that a method is called on; it stays as long as the call.
COIL_RT_API coil_object *coil_call_object(coil_call *call, int32_t index);

/// Copies a list of integers, at most `capacity` of them; returns how many
/// there are, or -1 for an absent list.
COIL_RT_API int64_t coil_call_ints(coil_call *call, int32_t index,
                                   int64_t *values, int64_t capacity);

COIL_RT_API int32_t coil_call_num_results(const coil_call *call);

/// The element type and rank that the program expects of a result.
COIL_RT_API int32_t coil_call_result_type(const coil_call *call, int32_t index,
                                          int32_t *dtype, int32_t *rank);

/// Gives result number `index` its sizes, and the function the tensor to write
/// it to, once. Where the program has a buffer for it, which may be a view of a
/// larger buffer, that is the tensor, with its strides; the sizes have to be
/// those that the program expects. Elsewhere it is allocated in the run, row by
/// row. The program owns it in both cases.
COIL_RT_API int32_t coil_call_result(coil_call *call, int32_t index,
                                     int32_t dtype, int32_t rank,
                                     const int64_t *sizes,
                                     const coil_tensor **result);

/// Memory for the time of the call, on its device.
COIL_RT_API int32_t coil_call_scratch(coil_call *call, int64_t bytes,
                                      void **out);

/// Says why the call fails; returns COIL_ASSERTION_FAILED for the function to
/// return. The program's message names the function and its location in the
/// model, too.
COIL_RT_API int32_t coil_call_fail(coil_call *call, const char *message);

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

typedef enum coil_function_flags {
  /// On a CUDA device, the function does nothing but put work on the stream of
  /// the call, the same at each call with the same sizes and numbers. It may
  /// become part of a graph, which is then replayed instead.
  COIL_FUNCTION_CAPTURABLE = 1
} coil_function_flags;

/// A function to register.
typedef struct coil_function {
  uint32_t struct_size; ///< sizeof(coil_function)
  uint32_t flags;       ///< Of coil_function_flags.
  const char *name;     ///< "mylib::foo"
  int32_t device_type;  ///< Where its tensors are: a coil_device_type.
  int32_t reserved;     ///< 0
  coil_function_pointer call;
  void *user; ///< What `call` gets; alive as long as the process.
} coil_function;

/// Registers a function for all programs of the process, for good. Fails with
/// COIL_INVALID_ARGUMENT for a name that is not `namespace::name` and for one
/// that is taken on this device.
COIL_RT_API int32_t coil_register_function(const coil_function *function);

/// Finds a function. Fails with COIL_UNAVAILABLE, and a message that says under
/// which other names or for which devices there is one. `found` may be NULL.
COIL_RT_API int32_t coil_find_function(const char *name, int32_t device_type,
                                       coil_function *found);

/// Is asked for a function that nobody has registered for any device. It may
/// register one, and returns whether it did.
typedef int32_t (*coil_function_resolver)(void *user, const char *name,
                                          int32_t device_type);

/// Sets what is asked, from any thread and without a lock, when a function is
/// not found; NULL asks nobody. `user` is alive as long as the process.
COIL_RT_API void coil_set_function_resolver(coil_function_resolver resolve,
                                            void *user);

/// Calls `visit` for each function that is registered, in no order.
COIL_RT_API void coil_visit_functions(void (*visit)(const coil_function *,
                                                    void *user),
                                      void *user);

/// Loads a shared library and calls its function
/// `int32_t coil_register_functions(void)`, which registers what it has. A
/// library that is loaded already is not asked again.
COIL_RT_API int32_t coil_load_functions(const char *file);

//===----------------------------------------------------------------------===//
// Calls, for compiled programs
//===----------------------------------------------------------------------===//

/// Where a program calls a function: data of the program, which the runtime
/// adds to.
typedef struct coil_call_site {
  uint32_t struct_size; ///< sizeof(coil_call_site)
  int32_t device_type;
  const char *name;         ///< Of the function.
  const char *where;        ///< Its location in the model, or NULL.
  const char *const *names; ///< Of the arguments, or NULL.
  void *state;              ///< The runtime's; starts as NULL.
} coil_call_site;

/// Fails, naming all that are missing and their locations in the model, unless
/// the functions of all sites are registered.
COIL_RT_API int32_t coil_require_functions(const coil_call_site *sites,
                                           size_t count);

/// Calls a function. Its results are first those that `outputs` are the place
/// of, then those that it allocates: `results` have dtype, rank and device, and
/// space for sizes and strides, which are written as the memory's address is.
/// The caller owns them as it owns what coil_rt_alloc or coil_rt_alloc_cuda
/// gives. A call that fails leaves nothing.
COIL_RT_API int32_t coil_rt_call(coil_run *run, coil_call_site *site,
                                 int64_t num_arguments,
                                 const coil_argument *arguments,
                                 int64_t num_outputs,
                                 const coil_tensor *outputs,
                                 int64_t num_results, coil_tensor *results);

#ifdef __cplusplus
}
#endif

#endif // COIL_RUNTIME_FUNCTIONS_H
