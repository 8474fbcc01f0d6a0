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

/// The index of a broadcast operand at the result's position: dimensions of
/// size one are at zero, missing leading dimensions are dropped.
static SmallVector<ExprAttr> broadcastIndex(ArrayRef<ExprAttr> sizes,
                                            ArrayRef<ExprAttr> position) {
  SmallVector<ExprAttr> index;
  position = position.take_back(sizes.size());
  for (auto [size, p] : llvm::zip_equal(sizes, position))
    index.push_back(size.isConstant(1) ? sym::constant(p.getContext(), 0) : p);
  return index;
}

namespace {

/// graph.add %a, %b  →  loop.kernel { load, load, arith.addf, store }
struct Elementwise : OpInterfaceRewritePattern<graph::ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(graph::ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    Value result = op->getResult(0);
    SmallVector<ExprAttr> sizes = getSizes(result);
    // An operand used twice is one input, loaded once.
    SmallVector<Value> inputs;
    for (Value v : op->getOperands())
      if (!llvm::is_contained(inputs, v))
        inputs.push_back(v);
    StringRef name = op->getName().stripDialect();
    KernelBuilder k(rewriter, op.getLoc(), name, sizes, inputs,
                    result.getType());
    SmallVector<ExprAttr> position =
        k.dims(static_cast<unsigned>(sizes.size()));
    SmallVector<Value> loads, args;
    for (auto [i, v] : llvm::enumerate(inputs))
      loads.push_back(k.load(static_cast<unsigned>(i),
                             broadcastIndex(getSizes(v), position)));
    for (Value v : op->getOperands())
      args.push_back(loads[llvm::find(inputs, v) - inputs.begin()]);
    k.store(graph::buildElementwiseScalar(op, k.b, op.getLoc(), args), 0,
            position);
    rewriter.replaceOp(op, k.kernel);
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
        sym::ShapeAttr::get(getContext(),
                            broadcastIndex(getSizes(op.getInput()), position)));
    return success();
  }
};

} // namespace

void coil::populatePointwiseToLoopPatterns(RewritePatternSet &patterns) {
  patterns.add<Broadcast, Elementwise>(patterns.getContext());
}
