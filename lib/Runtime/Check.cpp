//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of inputs that compiled programs make.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "coil/Runtime/HostABI.h"

#include <cinttypes>

using namespace coil::rt;

extern "C" {

int32_t coil_rt_check_input(coil_run *, const coil_tensor *input,
                            const char *name, int32_t dtype, int32_t rank,
                            int32_t deviceType) {
  if (input->rank != rank)
    return fail(COIL_INVALID_ARGUMENT, "input '%s' has rank %d, expected %d",
                name, input->rank, rank);
  if (input->dtype != dtype) {
    const char *given = coil_dtype_name(input->dtype);
    return fail(COIL_INVALID_ARGUMENT,
                "input '%s' has element type %s, expected %s", name,
                given ? given : "unknown", coil_dtype_name(dtype));
  }
  if (input->device_type != deviceType)
    return fail(COIL_INVALID_ARGUMENT,
                "input '%s' is on a device of type %d, expected %d", name,
                input->device_type, deviceType);
  return COIL_OK;
}

int32_t coil_rt_check_layout(coil_run *, const coil_tensor *input,
                             const char *name, const int64_t *sizes,
                             const int64_t *strides) {
  bool empty = false;
  for (int32_t d = 0; d < input->rank; ++d) {
    if (input->sizes[d] != sizes[d])
      return fail(COIL_INVALID_ARGUMENT,
                  "input '%s' has size %" PRId64
                  " in dimension %d, expected %" PRId64,
                  name, input->sizes[d], d, sizes[d]);
    empty |= sizes[d] == 0;
  }
  for (int32_t d = 0; d < input->rank && !empty; ++d)
    if (sizes[d] > 1 && input->strides[d] != strides[d])
      return fail(COIL_INVALID_ARGUMENT,
                  "input '%s' has stride %" PRId64
                  " in dimension %d, expected %" PRId64,
                  name, input->strides[d], d, strides[d]);
  return COIL_OK;
}

} // extern "C"
