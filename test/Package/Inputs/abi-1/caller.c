/*===----------------------------------------------------------------------===*\
|*
|* Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/* Runs an emitted program on ones and prints what it gives. */
#include "model.h"
#include <stdio.h>

int main(void) {
  float x[2 * 64];
  for (int i = 0; i < 2 * 64; ++i)
    x[i] = 1;
  int64_t sizes[2] = {2, 64}, strides[2] = {64, 1}, out_sizes[8],
          out_strides[8];
  coil_tensor input = {x, sizes, strides, 2, COIL_F32, 0, 0};
  coil_tensor output = {0, out_sizes, out_strides, 0, 0, 0, 0};
  coil_run *run;
  if (coil_run_create(&run) || model_main(run, &input, 1, &output, 1)) {
    printf("error: %s\n", coil_last_error());
    return 1;
  }
  printf("interface %d, %d x %d, first element %g\n", (int)model_abi_version(),
         (int)output.sizes[0], (int)output.sizes[1],
         ((const float *)output.data)[0]);
  coil_run_destroy(run);
  return 0;
}
