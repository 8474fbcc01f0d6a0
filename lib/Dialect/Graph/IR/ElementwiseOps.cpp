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

//===----------------------------------------------------------------------===//
// Result types
//===----------------------------------------------------------------------===//

LogicalResult graph::inferElementwise(std::optional<Location> location,
                                      TypeRange operands, ElementOf element,
                                      SmallVectorImpl<Type> &results) {
  SmallVector<Sizes> shapes;
  for (Type operand : operands) {
    if (!hasSizes(operand))
      return emitOptionalError(location,
                               "expected tensors with an expression for each "
                               "dynamic size, got ",
                               operand);
    shapes.push_back(sym::getSizes(cast<RankedTensorType>(operand)));
  }
  if (size_t(std::max<int>(element, 0)) >= operands.size())
    return emitOptionalError(location, "expected more than ", operands.size(),
                             " operands");
  FailureOr<Sizes> sizes = broadcastSizes(shapes);
  if (failed(sizes))
    return emitOptionalError(location, "the operands' sizes do not broadcast");
  Type first = operands[0];
  results.push_back(sym::getTensorType(
      *sizes,
      element == kBool
          ? IntegerType::get(first.getContext(), 1)
          : cast<RankedTensorType>(operands[element]).getElementType()));
  return success();
}

/// Parses `(operands) -> result`, or one type for all operands.
static ParseResult parseTypes(OpAsmParser &parser, ArrayRef<Type *> operands,
                              Type &result, ElementOf element) {
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalLParen())) {
    for (auto [i, operand] : llvm::enumerate(operands))
      if ((i != 0 && failed(parser.parseComma())) ||
          failed(parser.parseType(*operand)))
        return failure();
    if (failed(parser.parseRParen()) || failed(parser.parseArrow()))
      return failure();
    // The general form has parentheses around results, too.
    bool isList = succeeded(parser.parseOptionalLParen());
    return success(succeeded(parser.parseType(result)) &&
                   (!isList || succeeded(parser.parseRParen())));
  }
  Type type;
  if (failed(parser.parseType(type)))
    return failure();
  for (Type *operand : operands)
    *operand = type;
  SmallVector<Type> types(operands.size(), type), results;
  if (failed(inferElementwise(parser.getEncodedSourceLoc(location), types,
                              element, results)))
    return failure();
  result = results.front();
  return success();
}

ParseResult graph::parseUnaryTypes(OpAsmParser &parser, Type &input,
                                   Type &result) {
  return parseTypes(parser, {&input}, result, kFirst);
}

ParseResult graph::parsePredicateTypes(OpAsmParser &parser, Type &input,
                                       Type &result) {
  return parseTypes(parser, {&input}, result, kBool);
}

ParseResult graph::parseBinaryTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                                    Type &result) {
  return parseTypes(parser, {&lhs, &rhs}, result, kFirst);
}

ParseResult graph::parseCompareTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                                     Type &result) {
  return parseTypes(parser, {&lhs, &rhs}, result, kBool);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

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
