//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting and selecting, which are calls of a library.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

using namespace mlir;
using namespace coil;

namespace {

/// graph.sort library "l"  →  loop.sort "l"
struct Sort : OpRewritePattern<graph::SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::SortOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLibrary())
      return failure();
    rewriter.replaceOpWithNewOp<loop::SortOp>(
        op, op.getResultTypes(), op.getLibraryAttr(), op.getInput(),
        op.getDimAttr(), op.getDescendingAttr(), /*unordered=*/nullptr);
    return success();
  }
};

/// graph.topk library "l"  →  loop.sort "l" with fewer results
struct TopK : OpRewritePattern<graph::TopKOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::TopKOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLibrary())
      return failure();
    rewriter.replaceOpWithNewOp<loop::SortOp>(
        op, op.getResultTypes(), op.getLibraryAttr(), op.getInput(),
        op.getDimAttr(), op.getLargestAttr(),
        op.getSorted() ? UnitAttr() : rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void coil::populateSortToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Sort, TopK>(patterns.getContext());
}
