//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYDEVICES_H
#define COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYDEVICES_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"

namespace coil::wrapper {

/// Checks the constraints of `wrapper-verify-memory` on where steps run.
mlir::LogicalResult verifyDevices(FuncOp fn,
                                  mlir::SymbolTableCollection &tables);

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_VERIFYDEVICES_H
