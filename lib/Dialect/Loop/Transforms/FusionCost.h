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

#include "KernelMerge.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"

#include "coil/Dialect/Loop/IR/Loop.h"

#include <optional>

namespace coil::loop {

bool reduces(KernelOp kernel);

bool scatters(KernelOp kernel);

bool sumsRows(KernelOp kernel);

/// Whether the program of `kernel` runs blocks of threads.
bool runsThreads(KernelOp kernel);

/// Bytes of a tensor.
double getBytes(mlir::Value tensor, const Hints &hints);

/// Longest chain of reductions, each of which needs the one before: a loop over
/// the reduced dimensions for each, and one more for what follows.
unsigned getReductionDepth(KernelOp kernel);

bool isCheap(KernelOp kernel);

/// A conversion, a sign or the like of one element: computing it again costs
/// less than reading its result, however often.
bool isTrivial(KernelOp kernel);

/// The ops that compute one result of a kernel; nothing where it needs a
/// reduction, a scan, sums of rows, an indirect read or random numbers, or is
/// computed by other special functions: what is expensive, or has no value at a
/// point alone. With `readsStored` values that the kernel stores for others
/// anyway are read where they are, which may be what made it expensive.
std::optional<ResultSlice> getPointwiseSlice(KernelOp kernel, unsigned result,
                                             bool readsStored);

/// Whether somebody other than kernels of the block that no library computes
/// reads `result`, so that it is in memory whatever fusion does.
bool isKept(mlir::OpResult result, llvm::StringRef library);

/// What it costs that a consumer computes one result for itself.
struct CopyCost {
  /// Bytes of operands that the consumer does not read anyway.
  double read = 0;
  /// Operations for each element.
  int64_t operations = 0;
};
CopyCost getCopyCost(KernelOp producer, const ResultSlice &slice,
                     KernelOp consumer, const Hints &hints);

/// Whether `consumer` computes result number `result` of `producer` for itself,
/// which costs `cost`, in the time in which what that saves would move: the
/// result's bytes, written (unless it `isKept` for others) and read, against
/// those of operands.
bool isCheaperThanKept(KernelOp producer, unsigned result, const CopyCost &cost,
                       bool isKept, const Hints &hints);

/// Whether all readers of a pointwise producer's only result had better compute
/// it from its operands than to have it in memory.
bool isCheaperForReaders(KernelOp producer, const Hints &hints);

/// Whether to compute a pointwise producer `repeats` times for each of its
/// elements takes no longer than these take to be written and read. Elements of
/// operands come from memory once, then from caches.
bool isFasterThanMemory(KernelOp producer, double repeats);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSIONCOST_H
