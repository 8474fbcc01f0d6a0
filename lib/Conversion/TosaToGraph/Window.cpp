//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions and pooling of floats, channels last.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

using namespace mlir;
using namespace coil;
using namespace coil::tosa_bridge;
using graph::Sizes;
using graph::TensorBuilder;

namespace {
/// An operand with the padding that an operator of `graph` has for it.
struct Padded {
  Value value;
  SmallVector<int64_t> padding;
};
} // namespace

/// Takes `[before, after]` of each image dimension apart: what is the same on
/// both sides, up to `most`, is padding of the operator, all else is put around
/// the operand.
static Padded pad(TensorBuilder &b, Value x, ArrayRef<int64_t> pads,
                  ArrayRef<int64_t> most, TypedAttr value) {
  Padded result{x, {}};
  SmallVector<int64_t> low{0}, high{0};
  bool isUneven = false;
  for (size_t i = 0; i < pads.size(); i += 2) {
    isUneven |= pads[i] != pads[i + 1] || pads[i] > most[i / 2];
    low.push_back(pads[i]);
    high.push_back(pads[i + 1]);
    result.padding.push_back(pads[i]);
  }
  if (!isUneven)
    return result;
  low.push_back(0);
  high.push_back(0);
  result.value = b.pad(x, low, high, value);
  result.padding.assign(result.padding.size(), 0);
  return result;
}

/// A convolution; `weight` is `[o, kernel..., c / groups]`.
template <typename Op>
static Value lowerConv(Op op, TensorBuilder &b, Value weight, int64_t groups) {
  Type type = graph::getElementType(op.getInput());
  if (!isa<FloatType>(type) || graph::getElementType(weight) != type ||
      graph::getElementType(op.getBias()) != type ||
      graph::getElementType(op.getResult()) != type)
    return {};
  SmallVector<int64_t> any(op.getStride().size(),
                           std::numeric_limits<int64_t>::max());
  Padded x = pad(b, op.getInput(), op.getPad(), any,
                 cast<TypedAttr>(b.getBuilder().getZeroAttr(type)));
  Value bias = op.getBias();
  Sizes channels{graph::getSizes(weight).front()};
  bias = b.broadcast(bias, channels);
  return graph::ConvOp::create(b.getBuilder(), b.getLoc(), x.value, weight,
                               op.getStride(), x.padding, op.getDilation(),
                               groups, /*channelsLast=*/true, bias);
}

/// `[kernel..., c, m]` becomes `[c * m, kernel..., 1]`.
static Value lowerDepthwise(tosa::DepthwiseConv2DOp op, TensorBuilder &b) {
  Sizes sizes = graph::getSizes(op.getWeight());
  std::optional<int64_t> groups = sizes[2].getConstant();
  if (!groups)
    return {};
  Value weight = b.permute(op.getWeight(), {2, 3, 0, 1});
  weight = b.reshape(
      weight, {sym::mul(sizes[2], sizes[3]), sizes[0], sizes[1], b.size(1)});
  return lowerConv(op, b, weight, *groups);
}

template <typename Op>
static Value lowerPool(Op op, TensorBuilder &b, graph::PoolKind kind) {
  Value x = op.getInput();
  auto type = dyn_cast<FloatType>(graph::getElementType(x));
  if (!type || graph::getElementType(op.getResult()) != type)
    return {};
  // A maximum sees no padding, however much there is; a mean has to know it.
  SmallVector<int64_t> most;
  for (int64_t size : op.getKernel())
    most.push_back(size / 2);
  TypedAttr lowest = b.getBuilder().getFloatAttr(
      type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  Padded padded = pad(b, x, op.getPad(), most, lowest);
  if (kind == graph::PoolKind::Avg && padded.value != x)
    return {};
  SmallVector<int64_t> dilation(op.getKernel().size(), 1);
  return graph::PoolOp::create(
      b.getBuilder(), b.getLoc(), op.getResult().getType(), kind, padded.value,
      op.getKernel(), op.getStride(), padded.padding, dilation,
      /*countPadding=*/false, /*divisor=*/IntegerAttr(),
      /*channels_last=*/true);
}

void tosa_bridge::populateWindowPatterns(RewritePatternSet &patterns) {
  add<tosa::Conv2DOp>(patterns, [](tosa::Conv2DOp op, TensorBuilder &b) {
    return lowerConv(op, b, op.getWeight(), 1);
  });
  add<tosa::Conv3DOp>(patterns, [](tosa::Conv3DOp op, TensorBuilder &b) {
    return lowerConv(op, b, op.getWeight(), 1);
  });
  add<tosa::DepthwiseConv2DOp>(patterns, lowerDepthwise);
  add<tosa::AvgPool2dOp>(patterns, [](tosa::AvgPool2dOp op, TensorBuilder &b) {
    return lowerPool(op, b, graph::PoolKind::Avg);
  });
  add<tosa::MaxPool2dOp>(patterns, [](tosa::MaxPool2dOp op, TensorBuilder &b) {
    if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return Value();
    return lowerPool(op, b, graph::PoolKind::Max);
  });
}
