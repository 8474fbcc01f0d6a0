//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How blocks of threads take the rows of a kernel whose columns they
// accumulate.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Loop/Analysis/Columns.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Registers of a thread beside what it keeps of columns: addresses, positions,
/// masks and what it is computing. (`ptxas -v` for sm_90a, gradients of norms.)
static constexpr int64_t kOtherRegisters = 40;
/// Registers that a thread gets in multiples of this many, and the most that
/// leave two blocks of 256 threads on a multiprocessor.
static constexpr int64_t kRegisterStep = 8, kMostRegisters = 128;
/// Elements of a row that a thread takes: four vectors of `f32`. Of short rows
/// it takes two, so that a warp reads whole lines of memory.
static constexpr int64_t kElements = 16, kShortElements = 8;
/// Threads of a block that has several rows at a time.
static constexpr int64_t kBlockThreads = 256;

int64_t loop::countColumnWords(KernelOp kernel, ArrayRef<unsigned> columns) {
  DimDependence dependence(kernel);
  llvm::SmallBitVector over(kernel.getNumDims());
  for (unsigned d : columns)
    over.set(d);
  DenseSet<std::pair<Value, Attribute>> seen;
  int64_t bits = 0;
  for (Operation &op : *kernel.getBlock()) {
    if (auto accumulate = dyn_cast<AccumulateOp>(op))
      bits += std::max(32u,
                       accumulate.getValue().getType().getIntOrFloatBitWidth());
    auto load = dyn_cast<LoadOp>(op);
    if (load && dependence[load.getResult()].anyCommon(over) &&
        seen.insert({load.getSource(), load.getIndicesAttr()}).second)
      // Narrow elements are computed with, and kept, widened.
      bits += std::max(32u, load.getType().getIntOrFloatBitWidth());
  }
  return static_cast<int64_t>(llvm::divideCeil(bits, 32));
}

std::optional<ColumnTile> loop::getColumnTile(int64_t length, int64_t words,
                                              const ProcessorLimits &limits) {
  auto getRegisters = [&](int64_t threads) {
    int64_t elements = static_cast<int64_t>(llvm::divideCeil(length, threads));
    return static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(words * elements + kOtherRegisters),
                      kRegisterStep));
  };
  auto getThreads = [&](int64_t elements) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(
        static_cast<uint64_t>(llvm::divideCeil(length, elements))));
  };
  int64_t threads = std::max(getThreads(kElements),
                             std::min(limits.warp, getThreads(kShortElements)));
  while (threads < limits.blockThreads &&
         getRegisters(threads) > kMostRegisters)
    threads *= 2;
  if (threads > limits.blockThreads ||
      getRegisters(threads) * threads > limits.registers)
    return std::nullopt;
  int64_t rows = std::max<int64_t>(1, kBlockThreads / threads);
  int64_t blocks =
      std::min(limits.registers / (getRegisters(threads) * threads * rows),
               limits.threads / (threads * rows));
  return ColumnTile{threads, rows, std::max<int64_t>(1, blocks),
                    getRegisters(threads)};
}
