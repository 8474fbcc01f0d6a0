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

#include "TensorMath.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// A convolution of integers, which no library has: a product of the elements
/// of all windows with the weight, for each group.
static Value convolveIntegers(TensorBuilder &b, Value input, Value weight,
                              const Window &window, int64_t groups) {
  FailureOr<Sizes> out =
      inferConv(getSizes(input), getSizes(weight), window, groups);
  int64_t rank = getRank(input), spatial = rank - 2;
  Sizes kernel = getSizes(weight);
  SmallVector<int64_t> padding(rank, 0);
  llvm::copy(window.padding, padding.begin() + 2);
  Value elements = b.pad(input, padding, padding,
                         convertScalar(b.getBuilder().getI64IntegerAttr(0),
                                       getElementType(input)));
  Positions p(b);
  for (int64_t i = 0; i < spatial; ++i) {
    Num place = (p.iota((*out)[2 + i]) * window.stride[i]).unsqueeze(1) +
                p.iota(kernel[2 + i]) * window.dilation[i];
    elements = b.index(elements, Value(place), 2 + 2 * i);
  }
  Sizes sizes = getSizes(input);
  ExprAttr count = b.size(groups), each = kernel[1],
           outEach = sym::floorDiv(kernel[0], count);
  ExprAttr windows = sym::product(b.getContext(), SizesRef(*out).drop_front(2));
  ExprAttr summed = sym::product(b.getContext(), SizesRef(kernel).drop_front());
  // [n, groups, windows, channels and elements]
  SmallVector<int64_t> grouped = {0, 1};
  Sizes split = getSizes(elements);
  split[1] = each;
  split.insert(split.begin() + 1, count);
  for (int64_t i = 0; i < spatial; ++i)
    grouped.push_back(3 + 2 * i);
  grouped.push_back(2);
  for (int64_t i = 0; i < spatial; ++i)
    grouped.push_back(4 + 2 * i);
  Value left = b.reshape(b.permute(b.reshape(elements, split), grouped),
                         {sizes[0], count, windows, summed});
  Value right =
      b.transpose(b.reshape(weight, {b.size(1), count, outEach, summed}), 2, 3);
  return b.reshape(b.transpose(b.matmul(left, right), 2, 3), *out);
}

/// The bias of a convolution as a vector, or null.
static FailureOr<Value> readBias(AtenCall &c) {
  Value bias = c.operand("bias", c.resultElementType());
  if (bias && getRank(bias) != 1) {
    (void)c.fail("its bias is not a vector");
    return failure();
  }
  return bias;
}

/// The bias is an operator of its own where that rounds nothing more: it then
/// fuses with whatever follows.
static Value convolve(TensorBuilder &b, Value input, Value weight, Value bias,
                      const Window &window, int64_t groups) {
  Value result;
  if (!isa<FloatType>(getElementType(input)))
    result = convolveIntegers(b, input, weight, window, groups);
  else
    result = ConvOp::create(b.getBuilder(), b.getLoc(), input, weight,
                            window.stride, window.padding, window.dilation,
                            groups, /*channelsLast=*/false,
                            isHalf(getElementType(input)) ? bias : Value());
  if (!bias || isHalf(getElementType(input)))
    return result;
  Sizes sizes(getRank(result) - 1, b.size(1));
  sizes[0] = getSizes(bias)[0];
  return b.add(result, b.reshape(bias, sizes));
}

/// Drops the batch that a convolution lacks.
static LogicalResult replaceConv(AtenCall &c, Value result, bool batched) {
  if (!batched)
    result = c.b.reshape(result, SizesRef(getSizes(result)).drop_front());
  return c.replace(result);
}

static LogicalResult legalizeConvTranspose(AtenCall &c);

