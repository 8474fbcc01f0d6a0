/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A C program that compiles a file and runs it: capi.test looks at its output.
|*
\*===----------------------------------------------------------------------===*/

#include "coil-c/Coil.h"

#include <stdio.h>
#include <string.h>

/* Prints a failure and frees its message. */
static void report(const char *what, int32_t status, char *error) {
  printf("%s: status %d: %s\n", what, status, error ? error : "(none)");
  coil_string_free(error);
}

int main(int argc, char **argv) {
  char *error = NULL;
  coil_program *program = NULL;
  coil_result *result = NULL;
  int32_t status;
  if (argc != 2)
    return 2;
  printf("API %u of Coil %s, runtime %u\n", coil_api_version(), coil_version(),
         coil_runtime_version());

  status = coil_program_compile("no-such-file.mlir", NULL, &program, &error);
  report("missing", status, error);
  status = coil_program_compile(NULL, NULL, &program, &error);
  report("null", status, error);
  coil_compile_options options = {0};
  status = coil_program_compile(argv[1], &options, &program, &error);
  report("options", status, error);

  coil_compile_options_init(&options);
  options.threads = 1;
  options.pipeline_options = "library=none";
  status = coil_program_compile(argv[1], &options, &program, &error);
  if (status != COIL_API_OK) {
    report("compile", status, error);
    return 1;
  }
  printf("%zu inputs, %zu outputs\n", coil_program_num_inputs(program),
         coil_program_num_outputs(program));
  printf("%s\n", coil_program_signature_json(program));
  printf("stats %s\n", coil_program_stats_json(program));

  float a[] = {0, 1, 2, 3, 4, 5, 6, 7}, b[] = {10, 20, 30, 40};
  int64_t sizes_a[] = {2, 4}, strides_a[] = {4, 1}, sizes_b[] = {4},
          strides_b[] = {1};
  coil_tensor inputs[] = {{a, sizes_a, strides_a, 2, COIL_F32, COIL_CPU, 0},
                          {b, sizes_b, strides_b, 1, COIL_F32, COIL_CPU, 0}};
  status = coil_program_run(program, inputs, 1, &result, &error);
  report("too few", status, error);
  status = coil_program_run(program, inputs, 2, &result, &error);
  if (status != COIL_API_OK) {
    report("run", status, error);
    return 1;
  }
  const coil_tensor *sum = coil_result_output(result, 1);
  const float *values = (const float *)sum->data;
  printf("sum of rank %d: %g %g\n", sum->rank, values[0], values[1]);
  printf("outputs %zu, past the end %p\n", coil_result_num_outputs(result),
         (const void *)coil_result_output(result, 2));
  coil_run_stats stats;
  coil_result_get_stats(result, &stats);
  printf("launches %s\n", stats.launches > 0 ? "counted" : "missing");
  coil_result_destroy(result);
  coil_program_destroy(program);
  coil_program_destroy(NULL);
  return 0;
}
