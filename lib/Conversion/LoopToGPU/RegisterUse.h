//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread needs registers for: how many values of an element there are at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_REGISTERUSE_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_REGISTERUSE_H

#include "coil/Dialect/Loop/IR/Loop.h"

#include "llvm/ADT/SmallBitVector.h"

#include <algorithm>

namespace coil::loop {

/// Registers of a thread beside elements: addresses, positions, constants, and
/// what it has found of a row (ptxas for sm_90a: 16 to 32 for kernels of one
/// vector to a thread).
inline constexpr int64_t kBaseRegisters = 24;
/// The most that an instruction can name.
inline constexpr int64_t kMaxRegisters = 255;

/// Elements of a row that a thread keeps in registers, widened.
inline constexpr int64_t kMaxKept = 32;

/// Whether threads that have so many vectors of a row keep what they loaded in
/// shared memory, and nothing else (EmitKept.cpp).
inline bool isKeptAsLoaded(int64_t width, int64_t itemsP, int64_t itemsR) {
  return width > 1 && itemsP == 1 && itemsR * width > kMaxKept;
}

/// Registers of each of so many threads of a block, where so many blocks or
/// more share those of a multiprocessor.
inline int64_t getThreadRegisters(int64_t registers, int64_t threads,
                                  int64_t minBlocks) {
  return std::min(kMaxRegisters,
                  registers / (threads * std::max<int64_t>(1, minBlocks)));
}

/// Words of the values of one element: those that are needed again behind a
/// reduction, and those that are needed at one time, at most.
struct LiveWords {
  double kept = 0, most = 0;
};

/// The words of elements along the dimensions `over`. `isVector`: whether
/// narrow values share words.
LiveWords countLiveWords(KernelOp kernel, bool isVector,
                         const llvm::SmallBitVector &over);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_REGISTERUSE_H
