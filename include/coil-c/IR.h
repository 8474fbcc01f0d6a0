//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of the IR. It complements MLIR's C API (mlir-c/), which
// libCoilC.so exports: contexts with Coil's dialects, diagnostics as data,
// passes and ATen legalizations that are written in another language, and pass
// managers with hooks. `coil.ir` of the Python package is written in terms of
// both.
//
// Unlike coil-c/Coil.h this header needs the headers of MLIR 22.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_C_IR_H
#define COIL_C_IR_H

#include "coil-c/Coil.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Contexts and modules
//===----------------------------------------------------------------------===//

/// Creates a context that knows all dialects of Coil, those of upstream that
/// the pipelines use, and those of plugins; registers all passes. Fails where a
/// plugin cannot be loaded. The caller destroys it with mlirContextDestroy.
COIL_C_API int32_t coil_ir_context_create(MlirContext *context, char **error);

/// Parses a module from `length` bytes of text or bytecode. `name` stands for
/// the file in locations. What is wrong with the text is in the diagnostics;
/// `*error` is a summary.
COIL_C_API int32_t coil_ir_module_parse(MlirContext context, const char *text,
                                        size_t length, const char *name,
                                        MlirModule *module, char **error);

/// Reads a file: a module as text or bytecode, or an exported program (.pt2),
/// whose framework operators become `graph.aten` operations; its weights stay
/// in the file.
COIL_C_API int32_t coil_ir_module_load(MlirContext context, const char *path,
                                       MlirModule *module, char **error);

/// The stage that a module is at: "input", "graph", "loop", "wrapper" or
/// "native". Owned by the library.
COIL_C_API const char *coil_ir_module_stage(MlirModule module);

/// Whether an operation of this name can be created in the context: its dialect
/// is loaded, or can be. Inside of passes dialects are not loaded
/// (`may_load` is 0).
COIL_C_API int32_t coil_ir_knows_operation(MlirContext context,
                                           MlirStringRef name,
                                           int32_t may_load);

/// Creates an operation with `num_regions` empty regions that infers the types
/// of its results. Operands and attributes are verified before, since inference
/// relies on them. Returns a null operation where they are wrong or the
/// operation infers nothing, with the reason in the diagnostics.
COIL_C_API MlirOperation coil_ir_operation_create_inferred(
    MlirStringRef name, MlirLocation location, intptr_t num_operands,
    const MlirValue *operands, intptr_t num_attributes,
    const MlirNamedAttribute *attributes, intptr_t num_regions);

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The text of an operation, a type, an attribute, or a value as it occurs
/// among operands ("%0"). The caller frees it with coil_string_free.
COIL_C_API char *coil_ir_print_operation(MlirOperation op,
                                         MlirOpPrintingFlags flags);
COIL_C_API char *coil_ir_print_type(MlirType type);
COIL_C_API char *coil_ir_print_attribute(MlirAttribute attribute);
COIL_C_API char *coil_ir_print_value(MlirValue value);

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The diagnostics that this thread emits in a context, from
/// coil_ir_diagnostics_begin to coil_ir_diagnostics_end. Passes on other
/// threads report through the thread that runs the pass manager. Scopes nest.
typedef struct coil_ir_diagnostics coil_ir_diagnostics;

typedef struct coil_ir_diagnostic {
  /// A MlirDiagnosticSeverity.
  int32_t severity;
  /// Whether this is a note on the diagnostic before.
  int32_t is_note;
  const char *message;
  MlirLocation location;
} coil_ir_diagnostic;

COIL_C_API coil_ir_diagnostics *coil_ir_diagnostics_begin(MlirContext context);
COIL_C_API size_t coil_ir_diagnostics_count(const coil_ir_diagnostics *all);
/// Fills in diagnostic number `index`, in the order of emission, with notes
/// after what they are on; its text is valid until coil_ir_diagnostics_end.
COIL_C_API void coil_ir_diagnostics_get(const coil_ir_diagnostics *all,
                                        size_t index,
                                        coil_ir_diagnostic *diagnostic);
COIL_C_API void coil_ir_diagnostics_end(coil_ir_diagnostics *all);

//===----------------------------------------------------------------------===//
// Pass managers
//===----------------------------------------------------------------------===//

/// Called around each pass that is not an adaptor between levels, on the thread
/// that runs it; one call at a time.
typedef struct coil_ir_pass_hooks {
  /// sizeof(coil_ir_pass_hooks), so that fields can be added.
  size_t struct_size;
  void *user;
  /// A result other than 0 skips this pass and all that follow it: the module
  /// stays as it is then. `is_runner` says that this is the thread which called
  /// coil_ir_pass_manager_run.
  int32_t (*before)(const char *pass, MlirOperation op, int32_t is_runner,
                    void *user);
  void (*after)(const char *pass, MlirOperation op, int32_t failed, void *user);
} coil_ir_pass_hooks;

/// A pass manager of MLIR with hooks.
typedef struct coil_ir_pass_manager coil_ir_pass_manager;

/// `op_name` is what the passes run on, such as "builtin.module"; "any" for all
/// operations. `hooks` may be NULL.
COIL_C_API coil_ir_pass_manager *
coil_ir_pass_manager_create(MlirContext context, const char *op_name,
                            const coil_ir_pass_hooks *hooks);
COIL_C_API void coil_ir_pass_manager_destroy(coil_ir_pass_manager *manager);

