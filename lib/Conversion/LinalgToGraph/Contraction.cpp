//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions in every spelling: named, batched, transposed, generic.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using graph::Sizes;

namespace {

/// linalg.matmul, linalg.batch_matmul, linalg.matvec, linalg.generic, ... →
/// graph.matmul between views
struct RaiseContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// What the loops that are dimensions of a tensor have in common.
static graph::Sizes getLoopSizes(Value tensor, ArrayRef<unsigned> from,
                                 ArrayRef<unsigned> loops) {
  Sizes all = graph::getSizes(tensor), result;
  for (unsigned loop : loops)
    result.push_back(
        all[static_cast<size_t>(llvm::find(from, loop) - from.begin())]);
  return result;
}

LogicalResult
RaiseContraction::matchAndRewrite(linalg::LinalgOp op,
                                  PatternRewriter &rewriter) const {
  std::optional<ProductSum> sum = matchProductSum(op);
  if (!sum)
    return failure();
  std::optional<ProductTypes> types = getProductTypes(*sum);
  auto loopsOf = [&](OpOperand *operand) {
    return getLoops(op.getMatchingIndexingMap(operand));
  };
  std::optional<SmallVector<unsigned>> lhs = loopsOf(sum->lhs),
                                       rhs = loopsOf(sum->rhs),
                                       out = loopsOf(sum->init);
  if (!types || !lhs || !rhs || !out)
    return failure();
  // Loops by the operands that walk them. (`inferContractionDims` wants rows
  // and columns; a product with a vector has one of them.)
  SmallVector<unsigned> batch, rows, columns, inner;
  for (unsigned loop : *out) {
    bool left = llvm::is_contained(*lhs, loop),
         right = llvm::is_contained(*rhs, loop);
    if (!left && !right)
      return failure();
    (left && right ? batch : left ? rows : columns).push_back(loop);
  }
  for (unsigned loop : *lhs) {
    if (llvm::is_contained(*out, loop))
      continue;
    if (!llvm::is_contained(*rhs, loop))
      return failure();
    inner.push_back(loop);
  }
  if (inner.empty() || llvm::any_of(*rhs, [&](unsigned loop) {
        return !llvm::is_contained(*out, loop) &&
               !llvm::is_contained(inner, loop);
      }))
    return failure();
  // The result's last loop is its columns, so that no transpose is behind it.
  if (!columns.empty() && llvm::is_contained(rows, out->back())) {
    std::swap(sum->lhs, sum->rhs);
    std::swap(lhs, rhs);
    std::swap(rows, columns);
  }

  graph::TensorBuilder b(rewriter, op.getLoc());
  auto sizesOf = [&](OpOperand *operand, ArrayRef<unsigned> from,
                     ArrayRef<unsigned> loops) {
    return getLoopSizes(operand->get(), from, loops);
  };
  auto product = [&](const Sizes &sizes) {
    return sym::product(getContext(), sizes);
  };
  Sizes result = sizesOf(sum->init, *out, batch);
  // Both factors have the sizes that the result has along shared loops.
  auto factor = [&](OpOperand *operand, ArrayRef<unsigned> from,
                    ArrayRef<unsigned> first, ArrayRef<unsigned> second) {
    SmallVector<unsigned> order(batch);
    llvm::append_range(order, first);
    llvm::append_range(order, second);
    Value v = b.convert(operand->get(), types->factor);
    v = permuteTo(b, v, from, order);
    Sizes want(result);
    for (ArrayRef<unsigned> part : {first, second}) {
      bool isInner = part.data() == inner.data();
      llvm::append_range(want, isInner ? sizesOf(sum->lhs, *lhs, inner)
                                       : sizesOf(sum->init, *out, part));
    }
    v = b.castSizes(v, want);
    Sizes merged(result);
    size_t at = result.size();
    merged.push_back(product(Sizes(ArrayRef(want).slice(at, first.size()))));
    merged.push_back(product(Sizes(ArrayRef(want).slice(at + first.size()))));
    return b.reshape(v, merged);
  };
  Value x = factor(sum->lhs, *lhs, rows, inner);
  Value y = factor(sum->rhs, *rhs, inner, columns);
  Sizes matrix(result);
  matrix.push_back(product(sizesOf(sum->init, *out, rows)));
  matrix.push_back(product(sizesOf(sum->init, *out, columns)));
  Value v = graph::MatmulOp::create(rewriter, op.getLoc(),
                                    sym::getTensorType(matrix, types->result),
                                    x, y, Value(), UnitAttr());
  SmallVector<unsigned> order(batch);
  llvm::append_range(order, rows);
  llvm::append_range(order, columns);
  v = b.reshape(v, sizesOf(sum->init, *out, order));
  v = permuteTo(b, v, order, *out);
  rewriter.replaceOp(op, addInit(b, *sum, v));
  return success();
}

void bridge::populateRaiseContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseContraction>(patterns.getContext());
}
