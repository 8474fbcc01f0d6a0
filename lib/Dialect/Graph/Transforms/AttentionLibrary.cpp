//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which attention a library computes as a whole.
//
//===----------------------------------------------------------------------===//

#include "AttentionLibrary.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// Up to this many products our kernels are as fast.
static constexpr int64_t kMaxSmallAttention = int64_t(1) << 20;

AttentionShape AttentionShape::of(AttentionOp op) {
  AttentionShape shape;
  shape.type = graph::getElementType(op.getResult());
  shape.query = getSizes(op.getQuery());
  shape.key = getSizes(op.getKey());
  shape.value = getSizes(op.getValue());
  if (Value mask = op.getMask()) {
    shape.maskType = graph::getElementType(mask);
    shape.mask = getSizes(mask);
  }
  if (std::optional<APFloat> fill = op.getFill())
    shape.fill = fill->convertToDouble();
  shape.hasSoftcap = op.getSoftcap().has_value();
  return shape;
}

std::string graph::explainNotCudnn(const AttentionShape &shape) {
  if (!(shape.type.isF16() || shape.type.isBF16()))
    return "cuDNN's kernel is of f16 and bf16";
  if (shape.query.size() != 4)
    return "cuDNN's kernel is of rank four";
  auto fits = [](ExprAttr width) {
    std::optional<int64_t> w = width.getConstant();
    return w && *w > 0 && *w % 8 == 0 && *w <= 128;
  };
  ExprAttr keys = shape.value[2];
  if (!fits(shape.query[3]) || !fits(shape.value[3]))
    return "rows of queries and values are no multiple of 8 of at most 128 "
           "elements";
  if (keys.isConstant(0))
    return "there are no keys";
  if (shape.hasSoftcap)
    return "cuDNN's kernel has no soft cap";
  if (shape.maskType) {
    if (shape.mask.empty() || shape.mask.back() != keys)
      return "its mask does not vary over the keys";
    if (shape.maskType != shape.type && !shape.maskType.isInteger(1))
      return "cuDNN's kernel adds masks of the operands' type";
  }
  // The kernel adds masks. What it adds to hide a score has to absorb it.
  if (shape.fill && *shape.fill != -std::numeric_limits<double>::infinity()) {
    if (*shape.fill > kHidden)
      return "hidden scores take part in the softmax, and cuDNN's kernel only "
             "adds masks";
    if (shape.type.isF16())
      return "no f16 absorbs the scores that it is added to";
  }
  int64_t products = 1;
  for (ExprAttr size :
       {shape.query[0], shape.query[1], shape.query[2], shape.query[3], keys}) {
    std::optional<int64_t> constant = size.getConstant();
    if (!constant || llvm::MulOverflow(products, *constant, products))
      return "";
  }
  return products > kMaxSmallAttention
             ? ""
             : "it is so small that kernels of our own are as fast";
}
