//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parallel loops for the runtime's own use.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_THREADS_H
#define COIL_LIB_RUNTIME_THREADS_H

#include "coil/Runtime/Runtime.h"

#include <type_traits>

namespace coil::rt {

/// Type-erased body: must not throw. Returns nothing; failures go through
/// failBody.
using RangeFn = void (*)(void *context, int64_t begin, int64_t end);

int32_t parallelForImpl(int64_t total, int64_t grain, RangeFn body,
                        void *context);

/// Makes the parallel loop that the calling thread works for fail with this
/// status and the thread's last error. Only the first failure counts.
void failBody(int32_t status);

/// Calls `body(begin, end)` for ranges that cover [0, total); a body that
/// returns a status makes the loop fail with the first one that is not COIL_OK.
template <typename Body>
int32_t parallelFor(int64_t total, int64_t grain, Body &&body) {
  using Type = std::remove_reference_t<Body>;
  return parallelForImpl(
      total, grain,
      [](void *context, int64_t begin, int64_t end) {
        Type &body = *static_cast<Type *>(context);
        if constexpr (std::is_void_v<decltype(body(begin, end))>)
          body(begin, end);
        else if (int32_t status = body(begin, end))
          failBody(status);
      },
      const_cast<void *>(static_cast<const void *>(&body)));
}

/// Makes OpenMP code called in the scope (the vendor library) use our number of
/// threads.
class ThreadCountScope {
public:
  ThreadCountScope();
  ~ThreadCountScope();

private:
  int previous;
};

} // namespace coil::rt

#endif // COIL_LIB_RUNTIME_THREADS_H
