//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels `loop-fuse` merges.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSER_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSER_H

#include "KernelMerge.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Target/IR/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>
#include <string>

namespace coil::loop {

/// Fewest bytes that siblings have to share.
inline constexpr double kMinSharedBytes = 10;

/// The part of the bytes of two kernels that one kernel for both has to save
/// where it has fewer blocks, each of which waits for its row.
inline constexpr double kMinSavedPart = 0.1;

/// The blocks of a function that have kernels. Each is fused by itself: what
/// runs under a condition stays there.
llvm::SmallVector<mlir::Block *> getFusionBlocks(mlir::func::FuncOp func);

struct Fuser;

/// Calls `fuse` for each block of a function whose target runs threads, with a
/// fuser for it. Cores find in their caches what the kernel before has written.
void fuseThreadBlocks(
    mlir::func::FuncOp func, int64_t maxOps, llvm::StringRef library,
    llvm::function_ref<void(Fuser &fuser, const ReductionCounts &counts)> fuse);

/// Decides about pairs of kernels; `why` says why not.
struct Fuser {
  Fuser(mlir::func::FuncOp func, mlir::Block &block, int64_t maxOps,
        llvm::StringRef library, int64_t enoughResults, int64_t rowPiece)
      : func(func), block(block), hints(func),
        maxOps(getMaxOps(maxOps, target::getProgramTarget(func))),
        library(library), enoughResults(static_cast<double>(enoughResults)),
        rowPiece(static_cast<double>(rowPiece)) {
    for (auto binder : block.getOps<SymbolBinderOpInterface>())
      binders.push_back({binder, binder.getBoundSymbols()});
  }

  std::string why;
  bool refuse(const llvm::Twine &reason) {
    why = reason.str();
    return false;
  }

  /// Product of the extents of the dimensions in `bits`.
  double points(KernelOp kernel, const llvm::SmallBitVector &bits) {
    double n = 1;
    for (unsigned d : bits.set_bits())
      n *= hints(kernel.getExtent(d));
    return n;
  }

  bool isLibraryKernel(KernelOp kernel) {
    return loop::isLibraryKernel(kernel, library);
  }

  /// An op that binds symbols. Kernels that mention them stay behind it.
  struct Binder {
    mlir::Operation *op;
    llvm::SmallVector<llvm::StringRef> symbols;
  };

  /// Kernels of the block that read `v`, in their order, of which pairs are
  /// looked at: a weight read by a thousand is not worth all of them.
  llvm::SmallVector<KernelOp> getReaders(mlir::Value v) const;

  /// Whether `consumer` reads what `producer` computes.
  static bool isReader(KernelOp consumer, KernelOp producer) {
    return llvm::is_contained(producer->getUsers(), consumer.getOperation());
  }

  /// Whether nothing but `consumer` reads what `producer` computes.
  static bool isOnlyReader(KernelOp consumer, KernelOp producer) {
    return llvm::all_of(producer->getUsers(), [&](mlir::Operation *user) {
      return user == consumer;
    });
  }

  /// The op of the block that `op` is, or is part of.
  mlir::Operation *inBlock(mlir::Operation *op) {
    return block.findAncestorOpInBlock(*op);
  }

  /// Whether `from` reaches `to` through at least one other op. The block is in
  /// topological order throughout, so only ops between the two matter.
  bool hasPathThroughThird(mlir::Operation *from, mlir::Operation *to);

  /// Whether `from`, which comes before `to`, reaches it.
  bool reaches(mlir::Operation *from, mlir::Operation *to) {
    return llvm::is_contained(from->getUsers(), to) ||
           hasPathThroughThird(from, to);
  }

  /// Where a kernel with the operands of `first` and `second` can stand: behind
  /// the last of them. Readers of kept results of `first` have to come later.
  mlir::Operation *lastOperand(KernelOp first, KernelOp second);
  bool readersComeLater(KernelOp first, KernelOp second);

  std::optional<MergePlan> plan(KernelOp producer, KernelOp consumer);
  bool planSameSpace(KernelOp producer, KernelOp consumer,
                     llvm::ArrayRef<LoadOp> reads, MergePlan &plan);
  bool planInline(KernelOp producer, KernelOp consumer,
                  llvm::ArrayRef<LoadOp> reads);
  bool allowEpilogue(KernelOp producer, KernelOp consumer,
                     const MergePlan &plan);
  bool isRecomputedByAll(KernelOp producer);
  /// Whether each of several readers of `kernel` computes it for itself.
  bool isComputedByReaders(KernelOp kernel);
  /// Whether a long reduction alone reads `kernel`, and would not take it any
  /// more once it stores what others read, too: its chunks store nothing.
  bool isTakenByChunks(KernelOp kernel);
  bool isReadDirectly(KernelOp producer);
  /// Whether the only reader of `kernel` is a scatter that would compute its
  /// elements without storing them. It cannot when `reduction`, of which there
  /// are fewer results, is part of the kernel.
  bool isTakenByScatter(KernelOp kernel, KernelOp reduction);
  /// Whether what a kernel reduces or scans is so long, and so few, that one
  /// block for each would leave a device idle; and whether a kernel will be cut
  /// into chunks. With what it computes in one kernel with `other`, if that is
  /// given.
  bool hasFewLongRows(KernelOp kernel, KernelOp other = {});
  bool isLongReduction(KernelOp kernel, KernelOp other = {});
  /// How many times as long a kernel takes because it has fewer results beside
  /// one another than keep the target busy, and reduces each in one block.
  double getSlowdown(KernelOp kernel);
  /// Whether two kernels take less time, of which one alone would reduce in
  /// chunks, which it cannot where the other one stores values that it reduces.
  bool losesChunks(KernelOp kept, KernelOp reduction);
  bool runsInChunks(KernelOp producer, KernelOp consumer, MergePlan &plan);
  /// `v` is what it reads afterwards: the kernel that computes it may be
  /// another one, which has more results.
  std::optional<std::pair<KernelOp, MergePlan>> planCopy(mlir::Value &v,
                                                         KernelOp consumer);
  /// Has `consumer` read `alone` in place of `v`, which it computes, if that
  /// can be merged into it; else erases `alone`.
  std::optional<MergePlan> planInPlaceOf(mlir::Value v, KernelOp alone,
                                         KernelOp consumer);
  /// Whether kernels that share at least `minShared` bytes can be one.
  bool canMergeSiblings(KernelOp first, KernelOp second,
                        double minShared = kMinSharedBytes);

  mlir::func::FuncOp func;
  mlir::Block &block;
  llvm::SmallVector<Binder, 0> binders;
  Hints hints;
  int64_t maxOps;
  llvm::StringRef library;
  double enoughResults, rowPiece;
  /// Whether a long reduction takes in what follows for each of its results:
  /// later than siblings, which have to run over the same dimensions.
  bool takesEpilogues = false;
  /// Whether it stores what others read of its elements: where their rows are
  /// not reduced where they are made.
  bool takesElements = false;
};

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_FUSER_H
