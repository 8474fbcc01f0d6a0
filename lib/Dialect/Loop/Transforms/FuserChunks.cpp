//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which reductions are so long that they run in chunks, and what they lose in a
// kernel that cannot.
//
//===----------------------------------------------------------------------===//

#include "Fuser.h"

#include "FusionCost.h"
#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/OnlineSum.h"
#include "coil/Dialect/Loop/Analysis/Phases.h"

#include <cmath>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// A reduction of this many elements to fewer than `enough-results` results
/// runs in chunks (`loop-split-reduction`) rather than inside its consumer.
static constexpr double kLongReduction = 65536;
/// Points that are reduced to few results, which share rows, in chunks, too:
/// on a quarter of an H100's multiprocessors, 16 bits of each take the time of
/// the launches that are added, 10 us.
static constexpr double kLongRows = 4 * 1024 * 1024;

/// Whether what a kernel reduces or scans is so long, and so few, that one
/// block for each would leave a device idle.
bool Fuser::hasFewLongRows(KernelOp kernel, KernelOp other) {
  auto [rows, elements] = getReductionSize(kernel, hints);
  double blocks = getSharingBlocks(kernel, other, hints);
  return (rows * blocks < enoughResults &&
          elements >= kLongReduction * blocks) ||
         (rowPiece > 0 && reduces(kernel) && !kernel.isSequential() &&
          !(rows >= kMinResultsInRows && sharesRows(kernel)) &&
          leavesIdle(kernel, other, hints));
}

/// Whether a kernel reduces so many elements to so few results that it will be
/// cut into chunks.
bool Fuser::isLongReduction(KernelOp kernel, KernelOp other) {
  if (!reduces(kernel) || kernel.isSequential())
    return false;
  if (hasFewLongRows(kernel, other))
    return true;
  auto [results, elements] = getReductionSize(kernel, hints);
  // A block takes many results that lie beside one another. Chunks read once
  // more what they reduce: with a quarter of enough blocks that is less.
  return rowPiece > 0 && results >= kMinResultsInRows &&
         4 * results / rowPiece <= enoughResults && sharesRows(kernel) &&
         ((results >= rowPiece && elements * results >= kLongRows) ||
          leavesIdle(kernel, other, hints));
}

double Fuser::getSlowdown(KernelOp kernel) {
  if (rowPiece <= 0 || !reduces(kernel) || kernel.isSequential())
    return 1;
  auto [results, elements] = getReductionSize(kernel, hints);
  if (elements * results < kLongRows || results < rowPiece)
    return 1;
  double blocks = std::ceil(results / rowPiece);
  return blocks < enoughResults && sharesRows(kernel) ? enoughResults / blocks
                                                      : 1;
}

bool Fuser::losesChunks(KernelOp kept, KernelOp reduction) {
  double slowdown = getSlowdown(reduction);
  if (slowdown == 1 || !findChunkObstacle(reduction).empty())
    return false;
  double apart = 0, together = 0;
  DenseSet<Value> seen;
  for (KernelOp kernel : {kept, reduction})
    for (ValueRange values :
         {ValueRange(kernel.getInputs()), ValueRange(kernel.getResults())})
      for (Value v : values) {
        double bytes = getBytes(v, hints);
        apart += bytes;
        together += seen.insert(v).second ? bytes : 0;
      }
  return together * slowdown > apart;
}
