//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs of `graph` operators with inputs for them: what coil-fuzz
// runs in different ways and compares.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_TESTING_RANDOMPROGRAM_H
#define COIL_LIB_TESTING_RANDOMPROGRAM_H

#include "coil/Reference/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace coil::testing {

struct ProgramOptions {
  /// Operators of a program, compositions counting as one.
  unsigned maxOps = 12;
  /// Elements of the largest tensor.
  int64_t maxElements = 600;
  /// Element types to use; all when empty.
  std::vector<reference::DType> dtypes;
  /// Whether sizes may be symbolic.
  bool symbols = true;
  /// Whether there are scans and writes at positions.
  bool ordered = true;
  /// Whether there are sorts, which not every device has a library for.
  bool sorts = true;
};

/// A module with one function, `main`, and arguments for it. The values
/// stay finite and away from poles, but for programs whose number is divisible
/// by 16: their inputs hold NaNs and infinities.
struct RandomProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<reference::Tensor> inputs;
};

/// The program of a seed; equal seeds and options give equal programs.
RandomProgram generateProgram(mlir::MLIRContext *context, uint64_t seed,
                              const ProgramOptions &options);

} // namespace coil::testing

#endif // COIL_LIB_TESTING_RANDOMPROGRAM_H
