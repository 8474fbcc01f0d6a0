//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans of a GPU kernel. A thread combines the lanes of each of its items, a
// warp its threads by shuffles, then its items one after the other; warps meet
// in shared memory. What comes before a tile is carried by a loop over tiles,
// or, where every tile is a block, found in what the blocks before published,
// see EmitLookBack.cpp.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

static bool isScan(Operation *op) { return isa<ScanOp, ArgScanOp>(op); }

static ReduceKind reductionOf(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op))
    return getReduction(scan.getKind());
  return cast<ArgScanOp>(op).getKind();
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type GPUKernelEmitter::getStoredType(Type type) {
  return withElement(type, getMemoryType(getElementTypeOrSelf(type)));
}

int64_t GPUKernelEmitter::getStoredBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8) *
         (vector ? vector.getNumElements() : 1);
}

Value GPUKernelEmitter::widenToI64(Value v) {
  Type i64 = b.getI64Type();
  return v.getType() == i64 ? v : arith::ExtUIOp::create(b, i64, v);
}

Type GPUKernelEmitter::getScanType(Operation *op) {
  Type type = op->getResult(0).getType();
  auto scan = dyn_cast<ScanOp>(op);
  // A sum in 16 bits would soon stand still.
  if (scan && (type.isF16() || type.isBF16()) &&
      (scan.getKind() == ScanKind::Sum || scan.getKind() == ScanKind::Prod ||
       scan.getKind() == ScanKind::LogAddExp))
    return b.getF32Type();
  return type;
}

