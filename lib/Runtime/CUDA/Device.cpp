//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices, streams, error words, and errors that stay.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "coil/Runtime/CUDA.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace coil::rt;
using namespace coil::rt::cuda;

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

namespace {
struct Devices {
  std::mutex mutex;
  std::atomic<Device *> list[maxDevices] = {};
};
} // namespace

/// Never destroyed, like the devices: the driver cleans up behind the process.
static Devices &devices() {
  static Devices *instance = new Devices;
  return *instance;
}

Device::Device(const Driver &driver, int index)
    : driver(driver), index(index), allocator(*this) {}

int32_t Device::initialize() {
  if (int32_t status = check(driver.deviceGet(&handle, index),
                             "cannot use CUDA device %d", index))
    return status;
  struct {
    int attribute;
    int *value;
  } attributes[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &maxSharedBytes}};
  for (auto [attribute, value] : attributes)
    if (int32_t status =
            check(driver.deviceGetAttribute(value, attribute, handle),
                  "cannot read the properties of CUDA device %d", index))
      return status;
  return check(driver.primaryCtxRetain(&context, handle),
               "cannot create the context of CUDA device %d", index);
}

Device *Device::get(int index) {
  Devices &state = devices();
  if (index >= 0 && index < maxDevices)
    if (Device *device = state.list[index].load(std::memory_order_acquire))
      return device;
  const Driver *driver = Driver::get();
  if (!driver)
    return nullptr;
  int count = 0;
  if (CUresult result = driver->deviceGetCount(&count)) {
    fail(COIL_UNAVAILABLE, "cannot count the CUDA devices: %s",
         driver->describe(result).c_str());
    return nullptr;
  }
  if (count == 0) {
    fail(COIL_UNAVAILABLE, "CUDA is not available: there is no CUDA device");
    return nullptr;
  }
  if (index < 0 || index >= count || index >= maxDevices) {
    fail(COIL_INVALID_ARGUMENT, "there is no CUDA device %d (%d found)", index,
         count);
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(state.mutex);
  if (Device *device = state.list[index].load())
    return device;
  std::unique_ptr<Device> device(new Device(*driver, index));
  if (device->initialize() != COIL_OK)
    return nullptr;
  state.list[index].store(device.get(), std::memory_order_release);
  return device.release();
}

Device *Device::getIfUsed(int index) {
  return devices().list[index].load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Whether the context is of no use after an error, by the driver's manual.
static bool isSticky(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return true;
  default:
    return false;
  }
}

int32_t Device::check(CUresult result, const char *format, ...) {
  if (result == CUDA_SUCCESS)
    return COIL_OK;
  char what[384];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof(what), format, arguments);
  va_end(arguments);
  std::string text = driver.describe(result);
  if (isSticky(result)) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (brokenBy.empty())
        brokenBy = text;
    }
    broken = true;
    return fail(COIL_INTERNAL,
                "%s: %s; CUDA device %d cannot be used any more in this "
                "process",
                what, text.c_str(), index);
  }
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return fail(COIL_OUT_OF_MEMORY, "%s: %s", what, text.c_str());
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return fail(COIL_UNSUPPORTED, "%s: %s", what, text.c_str());
  default:
    return fail(COIL_INTERNAL, "%s: %s", what, text.c_str());
  }
}

int32_t Device::failBroken() {
  std::lock_guard<std::mutex> lock(mutex);
  return fail(COIL_INTERNAL,
              "CUDA device %d cannot be used any more in this process after an "
              "earlier error: %s",
              index, brokenBy.c_str());
}

std::string coil::rt::cuda::describeKernel(const coil_cuda_kernel &kernel) {
  std::string text = "kernel '";
  text += kernel.name;
  text += '\'';
  if (kernel.location && *kernel.location)
    text.append(" (").append(kernel.location).append(")");
  return text;
}

int32_t coil::rt::cuda::failCheck(const coil_cuda_kernel &kernel,
                                  int32_t status) {
  std::string where = describeKernel(kernel);
  if (status == COIL_KERNEL_INDEX_OUT_OF_RANGE)
    return fail(COIL_ASSERTION_FAILED, "index out of range in %s",
                where.c_str());
  return fail(COIL_INTERNAL, "%s reported the unknown status %d", where.c_str(),
              status);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

bool Device::takeStream(CUstream &stream) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!streams.empty()) {
      stream = streams.back();
      streams.pop_back();
      return true;
    }
  }
  ContextGuard guard(*this);
  return check(driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING),
               "cannot create a stream on CUDA device %d", index) == COIL_OK;
}

