//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of distributions, permutations and samples. Rounding is where
// the framework's CUDA kernels round; see docs/concepts/Random.md for what is
// equal to them.
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// A number as the framework holds it in `type`.
static double roundTo(double value, Type type) {
  auto attr = cast<FloatAttr>(convertScalar(
      FloatAttr::get(Float64Type::get(type.getContext()), value), type));
  APFloat rounded = attr.getValue();
  bool lossy;
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return rounded.convertToDouble();
}

static LogicalResult checkFloats(AtenCall &c) {
  if (!isDrawnFloat(c.resultElementType()))
    return c.fail("its elements are not floats of 16 to 64 bits");
  return checkDraws(c);
}

/// `scale * x + shift`, which the framework contracts to one operation.
static Value transform(TensorBuilder &b, Value x, double scale, double shift) {
  Type type = getElementType(x);
  if (scale != 1)
    x = b.mul(x, b.scalar(scale, type));
  if (shift != 0)
    x = b.add(x, b.scalar(shift, type));
  return x;
}

//===----------------------------------------------------------------------===//
// Uniform numbers
//===----------------------------------------------------------------------===//

/// rand, rand_like, uniform
static LogicalResult legalizeUniform(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  double from = c.floatOr("from", 0), to = c.floatOr("to", 1);
  if (failed(checkFloats(c)))
    return failure();
  if (!(from <= to))
    return c.fail("its bounds are not in order");
  from = roundTo(from, type);
  to = roundTo(to, type);
  Value u = drawUniformFor(c, c.resultSizes(), type);
  Value value =
      b.convert(transform(b, u, roundTo(to - from, type), from), type);
  // The interval is open at the other end.
  return c.replace(b.select(b.compare(Pred::Eq, value, b.scalar(to, type)),
                            b.scalar(from, type), value));
}

/// bernoulli.p
static LogicalResult legalizeBernoulli(AtenCall &c) {
  TensorBuilder &b = c.b;
  std::optional<double> p = c.getFloat("p");
  if (!p || !(*p >= 0 && *p <= 1))
    return c.fail("its probability is not a number between 0 and 1");
  if (failed(checkDraws(c)))
    return failure();
  Value u = drawUniformFor(c, c.resultSizes(), c.resultElementType());
  return c.replace(b.compare(Pred::Lt, u, b.scalar(*p, getElementType(u))));
}

/// bernoulli, bernoulli.Tensor: a probability for each element. The kernel's
/// threads take four neighbours, once; whatever they draw, the offset moves by
/// ten, rounded up to groups.
static LogicalResult legalizeBernoulliTensor(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value p = c.tensor("p") ? c.tensor("p") : c.tensor("self");
  if (!p || !isDrawnFloat(getElementType(p)))
    return c.fail("its probabilities are not floats");
  if (failed(checkDraws(c)))
    return failure();
  Sizes sizes = c.resultSizes();
  ExprAttr any = sym::min(sym::product(c.b.getContext(), sizes), b.size(1));
  Value u = drawUniform(c, sizes, b.size(4), kManyBlocks, sym::mul(any, 3));
  Type type = getDrawnType(c.resultElementType());
  return c.replace(b.compare(Pred::Le, b.convert(u, type),
                             c.broadcastTo(b.convert(p, type), sizes)));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// `range` integers from `first` on, the remainders of words or of pairs of
/// them
/// (`isWide`).
static LogicalResult replaceByIntegers(AtenCall &c, uint64_t range,
                                       int64_t first, bool isWide) {
  TensorBuilder &b = c.b;
  if (failed(checkDraws(c)))
    return failure();
  OpBuilder &builder = b.getBuilder();
  Type i64 = builder.getI64Type();
  Value value;
  if (!isWide) {
    Value bits = b.convert(drawBits(c, c.resultSizes(), b.size(1)), i64);
    value = b.binary<RemainderOp>(
        bits, b.scalar(builder.getI64IntegerAttr(static_cast<int64_t>(range))));
  } else {
    Type ui64 = IntegerType::get(c.b.getContext(), 64, IntegerType::Unsigned);
    Value bits = draw(c, Distribution::Bits, c.resultSizes(), ui64);
    value = b.binary<RemainderOp>(
        bits, b.scalar(builder.getIntegerAttr(ui64, APInt(64, range))));
    value = b.convert(value, i64);
  }
  if (first != 0)
    value = b.add(value, b.scalar(builder.getI64IntegerAttr(first)));
  return c.replace(value);
}

/// random: all integers from `first` on that the element type has, or that
/// floats have without gaps.
static LogicalResult replaceByAllIntegers(AtenCall &c, int64_t first) {
  Type type = c.resultElementType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isUnsignedInteger(64))
    return c.fail("its elements are unsigned and of 64 bits");
  auto floating = dyn_cast<FloatType>(type);
  if (floating && bits < 16)
    return c.fail("its elements are floats of 8 bits");
  uint64_t most = floating ? uint64_t(1) << floating.getFPMantissaWidth()
                  : type.isInteger(1)
                      ? 1
                      : llvm::maskTrailingOnes<uint64_t>(
                            type.isUnsignedInteger() ? bits : bits - 1);
  if (first > static_cast<int64_t>(most))
    return c.fail("there is no integer between its bounds");
  uint64_t range = most - static_cast<uint64_t>(first) + 1;
  // All numbers of 64 bits are no range.
  if (range == 0)
    return c.fail("all integers of 64 bits are between its bounds");
  return replaceByIntegers(c, range, first, type.isF64() || type.isInteger(64));
}

