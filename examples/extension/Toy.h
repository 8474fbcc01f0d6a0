//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The toy dialect, its passes and its device.
//
//===----------------------------------------------------------------------===//

#ifndef TOY_H
#define TOY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "ToyDialect.h.inc"

#define GET_OP_CLASSES
#include "ToyOps.h.inc"

namespace toy {

/// Registers the dialect, and the device `toy` in the wrapper dialect.
void registerToy(mlir::DialectRegistry &registry);

/// `toy-expand`: rewrites `toy.twice` into `graph.add`.
std::unique_ptr<mlir::Pass> createToyExpandPass();

/// `toy-place`: moves kernels and the buffers between them to the device, and
/// generates the kernels' code.
std::unique_ptr<mlir::Pass> createToyPlacePass();

} // namespace toy

#endif // TOY_H
