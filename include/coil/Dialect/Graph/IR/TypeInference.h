//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbolic shape inference of `graph` operators as free functions, shared by
// builders, verifiers and legalisation.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_TYPEINFERENCE_H
#define COIL_DIALECT_GRAPH_IR_TYPEINFERENCE_H

#include "coil/Dialect/Sym/IR/Expr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace coil::graph {

using Sizes = llvm::SmallVector<sym::ExprAttr>;
using SizesRef = llvm::ArrayRef<sym::ExprAttr>;

/// `[n, spatial..., c]` as `[n, c, spatial...]`, and the other way.
template <typename T>
llvm::SmallVector<T> toChannelsFirst(llvm::ArrayRef<T> list) {
  llvm::SmallVector<T> result(list.drop_back());
  result.insert(result.begin() + 1, list.back());
  return result;
}
template <typename T>
llvm::SmallVector<T> toChannelsLast(llvm::ArrayRef<T> list) {
  llvm::SmallVector<T> result(list);
  result.erase(result.begin() + 1);
  result.push_back(list[1]);
  return result;
}

/// Starts the diagnostic of a failed inference; null to fail silently.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Sizes of a tensor-typed value.
Sizes getSizes(mlir::Value tensor);
/// True when a dimension of a tensor-typed value has size zero.
bool hasNoElements(mlir::Value tensor);
/// Element type of a tensor-typed value.
mlir::Type getElementType(mlir::Value tensor);
/// True when `a` and `b` differ for all values of their symbols.
bool provablyDiffer(sym::ExprAttr a, sym::ExprAttr b);

/// The NumPy broadcast of shapes. Of two sizes that are neither equal nor one,
/// a constant wins over a symbolic one, and the first over the second.
mlir::FailureOr<Sizes> broadcastSizes(llvm::ArrayRef<Sizes> shapes,
                                      EmitError emitError = nullptr);
/// Checks that `from` broadcasts to `to`: sizes are equal or one.
mlir::LogicalResult verifyBroadcast(SizesRef from, SizesRef to,
                                    EmitError emitError);

mlir::FailureOr<Sizes> inferReduce(SizesRef input, llvm::ArrayRef<int64_t> dims,
                                   bool keepdims,
                                   EmitError emitError = nullptr);
mlir::FailureOr<Sizes> inferMatmul(SizesRef lhs, SizesRef rhs,
                                   EmitError emitError = nullptr);

/// Geometry of a window that slides over spatial dimensions.
struct Window {
  llvm::ArrayRef<int64_t> stride, padding, dilation;
};
mlir::FailureOr<Sizes> inferConv(SizesRef input, SizesRef weight,
                                 const Window &window, int64_t groups,
                                 EmitError emitError = nullptr);
/// Number of windows along one dimension. In ceiling mode the last window may
/// reach beyond the padding but starts inside input or left padding.
sym::ExprAttr inferWindowCount(sym::ExprAttr size, int64_t kernel,
                               int64_t stride, int64_t padding,
                               int64_t dilation, bool ceilMode);
mlir::FailureOr<Sizes> inferPermute(SizesRef input,
                                    llvm::ArrayRef<int64_t> permutation,
                                    EmitError emitError = nullptr);
mlir::FailureOr<Sizes> inferCat(llvm::ArrayRef<Sizes> inputs, int64_t dim,
                                EmitError emitError = nullptr);
mlir::FailureOr<Sizes> inferPad(SizesRef input, llvm::ArrayRef<int64_t> low,
                                llvm::ArrayRef<int64_t> high,
                                EmitError emitError = nullptr);
mlir::FailureOr<Sizes> inferIndex(SizesRef input, llvm::ArrayRef<Sizes> indices,
                                  llvm::ArrayRef<int64_t> dims,
                                  EmitError emitError = nullptr);

/// Reports sizes of `type` that are not the expected ones.
mlir::LogicalResult verifySizes(mlir::Type type, SizesRef expected,
                                EmitError emitError);
/// Prints `[s0, 4]`.
std::string toString(SizesRef sizes);

} // namespace coil::graph

#endif // COIL_DIALECT_GRAPH_IR_TYPEINFERENCE_H
