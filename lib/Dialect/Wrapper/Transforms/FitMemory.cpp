//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans memory within a budget, or says why that cannot be.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/Passes.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <optional>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERFITMEMORYPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-fit-memory"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// A way to plan: the passes, and what remarks call it.
struct Attempt {
  StringRef name;
  std::string mode;
  bool reorder, recompute;
};

/// What a plan of the module needs, and a lower bound in its order of steps.
struct Result {
  int64_t peak = 0, lowerBound = 0;
};

/// How often steps are recomputed for a lower target because the plan needs
/// more than the lower bound.
constexpr int kMaxTargets = 3;

struct WrapperFitMemory
    : coil::wrapper::impl::WrapperFitMemoryPassBase<WrapperFitMemory> {
  using WrapperFitMemoryPassBase::WrapperFitMemoryPassBase;
  void runOnOperation() override;

private:
  LogicalResult plan(ModuleOp module, const Attempt &attempt, int64_t target);
  /// Where `fn` of the best plan needs most; `first` is the peak of the plan
  /// that was asked for.
  void explain(FuncOp fn, int64_t first, StringRef how);
};

} // namespace

static int64_t getReported(FuncOp fn, StringRef key) {
  auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
  auto value = memory ? memory.getAs<IntegerAttr>(key) : IntegerAttr();
  return value ? value.getInt() : 0;
}

static int64_t getPeak(FuncOp fn) { return getReported(fn, "peak"); }

/// The most that the functions need which are called from outside.
static Result getResult(ModuleOp module) {
  Result result;
  for (FuncOp fn : module.getOps<FuncOp>())
    if (fn.isPublic()) {
      result.peak = std::max(result.peak, getPeak(fn));
      result.lowerBound =
          std::max(result.lowerBound, getReported(fn, "lower_bound"));
    }
  return result;
}

LogicalResult WrapperFitMemory::plan(ModuleOp module, const Attempt &attempt,
                                     int64_t target) {
  OpPassManager pm(ModuleOp::getOperationName());
  if (attempt.reorder)
    pm.addPass(createWrapperReorderForMemoryPass());
  if (attempt.recompute) {
    WrapperRecomputeForMemoryPassOptions recompute;
    recompute.budget = target;
    pm.addPass(createWrapperRecomputeForMemoryPass(recompute));
  }
  WrapperPlanMemoryPassOptions options;
  options.mode = attempt.mode;
  pm.addPass(createWrapperPlanMemoryPass(options));
  return runPipeline(pm, module);
}

namespace {

/// What a planned function has allocated, step by step. What is carved is part
/// of its pool.
struct Usage {
  explicit Usage(FuncOp fn) : lifetimes(fn), inUse(lifetimes.getNumSteps()) {
    loop::Hints hints(fn);
    for (auto &[storage, life] : lifetimes.get()) {
      if (!isa<PoolType>(storage.getType()) && getCarving(storage))
        continue;
      auto pool = const_cast<Value &>(storage).getDefiningOp<PoolOp>();
      int64_t bytes = getCountedBytes(
          hints(pool ? pool.getBytes()
                     : cast<BufferType>(storage.getType()).getStorageBytes()),
          wrapper::getDevice(storage.getType()));
      all.push_back({&life, bytes});
      for (size_t step = life.begin; step < life.end; ++step)
        inUse[step] += bytes;
    }
  }

  Lifetimes lifetimes;
  SmallVector<std::pair<const Lifetime *, int64_t>> all;
  std::vector<int64_t> inUse;
};

} // namespace

