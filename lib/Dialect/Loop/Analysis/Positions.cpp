//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Positions.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

std::optional<ExprAttr>
coil::loop::getFirstPosition(ArgReduceOp reduce, ArrayRef<unsigned> reducedDims,
                             const sym::Context &context) {
  auto index = reduce.getOperand(1).getDefiningOp<IndexOp>();
  std::optional<unsigned> dim;
  for (unsigned d : reducedDims) {
    if (context.getDimExtents()[d].isConstant(1))
      continue;
    if (dim)
      return std::nullopt;
    dim = d;
  }
  if (!index || !dim)
    return std::nullopt;
  auto split =
      sym::splitLinear(index.getExpr(), sym::dim(reduce.getContext(), *dim));
  if (!split || !split->first.isConstant() || split->first.getValue() <= 0)
    return std::nullopt;
  return split->second;
}

bool coil::loop::isNarrowPosition(ExprAttr position,
                                  const sym::Context &context) {
  sym::Bounds bounds = context.bounds(position);
  return bounds.lo > std::numeric_limits<int32_t>::min() &&
         bounds.hi < std::numeric_limits<int32_t>::max();
}
