/* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* The loops of gpu_host.py that are C: launches without Coil, and calls through
   the C API. Each returns microseconds of the host, negative for a failure.
   What they call is given to them, so that nothing needs to be linked. */

#include "coil-c/Coil.h"

#include <time.h>

static double since(const struct timespec *begin) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin->tv_sec) * 1e6 +
         (double)(end.tv_nsec - begin->tv_nsec) * 1e-3;
}

typedef int (*launch_fn)(void *, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, void *, void **,
                         void **);

/* n calls of cuLaunchKernel. */
double launch(launch_fn function, void *kernel, int n, void **params) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < n; ++i)
    if (function(kernel, 1, 1, 1, 32, 1, 1, 0, 0, params, 0))
      return -1;
  return since(&begin);
}

/* CUlaunchConfig with one CUlaunchAttribute. */
typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int allowed;
  } value;
} attribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  attribute *attributes;
  unsigned count;
} config;
typedef int (*launch_ex_fn)(const config *, void *, void **, void **);

/* n calls of cuLaunchKernelEx, each of which may begin before the last one ends
   (programmatic stream serialization), as Coil launches its kernels. */
double launch_overlapping(launch_ex_fn function, void *kernel, int n,
                          void **params) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < n; ++i) {
    attribute overlaps = {6, {0}, {{0}}};
    overlaps.value.allowed = 1;
    config launch = {{1, 1, 1}, {32, 1, 1}, 0, 0, &overlaps, 1};
    if (function(&launch, kernel, params, 0))
      return -1;
  }
  return since(&begin);
}

typedef int32_t (*run_fn)(const coil_program *, const coil_tensor *, size_t,
                          const coil_run_options *, coil_result **, char **);
typedef void (*init_fn)(coil_run_options *);
typedef void (*destroy_fn)(coil_result *);
typedef int32_t (*launch_bound_fn)(coil_result *, int32_t, char **);

/* A call in the legacy default stream, outputs allocated and freed. */
double call(run_fn run, init_fn init, destroy_fn destroy,
            const coil_program *program, const coil_tensor *inputs,
            size_t count) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  coil_run_options options;
  init(&options);
  options.use_stream = 1;
  coil_result *result;
  if (run(program, inputs, count, &options, &result, 0))
    return -1;
  destroy(result);
  return since(&begin);
}

/* Binds such a call, whose outputs are always the same; NULL for a failure. */
coil_result *bind_call(run_fn bind, init_fn init, const coil_program *program,
                       const coil_tensor *inputs, size_t count) {
  coil_run_options options;
  init(&options);
  options.use_stream = 1;
  coil_result *result;
  return bind(program, inputs, count, &options, &result, 0) ? 0 : result;
}

double call_bound(launch_bound_fn launch_bound, coil_result *result) {
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (launch_bound(result, 0, 0))
    return -1;
  return since(&begin);
}
