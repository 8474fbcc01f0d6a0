//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reduction patterns. They need not keep what a program computes, only that it
// verifies; coil-reduce keeps a step when the script still finds the program
// interesting.
//
//===----------------------------------------------------------------------===//

#include "coil/Reducer/Patterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;

namespace {

/// Replaces a pure operation with an operand of the type of its result.
///
///   %1 = graph.add %0, %x : (!t, !t) -> !t   ->   %0
struct ForwardOperand : RewritePattern {
  ForwardOperand(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  virtual bool applies(Operation *op) const = 0;

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !applies(op) ||
        !isMemoryEffectFree(op))
      return failure();
    for (Value operand : op->getOperands())
      if (operand.getType() == op->getResult(0).getType()) {
        rewriter.replaceOp(op, operand);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "no operand of the result's type");
  }
};

struct ForwardGraphOperand : ForwardOperand {
  using ForwardOperand::ForwardOperand;
  bool applies(Operation *op) const override {
    return isa_and_nonnull<coil::graph::GraphDialect>(op->getDialect());
  }
};

/// The body of a kernel is made of ops of loop, arith and math alike.
struct ForwardScalarOperand : ForwardOperand {
  using ForwardOperand::ForwardOperand;
  bool applies(Operation *op) const override {
    return isa_and_nonnull<coil::loop::KernelOp>(op->getParentOp());
  }
};

/// Drops the schedule of a kernel.
struct DropSchedule : OpRewritePattern<coil::loop::KernelOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(coil::loop::KernelOp kernel,
                                PatternRewriter &rewriter) const override {
    if (!kernel.getScheduleAttr())
      return failure();
    rewriter.modifyOpInPlace(kernel, [&] { kernel.removeScheduleAttr(); });
    return success();
  }
};

struct GraphReduction : DialectReductionPatternInterface {
  GraphReduction(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ForwardGraphOperand>(patterns.getContext());
  }
};

struct LoopReduction : DialectReductionPatternInterface {
  LoopReduction(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ForwardScalarOperand, DropSchedule>(patterns.getContext());
  }
};

} // namespace

void coil::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, graph::GraphDialect *dialect) {
    dialect->addInterfaces<GraphReduction>();
  });
  registry.addExtension(+[](MLIRContext *, loop::LoopDialect *dialect) {
    dialect->addInterfaces<LoopReduction>();
  });
}
