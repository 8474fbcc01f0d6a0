//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalisation of normalisations and softmax. 16-bit floats are
// computed in `f32` throughout and rounded once.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::graph;
using Pred = ComparePredicate;
using sym::ExprAttr;

/// A vector of channels, shaped so that it broadcasts along dimension one of
/// a tensor of the given rank.
static Value alongChannels(TensorBuilder &b, Value v, int64_t rank) {
  Sizes sizes(std::max<int64_t>(rank - 1, 1), b.size(1));
  sizes[0] = getSizes(v)[0];
  return b.reshape(v, sizes);
}

/// 1 / sqrt(v + eps)
static Value inverseRoot(TensorBuilder &b, Value v, double eps) {
  return b.unary<RsqrtOp>(b.add(v, b.scalar(eps, getElementType(v))));
}

namespace {

/// (x - mean) / sqrt(var + eps) over some dimensions, with the statistics.
struct Normalized {
  Value value, mean, rstd;
};

} // namespace

static Normalized normalize(TensorBuilder &b, Value x, ArrayRef<int64_t> dims,
                            double eps) {
  auto [mean, m2] = b.moments(x, dims, /*keepdims=*/true);
  Value variance = b.div(m2, b.expr(b.count(x, dims), getElementType(x)));
  Value rstd = inverseRoot(b, variance, eps);
  return {b.mul(b.sub(x, mean), rstd), mean, rstd};
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// Normalises each channel over all samples and positions.
static LogicalResult normalizeBatch(AtenCall &c, Value x) {
  if (!x || getRank(x) < 2)
    return c.fail("its operand is missing");
  Type type = getElementType(x);
  int64_t rank = getRank(x);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  dims[0] = 0; // All dimensions but the channels'.
  TensorBuilder &b = c.b;
  Normalized n = normalize(b, x, dims, c.floatOr("eps", 1e-5));
  Value result = n.value;
  if (Value weight = c.operand("weight", type))
    result = b.mul(result, alongChannels(b, weight, rank));
  if (Value bias = c.operand("bias", type))
    result = b.add(result, alongChannels(b, bias, rank));
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  Sizes channels = {getSizes(x)[1]};
  return c.replace(
      {result, b.reshape(n.mean, channels), b.reshape(n.rstd, channels)});
}

/// Fails where a statistic or a parameter is not a vector of channels.
static LogicalResult checkChannels(AtenCall &c) {
  for (StringRef name : {"running_mean", "running_var", "weight", "bias"})
    if (Value v = c.tensor(name); v && getRank(v) != 1)
      return c.fail("'" + name + "' is not a vector");
  return success();
}

/// Normalises by given statistics. As the framework does: one scale and one
/// shift for each channel.
static Value normalizeBy(AtenCall &c, Value x, Value mean, Value var) {
  TensorBuilder &b = c.b;
  Type type = getElementType(x);
  Value scale = inverseRoot(b, var, c.floatOr("eps", 1e-5));
  if (Value weight = c.operand("weight", type))
    scale = b.mul(scale, weight);
  Value shift = b.mul(mean, scale);
  if (Value bias = c.operand("bias", type))
    shift = b.sub(bias, shift);
  else
    shift = b.unary<NegOp>(shift);
  int64_t rank = getRank(x);
  return b.add(b.mul(x, alongChannels(b, scale, rank)),
               alongChannels(b, shift, rank));
}

/// Result `i` if it is empty, as saved statistics are outside of training; else
/// null.
static Value emptyResult(AtenCall &c, unsigned i) {
  if (llvm::none_of(c.resultSizes(i),
                    [](ExprAttr size) { return size.isConstant(0); }))
    return {};
  return c.b.full(convertScalar(c.b.getBuilder().getI64IntegerAttr(0),
                                c.resultElementType(i)),
                  c.resultSizes(i));
}

/// What the framework saves in evaluation mode: on CUDA devices the running
/// mean and the reciprocal deviation that it normalizes by, elsewhere nothing.
static void appendSaved(AtenCall &c, Value mean, Value var,
                        SmallVectorImpl<Value> &results) {
  for (unsigned i = 1; i < c.op.getOutputs().size(); ++i) {
    Sizes declared = c.resultSizes(i);
    bool isSaved = i <= 2 && declared.size() == 1 && !declared[0].isConstant(0);
    results.push_back(!isSaved ? emptyResult(c, i)
                      : i == 1 ? mean
                               : inverseRoot(c.b, var, c.floatOr("eps", 1e-5)));
  }
}

static LogicalResult legalizeBatchNorm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("input", type);
  Value mean = c.operand("running_mean", type),
        var = c.operand("running_var", type);
  if (failed(checkChannels(c)))
    return failure();
  if (c.boolOr("training", !mean && !var)) {
    if (mean || var)
      return c.fail("it is in training mode and updates its statistics; export "
                    "the model in evaluation mode, or without them");
    return normalizeBatch(c, x);
  }
  if (x && c.op.getOutputs().size() == 1 && hasNoElements(x))
    return c.replace(x);
  if (!x || !mean || !var || getRank(x) < 2)
    return c.fail("an operand is missing");
  SmallVector<Value> results = {normalizeBy(c, x, mean, var)};
  appendSaved(c, mean, var, results);
  return c.replace(results);
}

