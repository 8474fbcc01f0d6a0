//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What looks like libcoil-cub.so and sorts on the simulated device: in the
// order of streams, and in graphs. It needs workspace for lines of more than 64
// elements and writes all of it, so that the simulator sees whether it is
// there.
//
// COIL_FAKE_CUB_FAIL: version, workspace, sort or memory.
// COIL_FAKE_CUB_TRACE=1 prints each call.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/CUDA/Cub.h"
#include "FakeDevice.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <numeric>

using namespace coil::fake;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
/// cudaError_t
enum Error : int32_t {
  Success = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidDevice = 101,
  IllegalAddress = 700
};
} // namespace

static bool failsAt(const char *place) {
  const char *value = getenv("COIL_FAKE_CUB_FAIL");
  return value && !strcmp(value, place);
}

static int64_t getWorkspace(const coil_sort &d) {
  return d.size <= 64 ? 0 : d.outer * d.inner * d.size * 16 + 3;
}

/// The order of an element: by kind (numbers before NaNs), then by number.
static std::pair<int, long double> getRank(int32_t dtype, const void *data) {
  auto as = [&](auto value) {
    memcpy(&value, data, sizeof(value));
    return value;
  };
  auto rankFloat = [](double value) {
    return value != value ? std::pair<int, long double>(1, 0)
                          : std::pair<int, long double>(0, value);
  };
  switch (dtype) {
  case COIL_BOOL:
  case COIL_U8:
    return {0, as(uint8_t())};
  case COIL_I8:
    return {0, as(int8_t())};
  case COIL_U16:
    return {0, as(uint16_t())};
  case COIL_I16:
    return {0, as(int16_t())};
  case COIL_U32:
    return {0, as(uint32_t())};
  case COIL_I32:
    return {0, as(int32_t())};
  case COIL_U64:
    return {0, as(uint64_t())};
  case COIL_I64:
    return {0, as(int64_t())};
  case COIL_F16: {
    uint16_t bits = as(uint16_t());
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31 && fraction)
      return {1, 0};
    // Magnitudes are ordered like their bits.
    long double magnitude = bits & 0x7fff;
    return {0, bits >> 15 ? -magnitude : magnitude};
  }
  case COIL_BF16:
    return rankFloat(fromBits(uint32_t(as(uint16_t())) << 16));
  case COIL_F32:
    return rankFloat(as(float()));
  default:
    return rankFloat(as(double()));
  }
}

static int64_t getBytes(int32_t dtype) {
  switch (dtype) {
  case COIL_BOOL:
  case COIL_I8:
  case COIL_U8:
    return 1;
  case COIL_I16:
  case COIL_U16:
  case COIL_F16:
  case COIL_BF16:
    return 2;
  case COIL_I32:
  case COIL_U32:
  case COIL_F32:
    return 4;
  case COIL_I64:
  case COIL_U64:
  case COIL_F64:
    return 8;
  default:
    return 0;
  }
}

static void sortLines(const coil_sort &d, const char *x, char *values,
                      char *indices) {
  int64_t bytes = getBytes(d.dtype);
  std::vector<int64_t> order(size_t(d.size));
  for (int64_t line = 0; line < d.outer * d.inner; ++line) {
    int64_t outer = line / d.inner, inner = line % d.inner;
    auto at = [&](int64_t i) {
      return x + ((outer * d.size + i) * d.inner + inner) * bytes;
    };
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      auto p = getRank(d.dtype, at(a)), q = getRank(d.dtype, at(b));
      return p == q ? a < b : d.descending ? q < p : p < q;
    });
    for (int64_t i = 0; i < d.count; ++i) {
      int64_t to = (outer * d.count + i) * d.inner + inner;
      if (values)
        memcpy(values + to * bytes, at(order[size_t(i)]), size_t(bytes));
      if (indices)
        memcpy(indices + to * 8, &order[size_t(i)], 8);
    }
  }
}

EXPORT int32_t coil_cub_version(void) {
  return failsAt("version") ? COIL_CUB_VERSION + 1 : COIL_CUB_VERSION;
}

EXPORT const char *coil_cub_describe(int32_t error) {
  return error == MemoryAllocation ? "out of memory"
         : error == IllegalAddress ? "an illegal memory access was encountered"
                                   : "invalid argument";
}

EXPORT int32_t coil_cub_sort_workspace(const coil_sort *desc, int64_t *bytes) {
  if (failsAt("workspace"))
    return InvalidValue;
  *bytes = getWorkspace(*desc);
  return desc->struct_size == sizeof(coil_sort) && getBytes(desc->dtype)
             ? Success
             : InvalidValue;
}

EXPORT int32_t coil_cub_sort(const coil_sort *desc, const void *x, void *values,
                             int64_t *indices, void *workspace, int64_t bytes,
                             void *stream) {
  const SimDevice &device = SimDevice::get();
  if (!device)
    return InvalidDevice;
  const coil_sort &d = *desc;
  if (const char *trace = getenv("COIL_FAKE_CUB_TRACE"); trace && *trace == '1')
    fprintf(stderr,
            "sort type %d, %" PRId64 " x %" PRId64 " x %" PRId64 ", %" PRId64
            " of them%s%s%s, workspace %" PRId64 "\n",
            d.dtype, d.outer, d.size, d.inner, d.count,
            d.descending ? ", descending" : "", values ? ", values" : "",
            indices ? ", indices" : "", bytes);
  if (failsAt("sort"))
    return IllegalAddress;
  if (failsAt("memory"))
    return MemoryAllocation;
  // What the runtime promises.
  if (d.outer <= 0 || d.size <= 0 || d.inner <= 0 || d.count <= 0 ||
      d.count > d.size || bytes != getWorkspace(d) || (bytes && !workspace) ||
      (!values && !indices))
    return InvalidValue;
  auto sort = [=, d = *desc] {
    auto access = [&](const void *pointer, int64_t count, int write) {
      return static_cast<char *>(
          device.access(uint64_t(uintptr_t(pointer)), uint64_t(count), write));
    };
    int64_t element = getBytes(d.dtype), lines = d.outer * d.inner;
    if (bytes)
      memset(access(workspace, bytes, 1), 0x5a, size_t(bytes));
    sortLines(d, access(x, lines * d.size * element, 0),
              values ? access(values, lines * d.count * element, 1) : nullptr,
              indices ? access(indices, lines * d.count * 8, 1) : nullptr);
  };
  return device.enqueue(stream, sort) ? Success : InvalidDevice;
}
