//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of convolution and transposed convolution.
//
//===----------------------------------------------------------------------===//

#include "ConvolveWindows.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// The bias of a convolution as a vector, or null.
static FailureOr<Value> readBias(AtenCall &c) {
  Value bias = c.operand("bias", c.resultElementType());
  if (bias && getRank(bias) != 1) {
    (void)c.fail("its bias is not a vector");
    return failure();
  }
  return bias;
}

/// Adds a bias, one element for each channel, if there is one.
static Value addBias(TensorBuilder &b, Value x, Value bias) {
  if (!bias)
    return x;
  Sizes sizes(getRank(x) - 1, b.size(1));
  sizes[0] = getSizes(bias)[0];
  return b.add(x, b.reshape(bias, sizes));
}

/// The bias is an operator of its own where that rounds nothing more: it then
/// fuses with whatever follows.
static Value convolve(TensorBuilder &b, Value input, Value weight, Value bias,
                      const Window &window, int64_t groups) {
  bool isHalfType = isHalf(getElementType(input));
  Value result =
      ConvOp::create(b.getBuilder(), b.getLoc(), input, weight, window.stride,
                     window.padding, window.dilation, groups,
                     /*channelsLast=*/false, isHalfType ? bias : Value());
  return isHalfType ? result : addBias(b, result, bias);
}

/// Drops the batch that a convolution lacks.
static LogicalResult replaceConv(AtenCall &c, Value result, bool batched) {
  if (!batched)
    result = c.b.reshape(result, SizesRef(getSizes(result)).drop_front());
  return c.replace(result);
}

namespace {

/// The operands of a convolution, with their batch, and how its windows lie.
struct ConvCall {
  Value input, weight, bias;
  bool isBatched = true;
  ConvGeometry geometry;
};

} // namespace

/// Where a convolution of any geometry ends: as a matrix product of all
/// windows.
static LogicalResult replaceByWindows(AtenCall &c, const ConvCall &conv) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Sizes out = c.resultSizes();
  if (!conv.isBatched)
    out.insert(out.begin(), b.size(1));
  if (out.size() != getSizes(conv.input).size())
    return c.fail("its result has a rank that does not fit");
  // Rounded once.
  auto widen = [&](Value x) {
    return x && isHalf(type) ? b.convert(x, getAccumulationType(type)) : x;
  };
  Value result = convolveWindows(b, widen(conv.input), widen(conv.weight),
                                 conv.geometry, out);
  return replaceConv(c, addBias(b, result, widen(conv.bias)), conv.isBatched);
}

/// Reads what both kinds of convolution have.
static FailureOr<ConvCall> readConv(AtenCall &c, bool isTransposed) {
  Type type = c.resultElementType();
  ConvCall conv;
  conv.input = c.operand("input", type);
  if (!conv.input) // Of the framework's own functions for CPUs.
    conv.input = c.operand("self", type);
  conv.weight = c.operand("weight", type);
  if (!conv.input || !conv.weight || getRank(conv.weight) < 3)
    return c.fail("an operand is missing");
  if (type.isInteger(1))
    return c.fail("its elements are bools");
  int64_t rank = getRank(conv.weight);
  size_t spatial = rank - 2;
  if (spatial > 3 ||
      (getRank(conv.input) != rank && getRank(conv.input) + 1 != rank))
    return c.fail("its operands have ranks that do not fit");
  conv.isBatched = getRank(conv.input) == rank;
  if (!conv.isBatched)
    conv.input = c.b.unsqueeze(conv.input, 0);
  auto stride = readSpatialExprs(c, "stride", spatial, 1),
       dilation = readSpatialExprs(c, "dilation", spatial, 1);
  if (!stride || !dilation)
    return c.fail("its geometry is not known");
  conv.geometry.stride = *stride;
  conv.geometry.dilation = *dilation;
  conv.geometry.groups = c.intOr("groups", 1);
  conv.geometry.isTransposed = isTransposed;
  int64_t groups = conv.geometry.groups;
  if (groups < 1)
    return c.fail("it has no groups");
  // Of symbols the run checks what is checked here of constants.
  Sizes sizes = getSizes(conv.weight);
  auto channels = getSizes(conv.input)[1].getConstant(),
       rows = sizes[0].getConstant(), columns = sizes[1].getConstant();
  if (rows && *rows % groups != 0)
    return c.fail("its groups do not divide its channels");
  auto wanted = isTransposed ? rows : columns;
  if (channels && wanted &&
      *channels != (isTransposed ? *wanted : *wanted * groups))
    return c.fail("its channels do not fit those of its weight");
  FailureOr<Value> bias = readBias(c);
  if (failed(bias))
    return failure();
  conv.bias = *bias;
  return conv;
}

/// Whether it is known that channels fit, and that groups divide them.
static bool haveKnownGroups(const ConvCall &conv) {
  ExprAttr channels = getSizes(conv.input)[1];
  Sizes weight = getSizes(conv.weight);
  ExprAttr groups = sym::constant(channels.getContext(), conv.geometry.groups);
  if (!sym::mod(weight[0], groups).isConstant(0))
    return false;
  return channels ==
         (conv.geometry.isTransposed ? weight[0] : sym::mul(weight[1], groups));
}

static LogicalResult legalizeConvTranspose(AtenCall &c);

