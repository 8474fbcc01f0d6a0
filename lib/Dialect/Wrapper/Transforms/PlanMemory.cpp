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

#include "Planner.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

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

/// The function that a step calls; launches call kernels.
static FuncOp getCallee(CallOpInterface call, SymbolTableCollection &tables) {
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  return name ? tables.lookupNearestSymbolFrom<FuncOp>(call, name) : FuncOp();
}

namespace {

struct WrapperPlanMemory
    : coil::wrapper::impl::WrapperPlanMemoryPassBase<WrapperPlanMemory> {
  using WrapperPlanMemoryPassBase::WrapperPlanMemoryPassBase;
  void runOnOperation() override {
    std::optional<PlanMode> plan =
        llvm::StringSwitch<std::optional<PlanMode>>(mode)
            .Case("none", PlanMode::None)
            .Case("reuse", PlanMode::Reuse)
            .Case("pool", PlanMode::Pool)
            .Default(std::nullopt);
    if (!plan) {
      getOperation().emitError() << "unknown mode '" << mode
                                 << "', expected 'pool', 'reuse' or 'none'";
      return signalPassFailure();
    }
    SymbolTableCollection tables;
    llvm::DenseSet<Operation *> planned;
    // What a function calls comes first: its peak is part of the function's.
    std::function<void(FuncOp)> visit = [&](FuncOp fn) {
      if (!planned.insert(fn).second || fn.isExternal())
        return;
      fn.walk([&](CallOpInterface call) {
        if (auto callee = getCallee(call, tables))
          visit(callee);
      });
      if (!fn->hasAttr(kMemoryAttrName))
        Planner(fn, tables).run(*plan);
    };
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      visit(fn);
  }
};

} // namespace

Planner::Planner(FuncOp fn, SymbolTableCollection &tables,
                 const llvm::DenseMap<Operation *, int64_t> *bounds)
    : fn(fn), tables(tables), bounds(bounds), hints(fn),
      facts(sym::Context::forOp(fn)) {}

Planner::Key Planner::getKey(Value v) {
  auto type = cast<BufferType>(v.getType());
  return {type.getDevice(), type.getStorageBytes()};
}

int64_t Planner::getBytes(ExprAttr bytes, DeviceAttr device) {
  return getCountedBytes(hints(bytes), device);
}

/// What storage counts as; what is carved from a pool is part of that.
int64_t Planner::getBytes(Value v) {
  if (auto pool = v.getDefiningOp<PoolOp>())
    return getBytes(pool.getBytes(), getDevice(v.getType()));
  if (getCarving(v))
    return 0;
  Key key = getKey(v);
  return getBytes(key.second, key.first);
}

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

Timeline Planner::collect() {
  lifetimes.emplace(fn);
  for (const auto &[value, life] : lifetimes->get()) {
    PlannedBuffer &buffer = buffers[value];
    buffer.life = life;
    buffer.alloc = value.getDefiningOp<AllocOp>();
    buffer.value = value;
    buffer.bytes = getBytes(value);
  }
  for (auto &[value, buffer] : buffers)
    if (!buffer.life.isTaken && buffer.life.lastUse)
      dying[buffer.life.lastUse].push_back(&buffer);
  Timeline timeline(lifetimes->getNumSteps());
  for (auto &[value, buffer] : buffers)
    timeline.add(buffer.life.begin, buffer.life.end, buffer.bytes);
  addCalls(timeline);
  return timeline;
}

/// What a function that is called needs beside what it is passed and returns.
void Planner::addCalls(Timeline &timeline) {
  fn.getBody().walk([&](CallOpInterface call) {
    FuncOp callee = getCallee(call, tables);
    auto memory = callee
                      ? callee->getAttrOfType<DictionaryAttr>(kMemoryAttrName)
                      : DictionaryAttr();
    auto peak = memory ? memory.getAs<IntegerAttr>("peak") : IntegerAttr();
    if (!peak && !(callee && bounds && bounds->contains(callee)))
      return;
    int64_t bytes = peak ? peak.getInt() : bounds->lookup(callee);
    for (OpOperand *operand : getTakenOperands(call))
      bytes -= getBytes(operand->get());
    for (Value result : call->getResults())
      bytes -= getBytes(result);
    size_t step = lifetimes->getFirstStep(call);
    timeline.add(step, step + 1, std::max<int64_t>(bytes, 0));
  });
}

/// `from`'s storage becomes `to`'s.
void Planner::handOver(PlannedBuffer &from, PlannedBuffer &to,
                       Operation *before, StringRef how) {
  OpBuilder b(before);
  AllocOp alloc = to.alloc;
  auto reuse = ReuseOp::create(b, alloc.getLoc(), alloc.getType(), from.value);
  reuse->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
  alloc.getResult().replaceAllUsesWith(reuse);
  to.value = reuse;
  from.handedOver = true;
  ++reuses;
  remark::passed(alloc.getLoc(),
                 remark::RemarkOpts::name("Reused").category(DEBUG_TYPE))
      << remark::add("reused: {0} bytes {1}", getKey(reuse).second.str(), how)
      << remark::metric("Bytes", to.bytes);
}

