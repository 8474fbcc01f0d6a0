//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays buffers out in pools: positions at the hints, then expressions.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/PoolLayout.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;
using sym::ExprKind;

/// How many maxima a proof may replace.
static constexpr unsigned kMaxProofSteps = 128;
/// How many leaves all attempts to find a lower layout may place.
static constexpr size_t kMaxPlacedLeaves = 1 << 16;
/// How many attempts begin with the same order.
static constexpr size_t kMaxAttempts = 64;
/// An offset of more leaves than this is not worth the pool.
static constexpr unsigned kMaxOffsetLeaves = 32;

//===----------------------------------------------------------------------===//
// Facts about expressions
//===----------------------------------------------------------------------===//

bool wrapper::isMultipleOf(ExprAttr e, int64_t divisor) {
  if (divisor == 1)
    return true;
  switch (e.getKind()) {
  case ExprKind::Constant:
    return e.getValue() % divisor == 0;
  case ExprKind::Min:
  case ExprKind::Max:
    return llvm::all_of(e.getOperands(),
                        [&](ExprAttr o) { return isMultipleOf(o, divisor); });
  case ExprKind::Add:
    return e.getValue() % divisor == 0 &&
           llvm::all_of(e.getOperands(),
                        [&](ExprAttr o) { return isMultipleOf(o, divisor); });
  case ExprKind::Mul: {
    // Each factor may bring a part of the divisor.
    int64_t rest = divisor / std::gcd(e.getValue(), divisor);
    return rest == 1 || llvm::any_of(e.getOperands(), [&](ExprAttr o) {
             return isMultipleOf(o, rest);
           });
  }
  default:
    return false;
  }
}

ExprAttr wrapper::alignTo(ExprAttr bytes, int64_t alignment) {
  if (isMultipleOf(bytes, alignment))
    return bytes;
  ExprAttr unit = sym::constant(bytes.getContext(), alignment);
  return sym::mul(sym::ceilDiv(bytes, unit), alignment);
}

static bool isNonNegative(ExprAttr e, const sym::Context &facts,
                          unsigned &steps) {
  if (facts.isNonNegative(e))
    return true;
  if (steps == 0)
    return false;
  --steps;
  // A maximum that is subtracted has to be replaced by either operand, one that
  // is added by one that will do. The former lose nothing and come first.
  ExprAttr added;
  for (const sym::Term &term : sym::getTerms(e)) {
    if (term.product.getKind() != ExprKind::Max)
      continue;
    auto replace = [&](ExprAttr operand) {
      ExprAttr difference = sym::sub(operand, term.product);
      return isNonNegative(sym::add(e, sym::mul(difference, term.coefficient)),
                           facts, steps);
    };
    if (term.coefficient < 0)
      return llvm::all_of(term.product.getOperands(), replace);
    if (!added)
      added = term.product;
  }
  if (!added)
    return false;
  for (const sym::Term &term : sym::getTerms(e)) {
    if (term.product != added)
      continue;
    return llvm::any_of(added.getOperands(), [&](ExprAttr operand) {
      ExprAttr difference = sym::sub(operand, added);
      return isNonNegative(sym::add(e, sym::mul(difference, term.coefficient)),
                           facts, steps);
    });
  }
  return false;
}

bool wrapper::isAtMost(ExprAttr a, ExprAttr b, const sym::Context &facts) {
  if (a.isConstant() && b.isConstant())
    return a.getValue() <= b.getValue();
  unsigned steps = kMaxProofSteps;
  return isNonNegative(sym::sub(b, a), facts, steps);
}

bool wrapper::endsBefore(ExprAttr begin, ExprAttr bytes, ExprAttr limit,
                         int64_t alignment, const sym::Context &facts) {
  // Limits mostly are sums of the rounded sizes, which then cancel.
  ExprAttr rounded = alignTo(bytes, alignment);
  return isAtMost(sym::add(begin, rounded), limit, facts) ||
         (rounded != bytes && isAtMost(sym::add(begin, bytes), limit, facts));
}

//===----------------------------------------------------------------------===//
// Positions at the hints
//===----------------------------------------------------------------------===//

