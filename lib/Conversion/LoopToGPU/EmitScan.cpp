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
// or, where every tile is a block, found in what the blocks before published.
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

/// Tiles that know what came before them from one prefix and the sums of the
/// others: as many as a block has threads along `r`, but at least so many.
static constexpr int64_t kMinGroup = 16;
static constexpr llvm::StringLiteral kDeviceScope = "device";
/// The bit of a record's word that says that the record is there.
static constexpr int64_t kRecordMark = int64_t(1) << 32;

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

static int64_t byteWidth(Type scalar) {
  return std::max(1u, scalar.getIntOrFloatBitWidth() / 8);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

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

GPUKernelEmitter::Values GPUKernelEmitter::combineScans(Operation *op,
                                                        ArrayRef<Value> x,
                                                        ArrayRef<Value> y) {
  if (x.empty() || y.empty())
    return Values(x.empty() ? y : x);
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
  Values before = selectAll(isBehind(1), shift(parts, 1), startScan(op));
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
    auto vector = dyn_cast<VectorType>(parts[part].getType());
    int64_t bytes = byteWidth(getElementTypeOrSelf(parts[part].getType())) *
                    (vector ? vector.getNumElements() : 1);
    return static_cast<unsigned>(std::min<int64_t>(16, bytes));
  };
  for (Value v : parts) {
    auto vector = dyn_cast<VectorType>(v.getType());
    int64_t bytes = byteWidth(getElementTypeOrSelf(v.getType())) *
                    (vector ? vector.getNumElements() : 1);
    offsets.push_back(sharedBytes);
    sharedBytes +=
        llvm::alignTo(static_cast<uint64_t>(groupsR * threadsP * bytes), 16);
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
  Values before = startScan(op), total;
  for (int64_t g = 0; g < groupsR; ++g) {
    Values mine;
    for (size_t part = 0; part < parts.size(); ++part) {
      Type type = parts[part].getType();
      Type element = getElementTypeOrSelf(type);
      Value v =
          LLVM::LoadOp::create(b, withElement(type, getMemoryType(element)),
                               slot(part, constantI32(g)), alignmentOf(part));
      mine.push_back(fromMemory(v, element));
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
// Blocks
//===----------------------------------------------------------------------===//

LLVM::LoadOp GPUKernelEmitter::loadShared(Value pointer, IntegerType type,
                                          bool acquires) {
  auto load = LLVM::LoadOp::create(b, type, pointer, type.getWidth() / 8);
  load.setOrdering(acquires ? LLVM::AtomicOrdering::acquire
                            : LLVM::AtomicOrdering::monotonic);
  load.setSyncscope(kDeviceScope);
  return load;
}

Value GPUKernelEmitter::waitFor(Value pointer, Value word, bool acquires) {
  auto type = cast<IntegerType>(word.getType());
  auto loop = scf::WhileOp::create(b, type, word);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, type, b.getLoc());
  Value found = before->getArgument(0);
  Value missing =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, found, zero(type));
  scf::ConditionOp::create(b, missing, found);
  b.createBlock(&loop.getAfter(), {}, type, b.getLoc());
  scf::YieldOp::create(b, loadShared(pointer, type, acquires).getResult());
  return loop.getResult(0);
}

/// A value that fits into a word of 64 bits together with a mark.
static bool isPackable(ArrayRef<Value> total) {
  return total.size() == 1 && total[0].getType().isIntOrFloat() &&
         total[0].getType().getIntOrFloatBitWidth() <= 32;
}

Value GPUKernelEmitter::packRecord(Value v) {
  Value bits = toMemory(v);
  auto width = bits.getType().getIntOrFloatBitWidth();
  if (!bits.getType().isInteger())
    bits = arith::BitcastOp::create(b, b.getIntegerType(width), bits);
  Value mark = arith::ConstantIntOp::create(b, b.getI64Type(), kRecordMark);
  return arith::OrIOp::create(
      b, arith::ExtUIOp::create(b, b.getI64Type(), bits), mark);
}

Value GPUKernelEmitter::unpackRecord(Value word, Type element) {
  Type memory = getMemoryType(element);
  Value bits = arith::TruncIOp::create(
      b, b.getIntegerType(memory.getIntOrFloatBitWidth()), word);
  if (bits.getType() != memory)
    bits = arith::BitcastOp::create(b, memory, bits);
  return fromMemory(bits, element);
}

GPUKernelEmitter::Values GPUKernelEmitter::lookBack(Operation *op,
                                                    Values total) {
  Type i64 = b.getI64Type();
  auto toI64 = [&](Value v) -> Value {
    if (v.getType().isIndex())
      return arith::IndexCastUIOp::create(b, i64, v);
    return v.getType() == i64 ? v : arith::ExtUIOp::create(b, i64, v);
  };
  auto wide = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, i64, v);
  };
  Value blocks = toI64(gpu::GridDimOp::create(b, gpu::Dimension::x));
  Value block = toI64(gpu::BlockIdOp::create(b, gpu::Dimension::x));
  Value column = toI64(threadP);
  Type element8 = b.getI8Type();
  // An array of the scratch memory has `bytes` for each column of each block.
  auto reserve = [&](int64_t bytes) {
    int64_t offset = scratchBytes;
    scratchBytes += llvm::alignTo(static_cast<uint64_t>(bytes * threadsP), 16);
    return offset;
  };
  auto at = [&](int64_t offset, int64_t bytes, Value ofBlock) -> Value {
    Value n = arith::AddIOp::create(
        b, arith::MulIOp::create(b, ofBlock, wide(threadsP)), column);
    Value distance =
        arith::AddIOp::create(b, arith::MulIOp::create(b, blocks, wide(offset)),
                              arith::MulIOp::create(b, n, wide(bytes)));
    return LLVM::GEPOp::create(b, scratch.getType(), element8, scratch,
                               ArrayRef<LLVM::GEPArg>{distance},
                               LLVM::GEPNoWrapFlags::inbounds);
  };
  SmallVector<int64_t, 2> sizes;
  for (Value v : total) {
    auto vector = dyn_cast<VectorType>(v.getType());
    sizes.push_back(byteWidth(getElementTypeOrSelf(v.getType())) *
                    (vector ? vector.getNumElements() : 1));
  }
  // A small value travels in the word that says that it is there: whoever waits
  // for it has it, and neither side orders anything else by a fence.
  bool isPacked = isPackable(total);
  struct Record {
    int64_t flag;
    SmallVector<int64_t, 2> parts;
  };
  auto reserveRecord = [&]() {
    Record record;
    record.flag = reserve(isPacked ? 8 : 4);
    if (isPacked)
      return record;
    for (int64_t bytes : sizes)
      record.parts.push_back(reserve(bytes));
    return record;
  };
  Record sums = reserveRecord(), prefixes = reserveRecord();
  auto alignmentOf = [&](size_t part) {
    return static_cast<unsigned>(std::min<int64_t>(16, sizes[part]));
  };
  auto publish = [&](const Record &record, ArrayRef<Value> values) {
    if (isPacked) {
      auto store = LLVM::StoreOp::create(b, packRecord(values[0]),
                                         at(record.flag, 8, block), 8);
      store.setOrdering(LLVM::AtomicOrdering::monotonic);
      store.setSyncscope(kDeviceScope);
      return success();
    }
    for (auto [part, v] : llvm::enumerate(values))
      LLVM::StoreOp::create(b, toMemory(v),
                            at(record.parts[part], sizes[part], block),
                            alignmentOf(part));
    auto store =
        LLVM::StoreOp::create(b, constantI32(1), at(record.flag, 4, block), 4);
    store.setOrdering(LLVM::AtomicOrdering::release);
    store.setSyncscope(kDeviceScope);
    return success();
  };
  // What a thread takes from one record, in two steps: it looks at all of its
  // records before it waits for the first.
  struct Taken {
    const Record &record;
    Value condition, block, word;
  };
  auto look = [&](const Record &record, Value condition, Value ofBlock) {
    Taken taken = {record, condition, ofBlock, Value()};
    if (isPacked)
      taken.word = choose(
          condition, b.getI64Type(),
          [&]() -> Value {
            return loadShared(at(record.flag, 8, ofBlock), b.getI64Type(),
                              /*acquires=*/false);
          },
          [&]() { return packRecord(startScan(op)[0]); });
    return taken;
  };
  auto take = [&](const Taken &taken) {
    const Record &record = taken.record;
    Values start = startScan(op);
    if (isPacked) {
      Value word = waitFor(at(record.flag, 8, taken.block), taken.word,
                           /*acquires=*/false);
      return Values{unpackRecord(word, start[0].getType())};
    }
    auto choice = scf::IfOp::create(
        b, llvm::to_vector(ValueRange(start).getTypes()), taken.condition,
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, start);
    b.setInsertionPointToStart(choice.thenBlock());
    Value flag = at(record.flag, 4, taken.block);
    waitFor(flag, loadShared(flag, b.getI32Type(), /*acquires=*/true),
            /*acquires=*/true);
    Values loaded;
    for (auto [part, v] : llvm::enumerate(start)) {
      Type element = getElementTypeOrSelf(v.getType());
      Value found = LLVM::LoadOp::create(
          b, withElement(v.getType(), getMemoryType(element)),
          at(record.parts[part], sizes[part], taken.block), alignmentOf(part));
      loaded.push_back(fromMemory(found, element));
    }
    scf::YieldOp::create(b, loaded);
    return Values(choice.getResults().begin(), choice.getResults().end());
  };

  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, threadR,
                                        constantI32(0));
  (void)emitIf(isFirst, [&]() { return publish(sums, total); });

  // A group of tiles starts from the prefix of the one before it, so that the
  // order of combination does not depend on who is fast.
  int64_t each = llvm::divideCeil(kMinGroup, threadsR);
  int64_t groupSize = threadsR * each;
  Value tile = toI64(tileNumber);
  Value inGroup = arith::AndIOp::create(b, tile, wide(groupSize - 1));
  Value first = arith::SubIOp::create(b, block, inGroup);
  Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, tile,
                                        wide(groupSize));
  SmallVector<Taken> list = {look(prefixes, both(isFirst, isLater),
                                  arith::SubIOp::create(b, first, wide(1)))};
  for (int64_t i = 0; i < each; ++i) {
    Value number = arith::AddIOp::create(
        b, arith::MulIOp::create(b, toI64(threadR), wide(each)), wide(i));
    Value exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, inGroup);
    list.push_back(look(sums, exists, arith::AddIOp::create(b, first, number)));
  }
  Values before;
  for (const Taken &taken : list)
    before = combineScans(op, before, take(taken));
  before = scanGroups(op, scanWarp(op, before).second).second;
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inGroup,
                                       wide(groupSize - 1));
  (void)emitIf(both(isFirst, isLast), [&]() {
    return publish(prefixes, combineScans(op, before, total));
  });
  return before;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

