//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets go of inputs behind their last use.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/IR/WrapperRuntime.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERRELEASEINPUTSPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {
struct WrapperReleaseInputs
    : coil::wrapper::impl::WrapperReleaseInputsPassBase<WrapperReleaseInputs> {
  void runOnOperation() override;
};
} // namespace

/// The last op of a block that uses storage, itself or in its regions; null if
/// there is none.
static Operation *findLastUse(Block &block, Value storage) {
  Operation *last = nullptr;
  forEachUse(storage, [&](OpOperand &use) {
    Operation *here = block.findAncestorOpInBlock(*use.getOwner());
    if (here && (!last || last->isBeforeInBlock(here)))
      last = here;
  });
  return last;
}

static void drop(Value value) {
  Block *block = value.getParentBlock();
  Operation *last = nullptr;
  Operation *definition = nullptr; // Of the name that there is in the end.
  while (true) {
    last = findLastUse(*block, value);
    if (isa_and_present<DropOp>(last))
      return;
    if (auto set = dyn_cast_or_null<SetStorageOp>(last);
        set && getStorage(set.getTarget()) == value)
      return; // The name is dead.
    if (auto resize = dyn_cast_or_null<ResizeStorageOp>(last)) {
      definition = resize;
      value = resize.getResult();
      block = resize->getBlock();
    } else if (isa_and_present<DeviceScopeOp, ProfileRangeOp>(last)) {
      // A region that runs once, in place, need not come to its end.
      block = &last->getRegion(0).front();
    } else {
      break;
    }
  }
  // What a region yields lives on under another name.
  if (last && last->hasTrait<OpTrait::IsTerminator>())
    return;
  if (!last)
    last = definition;
  Block::iterator at = last ? std::next(last->getIterator()) : block->begin();
  // Checks belong together, and are no steps.
  while (isa<InputSymbolOp, SymExprOp, wrapper::AssertOp, AssertLayoutOp>(*at))
    ++at;
  OpBuilder b(block, at);
  DropOp::create(b, last ? last->getLoc() : value.getLoc(), value);
}

void WrapperReleaseInputs::runOnOperation() {
  for (FuncOp fn : getOperation().getOps<FuncOp>()) {
    if (fn.isExternal())
      continue;
    for (BlockArgument arg : fn.getArguments())
      // Who loads the weights keeps them.
      if (getCallersArgument(arg) &&
          !fn.getArgAttr(arg.getArgNumber(), "graph.weight"))
        drop(arg);
    SmallVector<BoundObjectOp> objects;
    fn.walk([&](BoundObjectOp op) { objects.push_back(op); });
    for (BoundObjectOp op : objects)
      drop(op);
  }
}
