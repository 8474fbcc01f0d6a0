//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of libraries of the vendor.
//
//===----------------------------------------------------------------------===//

#include "VendorLibrary.h"

#include "../Error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <unistd.h>

using namespace coil::rt;
using namespace coil::rt::cuda;

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
std::string VendorLibrary::getNamedFile() const {
  const char *value = getenv(variable);
  return !file.empty() ? file : value ? value : "";
}

void **VendorLibrary::load() {
  std::string chosen = getNamedFile();
  reason.clear();
  void *handle = nullptr;
  if (!chosen.empty()) {
    handle = open(chosen, reason);
  } else {
    for (const char *candidate : files) {
      chosen = candidate;
      handle = open(chosen, reason);
      if (handle)
        break;
    }
  }
  if (!handle)
    return nullptr;
  auto functions = std::make_unique<void *[]>(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    functions[i] = dlsym(handle, names[i]);
    if (!functions[i]) {
      reason = chosen + ": no function '" + names[i] + "'";
      return nullptr;
    }
  }
  return functions.release();
}

void *const *VendorLibrary::get() {
  if (void **functions = loaded.load(std::memory_order_acquire))
    return functions;
  std::lock_guard<std::mutex> lock(mutex);
  if (!tried) {
    tried = true;
    loaded.store(load(), std::memory_order_release);
  }
  void **functions = loaded.load();
  if (!functions)
    fail(COIL_UNAVAILABLE, "library '%s' is not available: %s", name,
         reason.c_str());
  return functions;
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

bool VendorLibrary::isPresent() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (tried)
      return loaded.load() != nullptr;
    std::string chosen = getNamedFile();
    if (!chosen.empty() && isPresentFile(chosen))
      return true;
    // Each program asks; the loader's cache takes a tenth of a millisecond.
    if (chosen.empty() && !isInstalled)
      isInstalled = std::any_of(files.begin(), files.end(), isPresentFile);
    if (chosen.empty() && isInstalled)
      return true;
  }
  // Wherever else the loader looks; a library that is absent costs little.
  return get() != nullptr;
}

void VendorLibrary::setFile(const char *newFile) {
  std::lock_guard<std::mutex> lock(mutex);
  file = newFile ? newFile : "";
  tried = false;
  loaded = nullptr;
}
