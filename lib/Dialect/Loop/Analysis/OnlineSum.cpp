//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/OnlineSum.h"

#include "coil/Dialect/Loop/Analysis/Roundings.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// The value of which `v` is a rounding that changes nothing, extended again:
/// the maximum of `bf16` that is found in `f32`.
static Value skipRoundings(Value v) {
  while (auto extend = v.getDefiningOp<arith::ExtFOp>()) {
    auto round = extend.getIn().getDefiningOp<arith::TruncFOp>();
    if (!round || round.getIn().getType() != v.getType() ||
        !isRepresentable(round.getIn(), cast<FloatType>(round.getType())))
      break;
    v = round.getIn();
  }
  return v;
}

/// Whether `condition` says that `max` is infinite, and of which sign.
static std::optional<InfiniteMax> matchIsInfinite(Value condition, Value max) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  APFloat limit(0.0);
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(compare.getRhs(), m_ConstantFloat(&limit)) ||
      !limit.isInfinity())
    return std::nullopt;
  Value tested = compare.getLhs();
  if (limit.isNegative())
    return skipRoundings(tested) == max
               ? std::optional(InfiniteMax::ZeroForMinus)
               : std::nullopt;
  auto magnitude = tested.getDefiningOp<math::AbsFOp>();
  return magnitude && skipRoundings(magnitude.getOperand()) == max
             ? std::optional(InfiniteMax::Zero)
             : std::nullopt;
}

std::optional<OnlineSum> coil::loop::matchOnlineSum(ReduceOp sum) {
  if (sum.getKind() != ReduceKind::Sum)
    return std::nullopt;
  auto exp = sum.getOperand().getDefiningOp<math::ExpOp>();
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  if (!difference)
    return std::nullopt;
  Value base = difference.getRhs(), value = skipRoundings(base);
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (select) {
    if (!matchPattern(select.getTrueValue(), m_AnyZeroFloat()))
      return std::nullopt;
    value = skipRoundings(select.getFalseValue());
  }
  auto max = value.getDefiningOp<ReduceOp>();
  if (!max || max.getKind() != ReduceKind::Max ||
      max.getOperand() != difference.getLhs() || max.getDims() != sum.getDims())
    return std::nullopt;
  InfiniteMax infinite = InfiniteMax::Itself;
  if (select) {
    std::optional<InfiniteMax> found =
        matchIsInfinite(select.getCondition(), max);
    if (!found)
      return std::nullopt;
    infinite = *found;
  }
  return OnlineSum{max, base, difference, exp, infinite};
}

ReduceOp coil::loop::getOnlineMax(ReduceOp sum) {
  std::optional<OnlineSum> online = matchOnlineSum(sum);
  return online ? online->max : ReduceOp();
}

StringRef coil::loop::findChunkObstacle(KernelOp kernel) {
  DimDependence dependence(kernel);
  llvm::SmallBitVector reduced(kernel.getNumDims());
  for (unsigned r : kernel.getReducedDims())
    reduced.set(r);
  DenseSet<Operation *> parts;
  for (auto sum : kernel.getBlock()->getOps<ReduceOp>())
    if (std::optional<OnlineSum> online = matchOnlineSum(sum))
      if (online->exp->hasOneUse() && online->difference->hasOneUse())
        parts.insert_range(
            ArrayRef<Operation *>{online->exp, online->difference});
  DenseSet<Value> afterReduction;
  for (Operation &op : *kernel.getBlock()) {
    // What comes after these is a sum.
    if (parts.contains(&op))
      continue;
    bool reduces = isReduction(&op);
    bool depends = llvm::any_of(
        op.getOperands(), [&](Value v) { return afterReduction.contains(v); });
    if (reduces && depends)
      return "a reduction needs the result of another";
    auto store = dyn_cast<StoreOp>(op);
    if (depends &&
        (store ? dependence.of(store.getIndices().getDims()).anyCommon(reduced)
               : op.getNumResults() > 0 &&
                     dependence[op.getResult(0)].anyCommon(reduced)))
      return "values along the reduced dimensions need a reduction";
    if (reduces || depends)
      for (Value v : op.getResults())
        afterReduction.insert(v);
  }
  return {};
}

SmallVector<StoreOp> coil::loop::getStoresOfRows(KernelOp kernel) {
  DimDependence dependence(kernel);
  llvm::SmallBitVector reduced(kernel.getNumDims());
  for (unsigned r : kernel.getReducedDims())
    reduced.set(r);
  SmallVector<StoreOp> found;
  for (auto store : kernel.getBlock()->getOps<StoreOp>())
    if (dependence.of(store.getIndices().getDims()).anyCommon(reduced))
      found.push_back(store);
  return found;
}
