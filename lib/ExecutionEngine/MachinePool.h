//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generators that serve one module after the other.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_MACHINEPOOL_H
#define COIL_LIB_EXECUTIONENGINE_MACHINEPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace coil {

/// A code generator that goes back to where the next module of the same target
/// takes it from. What a processor can do, and the tables of instructions that
/// follow, take it a third of a millisecond to find out.
class LentMachine {
public:
  using Make = llvm::function_ref<std::unique_ptr<llvm::TargetMachine>()>;

  /// One that waits, or the one that `make` makes; null if that makes none.
  /// Machines with the same key must be the same.
  static LentMachine take(std::string key, Make make);

  LentMachine() = default;
  LentMachine(LentMachine &&) = default;
  LentMachine &operator=(LentMachine &&) = default;
  ~LentMachine();

  explicit operator bool() const { return machine != nullptr; }
  llvm::TargetMachine &operator*() const { return *machine; }
  llvm::TargetMachine *operator->() const { return machine.get(); }
  llvm::TargetMachine *get() const { return machine.get(); }

private:
  std::string key;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_MACHINEPOOL_H