/// What is alive where a function needs most.
void WrapperFitMemory::explain(FuncOp fn, int64_t first, StringRef how) {
  Usage usage(fn);
  auto worst =
      static_cast<size_t>(llvm::max_element(usage.inUse) - usage.inUse.begin());
  InFlightDiagnostic diag = emitError(fn.getLoc());
  diag << "function '" << fn.getName() << "' needs at least " << getPeak(fn)
       << " bytes (planned " << how << "), above the budget of "
       << budget.getValue() << " bytes; planned as asked for it needs " << first
       << " bytes";
  fn.walk([&](Operation *op) {
    if (op != fn && usage.lifetimes.getFirstStep(op) == worst)
      diag.attachNote(op->getLoc()) << "most is in use here";
  });
  llvm::stable_sort(usage.all, [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  unsigned named = 0;
  for (auto &[life, bytes] : usage.all)
    if (life->begin <= worst && worst < life->end && named++ < 5)
      diag.attachNote(life->storage.getLoc())
          << bytes << " bytes for this "
          << (isa<PoolType>(life->storage.getType()) ? "pool" : "buffer");
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

namespace {

/// Says before library calls how much workspace they may have: what the budget
/// leaves.
class WorkspaceLimits {
public:
  WorkspaceLimits(ModuleOp module, int64_t budget) {
    for (FuncOp fn : module.getOps<FuncOp>())
      if (fn.isPublic() && !fn.isExternal())
        budgets[fn] = budget;
    // A function that is called has what all of its callers leave.
    SymbolTableCollection tables;
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t i = 0; i < budgets.size(); ++i)
        changes |= visit(
            cast<FuncOp>(budgets.begin()[static_cast<ptrdiff_t>(i)].first),
            tables);
    }
  }

  void insert() {
    bool isLimited = false;
    for (auto &[fn, budget] : budgets)
      isLimited |= insert(cast<FuncOp>(fn).getBody().front(),
                          Usage(cast<FuncOp>(fn)), budget);
    if (!isLimited)
      return;
    for (auto &[fn, budget] : budgets)
      if (cast<FuncOp>(fn).isPublic())
        limit(cast<FuncOp>(fn).getBody().front().getTerminator(), -1);
  }

private:
  bool visit(FuncOp fn, SymbolTableCollection &tables);
  bool insert(Block &block, const Usage &usage, int64_t budget);
  static void limit(Operation *before, int64_t bytes);

  /// From here on a limit is as good as none.
  static constexpr int64_t kEnough = int64_t(512) << 20;

  llvm::MapVector<Operation *, int64_t> budgets;
};

} // namespace

bool WorkspaceLimits::visit(FuncOp fn, SymbolTableCollection &tables) {
  std::optional<Usage> usage;
  int64_t budget = budgets.lookup(fn);
  bool changes = false;
  fn.getBody().walk([&](CallOpInterface call) {
    auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    FuncOp callee =
        name ? tables.lookupNearestSymbolFrom<FuncOp>(call, name) : FuncOp();
    if (!callee || callee.isExternal())
      return;
    if (!usage)
      usage.emplace(fn);
    int64_t left = budget - usage->inUse[usage->lifetimes.getFirstStep(call)];
    // These are the function's own.
    for (auto &[life, bytes] : usage->all)
      if (life->lastUse == call && life->isTaken)
        left += bytes;
      else if (Value storage = life->storage; storage.getDefiningOp() == call)
        left += bytes;
    auto [it, isNew] = budgets.insert({callee, left});
    changes |= isNew || left < it->second;
    it->second = std::min(it->second, left);
  });
  return changes;
}

void WorkspaceLimits::limit(Operation *before, int64_t bytes) {
  OpBuilder b(before);
  ExternCallOp::create(b, before->getLoc(), TypeRange(),
                       b.getStringAttr("coil::limit_workspace"),
                       b.getArrayAttr({sym::constant(b.getContext(), bytes)}),
                       ValueRange(), ArrayAttr(), DenseI64ArrayAttr());
}

/// Changes a limit where there is less, or much more than before: most steps
/// need no call.
bool WorkspaceLimits::insert(Block &block, const Usage &usage, int64_t budget) {
  bool isLimited = false;
  std::optional<int64_t> current;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        isLimited |= insert(inner, usage, budget);
    if (op.getNumRegions() != 0 || isa<CallOpInterface>(op))
      current.reset();
    if (!isa<ContractionOp, ConvolutionOp, AttentionOp, SortOp>(op))
      continue;
    int64_t room = std::clamp<int64_t>(
        budget - usage.inUse[usage.lifetimes.getFirstStep(&op)], 0, kEnough);
    if (current && *current <= room &&
        (room == *current || room / 2 < *current))
      continue;
    limit(&op, room);
    current = room;
    isLimited = true;
  }
  return isLimited;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void WrapperFitMemory::runOnOperation() {
  ModuleOp module = getOperation();
  if (budget <= 0) { // (C1)
    emitError(module.getLoc())
        << "expected a budget above 0 bytes, not " << budget.getValue();
    return signalPassFailure();
  }
  for (FuncOp fn : module.getOps<FuncOp>())
    if (fn->hasAttr(kMemoryAttrName)) { // (C2)
      emitError(fn.getLoc())
          << "memory of function '" << fn.getName() << "' is planned already";
      return signalPassFailure();
    }
  const Attempt attempts[] = {
      {"as asked for", mode, false, false},
      {"in pools", "pool", false, false},
      {"in another order and pools", "pool", true, false},
      {"with steps that are repeated", mode, false, true},
      {"with steps that are repeated and pools", "pool", false, true},
      {"in another order with steps that are repeated and pools", "pool", true,
       true}};
  OwningOpRef<ModuleOp> original = module.clone(), best;
  llvm::StringMap<int64_t> first;
  StringRef bestName;
  for (const Attempt &attempt : attempts) {
    if (&attempt != attempts && attempt.mode == "pool" && !attempt.reorder &&
        mode == "pool")
      continue;
    int64_t target = budget;
    for (int i = 0; i < kMaxTargets; ++i) {
      if (&attempt != attempts) {
        OwningOpRef<ModuleOp> again = original->clone();
        module.getBodyRegion().takeBody(again->getBodyRegion());
      }
      if (failed(plan(module, attempt, target)))
        return signalPassFailure();
      if (&attempt == attempts)
        for (FuncOp fn : module.getOps<FuncOp>())
          first[fn.getName()] = getPeak(fn);
      Result result = getResult(module);
      remark::analysis(module.getLoc(),
                       remark::RemarkOpts::name("Budget").category(DEBUG_TYPE))
          << remark::add("planned {0}", attempt.name)
          << remark::metric("Peak", result.peak)
          << remark::metric("Budget", budget.getValue());
      if (result.peak <= budget) {
        WorkspaceLimits(module, budget).insert();
        return;
      }
      if (!best || result.peak < getResult(*best).peak) {
        best = module.clone();
        bestName = attempt.name;
      }
      // Repeating more helps only if enough was repeated for the target, and
      // the plan was above the lower bound.
      if (!attempt.recompute || result.lowerBound > target ||
          target <= result.peak - budget)
        break;
      target -= result.peak - budget;
    }
  }
  for (FuncOp fn : best->getOps<FuncOp>())
    if (fn.isPublic() && getPeak(fn) > budget)
      explain(fn, first.lookup(fn.getName()), bestName);
  signalPassFailure();
}
