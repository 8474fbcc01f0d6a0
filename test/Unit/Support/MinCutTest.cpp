//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimum cuts against all cuts of small random graphs.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/MinCut.h"

#include "gtest/gtest.h"

#include <random>
#include <tuple>
#include <vector>

using namespace coil;

TEST(MinCut, ChainIsCutAtItsThinnestEdge) {
  MinCut cut;
  unsigned source = cut.addNode(), middle = cut.addNode(), sink = cut.addNode();
  cut.addEdge(source, middle, 5);
  cut.addEdge(middle, sink, 3);
  EXPECT_EQ(cut.solve(source, sink), 3);
  EXPECT_TRUE(cut.isSource(source));
  EXPECT_TRUE(cut.isSource(middle));
  EXPECT_FALSE(cut.isSource(sink));
}

TEST(MinCut, UnconnectedSinkCostsNothing) {
  MinCut cut;
  unsigned source = cut.addNode(), other = cut.addNode(), sink = cut.addNode();
  cut.addEdge(source, other, MinCut::kNever);
  EXPECT_EQ(cut.solve(source, sink), 0);
  EXPECT_TRUE(cut.isSource(other));
}

TEST(MinCut, BackwardEdgesDoNotCount) {
  MinCut cut;
  unsigned source = cut.addNode(), a = cut.addNode(), sink = cut.addNode();
  cut.addEdge(source, a, 2);
  cut.addEdge(a, sink, 7);
  cut.addEdge(sink, a, 100);
  EXPECT_EQ(cut.solve(source, sink), 2);
  EXPECT_FALSE(cut.isSource(a));
}

TEST(MinCut, RandomGraphsAgreeWithAllCuts) {
  std::mt19937 random(20261128);
  for (int trial = 0; trial < 300; ++trial) {
    unsigned n = 2 + random() % 8;
    std::vector<std::tuple<unsigned, unsigned, double>> edges;
    MinCut cut;
    for (unsigned i = 0; i < n; ++i)
      cut.addNode();
    for (unsigned e = random() % (3 * n); e > 0; --e) {
      unsigned from = random() % n, to = random() % n;
      double capacity = 1 + random() % 1000000;
      edges.push_back({from, to, capacity});
      cut.addEdge(from, to, capacity);
    }
    auto cost = [&](auto isSource) {
      double sum = 0;
      for (auto [from, to, capacity] : edges)
        sum += isSource(from) && !isSource(to) ? capacity : 0;
      return sum;
    };
    double best = MinCut::kNever;
    for (unsigned side = 0; side < 1u << n; ++side)
      if ((side & 1) && !(side & 2))
        best = std::min(best, cost([&](unsigned v) { return side >> v & 1; }));
    EXPECT_EQ(cut.solve(0, 1), best) << "trial " << trial;
    EXPECT_EQ(cost([&](unsigned v) { return cut.isSource(v); }), best);
  }
}
