//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of the CUDA driver.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include "../Error.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {

/// What is known about the driver: not tried yet, loaded, or why not.
struct Loader {
  std::mutex mutex;
  std::atomic<const Driver *> loaded{nullptr};
  bool tried = false;
  std::string reason;
};

} // namespace

/// Never destroyed: memory may be given back by static destructors.
static Loader &loader() {
  static Loader *instance = new Loader;
  return *instance;
}

std::string Driver::describe(CUresult result) const {
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  if (!name || !text)
    return "CUDA error " + std::to_string(result);
  return std::string(text) + " (" + name + ")";
}

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// What keeps cuInit from working, in terms of what a user can change.
static std::string explainInit(const Driver &driver, CUresult result,
                               const std::string &file) {
  switch (result) {
  case CUDA_ERROR_NO_DEVICE:
    return "there is no CUDA device";
  case CUDA_ERROR_STUB_LIBRARY:
    return file + " is the toolkit's stub, not a driver";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return file + " does not fit the driver in the kernel";
  default:
    return file + ": " + driver.describe(result);
  }
}

/// Loads the driver into a new object or sets the reason why not.
static const Driver *load(std::string &reason) {
  const char *variable = getenv("COIL_CUDA_DRIVER");
  std::string file = variable && *variable ? variable : "libcuda.so.1";
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *message = dlerror();
    reason = message ? message : file + ": cannot be loaded";
    return nullptr;
  }
  auto driver = std::make_unique<Driver>();
  const char *missing = nullptr;
#define COIL_LOAD(member, name, params)                                        \
  driver->member =                                                             \
      reinterpret_cast<decltype(driver->member)>(dlsym(handle, #name));        \
  if (!driver->member && !missing)                                             \
    missing = #name;
  COIL_CUDA_DRIVER_FUNCTIONS(COIL_LOAD)
#undef COIL_LOAD
#define COIL_LOAD(member, name, params)                                        \
  driver->member =                                                             \
      reinterpret_cast<decltype(driver->member)>(dlsym(handle, #name));
  COIL_CUDA_OPTIONAL_FUNCTIONS(COIL_LOAD)
#undef COIL_LOAD
  // The version says more than the name of a function that came later.
  if (driver->driverGetVersion)
    driver->driverGetVersion(&driver->version);
  if (driver->version && driver->version < minimumDriverVersion) {
    reason = file + ": the driver is for CUDA " + versionText(driver->version) +
             " but CUDA " + versionText(minimumDriverVersion) + " is needed";
    return nullptr;
  }
  if (missing) {
    reason = file + ": no function '" + missing + "'";
    return nullptr;
  }
  if (CUresult result = driver->init(0)) {
    reason = explainInit(*driver, result, file);
    return nullptr;
  }
  return driver.release();
}

const Driver *Driver::get() {
  Loader &state = loader();
  if (const Driver *driver = state.loaded.load(std::memory_order_acquire))
    return driver;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.tried) {
    state.tried = true;
    state.loaded.store(load(state.reason), std::memory_order_release);
  }
  const Driver *driver = state.loaded.load();
  if (!driver)
    fail(COIL_UNAVAILABLE, "CUDA is not available: %s", state.reason.c_str());
  return driver;
}

const Driver *Driver::getIfLoaded() {
  return loader().loaded.load(std::memory_order_acquire);
}