static LogicalResult legalizeConv(AtenCall &c) {
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight || getRank(weight) < 3)
    return c.fail("an operand is missing");
  if (c.boolOr("transposed", false))
    return legalizeConvTranspose(c);
  size_t spatial = getRank(weight) - 2;
  if (spatial > 3 || (getRank(input) != getRank(weight) &&
                      getRank(input) + 1 != getRank(weight)))
    return c.fail("its operands have ranks that do not fit");
  bool batched = getRank(input) == getRank(weight);
  if (!batched)
    input = c.b.unsqueeze(input, 0);
  auto stride = readSpatial(c, "stride", spatial, 1),
       dilation = readSpatial(c, "dilation", spatial, 1);
  if (!stride || !dilation)
    return c.fail("its geometry is not constant");
  std::optional<SmallVector<int64_t>> padding;
  StringRef mode = c.stringOr("padding", "");
  if (mode == "valid") {
    padding = SmallVector<int64_t>(spatial, 0);
  } else if (mode == "same") {
    SmallVector<int64_t> low(spatial + 2, 0), high(spatial + 2, 0);
    padding = SmallVector<int64_t>();
    bool uneven = false;
    for (size_t i = 0; i < spatial; ++i) {
      auto kernel = getSizes(weight)[i + 2].getConstant();
      if (!kernel)
        return c.fail("its kernel size is not constant");
      int64_t total = (*dilation)[i] * (*kernel - 1);
      padding->push_back(total / 2);
      high[i + 2] = total % 2;
      uneven |= total % 2 != 0;
    }
    if (uneven)
      input = c.b.pad(input, low, high,
                      convertScalar(c.b.getBuilder().getF64FloatAttr(0), type));
  } else {
    padding = readSpatial(c, "padding", spatial, 0);
  }
  if (!padding)
    return c.fail("its padding is not constant");
  int64_t groups = c.intOr("groups", 1);
  if (type.isInteger(1))
    return c.fail("its elements are bools");
  if (failed(inferConv(getSizes(input), getSizes(weight),
                       {*stride, *padding, *dilation}, groups)))
    return c.fail("its geometry is invalid");
  FailureOr<Value> bias = readBias(c);
  if (failed(bias))
    return failure();
  return replaceConv(c,
                     convolve(c.b, input, weight, *bias,
                              {*stride, *padding, *dilation}, groups),
                     batched);
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
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value input = c.operand("input", type), weight = c.operand("weight", type);
  if (!input || !weight || getRank(weight) < 3)
    return c.fail("an operand is missing");
  if (type.isInteger(1))
    return c.fail("its elements are bools");
  size_t spatial = getRank(weight) - 2;
  if (spatial > 3 || (getRank(input) != getRank(weight) &&
                      getRank(input) + 1 != getRank(weight)))
    return c.fail("its operands have ranks that do not fit");
  bool batched = getRank(input) == getRank(weight);
  if (!batched)
    input = b.unsqueeze(input, 0);
  auto stride = readSpatial(c, "stride", spatial, 1),
       padding = readSpatial(c, "padding", spatial, 0),
       dilation = readSpatial(c, "dilation", spatial, 1),
       more = readSpatial(c, "output_padding", spatial, 0);
  if (!stride || !padding || !dilation || !more)
    return c.fail("its geometry is not constant");
  int64_t groups = c.intOr("groups", 1);
  auto channels = getSizes(weight)[0].getConstant();
  if (groups < 1 || !channels || *channels % groups)
    return c.fail("its groups do not divide its channels");
  FailureOr<Value> bias = readBias(c);
  if (failed(bias))
    return failure();
  SmallVector<PhaseDim> dims;
  int64_t phases = 1;
  // Zeros that are the same on both sides are the convolution's padding.
  SmallVector<int64_t> low(spatial + 2, 0), high = low, both, apart;
  for (size_t i = 0; i < spatial; ++i) {
    auto kernel = getSizes(weight)[i + 2].getConstant();
    if (!kernel || *kernel < 1 || (*stride)[i] < 1 || (*dilation)[i] < 1 ||
        (*padding)[i] < 0 || (*more)[i] < 0)
      return c.fail("its geometry is not constant");
    PhaseDim d = getPhaseDim(*kernel, (*stride)[i], (*padding)[i],
                             (*dilation)[i], (*more)[i]);
    dims.push_back(d);
    phases *= d.phases;
    both.push_back(std::max<int64_t>(std::min(d.low, d.high), 0));
    apart.push_back(d.dilation);
    low[i + 2] = d.low - both.back();
    high[i + 2] = d.high - both.back();
  }
  TypedAttr zero = convertScalar(b.getBuilder().getF64FloatAttr(0), type);
  Value padded = b.pad(input, low, high, zero);
  weight = turnWeight(b, weight, groups, dims, *dilation, zero);
  SmallVector<int64_t> ones(spatial, 1);
  Window window = {ones, both, apart};
  if (failed(inferConv(getSizes(padded), getSizes(weight), window, groups)))
    return c.fail("its geometry is invalid");
  Value each = *bias;
  if (each && phases != 1) {
    Sizes sizes = getSizes(each);
    each =
        b.reshape(b.broadcast(b.unsqueeze(each, 1), {sizes[0], b.size(phases)}),
                  {sym::mul(sizes[0], phases)});
  }
  Value result = convolve(b, padded, weight, each, window, groups);
  return replaceConv(c, interleave(b, result, dims, zero), batched);
}

void graph::populateConvolutionLegalizations(AtenLegalizations &t) {
  t.add("convolution conv1d conv2d conv3d conv1d.padding conv2d.padding "
        "conv3d.padding",
        legalizeConv);
  t.add("conv_transpose1d conv_transpose2d.input conv_transpose3d.input",
        legalizeConvTranspose);
}
