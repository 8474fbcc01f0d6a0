//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of reductions down columns whose elements lie along the columns:
// what neighbouring threads need of them is far apart, so blocks bring their
// columns into shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_STAGEDCOLUMNS_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_STAGEDCOLUMNS_H

#include "VectorForm.h"
#include "coil/Dialect/Loop/Analysis/StagedColumns.h"

namespace coil::loop {

/// Loads of elements that are apart from each other along `vectorDim`, and next
/// to each other along the one dimension that is `reduced`.
llvm::SmallVector<LoadOp> findColumnLoads(KernelOp kernel,
                                          const GPUKernelLayout &layout,
                                          int64_t vectorDim,
                                          const llvm::SmallBitVector &reduced);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_STAGEDCOLUMNS_H
