//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure of a contraction's kernel: the block's tile, the pipeline over the
// summed dimension, and what follows the sum.
//
//===----------------------------------------------------------------------===//

#include "MmaEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

static constexpr auto kNoWrap =
    arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;

static VectorForm getVectors(KernelOp kernel, const GPUKernelLayout &layout,
                             const FactorForm &factor) {
  return VectorForm(kernel, layout, factor.vectorDim, factor.width);
}

static int64_t log2(int64_t x) {
  return llvm::Log2_64(static_cast<uint64_t>(x));
}

MmaEmitter::MmaEmitter(GPUKernelEmitter &emitter, ContractionForm found)
    : e(emitter), b(emitter.b), bits(emitter.b), form(std::move(found)),
      mma(emitter.schedule.getMma()), kernel(emitter.kernel),
      a(form.a, /*isA=*/true, getVectors(kernel, e.layout, form.a)),
      bFactor(form.b, /*isA=*/false, getVectors(kernel, e.layout, form.b)),
      numThreads(emitter.threadsP), totalK(getNumPoints(kernel, form.k)),
      sumType(form.reduce.getType()),
      sumBytes(sumType.getIntOrFloatBitWidth() / 8) {
  auto tiles = [&](const FactorForm &factor, int64_t tile) {
    return sym::ceilDiv(getNumPoints(kernel, factor.dims),
                        sym::constant(kernel.getContext(), tile));
  };
  tilesM = tiles(form.a, mma.getM());
  tilesN = tiles(form.b, mma.getN());
  prepareFactor(a);
  prepareFactor(bFactor);
  sharedBytes = std::max(mma.getStages() * stageBytes,
                         mma.getWarpsK() * mma.getM() * getPitch() * sumBytes);
}

ExprAttr MmaEmitter::getNumBlocks() const {
  return sym::mul(getNumPoints(kernel, form.batch), sym::mul(tilesM, tilesN));
}

Value MmaEmitter::minIndex(Value x, Value y) {
  return arith::MinUIOp::create(b, x, y);
}

Value MmaEmitter::addIndex(Value x, Value y) {
  return arith::AddIOp::create(b, x, y, kNoWrap);
}

Value MmaEmitter::mulIndex(Value x, int64_t y) {
  return arith::MulIOp::create(b, x, e.constant(y), kNoWrap);
}

Value MmaEmitter::sharedAt(Value bytes, int64_t constant) {
  Type byte = b.getI8Type();
  Value pointer = e.sharedPointer(0, byte, bytes);
  return e.advance(pointer, byte, constant);
}

//===----------------------------------------------------------------------===//
// The block's tile
//===----------------------------------------------------------------------===//

void MmaEmitter::decodeBlock() {
  Value number = arith::IndexCastUIOp::create(
      b, e.indexType, gpu::BlockIdOp::create(b, gpu::Dimension::x));
  // Where something may be empty there are no blocks, but nothing may trap.
  auto divisor = [&](ExprAttr expr) -> Value {
    Value n = e.symbolExpr(expr);
    if (e.form.getContext().bounds(expr).lo < 1)
      n = arith::MaxSIOp::create(b, n, e.constant(1));
    return n;
  };
  blockPositions.resize(kernel.getNumDims());
  if (!form.batch.empty()) {
    Value perBatch = divisor(sym::mul(tilesM, tilesN));
    Value batch = arith::DivUIOp::create(b, number, perBatch);
    number = arith::RemUIOp::create(b, number, perBatch);
    Item item = e.getItem(batch, form.batch, getNumPoints(kernel, form.batch),
                          /*mayBeOutside=*/false, /*partial=*/false);
    blockPositions = item.positions;
  }
  if (tilesM.isConstant(1) || tilesN.isConstant(1)) {
    bool isColumn = tilesN.isConstant(1);
    tileM = isColumn ? number : e.constant(0);
    tileN = isColumn ? e.constant(0) : number;
    return;
  }
  if (mma.getGroup() == 1) {
    Value n = divisor(tilesN);
    tileM = arith::DivUIOp::create(b, number, n);
    tileN = arith::RemUIOp::create(b, number, n);
    return;
  }
  // Groups of rows of tiles, within which columns come first.
  ExprAttr group = sym::constant(kernel.getContext(), mma.getGroup());
  Value perGroup = divisor(sym::mul(tilesN, group));
  Value first =
      mulIndex(arith::DivUIOp::create(b, number, perGroup), mma.getGroup());
  Value in = arith::RemUIOp::create(b, number, perGroup);
  Value height = e.constant(mma.getGroup());
  if (!isDivisible(tilesM, mma.getGroup())) {
    Value left = arith::SubIOp::create(b, e.symbolExpr(tilesM), first);
    height = arith::MaxSIOp::create(b, minIndex(left, height), e.constant(1));
  }
  tileM = addIndex(first, arith::RemUIOp::create(b, in, height));
  tileN = arith::DivUIOp::create(b, in, height);
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// The slot after `slot`, around.
Value MmaEmitter::nextSlot(Value slot) {
  Value next = arith::AddIOp::create(b, slot, bits.constant(stageBytes));
  Value isLast =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                            bits.constant(stageBytes * mma.getStages()));
  return arith::SelectOp::create(b, isLast, bits.constant(0), next);
}

