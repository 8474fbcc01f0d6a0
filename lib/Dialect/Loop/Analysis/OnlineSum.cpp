//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/OnlineSum.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

ReduceOp coil::loop::getOnlineMax(ReduceOp sum) {
  if (sum.getKind() != ReduceKind::Sum)
    return nullptr;
  auto exp = sum.getOperand().getDefiningOp<math::ExpOp>();
  if (!exp)
    return nullptr;
  auto shift = exp.getOperand().getDefiningOp<arith::SubFOp>();
  if (!shift)
    return nullptr;
  auto max = shift.getRhs().getDefiningOp<ReduceOp>();
  if (!max || max.getKind() != ReduceKind::Max ||
      max.getOperand() != shift.getLhs() || max.getDims() != sum.getDims())
    return nullptr;
  return max;
}
