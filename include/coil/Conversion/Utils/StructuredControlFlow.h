//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and conditions of kernels as branches.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_UTILS_STRUCTUREDCONTROLFLOW_H
#define COIL_CONVERSION_UTILS_STRUCTUREDCONTROLFLOW_H

#include "mlir/Support/LLVM.h"

namespace coil {

/// Replaces the operations of `scf` in \p root by branches, as upstream does.
mlir::LogicalResult convertToBranches(mlir::Operation *root);

} // namespace coil

#endif // COIL_CONVERSION_UTILS_STRUCTUREDCONTROLFLOW_H
