//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types that LLVM does not have. MLIR's translation takes for granted what its
// verifiers do not check: the types in attributes, such as what a pointer steps
// over.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_LLVMTYPES_H
#define COIL_LIB_EXECUTIONENGINE_LLVMTYPES_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace coil {

/// Whether every type of the operations in `root` can be translated to LLVM IR;
/// the first one that cannot is a diagnostic at its operation.
mlir::LogicalResult verifyLLVMTypes(mlir::Operation *root);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_LLVMTYPES_H