LogicalResult MmaEmitter::emitStages(Values &sums) {
  int64_t stages = mma.getStages(), steps = getNumSteps();
  bool isPipelined = mma.getInstruction() != MmaInstruction::Fma && !isWgmma();
  SmallVector<Factor *> copied, loaded;
  for (Factor *f : {&a, &bFactor})
    (f->form->async ? copied : loaded).push_back(f);
  auto less = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
  };
  // Copies of one tile are a group; groups are counted, so one of zeros takes
  // the place of a tile that does not exist.
  auto copyTiles = [&](Value tile, Value slot, Value exists, int64_t part,
                       int64_t parts) -> LogicalResult {
    for (Factor *f : copied)
      if (failed(copyTile(*f, tile, slot, exists, part, parts)))
        return failure();
    if (part + 1 == parts && !copied.empty())
      NVVM::CpAsyncCommitGroupOp::create(b);
    return success();
  };
  auto wait = [&]() {
    if (!copied.empty())
      NVVM::CpAsyncWaitGroupOp::create(b, static_cast<uint32_t>(stages - 2));
    // What threads wrote is for the matrix unit to read.
    if (isWgmma())
      NVVM::FenceProxyOp::create(
          b, NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(b.getContext(),
                                     NVVM::SharedSpace::shared_cta));
    e.barrier();
  };

  int64_t leastTiles =
      e.form.getContext()
          .bounds(sym::ceilDiv(totalK,
                               sym::constant(kernel.getContext(), mma.getK())))
          .lo;
  for (int64_t s = 0; s + 1 < stages; ++s) {
    Value tile = e.constant(s), exists;
    if (s >= leastTiles)
      exists = less(tile, numTilesK);
    if (failed(copyTiles(tile, bits.constant(s * stageBytes), exists, 0, 1)))
      return failure();
  }
  for (Factor *f : loaded) {
    Copies copies;
    if (failed(loadTile(*f, e.constant(0), copies)))
      return failure();
    storeTile(*f, copies, bits.constant(0));
  }
  size_t numSums = sums.size(), numA = 0;
  Values carried = sums;
  if (isPipelined) {
    wait();
    Fragments first = loadFragments(0, bits.constant(0));
    numA = first.a.size();
    llvm::append_range(carried, first.a);
    llvm::append_range(carried, first.b);
  }
  carried.push_back(bits.constant(0));

  auto loop =
      scf::ForOp::create(b, e.constant(0), numTilesK, e.constant(1), carried);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value tile = loop.getInductionVar();
    carried.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    Value slot = carried.pop_back_val();
    Values now(carried.begin(),
               carried.begin() + static_cast<ptrdiff_t>(numSums));
    Fragments fragments;
    if (isPipelined) {
      auto *begin = carried.begin() + static_cast<ptrdiff_t>(numSums);
      fragments.a.assign(begin, begin + static_cast<ptrdiff_t>(numA));
      fragments.b.assign(begin + static_cast<ptrdiff_t>(numA), carried.end());
    } else {
      wait();
    }
    // The slot before this one has been read by all.
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, slot,
                                          bits.constant(0));
    Value before = arith::SelectOp::create(
        b, isFirst, bits.constant((stages - 1) * stageBytes),
        arith::SubIOp::create(b, slot, bits.constant(stageBytes)));
    Value after = nextSlot(slot);
    Value ahead = addIndex(tile, e.constant(stages - 1));
    Value exists = less(ahead, numTilesK);
    if (!isPipelined && failed(copyTiles(ahead, before, exists, 0, 1)))
      return failure();
    Value next = addIndex(tile, e.constant(1));
    Value hasNext = less(next, numTilesK);
    SmallVector<Copies> copies(loaded.size());
    if (!loaded.empty())
      next = arith::SelectOp::create(b, hasNext, next, tile);
    for (auto [f, c] : llvm::zip_equal(loaded, copies))
      if (failed(loadTile(*f, next, c)))
        return failure();
    auto storeTiles = [&]() {
      for (auto [f, c] : llvm::zip_equal(loaded, copies))
        storeTile(*f, c, after);
    };
    b.setLoc(form.reduce.getLoc());
    if (isPipelined) {
      for (int64_t step = 0; step < steps; ++step) {
        // Copies are spread over the steps: they take turns with the reads.
        if (failed(copyTiles(ahead, before, exists, step, steps)))
          return failure();
        Fragments following;
        if (step + 1 < steps) {
          following = loadFragments(step + 1, slot);
        } else {
          storeTiles();
          wait();
          // There is nothing behind the last tile.
          following = loadFragments(
              0, arith::SelectOp::create(b, hasNext, after, slot));
        }
        multiply(fragments, now);
        fragments = std::move(following);
      }
      llvm::append_range(now, fragments.a);
      llvm::append_range(now, fragments.b);
    } else if (isWgmma()) {
      multiplyTile(slot, now);
      storeTiles();
    } else {
      auto inner = scf::ForOp::create(b, bits.constant(0), bits.constant(steps),
                                      bits.constant(1), now);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(inner.getBody());
        now.assign(inner.getRegionIterArgs().begin(),
                   inner.getRegionIterArgs().end());
        multiply(loadFragments(inner.getInductionVar(), slot), now);
        scf::YieldOp::create(b, now);
      }
      now.assign(inner.getResults().begin(), inner.getResults().end());
      storeTiles();
    }
    now.push_back(after);
    scf::YieldOp::create(b, now);
  }
  for (size_t i = 0; i < numSums; ++i)
    sums[i] = loop.getResult(static_cast<unsigned>(i));
  // Slots become sums: nobody may still read or copy.
  if (!copied.empty())
    NVVM::CpAsyncWaitGroupOp::create(b, 0u);
  e.barrier();
  return success();
}

