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
#include "Run.h"
#include "StridedCopy.h"
#include "Transfer.h"

#include "coil/Runtime/CUDA.h"
#include "coil/Runtime/HostABI.h"

#include <cinttypes>

using namespace coil::rt;

/// Fails where a size is another than the program expects; says whether there
/// is no element.
static int32_t checkSizes(const coil_tensor *input, const char *name,
                          const int64_t *sizes, bool &empty) {
  empty = false;
  for (int32_t d = 0; d < input->rank; ++d) {
    if (input->sizes[d] != sizes[d])
      return fail(COIL_INVALID_ARGUMENT,
                  "input '%s' has size %" PRId64
                  " in dimension %d, expected %" PRId64,
                  name, input->sizes[d], d, sizes[d]);
    empty |= sizes[d] == 0;
  }
  return COIL_OK;
}

/// The first dimension whose stride is another than the program expects.
static int32_t findStride(const coil_tensor *input, const int64_t *strides) {
  for (int32_t d = 0; d < input->rank; ++d)
    if (input->sizes[d] > 1 && input->strides[d] != strides[d])
      return d;
  return -1;
}

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
  bool empty;
  if (int32_t status = checkSizes(input, name, sizes, empty))
    return status;
  int32_t d = empty ? -1 : findStride(input, strides);
  if (d < 0)
    return COIL_OK;
  return fail(COIL_INVALID_ARGUMENT,
              "input '%s' has stride %" PRId64
              " in dimension %d, expected %" PRId64,
              name, input->strides[d], d, strides[d]);
}

int32_t coil_rt_match_layout(coil_run *run, const coil_tensor *input,
                             const char *name, const int64_t *sizes,
                             const int64_t *strides, void **data) {
  return guarded([&]() -> int32_t {
    bool empty;
    if (int32_t status = checkSizes(input, name, sizes, empty))
      return status;
    int32_t d = empty ? -1 : findStride(input, strides);
    if (d < 0)
      return COIL_OK;
    bool isHost = input->device_type == COIL_CPU;
    if ((!isHost && input->device_type != COIL_CUDA) ||
        !areDistinct(input->rank, sizes, strides))
      return fail(COIL_INVALID_ARGUMENT,
                  "input '%s' has stride %" PRId64
                  " in dimension %d, expected %" PRId64
                  ", and cannot be copied: %s",
                  name, input->strides[d], d, strides[d],
                  isHost || input->device_type == COIL_CUDA
                      ? "elements of the expected layout share memory"
                      : "its device has no copies between layouts");
    int64_t first = 0, last = 0, count = 1;
    for (int32_t i = 0; i < input->rank; ++i) {
      (strides[i] < 0 ? first : last) += (sizes[i] - 1) * strides[i];
      count *= sizes[i];
    }
    int64_t element = coil_dtype_size(input->dtype);
    int64_t bytes = (last - first + 1) * element;
    void *memory = nullptr;
    if (int32_t status = isHost ? coil_rt_alloc(run, bytes, &memory)
                                : coil_rt_alloc_cuda(run, bytes, &memory))
      return status;
    char *target = static_cast<char *>(memory) - first * element;
    if (isHost)
      copyStrided(element, input->rank, sizes, input->data, input->strides,
                  target, strides);
    else if (int32_t status = copyStridedCuda(run, input, target, strides))
      return status;
    ++run->stats.input_copies;
    run->stats.input_copy_bytes += count * element;
    *data = target;
    return COIL_OK;
  });
}

} // extern "C"
