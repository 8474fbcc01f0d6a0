//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of bf16 in f32 and back.
//
//===----------------------------------------------------------------------===//

#include "Widen.h"
#include "StridedCopy.h"
#include "Threads.h"

#include <algorithm>

using namespace coil::rt;

/// Elements that are worth waking a thread for.
static constexpr int64_t kGrain = 32768;

static constexpr int kMaxRank = 8;

void coil::rt::widenRow(int64_t count, const uint16_t *from, float *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = widenBF16(from[i]);
}

void coil::rt::narrowRow(int64_t count, const float *from, uint16_t *to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = narrowBF16(from[i]);
}

static int64_t getCount(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int d = 0; d < rank; ++d)
    count *= sizes[d];
  return count;
}

const float *coil::rt::widenTensor(Scratch &scratch, int rank,
                                   const int64_t *sizes, int64_t *strides,
                                   const void *data) {
  int64_t count = getCount(rank, sizes), span = 1;
  for (int d = 0; d < rank; ++d)
    span += (sizes[d] - 1) * strides[d];
  if (count == 0)
    span = 0;
  auto *source = static_cast<const uint16_t *>(data);
  if (span > 2 * count) {
    auto *packed = static_cast<uint16_t *>(
        scratch.allocate(count * int64_t(sizeof(uint16_t))));
    if (!packed)
      return nullptr;
    int64_t to[kMaxRank];
    contiguousStrides(rank, sizes, to);
    copyStrided(sizeof(uint16_t), rank, sizes, source, strides, packed, to);
    std::copy(to, to + rank, strides);
    source = packed;
    span = count;
  }
  auto *result = static_cast<float *>(
      scratch.allocate(std::max<int64_t>(span, 1) * int64_t(sizeof(float))));
  if (!result)
    return nullptr;
  if (parallelFor(span, kGrain, [&](int64_t begin, int64_t end) {
        widenRow(end - begin, source + begin, result + begin);
      }))
    return nullptr;
  return result;
}

int32_t coil::rt::narrowTensor(Scratch &scratch, int rank, const int64_t *sizes,
                               const float *from, void *to,
                               const int64_t *strides) {
  int64_t count = getCount(rank, sizes), plain[kMaxRank];
  contiguousStrides(rank, sizes, plain);
  bool isPlain = true;
  for (int d = 0; d < rank; ++d)
    isPlain &= sizes[d] == 1 || strides[d] == plain[d];
  auto *target = static_cast<uint16_t *>(to);
  if (!isPlain) {
    target = static_cast<uint16_t *>(
        scratch.allocate(count * int64_t(sizeof(uint16_t))));
    if (!target)
      return COIL_OUT_OF_MEMORY;
  }
  if (int32_t status =
          parallelFor(count, kGrain, [&](int64_t begin, int64_t end) {
            narrowRow(end - begin, from + begin, target + begin);
          }))
    return status;
  if (!isPlain)
    copyStrided(sizeof(uint16_t), rank, sizes, target, plain, to, strides);
  return COIL_OK;
}
