//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moments of a GPU kernel, and how reductions end.
//
// A thread that sees its values one after the other measures them from a pivot:
// with d = x - pivot it sums d and d * d, which have the digits that x and x *
// x lose far from zero. The pivot follows the mean, rounded as it may be, since
// the first value can be far from all others. Threads are joined in two steps.
// The sum of all values gives about the mean. Then every thread measures what
// it has from there, and the sums of distances and of their squares give what
// the mean is off by, and the deviations from it. Threads that have all their
// values do without a pivot.
//
// Where the deviations themselves are the result, of `f32` or `f64`, their sum
// is compensated: one value that is far from all others would be rounded in
// each step of the tree, which is eight instructions for a step. Threads that
// have all their values, and those of `f64`, also know what rounding takes from
// each distance, another 16 instructions for each value.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "coil/Conversion/Utils/Combine.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Accumulators of a thread; the last is not always there.
enum : unsigned { kPivot, kSum, kSquares, kCount, kLost };

/// The sum of the distances of samples from a value.
static Value sumDistances(ImplicitLocOpBuilder &b, ArrayRef<Sample> samples,
                          Value from) {
  SmallVector<Sample> distances;
  for (const Sample &s : samples)
    distances.push_back(
        {arith::SubFOp::create(b, s.mean, from), Value(), s.count});
  return sumSamples(b, distances);
}

/// The sums of distances and of their squares, measured from another value.
static std::pair<Value, Compensated>
measureFrom(ImplicitLocOpBuilder &b, ArrayRef<Value> parts, Value from) {
  Value shift = arith::SubFOp::create(b, parts[kPivot], from);
  Value weighted = arith::MulFOp::create(b, parts[kCount], shift);
  Value sum = arith::AddFOp::create(b, parts[kSum], weighted);
  // shift * (2 sum + count * shift)
  Value both = arith::AddFOp::create(b, parts[kSum], sum);
  Value change = arith::MulFOp::create(b, shift, both);
  if (parts.size() <= kLost)
    return {sum, {arith::AddFOp::create(b, parts[kSquares], change), Value()}};
  return {sum,
          addExactly(b, {parts[kSquares], parts[kLost]}, {change, Value()})};
}

static Compensated addSquares(ImplicitLocOpBuilder &b, Compensated x,
                              Compensated y) {
  if (!x.rest && !y.rest)
    return {arith::AddFOp::create(b, x.value, y.value), Value()};
  return addExactly(b, x, y);
}

bool GPUKernelEmitter::hasExactSteps(WelfordOp op) const {
  return compensated.contains(op) &&
         (persistent || op.getMean().getType().isF64());
}

Compensated GPUKernelEmitter::sumSquares(WelfordOp op, ArrayRef<Sample> samples,
                                         Value from) {
  if (!hasExactSteps(op)) {
    Value squares = sumDeviations(b, samples, from);
    return {squares, compensated.contains(op)
                         ? constantFloat(squares.getType(), 0)
                         : Value()};
  }
  Value minus = arith::NegFOp::create(b, from);
  SmallVector<Compensated> list;
  for (const Sample &s : samples) {
    Compensated d = addExactly(b, {s.mean, Value()}, {minus, Value()});
    Value weighted =
        s.count ? arith::MulFOp::create(b, s.count, d.value) : d.value;
    // (d + rest)^2, without the square of the rest.
    Value square = arith::MulFOp::create(b, weighted, d.value);
    Value both = arith::AddFOp::create(b, d.rest, d.rest);
    list.push_back({square, arith::MulFOp::create(b, weighted, both)});
    if (s.m2)
      list.push_back({s.m2, Value()});
  }
  return combinePairs(std::move(list), [&](Compensated x, Compensated y) {
    return addSquares(b, x, y);
  });
}

