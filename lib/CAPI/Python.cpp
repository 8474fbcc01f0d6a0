//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads tensors of Python libraries by DLPack's table of C functions. The types
// are those of the DLPack standard, version 1.
//
//===----------------------------------------------------------------------===//

#include "coil-c/Coil.h"

namespace {

constexpr int32_t deviceCPU = 1, deviceCUDA = 2, deviceCUDAHost = 3,
                  deviceCUDAManaged = 13;

struct DLTensor {
  void *data;
  int32_t deviceType;
  int32_t deviceId;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *sizes;
  int64_t *strides;
  uint64_t byteOffset;
};

struct ExchangeTable {
  uint32_t major;
  uint32_t minor;
  ExchangeTable *previous;
  void *allocate;
  void *managedFromObject;
  void *managedToObject;
  /// Describes an object without owning it; not 0 on failure. May be null.
  int (*fromObject)(void *object, DLTensor *out);
  /// The stream that the library works on.
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **stream);
};

} // namespace

/// The element type as a coil_dtype, or -1.
static int32_t getType(const DLTensor &tensor) {
  if (tensor.lanes != 1)
    return -1;
  unsigned log = tensor.bits == 8    ? 0
                 : tensor.bits == 16 ? 1
                 : tensor.bits == 32 ? 2
                 : tensor.bits == 64 ? 3
                                     : 4;
  if (log == 4)
    return -1;
  constexpr int32_t integers[] = {COIL_I8, COIL_I16, COIL_I32, COIL_I64};
  constexpr int32_t naturals[] = {COIL_U8, COIL_U16, COIL_U32, COIL_U64};
  constexpr int32_t floats[] = {-1, COIL_F16, COIL_F32, COIL_F64};
  switch (tensor.code) {
  case 0:
    return integers[log];
  case 1:
    return naturals[log];
  case 2:
    return floats[log];
  case 4:
    return log == 1 ? COIL_BF16 : -1;
  case 6:
    return log == 0 ? COIL_BOOL : -1;
  case 10:
    return log == 0 ? COIL_F8E4M3FN : -1;
  case 12:
    return log == 0 ? COIL_F8E5M2 : -1;
  default:
    return -1;
  }
}

extern "C" int32_t coil_tensors_from_python(const void *exchange,
                                            const coil_python_objects *objects,
                                            void *stream, int64_t *shapes,
                                            size_t room, coil_tensor *tensors) {
  auto *table = static_cast<const ExchangeTable *>(exchange);
  while (table && table->major != 1)
    table = table->previous;
  if (!table || !table->fromObject)
    return 0;
  // The device whose stream was compared last.
  int32_t checked = -1;
  for (size_t i = 0; i < objects->count; ++i) {
    void *object = objects->get(objects->sequence, intptr_t(i));
    DLTensor from;
    if (!object || table->fromObject(object, &from))
      return 0;
    coil_tensor &to = tensors[i];
    to.dtype = getType(from);
    bool onHost =
        from.deviceType == deviceCPU || from.deviceType == deviceCUDAHost;
    bool onGPU =
        from.deviceType == deviceCUDA || from.deviceType == deviceCUDAManaged;
    size_t rank = size_t(from.rank);
    // Absent strides would have to be made up.
    if (to.dtype < 0 || !(onHost || onGPU) || (rank && !from.strides) ||
        room < 2 * rank)
      return 0;
    if (onGPU && from.deviceId != checked) {
      void *current = nullptr;
      if (!table->currentStream ||
          table->currentStream(deviceCUDA, from.deviceId, &current) ||
          current != stream)
        return 0;
      checked = from.deviceId;
    }
    to.data = static_cast<char *>(from.data) + from.byteOffset;
    to.sizes = shapes;
    to.strides = shapes + rank;
    for (size_t d = 0; d < rank; ++d) {
      shapes[d] = from.sizes[d];
      shapes[rank + d] = from.strides[d];
    }
    shapes += 2 * rank;
    room -= 2 * rank;
    to.rank = from.rank;
    to.device_type = onGPU ? COIL_CUDA : COIL_CPU;
    to.device_index = onGPU ? from.deviceId : 0;
  }
  return checked < 0 ? 1 : -1;
}
