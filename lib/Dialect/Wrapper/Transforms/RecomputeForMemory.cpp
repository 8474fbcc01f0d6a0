//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Repeats steps of host programs instead of keeping their results while memory
// is short.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "Planner.h"
#include "StepCost.h"
#include "coil/Dialect/Wrapper/Analysis/Provenance.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERRECOMPUTEFORMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-recompute-for-memory"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

/// Operations on floats that take as long as moving one byte: on ordinary
/// units, and on those for matrix multiplications of 16-bit floats.
static constexpr double kFlopsPerByte = 10, kMatrixFlopsPerByte = 100;

/// Steps that may be repeated for one value, one computing an operand of the
/// next; and values for which that is tried where memory is short.
static constexpr size_t kMaxChain = 8, kMaxTrials = 32;

namespace {

/// Storage that is not used where memory is short, and what makes it again.
struct Candidate {
  Value storage;
  /// Where it is needed next, in its own block.
  Operation *before = nullptr;
  /// The steps to repeat there, in order.
  SmallVector<Operation *> steps;
  /// Uses of the value, or of operands of the steps, that get the new one.
  int64_t freed = 0;
  double cost = 0;
};

/// What was changed, to change it back.
struct Change {
  SmallVector<std::pair<OpOperand *, Value>> operands;
  SmallVector<Operation *> created;
};

/// Works on one function.
class Recomputer {
public:
  Recomputer(FuncOp fn, SymbolTableCollection &tables,
             llvm::DenseMap<Operation *, int64_t> &bounds)
      : fn(fn), tables(tables), bounds(bounds), hints(fn) {}

  /// Recomputes until the lower bound of the peak is at most `budget`, or
  /// nothing lowers it. Returns the bound.
  int64_t run(int64_t budget);

private:
  LiveSet getLive() { return Planner(fn, tables, &bounds).getLargestLiveSet(); }
  int64_t getBytes(Value storage);
  double getCost(Operation *step);
  /// The only step that writes storage, if it can be repeated.
  Operation *getWriter(Value storage);
  bool isRepeatable(Operation *op);
  /// Whether nothing writes storage, or ends its life, after `from` and before
  /// `to`, which are in one block.
  bool isUnchanged(Value storage, Operation *from, Operation *to);
  /// Adds what makes `storage` again before `candidate.before`.
  bool collect(Value storage, Candidate &candidate);
  std::optional<Candidate> getCandidate(const Lifetime &life, size_t step);
  Change apply(const Candidate &candidate);
  void undo(Change &change);
  /// Repeats something so that less is alive at the fullest step.
  bool improve(const LiveSet &live);
  bool improveCallee(const LiveSet &live, int64_t budget);
  void sinkViews();

  FuncOp fn;
  SymbolTableCollection &tables;
  llvm::DenseMap<Operation *, int64_t> &bounds;
  loop::Hints hints;
  std::optional<Lifetimes> lifetimes;
  llvm::DenseMap<Operation *, double> costs;
};

struct WrapperRecomputeForMemory
    : coil::wrapper::impl::WrapperRecomputeForMemoryPassBase<
          WrapperRecomputeForMemory> {
  using WrapperRecomputeForMemoryPassBase::WrapperRecomputeForMemoryPassBase;
  void runOnOperation() override;
};

} // namespace

//===----------------------------------------------------------------------===//
// What can be repeated
//===----------------------------------------------------------------------===//

int64_t Recomputer::getBytes(Value storage) {
  auto type = cast<BufferType>(storage.getType());
  return getCountedBytes(hints(type.getStorageBytes()), type.getDevice());
}

double Recomputer::getCost(Operation *step) {
  auto [it, isNew] = costs.try_emplace(step, 0);
  if (!isNew)
    return it->second;
  double cost = 0;
  if (CostAttr known = computeStepCost(step)) {
    double matrix = known.getMatrix() ? hints(known.getMatrix()) : 0;
    cost = hints(known.getBytes()) +
           (hints(known.getFlops()) - matrix) / kFlopsPerByte +
           matrix / kMatrixFlopsPerByte;
  } else {
    for (Value operand : step->getOperands())
      if (auto type = dyn_cast<BufferType>(operand.getType()))
        cost += hints(type.getStorageBytes());
  }
  return costs[step] = cost;
}

