//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quotients and square roots of f32 without branches. The instructions that
// round once have a path of their own for operands of extreme size, a call
// behind a branch for each lane, which keeps lanes from being computed
// together, and an inverse for each quotient, shared or not.
//
//===----------------------------------------------------------------------===//

#include "MathToNVPTX.h"

#include "coil/Dialect/Loop/Analysis/Precision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace coil;

/// Operands of operands: past this many nothing is known.
static constexpr unsigned kMaxDepth = 8;

/// At least this is a number whose inverse, and that of what is four times as
/// small, is normal; the square root of such a number is one as well.
static constexpr float kLeast = 0x1p-100f;

/// A constant of any type of floats.
static std::optional<double> getConstant(Value v) {
  APFloat value(0.0f);
  if (!matchPattern(v, m_ConstantFloat(&value)))
    return std::nullopt;
  return value.convertToDouble();
}

/// The op of a number, or of what all lanes of a vector have; null for one that
/// is too far away.
static Operation *getDefinition(Value v, unsigned depth) {
  Value splat = getSplat(v);
  return depth > kMaxDepth ? nullptr : (splat ? splat : v).getDefiningOp();
}

static bool isNonNegative(Value v, unsigned depth = 0) {
  if (std::optional<double> value = getConstant(v))
    return !std::signbit(*value);
  Operation *op = getDefinition(v, depth);
  if (!op)
    return false;
  auto operand = [&](unsigned i) {
    return isNonNegative(op->getOperand(i), depth + 1);
  };
  if (isa<math::AbsFOp, math::ExpOp, math::Exp2Op, math::SqrtOp, math::RsqrtOp,
          arith::UIToFPOp>(op))
    return true;
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::MinimumFOp>(op))
    return operand(0) && operand(1);
  if (isa<arith::MaximumFOp>(op))
    return operand(0) || operand(1);
  return isa<arith::ExtFOp, arith::TruncFOp>(op) && operand(0);
}

/// Whether `v` is `kLeast` or more, or no number.
static bool isAtLeast(Value v, unsigned depth = 0) {
  if (std::optional<double> value = getConstant(v))
    return *value >= kLeast;
  Operation *op = getDefinition(v, depth);
  if (!op)
    return false;
  auto operand = [&](unsigned i) {
    return isAtLeast(op->getOperand(i), depth + 1);
  };
  auto isPositive = [&](unsigned i) {
    return isNonNegative(op->getOperand(i), depth + 1);
  };
  if (isa<arith::AddFOp>(op))
    return (operand(0) && isPositive(1)) || (operand(1) && isPositive(0));
  if (isa<arith::MaximumFOp>(op))
    return operand(0) || operand(1);
  // Rounding does not go below a number that the type holds; f16 ends at 2^-24.
  if (isa<arith::TruncFOp>(op) &&
      !getElementTypeOrSelf(op->getResult(0).getType()).isBF16())
    return false;
  return isa<math::SqrtOp, arith::ExtFOp, arith::TruncFOp>(op) && operand(0);
}

/// Whether `v` is finite and no negative zero.
static bool isFiniteInteger(Value v) {
  Operation *op = v.getDefiningOp();
  return isa_and_present<arith::UIToFPOp, arith::SIToFPOp>(op);
}

static Value constant(OpBuilder &b, Location loc, Type type, APFloat value) {
  TypedAttr attr = b.getFloatAttr(b.getF32Type(), value);
  if (auto vectorType = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vectorType, Attribute(attr));
  return arith::ConstantOp::create(b, loc, attr);
}

/// `v * factor`, once where all lanes have the same.
static Value scale(OpBuilder &b, Location loc, Value v, float factor) {
  if (Value splat = getSplat(v)) {
    Value product = scale(b, loc, splat, factor);
    return vector::BroadcastOp::create(b, loc, v.getType(), product);
  }
  return arith::MulFOp::create(b, loc, v,
                               constant(b, loc, v.getType(), APFloat(factor)));
}

namespace {
/// How a quotient or a root is computed.
enum class Way {
  /// As it is.
  Keep,
  /// A product with the inverse by the instruction.
  Product,
  /// The same, and what the remainder says.
  Corrected
};
} // namespace

