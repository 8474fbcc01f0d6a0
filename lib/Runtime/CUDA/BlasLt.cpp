//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of cuBLASLt.
//
//===----------------------------------------------------------------------===//

#include "BlasLt.h"

#include "../Error.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>

using namespace coil::rt;
using namespace coil::rt::cuda;

namespace {
struct Loader {
  std::mutex mutex;
  std::atomic<const BlasLt *> loaded{nullptr};
  bool tried = false;
  std::string reason;
  std::string file;
};
} // namespace

static Loader &loader() {
  static Loader *instance = new Loader;
  return *instance;
}

/// Opens one file; keeps the first reason why not.
static void *open(const std::string &file, std::string &reason) {
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle && reason.empty()) {
    const char *message = dlerror();
    reason = message ? message : file + ": cannot be loaded";
  }
  return handle;
}

static const BlasLt *load(Loader &state) {
  const char *variable = getenv("COIL_CUBLASLT_LIBRARY");
  std::string file = !state.file.empty()     ? state.file
                     : variable && *variable ? std::string(variable)
                                             : std::string();
  state.reason.clear();
  void *handle = nullptr;
  if (!file.empty()) {
    handle = open(file, state.reason);
  } else {
    for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
      file = name;
      handle = open(file, state.reason);
      if (handle)
        break;
    }
  }
  if (!handle)
    return nullptr;
  auto library = std::make_unique<BlasLt>();
#define COIL_LOAD(name, params)                                                \
  library->name =                                                              \
      reinterpret_cast<decltype(library->name)>(dlsym(handle, #name));         \
  if (!library->name) {                                                        \
    state.reason = file + ": no function '" #name "'";                         \
    return nullptr;                                                            \
  }
  COIL_CUBLASLT_FUNCTIONS(COIL_LOAD)
#undef COIL_LOAD
  return library.release();
}

const BlasLt *BlasLt::get() {
  Loader &state = loader();
  if (const BlasLt *library = state.loaded.load(std::memory_order_acquire))
    return library;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.tried) {
    state.tried = true;
    state.loaded.store(load(state), std::memory_order_release);
  }
  const BlasLt *library = state.loaded.load();
  if (!library)
    fail(COIL_UNAVAILABLE, "library 'cublaslt' is not available: %s",
         state.reason.c_str());
  return library;
}

void BlasLt::setFile(const char *file) {
  Loader &state = loader();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.file = file ? file : "";
  state.tried = false;
  state.loaded = nullptr;
}

int32_t coil::rt::cuda::checkBlasLt(cublasStatus_t status, const char *what) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return COIL_OK;
  case CUBLAS_STATUS_ALLOC_FAILED:
    return fail(COIL_OUT_OF_MEMORY, "out of memory in library 'cublaslt' (%s)",
                what);
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return fail(COIL_UNSUPPORTED,
                "library 'cublaslt' has no kernel for this %s on this device",
                what);
  default:
    return fail(COIL_INTERNAL, "library 'cublaslt' failed with status %d (%s)",
                status, what);
  }
}
