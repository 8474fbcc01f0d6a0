//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of pipelines.
//
//===----------------------------------------------------------------------===//

#include "PipelineCache.h"

#include "coil/Support/Registration.h"
#include "mlir/IR/BuiltinOps.h"

using namespace coil;
using namespace mlir;

/// Four for each program; who varies the options has no use for more.
static constexpr unsigned kMaxPipelines = 64;

PassManager &PipelineCache::get(Stage stage,
                                const CompilePipelineOptions &options,
                                llvm::StringRef text) {
  // What the text leaves open may be something else for the next program.
  if (!library)
    library = resolveLibrary(options);
  std::string key = (stringifyStage(stage) + llvm::Twine('\n') + text + "\n" +
                     options.target + "\n" + *library + "\n" +
                     llvm::Twine(getRegistrationGeneration()))
                        .str();
  if (auto found = managers.find(key); found != managers.end()) {
    // This one reads a file when it is initialised.
    if (options.userKernels.empty())
      return *found->second;
    managers.erase(found);
  }
  if (managers.size() >= kMaxPipelines)
    managers.clear();
  auto pm =
      std::make_unique<PassManager>(&context, ModuleOp::getOperationName());
  pm->enableVerifier(false);
  configure(*pm);
  CompilePipelineOptions resolved;
  resolved.copyOptionValuesFrom(options);
  resolved.library = *library;
  buildStagePipeline(*pm, stage, resolved);
  return *(managers[key] = std::move(pm));
}
