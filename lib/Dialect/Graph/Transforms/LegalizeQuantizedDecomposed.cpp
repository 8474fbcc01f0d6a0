//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of `quantized_decomposed`, which programs have after PT2E
// quantization: floats become integers with scales and zeros, of the whole
// tensor, of a dimension (channels), of each row (tokens) or of groups in
// rows, and floats again.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

namespace {
/// What the arguments of a call that quantizes or the reverse have in common.
struct Quantization {
  /// The operand, with groups as rows where there are any.
  Value input;
  /// Shaped so that they broadcast to the operand. There may be no zeros.
  Value scales, zeros;
};
} // namespace

static bool isPerTensor(AtenCall &c) {
  return c.op.getName().contains("_per_tensor");
}

/// Reads the operands. Nothing where one is missing or has another shape.
static std::optional<Quantization> readOperands(AtenCall &c) {
  TensorBuilder &b = c.b;
  Quantization q;
  q.input = c.tensor("input");
  if (!q.input)
    return std::nullopt;
  if (isPerTensor(c)) {
    Type f64 = b.getBuilder().getF64Type();
    q.scales = c.operand("scale", f64);
    q.zeros = c.operand("zero_point", f64);
    if (!q.scales || !q.zeros)
      return std::nullopt;
    q.scales = b.reshape(q.scales, {});
    q.zeros = b.reshape(q.zeros, {});
    return q;
  }
  q.scales = c.tensor("scales");
  q.zeros = c.tensor("zero_points");
  int64_t rank = getRank(q.input);
  if (!q.scales || rank == 0)
    return std::nullopt;
  Sizes sizes = getSizes(q.input);
  if (c.op.getName().contains("_group")) {
    auto size = c.getInt("group_size");
    if (!size || *size < 1 || rank != 2)
      return std::nullopt;
    // A group that is longer than the rows is a row.
    std::optional<int64_t> width = sizes[1].getConstant();
    sym::ExprAttr group = width && *width < *size ? sizes[1] : b.size(*size);
    sym::ExprAttr groups = sym::floorDiv(sym::mul(sizes[0], sizes[1]), group);
    q.input = b.reshape(q.input, {groups, group});
    sizes = {groups, b.size(1)};
  } else if (c.has("axis")) {
    auto axis = c.getDim("axis", rank);
    if (!axis)
      return std::nullopt;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (static_cast<int64_t>(dim) != *axis)
        size = b.size(1);
  } else {
    sizes.back() = b.size(1);
  }
  q.scales = b.reshape(q.scales, sizes);
  if (q.zeros)
    q.zeros = b.reshape(q.zeros, sizes);
  return q;
}

/// The type in which floats are scaled: scales of double precision that are no
/// single number count.
static Type getComputedType(AtenCall &c, Value scales) {
  Type type = getAccumulationType(getElementType(scales));
  return isPerTensor(c) || !type.isF64() ? c.b.getBuilder().getF32Type() : type;
}

/// round(x / scale) + zero, or round(x / scale + zero) of rows and groups, kept
/// between two bounds. The framework multiplies with the inverse of the scale.
static LogicalResult legalizeQuantize(AtenCall &c) {
  std::optional<Quantization> q = readOperands(c);
  if (!q || !q->zeros)
    return c.fail(
        "its scales, zeros or groups are not what the operator takes");
  Type type = getComputedType(c, q->scales);
  Value low = c.operand("quant_min", type), high = c.operand("quant_max", type);
  if (!low || !high)
    return c.fail("a bound is missing");
  TensorBuilder &b = c.b;
  Num inverse = 1.0 / Num(b, q->scales);
  Num steps = Num(b, q->input).to(type) * inverse.to(type);
  Num zeros = Num(b, q->zeros).to(type);
  bool isZeroRounded = isPerTensor(c) || c.has("axis");
  Num result = isZeroRounded ? steps.unary<RoundOp>() + zeros
                             : (steps + zeros).unary<RoundOp>();
  result = min(max(result, {b, b.reshape(low, {})}), {b, b.reshape(high, {})});
  return c.replace(b.reshape(result, c.resultSizes()));
}

/// (q - zero) * scale.
static LogicalResult legalizeDequantize(AtenCall &c) {
  std::optional<Quantization> q = readOperands(c);
  if (!q)
    return c.fail(
        "its scales, zeros or groups are not what the operator takes");
  TensorBuilder &b = c.b;
  Type type = getComputedType(c, q->scales);
  Num x(b, q->input);
  // Integers are subtracted as such.
  bool isExact = q->zeros && isa<IntegerType>(getElementType(q->zeros)) &&
                 isa<IntegerType>(x.type());
  if (isExact) {
    Type i64 = b.getBuilder().getI64Type();
    x = (x.to(i64) - Num(b, q->zeros).to(i64)).to(type);
  } else {
    x = x.to(type);
    if (q->zeros)
      x = x - Num(b, q->zeros).to(type);
  }
  return c.replace(b.reshape(x * Num(b, q->scales).to(type), c.resultSizes()));
}

