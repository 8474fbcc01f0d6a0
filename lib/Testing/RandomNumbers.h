//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that tests are drawn from: equal seeds give equal numbers on
// every machine.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TESTING_RANDOMNUMBERS_H
#define COIL_LIB_TESTING_RANDOMNUMBERS_H

#include <cstdint>

namespace coil::testing {

/// SplitMix64.
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed)
      : state(seed * 0x9e3779b97f4a7c15ull + 1) {}

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// From 0 to `n` - 1.
  int64_t below(int64_t n) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(n));
  }
  bool chance(int64_t percent) { return below(100) < percent; }

private:
  uint64_t state;
};

} // namespace coil::testing

#endif // COIL_LIB_TESTING_RANDOMNUMBERS_H
