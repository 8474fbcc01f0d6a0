//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the environment asks for: COIL_LOGS and COIL_DEBUG.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DRIVER_LOGS_H
#define COIL_LIB_DRIVER_LOGS_H

#include "coil/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace coil {

/// What COIL_LOGS names, separated by commas. It is read once; a name that is
/// none is a warning.
struct Logs {
  bool stages = false;     ///< Each stage with its time.
  bool pipelines = false;  ///< The passes of each stage.
  bool ir = false;         ///< The program after each stage.
  bool provenance = false; ///< Each step's handle with its source.

  static const Logs &get();

  /// Writes what is asked for of a stage that was reached.
  void stageDone(Stage stage, mlir::ModuleOp module, double seconds) const;
};

/// The debug directory of the next program that is compiled, in the one that
/// COIL_DEBUG names; empty without.
std::string nextDebugDirectory(llvm::StringRef model);

} // namespace coil

#endif // COIL_LIB_DRIVER_LOGS_H
