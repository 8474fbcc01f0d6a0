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

/// Copies a tensor of `rank` dimensions; strides count elements of
/// `elementBytes` (1, 2, 4 or 8), and may be zero or negative in the source.
void copyStrided(int64_t elementBytes, int rank, const int64_t *sizes,
                 const void *source, const int64_t *sourceStrides, void *target,
                 const int64_t *targetStrides);

/// Whether no two elements of a tensor are in the same place. False for some
/// layouts of interleaved dimensions, too, which nobody makes.
bool areDistinct(int rank, const int64_t *sizes, const int64_t *strides);

/// Writes row-major strides.
void contiguousStrides(int rank, const int64_t *sizes, int64_t *strides);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_STRIDEDCOPY_H
