//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What blocks of threads keep in shared memory of operands whose elements lie
// along the columns that are reduced.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_STAGEDCOLUMNS_H
#define COIL_DIALECT_LOOP_ANALYSIS_STAGEDCOLUMNS_H

#include <cstdint>

namespace coil::loop {

/// Columns of a block at least: a sector of 32 bytes of what lies across the
/// columns, for each row, is full then.
inline constexpr int64_t kStagedColumns = 32;
/// Bytes of all such operands in a block: what it may have without asking, of
/// which a multiprocessor of 228 KiB has room for four.
inline constexpr int64_t kStagedBytes = 48 * 1024;

/// Bytes that columns of so many rows take: one place between rows keeps
/// threads that write down a column apart in the banks of shared memory.
constexpr int64_t getStagedBytes(int64_t rows, int64_t columns, int64_t bytes) {
  return rows * (columns + 1) * bytes;
}

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_STAGEDCOLUMNS_H
