//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pass managers that run again.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_DRIVER_PIPELINECACHE_H
#define COIL_LIB_DRIVER_PIPELINECACHE_H

#include "coil/Pipelines/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <optional>
#include <string>

namespace coil {

/// The pipelines of a context, which are built once for the same options: a
/// pipeline and its patterns take as long to make as to run on a small program.
class PipelineCache {
public:
  /// `configure` is called on each new pass manager.
  PipelineCache(mlir::MLIRContext &context,
                std::function<void(mlir::PassManager &)> configure)
      : context(context), configure(std::move(configure)) {}

  /// What is found out once a program begins to be found out again.
  void startProgram() { library.reset(); }

  /// The passes that lead to `stage`; `options` are those of `text` with their
  /// target resolved. Valid until the next call.
  mlir::PassManager &get(Stage stage, const CompilePipelineOptions &options,
                         llvm::StringRef text);

private:
  mlir::MLIRContext &context;
  std::function<void(mlir::PassManager &)> configure;
  /// The libraries that the program's options stand for.
  std::optional<std::string> library;
  llvm::StringMap<std::unique_ptr<mlir::PassManager>> managers;
};

} // namespace coil

#endif // COIL_LIB_DRIVER_PIPELINECACHE_H
