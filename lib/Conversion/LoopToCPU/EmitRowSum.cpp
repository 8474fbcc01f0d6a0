//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of an operand's elements at a range of places: a loop over the range at
// each point, or at each vector of points that share it.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

Value KernelEmitter::sumRange(SegmentSumOp op, ExprAttr address, unsigned copy,
                              int64_t lane, bool isWhole) {
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  auto source = cast<RankedTensorType>(op.getSource().getType());
  Type element = source.getElementType(), sum = op.getType();
  if (lane > 0) {
    ExprAttr dim = sym::dim(b.getContext(), static_cast<unsigned>(vectorDim));
    address = sym::substitute(address, [&](ExprAttr leaf) {
      return leaf == dim ? sym::add(dim, lane) : ExprAttr();
    });
  }
  auto ofLane = [&](Value v) -> Value {
    return isVector(v)
               ? vector::ExtractOp::create(b, v, ArrayRef<int64_t>{lane})
                     .getResult()
               : v;
  };
  auto clamp = [&](Value v, Value last) -> Value {
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, v, last),
                                  constantIndex(0));
  };
  Value size = scalarExpr(sym::getSizes(source)[op.getSummedDim()]);
  Value places = scalarExpr(op.getNumPlaces());
  // Without rows there is none to read.
  Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, size,
                                     constantIndex(0));
  places = arith::SelectOp::create(b, none, constantIndex(0), places);
  Value lo = clamp(ofLane(lookup(op.getLo(), copy)), places);
  Value hi = clamp(ofLane(lookup(op.getHi(), copy)), places);
  Value active = tailMask(copy);
  if (active && !isWhole) {
    hi = arith::SelectOp::create(b, ofLane(active), hi, lo);
    active = {};
  }

  auto vector = VectorType::get(width, element);
  Type type = isWhole ? Type(VectorType::get(width, sum)) : sum;
  Value start;
  if (!op.getInit())
    start = arith::ConstantOp::create(b, b.getZeroAttr(type));
  else if (isWhole)
    start = broadcast(lookup(op.getInit(), copy));
  else
    start = ofLane(lookup(op.getInit(), copy));
  auto loop = scf::ForOp::create(b, lo, hi, constantIndex(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar();
  if (op.getPositions()) {
    unsigned list = cast<BlockArgument>(op.getPositions()).getArgNumber();
    Type position =
        cast<RankedTensorType>(op.getPositions().getType()).getElementType();
    ExprAttr at =
        linearAddress(sym::arg(b.getContext(), 0), layout.strides[list]);
    Value pointer =
        elementPointer(buffers[list], position, scalarExpr(at, 0, place));
    place = LLVM::LoadOp::create(b, position, pointer, elementBytes(position));
    if (!position.isInteger(64))
      place = arith::ExtSIOp::create(b, b.getI64Type(), place);
    place = clamp(place, arith::SubIOp::create(b, size, constantIndex(1)));
  }
  Value pointer = elementPointer(buffers[number], element,
                                 scalarExpr(address, copy, place));
  unsigned alignment = elementBytes(element);
  Value v;
  if (isWhole)
    v = loadVector(pointer, vector, active,
                   arith::ConstantOp::create(b, b.getZeroAttr(vector)),
                   alignment);
  else
    v = LLVM::LoadOp::create(b, element, pointer, alignment);
  if (element != sum)
    v = arith::ExtFOp::create(b, type, v);
  v = arith::AddFOp::create(b, loop.getRegionIterArg(0), v);
  scf::YieldOp::create(b, v);
  return loop.getResult(0);
}

LogicalResult KernelEmitter::emitGatherSum(SegmentSumOp op) {
  unsigned number = cast<BlockArgument>(op.getSource()).getArgNumber();
  ExprAttr address =
      linearAddress(op.getIndices().getDims(), layout.strides[number]);
  bool hasLanes = variesOverVector(op.getResult());
  Copies out;
  for (unsigned copy = 0, n = hasLanes ? copies : 1; copy < n; ++copy) {
    bool isContiguous = false;
    if (hasLanes) {
      auto split = sym::splitLinear(
          address, sym::dim(b.getContext(), static_cast<unsigned>(vectorDim)));
      isContiguous = split && split->first.isConstant(1) &&
                     !isVector(lookup(op.getLo(), copy)) &&
                     !isVector(lookup(op.getHi(), copy));
    }
    if (!hasLanes || isContiguous) {
      out.push_back(sumRange(op, address, copy, /*lane=*/0, isContiguous));
      continue;
    }
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(sumRange(op, address, copy, lane, /*isWhole=*/false));
    out.push_back(vector::FromElementsOp::create(
        b, VectorType::get(width, op.getType()), lanes));
  }
  values[op.getResult()] = out;
  return success();
}
