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
#include "coil/Dialect/Wrapper/Analysis/Lifetimes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

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

/// What is alive where a function needs most.
void WrapperFitMemory::explain(FuncOp fn, int64_t first, StringRef how) {
  loop::Hints hints(fn);
  Lifetimes lifetimes(fn);
  auto getBytes = [&](Value storage) {
    auto pool = storage.getDefiningOp<PoolOp>();
    return getCountedBytes(
        hints(pool ? pool.getBytes()
                   : cast<BufferType>(storage.getType()).getStorageBytes()),
        wrapper::getDevice(storage.getType()));
  };
  // What is carved is part of its pool.
  SmallVector<std::pair<const Lifetime *, int64_t>> all;
  std::vector<int64_t> inUse(lifetimes.getNumSteps());
  for (auto &[storage, life] : lifetimes.get()) {
    if (!isa<PoolType>(storage.getType()) && getCarving(storage))
      continue;
    all.push_back({&life, getBytes(storage)});
    for (size_t step = life.begin; step < life.end; ++step)
      inUse[step] += all.back().second;
  }
  auto worst = static_cast<size_t>(llvm::max_element(inUse) - inUse.begin());
  InFlightDiagnostic diag = emitError(fn.getLoc());
  diag << "function '" << fn.getName() << "' needs at least " << getPeak(fn)
       << " bytes (planned " << how << "), above the budget of "
       << budget.getValue() << " bytes; planned as asked for it needs " << first
       << " bytes";
  fn.walk([&](Operation *op) {
    if (op != fn && lifetimes.getFirstStep(op) == worst)
      diag.attachNote(op->getLoc()) << "most is in use here";
  });
  llvm::stable_sort(
      all, [](const auto &a, const auto &b) { return a.second > b.second; });
  unsigned named = 0;
  for (auto &[life, bytes] : all)
    if (life->begin <= worst && worst < life->end && named++ < 5)
      diag.attachNote(life->storage.getLoc())
          << bytes << " bytes for this "
          << (isa<PoolType>(life->storage.getType()) ? "pool" : "buffer");
}

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
      if (result.peak <= budget)
        return;
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
