//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that is wrong on purpose, for tools that look for such.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace mlir;
using namespace coil;

namespace {

/// Swaps the operands of an op, once.
template <typename Op>
struct SwapOperands : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (op->hasAttr("swapped"))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      Value first = op->getOperand(0);
      op->setOperand(0, op->getOperand(1));
      op->setOperand(1, first);
      op->setAttr("swapped", rewriter.getUnitAttr());
    });
    return success();
  }
};

/// Right: x + y is y + x.
struct SwapAdd : SwapOperands<graph::AddOp> {
  using SwapOperands::SwapOperands;
};

/// Wrong: x - y is no y - x.
struct SwapSub : SwapOperands<graph::SubOp> {
  using SwapOperands::SwapOperands;
};

struct TestBreakProgram : PassWrapper<TestBreakProgram, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestBreakProgram)
  TestBreakProgram() = default;
  TestBreakProgram(const TestBreakProgram &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "test-coil-break-program"; }
  StringRef getDescription() const final {
    return "be wrong: patterns (one of them), kernels (additions become "
           "subtractions), unreadable (an attribute that no parser takes), "
           "unprinted (one that the text leaves out), crash, fail or hang";
  }
  void runOnOperation() override {
    if (how == "crash")
      (void)raise(SIGSEGV);
    while (how == "hang")
      std::this_thread::sleep_for(std::chrono::seconds(1));
    if (how == "fail") {
      getOperation()->emitError("this pass fails on purpose");
      return signalPassFailure();
    }
    if (how == "kernels")
      getOperation()->walk([](arith::AddFOp op) {
        OpBuilder builder(op);
        op.replaceAllUsesWith(arith::SubFOp::create(builder, op.getLoc(),
                                                    op.getLhs(), op.getRhs())
                                  .getResult());
      });
    if (how == "unreadable")
      getOperation()->setAttr(
          "unreadable",
          OpaqueAttr::get(StringAttr::get(&getContext(), "nobodys"), "text",
                          NoneType::get(&getContext())));
    if (how == "unprinted")
      getOperation()->walk([](scf::YieldOp op) {
        op->setAttr("unprinted", UnitAttr::get(op.getContext()));
      });
    if (how != "patterns")
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<SwapAdd, SwapSub>(&getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  Option<std::string> how{*this, "how", llvm::cl::desc("How to be wrong"),
                          llvm::cl::init("patterns")};
};

} // namespace

namespace coil::test {
void registerTestBreakProgram() { PassRegistration<TestBreakProgram>(); }
} // namespace coil::test
