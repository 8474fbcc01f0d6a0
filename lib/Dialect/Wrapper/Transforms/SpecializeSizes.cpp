//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with several schedules, of which the host program chooses one by the
// sizes of a run.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Transforms/SpecializeSizes.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <algorithm>
#include <cmath>

namespace coil::wrapper {
#define GEN_PASS_DEF_WRAPPERSPECIALIZESIZESPASS
#include "coil/Dialect/Wrapper/Transforms/Passes.h.inc"
} // namespace coil::wrapper

#define DEBUG_TYPE "wrapper-specialize-sizes"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

namespace {

/// A kernel for values of one of its symbols up to a bound, or above it.
struct Variant {
  KernelOp kernel;
  unsigned symbol = 0;
  bool isBelow = false;
  int64_t bound = 0;
};

struct WrapperSpecializeSizesPass
    : coil::wrapper::impl::WrapperSpecializeSizesPassBase<
          WrapperSpecializeSizesPass> {
  using WrapperSpecializeSizesPassBase::WrapperSpecializeSizesPassBase;
  WrapperSpecializeSizesPass(const WrapperSpecializeSizesPassOptions &options,
                             BuildScheduler build)
      : WrapperSpecializeSizesPassBase(options), build(std::move(build)) {}
  WrapperSpecializeSizesPass() = default;
  // What a run holds is not copied.
  WrapperSpecializeSizesPass(const WrapperSpecializeSizesPass &other)
      : WrapperSpecializeSizesPassBase(other), build(other.build) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<sym::SymDialect>();
    OpPassManager pm(KernelOp::getOperationName());
    if (succeeded(addScheduler(pm, llvm::nulls())))
      pm.getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  LogicalResult addScheduler(OpPassManager &pm, raw_ostream &errors) const {
    if (!build)
      return parsePassPipeline(scheduler, pm, errors);
    build(pm);
    return success();
  }
  std::optional<SmallVector<Variant>> find(KernelOp kernel, OpPassManager &pm);
  std::optional<KernelOp> schedule(KernelOp kernel, StringAttr symbol,
                                   sym::RangeAttr range, StringRef suffix,
                                   OpPassManager &pm);
  void dispatch(LaunchOp launch, ArrayRef<Variant> variants);

  BuildScheduler build;
  std::optional<SymbolTable> symbols;
};

} // namespace

/// A copy of a kernel that is scheduled for a range of a symbol, if the hint
/// of that alone gives it another schedule. Null, if not; nothing, if the
/// scheduler failed.
std::optional<KernelOp>
WrapperSpecializeSizesPass::schedule(KernelOp kernel, StringAttr symbol,
                                     sym::RangeAttr range, StringRef suffix,
                                     OpPassManager &pm) {
  OpBuilder b(kernel);
  b.setInsertionPointAfter(kernel);
  auto copy = cast<KernelOp>(b.clone(*kernel));
  copy.setSymName((kernel.getSymName() + suffix).str());
  symbols->insert(copy);
  NamedAttrList ranges(
      kernel->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName));
  auto select = [&](sym::RangeAttr range) {
    ranges.set(symbol, range);
    copy->setAttr(sym::kSymbolsAttrName, ranges.getDictionary(&getContext()));
    copy.getLoopKernel().removeScheduleAttr();
    return runPipeline(pm, copy);
  };
  auto whole = cast<sym::RangeAttr>(ranges.get(symbol));
  if (failed(select(sym::RangeAttr::get(&getContext(), whole.getMin(),
                                        whole.getMax(), range.getHint()))))
    return std::nullopt;
  if (copy.getLoopKernel().getScheduleAttr() ==
      kernel.getLoopKernel().getScheduleAttr()) {
    symbols->erase(copy);
    return KernelOp();
  }
  // What only the range allows, such as narrower indices, comes on top.
  if (failed(select(range)))
    return std::nullopt;
  return copy;
}

