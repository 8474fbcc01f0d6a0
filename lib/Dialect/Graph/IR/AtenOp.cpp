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
#include "coil/Dialect/Sym/IR/Expr.h"
#include "llvm/ADT/STLExtras.h"

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
  for (StringRef symbol : getBoundSymbols()) { // (C4)
    sym::ExprAttr leaf = sym::symbol(getContext(), symbol);
    bool isSize = llvm::any_of(getOutputs().getTypes(), [&](Type type) {
      return llvm::any_of(sym::getSizes(cast<RankedTensorType>(type)),
                          [&](sym::ExprAttr size) {
                            return size && sym::mentions(size, leaf);
                          });
    });
    if (!isSize)
      return emitOpError() << "defines the symbol '" << symbol
                           << "', which is in the size of no result";
  }
  if (getNumbers())
    for (auto name : getNumbers()->getAsValueRange<StringAttr>()) { // (C5)
      SmallVector<Value> tensors = getTensors(name);
      if (tensors.empty() || llvm::any_of(tensors, [](Value v) {
            return cast<RankedTensorType>(v.getType()).getRank() != 0;
          }))
        return emitOpError() << "has no operands of rank zero for the number '"
                             << name << "'";
    }
  return success();
}

SmallVector<StringRef> AtenOp::getBoundSymbols() {
  SmallVector<StringRef> names;
  if (getDefines())
    for (auto name : getDefines()->getAsValueRange<StringAttr>())
      names.push_back(name);
  return names;
}

bool AtenOp::isNumber(StringRef name) {
  return getNumbers() &&
         llvm::is_contained(getNumbers()->getAsValueRange<StringAttr>(), name);
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
