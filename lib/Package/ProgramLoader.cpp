//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of packages, for the compiler and for those who only run programs.
//
//===----------------------------------------------------------------------===//

#include "coil/Package/ProgramLoader.h"

#include "coil/Driver/WeightFile.h"
#include "coil/Package/Package.h"
#include "coil/Support/Clock.h"
#include "coil/Support/Error.h"

using namespace coil;
using llvm::Error;
using llvm::Expected;

Expected<LoadedProgram> coil::loadVariant(const ProgramPackage &package,
                                          const LoadOptions &options,
                                          ModelContainer::WeightSource find) {
  Expected<const ProgramVariant *> selected =
      selectVariant(package, options.engine.device);
  if (!selected)
    return selected.takeError();
  const ProgramVariant &variant = **selected;
  LoadedProgram program;
  program.kernelsBefore = variant.kernelsBefore;
  program.launches = variant.launches;
  program.libraryCalls = variant.libraryCalls;
  EngineOptions engineOptions = options.engine;
  std::unique_ptr<Engine> engine, prepareEngine;
  // Weights are named after the function that prepares them.
  std::string prepareName;
  if (variant.prepare) {
    llvm::StringRef entry = variant.prepare->entryPoint;
    entry.consume_front("coil_");
    prepareName = entry.str();
  }
  for (auto [image, place] : {std::pair(variant.main, &engine),
                              std::pair(variant.prepare, &prepareEngine)}) {
    if (!image)
      continue;
    Expected<std::unique_ptr<Engine>> loaded =
        Engine::load(image, engineOptions);
    if (!loaded)
      return loaded.takeError();
    *place = std::move(*loaded);
    engineOptions.graphs = 0;
  }
  Expected<std::unique_ptr<ModelContainer>> container = ModelContainer::create(
      std::move(engine), std::move(prepareEngine), prepareName, find);
  if (!container)
    return container.takeError();
  program.container = std::move(*container);
  return std::move(program);
}

Expected<LoadedProgram> coil::loadProgram(llvm::StringRef path,
                                          const LoadOptions &options) {
  double start = now();
  Expected<ProgramPackage> package = readPackage(
      path, options.checkHashes ? PackageCheck::Fast : PackageCheck::None);
  if (!package)
    return package.takeError();
  if (package->function != options.function)
    return makeError("there is no function '" + options.function +
                     "', the package has '" + package->function + "'");
  double readSeconds = now() - start;
  WeightFile weights(*package);
  Expected<LoadedProgram> program = loadVariant(
      *package, options, [&](llvm::StringRef name) -> Expected<NamedWeight> {
        if (const NamedWeight *weight = weights.lookup(name))
          return *weight;
        return makeError("the program needs the weight '" + name +
                         "', which the package does not have");
      });
  if (!program)
    return makeError("'" + path + "': " + toString(program.takeError()));
  program->readSeconds = readSeconds;
  program->totalSeconds = now() - start;
  return program;
}
