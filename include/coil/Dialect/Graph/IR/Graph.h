//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPH_H
#define COIL_DIALECT_GRAPH_IR_GRAPH_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/CallArguments.h"
#include "coil/Dialect/Sym/IR/Sym.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "coil/Dialect/Graph/IR/GraphDialect.h.inc"
#include "coil/Dialect/Graph/IR/GraphEnums.h.inc"
#include "coil/Dialect/Graph/IR/GraphInterfaces.h.inc"

namespace coil::graph {

/// True when `type` is a ranked tensor and every dynamic dimension of it has a
/// size expression.
bool hasSizes(mlir::Type type);

/// Checks what holds for all elementwise operators: the operands broadcast to
/// the result.
mlir::LogicalResult verifyElementwise(mlir::Operation *op);

/// Which element type the result of an elementwise operator has: that of an
/// operand, or `i1`.
enum ElementOf : int { kFirst = 0, kSecond = 1, kBool = -1 };

/// Infers the type of the result: the operands' sizes, broadcast. Fails, with a
/// message if there is a location, for operands that are no tensors with sizes
/// or do not broadcast.
mlir::LogicalResult
inferElementwise(std::optional<mlir::Location> location,
                 mlir::TypeRange operands, ElementOf element,
                 llvm::SmallVectorImpl<mlir::Type> &results);

/// The types of an elementwise operator as part of a format: those of all
/// operands and of the result, or one for all operands, from which that of the
/// result is inferred.
/// @{
mlir::ParseResult parseUnaryTypes(mlir::OpAsmParser &parser, mlir::Type &input,
                                  mlir::Type &result);
mlir::ParseResult parsePredicateTypes(mlir::OpAsmParser &parser,
                                      mlir::Type &input, mlir::Type &result);
mlir::ParseResult parseBinaryTypes(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                   mlir::Type &rhs, mlir::Type &result);
mlir::ParseResult parseCompareTypes(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                    mlir::Type &rhs, mlir::Type &result);
inline void printUnaryTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::Type input, mlir::Type result) {
  printer.printFunctionalType(mlir::TypeRange(input), mlir::TypeRange(result));
}
inline void printPredicateTypes(mlir::OpAsmPrinter &printer,
                                mlir::Operation *op, mlir::Type input,
                                mlir::Type result) {
  printUnaryTypes(printer, op, input, result);
}
inline void printBinaryTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                             mlir::Type lhs, mlir::Type rhs,
                             mlir::Type result) {
  mlir::Type operands[] = {lhs, rhs};
  printer.printFunctionalType(mlir::TypeRange(operands),
                              mlir::TypeRange(result));
}
inline void printCompareTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                              mlir::Type lhs, mlir::Type rhs,
                              mlir::Type result) {
  printBinaryTypes(printer, op, lhs, rhs, result);
}
/// @}

/// Whether elements of type `type` have a reduction of this kind.
bool isReducible(ReduceKind kind, mlir::Type type);

/// Result types that are those of the operands, as part of a format.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser,
                                 llvm::ArrayRef<mlir::Type> operands,
                                 llvm::SmallVectorImpl<mlir::Type> &results);
inline void printSameTypes(mlir::OpAsmPrinter &, mlir::Operation *,
                           mlir::TypeRange, mlir::TypeRange) {}

} // namespace coil::graph

#define GET_OP_CLASSES
#include "coil/Dialect/Graph/IR/GraphOps.h.inc"

#endif // COIL_DIALECT_GRAPH_IR_GRAPH_H