/// Whether `op` does nothing but read and write its operands, and computes the
/// same bits of the same operands.
bool Recomputer::isRepeatable(Operation *op) {
  if (!isa<LaunchOp, ContractionOp, ConvolutionOp, AttentionOp, SortOp, FillOp,
           CopyOp>(op))
    return false;
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    auto kernel =
        tables.lookupNearestSymbolFrom<KernelOp>(op, launch.getCalleeAttr());
    if (!kernel)
      return false;
    // The order in which a scatter combines elements may differ.
    if (kernel.walk([](loop::ScatterOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return false;
  }
  return true;
}

/// Calls `fn` for each use of storage by anything but a view.
static void forEachStepUse(Value storage,
                           llvm::function_ref<void(OpOperand &)> fn) {
  forEachUse(storage, [&](OpOperand &use) {
    if (!isa<ViewLikeOpInterface>(use.getOwner()))
      fn(use);
  });
}

/// Whether an op may write to an operand, or end its life.
static bool mayChange(OpOperand &use) {
  Operation *op = use.getOwner();
  if (llvm::is_contained(getTakenOperands(op), &use))
    return true;
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  bool isRead = false;
  for (const MemoryEffects::EffectInstance &effect : instances) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    if (effect.getEffectValue<OpOperand *>() == &use) {
      if (!reads)
        return true;
      isRead = true;
    } else if (!effect.getValue() && !reads) {
      return true;
    }
  }
  return !isRead;
}

Operation *Recomputer::getWriter(Value storage) {
  Block *block = storage.getParentBlock();
  Operation *writer = nullptr, *first = nullptr;
  bool isSingle = true;
  forEachStepUse(storage, [&](OpOperand &use) {
    Operation *op = use.getOwner();
    Operation *here = block->findAncestorOpInBlock(*op);
    if (!first || here->isBeforeInBlock(first))
      first = here;
    if (!mayChange(use) || llvm::is_contained(getTakenOperands(op), &use))
      return;
    isSingle &= !writer;
    writer = op;
  });
  if (!isSingle || !writer || writer != first || !isRepeatable(writer))
    return nullptr;
  // It must not read what it writes.
  unsigned numUses = 0;
  for (Value operand : writer->getOperands())
    numUses += isStorage(operand) && getStorage(operand) == storage;
  return numUses == 1 ? writer : nullptr;
}

bool Recomputer::isUnchanged(Value storage, Operation *from, Operation *to) {
  Block *block = from->getBlock();
  bool isUnchanged = true;
  forEachStepUse(storage, [&](OpOperand &use) {
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    if (here && from->isBeforeInBlock(here) && here->isBeforeInBlock(to))
      isUnchanged &= !mayChange(use);
  });
  return isUnchanged;
}

bool Recomputer::collect(Value storage, Candidate &candidate) {
  Operation *writer = getWriter(storage);
  if (!writer || writer->getBlock() != candidate.before->getBlock() ||
      candidate.steps.size() >= kMaxChain)
    return false;
  if (llvm::is_contained(candidate.steps, writer))
    return true;
  size_t until = lifetimes->getFirstStep(candidate.before);
  SmallVector<Value> gone;
  for (OpOperand &operand : writer->getOpOperands()) {
    if (!isStorage(operand.get()))
      continue;
    Value read = getStorage(operand.get());
    if (mayChange(operand)) {
      // Another output is made again, too, and not used.
      if (getWriter(read) != writer || !read.getDefiningOp<AllocOp>())
        return false;
      continue;
    }
    if (llvm::is_contained(gone, read))
      continue;
    if (!isUnchanged(read, writer, candidate.before))
      return false;
    // What is alive anyway is there.
    auto it = lifetimes->get().find(read);
    if (it != lifetimes->get().end() && it->second.end <= until)
      gone.push_back(read);
  }
  for (Value read : gone) {
    const Lifetime &life = lifetimes->get().find(read)->second;
    // A small operand is kept for longer; a large one is made again, too.
    if (getBytes(read) * 4 <= getBytes(storage)) {
      candidate.freed -= getBytes(read);
      continue;
    }
    Candidate longer = candidate;
    if (read.getParentBlock() == candidate.before->getBlock() &&
        collect(read, longer)) {
      candidate = longer;
      continue;
    }
    if (life.isTaken)
      return false;
    candidate.freed -= getBytes(read);
  }
  candidate.steps.push_back(writer);
  candidate.cost += getCost(writer);
  return true;
}

std::optional<Candidate> Recomputer::getCandidate(const Lifetime &life,
                                                  size_t step) {
  if (step < life.begin || life.end <= step ||
      !life.storage.getDefiningOp<AllocOp>())
    return std::nullopt;
  Candidate candidate;
  candidate.storage = life.storage;
  Block *block = candidate.storage.getParentBlock();
  candidate.freed = getBytes(life.storage);
  bool isUsedHere = false, isUsedBefore = false;
  Operation *writer = getWriter(life.storage);
  if (!writer)
    return std::nullopt;
  forEachStepUse(life.storage, [&](OpOperand &use) {
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    if (lifetimes->getLastStep(here) < step) {
      isUsedBefore |= here != writer;
    } else if (lifetimes->getFirstStep(here) <= step) {
      isUsedHere = true;
    } else if (!candidate.before || here->isBeforeInBlock(candidate.before)) {
      candidate.before = here;
    }
  });
  if (isUsedHere || !candidate.before ||
      lifetimes->getLastStep(writer) >= step ||
      !collect(life.storage, candidate) || candidate.freed <= 0)
    return std::nullopt;
  // A step that is not repeated but only moved takes no time.
  if (!isUsedBefore) {
    bool hasOthers = false;
    for (Value operand : writer->getOperands())
      if (isStorage(operand) && getStorage(operand) != life.storage)
        hasOthers |= getWriter(getStorage(operand)) == writer;
    if (!hasOthers)
      candidate.cost -= getCost(writer);
  }
  return candidate;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

/// Moves allocations and views to where they are needed first: what is alive
/// shows nothing else then.
void Recomputer::sinkViews() {
  SmallVector<Operation *> ops;
  fn.getBody().walk([&](Operation *op) {
    if (isa<AllocOp, ViewLikeOpInterface>(op))
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops)) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      if (!first || here->isBeforeInBlock(first))
        first = here;
    }
    if (first)
      op->moveBefore(first);
    else
      op->erase();
  }
}

