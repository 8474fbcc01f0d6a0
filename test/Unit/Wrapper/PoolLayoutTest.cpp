//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts of random pools: no two buffers that are alive at once may share a
// byte, for any values of the symbols; and few bytes may be lost.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Wrapper/Analysis/PoolLayout.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <random>

using namespace coil;
using namespace coil::wrapper;
using namespace mlir;
using sym::ExprAttr;

namespace {

constexpr int64_t kAlignment = 64;

class PoolLayoutTest : public testing::Test {
protected:
  PoolLayoutTest() {
    context.loadDialect<WrapperDialect>();
    for (const char *name : {"s0", "s1", "s2"})
      facts.setSymbol(name, {0, 1 << 20});
  }

  int pick(int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
  }

  ExprAttr symbol(int i) {
    return sym::symbol(&context, "s" + std::to_string(i));
  }

  int64_t evaluate(ExprAttr e, llvm::ArrayRef<int64_t> symbols) {
    auto value = sym::evaluate(e, [&](ExprAttr leaf) -> std::optional<int64_t> {
      return symbols[static_cast<size_t>(leaf.getName()[1] - '0')];
    });
    EXPECT_TRUE(value.has_value());
    return value.value_or(0);
  }

  ExprAttr randomSize(bool isStatic) {
    ExprAttr size = sym::constant(&context, pick(0, 3) == 0 ? pick(0, 9) * 4
                                                            : pick(1, 40) * 64);
    if (isStatic)
      return size;
    switch (pick(0, 4)) {
    case 0:
      return size;
    case 1:
      return sym::mul(symbol(pick(0, 2)), 4);
    case 2:
      return sym::mul(symbol(pick(0, 2)), 64 * pick(1, 4));
    case 3:
      return sym::mul(sym::mul(symbol(pick(0, 2)), symbol(pick(0, 2))), 4);
    default:
      return sym::add(sym::mul(symbol(pick(0, 2)), 8), size);
    }
  }

  std::vector<PoolLeaf> randomLeaves(int count, bool isStatic) {
    std::vector<PoolLeaf> leaves;
    for (int i = 0; i < count; ++i) {
      PoolLeaf leaf;
      leaf.begin = static_cast<size_t>(2 * i);
      // Mostly short lives, as in programs.
      int length = pick(0, 5) == 0 ? pick(1, 2 * count) : pick(1, 9);
      leaf.end = leaf.begin + static_cast<size_t>(length);
      leaf.bytes = randomSize(isStatic);
      leaf.hint = evaluate(wrapper::alignTo(leaf.bytes, kAlignment), hints);
      leaves.push_back(leaf);
    }
    return leaves;
  }

  /// Fails where a layout is wrong for these values of the symbols.
  void check(llvm::ArrayRef<PoolLeaf> leaves, const PoolLayout &layout,
             llvm::ArrayRef<int64_t> symbols) {
    ASSERT_EQ(layout.offsets.size(), leaves.size());
    int64_t bytes = evaluate(layout.bytes, symbols);
    EXPECT_EQ(bytes % kAlignment, 0);
    struct Range {
      size_t leaf;
      int64_t begin, end;
    };
    std::vector<Range> ranges;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!layout.offsets[i])
        continue;
      EXPECT_TRUE(isMultipleOf(layout.offsets[i], kAlignment));
      int64_t begin = evaluate(layout.offsets[i], symbols);
      int64_t end = begin + evaluate(leaves[i].bytes, symbols);
      EXPECT_EQ(begin % kAlignment, 0);
      EXPECT_GE(begin, 0);
      EXPECT_LE(end, bytes)
          << layout.offsets[i].str() << " + " << leaves[i].bytes.str() << " in "
          << layout.bytes.str();
      for (const Range &other : ranges) {
        const PoolLeaf &a = leaves[i], &b = leaves[other.leaf];
        if (a.begin < b.end && b.begin < a.end && begin < other.end &&
            other.begin < end)
          ADD_FAILURE() << "leaves " << i << " and " << other.leaf
                        << " share bytes";
      }
      if (begin < end)
        ranges.push_back({i, begin, end});
    }
  }

  static int64_t getLiveSet(llvm::ArrayRef<PoolLeaf> leaves) {
    int64_t most = 0;
    for (const PoolLeaf &at : leaves) {
      int64_t live = 0;
      for (const PoolLeaf &leaf : leaves)
        if (leaf.begin <= at.begin && at.begin < leaf.end)
          live += leaf.hint;
      most = std::max(most, live);
    }
    return most;
  }

  MLIRContext context;
  sym::Context facts;
  std::mt19937 random{7};
  std::vector<int64_t> hints = {32, 100, 7};
};

} // namespace

