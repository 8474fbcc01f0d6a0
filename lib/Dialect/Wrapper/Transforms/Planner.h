//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans the memory of one host program: what is written in place, what is
// carved from pools, what is handed over later, and where lives end.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_PLANNER_H
#define COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_PLANNER_H

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/Analysis/PoolLayout.h"
#include "coil/Dialect/Wrapper/Analysis/Timeline.h"

namespace coil::wrapper {

enum class PlanMode { None, Reuse, Pool };

/// Storage that the program owns, and what becomes of it.
struct PlannedBuffer {
  Lifetime life;
  /// What makes it, if that can be replaced.
  AllocOp alloc;
  /// What stands for the buffer after planning.
  mlir::Value value;
  int64_t bytes = 0; ///< At the hints, in units of the device's alignment.
  /// Whose storage it takes over in place; and who takes over its own.
  PlannedBuffer *inPlaceOf = nullptr, *inPlaceBy = nullptr;
  /// Whether another buffer took over the storage.
  bool handedOver = false;
  bool isInPool = false;
};

/// Where a program needs most memory, if every buffer is freed after its last
/// use: the bytes, the first step with as many, and how many steps have them.
struct LiveSet {
  int64_t bytes = 0;
  size_t step = 0, numSteps = 0;
};

class Planner {
public:
  /// `bounds` has lower bounds of functions that are called and not planned.
  Planner(FuncOp fn, mlir::SymbolTableCollection &tables,
          const llvm::DenseMap<mlir::Operation *, int64_t> *bounds = nullptr);

  void run(PlanMode mode);
  /// The lower bound of the peak in this order of the program, which stays as
  /// it is.
  int64_t getLowerBound();
  /// The same, with the steps at which it is reached, as `Lifetimes` numbers
  /// them.
  LiveSet getLargestLiveSet();

private:
  using Key = std::pair<DeviceAttr, sym::ExprAttr>;

  static Key getKey(mlir::Value v);
  int64_t getBytes(mlir::Value v);
  int64_t getBytes(sym::ExprAttr bytes, DeviceAttr device);

  void eraseUnused();
  /// Finds buffers and their lives.
  Timeline collect();
  void addCalls(Timeline &timeline);
  void findInPlace(mlir::Block &block, Timeline &timeline);
  void findInPlace(PlannedBuffer &buffer, Timeline &timeline);
  void applyInPlace(PlannedBuffer &buffer);
  void planReuse(mlir::Block &block, Timeline &timeline);
  void handOver(PlannedBuffer &from, PlannedBuffer &to, mlir::Operation *before,
                llvm::StringRef how);
  void endIn(mlir::Block &block, mlir::Value storage);
  void insertFrees();
  void report(int64_t peak, int64_t lowerBound, int64_t allocations);

  //===--- Pools (PlanPools.cpp) ------------------------------------------===//

  /// Buffers that have one piece of storage one after the other, in place.
  struct Leaf {
    llvm::SmallVector<PlannedBuffer *> chain;
    size_t begin = 0, end = 0;
    /// The first step at which its size is known.
    size_t available = 0;
    DeviceAttr device;
    sym::ExprAttr bytes;
  };
  /// What a layout means for the program.
  struct PoolUse {
    llvm::SmallVector<std::pair<Leaf *, sym::ExprAttr>> inside;
    size_t begin = 0, end = 0;
    int64_t bytes = 0;
  };
  /// A pool that was decided on; it replaces the allocations of its leaves.
  struct Pool {
    llvm::SmallVector<PlannedBuffer *> leaves;
    PoolOp op;
  };

  void planPools(mlir::Block &block, Timeline &timeline);
  std::vector<Leaf> collectLeaves(mlir::Block &block);
  void planPools(std::vector<Leaf> leaves, Timeline &timeline, int64_t limit);
  PoolUse getUse(llvm::MutableArrayRef<Leaf> leaves, const PoolLayout &layout);
  void account(const PoolUse &use, Timeline &timeline, int64_t sign);
  std::optional<PoolLayout> layOutInLess(llvm::MutableArrayRef<Leaf> leaves,
                                         llvm::ArrayRef<PoolLeaf> shapes,
                                         int64_t bytes, Timeline &timeline,
                                         int64_t limit);
  void makePool(llvm::ArrayRef<std::pair<Leaf *, sym::ExprAttr>> leaves,
                const PoolLayout &layout);
  /// Frees pools behind the last release of a buffer in them.
  void freePools();

  FuncOp fn;
  mlir::SymbolTableCollection &tables;
  const llvm::DenseMap<mlir::Operation *, int64_t> *bounds;
  loop::Hints hints;
  sym::Context facts;
  std::optional<Lifetimes> lifetimes;
  /// By the storage's value in the program before planning.
  llvm::MapVector<mlir::Value, PlannedBuffer> buffers;
  /// What dies with the last use by an op.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<PlannedBuffer *>> dying;
  std::vector<Pool> pools;
  /// The ops that end lives, by what they end.
  llvm::DenseMap<mlir::Value, mlir::Operation *> releases;
  int64_t reuses = 0;
};

} // namespace coil::wrapper

#endif // COIL_LIB_DIALECT_WRAPPER_TRANSFORMS_PLANNER_H
