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
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

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

/// A buffer that the program allocates.
struct Buffer {
  AllocOp alloc;
  /// What stands for the buffer after planning.
  Value value;
  size_t begin = 0;
  size_t lastUse = 0;
  size_t firstUse = SIZE_MAX;
  bool isResult = false;
  int64_t bytes = 0; ///< At the hints.
  /// The buffer that took over the storage, or that gave it.
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

  void collect();
  void tryInPlace(Buffer &buffer, Timeline &timeline);
  void planReuse(Timeline &timeline);
  void handOver(Buffer &from, Buffer &to, Operation *before, StringRef how);
  void insertFrees();

  FuncOp fn;
  SymbolTableCollection &tables;
  loop::Hints hints;
  SmallVector<Operation *> steps;
  /// By the storage's value in the program before planning.
  llvm::MapVector<Value, Buffer> buffers;
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
    for (FuncOp fn : getOperation().getOps<FuncOp>())
      if (!fn->hasAttr(kMemoryAttrName))
        Planner(fn, tables).run(mode == "reuse");
  }
};

} // namespace

void Planner::collect() {
  Block &block = fn.getBody().front();
  // Buffers that nothing uses, and views of them, from the end.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<AllocOp, ViewLikeOpInterface>(op) && op.use_empty())
      op.erase();
  for (Operation &op : block) {
    size_t step = steps.size();
    steps.push_back(&op);
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      Buffer &buffer = buffers[alloc.getResult()];
      buffer.alloc = alloc;
      buffer.value = alloc;
      buffer.begin = buffer.lastUse = step;
      double bytes = hints(cast<BufferType>(alloc.getType()).getStorageBytes());
      buffer.bytes = static_cast<int64_t>(std::min(bytes, 0x1p62));
    }
    for (Value v : op.getOperands()) {
      auto *it = buffers.find(getStorage(v));
      if (it == buffers.end())
        continue;
      Buffer &buffer = it->second;
      buffer.lastUse = step;
      buffer.firstUse = std::min(buffer.firstUse, step);
      if (op.hasTrait<OpTrait::IsTerminator>())
        buffer.isResult = true;
    }
  }
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
  if (buffer.firstUse == SIZE_MAX)
    return;
  Operation *op = steps[buffer.firstUse];
  auto inPlace = dyn_cast<InPlaceOpInterface>(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!inPlace || !effects)
    return;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  auto isPlainView = [](Value v) { // The same first element.
    while (auto view = v.getDefiningOp<ReinterpretOp>()) {
      if (!view.getOffset().isConstant(0))
        return false;
      v = view.getSource();
    }
    return !v.getDefiningOp<ViewLikeOpInterface>();
  };
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
    if (!from || from == &buffer || from->handedOver || from->isResult ||
        from->lastUse != buffer.firstUse || getKey(old) != getKey(buffer.value))
      continue;
    // The kernel sees both under one type.
    auto getElementType = [](Value v) {
      return cast<BufferType>(v.getType()).getElementType();
    };
    if (getElementType(candidate->get()) != getElementType(buffer.value))
      continue;
    bool fits = llvm::all_of(reads, [&](OpOperand *read) {
      return getStorage(read->get()) != old ||
             (isPlainView(read->get()) &&
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
    timeline.add(buffer.firstUse, buffer.firstUse + 1, -buffer.bytes);
    // Between its allocation and its first use it took no storage of its own.
    timeline.add(buffer.begin, buffer.firstUse, -buffer.bytes);
    return;
  }
}

void Planner::planReuse(Timeline &timeline) {
  // Storage that is free, by key, the latest on top.
  struct Candidate {
    Buffer *buffer;
    size_t step;
  };
  llvm::DenseMap<Key, SmallVector<Candidate>> free;
  llvm::DenseMap<size_t, SmallVector<Buffer *>> dying;
  for (auto &[value, buffer] : buffers)
    dying[buffer.lastUse].push_back(&buffer);

  for (size_t step = 0; step < steps.size(); ++step) {
    Operation *op = steps[step];
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      Buffer &buffer = buffers[alloc.getResult()];
      tryInPlace(buffer, timeline);
      if (buffer.value == alloc.getResult()) {
        SmallVector<Candidate> &stack = free[getKey(alloc)];
        int64_t peak = timeline.max(0, steps.size());
        if (!stack.empty()) {
          Candidate c = stack.back();
          if (buffer.bytes + timeline.max(c.step + 1, step) <= peak) {
            stack.pop_back();
            Value original = alloc;
            handOver(*c.buffer, buffer, alloc, "of a buffer that died before");
            renamed[buffer.value] = original;
            timeline.add(c.step + 1, step, buffer.bytes);
          } else {
            remark::missed(
                alloc.getLoc(),
                remark::RemarkOpts::name("NotReused").category(DEBUG_TYPE))
                << remark::add("not reused: keeping {0} bytes until here would "
                               "raise the peak",
                               buffer.bytes);
          }
        }
      }
    }
    for (Buffer *buffer : dying.lookup(step))
      if (!buffer->isResult && !buffer->handedOver)
        free[getKey(buffer->value)].push_back({buffer, step});
  }
}

void Planner::insertFrees() {
  for (auto &[value, buffer] : buffers) {
    if (buffer.isResult || buffer.handedOver)
      continue;
    OpBuilder b(fn.getContext());
    b.setInsertionPointAfter(steps[buffer.lastUse]);
    FreeOp::create(b, steps[buffer.lastUse]->getLoc(), buffer.value);
  }
  for (auto &[value, buffer] : buffers)
    if (buffer.value != value)
      buffer.alloc.erase();
}

void Planner::run(bool reuse) {
  collect();
  Timeline timeline(steps.size());
  for (auto &[value, buffer] : buffers)
    timeline.add(buffer.begin,
                 buffer.isResult ? steps.size() : buffer.lastUse + 1,
                 buffer.bytes);
  int64_t lowerBound = timeline.max(0, steps.size());
  int64_t allocations = static_cast<int64_t>(buffers.size());
  if (reuse)
    planReuse(timeline);
  insertFrees();

  int64_t peak = timeline.max(0, steps.size());
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
