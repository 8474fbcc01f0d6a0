//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of host functions.
//
//===----------------------------------------------------------------------===//

#include "CUDA/CuFft.h"
#include "CUDA/DeviceLinalg.h"
#include "Call.h"
#include "Collectives.h"
#include "Fft.h"
#include "Linalg.h"

#include <cctype>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>

using namespace coil::rt;

namespace {

/// Functions are only added, so what was found stays where it is.
struct Entry {
  std::string name;
  coil_function function;
};

struct Registry {
  std::shared_mutex mutex;
  std::unordered_multimap<std::string, std::unique_ptr<Entry>> entries;
  std::recursive_mutex loading; // A library may load others.
  std::set<void *> libraries;

  std::mutex resolving;
  coil_function_resolver resolve = nullptr;
  void *resolveUser = nullptr;

  const coil_function *find(const char *name, int32_t device) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto [begin, end] = entries.equal_range(name);
    for (auto it = begin; it != end; ++it)
      if (it->second->function.device_type == device)
        return &it->second->function;
    return nullptr;
  }

  /// Whether somebody else has registered a function now. One that is there for
  /// another device is the program's business.
  bool resolveFunction(const char *name, int32_t device) {
    {
      std::shared_lock<std::shared_mutex> lock(mutex);
      if (entries.count(name))
        return false;
    }
    coil_function_resolver function;
    void *user;
    {
      std::lock_guard<std::mutex> lock(resolving);
      function = resolve;
      user = resolveUser;
    }
    return function && function(user, name, device);
  }
};

} // namespace

/// Lives as long as the process: threads may call while it ends.
static Registry &getRegistry() {
  static Registry *registry = new Registry;
  return *registry;
}

/// The functions of the runtime itself are there from the beginning.
static Registry &getFilledRegistry() {
  static std::once_flag filled;
  std::call_once(filled, [] {
    registerFallbacks();
    registerContextFunctions();
    registerCollectives();
    registerFft();
    registerLinalg();
    cuda::registerFft();
    cuda::registerLinalg();
  });
  return getRegistry();
}

const coil_function *coil::rt::lookupFunction(const char *name,
                                              int32_t device) {
  return getFilledRegistry().find(name, device);
}

static const char *deviceName(int32_t device) {
  return device == COIL_CPU ? "cpu" : device == COIL_CUDA ? "cuda" : "unknown";
}

/// "namespace::name", of letters, digits, '_' and '.'.
bool coil::rt::isFunctionName(std::string_view name) {
  size_t colons = name.find("::");
  if (colons == 0 || colons == std::string_view::npos ||
      colons + 2 == name.size())
    return false;
  for (size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    bool isSeparator = i == colons || i == colons + 1;
    if (!isSeparator && !std::isalnum(static_cast<unsigned char>(c)) &&
        c != '_' && c != '.')
      return false;
  }
  return true;
}

/// The name without "_v" and a number at its end.
static std::string_view withoutVersion(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 &&
         std::isdigit(static_cast<unsigned char>(name[digits - 1])))
    --digits;
  if (digits == name.size() || digits < 2 || name.substr(digits - 2, 2) != "_v")
    return name;
  return name.substr(0, digits - 2);
}

static int32_t add(Registry &registry, const coil_function &function) {
  auto entry = std::make_unique<Entry>();
  entry->name = function.name;
  entry->function = function;
  entry->function.name = entry->name.c_str();
  std::unique_lock<std::shared_mutex> lock(registry.mutex);
  auto [begin, end] = registry.entries.equal_range(entry->name);
  for (auto it = begin; it != end; ++it)
    if (it->second->function.device_type == function.device_type)
      return fail(COIL_INVALID_ARGUMENT,
                  "the function '%s' is registered for %s already; another "
                  "version of it needs a name of its own, such as '%s_v2'",
                  function.name, deviceName(function.device_type),
                  std::string(withoutVersion(function.name)).c_str());
  registry.entries.emplace(entry->name, std::move(entry));
  return COIL_OK;
}

