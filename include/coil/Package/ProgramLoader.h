//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of packages, linked and ready to run.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PACKAGE_PROGRAMLOADER_H
#define COIL_PACKAGE_PROGRAMLOADER_H

#include "coil/ExecutionEngine/ModelContainer.h"

namespace coil {

struct ProgramPackage;

struct LoadOptions {
  /// The function that the package has to have.
  std::string function = "main";
  /// Whether records are compared with their hashes.
  bool checkHashes = true;
  /// Of these, those for kernels and graphs matter.
  EngineOptions engine;
};

/// A program and what was counted when it was compiled.
struct LoadedProgram {
  std::unique_ptr<ModelContainer> container;
  int64_t kernelsBefore = 0, launches = 0, libraryCalls = 0;
  double readSeconds = 0, totalSeconds = 0;
};

/// Links the variant of a package that suits this processor and the GPU best,
/// with weights that `find` finds, and computes what depends on weights alone.
llvm::Expected<LoadedProgram> loadVariant(const ProgramPackage &package,
                                          const LoadOptions &options,
                                          ModelContainer::WeightSource find);

/// Maps a package and loads it with its own weights, which stay where they lie
/// in the file. Errors name the file.
llvm::Expected<LoadedProgram> loadProgram(llvm::StringRef path,
                                          const LoadOptions &options = {});

} // namespace coil

#endif // COIL_PACKAGE_PROGRAMLOADER_H