/// randint, randint_like, random.from, random.to
static AtenHandler integers(StringRef lowName, StringRef highName) {
  return [=](AtenCall &c) -> LogicalResult {
    auto low = c.getInt(lowName), high = c.getInt(highName);
    if (c.op.getArgument(lowName) && !low)
      return c.fail("its bounds are not constant");
    int64_t first = low.value_or(0);
    if (!high && !c.has(highName))
      return replaceByAllIntegers(c, first);
    if (!high)
      return c.fail("its upper bound is not a constant");
    if (*high <= first)
      return c.fail("there is no integer between its bounds");
    uint64_t range =
        static_cast<uint64_t>(*high) - static_cast<uint64_t>(first);
    Type type = c.resultElementType();
    if (auto floating = dyn_cast<FloatType>(type)) {
      int64_t most = int64_t(1) << floating.getFPMantissaWidth();
      if (first < -most || *high > most)
        return c.fail("not all integers between its bounds are elements");
    }
    // Where a remainder of 32 bits would not be uniform enough.
    constexpr uint64_t kMostOfWord = uint64_t(1) << 28;
    return replaceByIntegers(c, range, first, range >= kMostOfWord);
  };
}

/// random
static LogicalResult legalizeRandom(AtenCall &c) {
  return replaceByAllIntegers(c, 0);
}

/// randint_like with a bound that is known when the program runs. Words are
/// wide, whatever the bound is.
static LogicalResult legalizeRandIntTensor(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value high = c.tensor("high");
  if (!high || getRank(high) != 0)
    return c.fail("its upper bound is not a number");
  if (failed(checkDraws(c)))
    return failure();
  Type ui64 = IntegerType::get(b.getContext(), 64, IntegerType::Unsigned),
       i64 = b.getBuilder().getI64Type();
  Value bits = draw(c, Distribution::Bits, c.resultSizes(), ui64);
  Value range = b.convert(b.convert(high, i64), ui64);
  return c.replace(b.convert(b.binary<RemainderOp>(bits, range), i64));
}

//===----------------------------------------------------------------------===//
// Normal numbers
//===----------------------------------------------------------------------===//

/// Normal numbers of the result's type with this mean and deviation.
static Value drawNormal(AtenCall &c, double mean, double deviation) {
  Type type = c.resultElementType(), drawn = getDrawnType(type);
  Value x = draw(c, Distribution::Normal, c.resultSizes(), drawn);
  return c.b.convert(
      transform(c.b, x, roundTo(deviation, drawn), roundTo(mean, drawn)), type);
}

