//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moving launches up, and joining them.
//
//===----------------------------------------------------------------------===//

#include "LaunchMotion.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

LaunchMotion::LaunchMotion(Block &block,
                           std::function<bool(sym::ExprAttr)> isSmall)
    : block(block), isSmall(std::move(isSmall)) {
  for (Value v : block.getTerminator()->getOperands())
    results.insert(getStorage(v));
}

int64_t LaunchMotion::enter(Operation &op) {
  int64_t number = next++;
  numbers[&op] = number;
  return number;
}

/// Whether a value exists before op number `to`, or can.
bool LaunchMotion::canMoveDefinition(Value value, int64_t to) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != &block || numbers.lookup(def) < to)
    return true;
  return (isa<AllocOp>(def) || isMemoryEffectFree(def)) &&
         llvm::all_of(def->getOperands(),
                      [&](Value v) { return canMoveDefinition(v, to); });
}

/// Whether a launch may run in front of what comes behind op number `to`.
bool LaunchMotion::canMove(LaunchOp launch, int64_t to) {
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return false;
  };
  for (Value v : launch->getOperands())
    if (!canMoveDefinition(v, to))
      return refuse("one of its buffers does not exist there yet");
  for (Value v : launch.getInputs())
    if (uses.lookup(getStorage(v)).written >= to)
      return refuse("it reads what was written since");
  for (Value v : launch.getOutputs()) {
    Value storage = getStorage(v);
    if (uses.lookup(storage).used >= to)
      return refuse("it writes to memory that was used since");
    // What the block gives back is in memory until then.
    if (storage.getParentBlock() == &block && storage.getDefiningOp() &&
        !results.contains(storage) &&
        !isSmall(cast<BufferType>(storage.getType()).getStorageBytes()))
      return refuse("its result would be in memory for longer than planned");
  }
  return true;
}

/// Notes what an op does with storage, as if it were number `at`.
void LaunchMotion::record(Operation &op, int64_t at) {
  auto note = [&](Value v, bool writes) {
    if (!isa<BufferType>(v.getType()))
      return;
    Uses &u = uses[getStorage(v)];
    u.used = std::max(u.used, at);
    if (writes)
      u.written = std::max(u.written, at);
  };
  if (isMemoryEffectFree(&op))
    return;
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        note(v, /*writes=*/true);
    });
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    for (Value v : op.getOperands())
      note(v, /*writes=*/true);
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (Value v = effect.getValue())
      if (!isa<MemoryEffects::Allocate>(effect.getEffect()))
        note(v, !isa<MemoryEffects::Read>(effect.getEffect()));
}

/// Moves what defines a value in front of an op, unless it already is there.
static void hoistDefinition(Value value, Operation *before) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != before->getBlock() ||
      def->isBeforeInBlock(before))
    return;
  for (Value v : def->getOperands())
    hoistDefinition(v, before);
  def->moveBefore(before);
}

SmallVector<Block *> wrapper::getLaunchBlocks(FuncOp fn) {
  llvm::SetVector<Block *> blocks;
  fn.walk<WalkOrder::PreOrder>(
      [&](LaunchOp launch) { blocks.insert(launch->getBlock()); });
  return blocks.takeVector();
}

/// What launches cost together, if all have a cost.
static CostAttr getCost(ArrayRef<LaunchOp> launches) {
  sym::ExprAttr bytes, flops, matrix;
  auto add = [](sym::ExprAttr &sum, sym::ExprAttr part) {
    sum = sum && part ? sym::add(sum, part) : sum ? sum : part;
  };
  for (LaunchOp launch : launches) {
    auto cost = launch->getAttrOfType<CostAttr>(kCostAttrName);
    if (!cost)
      return {};
    add(bytes, cost.getBytes());
    add(flops, cost.getFlops());
    add(matrix, cost.getMatrix());
  }
  return CostAttr::get(bytes.getContext(), bytes, flops, matrix);
}

void wrapper::gatherLaunches(ArrayRef<LaunchOp> launches) {
  LaunchOp first = launches.front();
  Operation *last = first;
  for (LaunchOp launch : launches) {
    for (Value v : launch->getOperands())
      hoistDefinition(v, first);
    if (launch != first)
      launch->moveAfter(last);
    last = launch;
  }
}

LaunchOp wrapper::joinLaunches(ArrayRef<LaunchOp> launches, KernelOp kernel,
                               sym::ShapeAttr symbols) {
  LaunchOp first = launches.front();
  SmallVector<Value> inputs, outputs;
  SmallVector<Location> locations;
  gatherLaunches(launches);
  for (LaunchOp launch : launches) {
    llvm::append_range(inputs, launch.getInputs());
    llvm::append_range(outputs, launch.getOutputs());
    locations.push_back(launch.getLoc());
  }
  OpBuilder b(first);
  auto joined =
      LaunchOp::create(b, b.getFusedLoc(locations),
                       FlatSymbolRefAttr::get(kernel.getSymNameAttr()), symbols,
                       inputs, outputs);
  if (CostAttr cost = getCost(launches))
    joined->setAttr(kCostAttrName, cost);
  SmallVector<int64_t> numbers;
  for (LaunchOp launch : launches)
    if (auto own = launch->getAttrOfType<DenseI64ArrayAttr>(kNumbersAttrName))
      llvm::append_range(numbers, own.asArrayRef());
  if (!numbers.empty())
    joined->setAttr(kNumbersAttrName, b.getDenseI64ArrayAttr(numbers));
  for (LaunchOp launch : launches)
    launch.erase();
  return joined;
}