TEST_F(PoolLayoutTest, SymbolicLeavesStayApartForAllValues) {
  size_t placed = 0, all = 0;
  for (int round = 0; round < 120; ++round) {
    std::vector<PoolLeaf> leaves = randomLeaves(pick(1, 40), false);
    PoolLayout layout = layOutPool(&context, leaves, kAlignment, facts);
    check(leaves, layout, hints);
    for (int i = 0; i < 30; ++i)
      check(leaves, layout,
            {pick(0, 300), pick(0, 300), pick(0, 2) * pick(0, 9)});
    check(leaves, layout, {0, 0, 0});
    check(leaves, layout, {1 << 20, 1 << 20, 1 << 20});
    all += leaves.size();
    placed += static_cast<size_t>(
        llvm::count_if(layout.offsets, [](ExprAttr e) { return bool(e); }));
  }
  // Leaving everything out would be right, too.
  EXPECT_GE(placed, all * 6 / 10) << "of " << all;
}

TEST_F(PoolLayoutTest, StaticLeavesAreLaidOutTightly) {
  double sum = 0;
  const int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    std::vector<PoolLeaf> leaves = randomLeaves(pick(2, 60), true);
    PoolLayout layout = layOutPool(&context, leaves, kAlignment, facts);
    check(leaves, layout, {});
    EXPECT_FALSE(llvm::is_contained(layout.offsets, ExprAttr()));
    auto live = static_cast<double>(getLiveSet(leaves));
    auto bytes = static_cast<double>(layout.bytes.getValue());
    EXPECT_GE(bytes, live);
    EXPECT_LE(bytes, 1.25 * live);
    sum += bytes / live;
  }
  EXPECT_LE(sum / rounds, 1.02);
}

TEST_F(PoolLayoutTest, NestedLivesLoseNothing) {
  std::vector<PoolLeaf> leaves;
  for (size_t i = 0; i < 20; ++i)
    leaves.push_back({i, 100 - i,
                      sym::constant(&context, 64 * (1 + int64_t(i) % 7)),
                      64 * (1 + int64_t(i) % 7)});
  PoolLayout layout = layOutPool(&context, leaves, kAlignment, facts);
  check(leaves, layout, {});
  EXPECT_EQ(layout.bytes.getValue(), getLiveSet(leaves));
}

TEST_F(PoolLayoutTest, LessRoomLeavesSomeOut) {
  int found = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<PoolLeaf> leaves = randomLeaves(pick(5, 40), round % 2 == 0);
    int64_t live = getLiveSet(leaves);
    PoolRoom room;
    room.bytes = live / 2 / kAlignment * kAlignment;
    // Whatever is outside and the pool take no more than all needed before.
    auto findExcess =
        [&](llvm::ArrayRef<unsigned> outside) -> std::optional<size_t> {
      for (unsigned at : outside) {
        int64_t bytes = room.bytes;
        for (unsigned i : outside)
          if (leaves[i].begin <= leaves[at].begin &&
              leaves[at].begin < leaves[i].end)
            bytes += leaves[i].hint;
        if (bytes > live)
          return leaves[at].begin;
      }
      return std::nullopt;
    };
    room.findExcess = findExcess;
    auto layout = layOutPool(&context, leaves, kAlignment, facts, room);
    if (!layout)
      continue;
    ++found;
    check(leaves, *layout, hints);
    check(leaves, *layout, {300, 5, 80});
    EXPECT_LE(evaluate(layout->bytes, hints), room.bytes);
  }
  EXPECT_GE(found, 8);
}

