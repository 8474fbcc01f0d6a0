//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that move elements.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

using namespace mlir;
using namespace coil;
using namespace coil::tosa_bridge;
using graph::Sizes;
using graph::TensorBuilder;

static Value lowerPad(tosa::PadOp op, TensorBuilder &b) {
  std::optional<SmallVector<int64_t>> pads = getShape(op.getPadding());
  TypedAttr value = getScalar(op.getPadConst());
  if (!pads || !value)
    return {};
  SmallVector<int64_t> low, high;
  for (size_t i = 0; i < pads->size(); i += 2) {
    low.push_back((*pads)[i]);
    high.push_back((*pads)[i + 1]);
  }
  return b.pad(op.getInput1(), low, high, value);
}

static Value lowerReverse(tosa::ReverseOp op, TensorBuilder &b) {
  Sizes sizes = graph::getSizes(op.getInput1());
  size_t dim = static_cast<size_t>(op.getAxis());
  return b.slice(op.getInput1(), static_cast<int64_t>(dim),
                 sym::add(sizes[dim], -1), sizes[dim], /*step=*/-1);
}

static Value lowerSlice(tosa::SliceOp op, TensorBuilder &b) {
  std::optional<SmallVector<int64_t>> starts = getShape(op.getStart());
  if (!starts)
    return {};
  Value v = op.getInput1();
  Sizes sizes = graph::getSizes(op.getResult());
  for (auto [d, start] : llvm::enumerate(*starts))
    v = b.slice(v, static_cast<int64_t>(d), b.size(start), sizes[d]);
  return v;
}

/// Repetitions are dimensions of their own, before those that they repeat.
static Value lowerTile(tosa::TileOp op, TensorBuilder &b) {
  std::optional<SmallVector<int64_t>> counts = getShape(op.getMultiples());
  if (!counts)
    return {};
  Sizes apart, repeated;
  for (auto [size, count] :
       llvm::zip_equal(graph::getSizes(op.getInput1()), *counts)) {
    apart.append({b.size(1), size});
    repeated.append({b.size(count), size});
  }
  return b.reshape(b.broadcast(b.reshape(op.getInput1(), apart), repeated),
                   graph::getSizes(op.getResult()));
}

/// Indices of rows, `[n, w]`, for elements of `[n, w, c]`.
static Value spread(TensorBuilder &b, Value indices, Value like) {
  Sizes sizes = graph::getSizes(indices);
  sizes.push_back(graph::getSizes(like).back());
  return b.broadcast(b.unsqueeze(indices, 2), sizes);
}

static Value lowerGather(tosa::GatherOp op, TensorBuilder &b) {
  return graph::GatherOp::create(b.getBuilder(), b.getLoc(),
                                 op.getResult().getType(), op.getValues(),
                                 spread(b, op.getIndices(), op.getValues()), 1);
}

static Value lowerScatter(tosa::ScatterOp op, TensorBuilder &b) {
  return graph::ScatterOp::create(
      b.getBuilder(), b.getLoc(), op.getResult().getType(),
      graph::ReduceKindAttr(), op.getValuesIn(),
      spread(b, op.getIndices(), op.getInput()), op.getInput(), 1);
}

/// Of 8 bits; tables of 16 bits interpolate, and are left.
static Value lowerTable(tosa::TableOp op, TensorBuilder &b) {
  if (!graph::getElementType(op.getInput1()).isInteger(8))
    return {};
  Type i32 = b.getBuilder().getI32Type();
  Value at = b.add(b.convert(op.getInput1(), i32), b.scalar(128, i32));
  return b.index(op.getTable(), at, {0});
}

void tosa_bridge::populateDataPatterns(RewritePatternSet &patterns) {
  add<tosa::ConcatOp>(patterns, [](tosa::ConcatOp op, TensorBuilder &b) {
    return b.cat(op.getInput1(), static_cast<int64_t>(op.getAxis()));
  });
  add<tosa::IdentityOp>(patterns, [](tosa::IdentityOp op, TensorBuilder &) {
    return Value(op.getInput1());
  });
  add<tosa::ReshapeOp>(patterns, [](tosa::ReshapeOp op, TensorBuilder &b) {
    return b.reshape(op.getInput1(), graph::getSizes(op.getResult()));
  });
  add<tosa::TransposeOp>(patterns, [](tosa::TransposeOp op, TensorBuilder &b) {
    return b.permute(op.getInput1(), SmallVector<int64_t>(op.getPerms()));
  });
  add<tosa::GatherOp>(patterns, lowerGather);
  add<tosa::PadOp>(patterns, lowerPad);
  add<tosa::ReverseOp>(patterns, lowerReverse);
  add<tosa::ScatterOp>(patterns, lowerScatter);
  add<tosa::SliceOp>(patterns, lowerSlice);
  add<tosa::TableOp>(patterns, lowerTable);
  add<tosa::TileOp>(patterns, lowerTile);
}
