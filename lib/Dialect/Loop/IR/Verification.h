//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What verifiers of several ops of `loop` share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_IR_VERIFICATION_H
#define COIL_LIB_DIALECT_LOOP_IR_VERIFICATION_H

#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil::loop {

/// Checks that `expr` mentions only symbols, dimensions below `numDims` and
/// indirect indices below `numArgs`.
mlir::LogicalResult verifyLeaves(mlir::Operation *op, sym::ExprAttr expr,
                                 unsigned numDims, unsigned numArgs);

/// Checks that a kernel has the result that an op of its body writes.
mlir::LogicalResult verifyOutput(mlir::Operation *op, KernelOp kernel,
                                 uint64_t number);

/// Whether values of `type` can be combined by `kind`.
mlir::LogicalResult verifyKind(mlir::Operation *op, ReduceKind kind,
                               mlir::Type type);

/// (C5) and (C6) of the accumulations of a kernel.
mlir::LogicalResult verifyAccumulations(KernelOp kernel);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_IR_VERIFICATION_H
