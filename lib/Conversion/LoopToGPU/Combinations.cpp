//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combinations that a program names before there is code: marking them, and
// making their kernels.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/LoopToGPU/LoopToGPU.h"

#include "ComboKernel.h"
#include "LaunchMotion.h"
#include "coil/Dialect/Wrapper/IR/Combination.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#include <map>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

#define DEBUG_TYPE "wrapper-combine-gpu-launches"

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The parts of a combination, with one batch in place of equal neighbours that
/// can be one. `made` takes the batches.
static SmallVector<ComboPart> collectParts(CombinationOp combination,
                                           SymbolTable &symbols,
                                           SmallVectorImpl<KernelOp> &made) {
  auto names =
      llvm::to_vector(combination.getParts().getAsRange<FlatSymbolRefAttr>());
  auto lists =
      llvm::to_vector(combination.getSymbols().getAsRange<DenseI64ArrayAttr>());
  SmallVector<ComboPart> parts;
  for (size_t i = 0; i < names.size();) {
    auto kernel = symbols.lookup<KernelOp>(names[i].getValue());
    size_t limit = getBatchLimit(kernel), count = 1;
    while (count < limit && i + count < names.size() &&
           names[i + count] == names[i] && lists[i + count] == lists[i])
      ++count;
    if (count > 1) {
      kernel = createBatchKernel(kernel, static_cast<unsigned>(count), symbols);
      made.push_back(kernel);
    }
    ComboPart &part = parts.emplace_back();
    part.kernel = kernel;
    for (int64_t number : lists[i].asArrayRef())
      part.symbols.push_back(static_cast<unsigned>(number));
    i += count;
  }
  return parts;
}

/// Why the parts cannot be one kernel; empty if they can.
static std::string findConflict(ArrayRef<ComboPart> parts, size_t numSymbols) {
  FailureOr<loop::GPUFacts> facts =
      loop::GPUFacts::get(KernelOp(parts.front().kernel));
  if (failed(facts))
    return "the target is not described";
  SmallVector<ComboForm> forms;
  uint64_t words = numSymbols;
  for (ComboPart part : parts) {
    forms.push_back(getComboForm(part.kernel));
    if (!forms.back().why.empty())
      return "'" + part.kernel.getSymName().str() + "': " + forms.back().why;
    words += part.kernel.getNumInputs() + part.kernel.getNumOutputs();
  }
  if (words > kMaxArgumentBytes / 8)
    return "their arguments have more than " +
           std::to_string(kMaxArgumentBytes) + " bytes";
  for (size_t i = 0; i < forms.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (std::string why = getConflict(forms[j], forms[i], *facts);
          !why.empty())
        return why;
  return {};
}

void wrapper::createCombinations(ModuleOp module, SymbolTable &symbols) {
  for (CombinationOp combination :
       llvm::to_vector(module.getOps<CombinationOp>())) {
    std::string name = combination.getSymName().str();
    auto numSymbols = static_cast<unsigned>(combination.getNumSymbols());
    SmallVector<KernelOp> batches;
    SmallVector<ComboPart> parts = collectParts(combination, symbols, batches);
    Location loc = combination.getLoc();
    symbols.erase(combination);
    if (parts.size() == 1 &&
        llvm::equal(parts.front().symbols, llvm::seq<unsigned>(numSymbols))) {
      // A batch by itself.
      (void)symbols.rename(parts.front().kernel, name);
      gpu::GPUModuleOp code =
          *parts.front().kernel.getBlock()->getOps<gpu::GPUModuleOp>().begin();
      code.setSymName(name);
      SymbolTable::setSymbolName(*code.getOps<gpu::GPUFuncOp>().begin(), name);
      continue;
    }
    std::string why = findConflict(parts, numSymbols);
    if (why.empty())
      createComboKernel(parts, numSymbols, name, symbols);
    else
      remark::missed(
          loc, remark::RemarkOpts::name("NotCombined").category(DEBUG_TYPE))
          << remark::add("not combined: '{0}': {1}", name, why);
    for (KernelOp batch : batches)
      symbols.erase(batch);
  }
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

static SmallVector<LaunchOp> collectLaunches(ModuleOp module) {
  SmallVector<LaunchOp> launches;
  for (auto fn : module.getOps<FuncOp>())
    fn.walk<WalkOrder::PreOrder>(
        [&](LaunchOp launch) { launches.push_back(launch); });
  return launches;
}

void coil::numberLaunches(ModuleOp module) {
  for (auto [number, launch] : llvm::enumerate(collectLaunches(module)))
    launch->setAttr(kNumbersAttrName,
                    DenseI64ArrayAttr::get(module.getContext(),
                                           static_cast<int64_t>(number)));
}

void coil::markCombinations(ModuleOp module, ModuleOp joined) {
  SmallVector<LaunchOp> launches = collectLaunches(module);
  SymbolTable symbols(module);
  OpBuilder b(module.getContext());
  // By parts and their symbols.
  std::map<std::pair<const void *, const void *>, CombinationOp> made;
  for (LaunchOp whole : collectLaunches(joined)) {
    auto numbers = whole->getAttrOfType<DenseI64ArrayAttr>(kNumbersAttrName);
    if (!numbers || numbers.size() < 2)
      continue;
    SmallVector<LaunchOp> own;
    for (int64_t number : numbers.asArrayRef())
      own.push_back(launches[static_cast<size_t>(number)]);
    SmallVector<Attribute> parts, lists;
    SmallVector<sym::ExprAttr> values;
    SmallVector<Location> locations;
    for (LaunchOp launch : own) {
      parts.push_back(launch.getCalleeAttr());
      SmallVector<int64_t> list;
      for (sym::ExprAttr value : launch.getSymbols().getDims()) {
        auto *found = llvm::find(values, value);
        list.push_back(found - values.begin());
        if (found == values.end())
          values.push_back(value);
      }
      lists.push_back(b.getDenseI64ArrayAttr(list));
      locations.push_back(launch.getLoc());
    }
    ArrayAttr partList = b.getArrayAttr(parts),
              symbolList = b.getArrayAttr(lists);
    CombinationOp &combination =
        made[{partList.getAsOpaquePointer(), symbolList.getAsOpaquePointer()}];
    if (!combination) {
      std::string name = own.front().getCallee().str();
      name += own.size() == 2
                  ? "_with_" + own.back().getCallee().str()
                  : "_with_" + std::to_string(own.size() - 1) + "_more";
      b.setInsertionPointAfter(symbols.lookup(own.back().getCallee()));
      combination = CombinationOp::create(b, b.getFusedLoc(locations), name,
                                          partList, symbolList);
      symbols.insert(combination);
    }
    gatherLaunches(own);
    for (LaunchOp launch : own)
      launch->setAttr(kCombinationAttrName,
                      FlatSymbolRefAttr::get(combination.getSymNameAttr()));
  }
  for (LaunchOp launch : launches)
    launch->removeAttr(kNumbersAttrName);
}
