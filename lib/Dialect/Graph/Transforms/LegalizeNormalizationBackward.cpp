//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of the gradients of normalisations, from the statistics that
// the forward operators saved. 16-bit floats are computed in `f32` throughout
// and rounded once.
//
//===----------------------------------------------------------------------===//

#include "OutputMask.h"
#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using sym::ExprAttr;

/// A vector of channels, shaped so that it broadcasts along dimension one of
/// a tensor of the given rank.
static Num alongChannels(TensorBuilder &b, Value v, int64_t rank) {
  Sizes sizes(rank - 1, b.size(1));
  sizes[0] = getSizes(v)[0];
  return {b, b.reshape(v, sizes)};
}

static Num meanOver(TensorBuilder &b, Num v, ArrayRef<int64_t> dims) {
  return {b, b.mean(v, dims, /*keepdims=*/true)};
}

namespace {

/// The operands that all of these have, in the type to compute in. It is that
/// of the widest one, since statistics of 16-bit floats are kept in `f32`.
struct NormGradient {
  AtenCall &c;
  Value grad, x, weight;
  Type type;
};

} // namespace

static FailureOr<NormGradient> readGradient(AtenCall &c, StringRef gradName) {
  Value grad = c.tensor(gradName), x = c.tensor("input");
  if (!grad || !x || getRank(grad) != getRank(x))
    return c.fail("an operand is missing");
  Type type = getAccumulationType(getElementType(x));
  return NormGradient{c, c.b.convert(grad, type), c.b.convert(x, type),
                      c.operand("weight", type), type};
}

/// Gradients of operand, weight and bias of a normalisation over `dims`, where
/// `normalized` has mean zero and deviation one over these: what changes the
/// statistics is taken off. `outer` are the dimensions that a weight does not
/// have, and `channels` its sizes.
static LogicalResult replaceNormalized(NormGradient &n, Num grad,
                                       Num normalized, Num rstd, Num scaled,
                                       ArrayRef<int64_t> dims,
                                       ArrayRef<int64_t> outer,
                                       SizesRef channels, bool isCentered) {
  TensorBuilder &b = n.c.b;
  unsigned count = isCentered ? 3 : 2;
  Sizes sizes = getSizes(n.x);
  return replaceMasked(n.c, count, [&](unsigned number) -> Value {
    if (number == 0) {
      Num rest = scaled - normalized * meanOver(b, scaled * normalized, dims);
      if (isCentered)
        rest = rest - meanOver(b, scaled, dims);
      return b.reshape(rest * rstd, sizes);
    }
    Num terms = number == 1 ? grad * normalized : grad;
    if (!outer.empty())
      terms = terms.reduce(ReduceKind::Sum, outer);
    return b.reshape(terms, channels);
  });
}

/// The last dimensions, over which layer norm and RMS norm normalise; nothing
/// where their number is not known.
static std::optional<SmallVector<int64_t>> getLayerDims(AtenCall &c,
                                                        int64_t rank) {
  auto shape = c.getExprs("normalized_shape");
  if (!shape || shape->empty() || static_cast<int64_t>(shape->size()) > rank)
    return std::nullopt;
  return lastDims(rank, static_cast<int64_t>(shape->size()));
}

/// Of layer norm, and of RMS norm, which has no mean.
static AtenHandler layerNorm(bool isCentered) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    FailureOr<NormGradient> n = readGradient(c, "grad_out");
    if (failed(n))
      return failure();
    int64_t rank = getRank(n->x);
    auto dims = getLayerDims(c, rank);
    Value mean = isCentered ? c.operand("mean", n->type) : Value(),
          rstd = c.operand("rstd", n->type);
    if (!dims || !rstd || (isCentered && !mean))
      return c.fail("its shape is not known");
    Num grad(b, n->grad), x(b, n->x), r(b, rstd);
    Num normalized = (isCentered ? x - Num(b, mean) : x) * r;
    Num scaled = n->weight ? grad * Num(b, n->weight) : grad;
    auto outer = llvm::to_vector(
        llvm::seq<int64_t>(0, rank - static_cast<int64_t>(dims->size())));
    return replaceNormalized(*n, grad, normalized, r, scaled, *dims, outer,
                             SizesRef(getSizes(x)).take_back(dims->size()),
                             isCentered);
  };
}

