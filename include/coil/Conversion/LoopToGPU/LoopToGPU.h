//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scheduling and lowering of loop kernels for GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_LOOPTOGPU_LOOPTOGPU_H
#define COIL_CONVERSION_LOOPTOGPU_LOOPTOGPU_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace coil {

/// What a kernel writes to the run's error word when an index is out of range.
inline constexpr int kGPUIndexOutOfRange = 1;

#define GEN_PASS_DECL_WRAPPERBATCHGPULAUNCHESPASS
#define GEN_PASS_DECL_WRAPPERCOMBINEGPULAUNCHESPASS
#define GEN_PASS_DECL_CONVERTLOOPTOGPUPASS
#define GEN_PASS_DECL_LOOPFLATTENPOINTWISEPASS
#define GEN_PASS_DECL_LOOPSELECTGPUSCHEDULEPASS
#define GEN_PASS_DECL_WRAPPERORDERGPUBLOCKSPASS
#include "coil/Conversion/Passes.h.inc"

/// Gives the launches of a program numbers, which passes that join launches
/// keep.
void numberLaunches(mlir::ModuleOp module);

/// Makes `wrapper.combination`s of the launches of a program with numbers that
/// are joined in \p joined, a copy of it; and removes the numbers.
void markCombinations(mlir::ModuleOp module, mlir::ModuleOp joined);

} // namespace coil

#endif // COIL_CONVERSION_LOOPTOGPU_LOOPTOGPU_H
