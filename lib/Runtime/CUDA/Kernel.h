//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are loaded.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_KERNEL_H
#define COIL_LIB_RUNTIME_CUDA_KERNEL_H

#include "Device.h"

#include "coil/Runtime/CUDA.h"

#include <atomic>

namespace coil::rt::cuda {

/// Behind coil_cuda_kernel.state: the kernel's function on each device.
struct LoadedKernel {
  std::atomic<CUfunction> functions[maxDevices] = {};
};

/// Gives the function of a kernel; the first call on a device loads it.
int32_t loadKernel(Device &device, coil_cuda_kernel &kernel,
                   CUfunction &function);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_KERNEL_H