static LogicalResult legalizeGroupNorm(AtenCall &c) {
  TensorBuilder &b = c.b;
  FailureOr<NormGradient> n = readGradient(c, "grad_out");
  if (failed(n))
    return failure();
  Value mean = c.operand("mean", n->type), rstd = c.operand("rstd", n->type);
  ExprAttr groups = c.getExpr("group");
  if (getRank(n->x) < 2 || !mean || !rstd || !groups ||
      (groups.isConstant() && groups.getValue() < 1))
    return c.fail("its groups are not known");
  Sizes sizes = getSizes(n->x);
  ExprAttr each = sym::floorDiv(sizes[1], groups);
  ExprAttr rest = sym::product(b.getContext(), SizesRef(sizes).drop_front(2));
  Sizes grouped = {sizes[0], groups, each, rest};
  Sizes statistics = {sizes[0], groups, b.size(1), b.size(1)};
  Num grad(b, b.reshape(n->grad, grouped)), x(b, b.reshape(n->x, grouped)),
      m(b, b.reshape(mean, statistics)), r(b, b.reshape(rstd, statistics));
  Num scaled = grad;
  if (n->weight)
    scaled = grad * Num(b, b.reshape(n->weight, {groups, each, b.size(1)}));
  return replaceNormalized(*n, grad, (x - m) * r, r, scaled, {2, 3}, {0, 3},
                           sizes[1], /*isCentered=*/true);
}

/// Of batch norm: by the statistics of the batch, which depend on the operand,
/// or by running ones, which do not.
static LogicalResult batchNorm(AtenCall &c, StringRef gradName, bool isTraining,
                               StringRef savedName, double eps) {
  TensorBuilder &b = c.b;
  FailureOr<NormGradient> n = readGradient(c, gradName);
  if (failed(n))
    return failure();
  int64_t rank = getRank(n->x);
  if (rank < 2)
    return c.fail("its input has no channels");
  Value mean, rstd;
  if (isTraining) {
    mean = c.operand("save_mean", n->type);
    rstd = c.operand(savedName, n->type);
  } else {
    mean = c.operand("running_mean", n->type);
    Value variance = c.operand("running_var", n->type);
    if (variance)
      rstd = (Num(b, variance) + eps).unary<RsqrtOp>();
  }
  if (!mean || !rstd || getRank(mean) != 1 || getRank(rstd) != 1 ||
      (n->weight && getRank(n->weight) != 1))
    return c.fail("its statistics are not vectors of channels");
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  dims[0] = 0; // All dimensions but the channels'.
  Num grad(b, n->grad), r = alongChannels(b, rstd, rank);
  Num normalized = (Num(b, n->x) - alongChannels(b, mean, rank)) * r;
  Num scaled = n->weight ? grad * alongChannels(b, n->weight, rank) : grad;
  if (isTraining)
    return replaceNormalized(*n, grad, normalized, r, scaled, dims, dims,
                             getSizes(mean)[0], /*isCentered=*/true);
  return replaceMasked(c, 3, [&](unsigned number) -> Value {
    return number == 0 ? scaled * r
                       : (number == 1 ? grad * normalized : grad)
                             .reduce(ReduceKind::Sum, dims);
  });
}

static LogicalResult legalizeBatchNorm(AtenCall &c) {
  bool isNative = c.has("train");
  return batchNorm(c, "grad_out", c.boolOr(isNative ? "train" : "update", true),
                   isNative ? "save_invstd" : "save_var", c.floatOr("eps", 0));
}

/// cudnn_batch_norm_backward: always in training.
static LogicalResult legalizeCudnnBatchNorm(AtenCall &c) {
  return batchNorm(c, "grad_output", /*isTraining=*/true, "save_var",
                   c.floatOr("epsilon", 0));
}

/// _weight_norm_interface_backward: of the directions and of their lengths.
static LogicalResult legalizeWeightNorm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = getAccumulationType(c.resultElementType());
  Value grad = c.operand("grad_w", type),
        direction = c.operand("saved_v", type),
        length = c.operand("saved_g", type),
        norms = c.operand("saved_norms", type);
  auto dim = direction ? c.getDim("dim", getRank(direction)) : std::nullopt;
  if (!grad || !length || !norms || !dim || getRank(direction) == 0)
    return c.fail("its dimension is not constant");
  SmallVector<int64_t> others = allDims(direction);
  others.erase(others.begin() + *dim);
  Num g(b, grad), v(b, direction), norm(b, norms);
  Num sum = (g * v).reduce(ReduceKind::Sum, others, /*keepdims=*/true);
  Num along = sum / norm;
  return c.replace({Num(b, length) / norm * (g - v * (along / norm)), along});
}

void graph::populateNormalizationBackwardLegalizations(AtenLegalizations &t) {
  t.add("native_layer_norm_backward", layerNorm(/*isCentered=*/true));
  t.add("_fused_rms_norm_backward", layerNorm(/*isCentered=*/false));
  t.add("native_group_norm_backward", legalizeGroupNorm);
  t.add("native_batch_norm_backward batch_norm_backward", legalizeBatchNorm);
  t.add("cudnn_batch_norm_backward miopen_batch_norm_backward",
        legalizeCudnnBatchNorm);
  t.add("_weight_norm_interface_backward", legalizeWeightNorm);
}
