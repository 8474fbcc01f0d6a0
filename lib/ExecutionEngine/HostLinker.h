//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links machine code of the host in memory.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_HOSTLINKER_H
#define COIL_LIB_EXECUTIONENGINE_HOSTLINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>

namespace coil {

/// Relocatable objects that were linked together, and the memory of their code.
/// Objects see one another, what was defined here, the runtime, the symbols of
/// the process, and the C library's mathematics, in this order.
///
/// JITLink does the relocations of each object. ORC, whose sessions look up
/// symbols between objects, is left out: it refers to LLVM's IR, and whoever
/// only loads a program (libcoil_loader.so) has none.
class HostLinker {
public:
  HostLinker();
  ~HostLinker();
  HostLinker(const HostLinker &) = delete;

  /// Gives objects a symbol that is not in them.
  void define(llvm::StringRef name, void *address);

  /// Links objects. Called once; fails with all symbols that are missing.
  llvm::Error link(llvm::ArrayRef<llvm::MemoryBufferRef> objects);

  /// The address of a symbol that an object defines, or null.
  void *lookup(llvm::StringRef name) const { return defined.lookup(name); }

private:
  struct Session;
  class Context;
  void *find(llvm::StringRef name) const;

  std::unique_ptr<Session> session;
  llvm::StringMap<void *> given;
  llvm::StringMap<void *> defined;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_HOSTLINKER_H
