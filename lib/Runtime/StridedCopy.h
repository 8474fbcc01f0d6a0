//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between strided layouts.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_STRIDEDCOPY_H
#define COIL_LIB_RUNTIME_STRIDEDCOPY_H

#include <cstdint>

namespace coil::rt {

/// Copies a tensor of `rank` dimensions (at most 8); strides count elements of
/// `elementBytes` (1, 2, 4 or 8).
void copyStrided(int64_t elementBytes, int rank, const int64_t *sizes,
                 const void *source, const int64_t *sourceStrides, void *target,
                 const int64_t *targetStrides);

/// Writes row-major strides.
void contiguousStrides(int rank, const int64_t *sizes, int64_t *strides);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_STRIDEDCOPY_H
