//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's passes over a module, for hosts and devices.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_MODULEPASSES_H
#define COIL_LIB_EXECUTIONENGINE_MODULEPASSES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace coil {

/// Runs the passes that `make` has of a builder, whose analyses are registered
/// and whose pipelines are tuned as said.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> make,
    const llvm::PipelineTuningOptions &tuning = {});

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_MODULEPASSES_H
