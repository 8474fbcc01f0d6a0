//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of quantized matrices: integers, integers times floats, and floats
// of 8 bits with scales. They are products in a wider type and factors. And
// floats that are rounded to the numbers that quantized integers have.
//
//===----------------------------------------------------------------------===//

#include "TensorMath.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Sums of products of 8-bit integers in 32 bits.
static LogicalResult legalizeIntMm(AtenCall &c) {
  Type type = c.resultElementType();
  Value x = c.operand("self", type), y = c.operand("mat2", type);
  if (!x || !y || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("its operands are not matrices");
  return c.replace(c.b.matmul(x, y));
}

/// self @ mat2^T * scales: a scale for each row of the integers.
static LogicalResult legalizeInt8PackMm(AtenCall &c) {
  Type type = getAccumulationType(c.resultElementType());
  Value x = c.operand("self", type), y = c.operand("mat2", type),
        scales = c.operand("scales", type);
  if (!x || !y || !scales || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("an operand is missing");
  TensorBuilder &b = c.b;
  return c.replace(b.mul(b.matmul(x, b.transpose(y, 0, 1)), scales));
}

/// The product of floats of 8 bits, times scales of rows and columns or of the
/// whole, with a bias.
static LogicalResult legalizeScaledMm(AtenCall &c) {
  TensorBuilder &b = c.b;
  Type type = Float32Type::get(b.getContext());
  Value x = c.operand("self", type), y = c.operand("mat2", type),
        xScale = c.operand("scale_a", type),
        yScale = c.operand("scale_b", type);
  if (!x || !y || !xScale || !yScale || getRank(x) != 2 || getRank(y) != 2)
    return c.fail("an operand is missing");
  // One number, or one for each row of the left and column of the right.
  auto fits = [&](Value scale, int64_t dim) {
    Sizes sizes = getSizes(scale), result = c.resultSizes();
    if (llvm::all_of(sizes, [](sym::ExprAttr s) { return s.isConstant(1); }))
      return true;
    return sizes.size() == 2 && sizes[dim] == result[dim] &&
           sizes[1 - dim].isConstant(1);
  };
  if (!fits(xScale, 0) || !fits(yScale, 1))
    return c.fail("its scales are neither one number nor one for each row and "
                  "column");
  Value result = b.mul(b.mul(b.matmul(x, y), xScale), yScale);
  if (Value bias = c.operand("bias", type))
    result = b.add(result, bias);
  // Results of 8 bits are scaled, too.
  if (Value scale = c.operand("scale_result", type);
      scale && c.resultElementType().getIntOrFloatBitWidth() == 8)
    result = b.mul(result, scale);
  return c.replace(b.castSizes(result, c.resultSizes()));
}

/// A number for each part of `x` along dimension `axis`.
static Value alongAxis(TensorBuilder &b, Value v, Value x, int64_t axis) {
  Sizes sizes(getRank(x), b.size(1));
  sizes[axis] = getSizes(x)[axis];
  return b.reshape(v, sizes);
}

/// Rounds floats to multiples of a scale, as many as an integer between two
/// bounds, less its zero, says. A second result says what is within the bounds.
/// Zeros that are learned are rounded and kept within the bounds first.
static LogicalResult legalizeFakeQuantize(AtenCall &c) {
  TensorBuilder &b = c.b;
  StringRef name = c.op.getName();
  bool isLearned = name.contains("_learnable_");
  Type type = getAccumulationType(c.resultElementType());
  Value self = c.operand("self", type), scale = c.operand("scale", type),
        zero = c.operand("zero_point", type);
  auto low = c.getFloat("quant_min"), high = c.getFloat("quant_max");
  if (!self || !scale || !zero || !low || !high)
    return c.fail("its scale, zero or bounds are missing");
  if (c.has("axis")) {
    auto axis = c.getDim("axis", getRank(self));
    if (!axis || getRank(self) == 0)
      return c.fail("its axis is not constant, or none of its operand");
    scale = alongAxis(b, scale, self, *axis);
    zero = alongAxis(b, zero, self, *axis);
  } else {
    scale = b.reshape(scale, {});
    zero = b.reshape(zero, {});
  }
  Num x(b, self), s(b, scale), z(b, zero);
  auto clamp = [&](Num v) { return min(max(v, *low), *high); };
  if (isLearned)
    z = clamp(z.unary<RoundOp>());
  // Zeros that are floats are part of what is rounded.
  Value given = c.tensor("zero_point");
  bool isWhole = isLearned || !given || !isa<FloatType>(getElementType(given));
  Num steps = x * (1.0 / s);
  Num q = isWhole ? steps.unary<RoundOp>() + z : (steps + z).unary<RoundOp>();
  Num result = (clamp(q) - z) * s;
  Value isInside = (q >= *low) & (q <= *high);
  // A tensor says whether it is done at all.
  if (Value enabled = c.tensor("fake_quant_enabled")) {
    Num isOff(b, b.reshape(enabled, {}));
    isOff = isOff == 0;
    result = select(isOff, x, result);
    isInside = isOff | Num(b, isInside);
  }
  if (c.op.getOutputs().size() == 1)
    return c.replace(result);
  return c.replace({result, isInside});
}

void graph::populateQuantizedLegalizations(AtenLegalizations &t) {
  t.add("fake_quantize_per_tensor_affine "
        "fake_quantize_per_tensor_affine.tensor_qparams "
        "fake_quantize_per_tensor_affine_cachemask "
        "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams "
        "fake_quantize_per_channel_affine "
        "fake_quantize_per_channel_affine_cachemask "
        "_fake_quantize_learnable_per_tensor_affine "
        "_fake_quantize_learnable_per_channel_affine",
        legalizeFakeQuantize);
  t.add("_int_mm", legalizeIntMm);
  t.add("_weight_int8pack_mm", legalizeInt8PackMm);
  t.add("_scaled_mm", legalizeScaledMm);
}
