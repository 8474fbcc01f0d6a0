//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders and places of the strategy `box`.
//
//===----------------------------------------------------------------------===//

#include "BoxForm.h"

#include "coil/Dialect/Loop/Analysis/Hints.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace coil;
using namespace coil::loop;
using sym::ExprAttr;

/// Lanes of a warp whose banks are compared, and the banks that there are: of a
/// word each (CUDA C++ Programming Guide, "Shared Memory").
static constexpr int64_t kLanes = 32, kBanks = 32;
/// Elements of a box that are worth a place in shared memory: two warps'.
static constexpr int64_t kMinStaged = 64;
/// Instructions of a thread before its first item, of an item whatever its
/// order, and of a division by a constant and what follows it (counted in the
/// code of permuted/20261205/101 of benchmarks/random_kernels.py).
static constexpr double kThreadCost = 50, kItemCost = 8, kDivisionCost = 5;

bool BoxOrder::isPeriodic() const {
  return groups == 1 || numInner + 1 >= sides.size() ||
         sides[numInner].size % groups == 0;
}

double BoxOrder::getCost() const {
  double divisions =
      isPeriodic() ? 0 : static_cast<double>(sides.size() - numInner - 1);
  return kThreadCost + static_cast<double>(getNumItems()) *
                           (kItemCost + kDivisionCost * divisions);
}

BoxOrder loop::getBoxOrder(ArrayRef<BoxSide> sides, int64_t threads) {
  BoxOrder best;
  double least = 0;
  int64_t total = 1;
  for (BoxSide side : sides)
    total *= side.size;
  int64_t inner = 1;
  for (unsigned n = 0; n <= sides.size(); ++n) {
    if (n > 0)
      inner *= sides[n - 1].size;
    if (inner > threads)
      break;
    BoxOrder order;
    order.sides.assign(sides.begin(), sides.end());
    order.numInner = n;
    order.inner = inner;
    order.outer = total / inner;
    order.groups = std::min(order.outer, threads / inner);
    if (n == 0 || order.getCost() < least) {
      best = order;
      least = order.getCost();
    }
  }
  return best;
}

int64_t BoxAccess::getRun(ArrayRef<BoxSide> sides,
                          ArrayRef<double> extents) const {
  int64_t run = 1;
  double next = 1;
  for (BoxSide side : sides) {
    double step = std::abs(steps[side.dim]);
    if (step == 0 || side.size == 1)
      continue;
    if (step != next)
      break;
    run *= side.size;
    if (static_cast<double>(side.size) != extents[side.dim])
      break;
    next *= extents[side.dim];
  }
  return run;
}

SmallVector<BoxSide> BoxAccess::getOwnOrder(ArrayRef<BoxSide> sides) const {
  SmallVector<BoxSide> order;
  for (BoxSide side : sides)
    if (steps[side.dim] != 0)
      order.push_back(side);
  llvm::stable_sort(order, [&](BoxSide a, BoxSide b) {
    return std::abs(steps[a.dim]) < std::abs(steps[b.dim]);
  });
  return order;
}

bool BoxAccess::isStaged(ArrayRef<BoxSide> sides,
                         ArrayRef<double> extents) const {
  if (!isLinear)
    return false;
  SmallVector<BoxSide> own = getOwnOrder(sides);
  int64_t elements = 1;
  for (BoxSide side : own)
    elements *= side.size;
  int64_t run = getRun(sides, extents);
  return elements >= kMinStaged && run * bytes < kSectorBytes &&
         getRun(own, extents) >= 2 * run;
}

/// Whether a load is inside of its operand at all points, whatever its mask is.
static bool isInside(LoadOp load, const sym::Context &context) {
  SmallVector<ExprAttr> sizes =
      sym::getSizes(cast<RankedTensorType>(load.getSource().getType()));
  return llvm::all_of(
      llvm::zip_equal(load.getIndices().getDims(), sizes), [&](auto pair) {
        auto [index, size] = pair;
        return context.isNonNegative(index) && context.isLess(index, size);
      });
}

SmallVector<BoxAccess> loop::getBoxAccesses(KernelOp kernel,
                                            const GPUKernelLayout &layout) {
  Hints hints(kernel);
  std::vector<VectorForm> forms;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d)
    forms.emplace_back(kernel, layout, d, 2);
  DimDependence dependence(kernel);
  sym::Context context = sym::Context::forOp(kernel);
  context.setDimExtents(kernel.getDims().getDims());
  SmallVector<BoxAccess> accesses;
  for (Operation &op : *kernel.getBlock()) {
    BoxAccess access;
    access.op = &op;
    auto load = dyn_cast<LoadOp>(op);
    if (load)
      access.scalar = load.getType();
    else if (auto store = dyn_cast<StoreOp>(op))
      access.scalar = store.getValue().getType();
    else
      continue;
    access.bytes =
        std::max<int64_t>(1, access.scalar.getIntOrFloatBitWidth() / 8);
    access.isLinear = !load || load.getArgs().empty();
    for (const VectorForm &form : forms) {
      LaneAddress address = form.getAddress(&op);
      access.isLinear &= static_cast<bool>(address.step);
      access.steps.push_back(address.step ? hints(address.step) : 0);
    }
    if (load && load.getMask()) {
      llvm::SmallBitVector varies = dependence[load.getMask()];
      if (load.getOther())
        varies |= dependence[load.getOther()];
      for (unsigned d : varies.set_bits())
        access.choosesAtPoints |=
            access.steps[d] == 0 && !kernel.getExtent(d).isConstant(1);
      access.isLinear &= !access.choosesAtPoints || isInside(load, context);
    }
    accesses.push_back(std::move(access));
  }
  return accesses;
}

