//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds `graph` ops with inferred result types: what legalisation and
// decomposition are written in.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_TENSORBUILDER_H
#define COIL_DIALECT_GRAPH_IR_TENSORBUILDER_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"

namespace coil::graph {

/// Converts a number (integer, bool or float attribute) to an attribute of a
/// graph element type, as the framework converts a scalar.
mlir::TypedAttr convertScalar(mlir::Attribute value, mlir::Type elementType);

/// `f32` for narrower floats, else the type itself: the type to use between
/// the operators of a computation that the framework rounds once.
mlir::Type getAccumulationType(mlir::Type elementType);

class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }

  /// \name Creation
  /// @{
  /// A tensor of rank zero.
  mlir::Value scalar(double value, mlir::Type elementType);
  mlir::Value scalar(mlir::TypedAttr value);
  mlir::Value full(mlir::TypedAttr value, SizesRef sizes);
  mlir::Value expr(sym::ExprAttr expr, mlir::Type elementType);
  mlir::Value iota(int64_t start, int64_t step, sym::ExprAttr size);
  sym::ExprAttr size(int64_t value);
  /// @}

  /// \name Elementwise
  /// Operands broadcast. Where sizes are equal only at run time, an assertion
  /// states so.
  /// @{
  template <typename OpTy>
  mlir::Value unary(mlir::Value x, bool predicate = false) {
    mlir::Type type =
        predicate ? builder.getI1Type() : graph::getElementType(x);
    return OpTy::create(builder, loc, sym::getTensorType(getSizes(x), type), x);
  }
  template <typename OpTy>
  mlir::Value binary(mlir::Value x, mlir::Value y) {
    mlir::Value operands[] = {x, y};
    Sizes sizes = unifySizes(operands);
    return OpTy::create(builder, loc,
                        sym::getTensorType(sizes, graph::getElementType(x)),
                        operands[0], operands[1]);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return binary<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return binary<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return binary<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return binary<DivOp>(x, y); }
  mlir::Value compare(ComparePredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value convert(mlir::Value x, mlir::Type elementType);
  mlir::Value special(loop::SpecialFunction function, mlir::ValueRange args);
  mlir::Value logicalNot(mlir::Value x) { return unary<BitwiseNotOp>(x); }
  /// @}

  /// \name Views and copies
  /// @{
  mlir::Value reshape(mlir::Value x, SizesRef sizes);
  mlir::Value permute(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value transpose(mlir::Value x, int64_t a, int64_t b);
  mlir::Value broadcast(mlir::Value x, SizesRef sizes);
  /// `count` elements of dimension `dim` from `start`.
  mlir::Value slice(mlir::Value x, int64_t dim, sym::ExprAttr start,
                    sym::ExprAttr count, int64_t step = 1);
  /// The sub-tensor at a position of `dim`, without that dimension.
  mlir::Value at(mlir::Value x, int64_t dim, sym::ExprAttr position);
  mlir::Value unsqueeze(mlir::Value x, int64_t dim);
  mlir::Value cat(mlir::ValueRange inputs, int64_t dim);
  mlir::Value pad(mlir::Value x, llvm::ArrayRef<int64_t> low,
                  llvm::ArrayRef<int64_t> high, mlir::TypedAttr value);
  mlir::Value index(mlir::Value x, mlir::ValueRange indices,
                    llvm::ArrayRef<int64_t> dims);
  /// `x` with the given sizes, which it is known to have at run time.
  mlir::Value castSizes(mlir::Value x, SizesRef sizes);
  /// @}

  /// \name Reductions and contractions
  /// @{
  mlir::Value reduce(ReduceKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool keepdims,
                     bool tf32 = false);
  /// Elements of `x` along `dims`.
  sym::ExprAttr count(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// Sum over `dims` divided by the number of elements. `x` is a float.
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> dims, bool keepdims);
  /// Mean over `dims` and sum of squared deviations from it, `f32` or `f64`.
  std::pair<mlir::Value, mlir::Value>
  moments(mlir::Value x, llvm::ArrayRef<int64_t> dims, bool keepdims);
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, mlir::Value bias = {},
                     bool tf32 = false);
  /// `softmax` over one dimension, in the element type of `x`.
  mlir::Value softmax(mlir::Value x, int64_t dim);
  /// @}

private:
  /// Broadcasts the operands' sizes and casts operands whose sizes are not
  /// recognisably the broadcast ones.
  Sizes unifySizes(llvm::MutableArrayRef<mlir::Value> operands);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_IR_TENSORBUILDER_H
