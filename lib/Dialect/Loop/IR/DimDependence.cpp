//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimensions the values of a kernel's body vary over.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/RowOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

llvm::SmallBitVector DimDependence::of(sym::ExprAttr expr) const {
  llvm::SmallBitVector bits(numDims);
  sym::walkLeaves(expr, [&](sym::ExprAttr leaf) {
    if (leaf.isDim() && static_cast<uint64_t>(leaf.getValue()) < numDims)
      bits.set(static_cast<unsigned>(leaf.getValue()));
  });
  return bits;
}

llvm::SmallBitVector DimDependence::of(ArrayRef<sym::ExprAttr> exprs) const {
  llvm::SmallBitVector bits(numDims);
  for (sym::ExprAttr e : exprs)
    bits |= of(e);
  return bits;
}

// A body is one block in SSA order, so one pass forward is the fixed point.
DimDependence::DimDependence(KernelOp kernel)
    : numDims(kernel.getNumDims()), none(numDims) {
  for (Operation &op : *kernel.getBlock()) {
    llvm::SmallBitVector bits(numDims);
    for (Value v : op.getOperands())
      if (auto it = map.find(v); it != map.end())
        bits |= it->second;
    ArrayRef<int64_t> reduced, scanned;
    if (auto load = dyn_cast<LoadOp>(op))
      bits |= of(load.getIndices().getDims());
    else if (auto sum = dyn_cast<SegmentSumOp>(op))
      bits |= of(sum.getIndices().getDims());
    else if (auto index = dyn_cast<IndexOp>(op))
      bits |= of(index.getExpr());
    else if (isa<ScanOp, ArgScanOp>(op))
      scanned = cast<OverDimsOpInterface>(op).getDims();
    else if (isReduction(&op))
      reduced = cast<OverDimsOpInterface>(op).getDims();
    // A scan varies even where its operand does not.
    for (int64_t d : scanned)
      if (static_cast<uint64_t>(d) < numDims)
        bits.set(static_cast<unsigned>(d));
    for (int64_t d : reduced)
      if (static_cast<uint64_t>(d) < numDims)
        bits.reset(static_cast<unsigned>(d));
    for (Value v : op.getResults())
      map[v] = bits;
  }
}

const llvm::SmallBitVector &DimDependence::operator[](Value value) const {
  auto it = map.find(value);
  return it == map.end() ? none : it->second;
}
