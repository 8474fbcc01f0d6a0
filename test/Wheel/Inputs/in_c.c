// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The C library of the wheel.

#include "coil-c/Coil.h"

#include <stdio.h>

int main(int argc, char **argv) {
  coil_program *program;
  char *error;
  if (argc != 2 || coil_program_compile(argv[1], NULL, &program, &error)) {
    fprintf(stderr, "%s\n", argc == 2 ? error : "expected a file");
    return 1;
  }
  printf("  C: Coil %s, %zu input\n", coil_version(),
         coil_program_num_inputs(program));
  coil_program_destroy(program);
  return 0;
}
