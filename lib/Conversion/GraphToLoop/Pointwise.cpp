//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operators.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;

namespace {

/// graph.add %a, %b  →  loop.kernel { load, load, arith.addf, store }
struct Elementwise : OpInterfaceRewritePattern<graph::ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(graph::ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, graph::buildElementwiseKernel(op, rewriter));
    return success();
  }
};

/// Broadcasting is a view.
struct Broadcast : OpRewritePattern<graph::BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> position;
    for (size_t i = 0, n = getSizes(op.getResult()).size(); i < n; ++i)
      position.push_back(sym::dim(getContext(), static_cast<unsigned>(i)));
    rewriter.replaceOpWithNewOp<loop::ViewOp>(
        op, op.getType(), op.getInput(),
        sym::ShapeAttr::get(
            getContext(),
            graph::getBroadcastIndex(getSizes(op.getInput()), position)));
    return success();
  }
};

} // namespace

void coil::populatePointwiseToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Broadcast, Elementwise>(patterns.getContext());
}
