//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading of LAPACK.
//
//===----------------------------------------------------------------------===//

#include "Lapack.h"
#include "Error.h"

#include "coil/Runtime/Runtime.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>

using namespace coil::rt;

namespace {

/// The functions for all element types.
struct Library {
  Lapack<float> s;
  Lapack<double> d;
  Lapack<std::complex<float>> c;
  Lapack<std::complex<double>> z;
};

/// What is known: not tried yet, loaded, or the reason why not.
struct Loader {
  std::mutex mutex;
  std::atomic<const Library *> loaded{nullptr};
  bool tried = false;
  std::string reason, file;
};

} // namespace

static Loader &loader() {
  static Loader *instance = new Loader;
  return *instance;
}

/// Looks up all functions for one type; false, with the name of the first that
/// is missing.
template <typename T>
static bool lookUp(void *handle, char letter, Lapack<T> &functions,
                   std::string &missing) {
  auto find = [&](const char *real, const char *complex, auto &function) {
    std::string name =
        letter + std::string(isComplexElement<T> ? complex : real) + "_";
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(handle, name.c_str()));
    if (!function && missing.empty())
      missing = name;
  };
#define COIL_FIND(name, real, complex, ...) find(real, complex, functions.name);
  COIL_LAPACK_FUNCTIONS(COIL_FIND)
  COIL_LAPACK_SPLIT_FUNCTIONS(COIL_FIND)
#undef COIL_FIND
  return missing.empty();
}

#if defined(__x86_64__)
/// OpenBLAS's name of the newest kernels that run on this processor, if it took
/// those for processors without AVX: a version that is older than the processor
/// does not know its model.
static const char *getMissedCore(void *handle) {
  auto getName = reinterpret_cast<const char *(*)()>(
      dlsym(handle, "openblas_get_corename"));
  if (!getName || getenv("OPENBLAS_CORETYPE"))
    return nullptr;
  std::string name = getName();
  bool isOld = false;
  for (const char *old :
       {"Prescott", "Core2", "Nehalem", "Barcelona", "Generic"})
    isOld |= name == old;
  if (!isOld)
    return nullptr;
  if (__builtin_cpu_supports("x86-64-v4"))
    return "SkylakeX";
  return __builtin_cpu_supports("x86-64-v3") ? "Haswell" : nullptr;
}
#else
static const char *getMissedCore(void *) { return nullptr; }
#endif

/// Loads a library, and OpenBLAS once more where it does not know the
/// processor: it reads the variable when it is loaded.
static void *open(const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  const char *core = handle ? getMissedCore(handle) : nullptr;
  if (!core)
    return handle;
  dlclose(handle);
  setenv("OPENBLAS_CORETYPE", core, /*replace=*/1);
  handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  unsetenv("OPENBLAS_CORETYPE");
  return handle;
}

static const Library *load(Loader &state) {
  const char *variable = getenv("COIL_LAPACK_LIBRARY");
  std::string chosen = !state.file.empty() ? state.file
                       : variable          ? variable
                                           : "";
  // OpenBLAS loads libgomp; ours must be the first, with its settings.
  (void)coil_get_num_threads();
  void *handle = nullptr;
  if (!chosen.empty()) {
    handle = open(chosen.c_str());
  } else {
    for (const char *candidate : {"libopenblas.so.0", "liblapack.so.3"}) {
      chosen = candidate;
      handle = open(candidate);
      if (handle)
        break;
    }
  }
  if (!handle) {
    const char *message = dlerror();
    state.reason = message ? message : chosen + ": cannot be loaded";
    return nullptr;
  }
  auto library = std::make_unique<Library>();
  std::string missing;
  if (!lookUp(handle, 's', library->s, missing) ||
      !lookUp(handle, 'd', library->d, missing) ||
      !lookUp(handle, 'c', library->c, missing) ||
      !lookUp(handle, 'z', library->z, missing)) {
    state.reason = chosen + ": no function '" + missing + "'";
    return nullptr;
  }
  // A build with threads of its own (1) would keep a second pool busy; that
  // with OpenMP (2) shares ours.
  auto getParallel =
      reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_parallel"));
  auto setThreads = reinterpret_cast<void (*)(int)>(
      dlsym(handle, "openblas_set_num_threads"));
  if (getParallel && setThreads && getParallel() == 1)
    setThreads(1);
  return library.release();
}

static const Library *getLibrary() {
  Loader &state = loader();
  if (const Library *library = state.loaded.load(std::memory_order_acquire))
    return library;
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.tried) {
    state.tried = true;
    state.loaded.store(load(state), std::memory_order_release);
  }
  const Library *library = state.loaded.load();
  if (!library)
    fail(COIL_UNAVAILABLE,
         "library 'lapack' is not available: %s (Debian: "
         "libopenblas0-openmp; COIL_LAPACK_LIBRARY names another file)",
         state.reason.c_str());
  return library;
}

template <>
const Lapack<float> *Lapack<float>::get() {
  const Library *library = getLibrary();
  return library ? &library->s : nullptr;
}
template <>
const Lapack<double> *Lapack<double>::get() {
  const Library *library = getLibrary();
  return library ? &library->d : nullptr;
}
template <>
const Lapack<std::complex<float>> *Lapack<std::complex<float>>::get() {
  const Library *library = getLibrary();
  return library ? &library->c : nullptr;
}
template <>
const Lapack<std::complex<double>> *Lapack<std::complex<double>>::get() {
  const Library *library = getLibrary();
  return library ? &library->z : nullptr;
}

bool coil::rt::isLapackPresent() { return getLibrary() != nullptr; }

void coil::rt::setLapackFile(const char *file) {
  Loader &state = loader();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.file = file ? file : "";
  state.tried = false;
  // Threads may still use what was loaded, which stays.
  state.loaded.store(nullptr, std::memory_order_release);
}
