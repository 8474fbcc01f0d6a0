//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass `loop-simplify-index`.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Transforms/Passes.h"

#include "KernelMerge.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "coil/Dialect/Loop/IR/RowOps.h"

namespace coil::loop {
#define GEN_PASS_DEF_LOOPSIMPLIFYINDEXPASS
#include "coil/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace coil::loop

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Replaces every dimension by an expression over new dimensions with the
/// given extents; `reduced[d]` lists the new dimensions of a reduced one.
static void rewriteSpace(KernelOp kernel, ArrayRef<ExprAttr> dims,
                         ArrayRef<ExprAttr> extents,
                         ArrayRef<SmallVector<int64_t>> newDims) {
  MLIRContext *ctx = kernel.getContext();
  auto rewrite = [&](sym::ShapeAttr exprs) {
    return sym::substituteDims(exprs, dims);
  };
  auto rewriteReduced = [&](ArrayRef<int64_t> reduced) {
    SmallVector<int64_t> result;
    for (int64_t d : reduced)
      for (int64_t n : newDims[d])
        if (!llvm::is_contained(result, n))
          result.push_back(n);
    llvm::sort(result);
    return result;
  };
  kernel.setDimsAttr(sym::ShapeAttr::get(ctx, extents));
  for (Operation &op : *kernel.getBlock()) {
    if (auto load = dyn_cast<LoadOp>(op))
      load.setIndicesAttr(rewrite(load.getIndices()));
    else if (auto store = dyn_cast<StoreOp>(op))
      store.setIndicesAttr(rewrite(store.getIndices()));
    else if (auto index = dyn_cast<IndexOp>(op))
      index.setExprAttr(sym::substituteDims(index.getExpr(), dims));
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      scatter.setIndicesAttr(rewrite(scatter.getIndices()));
    else if (auto sum = dyn_cast<SegmentSumOp>(op))
      sum.setIndicesAttr(rewrite(sum.getIndices()));
    if (auto over = dyn_cast<OverDimsOpInterface>(op))
      over.setDims(rewriteReduced(over.getDims()));
  }
}

namespace {

struct LoopSimplifyIndexPass
    : coil::loop::impl::LoopSimplifyIndexPassBase<LoopSimplifyIndexPass> {
  void runOnOperation() override {
    sym::Context symbols = sym::Context::forOp(getOperation());
    getOperation()->walk([&](KernelOp kernel) {
      mergeEqualInputs(kernel);
      dropUnusedInputs(kernel);
      simplify(kernel, symbols);
      // A library wants the dimensions as they are, and rows are counted by
      // theirs where columns are accumulated (C2).
      if (matchContraction(kernel) || matchConvolution(kernel) ||
          !kernel.getColumnDims().empty())
        return;
      dropUnitDims(kernel);
      while (mergeDims(kernel))
        ;
      simplify(kernel, symbols);
    });
  }

  void simplify(KernelOp kernel, const sym::Context &symbols) {
    sym::Context context = symbols;
    context.setDimExtents(kernel.getDims().getDims());
    MLIRContext *ctx = &getContext();
    auto simplified = [&](sym::ShapeAttr exprs) {
      SmallVector<ExprAttr> result;
      for (ExprAttr e : exprs.getDims())
        result.push_back(context.simplify(e));
      return sym::ShapeAttr::get(ctx, result);
    };
    for (Operation &op : *kernel.getBlock()) {
      if (auto load = dyn_cast<LoadOp>(op))
        load.setIndicesAttr(simplified(load.getIndices()));
      else if (auto store = dyn_cast<StoreOp>(op))
        store.setIndicesAttr(simplified(store.getIndices()));
      else if (auto scatter = dyn_cast<ScatterOp>(op))
        scatter.setIndicesAttr(simplified(scatter.getIndices()));
      else if (auto sum = dyn_cast<SegmentSumOp>(op))
        sum.setIndicesAttr(simplified(sum.getIndices()));
      else if (auto index = dyn_cast<IndexOp>(op))
        index.setExprAttr(context.simplify(index.getExpr()));
    }
  }

  /// Dimensions of size one are always at zero. A reduction over one of them
  /// alone keeps it: dropping it would leave the reduction without dimensions.
  void dropUnitDims(KernelOp kernel) {
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    size_t longReduced = llvm::count_if(reduced, [&](unsigned d) {
      return !kernel.getExtent(d).isConstant(1);
    });
    SmallVector<ExprAttr> dims, extents;
    SmallVector<SmallVector<int64_t>> newDims;
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      bool isReduced = llvm::is_contained(reduced, d);
      bool unit = kernel.getExtent(d).isConstant(1) &&
                  !(isReduced && longReduced == 0 && d == reduced.front());
      if (unit) {
        dims.push_back(sym::constant(&getContext(), 0));
        newDims.emplace_back();
        continue;
      }
      newDims.push_back({static_cast<int64_t>(extents.size())});
      dims.push_back(
          sym::dim(&getContext(), static_cast<unsigned>(extents.size())));
      extents.push_back(kernel.getExtent(d));
    }
    if (extents.size() != kernel.getNumDims())
      rewriteSpace(kernel, dims, extents, newDims);
  }

