//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What it costs to compute a kernel once more, and other properties of kernels
// that fusion goes by.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSIONCOST_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSIONCOST_H

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/IR/Loop.h"

namespace coil::loop {

bool reduces(KernelOp kernel);

bool scatters(KernelOp kernel);

bool sumsRows(KernelOp kernel);

/// Ops that cost much more than an addition.
bool isHeavy(mlir::Operation &op);

/// Longest chain of reductions, each of which needs the one before: a loop over
/// the reduced dimensions for each, and one more for what follows.
unsigned getReductionDepth(KernelOp kernel);

bool isCheap(KernelOp kernel);

/// A conversion, a sign or the like of one element: computing it again costs
/// less than reading its result, however often.
bool isTrivial(KernelOp kernel);

/// Whether a pointwise producer of several readers is computed again for less
/// than it costs to write its result: from no more bytes than that has, in the
/// time in which they move.
bool isCheaperThanKept(KernelOp producer, const Hints &hints);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSIONCOST_H
