//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps: what the unit for copies of tiles is told of a buffer.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "RunState.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

using namespace coil::rt;
using namespace coil::rt::cuda;

static constexpr int64_t maxSize = int64_t(1) << 32, maxStride = int64_t(1)
                                                                 << 40;

/// CUtensorMapDataType of a dtype, or -1. Floats of 8 bits are bytes.
static int dataType(int32_t dtype) {
  switch (dtype) {
  case COIL_BOOL:
  case COIL_I8:
  case COIL_U8:
  case COIL_F8E4M3FN:
  case COIL_F8E5M2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case COIL_I16:
  case COIL_U16:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case COIL_I32:
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
  case COIL_U32:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case COIL_I64:
    return CU_TENSOR_MAP_DATA_TYPE_INT64;
  case COIL_U64:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  case COIL_F16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case COIL_BF16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case COIL_F32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case COIL_F64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  default:
    return -1;
  }
}

/// Checks what a program could not know before: the driver only says that
/// something is wrong.
static int32_t check(const coil_tensor_map &d, const void *address) {
  if (d.struct_size != sizeof(d) || d.rank < 1 || d.rank > 5 ||
      dataType(d.dtype) < 0)
    return fail(COIL_INVALID_ARGUMENT,
                "a tensor map of rank %d and dtype %d is impossible", d.rank,
                d.dtype);
  int64_t bytes = coil_dtype_size(d.dtype), unit = d.interleave == 2 ? 32 : 16;
  for (int32_t i = 0; i < d.rank; ++i) {
    if (d.sizes[i] < 1 || d.sizes[i] > maxSize)
      return fail(COIL_INVALID_ARGUMENT,
                  "dimension %d has the size %" PRId64
                  ", but a tensor map takes 1 to 2^32",
                  i, d.sizes[i]);
    if (d.sizes[i] == 1)
      continue; // Nobody steps along it.
    if (i + 1 == d.rank) {
      if (d.strides[i] != 1)
        return fail(COIL_INVALID_ARGUMENT,
                    "the innermost stride is %" PRId64
                    ", but a tensor map needs 1",
                    d.strides[i]);
      continue;
    }
    if (d.strides[i] <= 0 || d.strides[i] >= maxStride / bytes ||
        d.strides[i] * bytes % unit != 0)
      return fail(COIL_INVALID_ARGUMENT,
                  "dimension %d has a stride of %" PRId64
                  " elements of %" PRId64
                  " bytes, but a tensor map needs a positive multiple of "
                  "%" PRId64 " bytes, less than 2^40",
                  i, d.strides[i], bytes, unit);
  }
  if (reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(unit))
    return fail(COIL_INVALID_ARGUMENT,
                "the buffer begins at %p, but a tensor map needs a multiple of "
                "%" PRId64,
                address, unit);
  return COIL_OK;
}

static int32_t encode(RunState &state, const coil_tensor_map &d,
                      const void *address, EncodedTensorMap &map) {
  Device &device = state.device;
  if (!device.driver.tensorMapEncodeTiled)
    return fail(COIL_UNAVAILABLE,
                "the CUDA driver makes no tensor maps: it has no function "
                "'cuTensorMapEncodeTiled'");
  if (device.major < 9)
    return fail(COIL_UNAVAILABLE,
                "device %d has the compute capability %d.%d, but tensor maps "
                "need 9.0",
                device.index, device.major, device.minor);
  if (int32_t status = check(d, address))
    return status;
  // The driver counts from the innermost dimension, and strides in bytes.
  uint64_t sizes[5], strides[5];
  uint32_t box[5], elementStrides[5];
  auto bytes = static_cast<uint64_t>(coil_dtype_size(d.dtype));
  for (int32_t i = 0; i < d.rank; ++i) {
    int32_t from = d.rank - 1 - i;
    sizes[i] = static_cast<uint64_t>(d.sizes[from]);
    box[i] = static_cast<uint32_t>(d.box[from]);
    elementStrides[i] = static_cast<uint32_t>(d.element_strides[from]);
    if (i == 0)
      continue;
    // One that nobody steps along still has to be possible.
    strides[i - 1] = static_cast<uint64_t>(d.strides[from]) * bytes;
    if (sizes[i] == 1)
      strides[i - 1] = 32;
  }
  ContextGuard guard(device);
  return device.check(
      device.driver.tensorMapEncodeTiled(
          map.bytes, dataType(d.dtype), static_cast<uint32_t>(d.rank),
          const_cast<void *>(address), sizes, strides, box, elementStrides,
          d.interleave, d.swizzle, d.promotion, d.fill),
      "cannot make a tensor map");
}

extern "C" int32_t coil_rt_tensor_map_cuda(coil_run *run,
                                           const coil_tensor_map *desc,
                                           const void *address,
                                           const void **map) {
  return prepared(run, [&](RunState *state) -> int32_t {
    // A kernel has the map by value, so a graph cannot be told another address.
    if (state->recording)
      state->recording->pin(toDevice(address));
    coil_tensor_map plain = *desc;
    plain.where = nullptr;
    for (int32_t i = std::max(0, plain.rank); i < 5; ++i)
      plain.sizes[i] = plain.strides[i] = plain.box[i] =
          plain.element_strides[i] = 0;
    std::string key(reinterpret_cast<const char *>(&plain), sizeof(plain));
    key.append(reinterpret_cast<const char *>(&address), sizeof(address));
    auto found = state->tensorMaps.find(key);
    if (found == state->tensorMaps.end()) {
      EncodedTensorMap made;
      if (int32_t status = encode(*state, plain, address, made))
        return nameFailure(status, "wrapper.tma_descriptor", desc->where);
      found = state->tensorMaps.emplace(std::move(key), made).first;
    }
    *map = found->second.bytes;
    return COIL_OK;
  });
}
