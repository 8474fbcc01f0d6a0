//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sectors that the lanes of a warp, or a tile in shared memory, touch.
//
//===----------------------------------------------------------------------===//

#include "LayoutCost.h"

#include "TargetCounts.h"
#include "coil/Dialect/Loop/Analysis/StagedColumns.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace coil::loop;

/// A word of shared memory. Elements that are shorter are moved as words where
/// the sides of a tile are whole words, else each by itself, which takes as
/// long as to move a word.
static constexpr double kWordBytes = 4;
/// Points of a block, and what a request of a sector that is in its L1 cache
/// takes of the time in which memory gives one: permuted/20261127/71 of
/// benchmarks/random_kernels.py on an H200 (4254 GB/s), three operands of 94
/// million elements, walked apart, in 510 us beyond what it moves: 7.7 of 32
/// bytes for each.
static constexpr double kBlockPoints = 2048, kCachedPart = 0.25;
/// Side of a tile in shared memory, and the points that are worth one; what a
/// strided access counts for, and the extent below which a dimension is short;
/// bytes of columns that a block has at least: those of
/// `loop-select-gpu-schedule`.
/// @{
static constexpr double kTileSide = 64, kMinTile = 1024;
static constexpr double kStridedPenalty = 4, kShortExtent = 8;
static constexpr double kLineBytes = 128;
/// @}
/// What tiles of several dimensions take for each byte that they move: their
/// edges cut sectors, and elements are moved one by one.
static constexpr double kBoxPart = 1.125;

WalkedSpace::WalkedSpace(llvm::ArrayRef<double> extents,
                         llvm::SmallBitVector reduced,
                         llvm::ArrayRef<AccessSteps> accesses,
                         WalkingThreads threads)
    : extents(extents), reduced(std::move(reduced)), accesses(accesses),
      threads(threads) {
  join();
  for (const AccessSteps &access : this->accesses)
    if (isLarge(access))
      widest = std::max(widest, access.elementBytes);
}

void WalkedSpace::join() {
  innermost.resize(extents.size());
  std::iota(innermost.begin(), innermost.end(), 0);
  auto drop = [&](unsigned d) {
    for (AccessSteps &access : accesses)
      access.steps.erase(access.steps.begin() + d);
    extents.erase(extents.begin() + d);
    innermost.erase(innermost.begin() + d);
    llvm::SmallBitVector rest;
    for (unsigned i = 0; i < reduced.size(); ++i)
      if (i != d)
        rest.push_back(reduced[i]);
    reduced = rest;
  };
  for (unsigned d = 0; d < extents.size();)
    if (extents[d] <= 1)
      drop(d);
    else
      ++d;
  // As `loop-simplify-index` does: reduced dimensions keep their order.
  auto canJoin = [&](unsigned outer, unsigned inner) {
    return outer != inner && reduced[outer] == reduced[inner] &&
           (!reduced[outer] || outer + 1 == inner) &&
           llvm::all_of(accesses, [&](const AccessSteps &access) {
             return access.steps[outer] == access.steps[inner] * extents[inner];
           });
  };
  for (unsigned outer = 0; outer < extents.size();) {
    unsigned inner = 0;
    while (inner < extents.size() && !canJoin(outer, inner))
      ++inner;
    if (inner == extents.size()) {
      ++outer;
      continue;
    }
    extents[inner] *= extents[outer];
    drop(outer);
    outer = 0;
  }
}

double WalkedSpace::getNumPoints() const {
  return std::accumulate(extents.begin(), extents.end(), 1.0,
                         std::multiplies<>());
}

double WalkedSpace::getElements(const AccessSteps &access) const {
  double elements = 1;
  for (auto [step, extent] : llvm::zip_equal(access.steps, extents))
    if (step != 0)
      elements *= extent;
  return elements;
}

Walk WalkedSpace::getUsualWalk() const {
  Walk walk{0};
  double best = 0;
  for (unsigned d = 0; d < extents.size(); ++d) {
    double score = 0;
    for (const AccessSteps &access : accesses) {
      double step = std::abs(access.steps[d]);
      double bytes = getElements(access) * access.elementBytes;
      if (step == 1)
        score += bytes;
      else if (step != 0)
        score -= std::min(kStridedPenalty, step / 2) * bytes;
    }
    if (extents[d] < kShortExtent)
      score *= score > 0 ? 0.5 : 2;
    if (d == 0 || score >= best) {
      best = score;
      walk.laneDim = d;
    }
  }
  double most = 0;
  for (unsigned t = 0; t < extents.size(); ++t) {
    if (reduced.any() || t == walk.laneDim ||
        extents[t] * extents[walk.laneDim] < kMinTile)
      continue;
    double bytes = 0;
    for (const AccessSteps &access : accesses) {
      double step = std::abs(access.steps[walk.laneDim]);
      if (isLarge(access) && std::abs(access.steps[t]) == 1 && step != 0 &&
          step != 1)
        bytes += getElements(access) * access.elementBytes;
    }
    if (bytes > most) {
      most = bytes;
      walk.tileDim = t;
    }
  }
  return walk;
}

double WalkedSpace::getUsedPart() const {
  if (threads.processors == 0 || extents.empty())
    return 1;
  Walk walk = getUsualWalk();
  double results = 1;
  for (unsigned d = 0; d < extents.size(); ++d)
    if (!reduced[d])
      results *= extents[d];
  if (!reduced[walk.laneDim])
    results *= widest / kLineBytes;
  return std::min(1.0, std::ceil(results) / threads.processors);
}

