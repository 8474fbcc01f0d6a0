//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tiles of a scan tell each other. Each publishes its sum, as a record
// in scratch memory, and finds what comes before it in the records of others,
// in an order that does not depend on who is fast.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Tiles that know what came before them from one prefix and the sums of the
/// others: as many as a block has threads along `r`, but at least so many.
static constexpr int64_t kMinGroup = 16;
/// The bit of a record's word that says that the record is there.
static constexpr int64_t kRecordMark = int64_t(1) << 32;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

LLVM::LoadOp GPUKernelEmitter::loadShared(Value pointer, IntegerType type,
                                          bool acquires) {
  auto load = LLVM::LoadOp::create(b, type, pointer, type.getWidth() / 8);
  load.setOrdering(acquires ? LLVM::AtomicOrdering::acquire
                            : LLVM::AtomicOrdering::monotonic);
  load.setSyncscope(getDeviceScope());
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

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

GPUKernelEmitter::TileRecords
GPUKernelEmitter::reserveRecords(ArrayRef<Value> total, Value count,
                                 int64_t begin) {
  TileRecords records;
  records.count = count;
  records.begin = begin;
  for (Value v : total)
    records.sizes.push_back(getStoredBytes(v.getType()));
  // A small value travels in the word that says that it is there: whoever waits
  // for it has it, and neither side orders anything else by a fence.
  records.isPacked = isPackable(total);
  auto reserve = [&](int64_t bytes) {
    int64_t offset = scratchBytes;
    // Two arrays of words together are a multiple of 16.
    scratchBytes += llvm::alignTo(static_cast<uint64_t>(bytes * threadsP),
                                  records.isPacked ? 8 : 16);
    return offset;
  };
  for (TileRecord *record : {&records.sums, &records.prefixes}) {
    record->flag = reserve(records.isPacked ? 8 : 4);
    if (!records.isPacked)
      for (int64_t bytes : records.sizes)
        record->parts.push_back(reserve(bytes));
  }
  return records;
}

Value GPUKernelEmitter::getRecord(const TileRecords &records, int64_t offset,
                                  int64_t bytes, Value tile) {
  auto wide = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, b.getI64Type(), v);
  };
  Value n = arith::AddIOp::create(
      b, arith::MulIOp::create(b, tile, wide(threadsP)), widenToI64(threadP));
  Value distance = arith::AddIOp::create(
      b, arith::MulIOp::create(b, records.count, wide(offset)),
      arith::MulIOp::create(b, n, wide(bytes)));
  if (records.begin > 0)
    distance = arith::AddIOp::create(b, distance, wide(records.begin));
  return LLVM::GEPOp::create(b, scratch.getType(), b.getI8Type(), scratch,
                             ArrayRef<LLVM::GEPArg>{distance},
                             LLVM::GEPNoWrapFlags::inbounds);
}

void GPUKernelEmitter::publish(const TileRecords &records,
                               const TileRecord &record, ArrayRef<Value> values,
                               Value tile) {
  if (records.isPacked) {
    auto store = LLVM::StoreOp::create(
        b, packRecord(values[0]), getRecord(records, record.flag, 8, tile), 8);
    store.setOrdering(LLVM::AtomicOrdering::monotonic);
    store.setSyncscope(getDeviceScope());
    return;
  }
  for (auto [part, v] : llvm::enumerate(values)) {
    int64_t bytes = records.sizes[part];
    LLVM::StoreOp::create(b, toMemory(v),
                          getRecord(records, record.parts[part], bytes, tile),
                          static_cast<unsigned>(std::min<int64_t>(16, bytes)));
  }
  auto store = LLVM::StoreOp::create(
      b, constantI32(1), getRecord(records, record.flag, 4, tile), 4);
  store.setOrdering(LLVM::AtomicOrdering::release);
  store.setSyncscope(getDeviceScope());
}

