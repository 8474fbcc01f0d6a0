//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types of results of elementwise operators: their inference, and the format of
// types, in which one that can be inferred may be left out.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_IR_ELEMENTWISETYPES_H
#define COIL_LIB_DIALECT_GRAPH_IR_ELEMENTWISETYPES_H

#include "coil/Dialect/Graph/IR/Graph.h"

namespace coil::graph {

/// Gives the elementwise operators of the dialect, whose operands say what the
/// result is, MLIR's InferTypeOpInterface. It is attached here instead of being
/// a trait in ODS: the verifier of the trait would infer types of each operator
/// whenever a module is verified, only to find less than the operator's own.
void attachTypeInference(mlir::MLIRContext *context);

/// The types of operators in text: those of all operands and of the result, or
/// one for all operands, from which that of the result is inferred.
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

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_IR_ELEMENTWISETYPES_H
