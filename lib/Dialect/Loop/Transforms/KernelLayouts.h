//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the tensors of one kernel are, which of them could be elsewhere, and
// what that takes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELLAYOUTS_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELLAYOUTS_H

#include "LayoutCost.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>
#include <string>

namespace coil::loop {

/// Dimensions of a tensor from the outermost to the innermost one in memory.
using DimOrder = llvm::SmallVector<unsigned>;

/// One tensor that a kernel reads or writes.
struct TensorUse {
  mlir::Value tensor;
  bool isResult;
  /// The first operand that it is, or the result.
  unsigned number;
  double elementBytes;
  /// Sizes of the tensor, and its strides in elements.
  llvm::SmallVector<double> sizes, strides;
  /// For each access and each dimension of the tensor what one step along each
  /// dimension of the kernel adds to the index; empty where an index is no such
  /// sum, and then `steps` are all that is known.
  llvm::SmallVector<llvm::SmallVector<llvm::SmallVector<double>>> indices;
  llvm::SmallVector<AccessSteps> steps;
  /// Whether it may be in another order.
  bool canMove = false;

  double getBytes() const;
  /// The accesses of the tensor with other strides.
  llvm::SmallVector<AccessSteps>
  getSteps(llvm::ArrayRef<double> otherStrides) const;
};

/// A tensor of a kernel that is brought into another order.
struct Move {
  unsigned use;
  DimOrder order;
};

/// How a kernel had best be computed.
struct KernelPlan {
  double bytes;
  llvm::SmallVector<Move> moves;
};

class KernelLayouts {
public:
  KernelLayouts(KernelOp kernel, int64_t lanes, int64_t processors);

  llvm::ArrayRef<TensorUse> getUses() const { return uses; }
  /// Whether all accesses of `tensor` can have it in another order.
  bool canMove(mlir::Value tensor) const;
  /// The orders in which neighbouring lanes of some walk meet neighbouring
  /// elements of `tensor`.
  llvm::SmallVector<DimOrder> getWantedOrders(mlir::Value tensor) const;
  /// Has the model take `tensor` as if it were in this order; null: as it is.
  void assume(mlir::Value tensor, const DimOrder *order);
  /// Bytes of a copy of `tensor`, which is in the order `from` (null: as it
  /// is), to the order `to`; none if it is in that already.
  double getCopyBytes(mlir::Value tensor, const DimOrder *from,
                      llvm::ArrayRef<unsigned> to, double launchBytes) const;
  /// Says of which copies there are others already.
  void setCopied(std::function<bool(mlir::Value, const DimOrder &)> fn) {
    isCopied = std::move(fn);
  }
  /// The least bytes, copies included, of which each takes a launch more. With
  /// `always` of those that copy anything, if there are.
  KernelPlan plan(double launchBytes, bool always = false) const;
  double getBytesWithoutCopies() const {
    return walk(getAccesses()).getBytes();
  }
  /// What no layouts go below.
  double getLeastBytes() const { return walk(getAccesses()).getLeastBytes(); }

private:
  void addUse(mlir::Value tensor, bool isResult, unsigned number);
  void addAccess(TensorUse &use, mlir::Operation *access);
  /// The dimensions of the kernel, innermost last, as most bytes that lanes
  /// along `dim` find next to each other have them.
  llvm::SmallVector<unsigned> getLaneOrder(unsigned dim) const;
  DimOrder getOrder(const TensorUse &use,
                    llvm::ArrayRef<unsigned> laneOrder) const;
  /// The kernel with these accesses.
  WalkedSpace walk(llvm::ArrayRef<AccessSteps> accesses) const {
    return WalkedSpace(extents, reduced, accesses, threads);
  }
  /// What it asks for where each tensor is contiguous along one of the two
  /// dimensions that can be; nothing where there is nothing to move, or more
  /// than half of it although the kernel `isBusy`.
  std::optional<KernelPlan> plan(Walk wanted, double launchBytes,
                                 bool isBusy) const;
  llvm::SmallVector<AccessSteps> getAccesses() const;
  /// Of a copy between where `use` is and the strides `to`.
  double getCopyBytes(const TensorUse &use, llvm::ArrayRef<double> to) const;

  mutable KernelOp kernel;
  Hints hints;
  llvm::SmallVector<double> extents;
  llvm::SmallBitVector reduced;
  WalkingThreads threads;
  llvm::SmallVector<TensorUse, 0> uses;
  /// Of `assume`, before it.
  llvm::SmallVector<double> assumedStrides;
  int64_t assumed = -1;
  std::function<bool(mlir::Value, const DimOrder &)> isCopied;
};

/// The tensor with its dimensions in this order.
mlir::RankedTensorType getPermutedType(mlir::RankedTensorType type,
                                       llvm::ArrayRef<unsigned> order);

/// Makes `tensor`, which has the dimensions of operand number `input` in this
/// order, the operand in its place.
void permuteInput(KernelOp kernel, unsigned input, mlir::Value tensor,
                  llvm::ArrayRef<unsigned> order);

/// Gives a result its dimensions in this order. Its users are the caller's.
void permuteResult(KernelOp kernel, unsigned result,
                   llvm::ArrayRef<unsigned> order);

/// A kernel that copies `tensor` to one of type `type`, which has its
/// dimensions in this order; with `back` it is `tensor` that has them so.
mlir::Value createCopy(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value tensor, mlir::RankedTensorType type,
                       llvm::ArrayRef<unsigned> order, bool back);

/// For remarks: `d1, d0`.
std::string describe(llvm::ArrayRef<unsigned> order);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_KERNELLAYOUTS_H
