//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulations over the columns of a kernel: their results and verifiers.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "Verification.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

SmallVector<unsigned> KernelOp::getColumnDims() {
  // All have the same.
  auto ops = getBlock()->getOps<AccumulateOp>();
  if (ops.empty())
    return {};
  auto columns =
      llvm::map_to_vector((*ops.begin()).getColumns(),
                          [](int64_t d) { return static_cast<unsigned>(d); });
  llvm::sort(columns);
  return columns;
}

SmallVector<ExprAttr> AccumulateOp::getResultIndices() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  MLIRContext *ctx = getContext();
  ExprAttr row = sym::constant(ctx, 0);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (!llvm::is_contained(getColumns(), static_cast<int64_t>(d)))
      row = sym::add(sym::mul(row, kernel.getExtent(d)), sym::dim(ctx, d));
  SmallVector<ExprAttr> indices{
      sym::floorDiv(row, sym::constant(ctx, static_cast<int64_t>(getRows())))};
  for (int64_t d : getColumns())
    indices.push_back(sym::dim(ctx, static_cast<unsigned>(d)));
  return indices;
}

SmallVector<ExprAttr> AccumulateOp::getResultSizes() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  MLIRContext *ctx = getContext();
  ExprAttr total = sym::constant(ctx, 1);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (!llvm::is_contained(getColumns(), static_cast<int64_t>(d)))
      total = sym::mul(total, kernel.getExtent(d));
  SmallVector<ExprAttr> sizes{
      sym::ceilDiv(total, sym::constant(ctx, static_cast<int64_t>(getRows())))};
  for (int64_t d : getColumns())
    sizes.push_back(kernel.getExtent(static_cast<unsigned>(d)));
  return sizes;
}

LogicalResult AccumulateOp::verify() {
  auto kernel = dyn_cast<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return emitOpError("expected to be in the body of 'loop.kernel'");
  if (failed(verifyOutput(*this, kernel, getOutput()))) // (C1)
    return failure();
  auto type = cast<RankedTensorType>(kernel.getResult(getOutput()).getType());
  if (getValue().getType() != getScalarType(type.getElementType())) // (C1)
    return emitOpError() << "accumulates " << getValue().getType()
                         << " in a result of element type "
                         << type.getElementType();
  llvm::SmallBitVector seen(kernel.getNumDims());
  for (int64_t d : getColumns()) { // (C2)
    if (d < 0 || d >= static_cast<int64_t>(kernel.getNumDims()))
      return emitOpError() << "has the column dimension " << d
                           << " of a kernel with " << kernel.getNumDims();
    if (seen[static_cast<unsigned>(d)])
      return emitOpError() << "has the column dimension " << d << " twice";
    seen.set(static_cast<unsigned>(d));
  }
  if (getColumns().empty()) // (C2)
    return emitOpError("expected a column dimension");
  if (static_cast<int64_t>(getRows()) <= 0) // (C2)
    return emitOpError() << "takes chunks of "
                         << static_cast<int64_t>(getRows())
                         << " rows, expected at least one";
  SmallVector<ExprAttr> expected = getResultSizes(), sizes(sym::getSizes(type));
  bool fits = expected.size() == sizes.size();
  sym::Context context = sym::Context::forOp(kernel);
  for (auto [size, want] : llvm::zip(sizes, expected))
    // Sizes that symbols decide are not compared.
    fits &= !context.simplify(sym::sub(size, want)).isConstant() ||
            context.simplify(sym::sub(size, want)).isConstant(0);
  if (!fits) // (C3)
    return emitOpError() << "accumulates in " << type
                         << ", expected the sizes of chunks of rows, then of "
                            "columns: "
                         << sym::ShapeAttr::get(getContext(), expected);
  return verifyKind(*this, getKind(), getValue().getType()); // (C4)
}

LogicalResult coil::loop::verifyAccumulations(KernelOp kernel) {
  auto accumulations = kernel.getBlock()->getOps<AccumulateOp>();
  if (accumulations.empty())
    return success();
  AccumulateOp first = *accumulations.begin();
  for (AccumulateOp op : accumulations) // (C6)
    if (op.getColumns() != first.getColumns() ||
        op.getRows() != first.getRows())
      return op.emitOpError("has other columns or chunks of rows than the "
                            "accumulations before it in the same kernel");
  for (Operation &op : *kernel.getBlock()) // (C5)
    if (isa<ScanOp, ArgScanOp, ScatterOp, SegmentSumOp>(op))
      return op.emitOpError("cannot be in a kernel that accumulates columns");
  SmallVector<unsigned> reduced = kernel.getReducedDims();
  if (!reduced.empty() && reduced != kernel.getColumnDims()) // (C5)
    return first.emitOpError("has other columns than the dimensions that the "
                             "kernel reduces");
  return success();
}
