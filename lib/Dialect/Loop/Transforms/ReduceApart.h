//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a reduction reduces, computed by a kernel of its own.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_REDUCEAPART_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_REDUCEAPART_H

#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil::loop {

/// Two kernels in place of one that reduces.
struct ReducedApart {
  /// Computes the elements that are reduced, and nothing else.
  KernelOp elements;
  /// Reads them and does the rest.
  KernelOp rest;
};

/// The values of `kernel`, one for each of its points, that its reductions
/// reduce and that could be elements of a tensor: no loads of one.
llvm::SmallVector<mlir::Value> getReducedElements(KernelOp kernel);

/// Builds both kernels in front of `kernel`, which stays. The tensor between
/// them has the dimensions of the kernel, reduced ones innermost.
ReducedApart reduceApart(KernelOp kernel, mlir::Value elements);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_REDUCEAPART_H
