//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written for readers while code is made. It is never why no code is
// made.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_DUMPS_H
#define COIL_LIB_EXECUTIONENGINE_DUMPS_H

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace coil {

/// Warns of what could not be written, once for each message, from any thread.
inline void warnOfDump(llvm::Error error) {
  if (!error)
    return;
  static std::mutex mutex;
  static llvm::StringSet<> known;
  std::string text = llvm::toString(std::move(error));
  std::lock_guard<std::mutex> lock(mutex);
  if (known.insert(text).second)
    llvm::errs() << "warning: a report is incomplete: " << text << '\n';
}

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_DUMPS_H
