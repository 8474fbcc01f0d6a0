//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of more than two dimensions, for kernels that reduce nothing and whose
// operands lie in several orders, or in two of which a dimension is short.
//
//===----------------------------------------------------------------------===//

#include "GPUScheduleSelector.h"

#include "BoxForm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::loop;

/// Points that are worth a block: what it takes to begin one, and a barrier, is
/// that of some points of each thread.
static constexpr int64_t kMinPoints = 2048;
/// Threads of a block, and points of each, at most (timed candidates on an
/// H200: 2,304 points by 160 threads 29 us, by 288 22).
static constexpr int64_t kMinThreads = 128, kMaxThreads = 512, kMaxItems = 13;
/// Threads of a multiprocessor that wait for memory as well as all that it can
/// hold (an H200: boxes of 1,792 points, of which shared memory has room for
/// ten, by 128 threads 116 us, by 256 79, by 512 73).
static constexpr double kEnoughResident = 0.75;
/// Elements of a tensor that is in the L1 cache anyway.
static constexpr int64_t kSmall = 4096;
/// Shared memory of a block that leaves room for five others.
static constexpr int64_t kSharedBytes = 32 * 1024;

namespace {

/// Decides about the boxes of one kernel.
class BoxSelector {
public:
  BoxSelector(KernelOp kernel, const GPUKernelLayout &layout,
              const GPUFacts &facts)
      : facts(facts), extents(getBoxExtents(kernel)),
        all(getBoxAccesses(kernel, layout)) {
    double most = 0;
    for (const BoxAccess &a : all)
      most = std::max(most, getElements(a));
    for (const BoxAccess &a : all)
      if (getElements(a) * 2 >= most)
        large.push_back(&a);
  }

  double getNumPoints() const {
    return std::accumulate(extents.begin(), extents.end(), 1.0,
                           [](double x, double y) { return x * std::abs(y); });
  }
  /// Whether all accesses but those of small tensors have steps.
  bool isLinear() const {
    return llvm::all_of(all, [](const BoxAccess &a) {
      auto load = dyn_cast<LoadOp>(a.op);
      return a.isLinear || (load && isSmall(load));
    });
  }
  /// Whether an access is scattered in memory where threads go along `dim` in
  /// vectors of `width`, and where tiles go along `transposeDim`, too, or
  /// whether such tiles have no vectors.
  bool needsBox(int64_t dim, int64_t transposeDim, int64_t width) const;
  /// The box for the order of one access, in which as many bytes as `bytes` of
  /// each access are next to each other as far as it has them; empty for one
  /// that does not fit.
  SmallVector<BoxSide> getBox(const BoxAccess &reference, int64_t bytes) const;
  /// Bytes of shared memory.
  int64_t getSharedBytes(ArrayRef<BoxSide> sides) const;
  /// Threads that take a box with few instructions, or 0 for none.
  int64_t getThreads(ArrayRef<BoxSide> sides) const;
  SmallVector<BoxSide> getBest() const;

private:
  static bool isSmall(LoadOp load) {
    auto type = cast<RankedTensorType>(load.getSource().getType());
    return type.hasStaticShape() && type.getNumElements() <= kSmall;
  }
  double getElements(const BoxAccess &access) const {
    double elements = 1;
    for (auto [step, extent] : llvm::zip_equal(access.steps, extents))
      if (step != 0)
        elements *= std::abs(extent);
    return elements;
  }
  int64_t getExtent(unsigned d) const {
    return std::max<int64_t>(1, static_cast<int64_t>(std::abs(extents[d])));
  }
  /// All dimensions with all their points.
  SmallVector<BoxSide> getSpace() const {
    SmallVector<BoxSide> sides;
    for (unsigned d = static_cast<unsigned>(extents.size()); d-- > 0;)
      if (getExtent(d) > 1)
        sides.push_back({d, getExtent(d)});
    return sides;
  }
  /// A size of about `size` that cuts a dimension into equal parts.
  int64_t balance(unsigned d, int64_t size) const;

  const GPUFacts &facts;
  SmallVector<double> extents;
  SmallVector<BoxAccess> all;
  SmallVector<const BoxAccess *> large;
};

} // namespace

bool BoxSelector::needsBox(int64_t dim, int64_t transposeDim,
                           int64_t width) const {
  // Tiles of vectors move several elements at a time, others none sooner.
  auto isConstant = [&](int64_t d) {
    return extents[static_cast<size_t>(d)] > 0;
  };
  if (transposeDim >= 0 && width == 1 && isConstant(dim) &&
      isConstant(transposeDim))
    return true;
  SmallVector<BoxSide> space = getSpace();
  std::stable_partition(space.begin(), space.end(), [&](BoxSide side) {
    return static_cast<int64_t>(side.dim) == dim;
  });
  return llvm::any_of(large, [&](const BoxAccess *a) {
    int64_t own = a->getRun(a->getOwnOrder(space), extents);
    int64_t run = a->getRun(space, extents);
    // A tile has points of its two dimensions alone.
    if (transposeDim >= 0) {
      BoxSide v{static_cast<unsigned>(dim),
                getExtent(static_cast<unsigned>(dim))};
      BoxSide t{static_cast<unsigned>(transposeDim),
                getExtent(static_cast<unsigned>(transposeDim))};
      run = std::max(a->getRun({v, t}, extents), a->getRun({t, v}, extents));
    }
    int64_t enough = transposeDim >= 0 ? kLineBytes / 2 : kSectorBytes;
    return run * a->bytes < enough && own >= 2 * run;
  });
}