TEST_F(PoolLayoutTest, Alignment) {
  ExprAttr s0 = symbol(0);
  EXPECT_TRUE(isMultipleOf(sym::mul(s0, 128), 64));
  EXPECT_FALSE(isMultipleOf(sym::mul(s0, 96), 64));
  EXPECT_FALSE(isMultipleOf(s0, 64));
  EXPECT_TRUE(isMultipleOf(sym::add(sym::mul(s0, 64), 64), 64));
  EXPECT_FALSE(isMultipleOf(sym::add(sym::mul(s0, 64), 32), 64));
  EXPECT_TRUE(isMultipleOf(
      sym::max(sym::mul(s0, 64), sym::constant(&context, 128)), 64));
  EXPECT_TRUE(isMultipleOf(
      sym::mul(sym::max(sym::mul(s0, 16), sym::mul(symbol(1), 32)), 4), 64));
  EXPECT_EQ(wrapper::alignTo(sym::constant(&context, 65), 64).getValue(), 128);
  EXPECT_EQ(wrapper::alignTo(sym::mul(s0, 64), 64), sym::mul(s0, 64));
  ExprAttr rounded = wrapper::alignTo(sym::mul(s0, 4), 64);
  EXPECT_EQ(evaluate(rounded, {16}), 64);
  EXPECT_EQ(evaluate(rounded, {17}), 128);
  EXPECT_EQ(evaluate(rounded, {0}), 0);
}

TEST_F(PoolLayoutTest, Comparisons) {
  ExprAttr a = sym::mul(symbol(0), 4), b = sym::mul(symbol(1), 4);
  ExprAttr c = sym::mul(symbol(2), 4), most = sym::max(a, b);
  EXPECT_TRUE(isAtMost(a, a, facts));
  EXPECT_FALSE(isAtMost(a, b, facts));
  EXPECT_TRUE(isAtMost(a, most, facts));
  EXPECT_TRUE(isAtMost(b, sym::add(most, c), facts));
  EXPECT_FALSE(isAtMost(most, a, facts));
  EXPECT_TRUE(isAtMost(most, sym::add(a, b), facts));
  EXPECT_TRUE(
      isAtMost(sym::add(most, c), sym::max(sym::add(most, c), b), facts));
  EXPECT_TRUE(isAtMost(a, wrapper::alignTo(a, 64), facts));
  EXPECT_FALSE(isAtMost(wrapper::alignTo(a, 64), a, facts));
  EXPECT_TRUE(isAtMost(wrapper::alignTo(a, 64), sym::add(a, 63), facts));
}

// What is claimed to hold holds for all values that are tried.
TEST_F(PoolLayoutTest, ProofsHold) {
  auto randomOffset = [&](int depth, auto &self) -> ExprAttr {
    ExprAttr size = wrapper::alignTo(randomSize(false), kAlignment);
    if (depth == 0)
      return size;
    ExprAttr rest = self(depth - 1, self);
    return pick(0, 1) ? sym::add(size, rest) : sym::max(size, rest);
  };
  int proven = 0;
  for (int round = 0; round < 4000; ++round) {
    ExprAttr a =
        sym::add(randomOffset(pick(0, 3), randomOffset), randomSize(false));
    ExprAttr b = randomOffset(pick(0, 5), randomOffset);
    if (!isAtMost(a, b, facts))
      continue;
    ++proven;
    for (int i = 0; i < 20; ++i) {
      std::vector<int64_t> symbols = {pick(0, 200), pick(0, 200), pick(0, 20)};
      EXPECT_LE(evaluate(a, symbols), evaluate(b, symbols))
          << a.str() << " <= " << b.str();
    }
  }
  EXPECT_GE(proven, 100);
}
