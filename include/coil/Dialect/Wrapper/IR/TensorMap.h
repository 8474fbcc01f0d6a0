//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps, for those few files that make or pass them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_TENSORMAP_H
#define COIL_DIALECT_WRAPPER_IR_TENSORMAP_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperTensorMapOps.h.inc"

namespace coil::wrapper {

/// Bytes of a tensor map, and what a kernel's parameter for one is aligned to.
inline constexpr unsigned kTensorMapBytes = 128, kTensorMapAlignment = 64;

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_IR_TENSORMAP_H
