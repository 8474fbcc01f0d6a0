//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that accumulate columns: a block walks the rows of a chunk. Each row
// is its tile, or so many rows as it has threads along `p`; a thread has the
// same columns of all of them, and keeps what it accumulates there in
// registers. Behind the last row the threads along `p` combine theirs through
// shared memory, in an order that is always the same, and the first ones store
// it.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void GPUKernelEmitter::emitAccumulate(AccumulateOp op) {
  size_t number = static_cast<size_t>(llvm::find(accumulations, op) -
                                      accumulations.begin());
  Type type = accumulated[number * rItems.size()].getType();
  // A thread without a row changes nothing.
  Value inside = pItems.front().active, neutral;
  if (inside) {
    neutral = arith::ConstantOp::create(
        b, getNeutralElement(op.getKind(), op.getValue().getType()));
    if (isa<VectorType>(type))
      neutral = broadcast(neutral);
  }
  for (unsigned ir = 0; ir < rItems.size(); ++ir) {
    Value v = lookup(op.getValue(), 0, ir);
    if (isa<VectorType>(type))
      v = broadcast(v);
    if (inside)
      v = arith::SelectOp::create(b, inside, v, neutral);
    Value &sum = accumulated[number * rItems.size() + ir];
    sum = combine(b, op.getKind(), sum, v);
  }
}

void GPUKernelEmitter::combineRows() {
  if (threadsP == 1)
    return;
  // Each accumulator of a thread has a place, those of threads next to each
  // other beside one another.
  SmallVector<int64_t> offsets;
  auto bytesOf = [&](Value v) {
    Type element = getMemoryType(getElementTypeOrSelf(v.getType()));
    auto vector = dyn_cast<VectorType>(v.getType());
    return static_cast<int64_t>(element.getIntOrFloatBitWidth() / 8) *
           (vector ? vector.getNumElements() : 1);
  };
  for (Value v : accumulated) {
    sharedBytes = static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(sharedBytes), 16));
    offsets.push_back(sharedBytes);
    sharedBytes += threadsP / 2 * threadsR * bytesOf(v);
  }
  auto getPlace = [&](size_t i, Value row) {
    Type type = accumulated[i].getType();
    auto vector = dyn_cast<VectorType>(type);
    Value thread = arith::AddIOp::create(
        b, arith::MulIOp::create(b, row, constantI32(threadsR)), threadR);
    if (vector)
      thread = arith::MulIOp::create(b, thread,
                                     constantI32(vector.getNumElements()));
    return sharedPointer(offsets[i], getMemoryType(getElementTypeOrSelf(type)),
                         thread);
  };
  auto alignment = [&](Value v) {
    return static_cast<unsigned>(std::min<int64_t>(16, bytesOf(v)));
  };
  // The base must not be created inside of a branch.
  (void)getPlace(0, threadR);
  for (int64_t half = threadsP / 2; half >= 1; half /= 2) {
    auto isBelow = [&](int64_t end) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, threadP,
                                   constantI32(end));
    };
    // All have read what stood there before.
    if (half < threadsP / 2)
      barrier();
    Value upper = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, threadP,
                                        constantI32(half));
    if (half < threadsP / 2)
      upper = both(upper, isBelow(2 * half));
    (void)emitIf(upper, [&]() {
      Value row = arith::SubIOp::create(b, threadP, constantI32(half));
      for (auto [i, v] : llvm::enumerate(accumulated))
        LLVM::StoreOp::create(b, toMemory(v), getPlace(i, row), alignment(v));
      return success();
    });
    barrier();
    auto lower = scf::IfOp::create(b, TypeRange(ValueRange(accumulated)),
                                   isBelow(half), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(lower.thenBlock());
    Values combined;
    for (auto [i, v] : llvm::enumerate(accumulated)) {
      Type element = getElementTypeOrSelf(v.getType());
      Type memory = getMemoryType(element);
      if (auto vector = dyn_cast<VectorType>(v.getType()))
        memory = VectorType::get(vector.getShape(), memory);
      Value other = fromMemory(
          LLVM::LoadOp::create(b, memory, getPlace(i, threadP), alignment(v)),
          element);
      AccumulateOp op = accumulations[i / rItems.size()];
      combined.push_back(combine(b, op.getKind(), v, other));
    }
    scf::YieldOp::create(b, combined);
    b.setInsertionPointToStart(lower.elseBlock());
    scf::YieldOp::create(b, accumulated);
    accumulated.assign(lower.getResults().begin(), lower.getResults().end());
  }
}

