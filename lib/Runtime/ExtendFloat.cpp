//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops over contiguous rows use the processor's conversions of f16, and
// integers for bf16, whose conversion instruction flushes subnormal numbers.
//
//===----------------------------------------------------------------------===//

#include "ExtendFloat.h"
#include "Threads.h"

#include "Scalar.h"
#include "coil/Runtime/Runtime.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define COIL_MULTIVERSION                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COIL_MULTIVERSION
#endif

using namespace coil::rt;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static inline float extendBF16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  memcpy(&result, &bits, sizeof(result));
  return result;
}

static inline uint16_t roundBF16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  // Rounding must not carry a NaN into an infinity.
  uint32_t quiet = bits >> 16 | 0x40;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
}

COIL_MULTIVERSION
static void extendBF16Row(int64_t n, const uint16_t *__restrict from,
                          float *__restrict to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = extendBF16(from[i]);
}

COIL_MULTIVERSION
static void roundBF16Row(int64_t n, const float *__restrict from,
                         uint16_t *__restrict to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = roundBF16(from[i]);
}

static float extendF16(uint16_t value) {
  return float(load(&value, COIL_F16).f);
}

static uint16_t roundF16(float value) {
  uint16_t result;
  Scalar scalar;
  scalar.f = value;
  store(&result, COIL_F16, scalar);
  return result;
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) static int64_t
extendF16Vectors(int64_t n, const uint16_t *from, float *to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                 reinterpret_cast<const __m128i *>(from + i))));
  return i;
}

__attribute__((target("avx,f16c"))) static int64_t
roundF16Vectors(int64_t n, const float *from, uint16_t *to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  return i;
}

static bool hasF16C() {
  static const bool result = __builtin_cpu_supports("f16c");
  return result;
}
#endif

static void extendF16Row(int64_t n, const uint16_t *from, float *to) {
  int64_t i = 0;
#if defined(__x86_64__)
  if (hasF16C())
    i = extendF16Vectors(n, from, to);
#endif
  for (; i < n; ++i)
    to[i] = extendF16(from[i]);
}

static void roundF16Row(int64_t n, const float *from, uint16_t *to) {
  int64_t i = 0;
#if defined(__x86_64__)
  if (hasF16C())
    i = roundF16Vectors(n, from, to);
#endif
  for (; i < n; ++i)
    to[i] = roundF16(from[i]);
}

void coil::rt::extendRow(int32_t dtype, int64_t count, const uint16_t *from,
                         float *to) {
  (dtype == COIL_BF16 ? extendBF16Row : extendF16Row)(count, from, to);
}

void coil::rt::roundRow(int32_t dtype, int64_t count, const float *from,
                        uint16_t *to) {
  (dtype == COIL_BF16 ? roundBF16Row : roundF16Row)(count, from, to);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {

constexpr int kMaxRank = 8;

/// Dimensions of a copy, the innermost last, runs of both sides merged.
struct Walk {
  int rank = 0;
  std::array<int64_t, kMaxRank> sizes, source, target;
};

} // namespace

/// Sorts dimensions by falling strides, equal ones as they are.
static void sortByStride(int *order, int count, const int64_t *strides) {
  std::sort(order, order + count, [&](int a, int b) {
    int64_t first = std::abs(strides[a]), second = std::abs(strides[b]);
    return first != second ? first > second : a < b;
  });
}

static Walk makeWalk(int rank, const int64_t *sizes, const int64_t *source,
                     const int64_t *target, bool orderBySource) {
  std::array<int, kMaxRank> order;
  int used = 0;
  for (int d = 0; d < rank; ++d)
    if (sizes[d] != 1)
      order[used++] = d;
  const int64_t *by = orderBySource ? source : target;
  sortByStride(order.data(), used, by);
  Walk walk;
  for (int i = 0; i < used; ++i) {
    int d = order[i];
    int last = walk.rank - 1;
    if (last >= 0 && walk.source[last] == source[d] * sizes[d] &&
        walk.target[last] == target[d] * sizes[d]) {
      walk.sizes[last] *= sizes[d];
      walk.source[last] = source[d];
      walk.target[last] = target[d];
      continue;
    }
    walk.sizes[walk.rank] = sizes[d];
    walk.source[walk.rank] = source[d];
    walk.target[walk.rank] = target[d];
    ++walk.rank;
  }
  if (walk.rank == 0) {
    walk.rank = 1;
    walk.sizes[0] = walk.source[0] = walk.target[0] = 1;
  }
  return walk;
}

template <typename From, typename To>
static void convert(const Walk &walk, const From *from, To *to,
                    void (*row)(int64_t, const From *, To *), To (*one)(From)) {
  int last = walk.rank - 1;
  int64_t inner = walk.sizes[last], rows = 1;
  for (int d = 0; d < last; ++d)
    rows *= walk.sizes[d];
  if (rows == 0 || inner == 0)
    return;
  // Elements that are worth a task, and the longest piece of a row.
  constexpr int64_t piece = 16384;
  int64_t pieces = (inner + piece - 1) / piece;
  int64_t grain = std::max<int64_t>(1, piece / inner);
  parallelFor(rows * pieces, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      int64_t first = task % pieces * piece;
      int64_t count = std::min(piece, inner - first);
      int64_t rest = task / pieces;
      const From *source = from + first * walk.source[last];
      To *target = to + first * walk.target[last];
      for (int d = last - 1; d >= 0; --d) {
        source += rest % walk.sizes[d] * walk.source[d];
        target += rest % walk.sizes[d] * walk.target[d];
        rest /= walk.sizes[d];
      }
      if (walk.source[last] == 1 && walk.target[last] == 1) {
        row(count, source, target);
        continue;
      }
      for (int64_t i = 0; i < count; ++i)
        target[i * walk.target[last]] = one(source[i * walk.source[last]]);
    }
  });
}

void coil::rt::extendToF32(int32_t dtype, int rank, const int64_t *sizes,
                           const void *source, const int64_t *sourceStrides,
                           float *target, const int64_t *targetStrides) {
  bool isF16 = dtype == COIL_F16;
  convert<uint16_t, float>(
      makeWalk(rank, sizes, sourceStrides, targetStrides, true),
      static_cast<const uint16_t *>(source), target,
      isF16 ? extendF16Row : extendBF16Row, isF16 ? extendF16 : extendBF16);
}

void coil::rt::roundFromF32(int32_t dtype, int rank, const int64_t *sizes,
                            const float *source, const int64_t *sourceStrides,
                            void *target, const int64_t *targetStrides) {
  bool isF16 = dtype == COIL_F16;
  convert<float, uint16_t>(
      makeWalk(rank, sizes, sourceStrides, targetStrides, false), source,
      static_cast<uint16_t *>(target), isF16 ? roundF16Row : roundBF16Row,
      isF16 ? roundF16 : roundBF16);
}

void coil::rt::denseStridesLike(int rank, const int64_t *sizes,
                                const int64_t *strides, int64_t *dense) {
  std::array<int, kMaxRank> order;
  for (int d = 0; d < rank; ++d)
    order[d] = d;
  sortByStride(order.data(), rank, strides);
  int64_t stride = 1;
  for (int i = rank; i-- > 0;) {
    dense[order[i]] = stride;
    stride *= sizes[order[i]];
  }
}