int64_t BoxSelector::balance(unsigned d, int64_t size) const {
  int64_t extent = getExtent(d);
  if (extents[d] < 0 || size >= extent)
    return std::min(size, extent);
  auto parts = static_cast<int64_t>(llvm::divideCeil(extent, size));
  // A little more may divide it.
  for (int64_t s = size; s <= size + size / 2; ++s)
    if (extent % s == 0)
      return s;
  return static_cast<int64_t>(llvm::divideCeil(extent, parts));
}

SmallVector<BoxSide> BoxSelector::getBox(const BoxAccess &reference,
                                         int64_t bytes) const {
  SmallVector<BoxSide> space = getSpace();
  SmallVector<int64_t> sizes(extents.size(), 1);
  for (const BoxAccess *a : large) {
    auto need = static_cast<int64_t>(llvm::divideCeil(bytes, a->bytes));
    double next = 1;
    for (BoxSide side : a->getOwnOrder(space)) {
      if (need <= 1 || std::abs(a->steps[side.dim]) != next)
        break;
      int64_t size = std::min(side.size, need);
      sizes[side.dim] = std::max(sizes[side.dim], size);
      if (size < side.size)
        break;
      need = static_cast<int64_t>(llvm::divideCeil(need, side.size));
      next *= std::abs(extents[side.dim]);
    }
  }
  SmallVector<BoxSide> order = reference.getOwnOrder(space);
  for (BoxSide side : space)
    if (reference.steps[side.dim] == 0)
      order.push_back(side);
  int64_t points = 1;
  for (BoxSide &side : order) {
    side.size = balance(side.dim, sizes[side.dim]);
    points *= side.size;
  }
  // Small boxes grow along what the reference has next to each other.
  for (BoxSide &side : order) {
    if (4 * points >= 3 * kMinPoints)
      break;
    auto more = static_cast<int64_t>(llvm::divideCeil(kMinPoints, points));
    int64_t size =
        balance(side.dim, std::min(getExtent(side.dim), side.size * more));
    points = points / side.size * size;
    side.size = size;
  }
  if (points > GPUScheduleAttr::kMaxBoxItems * kMaxThreads)
    return {};
  llvm::erase_if(order, [](BoxSide side) { return side.size == 1; });
  return order;
}

int64_t BoxSelector::getSharedBytes(ArrayRef<BoxSide> sides) const {
  int64_t bytes = 0;
  for (const BoxAccess &a : all)
    if (a.isStaged(sides, extents))
      bytes += getBoxPlaces(a, sides).elements * a.bytes;
  return bytes;
}

int64_t BoxSelector::getThreads(ArrayRef<BoxSide> sides) const {
  SmallVector<SmallVector<BoxSide>> orders;
  orders.emplace_back(sides.begin(), sides.end());
  for (const BoxAccess &a : all)
    if (a.isStaged(sides, extents))
      orders.push_back(a.getOwnOrder(sides));
  int64_t best = 0, shared = getSharedBytes(sides);
  double least = 0;
  for (int64_t threads = kMinThreads; threads <= kMaxThreads; threads += 32) {
    double cost = 0;
    bool fits = true;
    for (const SmallVector<BoxSide> &order : orders) {
      BoxOrder o = getBoxOrder(order, threads);
      fits &= o.getNumItems() <= kMaxItems;
      cost += o.getCost() * static_cast<double>(threads);
    }
    // Where shared memory leaves room for few blocks, these have more threads.
    int64_t resident = threads * facts.countBlocks(threads, shared);
    cost *=
        std::max(1.0, kEnoughResident * static_cast<double>(facts.threads) /
                          static_cast<double>(std::max<int64_t>(1, resident)));
    if (fits && (best == 0 || cost < least)) {
      best = threads;
      least = cost;
    }
  }
  return best;
}

SmallVector<BoxSide> BoxSelector::getBest() const {
  for (int64_t bytes = kLineBytes; bytes >= kSectorBytes / 2; bytes /= 2) {
    SmallVector<BoxSide> best;
    int64_t least = 0;
    // Stores come last and win between equals.
    for (const BoxAccess *a : llvm::reverse(large)) {
      SmallVector<BoxSide> sides = getBox(*a, bytes);
      if (sides.empty() || getThreads(sides) == 0)
        continue;
      int64_t points = 1;
      for (BoxSide side : sides)
        points *= side.size;
      int64_t shared = getSharedBytes(sides);
      if (shared > kSharedBytes)
        continue;
      int64_t cost = shared * kMinPoints / points;
      if (best.empty() || cost < least) {
        best = sides;
        least = cost;
      }
    }
    if (!best.empty())
      return best;
  }
  return {};
}

bool Selector::selectBox() {
  BoxSelector selector(kernel, layout, facts);
  if (dim < 0 || !selector.isLinear() ||
      selector.getNumPoints() < static_cast<double>(kMinPoints * processors) ||
      !selector.needsBox(dim, transposeDim, width))
    return false;
  SmallVector<BoxSide> sides = selector.getBest();
  if (sides.size() < 2)
    return false;
  SmallVector<int64_t> dims, sizes;
  for (BoxSide side : sides) {
    dims.push_back(side.dim);
    sizes.push_back(side.size);
  }
  threadsP = selector.getThreads(sides);
  dim = dims.front();
  width = 1;
  transposeDim = alignTo = -1;
  MLIRContext *context = kernel.getContext();
  boxDims = DenseI64ArrayAttr::get(context, dims);
  box = DenseI64ArrayAttr::get(context, sizes);
  return true;
}
