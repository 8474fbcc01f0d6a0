//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution as a convolution with stride 1, which libraries and
// kernels exist for.
//
//===----------------------------------------------------------------------===//

#include "ConvolveWindows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

namespace {

/// One dimension of a transposed convolution as a convolution with stride 1.
/// Position y of the result takes from x[m - j] the weight's element
/// `stride * j + r`, where `y + padding` is `stride * m + r`: each remainder r
/// has a kernel of its own, whose results are further channels (phases).
struct PhaseDim {
  int64_t phases = 1;
  /// Elements of each kernel, and how far they are apart.
  int64_t taps = 1, dilation = 1;
  /// Zeros in front of and behind the input; negative: elements to drop.
  int64_t low = 0, high = 0;
  /// Elements to drop of the result, phases in their places.
  int64_t cropLow = 0, cropHigh = 0;
};

} // namespace

/// `kernel` elements, `dilation` apart.
static PhaseDim getPhaseDim(int64_t kernel, int64_t stride, int64_t padding,
                            int64_t dilation, int64_t outputPadding) {
  PhaseDim d;
  if (stride == 1) {
    d.taps = kernel;
    d.dilation = dilation;
    d.low = dilation * (kernel - 1) - padding;
    d.high = d.low + outputPadding;
    return d;
  }
  // Dilation becomes zeros in the kernel.
  int64_t span = dilation * (kernel - 1) + 1;
  d.phases = stride;
  d.taps = llvm::divideCeil(span, stride);
  int64_t first = padding / stride, behind = span + outputPadding - padding;
  d.low = d.taps - 1 - first;
  d.high = llvm::divideCeilSigned(behind, stride) - 1;
  d.cropLow = padding - stride * first;
  d.cropHigh = stride * (d.high + 1) - behind;
  return d;
}

/// The weight `[c, o / groups, kernel...]` as that of the convolution,
/// `[o * phases, c / groups, taps...]`: channels change places within each
/// group, and kernels are turned around.
static Value turnWeight(TensorBuilder &b, Value weight, int64_t groups,
                        ArrayRef<PhaseDim> dims, ArrayRef<int64_t> dilation,
                        TypedAttr zero) {
  int64_t spatial = dims.size();
  for (auto [i, d] : llvm::enumerate(dims)) {
    if (d.phases == 1)
      continue;
    int64_t dim = 2 + static_cast<int64_t>(i);
    Sizes sizes = getSizes(weight);
    int64_t kernel = sizes[dim].getValue();
    if (dilation[i] > 1) {
      weight = b.unsqueeze(weight, dim + 1);
      SmallVector<int64_t> low(getRank(weight), 0), high = low;
      high[dim + 1] = dilation[i] - 1;
      kernel *= dilation[i];
      sizes[dim] = b.size(kernel);
      weight = b.reshape(b.pad(weight, low, high, zero), sizes);
    }
    SmallVector<int64_t> low(getRank(weight), 0), high = low;
    high[dim] = d.taps * d.phases - kernel;
    weight = b.pad(weight, low, high, zero);
  }
  // [groups, c, o, taps, phases, taps, phases, ...]
  Sizes sizes = getSizes(weight);
  ExprAttr each = sym::floorDiv(sizes[0], b.size(groups));
  Sizes split = {b.size(groups), each, sizes[1]}, merged = {sizes[1], each};
  SmallVector<int64_t> order = {0, 2}, taps;
  int64_t channels = groups;
  for (auto [i, d] : llvm::enumerate(dims)) {
    int64_t at = static_cast<int64_t>(split.size());
    split.append({b.size(d.taps), b.size(d.phases)});
    order.push_back(at + 1);
    taps.push_back(at);
    merged.push_back(b.size(d.taps));
    channels *= d.phases;
  }
  merged[0] = sym::mul(merged[0], channels);
  order.push_back(1);
  order.append(taps);
  Value turned = b.reshape(b.permute(b.reshape(weight, split), order), merged);
  return flipDims(b, turned, lastDims(spatial + 2, spatial));
}

/// `[n, o * phases, positions...]` with the phases in their places.
static Value interleave(TensorBuilder &b, Value x, ArrayRef<PhaseDim> dims,
                        TypedAttr zero) {
  Sizes sizes = getSizes(x);
  int64_t phases = 1, spatial = dims.size();
  for (const PhaseDim &d : dims)
    phases *= d.phases;
  if (phases == 1)
    return x;
  Sizes split = {sizes[0], sym::floorDiv(sizes[1], b.size(phases))},
        merged = split;
  SmallVector<int64_t> order = {0, 1}, low = {0, 0}, high = {0, 0};
  for (auto [i, d] : llvm::enumerate(dims)) {
    split.push_back(b.size(d.phases));
    order.append(
        {2 + spatial + static_cast<int64_t>(i), 2 + static_cast<int64_t>(i)});
    merged.push_back(sym::mul(sizes[2 + i], d.phases));
    low.push_back(-d.cropLow);
    high.push_back(-d.cropHigh);
  }
  split.append(sizes.begin() + 2, sizes.end());
  Value whole = b.reshape(b.permute(b.reshape(x, split), order), merged);
  return b.pad(whole, low, high, zero);
}

std::optional<Value> graph::convolveTransposed(TensorBuilder &b, Value input,
                                               Value weight, Value bias,
                                               const Window &window,
                                               ArrayRef<int64_t> outputPadding,
                                               int64_t groups) {
  size_t spatial = window.stride.size();
  Type type = getElementType(input);
  SmallVector<PhaseDim> dims;
  int64_t phases = 1;
  // Zeros that are the same on both sides are the convolution's padding.
  SmallVector<int64_t> low(spatial + 2, 0), high = low, both, apart;
  for (size_t i = 0; i < spatial; ++i) {
    auto kernel = getSizes(weight)[2 + i].getConstant();
    if (!kernel || *kernel < 1 || window.stride[i] < 1 ||
        window.dilation[i] < 1 || window.padding[i] < 0 || outputPadding[i] < 0)
      return std::nullopt;
    PhaseDim d = getPhaseDim(*kernel, window.stride[i], window.padding[i],
                             window.dilation[i], outputPadding[i]);
    dims.push_back(d);
    phases *= d.phases;
    both.push_back(std::max<int64_t>(std::min(d.low, d.high), 0));
    apart.push_back(d.dilation);
    low[i + 2] = d.low - both.back();
    high[i + 2] = d.high - both.back();
  }
  TypedAttr zero = convertScalar(b.getBuilder().getF64FloatAttr(0), type);
  Value padded = b.pad(input, low, high, zero);
  weight = turnWeight(b, weight, groups, dims, window.dilation, zero);
  SmallVector<int64_t> ones(spatial, 1);
  Window dense = {ones, both, apart};
  if (failed(inferConv(getSizes(padded), getSizes(weight), dense, groups)))
    return std::nullopt;
  if (bias && phases != 1) {
    Sizes sizes = getSizes(bias);
    bias =
        b.reshape(b.broadcast(b.unsqueeze(bias, 1), {sizes[0], b.size(phases)}),
                  {sym::mul(sizes[0], phases)});
  }
  Value result = convolve(b, padded, weight, bias, dense, groups);
  return interleave(b, result, dims, zero);
}
