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
#include "coil/Dialect/Target/IR/Target.h"

#include "coil/Dialect/Loop/IR/Loop.h"

#include <optional>

namespace coil::loop {

bool reduces(KernelOp kernel);

bool scatters(KernelOp kernel);

bool sumsRows(KernelOp kernel);

/// Whether the program of `kernel` runs blocks of threads.
bool runsThreads(KernelOp kernel);

/// Whether an op has a value at a point alone that is not dear: no reduction or
/// scan, sum of rows, indirect read, random number or special function.
bool isPointwise(mlir::Operation &op);

/// Operations that an op counts as where it computes something.
int64_t getWeight(mlir::Operation &op, bool runsVectors);

/// Bytes of a tensor.
double getBytes(mlir::Value tensor, const Hints &hints);

/// How many results a kernel reduces or scans to, and the elements of each.
struct ReductionSize {
  double results = 1, elements = 1;
};
ReductionSize getReductionSize(KernelOp kernel, const Hints &hints);

/// Blocks that share each result of a kernel: those of a cluster where results
/// are rows that these keep, and either few or needed again, else one. `other`:
/// a kernel that it would be merged with, if any, which needs them again.
double getSharingBlocks(KernelOp kernel, KernelOp other, const Hints &hints);

/// Longest chain of reductions, each of which needs the one before: a loop over
/// the reduced dimensions for each, and one more for what follows.
unsigned getReductionDepth(KernelOp kernel);

/// The same for what one result needs.
unsigned getReductionDepth(KernelOp kernel, unsigned result);

bool isCheap(KernelOp kernel);

/// A conversion, a sign or the like of one element: computing it again costs
/// less than reading its result, however often.
bool isTrivial(KernelOp kernel);

/// The ops that compute one result of a kernel; nothing where it needs a
/// reduction, a scan, sums of rows, an indirect read or random numbers, or is
/// computed by other special functions: what is expensive, or has no value at a
/// point alone. With `readsStored` values that the kernel stores for others
/// anyway, or that `consumer` reads, are read where they are, which may be what
/// made it expensive. With `storesRows` what reductions give for each row is to
/// be stored and read.
std::optional<ResultSlice> getPointwiseSlice(KernelOp kernel, unsigned result,
                                             bool readsStored,
                                             KernelOp consumer,
                                             bool storesRows = false);

/// Whether somebody other than kernels of the block that no library computes
/// reads `result`, so that it is in memory whatever fusion does.
bool isKept(mlir::OpResult result, llvm::StringRef library);

/// Whether a store at plain dimensions has what it stores at every point at
/// which there is a value of its own.
bool storesEach(StoreOp store, const DimDependence &dependence);

/// What it costs that a consumer computes one result for itself.
struct CopyCost {
  /// Bytes of operands that the consumer does not read anyway.
  double read = 0;
  /// Operations for each element.
  int64_t operations = 0;
};
CopyCost getCopyCost(KernelOp producer, const ResultSlice &slice,
                     KernelOp consumer, const Hints &hints);

/// What a kernel moves and computes: each operand and result once, and each op
/// at the points of the dimensions that it varies over.
struct KernelWork {
  double bytes = 0;
  double operations = 0;
};
KernelWork getWork(KernelOp kernel, const Hints &hints);

/// The time of a kernel in bytes that memory moves meanwhile: those of its own
/// or what its operations take, whichever is longer, and a launch.
double getTimeInBytes(const KernelWork &work,
                      target::TargetAttrInterface target);

/// Whether the blocks of a reduction, one for each result or for some that lie
/// beside one another, leave so much of a device that runs blocks idle, for so
/// long, that to reduce in chunks takes less time: another kernel, and another
/// for what follows. `other` is a kernel that it would be merged with, if any;
/// then the reductions behind both count, too, which would run in chunks of
/// their own.
bool leavesIdle(KernelOp kernel, KernelOp other, const Hints &hints);

/// A reduced dimension, and into how many chunks it is cut.
struct EvenCut {
  unsigned dim;
  int64_t chunks;
  /// How many times as many or as few chunks these are as are wanted, times
  /// what is moved beside their elements.
  double cost;
};

/// What memory moves for each element of chunks of a dimension: those at the
/// ends of pieces of neighbours are in sectors of other chunks, too.
double getPieceCost(KernelOp kernel, const Hints &hints, unsigned dim,
                    double chunks, int64_t vectorDim);

/// Where a reduction is cut into about `parts` chunks of one length, of
/// `shortest` points at least; nothing where no length is near. `stores`: so
/// that what it stores along the way is stored by one chunk each; there may be
/// more of them then where it is so long that partial results cost little.
/// Chunks of the dimension `vectorDim` begin where vectors do, if rows do.
std::optional<EvenCut> findEvenCut(KernelOp kernel, const Hints &hints,
                                   double parts, double shortest,
                                   int64_t vectorDim, bool stores);

/// Whether a reduction that is cut into chunks can store what it reads, too.
bool storesInChunks(KernelOp kernel, const Hints &hints);

/// Whether `consumer` had better compute result number `result` of `producer`
/// by `slice`, which costs `cost`, than read it. Where blocks of threads run,
/// the times of the producer and all readers are compared. On a processor, the
/// operations have to take no longer than what they save would move: the
/// result's bytes, written (unless it `isKept` for others) and read, against
/// those of operands.
bool isCheaperThanKept(KernelOp producer, unsigned result,
                       const ResultSlice &slice, KernelOp consumer,
                       const CopyCost &cost, bool isKept, const Hints &hints);

/// Whether all readers of a pointwise producer's only result had better compute
/// it from its operands than to have it in memory.
bool isCheaperForReaders(KernelOp producer, const Hints &hints);

/// Whether to compute a pointwise producer `repeats` times for each of its
/// elements takes no longer than these take to be written and read. Elements of
/// operands come from memory once, then from caches.
bool isFasterThanMemory(KernelOp producer, KernelOp consumer, double repeats,
                        const Hints &hints);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSIONCOST_H
