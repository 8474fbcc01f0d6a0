//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Histograms: sums of many elements at few positions, in several copies.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHPRIVATIZESCATTERPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The elements of a warp are in copies of their own, and two of them in
/// different copies of a line; more copies only cost their sum.
static constexpr int64_t kMinCopies = 32, kMaxCopies = 1024;
/// There are at least as many elements for each place of all copies.
static constexpr int64_t kElementsPerPlace = 8;

namespace {

struct PrivatizeIndexPut : OpRewritePattern<IndexPutOp> {
  PrivatizeIndexPut(MLIRContext *context, int64_t maxBytes)
      : OpRewritePattern(context), maxBytes(maxBytes) {}

  LogicalResult matchAndRewrite(IndexPutOp op,
                                PatternRewriter &rewriter) const override {
    Type type = getElementType(op.getResult());
    if (op.getKind() != ReduceKind::Sum ||
        !(type.isF32() || type.isF64() || type.isSignlessInteger(32) ||
          type.isSignlessInteger(64))) // (C1)
      return rewriter.notifyMatchFailure(op, "not a sum of 32 or 64 bits");
    Sizes places = getSizes(op.getInput()), values = getSizes(op.getValues());
    if (op.getDims().size() != places.size() || places.empty() ||
        values.size() != 1) // (C2)
      return rewriter.notifyMatchFailure(op, "positions are not single places");
    sym::Context context = sym::Context::forOp(op);
    int64_t count = context
                        .bounds(sym::getNumElements(
                            cast<RankedTensorType>(op.getInput().getType())))
                        .hi;
    // The most elements that there can be stand for those that there are.
    int64_t elements = context.bounds(values[0]).hi;
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    if (count < 1 || count > maxBytes / bytes / kMinCopies) // (C3)
      return rewriter.notifyMatchFailure(op, "too many places");
    auto copies = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(
        std::min({kMaxCopies, maxBytes / bytes / count,
                  elements / count / kElementsPerPlace}))));
    if (copies < kMinCopies) // (C4)
      return rewriter.notifyMatchFailure(op, "too few elements");
    TensorBuilder b(rewriter, op.getLoc());
    Sizes wide = places;
    wide.push_back(b.size(copies));
    Value zeros = b.full(rewriter.getZeroAttr(type), wide);
    SmallVector<Value> indices(op.getIndices());
    Type i64 = rewriter.getI64Type();
    indices.push_back(b.binary<RemainderOp>(
        b.iota(0, 1, values[0]), b.scalar(static_cast<double>(copies), i64)));
    SmallVector<int64_t> dims(op.getDims());
    dims.push_back(static_cast<int64_t>(places.size()));
    auto put = IndexPutOp::create(
        rewriter, op.getLoc(), zeros.getType(), op.getKindAttr(), zeros,
        indices, op.getValues(), rewriter.getDenseI64ArrayAttr(dims));
    Value sum = b.reduce(ReduceKind::Sum, put,
                         static_cast<int64_t>(places.size()), false);
    rewriter.replaceOp(op, b.add(op.getInput(), sum));
    return success();
  }

private:
  int64_t maxBytes;
};

struct GraphPrivatizeScatterPass
    : graph::impl::GraphPrivatizeScatterPassBase<GraphPrivatizeScatterPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PrivatizeIndexPut>(&getContext(), maxBytes);
    // New positions are no case of the pattern: each has its copies.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
