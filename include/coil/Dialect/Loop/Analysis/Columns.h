//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How blocks of threads take the rows of a kernel whose columns they
// accumulate. Fusion decides with it whether there is such a kernel and how
// many rows a chunk has; the schedule's selector cuts the rows by it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_COLUMNS_H
#define COIL_DIALECT_LOOP_ANALYSIS_COLUMNS_H

#include "coil/Dialect/Loop/IR/Loop.h"

#include <optional>

namespace coil::loop {

/// What a multiprocessor holds.
struct ProcessorLimits {
  int64_t registers, blockThreads, threads, warp;
};

struct ColumnTile {
  /// Threads of a row, rows that a block has at a time, and blocks that a
  /// multiprocessor has registers for.
  int64_t threads, rows, blocks;
  /// Registers of a thread.
  int64_t registers;
};

/// Words that a thread keeps of each column of its own: what it accumulates,
/// and what it loads of a row. `columns`: the dimensions of a row.
int64_t countColumnWords(KernelOp kernel, llvm::ArrayRef<unsigned> columns);

/// The tile for rows of `length` elements, at most, of which each takes `words`
/// registers; nothing if a block has not enough of them.
std::optional<ColumnTile> getColumnTile(int64_t length, int64_t words,
                                        const ProcessorLimits &limits);

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_COLUMNS_H
