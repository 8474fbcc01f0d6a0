//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes in use at each step of a program.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_ANALYSIS_TIMELINE_H
#define COIL_DIALECT_WRAPPER_ANALYSIS_TIMELINE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace coil::wrapper {

/// A number for each step: addition to a range of steps and maximum over one,
/// both in logarithmic time.
class Timeline {
public:
  explicit Timeline(size_t steps) {
    while (size < steps)
      size *= 2;
    nodes.resize(2 * size);
  }

  /// Adds to the steps [begin, end).
  void add(size_t begin, size_t end, int64_t bytes) {
    if (begin < end)
      add(1, 0, size, begin, end, bytes);
  }
  /// The most that is in use in the steps [begin, end), at least zero.
  int64_t max(size_t begin, size_t end) const { return find(begin, end).first; }
  /// The most, and the first step at which it is reached; `end` for zero.
  std::pair<int64_t, size_t> find(size_t begin, size_t end) const {
    std::pair<int64_t, size_t> best = {0, end};
    if (begin < end)
      find(1, 0, size, begin, end, 0, best);
    return best;
  }

private:
  struct Node {
    int64_t added = 0; ///< To all steps below.
    int64_t max = 0;   ///< Including `added`.
  };

  void add(size_t node, size_t lo, size_t hi, size_t begin, size_t end,
           int64_t bytes) {
    if (end <= lo || hi <= begin)
      return;
    if (begin <= lo && hi <= end) {
      nodes[node].added += bytes;
      nodes[node].max += bytes;
      return;
    }
    size_t mid = (lo + hi) / 2;
    add(2 * node, lo, mid, begin, end, bytes);
    add(2 * node + 1, mid, hi, begin, end, bytes);
    nodes[node].max = nodes[node].added +
                      std::max(nodes[2 * node].max, nodes[2 * node + 1].max);
  }

  /// `above` was added to the steps of all nodes around this one. Looks only
  /// where there can be more than the best that is known.
  void find(size_t node, size_t lo, size_t hi, size_t begin, size_t end,
            int64_t above, std::pair<int64_t, size_t> &best) const {
    if (end <= lo || hi <= begin || above + nodes[node].max <= best.first)
      return;
    if (begin <= lo && hi <= end) {
      best.first = above + nodes[node].max;
      while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        node *= 2;
        if (nodes[node].max >= nodes[node + 1].max) {
          hi = mid;
        } else {
          ++node;
          lo = mid;
        }
      }
      best.second = lo;
      return;
    }
    size_t mid = (lo + hi) / 2;
    above += nodes[node].added;
    find(2 * node, lo, mid, begin, end, above, best);
    find(2 * node + 1, mid, hi, begin, end, above, best);
  }

  size_t size = 1;
  std::vector<Node> nodes;
};

} // namespace coil::wrapper

#endif // COIL_DIALECT_WRAPPER_ANALYSIS_TIMELINE_H