Change Recomputer::apply(const Candidate &candidate) {
  Change change;
  OpBuilder b(candidate.before);
  // New storage, by the old one.
  IRMapping storages;
  auto create = [&](Operation *op) {
    change.created.push_back(op);
    return op;
  };
  // The same view of the new storage as `v` is of the old one.
  auto getView = [&](Value v) {
    SmallVector<Operation *> views;
    Value storage = v;
    while (auto view = storage.getDefiningOp<ViewLikeOpInterface>()) {
      views.push_back(view);
      storage = view.getViewSource();
    }
    if (!storages.contains(storage))
      return v;
    IRMapping map;
    map.map(storage, storages.lookup(storage));
    Value result = map.lookup(storage);
    for (Operation *view : llvm::reverse(views))
      result = create(b.clone(*view, map))->getResult(0);
    return result;
  };
  for (Operation *writer : candidate.steps) {
    // Outputs first, so that all that the step writes is new.
    for (Value operand : writer->getOperands()) {
      if (!isStorage(operand))
        continue;
      Value storage = getStorage(operand);
      if (!storages.contains(storage) && getWriter(storage) == writer)
        storages.map(storage,
                     create(b.clone(*storage.getDefiningOp()))->getResult(0));
    }
    IRMapping map;
    for (Value operand : writer->getOperands())
      map.map(operand, isStorage(operand) ? getView(operand) : operand);
    create(b.clone(*writer, map));
  }
  // The uses after the fullest step.
  SmallVector<OpOperand *> late;
  Block *block = candidate.before->getBlock();
  forEachStepUse(candidate.storage, [&](OpOperand &use) {
    Operation *here = block->findAncestorOpInBlock(*use.getOwner());
    if (here == candidate.before || candidate.before->isBeforeInBlock(here))
      late.push_back(&use);
  });
  for (OpOperand *use : late) {
    change.operands.push_back({use, use->get()});
    b.setInsertionPoint(use->getOwner());
    use->set(getView(use->get()));
  }
  return change;
}

void Recomputer::undo(Change &change) {
  for (auto &[operand, value] : change.operands)
    operand->set(value);
  for (Operation *op : llvm::reverse(change.created))
    op->erase();
}

/// Erases a step whose results nothing reads, with its allocations.
static void eraseIfDead(Operation *writer) {
  SmallVector<Value> storages;
  for (Value operand : writer->getOperands()) {
    if (!isStorage(operand))
      continue;
    Value storage = getStorage(operand);
    bool isWritten = false, isElsewhere = false;
    forEachStepUse(storage, [&](OpOperand &use) {
      if (use.getOwner() != writer)
        isElsewhere = true;
      else
        isWritten |= mayChange(use);
    });
    if (!isWritten)
      continue;
    if (isElsewhere || !storage.getDefiningOp<AllocOp>())
      return;
    storages.push_back(storage);
  }
  writer->erase();
  for (Value storage : storages) {
    SmallVector<Operation *> views = {storage.getDefiningOp()};
    for (size_t i = 0; i < views.size(); ++i)
      llvm::append_range(views, views[i]->getUsers());
    for (Operation *view : llvm::reverse(views))
      view->erase();
  }
}

