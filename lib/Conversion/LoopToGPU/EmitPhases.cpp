//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases of a GPU kernel: what is computed before, between and behind its
// reductions.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/IR/RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

void GPUKernelEmitter::makePersistentItems() {
  rItems.clear();
  bool partial = vectorIsReduced && !form.isExact();
  // Vectors of a row that are whole whatever its length and beginning are.
  int64_t wholeVectors = 0;
  if (partial && isOnlyReduced(vectorDim))
    wholeVectors =
        form.getContext()
            .bounds(kernel.getExtent(static_cast<unsigned>(vectorDim)))
            .lo /
        width;
  // The blocks of a cluster take turns.
  int64_t step = cluster * threadsR;
  for (int64_t i = 0; i < itemsR; ++i) {
    Value point = getPointBehind(toIndex(rowThread), i * step);
    bool inside = form.getContext().bounds(totalR).lo >= (i + 1) * step;
    bool whole = (i + 1) * step <= wholeVectors && (i > 0 || !form.getShift());
    rItems.push_back(
        getItem(point, reducedDims, totalR, !inside, partial && !whole));
  }
}

LogicalResult GPUKernelEmitter::emitPhases() {
  bool isScan = schedule.getStrategy() == GPUStrategy::Scan;
  // Those of columns are the same for all rows.
  if (accumulations.empty()) {
    rItems.clear();
    if (persistent && isScan)
      makePersistentScanItems();
    else if (persistent && !reducedDims.empty())
      makePersistentItems();
  }
  stageColumns();
  for (unsigned phase = 0; phase < numPhases; ++phase) {
    if (keepsLoads && phase > 0)
      dropReduced();
    if (failed(emitPhase(phase)))
      return failure();
  }
  return success();
}

bool GPUKernelEmitter::isOnlyReduced(int64_t dim) const {
  return dim >= 0 && reducedSet[static_cast<size_t>(dim)] &&
         llvm::all_of(reducedDims, [&](unsigned d) {
           return static_cast<int64_t>(d) == dim ||
                  form.getContext().getDimExtents()[d].isConstant(1);
         });
}

bool GPUKernelEmitter::variesOverReduced(Operation *op) const {
  if (isa<ScatterOp, AccumulateOp>(op))
    return !reducedDims.empty();
  if (auto store = dyn_cast<StoreOp>(op))
    return dependence.of(store.getIndices().getDims()).anyCommon(reducedSet);
  return op->getNumResults() > 0 && isOver(op->getResult(0), reducedSet);
}

LogicalResult GPUKernelEmitter::emitPhase(unsigned phase) {
  SmallVector<Operation *> reductions, wanted, plain;
  for (Operation *op : order) {
    if (phaseOf[op] != phase || joined.contains(op))
      continue;
    if (isReduction(op))
      reductions.push_back(op);
    else if (!variesOverReduced(op))
      plain.push_back(op);
    else if (isa<StoreOp, ScatterOp, AccumulateOp>(op))
      wanted.push_back(op);
  }
  loadTogether(plain);
  if (failed(emitOps(plain, /*alongR=*/false)))
    return failure();
  if (reductions.empty() && wanted.empty())
    return success();
  // What has to be computed for each reduced point.
  SmallVector<Operation *> stack(reductions.begin(), reductions.end());
  llvm::append_range(stack, wanted);
  DenseSet<Operation *> needed(stack.begin(), stack.end());
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    // A sum below a maximum is of the maximum's operand.
    if (ReduceOp max = onlineMax.lookup(op))
      op = max;
    for (Value v : op->getOperands()) {
      Operation *def = v.getDefiningOp();
      if (!def || isReduction(def) || !variesOverReduced(def))
        continue;
      // A persistent kernel still has it.
      if (persistent && values.contains(v))
        continue;
      if (needed.insert(def).second)
        stack.push_back(def);
    }
  }
  SmallVector<Operation *> slice;
  for (Operation *op : order)
    if (needed.contains(op))
      slice.push_back(op);
  if (!persistent && schedule.getStrategy() == GPUStrategy::Scan)
    return emitScanLoops(slice, reductions);
  if (!persistent)
    return emitLoops(slice, reductions);

  loadTogether(slice);
  llvm::erase_if(slice, isReduction);
  if (failed(emitOps(slice, /*alongR=*/true)))
    return failure();
  reduceValues(reductions);
  return success();
}

