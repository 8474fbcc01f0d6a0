//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The helper with which elementwise operators spell their scalar computation,
// and the entry point for lowerings.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_SCALARBUILDER_H
#define COIL_DIALECT_GRAPH_IR_SCALARBUILDER_H

#include "coil/Dialect/Graph/IR/Graph.h"

namespace coil::graph {

/// The type in which the loop level computes with elements of a graph tensor:
/// integers become signless, `f16` and `bf16` become `f32`.
mlir::Type getComputeType(mlir::Type elementType);

/// Builds the scalar computation of `op` on `args`, which have the loop
/// level's types of the operands' elements (`loop::getScalarType`), and so has
/// the result: `f16` and `bf16` are computed in `f32` and rounded once.
mlir::Value buildElementwiseScalar(ElementwiseOpInterface op,
                                   mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::ValueRange args);

/// The index of a broadcast operand at the result's position: dimensions of
/// size one are at zero, missing leading dimensions are dropped.
llvm::SmallVector<sym::ExprAttr>
getBroadcastIndex(llvm::ArrayRef<sym::ExprAttr> sizes,
                  llvm::ArrayRef<sym::ExprAttr> position);

/// Builds the kernel that computes an elementwise operator: a point for each
/// element of the result, which loads the (broadcast) operands. An operand that
/// is used twice is one input.
loop::KernelOp buildElementwiseKernel(ElementwiseOpInterface op,
                                      mlir::OpBuilder &builder);

/// Builds scalar arithmetic with the framework's semantics for each kind of
/// element: float, signed or unsigned integer, bool. No operation traps or is
/// undefined for any value: integers wrap, and dividing an integer by zero
/// gives zero.
class ScalarBuilder {
public:
  /// The element type of the first operand decides between the kinds.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::TypeRange operandTypes);
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Type elementType)
      : builder(builder), loc(loc), elementType(elementType) {}

  mlir::Type type() const { return elementType; }

  mlir::Value constant(double value);
  mlir::Value zero() { return constant(0); }
  mlir::Value one() { return constant(1); }

  template <typename OpTy>
  mlir::Value unary(mlir::Value x) {
    return OpTy::create(builder, loc, x);
  }
  template <typename OpTy>
  mlir::Value binary(mlir::Value x, mlir::Value y) {
    return OpTy::create(builder, loc, x, y);
  }

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value truncDiv(mlir::Value x, mlir::Value y);
  mlir::Value floorDiv(mlir::Value x, mlir::Value y);
  mlir::Value fmod(mlir::Value x, mlir::Value y);
  mlir::Value remainder(mlir::Value x, mlir::Value y);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  mlir::Value maximum(mlir::Value x, mlir::Value y);
  mlir::Value minimum(mlir::Value x, mlir::Value y);
  mlir::Value hypot(mlir::Value x, mlir::Value y);
  mlir::Value atan2(mlir::Value x, mlir::Value y);
  mlir::Value shiftLeft(mlir::Value x, mlir::Value y);
  mlir::Value shiftRight(mlir::Value x, mlir::Value y);

  mlir::Value abs(mlir::Value x);
  mlir::Value neg(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  mlir::Value bitwiseNot(mlir::Value x);
  mlir::Value isNan(mlir::Value x);
  mlir::Value isInf(mlir::Value x);
  mlir::Value signBit(mlir::Value x);

  mlir::Value compare(ComparePredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// Converts `x` from `type()` to the graph element type `to`.
  mlir::Value convert(mlir::Value x, mlir::Type to);
  mlir::Value bitcast(mlir::Value x, mlir::Type to);
  mlir::Value special(loop::SpecialFunction function, mlir::ValueRange args);

private:
  bool isFloat() const { return llvm::isa<mlir::FloatType>(elementType); }
  bool isBool() const { return elementType.isInteger(1); }
  bool isUnsigned() const {
    return elementType.isUnsignedInteger() || isBool();
  }
  unsigned width() const { return elementType.getIntOrFloatBitWidth(); }
  mlir::Value constantOf(mlir::Type scalarType, double value);
  mlir::Value intConstant(const llvm::APInt &value);

  /// Quotient rounded toward zero and remainder of integers, both zero when
  /// the divisor is zero; `-x` and zero when it is minus one.
  struct DivRem {
    mlir::Value quotient, remainder, divisorIsZero;
  };
  DivRem divRem(mlir::Value x, mlir::Value y);
  /// True when the integer or float remainder has to be moved to the
  /// divisor's sign: it is not zero, and their signs differ.
  mlir::Value needsFloor(mlir::Value remainder, mlir::Value divisor);
  mlir::Value floatToInt(mlir::Value x, mlir::IntegerType to);
  mlir::Value nextAfter(mlir::Value x, mlir::Value y);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type elementType;
};

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_IR_SCALARBUILDER_H
