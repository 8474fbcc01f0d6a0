//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moments of a CPU kernel, in `f64`.
//
// Values are measured from a pivot, the first value that a lane sees: with
// d = x - pivot the accumulators are the sums of d and of d * d, so that a step
// needs no division. At the end the mean is pivot + sum(d) / n and the sum of
// squared deviations is sum(d * d) - sum(d)^2 / n. The pivot is a value of the
// sample, so that sum(d)^2 / n is at most n times the result and `f64` loses no
// digit that an `f32` has, however far from zero the values are.
//
// Where many values of 16 bits come at once, they are measured from the first
// of them in `f32`, and what that gives from the pivot: with e = first - pivot,
// the sum of d is sum(x - first) + n e, and that of d * d is sum((x - first)^2)
// + e (2 sum(x - first) + n e). The first is a value of the sample, too.
//
// Values of `f64` have no wider type in which that digit is left. There, the
// pivot follows the mean: after each step of a first chain and then after each
// chain of steps (see EmitCascade.cpp), with n values, it moves by about m =
// sum(d) / n, so that the sum of distances from it becomes rest = sum(d) - n m
// and that of squares sum(d * d) - m (sum(d) + rest). What rounding makes of
// the pivot is in the rest. An outlier that comes first is D from the others,
// and after k values the pivot is D / k from them: the squares of a chain of up
// to k * k values are no more than D * D, which is in the result.
//
// Partial results (samples of n values with mean m and deviations m2) are
// measured in the same way: they add n d, m2 + n d * d and n with d = m -
// pivot.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Mean, deviations and number of a pivoted sample are accumulators in this
/// order; the last two are not always there.
enum : unsigned { kPivot, kSum, kSquares, kCount, kLost };

/// `v` in `f64`, or in `f32` where that is the type wanted.
static Value toFloat(ImplicitLocOpBuilder &b, Value v, FloatType element) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(v.getType()))
    type = vector.clone(element);
  if (type == v.getType())
    return v;
  if (element.isF64())
    return arith::ExtFOp::create(b, type, v);
  return arith::TruncFOp::create(b, type, v);
}

static Value constantLike(ImplicitLocOpBuilder &b, Value like, double value) {
  Type type = like.getType();
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

Sample KernelEmitter::getSample(WelfordOp op, unsigned copy) {
  Sample sample{getReduced(op, 0, copy), Value(), Value()};
  if (!op.isFlat())
    sample.m2 = getReduced(op, 1, copy);
  if (!op.isOfOne() || (vectorIsReduced && tailMask(copy)))
    sample.count = getReduced(op, 2, copy);
  return sample;
}

bool KernelEmitter::isExact(Operation *op) {
  auto moments = dyn_cast<WelfordOp>(op);
  return moments && moments.getMean().getType().isF64();
}

unsigned KernelEmitter::getNumMomentAccumulators(WelfordOp op) const {
  return isExact(op) ? kLost + 1 : countsSamples(op) ? kCount + 1 : kCount;
}

bool KernelEmitter::countsSamples(WelfordOp op) const {
  // Where lanes meet, some may have seen a value more than others.
  return vectorIsReduced || !op.isOfOne() || isExact(op);
}

/// Products that are only added to may be fused with the addition.
static constexpr auto kContract = arith::FastMathFlags::contract;

static Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y, kContract);
}

static Value mul(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y, kContract);
}

/// The sum of a list, pairwise.
static Value addAll(ImplicitLocOpBuilder &b, SmallVector<Value> list) {
  while (list.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < list.size(); i += 2)
      next.push_back(add(b, list[i], list[i + 1]));
    if (list.size() % 2)
      next.push_back(list.back());
    list = std::move(next);
  }
  return list.front();
}

