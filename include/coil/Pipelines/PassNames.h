//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes and pipelines by name: a list of all, and the nearest of them where
// text names one that there is not.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PIPELINES_PASSNAMES_H
#define COIL_PIPELINES_PASSNAMES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace coil {

/// The names of all passes and pipelines that are registered.
mlir::SmallVector<llvm::StringRef> getPassNames();

/// Prints all passes and pipelines by the level that they work at, with a line
/// each.
void printPasses(llvm::raw_ostream &os);

/// Appends a textual pipeline. Fails for an unknown pass or option of a pass,
/// with the nearest one.
llvm::Error parsePipeline(llvm::StringRef text, mlir::OpPassManager &pm);

} // namespace coil

#endif // COIL_PIPELINES_PASSNAMES_H