void Device::returnStream(CUstream stream) {
  std::lock_guard<std::mutex> lock(mutex);
  streams.push_back(stream);
}

CUstream Device::getKeptStream() {
  CUstream kept = keptStream.load(std::memory_order_acquire), made = nullptr;
  if (kept || !takeStream(made))
    return kept;
  if (keptStream.compare_exchange_strong(kept, made))
    return made;
  returnStream(made);
  return kept;
}

//===----------------------------------------------------------------------===//
// Error words
//===----------------------------------------------------------------------===//

const coil_cuda_kernel *ErrorWords::takeError(int32_t &status) {
  const coil_cuda_kernel *first = nullptr;
  for (size_t i = 0; i < kernels.size(); ++i) {
    int32_t word = words[i];
    if (word == COIL_KERNEL_OK)
      continue;
    if (!first) {
      first = kernels[i];
      status = word;
    }
    words[i] = COIL_KERNEL_OK;
  }
  return first;
}

ErrorWords *Device::takeErrorWords() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    collectRetired();
    if (!words.empty()) {
      ErrorWords *result = words.back();
      words.pop_back();
      result->isKept = false;
      return result;
    }
  }
  ContextGuard guard(*this);
  void *memory = nullptr;
  size_t bytes = ErrorWords::capacity * sizeof(int32_t);
  if (check(driver.memHostAlloc(&memory, bytes,
                                CU_MEMHOSTALLOC_PORTABLE |
                                    CU_MEMHOSTALLOC_DEVICEMAP),
            "cannot allocate host memory for CUDA device %d", index))
    return nullptr;
  memset(memory, 0, bytes);
  auto *result = new ErrorWords;
  result->words = static_cast<volatile int32_t *>(memory);
  return result;
}