/// The variants of a kernel for the first of its symbols that gives some. Empty
/// if none does; nothing, if the scheduler failed.
std::optional<SmallVector<Variant>>
WrapperSpecializeSizesPass::find(KernelOp kernel, OpPassManager &pm) {
  SmallVector<Variant> variants;
  loop::KernelOp body = kernel.getLoopKernel();
  auto ranges = kernel->getAttrOfType<DictionaryAttr>(sym::kSymbolsAttrName);
  if (!body || !body.getScheduleAttr() || body.getScheduleAttr().getLibrary() ||
      !ranges)
    return variants;
  for (auto [i, name] :
       llvm::enumerate(kernel.getSymbols().getAsRange<StringAttr>())) {
    auto range = ranges.getAs<sym::RangeAttr>(name);
    if (!range)
      continue;
    int64_t hint = range.getHintOrDefault(),
            step = std::max<int64_t>(2, factor);
    // Halfway, on a scale of factors, between the hint and that of a variant.
    int64_t half = std::max<int64_t>(
        2, static_cast<int64_t>(std::sqrt(static_cast<double>(step))));
    auto add = [&](bool isBelow) -> LogicalResult {
      int64_t bound = isBelow ? hint / half : hint * half,
              other = isBelow ? hint / step : hint * step,
              lo = isBelow ? range.getMin() : bound + 1,
              hi = isBelow ? bound : range.getMax();
      if (lo > hi || other < lo || other > hi || other < 1)
        return success();
      std::optional<KernelOp> made = schedule(
          kernel, name, sym::RangeAttr::get(&getContext(), lo, hi, other),
          isBelow ? "_small" : "_large", pm);
      if (!made)
        return failure();
      if (*made)
        variants.push_back({*made, static_cast<unsigned>(i), isBelow, bound});
      return success();
    };
    // Products of sizes have to fit.
    if (hint <= 0 || hint > INT32_MAX / step)
      continue;
    if (failed(add(true)) || failed(add(false)))
      return std::nullopt;
    if (!variants.empty())
      break;
  }
  return variants;
}

/// Puts a launch, and one of each variant, into branches.
void WrapperSpecializeSizesPass::dispatch(LaunchOp launch,
                                          ArrayRef<Variant> variants) {
  OpBuilder b(launch);
  Location loc = launch.getLoc();
  for (Variant variant : variants) {
    sym::ExprAttr value = launch.getSymbols().getDims()[variant.symbol];
    sym::ExprAttr bound = sym::constant(&getContext(), variant.bound);
    Value holds = variant.isBelow
                      ? CompareOp::create(b, loc, b.getI1Type(), value,
                                          sym::Predicate::Le, bound)
                      : CompareOp::create(b, loc, b.getI1Type(), bound,
                                          sym::Predicate::Lt, value);
    auto branch = IfOp::create(b, loc, TypeRange(), holds,
                               /*defines=*/ArrayAttr());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(region);
      YieldOp::create(b, loc, ValueRange());
    }
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    auto own = cast<LaunchOp>(b.clone(*launch));
    own.setCalleeAttr(FlatSymbolRefAttr::get(variant.kernel.getSymNameAttr()));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
  }
  launch->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
}

void WrapperSpecializeSizesPass::runOnOperation() {
  symbols.emplace(getOperation());
  OpPassManager pm(KernelOp::getOperationName());
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (failed(addScheduler(pm, errors))) {
    getOperation().emitError("the scheduler of '" DEBUG_TYPE "' is no pipeline "
                             "of passes: ")
        << message;
    return signalPassFailure();
  }
  SmallVector<LaunchOp> launches;
  getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
  llvm::DenseMap<Operation *, SmallVector<Variant>> found;
  for (LaunchOp launch : launches) {
    auto kernel = symbols->lookup<KernelOp>(launch.getCallee());
    if (!kernel)
      continue;
    auto [it, isNew] = found.try_emplace(kernel);
    if (isNew) {
      std::optional<SmallVector<Variant>> variants = find(kernel, pm);
      if (!variants)
        return signalPassFailure();
      it->second = *variants;
    }
    if (it->second.empty())
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    for (Variant variant : it->second)
      os << (text.empty() ? "" : ", ") << "'" << variant.kernel.getSymName()
         << "' where " << launch.getSymbols().getDims()[variant.symbol].str()
         << (variant.isBelow ? " <= " : " > ") << variant.bound;
    remark::passed(launch.getLoc(),
                   remark::RemarkOpts::name("Variants").category(DEBUG_TYPE))
        << remark::add("'{0}' has variants: {1}", kernel.getSymName(), text);
    dispatch(launch, it->second);
  }
  symbols.reset();
}

std::unique_ptr<Pass> wrapper::createWrapperSpecializeSizesPass(
    const WrapperSpecializeSizesPassOptions &options, BuildScheduler build) {
  return std::make_unique<WrapperSpecializeSizesPass>(options,
                                                      std::move(build));
}
