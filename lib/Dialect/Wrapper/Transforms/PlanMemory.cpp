//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides when the storage of buffers is freed and handed over.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

#include <functional>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERPLANMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-plan-memory"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

/// Bytes in use at each step of a program: addition to a range of steps and
/// maximum over one, both in logarithmic time.
class Timeline {
public:
  explicit Timeline(size_t steps) {
    while (size < steps)
      size *= 2;
    nodes.resize(2 * size);
  }

  /// Adds to the steps [begin, end).
  void add(size_t begin, size_t end, int64_t bytes) {
    if (begin < end)
      add(1, 0, size, begin, end, bytes);
  }
  /// The most that is in use in the steps [begin, end), at least zero.
  int64_t max(size_t begin, size_t end) const {
    return begin < end ? max(1, 0, size, begin, end) : 0;
  }

private:
  struct Node {
    int64_t added = 0; ///< To all steps below.
    int64_t max = 0;   ///< Including `added`.
  };

  void add(size_t node, size_t lo, size_t hi, size_t begin, size_t end,
           int64_t bytes) {
    if (end <= lo || hi <= begin)
      return;
    if (begin <= lo && hi <= end) {
      nodes[node].added += bytes;
      nodes[node].max += bytes;
      return;
    }
    size_t mid = (lo + hi) / 2;
    add(2 * node, lo, mid, begin, end, bytes);
    add(2 * node + 1, mid, hi, begin, end, bytes);
    nodes[node].max = nodes[node].added +
                      std::max(nodes[2 * node].max, nodes[2 * node + 1].max);
  }

  int64_t max(size_t node, size_t lo, size_t hi, size_t begin,
              size_t end) const {
    if (end <= lo || hi <= begin)
      return 0;
    if (begin <= lo && hi <= end)
      return nodes[node].max;
    size_t mid = (lo + hi) / 2;
    return nodes[node].added + std::max(max(2 * node, lo, mid, begin, end),
                                        max(2 * node + 1, mid, hi, begin, end));
  }

  size_t size = 1;
  std::vector<Node> nodes;
};

/// Storage that the program owns, and what becomes of it.
struct Buffer {
  Lifetime life;
  /// What makes it, if that can be replaced.
  AllocOp alloc;
  /// What stands for the buffer after planning.
  Value value;
  int64_t bytes = 0; ///< At the hints.
  /// Whether another buffer took over the storage.
  bool handedOver = false;
};

class Planner {
public:
  Planner(FuncOp fn, SymbolTableCollection &tables)
      : fn(fn), tables(tables), hints(fn) {}

  void run(bool reuse);

private:
  using Key = std::pair<DeviceAttr, ExprAttr>;

  static Key getKey(Value v) {
    auto type = cast<BufferType>(v.getType());
    return {type.getDevice(), type.getStorageBytes()};
  }

  int64_t getBytes(Value v) {
    double bytes = hints(cast<BufferType>(v.getType()).getStorageBytes());
    return static_cast<int64_t>(std::min(bytes, 0x1p62));
  }

  void eraseUnused();
  void collect();
  void addCalls(Timeline &timeline);
  void tryInPlace(Buffer &buffer, Timeline &timeline);
  void planReuse(Block &block, Timeline &timeline);
  void handOver(Buffer &from, Buffer &to, Operation *before, StringRef how);
  void endIn(Block &block, Value storage);
  void insertFrees();

  FuncOp fn;
  SymbolTableCollection &tables;
  loop::Hints hints;
  std::optional<Lifetimes> lifetimes;
  /// By the storage's value in the program before planning.
  llvm::MapVector<Value, Buffer> buffers;
  /// What dies with the last use by an op.
  llvm::DenseMap<Operation *, SmallVector<Buffer *>> dying;
  /// From what a buffer became to its key in `buffers`.
  llvm::DenseMap<Value, Value> renamed;
  int64_t reuses = 0;
};

struct WrapperPlanMemory
    : coil::wrapper::impl::WrapperPlanMemoryPassBase<WrapperPlanMemory> {
  using WrapperPlanMemoryPassBase::WrapperPlanMemoryPassBase;
  void runOnOperation() override {
    if (mode != "reuse" && mode != "none") {
      getOperation().emitError()
          << "unknown mode '" << mode << "', expected 'reuse' or 'none'";
      return signalPassFailure();
    }
    SymbolTableCollection tables;
    llvm::DenseSet<Operation *> planned;
    // What a function calls comes first: its peak is part of the function's.
    std::function<void(FuncOp)> plan = [&](FuncOp fn) {
      if (!planned.insert(fn).second || fn.isExternal())
        return;
      fn.walk([&](InvokeOp call) {
        if (auto callee = tables.lookupNearestSymbolFrom<FuncOp>(
                call, call.getCalleeAttr()))
          plan(callee);
      });
      if (!fn->hasAttr(kMemoryAttrName))
        Planner(fn, tables).run(mode == "reuse");
    };
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      plan(fn);
  }
};

} // namespace

