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

using namespace coil::rt;

template <typename T>
static void copyRow(int64_t count, const char *source, int64_t sourceStride,
                    char *target, int64_t targetStride) {
  const T *from = reinterpret_cast<const T *>(source);
  T *to = reinterpret_cast<T *>(target);
  if (sourceStride == 1 && targetStride == 1) {
    std::copy(from, from + count, to);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    to[i * targetStride] = from[i * sourceStride];
}

void coil::rt::copyStrided(int64_t elementBytes, int rank, const int64_t *sizes,
                           const void *source, const int64_t *sourceStrides,
                           void *target, const int64_t *targetStrides) {
  auto *copy = elementBytes == 1   ? copyRow<uint8_t>
               : elementBytes == 2 ? copyRow<uint16_t>
               : elementBytes == 4 ? copyRow<uint32_t>
                                   : copyRow<uint64_t>;
  auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(target);
  if (rank == 0) {
    copy(1, from, 1, to, 1);
    return;
  }
  int64_t rows = 1, inner = sizes[rank - 1];
  for (int d = 0; d < rank - 1; ++d)
    rows *= sizes[d];
  if (rows == 0 || inner == 0)
    return;
  int64_t grain = std::max<int64_t>(1, 16384 / inner);
  parallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t rest = row, sourceOffset = 0, targetOffset = 0;
      for (int d = rank - 2; d >= 0; --d) {
        sourceOffset += rest % sizes[d] * sourceStrides[d];
        targetOffset += rest % sizes[d] * targetStrides[d];
        rest /= sizes[d];
      }
      copy(inner, from + sourceOffset * elementBytes, sourceStrides[rank - 1],
           to + targetOffset * elementBytes, targetStrides[rank - 1]);
    }
  });
}

void coil::rt::contiguousStrides(int rank, const int64_t *sizes,
                                 int64_t *strides) {
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
}
