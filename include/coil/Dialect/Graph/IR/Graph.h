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
