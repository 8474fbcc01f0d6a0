//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors, dtypes and the version of the runtime.
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "coil/Runtime/DeviceMemory.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace coil::rt;

static thread_local char lastError[2048];

int32_t coil::rt::fail(coil_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(lastError, sizeof(lastError), format, arguments);
  va_end(arguments);
  return status;
}

int32_t coil::rt::failWith(int32_t status, const char *message) {
  snprintf(lastError, sizeof(lastError), "%s", message);
  return status;
}

void coil::rt::clearError() { lastError[0] = 0; }

int32_t coil::rt::nameFailure(int32_t status, const char *what,
                              const char *where) {
  if (!status || !where || !*where)
    return status;
  size_t length = strlen(lastError);
  snprintf(lastError + length, sizeof(lastError) - length, ", in %s (%s)", what,
           where);
  return status;
}

extern "C" {

uint32_t coil_runtime_version(void) { return COIL_RUNTIME_VERSION; }

const char *coil_last_error(void) { return lastError; }

int32_t coil_rt_allocation_failed(coil_run *, int32_t status,
                                  const char *where) {
  return nameFailure(status, "allocation", where);
}

const char *coil_status_name(int32_t status) {
  switch (status) {
  case COIL_OK:
    return "ok";
  case COIL_INVALID_ARGUMENT:
    return "invalid argument";
  case COIL_OUT_OF_MEMORY:
    return "out of memory";
  case COIL_ASSERTION_FAILED:
    return "assertion failed";
  case COIL_UNSUPPORTED:
    return "unsupported";
  case COIL_UNAVAILABLE:
    return "unavailable";
  case COIL_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

static const struct {
  const char *name;
  int64_t size;
} dtypes[] = {{"bool", 1}, {"i8", 1},       {"u8", 1},    {"i16", 2},
              {"u16", 2},  {"i32", 4},      {"u32", 4},   {"i64", 8},
              {"u64", 8},  {"f16", 2},      {"bf16", 2},  {"f32", 4},
              {"f64", 8},  {"f8E4M3FN", 1}, {"f8E5M2", 1}};

int64_t coil_dtype_size(int32_t dtype) {
  return dtype < 0 || dtype > COIL_F8E5M2 ? 0 : dtypes[dtype].size;
}

const char *coil_dtype_name(int32_t dtype) {
  return dtype < 0 || dtype > COIL_F8E5M2 ? nullptr : dtypes[dtype].name;
}

} // extern "C"
