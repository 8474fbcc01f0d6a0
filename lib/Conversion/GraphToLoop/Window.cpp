//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolution and pooling.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using loop::ReduceKind;
using sym::ExprAttr;

/// Position `out * stride + k * dilation - padding` in the input.
static ExprAttr windowIndex(ExprAttr out, ExprAttr k, int64_t stride,
                            int64_t dilation, int64_t padding) {
  return sym::add(sym::add(sym::mul(out, stride), sym::mul(k, dilation)),
                  -padding);
}

namespace {

/// graph.conv  →  loop.kernel { masked load, load, mul, loop.reduce sum, store
/// }
struct Conv : OpRewritePattern<graph::ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ConvOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> input = getSizes(op.getInput()),
                          weight = getSizes(op.getWeight()),
                          dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size()), spatial = rank - 2;
    bool last = op.getChannelsLast();
    // Kernel dimensions: n, o, out..., then reduced: c, kernel...; or with the
    // channels behind the others.
    dims.append(weight.begin() + 1, weight.end());
    unsigned channelAt = last ? rank - 1 : 1, spaceAt = last ? 1 : 2;
    sym::Context context = ::coil::getContext(op, dims);
    KernelBuilder k(rewriter, op.getLoc(), "conv", dims,
                    {op.getInput(), op.getWeight()}, op.getType());
    ExprAttr o = sym::dim(ctx, channelAt),
             c = sym::dim(ctx, rank + channelAt - 1);
    ExprAttr channel = c;
    int64_t groups = static_cast<int64_t>(op.getGroups());
    if (groups != 1) {
      ExprAttr perGroup = sym::floorDiv(weight[0], sym::constant(ctx, groups));
      channel =
          sym::add(sym::mul(sym::floorDiv(o, perGroup), weight[channelAt]), c);
    }
    SmallVector<ExprAttr> at{sym::dim(ctx, 0)}, weightAt{o};
    Value mask;
    for (unsigned i = 0; i < spatial; ++i) {
      ExprAttr position = sym::dim(ctx, rank + spaceAt - 1 + i);
      at.push_back(windowIndex(sym::dim(ctx, spaceAt + i), position,
                               op.getStride()[i], op.getDilation()[i],
                               op.getPadding()[i]));
      weightAt.push_back(position);
      mask = k.conjunction(mask,
                           k.inRange(at.back(), input[spaceAt + i], context));
    }
    at.insert(at.begin() + channelAt, channel);
    weightAt.insert(weightAt.begin() + channelAt, c);
    Type scalar = getScalarType(op.getResult());
    Value zero = mask ? k.constant(scalar, 0) : Value();
    Value x = k.toCompute(k.load(0, at, mask, zero));
    Value w = k.toCompute(k.load(1, weightAt));
    Value product = k.productToSum(x, w);
    SmallVector<int64_t> reduced;
    for (unsigned d = rank; d < dims.size(); ++d)
      reduced.push_back(d);
    Value sum = loop::ReduceOp::create(k.b, ReduceKind::Sum, product, reduced,
                                       op.getTf32());
    k.store(k.fromCompute(sum, scalar), 0, k.dims(rank));
    k.kernel.setConvAttr(loop::ConvAttr::get(
        ctx, op.getStride(), op.getPadding(), op.getDilation(), groups, last));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// graph.pool  →  loop.kernel { masked load, loop.reduce, store }
