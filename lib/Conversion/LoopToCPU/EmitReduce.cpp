//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of a CPU kernel.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"
#include "coil/Dialect/Loop/Analysis/Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

SmallVector<Type> KernelEmitter::getAccumulatorTypes(Operation *op) const {
  if (auto moments = dyn_cast<WelfordOp>(op))
    return SmallVector<Type>(getNumMomentAccumulators(moments),
                             Float64Type::get(op->getContext()));
  if (isCompensatedProduct(op))
    return SmallVector<Type>(2, op->getResult(0).getType());
  return llvm::to_vector(op->getResultTypes());
}

unsigned KernelEmitter::accumulatorsPerCopy(Operation *op) const {
  if (auto moments = dyn_cast<WelfordOp>(op))
    return getNumMomentAccumulators(moments);
  return isCompensatedProduct(op) ? 2 : op->getNumResults();
}

unsigned KernelEmitter::accumulatorCopies(Operation *op) const {
  // Samples and products take all copies at once, scans one after the other.
  if (vectorIsReduced)
    return isa<WelfordOp, ScanOp, ArgScanOp>(op) || isCompensatedProduct(op)
               ? 1
               : static_cast<unsigned>(unroll);
  return variesOverVector(op->getResult(0)) ? copies : 1;
}

unsigned KernelEmitter::numAccumulators(Operation *op) const {
  return accumulatorCopies(op) * accumulatorsPerCopy(op) +
         (tracksNaN(op) ? 1 : 0);
}

bool KernelEmitter::tracksNaN(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && vectorIsReduced && isa<FloatType>(reduce.getType()) &&
         (reduce.getKind() == ReduceKind::Max ||
          reduce.getKind() == ReduceKind::Min);
}

/// The larger or smaller of two numbers; the second where one is a NaN.
static Value pickNumber(ImplicitLocOpBuilder &b, ReduceKind kind, Value x,
                        Value y) {
  Value better =
      arith::CmpFOp::create(b,
                            kind == ReduceKind::Max ? arith::CmpFPredicate::OGT
                                                    : arith::CmpFPredicate::OLT,
                            x, y);
  return arith::SelectOp::create(b, better, x, y);
}

void KernelEmitter::accumulateNumbers(ReduceOp op,
                                      MutableArrayRef<Value> accumulators) {
  SmallVector<Value> values;
  for (unsigned copy = 0; copy < copies; ++copy) {
    Value v = getReduced(op, 0, copy);
    accumulators[copy] = pickNumber(b, op.getKind(), v, accumulators[copy]);
    values.push_back(v);
  }
  // One comparison finds the NaNs of two vectors.
  for (unsigned i = 0; i < values.size(); i += 2) {
    Value other = i + 1 < values.size() ? values[i + 1] : values[i];
    Value isNaN =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, values[i], other);
    accumulators.back() = arith::OrIOp::create(b, accumulators.back(), isNaN);
  }
}

SmallVector<Value> KernelEmitter::neutral(Operation *op) {
  SmallVector<Value> result;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    result.push_back(arith::ConstantOp::create(b, getNeutralOperand(op, i)));
  if (auto argReduce = dyn_cast<ArgReduceOp>(op);
      argReduce && hasNarrowPositions(argReduce))
    result[1] = arith::ConstantIntOp::create(
        b, b.getI32Type(), std::numeric_limits<int32_t>::max());
  return result;
}

SmallVector<Value> KernelEmitter::startAccumulators(Operation *op) {
  auto moments = dyn_cast<WelfordOp>(op);
  SmallVector<Value> result;
  if (!moments) {
    result = neutral(op);
    if (isCompensatedProduct(op))
      result.push_back(arith::ConstantOp::create(
          b, b.getZeroAttr(op->getResult(0).getType())));
    return result;
  }
  for (Type type : getAccumulatorTypes(op))
    result.push_back(arith::ConstantOp::create(b, b.getFloatAttr(type, 0)));
  // No value has been seen to measure others from.
  result[0] = arith::ConstantOp::create(
      b,
      b.getFloatAttr(b.getF64Type(), APFloat::getQNaN(APFloat::IEEEdouble())));
  return result;
}

Value KernelEmitter::getReduced(Operation *op, unsigned i, unsigned copy) {
  Value v = lookup(op->getOperand(i), copy);
  if (auto argReduce = dyn_cast<ArgReduceOp>(op); argReduce && i == 1)
    v = toNarrowPosition(argReduce, v);
  if (vectorIsReduced || variesOverVector(op->getResult(0)))
    v = broadcast(v);
  Value mask = vectorIsReduced ? tailMask(copy) : Value();
  return mask ? arith::SelectOp::create(b, mask, v, broadcast(neutral(op)[i]))
                    .getResult()
              : v;
}