LogicalResult GPUKernelEmitter::emitLoops(ArrayRef<Operation *> slice,
                                          ArrayRef<Operation *> reductions) {
  bool partial = vectorIsReduced && !form.isExact();
  // A vector can be cut off at the end of every row, or only at the very end.
  bool partialRows = partial && !isOnlyReduced(vectorDim);
  MLIRContext *ctx = kernel.getContext();
  ExprAttr whole = totalR;
  if (partial && !partialRows)
    whole = sym::floorDiv(kernel.getExtent(static_cast<unsigned>(vectorDim)),
                          sym::constant(ctx, width));
  // The first vector of a shifted row is cut off, too.
  int64_t first = form.getShift() ? 1 : 0;
  if (first > 0)
    whole = sym::max(whole, sym::constant(ctx, 1));
  int64_t tile = threadsR * itemsR;
  ExprAttr tiled = sym::mul(
      sym::floorDiv(sym::add(whole, -first), sym::constant(ctx, tile)), tile);
  Value thread = toIndex(threadR);
  auto from = [&](ExprAttr e) -> Value {
    if (e.isConstant(0))
      return thread;
    return arith::AddIOp::create(b, symbolExpr(e), thread);
  };

  bool hasTiles = !tiled.isConstant(0);
  tiled = sym::add(tiled, first);
  RowTiles row{first, tiled, whole, hasTiles};
  if (!partialRows)
    if (std::optional<Bound> bound = getBound(slice, reductions))
      return emitBoundedLoops(slice, reductions, row, *bound);
  if (prefetch) {
    FailureOr<Values> results = emitLoopsAhead(slice, reductions, row);
    if (failed(results))
      return failure();
    finishLoops(reductions, *results);
    return success();
  }
  Values carried = getStarts(reductions, 1);
  if (first > 0) {
    FailureOr<Values> results = emitLoop(thread, constant(first), threadsR, 1,
                                         /*partial=*/true, carried, slice);
    if (failed(results))
      return failure();
    carried = std::move(*results);
  }
  if (hasTiles) {
    unsigned items = static_cast<unsigned>(itemsR);
    FailureOr<Values> results =
        emitLoop(from(sym::constant(ctx, first)), symbolExpr(tiled), tile,
                 items, partialRows, getStarts(reductions, items), slice);
    if (failed(results))
      return failure();
    // One accumulator for each result from here on.
    carried =
        mergeItems(reductions, first > 0 ? carried : Values(), *results, items);
  }
  if (tiled != whole) {
    FailureOr<Values> results =
        emitLoop(from(tiled), symbolExpr(whole), threadsR, 1, partialRows,
                 carried, slice);
    if (failed(results))
      return failure();
    carried = std::move(*results);
  }
  if (whole != totalR) {
    FailureOr<Values> results = emitLoop(from(whole), symbolExpr(totalR),
                                         threadsR, 1, true, carried, slice);
    if (failed(results))
      return failure();
    carried = std::move(*results);
  }
  finishLoops(reductions, carried);
  return success();
}

GPUKernelEmitter::Values
GPUKernelEmitter::mergeItems(ArrayRef<Operation *> reductions,
                             ArrayRef<Value> before, ArrayRef<Value> results,
                             unsigned items) {
  Values merged;
  bool hasBefore = !before.empty();
  for (Operation *op : reductions) {
    b.setLoc(op->getLoc());
    unsigned parts = getNumParts(op);
    for (unsigned ip = 0, n = getNumResultItems(op); ip < n; ++ip) {
      SmallVector<Values> list;
      if (hasBefore) {
        ArrayRef<Value> item = before.take_front(parts);
        list.emplace_back(item.begin(), item.end());
        before = before.drop_front(parts);
      }
      for (unsigned ir = 0, m = getNumCopies(op, items); ir < m; ++ir) {
        ArrayRef<Value> item = results.take_front(parts);
        list.emplace_back(item.begin(), item.end());
        results = results.drop_front(parts);
      }
      llvm::append_range(merged, combineTree(op, std::move(list)));
    }
  }
  return merged;
}