struct Pool : OpRewritePattern<graph::PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::PoolOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> input = getSizes(op.getInput()),
                          dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size()), spatial = rank - 2;
    for (int64_t size : op.getKernel())
      dims.push_back(sym::constant(ctx, size));
    sym::Context context = ::coil::getContext(op, dims);
    bool isMax = op.getKind() == graph::PoolKind::Max;
    KernelBuilder k(rewriter, op.getLoc(), isMax ? "max_pool" : "avg_pool",
                    dims, op.getInput(), op.getType());
    bool last = op.getChannelsLast();
    unsigned channelAt = last ? rank - 1 : 1, spaceAt = last ? 1 : 2;
    SmallVector<ExprAttr> at{sym::dim(ctx, 0)};
    // `mask`: the position exists; `counted`: it counts for the average.
    Value mask, counted;
    int64_t windowSize = 1;
    for (unsigned i = 0; i < spatial; ++i) {
      ExprAttr size = input[spaceAt + i];
      ExprAttr index = windowIndex(sym::dim(ctx, spaceAt + i),
                                   sym::dim(ctx, rank + i), op.getStride()[i],
                                   op.getDilation()[i], op.getPadding()[i]);
      at.push_back(index);
      mask = k.conjunction(mask, k.inRange(index, size, context));
      windowSize *= op.getKernel()[i];
      // A window cut off by ceiling mode ends with the padding.
      ExprAttr padded = sym::add(index, op.getPadding()[i]);
      ExprAttr limit = sym::add(size, 2 * op.getPadding()[i]);
      counted = k.conjunction(counted, k.inRange(padded, limit, context));
    }
    at.insert(at.begin() + channelAt, sym::dim(ctx, channelAt));
    SmallVector<int64_t> reduced;
    for (unsigned d = rank; d < dims.size(); ++d)
      reduced.push_back(d);
    Type element = op.getInput().getType().getElementType();
    Type scalar = getScalarType(op.getResult());
    if (isMax) {
      Value other;
      if (mask) {
        if (auto f = dyn_cast<FloatType>(scalar))
          other = k.constant(cast<TypedAttr>(k.b.getFloatAttr(
              f, APFloat::getInf(f.getFloatSemantics(), /*Negative=*/true))));
        else
          other = k.constant(cast<TypedAttr>(k.b.getIntegerAttr(
              scalar,
              element.isUnsignedInteger()
                  ? APInt::getZero(scalar.getIntOrFloatBitWidth())
                  : APInt::getSignedMinValue(scalar.getIntOrFloatBitWidth()))));
      }
      Value v = k.toCompute(k.load(0, at, mask, other));
      Value m = loop::ReduceOp::create(
          k.b, element.isUnsignedInteger() ? ReduceKind::UMax : ReduceKind::Max,
          v, reduced);
      k.store(k.fromCompute(m, scalar), 0, k.dims(rank));
      rewriter.replaceOp(op, k.kernel);
      return success();
    }
    Value zero = mask ? k.constant(scalar, 0) : Value();
    Value v = k.toCompute(k.load(0, at, mask, zero));
    Type compute = v.getType();
    bool isFloat = isa<FloatType>(compute);
    Value sum = loop::ReduceOp::create(k.b, ReduceKind::Sum, v, reduced);
    Value valid = op.getCountPadding() ? counted : mask;
    Value divisor;
    if (IntegerAttr given = op.getDivisorAttr()) {
      // It may be negative. (The accessor without `Attr` is unsigned.)
      int64_t value = given.getInt();
      if (!isFloat && !element.isUnsignedInteger() && value == -1) {
        // The least integer has no quotient by it, and traps.
        sum = arith::SubIOp::create(k.b, k.constant(compute, 0), sum);
        value = 1;
      }
      divisor =
          isFloat
              ? k.constant(compute, static_cast<double>(value))
              : k.constant(cast<TypedAttr>(k.b.getIntegerAttr(
                    compute,
                    APInt(64, static_cast<uint64_t>(value), /*isSigned=*/true)
                        .sextOrTrunc(compute.getIntOrFloatBitWidth()))));
    } else if (!valid) {
      divisor = k.constant(compute, static_cast<double>(windowSize));
    } else {
      Value one = k.constant(compute, 1), none = k.constant(compute, 0);
      Value unit = arith::SelectOp::create(k.b, valid, one, none);
      divisor = loop::ReduceOp::create(k.b, ReduceKind::Sum, unit, reduced);
      // Lanes beyond the last window count nothing; they must not trap.
      if (!isFloat)
        divisor = arith::MaxUIOp::create(k.b, divisor, one);
    }
    Value mean;
    if (isFloat)
      mean = arith::DivFOp::create(k.b, sum, divisor);
    else if (element.isUnsignedInteger())
      mean = arith::DivUIOp::create(k.b, sum, divisor);
    else
      mean = arith::DivSIOp::create(k.b, sum, divisor);
    k.store(k.fromCompute(mean, scalar), 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void coil::populateWindowToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Conv, Pool>(patterns.getContext());
}
