//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-select-schedule`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Support/HostVector.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "loop-select-schedule"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPSELECTSCHEDULEPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

namespace {

/// Points of a vectorised parallel dimension in one task.
constexpr int64_t kBlock = 4096;
/// Operations that are worth waking a thread for.
constexpr double kWorkPerGrain = 32768;
/// A gather or scatter costs about this many contiguous accesses.
constexpr double kGatherPenalty = 4;

struct LoopSelectSchedulePass
    : coil::loop::impl::LoopSelectSchedulePassBase<LoopSelectSchedulePass> {
  using LoopSelectSchedulePassBase::LoopSelectSchedulePassBase;

  void runOnOperation() override {
    if (library != "onednn" && library != "none") {
      getOperation().emitError()
          << "unknown library '" << library << "', expected 'onednn' or 'none'";
      return signalPassFailure();
    }
    int64_t bits = vectorBits ? vectorBits : getHostVectorBits();
    Hints hints(getOperation());
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      if (kernel.getSchedule())
        continue;
      if (library == "onednn" &&
          (matchContraction(kernel) || matchConvolution(kernel))) {
        kernel.setScheduleAttr(ScheduleAttr::get(
            &getContext(), StringAttr::get(&getContext(), library), -1, 1, 1, 1,
            1));
        continue;
      }
      kernel.setScheduleAttr(select(kernel, bits, hints));
    }
  }

  /// How well vectorising dimension `d` serves the accesses; higher is better.
  double score(KernelOp kernel, const Variance &variance,
               const sym::Context &context, unsigned d) {
    ExprAttr dim = sym::dim(&getContext(), d);
    double total = 0;
    auto access = [&](Value tensor, ArrayRef<ExprAttr> indices, bool indirect) {
      SmallVector<ExprAttr> sizes =
          sym::getSizes(cast<RankedTensorType>(tensor.getType()));
      ExprAttr address = context.simplify(
          sym::getAddress(&getContext(), indices,
                          sym::getContiguousStrides(&getContext(), sizes)));
      if (indirect) {
        total -= kGatherPenalty;
        return;
      }
      auto split = sym::splitLinear(address, dim);
      if (split && split->first.isConstant(1))
        total += 1;
      else if (!split || !split->first.isConstant(0))
        total -= kGatherPenalty;
    };
    for (Operation &op : *kernel.getBlock()) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        bool indirect = llvm::any_of(load.getArgs(),
                                     [&](Value v) { return variance[v][d]; });
        access(load.getSource(), load.getIndices().getDims(), indirect);
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        access(kernel.getResult(static_cast<unsigned>(store.getOutput())),
               store.getIndices().getDims(), false);
      }
    }
    return total;
  }

  ScheduleAttr select(KernelOp kernel, int64_t bits, const Hints &hints) {
    Variance variance(kernel);
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    SmallVector<unsigned> reduced = kernel.getReducedDims();

    int64_t vectorDim = -1;
    double best = 0;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      // Not worth a vector.
      std::optional<int64_t> extent = kernel.getExtent(d).getConstant();
      if (extent && *extent < 4)
        continue;
      double s = score(kernel, variance, context, d);
      // Between equals the inner one.
      if (vectorDim < 0 || s >= best) {
        best = s;
        vectorDim = d;
      }
    }

    // Lanes: what the widest type that is computed with leaves room for.
    // Positions in 64 bits do not count.
    int64_t widest = 32, ops = 0, heavy = 0;
    for (Operation &op : *kernel.getBlock()) {
      ++ops;
      heavy += isa<math::MathDialect>(op.getDialect()) || isa<SpecialOp>(op);
      for (Value v : op.getResults())
        if (v.getType().isF64())
          widest = 64;
      if (auto store = dyn_cast<StoreOp>(op))
        if (!store.getValue().getDefiningOp<ArgReduceOp>())
          widest = std::max<int64_t>(
              widest, store.getValue().getType().getIntOrFloatBitWidth());
    }
    int64_t width = vectorDim < 0 ? 1 : std::max<int64_t>(bits / widest, 1);

    bool vectorIsReduced =
        vectorDim >= 0 &&
        llvm::is_contained(reduced, static_cast<unsigned>(vectorDim));
    int64_t unroll = 1;
    if (vectorDim >= 0) {
      unroll = heavy ? (ops <= 12 ? 2 : 1) : (ops <= 24 ? 4 : 2);
      double extent = hints(kernel.getExtent(static_cast<unsigned>(vectorDim)));
      while (unroll > 1 && extent < static_cast<double>(width * unroll))
        unroll /= 2;
    }
    int64_t step = width * unroll;
    int64_t block = 1;
    if (vectorDim >= 0 && !vectorIsReduced)
      block = reduced.empty() ? std::max(step, kBlock / step * step) : step;

    double work = static_cast<double>(std::max<int64_t>(ops, 1));
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      double extent = hints(kernel.getExtent(d));
      if (llvm::is_contained(reduced, d))
        work *= extent;
      else if (static_cast<int64_t>(d) == vectorDim)
        work *= std::min(extent, static_cast<double>(block));
    }
    // A vector does `width` operations at a time.
    work /= static_cast<double>(width);
    int64_t grain =
        std::max<int64_t>(1, static_cast<int64_t>(kWorkPerGrain / work));
    grain = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(grain)));
    return ScheduleAttr::get(&getContext(), StringAttr(), vectorDim, width,
                             unroll, block, grain);
  }
};

} // namespace
