//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of index arithmetic as expressions over symbols.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/Transforms/IndexValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace coil;
using namespace coil::sym;

ExprAttr sym::getTypeSize(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || dim < 0 || dim >= type.getRank())
    return {};
  return getSizes(type)[static_cast<size_t>(dim)];
}

ExprAttr sym::fromAffine(AffineExpr expr, unsigned numDims,
                         ArrayRef<ExprAttr> operands) {
  MLIRContext *ctx = expr.getContext();
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(ctx, cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return operands[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  ExprAttr lhs = fromAffine(binary.getLHS(), numDims, operands);
  ExprAttr rhs = fromAffine(binary.getRHS(), numDims, operands);
  if (!lhs || !rhs)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return floorDiv(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return ceilDiv(lhs, rhs);
  case AffineExprKind::Mod:
    return mod(lhs, rhs);
  default:
    return {};
  }
}

/// The values of an affine map's operands.
static SmallVector<ExprAttr> evaluateAll(ValueRange operands,
                                         const Context &context,
                                         IndexValues::SizeFn size,
                                         IndexValues::LeafFn leaf) {
  SmallVector<ExprAttr> result;
  for (Value v : operands)
    result.push_back(IndexValues::evaluate(v, context, size, leaf));
  return result;
}

/// The extremum of all results of a map.
static ExprAttr fold(AffineMap map, ArrayRef<ExprAttr> operands,
                     ExprAttr (*combine)(ExprAttr, ExprAttr)) {
  ExprAttr result;
  for (AffineExpr each : map.getResults()) {
    ExprAttr e = fromAffine(each, map.getNumDims(), operands);
    if (!e)
      return {};
    result = result ? combine(result, e) : e;
  }
  return result;
}

ExprAttr IndexValues::evaluate(Value value, const Context &context, SizeFn size,
                               LeafFn leaf) {
  if (leaf)
    if (ExprAttr known = leaf(value))
      return known;
  APInt number;
  if (value.getType().isIntOrIndex() &&
      matchPattern(value, m_ConstantInt(&number)))
    return constant(value.getContext(), number.getSExtValue());
  // Narrower integers may wrap.
  Operation *op = value.getDefiningOp();
  if (!op || !(value.getType().isIndex() || value.getType().isInteger(64)))
    return {};
  auto operand = [&](unsigned i) {
    return evaluate(op->getOperand(i), context, size, leaf);
  };
  auto binary = [&](auto build) -> ExprAttr {
    ExprAttr lhs = operand(0), rhs = operand(1);
    return lhs && rhs ? build(lhs, rhs) : ExprAttr();
  };
  // The quotient of signed or unsigned numbers is that of sizes only where
  // neither is negative; a divisor of zero is undefined everywhere.
  auto division = [&](ExprAttr (*build)(ExprAttr, ExprAttr)) {
    return binary([&](ExprAttr lhs, ExprAttr rhs) {
      return context.isNonNegative(lhs) && context.isNonNegative(rhs)
                 ? build(lhs, rhs)
                 : ExprAttr();
    });
  };
  // Unsigned order is that of numbers that are not negative.
  auto unsignedOrder = [&](ExprAttr (*build)(ExprAttr, ExprAttr)) {
    return division(build);
  };
  return llvm::TypeSwitch<Operation *, ExprAttr>(op)
      .Case([&](tensor::DimOp dim) -> ExprAttr {
        std::optional<int64_t> index = dim.getConstantIndex();
        return index ? size(dim.getSource(), *index) : ExprAttr();
      })
      .Case([&](tensor::RankOp rank) -> ExprAttr {
        auto type = dyn_cast<RankedTensorType>(rank.getTensor().getType());
        return type ? constant(value.getContext(), type.getRank()) : ExprAttr();
      })
      .Case([&](affine::AffineApplyOp apply) -> ExprAttr {
        AffineMap map = apply.getAffineMap();
        return fromAffine(
            map.getResult(0), map.getNumDims(),
            evaluateAll(apply.getMapOperands(), context, size, leaf));
      })
      .Case([&](affine::AffineMinOp least) -> ExprAttr {
        return fold(least.getMap(),
                    evaluateAll(least.getOperands(), context, size, leaf), min);
      })
      .Case([&](affine::AffineMaxOp most) -> ExprAttr {
        return fold(most.getMap(),
                    evaluateAll(most.getOperands(), context, size, leaf), max);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto cast) {
        // Sizes fit 64 bits, which is what an index has here.
        Type type = cast.getType();
        return type.isIndex() || type.isInteger(64) ? operand(0) : ExprAttr();
      })
      .Case([&](arith::AddIOp) {
        return binary([](ExprAttr a, ExprAttr b) { return add(a, b); });
      })
      .Case([&](arith::SubIOp) {
        return binary([](ExprAttr a, ExprAttr b) { return sub(a, b); });
      })
      .Case([&](arith::MulIOp) {
        return binary([](ExprAttr a, ExprAttr b) { return mul(a, b); });
      })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return division(floorDiv); })
      .Case([&](arith::FloorDivSIOp) { return division(floorDiv); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return division(ceilDiv); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return division(mod); })
      .Case([&](arith::MinSIOp) {
        return binary([](ExprAttr a, ExprAttr b) { return min(a, b); });
      })
      .Case([&](arith::MaxSIOp) {
        return binary([](ExprAttr a, ExprAttr b) { return max(a, b); });
      })
      .Case([&](arith::MinUIOp) { return unsignedOrder(min); })
      .Case([&](arith::MaxUIOp) { return unsignedOrder(max); })
      .Default([](Operation *) { return ExprAttr(); });
}

ExprAttr IndexValues::evaluate(OpFoldResult value, MLIRContext *ctx,
                               const Context &context, SizeFn size,
                               LeafFn leaf) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constant(ctx, *number);
  if (auto v = dyn_cast_if_present<Value>(value))
    return evaluate(v, context, size, leaf);
  return {};
}
