//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomSchedule.h"

#include "RandomNumbers.h"

#include "coil/Dialect/Loop/IR/Loop.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace coil::testing {

namespace {

/// Draws one schedule after the other.
class ScheduleGenerator : RandomNumbers {
public:
  explicit ScheduleGenerator(uint64_t seed) : RandomNumbers(seed) {}

  /// Another schedule for a kernel, or null.
  Attribute draw(loop::KernelOp kernel);

private:
  int64_t power(int64_t most) { return int64_t(1) << below(most + 1); }

  Attribute draw(loop::GPUScheduleAttr decided, loop::KernelOp kernel);
  Attribute draw(loop::ScheduleAttr decided, loop::KernelOp kernel);
  loop::MmaAttr draw(loop::MmaAttr decided);
  Attribute drawBox(loop::GPUScheduleAttr decided, int64_t rank);
  Attribute drawColumns(loop::GPUScheduleAttr decided,
                        ArrayRef<unsigned> columns);
};

} // namespace

/// Tiles stay small: a simulated block goes through all of its points.
loop::MmaAttr ScheduleGenerator::draw(loop::MmaAttr decided) {
  int64_t m = decided.getM(), n = decided.getN(), k = decided.getK();
  int64_t warpsM = decided.getWarpsM(), warpsN = decided.getWarpsN(),
          warpsK = decided.getWarpsK();
  if (chance(50)) {
    m = power(7);
    n = power(7);
  }
  if (chance(50))
    k = power(6);
  if (chance(50)) {
    warpsM = power(2);
    warpsN = power(2);
    warpsK = power(1);
  }
  MLIRContext *context = decided.getContext();
  return loop::MmaAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      decided.getInstruction(), m, n, k, warpsM, warpsN, warpsK,
      chance(50) ? decided.getStages() : 2 + below(3),
      chance(70) ? decided.getAsync() : !decided.getAsync(),
      chance(50) ? decided.getGroup() : 1 + below(8));
}

/// Rows of a kernel that accumulates columns: how many threads take one, and
/// how many rows are taken at a time.
Attribute ScheduleGenerator::drawColumns(loop::GPUScheduleAttr decided,
                                         ArrayRef<unsigned> columns) {
  // As many elements of a row as were decided.
  int64_t vectors = decided.getThreadsR() * decided.getItemsR(),
          width = decided.getVectorWidth(), dim = decided.getVectorDim();
  if (chance(30))
    dim = columns[static_cast<size_t>(
        below(static_cast<int64_t>(columns.size())))];
  int64_t threadsR = power(8), threadsP = decided.getThreadsP();
  if (chance(50))
    threadsP = power(4);
  if (dim >= 0 && chance(50)) {
    int64_t other = power(3);
    vectors = llvm::divideCeil(vectors * width, other);
    width = other;
  }
  MLIRContext *context = decided.getContext();
  return loop::GPUScheduleAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      decided.getStrategy(), dim, width, decided.getTransposeDim(), threadsP,
      threadsR, decided.getItemsP(),
      static_cast<int64_t>(llvm::divideCeil(vectors, threadsR)),
      decided.getPersistent(), chance(50) ? decided.getMinBlocks() : below(5),
      chance(80) ? decided.getIndexBits() : 64, decided.getOwners(),
      decided.getSplitR(), decided.getAlignTo(), decided.getPrefetch(),
      chance(70) ? decided.getDescending() : !decided.getDescending(),
      decided.getStages(), decided.getBlocks(), decided.getMma(),
      decided.getBoxDims(), decided.getBox(), decided.getCluster());
}