Value coil::emitApproximateInverse(OpBuilder &b, Location loc, Value v) {
  return mapIntrinsic(b, loc, "llvm.nvvm.rcp.approx.ftz.f", v, b.getF32Type());
}

/// The inverse of `kLeast` or more, also where it is subnormal.
static Value emitInverseOfLarge(OpBuilder &b, Location loc, Value v) {
  Value quarter = scale(b, loc, v, 0.25f);
  return scale(b, loc, emitApproximateInverse(b, loc, quarter), 0.25f);
}

/// The quotient by an inverse within 1 ulp. The remainder is exact, and with it
/// the result is rounded once, but for about one quotient in a million of those
/// that no float holds; with the inverse corrected first, for all. Where an
/// operand is zero or infinite the remainder is no number, and the product has
/// the result.
static Value emitQuotient(OpBuilder &b, Location loc, Value dividend,
                          Value divisor, Value inverse) {
  Value quotient = arith::MulFOp::create(b, loc, dividend, inverse);
  Value negated = arith::NegFOp::create(b, loc, divisor);
  Value remainder = math::FmaOp::create(b, loc, negated, quotient, dividend);
  Value corrected = math::FmaOp::create(b, loc, remainder, inverse, quotient);
  if (isFiniteInteger(dividend) && matchPattern(divisor, m_Constant()))
    return corrected;
  // False for a zero as well, which keeps its sign.
  Value isNumber = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OGT,
      math::AbsFOp::create(b, loc, corrected),
      constant(b, loc, corrected.getType(), APFloat(0.0f)));
  return arith::SelectOp::create(b, loc, isNumber, corrected, quotient);
}

static Way chooseWay(arith::DivFOp op) {
  auto flags = arith::FastMathFlags::arcp | arith::FastMathFlags::contract |
               arith::FastMathFlags::afn;
  if (!arith::bitEnumContainsAny(op.getFastmath(), flags))
    return Way::Corrected;
  // Below the least divisor, and where the last bit is seen, these are left to
  // `FastDivision`.
  return isAtLeast(op.getRhs()) && !loop::reachesStep(op.getResult())
             ? Way::Product
             : Way::Keep;
}

static Value compareSize(OpBuilder &b, Location loc, arith::CmpFPredicate how,
                         Value lane, float limit) {
  return arith::CmpFOp::create(
      b, loc, how, math::AbsFOp::create(b, loc, lane),
      constant(b, loc, lane.getType(), APFloat(limit)));
}

/// Whether the inverse of a divisor is not within 1 ulp by the instruction.
static Value isExtremeDivisor(OpBuilder &b, Value lane) {
  Location loc = lane.getLoc();
  return arith::OrIOp::create(
      b, loc, compareSize(b, loc, arith::CmpFPredicate::OGT, lane, 0x1p126f),
      compareSize(b, loc, arith::CmpFPredicate::OLT, lane, 0x1p-126f));
}

/// Whether the instruction for the inverse root takes a number for zero.
static Value isSubnormal(OpBuilder &b, Value lane) {
  Location loc = lane.getLoc();
  return arith::AndIOp::create(
      b, loc, compareSize(b, loc, arith::CmpFPredicate::OLT, lane, 0x1p-126f),
      compareSize(b, loc, arith::CmpFPredicate::OGT, lane, 0));
}

/// The instruction that is exact for all operands.
static auto cloneOf(Operation *op) {
  return [op](OpBuilder &b) { return b.clone(*op)->getResult(0); };
}

