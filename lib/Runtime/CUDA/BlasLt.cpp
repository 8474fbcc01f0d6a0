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

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>

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

/// What is tried when nobody names a file.
static constexpr const char *defaultNames[] = {"libcublasLt.so.13",
                                               "libcublasLt.so.12"};

static Loader &loader() {
  static Loader *instance = new Loader;
  return *instance;
}

/// Opens one file; keeps the first reason why not.
static void *open(const std::string &file, std::string &reason) {
  void *handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle && reason.empty()) {
    const char *message = dlerror();
    reason = message ? message : file + ": cannot be loaded";
  }
  return handle;
}

/// The file that somebody named, or "".
static std::string getNamedFile(const Loader &state) {
  const char *variable = getenv("COIL_CUBLASLT_LIBRARY");
  return !state.file.empty() ? state.file : variable ? variable : "";
}

static const BlasLt *load(Loader &state) {
  std::string file = getNamedFile(state);
  state.reason.clear();
  void *handle = nullptr;
  if (!file.empty()) {
    handle = open(file, state.reason);
  } else {
    for (const char *name : defaultNames) {
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

/// Whether the cache of the system's loader knows a library.
static bool isInLoaderCache(const std::string &name) {
  FILE *file = fopen("/etc/ld.so.cache", "rb");
  if (!file)
    return false;
  std::string text;
  char buffer[1 << 14];
  while (size_t count = fread(buffer, 1, sizeof(buffer), file))
    text.append(buffer, count);
  fclose(file);
  // It holds names and paths, each ending in 0; a file that was removed since
  // stays there.
  std::string end = "/" + name + '\0';
  for (size_t at = text.find(end); at != text.npos;
       at = text.find(end, at + 1)) {
    size_t begin = text.rfind('\0', at) + 1;
    if (access(text.c_str() + begin, R_OK) == 0)
      return true;
  }
  return false;
}

/// Whether the system's loader would find a file, as far as this can tell.
static bool isPresentFile(const std::string &file) {
  if (file.find('/') != file.npos)
    return access(file.c_str(), R_OK) == 0;
  if (void *handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(handle);
    return true;
  }
  const char *variable = getenv("LD_LIBRARY_PATH");
  std::string folders = variable ? variable : "";
  for (size_t begin = 0; begin < folders.size();) {
    size_t end = std::min(folders.find_first_of(":;", begin), folders.size());
    std::string folder = folders.substr(begin, end - begin);
    if (!folder.empty() && access((folder + "/" + file).c_str(), R_OK) == 0)
      return true;
    begin = end + 1;
  }
  return isInLoaderCache(file);
}

bool BlasLt::isPresent() {
  Loader &state = loader();
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    if (state.tried)
      return state.loaded.load() != nullptr;
    std::string file = getNamedFile(state);
    if (!file.empty() && isPresentFile(file))
      return true;
    if (file.empty())
      for (const char *name : defaultNames)
        if (isPresentFile(name))
          return true;
  }
  // Wherever else the loader looks; a library that is absent costs little.
  return get() != nullptr;
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
