//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scans whose blocks stay. A block takes the numbers of its tiles from a
// counter, so that it waits only for tiles which some block already has. One
// thread starts the copies that bring tiles to a ring of stages in shared
// memory. At each step the block sums its next tile and publishes that, and
// only then looks for what comes before the tile it has: who waits for a sum
// waits for one that was made a step earlier. A tile is read from shared memory
// twice, for its sum and for its results; what computes its elements runs
// twice.
//
// Code of a tile is long, so there is little of it: one copy for sums, as the
// first step only sums and the last one only finishes, and for results one for
// whole tiles and one for others.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"
#include "ScanRing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// The counter of tiles comes first in the scratch memory.
static constexpr int64_t kCounterBytes = 16;
/// Where a stage begins, as a multiple.
static constexpr int64_t kStageAlignment = 128;

LogicalResult GPUKernelEmitter::prepareRing() {
  int64_t tile = threadsR * itemsR;
  std::string why;
  std::optional<ScanRing> match =
      ScanRing::match(kernel, layout, form, vectorDim, width, tile, facts, why);
  if (!match) // (C12)
    return kernel.emitOpError("has a schedule with 'stages', but ") << why;
  ring.emplace();
  ring->form = *match;
  ring->stages = schedule.getStages();
  ring->elements = tile * width;
  ring->bytes = getStoredBytes(match->load.getType());
  ring->exact = form.isExact() && isDivisible(totalR, tile);
  SmallVector<Operation *> stack = {match->scan};
  while (!stack.empty())
    for (Value v : stack.pop_back_val()->getOperands())
      if (Operation *def = v.getDefiningOp();
          def && ring->needed.insert(def).second)
        stack.push_back(def);
  numBlocks = sym::min(
      match->tiles, sym::constant(kernel.getContext(), schedule.getBlocks()));
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

Value GPUKernelEmitter::getStage(Value step) {
  return arith::RemUIOp::create(b, step, constantI32(ring->stages));
}

void GPUKernelEmitter::enterTile(Value number, Value step) {
  ring->stage = getStage(step);
  Value tile = toIndex(number), row = constant(0);
  tileNumber = tile;
  if (!totalP.isConstant(1)) {
    Value tilesOfRow = symbolExpr(ring->form.tilesOfRow);
    tileNumber = arith::RemUIOp::create(b, tile, tilesOfRow);
    row = arith::DivUIOp::create(b, tile, tilesOfRow);
  }
  pItems = {getItem(row, parallelDims, totalP, /*mayBeOutside=*/false,
                    /*partial=*/false)};
  rItems.clear();
  values.clear();
  if (ring->exact)
    return;
  Value extent = symbolExpr(kernel.getExtent(static_cast<unsigned>(vectorDim)));
  Value first = arith::MulIOp::create(b, tileNumber, constant(ring->elements));
  Value rest = arith::SubIOp::create(b, extent, first);
  ring->size = arith::MinSIOp::create(b, rest, constant(ring->elements));
  if (indexBits != 32)
    ring->size = arith::TruncIOp::create(b, b.getI32Type(), ring->size);
}

Value GPUKernelEmitter::takeTicket() {
  return LLVM::AtomicRMWOp::create(
      b, LLVM::AtomicBinOp::add, scratch, constantI32(1),
      LLVM::AtomicOrdering::monotonic, getDeviceScope());
}

Value GPUKernelEmitter::getTilePointer() {
  Value point =
      arith::MulIOp::create(b, tileNumber, constant(threadsR * itemsR));
  rItems = {getItem(point, reducedDims, totalR, /*mayBeOutside=*/false,
                    /*partial=*/false)};
  LoadOp load = ring->form.load;
  return elementPointer(cast<BlockArgument>(load.getSource()).getArgNumber(),
                        getMemoryType(load.getType()),
                        form.getAddress(load).base, 0, 0, {}, 0);
}

Value GPUKernelEmitter::getStagePointer(Value element) {
  Value first =
      arith::MulIOp::create(b, ring->stage, constantI32(ring->elements));
  return sharedPointer(ring->data, getMemoryType(ring->form.load.getType()),
                       arith::AddIOp::create(b, first, element));
}

void GPUKernelEmitter::startCopy(Value step, Value number) {
  enterTile(number, step);
  Type i64 = b.getI64Type(), word = b.getI32Type();
  LLVM::StoreOp::create(b, number,
                        sharedPointer(ring->tickets, word, ring->stage), 4);
  // Bytes of the tile in whole chunks; threads bring what is left.
  Value bytes = constantI32(ring->elements * ring->bytes);
  if (!ring->exact)
    bytes = arith::AndIOp::create(
        b, arith::MulIOp::create(b, ring->size, constantI32(ring->bytes)),
        constantI32(-kCopyBytes));
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number,
                                       ring->numTiles);
  bytes = arith::SelectOp::create(b, exists, bytes, constantI32(0));
  // The stage was read before by other means than that which writes it now.
  NVVM::FenceProxyOp::create(
      b,
      NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  Value barrier = sharedPointer(ring->barriers, i64, ring->stage);
  NVVM::MBarrierArriveExpectTxOp::create(b, Type(), barrier, bytes,
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
  Value isCopy =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bytes, constantI32(0));
  (void)emitIf(isCopy, [&]() {
    Value from = getTilePointer(), to = getStagePointer(constantI32(0));
    // Without a cluster its shared memory is the block's; that a copy goes to a
    // block's own is newer.
    to = LLVM::AddrSpaceCastOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext(), 7), to);
    NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
        b, to, from, barrier, bytes, /*multicastMask=*/Value(),
        /*l2CacheHint=*/Value());
    return success();
  });
}

