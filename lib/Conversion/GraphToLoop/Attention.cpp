//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention that a library computes.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;

namespace {

/// graph.attention library "l"  →  loop.attention "l", loop.view
struct Attention : OpRewritePattern<graph::AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::AttentionOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *ctx = getContext();
    if (!op.getLibrary() || op.getType().getRank() != 4)
      return failure();
    Location loc = op.getLoc();
    Type element = op.getType().getElementType();
    SmallVector<ExprAttr> sizes = getSizes(op.getResult());
    auto dims = [&](std::initializer_list<unsigned> positions) {
      SmallVector<ExprAttr> result;
      for (unsigned position : positions)
        result.push_back(sym::dim(ctx, position));
      return sym::ShapeAttr::get(ctx, result);
    };
    Value mask = op.getMask();
    if (mask) {
      // Where it does not vary it is read again.
      SmallVector<ExprAttr> scores = getSizes(op.getQuery()),
                            have = getSizes(mask), indices;
      scores[3] = getSizes(op.getKey())[2];
      unsigned missing = 4 - static_cast<unsigned>(have.size());
      for (unsigned i = 0; i < have.size(); ++i)
        indices.push_back(have[i].isConstant(1) ? sym::constant(ctx, 0)
                                                : sym::dim(ctx, i + missing));
      mask = loop::ViewOp::create(rewriter, loc,
                                  sym::getTensorType(scores, element), mask,
                                  sym::ShapeAttr::get(ctx, indices));
    }
    SmallVector<ExprAttr> stored{sizes[0], sizes[2], sizes[1], sizes[3]};
    Value result = loop::AttentionOp::create(
        rewriter, loc, sym::getTensorType(stored, element), op.getLibraryAttr(),
        op.getQuery(), op.getKey(), op.getValue(), mask, op.getCausalAttr(),
        op.getScaleAttr());
    rewriter.replaceOpWithNewOp<loop::ViewOp>(op, op.getType(), result,
                                              dims({0, 2, 1, 3}));
    return success();
  }
};

} // namespace

void coil::populateAttentionToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Attention>(patterns.getContext());
}
