//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds an order of the steps of host programs that needs less memory.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "Planner.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <set>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERREORDERFORMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-reorder-for-memory"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

/// The orders that are tried besides that of the program.
enum class Order { SmallestGrowth, DepthFirst };

/// A step that is scheduled, with what has to come right before it.
struct Step {
  Operation *op = nullptr;
  /// Positions of steps that have to come before and behind it.
  SmallVector<unsigned> before, behind;
  /// The storage that begins with it, and all that it uses.
  SmallVector<Value> begins, uses;
};

/// Ops between two that keep their place.
class Segment {
public:
  Segment(ArrayRef<Operation *> ops, Block &block, loop::Hints &hints)
      : ops(ops), block(block), hints(hints) {}

  /// The ops in an order, which has all of them.
  SmallVector<Operation *> getOrder(Order order);

private:
  void build();
  void connect(unsigned from, unsigned to);
  void addDependences(unsigned index, Operation *op);
  SmallVector<unsigned> scheduleBySmallestGrowth();
  SmallVector<unsigned> scheduleDepthFirst();
  int64_t getBytes(Value storage);
  /// What a step allocates less what dies with it, in bytes.
  int64_t getGrowth(unsigned index);

  ArrayRef<Operation *> ops;
  Block &block;
  loop::Hints &hints;
  std::vector<Step> steps;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// Allocations, views, literals and scalars wait for the first step that
  /// needs them.
  llvm::DenseSet<Operation *> helpers;
  struct Accesses {
    std::optional<unsigned> writer;
    SmallVector<unsigned> readers;
  };
  llvm::DenseMap<Value, Accesses> accesses;
  /// Steps that still use storage that may die in the segment.
  llvm::DenseMap<Value, SmallVector<unsigned>> users;
  llvm::DenseMap<Value, unsigned> remaining;
};

struct WrapperReorderForMemory
    : coil::wrapper::impl::WrapperReorderForMemoryPassBase<
          WrapperReorderForMemory> {
  void runOnOperation() override;
  void run(FuncOp fn, SymbolTableCollection &tables);
};

} // namespace

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

/// Whether an op only makes a value that others need, wherever that is.
static bool isHelper(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         getBoundSymbols(op).empty() &&
         (isa<AllocOp>(op) || isMemoryEffectFree(op));
}

/// Whether all that an op does is what its effects on buffers say. Others keep
/// their place, and nothing passes them: checks, which the binding of a symbol
/// is, too; calls; and pools, whose buffers lie where their lives allow it.
static bool canMove(Operation *op) {
  if (isHelper(op))
    return true;
  if (isa<CallOpInterface, PoolOp, PoolAllocOp, PoolReleaseOp, PoolFreeOp>(
          op) ||
      op->hasTrait<OpTrait::IsTerminator>() || !getBoundSymbols(op).empty())
    return false;
  for (Region &region : op->getRegions())
    for (Block &inner : region)
      for (Operation &o : inner)
        if (!o.hasTrait<OpTrait::IsTerminator>() && !canMove(&o))
          return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](const auto &effect) {
    return static_cast<bool>(effect.getValue());
  });
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

void Segment::connect(unsigned from, unsigned to) {
  if (from == to || llvm::is_contained(steps[to].before, from))
    return;
  steps[to].before.push_back(from);
  steps[from].behind.push_back(to);
}

int64_t Segment::getBytes(Value storage) {
  auto type = cast<BufferType>(storage.getType());
  return static_cast<int64_t>(std::min(hints(type.getStorageBytes()), 0x1p60));
}

/// Orders a step behind those before it that touch the same storage, unless all
/// read.
void Segment::addDependences(unsigned index, Operation *op) {
  llvm::SmallMapVector<Value, bool, 8> touched; // Whether it is written.
  auto touch = [&](Value v, bool writes) {
    if (isStorage(v)) {
      touched[getStorage(v)] |= writes;
      return;
    }
    // A scalar, computed from others perhaps.
    SmallVector<Value> values = {v};
    while (!values.empty()) {
      Operation *def = values.pop_back_val().getDefiningOp();
      if (auto it = numbers.find(def); it != numbers.end())
        connect(it->second, index);
      else if (def && helpers.contains(def))
        llvm::append_range(values, def->getOperands());
    }
  };
  SmallVector<MemoryEffects::EffectInstance> instances;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    effects.getEffects(instances);
  for (Value v : op->getOperands())
    touch(v, instances.empty());
  for (const auto &effect : instances)
    if (Value v = effect.getValue(); v && v.getDefiningOp() != op)
      touch(v, !isa<MemoryEffects::Read>(effect.getEffect()));
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value v : inner->getOperands())
        if (!region.isAncestor(v.getParentRegion()))
          touch(v, /*writes=*/true);
    });
  for (auto &[storage, writes] : touched) {
    Accesses &access = accesses[storage];
    if (Operation *def = storage.getDefiningOp(); def && numbers.count(def))
      connect(numbers.lookup(def), index);
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
    steps[index].uses.push_back(storage);
  }
}

