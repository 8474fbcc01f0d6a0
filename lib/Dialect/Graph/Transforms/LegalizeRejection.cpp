//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of distributions that are drawn by rejection: a loop draws for
// all elements until each has accepted a number. Methods and constants are
// those of the framework's samplers (ATen/native/Distributions.h), in f64;
// numbers are not those of the framework, see docs/concepts/Random.md.
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"
#include "TensorMath.h"

#include <array>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

namespace {

/// Four uniform numbers in (0, 1) for each element, `f64` made of words of 32
/// bits.
using Uniforms = std::array<std::optional<Num>, 4>;

/// What a round makes of the values that it carries and its numbers: whether an
/// element is done, and the next values.
using Round =
    llvm::function_ref<Num(MutableArrayRef<Num> values, const Uniforms &u)>;

} // namespace

/// A state for round number `round`: further than what others may draw, so that
/// rounds have numbers of their own however many there are.
static Value stateOfRound(TensorBuilder &b, Value state, Value round) {
  Positions p(b);
  constexpr int64_t kWordsOfRound = int64_t(1) << 40;
  Num step = p.iota(b.size(2)) * p.number(kWordsOfRound);
  return b.add(state, step * Num(b, round));
}

static Uniforms makeUniforms(TensorBuilder &b, const GroupDraw &draw,
                             Value state, SizesRef sizes) {
  Num words(b, drawGroups(b, draw, state, sizes));
  Uniforms u;
  for (int64_t i = 0; i < 4; ++i) {
    Num word(b, b.at(words, static_cast<int64_t>(sizes.size()), b.size(i)));
    u[i] = (word.to(b.getBuilder().getF64Type()) + 0.5) * 0x1p-32;
  }
  return u;
}

/// Repeats a round until no element is open, and returns the values. Those of
/// elements that are not open stay as they are. `groups` is how far the
/// framework moves the state.
static SmallVector<Num> repeat(AtenCall &c, Num open, ArrayRef<Num> values,
                               int64_t groups, Round round) {
  TensorBuilder &b = c.b;
  OpBuilder &builder = b.getBuilder();
  Sizes sizes = getSizes(open);
  GroupDraw draw = takeGroups(c, b.size(groups));
  SmallVector<Value> inits = {Positions(b).number(0), open};
  llvm::append_range(inits, values);
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locs(types.size(), b.getLoc());
  auto loop = WhileOp::create(builder, b.getLoc(), types, inits);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *condition =
        builder.createBlock(&loop.getCondition(), {}, types, locs);
    ConditionOp::create(builder, b.getLoc(),
                        b.reduce(ReduceKind::Any, condition->getArgument(1),
                                 allDims(open), /*keepdims=*/false));
    Block *body = builder.createBlock(&loop.getBody(), {}, types, locs);
    Num number(b, body->getArgument(0)), isOpen(b, body->getArgument(1));
    SmallVector<Num> next;
    for (Value argument : body->getArguments().drop_front(2))
      next.push_back({b, argument});
    SmallVector<Num> before = next;
    Uniforms u =
        makeUniforms(b, draw, stateOfRound(b, draw.state, number), sizes);
    Num done = round(next, u);
    SmallVector<Value> yielded = {number + 1, isOpen & !done};
    for (auto [old, now] : llvm::zip(before, next))
      yielded.push_back(select(isOpen, now, old));
    YieldOp::create(builder, b.getLoc(), yielded);
  }
  SmallVector<Num> results;
  for (Value result : loop.getResults().drop_front(2))
    results.push_back({b, result});
  return results;
}

/// `v` for every element of the result.
static Num constant(AtenCall &c, double v) {
  return {c.b, filled(c.b, v, c.b.getBuilder().getF64Type(), c.resultSizes())};
}

/// An operand in `f64` with the sizes of the result; null when missing.
static Num spread(AtenCall &c, StringRef name) {
  Value x = c.operand(name, c.b.getBuilder().getF64Type());
  return {c.b, x ? c.broadcastTo(x, c.resultSizes()) : x};
}

static Num logGamma(Num x) {
  return {*x.b, x.b->special(loop::SpecialFunction::LGamma, x.value)};
}

//===----------------------------------------------------------------------===//
// Poisson
//===----------------------------------------------------------------------===//