extern "C" {

int32_t coil_register_function(const coil_function *function) {
  return guarded([&]() -> int32_t {
    if (!function || function->struct_size < sizeof(coil_function) ||
        !function->name || !function->call)
      return fail(COIL_INVALID_ARGUMENT,
                  "a function needs its size, a name and a pointer");
    if (!isFunctionName(function->name))
      return fail(COIL_INVALID_ARGUMENT,
                  "'%s' is no name of a function, expected 'namespace::name'",
                  function->name);
    if (function->device_type != COIL_CPU && function->device_type != COIL_CUDA)
      return fail(COIL_INVALID_ARGUMENT,
                  "the function '%s' is for the unknown type of device %d",
                  function->name, function->device_type);
    // The runtime's own come in through here, too, while it is being filled.
    std::string_view name = function->name;
    bool isOurs = name.substr(0, 6) == "coil::" ||
                  name.substr(0, 18) == "_c10d_functional::";
    return add(isOurs ? getRegistry() : getFilledRegistry(), *function);
  });
}

void coil_set_function_resolver(coil_function_resolver resolve, void *user) {
  Registry &registry = getFilledRegistry();
  std::lock_guard<std::mutex> lock(registry.resolving);
  registry.resolve = resolve;
  registry.resolveUser = user;
}

int32_t coil_find_function(const char *name, int32_t device,
                           coil_function *found) {
  return guarded([&]() -> int32_t {
    Registry &registry = getFilledRegistry();
    const coil_function *function = registry.find(name, device);
    if (!function && registry.resolveFunction(name, device))
      function = registry.find(name, device);
    if (function) {
      if (found)
        *found = *function;
      return COIL_OK;
    }
    std::string hint;
    std::shared_lock<std::shared_mutex> lock(registry.mutex);
    std::string_view base = withoutVersion(name);
    for (const auto &[other, entry] : registry.entries) {
      if (other == name)
        hint +=
            std::string("; it is for ") +
            deviceName(entry->function.device_type) +
            (device == COIL_CUDA ? ", where --host-fallbacks lets it run" : "");
      else if (withoutVersion(other) == base &&
               entry->function.device_type == device)
        hint += "; there is '" + other + "'";
    }
    return fail(COIL_UNAVAILABLE,
                "the function '%s' is not registered for %s%s", name,
                deviceName(device), hint.c_str());
  });
}

void coil_visit_functions(void (*visit)(const coil_function *, void *),
                          void *user) {
  Registry &registry = getFilledRegistry();
  std::shared_lock<std::shared_mutex> lock(registry.mutex);
  for (const auto &[name, entry] : registry.entries)
    visit(&entry->function, user);
}

int32_t coil_require_functions(const coil_call_site *sites, size_t count) {
  return guarded([&]() -> int32_t {
    std::string missing;
    for (size_t i = 0; i < count; ++i) {
      if (coil_find_function(sites[i].name, sites[i].device_type, nullptr) ==
          COIL_OK)
        continue;
      missing += (missing.empty() ? "" : "; ") + std::string(coil_last_error());
      if (sites[i].where && *sites[i].where)
        missing += std::string(" (called at ") + sites[i].where + ")";
    }
    return missing.empty() ? int32_t(COIL_OK)
                           : fail(COIL_UNAVAILABLE, "%s", missing.c_str());
  });
}

int32_t coil_load_functions(const char *file) {
  return guarded([&]() -> int32_t {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return fail(COIL_UNAVAILABLE, "cannot load the functions of '%s': %s",
                  file, dlerror());
    Registry &registry = getFilledRegistry();
    std::lock_guard<std::recursive_mutex> lock(registry.loading);
    if (registry.libraries.count(library)) {
      dlclose(library);
      return COIL_OK;
    }
    void *symbol = dlsym(library, "coil_register_functions");
    if (!symbol) {
      dlclose(library);
      return fail(COIL_INVALID_ARGUMENT,
                  "'%s' has no function 'coil_register_functions'", file);
    }
    registry.libraries.insert(library);
    auto enter = reinterpret_cast<int32_t (*)(void)>(symbol);
    if (int32_t status = enter()) {
      // What it has registered stays, so the library does, too.
      std::string why = coil_last_error();
      return fail(static_cast<coil_status>(status),
                  "the functions of '%s' cannot be registered: %s", file,
                  why.c_str());
    }
    return COIL_OK;
  });
}

} // extern "C"