/// Batch norm that returns its new running statistics, behind those of the
/// batch (and what cuDNN reserves, which is empty).
static LogicalResult legalizeBatchNormUpdate(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("input", type), mean = c.operand("running_mean", type),
        variance = c.operand("running_var", type);
  if (!x || !mean || !variance || getRank(x) < 2)
    return c.fail("an operand is missing");
  if (failed(checkChannels(c)))
    return failure();
  SmallVector<Value> reserved;
  if (c.op.getOutputs().size() == 6)
    reserved.push_back(emptyResult(c, 3));
  auto replace = [&](Value result, Value center, Value rstd, Value newMean,
                     Value newVariance) {
    SmallVector<Value> results = {result, center, rstd};
    results.append(reserved);
    results.append({newMean, newVariance});
    return c.replace(results);
  };
  if (!c.boolOr("training", true)) {
    SmallVector<Value> saved;
    appendSaved(c, mean, variance, saved);
    return replace(normalizeBy(c, x, mean, variance), saved[0], saved[1], mean,
                   variance);
  }
  TensorBuilder &b = c.b;
  int64_t rank = getRank(x);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  dims[0] = 0; // All dimensions but the channels'.
  auto [center, m2] = b.moments(x, dims, /*keepdims=*/true);
  ExprAttr count = b.count(x, dims);
  Value rstd =
      inverseRoot(b, b.div(m2, b.expr(count, type)), c.floatOr("eps", 1e-5));
  Value result = b.mul(b.sub(x, center), rstd);
  if (Value weight = c.operand("weight", type))
    result = b.mul(result, alongChannels(b, weight, rank));
  if (Value bias = c.operand("bias", type))
    result = b.add(result, alongChannels(b, bias, rank));

  // The running variance is that of the population, as of a sample.
  Sizes channels = {getSizes(x)[1]};
  center = b.reshape(center, channels);
  m2 = b.reshape(m2, channels);
  Value unbiased = b.div(m2, b.expr(sym::add(count, -1), type));
  double momentum = c.floatOr("momentum", 0.1);
  auto average = [&](Value before, Value now) {
    return b.add(
        b.mul(b.castSizes(before, channels), b.scalar(1 - momentum, type)),
        b.mul(now, b.scalar(momentum, type)));
  };
  return replace(result, center, b.reshape(rstd, channels),
                 average(mean, center), average(variance, unbiased));
}

static LogicalResult legalizeLayerNorm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("input", type);
  auto shape = c.getExprs("normalized_shape");
  if (!x || !shape || static_cast<int64_t>(shape->size()) > getRank(x) ||
      shape->empty())
    return c.fail("its shape is not known");
  int64_t rank = getRank(x);
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(rank - static_cast<int64_t>(shape->size()), rank));
  TensorBuilder &b = c.b;
  Normalized n = normalize(b, x, dims, c.floatOr("eps", 1e-5));
  Value result = n.value;
  if (Value weight = c.operand("weight", type))
    result = b.mul(result, weight);
  if (Value bias = c.operand("bias", type))
    result = b.add(result, bias);
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, n.mean, n.rstd});
}

static LogicalResult legalizeRmsNorm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("input", type);
  auto shape = c.getExprs("normalized_shape");
  if (!x || !shape || static_cast<int64_t>(shape->size()) > getRank(x) ||
      shape->empty())
    return c.fail("its shape is not known");
  // The default is the distance from one to the next number, of the type that
  // the framework computes in.
  double eps = type.isF64() ? std::ldexp(1.0, -52) : std::ldexp(1.0, -23);
  int64_t rank = getRank(x);
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(rank - static_cast<int64_t>(shape->size()), rank));
  TensorBuilder &b = c.b;
  Value rstd =
      inverseRoot(b, b.mean(b.mul(x, x), dims, true), c.floatOr("eps", eps));
  Value result = b.mul(x, rstd);
  if (Value weight = c.operand("weight", type))
    result = b.mul(result, weight);
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, rstd});
}

/// Normalises over the channels of each group and all positions: with one
/// group for each channel, this is instance normalisation.
static LogicalResult groupNorm(AtenCall &c, ExprAttr groups) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("input", type);
  if (!x || getRank(x) < 2)
    return c.fail("its operand is missing");
  if (groups.isConstant() && groups.getValue() < 1)
    return c.fail("it has no groups");
  for (StringRef name : {"weight", "bias"})
    if (Value v = c.tensor(name); v && getRank(v) != 1)
      return c.fail("'" + name + "' is not a vector");
  TensorBuilder &b = c.b;
  Sizes sizes = getSizes(x);
  // Channels within a group stay a dimension, so that weight and bias apply
  // in the space of the reductions.
  ExprAttr each = sym::floorDiv(sizes[1], groups);
  ExprAttr rest = sym::product(b.getContext(), SizesRef(sizes).drop_front(2));
  Value grouped = b.reshape(x, {sizes[0], groups, each, rest});
  Normalized n = normalize(b, grouped, {2, 3}, c.floatOr("eps", 1e-5));
  Value result = n.value;
  Sizes channels = {groups, each, b.size(1)};
  if (Value weight = c.operand("weight", type))
    result = b.mul(result, b.reshape(weight, channels));
  if (Value bias = c.operand("bias", type))
    result = b.add(result, b.reshape(bias, channels));
  result = b.reshape(result, sizes);
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  Sizes statistics = {sizes[0], groups};
  return c.replace(
      {result, b.reshape(n.mean, statistics), b.reshape(n.rstd, statistics)});
}

