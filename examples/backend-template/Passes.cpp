//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes: one that every compilation runs, since it is registered at an
// extension point, and one that a flag adds.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Pipelines/Extensions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace graph = coil::graph;
namespace wrapper = coil::wrapper;

namespace {

/// graph.mul %x, (graph.sigmoid %x)  ->  accel.silu %x
struct FormSilu : OpRewritePattern<graph::MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [x, y] : {std::pair(op.getLhs(), op.getRhs()),
                        std::pair(op.getRhs(), op.getLhs())}) {
      auto sigmoid = y.getDefiningOp<graph::SigmoidOp>();
      if (!sigmoid || sigmoid.getInput() != x || x.getType() != op.getType())
        continue;
      rewriter.replaceOpWithNewOp<accel::SiluOp>(op, op.getType(), x);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is the other's sigmoid");
  }
};

struct AccelFormSiluPass
    : PassWrapper<AccelFormSiluPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccelFormSiluPass)
  StringRef getArgument() const override { return "accel-form-silu"; }
  StringRef getDescription() const override {
    return "rewrite products of a value and its sigmoid into accel.silu";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<accel::AccelDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FormSilu>(&getContext());
    // Removes what has no use then: the sigmoid.
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// Moves kernels and buffers from the CPU to the device.
struct AccelPlacePass : PassWrapper<AccelPlacePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AccelPlacePass)
  StringRef getArgument() const override { return "accel-place"; }
  StringRef getDescription() const override {
    return "move kernels and buffers from the CPU to the device accel";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<wrapper::WrapperDialect>();
  }
  void runOnOperation() override {
    auto device = wrapper::DeviceAttr::get(&getContext(), "accel", 0);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](wrapper::DeviceAttr attr) {
      return attr.getKind() == "cpu" ? device : attr;
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (auto kernel : getOperation().getOps<wrapper::KernelOp>())
      kernel.setDeviceAttr(device);
  }
};

} // namespace

void accel::registerPasses() {
  PassRegistration<AccelFormSiluPass>();
  PassRegistration<AccelPlacePass>();
  coil::registerPipelineExtension(
      coil::ExtensionPoint::AfterDecomposition, "accel",
      [](OpPassManager &pm, const coil::CompilePipelineOptions &) {
        pm.addNestedPass<func::FuncOp>(std::make_unique<AccelFormSiluPass>());
      });
}