Value GPUKernelEmitter::awaitTile(Value step) {
  Value stage = getStage(step);
  Value round = arith::DivUIOp::create(b, step, constantI32(ring->stages));
  Value parity = arith::AndIOp::create(b, round, constantI32(1));
  Value barrier = sharedPointer(ring->barriers, b.getI64Type(), stage);
  auto loop = scf::WhileOp::create(b, TypeRange(), ValueRange());
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    Value isThere = NVVM::MBarrierTryWaitOp::create(
        b, b.getI1Type(), barrier, parity, /*ticks=*/Value(),
        NVVM::MemScopeKind::CTA, /*relaxed=*/false);
    scf::ConditionOp::create(b, arith::XOrIOp::create(b, isThere, trueValue()),
                             ValueRange());
    b.createBlock(&loop.getAfter());
    scf::YieldOp::create(b);
  }
  return LLVM::LoadOp::create(
      b, b.getI32Type(), sharedPointer(ring->tickets, b.getI32Type(), stage),
      4);
}

void GPUKernelEmitter::bringRest() {
  if (ring->exact)
    return;
  Value isCut = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ring->size,
                                      constantI32(ring->elements));
  (void)emitIf(isCut, [&]() {
    LoadOp load = ring->form.load;
    Type element = getMemoryType(load.getType());
    auto bytes = static_cast<unsigned>(ring->bytes);
    int64_t chunk = std::max<int64_t>(1, kCopyBytes / ring->bytes);
    auto nuw = arith::IntegerOverflowFlags::nuw;
    Value size = ring->size;
    if (!isDivisible(kernel.getExtent(static_cast<unsigned>(vectorDim)),
                     chunk)) {
      Value left = arith::AndIOp::create(b, size, constantI32(chunk - 1));
      Value copied = arith::SubIOp::create(b, size, left);
      size = arith::AndIOp::create(
          b, arith::AddIOp::create(b, size, constantI32(chunk - 1), nuw),
          constantI32(-chunk));
      for (int64_t done = 0; done < chunk; done += threadsR) {
        Value mine = arith::AddIOp::create(b, threadR, constantI32(done), nuw);
        Value at = arith::AddIOp::create(b, copied, mine, nuw);
        Value isMine =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, size);
        Value isThere =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ult, mine, left);
        Value v = select(isThere, zero(element), [&]() -> Value {
          Value tile = getTilePointer();
          Value from = LLVM::GEPOp::create(
              b, tile.getType(), element, tile, ArrayRef<LLVM::GEPArg>{at},
              LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw);
          return loadElements(
              from, element, bytes,
              cast<BlockArgument>(load.getSource()).getArgNumber());
        });
        (void)emitIf(isMine, [&]() {
          LLVM::StoreOp::create(b, v, getStagePointer(at), bytes);
          return success();
        });
      }
    }
    // Whole chunks of zeros, all threads next to each other.
    Value begin = arith::AddIOp::create(
        b, size, arith::MulIOp::create(b, threadR, constantI32(chunk), nuw),
        nuw);
    auto loop = scf::ForOp::create(b, begin, constantI32(ring->elements),
                                   constantI32(threadsR * chunk), ValueRange());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      LLVM::StoreOp::create(b, zero(VectorType::get(chunk, element)),
                            getStagePointer(loop.getInductionVar()),
                            kCopyBytes);
    }
    // All threads have the same tile.
    barrier();
    return success();
  });
}

Value GPUKernelEmitter::getFirstOfTile() {
  Value first = arith::MulIOp::create(b, getScanPoint(0), constant(width));
  return indexBits == 32 ? first
                         : arith::TruncIOp::create(b, b.getI32Type(), first);
}

