//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a GPU computes one loop kernel. Which dimension vectors go along,
// how wide they are, and tiles of pointwise kernels are in
// SelectGPUSchedule.cpp; boxes in SelectGPUBox.cpp; reductions and windows in
// SelectGPUReduction.cpp; scans in SelectGPUScan.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_CONVERSION_LOOPTOGPU_GPUSCHEDULESELECTOR_H
#define COIL_LIB_CONVERSION_LOOPTOGPU_GPUSCHEDULESELECTOR_H

#include "GPUFacts.h"
#include "RegisterUse.h"
#include "VectorForm.h"
#include "coil/Dialect/Loop/Analysis/Clusters.h"
#include "coil/Dialect/Loop/Analysis/Hints.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace coil::loop {

/// Ops of a kernel whose other values take few registers: its blocks were
/// chosen by what measured ones of its size take.
inline constexpr size_t kFewOps = 32;

/// Threads of a block that streams.
inline constexpr int64_t kStreamThreads = 256;
/// Elements of a row that one warp reduces.
inline constexpr int64_t kWarpRow = 1024;
/// Elements of short columns that one thread takes, where there are
/// many: a block that computes less lasts no longer than it takes to begin
/// (schedule_regret.py on an H100: rows of 49, 128 and 259 elements 1.8 to 9
/// times as fast as with a warp for each row).
inline constexpr int64_t kManyElements = 16;
/// Vectors of a row that are worth to cut the last one of each row.
inline constexpr int64_t kMinCut = 64;
/// Threads of a block of short rows, and of one of few.
inline constexpr int64_t kRowBlock = 128, kFewRowBlock = 64;
inline int64_t powerAtLeast(double x) {
  return static_cast<int64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(std::max(x, 1.0))));
}

/// Whether the order of the points changes what a scatter of the kernel gives:
/// sums and products of floats are rounded, and of plain writes the last wins.
bool needsOrder(KernelOp kernel);

/// One load, store or scatter.
struct Access {
  mlir::Operation *op;
  /// How many points have one of their own.
  double elements;
  int64_t bytes;
};

class Selector {
public:
  Selector(KernelOp kernel, const GPUKernelLayout &layout,
           const GPUFacts &facts, bool deterministic)
      : kernel(kernel), layout(layout), facts(facts),
        processors(facts.multiprocessors), busyThreads(facts.getBusyThreads()),
        warp(facts.warpSize), hints(kernel),
        ordered(deterministic && needsOrder(kernel)) {}