Value GPUKernelEmitter::isFirstOfRow() {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, threadR,
                               constantI32(0));
}

void GPUKernelEmitter::publishSum(const TileRecords &records,
                                  ArrayRef<Value> total, Value tile) {
  (void)emitIf(isFirstOfRow(), [&]() {
    publish(records, records.sums, total, tile);
    return success();
  });
}

GPUKernelEmitter::Values
GPUKernelEmitter::lookBack(Operation *op, const TileRecords &records,
                           ArrayRef<Value> total, Value tile, Value tileOfRow) {
  auto wide = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, b.getI64Type(), v);
  };
  // What a thread takes from one record, in two steps: it looks at all of its
  // records before it waits for the first.
  struct Taken {
    const TileRecord &record;
    Value condition, tile, word;
  };
  auto look = [&](const TileRecord &record, Value condition, Value of) {
    Taken taken = {record, condition, of, Value()};
    if (records.isPacked)
      taken.word = choose(
          condition, b.getI64Type(),
          [&]() -> Value {
            return loadShared(getRecord(records, record.flag, 8, of),
                              b.getI64Type(),
                              /*acquires=*/false);
          },
          [&]() { return packRecord(startScan(op)[0]); });
    return taken;
  };
  auto take = [&](const Taken &taken) {
    const TileRecord &record = taken.record;
    Values start = startScan(op);
    if (records.isPacked) {
      Value word = waitFor(getRecord(records, record.flag, 8, taken.tile),
                           taken.word, /*acquires=*/false);
      return Values{unpackRecord(word, start[0].getType())};
    }
    auto choice = scf::IfOp::create(
        b, llvm::to_vector(ValueRange(start).getTypes()), taken.condition,
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, start);
    b.setInsertionPointToStart(choice.thenBlock());
    Value flag = getRecord(records, record.flag, 4, taken.tile);
    waitFor(flag, loadShared(flag, b.getI32Type(), /*acquires=*/true),
            /*acquires=*/true);
    Values loaded;
    for (auto [part, v] : llvm::enumerate(start)) {
      int64_t bytes = records.sizes[part];
      Value found = LLVM::LoadOp::create(
          b, getStoredType(v.getType()),
          getRecord(records, record.parts[part], bytes, taken.tile),
          static_cast<unsigned>(std::min<int64_t>(16, bytes)));
      loaded.push_back(fromMemory(found, getElementTypeOrSelf(v.getType())));
    }
    scf::YieldOp::create(b, loaded);
    return Values(choice.getResults().begin(), choice.getResults().end());
  };

  // A group of tiles starts from the prefix of the one before it, so that the
  // order of combination does not depend on who is fast.
  int64_t each = llvm::divideCeil(kMinGroup, threadsR);
  int64_t groupSize = threadsR * each;
  Value inGroup = arith::AndIOp::create(b, tileOfRow, wide(groupSize - 1));
  Value first = arith::SubIOp::create(b, tile, inGroup);
  Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, tileOfRow,
                                        wide(groupSize));
  SmallVector<Taken> list = {look(records.prefixes,
                                  both(isFirstOfRow(), isLater),
                                  arith::SubIOp::create(b, first, wide(1)))};
  for (int64_t i = 0; i < each; ++i) {
    Value number = arith::AddIOp::create(
        b, arith::MulIOp::create(b, widenToI64(threadR), wide(each)), wide(i));
    Value exists =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, inGroup);
    list.push_back(
        look(records.sums, exists, arith::AddIOp::create(b, first, number)));
  }
  Values before;
  for (const Taken &taken : list)
    before = combineScans(op, before, take(taken));
  before = scanGroups(op, scanWarp(op, before).second).second;
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inGroup,
                                       wide(groupSize - 1));
  (void)emitIf(both(isFirstOfRow(), isLast), [&]() {
    publish(records, records.prefixes, combineScans(op, before, total), tile);
    return success();
  });
  return before;
}