void Device::returnErrorWords(ErrorWords *returned, CUstream stream) {
  if (returned->isKept && !returned->kernels.empty()) {
    std::lock_guard<std::mutex> lock(mutex);
    keptWords.push_back(returned);
    return;
  }
  CUevent event = nullptr;
  if (!returned->kernels.empty()) {
    ContextGuard guard(*this);
    if (driver.eventCreate(&event, CU_EVENT_DISABLE_TIMING) ||
        driver.eventRecord(event, stream)) {
      // Without the event nobody knows when kernels stop writing: the words
      // stay out of use.
      return;
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (event)
    retired.push_back({returned, event});
  else
    words.push_back(returned);
}

void Device::collectRetired() {
  auto look = [this](ErrorWords &words) {
    int32_t status = 0;
    if (const coil_cuda_kernel *kernel = words.takeError(status))
      if (deferred.empty())
        deferred =
            "an earlier run failed in " + describeKernel(*kernel) +
            (status == COIL_KERNEL_INDEX_OUT_OF_RANGE ? ": index out of range"
                                                      : ": unknown status");
  };
  for (ErrorWords *words : keptWords)
    look(*words);
  for (size_t i = 0; i < retired.size();) {
    Retired &entry = retired[i];
    if (driver.eventQuery(entry.event) == CUDA_ERROR_NOT_READY) {
      ++i;
      continue;
    }
    look(*entry.words);
    entry.words->kernels.clear();
    words.push_back(entry.words);
    driver.eventDestroy(entry.event);
    retired[i] = retired.back();
    retired.pop_back();
  }
}

int32_t Device::takeDeferredError() {
  std::lock_guard<std::mutex> lock(mutex);
  collectRetired();
  if (deferred.empty())
    return COIL_OK;
  int32_t status = fail(COIL_ASSERTION_FAILED, "%s", deferred.c_str());
  deferred.clear();
  return status;
}

void Device::settle() {
  std::lock_guard<std::mutex> lock(mutex);
  for (Retired &entry : retired)
    driver.eventSynchronize(entry.event);
  collectRetired();
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

namespace {
/// What one multiprocessor does in a cycle.
struct CycleRates {
  int capability; ///< Times ten.
  int flops;
  int matrixFlops;
};
} // namespace

/// From NVIDIA's tables of arithmetic throughput, by capability.
static constexpr CycleRates cycleRates[] = {{75, 128, 1024}, {80, 128, 2048},
                                            {86, 256, 512},  {89, 256, 512},
                                            {90, 256, 4096}, {100, 256, 8192}};

extern "C" {

int32_t coil_cuda_device_count(int32_t *count) {
  *count = 0;
  const Driver *driver = Driver::get();
  if (!driver)
    return COIL_UNAVAILABLE;
  if (CUresult result = driver->deviceGetCount(count))
    return fail(COIL_UNAVAILABLE, "cannot count the CUDA devices: %s",
                driver->describe(result).c_str());
  if (*count == 0)
    return fail(COIL_UNAVAILABLE,
                "CUDA is not available: there is no CUDA device");
  return COIL_OK;
}

int32_t coil_cuda_get_device_info(int32_t index, coil_cuda_device_info *info) {
  return guarded([&]() -> int32_t {
    *info = {};
    Device *device = Device::get(index);
    if (!device)
      return Driver::getIfLoaded() ? COIL_INVALID_ARGUMENT : COIL_UNAVAILABLE;
    info->driver_version = device->driver.version;
    info->major = device->major;
    info->minor = device->minor;
    info->multiprocessors = device->multiprocessors;
    info->shared_bytes = device->maxSharedBytes;
    if (int32_t status =
            device->check(device->driver.deviceGetName(
                              info->name, sizeof(info->name), device->handle),
                          "cannot read the name of CUDA device %d", index))
      return status;
    ContextGuard guard(*device);
    size_t available = 0, total = 0;
    if (int32_t status =
            device->check(device->driver.memGetInfo(&available, &total),
                          "cannot read the memory of CUDA device %d", index))
      return status;
    info->free_bytes = int64_t(available);
    info->total_bytes = int64_t(total);
    return COIL_OK;
  });
}

int32_t coil_cuda_get_device_rates(int32_t index,
                                   coil_cuda_device_rates *rates) {
  return guarded([&]() -> int32_t {
    *rates = {};
    Device *device = Device::get(index);
    if (!device)
      return Driver::getIfLoaded() ? COIL_INVALID_ARGUMENT : COIL_UNAVAILABLE;
    // Drivers that no longer tell leave the rate unknown.
    auto read = [&](int attribute) {
      int value = 0;
      return device->driver.deviceGetAttribute(&value, attribute,
                                               device->handle) ||
                     value < 0
                 ? 0.0
                 : double(value);
    };
    rates->bytes_per_second =
        read(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 1e3 * 2 *
        read(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    double cycles =
        read(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * 1e3 * device->multiprocessors;
    for (const CycleRates &known : cycleRates)
      if (known.capability == device->major * 10 + device->minor) {
        rates->flops_per_second = cycles * known.flops;
        rates->matrix_flops_per_second = cycles * known.matrixFlops;
      }
    return COIL_OK;
  });
}

int32_t coil_cuda_allocator_get_stats(int32_t index,
                                      coil_cuda_allocator_stats *stats) {
  return guarded([&]() -> int32_t {
    *stats = {};
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    device->allocator.getStats(*stats);
    return COIL_OK;
  });
}

int32_t coil_cuda_allocator_reset_peaks(int32_t index) {
  return guarded([&]() -> int32_t {
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    device->allocator.resetPeaks();
    return COIL_OK;
  });
}

int32_t coil_cuda_synchronize(int32_t index) {
  return guarded([&]() -> int32_t {
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    ContextGuard guard(*device);
    return device->check(device->driver.ctxSynchronize(),
                         "cannot wait for CUDA device %d", index);
  });
}

int32_t coil_cuda_allocator_trim(int32_t index, int64_t keep_bytes,
                                 int64_t *released) {
  return guarded([&]() -> int32_t {
    Device *device = Device::get(index);
    if (!device)
      return COIL_UNAVAILABLE;
    int64_t bytes = device->allocator.trim(keep_bytes);
    if (released)
      *released = bytes;
    return COIL_OK;
  });
}

} // extern "C"
