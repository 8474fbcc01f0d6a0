//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts ranges for profilers around calls of the program and of libraries.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "InPlaceRegion.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERINSERTPROFILEMARKSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct WrapperInsertProfileMarks
    : coil::wrapper::impl::WrapperInsertProfileMarksPassBase<
          WrapperInsertProfileMarks> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

static void addRange(Operation *first, Operation *last, Location loc,
                     StringRef name) {
  wrapInPlace(first, last, [&](OpBuilder &b, TypeRange types) -> Operation * {
    return ProfileRangeOp::create(b, loc, types, b.getStringAttr(name));
  });
}

void WrapperInsertProfileMarks::runOnOperation() {
  ModuleOp module = getOperation();
  CallHandles handles(module);
  for (FuncOp fn : module.getOps<FuncOp>()) {
    if (fn.isExternal())
      continue;
    SmallVector<ComputeOpInterface> steps;
    fn.walk([&](ComputeOpInterface step) {
      // Kernels have names of their own in profiles; a partition is replayed.
      if (calls && !isa<LaunchOp, LaunchUserOp>(step.getOperation()) &&
          !isa<PartitionOp>(step->getParentOp()))
        steps.push_back(step);
    });
    for (ComputeOpInterface step : steps) {
      // What looks at the results of a call belongs to it.
      Operation *last = step;
      while (isa<BindSymbolOp, AssertLayoutOp>(last->getNextNode()))
        last = last->getNextNode();
      addRange(step, last, step.getLoc(), handles.get(step));
    }
    Block &body = fn.getBody().front();
    if (fn.isPublic() && body.getOperations().size() > 1)
      addRange(&body.front(), body.getTerminator()->getPrevNode(), fn.getLoc(),
               fn.getName());
  }
}
