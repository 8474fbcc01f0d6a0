//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What code outside of Coil adds to the compiler's tables: who added it, and
// what is wrong with it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_SUPPORT_REGISTRATION_H
#define COIL_SUPPORT_REGISTRATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace coil {

/// Names who registers on this thread while it lives: a plugin's file.
class RegistrationScope {
public:
  explicit RegistrationScope(llvm::StringRef origin);
  ~RegistrationScope();
  RegistrationScope(const RegistrationScope &) = delete;

private:
  std::string outer;
};

/// The origin of a registration: the innermost scope, or else the file of the
/// library or program that holds the code at `caller`.
std::string getRegistrationOrigin(const void *caller);

/// Keeps an error. Callbacks of plugins have no result, so errors of
/// registrations are kept, and everything that compiles refuses to begin while
/// there is one.
void reportRegistrationError(const llvm::Twine &message);

/// Fails with all errors that were kept.
llvm::Error checkRegistrations();

/// A number that changes with each registration. Caches of what depends on
/// registrations have it in their keys.
uint64_t getRegistrationGeneration();
void noteRegistration();

/// The candidate that is nearest to a name, as part of a message:
/// "; did you mean 'graph'?"; empty where none is near.
std::string suggestName(llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringRef> candidates);

/// A table of named entries in the order of their registration. Readers may be
/// on any thread. A second entry of the same name is an error that names both
/// origins.
template <typename T>
class NamedRegistry {
public:
  struct Entry {
    std::string name;
    std::string origin;
    T value;
  };

  /// `kind` is what messages call the entries: "emitter".
  explicit NamedRegistry(llvm::StringRef kind) : kind(kind) {}

  /// Adds an entry; false after an error for a name that is taken.
  bool add(llvm::StringRef name, T value, const void *caller) {
    std::string origin = getRegistrationOrigin(caller);
    std::lock_guard<std::mutex> lock(mutex);
    for (const Entry &entry : entries) {
      if (entry.name != name)
        continue;
      reportRegistrationError(kind + " '" + name +
                              "' is registered twice: by '" + entry.origin +
                              "' and by '" + origin + "'");
      return false;
    }
    entries.push_back({name.str(), std::move(origin), std::move(value)});
    noteRegistration();
    return true;
  }

  /// A copy, which stays as it is while others register.
  std::vector<Entry> getEntries() const {
    std::lock_guard<std::mutex> lock(mutex);
    return entries;
  }

  /// The value of an entry, or a default one.
  T lookup(llvm::StringRef name) const {
    std::lock_guard<std::mutex> lock(mutex);
    for (const Entry &entry : entries)
      if (entry.name == name)
        return entry.value;
    return T();
  }

private:
  llvm::StringRef kind;
  mutable std::mutex mutex;
  std::vector<Entry> entries;
};

} // namespace coil

#endif // COIL_SUPPORT_REGISTRATION_H