void GPUKernelEmitter::storeAccumulated(Value first) {
  // Any row of the chunk says where its elements are.
  pItems = {getItem(first, parallelDims, totalP, false, false)};
  Value writes;
  if (threadsP > 1)
    writes = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, threadP,
                                   constantI32(0));
  (void)emitIf(writes, [&]() {
    for (auto [i, v] : llvm::enumerate(accumulated)) {
      AccumulateOp op = accumulations[i / rItems.size()];
      b.setLoc(op.getLoc());
      emitStoreCopy(static_cast<unsigned>(op.getOutput()), v,
                    form.getAddress(op), /*overR=*/true, 0,
                    static_cast<unsigned>(i % rItems.size()));
    }
    return success();
  });
}

LogicalResult GPUKernelEmitter::emitChunk() {
  auto rows = static_cast<int64_t>(accumulations.front().getRows());
  auto flags =
      arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Value first = constant(0);
  if (!numBlocks.isConstant(1)) {
    Value block = arith::IndexCastUIOp::create(
        b, indexType, gpu::BlockIdOp::create(b, gpu::Dimension::x));
    if (descending)
      block =
          arith::SubIOp::create(b, symbolExpr(sym::add(numBlocks, -1)), block);
    first = arith::MulIOp::create(b, block, constant(rows), flags);
  }
  // The last chunk may be shorter.
  Value end = constant(rows);
  if (!isDivisible(totalP, rows))
    end = arith::MinSIOp::create(
        b, end, arith::SubIOp::create(b, symbolExpr(totalP), first));
  makePersistentItems();
  Values starts;
  for (AccumulateOp op : accumulations) {
    b.setLoc(op.getLoc());
    Value neutral = arith::ConstantOp::create(
        b, getNeutralElement(op.getKind(), op.getValue().getType()));
    if (vectorIsReduced && width > 1)
      neutral = broadcast(neutral);
    starts.append(rItems.size(), neutral);
  }
  b.setLoc(kernel.getLoc());
  // Makes the row at `number` of the chunk the thread's.
  auto setRow = [&](Value number) {
    Value row = arith::AddIOp::create(b, first, number, flags);
    if (threadsP > 1)
      row = arith::AddIOp::create(b, row, toIndex(threadP), flags);
    pItems = {getItem(row, parallelDims, totalP, !isDivisible(totalP, threadsP),
                      false)};
  };
  SmallVector<LoadOp> ahead;
  if (prefetch && !keepsLoads)
    ahead = getRowLoads();
  if (!ahead.empty()) {
    setRow(constant(0));
    FailureOr<Values> loaded = loadItems(ahead);
    if (failed(loaded))
      return failure();
    llvm::append_range(starts, *loaded);
  }
  size_t numAccumulated = accumulations.size() * rItems.size();
  b.setLoc(kernel.getLoc());
  auto loop =
      scf::ForOp::create(b, constant(0), end, constant(threadsP), starts);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values arguments(loop.getRegionIterArgs().begin(),
                     loop.getRegionIterArgs().end());
    ArrayRef<Value> own(arguments);
    accumulated.assign(own.begin(), own.begin() + numAccumulated);
    Value number = loop.getInductionVar();
    Values next;
    if (!ahead.empty()) {
      // The last step loads its own row again, which costs no traffic and no
      // branch.
      Value behind =
          arith::AddIOp::create(b, number, constant(threadsP), flags);
      Value exists =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, behind, end);
      setRow(arith::SelectOp::create(b, exists, behind, number));
      FailureOr<Values> loaded = loadItems(ahead);
      if (failed(loaded))
        return failure();
      next = std::move(*loaded);
    }
    b.setLoc(kernel.getLoc());
    setRow(number);
    defineLoaded(ahead, own.drop_front(numAccumulated));
    // Those of a row as a whole are emitted in their turn.
    for (LoadOp load : ahead)
      if (!isOver(load.getResult(), reducedSet))
        loadedTogether.insert(load);
    if (failed(emitPhases()))
      return failure();
    // What warps tell each other of a row must have been read before the next
    // one's is written. Where a row has two steps of that, the second sees to
    // it.
    unsigned steps = 0;
    for (unsigned phase = 0; phase < numPhases; ++phase)
      steps += llvm::any_of(*kernel.getBlock(), [&](Operation &op) {
        return isReduction(&op) && phaseOf[&op] == phase;
      });
    if (groupsR > 1 && steps == 1)
      barrier();
    Values yielded = accumulated;
    llvm::append_range(yielded, next);
    scf::YieldOp::create(b, yielded);
  }
  accumulated.assign(loop.getResults().begin(),
                     loop.getResults().begin() + numAccumulated);
  values.clear();
  twoValues.clear();
  combineRows();
  storeAccumulated(first);
  return success();
}
