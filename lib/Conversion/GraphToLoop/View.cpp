//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views: operators that only say where an element comes from.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "coil/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;

template <typename Op>
static LogicalResult replaceByView(Op op, ArrayRef<ExprAttr> indices,
                                   PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<loop::ViewOp>(
      op, op.getType(), op.getInput(),
      sym::ShapeAttr::get(rewriter.getContext(), indices));
  return success();
}

namespace {

/// Cuts the row-major position in the result into an index of the operand.
/// Leading and trailing dimensions that do not change keep their index.
struct Reshape : OpRewritePattern<graph::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> from = getSizes(op.getInput()),
                          to = getSizes(op.getResult());
    sym::Context context = ::coil::getContext(op, to);
    SmallVector<ExprAttr> indices(from.size());
    size_t first = 0, fromEnd = from.size(), toEnd = to.size();
    while (first < fromEnd && first < toEnd && from[first] == to[first]) {
      indices[first] = sym::dim(ctx, static_cast<unsigned>(first));
      ++first;
    }
    while (fromEnd > first && toEnd > first &&
           from[fromEnd - 1] == to[toEnd - 1]) {
      --fromEnd, --toEnd;
      indices[fromEnd] = sym::dim(ctx, static_cast<unsigned>(toEnd));
    }
    ExprAttr position = sym::constant(ctx, 0);
    for (size_t i = first; i < toEnd; ++i)
      position = sym::add(sym::mul(position, to[i]),
                          sym::dim(ctx, static_cast<unsigned>(i)));
    position = context.simplify(position);
    for (size_t i = fromEnd; i-- > first;) {
      if (i == first) {
        indices[i] = position;
        break;
      }
      indices[i] = context.simplify(sym::mod(position, from[i]));
      position = context.simplify(sym::floorDiv(position, from[i]));
    }
    // A dimension of size one has only one position.
    for (size_t i = first; i < fromEnd; ++i)
      if (from[i].isConstant(1))
        indices[i] = sym::constant(ctx, 0);
    return replaceByView(op, indices, rewriter);
  }
};

struct Permute : OpRewritePattern<graph::PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::PermuteOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> indices(op.getPermutation().size());
    for (auto [i, p] : llvm::enumerate(op.getPermutation()))
      indices[p] = sym::dim(getContext(), static_cast<unsigned>(i));
    return replaceByView(op, indices, rewriter);
  }
};

struct Slice : OpRewritePattern<graph::SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(graph::SliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<ExprAttr> indices;
    for (auto [i, start, step] :
         llvm::enumerate(op.getStarts().getDims(), op.getSteps()))
      indices.push_back(sym::add(
          start,
          sym::mul(sym::dim(getContext(), static_cast<unsigned>(i)), step)));
    return replaceByView(op, indices, rewriter);
  }
};

} // namespace

void coil::populateViewToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Permute, Reshape, Slice>(patterns.getContext());
}
