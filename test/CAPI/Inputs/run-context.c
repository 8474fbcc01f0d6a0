/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Runs programs with what a run can have around it; run-context.test looks at
|* the output.
|*
\*===----------------------------------------------------------------------===*/

#include "coil-c/Coil.h"
#include "coil/Runtime/HostABI.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static coil_program *compile(const char *path, const char *options) {
  coil_compile_options how;
  coil_compile_options_init(&how);
  how.pipeline_options = options;
  coil_program *program = NULL;
  char *error = NULL;
  if (coil_program_compile(path, &how, &program, &error)) {
    printf("compile: %s\n", error);
    exit(1);
  }
  return program;
}

static int released;
static void release(void *user, size_t input) {
  ++released;
  printf("%s%zu%s", (const char *)user, input,
         *(const char *)user == 'r' ? ", " : " ");
}
static void countRelease(void *user, size_t input) {
  (void)user, (void)input;
  ++released;
}

static int32_t show(void *user, const coil_hook_value *value) {
  (void)user;
  printf("%s %s at %s, ", value->step, value->name, value->where);
  return COIL_OK;
}
static int32_t stop(void *user, const coil_hook_value *value) {
  (void)user, (void)value;
  return coil_rt_fail(NULL, COIL_ASSERTION_FAILED, "no more");
}

static uint64_t state[] = {7, 8};
static int32_t getState(void *user, uint64_t *seed, uint64_t *offset) {
  (void)user;
  *seed = state[0];
  *offset = state[1];
  return COIL_OK;
}
static int32_t setState(void *user, uint64_t seed, uint64_t offset) {
  (void)user;
  state[0] = seed;
  state[1] = offset;
  return COIL_OK;
}

/* A class with two methods. */
static int destroyed;
static void destroy(void *data, void *user) {
  (void)data, (void)user;
  ++destroyed;
}
static int32_t add(coil_call *call, void *user) {
  (void)user;
  coil_object *self = coil_call_object(call, 0);
  const coil_tensor *x = coil_call_tensor(call, 1), *y = NULL;
  const int64_t *n = coil_call_int(call, 2);
  if (!self || !x || !n)
    return COIL_INVALID_ARGUMENT;
  *(int64_t *)coil_object_data(self) += *n;
  int32_t status = coil_call_result(call, 0, x->dtype, x->rank, x->sizes, &y);
  if (!status)
    memcpy(y->data, x->data, 2 * sizeof(float));
  return status;
}
static int32_t note(coil_call *call, void *user) {
  (void)user;
  return coil_call_num_arguments(call) == 6 ? COIL_OK : COIL_INVALID_ARGUMENT;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  float x[4] = {0, 0, 0, 0};
  int64_t sizes[] = {4}, strides[] = {1};
  coil_tensor tensor = {x, sizes, strides, 1, COIL_F32, COIL_CPU, 0};
  coil_tensor inputs[] = {tensor, tensor};
  char *error = NULL;
  coil_result *result = NULL;
  coil_run_options options;
  coil_run_options_init(&options);
  options.release_input = release;

  printf("without the option: the end ");
  coil_program *program = compile(argv[1], "fuse=false library=none");
  options.release_user = "";
  coil_program_run_with(program, inputs, 2, &options, &result, &error);
  printf("\n");
  coil_result_destroy(result);
  coil_program_destroy(program);

  printf("with it: ");
  program = compile(
      argv[1], "fuse=false library=none release-inputs=true debug-values=hook");
  coil_program_set_hook(program, show, NULL);
  options.release_user = "release ";
  coil_program_run_with(program, inputs, 2, &options, &result, &error);
  printf("the end\n");
  coil_result_destroy(result);

  printf("a run that does not begin: ");
  coil_tensor wrong[] = {tensor, tensor};
  wrong[1].dtype = COIL_I32;
  int32_t status =
      coil_program_run_with(program, wrong, 2, &options, &result, &error);
  printf("status %d\n", status);
  coil_string_free(error);

  released = 0;
  options.release_input = countRelease;
  coil_program_set_hook(program, stop, NULL);
  status = coil_program_run_with(program, inputs, 2, &options, &result, &error);
  printf("a hook that fails: status %d: %s; released %d\n", status, error,
         released);
  coil_string_free(error);
  coil_program_destroy(program);

  float many[4096] = {0};
  int64_t count[] = {4096};
  coil_tensor long_input = {many, count, strides, 1, COIL_F32, COIL_CPU, 0};
  coil_generator generator = {sizeof(coil_generator), 0, getState, setState,
                              NULL};
  const char *ways[] = {"", "random=generator"};
  for (int i = 0; i < 2; ++i) {
    program = compile(argv[2], ways[i]);
    coil_program_set_generator(program, &generator);
    for (int j = 0; j < 2; ++j) {
      coil_program_run(program, &long_input, 1, &result, &error);
      coil_result_destroy(result);
    }
    coil_generator none = {sizeof(coil_generator), 0, NULL, NULL, NULL};
    if (i == 1)
      printf("generator: %d %d\nno functions: status %d\n", (int)state[0],
             (int)state[1], coil_program_set_generator(program, &none));
    coil_program_destroy(program);
  }

  coil_class counter = {sizeof(coil_class), 0, "mylib::Counter", destroy, NULL};
  coil_function methods[] = {
      {sizeof(coil_function), 0, "mylib::Counter.add", COIL_CPU, 0, add, NULL},
      {sizeof(coil_function), 0, "mylib::Counter.note", COIL_CPU, 0, note,
       NULL}};
  if (coil_register_class(&counter) || coil_register_function(&methods[0]) ||
      coil_register_function(&methods[1]))
    return 1;
  program = compile(argv[3], "");
  int64_t two[] = {2}, total = 0;
  coil_tensor short_input = {x, two, strides, 1, COIL_F32, COIL_CPU, 0};
  status = coil_program_run(program, &short_input, 1, &result, &error);
  printf("unbound: status %d: %s\n", status, error);
  coil_string_free(error);
  coil_object *object = NULL;
  if (coil_object_create("mylib::Counter", &total, &object))
    return 1;
  coil_program_bind_object(program, "counter", object);
  coil_object_release(object);
  for (int i = 0; i < 100000; ++i) {
    if (coil_program_run(program, &short_input, 1, &result, &error)) {
      printf("run %d: %s\n", i, error);
      return 1;
    }
    coil_result_destroy(result);
  }
  printf("added %d, objects %d, destroyed %d\n", (int)total,
         (int)coil_object_count(), destroyed);
  coil_program_destroy(program);
  printf("destroyed %d, objects %d\n", destroyed, (int)coil_object_count());
  return 0;
}