/// poisson: below 10 uniform numbers are multiplied until the product is small,
/// else Hoermann's transformed rejection (PTRS). The framework moves its state
/// by 20 numbers. Of rates that are negative or NaN, which it refuses, results
/// are NaN.
static LogicalResult legalizePoisson(AtenCall &c) {
  Num rate = spread(c, "self");
  if (!rate.value || !isDrawnFloat(c.resultElementType()))
    return c.fail("its rates are not floats of 16 to 64 bits");
  if (failed(checkDraws(c)))
    return failure();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Num open = (rate > 0) & (rate < kInfinity);
  Num start = select(open, constant(c, 0), rate);
  start = select(rate < 0, NAN, start);
  Num root = sqrt(rate), limit = exp(-rate);
  Num b = 2.53 * root + 0.931, a = b * 0.02483 - 0.059;
  Num inverseAlpha = 1.1328 / (b - 3.4) + 1.1239,
      vr = 0.9277 - 3.6224 / (b - 2);
  Num isSmall = rate < 10, logRate = log(rate);
  Num values[] = {start, constant(c, 1)};
  auto round = [&](MutableArrayRef<Num> v, const Uniforms &u) {
    Num product = v[1] * *u[0];
    Num goesOn = product > limit;
    Num x = *u[0] - 0.5, y = *u[1], us = 0.5 - abs(x);
    Num k = floor((2 * a / us + b) * x + rate + 0.43);
    Num isSure = (us >= 0.07) & (y <= vr);
    Num isImpossible = (k < 0) | ((us < 0.013) & (y > us));
    Num isAccepted = log(y) + log(inverseAlpha) - log(a / (us * us) + b) <=
                     k * logRate - rate - logGamma(k + 1);
    Num done = select(isSmall, !goesOn, isSure | (!isImpossible & isAccepted));
    v[0] =
        select(isSmall, select(goesOn, v[0] + 1, v[0]), select(done, k, v[0]));
    v[1] = product;
    return done;
  };
  constexpr int64_t kGroups = 5;
  return c.replace(repeat(c, open, values, kGroups, round).front());
}

//===----------------------------------------------------------------------===//
// Binomial
//===----------------------------------------------------------------------===//

/// log(k!) less Stirling's approximation of it: a series, which differs from it
/// by less than 1e-9 from 10 on, and where it is small the difference itself.
static Num stirlingTail(Num k) {
  constexpr double kHalfLogTwoPi = 0.9189385332046727;
  Num wide = k + 1, square = wide * wide;
  Num exact = logGamma(wide) - ((k + 0.5) * log(wide) - wide + kHalfLogTwoPi);
  Num series = (1. / 12 - (1. / 360 - (1. / 1260) / square) / square) / wide;
  return select(k < 10, exact, series);
}

/// binomial: for few successes the geometric numbers of failures between them
/// are summed, else Hoermann's transformed rejection (BTRS), of the less likely
/// outcome. The framework moves its state by 42 numbers.
static LogicalResult legalizeBinomial(AtenCall &c) {
  Num count = spread(c, "count"), p = spread(c, "prob");
  if (!count.value || !p.value || !isDrawnFloat(c.resultElementType()))
    return c.fail("its operands are not floats of 16 to 64 bits");
  if (failed(checkDraws(c)))
    return failure();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Num open = (count > 0) & (count < kInfinity) & (p > 0) & (p < 1);
  Num start = select((count <= 0) | (p <= 0), 0,
                     select(p >= 1, count, constant(c, NAN)));
  Num isFlipped = p > 0.5, q = select(isFlipped, 1 - p, p);
  Num isLarge = count * q >= 10;
  Num logFailure = Num(c.b, c.b.unary<Log1pOp>(-q));
  Num deviation = sqrt(count * q * (1 - q));
  Num b = deviation * 2.53 + 1.15, a = b * 0.0248 + q * 0.01 - 0.0873;
  Num middle = count * q + 0.5, vr = 0.92 - 4.2 / b, odds = q / (1 - q);
  Num alpha = (5.1 / b + 2.83) * deviation, m = floor((count + 1) * q);
  Num zero = constant(c, 0);
  Num values[] = {select(open, zero, start), zero};
  auto round = [&](MutableArrayRef<Num> v, const Uniforms &u) {
    Num sum = v[1] + Num(c.b, c.b.unary<CeilOp>(log(*u[0]) / logFailure));
    Num goesOn = sum <= count;
    Num x = *u[0] - 0.5, y = *u[1], us = 0.5 - abs(x);
    Num k = floor((2 * a / us + b) * x + middle);
    Num isSure = (us >= 0.07) & (y <= vr);
    Num isPossible = (k >= 0) & (k <= count);
    Num bound = (m + 0.5) * log((m + 1) / (odds * (count - m + 1))) +
                (count + 1) * log((count - m + 1) / (count - k + 1)) +
                (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) +
                stirlingTail(m) + stirlingTail(count - m) - stirlingTail(k) -
                stirlingTail(count - k);
    Num isAccepted = log(y * alpha / (a / (us * us) + b)) <= bound;
    Num done = select(isLarge, isSure | (isPossible & isAccepted), !goesOn);
    v[0] =
        select(isLarge, select(done, k, v[0]), select(goesOn, v[0] + 1, v[0]));
    v[1] = sum;
    return done;
  };
  constexpr int64_t kGroups = 11;
  Num drawn = repeat(c, open, values, kGroups, round).front();
  return c.replace(select(open & isFlipped, count - drawn, drawn));
}

