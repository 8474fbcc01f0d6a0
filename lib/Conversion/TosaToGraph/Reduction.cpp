//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions and matrix multiplication.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

using namespace mlir;
using namespace coil;
using namespace coil::tosa_bridge;
using graph::TensorBuilder;

template <typename Tosa, graph::ReduceKind kind>
static void addReduction(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    return b.reduce(kind, op.getInput(), static_cast<int64_t>(op.getAxis()),
                    /*keepdims=*/true);
  });
}

/// Those that ignore NaN are left.
template <typename Tosa, graph::ReduceKind kind>
static void addExtremum(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return Value();
    return b.reduce(kind, op.getInput(), static_cast<int64_t>(op.getAxis()),
                    /*keepdims=*/true);
  });
}

static Value lowerArgMax(tosa::ArgMaxOp op, TensorBuilder &b) {
  if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
    return {};
  auto reduce = graph::ArgReduceOp::create(
      b.getBuilder(), b.getLoc(), graph::ReduceKind::Max, op.getInput(),
      static_cast<int64_t>(op.getAxis()));
  return b.convert(reduce.getPositions(),
                   graph::getElementType(op.getResult()));
}

/// Integers are multiplied in the type of the result, less their zero points.
static Value lowerMatmul(tosa::MatMulOp op, TensorBuilder &b) {
  Value x = op.getA(), y = op.getB();
  Type type = graph::getElementType(op.getResult());
  if (isa<FloatType>(type)) {
    Type factor = graph::getElementType(x);
    bool isWider = type.isF32() && factor.getIntOrFloatBitWidth() == 16;
    if (graph::getElementType(y) != factor || (factor != type && !isWider))
      return {};
    graph::Sizes sizes = graph::getSizes(x);
    sizes.back() = graph::getSizes(y).back();
    return graph::MatmulOp::create(b.getBuilder(), b.getLoc(),
                                   sym::getTensorType(sizes, type), x, y,
                                   Value(), UnitAttr());
  }
  auto shift = [&](Value v, Value zero) -> Value {
    TypedAttr point = getScalar(zero);
    if (!point)
      return {};
    v = b.convert(v, type);
    return isZero(zero) ? v
                        : b.sub(v, b.scalar(graph::convertScalar(point, type)));
  };
  x = shift(x, op.getAZp());
  y = shift(y, op.getBZp());
  return x && y ? b.matmul(x, y) : Value();
}

void tosa_bridge::populateReductionPatterns(RewritePatternSet &patterns) {
  addReduction<tosa::ReduceAllOp, graph::ReduceKind::All>(patterns);
  addReduction<tosa::ReduceAnyOp, graph::ReduceKind::Any>(patterns);
  addReduction<tosa::ReduceProductOp, graph::ReduceKind::Prod>(patterns);
  addReduction<tosa::ReduceSumOp, graph::ReduceKind::Sum>(patterns);
  addExtremum<tosa::ReduceMaxOp, graph::ReduceKind::Max>(patterns);
  addExtremum<tosa::ReduceMinOp, graph::ReduceKind::Min>(patterns);
  add<tosa::ArgMaxOp>(patterns, lowerArgMax);
  add<tosa::MatMulOp>(patterns, lowerMatmul);
}
