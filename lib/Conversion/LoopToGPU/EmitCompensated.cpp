//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products of a GPU kernel whose error does not grow with the length
// of the row.
//
// A thread that goes through a row combines what it has of a step pairwise, and
// adds the result to a compensated sum: a number, and what rounding took from
// it. That takes six instructions more for each step than a sum for each item
// and lane would, of which a step has some 16, and two registers in place of
// one for each of these. Threads then meet in a tree, whose error is half an
// ulp.
//
// The relative errors of a product add up wherever they are made, and products
// of numbers near one, of which the first have many trailing zeros, round more
// often down than up. So all of its multiplications are compensated, three
// instructions for each element, and those between threads as well. Of a scan,
// these are the products that other threads go on with; each result is one of
// them, rounded, times what a thread has by itself. A sum of products of `f64`
// adds what rounding took from each, and is rounded once.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Dialect/Loop/Analysis/Phases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Whether an element of some tensor is read for each point that `op` combines,
/// so that there is time for arithmetic while memory is read. A contraction
/// reads none.
static bool readsEachPoint(ReduceOp op, const DimDependence &dependence) {
  auto kernel = op->getParentOfType<KernelOp>();
  SmallVector<Operation *> stack{op};
  DenseSet<Operation *> seen;
  while (!stack.empty()) {
    Operation *user = stack.pop_back_val();
    if (isa<LoadOp>(user) &&
        llvm::all_of(llvm::seq(kernel.getNumDims()), [&](auto d) {
          return dependence[user->getResult(0)][d] ||
                 kernel.getExtent(static_cast<unsigned>(d)).isConstant(1);
        }))
      return true;
    for (Value v : user->getOperands())
      if (Operation *def = v.getDefiningOp(); def && seen.insert(def).second)
        stack.push_back(def);
  }
  return false;
}

/// The product that a sum of `f64` adds up. Where all products are equal, so is
/// what rounding takes from each: it adds up as well.
static arith::MulFOp getProduct(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce.getKind() != ReduceKind::Sum ||
      !reduce.getType().isF64())
    return {};
  return reduce.getValue().getDefiningOp<arith::MulFOp>();
}

void GPUKernelEmitter::findCompensated() {
  if (schedule.getMma() || transposeDim >= 0)
    return;
  // Kernels that store what they read again have no time for more.
  bool onlyReduces = llvm::none_of(order, [&](Operation *op) {
    return isa<StoreOp, ScatterOp>(op) && variesOverReduced(op);
  });
  for (Operation &op : *kernel.getBlock()) {
    if (auto moments = dyn_cast<WelfordOp>(op);
        moments && onlyReduces && !hasNarrowSamples(moments) &&
        (vectorIsReduced || moments.getMean().getType().isF64()))
      compensated.insert(moments);
    auto scan = dyn_cast<ScanOp>(op);
    auto reduce = dyn_cast<ReduceOp>(op);
    if ((!scan && !reduce) || onlineMax.contains(&op))
      continue;
    Type type = op.getResult(0).getType();
    if (!type.isF32() && !type.isF64())
      continue;
    if (scan && scan.getKind() == ScanKind::Prod && schedule.getStages() == 0)
      compensated.insert(scan);
    if (reduce &&
        (isProductOfMany(reduce) || (reduce.getKind() == ReduceKind::Sum &&
                                     (!persistent || getProduct(reduce)) &&
                                     readsEachPoint(reduce, dependence))))
      compensated.insert(reduce);
  }
}

static bool isSum(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getKind() == ReduceKind::Sum;
}

/// Combines two numbers, or two with what was lost.
static Compensated combineExactly(ImplicitLocOpBuilder &b, Operation *op,
                                  Compensated x, Compensated y) {
  return isSum(op) ? addExactly(b, x, y) : multiplyExactly(b, x, y);
}

static Compensated toPair(ArrayRef<Value> parts) {
  return {parts[0], parts.size() > 1 ? parts[1] : Value()};
}

GPUKernelEmitter::Values
GPUKernelEmitter::combineCompensated(Operation *op, ArrayRef<Value> x,
                                     ArrayRef<Value> y) {
  Compensated all = combineExactly(b, op, toPair(x), toPair(y));
  return {all.value, all.rest};
}

Compensated GPUKernelEmitter::getExactProduct(Operation *op, unsigned ip,
                                              unsigned ir) {
  arith::MulFOp product = getProduct(op);
  bool vectors = hasVectorOperands(op);
  auto factor = [&](Value operand) {
    Value v = lookup(operand, ip, ir);
    return vectors ? broadcast(v) : v;
  };
  Compensated result = multiplyExactly(b, {factor(product.getLhs()), Value()},
                                       {factor(product.getRhs()), Value()});
  const Item &item = rItems[ir];
  if (Value inside = item.lanes && vectors ? item.lanes : item.active) {
    Value outside = zero(result.value.getType());
    result.value = arith::SelectOp::create(b, inside, result.value, outside);
    result.rest = arith::SelectOp::create(b, inside, result.rest, outside);
  }
  return result;
}

Compensated GPUKernelEmitter::combineStep(Operation *op, unsigned ip) {
  // Sums of a few are plain; what all products lose adds up.
  auto combineTwo = [&](Compensated x, Compensated y) {
    if (isSum(op) && !x.rest && !y.rest)
      return Compensated{arith::AddFOp::create(b, x.value, y.value), Value()};
    return combineExactly(b, op, x, y);
  };
  SmallVector<Compensated> items;
  for (unsigned ir = 0; ir < rItems.size(); ++ir)
    items.push_back(getProduct(op)
                        ? getExactProduct(op, ip, ir)
                        : Compensated{getOperands(op, ip, ir)[0], Value()});
  Compensated all = combinePairs(std::move(items), combineTwo);
  if (!vectorIsReduced || width == 1)
    return all;
  SmallVector<Compensated> lanes;
  for (int64_t lane = 0; lane < width; ++lane)
    lanes.push_back({extract(all.value, lane),
                     all.rest ? extract(all.rest, lane) : Value()});
  return combinePairs(std::move(lanes), combineTwo);
}

GPUKernelEmitter::Values
GPUKernelEmitter::accumulateCompensated(Operation *op, ArrayRef<Value> old,
                                        unsigned ip) {
  Compensated all =
      combineExactly(b, op, {old[0], old[1]}, combineStep(op, ip));
  return {all.value, all.rest};
}

GPUKernelEmitter::Values
GPUKernelEmitter::startPartial(Operation *op, ArrayRef<Value> accumulators) {
  return isSum(op) && !getProduct(op) ? finishCompensated(op, accumulators)
                                      : Values(accumulators);
}

GPUKernelEmitter::Values
GPUKernelEmitter::finishCompensated(Operation *op, ArrayRef<Value> parts) {
  if (isa<WelfordOp>(op) || !compensated.contains(op) || parts.size() <= 1)
    return Values(parts);
  return {finishExactly(b, toPair(parts))};
}
