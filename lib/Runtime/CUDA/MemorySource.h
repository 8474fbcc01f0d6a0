//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Installed allocators of device memory, and what programs need allocations
// for.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_MEMORYSOURCE_H
#define COIL_LIB_RUNTIME_CUDA_MEMORYSOURCE_H

#include "Driver.h"

#include "coil/Runtime/DeviceMemory.h"

#include <atomic>
#include <cstddef>
#include <string>

namespace coil::rt::cuda {

class Device;

/// An allocator that was installed. Lives until the process ends.
struct MemorySource {
  coil_device_allocator functions;
  std::string name;

  /// Returns 0 with the error recorded. The caller holds no lock.
  CUdeviceptr allocate(Device &device, int64_t bytes, CUstream stream,
                       int32_t use) const;
  void free(Device &device, CUdeviceptr address, int64_t bytes,
            CUstream stream) const;

  /// The one that runs use that begin now; null for the runtime's own.
  static const MemorySource *get();
};

/// What became of the allocations of a program's earlier runs, by their number
/// in the run. One whose number is not known, or not always the same, costs
/// more, and changes nothing else.
class AllocationUses {
public:
  int32_t predict(int64_t number) const {
    if (size_t(number) >= limit)
      return COIL_MEMORY_TEMPORARY;
    return uses[number].load(std::memory_order_relaxed) == Temporary
               ? COIL_MEMORY_TEMPORARY
               : COIL_MEMORY_RESULT;
  }
  /// A result once is one forever.
  void learn(int64_t number, bool isResult) {
    if (size_t(number) >= limit)
      return;
    std::atomic<uint8_t> &use = uses[number];
    if (isResult)
      use.store(Result, std::memory_order_relaxed);
    else if (use.load(std::memory_order_relaxed) == Unknown)
      use.store(Temporary, std::memory_order_relaxed);
  }

private:
  enum : uint8_t { Unknown, Temporary, Result };
  static constexpr size_t limit = 1024;
  std::atomic<uint8_t> uses[limit] = {};
};

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_MEMORYSOURCE_H
