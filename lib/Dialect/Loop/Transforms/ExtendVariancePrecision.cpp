//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-extend-variance-precision`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPEXTENDVARIANCEPRECISIONPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

namespace {

/// The values of one kernel that are computed in `f64`, too.
class Widener {
public:
  explicit Widener(KernelOp kernel)
      : kernel(kernel), dependence(kernel), builder(kernel.getContext()) {
    reduced.resize(kernel.getNumDims());
    for (unsigned d : kernel.getReducedDims())
      reduced.set(d);
  }

  void run() {
    SmallVector<Operation *> ops;
    for (Operation &op : *kernel.getBlock())
      ops.push_back(&op);
    SmallVector<Operation *> replaced;
    for (Operation *op : ops) {
      if (auto moments = dyn_cast<WelfordOp>(op)) {
        if (widen(moments))
          replaced.push_back(op);
      } else if (auto narrow = dyn_cast<arith::TruncFOp>(op);
                 narrow && narrow.getType().isF32() &&
                 isDeviations(narrow.getIn())) {
        wide[narrow] = narrow.getIn();
      } else if (canWiden(op)) {
        widen(op);
        replaced.push_back(op);
      }
    }
    // What else reads the values reads them rounded.
    for (Operation *op : llvm::reverse(replaced)) {
      for (Value old : op->getResults()) {
        if (old.use_empty())
          continue;
        builder.setInsertionPointAfterValue(wide[old]);
        old.replaceAllUsesWith(arith::TruncFOp::create(
            builder, op->getLoc(), old.getType(), wide[old]));
      }
      op->erase();
    }
  }

private:
  static bool isDeviations(Value v) {
    auto moments = v.getDefiningOp<WelfordOp>();
    return moments && v == moments.getTotalM2();
  }

  bool widen(WelfordOp op) {
    if (!op.getTotalM2().getType().isF32() || op.getTotalM2().use_empty())
      return false;
    builder.setInsertionPoint(op);
    Type type = builder.getF64Type();
    auto result = WelfordOp::create(builder, op.getLoc(),
                                    TypeRange{type, type, type}, op.getMean(),
                                    op.getM2(), op.getCount(), op.getDims());
    for (auto [old, v] : llvm::zip_equal(op.getResults(), result.getResults()))
      wide[old] = v;
    return true;
  }

  /// Whether `op` is arithmetic with a wide value, once for a row.
  bool canWiden(Operation *op) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
               arith::MaximumFOp, math::SqrtOp, math::RsqrtOp>(op) &&
           op->getResult(0).getType().isF32() &&
           !dependence[op->getResult(0)].anyCommon(reduced) &&
           llvm::any_of(op->getOperands(), [&](Value v) {
             return wide.contains(v) && !isMean(v);
           });
  }

  /// A mean by itself is as exact in `f32`.
  static bool isMean(Value v) {
    auto moments = v.getDefiningOp<WelfordOp>();
    return moments && v != moments.getTotalM2();
  }

  void widen(Operation *op) {
    builder.setInsertionPoint(op);
    IRMapping map;
    for (Value v : op->getOperands()) {
      if (map.contains(v))
        continue;
      Value w = wide.lookup(v);
      if (!w)
        w = builder.createOrFold<arith::ExtFOp>(op->getLoc(),
                                                builder.getF64Type(), v);
      map.map(v, w);
    }
    Operation *result = builder.clone(*op, map);
    result->getResult(0).setType(builder.getF64Type());
    wide[op->getResult(0)] = result->getResult(0);
  }

  KernelOp kernel;
  DimDependence dependence;
  OpBuilder builder;
  llvm::SmallBitVector reduced;
  llvm::DenseMap<Value, Value> wide;
};

struct LoopExtendVariancePrecisionPass
    : coil::loop::impl::LoopExtendVariancePrecisionPassBase<
          LoopExtendVariancePrecisionPass> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) { Widener(kernel).run(); });
  }
};

} // namespace
