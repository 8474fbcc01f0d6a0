//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions: named, depthwise, grouped, generic, with padding before them.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::bridge;
using graph::Sizes;

namespace {

/// linalg.conv_2d_nhwc_hwcf, linalg.depthwise_conv_..., linalg.generic, ... →
/// graph.conv between views
struct RaiseConvolution : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;
};

} // namespace

/// The loops of an input's dimensions.
static std::optional<SmallVector<unsigned>>
getInputLoops(AffineMap map, const linalg::ConvolutionDimensions &dims) {
  SmallVector<unsigned> loops;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops.push_back(dim.getPosition());
      continue;
    }
    const auto *image = llvm::find_if(dims.outputImage, [&](unsigned loop) {
      return expr.isFunctionOfDim(loop);
    });
    if (image == dims.outputImage.end())
      return std::nullopt;
    loops.push_back(*image);
  }
  return loops;
}

/// The same number of zeros on both sides of each image dimension, which
/// `tensor.pad` adds before; nothing where it adds anything else.
static std::optional<SmallVector<int64_t>>
getPadding(tensor::PadOp pad, ArrayRef<unsigned> loops,
           ArrayRef<unsigned> image) {
  Value value = pad.getConstantPaddingValue();
  if (!value || !(matchPattern(value, m_AnyZeroFloat())))
    return std::nullopt;
  SmallVector<int64_t> result(image.size(), 0);
  for (auto [loop, low, high] :
       llvm::zip_equal(loops, pad.getMixedLowPad(), pad.getMixedHighPad())) {
    std::optional<int64_t> before = getConstantIntValue(low),
                           after = getConstantIntValue(high);
    const auto *at = llvm::find(image, loop);
    if (!before || before != after || *before < 0 ||
        (at == image.end() && *before != 0))
      return std::nullopt;
    if (at != image.end())
      result[static_cast<size_t>(at - image.begin())] = *before;
  }
  return result;
}

