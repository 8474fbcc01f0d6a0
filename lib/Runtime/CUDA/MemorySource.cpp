//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Installed allocators of device memory.
//
//===----------------------------------------------------------------------===//

#include "MemorySource.h"

#include "Device.h"

#include <cinttypes>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using namespace coil::rt;
using namespace coil::rt::cuda;

/// The alignment that kernels and libraries rely on.
static constexpr uint64_t alignment = 256;

namespace {
struct Sources {
  std::mutex mutex;
  std::vector<std::unique_ptr<MemorySource>> all;
  std::atomic<const MemorySource *> current{nullptr};
};
} // namespace

/// Never destroyed: memory may be given back by static destructors.
static Sources &sources() {
  static Sources *instance = new Sources;
  return *instance;
}

const MemorySource *MemorySource::get() {
  return sources().current.load(std::memory_order_acquire);
}

CUdeviceptr MemorySource::allocate(Device &device, int64_t bytes,
                                   CUstream stream, int32_t use) const {
  clearError();
  void *address = nullptr;
  int32_t status = functions.allocate(functions.context, device.index, bytes,
                                      stream, use, &address);
  auto result = CUdeviceptr(reinterpret_cast<uintptr_t>(address));
  if (!status && result && result % alignment == 0)
    return result;
  if (!status && result) {
    free(device, result, bytes, stream);
    fail(COIL_INTERNAL,
         "%s gave memory at %p, which is not aligned to %" PRIu64 " bytes",
         name.c_str(), address, alignment);
    return 0;
  }
  std::string why = coil_last_error();
  size_t available = 0, total = 0;
  ContextGuard guard(device);
  device.driver.memGetInfo(&available, &total);
  fail(COIL_OUT_OF_MEMORY,
       "out of memory: %s has no %" PRId64
       " bytes on CUDA device %d (%zu of %zu bytes free)%s%s",
       name.c_str(), bytes, device.index, available, total,
       why.empty() ? "" : ": ", why.c_str());
  return 0;
}

void MemorySource::free(Device &device, CUdeviceptr address, int64_t bytes,
                        CUstream stream) const {
  int32_t status = functions.free(functions.context, device.index,
                                  reinterpret_cast<void *>(uintptr_t(address)),
                                  bytes, stream);
  if (status)
    device.defer(name + " does not take back memory: " + coil_last_error());
}

extern "C" {

int32_t coil_cuda_set_allocator(const coil_device_allocator *allocator) {
  return guarded([&]() -> int32_t {
    Sources &known = sources();
    std::lock_guard<std::mutex> lock(known.mutex);
    if (!allocator) {
      known.current.store(nullptr, std::memory_order_release);
      return COIL_OK;
    }
    if (allocator->struct_size < sizeof(coil_device_allocator) ||
        !allocator->allocate || !allocator->free)
      return fail(COIL_INVALID_ARGUMENT,
                  "an allocator of device memory needs both of its functions");
    // The same again is no other one.
    for (const std::unique_ptr<MemorySource> &source : known.all) {
      const coil_device_allocator &functions = source->functions;
      if (functions.context == allocator->context &&
          functions.allocate == allocator->allocate &&
          functions.free == allocator->free) {
        known.current.store(source.get(), std::memory_order_release);
        return COIL_OK;
      }
    }
    auto source = std::make_unique<MemorySource>();
    source->functions = *allocator;
    source->name = allocator->name ? allocator->name : "the allocator";
    source->functions.name = source->name.c_str();
    known.all.push_back(std::move(source));
    known.current.store(known.all.back().get(), std::memory_order_release);
    return COIL_OK;
  });
}

void coil_cuda_get_allocator(coil_device_allocator *allocator) {
  const MemorySource *source = MemorySource::get();
  *allocator = source ? source->functions : coil_device_allocator{};
}

int32_t coil_cuda_disown(void *pointer) {
  return guarded([&]() -> int32_t {
    auto address = CUdeviceptr(reinterpret_cast<uintptr_t>(pointer));
    for (int index = 0; index < maxDevices && Driver::getIfLoaded(); ++index) {
      Device *device = Device::getIfUsed(index);
      if (device && device->allocator.disown(address))
        return COIL_OK;
    }
    return fail(COIL_INVALID_ARGUMENT,
                "pointer %p is not a taken allocation of an installed "
                "allocator",
                pointer);
  });
}

} // extern "C"
