//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of f32 to integers of 32 bits. The loop level guards them, since
// an operand outside of the integer's range is undefined there; the instruction
// is defined for all operands, and rounds to the nearest integer itself.
//
//===----------------------------------------------------------------------===//

#include "MathToNVPTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace coil;

static bool isConstant(Value v, double expected) {
  APFloat value(0.0f);
  return matchPattern(v, m_ConstantFloat(&value)) &&
         value.convertToDouble() == expected;
}

/// Whether `v` says that `x` is in the range of `i32`.
static bool isRangeTest(Value v, Value x) {
  auto both = v.getDefiningOp<arith::AndIOp>();
  if (!both)
    return false;
  auto isTest = [&](Value side, arith::CmpFPredicate predicate, double limit) {
    auto compare = side.getDefiningOp<arith::CmpFOp>();
    return compare && compare.getPredicate() == predicate &&
           compare.getLhs() == x && isConstant(compare.getRhs(), limit);
  };
  constexpr double limit = 0x1p31;
  return isTest(both.getLhs(), arith::CmpFPredicate::OGE, -limit) &&
         isTest(both.getRhs(), arith::CmpFPredicate::OLT, limit);
}

/// What a guarded conversion converts: `c ? (i32)(c ? x : 0) : least`, `c`
/// being the range test.
static Value getConverted(arith::SelectOp op) {
  APInt least;
  auto conversion = op.getTrueValue().getDefiningOp<arith::FPToSIOp>();
  if (!conversion || !matchPattern(op.getFalseValue(), m_ConstantInt(&least)) ||
      !least.isMinSignedValue())
    return {};
  auto safe = conversion.getIn().getDefiningOp<arith::SelectOp>();
  return safe && safe.getCondition() == op.getCondition() &&
                 isConstant(safe.getFalseValue(), 0) &&
                 isRangeTest(op.getCondition(), safe.getTrueValue())
             ? safe.getTrueValue()
             : Value();
}

/// Whether a number `v` is below 2^31 and no less than -2^31: a minimum and a
/// maximum with constants.
static bool isClamped(Value v) {
  bool isAbove = false, isBelow = false;
  while (Operation *op = v.getDefiningOp()) {
    if (!isa<arith::MinimumFOp, arith::MaximumFOp>(op))
      break;
    APFloat limit(0.0f);
    if (!matchPattern(op->getOperand(1), m_ConstantFloat(&limit)))
      break;
    bool isInside = limit.isFinite() && abs(limit) < APFloat(0x1p31f);
    (isa<arith::MinimumFOp>(op) ? isBelow : isAbove) |= isInside;
    v = op->getOperand(0);
  }
  return isAbove && isBelow;
}

/// `x` without the rounding to the nearest integer, which the conversion does:
/// limits that are integers do not change by it. Null where there is none.
static Value skipRounding(OpBuilder &b, Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return {};
  if (isa<math::RoundEvenOp>(op))
    return op->getOperand(0);
  APFloat limit(0.0f);
  if (!isa<arith::MinimumFOp, arith::MaximumFOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantFloat(&limit)) ||
      !limit.isInteger())
    return {};
  Value inner = skipRounding(b, op->getOperand(0));
  if (!inner)
    return {};
  Operation *clone = b.clone(*op);
  clone->setOperand(0, inner);
  return clone->getResult(0);
}

/// Erases an op that nobody uses any more, and what only it used.
static void eraseDead(Operation *root) {
  SetVector<Operation *> left;
  left.insert(root);
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value v : op->getOperands())
      if (Operation *operand = v.getDefiningOp())
        left.insert(operand);
    op->erase();
  }
}

static void lowerConversion(arith::SelectOp op, Value x) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  // What is no number gives zero here and the least integer there, of which
  // the low bits are zero as well.
  bool isNarrowed =
      isClamped(x) && llvm::all_of(op->getUsers(), [](Operation *user) {
        return isa<arith::TruncIOp>(user);
      });
  Value rounded = skipRounding(b, x);
  Value operand = rounded ? rounded : x;
  StringRef name = rounded ? "llvm.nvvm.f2i.rn" : "llvm.nvvm.f2i.rz";
  Value result = mapIntrinsic(b, loc, name, operand, b.getI32Type());
  // Below the range the instruction gives the least integer itself.
  if (!isNarrowed)
    result = arith::SelectOp::create(
        b, loc, op.getCondition().getDefiningOp<arith::AndIOp>().getRhs(),
        result, op.getFalseValue());
  op.replaceAllUsesWith(result);
  eraseDead(op);
}

