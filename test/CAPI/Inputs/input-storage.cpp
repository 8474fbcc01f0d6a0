//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls an emitted program that resizes and exchanges storage of its inputs;
// input-storage.test looks at the output.
//
//===----------------------------------------------------------------------===//

#include "model.h"

#include "coil/Runtime/RunContext.h"

#include <cstdio>

static float x[] = {1, 2, 3, 4}, y[] = {5, 6, 7, 8}, z[] = {9, 10};

static int32_t resize(void *, int32_t input, int64_t bytes, void **data) {
  std::printf("resize %d to %d, ", input, int(bytes));
  *data = x;
  return COIL_OK;
}

static int32_t set(void *, int32_t input, int32_t source) {
  std::printf("set %d to %d, ", input, source);
  return COIL_OK;
}

int main() {
  int64_t four[] = {4}, two[] = {2}, one[] = {1};
  coil_tensor inputs[] = {{x, four, one, 1, COIL_F32, COIL_CPU, 0},
                          {y, four, one, 1, COIL_F32, COIL_CPU, 0},
                          {z, two, one, 1, COIL_F32, COIL_CPU, 0}};
  coil_tensor output;
  coil_run *run = nullptr;
  if (coil_run_create(&run))
    return 1;
  int32_t status = model_main(run, inputs, 3, &output, 1);
  std::printf("without: status %d: %s\n", status, coil_last_error());
  coil_input_storage storage = {sizeof(coil_input_storage), 0, resize, set,
                                nullptr};
  if (coil_run_set_input_storage(run, &storage))
    return 1;
  static int numbers[] = {0, 1, 2};
  for (int &number : numbers)
    if (coil_run_set_input_release(
            run, number,
            [](void *user) {
              std::printf("release %d, ", *static_cast<int *>(user));
            },
            &number))
      return 1;
  if (model_main(run, inputs, 3, &output, 1))
    return 1;
  auto *elements = static_cast<const float *>(output.data);
  coil_run_release_inputs(run);
  for (int i = 0; i < 4; ++i)
    std::printf("%g%s", double(elements[i]), i < 3 ? " " : "\n");
  coil_run_destroy(run);
  return 0;
}