LogicalResult GPUKernelEmitter::emitScan(Operation *op) {
  bool lanesAlong = vectorIsReduced && width > 1;
  unsigned items = static_cast<unsigned>(rItems.size());
  // Up to and including each lane of each item of the thread.
  SmallVector<SmallVector<Values>> running(items);
  Values run;
  SmallVector<Values> before(items);
  for (unsigned ir = 0; ir < items; ++ir) {
    Values all = getScanned(op, ir);
    // A thread alone goes on from its last item; others meet first.
    Values last = lanesR == 1 ? run : Values();
    if (!lanesAlong) {
      running[ir].push_back(combineScans(op, last, all));
    } else {
      for (int64_t lane = 0; lane < width; ++lane) {
        Values one;
        for (Value v : all)
          one.push_back(extract(v, lane));
        last = combineScans(op, last, one);
        running[ir].push_back(last);
      }
    }
    if (lanesR == 1) {
      run = running[ir].back();
      continue;
    }
    auto [inWarp, total] = scanWarp(op, running[ir].back());
    before[ir] = combineScans(op, run, inWarp);
    run = combineScans(op, run, total);
  }
  auto [inBlock, total] = scanGroups(op, run);
  Values start;
  if (splitR)
    start = lookBack(op, total);
  else if (auto it = carries.find(op); it != carries.end())
    start = it->second;
  if (auto it = carries.find(op); it != carries.end())
    it->second = combineScans(op, it->second, total);
  start = combineScans(op, start, inBlock);

  unsigned parts = op->getNumResults();
  SmallVector<Copies> copies;
  for (Value v : op->getResults()) {
    copies.push_back(makeCopies(v));
    // Every thread has its own part, whatever else the value varies over.
    copies.back().numR = items;
  }
  for (unsigned ir = 0; ir < items; ++ir) {
    Values base = combineScans(op, start, before[ir]);
    SmallVector<Values> lanes;
    for (const Values &lane : running[ir])
      lanes.push_back(combineScans(op, base, lane));
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
    llvm::append_range(carried, startScan(op));
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
      first -= op->getNumResults();
      carries[op] =
          Values(ArrayRef<Value>(carried).slice(first, op->getNumResults()));
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
