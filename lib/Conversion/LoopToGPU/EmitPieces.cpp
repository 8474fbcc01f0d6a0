//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors across the ends of rows. In a kernel of one dimension for several, a
// row may end in the middle of a vector, once. What a lane is at then follows
// from the first lane up to there, and from the last one behind: two quotients
// instead of one for each lane. Values that are the same for a whole row are
// computed twice, and each lane takes one of them.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

GPUKernelEmitter::Values GPUKernelEmitter::getFirstLanes(const Pieces &pieces,
                                                         unsigned ip,
                                                         unsigned ir) {
  ExprAttr length = sym::constant(b.getContext(), pieces.length);
  ExprAttr number = form.getContext().simplify(
      sym::sub(length, sym::mod(pieces.position, length)));
  Value count = scalarExpr(number, ip, ir, indexBits);
  Values result{trueValue()};
  for (int64_t lane = 1; lane < width; ++lane)
    result.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, count,
                                           constant(lane)));
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::laneValues(ExprAttr e,
                                                      const Pieces &pieces,
                                                      unsigned ip, unsigned ir,
                                                      unsigned bits) {
  Value first = scalarExpr(form.atLane(e, 0), ip, ir, bits);
  Value last = scalarExpr(form.atLane(e, width - 1), ip, ir, bits);
  auto behind = [&](Value from, int64_t lanes) -> Value {
    if (lanes * pieces.step == 0)
      return from;
    return arith::AddIOp::create(
        b, from,
        arith::ConstantIntOp::create(b, from.getType(), lanes * pieces.step));
  };
  Values result;
  for (auto [lane, isFirst] : llvm::enumerate(getFirstLanes(pieces, ip, ir))) {
    auto number = static_cast<int64_t>(lane);
    result.push_back(
        lane == 0 ? first
                  : arith::SelectOp::create(b, isFirst, behind(first, number),
                                            behind(last, number - width + 1)));
  }
  return result;
}

void GPUKernelEmitter::defineTwo(Value v, TwoCopies copies) {
  Copies lanes = makeCopies(v);
  forEachCopy(lanes.overP, lanes.overR, [&](unsigned ip, unsigned ir) {
    Value first = copies.first.at(ip, ir), last = copies.last.at(ip, ir);
    Values vector = getFirstLanes(copies.pieces, ip, ir);
    vector.front() = first;
    for (Value &lane : MutableArrayRef<Value>(vector).drop_front())
      lane = arith::SelectOp::create(b, lane, first, last);
    lanes.values.push_back(fromLanes(vector));
  });
  values[v] = std::move(lanes);
  twoValues[v] = std::move(copies);
}

bool GPUKernelEmitter::emitLoadTwo(LoadOp load, const LaneAddress &address) {
  // What another thread writes must not be read by one without a point. In one
  // dimension, such a thread reads for the last vector.
  if (!address.first || load.getMask() || !load.getArgs().empty() ||
      mayAlias(load) || transposeDim >= 0)
    return false;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    if (d != vectorDim && !kernel.getExtent(d).isConstant(1))
      return false;
  b.setLoc(load.getLoc());
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type scalar = load.getType(), memory = getMemoryType(scalar);
  auto at = [&](ExprAttr where, unsigned ip, unsigned ir) {
    Value pointer = elementPointer(number, memory, where, ip, ir, {}, 0);
    return fromMemory(loadElements(pointer, memory, byteWidth(scalar), number),
                      scalar);
  };
  Copies none = makeCopies(load.getResult());
  TwoCopies copies{*address.pieces, none, none};
  auto d = static_cast<unsigned>(vectorDim);
  Value end = symbolExpr(sym::add(form.getContext().getDimExtents()[d], -1));
  forEachCopy(none.overP, none.overR, [&](unsigned ip, unsigned ir) {
    Item &item = vectorIsReduced ? rItems[ir] : pItems[ip];
    Value position = item.positions[d];
    if (item.active)
      item.positions[d] = arith::MinUIOp::create(b, position, end);
    copies.first.values.push_back(at(address.first, ip, ir));
    copies.last.values.push_back(at(address.last, ip, ir));
    item.positions[d] = position;
  });
  defineTwo(load.getResult(), std::move(copies));
  return true;
}

bool GPUKernelEmitter::emitArithTwo(Operation *op) {
  if (op->getNumResults() != 1 || !form.isVector(op->getResult(0)) ||
      form.isUniformCompare(op))
    return false;
  Value rooted = getRooted(op);
  std::optional<Pieces> pieces;
  Values operands;
  if (rooted)
    operands.push_back(rooted);
  else
    operands.assign(op->operand_begin(), op->operand_end());
  for (Value v : operands) {
    if (!form.isVector(v))
      continue;
    auto found = twoValues.find(v);
    if (found == twoValues.end())
      return false;
    const Pieces &other = found->second.pieces;
    // A row may be a part of a longer one that ends where it does.
    if (pieces && pieces->position != other.position)
      return false;
    if (!pieces || other.length < pieces->length) {
      if (pieces && pieces->length % other.length != 0)
        return false;
      pieces = other;
    } else if (other.length % pieces->length != 0) {
      return false;
    }
  }
  if (!pieces)
    return false;
  auto compute = [&](unsigned ip, unsigned ir, bool isLast) -> Value {
    IRMapping mapping;
    for (Value v : operands) {
      auto found = twoValues.find(v);
      if (found == twoValues.end()) {
        mapping.map(v, lookup(v, ip, ir));
        continue;
      }
      TwoCopies &two = found->second;
      mapping.map(v, (isLast ? two.last : two.first).at(ip, ir));
    }
    if (rooted)
      return math::RsqrtOp::create(b, mapping.lookup(rooted));
    Operation *clone = b.clone(*op, mapping);
    if (precision)
      Precision::addFlags(clone, precision->getFlags(op));
    return clone->getResult(0);
  };
  Copies none = makeCopies(op->getResult(0));
  TwoCopies copies{*pieces, none, none};
  forEachCopy(none.overP, none.overR, [&](unsigned ip, unsigned ir) {
    copies.first.values.push_back(compute(ip, ir, /*isLast=*/false));
    copies.last.values.push_back(compute(ip, ir, /*isLast=*/true));
  });
  defineTwo(op->getResult(0), std::move(copies));
  return true;
}

Value GPUKernelEmitter::emitLoadPieces(LoadOp load, const LaneAddress &address,
                                       const Condition &condition, unsigned ip,
                                       unsigned ir) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  Type scalar = load.getType(), memory = getMemoryType(scalar);
  auto whole = [&]() -> Value {
    Values lanes;
    for (Value offset :
         laneValues(address.full, *address.pieces, ip, ir, indexBits)) {
      Value pointer = LLVM::GEPOp::create(
          b, buffers[number].getType(), memory, buffers[number],
          ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::none);
      lanes.push_back(fromMemory(
          loadElements(pointer, memory, byteWidth(scalar), number), scalar));
    }
    return fromLanes(lanes);
  };
  Value active = condition.active;
  if (getMask(load))
    active = both(active, lookup(getMask(load), ip, ir));
  return loadUnder(load, address, condition, active, ip, ir, whole);
}
