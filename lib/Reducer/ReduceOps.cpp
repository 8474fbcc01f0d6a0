//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a module apart, one operation at a time.
//
//===----------------------------------------------------------------------===//

#include "coil/Reducer/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace coil {
#define GEN_PASS_DEF_REDUCEOPSPASS
#include "coil/Reducer/Passes.h.inc"
} // namespace coil

/// All operations inside a module, outer ones first.
static SmallVector<Operation *> collectOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != module)
      ops.push_back(op);
  });
  return ops;
}

static bool eraseOp(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || !op->use_empty())
    return false;
  op->erase();
  return true;
}

static bool applyPatterns(Operation *op,
                          const FrozenRewritePatternSet &patterns) {
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false)
      .enableConstantCSE(false)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  bool changed = false;
  (void)applyOpPatternsGreedily(op, patterns, config, &changed);
  return changed;
}

namespace {

struct ReduceOps : coil::impl::ReduceOpsPassBase<ReduceOps> {
  using ReduceOpsPassBase::ReduceOpsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (test.empty()) {
      module.emitError("expected a program in the option 'test'");
      return signalPassFailure();
    }
    SmallVector<std::string> args(testArgs.begin(), testArgs.end());
    Tester tester(test, args);
    if (tester.isInteresting(module).first != Tester::Interestingness::True) {
      module.emitError("the program '" + test +
                       "' does not find the input interesting");
      return signalPassFailure();
    }

    RewritePatternSet set(&getContext());
    DialectInterfaceCollection<DialectReductionPatternInterface> interfaces(
        &getContext());
    for (const DialectReductionPatternInterface &interface : interfaces)
      interface.populateReductionPatterns(set);
    FrozenRewritePatternSet patterns(std::move(set));

    // Candidates that do not verify are expected; they say nothing.
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    auto attempt = [&](size_t index,
                       llvm::function_ref<bool(Operation *)> edit) {
      OwningOpRef<ModuleOp> trial(module.clone());
      SmallVector<Operation *> ops = collectOps(*trial);
      if (index >= ops.size() || !edit(ops[index]) || failed(verify(*trial)) ||
          tester.isInteresting(*trial).first != Tester::Interestingness::True)
        return false;
      module.getBodyRegion().takeBody(trial->getBodyRegion());
      return true;
    };
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t i = collectOps(module).size(); i-- > 0;)
        changed |= attempt(i, eraseOp) || attempt(i, [&](Operation *op) {
                     return applyPatterns(op, patterns);
                   });
    }
  }
};

} // namespace
