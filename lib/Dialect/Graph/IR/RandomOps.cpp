//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers of distributions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Random.h"

#include "coil/Dialect/Sym/IR/Expr.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

#include "coil/Dialect/Graph/IR/GraphRandomEnums.cpp.inc"

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphRandomOps.cpp.inc"

int64_t RandomOp::getGroupSize(Type elementType) {
  return elementType.getIntOrFloatBitWidth() == 64 ? 2 : 4;
}

sym::ExprAttr RandomOp::getNumGroups(sym::ExprAttr n, Type elementType,
                                     int64_t blocks) {
  return sym::ceilDiv(n, sym::mul(RandomBitsOp::getNumThreads(n, blocks),
                                  getGroupSize(elementType)));
}

LogicalResult RandomOp::verify() {
  bool symbolsOnly = true;
  sym::walkLeaves(getSkip(),
                  [&](sym::ExprAttr leaf) { symbolsOnly &= leaf.isSymbol(); });
  std::optional<int64_t> skip = getSkip().getConstant();
  if (!symbolsOnly || (skip && *skip < 0)) // (C1)
    return emitOpError()
           << "expected a number of groups over symbols, but got '"
           << getSkip().str() << "'";
  if (static_cast<int64_t>(getBlocks()) < 1) // (C2)
    return emitOpError("expected a positive number of blocks");
  auto state = cast<RankedTensorType>(getState().getType());
  if (!state.hasStaticShape() || state.getDimSize(0) != 2) // (C3)
    return emitOpError() << "expected a state of seed and offset but got "
                         << state;
  Type element = getResult().getType().getElementType();
  if ((getDistribution() == Distribution::Bits) !=
      element.isUnsignedInteger()) // (C4)
    return emitOpError() << "does not draw '"
                         << stringifyDistribution(getDistribution())
                         << "' as elements of type " << element;
  return success();
}
