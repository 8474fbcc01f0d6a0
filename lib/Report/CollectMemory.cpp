//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads allocations and lives off planned host programs.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "coil/Dialect/Wrapper/Analysis/Timeline.h"
#include "coil/Dialect/Wrapper/Transforms/Passes.h"
#include "coil/Report/MemoryReport.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

namespace {

class Collector {
public:
  Collector(FuncOp fn, const CallHandles &handles)
      : fn(fn), handles(handles), lifetimes(fn), hints(fn) {}

  MemoryUse run();

private:
  int64_t getBytes(ExprAttr bytes, DeviceAttr device);
  int64_t getBytes(BufferType type) {
    return getBytes(type.getStorageBytes(), type.getDevice());
  }
  void addInputs();
  void addStorage(const Lifetime &life);
  size_t addAllocation(const Lifetime &life, int64_t bytes, bool isPool);
  void findWriters();
  void addCalls(Timeline &timeline);
  void place();
  int64_t getMemory(StringRef key);

  FuncOp fn;
  const CallHandles &handles;
  Lifetimes lifetimes;
  loop::Hints hints;
  MemoryUse use;
  /// The allocation that storage is in, and where.
  DenseMap<Value, std::pair<size_t, int64_t>> places;
  DenseMap<Value, size_t> buffers;
};

} // namespace

int64_t Collector::getBytes(ExprAttr bytes, DeviceAttr device) {
  return getCountedBytes(hints(bytes), device);
}

int64_t Collector::getMemory(StringRef key) {
  auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
  auto number = memory ? memory.getAs<IntegerAttr>(key) : IntegerAttr();
  return number ? number.getInt() : 0;
}

void Collector::addInputs() {
  for (auto [i, arg] : llvm::enumerate(fn.getArguments())) {
    auto type = dyn_cast<BufferType>(arg.getType());
    if (!type || fn.isConsumed(static_cast<unsigned>(i)))
      continue;
    bool isWeight =
        bool(fn.getArgAttr(static_cast<unsigned>(i), "graph.weight"));
    (isWeight ? use.weightBytes : use.inputBytes) += getBytes(type);
  }
}

size_t Collector::addAllocation(const Lifetime &life, int64_t bytes,
                                bool isPool) {
  use.allocations.push_back(
      {wrapper::getDevice(life.storage.getType()).getKind().str(), isPool,
       bytes, life.begin, life.end});
  return use.allocations.size() - 1;
}

void Collector::addStorage(const Lifetime &life) {
  Value storage = life.storage;
  Operation *def = storage.getDefiningOp();
  if (auto pool = dyn_cast_or_null<PoolOp>(def)) {
    places[storage] = {
        addAllocation(
            life, getBytes(pool.getBytes(), wrapper::getDevice(pool.getType())),
            /*isPool=*/true),
        0};
    return;
  }
  auto type = cast<BufferType>(storage.getType());
  int64_t bytes = getBytes(type);
  std::pair<size_t, int64_t> at;
  if (auto carved = dyn_cast_or_null<PoolAllocOp>(def)) {
    at = places.at(carved.getPool());
    at.second = static_cast<int64_t>(std::max(hints(carved.getOffset()), 0.0));
  } else if (auto reuse = dyn_cast_or_null<ReuseOp>(def)) {
    auto found = places.find(getStorage(reuse.getSource()));
    at = found != places.end()
             ? found->second
             : std::pair<size_t, int64_t>{addAllocation(life, bytes, false), 0};
  } else {
    at = {addAllocation(life, bytes, false), 0};
  }
  places[storage] = at;
  MemoryAllocation &allocation = use.allocations[at.first];
  allocation.end = std::max(allocation.end, life.end);
  buffers[storage] = use.buffers.size();
  MemoryBuffer buffer;
  buffer.name = "b" + std::to_string(use.buffers.size());
  llvm::raw_string_ostream(buffer.type) << type;
  buffer.allocation = at.first;
  buffer.offset = at.second;
  buffer.bytes = bytes;
  buffer.begin = life.begin;
  buffer.end = life.end;
  use.buffers.push_back(std::move(buffer));
}