/// What samples measured from a pivot add to the sums of distances and of their
/// squares.
static std::pair<Value, Value> measureFrom(ImplicitLocOpBuilder &b, Value pivot,
                                           ArrayRef<Sample> samples) {
  SmallVector<Value> sums, squares;
  for (const Sample &s : samples) {
    Value d = arith::SubFOp::create(b, s.mean, pivot);
    Value weighted = s.count ? mul(b, d, s.count) : d;
    sums.push_back(weighted);
    squares.push_back(mul(b, weighted, d));
    if (s.m2)
      squares.push_back(s.m2);
  }
  return {addAll(b, std::move(sums)), addAll(b, std::move(squares))};
}

void KernelEmitter::addSamples(WelfordOp op,
                               MutableArrayRef<Value> accumulators,
                               ArrayRef<Sample> narrow) {
  FloatType wide = b.getF64Type();
  auto widen = [&](Value v) { return v ? toFloat(b, v, wide) : v; };
  auto samples = llvm::map_to_vector(narrow, [&](const Sample &s) {
    return Sample{widen(s.mean), widen(s.m2), widen(s.count)};
  });
  Value &pivot = accumulators[kPivot];
  Value first = samples.front().mean;
  Value isFirst =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, pivot, pivot);
  pivot = arith::SelectOp::create(b, isFirst, first, pivot);
  bool isGroup = narrow.size() >= kMomentGroup && hasNarrowSamples(op) &&
                 llvm::none_of(narrow, [](const Sample &s) { return s.count; });
  Value sum, squares;
  if (isGroup) {
    std::tie(sum, squares) =
        measureFrom(b, narrow.front().mean, narrow.drop_front());
    sum = widen(sum);
    Value e = arith::SubFOp::create(b, first, pivot);
    Value all =
        mul(b, e, constantLike(b, e, static_cast<double>(narrow.size())));
    squares = add(b, widen(squares), mul(b, e, add(b, add(b, sum, sum), all)));
    sum = add(b, sum, all);
  } else {
    std::tie(sum, squares) = measureFrom(b, pivot, samples);
  }
  if (countsSamples(op))
    accumulators[kCount] =
        add(b, accumulators[kCount], countSamples(b, samples));
  sum = add(b, accumulators[kSum], sum);
  accumulators[kSum] = sum;
  if (isExact(op) && !inChain) {
    followMean(accumulators, squares);
    return;
  }
  accumulators[kSquares] = add(b, accumulators[kSquares], squares);
}

void KernelEmitter::followMean(MutableArrayRef<Value> accumulators,
                               Value squares) {
  Value &pivot = accumulators[kPivot];
  Value sum = accumulators[kSum], count = accumulators[kCount];
  Value zero = constantLike(b, count, 0), one = constantLike(b, count, 1);
  Value inverse =
      arith::DivFOp::create(b, one, arith::MaxNumFOp::create(b, count, one));
  Value moved = arith::AddFOp::create(b, pivot, mul(b, sum, inverse));
  // Exactly how far: it is not to be simplified. Without a value there is no
  // pivot yet.
  Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, count, zero);
  Value shift = arith::SelectOp::create(b, none, zero,
                                        arith::SubFOp::create(b, moved, pivot));
  Value rest = arith::SubFOp::create(b, sum, mul(b, count, shift), kContract);
  squares = arith::SubFOp::create(b, squares, mul(b, shift, add(b, sum, rest)),
                                  kContract);
  pivot = moved;
  accumulators[kSum] = rest;
  Compensated total = addExactly(
      b, {accumulators[kSquares], accumulators[kLost]}, {squares, Value()});
  accumulators[kSquares] = total.value;
  accumulators[kLost] = total.rest;
}

void KernelEmitter::startChain(MutableArrayRef<Value> accumulators) {
  accumulators[kSquares] = constantLike(b, accumulators[kSquares], 0);
}

void KernelEmitter::finishChain(MutableArrayRef<Value> accumulators,
                                ArrayRef<Value> before) {
  Value squares = accumulators[kSquares];
  accumulators[kSquares] = before[kSquares];
  followMean(accumulators, squares);
}

/// The sum of squares, with what rounding took from it.
static Value getSquares(ImplicitLocOpBuilder &b, ArrayRef<Value> accumulators) {
  if (accumulators.size() <= kLost)
    return accumulators[kSquares];
  return finishExactly(b, {accumulators[kSquares], accumulators[kLost]});
}

