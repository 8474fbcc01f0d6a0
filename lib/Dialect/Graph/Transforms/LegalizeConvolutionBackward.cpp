//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of convolutions. With
//
//   y[n, o, i] = sum over c and j of x[n, c, i * stride + j * dilation -
//   padding]
//                                    * w[o, c, j]
//
// and the gradient g of y, the gradient of x is the transposed convolution of g
// with w, and that of w is a matrix product over all windows i:
//
//   dw[o, c, j] = sum over n and i of
//                 g[n, o, i] * x[n, c, i * stride + j * dilation - padding]
//
// In a transposed convolution x and y change places: the gradient of x is the
// convolution of g with w, and that of w has windows of g.
//
//===----------------------------------------------------------------------===//

#include "ConvolveWindows.h"
#include "OutputMask.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// What the gradients are computed of. Tensors have their batch.
struct BackwardCall {
  Value grad, input, weight;
  ConvGeometry geometry;

  size_t spatial() const { return geometry.stride.size(); }
};

} // namespace

static FailureOr<BackwardCall> readCall(AtenCall &c) {
  BackwardCall call;
  Value grad = c.tensor("grad_output");
  if (!grad || !isa<FloatType>(getElementType(grad)))
    return c.fail("it has no gradient of floats");
  Type type = getElementType(grad);
  call.grad = grad;
  call.input = c.operand("input", type);
  call.weight = c.operand("weight", type);
  if (!call.input || !call.weight)
    return c.fail("an operand is missing");
  int64_t rank = getRank(call.weight);
  if (rank < 3 || rank > 5 || getRank(call.input) != rank ||
      getRank(grad) != rank)
    return c.fail("its operands have ranks that do not fit");
  size_t spatial = rank - 2;
  ConvGeometry &geometry = call.geometry;
  auto stride = readSpatialExprs(c, "stride", spatial, 1),
       padding = readSpatialExprs(c, "padding", spatial, 0),
       dilation = readSpatialExprs(c, "dilation", spatial, 1);
  if (!stride || !padding || !dilation)
    return c.fail("its geometry is not known");
  geometry.stride = *stride;
  geometry.padding = *padding;
  geometry.dilation = *dilation;
  geometry.isTransposed = c.boolOr("transposed", false);
  FailureOr<ExprAttr> groups = readGroups(c);
  if (failed(groups))
    return failure();
  geometry.groups = *groups;
  return call;
}

/// The first elements of spatial dimensions, as many as there are in `sizes`.
/// The last ones are those that no window of the convolution reaches.
static Value cropTo(TensorBuilder &b, Value x, SizesRef sizes) {
  for (int64_t d = 2; d < getRank(x); ++d)
    if (getSizes(x)[d] != sizes[d])
      x = b.slice(x, d, b.size(0), sizes[d]);
  return x;
}

/// How many more elements the operand of the convolution has than its windows
/// reach; nothing where that is not known.
static std::optional<SmallVector<int64_t>>
findOutputPadding(AtenCall &c, const BackwardCall &call, const Window &window) {
  SmallVector<int64_t> more;
  for (size_t i = 0; i < call.spatial(); ++i) {
    auto kernel = getSizes(call.weight)[2 + i].getConstant();
    if (!kernel)
      return std::nullopt;
    ExprAttr windows = getSizes(call.grad)[2 + i];
    ExprAttr reached = sym::add(
        sym::mul(sym::add(windows, -1), window.stride[i]),
        window.dilation[i] * (*kernel - 1) + 1 - 2 * window.padding[i]);
    ExprAttr rest =
        c.getContext().simplify(sym::sub(getSizes(call.input)[2 + i], reached));
    // Less than a stride is left over; what is too much is cut off.
    more.push_back(rest.getConstant().value_or(window.stride[i] - 1));
    if (more.back() < 0)
      return std::nullopt;
  }
  return more;
}

static Value getInputGradient(AtenCall &c, const BackwardCall &call) {
  TensorBuilder &b = c.b;
  const ConvGeometry &geometry = call.geometry;
  Sizes sizes = getSizes(call.input);
  auto stride = getConstants(geometry.stride),
       padding = getConstants(geometry.padding),
       dilation = getConstants(geometry.dilation),
       kernel = getConstants(SizesRef(getSizes(call.weight)).drop_front(2));
  // The operator whose operand the gradient is.
  bool isTransposed = !geometry.isTransposed;
  bool isPlain = stride && padding && dilation && kernel &&
                 haveKnownGroups(getSizes(call.grad)[1], call.weight,
                                 geometry.groups, isTransposed);
  if (isPlain) {
    Window window = {*stride, *padding, *dilation};
    int64_t groups = *geometry.groups.getConstant();
    if (isTransposed) {
      if (auto more = findOutputPadding(c, call, window))
        if (auto result = convolveTransposed(b, call.grad, call.weight, Value(),
                                             window, *more, groups))
          return cropTo(b, *result, sizes);
    } else if (succeeded(inferConv(getSizes(call.grad), getSizes(call.weight),
                                   window, groups))) {
      return cropTo(
          b, convolve(b, call.grad, call.weight, Value(), window, groups),
          sizes);
    }
  }
  Type type = getElementType(call.grad), wide = getAccumulationType(type);
  ConvGeometry other = geometry;
  other.isTransposed = isTransposed;
  return convolveWindows(b, b.convert(call.grad, wide),
                         b.convert(call.weight, wide), other, sizes);
}

