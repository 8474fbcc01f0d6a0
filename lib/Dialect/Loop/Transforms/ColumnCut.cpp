//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a kernel that reduces over rows into chunks of these.
//
//===----------------------------------------------------------------------===//

#include "ColumnCut.h"

#include "KernelMerge.h"
#include "coil/Dialect/Loop/Analysis/Contraction.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// The ops that need the result of a reduction, and the reductions.
static DenseSet<Operation *> getAfterReductions(KernelOp kernel) {
  DenseSet<Operation *> after;
  for (Operation &op : *kernel.getBlock())
    if (isReduction(&op) || llvm::any_of(op.getOperands(), [&](Value v) {
          return v.getDefiningOp() && after.contains(v.getDefiningOp());
        }))
      after.insert(&op);
  return after;
}

static llvm::SmallBitVector getReducedSet(KernelOp kernel) {
  llvm::SmallBitVector reduced(kernel.getNumDims());
  for (unsigned d : kernel.getReducedDims())
    reduced.set(d);
  return reduced;
}

/// Where an op is, or what it stores, as dimensions.
static llvm::SmallBitVector getDims(Operation *op,
                                    const DimDependence &dependence) {
  if (auto store = dyn_cast<StoreOp>(op))
    return dependence.of(store.getIndices().getDims());
  return dependence[op->getResult(0)];
}

bool loop::canCutColumns(KernelOp kernel, std::string &why) {
  auto no = [&](StringRef reason) {
    why = reason.str();
    return false;
  };
  if (kernel.isSequential() || !kernel.getColumnDims().empty() ||
      kernel.getScheduleAttr() || kernel.getConvAttr())
    return no("it has an order, a schedule or columns of its own");
  if (matchContraction(kernel) || matchConvolution(kernel))
    return no("it is a contraction or a convolution");
  if (kernel.getReducedDims().size() == kernel.getNumDims())
    return no("it has one result, no columns");
  DimDependence dependence(kernel);
  llvm::SmallBitVector reduced = getReducedSet(kernel);
  DenseSet<Operation *> after = getAfterReductions(kernel);
  for (Operation &op : *kernel.getBlock()) {
    bool depends = llvm::any_of(op.getOperands(), [&](Value v) {
      return v.getDefiningOp() && after.contains(v.getDefiningOp());
    });
    if (isReduction(&op)) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (!reduce || reduce.getTf32())
        return no("a reduction is no plain combination of values");
      if (depends)
        return no("a reduction needs the result of another");
      continue;
    }
    if (isa<StoreOp>(op) || op.getNumResults() > 0)
      if (depends && getDims(&op, dependence).anyCommon(reduced))
        return no("values along the rows need a reduction over them");
  }
  return true;
}

