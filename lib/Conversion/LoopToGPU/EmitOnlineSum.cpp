//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A maximum together with the sum of exponentials below it, in one loop. The
// accumulators are the maximum so far and the sum for it.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void GPUKernelEmitter::findOnlineSums() {
  // Where threads keep all their values, the second loop costs nothing.
  if (persistent || schedule.getStrategy() != GPUStrategy::Tile)
    return;
  for (ReduceOp sum : kernel.getBlock()->getOps<ReduceOp>())
    if (ReduceOp max = getOnlineMax(sum))
      if (joined.insert(max).second)
        onlineMax[sum] = max;
}

Value GPUKernelEmitter::isMinusInfinity(Value v) {
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, v,
      constantFloat(v.getType(), -std::numeric_limits<double>::infinity()));
}

Value GPUKernelEmitter::getExpBase(Value max) {
  // The exponential of minus infinity less itself would not be a number.
  return arith::SelectOp::create(b, isMinusInfinity(max),
                                 constantFloat(max.getType(), 0), max);
}

Value GPUKernelEmitter::withInfiniteMax(Operation *sum, Value base) {
  if (matchOnlineSum(cast<ReduceOp>(sum))->infinite != InfiniteMax::Zero)
    return base;
  Type type = base.getType();
  Value isInfinite = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, base,
      constantFloat(type, std::numeric_limits<double>::infinity()));
  return arith::SelectOp::create(b, isInfinite, constantFloat(type, 0), base);
}

Value GPUKernelEmitter::expBelow(Operation *sum, Value x, Value base) {
  if (isa<VectorType>(x.getType()))
    base = broadcast(base);
  Operation *exp = sum->getOperand(0).getDefiningOp();
  // The sum holds the exponential of zero: small terms may be flushed, and the
  // error of a term, which grows with its exponent, shrinks faster with itself.
  arith::FastMathFlags flags = precision && getElementTypeOrSelf(x).isF32()
                                   ? arith::FastMathFlags::afn
                                   : arith::FastMathFlags::none;
  return emitLike(exp, arith::SubFOp::create(b, x, base), flags);
}

GPUKernelEmitter::Values GPUKernelEmitter::accumulateOnline(Operation *sum,
                                                            ArrayRef<Value> old,
                                                            unsigned ip) {
  ReduceOp max = onlineMax.lookup(sum);
  // What this step adds, and the maximum with it. Items are combined lane by
  // lane and lanes as a tree: one chain over all elements would wait for
  // itself.
  SmallVector<Value> elements;
  for (unsigned ir = 0; ir < rItems.size(); ++ir)
    elements.push_back(getOperands(max, ip, ir)[0]);
  auto combineVectors = [&](const Partial &partial) {
    Values all{elements.front()};
    for (Value next : ArrayRef<Value>(elements).drop_front())
      all = combineParts(partial, all, next);
    if (!vectorIsReduced || width == 1)
      return all.front();
    SmallVector<Values> lanes;
    for (int64_t lane = 0; lane < width; ++lane)
      lanes.push_back({extract(all.front(), lane)});
    return combineTree(partial, std::move(lanes)).front();
  };
  Value highest =
      combine(b, ReduceKind::Max, old[0],
              combineVectors({max, /*isSum=*/false, /*hasRest=*/false, {}}));
  Value base = withInfiniteMax(sum, getExpBase(highest));
  Value total = arith::MulFOp::create(b, old[1], expBelow(sum, old[0], base));
  for (Value &v : elements)
    v = expBelow(sum, v, base);
  total = arith::AddFOp::create(
      b, total, combineVectors({sum, /*isSum=*/true, /*hasRest=*/false, {}}));
  return {highest, total};
}

GPUKernelEmitter::Values GPUKernelEmitter::mergeOnline(Operation *sum,
                                                       ArrayRef<Value> x,
                                                       ArrayRef<Value> y) {
  Value highest = combine(b, ReduceKind::Max, x[0], y[0]);
  Value base = withInfiniteMax(sum, getExpBase(highest));
  Value total = arith::AddFOp::create(
      b, arith::MulFOp::create(b, x[1], expBelow(sum, x[0], base)),
      arith::MulFOp::create(b, y[1], expBelow(sum, y[0], base)));
  return {highest, total};
}

Value GPUKernelEmitter::finishOnline(Value max, Value total) {
  // What a sum over nothing but minus infinity is.
  return arith::SelectOp::create(
      b, isMinusInfinity(max),
      constantFloat(max.getType(), std::numeric_limits<double>::quiet_NaN()),
      total);
}
