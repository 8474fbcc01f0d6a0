//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-extend-product-precision`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Products.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPEXTENDPRODUCTPRECISIONPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

static void widen(ReduceOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = b.getF64Type();
  Value factor = arith::ExtFOp::create(b, loc, type, op.getValue());
  auto product =
      ReduceOp::create(b, loc, type, op.getKind(), factor, op.getDims());
  Value rounded = arith::TruncFOp::create(b, loc, op.getType(), product);
  op.getResult().replaceAllUsesWith(rounded);
  op->erase();
}

namespace {
struct LoopExtendProductPrecisionPass
    : coil::loop::impl::LoopExtendProductPrecisionPassBase<
          LoopExtendProductPrecisionPass> {
  void runOnOperation() override {
    SmallVector<ReduceOp> products;
    getOperation()->walk([&](ReduceOp op) {
      if (op.getKind() == ReduceKind::Prod && op.getType().isF32() && // (C1)
          !isCutOff(op))                                              // (C2)
        products.push_back(op);
    });
    llvm::for_each(products, widen);
  }
};
} // namespace
