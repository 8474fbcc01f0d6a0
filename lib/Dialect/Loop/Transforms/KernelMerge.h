//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mechanics of fusion: splicing one kernel's body into another's. Whether to
// fuse is decided by the caller.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELMERGE_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELMERGE_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"

namespace coil::loop {

/// How a producer's body enters its consumer.
struct MergePlan {
  /// Extents of the merged kernel: those of the consumer, then new ones.
  llvm::SmallVector<sym::ExprAttr> extents;
  /// What each dimension of the producer is in the merged kernel. Reduced
  /// dimensions are plain dimensions.
  llvm::SmallVector<sym::ExprAttr> producerDims;
  /// Whether the merged kernel also has the producer's results.
  bool keepResults = false;
  /// Whether what both compute of the same elements has to be one value: the
  /// merged kernel is to be recognised by it.
  bool sharesValues = false;
};

/// Builds the kernel that computes `consumer` with every read of `producer`
/// replaced by the producer's computation, in front of `consumer`, and replaces
/// both (the producer only if its results are kept or unused). All reads go
/// through unmasked or masked loads with direct indices, or such that
/// `canReadIndirectly` allows, and the producer does not scatter.
KernelOp mergeProducer(KernelOp producer, KernelOp consumer,
                       const MergePlan &plan);

/// Makes equal values of a kernel one.
void shareValues(KernelOp kernel);

/// Builds one kernel with the results of both, which run over the same space
/// and do not depend on each other, in front of `second`; replaces both.
KernelOp mergeSiblings(KernelOp first, KernelOp second);

/// What one result of a kernel is computed from.
struct ResultSlice {
  /// The ops that it needs, in their order, its store among them.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Stores of other results whose values are read instead of computed.
  llvm::SmallVector<StoreOp> stored;
  /// Values, of rows which reductions give or of points, that are to be stored
  /// and read.
  llvm::SmallVector<mlir::Value> rows;
};

/// Adds a result for each of `slice.rows`, at the dimensions that `kernel` does
/// not reduce, or at all where it varies over others, and has the slice read
/// it. Replaces the kernel; what is in its body stays.
KernelOp storeRows(KernelOp kernel, ResultSlice &slice);

/// Builds a kernel that computes result number `result` alone, behind `kernel`.
KernelOp extractResult(KernelOp kernel, unsigned result,
                       const ResultSlice &slice);

/// Whether `producer`, pointwise, can be computed at the indirect index that
/// `read`, a load of `consumer` from result number `result` of it, has: its own
/// loads then have that index, and check it as `read` does.
bool canReadIndirectly(KernelOp producer, unsigned result, LoadOp read);

/// Makes equal operands one body argument.
void mergeEqualInputs(KernelOp kernel);
/// Drops operands that the body does not read.
void dropUnusedInputs(KernelOp kernel);
/// Drops ops whose values nothing needs, and operands that nothing reads then.
void dropUnusedOps(KernelOp kernel);

/// Drops results that nobody reads, and what only they needed. Returns the
/// kernel to use from then on.
KernelOp dropUnusedResults(KernelOp kernel);

/// Name of a merged kernel: both names, without repetition, bounded.
std::string mergeNames(llvm::StringRef a, llvm::StringRef b);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELMERGE_H
