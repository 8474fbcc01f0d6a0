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

/* Kernels from text, launched one by one. */
static int kernels(void) {
  static const char text[] =
      "wrapper.kernel @twice(%x: tensor<?xf32, #sym.shape<[n]>>) attributes {\n"
      "    input_strides = [#sym.shape<[1]>], output_strides = "
      "[#sym.shape<[1]>],\n"
      "    symbols = [\"n\"]} {\n"
      "  %0 = loop.kernel \"twice\" [n] (%a = %x)\n"
      "      : (tensor<?xf32, #sym.shape<[n]>>) -> tensor<?xf32, "
      "#sym.shape<[n]>> {\n"
      "    %v = loop.load %a[d0] : tensor<?xf32, #sym.shape<[n]>> -> f32\n"
      "    %s = arith.addf %v, %v : f32\n"
      "    loop.store %s, 0 [d0] : f32\n"
      "  }\n"
      "  wrapper.yield %0 : tensor<?xf32, #sym.shape<[n]>>\n"
      "}\n";
  char *error = NULL;
  coil_kernels *kernels = NULL;
  int32_t status = coil_kernels_compile("nonsense", 8, NULL, &kernels, &error);
  report("nonsense", status, error);
  status = coil_kernels_compile("func.func private @f()", 22, NULL, &kernels,
                                &error);
  report("no kernel", status, error);
  status = coil_kernels_compile(NULL, 0, NULL, &kernels, &error);
  report("no text", status, error);
  static const char cuda[] =
      "wrapper.kernel @k() attributes {device = #wrapper.device<\"cuda\">,\n"
      "    input_strides = [], output_strides = [#sym.shape<[1]>], symbols = "
      "[]} {\n"
      "  %0 = loop.kernel \"k\" [4] () : () -> tensor<4xf32> {\n"
      "    %z = arith.constant 0.0 : f32\n"
      "    loop.store %z, 0 [d0] : f32\n"
      "  }\n"
      "  wrapper.yield %0 : tensor<4xf32>\n"
      "}\n";
  status = coil_kernels_compile(cuda, sizeof(cuda) - 1, NULL, &kernels, &error);
  report("cuda", status, error);
  coil_compile_options options = {0};
  status =
      coil_kernels_compile(text, sizeof(text) - 1, &options, &kernels, &error);
  report("kernel options", status, error);
  coil_compile_options_init(&options);
  options.threads = 1;
  status =
      coil_kernels_compile(text, sizeof(text) - 1, &options, &kernels, &error);
  if (status != COIL_API_OK) {
    report("kernels", status, error);
    return 1;
  }
  printf("unknown kernel %p\n",
         (const void *)coil_kernels_lookup(kernels, "thrice"));
  const coil_kernel *twice = coil_kernels_lookup(kernels, "twice");
  printf("twice takes %zu buffers, %zu symbols\n",
         coil_kernel_num_buffers(twice), coil_kernel_num_symbols(twice));
  float x[] = {1, 2, 3, 4}, y[] = {0, 0, 0, -1};
  void *buffers[] = {x, y};
  int64_t symbols[] = {3};
  coil_run *run = NULL;
  coil_run_create(&run);
  status = coil_kernel_launch(twice, run, buffers, symbols, &error);
  printf("twice: status %d: %g %g %g %g\n", status, y[0], y[1], y[2], y[3]);
  int64_t grid[] = {2, 2, 1};
  status = coil_kernel_launch_user(twice, run, buffers, grid, &error);
  report("twice of a user", status, error);
  coil_kernels_destroy(kernels);

  /* A kernel of a user's: each block writes its number. */
  static const char user[] =
      "wrapper.kernel @mark() attributes {parameters = [\n"
      "    #wrapper.param<\"rows\", value, i32>, #wrapper.param<\"y\", write, "
      "f32>]} {\n"
      "  func.func @mark(%rows: i32, %y: !llvm.ptr, %i: i64, %j: i64, %k: i64) "
      "{\n"
      "    %r = arith.extsi %rows : i32 to i64\n"
      "    %row = arith.muli %j, %r : i64\n"
      "    %e = arith.addi %row, %i : i64\n"
      "    %hundred = arith.constant 100 : i64\n"
      "    %many = arith.muli %j, %hundred : i64\n"
      "    %n = arith.addi %many, %i : i64\n"
      "    %v = arith.sitofp %n : i64 to f32\n"
      "    %p = llvm.getelementptr %y[%e] : (!llvm.ptr, i64) -> !llvm.ptr, "
      "f32\n"
      "    llvm.store %v, %p : f32, !llvm.ptr\n"
      "    return\n"
      "  }\n"
      "}\n";
  status =
      coil_kernels_compile(user, sizeof(user) - 1, &options, &kernels, &error);
  if (status != COIL_API_OK) {
    report("user", status, error);
    return 1;
  }
  const coil_kernel *mark = coil_kernels_lookup(kernels, "mark");
  int32_t rows = 2;
  void *output = y;
  void *passed[] = {&rows, &output};
  status = coil_kernel_launch_user(mark, run, passed, grid, &error);
  printf("mark: status %d: %g %g %g %g\n", status, y[0], y[1], y[2], y[3]);
  status = coil_kernel_launch(mark, run, buffers, symbols, &error);
  report("mark of ours", status, error);
  coil_run_destroy(run);
  coil_kernels_destroy(kernels);
  return 0;
}

