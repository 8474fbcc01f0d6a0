//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-relax-roundings`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPRELAXROUNDINGSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Marks what a value is computed from, with all roundings on the way.
static void markOperands(Value value, llvm::DenseSet<Operation *> &kept) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->getParentOfType<KernelOp>() || !kept.insert(op).second)
    return;
  for (Value operand : op->getOperands())
    markOperands(operand, kept);
}

/// Whether an op makes a whole of an error in the last bit.
static bool isStep(Operation *op) {
  return isa<arith::CmpFOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundOp, math::RoundEvenOp, arith::FPToSIOp, arith::FPToUIOp,
             arith::RemFOp>(op);
}

namespace {
struct LoopRelaxRoundingsPass
    : coil::loop::impl::LoopRelaxRoundingsPassBase<LoopRelaxRoundingsPass> {
  void runOnOperation() override {
    llvm::DenseSet<Operation *> kept;
    getOperation()->walk([&](Operation *op) {
      if (op->getParentOfType<KernelOp>() &&
          (isStep(op) || op->hasAttr(kStrictAttrName)))
        for (Value operand : op->getOperands())
          markOperands(operand, kept); // (C2), (C3)
    });
    getOperation()->walk([&](arith::ExtFOp extend) {
      auto round = extend.getIn().getDefiningOp<arith::TruncFOp>();
      if (!round || !extend->getParentOfType<KernelOp>() ||
          round.getIn().getType() != extend.getType() || // (C1)
          kept.contains(round) || round->hasAttr(kStrictAttrName))
        return;
      extend.replaceAllUsesWith(round.getIn());
      extend->erase();
      if (round->use_empty())
        round->erase();
      ++numDropped;
    });
  }
};
} // namespace
