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

#include "TargetCounts.h"

#include "coil/Dialect/Loop/Analysis/Clusters.h"

#include "coil/Dialect/Loop/Analysis/VectorCost.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>

using namespace coil;
using namespace coil::loop;

/// Where a target runs blocks of threads: blocks of 256 threads that a
/// multiprocessor has registers for, at 64 for each thread
/// (`loop-select-gpu-schedule` streams with such), and blocks for each of them
/// that keep it busy when every one is a result.
static constexpr int64_t kBlockThreads = 256, kThreadRegisters = 64,
                         kBusyBlocks = 2;
/// Where it has cores: results, chunks and columns that are worth a task each;
/// `docs/reference/Passes.md` has the figures.
static constexpr int64_t kTasks = 16, kChunks = 64, kColumns = 1024;
/// What cores, and a block, reduce in about the time that another kernel takes:
/// a block of 1024 threads on an H200 179,053 elements of ten operations in
/// 100 us, and a launch is worth some.
static constexpr int64_t kLongOfCores = 262144, kLongOfBlock = 32768;
/// Operations for each byte of a target that states neither its lanes nor a
/// number of its own: both an H100 and two cores with AVX2 have about as many.
static constexpr int64_t kUsualOpsPerByte = 8;
/// Bytes of the widest vector registers of processors.
static constexpr int64_t kVectorAccess = 64;
/// What cores move in a second, and bytes that they move while they begin and
/// end one more kernel: 5 us at 20 GB/s (benchmarks/results/cpu.md).
static constexpr double kVectorBandwidth = 20e9, kVectorKernelBytes = 100e3;

ReductionCounts loop::getReductionCounts(target::TargetAttrInterface target) {
  ReductionCounts counts{
      kTasks,       kChunks,     kChunks, kColumns, /*fusedRowPiece=*/0,
      kLongOfCores, kLongOfCores};
  if (!target)
    return counts;
  std::optional<int64_t> processors = target.getFact("multiprocessors");
  std::optional<int64_t> registers = target.getFact("registers");
  std::optional<int64_t> warp = target.getFact("warp_size");
  if (!processors || !registers || !warp)
    return counts;
  counts.enoughResults = kBusyBlocks * *processors;
  // A power of two divides most lengths.
  int64_t running =
      *processors *
      std::max<int64_t>(1, *registers / (kThreadRegisters * kBlockThreads));
  counts.running = running;
  counts.chunks =
      static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(running)));
  counts.rowPiece = counts.fusedRowPiece = *warp;
  counts.longReduction = kLongOfBlock;
  counts.hasBlocks = true;
  counts.processors = *processors;
  if (target.hasFeature(kClusters)) {
    counts.sharingBlocks = kMaxCluster;
    counts.sharedBytes = target.getFact("shared_bytes").value_or(0);
  }
  return counts;
}

/// What part of the blocks that can run at a time do so at the end, for no more
/// chunks to be cut, and how many times as many there may be for that (an H200:
/// chunks of which the last blocks are nearly as many as the others 399 us, of
/// which they are few 442).
static constexpr double kFullPart = 0.9;
static constexpr int64_t kMoreParts = 6;

/// Parts of each of `results` that keep a device busy to the end: the fewest
/// of which the last blocks that run at a time are nearly as many as the
/// others. 402 blocks on 132 multiprocessors are three on most of them and
/// four on some, for which all wait where they compute.
static int64_t getFullParts(const ReductionCounts &counts, double results,
                            int64_t least) {
  auto running = static_cast<double>(counts.running);
  int64_t best = least;
  double most = 0;
  for (int64_t parts = least; parts <= kMoreParts * least && most < kFullPart;
       ++parts) {
    double blocks = results * static_cast<double>(parts);
    double used = blocks / (running * std::ceil(blocks / running));
    if (used > most) {
      most = used;
      best = parts;
    }
  }
  return best;
}

WantedChunks loop::getWantedChunks(const ReductionCounts &counts,
                                   double results, bool byRows, bool isFixed) {
  if (byRows) {
    double pieces = std::ceil(results / static_cast<double>(counts.rowPiece));
    return {pieces,
            std::max<int64_t>(2, counts.chunks / static_cast<int64_t>(pieces)),
            kMinChunkRows};
  }
  if (results < kMinResultsInRows)
    return {results, counts.chunks, 2};
  int64_t least =
      std::max<int64_t>(2, counts.chunks / static_cast<int64_t>(results));
  return {results,
          counts.hasBlocks && !isFixed ? getFullParts(counts, results, least)
                                       : least,
          2};
}

int64_t loop::getAccessBytes(const ReductionCounts &counts) {
  return counts.hasBlocks ? kThreadAccess : kVectorAccess;
}

/// Most ops of a kernel. Six random programs on an H200, five of them
/// gradients, take 0.80 of the time with 1024 that they take with 256 (0.47
/// to 1.35: one then copies two results). On processors nothing above 256 was
/// measured.
static constexpr int64_t kMaxOpsOfThreads = 1024, kMaxOpsOfVectors = 256;

int64_t loop::getMaxOps(int64_t maxOps, target::TargetAttrInterface target) {
  if (maxOps > 0)
    return maxOps;
  return target && target.getFact("multiprocessors") ? kMaxOpsOfThreads
                                                     : kMaxOpsOfVectors;
}

int64_t loop::getOpsPerByte(target::TargetAttrInterface target) {
  if (!target)
    return kUsualOpsPerByte;
  if (std::optional<int64_t> stated = target.getFact("ops_per_byte"))
    return *stated;
  double operations = 1;
  for (llvm::StringRef name : {"multiprocessors", "lanes", "clock_mhz"}) {
    std::optional<int64_t> fact = target.getFact(name);
    if (!fact)
      return kUsualOpsPerByte;
    operations *= static_cast<double>(*fact);
  }
  std::optional<int64_t> bandwidth = target.getFact("bandwidth");
  if (!bandwidth)
    return kUsualOpsPerByte;
  return std::max<int64_t>(
      1,
      static_cast<int64_t>(operations * 1e6 / static_cast<double>(*bandwidth)));
}

double loop::getLaunchBytes(target::TargetAttrInterface target) {
  std::optional<int64_t> bandwidth =
      target ? target.getFact("bandwidth") : std::nullopt;
  return bandwidth && target.getFact("multiprocessors")
             ? static_cast<double>(*bandwidth) * kLaunchSeconds
             : kVectorKernelBytes;
}

double loop::getBandwidth(target::TargetAttrInterface target) {
  std::optional<int64_t> bandwidth =
      target ? target.getFact("bandwidth") : std::nullopt;
  return bandwidth && target.getFact("multiprocessors")
             ? static_cast<double>(*bandwidth)
             : kVectorBandwidth;
}