/* Weights of an exported program. */
static void weights(const char *path) {
  char *error = NULL;
  coil_weights *weights = NULL;
  coil_tensor tensor;
  int32_t status = coil_weights_open("no-such-file.pt2", &weights, &error);
  report("no file", status, error);
  status = coil_weights_open(NULL, &weights, &error);
  report("no path", status, error);
  status = coil_weights_open(path, &weights, &error);
  if (status != COIL_API_OK) {
    report("weights", status, error);
    return;
  }
  status = coil_weights_get(weights, "nothing", &tensor, &error);
  report("no weight", status, error);
  status = coil_weights_get(weights, "c1.bias", &tensor, &error);
  printf("c1.bias: status %d, rank %d, size %lld, dtype %s\n", status,
         tensor.rank, (long long)tensor.sizes[0],
         coil_dtype_name(tensor.dtype));
  coil_weights_close(weights);
}

static void count(void *user) { ++*(int *)user; }

/* Weights of a program that change. */
static int update(const char *path) {
  char *error = NULL;
  coil_program *program = NULL;
  int32_t status = coil_program_compile(path, NULL, &program, &error);
  if (status != COIL_API_OK) {
    report("compile", status, error);
    return 1;
  }
  size_t last = coil_program_num_weights(program), i = 0;
  coil_weight weight;
  for (; i < last; ++i)
    if (coil_program_get_weight(program, i, &weight, NULL) == COIL_API_OK &&
        strcmp(weight.name, "f2.bias") == 0)
      break;
  printf("%s of %llu bytes\n", weight.name,
         (unsigned long long)weight.num_bytes);
  status = coil_program_get_weight(program, last, &weight, &error);
  report("past the end", status, error);
  coil_program_get_weight(program, i, &weight, NULL);

  float bias[10] = {0};
  int released = 0;
  coil_weight mine = weight;
  mine.tensor.data = bias;
  mine.num_bytes = sizeof(bias) - 1;
  status = coil_program_update_weights(program, &mine, 1, NULL, &error);
  report("short", status, error);
  mine.num_bytes = sizeof(bias);
  mine.name = NULL;
  status = coil_program_update_weights(program, &mine, 1, NULL, &error);
  report("no name", status, error);
  mine.name = "f2.bias";
  coil_update_options options = {0};
  status = coil_program_update_weights(program, &mine, 1, &options, &error);
  report("update options", status, error);
  coil_update_options_init(&options);
  options.complete = 1;
  options.in_place = 1;
  options.release = count;
  options.user = &released;
  status = coil_program_update_weights(program, &mine, 1, &options, &error);
  report("incomplete", status, error);
  printf("released %d\n", released);
  status = coil_program_swap_weights(program, &error);
  report("nothing to swap", status, error);
  status = coil_program_prepare_weights(program, &error);
  report("nothing to prepare", status, error);
  status = coil_program_update_weights_from_file(program, "no-such-file.pt2",
                                                 &error);
  report("no file", status, error);

  options.complete = 0;
  coil_weights_info info;
  status = coil_program_update_weights(program, &mine, 1, &options, &error);
  coil_program_get_weights_info(program, &info);
  printf("updated: status %d, active %llu, inactive %d, sets %lld\n", status,
         (unsigned long long)info.active, info.inactive,
         (long long)info.num_sets);
  status = coil_program_prepare_weights(program, &error);
  coil_program_get_weights_info(program, &info);
  printf("prepared: status %d, inactive %d\n", status, info.inactive);
  status = coil_program_swap_weights(program, &error);
  coil_program_get_weights_info(program, &info);
  coil_program_get_weight(program, i, &weight, NULL);
  printf("swapped: status %d, active %llu, inactive %d, in place %d\n", status,
         (unsigned long long)info.active, info.inactive,
         weight.tensor.data == bias);
  status = coil_program_update_weights_from_file(program, path, &error);
  printf("from the file: status %d, released %d\n", status, released);
  coil_program_swap_weights(program, &error);
  printf("swapped again: released %d\n", released);
  coil_program_drop_weights(program);
  coil_program_get_weights_info(program, &info);
  printf("dropped: active %llu, inactive %d, sets %lld, released %d\n",
         (unsigned long long)info.active, info.inactive,
         (long long)info.num_sets, released);
  coil_program_destroy(program);
  return 0;
}

int main(int argc, char **argv) {
  char *error = NULL;
  coil_program *program = NULL;
  coil_result *result = NULL;
  int32_t status;
  if (argc != 3)
    return 2;
  printf("API %u of Coil %s, runtime %u\n", coil_api_version(), coil_version(),
         coil_runtime_version());

  status = coil_program_compile("no-such-file.mlir", NULL, &program, &error);
  report("missing", status, error);
  status = coil_program_compile(NULL, NULL, &program, &error);
  report("null", status, error);
  status = coil_program_compile_text("{", 1, NULL, &program, &error);
  report("text", status, error);
  status = coil_program_compile_text(NULL, 0, NULL, &program, &error);
  report("no text", status, error);
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
  printf("graphs %s\n", coil_program_graph_stats_json(program));

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
  weights(argv[2]);
  if (update(argv[2]))
    return 1;
  return kernels();
}
