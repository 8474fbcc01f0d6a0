//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the reference semantics of all operations.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REFERENCE_MODELS_H
#define COIL_REFERENCE_MODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace coil::reference {

/// Attaches the reference interfaces to the operations of `func`, `arith`,
/// `math`, `sym`, `loop` and `graph`, each when its dialect is loaded.
void registerModels(mlir::DialectRegistry &registry);

/// The parts of the above.
/// @{
void registerArithModels(mlir::DialectRegistry &registry);
void registerMathModels(mlir::DialectRegistry &registry);
void registerFuncModels(mlir::DialectRegistry &registry);
void registerLoopModels(mlir::DialectRegistry &registry);
void registerLoopScalarModels(mlir::DialectRegistry &registry);
void registerGraphModels(mlir::DialectRegistry &registry);
/// @}

} // namespace coil::reference

#endif // COIL_REFERENCE_MODELS_H
