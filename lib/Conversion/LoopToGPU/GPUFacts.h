//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What schedules and code for blocks of threads depend on in a chip.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_GPUFACTS_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_GPUFACTS_H

#include "coil/Dialect/Loop/IR/Loop.h"
#include "coil/Dialect/Target/IR/Target.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"

#include <algorithm>

namespace coil::loop {

/// Shared memory for what threads keep: of what a multiprocessor has, two
/// blocks fit (of 228 KiB, or of 196 KiB that leave the rest to the L1 cache).
inline constexpr int64_t kMaxKeptBytes = 96 * 1024;

/// Facts of a target as numbers. See `#target.device` for their sources.
struct GPUFacts {
  target::TargetAttrInterface target;
  int64_t multiprocessors;
  int64_t warpSize;
  /// Threads of a block, at most.
  int64_t blockThreads;
  /// What a multiprocessor can hold at a time.
  int64_t threads, blocks, registers, sharedBytes;
  /// Shared memory of a block: at most, what it gets without asking, and what
  /// is taken beside that.
  int64_t blockSharedBytes, staticSharedBytes, reservedSharedBytes;

  /// Those of a kernel's target. An error says which one is missing.
  static mlir::FailureOr<GPUFacts> get(wrapper::KernelOp kernel);

  bool has(llvm::StringRef feature) const { return target.hasFeature(feature); }
  /// Threads of a multiprocessor that have loads in flight, at 64 registers.
  int64_t getBusyThreads() const { return std::min(threads, registers / 64); }
  /// Blocks of some threads and bytes of shared memory that there is room for.
  int64_t countBlocks(int64_t blockThreads, int64_t bytes) const;
};

/// Fails, with the reason, for a schedule that no block of the target can have.
mlir::LogicalResult verifyGPUSchedule(KernelOp kernel, GPUScheduleAttr schedule,
                                      const GPUFacts &facts);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_GPUFACTS_H
