//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers every dialect that Coil defines or its pipelines use.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_INITALLDIALECTS_H
#define COIL_INITALLDIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coil {

/// Registers every dialect that Coil defines or its pipelines use.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace coil

#endif // COIL_INITALLDIALECTS_H
