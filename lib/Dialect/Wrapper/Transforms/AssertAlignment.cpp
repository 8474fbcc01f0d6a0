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
      Operation *last = call;
      while (isa<BindSymbolOp, AssertLayoutOp>(last->getNextNode()))
        last = last->getNextNode();
      OpBuilder b(call->getContext());
      b.setInsertionPointAfter(last);
      std::string handle = handles.get(cast<ComputeOpInterface>(call));
      for (OpResult result : call->getResults())
        addCheck(b, call->getLoc(), result,
                 handle + " - out" + Twine(result.getResultNumber()));
    }
    if (fn.isPrivate())
      continue;
    Operation *first = &fn.getBody().front().front();
    while (isa<InputSymbolOp, AssertLayoutOp>(first))
      first = first->getNextNode();
    OpBuilder b(first);
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
