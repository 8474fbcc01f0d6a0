//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of the pipelines that coil-compile and coil-run take on their
// command lines.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_TOOLS_COMMON_PIPELINEFLAGS_H
#define COIL_TOOLS_COMMON_PIPELINEFLAGS_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace coil {

/// Flags of a tool; one object at most.
struct PipelineFlags {
  /// `debugCategory` is that of what shows and watches values.
  PipelineFlags(llvm::cl::OptionCategory &category,
                llvm::cl::OptionCategory &debugCategory,
                llvm::StringRef targetDescription);

  /// What `CompilePipelineOptions` parses, the target first. Fails for what is
  /// no number of bytes.
  llvm::Expected<std::string> getPipelineOptions() const;

  /// Loads what --load-plugin names; before anything is registered.
  llvm::Error loadPluginFiles() const;

  /// All of the flags.
  std::vector<const llvm::cl::Option *> getAll() const;

  llvm::cl::opt<std::string> target, fastMath, matmulPrecision, convPrecision,
      raiseAttention;
  llvm::cl::opt<bool> deterministic;
  llvm::cl::opt<std::string> hostFallbacks, userKernels;
  llvm::cl::opt<bool> graphCollectives;
  llvm::cl::opt<std::string> library;
  llvm::cl::opt<int64_t> vectorBits;
  llvm::cl::opt<bool> fuse;
  llvm::cl::opt<std::string> plan, memoryBudget, scatterBytes, stackLimit;
  llvm::cl::opt<std::string> debugValues, debugFilter;
  llvm::cl::opt<bool> debugEnds, releaseInputs;
  llvm::cl::opt<std::string> profileMarks;
  llvm::cl::opt<int64_t> assertAlignment;
  llvm::cl::opt<std::string> random;
  llvm::cl::list<std::string> insertPasses;
  llvm::cl::list<std::string> loadPlugins;
};

} // namespace coil

#endif // COIL_TOOLS_COMMON_PIPELINEFLAGS_H
