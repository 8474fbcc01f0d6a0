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

/// The same for any number of dimensions and for elements of 16 bytes, too:
/// dimensions that lie one in the other are joined, and there are as many
/// launches as the others need.
int32_t copyElements(RunState &state, void *to,
                     std::vector<int64_t> targetStrides, const void *from,
                     std::vector<int64_t> strides, std::vector<int64_t> sizes,
                     int64_t element);

/// Launches a kernel of the runtime's own, with at least `threads` threads in
/// blocks of 256.
int32_t launchOwn(RunState &state, coil_cuda_kernel &kernel,
                  void *const *buffers, const int64_t *symbols,
                  int64_t threads);

/// Writes zeros to strided elements of 1, 2, 4 or 8 bytes.
int32_t clear(RunState &state, void *to, int64_t element,
              const PackShape &shape);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_PACK_H
