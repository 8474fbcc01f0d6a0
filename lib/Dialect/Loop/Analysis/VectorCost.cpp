//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations of a kernel cost on a core, and for a thread of a GPU.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/VectorCost.h"

#include "coil/Dialect/Loop/Analysis/Roundings.h"
#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Loop/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

bool coil::loop::isHeavy(Operation &op) {
  if (isa<SpecialOp, SegmentSumOp>(op))
    return true;
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp,
              math::TruncOp, math::RoundEvenOp, math::CopySignOp, math::FmaOp,
              math::IsNaNOp, math::IsInfOp, math::SqrtOp>(op);
}

int64_t coil::loop::getVectorInstructions(Operation &op) {
  if (isa<StoreOp, IndexOp, arith::ConstantOp>(op))
    return 0;
  // `loop-fold-roundings` drops what changes nothing.
  if (auto round = dyn_cast<arith::TruncFOp>(op))
    return round.getType().isBF16() &&
                   !isRepresentable(round.getIn(),
                                    cast<FloatType>(round.getType()))
               ? 6
               : 1;
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return extend.getIn().getType().isBF16() ? 2 : 1;
  if (isa<math::ExpOp, math::ErfOp>(op))
    return 12;
  if (isa<arith::DivFOp>(op))
    return 6;
  if (isa<math::SqrtOp>(op))
    return 10;
  if (isa<math::RsqrtOp>(op))
    return 16;
  if (isa<SpecialOp, math::PowFOp>(op))
    return 100;
  return isHeavy(op) ? 28 : 1;
}

int64_t coil::loop::getThreadInstructions(Operation &op) {
  if (isa<StoreOp, IndexOp, arith::ConstantOp>(op))
    return 0;
  // Part of an instruction for two elements, or of the load.
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return extend.getIn().getType().getIntOrFloatBitWidth() > 16;
  // Double precision runs at half the rate, and takes longer series (PTX for
  // sm_90a: 34 instructions for an exponential, 43 to 106 for a logarithm, a
  // hyperbolic tangent or an error function).
  bool isWide = op.getNumResults() > 0 && op.getResult(0).getType().isF64();
  if (isWide && isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 40;
  if (isWide && isa<arith::ArithDialect, math::MathDialect>(op.getDialect()))
    return !isHeavy(op)                         ? 2
           : isa<math::ExpOp, math::Exp2Op>(op) ? 70
           : isa<math::PowFOp>(op)              ? 300
                                                : 140;
  if (isa<SpecialOp, math::PowFOp>(op))
    return isWide ? 300 : 100;
  if (isa<math::RsqrtOp, math::SqrtOp>(op))
    return 8;
  if (isa<math::ExpOp, math::Exp2Op, arith::DivFOp>(op))
    return 10;
  if (isa<math::SinOp, math::CosOp>(op))
    return 15;
  return isHeavy(op) ? 20 : 1;
}
