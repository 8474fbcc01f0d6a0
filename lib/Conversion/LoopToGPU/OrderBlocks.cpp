//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `wrapper-order-gpu-blocks`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace coil {
#define GEN_PASS_DEF_WRAPPERORDERGPUBLOCKSPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// The launch before, and which way it went through memory.
struct Touched {
  llvm::SmallDenseSet<Value, 4> storage;
  bool descending = false;
};

struct WrapperOrderGPUBlocksPass
    : coil::impl::WrapperOrderGPUBlocksPassBase<WrapperOrderGPUBlocksPass> {
  using WrapperOrderGPUBlocksPassBase::WrapperOrderGPUBlocksPassBase;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    decided.clear();
    for (auto fn : getOperation().getOps<FuncOp>())
      if (!fn.getBody().empty()) {
        hints.emplace(fn);
        visit(fn.getBody());
      }
  }

private:
  void visit(Region &region) {
    for (Block &block : region) {
      Touched before;
      for (Operation &op : block)
        visit(op, before);
    }
  }

  void visit(Operation &op, Touched &before) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      visit(launch, before);
      return;
    }
    for (Region &region : op.getRegions())
      visit(region);
    // What else goes through memory leaves other things in the cache.
    if (op.getNumRegions() > 0 || isa<CallOpInterface>(op) ||
        hasEffect<MemoryEffects::Write>(&op))
      before = Touched();
  }

  void visit(LaunchOp launch, Touched &before) {
    Touched now;
    for (Value v : launch->getOperands())
      if (isLarge(v))
        now.storage.insert(getStorage(v));
    // A kernel over small buffers changes little in the cache.
    if (now.storage.empty())
      return;
    auto kernel = symbols->lookup<KernelOp>(launch.getCallee());
    loop::KernelOp body = kernel ? kernel.getLoopKernel() : loop::KernelOp();
    auto schedule =
        body
            ? dyn_cast_if_present<loop::GPUScheduleAttr>(body.getScheduleAttr())
            : loop::GPUScheduleAttr();
    if (schedule && schedule.getStrategy() == loop::GPUStrategy::Tile) {
      bool meets =
          !sumsRows(body) && llvm::any_of(launch.getInputs(), [&](Value v) {
            return before.storage.contains(getStorage(v));
          });
      // The first launch decides for all of the kernel.
      auto [it, isNew] = decided.try_emplace(
          kernel, schedule.getDescending() || (meets && !before.descending));
      if (isNew && it->second)
        body.setScheduleAttr(descend(schedule));
      now.descending = it->second;
    }
    before = std::move(now);
  }

  /// Rows come in the order of their positions, whichever way blocks go; and
  /// the first ones, such as the frequent words of a vocabulary, have the most
  /// places: they must not be what is left at the end.
  static bool sumsRows(loop::KernelOp kernel) {
    auto sums = kernel.getBlock()->getOps<loop::SegmentSumOp>();
    return sums.begin() != sums.end();
  }

  static loop::GPUScheduleAttr descend(loop::GPUScheduleAttr s) {
    return loop::GPUScheduleAttr::get(
        s.getContext(), s.getStrategy(), s.getVectorDim(), s.getVectorWidth(),
        s.getTransposeDim(), s.getThreadsP(), s.getThreadsR(), s.getItemsP(),
        s.getItemsR(), s.getPersistent(), s.getMinBlocks(), s.getIndexBits(),
        s.getOwners(), s.getSplitR(), s.getAlignTo(), s.getPrefetch(),
        /*descending=*/true, s.getStages(), s.getBlocks(), s.getMma(),
        s.getBoxDims(), s.getBox(), s.getCluster());
  }

  bool isLarge(Value v) {
    auto type = dyn_cast<BufferType>(v.getType());
    if (!type)
      return false;
    return (*hints)(type.getStorageBytes()) >= static_cast<double>(minBytes);
  }

  std::optional<SymbolTable> symbols;
  /// Of the function that is visited.
  std::optional<loop::Hints> hints;
  llvm::DenseMap<Operation *, bool> decided;
};

} // namespace