bool Recomputer::improve(const LiveSet &live) {
  lifetimes.emplace(fn);
  costs.clear();
  std::vector<Candidate> candidates;
  for (const auto &[storage, life] : lifetimes->get())
    if (auto candidate = getCandidate(life, live.step))
      candidates.push_back(std::move(*candidate));
  llvm::stable_sort(candidates, [](const Candidate &a, const Candidate &b) {
    return a.cost * static_cast<double>(b.freed) <
           b.cost * static_cast<double>(a.freed);
  });
  if (candidates.size() > kMaxTrials)
    candidates.resize(kMaxTrials);
  for (const Candidate &candidate : candidates) {
    std::string name =
        isa<ComputeOpInterface>(candidate.steps.back())
            ? cast<ComputeOpInterface>(candidate.steps.back()).getComputeName()
            : candidate.steps.back()->getName().getStringRef().str();
    Location loc = candidate.steps.back()->getLoc();
    Change change = apply(candidate);
    LiveSet now = getLive();
    if (std::pair(now.bytes, now.numSteps) >=
        std::pair(live.bytes, live.numSteps)) {
      undo(change);
      continue;
    }
    // What is read nowhere but there is made once.
    for (Operation *writer : llvm::reverse(candidate.steps))
      eraseIfDead(writer);
    remark::passed(loc,
                   remark::RemarkOpts::name("Recomputed").category(DEBUG_TYPE))
        << remark::add("'{0}' is computed again instead of kept", name)
        << remark::metric("Freed", candidate.freed)
        << remark::metric("Steps", static_cast<int64_t>(candidate.steps.size()))
        << remark::metric("Cost", static_cast<int64_t>(candidate.cost))
        << remark::metric("LowerBound", now.bytes);
    return true;
  }
  return false;
}

/// Where most is in use in a function that is called, that function repeats.
bool Recomputer::improveCallee(const LiveSet &live, int64_t budget) {
  FuncOp callee;
  fn.getBody().walk([&](CallOpInterface call) {
    auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    if (name && lifetimes->getFirstStep(call) == live.step)
      callee = tables.lookupNearestSymbolFrom<FuncOp>(call, name);
  });
  if (!callee || callee.isExternal() || callee->hasAttr(kMemoryAttrName))
    return false;
  int64_t before = bounds.lookup(callee);
  int64_t target = std::max<int64_t>(before - (live.bytes - budget), 0);
  int64_t now = Recomputer(callee, tables, bounds).run(target);
  return now < before;
}

int64_t Recomputer::run(int64_t budget) {
  // Functions that are called need what they need now.
  fn.getBody().walk([&](CallOpInterface call) {
    auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    auto callee =
        name ? tables.lookupNearestSymbolFrom<FuncOp>(call, name) : FuncOp();
    if (callee && !callee.isExternal() && !bounds.contains(callee))
      Recomputer(callee, tables, bounds).run(INT64_MAX);
  });
  LiveSet live = getLive();
  bool isOrdered = fn.getBody()
                       .walk([](Operation *op) {
                         return isa<StreamOp, RecordEventOp, WaitEventOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (live.bytes > budget && !isOrdered) {
    sinkViews();
    live = getLive();
    while (live.bytes > budget) {
      if (!improve(live) && !improveCallee(live, budget))
        break;
      live = getLive();
    }
  }
  return bounds[fn] = live.bytes;
}

void WrapperRecomputeForMemory::runOnOperation() {
  SymbolTableCollection tables;
  llvm::DenseMap<Operation *, int64_t> bounds;
  for (FuncOp fn : getOperation().getOps<FuncOp>()) {
    if (!fn.isPublic() || fn.isExternal() || fn->hasAttr(kMemoryAttrName))
      continue;
    int64_t before = Planner(fn, tables).getLowerBound();
    int64_t bound = Recomputer(fn, tables, bounds).run(budget);
    remark::analysis(
        fn.getLoc(),
        remark::RemarkOpts::name("Recomputation").category(DEBUG_TYPE))
        << remark::metric("Budget", budget.getValue())
        << remark::metric("Before", before) << remark::metric("After", bound);
  }
}
