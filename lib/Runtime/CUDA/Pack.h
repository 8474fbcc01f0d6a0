//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strided elements to dense ones, for operands that a library does not take as
// they are, and zeros into strided ones.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_PACK_H
#define COIL_LIB_RUNTIME_CUDA_PACK_H

#include "RunState.h"

namespace coil::rt::cuda {

/// Sizes, outermost first, and the strides of the strided side in elements.
struct PackShape {
  static constexpr int maxRank = 6;
  int rank = 0;
  int64_t sizes[maxRank];
  int64_t strides[maxRank];

  void add(int64_t size, int64_t stride) {
    sizes[rank] = size;
    strides[rank++] = stride;
  }
};

/// Copies elements of 1, 2, 4 or 8 bytes from strided to dense memory.
int32_t pack(RunState &state, void *to, const void *from, int64_t element,
             const PackShape &shape);

/// Copies elements of 1, 2, 4 or 8 bytes from strides to other strides, which
/// are `targetStrides` by dimension of the shape.
int32_t copyStrided(RunState &state, void *to, const int64_t *targetStrides,
                    const void *from, int64_t element, const PackShape &shape);

/// Writes zeros to strided elements of 1, 2, 4 or 8 bytes.
int32_t clear(RunState &state, void *to, int64_t element,
              const PackShape &shape);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_PACK_H
