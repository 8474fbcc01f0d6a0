//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines independent launches of different GPU kernels.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"

#include "ComboKernel.h"
#include "LaunchMotion.h"
#include "coil/Conversion/Utils/CodeTarget.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "coil/Dialect/Loop/Analysis/VectorCost.h"
#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coil {
#define GEN_PASS_DEF_WRAPPERCOMBINEGPULAUNCHESPASS
#include "coil/Conversion/Passes.h.inc"
} // namespace coil

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using loop::kLaunchSeconds;

#define DEBUG_TYPE "wrapper-combine-gpu-launches"

/// A block that reads, computes and writes little: two accesses to memory, one
/// after the other.
static constexpr double kBlockSeconds = 1e-6;
/// A block alone on its SM moves bytes at twice the SM's fraction of the
/// bandwidth.
static constexpr double kAloneRate = 2;
/// What one launch saves at least, as a share of what the launches take. All
/// parts have the registers of the one that needs most, and pointers that may
/// be equal (an H200: kernels of 30 and 8 us took 81 us in one launch, of 1, 1
/// and 8 us 7).
static constexpr double kLeastShare = 0.1;
/// Combinations that are looked at for each launch.
static constexpr size_t kOpen = 8;

namespace {

/// A launch, as the cost model sees it: at the hints of symbols.
struct Part {
  LaunchOp launch;
  KernelOp kernel;
  ComboForm form;
  double blocks = 0, bytes = 0;
};

/// Launches that may become one, the first of which stays where it is.
struct Combo {
  SmallVector<Part> parts;
  int64_t position = 0;
  uint64_t words = 0;
};

/// Seconds of launches, apart and together.
struct Estimate {
  double apart = 0, together = 0;
};

struct WrapperCombineGPULaunchesPass
    : coil::impl::WrapperCombineGPULaunchesPassBase<
          WrapperCombineGPULaunchesPass> {
  using WrapperCombineGPULaunchesPassBase::WrapperCombineGPULaunchesPassBase;
  void runOnOperation() override;

private:
  SmallVector<Combo> find(FuncOp fn, Block &block);
  std::string add(Combo &combo, Part &part, LaunchMotion &motion);
  void build(const Combo &combo);
  const ComboForm &getForm(KernelOp kernel);

  std::optional<SymbolTable> symbols;
  llvm::DenseMap<Operation *, ComboForm> forms;
  /// Combinations by their parts and symbols.
  std::map<SmallVector<std::pair<Operation *, SmallVector<unsigned>>>, KernelOp>
      made;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Blocks that the device runs at a time.
static double countRunning(const loop::GPUFacts &facts, int64_t threads,
                           int64_t shared, int64_t registers) {
  int64_t blocks =
      std::min(facts.countBlocks(threads, shared),
               facts.registers / std::max<int64_t>(1, registers * threads));
  return static_cast<double>(facts.multiprocessors *
                             std::max<int64_t>(1, blocks));
}

static double countRunning(const loop::GPUFacts &facts, const ComboForm &form) {
  return countRunning(facts, form.threads,
                      form.staticShared + form.dynamicShared, form.registers);
}

/// Every kernel runs in one wave, so alone it takes as long as a block, or as
/// its bytes. Together, blocks of all are taken in order by what is free, and
/// each block has the threads, the registers and the shared memory of the part
/// that needs most.
static Estimate estimate(ArrayRef<Part> parts, const loop::GPUFacts &facts) {
  double bandwidth = static_cast<double>(
      facts.target.getFact("bandwidth").value_or(int64_t(1) << 40));
  double rate =
      kAloneRate * bandwidth / static_cast<double>(facts.multiprocessors);
  Estimate result;
  double longest = 0, work = 0, bytes = 0, blocks = 0;
  int64_t threads = 0, staticShared = 0, dynamicShared = 0, registers = 0;
  for (const Part &part : parts) {
    double block =
        kBlockSeconds + part.bytes / std::max(1.0, part.blocks) / rate;
    result.apart += kLaunchSeconds + std::max(block, part.bytes / bandwidth);
    longest = std::max(longest, block);
    work += part.blocks * block;
    bytes += part.bytes;
    blocks += part.blocks;
    threads = std::max(threads, part.form.threads);
    staticShared = std::max(staticShared, part.form.staticShared);
    dynamicShared = std::max(dynamicShared, part.form.dynamicShared);
    registers = std::max(registers, part.form.registers);
  }
  double running =
      countRunning(facts, threads, staticShared + dynamicShared, registers);
  double busy = blocks > running ? work / running + longest : longest;
  result.together = kLaunchSeconds + std::max(busy, bytes / bandwidth);
  return result;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

const ComboForm &WrapperCombineGPULaunchesPass::getForm(KernelOp kernel) {
  auto [it, isNew] = forms.try_emplace(kernel);
  if (isNew)
    it->second = getComboForm(kernel);
  return it->second;
}

/// Adds a launch to a combination. Otherwise, the result says why not.
std::string WrapperCombineGPULaunchesPass::add(Combo &combo, Part &part,
                                               LaunchMotion &motion) {
  KernelOp first = combo.parts.front().kernel;
  if (first.getDeviceAttr() != part.kernel.getDeviceAttr() ||
      getCodeTarget(first) != getCodeTarget(part.kernel))
    return "they run on different devices";
  if (combo.parts.size() >= maxKernels)
    return "there are " + std::to_string(maxKernels) + " kernels already";
  uint64_t words = part.kernel.getNumInputs() + part.kernel.getNumOutputs() +
                   part.kernel.getSymbols().size();
  if (combo.words + words > kMaxArgumentBytes / 8)
    return "their arguments have more than " +
           std::to_string(kMaxArgumentBytes) + " bytes";
  FailureOr<loop::GPUFacts> facts = loop::GPUFacts::get(part.kernel);
  if (failed(facts))
    return "the target is not described";
  for (const Part &other : combo.parts)
    if (std::string why = getConflict(other.form, part.form, *facts);
        !why.empty())
      return why;
  if (!motion.canMove(part.launch, combo.position))
    return motion.why;
  Estimate now{estimate(combo.parts, *facts).apart, 0};
  double before = 0;
  if (combo.parts.size() > 1) {
    now = estimate(combo.parts, *facts);
    before = now.apart - now.together;
  }
  combo.parts.push_back(part);
  Estimate then = estimate(combo.parts, *facts);
  double saved = then.apart - then.together, own = then.apart - now.apart;
  if (saved - before < kLeastShare * own || saved < kLeastShare * then.apart) {
    combo.parts.pop_back();
    return saved <= before ? "together they would take longer"
                           : "together they would save less than a tenth, "
                             "which registers may take again";
  }
  combo.words += words;
  return {};
}

SmallVector<Combo> WrapperCombineGPULaunchesPass::find(FuncOp fn,
                                                       Block &block) {
  loop::Hints hints(fn);
  LaunchMotion motion(block, [&](sym::ExprAttr bytes) {
    return hints(bytes) <= static_cast<double>(maxMovedBytes);
  });
  SmallVector<Combo> combos;
  size_t begin = 0; // Of those that may still grow.
  for (Operation &op : block) {
    int64_t number = motion.enter(op);
    if (!getBoundSymbols(&op).empty())
      begin = combos.size(); // Nothing moves to where its symbols are unknown.
    auto launch = dyn_cast<LaunchOp>(op);
    auto kernel =
        launch ? symbols->lookup<KernelOp>(launch.getCallee()) : KernelOp();
    if (!kernel) {
      motion.record(op, number);
      continue;
    }
    auto explain = [&](StringRef why) {
      remark::missed(launch.getLoc(), remark::RemarkOpts::name("NotCombined")
                                          .category(DEBUG_TYPE)
                                          .function(fn.getName()))
          << remark::add("not combined: '{0}': {1}", launch.getCallee(), why);
    };
    Part part{launch, kernel, getForm(kernel), 0, 0};
    if (!part.form.why.empty()) {
      explain(part.form.why);
      motion.record(op, number);
      continue;
    }
    FailureOr<loop::GPUFacts> facts = loop::GPUFacts::get(kernel);
    if (failed(facts)) {
      motion.record(op, number);
      continue;
    }
    // Blocks and bytes where the launch gives the kernel's symbols values.
    auto translate = [&](sym::ExprAttr e) {
      return sym::substitute(e, [&](sym::ExprAttr leaf) -> sym::ExprAttr {
        for (auto [name, value] :
             llvm::zip(kernel.getSymbols(), launch.getSymbols().getDims()))
          if (leaf.isSymbol() &&
              cast<StringAttr>(name).getValue() == leaf.getName())
            return value;
        return {};
      });
    };
    part.blocks = 1;
    for (sym::ExprAttr e : kernel.getGeometry()->getGrid().getDims())
      part.blocks *= hints(translate(e));
    for (Value v : launch->getOperands())
      if (auto type = dyn_cast<BufferType>(v.getType()))
        part.bytes += hints(type.getStorageBytes());
    double running = countRunning(*facts, part.form);
    if (part.blocks > running) {
      explain(("its " + Twine(static_cast<int64_t>(part.blocks)) +
               " blocks fill the device, which runs " +
               Twine(static_cast<int64_t>(running)) + " at a time")
                  .str());
      motion.record(op, number);
      continue;
    }
    std::string why;
    int64_t at = number;
    for (size_t i =
             std::max(begin, combos.size() - std::min(combos.size(), kOpen));
         i < combos.size(); ++i) {
      why = add(combos[i], part, motion);
      if (!why.empty())
        continue;
      at = combos[i].position;
      break;
    }
    if (at == number) {
      if (!why.empty())
        explain(("with '" + combos.back().parts.front().launch.getCallee() +
                 "': " + why)
                    .str());
      Combo &combo = combos.emplace_back();
      combo.parts.push_back(part);
      combo.position = number;
      combo.words = part.kernel.getNumInputs() + part.kernel.getNumOutputs() +
                    part.kernel.getSymbols().size();
    }
    motion.record(op, at);
  }
  llvm::erase_if(combos, [](const Combo &c) { return c.parts.size() < 2; });
  return combos;
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

void WrapperCombineGPULaunchesPass::build(const Combo &combo) {
  SmallVector<ComboPart> parts;
  SmallVector<sym::ExprAttr> values;
  SmallVector<LaunchOp> launches;
  SmallVector<std::pair<Operation *, SmallVector<unsigned>>> key;
  std::string names;
  for (Part part : combo.parts) {
    launches.push_back(part.launch);
    ComboPart &own = parts.emplace_back();
    own.kernel = part.kernel;
    // Symbols that have equal values are one.
    for (sym::ExprAttr value : part.launch.getSymbols().getDims()) {
      auto *found = llvm::find(values, value);
      own.symbols.push_back(static_cast<unsigned>(found - values.begin()));
      if (found == values.end())
        values.push_back(value);
    }
    key.emplace_back(own.kernel, own.symbols);
    names +=
        (names.empty() ? "'" : ", '") + part.launch.getCallee().str() + "'";
  }
  FailureOr<loop::GPUFacts> facts =
      loop::GPUFacts::get(combo.parts.front().kernel);
  Estimate time = estimate(combo.parts, *facts);
  remark::passed(
      launches.front().getLoc(),
      remark::RemarkOpts::name("Combined")
          .category(DEBUG_TYPE)
          .function(launches.front()->getParentOfType<FuncOp>().getName()))
      << remark::add(
             "combined: {0}: one launch saves {1} of {2} us by the cost model",
             names,
             std::to_string(std::lround((time.apart - time.together) * 1e6)),
             std::to_string(std::lround(time.apart * 1e6)));
  KernelOp &kernel = made[key];
  if (!kernel) {
    std::string name = parts.front().kernel.getSymName().str();
    name += parts.size() == 2
                ? "_with_" + parts.back().kernel.getSymName().str()
                : "_with_" + std::to_string(parts.size() - 1) + "_more";
    kernel = createComboKernel(parts, static_cast<unsigned>(values.size()),
                               name, *symbols);
  }
  joinLaunches(launches, kernel, sym::ShapeAttr::get(&getContext(), values));
}

void WrapperCombineGPULaunchesPass::runOnOperation() {
  symbols.emplace(getOperation());
  // Those of a program are found again, with what its target is by now.
  if (getOperation().getOps<FuncOp>().empty())
    createCombinations(getOperation(), *symbols);
  forms.clear();
  made.clear();
  llvm::SetVector<Operation *> changed;
  for (auto fn : getOperation().getOps<FuncOp>())
    for (Block *block : getLaunchBlocks(fn))
      for (const Combo &combo : find(fn, *block)) {
        build(combo);
        for (const Part &part : combo.parts)
          changed.insert(part.kernel);
      }
  for (Operation *kernel : changed)
    if (SymbolTable::symbolKnownUseEmpty(kernel, getOperation()))
      symbols->erase(kernel);
  symbols.reset();
}
