//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of quantized matrices: integers, integers times floats, and floats
// of 8 bits with scales. They are products in a wider type and factors.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/LegalizeAten.h"

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

void graph::populateQuantizedLegalizations(AtenLegalizations &t) {
  t.add("_int_mm", legalizeIntMm);
  t.add("_weight_int8pack_mm", legalizeInt8PackMm);
  t.add("_scaled_mm", legalizeScaledMm);
}
