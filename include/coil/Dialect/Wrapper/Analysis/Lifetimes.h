//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which storage a host program owns, how long each piece lives, and how much
// there is at a time. Planning, its verifier and the estimate of the peak read
// this, so that they agree on what ends a life.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_ANALYSIS_LIFETIMES_H
#define COIL_DIALECT_WRAPPER_ANALYSIS_LIFETIMES_H

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "llvm/ADT/MapVector.h"

namespace coil::wrapper {

/// Whether a value is a buffer or a pool.
bool isStorage(mlir::Value v);

/// Whether a value is a buffer whose storage the program owns from its
/// definition on, or a pool: what an op allocates or carves, what a loop
/// carries into its regions, and arguments that the function consumes.
bool isOwned(mlir::Value v);

/// What an allocation of so many bytes counts as: rounded up to the alignment
/// of its device, so that one sum describes separate allocations and pools.
int64_t getCountedBytes(double bytes, DeviceAttr device);

/// The operands whose storage an op takes over: those that it frees, gives away
/// or passes to a region, a result or the caller. Their life ends there.
llvm::SmallVector<mlir::OpOperand *> getTakenOperands(mlir::Operation *op);

/// Calls `fn` for each use of storage, through views, too.
void forEachUse(mlir::Value storage,
                llvm::function_ref<void(mlir::OpOperand &)> fn);

/// The part of a program in which storage that it owns is alive.
struct Lifetime {
  mlir::Value storage;
  /// The first and last op of the storage's own block that use it, themselves
  /// or in a region; null where nothing does. So what one branch uses lives to
  /// the end of the `wrapper.if`.
  mlir::Operation *firstUse = nullptr, *lastUse = nullptr;
  /// Whether the last use takes the storage over. In a region of `lastUse`,
  /// that can be on one path only.
  bool isTaken = false;
  /// The steps [begin, end) of the program; none for an argument that nothing
  /// uses.
  size_t begin = 0, end = 0;
};

/// The lifetimes of all storage of a function. Steps number the ops in the
/// order of the text; an op with regions has one before and one after them.
/// Regions that exclude each other come one after another, so what is alive in
/// both never adds up.
class Lifetimes {
public:
  explicit Lifetimes(FuncOp fn);

  /// By storage, in the order of definition.
  const llvm::MapVector<mlir::Value, Lifetime> &get() const {
    return lifetimes;
  }
  size_t getNumSteps() const { return numSteps; }
  /// The step before an op's regions, and the one after them.
  size_t getFirstStep(mlir::Operation *op) const { return steps.at(op).first; }
  size_t getLastStep(mlir::Operation *op) const { return steps.at(op).second; }

private:
  void number(mlir::Block &block);
  void add(mlir::Value storage, size_t begin);

  llvm::MapVector<mlir::Value, Lifetime> lifetimes;
  llvm::DenseMap<mlir::Operation *, std::pair<size_t, size_t>> steps;
  size_t numSteps = 0;
};

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_ANALYSIS_LIFETIMES_H
