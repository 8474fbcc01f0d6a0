//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers symbolic expressions to `arith` on 64-bit integers.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/Utils/ExprLowering.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;
using sym::ExprKind;

namespace {
class Lowering {
public:
  Lowering(OpBuilder &builder, Location loc,
           llvm::function_ref<Value(ExprAttr)> leaf, const sym::Context *facts,
           unsigned bits)
      : builder(builder), loc(loc), leaf(leaf), facts(facts),
        type(builder.getIntegerType(bits)) {
    if (bits < 64)
      flags = arith::IntegerOverflowFlags::nsw;
  }

  Value lower(ExprAttr e);

private:
  /// A constant of the type of `like`.
  Value constant(int64_t value, Type like) {
    TypedAttr attr = builder.getIntegerAttr(type, value);
    if (auto vector = dyn_cast<VectorType>(like))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  }
  Value constant(int64_t value) { return constant(value, type); }

  /// Makes a scalar operand a vector if the other one is.
  void unify(Value &a, Value &b) {
    if (a.getType() == b.getType())
      return;
    if (isa<VectorType>(a.getType()))
      b = vector::BroadcastOp::create(builder, loc, a.getType(), b);
    else
      a = vector::BroadcastOp::create(builder, loc, b.getType(), a);
  }

  template <typename OpTy>
  Value binary(Value a, Value b) {
    unify(a, b);
    return OpTy::create(builder, loc, a, b);
  }
  /// An operation that does not overflow in narrow integers.
  template <typename OpTy>
  Value exact(Value a, Value b) {
    unify(a, b);
    return OpTy::create(builder, loc, a, b, flags);
  }

  Value lowerAdd(ExprAttr e);
  Value lowerDivMod(ExprAttr e);

  OpBuilder &builder;
  Location loc;
  llvm::function_ref<Value(ExprAttr)> leaf;
  const sym::Context *facts;
  IntegerType type;
  arith::IntegerOverflowFlags flags = arith::IntegerOverflowFlags::none;
};
} // namespace

Value Lowering::lowerAdd(ExprAttr e) {
  // Scalars first, so that as little as possible is vector arithmetic.
  SmallVector<std::pair<Value, bool>> terms; // value, negated
  for (ExprAttr o : e.getOperands()) {
    bool negated = o.getKind() == ExprKind::Mul && o.getValue() == -1;
    Value v = lower(negated ? sym::neg(o) : o);
    if (!v)
      return {};
    terms.push_back({v, negated});
  }
  SmallVector<std::pair<Value, bool>> ordered;
  for (bool vector : {false, true})
    for (bool negated : {false, true})
      for (auto term : terms)
        if (isa<VectorType>(term.first.getType()) == vector &&
            term.second == negated)
          ordered.push_back(term);
  Value sum;
  if (ordered.front().second)
    sum = constant(e.getValue());
  for (auto [v, negated] : ordered) {
    if (!sum)
      sum = v;
    else
      sum =
          negated ? exact<arith::SubIOp>(sum, v) : exact<arith::AddIOp>(sum, v);
  }
  if (e.getValue() != 0 && !ordered.front().second)
    sum = exact<arith::AddIOp>(sum, constant(e.getValue(), sum.getType()));
  return sum;
}

Value Lowering::lowerDivMod(ExprAttr e) {
  ExprAttr dividend = e.getOperands()[0], divisor = e.getOperands()[1];
  bool isDiv = e.getKind() == ExprKind::FloorDiv;
  Value a = lower(dividend);
  if (!a)
    return {};
  // An arithmetic shift and a mask round toward minus infinity by themselves.
  if (auto c = divisor.getConstant(); c && *c > 0 && llvm::isPowerOf2_64(*c)) {
    if (isDiv)
      return arith::ShRSIOp::create(builder, loc, a,
                                    constant(llvm::Log2_64(*c), a.getType()));
    return arith::AndIOp::create(builder, loc, a,
                                 constant(*c - 1, a.getType()));
  }
  Value b = lower(divisor);
  if (!b)
    return {};
  // An empty dimension must not trap: whatever it divides is never used.
  if (!divisor.isConstant() && !(facts && facts->bounds(divisor).lo > 0))
    b = arith::MaxSIOp::create(builder, loc, b, constant(1, b.getType()));
  unify(a, b);
  if (facts && facts->isNonNegative(dividend))
    return isDiv ? Value(arith::DivUIOp::create(builder, loc, a, b))
                 : Value(arith::RemUIOp::create(builder, loc, a, b));
  // a = q * b + r with r of the sign of a: correct q and r where r < 0.
  Value r = arith::RemSIOp::create(builder, loc, a, b);
  Value below = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      r, constant(0, a.getType()));
  if (isDiv) {
    Value q = arith::DivSIOp::create(builder, loc, a, b);
    Value minusOne = arith::ExtSIOp::create(builder, loc, a.getType(), below);
    return arith::AddIOp::create(builder, loc, q, minusOne);
  }
  Value corrected = arith::AddIOp::create(builder, loc, r, b);
  return arith::SelectOp::create(builder, loc, below, corrected, r);
}

Value Lowering::lower(ExprAttr e) {
  switch (e.getKind()) {
  case ExprKind::Constant:
    return constant(e.getValue());
  case ExprKind::Dim:
  case ExprKind::Arg:
  case ExprKind::Symbol:
    return leaf(e);
  case ExprKind::Add:
    return lowerAdd(e);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
    return lowerDivMod(e);
  case ExprKind::Mul: {
    Value product;
    for (ExprAttr o : e.getOperands()) {
      Value v = lower(o);
      if (!v)
        return {};
      product = product ? exact<arith::MulIOp>(product, v) : v;
    }
    if (e.getValue() != 1)
      product = exact<arith::MulIOp>(product,
                                     constant(e.getValue(), product.getType()));
    return product;
  }
  case ExprKind::Min:
  case ExprKind::Max: {
    Value a = lower(e.getOperands()[0]), b = lower(e.getOperands()[1]);
    if (!a || !b)
      return {};
    return e.getKind() == ExprKind::Min ? binary<arith::MinSIOp>(a, b)
                                        : binary<arith::MaxSIOp>(a, b);
  }
  }
  return {};
}

Value coil::lowerExpr(OpBuilder &builder, Location loc, ExprAttr expr,
                      llvm::function_ref<Value(ExprAttr)> leaf,
                      const sym::Context *facts, unsigned bits) {
  return Lowering(builder, loc, leaf, facts, bits).lower(expr);
}
