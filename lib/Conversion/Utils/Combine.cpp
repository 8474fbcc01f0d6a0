//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a reduction, and samples of values.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

ReduceKind coil::getReduceKind(Operation *reduction) {
  if (auto reduce = dyn_cast<ReduceOp>(reduction))
    return reduce.getKind();
  return cast<ArgReduceOp>(reduction).getKind();
}

Value coil::combine(ImplicitLocOpBuilder &b, ReduceKind kind, Value x,
                    Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ReduceKind::Sum:
    return isFloat ? arith::AddFOp::create(b, x, y).getResult()
                   : arith::AddIOp::create(b, x, y).getResult();
  case ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(b, x, y).getResult()
                   : arith::MulIOp::create(b, x, y).getResult();
  case ReduceKind::Max:
    return isFloat ? arith::MaximumFOp::create(b, x, y).getResult()
                   : arith::MaxSIOp::create(b, x, y).getResult();
  case ReduceKind::Min:
    return isFloat ? arith::MinimumFOp::create(b, x, y).getResult()
                   : arith::MinSIOp::create(b, x, y).getResult();
  case ReduceKind::UMax:
    return arith::MaxUIOp::create(b, x, y);
  case ReduceKind::UMin:
    return arith::MinUIOp::create(b, x, y);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  case ReduceKind::And:
    return arith::AndIOp::create(b, x, y);
  case ReduceKind::Xor:
    return arith::XOrIOp::create(b, x, y);
  }
  llvm_unreachable("all kinds are handled");
}

std::pair<Value, Value> coil::combineArg(ImplicitLocOpBuilder &b,
                                         ReduceKind kind, Value a, Value ai,
                                         Value c, Value ci) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  bool isMax = kind == ReduceKind::Max || kind == ReduceKind::UMax;
  bool isUnsigned = kind == ReduceKind::UMax || kind == ReduceKind::UMin;
  // `c` wins when it is better, or as good and earlier.
  Value better, equal;
  if (isFloat) {
    better = arith::CmpFOp::create(
        b, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, c, a);
    equal = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, c, a);
    Value nanA = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, a, a);
    Value nanC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, c, c);
    // A NaN beats a number and ties with a NaN.
    Value both = arith::AndIOp::create(b, nanA, nanC);
    Value onlyC =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, nanC, nanA);
    better = arith::OrIOp::create(b, better, onlyC);
    equal = arith::OrIOp::create(b, equal, both);
  } else {
    better = arith::CmpIOp::create(
        b,
        isUnsigned
            ? (isMax ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::ult)
            : (isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt),
        c, a);
    equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, c, a);
  }
  Value earlier = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, ci, ai);
  Value tie = arith::AndIOp::create(b, equal, earlier);
  Value take = arith::OrIOp::create(b, better, tie);
  return {arith::SelectOp::create(b, take, c, a),
          arith::SelectOp::create(b, take, ci, ai)};
}

std::pair<Value, Value> coil::combineLaterArg(ImplicitLocOpBuilder &b,
                                              ReduceKind kind, Value first,
                                              Value firstAt, Value later,
                                              Value laterAt) {
  bool isMax = kind == ReduceKind::Max || kind == ReduceKind::UMax;
  Value better;
  if (isa<FloatType>(getElementTypeOrSelf(first.getType()))) {
    // A NaN is better than a number, but not than a NaN.
    Value wins = arith::CmpFOp::create(
        b, isMax ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT, later,
        first);
    Value number =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, first, first);
    better = arith::AndIOp::create(b, wins, number);
  } else {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned = kind == ReduceKind::UMax || kind == ReduceKind::UMin;
    Predicate predicate = isUnsigned
                              ? (isMax ? Predicate::ugt : Predicate::ult)
                              : (isMax ? Predicate::sgt : Predicate::slt);
    better = arith::CmpIOp::create(b, predicate, later, first);
  }
  return {arith::SelectOp::create(b, better, later, first),
          arith::SelectOp::create(b, better, laterAt, firstAt)};
}

Value coil::getCandidates(ImplicitLocOpBuilder &b, Value values,
                          Value positions, Value best) {
  Value is;
  if (isa<FloatType>(getElementTypeOrSelf(values.getType()))) {
    // A NaN is best; then it is the best value that no value equals.
    Value nan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, values, values);
    Value same =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, values, best);
    is = arith::OrIOp::create(b, nan, same);
  } else {
    is = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, values, best);
  }
  Type type = positions.getType(), element = getElementTypeOrSelf(type);
  TypedAttr none = b.getIntegerAttr(
      element, APInt::getSignedMaxValue(element.getIntOrFloatBitWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    none = DenseElementsAttr::get(vector, none);
  return arith::SelectOp::create(b, is, positions,
                                 arith::ConstantOp::create(b, none));
}

std::pair<Value, Value> coil::combineArgLanes(ImplicitLocOpBuilder &b,
                                              ReduceKind kind, Value lanes,
                                              Value positions) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lanes.getType()));
  Value best =
      vector::ReductionOp::create(b, getCombiningKind(kind, isFloat), lanes);
  Value all = vector::BroadcastOp::create(b, lanes.getType(), best);
  return {best,
          vector::ReductionOp::create(b, vector::CombiningKind::MINSI,
                                      getCandidates(b, lanes, positions, all))};
}

