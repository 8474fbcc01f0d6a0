// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs an emitted program many times, with inputs that it takes and inputs that
// make it fail in each of its steps, and counts what is left.
#include "leaks_program.h"

#include <cstdio>
#include <cstdlib>

static int32_t call(int64_t count, coil_run_stats &stats) {
  float x[4] = {1, 2, 3, 4};
  int64_t size = 4, stride = 1;
  coil_tensor inputs[] = {{&count, nullptr, nullptr, 0, COIL_I64, COIL_CPU, 0},
                          {x, &size, &stride, 1, COIL_F32, COIL_CPU, 0}};
  coil_tensor output = {};
  coil_run *run = nullptr;
  if (coil_run_create(&run))
    std::abort();
  int32_t status = leaks_program_main(run, inputs, 2, &output, 1);
  coil_run_get_stats(run, &stats);
  coil_run_destroy(run);
  return status;
}

int main() {
  coil_allocator_stats before, after;
  coil_allocator_get_stats(&before);
  coil_run_stats stats;
  long live = 0, failed = 0, launches = 0;
  for (int i = 0; i < 100000; ++i) {
    // Every fourth call fails: before the loop, or in it.
    int64_t count = i % 8 == 0 ? 100 : i % 4 == 0 ? 9 : i % 3;
    // Every 64th gets no memory in one of its allocations.
    if (i % 64 == 1)
      coil_debug_fail_alloc_after(i / 64 % 4);
    int32_t status = call(count, stats);
    coil_debug_fail_alloc_after(-1);
    failed += status != COIL_OK;
    live += stats.live_allocations - (status == COIL_OK ? 1 : 0);
    launches += stats.launches;
  }
  coil_allocator_get_stats(&after);
  std::printf("%ld left by programs, %lld bytes in use\n", live,
              static_cast<long long>(after.in_use_bytes - before.in_use_bytes));
  std::printf("failed: %s, launches: %s\n", failed > 25000 ? "many" : "few",
              launches > 50000 ? "many" : "few");
  std::printf("the last error: %s\n",
              call(9, stats) ? coil_last_error() : "none");
}
