//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the simulator's tensor maps hold. The bytes are its own: a program that
// looks into them, or changes some, is found.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TEST_LIB_CUDASIM_TENSORMAP_H
#define COIL_TEST_LIB_CUDASIM_TENSORMAP_H

#include <cstdint>
#include <string>

namespace coil::cudasim {

constexpr unsigned MaxMapRank = 5;

struct TensorMap {
  char magic[8];
  uint64_t address;
  uint64_t strides[MaxMapRank - 1]; ///< in bytes, from dimension 1 on
  uint32_t lastIndices[MaxMapRank]; ///< size - 1, the innermost first
  uint16_t box[MaxMapRank];
  uint8_t elementStrides[MaxMapRank];
  uint8_t type, rank, interleave, swizzle, promotion, fill;
  uint8_t reserved[31];
  uint64_t sum; ///< of all bytes before

  /// Fills in `magic` and `sum`.
  void seal();
  bool isSealed() const;
  unsigned elementBytes() const;
  /// How many elements a copy takes along a dimension.
  unsigned count(unsigned dim) const {
    unsigned stride = dim ? elementStrides[dim] : 1;
    return (box[dim] + stride - 1) / stride;
  }
  /// Bytes of one row of the box.
  unsigned rowBytes() const { return box[0] * elementBytes(); }
};
static_assert(sizeof(TensorMap) == 128);

/// Bytes of a CUtensorMapDataType; 0 for a number that is none.
unsigned tensorMapTypeBytes(int type);

} // namespace coil::cudasim

#endif // COIL_TEST_LIB_CUDASIM_TENSORMAP_H
