//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The framework operator as the importer found it.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/IR/Graph.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

LogicalResult AtenOp::verify() {
  if (getOperandNames().size() != getInputs().size()) // (C1)
    return emitOpError() << "has " << getInputs().size() << " operands but "
                         << getOperandNames().size() << " names for them";
  for (auto name : getOperandNames().getAsRange<StringAttr>()) // (C2)
    if (getArguments().contains(name))
      return emitOpError() << "argument '" << name.getValue()
                           << "' is both an operand and an attribute";
  SmallVector<StringRef> parts;
  getName().split(parts, '.');
  if (parts.size() != 3 || llvm::is_contained(parts, "")) // (C3)
    return emitOpError() << "expected a name of the form "
                            "'namespace.operator.overload' but got '"
                         << getName() << "'";
  return success();
}

SmallVector<Value> AtenOp::getTensors(StringRef name) {
  SmallVector<Value> tensors;
  for (auto [operandName, operand] :
       llvm::zip(getOperandNames().getAsRange<StringAttr>(), getInputs()))
    if (operandName.getValue() == name)
      tensors.push_back(operand);
  return tensors;
}

Value AtenOp::getTensor(StringRef name) {
  SmallVector<Value> tensors = getTensors(name);
  return tensors.size() == 1 ? tensors.front() : Value();
}

Attribute AtenOp::getArgument(StringRef name) {
  return getArguments().get(name);
}