bool KernelEmitter::isCompensatedProduct(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && isProductOfMany(reduce);
}

void KernelEmitter::accumulateProduct(Operation *op,
                                      MutableArrayRef<Value> pair,
                                      ArrayRef<Value> factors) {
  SmallVector<Compensated> list;
  for (Value v : factors)
    list.push_back({v, Value()});
  while (list.size() > 1) {
    SmallVector<Compensated> next;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      next.push_back(multiplyExactly(b, list[i], list[i + 1]));
    if (list.size() % 2)
      next.push_back(list.back());
    list = std::move(next);
  }
  Compensated all = multiplyExactly(b, {pair[0], pair[1]}, list.front());
  pair[0] = all.value;
  pair[1] = all.rest;
}

Compensated KernelEmitter::multiplyLanes(Compensated lanes) {
  auto type = dyn_cast<VectorType>(lanes.value.getType());
  for (int64_t n = type ? type.getNumElements() / 2 : 0; n > 0; n /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, n));
    auto high = llvm::to_vector(llvm::seq<int64_t>(n, 2 * n));
    auto half = [&](Value v, ArrayRef<int64_t> mask) -> Value {
      return vector::ShuffleOp::create(b, v, v, mask);
    };
    lanes = multiplyExactly(b, {half(lanes.value, low), half(lanes.rest, low)},
                            {half(lanes.value, high), half(lanes.rest, high)});
  }
  if (!type)
    return lanes;
  auto first = [&](Value v) -> Value {
    return vector::ExtractOp::create(b, v, ArrayRef<int64_t>{0});
  };
  return {first(lanes.value), first(lanes.rest)};
}

/// Whether `op` sums products that may be rounded with the additions.
static bool isSumOfProducts(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || reduce.getKind() != ReduceKind::Sum)
    return false;
  auto product = reduce.getValue().getDefiningOp<arith::MulFOp>();
  return product && bitEnumContainsAny(product.getFastmath(),
                                       arith::FastMathFlags::contract);
}

void KernelEmitter::accumulate(Operation *op,
                               MutableArrayRef<Value> accumulators) {
  b.setLoc(op->getLoc());
  bool vectors = vectorIsReduced || variesOverVector(op->getResult(0));
  // The remainder of a vectorised reduction has one copy only.
  unsigned n = vectors ? copies : 1;
  if (auto moments = dyn_cast<WelfordOp>(op)) {
    SmallVector<Sample> samples;
    for (unsigned copy = 0; copy < n; ++copy)
      samples.push_back(getSample(moments, copy));
    if (vectorIsReduced)
      return addSamples(moments, accumulators, samples);
    unsigned per = accumulatorsPerCopy(op);
    for (unsigned copy = 0; copy < n; ++copy)
      addSamples(moments, accumulators.slice(per * copy, per), samples[copy]);
    return;
  }
  if (tracksNaN(op))
    return accumulateNumbers(cast<ReduceOp>(op), accumulators);
  if (isCompensatedProduct(op)) {
    SmallVector<Value> factors;
    for (unsigned copy = 0; copy < n; ++copy)
      factors.push_back(getReduced(op, 0, copy));
    if (vectorIsReduced)
      return accumulateProduct(op, accumulators, factors);
    for (unsigned copy = 0; copy < n; ++copy)
      accumulateProduct(op, accumulators.slice(2 * copy, 2), factors[copy]);
    return;
  }
  for (unsigned copy = 0; copy < n; ++copy) {
    Value v = getReduced(op, 0, copy);
    if (isa<ReduceOp>(op)) {
      accumulators[copy] =
          isSumOfProducts(op)
              ? arith::AddFOp::create(b, accumulators[copy], v,
                                      arith::FastMathFlags::contract)
                    .getResult()
              : combine(b, getReduceKind(op), accumulators[copy], v);
      continue;
    }
    auto argReduce = cast<ArgReduceOp>(op);
    Value position = getReduced(op, 1, copy);
    auto step =
        vectorIsReduced && getFirstPosition(argReduce, reducedDims, context)
            ? combineLaterArg
            : combineArg;
    std::tie(accumulators[2 * copy], accumulators[2 * copy + 1]) =
        step(b, getReduceKind(op), accumulators[2 * copy],
             accumulators[2 * copy + 1], v, position);
  }
}

