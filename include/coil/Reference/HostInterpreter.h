//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs host programs (`wrapper.func`) whose kernels are still value functions,
// op by op: the oracle for whatever emits them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REFERENCE_HOSTINTERPRETER_H
#define COIL_REFERENCE_HOSTINTERPRETER_H

#include "coil/Reference/Interpreter.h"

namespace coil::wrapper {
class FuncOp;
} // namespace coil::wrapper

namespace coil::reference {

/// An argument of a host program.
struct HostArgument {
  Tensor tensor;
  /// How it lies in memory, in elements; empty for the strides of its type
  /// where those are constant, row-major elsewhere.
  llvm::SmallVector<int64_t> strides;
};

/// Runs host programs. Storage is modelled with its life and its bounds: a
/// program that uses what was freed, frees twice, or leaves a buffer's storage
/// fails with a diagnostic at the op, as does every failed check. What nothing
/// has written is a pattern that no test expects.
class HostInterpreter {
public:
  explicit HostInterpreter(InterpreterOptions options = {})
      : interpreter(std::move(options)) {}

  mlir::FailureOr<llvm::SmallVector<Tensor>>
  run(wrapper::FuncOp fn, llvm::ArrayRef<HostArgument> arguments);

  /// The most bytes that programs had allocated at once, arguments and literals
  /// not counted.
  int64_t getPeakStorageBytes() const {
    return interpreter.getPeakStorageBytes();
  }

private:
  Interpreter interpreter;
};

} // namespace coil::reference

#endif // COIL_REFERENCE_HOSTINTERPRETER_H