Attribute ScheduleGenerator::draw(loop::GPUScheduleAttr decided,
                                  loop::KernelOp kernel) {
  int64_t rank = static_cast<int64_t>(kernel.getNumDims());
  loop::GPUStrategy strategy = decided.getStrategy();
  int64_t vectorDim = decided.getVectorDim();
  int64_t vectorWidth = decided.getVectorWidth();
  int64_t transposeDim = decided.getTransposeDim();
  int64_t threadsP = decided.getThreadsP(), threadsR = decided.getThreadsR();
  int64_t itemsP = decided.getItemsP(), itemsR = decided.getItemsR();
  bool persistent = decided.getPersistent();
  int64_t alignTo = decided.getAlignTo();
  loop::MmaAttr mma = decided.getMma();
  bool isMma = strategy == loop::GPUStrategy::Mma;
  SmallVector<unsigned> columns = kernel.getColumnDims();
  if (!columns.empty())
    return drawColumns(decided, columns);
  bool reduces = !kernel.getReducedDims().empty();
  bool isPointwise = !reduces && (strategy == loop::GPUStrategy::Tile ||
                                  strategy == loop::GPUStrategy::Transpose);
  if (strategy == loop::GPUStrategy::Box ||
      (isPointwise && rank > 1 && chance(20)))
    return drawBox(decided, rank);
  if (isPointwise && rank > 1 && chance(20)) {
    strategy = strategy == loop::GPUStrategy::Tile
                   ? loop::GPUStrategy::Transpose
                   : loop::GPUStrategy::Tile;
    transposeDim = strategy == loop::GPUStrategy::Tile ? -1 : below(rank);
    vectorDim = below(rank);
  }
  if (rank > 0 && chance(25))
    vectorDim = below(rank + 1) - 1;
  if (chance(50))
    vectorWidth = vectorDim < 0 ? 1 : power(4);
  // Whether there is anything along `r`.
  bool hasR = strategy == loop::GPUStrategy::Transpose ||
              (reduces && !isMma && decided.getOwners() == 0);
  if (!hasR && !isMma)
    threadsR = itemsR = 1;
  if (isMma) {
    if (!(mma = draw(mma)))
      return {};
    threadsP = mma.getNumWarps() * 32;
  } else if (chance(70)) {
    threadsP = power(8);
    if (hasR)
      threadsR = power(8);
  }
  if (chance(50))
    itemsP = power(3);
  if (hasR) {
    if (chance(50))
      itemsR = chance(50) ? power(4) : 1 + below(16);
    if (reduces && chance(40))
      persistent = !persistent;
    // A persistent tile has to cover the reduced points.
    if (persistent && chance(80) && rank > 0) {
      if (auto extent = kernel.getExtent(below(rank)).getConstant();
          extent && *extent > 0)
        itemsR = llvm::divideCeil(
            llvm::divideCeil(*extent, chance(50) ? vectorWidth : 1), threadsR);
      else
        persistent = decided.getPersistent();
    }
  }
  // Blocks that share a row, each with a part of it.
  int64_t cluster = decided.getCluster();
  if (reduces && strategy == loop::GPUStrategy::Tile && chance(20)) {
    cluster = power(3);
    if (cluster > 1) {
      persistent = true;
      threadsP = itemsP = 1;
      threadsR = std::max<int64_t>(32, threadsR);
      itemsR = llvm::divideCeil(itemsR, cluster);
    }
  }
  if (chance(reduces ? 20 : 3))
    alignTo = below(static_cast<int64_t>(kernel->getNumOperands()) + 2) - 1;
  // The points of a scan are code, not a loop: a minute of LLVM's for a
  // thousand.
  constexpr int64_t kMaxScanned = 64;
  if (strategy == loop::GPUStrategy::Scan)
    itemsR = std::clamp<int64_t>(kMaxScanned / vectorWidth, 1, itemsR);
  MLIRContext *context = decided.getContext();
  return loop::GPUScheduleAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, strategy,
      vectorDim, vectorWidth, transposeDim, threadsP, threadsR, itemsP, itemsR,
      persistent, chance(50) ? decided.getMinBlocks() : below(5),
      chance(80) ? decided.getIndexBits() : 64, decided.getOwners(),
      chance(80) ? decided.getSplitR() : !decided.getSplitR(), alignTo,
      decided.getPrefetch() != (reduces && chance(30)),
      chance(70) ? decided.getDescending() : !decided.getDescending(),
      chance(80) ? decided.getStages() : 0,
      chance(80) ? decided.getBlocks() : 0, mma, decided.getBoxDims(),
      decided.getBox(), cluster);
}

