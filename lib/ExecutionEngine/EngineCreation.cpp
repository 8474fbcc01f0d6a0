//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Engines of IR: what compiles a program to link it in the same process.
//
//===----------------------------------------------------------------------===//

#include "EngineImpl.h"
#include "ProgramCompiler.h"
#include "mlir/IR/BuiltinOps.h"

using namespace coil;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

Expected<std::unique_ptr<Engine>> Engine::create(ModuleOp module,
                                                 Signature signature,
                                                 const EngineOptions &options) {
  auto image = std::make_shared<ProgramImage>();
  auto impl = std::make_unique<Impl>();
  double loadSeconds = 0;
  if (Error error =
          compileImage(*image, module, std::move(signature), options, [&] {
            return impl->loadKernels(*image, options, loadSeconds);
          }))
    return std::move(error);
  if (options.requireFunctions)
    if (Error error = Impl::checkFunctions(*image))
      return std::move(error);
  impl->stats = image->stats;
  impl->stats.loadSeconds = loadSeconds;
  impl->image = std::move(image);
  // It may still become a package for another processor.
  if (Error error = checkProcessor(*impl->image))
    impl->unrunnable = toString(std::move(error));
  if (Error error = impl->link(options))
    return std::move(error);
  impl->stats.totalSeconds += impl->stats.linkSeconds;
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Expected<std::unique_ptr<Engine>> Engine::create(ModuleOp module,
                                                 const EngineOptions &options) {
  Expected<Signature> signature = readSignature(module, options);
  if (!signature)
    return signature.takeError();
  return create(module, std::move(*signature), options);
}
