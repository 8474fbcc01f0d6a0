//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_PROGRAMCOMPILER_H
#define COIL_LIB_EXECUTIONENGINE_PROGRAMCOMPILER_H

#include "coil/ExecutionEngine/Engine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace coil {

/// Compiles a lowered program into `image`. What GPUs run and what the host
/// runs are made side by side where there are several threads. `useKernels` is
/// called as soon as `image.kernels` is complete, unless there are none, while
/// the rest of `image` is still being made, perhaps on another thread; its
/// error is that of the compilation.
llvm::Error
compileImage(ProgramImage &image, mlir::ModuleOp module, Signature signature,
             const EngineOptions &options,
             llvm::function_ref<llvm::Error()> useKernels = nullptr);

/// The signature of the entry point that the options name.
llvm::Expected<Signature> readSignature(mlir::ModuleOp module,
                                        const EngineOptions &options);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_PROGRAMCOMPILER_H
