//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of GPUs as data of an object file.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_KERNELOBJECT_H
#define COIL_LIB_EXECUTIONENGINE_KERNELOBJECT_H

#include "coil/ExecutionEngine/ProgramImage.h"

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace coil {

/// A module with a `coil_cuda_kernel` under the symbol of each kernel, and the
/// images that they refer to.
std::unique_ptr<llvm::Module>
makeKernelData(llvm::ArrayRef<DeviceObject> kernels,
               llvm::LLVMContext &context);

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_KERNELOBJECT_H
