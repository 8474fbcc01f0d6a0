//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks where inputs and results of calls begin.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERASSERTALIGNMENTPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct WrapperAssertAlignment
    : coil::wrapper::impl::WrapperAssertAlignmentPassBase<
          WrapperAssertAlignment> {
  using Base::Base;

  void runOnOperation() override;

private:
  void addCheck(OpBuilder &b, Location loc, Value buffer, const Twine &name) {
    AssertAlignedOp::create(b, loc, buffer, b.getI64IntegerAttr(alignment),
                            b.getStringAttr(name));
  }
};
} // namespace

static bool mentions(BufferType type, StringRef symbol) {
  sym::ExprAttr leaf = sym::symbol(type.getContext(), symbol);
  auto has = [&](sym::ExprAttr e) { return sym::mentions(e, leaf); };
  return llvm::any_of(type.getSizes().getDims(), has) ||
         llvm::any_of(type.getStrides().getDims(), has);
}

/// The op after which a result of a call has all symbols that its type
/// mentions, and was checked.
static Operation *findLastBinding(Operation *call, OpResult result) {
  auto type = cast<BufferType>(result.getType());
  Operation *last = call;
  for (Operation *user : call->getUsers()) {
    auto bind = dyn_cast<BindSymbolOp>(user);
    auto check = dyn_cast<AssertLayoutOp>(user);
    bool counts = (bind && mentions(type, bind.getSymbol())) ||
                  (check && check.getSource() == result);
    if (counts && user->getBlock() == call->getBlock() &&
        last->isBeforeInBlock(user))
      last = user;
  }
  return last;
}

/// The last op that binds a symbol to the arguments of a function or checks
/// their layout; null if there is none.
static Operation *findLastCheck(FuncOp fn) {
  Operation *last = nullptr;
  fn.getBody().walk([&](Operation *op) {
    if (isa<InputSymbolOp>(op) ||
        (isa<AssertLayoutOp>(op) && isa<BlockArgument>(op->getOperand(0))))
      last = op;
  });
  return last;
}

void WrapperAssertAlignment::runOnOperation() {
  ModuleOp module = getOperation();
  if (alignment < 1 ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(alignment))) { // (C1)
    module.emitError() << "the alignment " << int64_t(alignment)
                       << " is no power of two";
    return signalPassFailure();
  }
  CallHandles handles(module);
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (fn.isExternal())
      continue;
    SmallVector<Operation *> calls;
    fn.walk([&](HostCallOpInterface call) {
      if (call->getNumResults() != 0 && isa<ComputeOpInterface>(*call))
        calls.push_back(call);
    });
    for (Operation *call : calls) {
      OpBuilder b(call->getContext());
      std::string handle = handles.get(cast<ComputeOpInterface>(call));
      for (OpResult result : call->getResults()) {
        b.setInsertionPointAfter(findLastBinding(call, result));
        // In the order of the results where they have one position.
        while (isa<AssertAlignedOp>(&*b.getInsertionPoint()))
          b.setInsertionPointAfter(&*b.getInsertionPoint());
        addCheck(b, call->getLoc(), result,
                 handle + " - out" + Twine(result.getResultNumber()));
      }
    }
    if (fn.isPrivate())
      continue;
    OpBuilder b(fn.getContext());
    if (Operation *last = findLastCheck(fn))
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPointToStart(&fn.getBody().front());
    for (auto [i, arg] : llvm::enumerate(fn.getArguments())) {
      auto number = static_cast<unsigned>(i);
      if (fn.getArgAttr(number, "graph.weight"))
        continue;
      auto name = fn.getArgAttrOfType<StringAttr>(number, "coil.name");
      addCheck(b, fn.getLoc(), arg,
               name ? Twine(name.getValue()) : "arg" + Twine(number));
    }
  }
}
