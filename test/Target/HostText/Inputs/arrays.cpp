//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls both entries of a program, and counts what asks for memory meanwhile.
//
//===----------------------------------------------------------------------===//

#include "tiny.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static std::atomic<long> asked;

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t bytes) { return ++asked, __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) {
  return ++asked, __libc_calloc(n, bytes);
}
void *realloc(void *p, size_t bytes) {
  return ++asked, __libc_realloc(p, bytes);
}
void *memalign(size_t a, size_t bytes) {
  return ++asked, __libc_memalign(a, bytes);
}
void *aligned_alloc(size_t a, size_t bytes) {
  return ++asked, __libc_memalign(a, bytes);
}
int posix_memalign(void **p, size_t a, size_t bytes) {
  ++asked;
  *p = __libc_memalign(a, bytes);
  return *p ? 0 : 12;
}
}

static void check(bool condition, const char *what) {
  if (condition)
    return;
  std::printf("failed: %s (%s)\n", what, coil_last_error());
  std::exit(1);
}

int main() {
  coil_run *run = nullptr;
  check(coil_run_create(&run) == COIL_OK, "no run");
  float x[15];
  bool mask[5] = {true, false, true, true, false};
  for (int i = 0; i < 15; ++i)
    x[i] = static_cast<float>(i) / 4 - 2;
#ifdef WRONG_SIZE
  float out[14];
#else
  float out[15];
#endif
  float again[15];
  uint16_t half[5], halfAgain[5];

  // What is set up once (locks, tables) is no part of a call; check that the
  // counter works.
  long before = asked;
  std::free(std::malloc(1));
  check(asked > before, "nothing is counted");

  before = asked;
  check(tiny::main_arrays(run, x, mask, out, half) == COIL_OK,
        "the first call");
  std::printf("first: %ld allocations\n", asked - before);
  for (float &each : x)
    each = -each;
  before = asked;
  for (int i = 0; i < 1000; ++i)
    check(tiny_main_arrays(run, x, mask, again, halfAgain) == COIL_OK,
          "a later call");
  std::printf("later: %ld allocations\n", asked - before);
  check(std::memcmp(out, again, sizeof out) != 0, "one output is the other");
  std::printf("outputs of two calls are apart\n");

  for (float &each : x)
    each = -each;
  const int64_t sizes[2] = {3, 5}, strides[2] = {5, 1}, one[1] = {1};
  coil_tensor inputs[2] = {};
  inputs[0] = {x, sizes, strides, 2, COIL_F32, COIL_CPU, 0};
  inputs[1] = {mask, sizes + 1, one, 1, COIL_BOOL, COIL_CPU, 0};
  coil_tensor outputs[2] = {};
  check(tiny_main(run, inputs, 2, outputs, 2) == COIL_OK, "the ordinary entry");
  check(std::memcmp(outputs[0].data, out, sizeof out) == 0, "other floats");
  check(std::memcmp(outputs[1].data, half, sizeof half) == 0, "other halves");
  coil_run_stats stats;
  coil_run_get_stats(run, &stats);
  std::printf("equal to the ordinary entry, which allocated %lld times\n",
              static_cast<long long>(stats.allocations));
  coil_run_destroy(run);
}
