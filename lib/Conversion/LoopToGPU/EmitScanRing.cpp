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
using sym::ExprAttr;

/// The counter of tiles comes first in the scratch memory.
static constexpr int64_t kCounterBytes = 16;
/// Where a stage begins, as a multiple.
static constexpr int64_t kStageAlignment = 128;

LogicalResult GPUKernelEmitter::prepareRing() {
  int64_t tile = threadsR * itemsR;
  std::string why;
  std::optional<ScanRing> match = ScanRing::match(
      kernel, layout, form, vectorDim, width, tile, capability, why);
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
  ring->rest = arith::SubIOp::create(b, extent, first);
}

Value GPUKernelEmitter::takeTicket() {
  return LLVM::AtomicRMWOp::create(
      b, LLVM::AtomicBinOp::add, scratch, constantI32(1),
      LLVM::AtomicOrdering::monotonic, kDeviceScope);
}

void GPUKernelEmitter::startCopy(Value step, Value number) {
  enterTile(number, step);
  Type i64 = b.getI64Type(), word = b.getI32Type();
  LLVM::StoreOp::create(b, number,
                        sharedPointer(ring->tickets, word, ring->stage), 4);
  // Bytes of the tile in whole chunks; threads load what is left.
  Value bytes = constantI32(ring->elements * ring->bytes);
  if (!ring->exact) {
    Value n = arith::MinSIOp::create(b, ring->rest, constant(ring->elements));
    if (indexBits != 32)
      n = arith::TruncIOp::create(b, word, n);
    bytes = arith::AndIOp::create(
        b, arith::MulIOp::create(b, n, constantI32(ring->bytes)),
        constantI32(-kCopyBytes));
  }
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
    Value point =
        arith::MulIOp::create(b, tileNumber, constant(threadsR * itemsR));
    rItems = {getItem(point, reducedDims, totalR, /*mayBeOutside=*/false,
                      /*partial=*/false)};
    LoadOp load = ring->form.load;
    Type element = getMemoryType(load.getType());
    Value from =
        elementPointer(cast<BlockArgument>(load.getSource()).getArgNumber(),
                       element, form.getAddress(load).base, 0, 0, {}, 0);
    Value to = sharedPointer(
        ring->data, element,
        arith::MulIOp::create(b, ring->stage, constantI32(ring->elements)));
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

bool GPUKernelEmitter::takeFromRing(LoadOp load, const LaneAddress &address) {
  if (!ring || load != ring->form.load)
    return false;
  Type element = load.getType();
  Type type = VectorType::get(width, getMemoryType(element));
  int64_t bytes = width * ring->bytes;
  Value first =
      arith::MulIOp::create(b, ring->stage, constantI32(ring->elements));
  Copies copies = makeCopies(load.getResult());
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Value begin = arith::MulIOp::create(b, getScanPoint(ir), constant(width));
    auto take = [&]() {
      Value at = begin;
      if (indexBits != 32)
        at = arith::TruncIOp::create(b, b.getI32Type(), at);
      Value v = LLVM::LoadOp::create(
          b, type,
          sharedPointer(ring->data, getMemoryType(element),
                        arith::AddIOp::create(b, first, at)),
          static_cast<unsigned>(std::min<int64_t>(bytes, kCopyBytes)));
      return fromMemory(v, element);
    };
    if (!ring->masked) {
      copies.values.push_back(take());
      return;
    }
    // The last elements of a row are no whole chunk, and were not copied.
    int64_t chunk = std::max<int64_t>(1, kCopyBytes / ring->bytes);
    Value copied = arith::AndIOp::create(b, ring->rest, constant(-chunk));
    Value end = arith::AddIOp::create(b, begin, constant(width));
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, copied);
    Condition c = getCondition(copies.overP, copies.overR, ip, ir,
                               /*hasLanes=*/true);
    copies.values.push_back(
        choose(isThere, VectorType::get(width, element), take,
               [&]() { return emitLoadVector(load, address, c, ip, ir); }));
  });
  values[load.getResult()] = std::move(copies);
  return true;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

