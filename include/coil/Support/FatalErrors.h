//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM reports as a fatal error ("Cannot select", for one) is an error of
// one compilation in a library, not the end of the process.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_FATALERRORS_H
#define COIL_SUPPORT_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace coil {

/// Runs `body`. When LLVM reports a fatal error in it, on this thread, the rest
/// of `body` is left out, and the result is false with LLVM's text in `error`.
/// What `body` owned then is never destroyed: LLVM's data structures may be in
/// any state. So `body` takes no locks, and owns everything that is in the
/// hands of LLVM.
bool runRecoverable(llvm::function_ref<void()> body, std::string &error);

/// What is called for other fatal errors, after which the process ends; null
/// for LLVM's own way. A tool sets this rather than LLVM's handler, of which
/// there is one in a process.
using FatalErrorHandler = void (*)(void *, const char *reason, bool crash);
void setFatalErrorFallback(FatalErrorHandler handler);

} // namespace coil

#endif // COIL_SUPPORT_FATALERRORS_H