Sample KernelEmitter::getTotal(WelfordOp op, ArrayRef<Value> accumulators) {
  Value pivot = accumulators[kPivot], count;
  if (countsSamples(op)) {
    count = accumulators[kCount];
  } else {
    sym::ExprAttr points = sym::constant(b.getContext(), 1);
    for (unsigned d : reducedDims)
      points = sym::mul(points, kernel.getExtent(d));
    count = arith::SIToFPOp::create(b, b.getF64Type(), scalarExpr(points));
    if (isVector(pivot))
      count = broadcast(count);
  }
  Value zero = constantLike(b, pivot, 0), one = constantLike(b, pivot, 1);
  Value shift = arith::DivFOp::create(b, accumulators[kSum],
                                      arith::MaxNumFOp::create(b, count, one));
  // Of no value, everything is zero.
  Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, count, zero);
  Value mean = arith::SelectOp::create(b, none, zero,
                                       arith::AddFOp::create(b, pivot, shift));
  // Rounding may leave a little less than nothing; a NaN stays one.
  Value m2 = arith::SubFOp::create(
      b, getSquares(b, accumulators),
      arith::MulFOp::create(b, accumulators[kSum], shift));
  m2 = arith::MaximumFOp::create(b, m2, zero);
  return {mean, m2, count};
}

/// Joins the lanes of accumulators: each is measured from about the mean of
/// all, so that neither the lanes' means nor what they are apart is rounded.
static Sample joinLanes(ImplicitLocOpBuilder &b, ArrayRef<Value> accumulators) {
  auto overLanes = [&](Value v) -> Value {
    return vector::ReductionOp::create(b, vector::CombiningKind::ADD, v,
                                       arith::FastMathFlags::reassoc);
  };
  Value sum = accumulators[kSum], lanes = accumulators[kCount];
  Value zero = constantLike(b, lanes, 0);
  // A lane without a value has no pivot.
  Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lanes, zero);
  Value pivot = arith::SelectOp::create(b, none, zero, accumulators[kPivot]);
  Value count = overLanes(lanes), one = constantLike(b, count, 1);
  Value inverse =
      arith::DivFOp::create(b, one, arith::MaxNumFOp::create(b, count, one));
  Value about = mul(b, overLanes(add(b, mul(b, lanes, pivot), sum)), inverse);
  Value shift = arith::SubFOp::create(
      b, pivot, vector::BroadcastOp::create(b, pivot.getType(), about));
  Value moved = add(b, sum, mul(b, lanes, shift));
  Value squares = add(b, getSquares(b, accumulators),
                      arith::SelectOp::create(
                          b, none, zero, mul(b, shift, add(b, sum, moved))));
  Value distance = overLanes(moved), off = mul(b, distance, inverse);
  // Rounding may leave a little less than nothing; a NaN stays one.
  Value m2 = arith::MaximumFOp::create(
      b, arith::SubFOp::create(b, overLanes(squares), mul(b, distance, off)),
      constantLike(b, count, 0));
  return {arith::AddFOp::create(b, about, off), m2, count};
}

void KernelEmitter::finishMoments(WelfordOp op, ArrayRef<Value> accumulators) {
  Copies out[3];
  unsigned per = accumulatorsPerCopy(op);
  auto result = cast<FloatType>(op->getResult(0).getType());
  for (size_t i = 0; i < accumulators.size(); i += per) {
    ArrayRef<Value> copy = accumulators.slice(i, per);
    Sample sample = vectorIsReduced && isVector(copy[kPivot])
                        ? joinLanes(b, copy)
                        : getTotal(op, copy);
    for (auto [list, v] :
         llvm::zip_equal(out, finishSample(b, sample).getValues()))
      list.push_back(toFloat(b, v, result));
  }
  for (auto [v, list] : llvm::zip_equal(op->getResults(), out))
    values[v] = list;
}