static LogicalResult legalizeConv(AtenCall &c) {
  if (c.boolOr("transposed", false))
    return legalizeConvTranspose(c);
  FailureOr<ConvCall> conv = readConv(c, /*isTransposed=*/false);
  if (failed(conv))
    return failure();
  TensorBuilder &b = c.b;
  ConvGeometry &geometry = conv->geometry;
  size_t spatial = geometry.stride.size();
  Sizes kernel(ArrayRef(getSizes(conv->weight)).drop_front(2));
  StringRef mode = c.stringOr("padding", "");
  // How many more elements there are behind the input than in front of it.
  SmallVector<int64_t> more(spatial, 0);
  if (mode == "valid") {
    geometry.padding.assign(spatial, b.size(0));
  } else if (mode == "same") {
    for (size_t i = 0; i < spatial; ++i) {
      ExprAttr total = sym::mul(geometry.dilation[i], sym::add(kernel[i], -1));
      geometry.padding.push_back(sym::floorDiv(total, b.size(2)));
      if (auto number = total.getConstant())
        more[i] = *number % 2;
    }
  } else {
    auto padding = readSpatialExprs(c, "padding", spatial, 0);
    if (!padding)
      return c.fail("its padding is not known");
    geometry.padding = *padding;
  }
  auto stride = getConstants(geometry.stride),
       padding = getConstants(geometry.padding),
       dilation = getConstants(geometry.dilation);
  bool isConstant = stride && padding && dilation && getConstants(kernel);
  if (!isConstant || !isa<FloatType>(c.resultElementType()) ||
      !haveKnownGroups(*conv))
    return replaceByWindows(c, *conv);
  if (llvm::is_contained(more, 1)) {
    SmallVector<int64_t> low(spatial + 2, 0), high = {0, 0};
    high.append(more);
    conv->input = b.pad(conv->input, low, high,
                        convertScalar(b.getBuilder().getF64FloatAttr(0),
                                      c.resultElementType()));
  }
  Window window = {*stride, *padding, *dilation};
  if (failed(inferConv(getSizes(conv->input), getSizes(conv->weight), window,
                       geometry.groups)))
    return c.fail("its geometry is invalid");
  return replaceConv(c,
                     convolve(b, conv->input, conv->weight, conv->bias, window,
                              geometry.groups),
                     conv->isBatched);
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

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

static LogicalResult legalizeConvTranspose(AtenCall &c) {
  FailureOr<ConvCall> conv = readConv(c, /*isTransposed=*/true);
  if (failed(conv))
    return failure();
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  ConvGeometry &geometry = conv->geometry;
  Value weight = conv->weight;
  size_t spatial = geometry.stride.size();
  auto exprs = readSpatialExprs(c, "padding", spatial, 0);
  if (!exprs)
    return c.fail("its padding is not known");
  geometry.padding = *exprs;
  auto stride = getConstants(geometry.stride),
       padding = getConstants(geometry.padding),
       dilation = getConstants(geometry.dilation),
       more = readSpatial(c, "output_padding", spatial, 0),
       kernel = getConstants(ArrayRef(getSizes(weight)).drop_front(2));
  if (!stride || !padding || !dilation || !more || !kernel ||
      !isa<FloatType>(type) || !haveKnownGroups(*conv))
    return replaceByWindows(c, *conv);
  int64_t groups = geometry.groups;
  SmallVector<PhaseDim> dims;
  int64_t phases = 1;
  // Zeros that are the same on both sides are the convolution's padding.
  SmallVector<int64_t> low(spatial + 2, 0), high = low, both, apart;
  for (size_t i = 0; i < spatial; ++i) {
    if ((*kernel)[i] < 1 || (*stride)[i] < 1 || (*dilation)[i] < 1 ||
        (*padding)[i] < 0 || (*more)[i] < 0)
      return c.fail("its geometry is invalid");
    PhaseDim d = getPhaseDim((*kernel)[i], (*stride)[i], (*padding)[i],
                             (*dilation)[i], (*more)[i]);
    dims.push_back(d);
    phases *= d.phases;
    both.push_back(std::max<int64_t>(std::min(d.low, d.high), 0));
    apart.push_back(d.dilation);
    low[i + 2] = d.low - both.back();
    high[i + 2] = d.high - both.back();
  }
  TypedAttr zero = convertScalar(b.getBuilder().getF64FloatAttr(0), type);
  Value padded = b.pad(conv->input, low, high, zero);
  weight = turnWeight(b, weight, groups, dims, *dilation, zero);
  SmallVector<int64_t> ones(spatial, 1);
  Window window = {ones, both, apart};
  if (failed(inferConv(getSizes(padded), getSizes(weight), window, groups)))
    return c.fail("its geometry is invalid");
  Value each = conv->bias;
  if (each && phases != 1) {
    Sizes sizes = getSizes(each);
    each =
        b.reshape(b.broadcast(b.unsqueeze(each, 1), {sizes[0], b.size(phases)}),
                  {sym::mul(sizes[0], phases)});
  }
  Value result = convolve(b, padded, weight, each, window, groups);
  return replaceConv(c, interleave(b, result, dims, zero), conv->isBatched);
}

void graph::populateConvolutionLegalizations(AtenLegalizations &t) {
  t.add("convolution conv1d conv2d conv3d conv1d.padding conv2d.padding "
        "conv3d.padding slow_conv3d slow_conv3d_forward thnn_conv2d "
        "_slow_conv2d_forward slow_conv_dilated2d slow_conv_dilated3d",
        legalizeConv);
  t.add("conv_transpose1d conv_transpose2d.input conv_transpose3d.input "
        "slow_conv_transpose2d slow_conv_transpose3d",
        legalizeConvTranspose);
}