LogicalResult MmaEmitter::emitMainLoop(Values &sums) {
  sums = getZeroSums();
  if (e.form.getContext().bounds(totalK).lo >= 1)
    return emitStages(sums);
  SmallVector<Type> types(sums.size(), sums.front().getType());
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, numTilesK,
                                    e.constant(0));
  auto choice = scf::IfOp::create(b, types, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, sums);
  b.setInsertionPointToStart(choice.thenBlock());
  if (failed(emitStages(sums)))
    return failure();
  scf::YieldOp::create(b, sums);
  sums.assign(choice.getResults().begin(), choice.getResults().end());
  return success();
}

//===----------------------------------------------------------------------===//
// What follows the sum
//===----------------------------------------------------------------------===//

MmaEmitter::Item MmaEmitter::getResultItem(Value row, Value column) {
  int64_t width = form.width;
  Value pointM = addIndex(mulIndex(tileM, mma.getM()), e.toIndex(row));
  Value pointN =
      addIndex(mulIndex(tileN, mma.getN() / width), e.toIndex(column));
  ExprAttr totalM = getNumPoints(kernel, form.a.dims);
  ExprAttr totalN = sym::constant(kernel.getContext(), 1);
  for (unsigned d : form.b.dims)
    totalN = sym::mul(totalN, e.form.getContext().getDimExtents()[d]);
  Item itemM = e.getItem(pointM, form.a.dims, totalM,
                         !isDivisible(totalM, mma.getM()), /*partial=*/false);
  Item item =
      e.getItem(pointN, form.b.dims, totalN,
                !isDivisible(getNumPoints(kernel, form.b.dims), mma.getN()),
                /*partial=*/false);
  item.active = e.both(item.active, itemM.active);
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    Value &position = item.positions[d];
    if (!position)
      position = itemM.positions[d] ? itemM.positions[d] : blockPositions[d];
    if (!position)
      position = e.constant(0);
  }
  if (width > 1 && !e.form.isExact())
    e.cutLanes(item);
  return item;
}

