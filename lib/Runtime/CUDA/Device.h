//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One GPU of this process: its primary context, memory, streams and errors.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_LIB_RUNTIME_CUDA_DEVICE_H
#define COIL_LIB_RUNTIME_CUDA_DEVICE_H

#include "../Error.h"
#include "DeviceAllocator.h"
#include "Driver.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

struct coil_cuda_kernel;

namespace coil::rt::cuda {

/// How many devices one process can use.
constexpr int maxDevices = 64;

/// Words in host memory that kernels write when a check fails, one for each
/// checked launch of a run, so that the word tells the kernel.
struct ErrorWords {
  static constexpr int capacity = 1024;

  /// Same address on the host and on the device.
  volatile int32_t *words = nullptr;
  /// The kernel behind each word in use.
  std::vector<const coil_cuda_kernel *> kernels;
  /// Somebody else's graph writes them, at each replay: they stay in use.
  bool isKept = false;

  /// The first kernel that wrote, or null; clears what it finds.
  const coil_cuda_kernel *takeError(int32_t &status);
};

/// A device. Lives until the process ends.
class Device {
public:
  /// The device of this number, made at the first call; null with the error
  /// recorded when there is none.
  static Device *get(int index);
  /// The device if something made it, else null.
  static Device *getIfUsed(int index);

  const Driver &driver;
  const int index;
  CUdevice handle = 0;
  CUcontext context = nullptr;
  int major = 0;
  int minor = 0;
  int multiprocessors = 0;
  int maxSharedBytes = 0;
  DeviceAllocator allocator;

  /// Returns COIL_OK, or records "<what>: <the driver's words>". Errors that
  /// leave the context unusable are remembered.
  int32_t check(CUresult result, const char *format, ...)
      __attribute__((format(printf, 3, 4)));

  /// Fails if an earlier error left the context unusable.
  int32_t checkUsable() {
    return broken.load(std::memory_order_relaxed) ? failBroken() : COIL_OK;
  }

  /// A stream for one run; null with the error recorded.
  bool takeStream(CUstream &stream);
  void returnStream(CUstream stream);

  /// One on which nothing ever runs; null where the driver makes none.
  CUstream getKeptStream();

  /// Words for one run or recording; null with the error recorded.
  ErrorWords *takeErrorWords();
  /// `stream` may still run kernels that write them. Words that graphs of
  /// others write stay in use: what they say is reported to whoever waits.
  void returnErrorWords(ErrorWords *words, CUstream stream);
  /// Reports an error of a run that ended without being synchronised.
  int32_t takeDeferredError();
  /// Notes an error for whoever waits for the device next.
  void defer(const std::string &error) {
    std::lock_guard<std::mutex> lock(mutex);
    if (deferred.empty())
      deferred = error;
  }
  /// Waits until no run that has ended writes error words any more.
  void settle();

private:
  Device(const Driver &driver, int index);
  int32_t initialize();
  int32_t failBroken();
  /// Looks at words whose run ended; the device is locked.
  void collectRetired();

  struct Retired {
    ErrorWords *words;
    CUevent event;
  };

  std::atomic<bool> broken{false};
  std::mutex mutex;
  std::string brokenBy;
  std::vector<CUstream> streams;
  std::atomic<CUstream> keptStream{nullptr};
  /// Words of runs that have ended, which graphs of others write.
  std::vector<ErrorWords *> keptWords;
  std::vector<ErrorWords *> words;
  std::vector<Retired> retired;
  std::string deferred;
};

/// Makes a device's context current while it lives.
class ContextGuard {
public:
  /// `isCurrent`: whether it is known to be, so that there is nothing to do.
  explicit ContextGuard(const Device &device, bool isCurrent = false)
      : driver(device.driver), success(isCurrent) {
    if (isCurrent)
      return;
    CUcontext current = nullptr;
    driver.ctxGetCurrent(&current);
    success = current == device.context;
    if (!success)
      success = pushed = driver.ctxPush(device.context) == CUDA_SUCCESS;
  }
  bool isCurrent() const { return success; }
  ContextGuard(const ContextGuard &) = delete;
  ContextGuard &operator=(const ContextGuard &) = delete;
  ~ContextGuard() {
    CUcontext ignored = nullptr;
    if (pushed)
      driver.ctxPop(&ignored);
  }

private:
  const Driver &driver;
  bool success;
  bool pushed = false;
};

/// "index out of range in kernel 'x' (model.py:3)", as an error.
int32_t failCheck(const coil_cuda_kernel &kernel, int32_t status);

/// The kernel's name, with its place if it has one.
std::string describeKernel(const coil_cuda_kernel &kernel);

} // namespace coil::rt::cuda

#endif // COIL_LIB_RUNTIME_CUDA_DEVICE_H