vector::CombiningKind coil::getCombiningKind(ReduceKind kind, bool isFloat) {
  switch (kind) {
  case ReduceKind::Sum:
    return vector::CombiningKind::ADD;
  case ReduceKind::Prod:
    return vector::CombiningKind::MUL;
  case ReduceKind::Max:
    return isFloat ? vector::CombiningKind::MAXIMUMF
                   : vector::CombiningKind::MAXSI;
  case ReduceKind::Min:
    return isFloat ? vector::CombiningKind::MINIMUMF
                   : vector::CombiningKind::MINSI;
  case ReduceKind::UMax:
    return vector::CombiningKind::MAXUI;
  case ReduceKind::UMin:
    return vector::CombiningKind::MINUI;
  case ReduceKind::Or:
    return vector::CombiningKind::OR;
  case ReduceKind::And:
    return vector::CombiningKind::AND;
  case ReduceKind::Xor:
    return vector::CombiningKind::XOR;
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

static Value constantLike(ImplicitLocOpBuilder &b, Value like, double value) {
  Type type = like.getType();
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, attr);
}

/// The number in all lanes of `v`, where code is made with it.
static std::optional<double> getConstant(Value v) {
  auto op = v.getDefiningOp<arith::ConstantOp>();
  if (!op)
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return number.getValueAsDouble();
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
    return splat.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

static Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}

static Value mul(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}

/// 1 / count, and something finite over no value at all.
static Value inverse(ImplicitLocOpBuilder &b, Value count) {
  Value one = constantLike(b, count, 1);
  return arith::DivFOp::create(b, one, arith::MaxNumFOp::create(b, count, one));
}

/// The sum of `values`, pairwise.
static Value sum(ImplicitLocOpBuilder &b, SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(add(b, values[i], values[i + 1]));
    if (values.size() % 2)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

Sample coil::mergeSamples(ImplicitLocOpBuilder &b, Sample x, Sample y) {
  for (Sample *s : {&x, &y}) {
    if (!s->m2)
      s->m2 = constantLike(b, s->mean, 0);
    if (!s->count)
      s->count = constantLike(b, s->mean, 1);
  }
  std::optional<double> n = getConstant(x.count), m = getConstant(y.count);
  Value count, share, weight;
  if (n && m && *n + *m > 0) {
    count = constantLike(b, x.mean, *n + *m);
    share = constantLike(b, x.mean, *m / (*n + *m));
    weight = constantLike(b, x.mean, *n * *m / (*n + *m));
  } else {
    count = add(b, x.count, y.count);
    share = mul(b, y.count, inverse(b, count));
    weight = mul(b, x.count, share);
  }
  Value shift = arith::SubFOp::create(b, y.mean, x.mean);
  Value mean = add(b, x.mean, mul(b, shift, share));
  Value between = mul(b, mul(b, shift, shift), weight);
  return {mean, add(b, add(b, x.m2, y.m2), between), count};
}

Sample coil::mergeSamples(ImplicitLocOpBuilder &b, ArrayRef<Sample> samples) {
  Value like = samples.front().mean;
  if (samples.size() == 1) {
    Sample s = samples.front();
    return {s.mean, s.m2 ? s.m2 : constantLike(b, like, 0),
            s.count ? s.count : constantLike(b, like, 1)};
  }
  Value count = countSamples(b, samples), scale;
  if (std::optional<double> n = getConstant(count))
    scale = constantLike(b, like, 1.0 / *n);
  else
    scale = inverse(b, count);
  Value mean = mul(b, sumSamples(b, samples), scale);
  return {mean, sumDeviations(b, samples, mean), count};
}

Value coil::countSamples(ImplicitLocOpBuilder &b, ArrayRef<Sample> samples) {
  int64_t known = 0;
  SmallVector<Value> counts;
  for (const Sample &s : samples) {
    if (s.count)
      counts.push_back(s.count);
    else
      ++known;
  }
  if (known > 0)
    counts.push_back(
        constantLike(b, samples.front().mean, static_cast<double>(known)));
  return sum(b, std::move(counts));
}

Value coil::sumSamples(ImplicitLocOpBuilder &b, ArrayRef<Sample> samples) {
  SmallVector<Value> sums;
  for (const Sample &s : samples)
    sums.push_back(s.count ? mul(b, s.count, s.mean) : s.mean);
  return sum(b, std::move(sums));
}

Value coil::sumDeviations(ImplicitLocOpBuilder &b, ArrayRef<Sample> samples,
                          Value mean) {
  SmallVector<Value> sums;
  for (const Sample &s : samples) {
    // Of no value nothing, even where the square would be infinite.
    Value d = arith::SubFOp::create(b, s.mean, mean);
    sums.push_back(mul(b, s.count ? mul(b, s.count, d) : d, d));
    if (s.m2)
      sums.push_back(s.m2);
  }
  return sum(b, std::move(sums));
}

Sample coil::mergeLanes(ImplicitLocOpBuilder &b, Sample sample) {
  auto overLanes = [&](Value v) -> Value {
    // The order of a horizontal sum is ours to choose.
    return vector::ReductionOp::create(b, vector::CombiningKind::ADD, v,
                                       arith::FastMathFlags::reassoc);
  };
  Value count = overLanes(sample.count);
  Value mean =
      mul(b, overLanes(mul(b, sample.count, sample.mean)), inverse(b, count));
  Value d = arith::SubFOp::create(
      b, sample.mean,
      vector::BroadcastOp::create(b, sample.mean.getType(), mean));
  Value m2 = add(b, sample.m2, mul(b, sample.count, mul(b, d, d)));
  return {mean, overLanes(m2), count};
}

Sample coil::finishSample(ImplicitLocOpBuilder &b, Sample sample) {
  Value none = arith::SubFOp::create(b, sample.mean, sample.mean);
  Value m2 = add(b, sample.m2, none);
  Value bad = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, m2, m2);
  return {arith::SelectOp::create(b, bad, m2, sample.mean), m2, sample.count};
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

ReduceKind coil::getReduction(ScanKind kind) {
  switch (kind) {
  case ScanKind::Sum:
    return ReduceKind::Sum;
  case ScanKind::Prod:
    return ReduceKind::Prod;
  case ScanKind::Max:
  case ScanKind::LogAddExp:
    return ReduceKind::Max;
  case ScanKind::Min:
    return ReduceKind::Min;
  case ScanKind::UMax:
    return ReduceKind::UMax;
  case ScanKind::UMin:
    return ReduceKind::UMin;
  }
  llvm_unreachable("all kinds are handled");
}

static Value logAddExp(ImplicitLocOpBuilder &b, Value x, Value y) {
  // The larger plus log1p(exp(smaller - larger)). Equal infinities would give
  // NaN, and are their own result; so is a NaN, by the maximum.
  Value larger = arith::MaximumFOp::create(b, x, y);
  Value smaller = arith::MinimumFOp::create(b, x, y);
  Value difference = arith::SubFOp::create(b, smaller, larger);
  Value sum = arith::AddFOp::create(
      b, larger, math::Log1pOp::create(b, math::ExpOp::create(b, difference)));
  Value same =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, smaller, larger);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
  Value defined =
      arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, difference, zero);
  Value one = arith::ConstantOp::create(b, b.getOneAttr(defined.getType()));
  Value undefined = arith::XOrIOp::create(b, defined, one);
  Value infinite = arith::AndIOp::create(b, same, undefined);
  return arith::SelectOp::create(b, infinite, larger, sum);
}

