//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of index arithmetic as expressions over symbols.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_TRANSFORMS_INDEXVALUES_H
#define COIL_DIALECT_SYM_TRANSFORMS_INDEXVALUES_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

namespace coil::sym {

/// Computes integers of a function as expressions: constants, sizes of tensors
/// (`tensor.dim`), and `arith` and `affine` operations on them.
class IndexValues {
public:
  /// The size of a tensor along a dimension; null if it is unknown.
  using SizeFn = llvm::function_ref<ExprAttr(mlir::Value tensor, int64_t dim)>;
  /// The expression of a value that the caller knows, such as the position in
  /// a loop; null for others.
  using LeafFn = llvm::function_ref<ExprAttr(mlir::Value value)>;

  /// Null where the value is none of these. Divisions count only where
  /// `context` proves that dividend and divisor are not negative, since sizes
  /// and indices divide toward minus infinity.
  static ExprAttr evaluate(mlir::Value value, const Context &context,
                           SizeFn size, LeafFn leaf);
  static ExprAttr evaluate(mlir::OpFoldResult value, mlir::MLIRContext *ctx,
                           const Context &context, SizeFn size, LeafFn leaf);
};

/// `expr` with `operands` instead of its dimensions and then its symbols.
/// Null where one that occurs is null.
ExprAttr fromAffine(mlir::AffineExpr expr, unsigned numDims,
                    llvm::ArrayRef<ExprAttr> operands);

/// The size of a tensor as its type has it; null for a dynamic one without an
/// expression.
ExprAttr getTypeSize(mlir::Value tensor, int64_t dim);

} // namespace coil::sym

#endif // COIL_DIALECT_SYM_TRANSFORMS_INDEXVALUES_H
