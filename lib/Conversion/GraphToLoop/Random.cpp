//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using arith::FastMathFlags;
using graph::Distribution;
using sym::ExprAttr;

namespace {

/// graph.random_bits  →  loop.kernel { load, load, loop.index, loop.philox }
struct RandomBits : OpRewritePattern<graph::RandomBitsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::RandomBitsOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size());
    KernelBuilder k(rewriter, op.getLoc(), "random", dims, op.getState(),
                    op.getType());
    // Which thread of the framework's kernel draws the element, and when.
    ExprAttr element = sym::getAddress(ctx, k.dims(rank),
                                       sym::getContiguousStrides(ctx, dims));
    ExprAttr n = sym::product(ctx, dims);
    ExprAttr threads = graph::RandomBitsOp::getNumThreads(
        n, static_cast<int64_t>(op.getBlocks()));
    ExprAttr vector = op.getVector(), four = sym::constant(ctx, 4);
    ExprAttr group = sym::floorDiv(element, vector);
    ExprAttr word = sym::add(sym::mul(sym::floorDiv(group, threads),
                                      graph::RandomBitsOp::getNumWords(vector)),
                             sym::mod(element, vector));
    auto index = [&](ExprAttr e) -> Value {
      return loop::IndexOp::create(k.b, k.b.getI64Type(), e);
    };
    Value seed = k.load(0, sym::constant(ctx, 0));
    Value offset = k.load(0, sym::constant(ctx, 1));
    Value two = arith::ConstantOp::create(k.b, k.b.getI64IntegerAttr(2));
    Value begin = arith::ShRUIOp::create(k.b, offset, two);
    Value counter = arith::AddIOp::create(
        k.b, begin, index(sym::add(op.getSkip(), sym::floorDiv(word, four))));
    Value number = index(
        sym::add(sym::mul(sym::mod(group, threads), 4), sym::mod(word, four)));
    k.store(
        loop::PhiloxOp::create(k.b, k.b.getI32Type(), seed, counter, number), 0,
        k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// What one element of a `graph.random` is made of.
class Draw {
public:
  Draw(KernelBuilder &k, graph::RandomOp op, ArrayRef<ExprAttr> dims)
      : k(k), op(op), b(k.b) {
    MLIRContext *ctx = op.getContext();
    sym::Context context = ::coil::getContext(op, dims);
    ExprAttr element =
        sym::getAddress(ctx, k.dims(static_cast<unsigned>(dims.size())),
                        sym::getContiguousStrides(ctx, dims));
    ExprAttr threads = graph::RandomBitsOp::getNumThreads(
        sym::product(ctx, dims), static_cast<int64_t>(op.getBlocks()));
    ExprAttr each = sym::constant(ctx, op.getGroupSize());
    ExprAttr before = context.simplify(sym::floorDiv(element, threads));
    stream = context.simplify(sym::mod(element, threads));
    place = context.simplify(sym::mod(before, each));
    seed = k.load(0, sym::constant(ctx, 0));
    Value offset = k.load(0, sym::constant(ctx, 1));
    Value two = arith::ConstantOp::create(b, b.getI64IntegerAttr(2));
    Value begin = arith::ShRUIOp::create(b, offset, two);
    counter =
        arith::AddIOp::create(b, begin,
                              index(context.simplify(sym::add(
                                  op.getSkip(), sym::floorDiv(before, each)))));
    type = k.b.getF32Type();
    if (op.getGroupSize() == 2)
      type = k.b.getF64Type();
  }

  Value emit() {
    switch (op.getDistribution()) {
    case Distribution::Bits:
      return emitBits();
    case Distribution::Uniform:
      return emitUniform();
    case Distribution::Normal:
      return type.isF64() ? emitWideNormal() : emitNormal();
    case Distribution::Log:
      return log(emitUniform());
    case Distribution::Exponential:
      return emitExponential();
    case Distribution::Cauchy:
      return emitCauchy();
    }
    llvm_unreachable("all are handled");
  }

private:
  Value index(ExprAttr e) {
    return loop::IndexOp::create(b, b.getI64Type(), e);
  }
  Value number(double value) { return k.constant(type, value); }
  Value integer(Type of, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(of, value));
  }

  /// `count` words, a power of two, of the group from `first`, a multiple of
  /// `count`, on. That their numbers differ in low bits only shows that they
  /// are of one group, which is computed once.
  SmallVector<Value> words(ExprAttr first, unsigned count) {
    Value base = index(sym::add(sym::mul(stream, 4), first));
    SmallVector<Value> result;
    for (unsigned i = 0; i < count; ++i) {
      Value word = base;
      if (i > 0)
        word = arith::OrIOp::create(b, base, integer(b.getI64Type(), i));
      result.push_back(
          loop::PhiloxOp::create(b, b.getI32Type(), seed, counter, word));
    }
    return result;
  }

  /// The floats in (0, 1] of a word, or of two; times `scale`, a power of two.
  Value uniform(Value word, double scale = 1) {
    Value x = arith::UIToFPOp::create(b, type, word);
    x = arith::MulFOp::create(b, x, number(0x1p-32 * scale));
    return arith::AddFOp::create(b, x, number(0x1p-33 * scale));
  }
  Value uniform(Value low, Value high, double scale = 1) {
    Type i64 = b.getI64Type();
    Value shifted = arith::ShLIOp::create(
        b, arith::ExtUIOp::create(b, i64, high), integer(i64, 21));
    Value x =
        arith::XOrIOp::create(b, arith::ExtUIOp::create(b, i64, low), shifted);
    x = arith::SIToFPOp::create(b, type, x);
    x = arith::MulFOp::create(b, x, number(0x1p-53 * scale));
    return arith::AddFOp::create(b, x, number(0x1p-54 * scale));
  }

  Value emitUniform() {
    if (type.isF32())
      return uniform(words(place, 1)[0]);
    SmallVector<Value> w = words(sym::mul(place, 2), 2);
    return uniform(w[0], w[1]);
  }

  Value emitBits() {
    SmallVector<Value> w = words(sym::mul(place, 2), 2);
    Type i64 = b.getI64Type();
    Value high = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, w[0]),
                                       integer(i64, 32));
    return arith::OrIOp::create(b, high, arith::ExtUIOp::create(b, i64, w[1]));
  }

  /// The framework's kernels take approximate instructions for these functions
  /// of `f32`, but for the logarithm of normal numbers.
  FastMathFlags approximate() {
    return type.isF32() ? FastMathFlags::afn : FastMathFlags::none;
  }
  Value log(Value x) { return math::LogOp::create(b, x, approximate()); }

  /// `odd` for the second element of a pair, else `even`; only that which is
  /// needed, where the expression says so.
  Value choose(function_ref<Value()> even, function_ref<Value()> odd) {
    ExprAttr parity = sym::mod(place, sym::constant(op.getContext(), 2));
    if (std::optional<int64_t> known = parity.getConstant())
      return *known ? odd() : even();
    Value isOdd = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne, index(parity), integer(b.getI64Type(), 0));
    Value first = even();
    return arith::SelectOp::create(b, isOdd, odd(), first);
  }

  /// sqrt(-2 log u)
  Value radius(Value u) {
    Value l = math::LogOp::create(b, u);
    return math::SqrtOp::create(b, arith::MulFOp::create(b, number(-2), l));
  }

  Value emitNormal() {
    ExprAttr pair =
        sym::mul(sym::floorDiv(place, sym::constant(op.getContext(), 2)), 2);
    SmallVector<Value> w = words(pair, 2);
    Value r = radius(uniform(w[0]));
    // One rounding, as the framework's kernel has.
    constexpr float kStep = 0x1p-32F * 6.2831855F;
    Value angle = math::FmaOp::create(b, arith::UIToFPOp::create(b, type, w[1]),
                                      number(kStep), number(kStep / 2));
    Value wave =
        choose([&] { return math::SinOp::create(b, angle, approximate()); },
               [&] { return math::CosOp::create(b, angle, approximate()); });
    return arith::MulFOp::create(b, wave, r);
  }

  Value emitWideNormal() {
    SmallVector<Value> w = words(sym::constant(op.getContext(), 0), 4);
    Value r = radius(uniform(w[0], w[1]));
    // sin(pi v) and cos(pi v) for v in (0, 2], from an angle of at most a
    // quarter of pi: what is taken off is exact.
    Value v = uniform(w[2], w[3], /*scale=*/2);
    Value turns =
        math::RoundEvenOp::create(b, arith::MulFOp::create(b, v, number(2)));
    Value rest = arith::SubFOp::create(
        b, v, arith::MulFOp::create(b, turns, number(0.5)));
    Value angle = arith::MulFOp::create(b, rest, number(M_PI));
    Value sine = math::SinOp::create(b, angle);
    Value cosine = math::CosOp::create(b, angle);
    Type i64 = b.getI64Type();
    Value quarter = arith::FPToSIOp::create(b, i64, turns);
    auto hasBit = [&](Value x, int64_t bit) -> Value {
      return arith::CmpIOp::create(
          b, arith::CmpIPredicate::ne,
          arith::AndIOp::create(b, x, integer(i64, bit)), integer(i64, 0));
    };
    auto turned = [&](Value whole, Value other, Value negates) -> Value {
      Value x = arith::SelectOp::create(b, hasBit(quarter, 1), other, whole);
      return arith::SelectOp::create(b, negates, arith::NegFOp::create(b, x),
                                     x);
    };
    Value wave =
        choose([&] { return turned(sine, cosine, hasBit(quarter, 2)); },
               [&] {
                 Value next =
                     arith::AddIOp::create(b, quarter, integer(i64, 1));
                 return turned(cosine, sine, hasBit(next, 2));
               });
    return arith::MulFOp::create(b, wave, r);
  }

  Value emitExponential() {
    // Not zero, also where the logarithm of a number near 1 comes out as that.
    double epsilon = type.isF32() ? 0x1p-23 : 0x1p-52;
    Value u = emitUniform();
    Value isOne = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, u,
                                        number(1 - epsilon / 2));
    Value l = arith::SelectOp::create(b, isOne, number(-epsilon / 2), log(u));
    return arith::NegFOp::create(b, l);
  }

  Value emitCauchy() {
    Value u = emitUniform();
    if (type.isF32()) {
      // The quotient is infinite at the ends.
      constexpr double kEpsilon = 0x1p-23;
      u = arith::MinimumFOp::create(b, u, number(1 - kEpsilon));
      u = arith::MaximumFOp::create(b, u, number(kEpsilon));
    }
    Value angle = arith::MulFOp::create(
        b, number(M_PI), arith::SubFOp::create(b, u, number(0.5)));
    if (type.isF64())
      return math::TanOp::create(b, angle);
    return arith::DivFOp::create(
        b, math::SinOp::create(b, angle, approximate()),
        math::CosOp::create(b, angle, approximate()), approximate());
  }

  KernelBuilder &k;
  graph::RandomOp op;
  ImplicitLocOpBuilder &b;
  /// What words are converted to.
  Type type;
  /// Which thread draws the element, and which of its group it is.
  ExprAttr stream, place;
  Value seed, counter;
};

/// graph.random  →  loop.kernel { load, load, loop.index, loop.philox, ... }
struct Random : OpRewritePattern<graph::RandomOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::RandomOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelBuilder k(
        rewriter, op.getLoc(),
        ("random_" + stringifyDistribution(op.getDistribution())).str(), dims,
        op.getState(), op.getType());
    k.store(Draw(k, op, dims).emit(), 0,
            k.dims(static_cast<unsigned>(dims.size())));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void coil::populateRandomToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Random, RandomBits>(patterns.getContext());
}
