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

Value GPUKernelEmitter::takeLanes(const Pieces &pieces, TwoValues two,
                                  unsigned ip, unsigned ir) {
  Values lanes = getFirstLanes(pieces, ip, ir);
  lanes.front() = two.first;
  for (Value &lane : MutableArrayRef<Value>(lanes).drop_front())
    lane = arith::SelectOp::create(b, lane, two.first, two.last);
  return fromLanes(lanes);
}

void GPUKernelEmitter::defineTwo(Value v, TwoCopies copies) {
  Copies lanes = makeCopies(v);
  size_t next = 0;
  forEachCopy(lanes.overP, lanes.overR, [&](unsigned ip, unsigned ir) {
    lanes.values.push_back(
        takeLanes(copies.pieces, copies.values[next++], ip, ir));
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
  TwoCopies copies{*address.pieces, {}};
  Copies shape = makeCopies(load.getResult());
  auto d = static_cast<unsigned>(vectorDim);
  Value end = symbolExpr(sym::add(form.getContext().getDimExtents()[d], -1));
  forEachCopy(shape.overP, shape.overR, [&](unsigned ip, unsigned ir) {
    Item &item = vectorIsReduced ? rItems[ir] : pItems[ip];
    Value position = item.positions[d];
    if (item.active)
      item.positions[d] = arith::MinUIOp::create(b, position, end);
    Value first = at(address.first, ip, ir);
    copies.values.push_back({first, at(address.last, ip, ir)});
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
      Copies shape = makeCopies(v);
      size_t index = (shape.overP ? ip * (shape.overR ? shape.numR : 1) : 0) +
                     (shape.overR ? ir : 0);
      TwoValues two = found->second.values[index];
      mapping.map(v, isLast ? two.last : two.first);
    }
    if (rooted)
      return math::RsqrtOp::create(b, mapping.lookup(rooted));
    Operation *clone = b.clone(*op, mapping);
    if (precision)
      Precision::addFlags(clone, precision->getFlags(op));
    return clone->getResult(0);
  };
  TwoCopies copies{*pieces, {}};
  Copies shape = makeCopies(op->getResult(0));
  forEachCopy(shape.overP, shape.overR, [&](unsigned ip, unsigned ir) {
    Value first = compute(ip, ir, /*isLast=*/false);
    copies.values.push_back({first, compute(ip, ir, /*isLast=*/true)});
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
  auto type = VectorType::get(width, scalar);
  Value active = condition.active, other;
  if (getMask(load))
    active = both(active, lookup(getMask(load), ip, ir));
  if (active || condition.lanes)
    other = load.getOther() ? broadcast(lookupOther(load, ip, ir)) : zero(type);
  if (!condition.lanes)
    return select(active, other, whole);
  // The last lane of a vector that is cut may be outside of the buffer.
  auto cut = [&]() -> Value {
    Condition one = condition;
    if (active)
      one.lanes = both(condition.lanes, active);
    Values lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back(emitLoadLane(load, address, one, ip, ir, lane));
    return fromLanes(lanes);
  };
  if (!condition.full)
    return cut();
  return choose(both(condition.full, active), type, whole, cut);
}