ColumnCut loop::cutColumns(KernelOp kernel, KernelOp like,
                           ArrayRef<unsigned> dims, int64_t rows) {
  MLIRContext *ctx = kernel.getContext();
  OpBuilder b(kernel);
  DimDependence dependence(kernel);
  llvm::SmallBitVector reduced = getReducedSet(kernel);
  DenseSet<Operation *> after = getAfterReductions(kernel);

  // Each dimension in the space of the rows, and in that of what follows.
  SmallVector<ExprAttr> places, restDims, restExtents;
  SmallVector<int64_t> columns;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    places.push_back(sym::dim(ctx, dims[d]));
    if (reduced[d]) {
      restDims.push_back(sym::constant(ctx, 0));
      continue;
    }
    columns.push_back(dims[d]);
    restDims.push_back(
        sym::dim(ctx, static_cast<unsigned>(restExtents.size())));
    restExtents.push_back(kernel.getExtent(d));
  }
  llvm::sort(columns);

  // What is stored of points stays with them.
  SmallVector<StoreOp> pointStores, restStores;
  SmallVector<ReduceOp> reductions;
  SmallVector<Type> partialTypes, restTypes;
  for (Operation &op : *kernel.getBlock()) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      reductions.push_back(reduce);
    auto store = dyn_cast<StoreOp>(op);
    if (!store)
      continue;
    bool isPoint = getDims(store, dependence).anyCommon(reduced);
    (isPoint ? pointStores : restStores).push_back(store);
    (isPoint ? partialTypes : restTypes)
        .push_back(kernel.getResult(static_cast<unsigned>(store.getOutput()))
                       .getType());
  }
  ExprAttr total = sym::constant(ctx, 1);
  SmallVector<ExprAttr> sizes{ExprAttr()};
  for (unsigned d = 0; d < like.getNumDims(); ++d) {
    if (llvm::is_contained(columns, static_cast<int64_t>(d)))
      sizes.push_back(like.getExtent(d));
    else
      total = sym::mul(total, like.getExtent(d));
  }
  sizes[0] = sym::ceilDiv(total, sym::constant(ctx, rows));
  for (ReduceOp reduce : reductions)
    partialTypes.push_back(sym::getTensorType(sizes, reduce.getType()));

  auto partial = KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                                  like.getDims().getDims(), kernel.getInputs(),
                                  partialTypes);
  b.setInsertionPointToStart(partial.getBlock());
  IRMapping mapping;
  mapping.map(kernel.getBody().getArguments(),
              partial.getBody().getArguments());
  uint64_t output = pointStores.size();
  for (Operation &op : *kernel.getBlock()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      AccumulateOp::create(b, op.getLoc(), reduce.getKind(),
                           mapping.lookup(reduce.getValue()), output++, columns,
                           static_cast<uint64_t>(rows));
      continue;
    }
    auto *pointStore = llvm::find(pointStores, dyn_cast<StoreOp>(op));
    if (after.contains(&op) ||
        (isa<StoreOp>(op) && pointStore == pointStores.end()))
      continue;
    Operation *clone = b.clone(op, mapping);
    if (auto load = dyn_cast<LoadOp>(clone)) {
      load.setIndicesAttr(sym::substituteDims(load.getIndices(), places));
    } else if (auto index = dyn_cast<IndexOp>(clone)) {
      index.setExprAttr(sym::substituteDims(index.getExpr(), places));
    } else if (auto store = dyn_cast<StoreOp>(clone)) {
      store.setIndicesAttr(sym::substituteDims(store.getIndices(), places));
      store.setOutput(static_cast<uint64_t>(pointStore - pointStores.begin()));
    }
  }

  // The chunks, which are reduced in their order, are the last dimension.
  b.setInsertionPoint(kernel);
  unsigned chunkDim = static_cast<unsigned>(restExtents.size());
  restExtents.push_back(sizes[0]);
  SmallVector<ExprAttr> chunkIndex{sym::dim(ctx, chunkDim)};
  for (int64_t column : columns) {
    const unsigned *d = llvm::find(dims, static_cast<unsigned>(column));
    chunkIndex.push_back(restDims[static_cast<size_t>(d - dims.begin())]);
  }
  SmallVector<Value> inputs(
      partial.getResults().drop_front(pointStores.size()));
  llvm::append_range(inputs, kernel.getInputs());
  auto rest = KernelOp::create(b, kernel.getLoc(), kernel.getName(),
                               restExtents, inputs, restTypes);
  b.setInsertionPointToStart(rest.getBlock());
  IRMapping inner;
  inner.map(kernel.getBody().getArguments(),
            rest.getBody().getArguments().drop_front(reductions.size()));
  unsigned next = 0;
  for (Operation &op : *kernel.getBlock()) {
    Location loc = op.getLoc();
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Value v = LoadOp::create(b, loc, rest.getBody().getArgument(next++),
                               chunkIndex);
      inner.map(reduce.getResult(),
                ReduceOp::create(b, loc, reduce.getKind(), v,
                                 {static_cast<int64_t>(chunkDim)},
                                 /*tf32=*/false));
      continue;
    }
    if (getDims(&op, dependence).anyCommon(reduced))
      continue;
    Operation *clone = b.clone(op, inner);
    auto rewrite = [&](sym::ShapeAttr exprs) {
      return sym::substituteDims(exprs, restDims);
    };
    if (auto load = dyn_cast<LoadOp>(clone)) {
      load.setIndicesAttr(rewrite(load.getIndices()));
    } else if (auto index = dyn_cast<IndexOp>(clone)) {
      index.setExprAttr(sym::substituteDims(index.getExpr(), restDims));
    } else if (auto store = dyn_cast<StoreOp>(clone)) {
      store.setIndicesAttr(rewrite(store.getIndices()));
      store.setOutput(static_cast<uint64_t>(
          llvm::find(restStores, cast<StoreOp>(op)) - restStores.begin()));
    }
  }
  for (KernelOp made : {partial, rest})
    dropUnusedOps(made);
  for (auto [i, store] : llvm::enumerate(pointStores))
    kernel.getResult(static_cast<unsigned>(store.getOutput()))
        .replaceAllUsesWith(partial.getResult(static_cast<unsigned>(i)));
  for (auto [i, store] : llvm::enumerate(restStores))
    kernel.getResult(static_cast<unsigned>(store.getOutput()))
        .replaceAllUsesWith(rest.getResult(static_cast<unsigned>(i)));
  kernel.erase();
  return {partial, rest};
}
