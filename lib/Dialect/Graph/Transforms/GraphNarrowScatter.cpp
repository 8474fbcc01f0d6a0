//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums at positions in the 16-bit type of their operand.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHNARROWSCATTERPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;

namespace {

/// convert(index_put sum convert(x), values)  →  index_put sum x, values
struct NarrowIndexPut : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    Type type = getElementType(op.getResult());
    if (!type.isBF16() && !type.isF16())
      return rewriter.notifyMatchFailure(op, "not a 16-bit float");
    auto put = op.getInput().getDefiningOp<IndexPutOp>();
    if (!put || put.getKind() != ReduceKind::Sum ||
        !getElementType(put.getResult()).isF32())
      return rewriter.notifyMatchFailure(op, "not a sum of f32 at positions");
    if (!put->hasOneUse()) // (C1)
      return rewriter.notifyMatchFailure(op, "the sum has other readers");
    auto extended = put.getInput().getDefiningOp<ConvertOp>();
    if (!extended || getElementType(extended.getInput()) != type) // (C2)
      return rewriter.notifyMatchFailure(op, "the operand was not extended");
    int64_t inner =
        cast<RankedTensorType>(put.getInput().getType()).getRank() - 1;
    if (llvm::is_contained(put.getDims(), inner)) // (C3)
      return rewriter.notifyMatchFailure(op, "elements lie apart");
    TensorBuilder b(rewriter, put.getLoc());
    // A conversion may broadcast, too.
    auto narrow = [&](Value v) -> Value {
      auto widened = v.getDefiningOp<ConvertOp>();
      return widened && getElementType(widened.getInput()) == type
                 ? b.broadcast(widened.getInput(), getSizes(v))
                 : b.convert(v, type);
    };
    auto narrowed = IndexPutOp::create(
        rewriter, put.getLoc(), sym::getTensorType(getSizes(put), type),
        put.getKindAttr(), narrow(put.getInput()), put.getIndices(),
        narrow(put.getValues()), put.getDimsAttr());
    rewriter.replaceOp(op, b.broadcast(narrowed, getSizes(op.getResult())));
    return success();
  }
};

struct GraphNarrowScatterPass
    : graph::impl::GraphNarrowScatterPassBase<GraphNarrowScatterPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowIndexPut>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
