//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lifetimes of the storage of host programs, across regions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

bool wrapper::isStorage(Value v) {
  return isa<BufferType, PoolType>(v.getType());
}

bool wrapper::isOwned(Value v) {
  if (!isStorage(v))
    return false;
  if (Operation *def = v.getDefiningOp())
    return hasEffect<MemoryEffects::Allocate>(def, v);
  auto arg = cast<BlockArgument>(v);
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto fn = dyn_cast<FuncOp>(parent))
    return fn.isConsumed(arg.getArgNumber());
  return isa<RegionBranchOpInterface>(parent);
}

int64_t wrapper::getCountedBytes(double bytes, DeviceAttr device) {
  double number = std::min(std::max(bytes, 0.0), 0x1p60);
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(number),
                    static_cast<uint64_t>(getAlignment(device))));
}

SmallVector<OpOperand *> wrapper::getTakenOperands(Operation *op) {
  SmallVector<OpOperand *> taken;
  auto take = [&](OpOperand &operand) {
    if (isStorage(operand.get()))
      taken.push_back(&operand);
  };
  if (auto branch = dyn_cast<RegionBranchTerminatorOpInterface>(op)) {
    // What a terminator only reads, a predicate, is not passed on.
    Operation *parent = op->getParentOp();
    MutableOperandRange passed = branch.getMutableSuccessorOperands(
        RegionSuccessor(parent, parent->getResults()));
    for (OpOperand &operand : passed)
      take(operand);
    return taken;
  }
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    for (OpOperand &operand : op->getOpOperands())
      take(operand);
    return taken;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return taken;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (auto *operand = effect.getEffectValue<OpOperand *>();
        operand && isa<MemoryEffects::Free>(effect.getEffect()) &&
        isStorage(operand->get()))
      taken.push_back(operand);
  return taken;
}

void wrapper::forEachUse(Value storage,
                         llvm::function_ref<void(OpOperand &)> fn) {
  SmallVector<Value> values = {storage};
  while (!values.empty())
    for (OpOperand &use : values.pop_back_val().getUses()) {
      fn(use);
      if (auto view = dyn_cast<ViewLikeOpInterface>(use.getOwner());
          view && view.getViewSource() == use.get())
        llvm::append_range(values, use.getOwner()->getResults());
    }
}

Lifetimes::Lifetimes(FuncOp fn) {
  Block &body = fn.getBody().front();
  number(body);
  for (BlockArgument arg : body.getArguments())
    if (isOwned(arg))
      add(arg, 0);
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<RegionBranchOpInterface>(op)) // Others own nothing.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument arg : block.getArguments())
            if (isOwned(arg))
              add(arg, getFirstStep(&block.front()));
    for (Value result : op->getResults())
      if (isOwned(result))
        add(result, getLastStep(op));
  });
}

void Lifetimes::number(Block &block) {
  for (Operation &op : block) {
    size_t first = numSteps++;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    steps[&op] = {first, op.getNumRegions() == 0 ? first : numSteps++};
  }
}

void Lifetimes::add(Value storage, size_t begin) {
  Lifetime &life = lifetimes[storage];
  life.storage = storage;
  life.begin = begin;
  // An argument that nothing uses ends before the first op of its block.
  life.end = isa<BlockArgument>(storage) ? begin : begin + 1;
  Block *block = storage.getParentBlock();
  forEachUse(storage, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    Operation *here = block->findAncestorOpInBlock(*user);
    if (!life.firstUse || getFirstStep(here) < getFirstStep(life.firstUse))
      life.firstUse = here;
    if (!life.lastUse || getFirstStep(life.lastUse) < getFirstStep(here)) {
      life.lastUse = here;
      life.isTaken = false;
    }
    if (life.lastUse == here &&
        llvm::is_contained(getTakenOperands(user), &use)) {
      life.isTaken = true;
      // Whoever takes storage over with its first step owns it from then on; a
      // new name for it begins at this step.
      if (user == here)
        life.end = getFirstStep(user) + (isa<ReuseOp>(user) ? 0 : 1);
    }
  });
  if (life.lastUse &&
      !(life.isTaken &&
        llvm::any_of(getTakenOperands(life.lastUse), [&](OpOperand *operand) {
          return getStorage(operand->get()) == storage;
        })))
    life.end = getLastStep(life.lastUse) + 1;
}
