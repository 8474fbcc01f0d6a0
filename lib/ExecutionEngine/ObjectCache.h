//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects on disk by the hash of what they were made from.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_OBJECTCACHE_H
#define COIL_LIB_EXECUTIONENGINE_OBJECTCACHE_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace coil {

struct CPUTarget;

/// A directory of objects. Files carry a hash of their content, so that a torn
/// or altered file is not used. Without a directory nothing is kept.
class ObjectCache {
public:
  explicit ObjectCache(llvm::StringRef directory) : directory(directory) {}

  bool isEnabled() const { return !directory.empty(); }

  /// The key of a module that is about to be optimised.
  static std::string getKey(const llvm::Module &module, const CPUTarget &target,
                            unsigned optLevel);

  /// The key of what is made from some bytes.
  static std::string getKey(llvm::StringRef bytes);

  /// The object with this key, or null.
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef key) const;

  /// Keeps an object. A failure to write only means that it is made again.
  void store(llvm::StringRef key, llvm::StringRef object) const;

private:
  std::string getPath(llvm::StringRef key) const;

  std::string directory;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_OBJECTCACHE_H