/// randn, normal with numbers
static LogicalResult legalizeNormal(AtenCall &c) {
  double mean = c.floatOr("mean", 0), deviation = c.floatOr("std", 1);
  if (!(deviation >= 0))
    return c.fail("its standard deviation is negative");
  if (failed(checkFloats(c)))
    return failure();
  return c.replace(drawNormal(c, mean, deviation));
}

/// normal with tensors: standard normal numbers, rounded, then scaled.
static LogicalResult legalizeNormalTensors(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value mean = c.tensor("mean"), deviation = c.tensor("std");
  double number = deviation ? 1 : c.floatOr("std", 1);
  if (!(number >= 0))
    return c.fail("its standard deviation is negative");
  if (failed(checkFloats(c)))
    return failure();
  Type type = c.resultElementType(), wide = getAccumulationType(type);
  Value x = b.convert(drawNormal(c, 0, number), wide);
  if (deviation)
    x = b.mul(x, b.convert(deviation, wide));
  Value shift = mean ? b.convert(mean, wide)
                     : b.scalar(roundTo(c.floatOr("mean", 0), type), wide);
  return c.replace(b.add(x, shift));
}

/// log_normal
static LogicalResult legalizeLogNormal(AtenCall &c) {
  double mean = c.floatOr("mean", 1), deviation = c.floatOr("std", 2);
  if (!(deviation > 0))
    return c.fail("its standard deviation is not positive");
  if (failed(checkFloats(c)))
    return failure();
  Type drawn = getDrawnType(c.resultElementType());
  Value x = draw(c, Distribution::Normal, c.resultSizes(), drawn);
  return c.replace(c.b.unary<ExpOp>(
      transform(c.b, x, roundTo(deviation, drawn), roundTo(mean, drawn))));
}

//===----------------------------------------------------------------------===//
// Other distributions
//===----------------------------------------------------------------------===//

/// exponential
static LogicalResult legalizeExponential(AtenCall &c) {
  double lambda = c.floatOr("lambd", 1);
  if (!(lambda > 0))
    return c.fail("its rate is not positive");
  if (failed(checkFloats(c)))
    return failure();
  Type drawn = getDrawnType(c.resultElementType());
  Value x = draw(c, Distribution::Exponential, c.resultSizes(), drawn);
  double scale = roundTo(1 / roundTo(lambda, drawn), drawn);
  return c.replace(transform(c.b, x, scale, 0));
}

/// cauchy
static LogicalResult legalizeCauchy(AtenCall &c) {
  double sigma = c.floatOr("sigma", 1);
  if (!(sigma > 0))
    return c.fail("its scale is not positive");
  if (failed(checkFloats(c)))
    return failure();
  Type drawn = getDrawnType(c.resultElementType());
  Value x = draw(c, Distribution::Cauchy, c.resultSizes(), drawn);
  return c.replace(transform(c.b, x, roundTo(sigma, drawn),
                             roundTo(c.floatOr("median", 0), drawn)));
}

/// geometric: how often a draw fails before one succeeds, and that one.
static LogicalResult legalizeGeometric(AtenCall &c) {
  TensorBuilder &b = c.b;
  double p = c.floatOr("p", -1);
  if (!(p > 0 && p < 1))
    return c.fail("its probability is not a number between 0 and 1");
  if (c.resultElementType().isInteger(1))
    return c.fail("its elements are bools");
  if (failed(checkDraws(c)))
    return failure();
  Type drawn = getDrawnType(c.resultElementType());
  Value l = draw(c, Distribution::Log, c.resultSizes(), drawn);
  // The framework has no logarithm of 1 + x for f32 on a GPU.
  double failure = drawn.isF64()
                       ? std::log1p(-p)
                       : std::log(roundTo(1 - roundTo(p, drawn), drawn));
  return c.replace(b.unary<CeilOp>(b.div(l, b.scalar(failure, drawn))));
}