static void lowerQuotient(arith::DivFOp op, Way way, bool isLeast) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value dividend = op.getLhs(), divisor = op.getRhs(), result;
  APFloat value(0.0f);
  if (way == Way::Product) {
    Value inverse = emitApproximateInverse(b, loc, divisor);
    result = matchPattern(dividend, m_OneFloat())
                 ? inverse
                 : arith::MulFOp::create(b, loc, dividend, inverse,
                                         arith::FastMathFlags::contract);
  } else if (matchPattern(divisor, m_ConstantFloat(&value))) {
    APFloat inverse(1.0f);
    inverse.divide(value, APFloat::rmNearestTiesToEven);
    result = emitQuotient(b, loc, dividend, divisor,
                          constant(b, loc, divisor.getType(), inverse));
  } else {
    Value inverse = isLeast ? emitInverseOfLarge(b, loc, divisor)
                            : emitApproximateInverse(b, loc, divisor);
    if (loop::reachesStep(op.getResult())) {
      // Where it is infinite or zero there is no rest.
      Value negated = arith::NegFOp::create(b, loc, divisor);
      Value rest = math::FmaOp::create(
          b, loc, negated, inverse,
          constant(b, loc, divisor.getType(), APFloat(1.0f)));
      Value better = math::FmaOp::create(b, loc, rest, inverse, inverse);
      Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD,
                                             better, better);
      inverse = arith::SelectOp::create(b, loc, isNumber, better, inverse);
    }
    result = emitQuotient(b, loc, dividend, divisor, inverse);
    if (!isLeast)
      result = emitRarely(b, loc, isAnyLane(b, loc, divisor, isExtremeDivisor),
                          result, cloneOf(op));
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// A square root, which is rounded once as a quotient is.
static void lowerRoot(math::SqrtOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value v = op.getOperand();
  bool isLeast = isAtLeast(v);
  Value inverse =
      mapIntrinsic(b, loc, "llvm.nvvm.rsqrt.approx.ftz.f", v, b.getF32Type());
  Value root = arith::MulFOp::create(b, loc, v, inverse);
  Value half = scale(b, loc, inverse, 0.5f);
  Value negated = arith::NegFOp::create(b, loc, root);
  Value rest = math::FmaOp::create(b, loc, negated, root, v);
  Value corrected = math::FmaOp::create(b, loc, rest, half, root);
  // Zero and infinity are their own roots; others below zero have none.
  auto compare = [&](arith::CmpFPredicate how, APFloat limit) -> Value {
    return arith::CmpFOp::create(b, loc, how, v,
                                 constant(b, loc, v.getType(), limit));
  };
  Value isRoot = compare(arith::CmpFPredicate::OEQ,
                         APFloat::getInf(APFloat::IEEEsingle()));
  if (!isLeast)
    isRoot = arith::OrIOp::create(
        b, loc, isRoot, compare(arith::CmpFPredicate::OEQ, APFloat(0.0f)));
  Value result = arith::SelectOp::create(b, loc, isRoot, v, corrected);
  if (!isLeast)
    result = emitRarely(b, loc, isAnyLane(b, loc, v, isSubnormal), result,
                        cloneOf(op));
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Whether the divisor's inverse is a normal number that is known here.
static bool hasConstantInverse(Value divisor) {
  std::optional<double> value = getConstant(divisor);
  return value && std::abs(*value) >= kLeast && std::abs(*value) <= 1 / kLeast;
}

void coil::lowerQuotients(Operation *root, FastMath mode) {
  if (mode != FastMath::Default)
    return;
  // All are looked at before any of them is something else.
  struct Quotient {
    arith::DivFOp op;
    Way way;
    bool isLeast;
  };
  SmallVector<Quotient> quotients;
  SmallVector<math::SqrtOp> roots;
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1 ||
        !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
      return;
    auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
    if (vector && (vector.getRank() != 1 || vector.isScalable()))
      return;
    bool hasLanes = vector && vector.getNumElements() > 1;
    if (auto divide = dyn_cast<arith::DivFOp>(op)) {
      Way way = chooseWay(divide);
      bool isLeast = isAtLeast(divide.getRhs());
      // One quotient by a number of which nothing is known is no faster in this
      // way: the branch is its own.
      bool isFaster = getConstant(divide.getRhs())
                          ? hasConstantInverse(divide.getRhs())
                          : isLeast || hasLanes;
      if (way == Way::Product || (way == Way::Corrected && isFaster))
        quotients.push_back({divide, way, isLeast});
    } else if (auto sqrt = dyn_cast<math::SqrtOp>(op)) {
      arith::FastMathFlags flags = sqrt.getFastmath();
      if (!arith::bitEnumContainsAny(flags, arith::FastMathFlags::afn) &&
          (hasLanes || isAtLeast(sqrt.getOperand())))
        roots.push_back(sqrt);
    }
  });
  for (Quotient &quotient : quotients)
    lowerQuotient(quotient.op, quotient.way, quotient.isLeast);
  for (math::SqrtOp op : roots)
    lowerRoot(op);
}
