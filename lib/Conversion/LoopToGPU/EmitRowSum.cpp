//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of an operand's elements at a range of places: each thread has the
// vectors of its item, and goes along the item's range. The rows of several
// places are under way at a time, the last one again where the range has no
// more; what is added is added in the order of the
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
/// once for so many; fewer where that would be more bytes than these. Where a
/// schedule asks for many blocks, a thread has registers for few rows.
static constexpr int64_t kPlacesAhead = 8, kBytesAhead = 128;
static constexpr int64_t kPlacesAheadInMany = 4, kBytesAheadInMany = 64;

Value GPUKernelEmitter::getRow(SegmentSumOp op, const RowSum &at, Value place) {
  if (!op.getPositions())
    return place;
  unsigned list = cast<BlockArgument>(op.getPositions()).getArgNumber();
  Type position =
      cast<RankedTensorType>(op.getPositions().getType()).getElementType();
  ExprAttr index =
      sym::mul(layout.strides[list][0], sym::arg(b.getContext(), 0));
  Value row = loadElements(
      elementPointer(list, position, index, at.ip, at.ir, place, 0), position,
      position.getIntOrFloatBitWidth() / 8, list);
  if (position != b.getI64Type())
    row = arith::ExtSIOp::create(b, b.getI64Type(), row);
  auto source = cast<RankedTensorType>(op.getSource().getType());
  ExprAttr size = sym::getSizes(source)[op.getSummedDim()];
  return clampIndex(row, scalarExpr(sym::add(size, -1), at.ip, at.ir, 64));
}

Value GPUKernelEmitter::loadRow(SegmentSumOp op, const LaneAddress &address,
                                const RowSum &at, Value row) {
  Type element =
      cast<RankedTensorType>(op.getSource().getType()).getElementType();
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  if (at.isWhole)
    return loadWhole(
        elementPointer(number, element, address.base, at.ip, at.ir, row, 0),
        element, address.alignment, number);
  return loadElements(
      elementPointer(number, element, address.full, at.ip, at.ir, row, at.lane),
      element, element.getIntOrFloatBitWidth() / 8, number);
}

Value GPUKernelEmitter::clampIndex(Value v, Value last) {
  Value zero = arith::ConstantIntOp::create(b, b.getI64Type(), 0);
  return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, v, last), zero);
}

/// -0.0 in a float type or vectors of it.
static TypedAttr getNegativeZero(Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  auto zero =
      FloatAttr::get(element, APFloat::getZero(element.getFloatSemantics(),
                                               /*Negative=*/true));
  if (auto vector = dyn_cast<VectorType>(type))
    return SplatElementsAttr::get(vector, zero.getValue());
  return zero;
}

Value GPUKernelEmitter::addPlace(const RowSum &at, Value v) {
  if (v.getType() != at.total.getType())
    v = arith::ExtFOp::create(b, at.total.getType(), v);
  return arith::AddFOp::create(b, at.total, v);
}

GPUKernelEmitter::RowSum
GPUKernelEmitter::beginRowSum(SegmentSumOp op, const LaneAddress &address,
                              Value active, RowSum at) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  ExprAttr size = sym::getSizes(source)[op.getSummedDim()];
  Value places = scalarExpr(op.getNumPlaces(), at.ip, at.ir, 64);
  bool hasRows = form.getContext().bounds(size).lo >= 1;
  if (!hasRows) {
    // Without rows there is none to read.
    Value zero = arith::ConstantIntOp::create(b, b.getI64Type(), 0);
    Value none = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, scalarExpr(size, at.ip, at.ir, 64), zero);
    places = arith::SelectOp::create(b, none, zero, places);
  }
  auto bound = [&](Value v) -> Value {
    v = clampIndex(extract(lookup(v, at.ip, at.ir), at.lane), places);
    return indexBits == 32 ? arith::TruncIOp::create(b, indexType, v) : v;
  };
  at.lo = bound(op.getLo());
  at.hi = arith::MaxSIOp::create(b, bound(op.getHi()), at.lo);
  if (active)
    at.hi = arith::SelectOp::create(b, active, at.hi, at.lo);
  Type type = at.isWhole ? Type(VectorType::get(width, op.getType()))
                         : Type(op.getType());
  if (op.getInit()) {
    Value init = lookup(op.getInit(), at.ip, at.ir);
    at.total = at.isWhole ? broadcast(init) : extract(init, at.lane);
    return at;
  }
  at.total = zero(type);
  if (!hasRows || form.getContext().bounds(op.getNumPlaces()).lo < 1)
    return at;
  // Most ranges are short. Their first rows are read without a branch, so that
  // all items wait for memory together; an empty one reads a row for nothing,
  // the same as others.
  Value last = scalarExpr(sym::add(op.getNumPlaces(), -1), at.ip, at.ir,
                          static_cast<unsigned>(indexBits));
  Value row = getRow(op, at, arith::MinSIOp::create(b, at.lo, last));
  Value first = loadRow(op, address, at, row);
  Value some =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at.lo, at.hi);
  Value none = zero(first.getType());
  at.total = addPlace(at, arith::SelectOp::create(b, some, first, none));
  at.isDone = op.hasAtMostOnePlace();
  at.lo = arith::MinSIOp::create(
      b, arith::AddIOp::create(b, at.lo, constant(1)), at.hi);
  return at;
}

