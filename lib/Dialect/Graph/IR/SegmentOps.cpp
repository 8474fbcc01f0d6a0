//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifier of sums over ranges of rows.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Segment.h"

#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphSegmentOps.cpp.inc"

LogicalResult SegmentReduceOp::verify() {
  if (getKind() != ReduceKind::Sum) // (C1)
    return emitOpError() << "kind '" << stringifyReduceKind(getKind())
                         << "' is not supported, expected 'sum'";
  Sizes from = getSizes(getInput()), to = getSizes(getResult());
  if (from.empty() || to.size() != from.size() ||
      SizesRef(from).drop_front() != SizesRef(to).drop_front()) // (C3)
    return emitOpError() << "the rows of its operand " << getInput().getType()
                         << " are not those of its result "
                         << getResult().getType();
  for (Value v : {getLo(), getHi()})
    if (getSizes(v) != Sizes{to.front()}) // (C2)
      return emitOpError() << "expected one bound for each of "
                           << to.front().str() << " rows but got "
                           << v.getType();
  Type element = graph::getElementType(getInput()),
       sum = graph::getElementType(getResult());
  bool narrow = element.isF16() || element.isBF16() || element.isF32();
  if (!(narrow && sum.isF32()) && !(element.isF64() && sum.isF64())) // (C4)
    return emitOpError() << "cannot sum elements of type " << element << " to "
                         << sum;
  if (Value positions = getPositions()) {
    Type position = graph::getElementType(positions);
    if (getSizes(positions).size() != 1 ||
        !(position.isSignlessInteger(32) ||
          position.isSignlessInteger(64))) // (C5)
      return emitOpError() << "expected positions of rank one with elements of "
                              "'i32' or 'i64' but got "
                           << positions.getType();
  }
  if (getInit() && getInit().getType() != getType()) // (C6)
    return emitOpError() << "begins with " << getInit().getType()
                         << " but gives " << getType();
  return success();
}
