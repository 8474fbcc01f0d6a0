//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread's last error and the boundary that keeps exceptions inside.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_ERROR_H
#define COIL_LIB_RUNTIME_ERROR_H

#include "coil/Runtime/Runtime.h"

#include <exception>
#include <new>

namespace coil::rt {

/// Records a formatted message for this thread and returns `status`.
int32_t fail(coil_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Records a message that another thread produced.
int32_t failWith(int32_t status, const char *message);

/// Adds to the message of a failure what failed, and its place in the model
/// (which may be null or empty). Returns `status`.
int32_t nameFailure(int32_t status, const char *what, const char *where);

/// Forgets the message of the last failure of the thread, so that what is there
/// later is of what failed since.
void clearError();

/// Runs `body`, which returns a status, and turns exceptions into one.
template <typename Body>
int32_t guarded(Body &&body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(COIL_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &e) {
    return fail(COIL_INTERNAL, "internal error: %s", e.what());
  } catch (...) {
    return fail(COIL_INTERNAL, "internal error");
  }
}

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_ERROR_H
