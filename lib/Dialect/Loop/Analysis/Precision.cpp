//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a kernel's arithmetic may be less exact than its type.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Precision.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using arith::FastMathFlags;

/// Users of users: past this many the answer is no.
static constexpr unsigned kMaxDepth = 16;

/// Whether `v` is a sum over points, as the divisor of softmax is.
static bool isSum(Value v) {
  auto reduce = v.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == ReduceKind::Sum;
}

/// Whether results below the normal numbers of `f32`, which fast exponentials
/// make zero, can be told from zero in what the exponential `v` reaches: `bf16`
/// has such numbers.
static bool isSubnormalSeen(Value v, unsigned depth = 0) {
  if (depth > kMaxDepth)
    return true;
  auto isNonZero = [](Value constant) {
    APFloat value(0.0f);
    return matchPattern(constant, m_ConstantFloat(&value)) && value.isNonZero();
  };
  return llvm::any_of(v.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::TruncFOp>(user))
      return user->getResult(0).getType().isBF16();
    // 1 + e^x is what it is without a tiny e^x.
    if (isa<arith::AddFOp, arith::SubFOp>(user) &&
        isNonZero(user->getOperand(1 - use.getOperandNumber())))
      return false;
    if (isa<arith::DivFOp>(user)) {
      // Softmax: probabilities that small are not told from zero.
      if (isSum(user->getOperand(1)))
        return false;
      if (use.getOperandNumber() == 1)
        return true;
    }
    return user->getNumResults() != 1 ||
           isSubnormalSeen(user->getResult(0), depth + 1);
  });
}

static bool reachesStep(Value v, unsigned depth) {
  return llvm::any_of(v.getUsers(), [&](Operation *user) {
    if (isa<arith::CmpFOp, math::FloorOp, math::CeilOp, math::TruncOp,
            math::RoundOp, math::RoundEvenOp, arith::FPToSIOp, arith::FPToUIOp>(
            user))
      return true;
    if (isa<arith::TruncFOp>(user)) {
      Type type = getElementTypeOrSelf(user->getResult(0).getType());
      if (type.isBF16() || type.isF16())
        return false;
    }
    return depth < 8 && isPure(user) &&
           llvm::any_of(
               user->getResults(),
               [&](Value result) { return ::reachesStep(result, depth + 1); });
  });
}

bool coil::loop::reachesStep(Value v) { return ::reachesStep(v, 0); }

Precision::Precision(KernelOp kernel) {
  DimDependence dependence(kernel);
  llvm::SmallBitVector reduced(kernel.getNumDims());
  for (unsigned d : kernel.getReducedDims())
    reduced.set(d);
  for (Operation &op : *kernel.getBlock()) {
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isF32() ||
        op.hasAttr(kStrictAttrName))
      continue;
    if (isa<math::ExpOp, math::Exp2Op, math::ErfOp>(op)) {
      if (isRounded(op.getResult(0), isa<math::ErfOp>(op)) &&
          (isa<math::ErfOp>(op) || !isSubnormalSeen(op.getResult(0))))
        flags[&op] = FastMathFlags::afn;
    } else if (isa<math::SqrtOp>(op)) {
      if (isRounded(op.getResult(0), /*isAbsolute=*/false))
        flags[&op] = FastMathFlags::afn;
    } else if (isa<math::SinOp, math::CosOp>(op)) {
      // The fast version's error is absolute.
      if (isRounded(op.getResult(0), /*isAbsolute=*/false))
        flags[&op] = FastMathFlags::arcp;
    } else if (isa<math::TanhOp>(op)) {
      // 1 + tanh(x) becomes an exponential.
      if (isRounded(op.getResult(0), /*isAbsolute=*/false) ||
          llvm::all_of(op.getUsers(), [&](Operation *user) {
            return isa<arith::AddFOp>(user) &&
                   (matchPattern(user->getOperand(0), m_OneFloat()) ||
                    matchPattern(user->getOperand(1), m_OneFloat())) &&
                   isRounded(user->getResult(0), /*isAbsolute=*/false);
          }))
        flags[&op] = FastMathFlags::afn;
    } else if (auto divide = dyn_cast<arith::DivFOp>(op)) {
      if (divide.getRhs().getDefiningOp<math::SqrtOp>() &&
          matchPattern(divide.getLhs(), m_OneFloat()) &&
          !loop::reachesStep(op.getResult(0))) {
        flags[&op] = FastMathFlags::afn;
        continue;
      }
      // A quotient that a program asks for is rounded once: it may be compared,
      // or rounded to an integer, by this kernel or another one. Of one that is
      // rounded to 16 bits these are the same bits, or almost always: no
      // quotient of two such numbers lies between two others, and next to there
      // only by the last bit of `f32`.
      if (!isFromExponential(divide.getRhs())) {
        if (isRounded(op.getResult(0), /*isAbsolute=*/false))
          flags[&op] = FastMathFlags::contract;
        continue;
      }
      flags[&op] = dependence[op.getResult(0)].anyCommon(reduced) &&
                           !dependence[divide.getRhs()].anyCommon(reduced)
                       ? FastMathFlags::arcp
                       : FastMathFlags::contract;
    }
  }
}

