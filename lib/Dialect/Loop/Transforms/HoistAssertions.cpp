//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-hoist-assertions`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Loop/Transforms/Passes.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Sym/IR/Sym.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPHOISTASSERTIONSPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;

static bool mentions(sym::AssertOp assertion, StringRef name) {
  sym::ExprAttr symbol = sym::symbol(assertion.getContext(), name);
  return sym::mentions(assertion.getLhs(), symbol) ||
         sym::mentions(assertion.getRhs(), symbol);
}

/// Moves the assertions of a block to its front, or behind the last op that
/// binds one of their symbols.
static void hoist(Block &block) {
  SmallVector<sym::AssertOp> assertions(block.getOps<sym::AssertOp>());
  if (assertions.empty())
    return;
  SmallVector<SymbolBinderOpInterface> binders(
      block.getOps<SymbolBinderOpInterface>());
  // After which op the next assertion comes that has to follow a binder, or
  // that follows none (null).
  DenseMap<Operation *, Operation *> last;
  for (sym::AssertOp assertion : assertions) {
    Operation *after = nullptr;
    for (SymbolBinderOpInterface binder : binders)
      if (llvm::any_of(binder.getBoundSymbols(), [&](StringRef name) {
            return mentions(assertion, name);
          }))
        after = binder;
    auto [it, isFirst] = last.try_emplace(after, after);
    if (it->second)
      assertion->moveAfter(it->second);
    else
      assertion->moveBefore(&block, block.begin());
    it->second = assertion;
  }
}

namespace {

struct LoopHoistAssertions
    : loop::impl::LoopHoistAssertionsPassBase<LoopHoistAssertions> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          hoist(block);
    });
  }
};

} // namespace