bool GPUKernelEmitter::takeFromRing(LoadOp load) {
  if (!ring || load != ring->form.load)
    return false;
  Type element = load.getType();
  Type type = VectorType::get(width, getMemoryType(element));
  int64_t bytes = width * ring->bytes;
  Copies copies = makeCopies(load.getResult());
  Value first = getStagePointer(getFirstOfTile());
  forEachCopy(copies.overP, copies.overR, [&](unsigned, unsigned ir) {
    Value pointer = advance(first, getMemoryType(element), ir * lanesR * width);
    Value v = LLVM::LoadOp::create(
        b, type, pointer,
        static_cast<unsigned>(std::min<int64_t>(bytes, kCopyBytes)));
    copies.values.push_back(fromMemory(v, element));
  });
  values[load.getResult()] = std::move(copies);
  return true;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void GPUKernelEmitter::makeTileItems(bool masked) {
  values.clear();
  Value base =
      arith::MulIOp::create(b, tileNumber, constant(threadsR * itemsR));
  makeScanItems(base, /*mayBeOutside=*/masked,
                /*partial=*/masked && !form.isExact());
}

Value GPUKernelEmitter::sumItem(unsigned ir) {
  Operation *scan = ring->form.scan;
  // Elements from the thread's first one to the end of the row.
  Value room = arith::SubIOp::create(b, ring->size, getFirstOfTile());
  int64_t begin = ir * lanesR * width;
  auto isInside = [&](int64_t lane) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, room,
                                 constantI32(begin + lane));
  };
  if (form.isExact()) {
    Values sum = scanLanes(scan, ir, Values()).back();
    return selectAll(isInside(0), sum, startScan(scan))[0];
  }
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back(isInside(lane));
  rItems[ir].lanes = fromLanes(lanes);
  return scanLanes(scan, ir, Values()).back()[0];
}

FailureOr<GPUKernelEmitter::RingTile> GPUKernelEmitter::sumTile(Value number,
                                                                Value step) {
  Operation *scan = ring->form.scan;
  enterTile(number, step);
  bringRest();
  // What is outside the row becomes neutral when it is combined; until then it
  // is computed as what is inside.
  makeTileItems(/*masked=*/false);
  for (Operation *op : order)
    if (ring->needed.contains(op) && failed(emitOp(op)))
      return failure();
  b.setLoc(scan->getLoc());
  Values sums;
  for (unsigned ir = 0; ir < rItems.size(); ++ir)
    sums.push_back(scanLanes(scan, ir, Values()).back()[0]);
  if (!ring->exact) {
    // Selects would keep whole tiles from loading all items at once.
    Value isCut = arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, ring->size, constantI32(ring->elements));
    auto choice = scf::IfOp::create(b, ValueRange(sums).getTypes(), isCut,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, sums);
    b.setInsertionPointToStart(choice.thenBlock());
    for (unsigned ir = 0; ir < rItems.size(); ++ir)
      sums[ir] = sumItem(ir);
    scf::YieldOp::create(b, sums);
    sums.assign(choice.getResults().begin(), choice.getResults().end());
  }
  RingTile tile;
  tile.number = number;
  Values run;
  for (Value sum : sums) {
    auto [inWarp, total] = scanWarp(scan, {sum});
    tile.before.push_back(combineScans(scan, run, inWarp)[0]);
    run = combineScans(scan, run, total);
  }
  auto [inBlock, total] = scanGroups(scan, run);
  tile.inBlock = inBlock.empty() ? startScan(scan)[0] : inBlock[0];
  tile.total = total[0];
  publishSum(ring->records, total, widenToI64(number));
  return tile;
}

LogicalResult GPUKernelEmitter::finishTile(const RingTile &tile, Value start) {
  Operation *scan = ring->form.scan;
  ring->start = combineScans(scan, {start}, {tile.inBlock})[0];
  ring->before = tile.before;
  auto emit = [&](bool masked) -> LogicalResult {
    makeTileItems(masked);
    for (Operation *op : order)
      if (failed(emitOp(op)))
        return failure();
    return success();
  };
  if (ring->exact)
    return emit(false);
  // Almost all tiles are whole, and store without asking.
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, ring->size,
                                        constantI32(ring->elements));
  auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(emit(false)))
    return failure();
  b.setInsertionPointToStart(choice.elseBlock());
  return emit(true);
}

