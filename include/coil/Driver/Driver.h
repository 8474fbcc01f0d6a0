//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools share: reading a program from a file, and taking it from one
// stage to another.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DRIVER_DRIVER_H
#define COIL_DRIVER_DRIVER_H

#include "coil/Import/Package.h"
#include "coil/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace coil {

class DebugDirectory;
class PipelineCache;

/// A program and its weights.
struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Null when there are none. Keeps their file mapped.
  std::unique_ptr<import::WeightStore> weights;
};

/// Reads a module as text or bytecode. Text that is nested too deep for the
/// parser is an error. `sources` receives it, so that diagnostics can show it.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
loadModule(llvm::StringRef path, llvm::SourceMgr &sources,
           mlir::MLIRContext &context);

/// Reads `path`: an exported program (`.pt2`), or a module as `loadModule`
/// does. A module takes its weights from the `.pt2` file `weightsPath`, if
/// given. With `checkWeights` the weights' bytes are compared with their
/// CRC-32.
llvm::Expected<Program> loadProgram(llvm::StringRef path,
                                    llvm::StringRef weightsPath,
                                    llvm::SourceMgr &sources,
                                    mlir::MLIRContext &context,
                                    bool checkWeights = false);

/// The program of the text that `coil.torch_compile` writes of a graph; an
/// error names the node.
llvm::Expected<Program> loadProgramText(llvm::StringRef text,
                                        mlir::MLIRContext &context);

/// The stage that a module is at, by the ops it holds.
Stage detectStage(mlir::ModuleOp module);

/// What taking a program through a stage took.
struct StageTime {
  Stage stage;
  double seconds;
};

struct CompileOptions {
  Stage from = Stage::Input;
  Stage to = Stage::Native;
  /// Pipeline options as text: `library=none vector-bits=256`.
  std::string pipelineOptions;
  /// Verify between passes, as tests do; stage boundaries always are.
  bool verifyEach = false;
  /// Directory that receives the module after each stage, `<n>-<stage>.mlir`;
  /// empty for none.
  std::string dumpDirectory;
  /// Receives everything that is made, if there is one. Whoever made it adds
  /// the module at `from`, and finishes it.
  DebugDirectory *debug = nullptr;
  /// Receives the textual pipeline of each stage before it runs, if set.
  llvm::raw_ostream *printPipelines = nullptr;
  /// Called on each pass manager before it runs.
  std::function<void(mlir::PassManager &)> configure;
  /// Has the pass managers of a program that is compiled in memory, or makes
  /// them; not with `verifyEach`, `configure` or `debug`.
  PipelineCache *pipelines = nullptr;
};

/// Fails where options or their values are wrong, and for options that no pass
/// from the stage `from` (exclusive) to `to` reads.
llvm::Error checkStageOptions(llvm::StringRef pipelineOptions, Stage from,
                              Stage to);

/// Fails where the option `insert-passes` names what there is not, or an
/// extension point that compilation from `from` (exclusive) to `to` does not
/// pass. With `compilesKernels` kernels get their code without the host
/// program.
llvm::Error checkInsertedPasses(llvm::StringRef pipelineOptions, Stage from,
                                Stage to, bool compilesKernels = false);

/// Adds what takes programs of other compilers to dialects that the pipelines
/// know: functions that are called, and operations of TOSA. The pipelines of
/// all programs need not load that. Returns whether there is anything.
bool buildPreparation(mlir::OpPassManager &pm, mlir::ModuleOp module);

/// Runs the pipelines that lead from `from` (exclusive) to `to`. Diagnostics go
/// to the context; the error says which stage failed.
llvm::Expected<std::vector<StageTime>>
compileProgram(mlir::ModuleOp module, const CompileOptions &options);

/// Makes a directory with all that compiling `module`, which is at `stage`, is
/// going to make; null for an empty path, and with a warning for one that
/// cannot be written. `model` is the file that it came from.
llvm::Expected<std::unique_ptr<DebugDirectory>>
openDebugDirectory(llvm::StringRef path, llvm::StringRef model,
                   mlir::ModuleOp module, Stage stage,
                   llvm::StringRef pipelineOptions);

/// Finishes a directory, if there is one, and returns `error`, the outcome of
/// the compilation. What cannot be written is a warning.
llvm::Error finishDebugDirectory(DebugDirectory *debug, llvm::Error error);

} // namespace coil

#endif // COIL_DRIVER_DRIVER_H
