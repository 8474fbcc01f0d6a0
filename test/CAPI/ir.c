/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A C program that parses, builds and transforms IR, and registers a pass:
|* ir.test looks at its output.
|*
\*===----------------------------------------------------------------------===*/

#include "coil-c/IR.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Diagnostics.h"

#include <stdio.h>
#include <string.h>

static const char kText[] =
    "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = graph.abs %a : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

/* Prints a failure and frees its message. */
static void report(const char *what, int32_t status, char *error) {
  printf("%s: status %d: %s\n", what, status, error ? error : "(none)");
  coil_string_free(error);
}

static void print(MlirOperation op) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  char *text = coil_ir_print_operation(op, flags);
  printf("%s", text);
  coil_string_free(text);
  mlirOpPrintingFlagsDestroy(flags);
}

/* Prints the diagnostics of a scope and ends it. */
static void finish(coil_ir_diagnostics *all) {
  for (size_t i = 0; i < coil_ir_diagnostics_count(all); ++i) {
    coil_ir_diagnostic found;
    coil_ir_diagnostics_get(all, i, &found);
    printf("  %s %d: %s\n", found.is_note ? "note" : "diagnostic",
           found.severity, found.message);
  }
  coil_ir_diagnostics_end(all);
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/* The first operation of the only function. */
static MlirOperation getFirst(MlirModule module) {
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  return mlirBlockGetFirstOperation(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
}

/* Counts functions; fails for those that are called "bad". */
static int32_t countFunctions(MlirOperation op, void *user) {
  MlirAttribute name = mlirOperationGetAttributeByName(op, ref("sym_name"));
  if (mlirStringRefEqual(mlirStringAttrGetValue(name), ref("bad"))) {
    mlirEmitError(mlirOperationGetLocation(op), "the function is bad");
    return 1;
  }
  ++*(int *)user;
  return 0;
}

static int32_t before(const char *pass, MlirOperation op, int32_t is_runner,
                      void *user) {
  (void)op;
  (void)is_runner;
  printf("before %s\n", pass);
  return strcmp(pass, (const char *)user) == 0;
}

static void after(const char *pass, MlirOperation op, int32_t failed,
                  void *user) {
  (void)op;
  (void)user;
  printf("after %s%s\n", pass, failed ? ", which failed" : "");
}

static int32_t refuse(coil_ir_aten_call *call, void *user) {
  (void)user;
  coil_ir_aten_call_fail(call, "no reason");
  return 1;
}

int main(void) {
  char *error = NULL;
  MlirContext context;
  int32_t status = coil_ir_context_create(&context, &error);
  report("context", status, error);

  /* Text. */
  MlirModule module;
  coil_ir_diagnostics *all = coil_ir_diagnostics_begin(context);
  status = coil_ir_module_parse(context, "func.func @f(", 13, "a.mlir", &module,
                                &error);
  report("malformed", status, error);
  finish(all);
  status = coil_ir_module_load(context, "/no-such-file.mlir", &module, &error);
  report("missing", status, error);
  status = coil_ir_module_parse(context, kText, sizeof(kText) - 1, "a.mlir",
                                &module, &error);
  report("text", status, error);
  printf("stage %s\n", coil_ir_module_stage(module));

  /* Operations with inferred types. */
  MlirOperation first = getFirst(module);
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirValue value = mlirOperationGetResult(first, 0);
  MlirOperation made = coil_ir_operation_create_inferred(
      ref("graph.neg"), location, 1, &value, 0, NULL, 0);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(first), first, made);
  print(made);
  printf("\n");
  MlirValue twice[] = {value, value};
  all = coil_ir_diagnostics_begin(context);
  made = coil_ir_operation_create_inferred(ref("graph.neg"), location, 2, twice,
                                           0, NULL, 0);
  printf("two operands: %d\n", mlirOperationIsNull(made));
  made = coil_ir_operation_create_inferred(ref("func.call"), location, 0, NULL,
                                           0, NULL, 0);
  printf("no inference: %d\n", mlirOperationIsNull(made));
  finish(all);
  printf("known: %d %d\n",
         coil_ir_knows_operation(context, ref("graph.neg"), 1),
         coil_ir_knows_operation(context, ref("graph.nag"), 1));

  /* Passes. */
  int count = 0;
  status = coil_ir_pass_register("count-functions", "counts", "func.func",
                                 countFunctions, &count, &error);
  report("pass", status, error);
  status = coil_ir_pass_register("count-functions", "counts", "func.func",
                                 countFunctions, &count, &error);
  report("pass again", status, error);
  status =
      coil_ir_pass_register("a b", "", NULL, countFunctions, &count, &error);
  report("name", status, error);
  static char last[] = "cse";
  coil_ir_pass_hooks hooks = {sizeof(hooks), last, before, after};
  coil_ir_pass_manager *manager =
      coil_ir_pass_manager_create(context, "builtin.module", &hooks);
  status =
      coil_ir_pass_manager_add(manager, "func.func(count-funcions)", &error);
  report("unknown", status, error);
  status = coil_ir_pass_manager_add(
      manager, "func.func(count-functions,canonicalize,cse,canonicalize)",
      &error);
  report("add", status, error);
  MlirOperation top = mlirModuleGetOperation(module);
  status = coil_ir_pass_manager_run(manager, top, &error);
  report("run", status, error);
  printf("%d function\n", count);
  coil_ir_pass_manager_destroy(manager);
  print(top);

  /* A pass that fails. */
  mlirOperationSetAttributeByName(
      mlirBlockGetFirstOperation(mlirModuleGetBody(module)), ref("sym_name"),
      mlirStringAttrGet(context, ref("bad")));
  manager = coil_ir_pass_manager_create(context, "builtin.module", NULL);
  coil_ir_pass_manager_add(manager, "func.func(count-functions)", &error);
  all = coil_ir_diagnostics_begin(context);
  status = coil_ir_pass_manager_run(manager, top, &error);
  report("bad", status, error);
  finish(all);
  coil_ir_pass_manager_destroy(manager);

  /* Stages. */
  manager = coil_ir_pass_manager_create(context, "builtin.module", NULL);
  status = coil_ir_pass_manager_add_stages(manager, module, "lop", "", &error);
  report("stage", status, error);
  status =
      coil_ir_pass_manager_add_stages(manager, module, "input", "", &error);
  report("earlier stage", status, error);
  status = coil_ir_pass_manager_add_stages(manager, module, "loop",
                                           "vector-bits=7", &error);
  report("option", status, error);
  status = coil_ir_pass_manager_add_stages(manager, module, "loop", "", &error);
  report("to loop", status, error);
  coil_ir_pass_manager_destroy(manager);

  /* Extensions and legalizations. */
  status = coil_ir_pipeline_extension_register(
      "after-fusion", "count", "func.func(count-functions)", &error);
  report("extension", status, error);
  status = coil_ir_pipeline_extension_register(
      "after-fusion", "count", "func.func(count-functions)", &error);
  report("extension again", status, error);
  status = coil_ir_pipeline_extension_register("after-fuzion", "count", "cse",
                                               &error);
  report("point", status, error);
  status =
      coil_ir_aten_legalization_register("add.Tensor", refuse, NULL, &error);
  report("Coil's own", status, error);
  status = coil_ir_aten_legalization_register("", refuse, NULL, &error);
  report("no name", status, error);
  status = coil_ir_aten_legalization_register("_foobar", refuse, NULL, &error);
  report("legalization", status, error);
  status = coil_ir_aten_legalization_register("_foobar", refuse, NULL, &error);
  report("legalization again", status, error);

  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return 0;
}