LogicalResult
RaiseConvolution::matchAndRewrite(linalg::LinalgOp op,
                                  PatternRewriter &rewriter) const {
  std::optional<ProductSum> sum = matchProductSum(op);
  if (!sum || !linalg::isaConvolutionOpInterface(op))
    return failure();
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  std::optional<ProductTypes> types = getProductTypes(*sum);
  if (failed(dims) || !types || !isa<FloatType>(types->factor))
    return failure();
  size_t rank = dims->outputImage.size();
  bool isDepthwise = dims->inputChannel.empty();
  if (dims->batch.size() > 1 || dims->outputChannel.size() > 1 ||
      dims->inputChannel.size() > 1 || dims->depth.size() > 1 ||
      dims->filterLoop.size() != rank || rank < 1 || rank > 3 ||
      (isDepthwise && dims->depth.empty()) ||
      (dims->depth.empty() && dims->outputChannel.empty()))
    return failure();
  auto mapOf = [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand);
  };
  std::optional<SmallVector<unsigned>> input =
      getInputLoops(mapOf(sum->lhs), *dims);
  std::optional<SmallVector<unsigned>> weight = getLoops(mapOf(sum->rhs)),
                                       output = getLoops(mapOf(sum->init));
  if (!input || !weight || !output)
    return failure();

  // Orders of loops: images and windows as they pair, channels by group.
  auto copy = [](ArrayRef<unsigned> loops) {
    return SmallVector<unsigned>(loops);
  };
  SmallVector<unsigned> channelsIn = copy(dims->depth),
                        channelsOut = copy(dims->depth),
                        batch = copy(dims->batch),
                        image = copy(dims->outputImage),
                        window = copy(dims->filterLoop);
  llvm::append_range(channelsIn, dims->inputChannel);
  llvm::append_range(channelsOut, dims->outputChannel);
  auto join = [](std::initializer_list<ArrayRef<unsigned>> parts) {
    SmallVector<unsigned> all;
    for (ArrayRef<unsigned> part : parts)
      llvm::append_range(all, part);
    return all;
  };
  // What is there is kept where the channels are the last dimensions of both.
  bool last = ArrayRef(*input) == ArrayRef(join({batch, image, channelsIn})) &&
              ArrayRef(*output) == ArrayRef(join({batch, image, channelsOut}));
  SmallVector<unsigned> inputOrder =
                            last ? *input : join({batch, channelsIn, image}),
                        outputOrder =
                            last ? *output : join({batch, channelsOut, image}),
                        weightOrder = last ? join({channelsOut, window,
                                                   dims->inputChannel})
                                           : join({channelsOut,
                                                   dims->inputChannel, window});
  if (inputOrder.size() != input->size() ||
      weightOrder.size() != weight->size() ||
      outputOrder.size() != output->size())
    return failure();

  graph::TensorBuilder b(rewriter, op.getLoc());
  Value x = sum->lhs->get();
  SmallVector<int64_t> padding(rank, 0);
  if (auto pad = x.getDefiningOp<tensor::PadOp>())
    if (auto found = getPadding(pad, *input, image);
        found && !llvm::is_contained(sym::getSizes(pad.getSource().getType()),
                                     sym::ExprAttr())) {
      padding = *found;
      x = pad.getSource();
    }
  auto sizeOf = [&](Value v, ArrayRef<unsigned> loops, unsigned loop) {
    return graph::getSizes(
        v)[static_cast<size_t>(llvm::find(loops, loop) - loops.begin())];
  };
  auto productOf = [&](Value v, ArrayRef<unsigned> loops,
                       ArrayRef<unsigned> which) {
    Sizes sizes;
    for (unsigned loop : which)
      sizes.push_back(sizeOf(v, loops, loop));
    return sym::product(getContext(), sizes);
  };
  auto group = [&](Value v, ArrayRef<unsigned> loops, ArrayRef<unsigned> first,
                   ArrayRef<unsigned> channels, ArrayRef<unsigned> space) {
    Sizes sizes{productOf(v, loops, first)};
    if (!last)
      sizes.push_back(productOf(v, loops, channels));
    for (unsigned loop : space)
      sizes.push_back(sizeOf(v, loops, loop));
    if (last)
      sizes.push_back(productOf(v, loops, channels));
    return sizes;
  };
  std::optional<int64_t> groups =
      dims->depth.empty()
          ? 1
          : sizeOf(x, *input, dims->depth.front()).getConstant();
  if (!groups)
    return failure();
  Sizes xSizes = group(x, *input, batch, channelsIn, image);
  Sizes wSizes =
      group(sum->rhs->get(), *weight, channelsOut, dims->inputChannel, window);
  Sizes ySizes = group(sum->init->get(), *output, batch, channelsOut, image);
  // The sizes that these windows give, in the order of channels first.
  auto first = [&](const Sizes &sizes) {
    return last ? graph::toChannelsFirst(ArrayRef(sizes)) : sizes;
  };
  FailureOr<Sizes> made =
      graph::inferConv(first(xSizes), first(wSizes),
                       {dims->strides, padding, dims->dilations}, *groups);
  if (failed(made))
    return failure();
  Sizes result = last ? Sizes(graph::toChannelsLast(ArrayRef(*made))) : *made;
  for (auto [have, want] : llvm::zip_equal(result, ySizes))
    if (graph::provablyDiffer(have, want))
      return failure();

  Value w = sum->rhs->get();
  x = permuteTo(b, b.convert(x, types->factor), *input, inputOrder);
  w = permuteTo(b, b.convert(w, types->factor), *weight, weightOrder);
  Value y = graph::ConvOp::create(rewriter, op.getLoc(), b.reshape(x, xSizes),
                                  b.reshape(w, wSizes), dims->strides, padding,
                                  dims->dilations, *groups, last);
  y = b.castSizes(b.convert(y, types->result), ySizes);
  Sizes apart;
  for (unsigned loop : outputOrder)
    apart.push_back(sizeOf(sum->init->get(), *output, loop));
  y = permuteTo(b, b.reshape(y, apart), outputOrder, *output);
  rewriter.replaceOp(op, addInit(b, *sum, y));
  return success();
}

void bridge::populateRaiseConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseConvolution>(patterns.getContext());
}
