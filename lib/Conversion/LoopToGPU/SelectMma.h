//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice of tiles for contractions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_SELECTMMA_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_SELECTMMA_H

#include "GPUFacts.h"
#include "VectorForm.h"

#include <optional>

namespace coil::loop {

/// The parts of a schedule of the strategy `mma` that its tiles decide.
struct MmaChoice {
  MmaAttr mma;
  int64_t vectorDim = -1, width = 1;
  /// Vectors of results that a thread has in hand at a time.
  int64_t items = 1;
  /// Blocks that a multiprocessor must have registers for; 0 leaves it open.
  int64_t minBlocks = 0;
};

/// Chooses tiles for `kernel`, or nothing when it is no contraction or too
/// small for tiles to pay.
std::optional<MmaChoice>
selectMma(KernelOp kernel, const GPUKernelLayout &layout, const GPUFacts &chip);

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_SELECTMMA_H