/// rrelu with its noise, also without: slopes below zero are uniform.
static LogicalResult legalizeRRelu(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  if (!x || !isDrawnFloat(getElementType(x)))
    return c.fail("its elements are not floats");
  Type type = getElementType(x), wide = getDrawnType(type);
  double lower = c.floatOr("lower", 1. / 8), upper = c.floatOr("upper", 1. / 3);
  bool withNoise = c.op.getOutputs().size() > 1;
  Value isNegative = b.compare(Pred::Le, x, b.scalar(0, type));
  if (!c.boolOr("training", false)) {
    Value slope = b.scalar((lower + upper) / 2, wide);
    Value y = b.convert(b.mul(b.convert(x, wide), slope), type);
    y = b.select(isNegative, y, x);
    if (withNoise)
      return c.replace({y, c.tensor("noise")});
    return c.replace(y);
  }
  if (failed(checkDraws(c)))
    return failure();
  // The framework rounds the number to its type and scales it in f64.
  Type f64 = b.getBuilder().getF64Type();
  Value u = b.convert(drawUniformFor(c, getSizes(x), type), type);
  Value slope =
      b.convert(transform(b, b.convert(u, f64), upper - lower, lower), type);
  Value y = b.select(isNegative, b.mul(x, slope), x);
  if (withNoise)
    return c.replace({y, b.select(isNegative, slope, b.scalar(1, type))});
  return c.replace(y);
}

//===----------------------------------------------------------------------===//
// Permutations and samples
//===----------------------------------------------------------------------===//

/// randperm: where random keys of 64 bits are when sorted.
static LogicalResult legalizeRandPerm(AtenCall &c) {
  if (c.resultType().getRank() != 1)
    return c.fail("its result is not a vector");
  if (failed(checkDraws(c)))
    return failure();
  OpBuilder &builder = c.b.getBuilder();
  Type ui64 = IntegerType::get(c.b.getContext(), 64, IntegerType::Unsigned);
  Value keys = c.b.convert(draw(c, Distribution::Bits, c.resultSizes(), ui64),
                           builder.getI64Type());
  auto sorted = SortOp::create(builder, c.b.getLoc(), keys, /*dim=*/0,
                               /*descending=*/false, /*stable=*/true);
  return c.replace(sorted.getIndices());
}

/// multinomial with replacement, of more than one number: the position of a
/// uniform number in the sums of probabilities.
static LogicalResult sampleWithReplacement(AtenCall &c, Value x,
                                           ExprAttr samples) {
  TensorBuilder &b = c.b;
  OpBuilder &builder = b.getBuilder();
  Type type = getElementType(x), i64 = builder.getI64Type();
  ExprAttr rows = getSizes(x)[0], categories = getSizes(x)[1];
  Value share = b.div(x, b.reduce(ReduceKind::Sum, x, {1}, /*keepdims=*/true));
  Value sums = b.convert(
      ScanOp::create(builder, b.getLoc(), ScanKind::Sum,
                     b.convert(share, getAccumulationType(type)), uint64_t(1))
          .getResult(),
      type);
  // A block of 128 threads draws for one row, and rows beyond those that a grid
  // has are drawn by the same threads again.
  constexpr int64_t kSampleThreads = 128, kMostRows = 65535;
  ExprAttr threads =
      sym::mul(sym::ceilDiv(samples, b.size(kSampleThreads)), kSampleThreads);
  Value u = drawUniform(c, {rows, threads}, b.size(1), kManyBlocks,
                        sym::ceilDiv(rows, b.size(kMostRows)));
  u = b.convert(b.slice(u, 1, b.size(0), samples), type);
  Value isBelow = b.compare(Pred::Lt, b.unsqueeze(sums, 1), b.unsqueeze(u, 2));
  Value choice = b.reduce(ReduceKind::Sum, b.convert(isBelow, i64), {2},
                          /*keepdims=*/false);
  // Rounding may leave the last sum below a number.
  choice = b.binary<MinimumOp>(choice, b.expr(sym::add(categories, -1), i64));
  // Categories without probability are never chosen.
  Value position = b.iota(0, 1, categories);
  Value possible = b.select(b.compare(Pred::Ne, x, b.scalar(0, type)), position,
                            b.scalar(builder.getI64IntegerAttr(0)));
  Value last =
      ScanOp::create(builder, b.getLoc(), ScanKind::Max, possible, uint64_t(1));
  Value result = GatherOp::create(builder, b.getLoc(),
                                  sym::getTensorType(getSizes(choice), i64),
                                  last, choice, /*dim=*/1);
  return c.replace(b.reshape(result, c.resultSizes()));
}