  /// Whether `e` walks dimensions `a` and `b`, which has the extent `inner`, as
  /// one.
  bool walksAsOne(ExprAttr e, unsigned a, unsigned b, ExprAttr inner) {
    ExprAttr da = sym::dim(&getContext(), a), db = sym::dim(&getContext(), b);
    auto outerSplit = sym::splitLinear(e, da);
    if (!outerSplit)
      return false;
    auto innerSplit = sym::splitLinear(outerSplit->second, db);
    if (!innerSplit || sym::mentions(outerSplit->first, db))
      return false;
    return outerSplit->first == sym::mul(innerSplit->first, inner);
  }

  ExprAttr getAddress(KernelOp kernel, Value tensor,
                      ArrayRef<ExprAttr> indices) {
    return sym::getAddress(&getContext(), indices,
                           getOperandStrides(kernel, tensor));
  }

  /// Joins a pair of dimensions that every operand and result, where its
  /// elements are in memory, and every index has as one (C1).
  bool mergeDims(KernelOp kernel) {
    SmallVector<unsigned> reduced = kernel.getReducedDims();
    sym::Context context = sym::Context::forOp(kernel);
    context.setDimExtents(kernel.getDims().getDims());
    // Linear addresses, once for all pairs.
    SmallVector<ExprAttr> exprs;
    bool scatters = false;
    for (Operation &op : *kernel.getBlock()) {
      scatters |= isa<ScatterOp>(op);
      if (auto load = dyn_cast<LoadOp>(op))
        exprs.push_back(context.simplify(
            getAddress(kernel, load.getSource(), load.getIndices().getDims())));
      else if (auto store = dyn_cast<StoreOp>(op))
        exprs.push_back(context.simplify(getAddress(
            kernel, kernel.getResult(static_cast<unsigned>(store.getOutput())),
            store.getIndices().getDims())));
      else if (auto index = dyn_cast<IndexOp>(op))
        exprs.push_back(context.simplify(index.getExpr()));
      else if (auto scatter = dyn_cast<ScatterOp>(op))
        exprs.push_back(context.simplify(getAddress(
            kernel,
            kernel.getResult(static_cast<unsigned>(scatter.getOutput())),
            scatter.getIndices().getDims())));
      else if (auto sum = dyn_cast<SegmentSumOp>(op))
        exprs.push_back(context.simplify(
            getAddress(kernel, sum.getSource(), sum.getIndices().getDims())));
    }
    auto canJoin = [&](unsigned a, unsigned b) {
      if (llvm::is_contained(reduced, a) != llvm::is_contained(reduced, b))
        return false;
      // Reduced dimensions keep their order. A scatter names its parallel ones.
      if (llvm::is_contained(reduced, a) ? b != a + 1 : scatters)
        return false;
      return llvm::all_of(exprs, [&](ExprAttr e) {
        return walksAsOne(e, a, b, kernel.getExtent(b));
      });
    };
    // In the order of rows before any other.
    for (unsigned a = 0; a + 1 < kernel.getNumDims(); ++a)
      if (canJoin(a, a + 1))
        return join(kernel, a, a + 1), true;
    for (unsigned a = 0; a < kernel.getNumDims(); ++a)
      for (unsigned b = 0; b < kernel.getNumDims(); ++b)
        if (a != b && canJoin(a, b))
          return join(kernel, a, b), true;
    return false;
  }

  /// Makes dimensions `a` and `b` one, of which `b` is the inner part, in the
  /// place of `b`.
  void join(KernelOp kernel, unsigned a, unsigned b) {
    ExprAttr inner = kernel.getExtent(b);
    SmallVector<ExprAttr> dims(kernel.getNumDims()), extents;
    SmallVector<SmallVector<int64_t>> newDims(kernel.getNumDims());
    for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
      if (d == a)
        continue;
      ExprAttr merged =
          sym::dim(&getContext(), static_cast<unsigned>(extents.size()));
      newDims[d].push_back(static_cast<int64_t>(extents.size()));
      dims[d] = d == b ? sym::mod(merged, inner) : merged;
      extents.push_back(d == b ? sym::mul(kernel.getExtent(a), inner)
                               : kernel.getExtent(d));
      if (d == b) {
        newDims[a] = newDims[d];
        dims[a] = sym::floorDiv(merged, inner);
      }
    }
    rewriteSpace(kernel, dims, extents, newDims);
  }
};

} // namespace
