//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox 4x32-10, the counter-based generator of "Parallel random numbers: as
// easy as 1, 2, 3" (Salmon et al., 2011).
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_PHILOX_H
#define COIL_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace coil {

namespace philox {
inline constexpr uint32_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
inline constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
inline constexpr unsigned kRounds = 10;
} // namespace philox

/// The four words for a key and a counter of 128 bits.
inline std::array<uint32_t, 4> getPhilox(uint64_t key, uint64_t counterLow,
                                         uint64_t counterHigh) {
  uint32_t c[4] = {uint32_t(counterLow), uint32_t(counterLow >> 32),
                   uint32_t(counterHigh), uint32_t(counterHigh >> 32)};
  uint32_t k[2] = {uint32_t(key), uint32_t(key >> 32)};
  for (unsigned round = 0; round < philox::kRounds; ++round) {
    uint64_t p0 = uint64_t(philox::kMultipliers[0]) * c[0];
    uint64_t p1 = uint64_t(philox::kMultipliers[1]) * c[2];
    uint32_t next[4] = {uint32_t(p1 >> 32) ^ c[1] ^ k[0], uint32_t(p1),
                        uint32_t(p0 >> 32) ^ c[3] ^ k[1], uint32_t(p0)};
    for (unsigned i = 0; i < 4; ++i)
      c[i] = next[i];
    k[0] += philox::kWeyl[0];
    k[1] += philox::kWeyl[1];
  }
  return {c[0], c[1], c[2], c[3]};
}

} // namespace coil

#endif // COIL_SUPPORT_PHILOX_H
