//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of bf16 in f32 and back, for library calls on processors whose
// library has nothing for bf16.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_WIDEN_H
#define COIL_LIB_RUNTIME_WIDEN_H

#include "Run.h"

#include <cstdint>
#include <cstring>

namespace coil::rt {

inline float widenBF16(uint16_t bits) {
  uint32_t word = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

/// Rounds to nearest, ties to even; a NaN stays one.
inline uint16_t narrowBF16(float value) {
  uint32_t word;
  std::memcpy(&word, &value, sizeof(word));
  uint32_t rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16;
  return uint16_t(value != value ? (word >> 16) | 0x40 : rounded);
}

/// `count` neighbouring elements, with the calling thread.
/// @{
void widenRow(int64_t count, const uint16_t *from, float *to);
void narrowRow(int64_t count, const float *from, uint16_t *to);
/// @}

/// Makes an f32 copy of a bf16 tensor of at most 8 dimensions and non-negative
/// strides, with all threads: in the same order in memory where it has at most
/// as many gaps as elements, else in row-major order. `strides` becomes those
/// of the copy. Null, with the error recorded, when there is no memory.
const float *widenTensor(Scratch &scratch, int rank, const int64_t *sizes,
                         int64_t *strides, const void *data);

/// Rounds a row-major f32 tensor into a bf16 tensor of any strides, with all
/// threads.
int32_t narrowTensor(Scratch &scratch, int rank, const int64_t *sizes,
                     const float *from, void *to, const int64_t *strides);

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_WIDEN_H
