//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of `tensor` that only say where elements come from.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

static void replaceByView(Operation *op, Value source,
                          ArrayRef<ExprAttr> indices,
                          PatternRewriter &rewriter) {
  rewriter.replaceOpWithNewOp<loop::ViewOp>(
      op, op->getResult(0).getType(), source,
      sym::ShapeAttr::get(op->getContext(), indices));
}

namespace {

/// Joined dimensions: the index of each is a digit of the position in the
/// group.
struct CollapseShape : Lowering<tensor::CollapseShapeOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures)))
      return failure();
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> from = getSizes(op.getSrc());
    sym::Context context = sym::Context::forOp(op);
    context.setDimExtents(getSizes(op.getResult()));
    // Of rank zero there is one element.
    SmallVector<ExprAttr> indices(from.size(), sym::constant(ctx, 0));
    for (auto [g, group] : llvm::enumerate(op.getReassociationIndices())) {
      ExprAttr rest = sym::dim(ctx, static_cast<unsigned>(g));
      // A dimension of size one has only one position.
      auto isOne = [&](int64_t d) {
        return from[static_cast<size_t>(d)].isConstant(1);
      };
      SmallVector<int64_t> dims;
      llvm::copy_if(group, std::back_inserter(dims),
                    [&](int64_t d) { return !isOne(d); });
      for (size_t i = dims.size(); i-- > 0;) {
        size_t d = static_cast<size_t>(dims[i]);
        indices[d] = i == 0 ? rest : context.simplify(sym::mod(rest, from[d]));
        rest = context.simplify(sym::floorDiv(rest, from[d]));
      }
    }
    replaceByView(op, op.getSrc(), indices, rewriter);
    return success();
  }
};

/// A split dimension: its index is the position in the group.
struct ExpandShape : Lowering<tensor::ExpandShapeOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures)))
      return failure();
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> to = getSizes(op.getResult()), indices,
                          from = getSizes(op.getSrc());
    for (auto [size, group] :
         llvm::zip_equal(from, op.getReassociationIndices())) {
      ExprAttr position = sym::constant(ctx, 0), count = sym::constant(ctx, 1);
      for (int64_t d : group) {
        ExprAttr extent = to[static_cast<size_t>(d)];
        count = sym::mul(count, extent);
        position = sym::mul(position, extent);
        if (!extent.isConstant(1))
          position =
              sym::add(position, sym::dim(ctx, static_cast<unsigned>(d)));
      }
      if (count != size)
        sym::AssertOp::create(
            rewriter, op.getLoc(), count, sym::Predicate::Eq, size,
            rewriter.getStringAttr("'tensor.expand_shape' keeps the number of "
                                   "elements"));
      indices.push_back(position);
    }
    replaceByView(op, op.getSrc(), indices, rewriter);
    return success();
  }
};

/// Sizes are what the types say; where forms differ, the values do not.
struct Cast : Lowering<tensor::CastOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::CastOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures)))
      return failure();
    if (op.getSource().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getSource());
      return success();
    }
    SmallVector<ExprAttr> dims;
    for (auto [d, from, to] :
         llvm::enumerate(getSizes(op.getSource()), getSizes(op.getDest()))) {
      dims.push_back(sym::dim(getContext(), static_cast<unsigned>(d)));
      if (from != to)
        sym::AssertOp::create(
            rewriter, op.getLoc(), from, sym::Predicate::Eq, to,
            rewriter.getStringAttr("'tensor.cast' keeps sizes"));
    }
    replaceByView(op, op.getSource(), dims, rewriter);
    return success();
  }
};

/// A slice whose offsets are sizes is a view; one whose offsets are elements of
/// tensors is read with checks.
struct ExtractSlice : Lowering<tensor::ExtractSliceOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures)))
      return failure();
    MLIRContext *ctx = getContext();
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<ExprAttr> indices, steps, sizes = getSizes(op.getSource());
    unsigned next = 0;
    bool isView = true;
    for (auto [d, offset, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
      ExprAttr start = getExpr(offset, op), step = getExpr(stride, op);
      if (!step || !step.isConstant())
        return failures.report(op, "stride " + Twine(d) + " is no constant");
      steps.push_back(dropped.test(static_cast<unsigned>(d))
                          ? sym::constant(ctx, 0)
                          : sym::mul(sym::dim(ctx, next++), step));
      indices.push_back(start ? sym::add(start, steps.back()) : ExprAttr());
      isView &= static_cast<bool>(start);
    }
    // What begins at a number of the run may be anywhere.
    sym::Context context = sym::Context::forOp(op);
    context.setDimExtents(getSizes(op.getResult()));
    if (isView) {
      for (auto [d, index, size] : llvm::enumerate(indices, sizes)) {
        if (context.isNonNegative(index) && context.isLess(index, size))
          continue;
        for (auto [expr, where] :
             {std::pair(index, false), std::pair(index, true)}) {
          ExprAttr at = sym::substitute(expr, [&](ExprAttr leaf) -> ExprAttr {
            if (!leaf.isDim())
              return {};
            return where ? sym::add(context.getDimExtents()[static_cast<size_t>(
                                        leaf.getValue())],
                                    -1)
                         : sym::constant(ctx, 0);
          });
          ExprAttr zero = sym::constant(ctx, 0);
          // An empty slice may begin at the end.
          if (!context.isNonNegative(at) && !where)
            sym::AssertOp::create(
                rewriter, op.getLoc(), zero, sym::Predicate::Le, at,
                rewriter.getStringAttr("'tensor.extract_slice' reads inside of "
                                       "its operand"));
          if (where && !context.isLess(at, size))
            sym::AssertOp::create(
                rewriter, op.getLoc(), at, sym::Predicate::Lt, size,
                rewriter.getStringAttr("'tensor.extract_slice' reads inside of "
                                       "its operand"));
        }
      }
      replaceByView(op, op.getSource(), indices, rewriter);
      return success();
    }
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelWriter k(rewriter, op, "slice", dims, op.getType(), failures);
    SmallVector<Value> args;
    for (auto [index, step, offset] :
         llvm::zip_equal(indices, steps, op.getMixedOffsets())) {
      if (index)
        continue;
      Value start = k.get(cast<Value>(offset));
      if (!start)
        return failure();
      index = sym::arg(ctx, static_cast<unsigned>(args.size()));
      args.push_back(arith::AddIOp::create(k.b, start, k.index(step)));
    }
    SmallVector<ExprAttr> at;
    for (unsigned d = 0; d < dims.size(); ++d)
      at.push_back(sym::dim(ctx, d));
    k.store(k.loadChecked(op.getSource(), indices, args), 0, at);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void bridge::populateTensorViewToLoopPatterns(RewritePatternSet &patterns,
                                              Failures &failures) {
  patterns.add<Cast, CollapseShape, ExpandShape, ExtractSlice>(
      patterns.getContext(), failures);
}
