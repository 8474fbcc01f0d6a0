//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quotients of a vector by one number: a row by its norm or its scale, bytes by
// 255. The instructions for an exact quotient begin with an approximate inverse
// and end with a branch for what is too large or too small, for each lane.
// Where lanes share the divisor b, they share r = 1 / b, rounded once. Then
//
//   q0 = a r,  q1 = q0 + (a - b q0) r,  q = q1 + (a - b q1) r
//
// where each line is rounded once but the remainder of q1, which is exact, is
// the quotient rounded once (P. Markstein, Computation of elementary functions
// on the IBM RISC System/6000 processor, theorem 9): q1 is within an ulp of it.
// That holds as long as no product leaves the normal numbers, which the sizes
// of b and of the quotient say. One branch for the whole vector divides as ever
// where a lane is outside.
//
//===----------------------------------------------------------------------===//

#include "GPUKernelEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Sizes of divisors and quotients for which nothing overflows, and for which
/// the remainder, a multiple of the product of the last digits of both (2^-23
/// of each), is a normal number: 2^-20 * 2^-58 * 2^-46 = 2^-124.
static constexpr double kLeastDivisor = 0x1p-20, kMostDivisor = 0x1p20,
                        kLeastQuotient = 0x1p-58, kMostQuotient = 0x1p100;

/// Whether `v` is an integer, of which quotients by such divisors are inside.
static bool isInteger(Value v) {
  Operation *op = v.getDefiningOp();
  if (isa_and_present<math::AbsFOp, arith::NegFOp>(op))
    return isInteger(op->getOperand(0));
  return isa_and_present<arith::SIToFPOp, arith::UIToFPOp>(op);
}

bool GPUKernelEmitter::emitSharedDivision(arith::DivFOp op) {
  Value divisor = op.getRhs();
  auto two = twoValues.find(divisor);
  if (!op.getType().isF32() || !form.isVector(op.getLhs()) ||
      (form.isVector(divisor) && two == twoValues.end()) ||
      (precision && precision->getFlags(op) != arith::FastMathFlags::none))
    return false;
  Type f32 = op.getType();
  auto isInside = [&](Value v, double least, double most) -> Value {
    Value size = math::AbsFOp::create(b, v);
    auto compare = [&](arith::CmpFPredicate predicate, double limit) -> Value {
      return arith::CmpFOp::create(b, predicate, size,
                                   constantFloat(v.getType(), limit));
    };
    return both(compare(arith::CmpFPredicate::OGE, least),
                compare(arith::CmpFPredicate::OLE, most));
  };
  auto invert = [&](Value v) -> Value {
    return arith::DivFOp::create(b, constantFloat(f32, 1), v);
  };
  bool isExactInteger = isInteger(op.getLhs());
  Copies copies = makeCopies(op.getResult());
  forEachCopy(copies.overP, copies.overR, [&](unsigned ip, unsigned ir) {
    Value a = broadcast(lookup(op.getLhs(), ip, ir));
    Value by = broadcast(lookup(divisor, ip, ir)), inverse, inside;
    if (two == twoValues.end()) {
      Value one = lookup(divisor, ip, ir);
      inverse = broadcast(invert(one));
      inside = isInside(one, kLeastDivisor, kMostDivisor);
    } else {
      Copies shape = makeCopies(divisor);
      size_t index = (shape.overP ? ip * (shape.overR ? shape.numR : 1) : 0) +
                     (shape.overR ? ir : 0);
      TwoValues values = two->second.values[index];
      inverse = takeLanes(two->second.pieces,
                          {invert(values.first), invert(values.last)}, ip, ir);
      inside = both(isInside(values.first, kLeastDivisor, kMostDivisor),
                    isInside(values.last, kLeastDivisor, kMostDivisor));
    }
    Value minus = arith::NegFOp::create(b, by);
    Value first = arith::MulFOp::create(b, a, inverse), quotient = first;
    for (int i = 0; i < 2; ++i) {
      Value rest = math::FmaOp::create(b, minus, quotient, a);
      quotient = math::FmaOp::create(b, rest, inverse, quotient);
    }
    if (!isExactInteger) {
      // Zeros keep their sign.
      Value isZero = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, a,
                                           constantFloat(a.getType(), 0));
      Value lanes = arith::OrIOp::create(
          b, isZero, isInside(quotient, kLeastQuotient, kMostQuotient));
      for (int64_t lane = 0; lane < width; ++lane)
        inside = both(inside, extract(lanes, lane));
      quotient = arith::SelectOp::create(b, isZero, first, quotient);
    }
    copies.values.push_back(choose(
        inside, a.getType(), [&]() { return quotient; },
        [&]() -> Value { return arith::DivFOp::create(b, a, by); }));
  });
  values[op.getResult()] = std::move(copies);
  return true;
}
