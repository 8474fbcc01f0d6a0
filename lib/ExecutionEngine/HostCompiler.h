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
#include "coil/Support/CPUTarget.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
class Module;
} // namespace llvm

namespace coil {

/// Makes LLVM know the host's code generator and object format; whoever
/// compiles or links calls it first.
void initializeHostTarget();

/// Optimises modules and emits objects.
class HostCompiler {
public:
  static llvm::Expected<std::unique_ptr<HostCompiler>>
  create(const CPUTarget &target, unsigned optLevel);

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
  llvm::Error checkSymbols(const llvm::MemoryBuffer &object) const;

  CPUTarget target;
  unsigned optLevel = 2;
  LentMachine machine;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_HOSTCOMPILER_H
