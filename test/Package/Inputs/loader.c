/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Loads a package with libcoil_loader.so alone, in a fresh process, and runs it
|* on one input whose elements are all `value`:
|*
|*   loader <package> <f32 or i64> <value> <size>...
|*
|* Prints how long mapping the file and reading all of it took, how much longer
|* loading was (which compares each byte with its hash), and the first two
calls;
|* and the first element of the first output.
|*
\*===----------------------------------------------------------------------===*/

#include "coil-c/Program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { max_rank = 8 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Maps a file and reads a byte of each page; milliseconds. */
static double map_file(const char *path) {
  double start = now();
  struct stat status;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &status) != 0)
    return 0;
  const char *bytes =
      mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  volatile char sum = 0;
  for (off_t i = 0; bytes != MAP_FAILED && i < status.st_size; i += 4096)
    sum = (char)(sum + bytes[i]);
  close(file);
  return now() - start;
}

static int fail(char *error) {
  printf("error: %s\n", error ? error : "(none)");
  coil_string_free(error);
  return 1;
}

int main(int argc, char **argv) {
  int64_t sizes[max_rank], strides[max_rank], count = 1;
  int rank = argc - 4;
  if (argc < 4 || rank > max_rank)
    return 2;
  for (int d = rank; d-- > 0;) {
    sizes[d] = atoll(argv[4 + d]);
    strides[d] = count;
    count *= sizes[d];
  }
  int is_float = strcmp(argv[2], "f32") == 0;
  float *floats = malloc((size_t)count * sizeof(float));
  int64_t *integers = malloc((size_t)count * sizeof(int64_t));
  for (int64_t i = 0; i < count; ++i) {
    floats[i] = (float)atof(argv[3]);
    integers[i] = atoll(argv[3]);
  }
  coil_tensor input = {is_float ? (void *)floats : (void *)integers,
                       sizes,
                       strides,
                       rank,
                       is_float ? COIL_F32 : COIL_I64,
                       COIL_CPU,
                       0};
  double mapped = map_file(argv[1]);
  coil_program *program;
  char *error;
  double start = now();
  if (coil_program_load(argv[1], NULL, &program, &error))
    return fail(error);
  double loaded = now() - start;
  double calls[2];
  for (int i = 0; i < 2; ++i) {
    coil_result *result;
    start = now();
    if (coil_program_run(program, &input, 1, &result, &error))
      return fail(error);
    calls[i] = now() - start;
    const coil_tensor *output = coil_result_output(result, 0);
    if (i == 0 && output->dtype == COIL_F32)
      printf("first element: %g\n", *(const float *)output->data);
    coil_result_destroy(result);
  }
  printf("map %.3f ms, load %.3f ms beyond it, first call %.3f ms, second "
         "%.3f ms\n",
         mapped, loaded - mapped, calls[0], calls[1]);
  coil_program_destroy(program);
  free(floats);
  free(integers);
  return 0;
}