/// Rounds floats to the numbers that quantized integers of channels have.
static LogicalResult legalizeFakeQuantChannel(AtenCall &c) {
  std::optional<Quantization> q = readOperands(c);
  if (!q || !q->zeros)
    return c.fail("its scales or zeros are not what the operator takes");
  TensorBuilder &b = c.b;
  Type type = b.getBuilder().getF32Type();
  auto low = c.getFloat("quant_min"), high = c.getFloat("quant_max");
  if (!low || !high)
    return c.fail("a bound is not constant");
  Num scales = Num(b, q->scales).to(type), zeros = Num(b, q->zeros).to(type);
  Num steps = Num(b, q->input).to(type) * (1.0 / scales);
  Num result = min(max(steps.unary<RoundOp>() + zeros, *low), *high);
  return c.replace((result - zeros) * scales);
}

/// The scale and the zero with which integers between two bounds have what is
/// between the least and the largest element, and zero.
static LogicalResult legalizeChooseQParams(AtenCall &c) {
  auto low = c.getFloat("quant_min"), high = c.getFloat("quant_max"),
       least = c.getFloat("eps");
  Value input = c.operand("input", c.b.getBuilder().getF32Type());
  if (!input || !low || !high || !least || *low >= *high)
    return c.fail("its operand or a bound is missing");
  TensorBuilder &b = c.b;
  SmallVector<int64_t> dims = allDims(input);
  Num x(b, input);
  Num bottom = min(x.reduce(ReduceKind::Min, dims), 0);
  Num top = max(x.reduce(ReduceKind::Max, dims), 0);
  Num scale = top, zero = top;
  if (c.op.getName().contains("_symmetric")) {
    scale = max(-bottom, top) / ((*high - *low) / 2);
    auto type = dyn_cast_or_null<TypeAttr>(c.op.getArgument("dtype"));
    constexpr int kMiddleOfBytes = 128;
    bool isByte = type && type.getValue().isUnsignedInteger(8);
    scale = max(scale, *least);
    zero = scale.number(isByte ? kMiddleOfBytes : 0);
  } else {
    scale = max((top - bottom) / (*high - *low), *least);
    zero = min(max(*low - (bottom / scale).unary<RoundOp>(), *low), *high);
  }
  Sizes one = {b.size(1)};
  return c.replace({b.reshape(scale, one), b.reshape(zero, one)});
}

/// Scales of the rows, with which 127 is the largest magnitude; zeros are zero.
static LogicalResult legalizeChooseTokenQParams(AtenCall &c) {
  Value input = c.operand("input", c.b.getBuilder().getF32Type());
  if (!input || getRank(input) == 0)
    return c.fail("its operand has no rows");
  TensorBuilder &b = c.b;
  constexpr double kLargestByte = 127, kLeastScale = 1e-5;
  Num largest = abs(Num(b, input))
                    .reduce(ReduceKind::Max, {getRank(input) - 1},
                            /*keepdims=*/true);
  Num scales = max(largest, kLeastScale) / kLargestByte;
  return c.replace({scales, b.broadcast(scales.number(0), getSizes(scales))});
}

/// Scales and zeros of the rows for signed bytes. The zero is that of the end
/// that it leaves the smaller error at.
static LogicalResult legalizeChooseTokenAsymmetric(AtenCall &c) {
  Value given = c.tensor("input");
  Value input = c.operand("input", c.b.getBuilder().getF32Type());
  if (!input || getRank(input) == 0)
    return c.fail("its operand has no rows");
  TensorBuilder &b = c.b;
  constexpr double kLow = -128, kHigh = 127;
  SmallVector<int64_t> dims = {getRank(input) - 1};
  Num x(b, input);
  Num bottom = min(x.reduce(ReduceKind::Min, dims, /*keepdims=*/true), 0);
  Num top = max(x.reduce(ReduceKind::Max, dims, /*keepdims=*/true), 0);
  Num scale = max((top - bottom) / (kHigh - kLow),
                  std::numeric_limits<float>::epsilon());
  // Scales have the precision of the operand, whatever the type of the result.
  scale = scale.to(getElementType(given)).to(x.type());
  Num below = bottom / scale, above = top / scale;
  Num zero = select((kLow + below) + (kHigh + above) > 0.0, kLow - below,
                    kHigh - above);
  zero = min(max(zero, kLow), kHigh).unary<RoundOp>();
  return c.replace({scale, zero});
}

void graph::populateQuantizedDecomposedLegalizations(AtenLegalizations &t) {
  t.add("quantized_decomposed::quantize_per_tensor "
        "quantized_decomposed::quantize_per_tensor.tensor "
        "quantized_decomposed::quantize_per_tensor.tensor2 "
        "quantized_decomposed::quantize_per_channel "
        "quantized_decomposed::quantize_per_channel_group "
        "quantized_decomposed::quantize_per_token",
        legalizeQuantize);
  t.add("quantized_decomposed::dequantize_per_tensor "
        "quantized_decomposed::dequantize_per_tensor.tensor "
        "quantized_decomposed::dequantize_per_tensor.tensor2 "
        "quantized_decomposed::dequantize_per_channel "
        "quantized_decomposed::dequantize_per_channel_group "
        "quantized_decomposed::dequantize_per_token",
        legalizeDequantize);
  t.add("quantized_decomposed::fake_quant_per_channel",
        legalizeFakeQuantChannel);
  t.add("quantized_decomposed::choose_qparams.tensor "
        "quantized_decomposed::choose_qparams_symmetric.tensor",
        legalizeChooseQParams);
  t.add("quantized_decomposed::choose_qparams_per_token",
        legalizeChooseTokenQParams);
  t.add("quantized_decomposed::choose_qparams_per_token_asymmetric "
        "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl",
        legalizeChooseTokenAsymmetric);
}
