//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies from one device to another: checks, and who makes them.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Transfer.h"

#include "Error.h"
#include "Run.h"
#include "StridedCopy.h"
#include "Transfer.h"

#include <map>
#include <mutex>

using namespace coil::rt;

namespace {
struct Registry {
  std::mutex mutex;
  std::map<int32_t, coil_transfer_function> functions;
};
} // namespace

/// Lives as long as the process: threads may copy while it ends.
static Registry &getRegistry() {
  static Registry *registry = new Registry;
  return *registry;
}

static coil_transfer_function lookup(int32_t type) {
  if (type == COIL_CUDA)
    return transferCuda;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto it = registry.functions.find(type);
  return it == registry.functions.end() ? nullptr : it->second;
}

bool coil::rt::isContiguous(const coil_tensor &tensor) {
  int64_t step = 1;
  for (int32_t d = tensor.rank; d-- > 0;) {
    if (tensor.sizes[d] != 1 && tensor.strides[d] != step)
      return false;
    step *= tensor.sizes[d];
  }
  return true;
}

int64_t coil::rt::countBytes(const coil_tensor &tensor) {
  int64_t bytes = coil_dtype_size(tensor.dtype);
  for (int32_t d = 0; d < tensor.rank; ++d)
    bytes *= tensor.sizes[d];
  return bytes;
}

extern "C" {

int32_t coil_rt_transfer(coil_run *run, const coil_tensor *to,
                         const coil_tensor *from, int32_t non_blocking) {
  return guarded([&]() -> int32_t {
    bool fits = to->dtype == from->dtype && to->rank == from->rank &&
                coil_dtype_size(to->dtype) > 0;
    for (int32_t d = 0; fits && d < to->rank; ++d)
      fits = to->sizes[d] == from->sizes[d];
    if (!fits || !isContiguous(*to))
      return fail(COIL_INVALID_ARGUMENT,
                  "a copy between devices needs tensors of the same sizes and "
                  "type, and a target that lies row by row");
    bool onGPUs =
        from->device_type == COIL_CUDA && to->device_type == COIL_CUDA;
    if (from->device_type != COIL_CPU && to->device_type != COIL_CPU && !onGPUs)
      return fail(COIL_UNSUPPORTED,
                  "elements cannot go from a device of type %d to one of type "
                  "%d in one step",
                  from->device_type, to->device_type);
    if (countBytes(*to) <= 0)
      return COIL_OK;
    if (onGPUs)
      return transferPeers(run, to, from);
    int32_t type =
        to->device_type != COIL_CPU ? to->device_type : from->device_type;
    if (type == COIL_CPU) {
      copyStrided(coil_dtype_size(to->dtype), to->rank, to->sizes, from->data,
                  from->strides, to->data, to->strides);
      return COIL_OK;
    }
    coil_transfer_function function = lookup(type);
    if (!function)
      return fail(COIL_UNSUPPORTED,
                  "nobody is registered who moves elements between the host "
                  "and devices of type %d",
                  type);
    return function(run, to, from, non_blocking);
  });
}

int32_t coil_rt_select_device(coil_run *run, int32_t device_type,
                              int32_t index) {
  return guarded([&]() -> int32_t {
    if (device_type == COIL_CUDA)
      return selectCudaDevice(run, index);
    if (index == 0)
      return COIL_OK;
    return fail(COIL_UNSUPPORTED, "a run has one device of type %d",
                device_type);
  });
}

int32_t coil_register_transfer(int32_t device_type,
                               coil_transfer_function function) {
  return guarded([&]() -> int32_t {
    if (!function || device_type == COIL_CPU || device_type == COIL_CUDA)
      return fail(COIL_INVALID_ARGUMENT,
                  "a transfer is registered for a device that is not ours");
    Registry &registry = getRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    if (!registry.functions.emplace(device_type, function).second)
      return fail(COIL_INVALID_ARGUMENT,
                  "transfers of devices of type %d are registered already",
                  device_type);
    return COIL_OK;
  });
}

} // extern "C"