/// A tile of a few dimensions.
Attribute ScheduleGenerator::drawBox(loop::GPUScheduleAttr decided,
                                     int64_t rank) {
  SmallVector<int64_t> left, dims, sizes;
  for (int64_t d = 0; d < rank; ++d)
    left.push_back(d);
  for (int64_t n = 1 + below(rank); n > 0; --n) {
    auto *it = left.begin() + below(static_cast<int64_t>(left.size()));
    dims.push_back(*it);
    sizes.push_back(chance(50) ? power(6) : 1 + below(30));
    left.erase(it);
  }
  constexpr int64_t none = -1, zero = 0, one = 1;
  MLIRContext *context = decided.getContext();
  return loop::GPUScheduleAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      loop::GPUStrategy::Box, dims.front(), /*vectorWidth=*/one,
      /*transposeDim=*/none, 32 * (1 + below(16)), /*threadsR=*/one,
      /*itemsP=*/one, /*itemsR=*/one, /*persistent=*/false, below(5),
      chance(80) ? decided.getIndexBits() : 64, /*owners=*/zero,
      /*splitR=*/false, /*alignTo=*/none, /*prefetch=*/false,
      /*descending=*/false, /*stages=*/zero, /*blocks=*/zero, loop::MmaAttr(),
      DenseI64ArrayAttr::get(context, dims),
      DenseI64ArrayAttr::get(context, sizes), /*cluster=*/one);
}

Attribute ScheduleGenerator::draw(loop::ScheduleAttr decided,
                                  loop::KernelOp kernel) {
  int64_t rank = static_cast<int64_t>(kernel.getNumDims());
  int64_t vectorDim = decided.getVectorDim();
  int64_t vectorWidth = decided.getVectorWidth();
  if (rank > 0 && chance(40))
    vectorDim = below(rank + 1) - 1;
  if (chance(50))
    vectorWidth = power(6);
  int64_t rows = decided.getRows();
  if (chance(rows > 0 ? 50 : 10))
    rows = below(9);
  MLIRContext *context = decided.getContext();
  return loop::ScheduleAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context,
      decided.getLibrary(), vectorDim, vectorWidth,
      chance(50) ? decided.getUnroll() : 1 + below(8),
      chance(50) ? decided.getBlock() : power(12),
      chance(50) ? decided.getGrain() : power(12), rows, decided.getKeep(),
      decided.getStream(),
      chance(70) ? decided.getTransposeDim() : below(rank + 1) - 1,
      chance(50) ? decided.getTransposeBlock() : power(10));
}

Attribute ScheduleGenerator::draw(loop::KernelOp kernel) {
  if (auto decided =
          dyn_cast_or_null<loop::GPUScheduleAttr>(kernel.getScheduleAttr()))
    return draw(decided, kernel);
  if (auto decided =
          dyn_cast_or_null<loop::ScheduleAttr>(kernel.getScheduleAttr()))
    if (!decided.getLibrary())
      return draw(decided, kernel);
  return {};
}

unsigned drawSchedules(ModuleOp program, uint64_t seed) {
  ScheduleGenerator generator(seed);
  // What a draw gets wrong, the attribute's verifier says; it is drawn again.
  ScopedDiagnosticHandler silent(program.getContext(),
                                 [](Diagnostic &) { return success(); });
  constexpr int kAttempts = 32;
  unsigned changed = 0;
  program.walk([&](loop::KernelOp kernel) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Attribute other = generator.draw(kernel);
      if (!other || other == kernel.getScheduleAttr())
        continue;
      kernel->setAttr(kernel.getScheduleAttrName(), other);
      ++changed;
      break;
    }
  });
  return changed;
}

} // namespace coil::testing