SmallVector<double> loop::getBoxExtents(KernelOp kernel) {
  Hints hints(kernel);
  SmallVector<double> extents;
  for (unsigned d = 0; d < kernel.getNumDims(); ++d) {
    ExprAttr extent = kernel.getExtent(d);
    extents.push_back(extent.isConstant() ? hints(extent) : -hints(extent));
  }
  return extents;
}

/// Pieces of memory that all accesses have where successive blocks cover
/// `covered` of the kernel's points.
static double countPieces(ArrayRef<BoxAccess> accesses,
                          ArrayRef<BoxSide> covered, ArrayRef<double> extents) {
  double pieces = 0;
  for (const BoxAccess &a : accesses) {
    double elements = 1;
    for (auto [step, extent] : llvm::zip_equal(a.steps, extents))
      if (step != 0)
        elements *= extent;
    pieces += elements /
              static_cast<double>(a.getRun(a.getOwnOrder(covered), extents));
  }
  return pieces;
}

SmallVector<unsigned> loop::getBoxBlockOrder(ArrayRef<BoxAccess> accesses,
                                             ArrayRef<BoxSide> sides,
                                             ArrayRef<double> hints,
                                             int64_t blocks) {
  // A size that is not constant is as likely as one that is.
  auto extents =
      llvm::map_to_vector(hints, [](double e) { return std::abs(e); });
  SmallVector<double> sizes(extents.size(), 1);
  for (BoxSide side : sides)
    sizes[side.dim] = static_cast<double>(side.size);
  // Candidates, the innermost dimension first: that of the box, and those of
  // the accesses.
  std::vector<SmallVector<unsigned>> orders(1);
  for (BoxSide side : sides)
    orders.front().push_back(side.dim);
  SmallVector<BoxSide> space;
  for (unsigned d = static_cast<unsigned>(extents.size()); d-- > 0;)
    space.push_back({d, 1});
  for (const BoxAccess &a : llvm::reverse(accesses)) {
    SmallVector<unsigned> &order = orders.emplace_back();
    for (BoxSide side : a.getOwnOrder(space))
      order.push_back(side.dim);
  }
  SmallVector<unsigned> best;
  double least = 0;
  for (SmallVector<unsigned> &order : orders) {
    for (BoxSide side : space)
      if (!llvm::is_contained(order, side.dim))
        order.push_back(side.dim);
    SmallVector<BoxSide> covered;
    auto left = static_cast<double>(std::max<int64_t>(1, blocks));
    for (unsigned d : order) {
      covered.push_back({d, static_cast<int64_t>(std::min(
                                extents[d], sizes[d] * std::ceil(left)))});
      left = std::max(1.0, left * sizes[d] / extents[d]);
    }
    double pieces = countPieces(accesses, covered, extents);
    if (best.empty() || pieces < least) {
      best = order;
      least = pieces;
    }
  }
  std::reverse(best.begin(), best.end());
  return best;
}

/// How often shared memory serves a warp whose lanes go over the first points
/// of an order.
static int64_t countWavefronts(ArrayRef<BoxSide> order, const BoxPlaces &places,
                               int64_t bytes) {
  std::set<int64_t> words;
  SmallVector<int64_t> ofBank(kBanks, 0);
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    int64_t rest = lane, place = 0;
    for (BoxSide side : order) {
      place += rest % side.size * places.steps[side.dim];
      rest /= side.size;
    }
    int64_t word = place * bytes / kWordBytes;
    if (words.insert(word).second)
      ++ofBank[static_cast<size_t>(word % kBanks)];
  }
  return *llvm::max_element(ofBank);
}

BoxPlaces loop::getBoxPlaces(const BoxAccess &access, ArrayRef<BoxSide> sides) {
  SmallVector<BoxSide> own = access.getOwnOrder(sides);
  SmallVector<BoxSide> order;
  for (BoxSide side : sides)
    if (access.steps[side.dim] != 0)
      order.push_back(side);
  // Gaps behind the first side and behind the second one: up to a word's
  // elements and one each, so that any remainder of a bank can be had.
  int64_t most = std::max<int64_t>(1, kWordBytes / access.bytes) + 1;
  BoxPlaces best;
  int64_t fewest = 0;
  for (int64_t first = 0; first <= most; ++first)
    for (int64_t second = 0; second <= (order.size() > 2 ? most : 0);
         ++second) {
      BoxPlaces places;
      places.steps.assign(access.steps.size(), 0);
      for (auto [i, side] : llvm::enumerate(order)) {
        places.steps[side.dim] = places.elements;
        places.elements *= side.size;
        if (i == 0 && order.size() > 1)
          places.elements += first;
        if (i == 1 && order.size() > 2)
          places.elements += second;
      }
      int64_t count = countWavefronts(own, places, access.bytes) +
                      countWavefronts(order, places, access.bytes);
      if (fewest == 0 || count < fewest) {
        fewest = count;
        best = places;
      }
    }
  return best;
}
