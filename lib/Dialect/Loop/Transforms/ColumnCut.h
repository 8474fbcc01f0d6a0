//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reduces over rows, as one that accumulates chunks of rows and
// one that reduces the chunks.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNCUT_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNCUT_H

#include "coil/Dialect/Loop/IR/Loop.h"

#include <string>

namespace coil::loop {

/// Whether the reductions of `kernel` can be accumulated: they are sums,
/// products or the like, none needs another, and what varies along rows needs
/// none. `why` says why not.
bool canCutColumns(KernelOp kernel, std::string &why);

/// What replaces a kernel that reduces over rows.
struct ColumnCut {
  /// Accumulates chunks of rows, and stores what the kernel stored of points.
  KernelOp partial;
  /// Reduces the chunks, and does what follows.
  KernelOp rest;
};

/// Replaces `kernel`, for which `canCutColumns`. The partial kernel runs over
/// the space of `like`, in which dimension d of the kernel is `dims[d]`, and
/// has chunks of `rows` rows.
ColumnCut cutColumns(KernelOp kernel, KernelOp like,
                     llvm::ArrayRef<unsigned> dims, int64_t rows);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_COLUMNCUT_H
