//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime of a device that exists in tests only: the host, behind functions
// of its own. With COIL_TOY_TRACE it says at the end which of them were called.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/HostABI.h"
#include "coil/Runtime/Library.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// What was called how often.
struct Counts {
  std::atomic<int> bound{0}, allocated{0}, launched{0}, waited{0};
  std::atomic<int> entered{0}, events{0};
  ~Counts() {
    if (std::getenv("COIL_TOY_TRACE"))
      std::fprintf(stderr,
                   "toy device: %d runs bound, %d allocations, %d launches, %d "
                   "waits, %d streams entered, %d events\n",
                   bound.load(), allocated.load(), launched.load(),
                   waited.load(), entered.load(), events.load());
  }
} counts;

/// Streams are checked, and all work is in order anyway.
thread_local int32_t stream = 0;

} // namespace

extern "C" {

COIL_RT_API int32_t toy_bind(coil_run *run, int32_t device) {
  if (device != 0)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT, "there is one toy device");
  ++counts.bound;
  stream = 0;
  return COIL_OK;
}

COIL_RT_API int32_t toy_set_stream(coil_run *, void *) { return COIL_OK; }

COIL_RT_API int32_t toy_wait(coil_run *) {
  ++counts.waited;
  return COIL_OK;
}

COIL_RT_API int32_t toy_enter_stream(coil_run *run, int32_t number) {
  if (stream != 0)
    return coil_rt_fail(run, COIL_INVALID_ARGUMENT,
                        "the toy is on another stream");
  stream = number;
  ++counts.entered;
  return COIL_OK;
}

COIL_RT_API int32_t toy_leave_stream(coil_run *) {
  stream = 0;
  return COIL_OK;
}

COIL_RT_API int32_t toy_record_event(coil_run *, void **event) {
  *event = new int32_t(stream);
  ++counts.events;
  return COIL_OK;
}

COIL_RT_API int32_t toy_wait_event(coil_run *, void *event) {
  delete static_cast<int32_t *>(event);
  return COIL_OK;
}

COIL_RT_API int32_t toy_alloc(coil_run *run, int64_t bytes, void **out) {
  ++counts.allocated;
  return coil_rt_alloc(run, bytes, out);
}

COIL_RT_API int32_t toy_free(coil_run *run, void *pointer) {
  return coil_rt_free(run, pointer);
}

COIL_RT_API int32_t toy_copy(coil_run *, void *to, const void *from,
                             int64_t bytes) {
  if (bytes > 0)
    std::memcpy(to, from, static_cast<size_t>(bytes));
  return COIL_OK;
}

COIL_RT_API int32_t toy_fill(coil_run *, void *to, int32_t byte,
                             int64_t bytes) {
  if (bytes > 0)
    std::memset(to, byte, static_cast<size_t>(bytes));
  return COIL_OK;
}

COIL_RT_API int32_t toy_constant(coil_run *, const void *data, int64_t,
                                 void **out) {
  *out = const_cast<void *>(data);
  return COIL_OK;
}

COIL_RT_API int32_t toy_item(coil_run *run, const void *data, int32_t dtype,
                             void *out) {
  return coil_rt_item(run, data, dtype, out);
}

COIL_RT_API int32_t toy_debug_value(coil_run *run, int32_t action,
                                    const char *label, const void *data,
                                    int32_t dtype, int32_t rank,
                                    const int64_t *sizes,
                                    const int64_t *strides) {
  return coil_rt_debug_value(run, action, label, data, dtype, rank, sizes,
                             strides);
}

COIL_RT_API int32_t toy_launch(coil_run *run, coil_cpu_kernel kernel,
                               void **buffers, const int64_t *symbols,
                               int64_t total, int64_t grain) {
  ++counts.launched;
  return coil_rt_launch_cpu(run, kernel, buffers, symbols, total, grain);
}

COIL_RT_API int32_t toy_contraction(coil_run *run, const coil_contraction *d,
                                    const void *a, const void *b,
                                    const void *bias, void *c) {
  return coil_rt_contraction(run, d, a, b, bias, c);
}

COIL_RT_API int32_t toy_convolution(coil_run *run, const coil_convolution *d,
                                    const void *x, const void *w,
                                    const void *bias, void *y) {
  return coil_rt_convolution(run, d, x, w, bias, y);
}

COIL_RT_API int32_t toy_sort(coil_run *run, const coil_sort *d, const void *x,
                             void *values, int64_t *indices) {
  return coil_rt_sort(run, d, x, values, indices);
}

} // extern "C"
