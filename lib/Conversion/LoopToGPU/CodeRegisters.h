//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers of a thread, counted in the code of a kernel. `RegisterUse.h` has
// what schedules are chosen by, before there is code.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_CODEREGISTERS_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_CODEREGISTERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace coil {

/// 32-bit words of values that are live at one time, at most, in the order of
/// the code. Arguments, constants and addresses at constant distances are
/// operands of instructions.
int64_t countLiveWords(mlir::gpu::GPUFuncOp func);

/// Registers that a thread wants.
int64_t countRegisters(mlir::gpu::GPUFuncOp func);

} // namespace coil

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_CODEREGISTERS_H
