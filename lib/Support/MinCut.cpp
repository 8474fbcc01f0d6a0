//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dinic's algorithm: paths of fewest edges are filled, level by level.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/MinCut.h"

#include <algorithm>

using namespace coil;

/// Capacities are bytes: less than a thousandth of one is what the rounding of
/// sums leaves.
static bool isFull(double rest) { return rest <= 1e-3; }

unsigned MinCut::addNode() {
  out.emplace_back();
  return static_cast<unsigned>(out.size() - 1);
}

void MinCut::addEdge(unsigned from, unsigned to, double capacity) {
  if (capacity <= 0)
    return;
  out[from].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({to, capacity});
  out[to].push_back(static_cast<unsigned>(edges.size()));
  edges.push_back({from, 0});
}

bool MinCut::setLevels(unsigned source, unsigned sink) {
  level.assign(out.size(), -1);
  level[source] = 0;
  llvm::SmallVector<unsigned, 0> queue{source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned e : out[queue[i]]) {
      if (isFull(edges[e].rest) || level[edges[e].to] >= 0)
        continue;
      level[edges[e].to] = level[queue[i]] + 1;
      queue.push_back(edges[e].to);
    }
  return level[sink] >= 0;
}

double MinCut::push(unsigned node, unsigned sink, double most) {
  if (node == sink)
    return most;
  for (unsigned &i = next[node]; i < out[node].size(); ++i) {
    unsigned e = out[node][i], to = edges[e].to;
    if (isFull(edges[e].rest) || level[to] != level[node] + 1)
      continue;
    double pushed = push(to, sink, std::min(most, edges[e].rest));
    if (pushed > 0) {
      edges[e].rest -= pushed;
      edges[e ^ 1].rest += pushed;
      return pushed;
    }
  }
  return 0;
}

double MinCut::solve(unsigned source, unsigned sink) {
  double flow = 0;
  while (setLevels(source, sink)) {
    next.assign(out.size(), 0);
    while (double pushed = push(source, sink, kNever))
      flow += pushed;
    if (flow >= kNever)
      break;
  }
  reached.clear();
  reached.resize(static_cast<unsigned>(out.size()));
  for (unsigned n = 0; n < out.size(); ++n)
    if (!level.empty() && level[n] >= 0)
      reached.set(n);
  return flow;
}
