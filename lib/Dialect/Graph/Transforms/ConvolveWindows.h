//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What convolutions and their gradients are made of: `graph.conv`, and matrix
// products where that does not describe them: of integers, and with kernels,
// strides, paddings, dilations or groups that are symbols.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_GRAPH_TRANSFORMS_CONVOLVEWINDOWS_H
#define COIL_LIB_DIALECT_GRAPH_TRANSFORMS_CONVOLVEWINDOWS_H

#include "TensorMath.h"

namespace coil::graph {

/// How the windows of a convolution lie. Numbers may be symbols; there is one
/// for each spatial dimension.
struct ConvGeometry {
  Sizes stride, padding, dilation;
  sym::ExprAttr groups;
  bool isTransposed = false;
};

/// A convolution, or a transposed one, as a matrix product of the elements of
/// all windows with the weight, for each group. Operands have their batch, and
/// `out` are the sizes of the result. Whether channels fit is checked by the
/// run where it is not known before.
mlir::Value convolveWindows(TensorBuilder &b, mlir::Value input,
                            mlir::Value weight, const ConvGeometry &geometry,
                            SizesRef out);

/// The elements of all windows of a convolution, `[n, c, windows, kernel,
/// windows, kernel, ...]`; zeros where a window reaches beyond the input.
mlir::Value gatherElements(TensorBuilder &b, mlir::Value input,
                           const ConvGeometry &geometry, SizesRef windows,
                           SizesRef kernel);

/// `graph.conv`. The bias is an operator of its own where that rounds nothing
/// more: it then fuses with whatever follows.
mlir::Value convolve(TensorBuilder &b, mlir::Value input, mlir::Value weight,
                     mlir::Value bias, const Window &window, int64_t groups);

/// A transposed convolution as a convolution. The kernel's sizes are constants,
/// and channels are known to fit. Nothing where the geometry is invalid.
std::optional<mlir::Value>
convolveTransposed(TensorBuilder &b, mlir::Value input, mlir::Value weight,
                   mlir::Value bias, const Window &window,
                   llvm::ArrayRef<int64_t> outputPadding, int64_t groups);

/// The number of groups of a call, one where it has none. At least one.
mlir::FailureOr<sym::ExprAttr> readGroups(AtenCall &c);

/// Whether it is known that `channels`, those of the operand of a convolution,
/// fit its weight, and that groups divide them.
bool haveKnownGroups(sym::ExprAttr channels, mlir::Value weight,
                     sym::ExprAttr groups, bool isTransposed);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_CONVOLVEWINDOWS_H