namespace {

/// Finds leaves that share a step with another, by the parts of the program
/// that they reach into.
class Neighbours {
public:
  explicit Neighbours(ArrayRef<PoolLeaf> leaves) : leaves(leaves) {
    first = std::numeric_limits<size_t>::max();
    size_t last = 0, total = 0;
    for (const PoolLeaf &leaf : leaves) {
      first = std::min(first, leaf.begin);
      last = std::max(last, leaf.end);
      total += leaf.end - leaf.begin;
    }
    // About as long as a leaf lives.
    width = std::max<size_t>(total / std::max<size_t>(leaves.size(), 1), 8);
    parts.resize((last - std::min(first, last)) / width + 1);
    seen.resize(leaves.size(), 0);
  }

  void clear() {
    for (SmallVector<unsigned> &part : parts)
      part.clear();
  }
  void add(unsigned i) {
    for (size_t p = getPart(leaves[i].begin); p <= getPart(leaves[i].end - 1);
         ++p)
      parts[p].push_back(i);
  }
  /// Those that were added.
  SmallVector<unsigned> find(unsigned i) {
    ++round;
    SmallVector<unsigned> found;
    const PoolLeaf &leaf = leaves[i];
    for (size_t p = getPart(leaf.begin); p <= getPart(leaf.end - 1); ++p)
      for (unsigned other : parts[p])
        if (seen[other] != round && leaves[other].begin < leaf.end &&
            leaf.begin < leaves[other].end) {
          seen[other] = round;
          found.push_back(other);
        }
    return found;
  }

private:
  size_t getPart(size_t step) const { return (step - first) / width; }

  ArrayRef<PoolLeaf> leaves;
  size_t first = 0, width = 1;
  std::vector<SmallVector<unsigned>> parts;
  std::vector<unsigned> seen;
  unsigned round = 0;
};

/// Positions of leaves in numbers; -1 for what is left out.
struct Placement {
  SmallVector<int64_t> begin;
  int64_t top = std::numeric_limits<int64_t>::max();
};

} // namespace

/// What is empty at the hints need not be elsewhere.
static int64_t getHint(const PoolLeaf &leaf) {
  return std::max<int64_t>(leaf.hint, 1);
}

static Placement place(ArrayRef<PoolLeaf> leaves, ArrayRef<unsigned> order,
                       Neighbours &neighbours, int64_t room) {
  Placement placement;
  placement.begin.assign(leaves.size(), 0);
  placement.top = 0;
  neighbours.clear();
  for (unsigned i : order) {
    SmallVector<unsigned> others = neighbours.find(i);
    llvm::sort(others, [&](unsigned a, unsigned b) {
      return std::pair(placement.begin[a], a) <
             std::pair(placement.begin[b], b);
    });
    int64_t size = getHint(leaves[i]), at = 0;
    int64_t best = -1, smallest = std::numeric_limits<int64_t>::max();
    for (unsigned other : others) {
      int64_t gap = placement.begin[other] - at;
      if (gap >= size && gap < smallest) {
        best = at;
        smallest = gap;
      }
      at = std::max(at, placement.begin[other] + getHint(leaves[other]));
    }
    placement.begin[i] = best < 0 ? at : best;
    if (size > room || placement.begin[i] > room - size) {
      placement.begin[i] = -1;
      continue;
    }
    placement.top = std::max(placement.top, placement.begin[i] + size);
    neighbours.add(i);
  }
  return placement;
}

/// The most bytes that are needed at a step.
static int64_t getLargestLiveSet(ArrayRef<PoolLeaf> leaves) {
  SmallVector<std::pair<size_t, int64_t>> events;
  for (const PoolLeaf &leaf : leaves) {
    events.push_back({leaf.begin, getHint(leaf)});
    events.push_back({leaf.end, -getHint(leaf)});
  }
  llvm::sort(events); // What ends at a step comes before what begins there.
  int64_t live = 0, most = 0;
  for (auto [step, bytes] : events) {
    live += bytes;
    most = std::max(most, live);
  }
  return most;
}

