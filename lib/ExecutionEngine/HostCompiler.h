//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM IR to object code for the host, one module at a time; each thread has a
// compiler of its own.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_HOSTCOMPILER_H
#define COIL_LIB_EXECUTIONENGINE_HOSTCOMPILER_H

#include "MachinePool.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace coil {

/// The processor that code is made for.
struct HostTarget {
  std::string triple;
  std::string cpu;
  std::string features;
  /// Bits of the widest vectors that code should use.
  unsigned vectorBits = 128;
  /// Whether there is a fused multiply-add.
  bool hasFMA = false;

  /// The processor of this process, or the given names in its place when they
  /// are not empty.
  static llvm::Expected<HostTarget> detect(llvm::StringRef cpu = "",
                                           llvm::StringRef features = "");
};

/// Optimises modules and emits objects.
class HostCompiler {
public:
  static llvm::Expected<std::unique_ptr<HostCompiler>>
  create(const HostTarget &target, unsigned optLevel);

  const llvm::DataLayout getDataLayout() const {
    return machine->createDataLayout();
  }

  /// Sets the triple, layout and function attributes of the target, and adds
  /// the bodies of inlined mathematics.
  void prepare(llvm::Module &module) const;
  void optimize(llvm::Module &module) const;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  emitObject(llvm::Module &module) const;

private:
  HostCompiler() = default;

  HostTarget target;
  unsigned optLevel = 2;
  LentMachine machine;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_HOSTCOMPILER_H