FailureOr<GPUKernelEmitter::Values>
GPUKernelEmitter::emitTileCode(TypeRange types,
                               llvm::function_ref<FailureOr<Values>()> code) {
  Value base =
      arith::MulIOp::create(b, tileNumber, constant(threadsR * itemsR));
  auto emit = [&](bool masked) {
    ring->masked = masked;
    values.clear();
    makeScanItems(base, /*mayBeOutside=*/masked,
                  /*partial=*/masked && !form.isExact());
    return code();
  };
  if (ring->exact)
    return emit(false);
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                        ring->rest, constant(ring->elements));
  auto choice = scf::IfOp::create(b, types, isWhole, /*withElseRegion=*/true);
  for (bool masked : {false, true}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(masked ? choice.elseBlock()
                                      : choice.thenBlock());
    FailureOr<Values> results = emit(masked);
    if (failed(results))
      return failure();
    if (!types.empty())
      scf::YieldOp::create(b, *results);
  }
  return Values(choice.getResults().begin(), choice.getResults().end());
}

FailureOr<GPUKernelEmitter::RingTile> GPUKernelEmitter::sumTile(Value number,
                                                                Value step) {
  Operation *scan = ring->form.scan;
  enterTile(number, step);
  SmallVector<Type> types(static_cast<size_t>(itemsR), getScanType(scan));
  FailureOr<Values> items = emitTileCode(types, [&]() -> FailureOr<Values> {
    for (Operation *op : order)
      if (ring->needed.contains(op) && failed(emitOp(op)))
        return failure();
    Values sums;
    for (unsigned ir = 0; ir < rItems.size(); ++ir)
      sums.push_back(scanLanes(scan, ir, Values()).back()[0]);
    return sums;
  });
  if (failed(items))
    return failure();
  b.setLoc(scan->getLoc());
  RingTile tile;
  tile.number = number;
  Values run;
  for (Value sum : *items) {
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

LogicalResult GPUKernelEmitter::finishTile(const RingTile &tile, Value step,
                                           Value start) {
  Operation *scan = ring->form.scan;
  ring->start = combineScans(scan, {start}, {tile.inBlock})[0];
  ring->before = tile.before;
  return emitTileCode({}, [&]() -> FailureOr<Values> {
    for (Operation *op : order)
      if (failed(emitOp(op)))
        return failure();
    return Values();
  });
}

void GPUKernelEmitter::finishRingScan() {
  Operation *scan = ring->form.scan;
  SmallVector<Values> before;
  SmallVector<SmallVector<Values>> running;
  for (unsigned ir = 0; ir < rItems.size(); ++ir) {
    before.push_back({ring->before[ir]});
    running.push_back(scanLanes(scan, ir, Values()));
  }
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
  Value first = awaitTile(constantI32(0));
  Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, first,
                                       ring->numTiles);
  return emitIf(exists, [&]() { return emitRingLoop(first); });
}

LogicalResult GPUKernelEmitter::emitRingLoop(Value first) {
  Operation *scan = ring->form.scan;
  Value none = constantI32(0);
  FailureOr<RingTile> tile = sumTile(first, none);
  if (failed(tile))
    return failure();
  auto pack = [](const RingTile &tile) {
    Values all = {tile.number, tile.inBlock, tile.total};
    llvm::append_range(all, tile.before);
    return all;
  };
  Values carried = pack(*tile);
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
  Value step = arguments.back();

  // The sum of the next tile first: others wait for it.
  Value nextStep = arith::AddIOp::create(b, step, constantI32(1));
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

  enterTile(now.number, step);
  Value before = lookBack(scan, ring->records, {now.total},
                          widenToI64(now.number), widenToI64(tileNumber))[0];
  // The number of the tile that the stage is for next arrives meanwhile.
  Value isLeader = isFirstOfRow();
  Value ticket = choose(
      isLeader, b.getI32Type(), [&]() { return takeTicket(); },
      [&]() { return none; });
  if (failed(finishTile(now, step, before)))
    return failure();
  b.setLoc(scan->getLoc());
  barrier();
  (void)emitIf(isLeader, [&]() {
    startCopy(arith::AddIOp::create(b, step, constantI32(ring->stages)),
              ticket);
    return success();
  });
  Values results(choice.getResults().begin(), choice.getResults().end());
  results.push_back(nextStep);
  scf::ConditionOp::create(b, hasNext, results);
  return success();
}
