//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of elementwise operators.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

LogicalResult graph::verifyElementwise(Operation *op) {
  Sizes to = getSizes(op->getResult(0));
  auto emitError = [&] { return op->emitOpError(); };
  for (Value operand : op->getOperands()) // (C1)
    if (failed(verifyBroadcast(getSizes(operand), to, emitError)))
      return failure();

  // Ops whose element types are not covered by a trait.
  Type result = getElementType(op->getResult(0));
  auto verifyType = [&](Value operand, Type expected) -> LogicalResult {
    if (getElementType(operand) == expected)
      return success();
    return op->emitOpError()
           << "expected an operand with elements of type " << expected
           << " but got " << getElementType(operand);
  };
  if (auto compare = dyn_cast<CompareOp>(op)) // (C2)
    return verifyType(compare.getRhs(), getElementType(compare.getLhs()));
  if (auto select = dyn_cast<SelectOp>(op)) // (C2)
    return success(succeeded(verifyType(select.getTrueValue(), result)) &&
                   succeeded(verifyType(select.getFalseValue(), result)));
  if (auto bitcast = dyn_cast<BitcastOp>(op)) { // (C2)
    Type from = getElementType(bitcast.getInput());
    if (from.getIntOrFloatBitWidth() != result.getIntOrFloatBitWidth() ||
        from.isInteger(1) || result.isInteger(1))
      return op->emitOpError()
             << "cannot read the bits of " << from << " as " << result;
  }
  if (auto special = dyn_cast<SpecialOp>(op)) {
    unsigned expected = loop::getNumArgs(special.getFunction());
    if (special.getInputs().size() != expected) // (C3)
      return op->emitOpError()
             << "expected " << expected << " operands for '"
             << loop::stringifySpecialFunction(special.getFunction())
             << "' but got " << special.getInputs().size();
    for (Value input : special.getInputs()) // (C2)
      if (failed(verifyType(input, result)))
        return failure();
  }
  return success();
}
