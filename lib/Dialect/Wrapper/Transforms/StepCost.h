//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step of a host program moves and computes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_STEPCOST_H
#define COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_STEPCOST_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// The cost of a launch or a library call, as `wrapper-annotate-costs` attaches
/// it; null for other steps, and for kernels whose body is lowered.
CostAttr computeStepCost(mlir::Operation *op);

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_STEPCOST_H
