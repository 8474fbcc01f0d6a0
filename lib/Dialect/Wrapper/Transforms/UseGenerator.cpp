//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes programs draw from the run's generator rather than from a state that
// they are passed.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERUSEGENERATORPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// How far a call moves the generator's offset; on the argument that is its
/// state.
static constexpr llvm::StringLiteral kRandomState = "graph.random_state";

namespace {
struct WrapperUseGenerator
    : coil::wrapper::impl::WrapperUseGeneratorPassBase<WrapperUseGenerator> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

/// The result that is the state behind the function, if there is one: how far
/// it moves depends on branches and loops.
static std::optional<unsigned> findResult(FuncOp fn) {
  for (unsigned i = 0, n = fn.getNumResults(); i < n; ++i)
    if (fn.getResultAttr(i, kRandomState))
      return i;
  return std::nullopt;
}

static void useGenerator(FuncOp fn, unsigned number) {
  auto step = fn.getArgAttrOfType<sym::ExprAttr>(number, kRandomState);
  BlockArgument arg = fn.getArgument(number);
  for (Operation *user : llvm::make_early_inc_range(arg.getUsers()))
    if (isa<AssertLayoutOp>(user)) // It is ours now.
      user->erase();
  Block &body = fn.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Value state = RngStateOp::create(b, fn.getLoc(), arg.getType());
  arg.replaceAllUsesWith(state);
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  if (std::optional<unsigned> result = findResult(fn)) {
    RngAdvanceOp::create(b, fn.getLoc(), sym::ExprAttr(),
                         end->getOperand(*result));
    end->eraseOperand(*result);
    (void)fn.eraseResult(*result);
  } else {
    RngAdvanceOp::create(b, fn.getLoc(), step, Value());
  }
  (void)fn.eraseArgument(number);
}

void WrapperUseGenerator::runOnOperation() {
  for (FuncOp fn : getOperation().getOps<FuncOp>())
    for (unsigned i = fn.getNumArguments(); i-- > 0;)
      if (!fn.isExternal() && fn.isPublic() &&
          fn.getArgAttrOfType<sym::ExprAttr>(i, kRandomState) &&
          (always || findResult(fn)))
        useGenerator(fn, i);
}
