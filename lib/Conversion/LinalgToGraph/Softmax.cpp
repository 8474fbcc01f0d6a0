//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax as an operation of its own.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;

namespace {

/// linalg.softmax → reductions and elementwise operators, as the framework's is
/// legalised. One that is spelled as generic operations needs no recognition:
/// fusion makes the same kernel of them.
struct RaiseSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || op->getNumResults() != 1 ||
        !isa<FloatType>(type.getElementType()) ||
        llvm::is_contained(sym::getSizes(type), sym::ExprAttr()) ||
        op.getInput().getType() != op->getResult(0).getType())
      return failure();
    graph::TensorBuilder b(rewriter, op.getLoc());
    Value x = b.convert(op.getInput(),
                        graph::getAccumulationType(type.getElementType()));
    Value y = b.softmax(x, static_cast<int64_t>(op.getDimension()));
    rewriter.replaceOp(op, b.convert(y, type.getElementType()));
    return success();
  }
};

} // namespace

void bridge::populateRaiseSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax>(patterns.getContext());
}
