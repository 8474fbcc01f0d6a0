//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's handler of fatal errors must not return. It jumps back to the frame of
// the compilation that the error is in: LLVM is compiled without exceptions,
// and a process of its own for each compilation would cost more than it.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace coil;

namespace {

/// Where a fatal error of this thread goes.
struct RecoveryPoint {
  std::jmp_buf buffer;
  RecoveryPoint *outer;
  std::string reason;
};

} // namespace

static thread_local RecoveryPoint *recoveryPoint = nullptr;
static std::atomic<FatalErrorHandler> fallback = nullptr;

static void onFatalError(void *data, const char *reason, bool crash) {
  if (RecoveryPoint *point = recoveryPoint) {
    point->reason = reason;
    std::longjmp(point->buffer, 1);
  }
  if (FatalErrorHandler handler = fallback)
    handler(data, reason, crash);
  // As LLVM itself does.
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
  llvm::sys::RunInterruptHandlers();
  if (crash)
    std::abort();
  std::exit(1);
}

static void installHandler() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(onFatalError);
  });
}

void coil::setFatalErrorFallback(FatalErrorHandler handler) {
  fallback = handler;
  installHandler();
}

bool coil::runRecoverable(llvm::function_ref<void()> body, std::string &error) {
  installHandler();
  RecoveryPoint point;
  point.outer = recoveryPoint;
  recoveryPoint = &point;
  if (setjmp(point.buffer) == 0) {
    body();
    recoveryPoint = point.outer;
    return true;
  }
  recoveryPoint = point.outer;
  error = point.reason;
  return false;
}