/// multinomial. Without replacement, and for one sample, the largest quotients
/// of the probabilities and exponential numbers.
static LogicalResult legalizeMultinomial(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.tensor("self");
  ExprAttr samples = c.getExpr("num_samples");
  if (!x || !samples || !isDrawnFloat(getElementType(x)))
    return c.fail("its probabilities are not floats or the number of samples "
                  "is not known");
  int64_t rank = getRank(x);
  if (rank != 1 && rank != 2)
    return c.fail("its probabilities are neither a vector nor a matrix");
  Sizes sizes = getSizes(x);
  ExprAttr categories = sizes.back();
  if (categories.isConstant(0) || samples.isConstant(0))
    return c.fail("there is nothing to sample");
  if (failed(checkDraws(c)))
    return failure();
  bool isSingle = samples.isConstant(1);
  if (c.boolOr("replacement", false) && !isSingle)
    return sampleWithReplacement(c, rank == 1 ? b.unsqueeze(x, 0) : x, samples);
  if (!isSingle && samples.isConstant() && categories.isConstant() &&
      samples.getValue() > categories.getValue())
    return c.fail("it takes more samples than there are categories, without "
                  "replacement");
  if (!isSingle && !c.getContext().isLessOrEqual(samples, categories))
    sym::AssertOp::create(b.getBuilder(), b.getLoc(), samples,
                          sym::Predicate::Le, categories,
                          b.getBuilder().getStringAttr(
                              "there are as many categories as samples that "
                              "are taken without replacement"));
  Type type = getElementType(x);
  Value q = b.convert(
      draw(c, Distribution::Exponential, sizes, getDrawnType(type)), type);
  Value ratio = b.div(x, q);
  if (isSingle)
    return c.replace(ArgReduceOp::create(b.getBuilder(), b.getLoc(),
                                         ReduceKind::Max, ratio, rank - 1,
                                         /*keepdims=*/true)
                         .getPositions());
  return c.replace(TopKOp::create(b.getBuilder(), b.getLoc(), ratio, samples,
                                  rank - 1, /*largest=*/true, /*sorted=*/true)
                       .getIndices());
}

void graph::populateDistributionLegalizations(AtenLegalizations &t) {
  t.add("rand rand.generator rand_like rand_like.generator uniform",
        legalizeUniform);
  t.add("bernoulli.p", legalizeBernoulli);
  t.add("bernoulli bernoulli.Tensor", legalizeBernoulliTensor);
  t.add("randint randint.generator randint.low randint.low_generator "
        "randint_like randint_like.generator randint_like.low_dtype "
        "randint_like.low_generator_dtype",
        integers("low", "high"));
  t.add("random.from random.to", integers("from", "to"));
  t.add("random", legalizeRandom);
  t.add("randn randn.generator randn_like randn_like.generator "
        "normal.float_float normal_functional",
        legalizeNormal);
  t.add("normal.Tensor_Tensor normal.Tensor_float normal.float_Tensor",
        legalizeNormalTensors);
  t.add("log_normal", legalizeLogNormal);
  t.add("exponential", legalizeExponential);
  t.add("cauchy", legalizeCauchy);
  t.add("geometric", legalizeGeometric);
  t.add("rrelu rrelu_with_noise_functional", legalizeRRelu);
  t.add("randperm randperm.generator", legalizeRandPerm);
  t.add("multinomial", legalizeMultinomial);
  t.add("randint_like.Tensor randint_like.Tensor_generator",
        legalizeRandIntTensor);
  t.add("rrelu_with_noise _fused_dropout", [](AtenCall &c) {
    return c.fail("random numbers of its distribution are not drawn");
  });
}
