//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the `loop` dialect and helpers on its types.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOP_H
#define COIL_DIALECT_LOOP_IR_LOOP_H

#include "coil/Dialect/Sym/IR/Sym.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

#include "coil/Dialect/Loop/IR/LoopDialect.h.inc"
#include "coil/Dialect/Loop/IR/LoopEnums.h.inc"
#include "coil/Dialect/Loop/IR/LoopInterfaces.h.inc"
#include "coil/Dialect/Loop/IR/LoopOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "coil/Dialect/Loop/IR/LoopAttributes.h.inc"

namespace coil::loop {

/// Bytes that runtimes of devices promise storage to begin at a multiple of.
inline constexpr int64_t kStorageAlignment = 16;

/// The attribute of a function's argument that begins at a multiple of fewer
/// bytes.
inline constexpr llvm::StringLiteral kAlignmentAttrName = "coil.alignment";

class StoreOp;
} // namespace coil::loop

#define GET_OP_CLASSES
#include "coil/Dialect/Loop/IR/LoopOps.h.inc"

namespace coil::loop {

/// The type that scalars of element type `type` have in a body: unsigned
/// integers become signless.
mlir::Type getScalarType(mlir::Type type);

/// The element that changes no combination of `kind`, of scalar type `type`.
mlir::TypedAttr getNeutralElement(ReduceKind kind, mlir::Type type);

/// Whether `op` is a reduction: combines values of the points of dimensions to
/// one. Each of its results belongs to the operand of the same number.
bool isReduction(mlir::Operation *op);

/// What operand `i` of a reduction is where a point takes no part.
mlir::TypedAttr getNeutralOperand(mlir::Operation *reduction, unsigned i);

/// Number of arguments of a special function.
unsigned getNumArgs(SpecialFunction function);

/// Which dimensions of its kernel each value of a body varies over.
class DimDependence {
public:
  explicit DimDependence(KernelOp kernel);
  /// Bit i is set when `value` varies over dimension i.
  const llvm::SmallBitVector &operator[](mlir::Value value) const;
  /// The dimensions that an index expression mentions.
  llvm::SmallBitVector of(sym::ExprAttr expr) const;
  llvm::SmallBitVector of(llvm::ArrayRef<sym::ExprAttr> exprs) const;

private:
  unsigned numDims;
  llvm::SmallBitVector none;
  llvm::DenseMap<mlir::Value, llvm::SmallBitVector> map;
};

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_IR_LOOP_H
