//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products with what rounding takes from them.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/Compensated.h"

#include "coil/Dialect/Loop/Analysis/Products.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

static Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}

Compensated coil::addExactly(ImplicitLocOpBuilder &b, Compensated x,
                             Compensated y) {
  Value sum = add(b, x.value, y.value);
  Value added = arith::SubFOp::create(b, sum, x.value);
  Value kept = arith::SubFOp::create(b, sum, added);
  Value lost = add(b, arith::SubFOp::create(b, x.value, kept),
                   arith::SubFOp::create(b, y.value, added));
  // Lanes that exchange what they have get the same.
  Value rest = x.rest && y.rest ? add(b, x.rest, y.rest)
               : x.rest         ? x.rest
                                : y.rest;
  return {sum, rest ? add(b, rest, lost) : lost};
}

Compensated coil::multiplyExactly(ImplicitLocOpBuilder &b, Compensated x,
                                  Compensated y) {
  Value product = arith::MulFOp::create(b, x.value, y.value);
  Value lost = math::FmaOp::create(b, x.value, y.value,
                                   arith::NegFOp::create(b, product));
  // The product of the rests is too small to count. That of the first number,
  // which may be what a loop carries, is awaited last.
  if (y.rest)
    lost = math::FmaOp::create(b, y.rest, x.value, lost);
  if (x.rest)
    lost = math::FmaOp::create(b, x.rest, y.value, lost);
  return {product, lost};
}

bool coil::isProductOfMany(ReduceOp op) {
  if (op.getKind() != ReduceKind::Prod ||
      !(op.getType().isF32() || op.getType().isF64()))
    return false;
  // Factors of `f32` leave 29 of the digits of `f64` for what is lost.
  if (op.getType().isF64() && op.getValue().getDefiningOp<arith::ExtFOp>())
    return false;
  return !isCutOff(op);
}

Value coil::finishExactly(ImplicitLocOpBuilder &b, Compensated x) {
  if (!x.rest)
    return x.value;
  Value all = add(b, x.value, x.rest);
  Value undefined =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, all, all);
  return arith::SelectOp::create(b, undefined, x.value, all);
}
