//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime of the device `accel`: the host behind functions of its own,
// which count. With ACCEL_TRACE it says at the end how often they were called.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/HostABI.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {
struct Counts {
  std::atomic<int> launches{0}, allocations{0};
  ~Counts() {
    if (std::getenv("ACCEL_TRACE"))
      std::fprintf(stderr, "accel: %d launches, %d allocations\n",
                   launches.load(), allocations.load());
  }
} counts;
} // namespace

extern "C" {

int32_t accel_alloc(coil_run *run, int64_t bytes, void **out) {
  ++counts.allocations;
  return coil_rt_alloc(run, bytes, out);
}

int32_t accel_free(coil_run *run, void *pointer) {
  return coil_rt_free(run, pointer);
}

int32_t accel_launch(coil_run *run, coil_cpu_kernel kernel, void **buffers,
                     const int64_t *symbols, int64_t total, int64_t grain) {
  ++counts.launches;
  return coil_rt_launch_cpu(run, kernel, buffers, symbols, total, grain);
}

} // extern "C"
