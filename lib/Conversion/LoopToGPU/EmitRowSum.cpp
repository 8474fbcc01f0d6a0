//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of an operand's elements at a range of places: each thread has the
// vectors of its item, and goes along the item's range. The rows of several
// places are under way at a time; what is added is added in the order of the
// places, so that results are the same on every run and every device.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Places whose rows a thread loads before it adds them, the latency of memory
/// once for so many; fewer where that would be more bytes than these. What is
/// left of a range goes one by one.
static constexpr int64_t kPlacesAhead = 4, kBytesAhead = 64;

Value GPUKernelEmitter::sumRange(GatherSumOp op, const LaneAddress &address,
                                 Value active, unsigned ip, unsigned ir,
                                 int64_t lane, bool isWhole) {
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  auto source = cast<RankedTensorType>(op.getSource().getType());
  Type element = source.getElementType(), sum = op.getType();
  Type i64 = b.getI64Type();
  auto constant64 = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, i64, value);
  };
  auto clamp = [&](Value v, Value last) -> Value {
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, v, last),
                                  constant64(0));
  };
  ExprAttr size = sym::getSizes(source)[op.getSummedDim()];
  Value places = scalarExpr(op.getNumPlaces(), ip, ir, 64);
  if (form.getContext().bounds(size).lo < 1) {
    // Without rows there is none to read.
    Value none =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                              scalarExpr(size, ip, ir, 64), constant64(0));
    places = arith::SelectOp::create(b, none, constant64(0), places);
  }
  auto toNarrow = [&](Value v) -> Value {
    return indexBits == 32 ? arith::TruncIOp::create(b, indexType, v) : v;
  };
  Value lo = toNarrow(clamp(extract(lookup(op.getLo(), ip, ir), lane), places));
  Value hi = toNarrow(clamp(extract(lookup(op.getHi(), ip, ir), lane), places));
  hi = arith::MaxSIOp::create(b, hi, lo);
  if (active)
    hi = arith::SelectOp::create(b, active, hi, lo);
  int64_t bytes = (isWhole ? width : 1) * element.getIntOrFloatBitWidth() / 8;
  int64_t ahead = std::clamp<int64_t>(kBytesAhead / bytes, 1, kPlacesAhead);
  // Behind the last whole group of places.
  Value middle = lo;
  if (ahead > 1) {
    Value grouped = arith::AndIOp::create(b, arith::SubIOp::create(b, hi, lo),
                                          constant(-ahead));
    middle = arith::AddIOp::create(b, lo, grouped);
  }

  // Which row a place has.
  auto getRow = [&](Value place) -> Value {
    if (!op.getPositions())
      return place;
    unsigned list = cast<BlockArgument>(op.getPositions()).getArgNumber();
    Type position =
        cast<RankedTensorType>(op.getPositions().getType()).getElementType();
    ExprAttr at =
        sym::mul(layout.strides[list][0], sym::arg(b.getContext(), 0));
    Value pointer = elementPointer(list, position, at, ip, ir, place, 0);
    Value row = loadElements(pointer, position,
                             position.getIntOrFloatBitWidth() / 8, list);
    if (position != i64)
      row = arith::ExtSIOp::create(b, i64, row);
    Value last = scalarExpr(sym::add(size, -1), ip, ir, 64);
    return clamp(row, last);
  };
  auto getElements = [&](Value row) -> Value {
    if (isWhole)
      return loadWhole(
          elementPointer(number, element, address.base, ip, ir, row, 0),
          element, address.alignment, number);
    Value pointer =
        elementPointer(number, element, address.full, ip, ir, row, lane);
    return loadElements(pointer, element, element.getIntOrFloatBitWidth() / 8,
                        number);
  };
  Type type = isWhole ? Type(VectorType::get(width, sum)) : sum;
  // Registers are threads: further unrolling has more loads in flight in each
  // and fewer of all.
  auto noUnroll = LLVM::LoopAnnotationAttr::get(
      b.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{},
      LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true), {}, {}, {},
                                {}, {}, {}),
      /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
      /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
  auto addPlaces = [&](Value begin, Value end, int64_t step, Value start) {
    auto loop = scf::ForOp::create(b, begin, end, this->constant(step), start);
    loop->setAttr("loop_annotation", noUnroll);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values rows, elements;
    for (int64_t i = 0; i < step; ++i)
      rows.push_back(
          getRow(i == 0 ? loop.getInductionVar()
                        : arith::AddIOp::create(b, loop.getInductionVar(),
                                                this->constant(i))
                              .getResult()));
    for (Value row : rows)
      elements.push_back(getElements(row));
    Value total = loop.getRegionIterArg(0);
    for (Value v : elements) {
      if (element != sum)
        v = arith::ExtFOp::create(b, type, v);
      total = arith::AddFOp::create(b, total, v);
    }
    scf::YieldOp::create(b, total);
    return loop.getResult(0);
  };
  Value total;
  if (!op.getInit())
    total = zero(type);
  else if (isWhole)
    total = broadcast(lookup(op.getInit(), ip, ir));
  else
    total = extract(lookup(op.getInit(), ip, ir), lane);
  if (ahead > 1)
    total = addPlaces(lo, middle, ahead, total);
  return addPlaces(middle, hi, 1, total);
}

LogicalResult GPUKernelEmitter::emitGatherSum(GatherSumOp op) {
  LaneAddress address = form.getAddress(op);
  Copies copies = makeCopies(op.getResult());
  bool isVectorSum = form.isVector(op.getResult());
  bool isContiguous = isVectorSum && address.isContiguous() &&
                      !form.isVector(op.getLo()) && !form.isVector(op.getHi());
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Condition c = getCondition(copies.overP, copies.overR, ip, ir, isVectorSum);
    auto getWhole = [&](Value active) {
      return sumRange(op, address, active, ip, ir, /*lane=*/0,
                      /*isWhole=*/true);
    };
    auto getLanes = [&]() -> Value {
      SmallVector<Value> lanes;
      for (int64_t lane = 0; lane < width; ++lane)
        lanes.push_back(sumRange(op, address,
                                 c.lanes ? extract(c.lanes, lane) : c.active,
                                 ip, ir, lane, /*isWhole=*/false));
      return fromLanes(lanes);
    };
    Value v;
    if (!isVectorSum)
      v = sumRange(op, address, c.active, ip, ir, /*lane=*/0,
                   /*isWhole=*/false);
    else if (!isContiguous || (c.lanes && !c.full))
      v = getLanes();
    else if (c.lanes) // Almost all vectors are whole.
      v = choose(
          c.full, VectorType::get(width, op.getType()),
          [&]() { return getWhole({}); }, getLanes);
    else
      v = getWhole(c.active);
    copies.values.push_back(v);
  });
  values[op.getResult()] = std::move(copies);
  return success();
}
