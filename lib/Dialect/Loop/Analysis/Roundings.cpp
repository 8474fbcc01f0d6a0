//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which values a narrower float type holds exactly.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Roundings.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Operands of operands: past this many the answer is no.
static constexpr unsigned kMaxDepth = 16;

/// Whether `type` holds the constant.
static bool holds(FloatType type, APFloat value) {
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return !losesInfo;
}

/// Whether `type` holds all integers of `bits` bits.
static bool holdsIntegers(FloatType type, unsigned bits, bool isSigned) {
  // A significand of p bits holds all integers up to 2^p.
  return bits - isSigned <= type.getFPMantissaWidth();
}

/// Whether `op` multiplies by a power of two of at least one, and `to`
/// overflows where the type of the product does.
static bool isScalingUp(arith::MulFOp op, FloatType to) {
  APFloat factor(0.0f);
  if (!matchPattern(op.getRhs(), m_ConstantFloat(&factor)))
    return false;
  int exponent = factor.getExactLog2Abs();
  auto from = dyn_cast<FloatType>(op.getType());
  return from && exponent != INT_MIN && exponent >= 0 &&
         APFloat::semanticsMaxExponent(from.getFloatSemantics()) ==
             APFloat::semanticsMaxExponent(to.getFloatSemantics());
}

static bool isRepresentable(Value v, FloatType type, unsigned depth) {
  APFloat constant(0.0f);
  if (matchPattern(v, m_ConstantFloat(&constant)))
    return holds(type, constant);
  Operation *op = v.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  auto operand = [&](unsigned i) {
    return isRepresentable(op->getOperand(i), type, depth + 1);
  };
  if (auto extend = dyn_cast<arith::ExtFOp>(op)) {
    auto from = cast<FloatType>(getElementTypeOrSelf(extend.getIn().getType()));
    return APFloat::isRepresentableBy(from.getFloatSemantics(),
                                      type.getFloatSemantics());
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    return from.isInteger() && holdsIntegers(type, from.getIntOrFloatBitWidth(),
                                             isa<arith::SIToFPOp>(op));
  }
  // An integer next to a number with a fraction has no more digits than that.
  if (isa<arith::NegFOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
          math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp>(op))
    return operand(0);
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp>(op))
    return operand(0) && operand(1);
  if (isa<arith::SelectOp>(op))
    return operand(1) && operand(2);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return (reduce.getKind() == ReduceKind::Max ||
            reduce.getKind() == ReduceKind::Min) &&
           operand(0);
  if (auto multiply = dyn_cast<arith::MulFOp>(op))
    return isScalingUp(multiply, type) && operand(0);
  return false;
}

bool coil::loop::isRepresentable(Value v, FloatType type) {
  return ::isRepresentable(v, type, 0);
}