void coil::lowerConversions(Operation *root) {
  SmallVector<std::pair<arith::SelectOp, Value>> conversions;
  root->walk([&](arith::SelectOp op) {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isInteger(32) ||
        (vector && (vector.getRank() != 1 || vector.isScalable())))
      return;
    Value x = getConverted(op);
    if (x && getElementTypeOrSelf(x.getType()).isF32())
      conversions.push_back({op, x});
  });
  for (auto [op, x] : conversions)
    lowerConversion(op, x);
}

/// Rounds two numbers to a pair of bf16, of which the first is the lower one.
static Value roundPair(OpBuilder &b, Location loc, Value first, Value second) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, VectorType::get(2, b.getBF16Type()),
             b.getStringAttr("llvm.nvvm.ff2bf16x2.rn"),
             ValueRange{second, first})
      .getResult(0);
}

/// What `op` rounds as a sum or product of bf16; null for others.
static Value getNarrowArith(OpBuilder &b, arith::TruncFOp op) {
  Operation *computed = op.getIn().getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::SubFOp, arith::MulFOp>(computed))
    return {};
  Value lhs = getNarrow(b, computed->getOperand(0), b.getBF16Type());
  Value rhs =
      lhs ? getNarrow(b, computed->getOperand(1), b.getBF16Type()) : Value();
  if (!rhs)
    return {};
  Operation *result = b.create(op.getLoc(), computed->getName().getIdentifier(),
                               {lhs, rhs}, op.getType());
  return result->getResult(0);
}

/// A vector of rounded numbers as a rounded vector.
static void gatherRoundings(Operation *root) {
  root->walk([](vector::FromElementsOp op) {
    SmallVector<Value> wide;
    if (op.getType().getRank() != 1)
      return;
    for (Value v : op.getElements()) {
      auto rounding = v.getDefiningOp<arith::TruncFOp>();
      if (!rounding || !v.getType().isBF16() ||
          !rounding.getIn().getType().isF32())
        return;
      wide.push_back(rounding.getIn());
    }
    OpBuilder b(op);
    auto type = VectorType::get(op.getType().getShape(), b.getF32Type());
    Value gathered = vector::FromElementsOp::create(b, op.getLoc(), type, wide);
    SetVector<Value> narrow(op.getElements().begin(), op.getElements().end());
    op.replaceAllUsesWith(
        arith::TruncFOp::create(b, op.getLoc(), op.getType(), gathered)
            .getResult());
    op.erase();
    for (Value v : narrow)
      if (v.use_empty())
        v.getDefiningOp()->erase();
  });
}

void coil::lowerRoundings(Operation *root) {
  gatherRoundings(root);
  SmallVector<arith::TruncFOp> roundings;
  root->walk([&](arith::TruncFOp op) {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (getElementTypeOrSelf(op.getType()).isBF16() &&
        getElementTypeOrSelf(op.getIn().getType()).isF32() &&
        !matchPattern(op.getIn(), m_Constant()) &&
        (!vector || (vector.getRank() == 1 && !vector.isScalable())))
      roundings.push_back(op);
  });
  for (arith::TruncFOp op : roundings) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    Value result = getNarrowArith(b, op);
    if (result) {
      // An instruction of its own.
    } else if (auto type = dyn_cast<VectorType>(op.getType())) {
      SmallVector<Value> lanes;
      int64_t size = type.getNumElements();
      for (int64_t i = 0; i < size; i += 2) {
        Value first = vector::ExtractOp::create(b, loc, op.getIn(), i);
        Value second =
            i + 1 < size ? vector::ExtractOp::create(b, loc, op.getIn(), i + 1)
                               .getResult()
                         : zero;
        Value pair = roundPair(b, loc, first, second);
        for (int64_t j = 0; j < 2 && i + j < size; ++j)
          lanes.push_back(vector::ExtractOp::create(b, loc, pair, j));
      }
      result = vector::FromElementsOp::create(b, loc, type, lanes);
    } else {
      result = vector::ExtractOp::create(
          b, loc, roundPair(b, loc, op.getIn(), zero), 0);
    }
    op.replaceAllUsesWith(result);
    op.erase();
  }
}
