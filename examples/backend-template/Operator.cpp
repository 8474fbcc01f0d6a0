//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operator `aten.accel_fake_quantize` of a PyTorch that the vendor of the
// device extends: Coil has no legalization of it.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"

using namespace mlir;
using namespace coil::graph;

/// (clamp(round(x / scale + zero_point), min, max) - zero_point) * scale, with
/// one scale and zero point for the tensor.
static LogicalResult legalizeFakeQuantize(AtenCall &call) {
  Type type = call.resultElementType();
  Value x = call.operand("self", type), scale = call.operand("scale", type),
        zero = call.operand("zero_point", type);
  std::optional<int64_t> min = call.getInt("quant_min"),
                         max = call.getInt("quant_max");
  if (!x || !scale || !zero || !min || !max)
    return call.fail("an operand is missing");
  if (getRank(scale) > 1 || getRank(zero) > 1)
    return call.fail("its scale and zero point are not one number");
  TensorBuilder &b = call.b;
  zero = b.unary<RoundOp>(zero);
  Value q = b.unary<RoundOp>(b.add(b.div(x, scale), zero));
  q = b.binary<MaximumOp>(q, b.scalar(double(*min), type));
  q = b.binary<MinimumOp>(q, b.scalar(double(*max), type));
  return call.replace(b.mul(b.sub(q, zero), scale));
}

void accel::registerOperators() {
  registerAtenLegalization("accel_fake_quantize", legalizeFakeQuantize);
}
