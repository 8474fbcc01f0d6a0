//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites compound operators to simple ones.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "coil/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace coil::graph {
#define GEN_PASS_DEF_GRAPHDECOMPOSEPASS
#include "coil/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace coil::graph

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;

/// Softmax over the last dimension that gives zeros for a row of minus
/// infinities.
static Value safeSoftmax(TensorBuilder &b, Value scores, int64_t dim) {
  Type type = getElementType(scores);
  Value largest = b.reduce(ReduceKind::Max, scores, dim, /*keepdims=*/true);
  Value isMasked =
      b.compare(Pred::Eq, largest,
                b.scalar(-std::numeric_limits<double>::infinity(), type));
  Value e = b.unary<ExpOp>(b.sub(scores, largest));
  Value sum = b.reduce(ReduceKind::Sum, e, dim, /*keepdims=*/true);
  return b.select(isMasked, b.scalar(0, type), b.div(e, sum));
}

/// weights [..., h, l, s] times value [..., h, s, f], as [..., h, l, f].
static Value applyWeights(TensorBuilder &b, Value weights, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank < 4)
    return b.matmul(weights, value);
  // The next operator reads the result with the heads side by side, so the
  // product is stored as [..., l, h, f]. As a sum of products over s, it has
  // its dimensions in that order.
  Type type = getElementType(value), wide = getAccumulationType(type);
  weights = b.unsqueeze(b.transpose(weights, rank - 3, rank - 2), rank);
  value = b.unsqueeze(value, rank - 3);
  Value products = b.mul(b.convert(weights, wide), b.convert(value, wide));
  Value sum = b.reduce(ReduceKind::Sum, products, rank - 1, /*keepdims=*/false);
  return b.transpose(b.convert(sum, type), rank - 3, rank - 2);
}

static void decompose(AttentionOp op) {
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  Type type = getElementType(op.getResult());
  Type wide = getAccumulationType(type);
  int64_t rank = op.getType().getRank();

  Value query = b.convert(op.getQuery(), wide);
  Value key = b.transpose(b.convert(op.getKey(), wide), rank - 2, rank - 1);
  Value scores = b.mul(b.matmul(query, key),
                       b.scalar(op.getScale().convertToDouble(), wide));
  Value minusInfinity =
      b.scalar(-std::numeric_limits<double>::infinity(), wide);

  Value weights;
  if (Value mask = op.getMask()) {
    scores = getElementType(mask).isInteger(1)
                 ? b.select(mask, scores, minusInfinity)
                 : b.add(scores, b.convert(mask, wide));
    weights = safeSoftmax(b, scores, rank - 1);
  } else {
    if (op.getCausal()) {
      // Every row sees at least the first column.
      Sizes sizes = getSizes(scores);
      Value row = b.unsqueeze(b.iota(0, 1, sizes[rank - 2]), 1);
      Value column = b.iota(0, 1, sizes[rank - 1]);
      scores =
          b.select(b.compare(Pred::Le, column, row), scores, minusInfinity);
    }
    weights = b.softmax(scores, rank - 1);
  }
  op.replaceAllUsesWith(
      applyWeights(b, b.convert(weights, type), op.getValue()));
  op.erase();
}

namespace {

struct GraphDecompose : graph::impl::GraphDecomposePassBase<GraphDecompose> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    for (AttentionOp op : ops)
      decompose(op);
  }
};

} // namespace
