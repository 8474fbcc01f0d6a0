//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of kernels that accumulate columns.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include "coil/Dialect/Loop/Analysis/Columns.h"

using namespace mlir;
using namespace coil;
using namespace coil::loop;

void Selector::selectChunk() {
  narrowLongChains();
  AccumulateOp first = *kernel.getBlock()->getOps<AccumulateOp>().begin();
  auto rows = static_cast<int64_t>(first.getRows());
  std::optional<ColumnTile> tile = getColumnTile(
      mostR * width, countColumnWords(kernel, kernel.getColumnDims()),
      {facts.registers, facts.blockThreads, facts.threads, warp});
  persistent = true;
  // Longer rows than fusion takes: a block as large as it can be.
  threadsR = std::min(tile ? tile->threads : facts.blockThreads,
                      powerAtLeast(static_cast<double>(mostR)));
  itemsR = static_cast<int64_t>(llvm::divideCeil(mostR, threadsR));
  int64_t atOnce = tile ? tile->rows : 1;
  while (threadsP < atOnce && rows % (2 * threadsP) == 0)
    threadsP *= 2;
  if (!tile)
    return;
  minBlocks = tile->blocks;
  // The next row is under way while this one is reduced, where there are
  // registers for both.
  DimDependence dependence(kernel);
  int64_t bits = 0;
  for (auto load : kernel.getBlock()->getOps<LoadOp>())
    if (dependence[load.getResult()].anyCommon(reduced))
      bits += load.getType().getIntOrFloatBitWidth();
  int64_t registers = tile->registers +
                      static_cast<int64_t>(
                          llvm::divideCeil(bits * width * itemsR, int64_t(32)));
  prefetch = registers <= kMaxRegisters &&
             registers * threadsR * threadsP * minBlocks <= facts.registers;
}
