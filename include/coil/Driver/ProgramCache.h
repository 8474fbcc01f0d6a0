//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled programs on disk, by the hash of what they were compiled from. See
// docs/concepts/CompileCache.md.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DRIVER_PROGRAMCACHE_H
#define COIL_DRIVER_PROGRAMCACHE_H

#include "coil/Package/Package.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace coil {

/// What the cache did in this process.
struct CacheCounts {
  /// Programs that were loaded, and those that had to be compiled.
  int64_t hits = 0, misses = 0;
  /// Programs whose refusal by the compiler was known.
  int64_t refusals = 0;
  /// Entries that were written, that were damaged and removed, and that were
  /// removed to keep the limit.
  int64_t stores = 0, damaged = 0, evicted = 0;
};

/// Adds up what a program is compiled from. Parts are told apart by their
/// lengths.
class CacheKey {
public:
  CacheKey &add(llvm::StringRef bytes);
  CacheKey &add(uint64_t number);
  /// The name of the entry: 64 hexadecimal digits.
  std::string finish();

private:
  llvm::BLAKE3 hasher;
};

/// A directory of programs. Any number of threads and processes may use it at
/// the same time: entries appear whole, by a change of name, and never change.
/// Whoever can write to the directory decides what code runs, so it has to
/// belong to the user, or to the administrator.
class ProgramCache {
public:
  /// The cache that the environment names: in COIL_CACHE_DIR, by default
  /// `coil` in XDG_CACHE_HOME or in ~/.cache, of at most COIL_CACHE_SIZE bytes.
  /// Nothing with COIL_CACHE=0. Fails for values that are none, and for a
  /// directory that cannot be made or that others may write to.
  static llvm::Expected<std::optional<ProgramCache>> open();

  /// The program of that name. A damaged one is removed.
  std::optional<ProgramPackage> load(llvm::StringRef key) const;
  /// Why the compiler refuses the program of that name, if that is known.
  std::optional<std::string> loadRefusal(llvm::StringRef key) const;

  /// Keep a program, or why there is none. Afterwards the directory keeps its
  /// limit. Errors do not matter to the program.
  /// @{
  llvm::Error store(llvm::StringRef key, const ProgramPackage &package) const;
  llvm::Error storeRefusal(llvm::StringRef key, llvm::StringRef reason) const;
  /// @}

  llvm::StringRef getDirectory() const { return directory; }

  static CacheCounts getCounts();
  static void countHit();
  static void countMiss();

private:
  ProgramCache(std::string directory, uint64_t limit)
      : directory(std::move(directory)), limit(limit) {}
  std::string getPath(llvm::StringRef key, llvm::StringRef extension) const;
  /// Adds a new entry to what the directory holds, and removes the entries that
  /// were used least recently where that is more than the limit.
  void keepLimit(llvm::StringRef path) const;

  std::string directory;
  uint64_t limit;
};

} // namespace coil

#endif // COIL_DRIVER_PROGRAMCACHE_H
