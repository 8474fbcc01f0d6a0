//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over ranges of rows.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Segment.h"
#include "coil/Dialect/Loop/IR/RowOps.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;

namespace {

/// graph.segment_reduce  →  loop.kernel { load, load, loop.segment_sum, store }
struct SegmentReduce : OpRewritePattern<graph::SegmentReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::SegmentReduceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    unsigned rank = static_cast<unsigned>(dims.size());
    SmallVector<Value> inputs{op.getInput(), op.getLo(), op.getHi()};
    if (op.getPositions())
      inputs.push_back(op.getPositions());
    unsigned init = static_cast<unsigned>(inputs.size());
    if (op.getInit())
      inputs.push_back(op.getInit());
    KernelBuilder k(rewriter, op.getLoc(), "segment_sum", dims, inputs,
                    op.getType());
    ExprAttr row = sym::dim(getContext(), 0);
    Value lo = k.load(1, row), hi = k.load(2, row);
    SmallVector<ExprAttr> index = k.dims(rank);
    index[0] = sym::arg(getContext(), 0);
    Region &body = k.kernel.getBody();
    Value sum = loop::SegmentSumOp::create(
        k.b, getScalarType(op.getResult()), body.getArgument(0),
        sym::ShapeAttr::get(getContext(), index), lo, hi,
        op.getPositions() ? body.getArgument(3) : Value(),
        op.getInit() ? k.load(init, k.dims(rank)) : Value());
    k.store(sum, 0, k.dims(rank));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void coil::populateSegmentToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<SegmentReduce>(patterns.getContext());
}