/// Calls `attempt` with orders of the leaves until it says that it is content.
/// It may change the order that it was given, for the next attempt.
static void
forEachOrder(ArrayRef<PoolLeaf> leaves,
             llvm::function_ref<bool(SmallVectorImpl<unsigned> &)> attempt) {
  auto length = [&](unsigned i) {
    return static_cast<int64_t>(leaves[i].end - leaves[i].begin);
  };
  using Rank = std::pair<int64_t, int64_t>;
  // By size, then length; length, then size; begin; and space times time.
  std::function<Rank(unsigned)> ranks[] = {
      [&](unsigned i) { return Rank(-getHint(leaves[i]), -length(i)); },
      [&](unsigned i) { return Rank(-length(i), -getHint(leaves[i])); },
      [&](unsigned i) {
        return Rank(static_cast<int64_t>(leaves[i].begin), -getHint(leaves[i]));
      },
      [&](unsigned i) {
        double area = double(getHint(leaves[i])) * double(length(i));
        return Rank(-static_cast<int64_t>(std::min(area, 0x1p62)), 0);
      },
  };
  size_t budget = kMaxPlacedLeaves;
  for (const auto &rank : ranks) {
    SmallVector<unsigned> order(leaves.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(rank(a), a) < std::pair(rank(b), b);
    });
    size_t attempts = std::min(leaves.size(), kMaxAttempts);
    for (size_t i = 0; i <= attempts; ++i) {
      if (attempt(order) || budget < leaves.size())
        return;
      budget -= leaves.size();
    }
  }
}

/// Moves the entry at `index` to the front.
static void promote(SmallVectorImpl<unsigned> &order, size_t index) {
  auto at = order.begin() + static_cast<ptrdiff_t>(index);
  std::rotate(order.begin(), at, at + 1);
}

static Placement findPlacement(ArrayRef<PoolLeaf> leaves,
                               Neighbours &neighbours) {
  int64_t bound = getLargestLiveSet(leaves);
  Placement best;
  forEachOrder(leaves, [&](SmallVectorImpl<unsigned> &order) {
    Placement placement =
        place(leaves, order, neighbours, std::numeric_limits<int64_t>::max());
    // What comes to lie highest is placed first in the next attempt.
    size_t top = 0;
    while (placement.begin[order[top]] + getHint(leaves[order[top]]) !=
           placement.top)
      ++top;
    promote(order, top);
    if (placement.top < best.top)
      best = std::move(placement);
    return best.top <= bound;
  });
  return best;
}

