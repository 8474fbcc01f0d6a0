//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that the blocks of a cluster share: what decides about fusion and about
// splitting, and what selects schedules, have to agree on which these are.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_ANALYSIS_CLUSTERS_H
#define COIL_DIALECT_LOOP_ANALYSIS_CLUSTERS_H

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>

namespace coil::loop {

/// What a target has whose blocks can share a row, each with a part of it.
inline constexpr llvm::StringLiteral kClusters = "clusters";
/// Blocks that share a row, at most (CUDA C++ Programming Guide, "Thread Block
/// Clusters": eight is the portable size).
inline constexpr int64_t kMaxCluster = 8;
/// Elements of a row that one block keeps in registers.
inline constexpr int64_t kBlockRow = 32768;
/// Elements of each block that shares one of few rows, at least: launches of
/// smaller kernels are combined, which clusters cannot be.
inline constexpr int64_t kLeastPart = 4 * 1024;
/// Shared memory of a block for what blocks and warps tell each other.
inline constexpr int64_t kClusterPlaces = 4 * 1024;

/// Elements of a row that one block of a cluster keeps, in registers, or as
/// they were loaded in shared memory. `bytes`: of one element of all operands.
/// Two blocks have room in a multiprocessor's shared memory, so that one loads
/// while the other computes or stores: with one, the parts of a row of 1.7 MB
/// took 61 us each, three times what memory takes for them (an H200).
inline int64_t getKeptPart(int64_t sharedBytes, int64_t bytes) {
  return bytes == 0
             ? kBlockRow
             : std::max(kBlockRow, (sharedBytes / 2 - kClusterPlaces) / bytes);
}

} // namespace coil::loop

#endif // COIL_DIALECT_LOOP_ANALYSIS_CLUSTERS_H
