//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What durations are measured with.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_CLOCK_H
#define COIL_SUPPORT_CLOCK_H

#include <chrono>

namespace coil {

/// Seconds since some point in the past.
inline double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace coil

#endif // COIL_SUPPORT_CLOCK_H
