//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_KERNELMODEL_H
#define COIL_LIB_REFERENCE_KERNELMODEL_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace coil::reference {

/// Reference semantics of `loop.kernel`.
void registerKernelModel(mlir::MLIRContext *context);

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_KERNELMODEL_H
