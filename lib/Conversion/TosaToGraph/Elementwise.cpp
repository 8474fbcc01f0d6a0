//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operations and conversions.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

using namespace mlir;
using namespace coil;
using namespace coil::tosa_bridge;
using graph::TensorBuilder;

template <typename Tosa, typename Graph>
static void addUnary(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    return b.unary<Graph>(op->getOperand(0));
  });
}

template <typename Tosa, typename Graph>
static void addBinary(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    return b.binary<Graph>(op->getOperand(0), op->getOperand(1));
  });
}

template <typename Tosa, graph::ComparePredicate predicate>
static void addCompare(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    return b.compare(predicate, op->getOperand(0), op->getOperand(1));
  });
}

/// Maxima and minima that ignore NaN are left.
template <typename Tosa, typename Graph>
static void addExtremum(RewritePatternSet &patterns) {
  add<Tosa>(patterns, [](Tosa op, TensorBuilder &b) {
    if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
      return Value();
    return b.binary<Graph>(op->getOperand(0), op->getOperand(1));
  });
}

static bool isFloat(Value v) {
  return isa<FloatType>(graph::getElementType(v));
}

/// A product; a right shift of one of integers is left.
static Value lowerMul(tosa::MulOp op, TensorBuilder &b) {
  Type type = graph::getElementType(op.getResult());
  if (!isa<FloatType>(type) && !isZero(op.getShift()))
    return {};
  return b.mul(b.convert(op.getInput1(), type),
               b.convert(op.getInput2(), type));
}

static Value lowerClamp(tosa::ClampOp op, TensorBuilder &b) {
  if (op.getNanMode() != tosa::NanPropagationMode::PROPAGATE)
    return {};
  Type type = graph::getElementType(op.getInput());
  TypedAttr low = graph::convertScalar(op.getMinVal(), type),
            high = graph::convertScalar(op.getMaxVal(), type);
  if (!low || !high)
    return {};
  // Bounds that bound nothing are those of the type.
  auto isBound = [](TypedAttr value, bool most) {
    if (auto f = dyn_cast<FloatAttr>(value)) {
      APFloat bound = f.getValue();
      return bound.isInfinity() && bound.isNegative() != most
                 ? false
                 : !(bound.isLargest() && bound.isNegative() != most);
    }
    APInt i = cast<IntegerAttr>(value).getValue();
    return most ? !i.isMaxSignedValue() : !i.isMinSignedValue();
  };
  Value v = op.getInput();
  if (isBound(low, /*most=*/false) || isa<FloatType>(type))
    v = b.binary<graph::MaximumOp>(v, b.scalar(low));
  if (isBound(high, /*most=*/true) || isa<FloatType>(type))
    v = b.binary<graph::MinimumOp>(v, b.scalar(high));
  return v;
}

/// Floats become integers by rounding to even, and by the nearest there is.
static Value lowerCast(tosa::CastOp op, TensorBuilder &b) {
  Value v = op.getInput();
  Type to = graph::getElementType(op.getResult());
  auto integer = dyn_cast<IntegerType>(to);
  if (!isFloat(v) || !integer)
    return b.convert(v, to);
  v = b.convert(v, graph::getAccumulationType(graph::getElementType(v)));
  Type from = graph::getElementType(v);
  if (integer.getWidth() == 1)
    return b.compare(graph::ComparePredicate::Ne, v, b.scalar(0, from));
  v = b.unary<graph::RoundOp>(v);
  // The end of the range is a power of two, so exact in any float.
  double end = std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
  Value above = b.compare(graph::ComparePredicate::Ge, v, b.scalar(end, from));
  v = b.binary<graph::MaximumOp>(v, b.scalar(-end, from));
  Value converted = b.convert(b.select(above, b.scalar(0, from), v), to);
  TypedAttr most = b.getBuilder().getIntegerAttr(
      to, APInt::getSignedMaxValue(integer.getWidth()));
  return b.select(above, b.scalar(most), converted);
}

/// Integers are negated with zero points and a saturation, which are left.
static Value lowerNegate(tosa::NegateOp op, TensorBuilder &b) {
  return isFloat(op.getInput1()) ? b.unary<graph::NegOp>(op.getInput1())
                                 : Value();
}

static Value lowerShift(tosa::ArithmeticRightShiftOp op, TensorBuilder &b) {
  return op.getRound()
             ? Value()
             : b.binary<graph::ShiftRightOp>(op.getInput1(), op.getInput2());
}

void tosa_bridge::populateElementwisePatterns(RewritePatternSet &patterns) {
  addUnary<tosa::AbsOp, graph::AbsOp>(patterns);
  addUnary<tosa::BitwiseNotOp, graph::BitwiseNotOp>(patterns);
  addUnary<tosa::CeilOp, graph::CeilOp>(patterns);
  addUnary<tosa::CosOp, graph::CosOp>(patterns);
  addUnary<tosa::ErfOp, graph::ErfOp>(patterns);
  addUnary<tosa::ExpOp, graph::ExpOp>(patterns);
  addUnary<tosa::FloorOp, graph::FloorOp>(patterns);
  addUnary<tosa::LogOp, graph::LogOp>(patterns);
  addUnary<tosa::LogicalNotOp, graph::BitwiseNotOp>(patterns);
  addUnary<tosa::ReciprocalOp, graph::ReciprocalOp>(patterns);
  addUnary<tosa::RsqrtOp, graph::RsqrtOp>(patterns);
  addUnary<tosa::SigmoidOp, graph::SigmoidOp>(patterns);
  addUnary<tosa::SinOp, graph::SinOp>(patterns);
  addUnary<tosa::TanhOp, graph::TanhOp>(patterns);
  addBinary<tosa::AddOp, graph::AddOp>(patterns);
  addBinary<tosa::BitwiseAndOp, graph::BitwiseAndOp>(patterns);
  addBinary<tosa::BitwiseOrOp, graph::BitwiseOrOp>(patterns);
  addBinary<tosa::BitwiseXorOp, graph::BitwiseXorOp>(patterns);
  addBinary<tosa::IntDivOp, graph::TruncDivOp>(patterns);
  addBinary<tosa::LogicalAndOp, graph::BitwiseAndOp>(patterns);
  addBinary<tosa::LogicalLeftShiftOp, graph::ShiftLeftOp>(patterns);
  addBinary<tosa::LogicalOrOp, graph::BitwiseOrOp>(patterns);
  addBinary<tosa::LogicalXorOp, graph::BitwiseXorOp>(patterns);
  addBinary<tosa::PowOp, graph::PowOp>(patterns);
  addBinary<tosa::SubOp, graph::SubOp>(patterns);
  addExtremum<tosa::MaximumOp, graph::MaximumOp>(patterns);
  addExtremum<tosa::MinimumOp, graph::MinimumOp>(patterns);
  addCompare<tosa::EqualOp, graph::ComparePredicate::Eq>(patterns);
  addCompare<tosa::GreaterOp, graph::ComparePredicate::Gt>(patterns);
  addCompare<tosa::GreaterEqualOp, graph::ComparePredicate::Ge>(patterns);
  add<tosa::ArithmeticRightShiftOp>(patterns, lowerShift);
  add<tosa::CastOp>(patterns, lowerCast);
  add<tosa::ClampOp>(patterns, lowerClamp);
  add<tosa::MulOp>(patterns, lowerMul);
  add<tosa::NegateOp>(patterns, lowerNegate);
  add<tosa::SelectOp>(patterns, [](tosa::SelectOp op, TensorBuilder &b) {
    return b.select(op.getInput1(), op.getInput2(), op.getInput3());
  });
}
