//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of `tensor` that make or rearrange elements.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using sym::ExprAttr;

static SmallVector<ExprAttr> getDims(MLIRContext *ctx, size_t n) {
  SmallVector<ExprAttr> dims;
  for (unsigned d = 0; d < n; ++d)
    dims.push_back(sym::dim(ctx, d));
  return dims;
}

namespace {

/// tensor.pad → a load masked to the operand, else what the body yields.
struct Pad : Lowering<tensor::PadOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getResult()),
                          input = getSizes(op.getSource()), index;
    KernelWriter k(rewriter, op, "pad", dims, op.getResult().getType(),
                   failures);
    Block &body = op.getRegion().front();
    for (BlockArgument arg : body.getArguments())
      k.mapPosition(arg, sym::dim(getContext(), arg.getArgNumber()));
    Value other = k.get(body.getTerminator()->getOperand(0));
    if (!other)
      return failure();
    Value mask;
    for (auto [d, low] : llvm::enumerate(op.getMixedLowPad())) {
      ExprAttr before = getExpr(low, op);
      if (!before)
        return failures.report(op, "padding " + Twine(d) +
                                       " does not come from sizes");
      index.push_back(
          sym::sub(sym::dim(getContext(), static_cast<unsigned>(d)), before));
      mask = k.conjunction(mask, k.inRange(index.back(), input[d]));
    }
    k.store(k.load(op.getSource(), index, mask, other), 0,
            getDims(getContext(), dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.concat → one masked load for each operand, the masks disjoint.
struct Concat : Lowering<tensor::ConcatOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelWriter k(rewriter, op, "cat", dims, op.getResult().getType(),
                   failures);
    unsigned dim = static_cast<unsigned>(op.getDim());
    ExprAttr position = sym::dim(getContext(), dim);
    SmallVector<ExprAttr> starts{sym::constant(getContext(), 0)};
    for (Value v : op.getInputs())
      starts.push_back(sym::add(starts.back(), getSizes(v)[dim]));
    // From the last operand to the first: each load falls back on the value
    // of the operands after it.
    Value result = k.constant(rewriter.getZeroAttr(
        loop::getScalarType(op.getResult().getType().getElementType())));
    for (size_t i = op.getInputs().size(); i-- > 0;) {
      SmallVector<ExprAttr> index = getDims(getContext(), dims.size());
      index[dim] = sym::sub(position, starts[i]);
      Value operand = op.getInputs()[i];
      Value mask = k.inRange(index[dim], getSizes(operand)[dim]);
      result = k.load(operand, index, mask, result);
    }
    k.store(result, 0, getDims(getContext(), dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.insert_slice → elements of the slice where it covers the destination.
struct InsertSlice : Lowering<tensor::InsertSliceOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    MLIRContext *ctx = getContext();
    SmallVector<ExprAttr> dims = getSizes(op.getDest()),
                          source = getSizes(op.getSource()), index;
    KernelWriter k(rewriter, op, "insert_slice", dims, op.getResult().getType(),
                   failures);
    llvm::SmallBitVector dropped = op.getDroppedDims();
    Value mask;
    unsigned next = 0;
    for (auto [d, offset, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
      ExprAttr start = getExpr(offset, op), step = getExpr(stride, op);
      if (!start)
        return failures.report(op, "offset " + Twine(d) +
                                       " does not come from sizes");
      if (!step || !step.isConstant())
        return failures.report(op, "stride " + Twine(d) + " is no constant");
      ExprAttr from = sym::sub(sym::dim(ctx, static_cast<unsigned>(d)), start);
      bool isDropped = dropped.test(static_cast<unsigned>(d));
      ExprAttr size = isDropped ? sym::constant(ctx, 1) : source[next];
      ExprAttr at = from;
      if (!step.isConstant(1)) {
        ExprAttr rest = k.getContext().simplify(sym::mod(from, step));
        at = sym::floorDiv(from, step);
        if (!rest.isConstant(0))
          mask = k.conjunction(mask,
                               arith::CmpIOp::create(
                                   k.b, arith::CmpIPredicate::eq, k.index(rest),
                                   k.constant(rewriter.getI64IntegerAttr(0))));
      }
      mask = k.conjunction(mask, k.inRange(at, size));
      if (isDropped)
        continue;
      ++next;
      index.push_back(at);
    }
    SmallVector<ExprAttr> all = getDims(ctx, dims.size());
    k.store(mask
                ? k.load(op.getSource(), index, mask, k.load(op.getDest(), all))
                : k.load(op.getSource(), index),
            0, all);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.insert → the scalar at its index, else the destination's element.
struct Insert : Lowering<tensor::InsertOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getDest());
    KernelWriter k(rewriter, op, "insert", dims, op.getResult().getType(),
                   failures);
    Value scalar = k.get(op.getScalar()), mask;
    if (!scalar)
      return failure();
    for (auto [d, at] : llvm::enumerate(op.getIndices())) {
      Value want = k.get(at);
      if (!want)
        return failure();
      mask = k.conjunction(
          mask,
          arith::CmpIOp::create(
              k.b, arith::CmpIPredicate::eq,
              k.index(sym::dim(getContext(), static_cast<unsigned>(d))), want));
    }
    SmallVector<ExprAttr> all = getDims(getContext(), dims.size());
    if (mask)
      scalar =
          arith::SelectOp::create(k.b, mask, scalar, k.load(op.getDest(), all));
    k.store(scalar, 0, all);
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.generate → its body at each point.
struct Generate : Lowering<tensor::GenerateOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelWriter k(rewriter, op, "generate", dims, op.getResult().getType(),
                   failures);
    Block &body = op.getBody().front();
    for (BlockArgument arg : body.getArguments())
      k.mapPosition(arg, sym::dim(getContext(), arg.getArgNumber()));
    Value v = k.get(body.getTerminator()->getOperand(0));
    if (!v)
      return failure();
    k.store(v, 0, getDims(getContext(), dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.splat → one scalar everywhere.
struct Splat : Lowering<tensor::SplatOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getAggregate());
    KernelWriter k(rewriter, op, "full", dims, op.getAggregate().getType(),
                   failures);
    Value v = k.get(op.getInput());
    if (!v)
      return failure();
    k.store(v, 0, getDims(getContext(), dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.from_elements → a choice by the position in row-major order.
struct FromElements : Lowering<tensor::FromElementsOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    KernelWriter k(rewriter, op, "from_elements", dims,
                   op.getResult().getType(), failures);
    ExprAttr position = sym::constant(getContext(), 0);
    for (auto [d, size] : llvm::enumerate(dims))
      position = sym::add(sym::mul(position, size),
                          sym::dim(getContext(), static_cast<unsigned>(d)));
    Value result, at;
    for (size_t i = op.getElements().size(); i-- > 0;) {
      Value v = k.get(op.getElements()[i]);
      if (!v)
        return failure();
      if (!result) {
        result = v;
        continue;
      }
      if (!at)
        at = k.index(position);
      Value here = arith::CmpIOp::create(
          k.b, arith::CmpIPredicate::eq, at,
          k.constant(rewriter.getI64IntegerAttr(static_cast<int64_t>(i))));
      result = arith::SelectOp::create(k.b, here, v, result);
    }
    if (!result)
      return failures.report(op, "it has no elements");
    k.store(result, 0, getDims(getContext(), dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

/// tensor.gather → loads at coordinates, which are checked.
struct Gather : Lowering<tensor::GatherOp> {
  using Lowering::Lowering;

  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    if (failed(checkTensors(op, failures, /*mayReadIndices=*/true)))
      return failure();
    MLIRContext *ctx = getContext();
    auto indicesType = op.getIndices().getType();
    if (!indicesType.getElementType().isInteger(64) &&
        !indicesType.getElementType().isInteger(32))
      return failures.report(op, "its coordinates are not 'i32' or 'i64'");
    SmallVector<ExprAttr> dims = getSizes(op.getResult());
    int64_t sourceRank = op.getSource().getType().getRank();
    int64_t batchRank = indicesType.getRank() - 1;
    // The result has the batch dimensions, then those of the source, of which
    // the gathered ones are one or absent.
    ArrayRef<int64_t> gathered = op.getGatherDims();
    bool isReduced =
        op.getResult().getType().getRank() != batchRank + sourceRank;
    KernelWriter k(rewriter, op, "gather", dims, op.getResult().getType(),
                   failures);
    SmallVector<ExprAttr> batch = getDims(ctx, static_cast<size_t>(batchRank)),
                          indices;
    SmallVector<Value> args;
    unsigned next = static_cast<unsigned>(batchRank);
    for (int64_t d = 0; d < sourceRank; ++d) {
      const auto *found = llvm::find(gathered, d);
      if (found == gathered.end()) {
        indices.push_back(sym::dim(ctx, next++));
        continue;
      }
      SmallVector<ExprAttr> at(batch);
      at.push_back(sym::constant(ctx, found - gathered.begin()));
      Value v = k.load(op.getIndices(), at);
      if (v.getType().isInteger(32))
        v = arith::ExtSIOp::create(k.b, rewriter.getI64Type(), v);
      indices.push_back(sym::arg(ctx, static_cast<unsigned>(args.size())));
      args.push_back(v);
      next += !isReduced;
    }
    k.store(k.loadChecked(op.getSource(), indices, args), 0,
            getDims(ctx, dims.size()));
    rewriter.replaceOp(op, k.kernel);
    return success();
  }
};

} // namespace

void bridge::populateTensorDataToLoopPatterns(RewritePatternSet &patterns,
                                              Failures &failures) {
  patterns.add<Concat, FromElements, Gather, Generate, Insert, InsertSlice, Pad,
               Splat>(patterns.getContext(), failures);
}
