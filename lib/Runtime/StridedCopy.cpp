//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between strided layouts, parallel over the outer dimensions. Only for
// operands that a library does not take as they are, so plain loops do.
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"
#include "Threads.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

using namespace coil::rt;

namespace {
struct Dim {
  int64_t size, from, to;
};

/// Elements of a side of the tiles that transpositions go by: the lines of the
/// caches that a tile touches on either side stay in the first-level cache.
constexpr int64_t kTile = 32;
/// Elements that are worth a thread.
constexpr int64_t kGrain = 16384;
} // namespace

/// Copies rows of the dimension `inner`; if there is `other`, tiles of both.
template <typename T>
static void copyBlock(const Dim &inner, const Dim &other, const char *source,
                      char *target) {
  const T *from = reinterpret_cast<const T *>(source);
  T *to = reinterpret_cast<T *>(target);
  if (other.size == 1) {
    if (inner.from == 1 && inner.to == 1) {
      std::copy(from, from + inner.size, to);
      return;
    }
    for (int64_t i = 0; i < inner.size; ++i)
      to[i * inner.to] = from[i * inner.from];
    return;
  }
  for (int64_t first = 0; first < inner.size; first += kTile) {
    int64_t end = std::min(first + kTile, inner.size);
    for (int64_t row = 0; row < other.size; ++row) {
      const T *rowFrom = from + row * other.from;
      T *rowTo = to + row * other.to;
      for (int64_t i = first; i < end; ++i)
        rowTo[i * inner.to] = rowFrom[i * inner.from];
    }
  }
}

/// The dimensions of more than one element, those that lie closest together in
/// the target last, as few as they can be.
static std::vector<Dim> arrange(int rank, const int64_t *sizes,
                                const int64_t *from, const int64_t *to) {
  std::vector<Dim> dims;
  for (int d = 0; d < rank; ++d)
    if (sizes[d] != 1)
      dims.push_back({sizes[d], from[d], to[d]});
  std::stable_sort(dims.begin(), dims.end(), [](const Dim &a, const Dim &b) {
    return std::abs(a.to) > std::abs(b.to);
  });
  std::vector<Dim> merged;
  for (const Dim &dim : dims) {
    if (!merged.empty() && merged.back().from == dim.size * dim.from &&
        merged.back().to == dim.size * dim.to)
      merged.back() = {merged.back().size * dim.size, dim.from, dim.to};
    else
      merged.push_back(dim);
  }
  return merged;
}

void coil::rt::copyStrided(int64_t elementBytes, int rank, const int64_t *sizes,
                           const void *source, const int64_t *sourceStrides,
                           void *target, const int64_t *targetStrides) {
  auto *copy = elementBytes == 1   ? copyBlock<uint8_t>
               : elementBytes == 2 ? copyBlock<uint16_t>
               : elementBytes == 4 ? copyBlock<uint32_t>
                                   : copyBlock<uint64_t>;
  auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(target);
  for (int d = 0; d < rank; ++d)
    if (sizes[d] == 0)
      return;
  std::vector<Dim> dims = arrange(rank, sizes, sourceStrides, targetStrides);
  Dim inner = {1, 0, 0}, other = {1, 0, 0};
  if (!dims.empty()) {
    inner = dims.back();
    dims.pop_back();
  }
  // Where the source lies closest together along another dimension, both go by
  // tiles.
  auto closest = std::min_element(dims.begin(), dims.end(),
                                  [](const Dim &a, const Dim &b) {
                                    return std::abs(a.from) < std::abs(b.from);
                                  });
  if (closest != dims.end() && closest->from != 0 &&
      std::abs(closest->from) < std::abs(inner.from)) {
    other = *closest;
    dims.erase(closest);
  }
  int64_t tiles = (other.size - 1) / kTile + 1, rows = tiles;
  for (const Dim &dim : dims)
    rows *= dim.size;
  int64_t perRow = inner.size * std::min(other.size, kTile);
  parallelFor(rows, std::max<int64_t>(1, kGrain / perRow),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  int64_t first = row % tiles * kTile, rest = row / tiles;
                  int64_t fromOffset = first * other.from,
                          toOffset = first * other.to;
                  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
                    fromOffset += rest % dim->size * dim->from;
                    toOffset += rest % dim->size * dim->to;
                    rest /= dim->size;
                  }
                  Dim part = other;
                  part.size = std::min(kTile, other.size - first);
                  copy(inner, part, from + fromOffset * elementBytes,
                       to + toOffset * elementBytes);
                }
              });
}

bool coil::rt::areDistinct(int rank, const int64_t *sizes,
                           const int64_t *strides) {
  std::vector<std::pair<int64_t, int64_t>> dims; // Stride and size.
  for (int d = 0; d < rank; ++d)
    if (sizes[d] > 1)
      dims.push_back({std::abs(strides[d]), sizes[d]});
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, size] : dims) {
    if (stride <= reach)
      return false;
    reach += (size - 1) * stride;
  }
  return true;
}

void coil::rt::contiguousStrides(int rank, const int64_t *sizes,
                                 int64_t *strides) {
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}
