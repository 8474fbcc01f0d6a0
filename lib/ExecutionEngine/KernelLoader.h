//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads kernels that are PTX onto a device.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_EXECUTIONENGINE_KERNELLOADER_H
#define COIL_LIB_EXECUTIONENGINE_KERNELLOADER_H

#include "ObjectCache.h"
#include "coil/Runtime/CUDA.h"

#include <string>

namespace coil {

/// The driver compiles PTX, but one kernel at a time, however many threads ask
/// it to. So a program of several kernels is assembled by nvJitLink, where that
/// can be loaded, and the driver only gets machine code. COIL_CUDA_ASSEMBLER
/// says `driver` or `nvjitlink` for whatever number of kernels.
class KernelLoader {
public:
  /// For `numKernels` kernels of PTX; `cache` is a directory that keeps machine
  /// code, or empty.
  KernelLoader(int32_t device, size_t numKernels, llvm::StringRef cache,
               bool lineInfo);

  /// Loads a kernel; any number of threads may. Returns a coil_status with the
  /// message recorded.
  int32_t load(coil_cuda_kernel &kernel) const;

private:
  /// The machine code of a kernel for the device, or "".
  std::string assemble(const coil_cuda_kernel &kernel) const;

  int32_t device;
  /// The device's chip; empty where the driver compiles.
  std::string chip;
  bool lineInfo;
  ObjectCache cache;
};

} // namespace coil

#endif // COIL_LIB_EXECUTIONENGINE_KERNELLOADER_H