void Segment::build() {
  for (Operation *op : ops) {
    if (isHelper(op)) {
      helpers.insert(op);
      continue;
    }
    numbers[op] = static_cast<unsigned>(steps.size());
    steps.push_back({op, {}, {}, {}, {}});
  }
  for (unsigned i = 0; i < steps.size(); ++i) {
    Operation *op = steps[i].op;
    addDependences(i, op);
    for (Value storage : steps[i].uses) {
      users[storage].push_back(i);
      ++remaining[storage];
    }
    for (Value result : op->getResults())
      if (isOwned(result))
        steps[i].begins.push_back(result);
  }
  // What is used behind the segment, or taken over, does not die in it.
  for (auto &[storage, list] : users) {
    bool dies = isOwned(storage) && storage.getParentBlock() == &block;
    forEachUse(storage, [&](OpOperand &use) {
      Operation *here = block.findAncestorOpInBlock(*use.getOwner());
      dies &= here && (numbers.count(here) || helpers.contains(here)) &&
              !llvm::is_contained(getTakenOperands(use.getOwner()), &use);
    });
    if (!dies)
      remaining.erase(storage);
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

int64_t Segment::getGrowth(unsigned index) {
  int64_t growth = 0;
  for (Value storage : steps[index].begins)
    growth += getBytes(storage);
  for (Value storage : steps[index].uses) {
    // Its allocation waits for this step if no other has needed it.
    unsigned all = static_cast<unsigned>(users[storage].size());
    auto left = remaining.find(storage);
    bool isFirst = storage.getDefiningOp() &&
                   helpers.contains(storage.getDefiningOp()) &&
                   users[storage].front() == index;
    if (isFirst && storage.getDefiningOp<AllocOp>())
      growth += getBytes(storage);
    if (left != remaining.end() && left->second == 1 && all != 0)
      growth -= getBytes(storage);
  }
  return growth;
}

SmallVector<unsigned> Segment::scheduleBySmallestGrowth() {
  std::vector<size_t> waiting(steps.size());
  std::set<std::pair<int64_t, unsigned>> ready;
  std::vector<int64_t> growth(steps.size());
  auto insert = [&](unsigned i) {
    growth[i] = getGrowth(i);
    ready.insert({growth[i], i});
  };
  for (unsigned i = 0; i < steps.size(); ++i) {
    waiting[i] = steps[i].before.size();
    if (waiting[i] == 0)
      insert(i);
  }
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned next = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(next);
    waiting[next] = std::numeric_limits<size_t>::max();
    for (Value storage : steps[next].uses) {
      auto left = remaining.find(storage);
      if (left == remaining.end() || --left->second != 1)
        continue;
      // The last user now frees it.
      for (unsigned user : users[storage])
        if (waiting[user] == 0 && ready.erase({growth[user], user}))
          insert(user);
    }
    for (unsigned i : steps[next].behind)
      if (--waiting[i] == 0)
        insert(i);
  }
  return order;
}

SmallVector<unsigned> Segment::scheduleDepthFirst() {
  SmallVector<unsigned> order;
  std::vector<char> state(steps.size()); // 1: entered, 2: done.
  // What takes most memory is computed first, while little else is alive.
  auto getResultBytes = [&](unsigned i) {
    int64_t bytes = 0;
    for (Value storage : steps[i].uses)
      if (!users[storage].empty() && users[storage].front() == i)
        bytes += getBytes(storage);
    for (Value storage : steps[i].begins)
      bytes += getBytes(storage);
    return bytes;
  };
  std::vector<int64_t> bytes(steps.size());
  for (unsigned i = 0; i < steps.size(); ++i)
    bytes[i] = getResultBytes(i);
  for (Step &step : steps)
    llvm::sort(step.before, [&](unsigned a, unsigned b) {
      return std::pair(-bytes[a], a) < std::pair(-bytes[b], b);
    });
  // From the steps that nothing needs, in their order.
  for (unsigned root = 0; root < steps.size(); ++root) {
    if (!steps[root].behind.empty())
      continue;
    SmallVector<std::pair<unsigned, size_t>> stack = {{root, 0}};
    state[root] = 1;
    while (!stack.empty()) {
      auto &[step, next] = stack.back();
      if (next == steps[step].before.size()) {
        order.push_back(step);
        state[step] = 2;
        stack.pop_back();
        continue;
      }
      unsigned needed = steps[step].before[next++];
      if (state[needed] == 0) {
        state[needed] = 1;
        stack.push_back({needed, 0});
      }
    }
  }
  return order;
}

SmallVector<Operation *> Segment::getOrder(Order order) {
  build();
  SmallVector<unsigned> schedule = order == Order::SmallestGrowth
                                       ? scheduleBySmallestGrowth()
                                       : scheduleDepthFirst();
  llvm::SetVector<Operation *> list;
  // Helpers of a step, those of helpers first.
  auto add = [&](Operation *op) {
    SmallVector<std::pair<Operation *, bool>> stack = {{op, false}};
    while (!stack.empty()) {
      Operation *next = stack.back().first;
      bool ready = stack.pop_back_val().second;
      if (list.contains(next))
        continue;
      if (ready) {
        list.insert(next);
        continue;
      }
      stack.push_back({next, true});
      next->walk([&](Operation *inner) {
        for (Value v : inner->getOperands())
          if (Operation *def = v.getDefiningOp();
              def && def != next && helpers.contains(def))
            stack.push_back({def, false});
      });
    }
  };
  for (unsigned i : schedule)
    add(steps[i].op);
  for (Operation *op : ops)
    if (helpers.contains(op))
      add(op);
  return list.takeVector();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Puts the ops of a block into an order, but for those that keep their place.
static void reorder(Block &block, Order order, loop::Hints &hints) {
  for (Operation &op : llvm::make_early_inc_range(block))
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        reorder(inner, order, hints);
  SmallVector<SmallVector<Operation *>> segments(1);
  SmallVector<Operation *> ends;
  for (Operation &op : block) {
    if (canMove(&op)) {
      segments.back().push_back(&op);
      continue;
    }
    ends.push_back(&op);
    segments.emplace_back();
  }
  for (auto [segment, end] : llvm::zip(segments, ends))
    if (segment.size() > 1)
      for (Operation *op : Segment(segment, block, hints).getOrder(order))
        op->moveBefore(end);
}

static void getOrder(Region &region, SmallVectorImpl<Operation *> &ops) {
  for (Block &block : region)
    for (Operation &op : block) {
      ops.push_back(&op);
      for (Region &inner : op.getRegions())
        getOrder(inner, ops);
    }
}

/// Restores the order of all ops of a function.
static void setOrder(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Block *, Operation *> last;
  for (Operation *op : ops) {
    Operation *&previous = last[op->getBlock()];
    if (previous)
      op->moveAfter(previous);
    else
      op->moveBefore(op->getBlock(), op->getBlock()->begin());
    previous = op;
  }
}

void WrapperReorderForMemory::run(FuncOp fn, SymbolTableCollection &tables) {
  loop::Hints hints(fn);
  SmallVector<Operation *> best;
  getOrder(fn.getBody(), best);
  SmallVector<Operation *> program = best;
  int64_t peaks[3] = {Planner(fn, tables).getLowerBound(), 0, 0};
  size_t chosen = 0;
  static constexpr Order orders[] = {Order::SmallestGrowth, Order::DepthFirst};
  for (auto [i, order] : llvm::enumerate(orders)) {
    setOrder(program);
    reorder(fn.getBody().front(), order, hints);
    peaks[i + 1] = Planner(fn, tables).getLowerBound();
    if (peaks[i + 1] >= peaks[chosen]) // Ties keep what came before.
      continue;
    chosen = i + 1;
    best.clear();
    getOrder(fn.getBody(), best);
  }
  setOrder(best);
  static constexpr StringLiteral names[] = {
      "program order", "smallest growth first", "depth first"};
  remark::analysis(fn.getLoc(),
                   remark::RemarkOpts::name("Order").category(DEBUG_TYPE))
      << remark::add("{0} of program order, smallest growth first and depth "
                     "first",
                     names[chosen])
      << remark::metric("Program", peaks[0])
      << remark::metric("SmallestGrowth", peaks[1])
      << remark::metric("DepthFirst", peaks[2]);
}

void WrapperReorderForMemory::runOnOperation() {
  SymbolTableCollection tables;
  for (FuncOp fn : getOperation().getOps<FuncOp>())
    if (!fn.isExternal() && !fn->hasAttr(kMemoryAttrName))
      run(fn, tables);
}