/// Whether windows are single elements at all positions.
static bool isPointwise(const BackwardCall &call) {
  auto all = [](SizesRef sizes, int64_t value) {
    return llvm::all_of(sizes,
                        [&](ExprAttr size) { return size.isConstant(value); });
  };
  const ConvGeometry &geometry = call.geometry;
  return all(SizesRef(getSizes(call.weight)).drop_front(2), 1) &&
         all(geometry.stride, 1) && all(geometry.padding, 0);
}

static Value getWeightGradient(AtenCall &c, const BackwardCall &call) {
  TensorBuilder &b = c.b;
  const ConvGeometry &geometry = call.geometry;
  Type wide = getAccumulationType(getElementType(call.grad));
  // `x` is the operand of the convolution and `g` has its windows.
  Value x = b.convert(call.input, wide), g = b.convert(call.grad, wide);
  if (geometry.isTransposed)
    std::swap(x, g);
  Sizes sizes = getSizes(call.weight), from = getSizes(x), to = getSizes(g);
  ExprAttr groups = geometry.groups, batch = from[0];
  int64_t spatial = static_cast<int64_t>(call.spatial());
  SizesRef kernel = SizesRef(sizes).drop_front(2),
           windows = SizesRef(to).drop_front(2);
  ConvGeometry plain = geometry;
  plain.isTransposed = false;
  Value elements = x;
  if (isPointwise(call))
    for (int64_t i = 0; i < spatial; ++i)
      elements = b.unsqueeze(elements, 3 + 2 * i);
  else
    elements = gatherElements(b, x, plain, windows, kernel);
  ExprAttr outEach = sym::floorDiv(sizes[0], groups), inEach = sizes[1];
  g = b.castSizes(g, [&] {
    Sizes fitting = to;
    fitting[0] = batch;
    fitting[1] = sym::mul(groups, outEach);
    return fitting;
  }());
  // [groups, o, n and windows] and [groups, n and windows, c and kernel]
  ExprAttr count = sym::mul(batch, sym::product(b.getContext(), windows)),
           taps = sym::mul(inEach, sym::product(b.getContext(), kernel));
  Sizes split = to;
  split[0] = batch;
  split[1] = outEach;
  split.insert(split.begin() + 1, groups);
  SmallVector<int64_t> order = {1, 2, 0};
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(3 + i);
  Value left = b.reshape(b.permute(b.reshape(g, split), order),
                         {groups, outEach, count});
  Sizes parts = getSizes(elements);
  parts[1] = inEach;
  parts.insert(parts.begin() + 1, groups);
  order = {1, 0};
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(3 + 2 * i);
  order.push_back(2);
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(4 + 2 * i);
  Value right = b.reshape(b.permute(b.reshape(elements, parts), order),
                          {groups, count, taps});
  Value result;
  if (outEach.isConstant(1)) {
    // One row for each group: a sum, which needs no elements in memory.
    result = b.reduce(ReduceKind::Sum, b.mul(b.transpose(left, 1, 2), right),
                      {1}, /*keepdims=*/false);
  } else {
    result = b.matmul(left, right);
  }
  return b.reshape(result, sizes);
}

static Value getBiasGradient(AtenCall &c, Value grad) {
  TensorBuilder &b = c.b;
  SmallVector<int64_t> dims = allDims(grad);
  dims.erase(dims.begin() + 1);
  return b.reduce(ReduceKind::Sum,
                  b.convert(grad, getAccumulationType(getElementType(grad))),
                  dims, /*keepdims=*/false);
}

static LogicalResult legalizeConvBackward(AtenCall &c) {
  FailureOr<BackwardCall> call = readCall(c);
  if (failed(call))
    return failure();
  return replaceMasked(c, 3, [&](unsigned number) {
    return number == 0   ? getInputGradient(c, *call)
           : number == 1 ? getWeightGradient(c, *call)
                         : getBiasGradient(c, call->grad);
  });
}

/// conv_tbc_backward: of the convolution over the first dimension, with
/// channels last.
static LogicalResult legalizeConvTbcBackward(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value grad = c.tensor("self");
  if (!grad || !isa<FloatType>(getElementType(grad)))
    return c.fail("it has no gradient of floats");
  Type type = getElementType(grad);
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  auto padding = c.getExpr("pad");
  if (!input || !weight || !padding || getRank(grad) != 3 ||
      getRank(input) != 3 || getRank(weight) != 3)
    return c.fail("its operands are no sequences");
  BackwardCall call = {b.permute(grad, {1, 2, 0}),
                       b.permute(input, {1, 2, 0}),
                       b.permute(weight, {2, 1, 0}),
                       {{b.size(1)}, {padding}, {b.size(1)}, b.size(1)}};
  return c.replace({b.permute(getInputGradient(c, call), {2, 0, 1}),
                    b.permute(getWeightGradient(c, call), {2, 1, 0}),
                    getBiasGradient(c, call.grad)});
}

void graph::populateConvolutionBackwardLegalizations(AtenLegalizations &t) {
  t.add("conv_tbc_backward", legalizeConvTbcBackward);
  t.add("convolution_backward", legalizeConvBackward);
}