Value coil::combineScan(ImplicitLocOpBuilder &b, ScanKind kind, Value x,
                        Value y) {
  if (kind == ScanKind::LogAddExp)
    return logAddExp(b, x, y);
  return combine(b, getReduction(kind), x, y);
}

std::pair<Value, Value> coil::combineArgScan(ImplicitLocOpBuilder &b,
                                             ReduceKind kind, Value first,
                                             Value firstAt, Value later,
                                             Value laterAt) {
  Value take;
  if (isa<FloatType>(getElementTypeOrSelf(later.getType()))) {
    take = arith::CmpFOp::create(b,
                                 kind == ReduceKind::Max
                                     ? arith::CmpFPredicate::OGE
                                     : arith::CmpFPredicate::OLE,
                                 later, first);
    Value isNan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, later, later);
    take = arith::OrIOp::create(b, take, isNan);
  } else {
    arith::CmpIPredicate predicate =
        kind == ReduceKind::Max    ? arith::CmpIPredicate::sge
        : kind == ReduceKind::Min  ? arith::CmpIPredicate::sle
        : kind == ReduceKind::UMax ? arith::CmpIPredicate::uge
                                   : arith::CmpIPredicate::ule;
    take = arith::CmpIOp::create(b, predicate, later, first);
  }
  return {arith::SelectOp::create(b, take, later, first),
          arith::SelectOp::create(b, take, laterAt, firstAt)};
}
