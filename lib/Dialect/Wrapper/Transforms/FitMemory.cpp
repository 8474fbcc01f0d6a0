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
  bool reorder;
};

struct WrapperFitMemory
    : coil::wrapper::impl::WrapperFitMemoryPassBase<WrapperFitMemory> {
  using WrapperFitMemoryPassBase::WrapperFitMemoryPassBase;
  void runOnOperation() override;

private:
  LogicalResult plan(ModuleOp module, const Attempt &attempt);
  void explain(FuncOp fn);
};

} // namespace

static int64_t getPeak(FuncOp fn) {
  auto memory = fn->getAttrOfType<DictionaryAttr>(kMemoryAttrName);
  auto peak = memory ? memory.getAs<IntegerAttr>("peak") : IntegerAttr();
  return peak ? peak.getInt() : 0;
}

/// The largest peak of the functions that are called from outside.
static int64_t getPeak(ModuleOp module) {
  int64_t peak = 0;
  for (FuncOp fn : module.getOps<FuncOp>())
    if (fn.isPublic())
      peak = std::max(peak, getPeak(fn));
  return peak;
}

LogicalResult WrapperFitMemory::plan(ModuleOp module, const Attempt &attempt) {
  OpPassManager pm(ModuleOp::getOperationName());
  if (attempt.reorder)
    pm.addPass(createWrapperReorderForMemoryPass());
  WrapperPlanMemoryPassOptions options;
  options.mode = attempt.mode;
  pm.addPass(createWrapperPlanMemoryPass(options));
  return runPipeline(pm, module);
}

/// What is alive where a function needs most.
void WrapperFitMemory::explain(FuncOp fn) {
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
       << " bytes, above the budget of " << budget.getValue() << " bytes";
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
  const Attempt attempts[] = {{"as asked for", mode, false},
                              {"in pools", "pool", false},
                              {"in another order and pools", "pool", true}};
  OwningOpRef<ModuleOp> original = module.clone(), best;
  for (const Attempt &attempt : attempts) {
    if (&attempt == &attempts[1] && mode == "pool")
      continue;
    if (&attempt != attempts) {
      OwningOpRef<ModuleOp> again = original->clone();
      module.getBodyRegion().takeBody(again->getBodyRegion());
    }
    if (failed(plan(module, attempt)))
      return signalPassFailure();
    int64_t peak = getPeak(module);
    remark::analysis(module.getLoc(),
                     remark::RemarkOpts::name("Budget").category(DEBUG_TYPE))
        << remark::add("planned {0}", attempt.name)
        << remark::metric("Peak", peak)
        << remark::metric("Budget", budget.getValue());
    if (peak <= budget)
      return;
    if (!best || peak < getPeak(*best))
      best = module.clone();
  }
  for (FuncOp fn : best->getOps<FuncOp>())
    if (fn.isPublic() && getPeak(fn) > budget)
      explain(fn);
  signalPassFailure();
}
