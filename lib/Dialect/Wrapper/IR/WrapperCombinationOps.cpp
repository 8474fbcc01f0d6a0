//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are launched together.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/IR/Combination.h"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;

#define GET_OP_CLASSES
#include "coil/Dialect/Wrapper/IR/WrapperCombinationOps.cpp.inc"

int64_t CombinationOp::getNumSymbols() {
  int64_t count = 0;
  for (auto list : getSymbols().getAsRange<DenseI64ArrayAttr>())
    for (int64_t number : list.asArrayRef())
      count = std::max(count, number + 1);
  return count;
}

LogicalResult CombinationOp::verify() {
  if (getParts().size() < 2 || getParts().size() != getSymbols().size()) // (C1)
    return emitOpError() << "has " << getParts().size() << " parts and "
                         << getSymbols().size()
                         << " lists of symbols, expected two or more of each";
  int64_t next = 0;
  for (auto list : getSymbols().getAsRange<DenseI64ArrayAttr>())
    for (int64_t number : list.asArrayRef()) { // (C3)
      if (number < 0 || number > next)
        return emitOpError()
               << "uses symbol " << number << " before symbol " << next;
      next += number == next;
    }
  return success();
}

LogicalResult CombinationOp::verifySymbolUses(SymbolTableCollection &tables) {
  for (auto [part, list] :
       llvm::zip(getParts().getAsRange<FlatSymbolRefAttr>(),
                 getSymbols().getAsRange<DenseI64ArrayAttr>())) { // (C2)
    auto kernel = tables.lookupNearestSymbolFrom<KernelOp>(*this, part);
    if (!kernel)
      return emitOpError() << "'" << part.getValue() << "' is not a kernel";
    if (kernel.getSymbols().size() != list.size())
      return emitOpError() << "has " << list.size() << " symbols for '"
                           << part.getValue() << "', which has "
                           << kernel.getSymbols().size();
  }
  return success();
}

SmallVector<LaunchOp> wrapper::getCombinedLaunches(LaunchOp first) {
  auto name = first->getAttrOfType<FlatSymbolRefAttr>(kCombinationAttrName);
  auto combination =
      name ? SymbolTable::lookupNearestSymbolFrom<CombinationOp>(first, name)
           : CombinationOp();
  if (!combination)
    return {};
  SmallVector<LaunchOp> launches;
  Operation *op = first;
  for (auto part : combination.getParts().getAsRange<FlatSymbolRefAttr>()) {
    auto launch = dyn_cast_or_null<LaunchOp>(op);
    if (!launch || launch->getAttr(kCombinationAttrName) != name ||
        launch.getCalleeAttr() != part)
      return {};
    launches.push_back(launch);
    op = op->getNextNode();
  }
  return launches;
}