static std::optional<Placement> findPlacement(ArrayRef<PoolLeaf> leaves,
                                              Neighbours &neighbours,
                                              const PoolRoom &room) {
  std::optional<Placement> found;
  forEachOrder(leaves, [&](SmallVectorImpl<unsigned> &order) {
    Placement placement = place(leaves, order, neighbours, room.bytes);
    SmallVector<unsigned> outside;
    for (unsigned i = 0; i < leaves.size(); ++i)
      if (placement.begin[i] < 0)
        outside.push_back(i);
    std::optional<size_t> step = room.findExcess(outside);
    if (!step) {
      found = std::move(placement);
      return true;
    }
    // The largest that was left out there is placed first in the next attempt.
    size_t largest = order.size();
    for (auto [at, i] : llvm::enumerate(order))
      if (placement.begin[i] < 0 && leaves[i].begin <= *step &&
          *step < leaves[i].end && getHint(leaves[i]) <= room.bytes &&
          (largest == order.size() ||
           getHint(leaves[i]) > getHint(leaves[order[largest]])))
        largest = at;
    if (largest < order.size())
      promote(order, largest);
    return false;
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static unsigned countLeaves(ExprAttr e) {
  unsigned count = 0;
  sym::walkLeaves(e, [&](ExprAttr) { ++count; });
  return count;
}

namespace {

/// The maximum of expressions that are not negative, without what can be shown
/// not to matter.
class Maximum {
public:
  explicit Maximum(const sym::Context &facts) : facts(&facts) {}

  void add(ExprAttr e) {
    if (llvm::any_of(operands,
                     [&](ExprAttr o) { return isAtMost(e, o, *facts); }))
      return;
    llvm::erase_if(operands,
                   [&](ExprAttr o) { return isAtMost(o, e, *facts); });
    operands.push_back(e);
  }
  ExprAttr get(MLIRContext *context) const {
    if (operands.empty())
      return sym::constant(context, 0);
    ExprAttr all = operands.front();
    for (ExprAttr o : ArrayRef(operands).drop_front())
      all = sym::max(all, o);
    return all;
  }
  bool isTooLong() const {
    unsigned leaves = 0;
    for (ExprAttr o : operands)
      leaves += countLeaves(o);
    return leaves > kMaxOffsetLeaves;
  }

private:
  const sym::Context *facts;
  SmallVector<ExprAttr> operands;
};

} // namespace

static PoolLayout getLayout(MLIRContext *context, ArrayRef<PoolLeaf> leaves,
                            const Placement &placement, Neighbours &neighbours,
                            int64_t alignment, const sym::Context &facts) {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < leaves.size(); ++i)
    if (placement.begin[i] >= 0)
      order.push_back(i);
  auto isBelow = [&](unsigned a, unsigned b) {
    return std::pair(placement.begin[a], a) < std::pair(placement.begin[b], b);
  };
  llvm::sort(order, isBelow);

  ExprAttr zero = sym::constant(context, 0);
  PoolLayout layout;
  layout.offsets.assign(leaves.size(), ExprAttr());
  Maximum bytes(facts);
  auto endsBy = [&](unsigned i, ExprAttr limit) {
    return endsBefore(layout.offsets[i], leaves[i].bytes, limit, alignment,
                      facts);
  };
  // Where the next may begin.
  auto getNext = [&](unsigned i) {
    return sym::add(layout.offsets[i], alignTo(leaves[i].bytes, alignment));
  };
  neighbours.clear();
  for (unsigned i : order) {
    SmallVector<unsigned> below = neighbours.find(i);
    // The highest first: what one of them lies on ends before it does.
    llvm::sort(below, [&](unsigned a, unsigned b) { return isBelow(b, a); });
    SmallVector<unsigned> tops;
    Maximum floor(facts);
    for (unsigned other : below) {
      bool isCovered = llvm::any_of(tops, [&](unsigned top) {
        return leaves[top].begin < leaves[other].end &&
               leaves[other].begin < leaves[top].end;
      });
      if (isCovered)
        continue;
      tops.push_back(other);
      floor.add(getNext(other));
    }
    ExprAttr offset = floor.get(context);
    if (floor.isTooLong() || !isAtMost(zero, offset, facts) ||
        !llvm::all_of(below,
                      [&](unsigned other) { return endsBy(other, offset); }))
      continue;
    layout.offsets[i] = offset;
    Maximum most = bytes;
    most.add(getNext(i));
    if (most.isTooLong()) {
      layout.offsets[i] = ExprAttr();
      continue;
    }
    bytes = std::move(most);
    neighbours.add(i);
  }
  layout.bytes = bytes.get(context);
  for (unsigned i : order)
    if (layout.offsets[i] && !endsBy(i, layout.bytes))
      layout.offsets[i] = ExprAttr();
  return layout;
}

PoolLayout wrapper::layOutPool(MLIRContext *context, ArrayRef<PoolLeaf> leaves,
                               int64_t alignment, const sym::Context &facts) {
  Neighbours neighbours(leaves);
  return getLayout(context, leaves, findPlacement(leaves, neighbours),
                   neighbours, alignment, facts);
}

std::optional<PoolLayout> wrapper::layOutPool(MLIRContext *context,
                                              ArrayRef<PoolLeaf> leaves,
                                              int64_t alignment,
                                              const sym::Context &facts,
                                              const PoolRoom &room) {
  Neighbours neighbours(leaves);
  std::optional<Placement> placement = findPlacement(leaves, neighbours, room);
  if (!placement)
    return std::nullopt;
  return getLayout(context, leaves, *placement, neighbours, alignment, facts);
}