void Precision::addFlags(Operation *op, FastMathFlags flags) {
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!math || flags == FastMathFlags::none)
    return;
  arith::FastMathFlagsAttr old = math.getFastMathFlagsAttr();
  op->setAttr(math.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(
                  op->getContext(),
                  (old ? old.getValue() : FastMathFlags::none) | flags));
}

bool Precision::isFromExponential(Value v, unsigned depth) {
  Operation *op = v.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return true;
  bool passes = isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp>(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    passes = reduce.getKind() == ReduceKind::Sum;
  return passes && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isFromExponential(operand, depth + 1);
         });
}

bool Precision::isNonNegative(Value v) {
  APFloat constant(0.0f);
  if (matchPattern(v, m_ConstantFloat(&constant)))
    return !constant.isNegative() && !constant.isNaN();
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (isa<math::ExpOp, math::Exp2Op, math::SqrtOp, math::AbsFOp>(op))
    return true;
  if (isa<arith::MulFOp>(op) && op->getOperand(0) == op->getOperand(1))
    return true;
  if (isa<arith::AddFOp, arith::MulFOp, arith::DivFOp, arith::ExtFOp,
          arith::MaximumFOp, arith::MinimumFOp, ReduceOp>(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value o) { return isNonNegative(o); });
  return false;
}

bool Precision::isRounded(Value v, bool isAbsolute, unsigned depth) {
  if (depth > kMaxDepth || v.use_empty())
    return false;
  return llvm::all_of(v.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::TruncFOp>(user))
      return true;
    if (user->getNumResults() != 1 || !user->getResult(0).getType().isF32())
      return false;
    bool passes = false;
    if (isa<arith::MulFOp, arith::NegFOp, math::AbsFOp, arith::MaximumFOp,
            arith::MinimumFOp>(user))
      passes = true;
    else if (isa<arith::DivFOp>(user))
      passes = !isAbsolute || use.getOperandNumber() == 0;
    else if (isa<arith::SelectOp>(user))
      passes = use.getOperandNumber() != 0;
    else if (isa<arith::AddFOp, arith::SubFOp>(user))
      passes = isAbsolute || (isa<arith::AddFOp>(user) &&
                              isNonNegative(user->getOperand(0)) &&
                              isNonNegative(user->getOperand(1)));
    else if (auto reduce = dyn_cast<ReduceOp>(user))
      passes = reduce.getKind() == ReduceKind::Max ||
               reduce.getKind() == ReduceKind::Min ||
               (reduce.getKind() == ReduceKind::Sum && isNonNegative(v));
    return passes && isRounded(user->getResult(0), isAbsolute, depth + 1);
  });
}
