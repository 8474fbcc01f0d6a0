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

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace coil::loop;

/// What memory gives at least (CUDA C++ Programming Guide, "Device Memory
/// Accesses").
static constexpr double kSectorBytes = 32;
/// Side of a tile in shared memory, and the points that are worth one, both
/// those of `loop-select-gpu-schedule`.
static constexpr double kTileSide = 64, kMinTile = 1024;
/// A word of shared memory. Elements that are shorter are moved as words where
/// the sides of a tile are whole words, else each by itself, which takes as
/// long as to move a word.
static constexpr double kWordBytes = 4;
/// What a strided access counts for, and a dimension that is short, in
/// `loop-select-gpu-schedule`; columns that a block has at least there.
static constexpr double kStridedPenalty = 4, kShortExtent = 8, kLineBytes = 128;

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

double
WalkedSpace::getJoinedExtent(unsigned dim,
                             llvm::ArrayRef<AccessSteps> accesses) const {
  double extent = extents[dim];
  for (bool grows = true; grows;) {
    grows = false;
    for (unsigned d = 0; d < extents.size(); ++d)
      if (d != dim && extents[d] > 1 && reduced[d] == reduced[dim] &&
          llvm::all_of(accesses, [&](const AccessSteps &access) {
            return access.steps[d] == access.steps[dim] * extent;
          })) {
        extent *= extents[d];
        grows = true;
        break;
      }
    // Where nothing varies over `dim`, anything looks joined.
    if (extent >= getNumPoints())
      break;
  }
  return extent;
}

Walk WalkedSpace::getUsualWalk(llvm::ArrayRef<AccessSteps> accesses) const {
  Walk walk{0};
  double best = 0;
  bool isFirst = true;
  for (unsigned d = 0; d < extents.size(); ++d) {
    if (extents[d] <= 1)
      continue;
    double score = 0;
    for (const AccessSteps &access : accesses) {
      double step = std::abs(access.steps[d]);
      double bytes = getElements(access) * access.elementBytes;
      if (step == 1)
        score += bytes;
      else if (step != 0)
        score -= std::min(kStridedPenalty, step / 2) * bytes;
    }
    if (getJoinedExtent(d, accesses) < kShortExtent)
      score *= score > 0 ? 0.5 : 2;
    if (isFirst || score >= best) {
      best = score;
      walk.laneDim = d;
    }
    isFirst = false;
  }
  double most = 0;
  for (unsigned t = 0; t < extents.size(); ++t) {
    if (reduced.any() || t == walk.laneDim || extents[t] <= 1 ||
        extents[t] * extents[walk.laneDim] < kMinTile)
      continue;
    double bytes = 0;
    for (const AccessSteps &access : accesses)
      if (std::abs(access.steps[t]) == 1 && access.steps[walk.laneDim] != 0 &&
          std::abs(access.steps[walk.laneDim]) != 1 &&
          2 * getElements(access) >= getNumPoints())
        bytes += getElements(access) * access.elementBytes;
    if (bytes > most) {
      most = bytes;
      walk.tileDim = t;
    }
  }
  return walk;
}

double WalkedSpace::getUsedPart(Walk walk, double widestBytes) const {
  if (processors == 0)
    return 1;
  double results = 1;
  for (unsigned d = 0; d < extents.size(); ++d)
    if (!reduced[d])
      results *= extents[d];
  if (!reduced[walk.laneDim])
    results = results * widestBytes / kLineBytes;
  return std::min(1.0, std::ceil(results) / processors);
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

/// Bytes of the sectors that hold the elements of a box, for each element of
/// the box that is another one. Runs of neighbours take whole sectors.
static double getBytesOfElement(const AccessSteps &access,
                                llvm::ArrayRef<double> box) {
  llvm::SmallVector<std::pair<double, double>> sides;
  double elements = 1;
  for (auto [step, count] : llvm::zip_equal(access.steps, box))
    if (step != 0 && count > 1) {
      sides.push_back({std::abs(step) * access.elementBytes, count});
      elements *= count;
    }
  llvm::sort(sides);
  double run = access.elementBytes, runs = 1;
  for (auto [step, count] : sides) {
    if (runs == 1 ? step <= std::max(run, kSectorBytes) : step == run)
      run += step * (count - 1);
    else
      runs *= count;
  }
  return runs * std::max(1.0, run / kSectorBytes) * kSectorBytes / elements;
}

double WalkedSpace::getBytes(const AccessSteps &access, Walk walk) const {
  double elements = getElements(access);
  auto lane = static_cast<unsigned>(walk.laneDim);
  // The lanes' direction is filled first, its innermost dimension being theirs.
  llvm::SmallVector<unsigned> order;
  for (bool same : {false, true})
    for (unsigned d = 0; d < extents.size(); ++d)
      if (d != lane && (reduced[d] == reduced[lane]) == same)
        order.push_back(d);
  if (walk.tileDim < 0) {
    order.push_back(lane);
    return elements * std::max(access.elementBytes,
                               getBytesOfElement(access, fill(order, lanes)));
  }
  auto tile = static_cast<unsigned>(walk.tileDim);
  bool isStaged =
      std::abs(access.steps[tile]) == 1 && std::abs(access.steps[lane]) != 1;
  double bytes;
  if (isStaged) {
    unsigned sides[] = {lane, tile};
    llvm::SmallVector<double> box = fill({sides[1]}, kTileSide);
    box[lane] = std::min(extents[lane], kTileSide * kTileSide / box[tile]);
    bytes = getBytesOfElement(access, box);
  } else {
    // A tile has points of these two dimensions alone.
    unsigned sides[] = {tile, lane};
    bytes = getBytesOfElement(access, fill(sides, lanes));
  }
  double words = kWordBytes / access.elementBytes;
  bool isWhole = words <= 1 || (std::fmod(extents[lane], words) == 0 &&
                                std::fmod(extents[tile], words) == 0);
  return elements *
         std::max({access.elementBytes, bytes, isWhole ? 0 : kWordBytes});
}

double coil::loop::getCopyBytes(llvm::ArrayRef<double> sizes,
                                llvm::ArrayRef<double> from,
                                llvm::ArrayRef<double> to, double elementBytes,
                                double lanes) {
  WalkedSpace space;
  space.extents.assign(sizes.begin(), sizes.end());
  space.reduced.resize(static_cast<unsigned>(sizes.size()));
  space.lanes = lanes;
  AccessSteps load{{from.begin(), from.end()}, elementBytes},
      store{{to.begin(), to.end()}, elementBytes};
  Walk walk = space.getUsualWalk({load, store});
  return space.getBytes(load, walk) + space.getBytes(store, walk);
}