static AtenHandler groupNormWith(StringRef groupsName) {
  return [=](AtenCall &c) -> LogicalResult {
    ExprAttr groups = c.getExpr(groupsName);
    if (!groups)
      return c.fail("its number of groups is not known");
    return groupNorm(c, groups);
  };
}

static LogicalResult legalizeInstanceNorm(AtenCall &c) {
  Value x = c.tensor("input");
  if (!x || getRank(x) < 2)
    return c.fail("its operand is missing");
  if (!c.boolOr("use_input_stats", true))
    return c.fail("it uses running statistics");
  return groupNorm(c, getSizes(x)[1]);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static AtenHandler softmax(bool logarithm) {
  return [=](AtenCall &c) -> LogicalResult {
    Value x = c.operand("self", getAccumulationType(c.resultElementType()));
    auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
    if (!dim)
      return c.fail("its dimension is not constant");
    TensorBuilder &b = c.b;
    Sizes sizes = getSizes(x);
    if (sizes.empty())
      x = b.unsqueeze(x, 0);
    Value result;
    if (logarithm) {
      Value shifted = b.sub(x, b.reduce(ReduceKind::Max, x, *dim, true));
      Value sum =
          b.reduce(ReduceKind::Sum, b.unary<ExpOp>(shifted), *dim, true);
      result = b.sub(shifted, b.unary<LogOp>(sum));
    } else {
      result = b.softmax(x, *dim);
    }
    return c.replace(b.reshape(result, sizes));
  };
}

/// _safe_softmax: a row of which nothing is left gives zeros.
static LogicalResult legalizeSafeSoftmax(AtenCall &c) {
  TensorBuilder &b = c.b;
  Value x = c.operand("self", getAccumulationType(c.resultElementType()));
  auto dim = x ? c.getDim("dim", getRank(x)) : std::nullopt;
  if (!dim)
    return c.fail("its dimension is not constant");
  Sizes sizes = getSizes(x);
  if (sizes.empty())
    x = b.unsqueeze(x, 0);
  Num isMasked = Num(b, x) == -std::numeric_limits<double>::infinity();
  Num isEmpty = isMasked.reduce(ReduceKind::All, *dim, /*keepdims=*/true);
  Num result = select(isEmpty, 0, Num(b, b.softmax(x, *dim)));
  return c.replace(b.reshape(result, sizes));
}

/// Gradients of softmax and log_softmax, from their results.
static AtenHandler softmaxBackward(bool logarithm) {
  return [=](AtenCall &c) -> LogicalResult {
    TensorBuilder &b = c.b;
    Type type = getAccumulationType(c.resultElementType());
    Value grad = c.operand("grad_output", type),
          output = c.operand("output", type);
    auto dim = grad ? c.getDim("dim", getRank(grad)) : std::nullopt;
    if (!dim || !output)
      return c.fail("its dimension is not constant");
    Sizes sizes = getSizes(grad);
    if (sizes.empty()) {
      grad = b.unsqueeze(grad, 0);
      output = b.unsqueeze(output, 0);
    }
    Num g(b, grad), y(b, output);
    Num sum = (logarithm ? g : g * y).reduce(ReduceKind::Sum, *dim, true);
    Num result = logarithm ? g - exp(y) * sum : (g - sum) * y;
    return c.replace(b.reshape(result, sizes));
  };
}

void graph::populateNormalizationLegalizations(AtenLegalizations &t) {
  t.add("batch_norm _native_batch_norm_legit_no_training native_batch_norm "
        "_native_batch_norm_legit.no_stats",
        legalizeBatchNorm);
  t.add(
      "_native_batch_norm_legit_functional _batch_norm_with_update_functional",
      legalizeBatchNormUpdate);
  t.add("layer_norm native_layer_norm", legalizeLayerNorm);
  t.add("rms_norm _fused_rms_norm", legalizeRmsNorm);
  t.add("group_norm", groupNormWith("num_groups"));
  t.add("native_group_norm", groupNormWith("group"));
  t.add("instance_norm", legalizeInstanceNorm);
  t.add("softmax.int _softmax special_softmax", softmax(false));
  t.add("log_softmax.int _log_softmax special_log_softmax", softmax(true));
  t.add("_safe_softmax", legalizeSafeSoftmax);
  t.add("_softmax_backward_data", softmaxBackward(false));
  t.add("_log_softmax_backward_data", softmaxBackward(true));
}
