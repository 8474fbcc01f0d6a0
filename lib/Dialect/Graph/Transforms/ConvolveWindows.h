//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions that `graph.conv` does not describe: of integers, and with
// kernels, strides, paddings or dilations that are symbols.
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
  int64_t groups = 1;
  bool isTransposed = false;
};

/// A convolution, or a transposed one, as a matrix product of the elements of
/// all windows with the weight, for each group. Operands have their batch, and
/// `out` are the sizes of the result. Whether channels fit is checked by the
/// run where it is not known before.
mlir::Value convolveWindows(TensorBuilder &b, mlir::Value input,
                            mlir::Value weight, const ConvGeometry &geometry,
                            SizesRef out);

} // namespace coil::graph

#endif // COIL_LIB_DIALECT_GRAPH_TRANSFORMS_CONVOLVEWINDOWS_H
