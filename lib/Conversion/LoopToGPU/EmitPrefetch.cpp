//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over rows that load a step ahead. A step that computes for long on what
// it loaded leaves memory idle: the next vectors are therefore asked for before
// those that are there are used. Vectors in front of and behind the whole tiles
// of a row are one step in front of the loop, not loops of their own, each of
// which would wait for memory once more.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// The type in which a loop carries a value: elements of 8 and 16 bits together
/// in words, so that nothing takes them apart between two steps.
static Type getCarriedType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return type;
  unsigned bits = vector.getElementTypeBitWidth();
  int64_t all = vector.getNumElements() * bits;
  if (bits >= 32 || all % 32 != 0)
    return type;
  return VectorType::get(all / 32, IntegerType::get(type.getContext(), 32));
}

SmallVector<LoadOp>
GPUKernelEmitter::getLoadsAhead(ArrayRef<Operation *> slice) const {
  SmallVector<LoadOp> loads;
  for (Operation *op : slice) {
    auto load = dyn_cast<LoadOp>(op);
    // A bool is a comparison of what was loaded, which would wait for it.
    if (load && isOver(load.getResult(), reducedSet) &&
        load.getArgs().empty() && !load.getMask() &&
        !load.getType().isInteger(1))
      loads.push_back(load);
  }
  return loads;
}

