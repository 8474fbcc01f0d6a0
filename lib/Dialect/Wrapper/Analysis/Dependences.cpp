//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of a block have to stay in order.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/Dependences.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

bool wrapper::isHelper(Operation *op) {
  return isa<AllocOp, ConstantOp>(op) || isa<ViewLikeOpInterface>(op);
}

static void addSymbols(AttrTypeWalker &walker, Operation *op) {
  walker.walk(op->getAttrDictionary());
  for (Type type : op->getOperandTypes())
    walker.walk(type);
  for (Type type : op->getResultTypes())
    walker.walk(type);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (Type type : block.getArgumentTypes())
        walker.walk(type);
      for (Operation &inner : block)
        addSymbols(walker, &inner);
    }
}

llvm::SetVector<StringAttr> wrapper::getMentionedSymbols(Operation *op) {
  llvm::SetVector<StringAttr> names;
  AttrTypeWalker walker;
  walker.addWalk([&](ExprAttr e) {
    if (e.isSymbol())
      names.insert(StringAttr::get(op->getContext(), e.getName()));
  });
  addSymbols(walker, op);
  return names;
}

/// Checks order what mentions the same symbols behind them.
static bool isCheck(Operation *op) {
  return isa<wrapper::AssertOp, AssertLayoutOp, InputSymbolOp, BindSymbolOp>(
      op);
}

void Dependences::connect(unsigned from, unsigned to) {
  if (from == to)
    return;
  steps[to].before.insert(from);
  steps[from].behind.insert(to);
}

void Dependences::add(unsigned index) {
  Operation *op = steps[index].op;
  llvm::SmallMapVector<Value, bool, 8> touched; // Whether it is written.
  llvm::SetVector<StringAttr> names = getMentionedSymbols(op);
  std::function<void(Value, bool)> touch = [&](Value v, bool writes) {
    if (isStorage(v))
      touched[getStorage(v)] |= writes;
    // What a view or a scalar is computed from comes before, too.
    for (Operation *def = v.getDefiningOp(); def;) {
      if (auto it = numbers.find(def); it != numbers.end())
        connect(it->second, index);
      if (!helpers.contains(def) || def->getNumOperands() == 0)
        break;
      names.insert_range(getMentionedSymbols(def));
      def = def->getOperand(0).getDefiningOp();
    }
  };
  bool hasOther = isCheck(op) || isa<CallOpInterface>(op);
  auto touchOp = [&](Operation *each, auto isOutside) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    auto effects = dyn_cast<MemoryEffectOpInterface>(each);
    if (effects)
      effects.getEffects(instances);
    bool isKnown = effects || isMemoryEffectFree(each) ||
                   each->hasTrait<OpTrait::IsTerminator>();
    hasOther |= !isKnown;
    for (const auto &effect : instances)
      hasOther |= !effect.getValue();
    SmallVector<OpOperand *> taken = getTakenOperands(each);
    for (OpOperand &operand : each->getOpOperands()) {
      if (!isOutside(operand.get()))
        continue;
      // What a region yields has another owner from then on.
      bool writes = !isKnown || llvm::is_contained(taken, &operand);
      for (const auto &effect : instances)
        if (effect.getEffectValue<OpOperand *>() == &operand)
          writes |= !isa<MemoryEffects::Read>(effect.getEffect());
      // What a call or a branch is given may be handed on.
      if (instances.empty() && isStorage(operand.get()) && !isKnown)
        writes = true;
      touch(operand.get(), writes);
    }
  };
  touchOp(op, [](Value) { return true; });
  // Launches and calls of libraries say all that they do.
  if (isa<LaunchOp>(op))
    hasOther = false;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      touchOp(inner,
              [&](Value v) { return !region.isAncestor(v.getParentRegion()); });
    });
  if (auto check = dyn_cast<AssertLayoutOp>(op))
    touch(check.getSource(), /*writes=*/true);

  for (auto &[storage, writes] : touched) {
    Accesses &access = accesses[storage];
    if (access.writer)
      connect(*access.writer, index);
    if (writes) {
      for (unsigned reader : access.readers)
        connect(reader, index);
      access.readers.clear();
      access.writer = index;
    } else {
      access.readers.push_back(index);
    }
  }
  for (StringAttr name : names)
    for (unsigned from : symbols.lookup(name.getValue()))
      connect(from, index);
  for (StringRef name : getBoundSymbols(op))
    symbols[name].push_back(index);
  if (isCheck(op))
    for (StringAttr name : names)
      symbols[name.getValue()].push_back(index);
  // What streams have been given when is for nobody but events to say.
  if (isa<StreamOp, RecordEventOp, WaitEventOp>(op)) {
    for (unsigned from = fence.value_or(0); from < index; ++from)
      connect(from, index);
    fence = index;
  } else if (fence) {
    connect(*fence, index);
  }
  if (hasOther) {
    if (last)
      connect(*last, index);
    last = index;
  }
}

Dependences::Dependences(Block &block) : block(block) {
  for (Operation &op : block.without_terminator()) {
    if (isHelper(&op)) {
      helpers.insert(&op);
      continue;
    }
    numbers[&op] = static_cast<unsigned>(steps.size());
    steps.push_back({&op, {}, {}});
  }
  for (unsigned i = 0; i < steps.size(); ++i)
    add(i);
}

SmallVector<Operation *>
Dependences::getOrder(ArrayRef<unsigned> schedule) const {
  llvm::SetVector<Operation *> list;
  std::function<void(Operation *)> add = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        if (Operation *def = v.getDefiningOp();
            def && helpers.contains(def) && !list.contains(def))
          add(def);
    });
    list.insert(op);
  };
  for (unsigned i : schedule)
    add(steps[i].op);
  for (Operation &op : block.without_terminator())
    add(&op);
  return list.takeVector();
}