llvm::SmallVector<double> WalkedSpace::fill(llvm::ArrayRef<unsigned> order,
                                            double points) const {
  llvm::SmallVector<double> box(extents.size(), 1);
  for (unsigned d : llvm::reverse(order)) {
    box[d] = std::min(extents[d], points);
    points = std::max(1.0, points / box[d]);
  }
  return box;
}

namespace {
/// What a box of points touches: runs of neighbours in memory.
struct Touched {
  double run, runs, elements;
  /// Bytes of whole sectors for each element of the box that is another one.
  double getBytesOfElement() const {
    return runs * std::max(kMemorySector, run) / elements;
  }
};
} // namespace

static Touched touch(const AccessSteps &access, llvm::ArrayRef<double> box) {
  llvm::SmallVector<std::pair<double, double>> sides;
  Touched result{access.elementBytes, 1, 1};
  for (auto [step, count] : llvm::zip_equal(access.steps, box))
    if (step != 0 && count > 1) {
      sides.push_back({std::abs(step) * access.elementBytes, count});
      result.elements *= count;
    }
  llvm::sort(sides);
  for (auto [step, count] : sides) {
    bool isNear = result.runs == 1 ? step <= std::max(result.run, kMemorySector)
                                   : step == result.run;
    if (isNear)
      result.run += step * (count - 1);
    else
      result.runs *= count;
  }
  return result;
}

bool WalkedSpace::isDenseInBlock(const AccessSteps &access,
                                 llvm::ArrayRef<unsigned> order) const {
  return touch(access, fill(order, kBlockPoints)).runs == 1;
}

std::optional<double> WalkedSpace::getStagedBytes(const AccessSteps &access,
                                                  unsigned lane) const {
  double column = 1;
  std::optional<unsigned> along;
  for (unsigned d : reduced.set_bits()) {
    column *= extents[d];
    if (std::abs(access.steps[d]) == 1)
      along = d;
  }
  if (access.isStore || access.steps[lane] == 0 || reduced[lane] || !along ||
      reduced.count() != 1 ||
      column * double(kStagedColumns + 1) * access.elementBytes >
          double(kStagedBytes))
    return std::nullopt;
  llvm::SmallVector<double> box(extents.size(), 1);
  box[*along] = extents[*along];
  box[lane] = std::min(extents[lane], double(kStagedColumns));
  return kBoxPart * touch(access, box).getBytesOfElement();
}

double WalkedSpace::getBytes(const AccessSteps &access, Walk walk) const {
  double elements = getElements(access);
  unsigned lane = walk.laneDim;
  // Vectors where lanes find elements next to each other, else single elements.
  bool isContiguous = std::abs(access.steps[lane]) == 1;
  double points =
      threads.warp * (isContiguous ? double(kThreadAccess) / widest : 1);
  llvm::SmallVector<unsigned> order;
  if (walk.tileDim < 0) {
    // The lanes' direction is filled first, its innermost dimension is theirs.
    for (bool same : {false, true})
      for (unsigned d = 0; d < extents.size(); ++d)
        if (d != lane && (reduced[d] == reduced[lane]) == same)
          order.push_back(d);
    order.push_back(lane);
    Touched touched = touch(access, fill(order, points));
    double bytes = touched.getBytesOfElement();
    if (std::optional<double> staged = getStagedBytes(access, lane);
        staged && !isContiguous)
      return elements * std::max(access.elementBytes, *staged);
    // Caches do not keep what is written until their sectors are full.
    if (!access.isStore && !isContiguous && isDenseInBlock(access, order))
      bytes *= kCachedPart;
    // What is read again comes from caches, as many sectors of it as lanes are
    // apart.
    double apart =
        touched.runs * std::max(kMemorySector, touched.run) -
        std::max(kMemorySector, touched.elements * access.elementBytes);
    double again = (getNumPoints() - elements) / points;
    return elements * std::max(access.elementBytes, bytes) +
           std::max(0.0, again * apart * kCachedPart);
  }
  auto tile = static_cast<unsigned>(walk.tileDim);
  // A tile has points of these two dimensions alone.
  order = {tile, lane};
  llvm::SmallVector<double> box = fill(order, points);
  if (std::abs(access.steps[tile]) == 1 && !isContiguous) {
    box[tile] = std::min(extents[tile], kTileSide);
    box[lane] = std::min(extents[lane], kTileSide * kTileSide / box[tile]);
  }
  double words = kWordBytes / access.elementBytes;
  bool isWhole = words <= 1 || (std::fmod(extents[lane], words) == 0 &&
                                std::fmod(extents[tile], words) == 0);
  return elements *
         std::max({access.elementBytes, touch(access, box).getBytesOfElement(),
                   isWhole ? 0 : kWordBytes});
}

double WalkedSpace::getBytes() const {
  if (extents.empty())
    return 0; // A single point.
  Walk walk = getUsualWalk();
  double bytes = 0;
  for (const AccessSteps &access : accesses)
    bytes += getBytes(access, walk);
  bytes /= getUsedPart();
  return hasBoxes() ? std::min(bytes, kBoxPart * getLeastBytes()) : bytes;
}

bool WalkedSpace::hasBoxes() const {
  return reduced.none() && threads.multiprocessors > 0 &&
         getNumPoints() >= kMinTile * threads.multiprocessors;
}

double WalkedSpace::getLeastBytes() const {
  double bytes = 0;
  for (const AccessSteps &access : accesses)
    bytes += getElements(access) * access.elementBytes;
  return bytes;
}