  GPUScheduleAttr select();

private:
  void collectAccesses();
  bool isReduced(int64_t d) const { return d >= 0 && reduced[size_t(d)]; }
  int64_t selectDim() const;
  int64_t selectWidth(int64_t dim) const;
  /// Whether an access of `w` elements along `d` that is not aligned takes them
  /// out of aligned vectors.
  bool canShift(const Access &a, const LaneAddress &address, int64_t d,
                int64_t w) const;
  /// Widens the vectors of rows that begin between aligned addresses: cuts them
  /// where most accesses are aligned, whatever the row.
  void selectAlignment();
  int64_t selectIndexBits() const;
  /// The dimension along which accesses are contiguous that are not along
  /// `dim`, where they are enough for tiles of both; else -1.
  int64_t selectTransposeDim() const;
  bool isStaged(const Access &a) const;
  void selectTranspose();
  /// Takes a tile of several dimensions where the accesses want one.
  bool selectBox();
  /// Whether the kernel reduces over small windows; then chooses `dim`, `width`
  /// and the rest.
  bool selectWindow();
  /// The parallel dimension whose neighbours have windows next to each other.
  int64_t selectWindowDim() const;
  /// Whether elements along `r` are at addresses that were loaded.
  bool gathers() const;
  bool hasOnlineSums() const;
  /// Whether an access is of a tensor that is not much smaller than the
  /// largest.
  bool isLarge(const Access &a) const { return a.elements * 2 >= mostElements; }
  unsigned countReductions() const;
  int64_t countLarge() const {
    return llvm::count_if(accesses,
                          [&](const Access &a) { return isLarge(a); });
  }
  int64_t countLargeLoads() const {
    return llvm::count_if(accesses, [&](const Access &a) {
      return isa<LoadOp>(a.op) && isLarge(a);
    });
  }
  /// Whether there are blocks of so many threads for each multiprocessor to be
  /// busy with many of them, one after the other.
  bool hasManyBlocks(double threads, int64_t block) const;
  void selectThreads();
  /// Threads and items, whatever the kernel is.
  void selectCounts(bool isWindow);
  void selectPointwise();
  void selectOwners();
  void selectScan();
  /// Blocks that stay, for one row after the other of many tiles; returns false
  /// where the kernel or the chip does not fit.
  bool selectRing();
  /// Whether vectors go along the only dimension that is reduced.
  bool isOnlyReduced() const;
  void selectRow();
  /// Whether a kernel writes an element for each one of a row.
  bool storesRow() const;
  /// Whether threads keep what they load of a row. `again`: several phases read
  /// it.
  bool keepsRow(bool again) const;
  void selectKeptRow();
  /// Has blocks share each row, and keep it: `least` of them or more, with up
  /// to `part` elements each, if eight are enough for that. Returns false where
  /// the chip has no clusters or a row is too long for one.
  bool selectCluster(int64_t least, int64_t part);
  void selectLongRow(bool again);
  /// Has so few blocks on a multiprocessor that threads have the registers that
  /// they want. Returns false where threads that keep a row have too few in
  /// any case.
  bool fitRegisters();
  /// Has so many blocks on a multiprocessor as there are registers for, where
  /// assemblers would take more for each thread: functions of f64 take what
  /// they get for constants.
  void requireBlocks();
  /// Whether so many threads of a block have registers for `items` vectors of
  /// elements that each of them keeps.
  bool keepsInRegisters(int64_t threads, int64_t items) const;
  /// What elements along the dimensions that decide about registers need.
  LiveWords countLive() const;
  /// Registers of a thread that has so many vectors, which it `keeps` or loads
  /// again.
  double countRegisters(const LiveWords &words, int64_t items,
                        bool keeps) const;
  void selectColumn();
  /// Whether columns of an operand pass through shared memory, in vectors of
  /// one element.
  bool stagesColumns() const;
  /// Makes vectors of columns shorter where what threads compute or load of
  /// them would take too many registers.
  void narrowColumns();
  /// Makes vectors shorter where points are so few that each has a thread. Not
  /// where the lanes of a vector share work: random words, additions to memory.
  void narrowFewPoints();
  /// Makes vectors of columns shorter where long functions of many lanes would
  /// take the registers of other threads.
  void narrowLongChains();
  /// Vectors along `r` that so many threads have room for where all take as
  /// many.
  int64_t countSlots(int64_t threads) const {
    return threads * static_cast<int64_t>(llvm::divideCeil(mostR, threads));
  }
  /// Makes vectors half as long.
  void halveWidth();
  /// Whether vectors of a large operand begin between aligned addresses.
  bool hasUnaligned() const;
  /// How often a point loads from the buffer that it loads from most often.
  int64_t countLoadsOfOne() const;
  /// Elements along `first` and the other dimensions of `p` that lie next to
  /// each other in an operand.
  int64_t countRun(unsigned first) const;
  /// Vectors along `p` that lie next to each other in an operand, as a power of
  /// two: threads beyond them are no neighbours in memory.
  int64_t getColumnRun() const;
  /// Rows that blocks walk, of kernels that accumulate columns.
  void selectChunk();
  /// Bytes of what one lane has accumulated for all reductions, at most.
  int64_t getPartialBytes() const;
  /// Has a step of a loop over a row or column take fewer items where the code
  /// of more would be longer than caches of instructions.
  void shortenSteps();
  /// Functions of more than a few instructions that a point computes, not only
  /// a row.
  int64_t countFunctions() const;
  /// Whether several phases read the same values along `r`.
  bool rereads() const;
  /// Bytes of the narrowest element of a result that has one next to the other
  /// for the positions of a row; zero if none has, or if another position takes
  /// more than a product to find.
  int64_t getStoredBytes() const;

  mutable KernelOp kernel;
  const GPUKernelLayout &layout;
  const GPUFacts &facts;
  int64_t processors, busyThreads, warp;
  Hints hints;
  /// Whether a scatter goes through its points in order.
  bool ordered;
  bool scatters = false, scans = false, reduces = false, sumsRows = false;
  llvm::SmallBitVector reduced;
  /// Whether these are the columns that the kernel accumulates.
  bool accumulates = false;
  llvm::SmallVector<Access> accesses;
  double mostElements = 0;
  int64_t widest = 1;

  int64_t dim = -1, width = 1, transposeDim = -1, alignTo = -1;
  int64_t threadsP = 1, threadsR = 1, itemsP = 1, itemsR = 1, minBlocks = 0;
  int64_t owners = 0, stages = 0, blocks = 0, cluster = 1;
  bool splitR = false;
  bool prefetch = false;
  bool persistent = false;
  /// Whether threads may keep the columns that they load.
  bool keepsColumns = true;
  /// Vectors of each direction: expected, and the most there can be.
  double pointsP = 1, pointsR = 1;
  int64_t mostR = 1;
  /// Set where the strategy is `box`.
  mlir::DenseI64ArrayAttr boxDims, box;
};

} // namespace coil::loop

#endif // COIL_LIB_CONVERSION_LOOPTOGPU_GPUSCHEDULESELECTOR_H
