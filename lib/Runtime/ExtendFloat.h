//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between tensors of f16 or bf16 and of f32, for processors on which a
// library computes with f32 alone.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_EXTENDFLOAT_H
#define COIL_LIB_RUNTIME_EXTENDFLOAT_H

#include <cstdint>

namespace coil::rt {

/// Neighbouring elements of `dtype` (COIL_F16 or COIL_BF16), with the calling
/// thread.
/// @{
void extendRow(int32_t dtype, int64_t count, const uint16_t *from, float *to);
void roundRow(int32_t dtype, int64_t count, const float *from, uint16_t *to);
/// @}

/// Extends a tensor of `dtype` (COIL_F16 or COIL_BF16) of `rank` dimensions (at
/// most 8) to f32. Strides count elements.
void extendToF32(int32_t dtype, int rank, const int64_t *sizes,
                 const void *source, const int64_t *sourceStrides,
                 float *target, const int64_t *targetStrides);

/// Rounds a tensor of f32 to `dtype`, to nearest even.
void roundFromF32(int32_t dtype, int rank, const int64_t *sizes,
                  const float *source, const int64_t *sourceStrides,
                  void *target, const int64_t *targetStrides);

/// Writes strides without gaps whose order is that of `strides`.
void denseStridesLike(int rank, const int64_t *sizes, const int64_t *strides,
                      int64_t *dense);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_EXTENDFLOAT_H
