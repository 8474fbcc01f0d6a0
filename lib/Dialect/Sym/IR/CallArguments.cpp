//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and checks of the arguments of calls of functions by name.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Sym/IR/CallArguments.h"

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace coil;
using sym::ExprAttr;

Attribute coil::getNoneArgument(MLIRContext *context) {
  return TypeAttr::get(NoneType::get(context));
}

bool coil::isNoneArgument(Attribute argument) {
  auto type = dyn_cast<TypeAttr>(argument);
  return type && isa<NoneType>(type.getValue());
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

static ParseResult parseArgument(OpAsmParser &parser, Attribute &argument,
                                 Operands &operands) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    operands.push_back(operand);
    argument = UnitAttr::get(parser.getContext());
    return *isOperand;
  }
  if (succeeded(parser.parseOptionalLess())) {
    ExprAttr number;
    if (sym::parseExpr(parser, number) || parser.parseGreater())
      return failure();
    argument = number;
    return success();
  }
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<Attribute> elements;
    if (failed(parser.parseOptionalRSquare())) {
      if (parser.parseCommaSeparatedList([&] {
            return parseArgument(parser, elements.emplace_back(), operands);
          }) ||
          parser.parseRSquare())
        return failure();
    }
    argument = ArrayAttr::get(parser.getContext(), elements);
    return success();
  }
  return parser.parseAttribute(argument);
}

ParseResult coil::parseCallArguments(OpAsmParser &parser, ArrayAttr &arguments,
                                     Operands &operands) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseArgument(parser, list.emplace_back(), operands);
      }))
    return failure();
  arguments = ArrayAttr::get(parser.getContext(), list);
  return success();
}

static void printArgument(OpAsmPrinter &printer, Attribute argument,
                          ValueRange &operands) {
  if (isa<UnitAttr>(argument)) {
    // What the verifier refuses is printed all the same.
    if (operands.empty()) {
      printer << "unit";
      return;
    }
    printer << operands.front();
    operands = operands.drop_front();
  } else if (auto number = dyn_cast<ExprAttr>(argument)) {
    printer << '<';
    number.printExpr(printer.getStream());
    printer << '>';
  } else if (auto list = dyn_cast<ArrayAttr>(argument)) {
    printer << '[';
    llvm::interleaveComma(list, printer, [&](Attribute element) {
      printArgument(printer, element, operands);
    });
    printer << ']';
  } else {
    // Floats have one type.
    printer.printAttributeWithoutType(argument);
  }
}

void coil::printCallArguments(OpAsmPrinter &printer, Operation *,
                              ArrayAttr arguments, ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(arguments, printer, [&](Attribute argument) {
    printArgument(printer, argument, operands);
  });
  printer << ')';
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static LogicalResult verifyArgument(Operation *op, Attribute argument,
                                    size_t &numPlaceholders) {
  if (isa<UnitAttr>(argument)) {
    ++numPlaceholders;
    return success();
  }
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      if (failed(verifyArgument(op, element, numPlaceholders)))
        return failure();
    return success();
  }
  if (auto number = dyn_cast<ExprAttr>(argument)) {
    bool onlySymbols = true;
    sym::walkLeaves(number,
                    [&](ExprAttr leaf) { onlySymbols &= leaf.isSymbol(); });
    if (!onlySymbols)
      return op->emitOpError() << "argument '" << number.str()
                               << "' mentions a dimension or an indirect index";
    return success();
  }
  auto number = dyn_cast<FloatAttr>(argument);
  if (isa<BoolAttr, StringAttr, TypeAttr>(argument) ||
      (number && number.getType().isF64()))
    return success();
  return op->emitOpError() << "cannot pass " << argument
                           << " as an argument; integers are written <n>";
}

LogicalResult coil::verifyCallArguments(Operation *op, ArrayAttr arguments,
                                        ArrayAttr names, size_t numOperands) {
  size_t numPlaceholders = 0;
  for (Attribute argument : arguments)
    if (failed(verifyArgument(op, argument, numPlaceholders)))
      return failure();
  if (numPlaceholders != numOperands)
    return op->emitOpError() << "has " << numOperands << " operands but "
                             << numPlaceholders << " placeholders for them";
  if (names && names.size() != arguments.size())
    return op->emitOpError() << "has " << arguments.size() << " arguments but "
                             << names.size() << " names for them";
  return success();
}
