//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directory with everything that a compilation made, and a page that leads
// through it.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REPORT_DEBUGDIRECTORY_H
#define COIL_REPORT_DEBUGDIRECTORY_H

#include "coil/Pipelines/Pipelines.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace coil {

/// Warns on the standard error that a report could not be written. Reports are
/// what users ask for in addition to a program, so that a folder that cannot be
/// written or a disk that is full is no reason to have neither.
void warnAboutReport(llvm::Error error);

/// Follows one compilation. What is written:
///
///   index.html          leads through the rest
///   <n>-<stage>.mlir    the module after each stage, to be resumed from
///   before-fusion.mlir  loop kernels as `loop-fuse` gets them,
///   after-fusion.mlir   and as it leaves them
///   kernels/            each kernel by itself; for GPUs its PTX, too
///   program.py          the host program on torch tensors, if it can be said
///   provenance.json     source, operators, kernels and calls
///   memory.json         the memory plan
///   timing.json         seconds by stage
///   remarks.txt         decisions of the passes with their reasons
///   errors.txt          diagnostics, if compilation failed
class DebugDirectory {
public:
  /// Makes the directory, which may be there, and takes the diagnostics of the
  /// module's context until this is destroyed; errors and warnings go on to
  /// whoever had them. `model` is what the page calls the program.
  static llvm::Expected<std::unique_ptr<DebugDirectory>>
  create(llvm::StringRef path, llvm::StringRef model, mlir::ModuleOp module,
         const CompilePipelineOptions &options);
  ~DebugDirectory();

  /// To be called on the pass manager of each stage.
  void configure(mlir::PassManager &pm);
  /// To be called with the module after each stage, and the one that the
  /// first begins with.
  llvm::Error addStage(Stage stage, mlir::ModuleOp module, double seconds);
  /// Writes what is left, the page among it.
  llvm::Error finish();

private:
  struct Impl;
  explicit DebugDirectory(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
};

} // namespace coil

#endif // COIL_REPORT_DEBUGDIRECTORY_H