GPUKernelEmitter::Values
GPUKernelEmitter::accumulateMoments(WelfordOp op, ArrayRef<Value> old,
                                    unsigned ip) {
  SmallVector<Sample> samples = getSamples(op, ip);
  Value isFirst =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, old[kCount],
                            constantFloat(old[kCount].getType(), 0));
  Value first =
      arith::SelectOp::create(b, isFirst, samples.front().mean, old[kPivot]);
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  // About the mean with these samples; any number near it does.
  Value count = add(old[kCount], countSamples(b, samples));
  Value one = constantFloat(count.getType(), 1);
  Value distance = arith::DivFOp::create(
      b, add(old[kSum], sumDistances(b, samples, first)),
      arith::MaxNumFOp::create(b, count, one), arith::FastMathFlags::contract);
  Value pivot = add(first, distance);
  Values parts(old);
  parts[kPivot] = first;
  auto [sum, squares] = measureFrom(b, parts, pivot);
  Compensated all = addSquares(b, squares, sumSquares(op, samples, pivot));
  Values result{pivot, add(sum, sumDistances(b, samples, pivot)), all.value,
                count};
  if (all.rest)
    result.push_back(all.rest);
  return result;
}

GPUKernelEmitter::Values GPUKernelEmitter::mergeMoments(ArrayRef<Value> x,
                                                        ArrayRef<Value> y) {
  Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x[kCount],
                                        constantFloat(x[kCount].getType(), 0));
  Value pivot = arith::SelectOp::create(b, isEmpty, y[kPivot], x[kPivot]);
  auto [sumX, squaresX] = measureFrom(b, x, pivot);
  auto [sumY, squaresY] = measureFrom(b, y, pivot);
  Compensated squares = addSquares(b, squaresX, squaresY);
  Values result{pivot, arith::AddFOp::create(b, sumX, sumY), squares.value,
                arith::AddFOp::create(b, x[kCount], y[kCount])};
  if (squares.rest)
    result.push_back(squares.rest);
  return result;
}

void GPUKernelEmitter::finishMoments(
    MutableArrayRef<Partial> partials,
    llvm::function_ref<Values(unsigned index, unsigned ip, Value mean)>
        getDeviations) {
  reduceThreads(partials);
  SmallVector<Partial> deviations;
  for (auto [index, partial] : llvm::enumerate(partials)) {
    auto moments = dyn_cast<WelfordOp>(partial.op);
    if (!moments)
      continue;
    b.setLoc(moments.getLoc());
    Partial &squares = deviations.emplace_back(
        Partial{moments, /*isSum=*/true, compensated.contains(moments), {}});
    for (auto [ip, item] : llvm::enumerate(partial.items)) {
      Type type = item[0].getType();
      if (moments.isOfOne()) {
        item = {item[0], Value(), getNumReduced(type)};
      } else {
        Value count =
            arith::MaxNumFOp::create(b, item[1], constantFloat(type, 1));
        item = {arith::DivFOp::create(b, item[0], count), Value(), item[1]};
      }
      squares.items.push_back(getDeviations(
          static_cast<unsigned>(index), static_cast<unsigned>(ip), item[0]));
    }
  }
  reduceThreads(deviations);
  MutableArrayRef<Partial> rest = deviations;
  for (Partial &partial : partials) {
    b.setLoc(partial.op->getLoc());
    if (isa<WelfordOp>(partial.op)) {
      for (auto [item, sums] :
           llvm::zip_equal(partial.items, rest.front().items)) {
        // What the mean has lost in the first step.
        Type type = item[0].getType();
        if (rest.front().hasRest)
          sums[0] = finishExactly(b, {sums[0], sums[2]});
        Value count =
            arith::MaxNumFOp::create(b, item[2], constantFloat(type, 1));
        Value shift = arith::DivFOp::create(b, sums[1], count);
        item[0] = arith::AddFOp::create(b, item[0], shift);
        // Rounding must not make deviations negative, and an infinity stays.
        Value excess = arith::MulFOp::create(b, sums[1], shift);
        Value m2 = arith::MaximumFOp::create(
            b, arith::SubFOp::create(b, sums[0], excess),
            constantFloat(type, 0));
        Value isInfinite = arith::CmpFOp::create(
            b, arith::CmpFPredicate::OEQ, sums[0],
            constantFloat(type, std::numeric_limits<double>::infinity()));
        item[1] = arith::SelectOp::create(b, isInfinite, sums[0], m2);
      }
      rest = rest.drop_front();
    }
    defineResults(partial.op, partial.items);
  }
}

