//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules of scans.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"
#include "ScanRing.h"

#include <limits>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Bytes of each operand that one thread of a scan keeps in registers.
static constexpr int64_t kKeptBytes = 128;
/// Elements and vectors that it keeps where more threads can keep the others,
/// and how many threads there are at most for that: 1024 are slower.
static constexpr int64_t kScanKept = 16, kScanVectors = 4, kScanThreads = 512;
/// Blocks that stay: how many a processor has, their threads, and tiles that
/// are there at a time. A thread has so many bytes of a tile, which are 192 KiB
/// of a processor under way, and so many elements at most, for which there are
/// registers.
static constexpr int64_t kRingBlocks = 2, kRingThreads = 512, kRingStages = 2,
                         kRingBytes = 96, kRingElements = 32;
/// What a block has beside its tiles: barriers, tickets, and what its warps
/// tell each other.
static constexpr int64_t kRingCounterBytes = 1024;
/// Tiles for each processor that are worth it.
static constexpr double kRingTiles = 4;

bool Selector::selectRing() {
  int64_t items = std::max<int64_t>(
      1, std::min(kRingBytes / (width * widest), kRingElements / width));
  double tiles = pointsP * pointsR / static_cast<double>(kRingThreads * items);
  if (tiles < kRingTiles * static_cast<double>(processors))
    return false;
  // As many blocks as fit, with their counters.
  int64_t bytes = kRingStages * kRingThreads * items * width * widest;
  int64_t most = std::min(kRingBlocks, facts.countBlocks(kRingThreads, bytes));
  if (most == 0 || bytes + kRingCounterBytes > facts.blockSharedBytes)
    return false;
  std::string why;
  if (!ScanRing::match(kernel, layout, VectorForm(kernel, layout, dim, width),
                       dim, width, kRingThreads * items, facts, why))
    return false;
  threadsR = kRingThreads;
  itemsR = items;
  minBlocks = most;
  stages = kRingStages;
  blocks = most * processors;
  return true;
}

void Selector::selectScan() {
  // What a thread keeps of a tile: vectors in flight, and their registers.
  int64_t kept = std::max<int64_t>(1, kKeptBytes / (width * widest));
  int64_t most =
      mostR > kBlockRow ? std::numeric_limits<int64_t>::max() : mostR * width;
  persistent = true;
  bool isSimple =
      accesses.size() == 2 && llvm::none_of(*kernel.getBlock(), [](auto &op) {
        auto scan = dyn_cast<ScanOp>(op);
        return isa<ArgScanOp>(op) ||
               (scan && scan.getKind() == ScanKind::LogAddExp);
      });
  bool isPlain = isSimple && widest == 4;
  if (isReduced(dim) || (dim < 0 && !reduced.none())) {
    if (most <= kWarpRow && mostR <= warp * kept) {
      threadsR = std::min(warp, powerAtLeast(static_cast<double>(mostR)));
      // As for sums of short rows: few threads, or one, where rows are many.
      while (threadsR > 1 &&
             hasManyBlocks(pointsP * static_cast<double>(threadsR / 2),
                           kRowBlock) &&
             static_cast<int64_t>(llvm::divideCeil(mostR, threadsR / 2)) *
                     width <=
                 kManyElements)
        threadsR /= 2;
      itemsR = llvm::divideCeil(mostR, threadsR);
      // No rows that there are not: what does not vary over rows is read by
      // all, and a result may overwrite it.
      threadsP = std::min(128 / threadsR, powerAtLeast(pointsP));
      return;
    }
    bool isLong = most > kBlockRow || mostR > facts.blockThreads * kept;
    // Too few rows for all processors: several blocks for each.
    bool isLonely = pointsP < static_cast<double>(processors) &&
                    pointsR > static_cast<double>(kStreamThreads * kept);
    if (!isLong && (!isLonely || reduces)) {
      threadsR = std::clamp(
          powerAtLeast(static_cast<double>(mostR) / static_cast<double>(kept)),
          2 * warp, facts.blockThreads);
      // Code is proportional to what a thread has, and where a block of twice
      // the threads is as fast, it is half as long to compile.
      while (threadsR < kScanThreads && (mostR * width > kScanKept * threadsR ||
                                         mostR > kScanVectors * threadsR))
        threadsR *= 2;
      itemsR = llvm::divideCeil(mostR, threadsR);
      return;
    }
    threadsR = kStreamThreads;
    itemsR = kept;
    splitR = !reduces;
    persistent = splitR;
    if (splitR && isSimple && (widest == 2 || widest == 4) && selectRing())
      return;
    // A block that waits for others needs company; a plain sum leaves room.
    if (splitR && isPlain)
      minBlocks = 4;
    // Every tile waits for those before it: fewer and longer ones, where these
    // still are enough for all processors.
    double tiles = pointsP * pointsR / static_cast<double>(threadsR * itemsR);
    if (splitR && isPlain && tiles >= static_cast<double>(16 * processors)) {
      threadsR *= 2;
      itemsR *= 2;
      minBlocks = 1;
    }
    return;
  }
  // Columns: a thread walks along a part of one vector of them.
  threadsP = std::min(warp, powerAtLeast(pointsP));
  bool isEnough =
      pointsP >= static_cast<double>(processors * kStreamThreads * 4);
  if (isEnough || mostR <= 8) {
    threadsP = std::min<int64_t>(128, powerAtLeast(pointsP));
    itemsR = std::min(kept, mostR);
    persistent = mostR <= kept;
    return;
  }
  // Where a narrower part is enough for all processors, a block walks down it
  // alone, and waits for no other.
  const int64_t narrow = warp / 2;
  bool isAlone = 2 * pointsP >= static_cast<double>(3 * narrow * processors);
  if (isAlone)
    threadsP = std::min(threadsP, narrow);
  // Eight lanes of 16 bits are eight chains of sums in each thread, and their
  // registers. Two of them in four times as many threads are as fast as memory.
  constexpr int64_t tallThreads = 8, tallItems = 16;
  if (isAlone && isSimple && widest == 2 && width == 8 && threadsP == narrow &&
      mostR > tallThreads * tallItems) {
    width = 2;
    threadsP = 4 * narrow;
    threadsR = tallThreads;
    itemsR = tallItems;
    persistent = false;
    return;
  }
  threadsR = kStreamThreads / threadsP;
  while (threadsR > 1 && threadsR / 2 * kept >= mostR)
    threadsR /= 2;
  itemsR = std::min<int64_t>(kept, llvm::divideCeil(mostR, threadsR));
  bool isLong = mostR > threadsR * itemsR;
  splitR = isLong && !isAlone && !reduces;
  persistent = splitR || !isLong;
  // Each tile waits for the one before it: as few as there can be, whose rows
  // are whole lines, as long as they keep all processors busy.
  while (splitR && threadsP / 2 * width * widest >= kLineBytes &&
         threadsR * itemsR < mostR &&
         pointsP * pointsR / static_cast<double>(kStreamThreads * itemsR) >=
             static_cast<double>(2 * processors)) {
    threadsP /= 2;
    threadsR *= 2;
  }
  if (splitR && isPlain)
    minBlocks = 4;
}
