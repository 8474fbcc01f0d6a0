//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each pass has changed, as a difference of lines.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_IRDIFF_H
#define COIL_REPORT_IRDIFF_H

#include "llvm/ADT/StringRef.h"

#include <memory>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace mlir {
class PassInstrumentation;
} // namespace mlir

namespace coil {

/// Prints the lines that differ, with '-' and '+' before them and `context`
/// equal lines around them, as `diff -u` does; false where there are none.
/// Lines that differ in the numbers of SSA values alone are equal: a pass that
/// erases one operation would otherwise change every line after it.
bool printLineDiff(llvm::StringRef before, llvm::StringRef after,
                   unsigned context, llvm::raw_ostream &os);

/// An instrumentation that prints, after each pass that has changed its
/// operation, the pass and `printLineDiff`. A pass that fails counts as one
/// that changed it. The context must not run passes in parallel.
std::unique_ptr<mlir::PassInstrumentation>
createIRDiffPrinter(llvm::raw_ostream &os, unsigned context = 3);

} // namespace coil

#endif // COIL_REPORT_IRDIFF_H
