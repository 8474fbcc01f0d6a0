//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pattern families of the recognition, and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LINALGTOGRAPH_RAISE_H
#define COIL_LIB_CONVERSION_LINALGTOGRAPH_RAISE_H

#include "coil/Dialect/Graph/IR/TensorBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace coil::bridge {

/// A sum of products of the elements of two operands, as a structured operation
/// on tensors makes it.
struct ProductSum {
  mlir::OpOperand *lhs, *rhs, *init;
  /// Whether an integer factor is extended with zeros.
  bool isUnsigned = false;
};

/// Nothing where `op` computes anything else, and where a type or a size has no
/// form in `graph`.
std::optional<ProductSum> matchProductSum(mlir::linalg::LinalgOp op);

/// The element types that the factors and the result of a product of `graph`
/// have for those of a structured operation; nothing where it has none.
struct ProductTypes {
  mlir::Type factor, result;
};
std::optional<ProductTypes> getProductTypes(const ProductSum &sum);

/// `value`, of the type of `ProductTypes`, onto the initial value of the sum,
/// in the element type of the operation's result.
mlir::Value addInit(graph::TensorBuilder &b, const ProductSum &sum,
                    mlir::Value value);

/// The positions of loops in the results of a map that only permutes them;
/// nothing for other maps.
std::optional<llvm::SmallVector<unsigned>> getLoops(mlir::AffineMap map);

/// Permutes a tensor whose dimensions are the loops `from` to those in `to`.
mlir::Value permuteTo(graph::TensorBuilder &b, mlir::Value x,
                      llvm::ArrayRef<unsigned> from,
                      llvm::ArrayRef<unsigned> to);

void populateRaiseContractionPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseConvolutionPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseSoftmaxPatterns(mlir::RewritePatternSet &patterns);

} // namespace coil::bridge

#endif // COIL_LIB_CONVERSION_LINALGTOGRAPH_RAISE_H
