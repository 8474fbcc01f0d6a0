//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Origins and errors of registrations.
//
//===----------------------------------------------------------------------===//

#include "coil/Support/Registration.h"

#include "coil/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <atomic>
#include <dlfcn.h>

using namespace coil;

static thread_local std::string currentOrigin;
static std::atomic<uint64_t> generation{0};

namespace {
struct Errors {
  std::mutex mutex;
  std::vector<std::string> messages;
};
} // namespace

/// Never destroyed: plugins register at any time.
static Errors &getErrors() {
  static auto *errors = new Errors;
  return *errors;
}

RegistrationScope::RegistrationScope(llvm::StringRef origin)
    : outer(std::exchange(currentOrigin, origin.str())) {}

RegistrationScope::~RegistrationScope() { currentOrigin = std::move(outer); }

std::string coil::getRegistrationOrigin(const void *caller) {
  if (!currentOrigin.empty())
    return currentOrigin;
  Dl_info info;
  if (caller && dladdr(caller, &info) && info.dli_fname)
    return info.dli_fname;
  return "this program";
}

void coil::reportRegistrationError(const llvm::Twine &message) {
  Errors &errors = getErrors();
  std::lock_guard<std::mutex> lock(errors.mutex);
  std::string text = message.str();
  if (!llvm::is_contained(errors.messages, text))
    errors.messages.push_back(std::move(text));
}

llvm::Error coil::checkRegistrations() {
  Errors &errors = getErrors();
  std::lock_guard<std::mutex> lock(errors.mutex);
  if (errors.messages.empty())
    return llvm::Error::success();
  return makeError(llvm::join(errors.messages, "\n"));
}

uint64_t coil::getRegistrationGeneration() { return generation; }

void coil::noteRegistration() { ++generation; }

std::string coil::suggestName(llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> candidates) {
  // A third of the letters may differ, and two may be exchanged.
  unsigned size = unsigned(name.size());
  unsigned best = std::max(size < 4 ? 1u : 2u, size / 3) + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, true, best);
    if (distance >= best)
      continue;
    best = distance;
    nearest = candidate;
  }
  // Names of which something was left out.
  if (nearest.empty() && name.size() > 2)
    for (llvm::StringRef candidate : candidates)
      if (candidate.contains(name) &&
          (nearest.empty() || candidate.size() < nearest.size()))
        nearest = candidate;
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}
