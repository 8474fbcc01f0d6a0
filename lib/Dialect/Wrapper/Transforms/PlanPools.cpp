//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which buffers are carved from pools, and where they lie in them.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "wrapper-plan-memory"

using namespace mlir;
using namespace coil;
using namespace coil::wrapper;
using sym::ExprAttr;

/// So many buffers are laid out together at most; longer programs are cut into
/// parts, so that planning stays linear in their length.
static constexpr size_t kMaxLeaves = 2048;
/// How many sizes are tried for a pool that cannot hold all of them.
static constexpr size_t kMaxRooms = 8;

/// What may be carved from a pool: storage that the block allocates itself and
/// that nobody takes over. A pool begins where its first buffer does, so what
/// has a size that is only known later starts a pool of its own.
std::vector<Planner::Leaf> Planner::collectLeaves(Block &block) {
  // Symbols that the block binds; others are known before it begins.
  llvm::DenseMap<ExprAttr, size_t> bound;
  for (Operation &op : block)
    for (StringRef name : getBoundSymbols(&op))
      bound[sym::symbol(op.getContext(), name)] = lifetimes->getLastStep(&op);
  std::vector<Leaf> leaves;
  for (AllocOp alloc : block.getOps<AllocOp>()) {
    auto *it = buffers.find(alloc);
    if (it == buffers.end() || it->second.inPlaceOf)
      continue;
    Leaf leaf;
    bool isTaken = false;
    for (PlannedBuffer *b = &it->second; b; b = b->inPlaceBy) {
      leaf.chain.push_back(b);
      isTaken |= b->life.isTaken;
    }
    std::tie(leaf.device, leaf.bytes) = getKey(alloc);
    if (isTaken || !facts.isNonNegative(leaf.bytes))
      continue;
    leaf.begin = leaf.chain.front()->life.begin;
    leaf.end = leaf.chain.back()->life.end;
    sym::walkLeaves(leaf.bytes, [&](ExprAttr symbol) {
      if (auto found = bound.find(symbol); found != bound.end())
        leaf.available = std::max(leaf.available, found->second);
    });
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

void Planner::planPools(Block &block, Timeline &timeline) {
  int64_t limit = timeline.max(0, lifetimes->getNumSteps());
  llvm::MapVector<DeviceAttr, std::vector<Leaf>> byDevice;
  for (Leaf &leaf : collectLeaves(block))
    byDevice[leaf.device].push_back(std::move(leaf));
  for (auto &[device, leaves] : byDevice)
    for (size_t first = 0; first < leaves.size(); first += kMaxLeaves) {
      auto begin = leaves.begin() + static_cast<ptrdiff_t>(first);
      auto end =
          leaves.begin() +
          static_cast<ptrdiff_t>(std::min(first + kMaxLeaves, leaves.size()));
      planPools({std::make_move_iterator(begin), std::make_move_iterator(end)},
                timeline, limit);
    }
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        planPools(inner, timeline);
}

/// How large a pool that has to be `excess` smaller could be, the largest
/// first: at the peak some buffer is outside, so the sizes of buffers say how
/// much.
static SmallVector<int64_t> getSmallerRooms(ArrayRef<int64_t> sizes,
                                            int64_t bytes, int64_t excess) {
  SmallVector<int64_t> less = {excess};
  for (int64_t size : sizes)
    if (size > excess)
      less.push_back(size);
  llvm::sort(less);
  less.erase(llvm::unique(less), less.end());
  SmallVector<int64_t> rooms;
  for (int64_t l : ArrayRef(less).take_front(kMaxRooms))
    if (l < bytes)
      rooms.push_back(bytes - l);
  return rooms;
}

/// Puts leaves into one pool if the peak allows it, else as many as fit into a
/// smaller one, else into several that live shorter: what ends before the worst
/// step, what is alive at it, and what begins behind it.
void Planner::planPools(std::vector<Leaf> leaves, Timeline &timeline,
                        int64_t limit) {
  if (leaves.size() < 2)
    return;
  size_t begin = leaves.front().begin; // They are in the order of allocation.
  std::vector<Leaf> parts[3];
  auto split = [&](llvm::function_ref<unsigned(const Leaf &)> part) {
    for (Leaf &leaf : leaves)
      parts[part(leaf)].push_back(std::move(leaf));
    for (std::vector<Leaf> &list : parts)
      planPools(std::move(list), timeline, limit);
  };
  if (llvm::any_of(leaves, [&](const Leaf &l) { return l.available > begin; }))
    return split([&](const Leaf &l) { return l.available > begin; });

  DeviceAttr device = leaves.front().device;
  SmallVector<PoolLeaf> shapes;
  for (const Leaf &leaf : leaves)
    shapes.push_back(
        {leaf.begin, leaf.end, leaf.bytes, leaf.chain.front()->bytes});
  int64_t alignment = getAlignment(device);
  PoolLayout layout = layOutPool(fn.getContext(), shapes, alignment, facts);
  PoolUse use = getUse(leaves, layout);
  if (use.inside.size() >= 2) {
    account(use, timeline, 1);
    auto [most, worst] = timeline.find(use.begin, use.end);
    if (most > limit) {
      // The program needs the memory for something else then. In less room for
      // as long, what does not fit being allocated by itself?
      account(use, timeline, -1);
      std::optional<PoolLayout> smaller;
      SmallVector<int64_t> sizes;
      for (const PoolLeaf &shape : shapes)
        sizes.push_back(shape.hint);
      for (int64_t bytes : getSmallerRooms(sizes, use.bytes, most - limit))
        if (!smaller)
          smaller = layOutInLess(leaves, shapes, bytes, timeline, limit);
      if (!smaller) {
        size_t step = worst;
        return split([&](const Leaf &leaf) {
          return leaf.end <= step ? 0 : leaf.begin <= step ? 1 : 2;
        });
      }
      layout = std::move(*smaller);
      use = getUse(leaves, layout);
      account(use, timeline, 1);
    }
    makePool(use.inside, layout);
  }
  // What was left out, unless that is everything.
  std::vector<Leaf> rest;
  for (auto [leaf, offset] : llvm::zip(leaves, layout.offsets))
    if (!offset)
      rest.push_back(std::move(leaf));
  if (rest.size() < leaves.size())
    planPools(std::move(rest), timeline, limit);
}

Planner::PoolUse Planner::getUse(MutableArrayRef<Leaf> leaves,
                                 const PoolLayout &layout) {
  PoolUse use;
  for (auto [leaf, offset] : llvm::zip(leaves, layout.offsets)) {
    if (!offset)
      continue;
    if (use.inside.empty())
      use.begin = leaf.begin;
    use.inside.push_back({&leaf, offset});
    use.end = std::max(use.end, leaf.end);
    use.bytes = getBytes(layout.bytes, leaf.device);
  }
  return use;
}

/// Replaces the buffers in a pool by the pool, or takes that back.
void Planner::account(const PoolUse &use, Timeline &timeline, int64_t sign) {
  for (auto [leaf, offset] : use.inside)
    timeline.add(leaf->begin, leaf->end, -sign * leaf->chain.front()->bytes);
  timeline.add(use.begin, use.end, sign * use.bytes);
}

std::optional<PoolLayout>
Planner::layOutInLess(MutableArrayRef<Leaf> leaves, ArrayRef<PoolLeaf> shapes,
                      int64_t bytes, Timeline &timeline, int64_t limit) {
  size_t begin = leaves.front().begin, end = begin;
  auto add = [&](const Leaf &leaf, int64_t sign) {
    timeline.add(leaf.begin, leaf.end, sign * leaf.chain.front()->bytes);
    end = std::max(end, leaf.end);
  };
  for (const Leaf &leaf : leaves)
    add(leaf, -1);
  PoolRoom room;
  room.bytes = bytes;
  auto findExcess = [&](ArrayRef<unsigned> outside) -> std::optional<size_t> {
    for (unsigned i : outside)
      add(leaves[i], 1);
    auto [most, step] = timeline.find(begin, end);
    for (unsigned i : outside)
      add(leaves[i], -1);
    return most + bytes <= limit ? std::nullopt : std::optional(step);
  };
  room.findExcess = findExcess;
  std::optional<PoolLayout> layout =
      layOutPool(fn.getContext(), shapes, getAlignment(leaves.front().device),
                 facts, room);
  for (const Leaf &leaf : leaves)
    add(leaf, 1);
  if (!layout)
    return std::nullopt;
  // Expressions may leave more out than numbers did.
  PoolUse use = getUse(leaves, *layout);
  if (use.inside.size() < 2)
    return std::nullopt;
  account(use, timeline, 1);
  bool fits = timeline.max(use.begin, use.end) <= limit;
  account(use, timeline, -1);
  return fits ? std::move(layout) : std::nullopt;
}

void Planner::makePool(ArrayRef<std::pair<Leaf *, ExprAttr>> leaves,
                       const PoolLayout &layout) {
  Pool &pool = pools.emplace_back();
  Leaf *first = leaves.front().first;
  OpBuilder b(first->chain.front()->alloc);
  Location loc = first->chain.front()->alloc.getLoc();
  auto type = PoolType::get(fn.getContext(), first->device);
  pool.op = PoolOp::create(b, loc, type, layout.bytes);
  int64_t sum = 0;
  for (auto [leaf, offset] : leaves) {
    PlannedBuffer &buffer = *leaf->chain.front();
    AllocOp alloc = buffer.alloc;
    b.setInsertionPoint(alloc);
    auto carve = PoolAllocOp::create(b, alloc.getLoc(), alloc.getType(),
                                     pool.op, offset);
    carve->setDiscardableAttrs(alloc->getDiscardableAttrDictionary());
    alloc.getResult().replaceAllUsesWith(carve);
    buffer.value = carve;
    for (PlannedBuffer *member : leaf->chain)
      member->isInPool = true;
    pool.leaves.push_back(leaf->chain.back());
    sum += buffer.bytes;
  }
  remark::passed(loc, remark::RemarkOpts::name("Pooled").category(DEBUG_TYPE))
      << remark::add("pooled: {0} buffers of {1} bytes in '{2}' bytes",
                     leaves.size(), sum, layout.bytes.str())
      << remark::metric("Bytes", getBytes(layout.bytes, type.getDevice()));
}

void Planner::freePools() {
  for (Pool &pool : pools) {
    Operation *last = nullptr;
    for (PlannedBuffer *buffer : pool.leaves) {
      Operation *release = releases.at(buffer->value);
      if (!last || last->isBeforeInBlock(release))
        last = release;
    }
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    PoolFreeOp::create(b, last->getLoc(), pool.op);
  }
}