/// The pass manager for functions of mlir-c/Pass.h; owned by `manager`.
COIL_C_API MlirPassManager
coil_ir_pass_manager_get(coil_ir_pass_manager *manager);

/// The textual pipeline; the caller frees it with coil_string_free.
COIL_C_API char *coil_ir_pass_manager_print(coil_ir_pass_manager *manager);

/// Appends a textual pipeline, such as "func.func(cse),coil-loop-pipeline".
/// Fails for what there is not, with the nearest name.
COIL_C_API int32_t coil_ir_pass_manager_add(coil_ir_pass_manager *manager,
                                            const char *pipeline, char **error);

/// Appends what compilation does with `module` from the stage that it is at to
/// the stage `to`. `options` are those of the pipelines, as in
/// coil_compile_options.
COIL_C_API int32_t coil_ir_pass_manager_add_stages(
    coil_ir_pass_manager *manager, MlirModule module, const char *to,
    const char *options, char **error);

/// Runs the passes; COIL_API_LOAD where one of them fails or leaves invalid IR,
/// with the reason in the diagnostics.
COIL_C_API int32_t coil_ir_pass_manager_run(coil_ir_pass_manager *manager,
                                            MlirOperation op, char **error);

//===----------------------------------------------------------------------===//
// Passes and extensions of the pipelines
//===----------------------------------------------------------------------===//

/// Runs a pass on an operation; it may change what is inside. A result other
/// than 0 fails the pass, which should emit an error before (mlirEmitError).
/// Called on any thread, on different operations at the same time.
typedef int32_t (*coil_ir_pass_fn)(MlirOperation op, void *user);

/// Registers a pass under a name for textual pipelines, `insert-passes` among
/// them. `op_name` is the operation that it runs on, such as "func.func"; NULL
/// for any. Fails for a name that is taken, and for one that is not made of
/// letters, digits and dashes.
COIL_C_API int32_t coil_ir_pass_register(const char *name,
                                         const char *description,
                                         const char *op_name,
                                         coil_ir_pass_fn run, void *user,
                                         char **error);

/// Appends a textual pipeline at an extension point of all compilations that
/// follow ("after-fusion"; docs/howto/PipelineExtensions.md lists them). Fails
/// for an unknown extension point or pass, and for a second extension of the
/// same name at that point.
COIL_C_API int32_t coil_ir_pipeline_extension_register(const char *point,
                                                       const char *name,
                                                       const char *pipeline,
                                                       char **error);

//===----------------------------------------------------------------------===//
// ATen legalizations
//===----------------------------------------------------------------------===//

/// A call of a framework operator that is being replaced by `graph` operations.
/// Valid until the callback returns.
typedef struct coil_ir_aten_call coil_ir_aten_call;

/// Replaces a call (coil_ir_aten_call_replace) and returns 0, or says why not
/// (coil_ir_aten_call_fail) and returns another number; what it has built then
/// is dropped. Called on any thread.
typedef int32_t (*coil_ir_legalize_fn)(coil_ir_aten_call *call, void *user);

/// Registers the legalization of each operator `aten.<name>` of a
/// blank-separated list of names. Fails where there is one already, Coil's own
/// among them.
COIL_C_API int32_t coil_ir_aten_legalization_register(const char *names,
                                                      coil_ir_legalize_fn fn,
                                                      void *user, char **error);

/// The `graph.aten` operation. New operations go before it.
COIL_C_API MlirOperation coil_ir_aten_call_operation(coil_ir_aten_call *call);

/// The number of operands of a schema argument, and operand number `index`.
COIL_C_API intptr_t coil_ir_aten_call_num_tensors(coil_ir_aten_call *call,
                                                  const char *name);
COIL_C_API MlirValue coil_ir_aten_call_get_tensor(coil_ir_aten_call *call,
                                                  const char *name,
                                                  intptr_t index);

/// A tensor or number argument as a tensor of an element type; a null value
/// where it is absent.
COIL_C_API MlirValue coil_ir_aten_call_operand(coil_ir_aten_call *call,
                                               const char *name,
                                               MlirType element_type);

/// The value of an argument that is no tensor, as `graph.aten` holds it; a null
/// attribute where it is absent. For numbers the functions below are right:
/// they note that the program depends on the value.
COIL_C_API MlirAttribute coil_ir_aten_call_argument(coil_ir_aten_call *call,
                                                    const char *name);

/// Return 1 and the value of a constant argument, else 0.
COIL_C_API int32_t coil_ir_aten_call_int(coil_ir_aten_call *call,
                                         const char *name, int64_t *value);
COIL_C_API int32_t coil_ir_aten_call_float(coil_ir_aten_call *call,
                                           const char *name, double *value);

/// The number of integers of a constant list, of which at most `capacity` are
/// written to `values`; -1 where it is absent or not constant.
COIL_C_API intptr_t coil_ir_aten_call_ints(coil_ir_aten_call *call,
                                           const char *name, int64_t *values,
                                           intptr_t capacity);

/// Replaces the results of the call. Fails, with a reason that becomes the
/// error message of the compilation, unless there is a value for each result
/// and its element type and sizes are those that the model declares.
COIL_C_API int32_t coil_ir_aten_call_replace(coil_ir_aten_call *call,
                                             const MlirValue *values,
                                             intptr_t num_values);

/// Says why the call is not replaced.
COIL_C_API void coil_ir_aten_call_fail(coil_ir_aten_call *call,
                                       const char *reason);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // COIL_C_IR_H
