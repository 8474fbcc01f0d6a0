//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting, which the models of two dialects share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_SORTELEMENTS_H
#define COIL_LIB_REFERENCE_SORTELEMENTS_H

#include "coil/Reference/Interpreter.h"

namespace coil::reference {

/// The first `count` elements of `input` in order along `dim`, and their
/// positions. NaN counts as the largest; equal elements keep
/// their order.
mlir::LogicalResult sortElements(mlir::Operation *op, Frame &frame,
                                 const Tensor &input, int64_t dim,
                                 bool descending, int64_t count,
                                 llvm::SmallVectorImpl<Tensor> &results);

/// As many elements as the results of `op` have.
mlir::LogicalResult sortElements(mlir::Operation *op, Frame &frame,
                                 const Tensor &input, int64_t dim,
                                 bool descending,
                                 llvm::SmallVectorImpl<Tensor> &results);

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_SORTELEMENTS_H
