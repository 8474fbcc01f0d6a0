//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of results of elementwise operators.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseTypes.h"

#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "coil/Dialect/Sym/IR/Expr.h"

using namespace mlir;
using namespace coil;
using namespace coil::graph;

/// Which element type the result has: that of an operand, or `i1`.
enum ElementOf : int { kFirst = 0, kSecond = 1, kBool = -1 };

/// Infers the type of the result: the operands' sizes, broadcast. Fails, with a
/// message if there is a location, for operands that are no tensors with sizes
/// or do not broadcast.
static LogicalResult inferElementwise(std::optional<Location> location,
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
  auto of = cast<RankedTensorType>(operands[std::max<int>(element, 0)]);
  Type type = element == kBool ? IntegerType::get(of.getContext(), 1)
                               : of.getElementType();
  results.assign(1, sym::getTensorType(*sizes, type));
  return success();
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

namespace {
template <ElementOf element>
struct Inference : InferTypeOpInterface::FallbackModel<Inference<element>> {
  static LogicalResult inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &results) {
    return inferElementwise(location, operands.getTypes(), element, results);
  }
  static LogicalResult
  refineReturnTypes(MLIRContext *context, std::optional<Location> location,
                    ValueRange operands, DictionaryAttr attributes,
                    OpaqueProperties properties, RegionRange regions,
                    SmallVectorImpl<Type> &results) {
    return inferReturnTypes(context, location, operands, attributes, properties,
                            regions, results);
  }
  /// A result may be larger than its operands together; the verifier says when.
  static bool isCompatibleReturnTypes(TypeRange, TypeRange) { return true; }
};
} // namespace

void graph::attachTypeInference(MLIRContext *context) {
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    if (!name.hasInterface<ElementwiseOpInterface>())
      continue;
    StringRef op = name.getStringRef();
    if (name.getDialectNamespace() != GraphDialect::getDialectNamespace())
      continue;
    // The target type of a conversion is not in its operands.
    if (op == ConvertOp::getOperationName() ||
        op == BitcastOp::getOperationName())
      continue;
    if (op == SelectOp::getOperationName())
      name.attachInterface<Inference<kSecond>>();
    else if (op == SpecialOp::getOperationName() ||
             name.hasTrait<OpTrait::SameOperandsAndResultElementType>())
      name.attachInterface<Inference<kFirst>>();
    else // Comparisons and predicates.
      name.attachInterface<Inference<kBool>>();
  }
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

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