SmallVector<LoadOp> GPUKernelEmitter::getRowLoads() const {
  SmallVector<LoadOp> loads;
  for (Operation *op : order) {
    auto load = dyn_cast<LoadOp>(op);
    // What is the same for all rows is loaded once.
    if (load && isOver(load.getResult(), parallelSet) &&
        load.getArgs().empty() && !load.getMask() && !mayAlias(load) &&
        !load.getType().isInteger(1))
      loads.push_back(load);
  }
  return loads;
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::loadAhead(ArrayRef<LoadOp> loads, Value point) {
  makeReducedItems(point, static_cast<unsigned>(itemsR), /*partial=*/false);
  return loadItems(loads);
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::loadItems(ArrayRef<LoadOp> loads) {
  loadTogether(SmallVector<Operation *>(loads.begin(), loads.end()));
  Values loaded;
  for (LoadOp load : loads) {
    if (failed(emitOp(load)))
      return failure();
    for (Value v : values[load.getResult()].values) {
      Type type = getCarriedType(v.getType());
      loaded.push_back(type == v.getType()
                           ? v
                           : vector::BitCastOp::create(b, type, v).getResult());
    }
    values.erase(load.getResult());
  }
  return loaded;
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::loadAheadIf(Value condition, ArrayRef<LoadOp> loads,
                              Value point) {
  if (loads.empty()) // Every load has a mask.
    return Values();
  SmallVector<Type> types;
  for (LoadOp load : loads) {
    Type type = load.getType();
    if (form.isVector(load.getResult()))
      type = VectorType::get(width, type);
    size_t copies = static_cast<size_t>(itemsR) *
                    (isOver(load.getResult(), parallelSet) ? pItems.size() : 1);
    types.append(copies, getCarriedType(type));
  }
  auto choice = scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  FailureOr<Values> loaded = loadAhead(loads, point);
  if (failed(loaded))
    return failure();
  scf::YieldOp::create(b, *loaded);
  b.setInsertionPointToStart(choice.elseBlock());
  Values nothing;
  for (Type type : types)
    nothing.push_back(zero(type));
  scf::YieldOp::create(b, nothing);
  return Values(choice.getResults().begin(), choice.getResults().end());
}

void GPUKernelEmitter::defineLoaded(ArrayRef<LoadOp> loads,
                                    ArrayRef<Value> carried) {
  for (LoadOp load : loads) {
    b.setLoc(load.getLoc());
    bool isVector = form.isVector(load.getResult());
    Type type = load.getType();
    if (isVector)
      type = VectorType::get(width, type);
    Copies copies = makeCopies(load.getResult());
    forEachCopy(copies.overP, copies.overR, [&](unsigned, unsigned) {
      Value v = carried.front();
      carried = carried.drop_front();
      if (v.getType() != type)
        v = vector::BitCastOp::create(b, type, v);
      copies.values.push_back(v);
    });
    values[load.getResult()] = std::move(copies);
  }
}

FailureOr<GPUKernelEmitter::Values> GPUKernelEmitter::emitLoopAhead(
    ArrayRef<LoadOp> loads, ArrayRef<Value> ahead, Value begin, Value end,
    ArrayRef<Value> accumulators, ArrayRef<Operation *> slice) {
  Value step = constant(threadsR * itemsR);
  Values start(accumulators);
  llvm::append_range(start, ahead);
  auto loop = scf::ForOp::create(b, begin, end, step, start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value point = loop.getInductionVar();
  Value next = arith::AddIOp::create(b, point, step,
                                     arith::IntegerOverflowFlags::nsw |
                                         arith::IntegerOverflowFlags::nuw);
  // The last step loads its own vectors again, which costs no traffic and no
  // branch.
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next, end);
  next = arith::SelectOp::create(b, exists, next, point);
  FailureOr<Values> loaded = loadAhead(loads, next);
  if (failed(loaded))
    return failure();

  makeReducedItems(point, static_cast<unsigned>(itemsR), /*partial=*/false);
  ArrayRef<BlockArgument> arguments = loop.getRegionIterArgs();
  Values carried(arguments.take_front(accumulators.size()));
  defineLoaded(loads, Values(arguments.drop_front(accumulators.size())));
  SmallVector<Operation *> rest;
  for (Operation *op : slice)
    if (!llvm::is_contained(loads, op))
      rest.push_back(op);
  if (failed(emitSlice(rest, carried)))
    return failure();
  llvm::append_range(carried, *loaded);
  if (!carried.empty())
    scf::YieldOp::create(b, carried);
  ResultRange results = loop.getResults().take_front(accumulators.size());
  return Values(results.begin(), results.end());
}

void GPUKernelEmitter::makeEdgeItems(const RowTiles &row) {
  rItems.clear();
  Value thread = toIndex(threadR);
  auto from = [&](sym::ExprAttr e) -> Value {
    if (e.isConstant(0))
      return thread;
    return arith::AddIOp::create(b, symbolExpr(e), thread);
  };
  if (row.first > 0) {
    Item item = getItem(thread, reducedDims, totalR, false, false);
    item.active = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                        constant(row.first));
    cutLanes(item);
    rItems.push_back(item);
  }
  if (row.tiled != row.whole) {
    Value begin = from(row.tiled);
    for (int64_t i = 0; i < itemsR; ++i) {
      Value point = getPointBehind(begin, i * threadsR);
      rItems.push_back(
          getItem(point, reducedDims, row.whole, /*mayBeOutside=*/true, false));
    }
  }
  // A shifted row ends up to two vectors behind the last whole one.
  int64_t cut = row.whole == totalR ? 0 : form.getShift() ? 2 : 1;
  for (int64_t i = 0, n = llvm::divideCeil(cut, threadsR); i < n; ++i) {
    Value point = getPointBehind(from(row.whole), i * threadsR);
    rItems.push_back(getItem(point, reducedDims, totalR, /*mayBeOutside=*/true,
                             /*partial=*/true));
  }
}

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::emitLoopsAhead(ArrayRef<Operation *> slice,
                                 ArrayRef<Operation *> reductions,
                                 const RowTiles &row) {
  SmallVector<LoadOp> loads = getLoadsAhead(slice);
  unsigned items = static_cast<unsigned>(itemsR);
  Value end = symbolExpr(row.tiled);
  Value begin = toIndex(threadR);
  if (row.first > 0)
    begin = arith::AddIOp::create(b, begin, constant(row.first));

  // The first step of the loop is under way while the edges are computed.
  Values ahead;
  if (row.hasTiles) {
    bool exists = form.getContext().isLessOrEqual(
        sym::constant(b.getContext(), row.first + threadsR * itemsR),
        row.tiled);
    // Without a whole tile there is nothing to read.
    FailureOr<Values> loaded =
        exists ? loadAhead(loads, begin)
               : loadAheadIf(arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                   constant(row.first), end),
                             loads, begin);
    if (failed(loaded))
      return failure();
    ahead = std::move(*loaded);
  }

  bool hasEdges = row.first > 0 || row.tiled != totalR;
  if (!row.hasTiles && !hasEdges) // Nothing is reduced.
    return getStarts(reductions, 1);
  Values carried;
  if (hasEdges) {
    makeEdgeItems(row);
    unsigned edges = static_cast<unsigned>(rItems.size());
    Values results = getStarts(reductions, edges);
    if (failed(emitSlice(slice, results)))
      return failure();
    carried = mergeItems(reductions, {}, results, edges);
  }
  if (!row.hasTiles)
    return carried;
  FailureOr<Values> results = emitLoopAhead(
      loads, ahead, begin, end, getStarts(reductions, items), slice);
  if (failed(results))
    return failure();
  return mergeItems(reductions, carried, *results, items);
}
