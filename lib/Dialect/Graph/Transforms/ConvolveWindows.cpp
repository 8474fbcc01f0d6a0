//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution as a matrix product. `graph.conv` needs constants, which
// libraries and unrolled loops are made for. Here the elements of all windows
// become a tensor of their own, whose sizes may be symbols:
//
//   elements[n, c, y, j] = input[n, c, y * stride + j * dilation - padding]
//   result[n, o, y] = sum over c and j of elements * weight[o, c, j]
//
// A transposed convolution reads `(y + padding - j * dilation) / stride` where
// that is an integer. What lies outside, or between, is zero: positions of such
// elements are those of a zero that is appended to the input.
//
//===----------------------------------------------------------------------===//

#include "ConvolveWindows.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// `x` with as many elements along a dimension as are a multiple of `divisor`,
/// which the run checks where it is not known.
static Value castToMultiple(TensorBuilder &b, Value x, int64_t dim,
                            ExprAttr divisor) {
  Sizes sizes = getSizes(x);
  sizes[dim] = sym::mul(divisor, sym::floorDiv(sizes[dim], divisor));
  return b.castSizes(x, sizes);
}

/// The weight `[c, o / groups, kernel...]` of a transposed convolution as
/// `[o, c / groups, kernel...]`.
static Value exchangeChannels(TensorBuilder &b, Value weight, ExprAttr groups) {
  Sizes sizes = getSizes(weight);
  ExprAttr each = sym::floorDiv(sizes[0], groups);
  Sizes split = sizes, merged = sizes;
  split[0] = each;
  split.insert(split.begin(), groups);
  merged[0] = sym::mul(groups, sizes[1]);
  merged[1] = each;
  SmallVector<int64_t> order = {0, 2, 1};
  for (int64_t d = 3; d <= getRank(weight); ++d)
    order.push_back(d);
  return b.reshape(b.permute(b.reshape(weight, split), order), merged);
}

/// The positions along dimension `i` of the elements of each window:
/// `[windows, kernel]`.
static Num getPositions(TensorBuilder &b, const ConvGeometry &geometry,
                        size_t i, ExprAttr windows, ExprAttr kernel,
                        ExprAttr size) {
  Positions p(b);
  Num window = p.iota(windows).unsqueeze(1),
      element = p.iota(kernel) * p.size(geometry.dilation[i]),
      padding = p.size(geometry.padding[i]),
      stride = p.size(geometry.stride[i]);
  Num at = window * stride + element - padding;
  Num exists = at >= 0;
  if (geometry.isTransposed) {
    Num product = window + padding - element;
    at = floorDiv(product, stride);
    exists = (at * stride == product) & (at >= 0);
  }
  Num end = p.size(size);
  return select(exists & (at < end), at, end);
}

Value graph::gatherElements(TensorBuilder &b, Value input,
                            const ConvGeometry &geometry, SizesRef windows,
                            SizesRef kernel) {
  Sizes sizes = getSizes(input);
  for (size_t i = 0; i < windows.size(); ++i) {
    int64_t dim = 2 + 2 * static_cast<int64_t>(i);
    Num at = getPositions(b, geometry, i, windows[i], kernel[i], sizes[2 + i]);
    input = b.index(appendZeros(b, input, dim), Value(at), dim);
  }
  return input;
}

Value graph::convolveWindows(TensorBuilder &b, Value input, Value weight,
                             const ConvGeometry &geometry, SizesRef out) {
  ExprAttr groups = geometry.groups;
  weight = castToMultiple(b, weight, 0, groups);
  if (geometry.isTransposed)
    weight = exchangeChannels(b, weight, groups);
  Sizes sizes = getSizes(input), kernel = getSizes(weight);
  sizes[1] = sym::mul(kernel[1], groups);
  input = b.castSizes(input, sizes);
  int64_t spatial = getRank(input) - 2;
  Value elements = gatherElements(b, input, geometry, out.drop_front(2),
                                  SizesRef(kernel).drop_front(2));
  ExprAttr outEach = sym::floorDiv(kernel[0], groups),
           windows = sym::product(b.getContext(), out.drop_front(2)),
           summed = sym::product(b.getContext(), SizesRef(kernel).drop_front());
  // [n, groups, windows, channels and elements]
  SmallVector<int64_t> order = {0, 1};
  Sizes split = getSizes(elements);
  split[1] = kernel[1];
  split.insert(split.begin() + 1, groups);
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(3 + 2 * i);
  order.push_back(2);
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(4 + 2 * i);
  Value left = b.reshape(b.permute(b.reshape(elements, split), order),
                         {sizes[0], groups, windows, summed});
  Value right = b.transpose(b.reshape(weight, {groups, outEach, summed}), 1, 2);
  Value product = b.transpose(b.matmul(left, b.unsqueeze(right, 0)), 2, 3);
  Sizes shape(out);
  shape[1] = kernel[0];
  return b.castSizes(b.reshape(product, shape), out);
}