GPUKernelEmitter::Values GPUKernelEmitter::startScan(Operation *op) {
  Values result{arith::ConstantOp::create(
      b, getNeutralElement(reductionOf(op), getScanType(op)))};
  // No position: not even the neutral value wins with it.
  if (isa<ArgScanOp>(op))
    result.push_back(arith::ConstantIntOp::create(b, getPositionType(op), -1));
  if (!vectorIsReduced && form.isVector(op->getResult(0)))
    for (Value &v : result)
      v = broadcast(v);
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::startParts(Operation *op) {
  Values result = startScan(op);
  if (compensated.contains(op))
    result.push_back(zero(result.front().getType()));
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::startLike(Operation *op,
                                                     ArrayRef<Value> parts) {
  Values result = startParts(op);
  result.truncate(parts.size());
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::combineScans(Operation *op,
                                                        ArrayRef<Value> x,
                                                        ArrayRef<Value> y) {
  if (x.empty() || y.empty())
    return Values(x.empty() ? y : x);
  // What blocks tell each other is rounded.
  if (compensated.contains(op) && (x.size() > 1 || y.size() > 1))
    return combineCompensated(op, x, y);
  if (auto scan = dyn_cast<ScanOp>(op))
    return {combineScan(b, scan.getKind(), x[0], y[0])};
  auto [best, where] =
      combineArgScan(b, reductionOf(op), x[0], x[1], y[0], y[1]);
  Value zero = this->zero(y[1].getType());
  Value exists =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, y[1], zero);
  return {arith::SelectOp::create(b, exists, best, x[0]),
          arith::SelectOp::create(b, exists, where, x[1])};
}

GPUKernelEmitter::Values
GPUKernelEmitter::selectAll(Value condition, ArrayRef<Value> then,
                            ArrayRef<Value> otherwise) {
  Values result;
  for (auto [x, y] : llvm::zip_equal(then, otherwise))
    result.push_back(arith::SelectOp::create(b, condition, x, y));
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::getScanned(Operation *op,
                                                      unsigned ir) {
  const Item &item = rItems[ir];
  bool hasLanes =
      width > 1 && (vectorIsReduced || form.isVector(op->getResult(0)));
  Values outside = startScan(op), result;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    Value v = lookup(operand, 0, ir);
    Type type = getElementTypeOrSelf(outside[i].getType());
    Type wide = withElement(v.getType(), type);
    if (i == 1 && type.isInteger(32))
      v = arith::TruncIOp::create(b, wide, v);
    else if (v.getType() != wide)
      v = arith::ExtFOp::create(b, wide, v);
    if (hasLanes)
      v = broadcast(v);
    Value inside = item.lanes && hasLanes ? item.lanes : item.active;
    if (inside)
      v = arith::SelectOp::create(
          b, inside, v, hasLanes ? broadcast(outside[i]) : outside[i]);
    result.push_back(v);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value GPUKernelEmitter::getLaneR() {
  return arith::AndIOp::create(b, threadR, constantI32(lanesR - 1));
}

Value GPUKernelEmitter::getGroupR() {
  if (lanesR == 1)
    return threadR;
  return arith::ShRUIOp::create(
      b, threadR, constantI32(llvm::Log2_64(static_cast<uint64_t>(lanesR))));
}

std::pair<GPUKernelEmitter::Values, GPUKernelEmitter::Values>
GPUKernelEmitter::scanWarp(Operation *op, Values parts) {
  if (lanesR == 1)
    return {Values(), parts};
  int64_t step = reducedIsFast ? 1 : threadsP;
  Value lane = getLaneR();
  auto shift = [&](ArrayRef<Value> from, int64_t n) {
    Values result;
    for (Value v : from)
      result.push_back(shuffle(v, constantI32(n * step), Shuffle::Up));
    return result;
  };
  auto isBehind = [&](int64_t n) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, lane,
                                 constantI32(n));
  };
  for (int64_t n = 1; n < lanesR; n *= 2)
    parts =
        selectAll(isBehind(n), combineScans(op, shift(parts, n), parts), parts);
  Values before = selectAll(isBehind(1), shift(parts, 1), startLike(op, parts));
  Value last = constantI32((lanesR - 1) * step);
  if (!reducedIsFast)
    last = arith::AddIOp::create(b, last, threadP);
  Values total;
  for (Value v : parts)
    total.push_back(shuffle(v, last, Shuffle::Index));
  return {before, total};
}

std::pair<GPUKernelEmitter::Values, GPUKernelEmitter::Values>
GPUKernelEmitter::scanGroups(Operation *op, Values parts) {
  if (groupsR == 1)
    return {Values(), parts};
  Value group = getGroupR();
  SmallVector<int64_t, 2> offsets;
  auto slot = [&](size_t part, Value g) {
    auto vector = dyn_cast<VectorType>(parts[part].getType());
    int64_t lanes = vector ? vector.getNumElements() : 1;
    Value index = arith::AddIOp::create(
        b, arith::MulIOp::create(b, g, constantI32(threadsP)), threadP);
    index = arith::MulIOp::create(b, index, constantI32(lanes));
    return sharedPointer(
        offsets[part],
        getMemoryType(getElementTypeOrSelf(parts[part].getType())), index);
  };
  auto alignmentOf = [&](size_t part) {
    return static_cast<unsigned>(
        std::min<int64_t>(16, getStoredBytes(parts[part].getType())));
  };
  for (Value v : parts) {
    int64_t bytes = groupsR * threadsP * getStoredBytes(v.getType());
    offsets.push_back(sharedBytes);
    sharedBytes += llvm::alignTo(static_cast<uint64_t>(bytes), 16);
  }
  // A loop comes here again, when others may still read.
  if (!persistent)
    barrier();
  Value writes;
  if (lanesR > 1)
    writes = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, getLaneR(),
                                   constantI32(0));
  (void)emitIf(writes, [&]() {
    for (size_t part = 0; part < parts.size(); ++part)
      LLVM::StoreOp::create(b, toMemory(parts[part]), slot(part, group),
                            alignmentOf(part));
    return success();
  });
  barrier();
  Values before = startLike(op, parts), total;
  for (int64_t g = 0; g < groupsR; ++g) {
    Values mine;
    for (size_t part = 0; part < parts.size(); ++part) {
      Type type = parts[part].getType();
      Value v =
          LLVM::LoadOp::create(b, getStoredType(type),
                               slot(part, constantI32(g)), alignmentOf(part));
      mine.push_back(fromMemory(v, getElementTypeOrSelf(type)));
    }
    total = combineScans(op, total, mine);
    if (g + 1 == groupsR)
      break;
    Value isNext = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group,
                                         constantI32(g + 1));
    before = selectAll(isNext, total, before);
  }
  return {before, total};
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

SmallVector<GPUKernelEmitter::Values>
GPUKernelEmitter::scanLanes(Operation *op, unsigned ir, Values last) {
  Values all = getScanned(op, ir);
  if (last.empty() && compensated.contains(op))
    last = startParts(op);
  if (!vectorIsReduced || width == 1)
    return {combineScans(op, last, all)};
  SmallVector<Values> lanes;
  for (int64_t lane = 0; lane < width; ++lane) {
    Values one;
    for (Value v : all)
      one.push_back(extract(v, lane));
    last = combineScans(op, last, one);
    lanes.push_back(last);
  }
  return lanes;
}

void GPUKernelEmitter::finishScan(Operation *op, ArrayRef<Value> start,
                                  ArrayRef<Values> before,
                                  ArrayRef<SmallVector<Values>> running) {
  bool lanesAlong = vectorIsReduced && width > 1;
  unsigned items = static_cast<unsigned>(rItems.size());
  unsigned parts = op->getNumResults();
  SmallVector<Copies> copies;
  for (Value v : op->getResults()) {
    copies.push_back(makeCopies(v));
    // Every thread has its own part, whatever else the value varies over.
    copies.back().numR = items;
  }
  for (unsigned ir = 0; ir < items; ++ir) {
    Values base = finishCompensated(op, combineScans(op, start, before[ir]));
    SmallVector<Values> lanes;
    for (const Values &lane : running[ir])
      lanes.push_back(
          combineScans(op, base, ArrayRef<Value>(lane).take_front(parts)));
    for (unsigned part = 0; part < parts; ++part) {
      Value v = lanes[0][part];
      if (lanesAlong) {
        SmallVector<Value> scalars;
        for (const Values &lane : lanes)
          scalars.push_back(lane[part]);
        v = fromLanes(scalars);
      }
      Type type = withElement(v.getType(), op->getResult(part).getType());
      if (v.getType() != type) {
        if (part == 1)
          v = arith::ExtSIOp::create(b, type, v);
        else
          v = arith::TruncFOp::create(b, type, v);
      }
      copies[part].values.push_back(v);
    }
  }
  for (auto [result, copy] : llvm::zip_equal(op->getResults(), copies))
    values[result] = std::move(copy);
}

LogicalResult GPUKernelEmitter::emitScan(Operation *op) {
  if (ring) {
    finishRingScan();
    return success();
  }
  unsigned items = static_cast<unsigned>(rItems.size());
  // Up to and including each lane of each item of the thread.
  SmallVector<SmallVector<Values>> running(items);
  Values run;
  SmallVector<Values> before(items);
  for (unsigned ir = 0; ir < items; ++ir) {
    // A thread alone goes on from its last item; others meet first.
    running[ir] = scanLanes(op, ir, lanesR == 1 ? run : Values());
    if (lanesR == 1) {
      run = running[ir].back();
      continue;
    }
    auto [inWarp, total] = scanWarp(op, running[ir].back());
    before[ir] = finishCompensated(op, combineScans(op, run, inWarp));
    run = combineScans(op, run, total);
  }
  auto [inBlock, total] = scanGroups(op, run);
  Values start;
  if (splitR) {
    Values told = finishCompensated(op, total);
    auto toI64 = [&](Value v) -> Value {
      return v.getType().isIndex()
                 ? arith::IndexCastUIOp::create(b, b.getI64Type(), v)
                 : widenToI64(v);
    };
    TileRecords records = reserveRecords(
        told, toI64(gpu::GridDimOp::create(b, gpu::Dimension::x)));
    Value block = toI64(gpu::BlockIdOp::create(b, gpu::Dimension::x));
    publishSum(records, told, block);
    start = lookBack(op, records, told, block, widenToI64(tileNumber));
  } else if (auto it = carries.find(op); it != carries.end()) {
    start = it->second;
  }
  if (auto it = carries.find(op); it != carries.end())
    it->second = combineScans(op, it->second, total);
  finishScan(op, finishCompensated(op, combineScans(op, start, inBlock)),
             before, running);
  return success();
}

Value GPUKernelEmitter::getScanPoint(unsigned item) {
  // Warps have consecutive items, so that only their sums meet.
  Value point = constantI32(item * lanesR);
  if (groupsR > 1) {
    Value skipped =
        arith::MulIOp::create(b, getGroupR(), constantI32(itemsR * lanesR));
    point = arith::AddIOp::create(b, skipped, point);
  }
  if (lanesR > 1)
    point = arith::AddIOp::create(b, point, getLaneR());
  return toIndex(point);
}

void GPUKernelEmitter::makeScanItems(Value base, bool mayBeOutside,
                                     bool partial) {
  rItems.clear();
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  for (int64_t i = 0; i < itemsR; ++i) {
    Value point = getScanPoint(static_cast<unsigned>(i));
    if (base)
      point = arith::AddIOp::create(b, base, point, flags);
    rItems.push_back(
        getItem(point, reducedDims, totalR, mayBeOutside, partial));
  }
}

void GPUKernelEmitter::makePersistentScanItems() {
  bool partial = vectorIsReduced && !form.isExact();
  int64_t tile = threadsR * itemsR;
  Value base;
  bool exact;
  if (splitR) {
    base = arith::MulIOp::create(b, tileNumber, constant(tile));
    exact = isDivisible(totalR, tile);
  } else {
    exact = form.getContext().bounds(totalR).lo >= tile;
  }
  makeScanItems(base, !exact, partial);
}

LogicalResult
GPUKernelEmitter::emitScanLoops(ArrayRef<Operation *> slice,
                                ArrayRef<Operation *> reductions) {
  // All threads go through whole tiles together, as they meet in each.
  int64_t tile = threadsR * itemsR;
  MLIRContext *ctx = kernel.getContext();
  bool partial = vectorIsReduced && !form.isExact();
  ExprAttr whole = totalR;
  if (partial && reducedDims.size() == 1)
    whole = sym::floorDiv(kernel.getExtent(static_cast<unsigned>(vectorDim)),
                          sym::constant(ctx, width));
  bool partialRows = partial && reducedDims.size() > 1;
  ExprAttr tiled =
      sym::mul(sym::floorDiv(whole, sym::constant(ctx, tile)), tile);

  Values carried = getStarts(reductions, static_cast<unsigned>(itemsR));
  SmallVector<Operation *> scans;
  for (Operation *op : slice)
    if (isScan(op))
      scans.push_back(op);
  for (Operation *op : scans) {
    b.setLoc(op->getLoc());
    llvm::append_range(carried, startParts(op));
  }
  auto loopOver = [&](Value begin, Value end, bool outside,
                      bool cut) -> LogicalResult {
    auto loop = scf::ForOp::create(b, begin, end, constant(tile), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    makeScanItems(loop.getInductionVar(), outside, cut);
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    size_t first = carried.size();
    for (Operation *op : llvm::reverse(scans)) {
      size_t parts = op->getNumResults() + (compensated.contains(op) ? 1 : 0);
      first -= parts;
      carries[op] = Values(ArrayRef<Value>(carried).slice(first, parts));
    }
    if (failed(emitSlice(slice,
                         MutableArrayRef<Value>(carried).take_front(first))))
      return failure();
    carried.truncate(first);
    for (Operation *op : scans)
      llvm::append_range(carried, carries[op]);
    if (!carried.empty())
      scf::YieldOp::create(b, carried);
    carried.assign(loop.getResults().begin(), loop.getResults().end());
    return success();
  };
  if (!tiled.isConstant(0) &&
      failed(loopOver(constant(0), symbolExpr(tiled), false, partialRows)))
    return failure();
  if (tiled != totalR &&
      failed(loopOver(symbolExpr(tiled), symbolExpr(totalR), true, partial)))
    return failure();
  rItems.clear();
  carries.clear();

  SmallVector<SmallVector<Values>> parts;
  ArrayRef<Value> rest = carried;
  for (Operation *op : reductions) {
    b.setLoc(op->getLoc());
    SmallVector<Values> &list = parts.emplace_back();
    for (unsigned ip = 0, n = getNumResultItems(op); ip < n; ++ip) {
      SmallVector<Values> each;
      unsigned copies = getNumCopies(op, static_cast<unsigned>(itemsR));
      for (unsigned ir = 0; ir < copies; ++ir) {
        ArrayRef<Value> item = rest.take_front(getNumParts(op));
        each.emplace_back(item.begin(), item.end());
        rest = rest.drop_front(getNumParts(op));
      }
      list.push_back(combineTree(op, std::move(each)));
    }
  }
  finishReductions(reductions, parts);
  return success();
}
