//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract of the stage `graph`.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GraphToLoop/GraphVerifyStage.h"

#include "PopulatePatterns.h"
#include "coil/Conversion/Utils/Contract.h"
#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace coil {
#define GEN_PASS_DEF_GRAPHVERIFYSTAGEPASS
#include "coil/Conversion/GraphStagePasses.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;

/// Whether `convert-graph-to-loop` has a pattern that begins at such an op.
static bool isRootOfPattern(OperationName name) {
  RewritePatternSet patterns(name.getContext());
  populateGraphToLoopPatterns(patterns);
  return llvm::any_of(patterns.getNativePatterns(), [&](const auto &pattern) {
    if (std::optional<OperationName> root = pattern->getRootKind())
      return *root == name;
    std::optional<TypeID> interface = pattern->getRootInterfaceID();
    return interface && name.hasInterface(*interface);
  });
}

namespace {
struct GraphVerifyStage
    : coil::impl::GraphVerifyStagePassBase<GraphVerifyStage> {
  void runOnOperation() override {
    ConversionTarget target(getContext());
    target.addLegalDialect<func::FuncDialect, graph::GraphDialect,
                           loop::LoopDialect, sym::SymDialect>();
    target.addLegalOp<arith::ConstantOp, loop::KernelOp>();
    target.markOpRecursivelyLegal<loop::KernelOp>();
    // Patterns are many; there are few ops of others.
    llvm::DenseMap<OperationName, bool> hasPattern;
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) -> std::optional<bool> {
          if (isa<graph::ElementwiseOpInterface>(op))
            return true;
          auto [entry, isNew] = hasPattern.try_emplace(op->getName(), false);
          if (isNew)
            entry->second = isRootOfPattern(op->getName());
          return entry->second;
        });
    if (failed(verifyStage(
            getOperation(), target, "graph",
            "it is neither an operator nor elementwise, and no lowering to "
            "loop kernels is registered for it")))
      signalPassFailure();
  }
};
} // namespace
