//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-fold-roundings`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Roundings.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPFOLDROUNDINGSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {
struct LoopFoldRoundingsPass
    : coil::loop::impl::LoopFoldRoundingsPassBase<LoopFoldRoundingsPass> {
  void runOnOperation() override {
    // In the order of the body: what an operand loses is seen by its users.
    getOperation()->walk([&](arith::ExtFOp extend) {
      auto round = extend.getIn().getDefiningOp<arith::TruncFOp>();
      if (!round || !extend->getParentOfType<KernelOp>() ||
          round.getIn().getType() != extend.getType() || // (C1)
          !isRepresentable(round.getIn(),
                           cast<FloatType>(round.getType()))) // (C2)
        return;
      extend.replaceAllUsesWith(round.getIn());
      extend->erase();
      if (round->use_empty())
        round->erase();
      ++numFolded;
    });
  }
};
} // namespace