LogicalResult MmaEmitter::emitEpilogue(ArrayRef<Value> sums) {
  b.setLoc(form.reduce.getLoc());
  storeSums(sums);
  e.barrier();
  int64_t width = form.width, perRow = mma.getN() / width;
  int64_t threadsN = std::min(perRow, numThreads);
  int64_t threadsM = numThreads / threadsN, columns = perRow / threadsN;
  Value threadN = bits.low(threadId, threadsN);
  Value threadM = bits.shr(threadId, log2(threadsN));
  Value active;
  if (threadsM > mma.getM()) {
    active = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, threadM,
                                   bits.constant(mma.getM()));
    threadsM = mma.getM();
  }
  int64_t items = std::min(e.itemsP, mma.getM() / threadsM);
  int64_t passes = mma.getM() / threadsM / items;

  auto emitPass = [&](Value pass) -> LogicalResult {
    e.values.clear();
    e.pItems.clear();
    e.rItems.clear();
    Copies copies;
    copies.overP = true;
    Type type = sumType;
    if (width > 1)
      type = VectorType::get(width, sumType);
    auto alignment =
        static_cast<unsigned>(std::min(width * sumBytes, kChunkBytes));
    Value row = threadM;
    if (pass)
      row = arith::AddIOp::create(
          b, row,
          arith::MulIOp::create(b, pass, bits.constant(items * threadsM)));
    for (int64_t i = 0; i < items; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Value itemRow = row, column = threadN;
        if (i > 0)
          itemRow = arith::AddIOp::create(b, row, bits.constant(i * threadsM));
        if (j > 0)
          column =
              arith::AddIOp::create(b, threadN, bits.constant(j * threadsN));
        Value at = arith::AddIOp::create(
            b, arith::MulIOp::create(b, itemRow, bits.constant(getPitch())),
            bits.shl(column, log2(width)));
        at = bits.shl(at, log2(sumBytes));
        Value sum;
        for (int64_t k = 0; k < mma.getWarpsK(); ++k) {
          Value part = LLVM::LoadOp::create(
              b, type, sharedAt(at, k * mma.getM() * getPitch() * sumBytes),
              alignment);
          if (!sum)
            sum = part;
          else if (isa<FloatType>(sumType))
            sum = arith::AddFOp::create(b, sum, part);
          else
            sum = arith::AddIOp::create(b, sum, part);
        }
        copies.values.push_back(sum);
        e.pItems.push_back(getResultItem(itemRow, column));
      }
    e.values[form.reduce.getResult()] = std::move(copies);
    for (Operation &op : *kernel.getBlock())
      if (!isa<ReduceOp>(op) && !e.variesOverReduced(&op) &&
          failed(e.emitOp(&op)))
        return failure();
    return success();
  };
  return e.emitIf(active, [&]() -> LogicalResult {
    if (passes == 1)
      return emitPass({});
    auto loop = scf::ForOp::create(b, bits.constant(0), bits.constant(passes),
                                   bits.constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    return emitPass(loop.getInductionVar());
  });
}

LogicalResult MmaEmitter::emit() {
  b.setLoc(form.reduce.getLoc());
  threadId = e.emitThreadId();
  decodeBlock();
  numTilesK = e.symbolExpr(
      sym::ceilDiv(totalK, sym::constant(kernel.getContext(), mma.getK())));
  prepareItems(a);
  prepareItems(bFactor);
  prepareFragments();
  Values sums;
  if (failed(emitMainLoop(sums)))
    return failure();
  splitSums(sums);
  return emitEpilogue(sums);
}
