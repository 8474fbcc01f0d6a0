//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files with reference semantics of `graph` share.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_REFERENCE_GRAPHMODELS_H
#define COIL_LIB_REFERENCE_GRAPHMODELS_H

#include "coil/Dialect/Graph/IR/Graph.h"
#include "coil/Reference/Interpreter.h"

namespace coil::reference {

void registerGraphElementwiseModels(mlir::MLIRContext *context);
void registerGraphReductionModels(mlir::MLIRContext *context);
void registerGraphCallModels(mlir::MLIRContext *context);
void registerGraphControlModels(mlir::MLIRContext *context);
void registerGraphSortModels(mlir::MLIRContext *context);
void registerGraphDataModels(mlir::MLIRContext *context);
void registerGraphRandomModels(mlir::MLIRContext *context);

/// Strides with which a tensor is read at positions of the shape `sizes` that
/// it broadcasts to; a diagnostic at `op` when it does not.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getBroadcastStrides(mlir::Operation *op, const Tensor &tensor,
                    llvm::ArrayRef<int64_t> sizes);

/// `x` and `y` combined by a reduction; not rounded.
Scalar combine(graph::ReduceKind kind, DType dtype, Scalar x, Scalar y);

/// Calls `fn(position, offset)` for all positions of `sizes` in row-major
/// order, where the offset is `start` plus the position times the strides.
template <typename FnT>
void forEachElement(llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides, int64_t start, FnT fn) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  llvm::SmallVector<int64_t> point(sizes.size());
  int64_t offset = start;
  for (int64_t position = 0; position < count; ++position) {
    fn(position, offset);
    for (size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++point[d] < sizes[d])
        break;
      offset -= point[d] * strides[d];
      point[d] = 0;
    }
  }
}

} // namespace coil::reference

#endif // COIL_LIB_REFERENCE_GRAPHMODELS_H