void GPUKernelEmitter::finishLoops(ArrayRef<Operation *> reductions,
                                   ArrayRef<Value> accumulators) {
  rItems.clear();
  SmallVector<SmallVector<Values>> parts;
  for (Operation *op : reductions) {
    SmallVector<Values> &list = parts.emplace_back();
    for (unsigned ip = 0, n = getNumResultItems(op); ip < n; ++ip) {
      ArrayRef<Value> item = accumulators.take_front(getNumParts(op));
      list.emplace_back(item.begin(), item.end());
      accumulators = accumulators.drop_front(getNumParts(op));
    }
  }
  finishReductions(reductions, parts);
}

void GPUKernelEmitter::makeReducedItems(Value point, unsigned items,
                                        bool partial) {
  rItems.clear();
  for (unsigned i = 0; i < items; ++i)
    rItems.push_back(getItem(getPointBehind(point, i * threadsR), reducedDims,
                             totalR, false, partial));
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::emitLoop(Value begin, Value end, int64_t step, unsigned items,
                           bool partial, ArrayRef<Value> accumulators,
                           ArrayRef<Operation *> slice) {
  auto loop = scf::ForOp::create(b, begin, end, constant(step), accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  makeReducedItems(loop.getInductionVar(), items, partial);
  Values carried(loop.getRegionIterArgs().begin(),
                 loop.getRegionIterArgs().end());
  if (failed(emitSlice(slice, carried)))
    return failure();
  // A loop without carried values has its terminator already.
  if (!carried.empty())
    scf::YieldOp::create(b, carried);
  return Values(loop.getResults().begin(), loop.getResults().end());
}

LogicalResult GPUKernelEmitter::emitSlice(ArrayRef<Operation *> slice,
                                          MutableArrayRef<Value> accumulators) {
  loadTogether(slice);
  // The accumulators of each reduction: parts of copies of items along `p`.
  unsigned items = static_cast<unsigned>(rItems.size());
  DenseMap<Operation *, MutableArrayRef<Value>> own;
  for (Operation *op : slice) {
    if (!isReduction(op))
      continue;
    size_t n = size_t(getNumParts(op)) * getNumResultItems(op) *
               getNumCopies(op, items);
    own[op] = accumulators.take_front(n);
    accumulators = accumulators.drop_front(n);
  }
  return emitOps(slice, /*alongR=*/true, [&](Operation *op, unsigned first) {
    b.setLoc(op->getLoc());
    MutableArrayRef<Value> rest = own[op];
    unsigned parts = getNumParts(op), m = getNumCopies(op, items);
    auto moments = dyn_cast<WelfordOp>(op);
    for (unsigned ip = 0, n = getNumResultItems(op); ip < n; ++ip)
      for (unsigned copy = 0; copy < m; ++copy) {
        MutableArrayRef<Value> old = rest.take_front(parts);
        rest = rest.drop_front(parts);
        Values next(old.begin(), old.end());
        if (onlineMax.contains(op)) {
          next = accumulateOnline(op, old, ip);
        } else if (moments) {
          next = accumulateMoments(moments, old, ip);
        } else if (compensated.contains(op)) {
          next = accumulateCompensated(op, old, ip);
        } else {
          for (unsigned ir = 0, end = rItems.size(); ir < end; ++ir)
            if ((first + ir) % m == copy)
              next = accumulate(op, next, getOperands(op, ip, ir));
        }
        llvm::copy(next, old.begin());
      }
  });
}

LogicalResult GPUKernelEmitter::emitOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto load = dyn_cast<LoadOp>(op))
    return emitLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return emitStore(store);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return emitScatter(scatter);
  if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
    emitAccumulate(accumulate);
    return success();
  }
  if (isa<ScanOp, ArgScanOp>(op))
    return emitScan(op);
  if (auto sum = dyn_cast<SegmentSumOp>(op))
    return emitGatherSum(sum);
  if (auto special = dyn_cast<SpecialOp>(op))
    return emitSpecial(special);
  if (auto philox = dyn_cast<PhiloxOp>(op)) {
    emitRandom(philox);
    return success();
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    emitIndex(index);
    return success();
  }
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return emitArith(op);
  return op->emitOpError("has no GPU lowering");
}
