//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over the LLVM IR of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_DEVICEOPTIMIZER_H
#define COIL_LIB_EXECUTIONENGINE_DEVICEOPTIMIZER_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace coil {

/// The passes, as LLVM writes them.
llvm::StringRef getDevicePipeline();

/// Optimises a linked module of kernels for the code generator.
void optimizeForDevice(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_DEVICEOPTIMIZER_H