Value GPUKernelEmitter::finishRowSum(SegmentSumOp op,
                                     const LaneAddress &address, RowSum at) {
  if (at.isDone)
    return at.total;
  auto source = cast<RankedTensorType>(op.getSource().getType());
  int64_t bytes = (at.isWhole ? width : 1) *
                  source.getElementType().getIntOrFloatBitWidth() / 8;
  int64_t ahead =
      schedule.getMinBlocks() > 0
          ? std::clamp<int64_t>(kBytesAheadInMany / bytes, 1,
                                kPlacesAheadInMany)
          : std::clamp<int64_t>(kBytesAhead / bytes, 1, kPlacesAhead);
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
  auto loop = scf::ForOp::create(b, at.lo, at.hi, constant(ahead), at.total);
  loop->setAttr("loop_annotation", noUnroll);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value last = arith::SubIOp::create(b, at.hi, constant(1));
  // What is behind the range is the last row again, which is not added.
  Values rows, isInRange, elements;
  for (int64_t i = 0; i < ahead; ++i) {
    Value place = loop.getInductionVar();
    isInRange.push_back({});
    if (i > 0) {
      place = arith::AddIOp::create(b, place, constant(i));
      isInRange.back() =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, place, at.hi);
      place = arith::MinSIOp::create(b, place, last);
    }
    rows.push_back(getRow(op, at, place));
  }
  for (Value row : rows)
    elements.push_back(loadRow(op, address, at, row));
  at.total = loop.getRegionIterArg(0);
  for (auto [v, condition] : llvm::zip_equal(elements, isInRange)) {
    // A sum with -0.0 is what it was.
    if (condition)
      v = arith::SelectOp::create(
          b, condition, v,
          arith::ConstantOp::create(b, getNegativeZero(v.getType())));
    at.total = addPlace(at, v);
  }
  scf::YieldOp::create(b, at.total);
  b.setInsertionPointAfter(loop);
  return loop.getResult(0);
}

LogicalResult GPUKernelEmitter::emitGatherSum(SegmentSumOp op) {
  LaneAddress address = form.getAddress(op);
  Copies copies = makeCopies(op.getResult());
  bool isVectorSum = form.isVector(op.getResult());
  bool isContiguous = isVectorSum && address.isContiguous() &&
                      !form.isVector(op.getLo()) && !form.isVector(op.getHi());
  auto start = [&](Value active, unsigned ip, unsigned ir, int64_t lane,
                   bool isWhole) {
    return beginRowSum(op, address, active,
                       {ip, ir, lane, isWhole, Value(), Value(), Value()});
  };
  auto sumLanes = [&](const Condition &c, unsigned ip, unsigned ir) -> Value {
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(finishRowSum(
          op, address,
          start(c.lanes ? extract(c.lanes, lane) : c.active, ip, ir, lane,
                /*isWhole=*/false)));
    return fromLanes(lanes);
  };
  // Sums that go on in loops, behind the beginnings of all of them.
  SmallVector<std::optional<RowSum>> begun;
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Condition c = getCondition(copies.overP, copies.overR, ip, ir, isVectorSum);
    copies.values.push_back({});
    if (!isVectorSum || (isContiguous && !c.lanes)) {
      begun.push_back(start(c.active, ip, ir, /*lane=*/0, isVectorSum));
      return;
    }
    begun.push_back(std::nullopt);
    if (!isContiguous || !c.full)
      copies.values.back() = sumLanes(c, ip, ir);
    else // Almost all vectors are whole.
      copies.values.back() = choose(
          c.full, VectorType::get(width, op.getType()),
          [&]() -> Value {
            return finishRowSum(op, address,
                                start({}, ip, ir, /*lane=*/0,
                                      /*isWhole=*/true));
          },
          [&]() { return sumLanes(c, ip, ir); });
  });
  for (auto [v, sum] : llvm::zip_equal(copies.values, begun))
    if (sum)
      v = finishRowSum(op, address, *sum);
  values[op.getResult()] = std::move(copies);
  return success();
}
