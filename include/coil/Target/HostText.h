//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host programs as text of another language: what the text emitters offer to
// tools.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TARGET_HOSTTEXT_H
#define COIL_TARGET_HOSTTEXT_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

/// What surrounds an emitted Python module.
struct PythonOptions {
  /// The file that the program came from, for the comment at the top and for
  /// the weights of the benchmark; may be empty.
  std::string source;
};

/// Prints the host programs of `module`, with their kernels in value form, as a
/// Python module. What cannot be expressed is a diagnostic at its op.
mlir::LogicalResult emitPython(mlir::ModuleOp module, llvm::raw_ostream &os,
                               const PythonOptions &options = {});

/// Registers the translation `wrapper-to-python`.
void registerHostTextTranslations();

} // namespace coil

#endif // COIL_TARGET_HOSTTEXT_H