/// Erases buffers that nothing uses, and views of them, from the end.
void Planner::eraseUnused() {
  SmallVector<Operation *> ops;
  fn.getBody().walk([&](Operation *op) {
    if (isa<AllocOp, ViewLikeOpInterface>(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

void Planner::collect() {
  for (const auto &[value, life] : lifetimes->get()) {
    Buffer &buffer = buffers[value];
    buffer.life = life;
    buffer.alloc = value.getDefiningOp<AllocOp>();
    buffer.value = value;
    buffer.bytes = getBytes(value);
  }
  for (auto &[value, buffer] : buffers)
    if (!buffer.life.isTaken && buffer.life.lastUse)
      dying[buffer.life.lastUse].push_back(&buffer);
}

/// What a function that is called needs beside what it is passed and returns.
void Planner::addCalls(Timeline &timeline) {
  fn.getBody().walk([&](InvokeOp call) {
    auto callee =
        tables.lookupNearestSymbolFrom<FuncOp>(call, call.getCalleeAttr());
    auto memory = callee
                      ? callee->getAttrOfType<DictionaryAttr>(kMemoryAttrName)
                      : DictionaryAttr();
    auto peak = memory ? memory.getAs<IntegerAttr>("peak") : IntegerAttr();
    if (!peak)
      return;
    int64_t bytes = peak.getInt();
    for (OpOperand *operand : getTakenOperands(call))
      bytes -= getBytes(operand->get());
    for (Value result : call.getResults())
      bytes -= getBytes(result);
    size_t step = lifetimes->getFirstStep(call);
    timeline.add(step, step + 1, std::max<int64_t>(bytes, 0));
  });
}

/// `from`'s storage becomes `to`'s.
void Planner::handOver(Buffer &from, Buffer &to, Operation *before,
                       StringRef how) {
  OpBuilder b(before);
  AllocOp alloc = to.alloc;
  auto reuse = ReuseOp::create(b, alloc.getLoc(), alloc.getType(), from.value);
  alloc.getResult().replaceAllUsesWith(reuse);
  to.value = reuse;
  from.handedOver = true;
  ++reuses;
  remark::passed(alloc.getLoc(),
                 remark::RemarkOpts::name("Reused").category(DEBUG_TYPE))
      << remark::add("reused: {0} bytes {1}", getKey(reuse).second.str(), how)
      << remark::metric("Bytes", to.bytes);
}

/// Lets the op that writes `buffer` first write over an operand that it is the
/// last to read.
void Planner::tryInPlace(Buffer &buffer, Timeline &timeline) {
  Operation *op = buffer.life.firstUse;
  if (!op)
    return;
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!inPlace || !effects)
    return;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  OpOperand *written = nullptr;
  SmallVector<OpOperand *> reads;
  for (auto &effect : instances) {
    auto *operand = effect.getEffectValue<OpOperand *>();
    if (!operand)
      continue;
    if (isa<MemoryEffects::Read>(effect.getEffect())) {
      reads.push_back(operand);
    } else if (isa<MemoryEffects::Write>(effect.getEffect()) &&
               operand->get() == buffer.value) {
      if (written)
        return;
      written = operand;
    }
  }
  if (!written)
    return;

  for (OpOperand *candidate : reads) {
    Value old = getStorage(candidate->get());
    // `old` may be what a buffer became; find it by its allocation.
    Buffer *from = nullptr;
    if (auto *it = buffers.find(old); it != buffers.end())
      from = &it->second;
    else if (auto it = renamed.find(old); it != renamed.end())
      from = &buffers[it->second];
    if (!from || from == &buffer || from->handedOver || from->life.isTaken ||
        from->life.lastUse != op ||
        from->value.getParentBlock() != op->getBlock() ||
        getKey(old) != getKey(buffer.value))
      continue;
    // The kernel sees both under one type.
    auto getElementType = [](Value v) {
      return cast<BufferType>(v.getType()).getElementType();
    };
    if (getElementType(candidate->get()) != getElementType(buffer.value))
      continue;
    bool fits = llvm::all_of(reads, [&](OpOperand *read) {
      return getStorage(read->get()) != old ||
             (isAtStorage(read->get()) &&
              inPlace.mayShareStorage(*read, *written, tables));
    });
    // No other operand may write it.
    for (OpOperand &operand : op->getOpOperands())
      fits &= &operand == written || llvm::is_contained(reads, &operand) ||
              getStorage(operand.get()) != old;
    if (!fits)
      continue;

    Value original = buffer.alloc;
    handOver(*from, buffer, op, "in place");
    renamed[buffer.value] = original;
    // What read the old buffer here reads the new one.
    OpBuilder b(op);
    for (OpOperand *read : reads) {
      if (getStorage(read->get()) != old)
        continue;
      Value v = buffer.value;
      if (read->get().getType() != v.getType())
        v = ReinterpretOp::create(b, op->getLoc(), read->get().getType(), v,
                                  sym::constant(b.getContext(), 0));
      read->set(v);
    }
    // From its allocation to its first use it took no storage of its own.
    timeline.add(buffer.life.begin, lifetimes->getLastStep(op) + 1,
                 -buffer.bytes);
    return;
  }
}

/// Plans a block, and the regions in it each with a state of its own.
void Planner::planReuse(Block &block, Timeline &timeline) {
  // Storage that is free, by key, the latest on top.
  struct Candidate {
    Buffer *buffer;
    size_t step;
  };
  llvm::DenseMap<Key, SmallVector<Candidate>> free;
  SmallVector<Operation *> ops =
      llvm::to_vector(llvm::make_pointer_range(block));
  for (Operation *op : ops) {
    auto *it = op->getNumResults() == 1 ? buffers.find(op->getResult(0))
                                        : buffers.end();
    if (it != buffers.end() && it->second.alloc) {
      Buffer &buffer = it->second;
      size_t step = lifetimes->getFirstStep(op);
      tryInPlace(buffer, timeline);
      if (buffer.value == op->getResult(0)) {
        SmallVector<Candidate> &stack = free[getKey(buffer.value)];
        int64_t peak = timeline.max(0, lifetimes->getNumSteps());
        if (!stack.empty()) {
          Candidate c = stack.back();
          if (buffer.bytes + timeline.max(c.step + 1, step) <= peak) {
            stack.pop_back();
            Value original = buffer.alloc;
            handOver(*c.buffer, buffer, op, "of a buffer that died before");
            renamed[buffer.value] = original;
            timeline.add(c.step + 1, step, buffer.bytes);
          } else {
            remark::missed(
                op->getLoc(),
                remark::RemarkOpts::name("NotReused").category(DEBUG_TYPE))
                << remark::add("not reused: keeping {0} bytes until here would "
                               "raise the peak",
                               buffer.bytes);
          }
        }
      }
    }
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        planReuse(inner, timeline);
    for (Buffer *buffer : dying.lookup(op))
      if (!buffer->handedOver)
        free[getKey(buffer->value)].push_back(
            {buffer, lifetimes->getLastStep(op)});
  }
}

/// Ends the life of storage in a block: where nothing takes it over, it is
/// freed behind its last use. An op that takes it over in one region frees it
/// in the others.
void Planner::endIn(Block &block, Value storage) {
  Operation *last = nullptr;
  bool isTaken = false;
  forEachUse(storage, [&](OpOperand &use) {
    Operation *here = block.findAncestorOpInBlock(*use.getOwner());
    if (!here || (last && here->isBeforeInBlock(last)))
      return;
    isTaken = here == last && isTaken;
    isTaken |= llvm::is_contained(getTakenOperands(use.getOwner()), &use);
    last = here;
  });
  if (last && isTaken) {
    bool itself = llvm::any_of(getTakenOperands(last), [&](OpOperand *operand) {
      return getStorage(operand->get()) == storage;
    });
    if (!itself)
      for (Region &region : last->getRegions())
        for (Block &inner : region)
          endIn(inner, storage);
    return;
  }
  OpBuilder b(fn.getContext());
  if (last)
    b.setInsertionPointAfter(last);
  else if (storage.getParentBlock() == &block && storage.getDefiningOp())
    b.setInsertionPointAfterValue(storage);
  else
    b.setInsertionPointToStart(&block);
  FreeOp::create(b, last ? last->getLoc() : storage.getLoc(), storage);
}

void Planner::insertFrees() {
  for (auto &[value, buffer] : buffers)
    if (!buffer.handedOver)
      endIn(*value.getParentBlock(), buffer.value);
  for (auto &[value, buffer] : buffers)
    if (buffer.value != value)
      buffer.alloc.erase();
}

void Planner::run(bool reuse) {
  eraseUnused();
  lifetimes.emplace(fn);
  collect();
  size_t steps = lifetimes->getNumSteps();
  Timeline timeline(steps);
  int64_t allocations = 0;
  for (auto &[value, buffer] : buffers) {
    timeline.add(buffer.life.begin, buffer.life.end, buffer.bytes);
    allocations += static_cast<bool>(buffer.alloc);
  }
  addCalls(timeline);
  int64_t lowerBound = timeline.max(0, steps);
  if (reuse)
    planReuse(fn.getBody().front(), timeline);
  insertFrees();

  int64_t peak = timeline.max(0, steps);
  Builder b(fn.getContext());
  auto number = [&](int64_t v) { return b.getI64IntegerAttr(v); };
  fn->setAttr(kMemoryAttrName,
              b.getDictionaryAttr(
                  {b.getNamedAttr("allocations", number(allocations - reuses)),
                   b.getNamedAttr("lower_bound", number(lowerBound)),
                   b.getNamedAttr("peak", number(peak)),
                   b.getNamedAttr("reuses", number(reuses))}));
  remark::analysis(fn.getLoc(),
                   remark::RemarkOpts::name("MemoryPlan").category(DEBUG_TYPE))
      << remark::metric("Peak", peak)
      << remark::metric("LowerBound", lowerBound)
      << remark::metric("Allocations", allocations - reuses)
      << remark::metric("Reuses", reuses);
}
