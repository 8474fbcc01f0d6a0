//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an engine has, for those who make one: of a package, or of IR.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_ENGINEIMPL_H
#define COIL_LIB_EXECUTIONENGINE_ENGINEIMPL_H

#include "DeviceKernels.h"
#include "HostLinker.h"
#include "coil/ExecutionEngine/Engine.h"
#include "coil/Runtime/HostABI.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace coil {

struct Engine::Impl {
  ~Impl() { coil_cuda_program_destroy(program); }

  /// Fails, naming all that are missing, unless the host functions that a
  /// program calls are registered.
  static llvm::Error checkFunctions(const ProgramImage &image);
  /// Loads the kernels of an image onto the GPU; adds up the time.
  llvm::Error loadKernels(const ProgramImage &image,
                          const EngineOptions &options, double &seconds);
  /// Links the objects of the image and finds its functions.
  llvm::Error link(const EngineOptions &options);

  /// Before what refers to them.
  std::unique_ptr<DeviceKernels> deviceKernels;
  coil_cuda_program *program = nullptr;
  bool isDeviceProgram = false;
  std::shared_ptr<const ProgramImage> image;
  llvm::BitVector constantInputs;
  EngineStats stats;
  HostLinker linker;
  coil_entry_point entry = nullptr;
  llvm::StringMap<void *> functions;
  llvm::DenseMap<const void *, std::string> kernelNames;
  /// Why this processor does not run the program; empty if it does.
  std::string unrunnable;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_ENGINEIMPL_H
