//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of the DLPack standard, version 1, and the element types of
// the C API in its terms.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PYTHON_EXTENSION_DLPACK_H
#define COIL_PYTHON_EXTENSION_DLPACK_H

#include "coil-c/Coil.h"

namespace coil::dlpack {

constexpr int32_t kCPU = 1, kCUDA = 2, kCUDAHost = 3, kCUDAManaged = 13;

struct Tensor {
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

/// A tensor that someone owns until it calls `deleter`.
struct Managed {
  uint32_t major;
  uint32_t minor;
  void *context;
  void (*deleter)(Managed *self);
  uint64_t flags;
  Tensor tensor;
};

/// What a type offers as `__dlpack_c_exchange_api__`. The functions return 0,
/// or something else with a Python exception set.
struct ExchangeTable {
  uint32_t major;
  uint32_t minor;
  ExchangeTable *previous;
  void *allocate;
  void *managedFromObject;
  /// Makes an object of a tensor, whose owner it becomes.
  int (*managedToObject)(Managed *tensor, void **object);
  /// Describes an object without owning it; may be null.
  int (*fromObject)(void *object, Tensor *out);
  /// The stream that the library works on.
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **stream);
};

/// The element type as a coil_dtype, or -1.
inline int32_t getType(const Tensor &tensor) {
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

/// Writes element type `dtype` to `tensor`.
inline void setType(Tensor &tensor, int32_t dtype) {
  struct Kind {
    uint8_t code, bits;
  };
  // In the order of coil_dtype.
  constexpr Kind kinds[] = {{6, 8},  {0, 8},  {1, 8},  {0, 16}, {1, 16},
                            {0, 32}, {1, 32}, {0, 64}, {1, 64}, {2, 16},
                            {4, 16}, {2, 32}, {2, 64}, {10, 8}, {12, 8}};
  tensor.code = kinds[dtype].code;
  tensor.bits = kinds[dtype].bits;
  tensor.lanes = 1;
}

} // namespace coil::dlpack

#endif // COIL_PYTHON_EXTENSION_DLPACK_H