//===----------------------------------------------------------------------===//
// In place
//===----------------------------------------------------------------------===//

/// What an op reads through its operands, in order.
static SmallVector<OpOperand *> getReads(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> instances;
  SmallVector<OpOperand *> reads;
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    effects.getEffects(instances);
  for (auto &effect : instances)
    if (auto *operand = effect.getEffectValue<OpOperand *>();
        operand && isa<MemoryEffects::Read>(effect.getEffect()))
      reads.push_back(operand);
  return reads;
}

/// The op up to which a step has its operands: the wait for a collective in its
/// own block, else the step itself.
static Operation *getEnd(Operation *op) {
  if (auto started = dyn_cast<CollectiveOp>(op))
    for (Operation *user : started.getToken().getUsers())
      if (user->getBlock() == op->getBlock())
        return user;
  return op;
}

/// Whether something between the begin and the end of a step uses storage.
static bool isUsedBetween(Value storage, Operation *op, Operation *end) {
  bool isUsed = false;
  forEachUse(storage, [&](OpOperand &use) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
    isUsed |= here && here != op && here != end && op->isBeforeInBlock(here) &&
              !isa<ViewLikeOpInterface>(here);
  });
  return isUsed;
}

/// Finds out whether the op that writes `buffer` first can write over an
/// operand that it is the last to read.
void Planner::findInPlace(PlannedBuffer &buffer, Timeline &timeline) {
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
  for (auto &effect : instances) {
    auto *operand = effect.getEffectValue<OpOperand *>();
    if (!operand || !isa<MemoryEffects::Write>(effect.getEffect()) ||
        operand->get() != buffer.value)
      continue;
    if (written)
      return;
    written = operand;
  }
  if (!written)
    return;

  Operation *end = getEnd(op);
  SmallVector<OpOperand *> reads = getReads(op);
  for (OpOperand *candidate : reads) {
    Value old = getStorage(candidate->get());
    auto *it = buffers.find(old);
    PlannedBuffer *from = it == buffers.end() ? nullptr : &it->second;
    if (!from || from == &buffer || from->inPlaceBy || from->life.isTaken ||
        from->life.lastUse != end || old.getParentBlock() != op->getBlock() ||
        isa<PoolType>(old.getType()) || staysInBlock(old) ||
        (end != op && isUsedBetween(old, op, end)) ||
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

    buffer.inPlaceOf = from;
    from->inPlaceBy = &buffer;
    // From its allocation to its first use it takes no storage of its own.
    timeline.add(buffer.life.begin, lifetimes->getLastStep(end) + 1,
                 -buffer.bytes);
    return;
  }
}

void Planner::findInPlace(Block &block, Timeline &timeline) {
  for (Operation &op : block) {
    if (auto alloc = dyn_cast<AllocOp>(op))
      if (auto *it = buffers.find(alloc); it != buffers.end())
        findInPlace(it->second, timeline);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        findInPlace(inner, timeline);
  }
}

void Planner::applyInPlace(PlannedBuffer &buffer) {
  PlannedBuffer &from = *buffer.inPlaceOf;
  Operation *op = buffer.life.firstUse;
  Value old = from.value;
  handOver(from, buffer, op, "in place");
  // What read the old buffer here reads the new one.
  OpBuilder b(op);
  SmallVector<OpOperand *> reads = getReads(op);
  if (Operation *end = getEnd(op); end != op)
    llvm::append_range(reads, getReads(end));
  llvm::SmallDenseMap<Type, Value> views = {
      {buffer.value.getType(), buffer.value}};
  for (OpOperand *read : reads) {
    if (getStorage(read->get()) != old)
      continue;
    Value &v = views[read->get().getType()];
    if (!v)
      v = ReinterpretOp::create(b, op->getLoc(), read->get().getType(),
                                buffer.value, sym::constant(b.getContext(), 0));
    read->set(v);
  }
}

//===----------------------------------------------------------------------===//
// Reuse
//===----------------------------------------------------------------------===//

/// Plans a block, and the regions in it each with a state of its own.
void Planner::planReuse(Block &block, Timeline &timeline) {
  // Storage that is free, by key, the latest on top.
  struct Candidate {
    PlannedBuffer *buffer;
    size_t step;
  };
  llvm::DenseMap<Key, SmallVector<Candidate>> free;
  SmallVector<Operation *> ops =
      llvm::to_vector(llvm::make_pointer_range(block));
  for (Operation *op : ops) {
    auto *it =
        isa<AllocOp>(op) ? buffers.find(op->getResult(0)) : buffers.end();
    if (it != buffers.end() && !it->second.inPlaceOf && !it->second.isInPool) {
      PlannedBuffer &buffer = it->second;
      size_t step = lifetimes->getFirstStep(op);
      SmallVector<Candidate> &stack = free[getKey(buffer.value)];
      int64_t peak = timeline.max(0, lifetimes->getNumSteps());
      if (!stack.empty()) {
        Candidate c = stack.back();
        if (buffer.bytes + timeline.max(c.step + 1, step) <= peak) {
          stack.pop_back();
          handOver(*c.buffer, buffer, op, "of a buffer that died before");
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
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        planReuse(inner, timeline);
    for (PlannedBuffer *buffer : dying.lookup(op))
      if (!buffer->handedOver && !buffer->isInPool &&
          !isa<PoolType>(buffer->value.getType()) &&
          !staysInBlock(buffer->value))
        free[getKey(buffer->value)].push_back(
            {buffer, lifetimes->getLastStep(op)});
  }
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

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
  if (b.getInsertionPoint() != block.end() &&
      isa<ParamSymbolsOp>(*b.getInsertionPoint())) // Has to be the first.
    b.setInsertionPointAfter(&*b.getInsertionPoint());
  Location loc = last ? last->getLoc() : storage.getLoc();
  if (getCarving(storage))
    releases[storage] = PoolReleaseOp::create(b, loc, storage);
  else if (getCommAlloc(storage))
    CommFreeOp::create(b, loc, storage);
  else
    FreeOp::create(b, loc, storage);
}

void Planner::insertFrees() {
  for (auto &[value, buffer] : buffers) {
    if (buffer.handedOver)
      continue;
    if (auto pool = value.getDefiningOp<PoolOp>()) {
      // One that the program came with; buffers in it end before it does.
      OpBuilder b(value.getParentBlock()->getTerminator());
      if (!buffer.life.isTaken)
        PoolFreeOp::create(b, pool.getLoc(), pool);
      continue;
    }
    endIn(*value.getParentBlock(), buffer.value);
  }
  for (auto &[value, buffer] : buffers)
    if (buffer.value != value)
      buffer.alloc.erase();
}

void Planner::report(int64_t peak, int64_t lowerBound, int64_t allocations) {
  Builder b(fn.getContext());
  auto number = [&](int64_t v) { return b.getI64IntegerAttr(v); };
  auto numPools = static_cast<int64_t>(pools.size());
  fn->setAttr(
      kMemoryAttrName,
      b.getDictionaryAttr({b.getNamedAttr("allocations", number(allocations)),
                           b.getNamedAttr("lower_bound", number(lowerBound)),
                           b.getNamedAttr("peak", number(peak)),
                           b.getNamedAttr("pools", number(numPools)),
                           b.getNamedAttr("reuses", number(reuses))}));
  remark::analysis(fn.getLoc(),
                   remark::RemarkOpts::name("MemoryPlan").category(DEBUG_TYPE))
      << remark::metric("Peak", peak)
      << remark::metric("LowerBound", lowerBound)
      << remark::metric("Allocations", allocations)
      << remark::metric("Pools", numPools) << remark::metric("Reuses", reuses);
}

int64_t Planner::getLowerBound() {
  Timeline timeline = collect();
  findInPlace(fn.getBody().front(), timeline);
  return timeline.max(0, lifetimes->getNumSteps());
}

LiveSet Planner::getLargestLiveSet() {
  Timeline timeline = collect();
  findInPlace(fn.getBody().front(), timeline);
  size_t steps = lifetimes->getNumSteps();
  LiveSet largest;
  std::tie(largest.bytes, largest.step) = timeline.find(0, steps);
  for (size_t step = largest.step; step < steps; ++step)
    largest.numSteps += timeline.max(step, step + 1) == largest.bytes;
  return largest;
}

void Planner::run(PlanMode mode) {
  eraseUnused();
  Timeline timeline = collect();
  size_t steps = lifetimes->getNumSteps();
  int64_t peak = timeline.max(0, steps);
  Block &body = fn.getBody().front();
  findInPlace(body, timeline);
  int64_t lowerBound = timeline.max(0, steps);
  if (mode != PlanMode::None) {
    for (auto &[value, buffer] : buffers)
      if (buffer.inPlaceOf)
        applyInPlace(buffer);
    if (mode == PlanMode::Pool)
      planPools(body, timeline);
    planReuse(body, timeline);
    peak = timeline.max(0, steps);
  }
  insertFrees();
  freePools();
  int64_t allocations = 0;
  fn.walk([&](Operation *op) {
    allocations += isa<AllocOp, PoolOp, CommAllocOp>(op);
  });
  report(peak, lowerBound, allocations);
}
