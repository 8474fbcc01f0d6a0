//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments of calls of functions by name, as an array attribute: what is no
// SSA value stands for itself, what is one is a placeholder.
//
// | element | argument |
// |---|---|
// | `unit` | the next operand, in order through nested lists |
// | `none` (as a type) | an optional argument, or element, that is absent |
// | `#sym.expr` | an integer |
// | float of 64 bits, bool, string | itself |
// | a type | an element type |
// | an array | a list of any of these |
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_CALLARGUMENTS_H
#define COIL_DIALECT_SYM_IR_CALLARGUMENTS_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace coil {

/// The argument that is absent.
mlir::Attribute getNoneArgument(mlir::MLIRContext *context);
bool isNoneArgument(mlir::Attribute argument);

/// Parses and prints `(%x, none, <s0>, [%y, none], 1.0, true, "text", f32)`, as
/// a custom directive of an op's assembly format.
mlir::ParseResult parseCallArguments(
    mlir::OpAsmParser &parser, mlir::ArrayAttr &arguments,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printCallArguments(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::ArrayAttr arguments, mlir::ValueRange operands);

/// Checks that arguments are of the kinds above, with a placeholder for each of
/// `numOperands`, that `names`, which may be null, has a name for each, and
/// that expressions mention symbols only.
mlir::LogicalResult verifyCallArguments(mlir::Operation *op,
                                        mlir::ArrayAttr arguments,
                                        mlir::ArrayAttr names,
                                        size_t numOperands);

} // namespace coil

#endif // COIL_DIALECT_SYM_IR_CALLARGUMENTS_H
