//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect `accel`, and what the parts of the plugin register.
//
//===----------------------------------------------------------------------===//

#ifndef ACCEL_H
#define ACCEL_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "AccelDialect.h.inc"

#define GET_OP_CLASSES
#include "AccelOps.h.inc"

namespace accel {

/// One function for each part; `Plugin.cpp` calls them.
/// @{
void registerDevice(mlir::DialectRegistry &registry);
void registerTarget();
void registerPasses();
void registerOperators();
void registerLibrary();
void registerSchedules();
void registerEmitters();
/// @}

} // namespace accel

#endif // ACCEL_H
