//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fusion and the splitting of reductions take from the target.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DIALECT_LOOP_TRANSFORMS_TARGETCOUNTS_H
#define COIL_LIB_DIALECT_LOOP_TRANSFORMS_TARGETCOUNTS_H

#include "coil/Dialect/Target/IR/Target.h"

namespace coil::loop {

/// Results that lie beside one another and are not reduced one by one.
inline constexpr double kMinResultsInRows = 16;

/// Rows of the least chunk, so that partial results cost little beside them.
inline constexpr double kMinChunkRows = 16;

/// What memory of a GPU gives at least (CUDA C++ Programming Guide, "Device
/// Memory Accesses").
inline constexpr double kMemorySector = 32;
/// Bytes of the widest access of one thread of a GPU.
inline constexpr int64_t kThreadAccess = 16;

/// How much of a reduction keeps a device busy.
struct ReductionCounts {
  /// Results of which each is computed by a task or a block of its own.
  int64_t enoughResults;
  /// Parts of one result.
  int64_t chunks;
  /// Tasks or blocks that run at a time.
  int64_t running;
  /// Results that lie beside one another in rows of operands and that one task
  /// or block takes; and how many of these count as one result where kernels
  /// are fused (0: each is one).
  int64_t rowPiece, fusedRowPiece;
  /// Elements of a result from which on chunks save more than a second kernel
  /// takes, where it is the only one and where there are many.
  int64_t longReduction, longestReduction;
  /// Whether threads that run together take elements next to each other
  /// whatever they are of, and not one task vectors of one dimension.
  bool hasBlocks = false;
  /// Multiprocessors; blocks that may share a row (1: none do), and the shared
  /// memory of one.
  int64_t processors = 0, sharingBlocks = 1, sharedBytes = 0;
};

ReductionCounts getReductionCounts(target::TargetAttrInterface target);

/// What a device is to be given of reductions.
struct WantedChunks {
  /// Results, or pieces of rows of them, that a task or block takes.
  double pieces;
  /// Chunks of each, and elements of the shortest one.
  int64_t parts;
  double shortest;
};

/// For `results` of reductions. `byRows`: whether they lie beside one another
/// in rows of operands, of which a task or block takes a piece. `isFixed`: that
/// the number of chunks is not the target's to choose.
WantedChunks getWantedChunks(const ReductionCounts &counts, double results,
                             bool byRows, bool isFixed = false);

/// Bytes that a thread, or a vector register of a processor, loads at a time.
int64_t getAccessBytes(const ReductionCounts &counts);

/// Most ops in the body of a merged kernel, by the option `maxOps` or, where it
/// is zero, by the target.
int64_t getMaxOps(int64_t maxOps, target::TargetAttrInterface target);

/// Operations that the target computes in the time in which it moves a byte.
int64_t getOpsPerByte(target::TargetAttrInterface target);

/// Bytes that the target moves in a second.
double getBandwidth(target::TargetAttrInterface target);

/// Bytes that the target moves in the time that one more kernel takes to begin
/// and end.
double getLaunchBytes(target::TargetAttrInterface target);

} // namespace coil::loop

#endif // COIL_LIB_DIALECT_LOOP_TRANSFORMS_TARGETCOUNTS_H
