//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a program that run on a GPU, compiled and described to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_DEVICEKERNELS_H
#define COIL_LIB_EXECUTIONENGINE_DEVICEKERNELS_H

#include "coil/ExecutionEngine/DeviceCompiler.h"
#include "coil/ExecutionEngine/ProgramImage.h"
#include "coil/Runtime/CUDA.h"

#include <deque>
#include <memory>

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace coil {

/// Whether `op` is a kernel that a GPU runs: a `wrapper.kernel` with a
/// geometry.
bool isDeviceKernel(mlir::Operation *op);

/// Compiles all GPU kernels of a lowered module.
llvm::Expected<std::vector<DeviceObject>>
compileKernels(mlir::ModuleOp module, const DeviceOptions &options,
               EngineStats &stats);

class DeviceKernels {
public:
  /// Describes kernels, which must outlive this.
  explicit DeviceKernels(llvm::ArrayRef<DeviceObject> sources);
  /// Unloads the kernels.
  ~DeviceKernels();

  /// A kernel, under the name by which the host program refers to it.
  struct Kernel {
    std::string symbol;
    coil_cuda_kernel object;
  };
  std::deque<Kernel> &getKernels() { return kernels; }

  /// Loads all kernels onto a device, so that errors show now and the first
  /// run is as fast as others. `cache` keeps machine code that is made of PTX
  /// for the device, unless it is empty.
  llvm::Error load(int32_t device, llvm::StringRef cache, bool lineInfo);

private:
  std::deque<Kernel> kernels;
  /// How many are PTX.
  size_t numTexts = 0;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_DEVICEKERNELS_H