void KernelEmitter::finishReduction(Operation *op,
                                    ArrayRef<Value> accumulators) {
  b.setLoc(op->getLoc());
  if (auto moments = dyn_cast<WelfordOp>(op))
    return finishMoments(moments, accumulators);
  if (isCompensatedProduct(op)) {
    Copies out;
    for (size_t i = 0; i < accumulators.size(); i += 2) {
      Compensated all{accumulators[i], accumulators[i + 1]};
      out.push_back(
          finishExactly(b, vectorIsReduced ? multiplyLanes(all) : all));
    }
    values[op->getResult(0)] = out;
    return;
  }
  ReduceKind kind = getReduceKind(op);
  if (!vectorIsReduced) {
    // One accumulator for each copy: they are the results.
    unsigned per = accumulatorsPerCopy(op);
    for (unsigned r = 0; r < per; ++r) {
      Copies out;
      for (size_t i = r; i < accumulators.size(); i += per)
        out.push_back(accumulators[i]);
      values[op->getResult(r)] = out;
    }
    return;
  }
  if (isa<ReduceOp>(op)) {
    bool numbers = tracksNaN(op);
    // Pairwise, so that the tree stays shallow.
    SmallVector<Value> acc(accumulators.begin(), accumulators.end());
    Value isNaN = numbers ? acc.pop_back_val() : Value();
    while (acc.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < acc.size(); i += 2)
        next.push_back(numbers ? pickNumber(b, kind, acc[i], acc[i + 1])
                               : combine(b, kind, acc[i], acc[i + 1]));
      if (acc.size() % 2)
        next.push_back(acc.back());
      acc = std::move(next);
    }
    Type type = op->getResult(0).getType();
    if (numbers) {
      Value best = vector::ReductionOp::create(
          b,
          kind == ReduceKind::Max ? vector::CombiningKind::MAXNUMF
                                  : vector::CombiningKind::MINNUMF,
          acc.front(), arith::FastMathFlags::nnan | arith::FastMathFlags::nsz);
      Value any =
          vector::ReductionOp::create(b, vector::CombiningKind::OR, isNaN);
      Value nan = arith::ConstantOp::create(
          b,
          b.getFloatAttr(type, APFloat::getQNaN(
                                   cast<FloatType>(type).getFloatSemantics())));
      values[op->getResult(0)] = {
          arith::SelectOp::create(b, any, nan, best).getResult()};
      return;
    }
    bool isFloat = isa<FloatType>(type);
    // The order of a horizontal sum is ours to choose.
    auto flags =
        isFloat && (kind == ReduceKind::Sum || kind == ReduceKind::Prod)
            ? arith::FastMathFlags::reassoc
            : arith::FastMathFlags::none;
    values[op->getResult(0)] = {vector::ReductionOp::create(
        b, getCombiningKind(kind, isFloat), acc.front(), flags)};
    return;
  }
  Value v = accumulators[0], position = accumulators[1];
  for (size_t i = 2; i < accumulators.size(); i += 2)
    std::tie(v, position) =
        combineArg(b, kind, v, position, accumulators[i], accumulators[i + 1]);
  auto [best, where] = combineArgLanes(b, kind, v, position);
  values[op->getResult(0)] = {best};
  values[op->getResult(1)] = {finishPosition(cast<ArgReduceOp>(op), where)};
}

Value KernelEmitter::finishPosition(ArgReduceOp op, Value position) {
  Value result = position;
  if (!position.getType().isInteger(64))
    result = arith::ExtSIOp::create(b, b.getI64Type(), position);
  std::optional<sym::ExprAttr> first =
      getFirstPosition(op, reducedDims, context);
  if (!first)
    return result;
  // No value was better than the neutral one: all are equal to it.
  Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position,
                                     neutral(op)[1]);
  return arith::SelectOp::create(b, none, scalarExpr(*first), result);
}

bool KernelEmitter::hasNarrowPositions(ArgReduceOp op) const {
  // Where lanes do not meet, accumulators are the results.
  auto index = op.getOperand(1).getDefiningOp<IndexOp>();
  return vectorIsReduced && index && isNarrowPosition(index.getExpr(), context);
}

Value KernelEmitter::toNarrowPosition(ArgReduceOp op, Value position) {
  if (!hasNarrowPositions(op))
    return position;
  Type narrow = b.getI32Type();
  if (auto type = dyn_cast<VectorType>(position.getType()))
    narrow = VectorType::get(type.getShape(), narrow);
  return arith::TruncIOp::create(b, narrow, position);
}