/// Finds the step that writes each buffer first.
void Collector::findWriters() {
  fn.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value v = effect.getValue();
      if (!v || !isa<BufferType>(v.getType()) ||
          !isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      auto found = buffers.find(getStorage(v));
      if (found == buffers.end() || !use.buffers[found->second].writer.empty())
        continue;
      MemoryBuffer &buffer = use.buffers[found->second];
      auto step = dyn_cast<ComputeOpInterface>(op);
      buffer.writer =
          step ? handles.get(step) : op->getName().getStringRef().str();
      buffer.source = llvm::join(
          llvm::map_range(getSources(op->getLoc()),
                          [](const Source &source) { return source.str(); }),
          ", ");
    }
  });
}

/// What callees need beside what they are passed and return.
void Collector::addCalls(Timeline &timeline) {
  fn.getBody().walk([&](CallOpInterface call) {
    auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    auto callee = name
                      ? SymbolTable::lookupNearestSymbolFrom<FuncOp>(call, name)
                      : FuncOp();
    auto memory = callee
                      ? callee->getAttrOfType<DictionaryAttr>(kMemoryAttrName)
                      : DictionaryAttr();
    auto peak = memory ? memory.getAs<IntegerAttr>("peak") : IntegerAttr();
    if (!peak)
      return;
    int64_t bytes = peak.getInt();
    for (OpOperand *operand : getTakenOperands(call))
      bytes -= getBytes(cast<BufferType>(operand->get().getType()));
    for (Value result : call->getResults())
      bytes -= getBytes(cast<BufferType>(result.getType()));
    size_t step = lifetimes.getFirstStep(call);
    timeline.add(step, step + 1, std::max<int64_t>(bytes, 0));
  });
}

/// Finds a place in the picture for each allocation: the lowest that is free
/// while it lives.
void Collector::place() {
  std::vector<size_t> order(use.allocations.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return use.allocations[a].begin < use.allocations[b].begin;
  });
  // What is alive, by its place.
  std::multimap<int64_t, size_t> alive;
  for (size_t i : order) {
    MemoryAllocation &next = use.allocations[i];
    int64_t at = 0;
    for (auto it = alive.begin(); it != alive.end();) {
      const MemoryAllocation &other = use.allocations[it->second];
      if (other.end <= next.begin) {
        it = alive.erase(it);
        continue;
      }
      if (other.shownAt >= at + next.bytes)
        break;
      at = std::max(at, other.shownAt + other.bytes);
      ++it;
    }
    next.shownAt = at;
    alive.insert({at, i});
  }
}

MemoryUse Collector::run() {
  use.function = fn.getName().str();
  use.steps.resize(lifetimes.getNumSteps());
  fn.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto step = dyn_cast<ComputeOpInterface>(op);
    std::string name =
        step ? handles.get(step) : op->getName().getStringRef().str();
    use.steps[lifetimes.getLastStep(op)] = "end of " + name;
    use.steps[lifetimes.getFirstStep(op)] = std::move(name);
  });
  addInputs();
  for (auto &[storage, life] : lifetimes.get())
    addStorage(life);
  findWriters();
  place();
  Timeline timeline(use.steps.size());
  for (const MemoryAllocation &a : use.allocations)
    timeline.add(a.begin, a.end, a.bytes);
  addCalls(timeline);
  for (size_t i = 0; i < use.steps.size(); ++i)
    use.inUse.push_back(timeline.max(i, i + 1));
  std::tie(use.peak, use.peakStep) = timeline.find(0, use.steps.size());
  fn.getBody().walk<WalkOrder::PreOrder>([&](ComputeOpInterface op) {
    size_t step = lifetimes.getFirstStep(op);
    if (step < use.peakStep || use.inUse[step] != use.peak)
      return WalkResult::advance();
    use.peakName = handles.get(op);
    return WalkResult::interrupt();
  });
  use.plannedPeak = getMemory("peak");
  use.lowerBound = getMemory("lower_bound");
  return std::move(use);
}

std::vector<MemoryUse> coil::collectMemory(ModuleOp module) {
  CallHandles handles(module);
  std::vector<MemoryUse> uses;
  for (FuncOp fn : module.getOps<FuncOp>())
    if (!fn.isExternal() && fn->hasAttr(kMemoryAttrName))
      uses.push_back(Collector(fn, handles).run());
  return uses;
}
