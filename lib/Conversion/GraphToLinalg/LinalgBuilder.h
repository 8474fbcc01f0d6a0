//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds `linalg` and `tensor` operations with sizes of `graph` types.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_GRAPHTOLINALG_LINALGBUILDER_H
#define COIL_LIB_CONVERSION_GRAPHTOLINALG_LINALGBUILDER_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Dialect/Graph/IR/TypeInference.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace coil::bridge {

using graph::Sizes;

class LinalgBuilder {
public:
  explicit LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(loc, builder) {}

  /// The value of a symbol; the caller sets those that there are.
  llvm::StringMap<mlir::Value> symbols;

  /// The type without expressions and signs: that of other compilers.
  static mlir::RankedTensorType plain(mlir::Type type);
  /// The number that an expression is, as an index or a constant.
  mlir::OpFoldResult size(sym::ExprAttr expr);
  llvm::SmallVector<mlir::OpFoldResult>
  sizes(llvm::ArrayRef<sym::ExprAttr> exprs);
  mlir::Value empty(llvm::ArrayRef<sym::ExprAttr> sizes, mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<sym::ExprAttr> sizes,
                     mlir::TypedAttr value);

  using BodyFn = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  /// A generic operation of one result; `reduced` of the loops are reductions.
  mlir::Value generic(mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, mlir::Value init,
                      llvm::ArrayRef<bool> reduced, BodyFn body);
  /// One over the elements of `init`, of operands that broadcast to it.
  mlir::Value elementwise(mlir::ValueRange inputs,
                          llvm::ArrayRef<Sizes> inputSizes, mlir::Value init,
                          BodyFn body);
  /// `v` in another element type, by extension or rounding.
  mlir::Value convert(mlir::Value v, llvm::ArrayRef<sym::ExprAttr> sizes,
                      mlir::Type element);
  /// The same elements in row-major order, of other sizes.
  mlir::Value reshape(mlir::Value v, llvm::ArrayRef<sym::ExprAttr> from,
                      llvm::ArrayRef<sym::ExprAttr> to);

  mlir::ImplicitLocOpBuilder b;
};

/// The operator as `linalg`; empty where it has no form, with the reason in
/// `why`. `operands` are what its operands have become.
llvm::SmallVector<mlir::Value> lowerOperator(mlir::Operation *op,
                                             mlir::ValueRange operands,
                                             LinalgBuilder &b,
                                             std::string &why);
/// Parts of it, by family; null for an operator of another one.
mlir::Value lowerContraction(mlir::Operation *op, mlir::ValueRange operands,
                             LinalgBuilder &b);
mlir::Value lowerData(mlir::Operation *op, mlir::ValueRange operands,
                      LinalgBuilder &b);

} // namespace coil::bridge

#endif // COIL_LIB_CONVERSION_GRAPHTOLINALG_LINALGBUILDER_H