//===----------------------------------------------------------------------===//
// Gamma
//===----------------------------------------------------------------------===//

/// Gamma numbers by Marsaglia and Tsang's method; of shapes below one, those of
/// a shape larger by one times a power of a uniform number. The framework moves
/// its state by 10 numbers.
static Num drawGamma(AtenCall &c, Num shape) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Num open = (shape > 0) & (shape < kInfinity);
  Num isSmall = shape < 1, wide = select(isSmall, shape + 1, shape);
  Num d = wide - 1.0 / 3, factor = 1 / sqrt(d * 9);
  Num start = select(open, constant(c, 0), shape);
  start = select(shape < 0, NAN, start);
  Num values[] = {start};
  auto round = [&](MutableArrayRef<Num> v, const Uniforms &u) {
    constexpr double kTwoPi = 6.283185307179586;
    Num x = sqrt(log(*u[0]) * -2.0) * (*u[1] * kTwoPi).unary<CosOp>();
    Num y = factor * x + 1, cube = y * y * y, square = x * x;
    Num isSure = *u[2] < 1 - square * square * 0.0331;
    Num isAccepted = log(*u[2]) < square * 0.5 + d * (1 - cube + log(cube));
    Num scale = select(isSmall, exp(log(*u[3]) / shape), 1);
    v[0] = scale * d * cube;
    return (y > 0) & (isSure | isAccepted);
  };
  constexpr int64_t kGroups = 3;
  return repeat(c, open, values, kGroups, round).front();
}

/// The least positive normal number of a float type.
static double leastNormal(Type type) {
  APFloat least =
      APFloat::getSmallestNormalized(cast<FloatType>(type).getFloatSemantics());
  bool lossy;
  least.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return least.convertToDouble();
}

/// _standard_gamma
static LogicalResult legalizeGamma(AtenCall &c) {
  Num shape = spread(c, "self");
  if (!shape.value || !isDrawnFloat(c.resultElementType()))
    return c.fail("its shapes are not floats of 16 to 64 bits");
  if (failed(checkDraws(c)))
    return failure();
  return c.replace(
      max(drawGamma(c, shape), leastNormal(c.resultElementType())));
}

/// _sample_dirichlet: gamma numbers over their sums along the last dimension,
/// between zero and one exclusively.
static LogicalResult legalizeDirichlet(AtenCall &c) {
  Num shape = spread(c, "self");
  int64_t rank = c.resultType().getRank();
  if (!shape.value || !isDrawnFloat(c.resultElementType()) || rank == 0)
    return c.fail("its shapes are not floats of 16 to 64 bits, or a scalar");
  if (failed(checkDraws(c)))
    return failure();
  auto type = cast<FloatType>(c.resultElementType());
  double most = 1 - std::ldexp(1.0, -int(type.getFPMantissaWidth()));
  Num gamma = max(drawGamma(c, shape), leastNormal(type));
  Num share = gamma / gamma.reduce(ReduceKind::Sum, {rank - 1}, true);
  return c.replace(min(max(share, leastNormal(type)), most));
}

void graph::populateRejectionLegalizations(AtenLegalizations &t) {
  t.add("poisson", legalizePoisson);
  t.add("binomial", legalizeBinomial);
  t.add("_standard_gamma", legalizeGamma);
  t.add("_sample_dirichlet", legalizeDirichlet);
}
