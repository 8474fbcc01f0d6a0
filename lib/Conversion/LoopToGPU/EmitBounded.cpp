//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions that end before their dimension does: the last chunk of a row that
// was cut into chunks of one length. A mask says so for each element, and costs
// a comparison and a selection for each operand of each reduction. Where it
// compares a position along the reduced dimension with a limit, a thread knows
// beforehand how many of its vectors are wholly inside: they are taken as if
// there were no mask, then comes the vector that the limit cuts, and nothing
// behind it.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Whether operand `i` of a reduction is neutral where `mask` does not hold.
static bool isNeutralOutside(Operation *op, unsigned i, Value mask) {
  if (isa<ArgReduceOp>(op) && i > 0)
    return true;
  Value operand = op->getOperand(i);
  Attribute constant, neutral = getNeutralOperand(op, i);
  if (auto select = operand.getDefiningOp<arith::SelectOp>()) {
    if (select.getCondition() != mask)
      return false;
    operand = select.getFalseValue();
  }
  return matchPattern(operand, m_Constant(&constant)) && constant == neutral;
}

std::optional<GPUKernelEmitter::Bound>
GPUKernelEmitter::getBound(ArrayRef<Operation *> slice,
                           ArrayRef<Operation *> reductions) {
  if (reductions.empty() || llvm::any_of(slice, [](Operation *op) {
        return isa<StoreOp, ScatterOp>(op);
      }))
    return std::nullopt;
  SmallVector<Operation *> all(reductions);
  for (Operation *op : reductions)
    if (ReduceOp max = onlineMax.lookup(op))
      all.push_back(max);
  for (Operation *op : slice) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
        llvm::any_of(all, [&](Operation *reduction) {
          for (unsigned i = 0; i < reduction->getNumOperands(); ++i)
            if (!isNeutralOutside(reduction, i, compare.getResult()))
              return true;
          return false;
        }))
      continue;
    if (std::optional<Bound> bound = getBound(compare))
      return bound;
  }
  return std::nullopt;
}

std::optional<GPUKernelEmitter::Bound>
GPUKernelEmitter::getBound(arith::CmpIOp mask) {
  MLIRContext *ctx = kernel.getContext();
  int64_t along = -1;
  for (unsigned d : reducedDims) {
    if (form.getContext().getDimExtents()[d].isConstant(1))
      continue;
    if (along >= 0)
      return std::nullopt;
    along = d;
  }
  auto index = mask.getLhs().getDefiningOp<IndexOp>();
  if (along < 0 || !index)
    return std::nullopt;
  ExprAttr limit = getPosition(mask.getRhs());
  if (!limit)
    return std::nullopt;
  // step * position < rest, of the position along the reduced dimension.
  auto split = sym::splitLinear(sym::sub(index.getExpr(), limit),
                                sym::dim(ctx, static_cast<unsigned>(along)));
  if (!split || !split->first.isConstant() || split->first.getValue() < 1)
    return std::nullopt;
  int64_t step = split->first.getValue();
  ExprAttr rest = form.atPoint(sym::neg(split->second));
  if (sym::mentions(rest, form.getLane()) ||
      llvm::any_of(reducedDims, [&](unsigned d) {
        return sym::mentions(rest, sym::dim(ctx, d));
      }))
    return std::nullopt;
  // In vectors, of which the first one may begin before the row.
  int64_t lanes = along == vectorDim ? width : 1;
  ExprAttr perVector = sym::constant(ctx, step * lanes);
  if (lanes > 1 && form.getShift())
    rest = sym::add(rest, sym::mul(form.getShift(), step));
  ExprAttr whole = form.getContext().simplify(
      sym::floorDiv(sym::add(rest, step - 1), perVector));
  ExprAttr end = form.getContext().simplify(
      sym::floorDiv(sym::add(rest, step * lanes - 1), perVector));
  Bound bound{mask, {}, {}};
  for (unsigned ip = 0; ip < pItems.size(); ++ip) {
    Value itemWhole = scalarExpr(whole, ip, 0, indexBits);
    Value itemEnd = scalarExpr(end, ip, 0, indexBits);
    bound.whole = bound.whole
                      ? arith::MinSIOp::create(b, bound.whole, itemWhole)
                      : itemWhole;
    bound.end =
        bound.end ? arith::MaxSIOp::create(b, bound.end, itemEnd) : itemEnd;
  }
  return bound;
}

LogicalResult
GPUKernelEmitter::emitBoundedLoops(ArrayRef<Operation *> slice,
                                   ArrayRef<Operation *> reductions,
                                   const RowTiles &row, const Bound &bound) {
  Value thread = toIndex(threadR), first = constant(row.first);
  auto plus = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  Value whole = arith::MaxSIOp::create(
      b, arith::MinSIOp::create(b, symbolExpr(row.whole), bound.whole), first);
  Value end = arith::MaxSIOp::create(
      b, arith::MinSIOp::create(b, symbolExpr(totalR), bound.end), whole);
  int64_t tile = threadsR * itemsR;
  Values carried = getStarts(reductions, 1);
  auto run = [&](Value from, Value to, bool partial) -> LogicalResult {
    FailureOr<Values> results =
        emitLoop(from, to, threadsR, 1, partial, carried, slice);
    if (succeeded(results))
      carried = std::move(*results);
    return results;
  };
  if (row.first > 0 && failed(run(thread, first, /*partial=*/true)))
    return failure();
  Operation *mask = bound.mask;
  known.insert(mask);
  Value tiled = first;
  if (row.hasTiles) {
    Value length = arith::SubIOp::create(b, whole, first);
    tiled =
        plus(first, arith::MulIOp::create(
                        b, arith::DivUIOp::create(b, length, constant(tile)),
                        constant(tile)));
    unsigned items = static_cast<unsigned>(itemsR);
    FailureOr<Values> results =
        emitLoop(plus(first, thread), tiled, tile, items, /*partial=*/false,
                 getStarts(reductions, items), slice);
    if (failed(results))
      return failure();
    carried = mergeItems(reductions, row.first > 0 ? carried : Values(),
                         *results, items);
  }
  if (failed(run(plus(tiled, thread), whole, /*partial=*/false)))
    return failure();
  known.erase(mask);
  if (failed(run(plus(whole, thread), end, row.whole != totalR)))
    return failure();
  finishLoops(reductions, carried);
  return success();
}
