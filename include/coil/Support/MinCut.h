//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The minimum cut between two nodes of a small graph.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_MINCUT_H
#define COIL_SUPPORT_MINCUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace coil {

/// A directed graph with capacities, and its minimum cut between two nodes, by
/// Dinic's algorithm: at most V^2 E steps, on graphs of kernels hardly more
/// than linear.
class MinCut {
public:
  /// The capacity of an edge that is never cut. Others are at least one, and
  /// their sum is far below it.
  static constexpr double kNever = 1e30;

  unsigned addNode();
  /// An edge that costs `capacity` where `from` is on the side of the source
  /// and `to` is not.
  void addEdge(unsigned from, unsigned to, double capacity);

  /// The capacity of the edges of a minimum cut.
  double solve(unsigned source, unsigned sink);
  /// After `solve`: whether a node is on the side of the source. Of several
  /// minimum cuts, it is the one with the fewest nodes there.
  bool isSource(unsigned node) const { return reached[node]; }

private:
  struct Edge {
    unsigned to;
    double rest;
  };
  bool setLevels(unsigned source, unsigned sink);
  double push(unsigned node, unsigned sink, double most);

  /// Each is followed by the edge that takes it back.
  llvm::SmallVector<Edge, 0> edges;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>, 0> out;
  llvm::SmallVector<int, 0> level;
  llvm::SmallVector<unsigned, 0> next;
  llvm::BitVector reached;
};

} // namespace coil

#endif // COIL_SUPPORT_MINCUT_H
