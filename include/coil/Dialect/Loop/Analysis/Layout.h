//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of tensors are: what inputs and results of a function
// have to be like, views, and what follows for the operands of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_LAYOUT_H
#define COIL_DIALECT_LOOP_ANALYSIS_LAYOUT_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Sym/IR/Expr.h"

#include <optional>

namespace coil::loop {

/// Where the elements of a tensor value are, seen from its first element.
/// Strides count elements.
struct Layout {
  llvm::SmallVector<sym::ExprAttr> sizes;
  llvm::SmallVector<sym::ExprAttr> strides;
};

/// The layout that `convert-loop-to-wrapper` gives to a value: that of the
/// attribute `coil.strides` of an argument or a result, that of a view whose
/// elements are evenly spaced, or else row-major and contiguous.
Layout getLayout(mlir::Value value);

/// The strides and the offset of a view, when its elements are evenly spaced
/// in an operand with the strides `input`; nothing otherwise.
struct StridedView {
  llvm::SmallVector<sym::ExprAttr> strides;
  sym::ExprAttr offset;
};
std::optional<StridedView> getStridedView(ViewOp view,
                                          llvm::ArrayRef<sym::ExprAttr> input);

/// Splits an address into one coefficient per dimension and an offset, or
/// returns nothing when it is not linear in the first `rank` dimensions.
std::optional<StridedView> getLinearAddress(sym::ExprAttr address,
                                            unsigned rank);

/// Whether strides are those of a tensor without gaps, in some order of its
/// dimensions.
bool isDense(llvm::ArrayRef<sym::ExprAttr> sizes,
             llvm::ArrayRef<sym::ExprAttr> strides);

/// The strides that a kernel's result takes because the function returns it, or
/// a permutation of its dimensions, with the strides of the attribute
/// `coil.strides` or contiguous, and nothing else reads it; else nothing: it is
/// contiguous.
llvm::SmallVector<sym::ExprAttr> getReturnedStrides(mlir::OpResult value);

/// The strides of what a load or scatter of `kernel` calls `tensor`, a block
/// argument, or of a result of `kernel`.
llvm::SmallVector<sym::ExprAttr> getOperandStrides(KernelOp kernel,
                                                   mlir::Value tensor);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_LAYOUT_H
