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

Value graph::convolve(TensorBuilder &b, Value input, Value weight, Value bias,
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
  // The framework's own functions take the elements of the weight for those of
  // a kernel of the size that is given.
  if (c.has("kernel_size")) {
    auto given = readSpatialExprs(c, "kernel_size", spatial, 1);
    Sizes sizes = getSizes(conv.weight);
    ExprAttr wanted = c.b.size(1), there = wanted;
    if (!given)
      return c.fail("the size of its kernel is not known");
    for (size_t i = 0; i < spatial; ++i) {
      wanted = sym::mul(wanted, (*given)[i]);
      there = sym::mul(there, sizes[i + 2]);
    }
    if (wanted != there)
      return c.fail("its kernel is said to have other elements than its weight "
                    "has, beyond which the framework would read");
    llvm::copy(*given, sizes.begin() + 2);
    conv.weight = c.b.reshape(conv.weight, sizes);
  }
  auto stride = readSpatialExprs(c, "stride", spatial, 1),
       dilation = readSpatialExprs(c, "dilation", spatial, 1);
  if (!stride || !dilation)
    return c.fail("its geometry is not known");
  conv.geometry.stride = *stride;
  conv.geometry.dilation = *dilation;
  conv.geometry.isTransposed = isTransposed;
  FailureOr<ExprAttr> groups = readGroups(c);
  if (failed(groups))
    return failure();
  conv.geometry.groups = *groups;
  // Of symbols the run checks what is checked here of constants.
  Sizes sizes = getSizes(conv.weight);
  auto channels = getSizes(conv.input)[1].getConstant(),
       rows = sizes[0].getConstant(), columns = sizes[1].getConstant();
  auto count = groups->getConstant();
  if (rows && count && *rows % *count != 0)
    return c.fail("its groups do not divide its channels");
  auto wanted = isTransposed ? rows : columns;
  if (channels && wanted && (isTransposed || count) &&
      *channels != (isTransposed ? *wanted : *wanted * *count))
    return c.fail("its channels do not fit those of its weight");
  FailureOr<Value> bias = readBias(c);
  if (failed(bias))
    return failure();
  conv.bias = *bias;
  return conv;
}

FailureOr<ExprAttr> graph::readGroups(AtenCall &c) {
  if (!c.has("groups"))
    return c.b.size(1);
  ExprAttr groups = c.getExpr("groups");
  if (!groups)
    return c.fail("the number of its groups is not known");
  // Channels are divided by it.
  if (!c.getContext().isNonNegative(sym::add(groups, -1)))
    return c.fail("it may have no groups");
  return groups;
}

bool graph::haveKnownGroups(ExprAttr channels, Value weight, ExprAttr groups,
                            bool isTransposed) {
  Sizes sizes = getSizes(weight);
  if (!groups.isConstant() || !sym::mod(sizes[0], groups).isConstant(0))
    return false;
  return channels == (isTransposed ? sizes[0] : sym::mul(sizes[1], groups));
}

static bool haveKnownGroups(const ConvCall &conv) {
  return haveKnownGroups(getSizes(conv.input)[1], conv.weight,
                         conv.geometry.groups, conv.geometry.isTransposed);
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
                       *geometry.groups.getConstant())))
    return c.fail("its geometry is invalid");
  return replaceConv(c,
                     convolve(b, conv->input, conv->weight, conv->bias, window,
                              *geometry.groups.getConstant()),
                     conv->isBatched);
}

static LogicalResult legalizeConvTranspose(AtenCall &c) {
  FailureOr<ConvCall> conv = readConv(c, /*isTransposed=*/true);
  if (failed(conv))
    return failure();
  ConvGeometry &geometry = conv->geometry;
  size_t spatial = geometry.stride.size();
  auto exprs = readSpatialExprs(c, "padding", spatial, 0);
  if (!exprs)
    return c.fail("its padding is not known");
  geometry.padding = *exprs;
  auto stride = getConstants(geometry.stride),
       padding = getConstants(geometry.padding),
       dilation = getConstants(geometry.dilation),
       more = readSpatial(c, "output_padding", spatial, 0),
       kernel = getConstants(ArrayRef(getSizes(conv->weight)).drop_front(2));
  if (!stride || !padding || !dilation || !more || !kernel ||
      !isa<FloatType>(c.resultElementType()) || !haveKnownGroups(*conv))
    return replaceByWindows(c, *conv);
  auto result = convolveTransposed(c.b, conv->input, conv->weight, conv->bias,
                                   {*stride, *padding, *dilation}, *more,
                                   *geometry.groups.getConstant());
  if (!result)
    return c.fail("its geometry is invalid");
  return replaceConv(c, *result, conv->isBatched);
}

/// conv_tbc: a convolution over the first dimension, time; channels are last.
static LogicalResult legalizeConvTbc(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = c.resultElementType();
  Value input = c.operand("self", type), weight = c.operand("weight", type),
        bias = c.operand("bias", type);
  auto padding = c.has("pad") ? c.getInt("pad") : 0;
  if (!input || !weight || !bias || !padding || getRank(input) != 3 ||
      getRank(weight) != 3 || !isa<FloatType>(type))
    return c.fail("its operands are no sequences of floats");
  // [batch, channels, time] and [out, in, kernel]
  input = b.permute(input, {1, 2, 0});
  weight = b.permute(weight, {2, 1, 0});
  if (!getConstants(SizesRef(getSizes(weight)).drop_front(2)))
    return c.fail("the size of its kernel is not constant");
  SmallVector<int64_t> one = {1}, paddings = {*padding};
  Window window = {one, paddings, one};
  if (failed(inferConv(getSizes(input), getSizes(weight), window, 1)))
    return c.fail("its geometry is invalid");
  return c.replace(
      b.permute(convolve(b, input, weight, bias, window, 1), {2, 0, 1}));
}

void graph::populateConvolutionLegalizations(AtenLegalizations &t) {
  t.add("conv_tbc", legalizeConvTbc);
  t.add("convolution conv1d conv2d conv3d conv1d.padding conv2d.padding "
        "conv3d.padding slow_conv3d slow_conv3d_forward thnn_conv2d "
        "_slow_conv2d_forward slow_conv_dilated2d slow_conv_dilated3d",
        legalizeConv);
  t.add("conv_transpose1d conv_transpose2d.input conv_transpose3d.input "
        "slow_conv_transpose2d slow_conv_transpose3d",
        legalizeConvTranspose);
}