void GPUKernelEmitter::finishReductions(
    ArrayRef<Operation *> reductions,
    MutableArrayRef<SmallVector<Values>> parts) {
  SmallVector<Partial> partials;
  for (auto [op, items] : llvm::zip_equal(reductions, parts)) {
    auto moments = dyn_cast<WelfordOp>(op);
    if (!moments) {
      Partial &partial = partials.emplace_back(
          Partial{op, /*isSum=*/false, /*hasRest=*/false, {}});
      b.setLoc(op->getLoc());
      for (const Values &item : items)
        partial.items.push_back(startPartial(op, item));
      continue;
    }
    b.setLoc(op->getLoc());
    Partial &sums = partials.emplace_back(
        Partial{op, /*isSum=*/true, /*hasRest=*/false, {}});
    for (const Values &item : items) {
      // The share of the mean, which is finite where the mean is.
      Type type = item[kPivot].getType();
      Value count = item[kCount], sum = item[kSum];
      if (moments.isOfOne()) {
        Value inverse = arith::DivFOp::create(b, constantFloat(type, 1),
                                              getNumReduced(type));
        count = arith::MulFOp::create(b, count, inverse);
        sum = arith::MulFOp::create(b, sum, inverse);
      }
      Value all = arith::AddFOp::create(
          b, sum, arith::MulFOp::create(b, count, item[kPivot]));
      sums.items.push_back(moments.isOfOne() ? Values{all}
                                             : Values{all, item[kCount]});
    }
  }
  finishMoments(partials, [&](unsigned index, unsigned ip, Value mean) {
    auto [sum, squares] = measureFrom(b, parts[index][ip], mean);
    Values result{squares.value, sum};
    if (squares.rest)
      result.push_back(squares.rest);
    return result;
  });
}

void GPUKernelEmitter::reduceValues(ArrayRef<Operation *> reductions) {
  SmallVector<Partial> partials;
  for (Operation *op : reductions) {
    b.setLoc(op->getLoc());
    auto moments = dyn_cast<WelfordOp>(op);
    Partial &partial = partials.emplace_back(
        Partial{op, /*isSum=*/moments != nullptr, /*hasRest=*/false, {}});
    for (unsigned ip = 0, n = getNumResultItems(op); ip < n; ++ip) {
      if (!moments && compensated.contains(op)) {
        Compensated all = combineStep(op, ip);
        if (!all.rest)
          all.rest = zero(all.value.getType());
        partial.items.push_back({all.value, all.rest});
        continue;
      }
      if (!moments) {
        SmallVector<Values> list;
        for (unsigned ir = 0; ir < rItems.size(); ++ir)
          list.push_back(getOperands(op, ip, ir));
        partial.items.push_back(combineTree(partial, std::move(list)));
        continue;
      }
      SmallVector<Sample> samples = getSamples(moments, ip);
      Value sum = sumSamples(b, samples);
      if (moments.isOfOne()) {
        // The share of the mean, which is finite where the mean is.
        Type type = sum.getType();
        Value n = getNumReduced(type);
        Value inverse = arith::DivFOp::create(b, constantFloat(type, 1), n);
        partial.items.push_back({arith::MulFOp::create(b, sum, inverse)});
      } else {
        partial.items.push_back({sum, countSamples(b, samples)});
      }
    }
  }
  finishMoments(partials, [&](unsigned index, unsigned ip, Value mean) {
    auto op = cast<WelfordOp>(partials[index].op);
    SmallVector<Sample> samples = getSamples(op, ip);
    Compensated squares = sumSquares(op, samples, mean);
    Values result{squares.value, sumDistances(b, samples, mean)};
    if (squares.rest)
      result.push_back(squares.rest);
    return result;
  });
}