void GPUKernelEmitter::finishRingScan() {
  Operation *scan = ring->form.scan;
  SmallVector<Values> before;
  SmallVector<SmallVector<Values>> running;
  // What is outside comes behind all that is inside, and need not be neutral.
  SmallVector<Item> items = rItems;
  for (Item &item : rItems)
    item.active = item.lanes = Value();
  for (unsigned ir = 0; ir < rItems.size(); ++ir) {
    before.push_back({ring->before[ir]});
    running.push_back(scanLanes(scan, ir, Values()));
  }
  rItems = std::move(items);
  finishScan(scan, {ring->start}, before, running);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult GPUKernelEmitter::emitRing() {
  Operation *scan = ring->form.scan;
  b.setLoc(scan->getLoc());
  auto reserve = [&](int64_t bytes, int64_t alignment) {
    sharedBytes = static_cast<int64_t>(llvm::alignTo(
        static_cast<uint64_t>(sharedBytes), static_cast<uint64_t>(alignment)));
    int64_t offset = sharedBytes;
    sharedBytes += bytes;
    return offset;
  };
  ring->data =
      reserve(ring->stages * ring->elements * ring->bytes, kStageAlignment);
  ring->barriers = reserve(ring->stages * 8, 8);
  ring->tickets = reserve(ring->stages * 4, 4);
  reserve(0, 16);
  ring->numTiles = scalarExpr(ring->form.tiles, 0, 0, 32);
  ring->records = reserveRecords(startScan(scan), widenToI64(ring->numTiles),
                                 kCounterBytes);
  // The launch has as many blocks as tiles if these are few, and then room for
  // one tile each, next to the counter; else blocks share what there can be.
  int64_t most = kCounterBytes + ring->form.mostTiles * scratchBytes;
  scratchBytes = static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(std::max(
                        kCounterBytes + scratchBytes,
                        llvm::divideCeilSigned(most, schedule.getBlocks()))),
                    16));

  Value isLeader = isFirstOfRow();
  (void)emitIf(isLeader, [&]() {
    for (int64_t i = 0; i < ring->stages; ++i)
      NVVM::MBarrierInitOp::create(
          b, sharedPointer(ring->barriers, b.getI64Type(), constantI32(i)),
          constantI32(1), /*predicate=*/Value());
    NVVM::FenceMbarrierInitOp::create(b);
    for (int64_t i = 0; i < ring->stages; ++i)
      startCopy(constantI32(i), takeTicket());
    return success();
  });
  barrier();
  return emitRingLoop();
}

LogicalResult GPUKernelEmitter::emitRingLoop() {
  Operation *scan = ring->form.scan;
  // At the first step there is no tile to finish yet.
  Value none = constantI32(0), neutral = startScan(scan)[0];
  auto pack = [](const RingTile &tile) {
    Values all = {tile.number, tile.inBlock, tile.total};
    llvm::append_range(all, tile.before);
    return all;
  };
  Values carried = pack(
      {none, Values(static_cast<size_t>(itemsR), neutral), neutral, neutral});
  carried.push_back(none);
  SmallVector<Type> types = llvm::to_vector(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, carried);
  OpBuilder::InsertionGuard guard(b);
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, after->getArguments());
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  ValueRange arguments = body->getArguments();
  RingTile now;
  now.number = arguments[0];
  now.inBlock = arguments[1];
  now.total = arguments[2];
  llvm::append_range(now.before, arguments.drop_front(3).drop_back());

  // The sum of the next tile first: others wait for it.
  Value nextStep = arguments.back();
  Value next = awaitTile(nextStep);
  Value hasNext =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next, ring->numTiles);
  auto choice = scf::IfOp::create(b, TypeRange(types).drop_back(), hasNext,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inChoice(b);
    b.setInsertionPointToStart(choice.thenBlock());
    FailureOr<RingTile> sum = sumTile(next, nextStep);
    if (failed(sum))
      return failure();
    scf::YieldOp::create(b, pack(*sum));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, pack(now));
  }

  Value hasNow =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, nextStep, none);
  auto finish = scf::IfOp::create(b, hasNow, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard inFinish(b);
    b.setInsertionPointToStart(finish.thenBlock());
    if (failed(emitRingStep(
            now, arith::SubIOp::create(b, nextStep, constantI32(1)))))
      return failure();
    // The next sum goes through the same shared memory.
    b.setInsertionPointToStart(finish.elseBlock());
    barrier();
  }
  Values results(choice.getResults().begin(), choice.getResults().end());
  results.push_back(arith::AddIOp::create(b, nextStep, constantI32(1)));
  scf::ConditionOp::create(b, hasNext, results);
  return success();
}

LogicalResult GPUKernelEmitter::emitRingStep(const RingTile &tile, Value step) {
  Operation *scan = ring->form.scan;
  enterTile(tile.number, step);
  Value before = lookBack(scan, ring->records, {tile.total},
                          widenToI64(tile.number), widenToI64(tileNumber))[0];
  // The number of the tile that the stage is for next arrives meanwhile.
  Value isLeader = isFirstOfRow();
  Value ticket = choose(
      isLeader, b.getI32Type(), [&]() { return takeTicket(); },
      [&]() { return constantI32(0); });
  if (failed(finishTile(tile, before)))
    return failure();
  b.setLoc(scan->getLoc());
  barrier();
  return emitIf(isLeader, [&]() {
    startCopy(arith::AddIOp::create(b, step, constantI32(ring->stages)),
              ticket);
    return success();
  });
}
