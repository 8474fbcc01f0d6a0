//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The least that a kernel moves and computes, as expressions over its symbols.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_COST_H
#define COIL_DIALECT_LOOP_ANALYSIS_COST_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "llvm/ADT/SmallVector.h"

namespace coil::sym {
class Context;
} // namespace coil::sym

namespace coil::loop {

/// What a kernel does at least.
struct Cost {
  /// Bytes of each operand that are read, and of each result that are written
  /// (and read, where a scatter combines). An element counts once, however
  /// often it is accessed: a load has as many elements as there are points
  /// along the dimensions and indirect indices of its address, all loads of an
  /// operand together at most those that it stores.
  llvm::SmallVector<sym::ExprAttr> inputBytes, outputBytes;
  /// Operations on floats. Each operation of the body counts one (`math.fma`
  /// two) for each point along the dimensions that it varies over, functions
  /// included; a reduction or scan one for each point that it combines. Mean
  /// and deviation take four for a value, eight for a sample of several.
  /// Conversions, comparisons, selections and integers count nothing.
  sym::ExprAttr flops;
  /// Those that are in matrix multiplications of floats of 16 bits.
  sym::ExprAttr matrixFlops;
};

/// Computes the cost of a kernel whose operands have these strides.
Cost computeCost(KernelOp kernel, llvm::ArrayRef<sym::ShapeAttr> inputStrides);

/// Elements of memory after a tensor: dimensions with a stride of zero have
/// one.
sym::ExprAttr getStoredElements(mlir::MLIRContext *context,
                                llvm::ArrayRef<sym::ExprAttr> sizes,
                                llvm::ArrayRef<sym::ExprAttr> strides);

/// The smaller of two numbers: one of them where the facts tell which.
sym::ExprAttr getSmaller(const sym::Context &facts, sym::ExprAttr a,
                         sym::ExprAttr b);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_COST_H
