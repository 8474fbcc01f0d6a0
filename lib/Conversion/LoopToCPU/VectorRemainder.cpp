//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remainders of vectors of f32, which have no instruction and of which libmvec
// has no function: in f64, where they are exact.
//
//===----------------------------------------------------------------------===//

#include "MathToVectorLibrary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

using namespace mlir;

namespace {

/// Bits of a quotient that one step takes: with the 24 of a divisor, their
/// product fits the 53 of f64.
constexpr int64_t kQuotientBits = 28;

/// x - trunc(x / y) * y. A step takes the upper bits of the quotient. Product
/// and difference are exact: what is left is a multiple of the last bits of
/// both, and smaller than what of them f64 holds. Where the division was
/// rounded up, what is left is negative once, by less than the divisor.
struct RemainderPattern : OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "expected a vector of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto wide = type.clone(b.getF64Type()), ints = type.clone(b.getI64Type());
    auto number = [&](VectorType type, double value) -> Value {
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(
                 type, b.getFloatAttr(type.getElementType(), value)));
    };
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
      return arith::CmpFOp::create(b, predicate, x, y).getResult();
    };
    using Is = arith::CmpFPredicate;
    Value zero = number(wide, 0);
    Value infinity = number(wide, std::numeric_limits<double>::infinity());
    Value dividend = arith::ExtFOp::create(
        b, wide, math::AbsFOp::create(b, op.getLhs()).getResult());
    Value divisor = arith::ExtFOp::create(
        b, wide, math::AbsFOp::create(b, op.getRhs()).getResult());
    // False for NaN.
    Value hasResult =
        arith::AndIOp::create(b, compare(Is::OLT, dividend, infinity),
                              compare(Is::OGT, divisor, zero));
    // Lanes without a result take no steps.
    divisor = arith::SelectOp::create(b, hasResult, divisor, number(wide, 1));
    Value start = arith::SelectOp::create(b, hasResult, dividend, zero);

    auto loop = scf::WhileOp::create(
        b, TypeRange(wide), ValueRange(start),
        [&](OpBuilder &inner, Location loc, ValueRange values) {
          Value open =
              arith::CmpFOp::create(inner, loc, Is::OGE, values[0], divisor);
          Value any = vector::ReductionOp::create(
              inner, loc, vector::CombiningKind::OR, open);
          scf::ConditionOp::create(inner, loc, any, values);
        },
        [&](OpBuilder &inner, Location loc, ValueRange values) {
          ImplicitLocOpBuilder b(loc, inner);
          Value rest = values[0];
          Value quotient = math::TruncOp::create(
              b, arith::DivFOp::create(b, rest, divisor).getResult());
          Value mask = arith::ConstantOp::create(
              b, DenseElementsAttr::get(
                     ints, b.getI64IntegerAttr(
                               -(int64_t(1) << (53 - kQuotientBits)))));
          Value upper = arith::BitcastOp::create(
              b, wide,
              arith::AndIOp::create(
                  b, arith::BitcastOp::create(b, ints, quotient), mask)
                  .getResult());
          Value left = arith::SubFOp::create(
              b, rest, arith::MulFOp::create(b, upper, divisor));
          left = arith::SelectOp::create(
              b, arith::CmpFOp::create(b, Is::OLT, left, zero),
              arith::AddFOp::create(b, left, divisor), left);
          // An infinite divisor leaves everything as it is.
          Value open = arith::CmpFOp::create(b, Is::OGE, rest, divisor);
          scf::YieldOp::create(
              b, arith::SelectOp::create(b, open, left, rest).getResult());
        });
    Value result = arith::TruncFOp::create(b, type, loop.getResult(0));
    result = math::CopySignOp::create(b, result, op.getLhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, hasResult, result,
        number(type, std::numeric_limits<double>::quiet_NaN()));
    return success();
  }
};

} // namespace

void coil::populateVectorRemainderPatterns(RewritePatternSet &patterns) {
  patterns.add<RemainderPattern>(patterns.getContext());
}
