//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pattern families of the conversion, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_TOSATOGRAPH_POPULATEPATTERNS_H
#define COIL_LIB_CONVERSION_TOSATOGRAPH_POPULATEPATTERNS_H

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/PatternMatch.h"

namespace coil::tosa_bridge {

/// Whether all tensors of an operation are tensors of `graph`.
bool hasGraphTypes(mlir::Operation *op);

/// The one number that a literal has, as an operand that is a scalar is
/// written; null for others.
mlir::TypedAttr getScalar(mlir::Value v);
/// Whether `v` is a literal of zeros.
bool isZero(mlir::Value v);
/// The numbers of a `tosa.const_shape`.
std::optional<llvm::SmallVector<int64_t>> getShape(mlir::Value v);

/// Replaces `Op` by what `lower` gives for it; where that is null, the
/// operation is left to upstream's conversion.
template <typename Op>
struct Lower : mlir::OpRewritePattern<Op> {
  using Fn = mlir::Value (*)(Op, graph::TensorBuilder &);
  Lower(mlir::MLIRContext *context, Fn lower)
      : mlir::OpRewritePattern<Op>(context), lower(lower) {}

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!hasGraphTypes(op))
      return mlir::failure();
    graph::TensorBuilder b(rewriter, op.getLoc());
    mlir::Value v = lower(op, b);
    if (!v)
      return mlir::failure();
    rewriter.replaceOp(op, b.castSizes(v, graph::getSizes(op->getResult(0))));
    return mlir::success();
  }

  Fn lower;
};

template <typename Op>
void add(mlir::RewritePatternSet &patterns, typename Lower<Op>::Fn lower) {
  patterns.add<Lower<Op>>(patterns.getContext(), lower);
}

void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
void populateWindowPatterns(mlir::RewritePatternSet &patterns);
void populateDataPatterns(mlir::RewritePatternSet &patterns);

} // namespace coil::tosa_bridge

#endif // COIL_LIB_CONVERSION_TOSATOGRAPH_POPULATEPATTERNS_H
