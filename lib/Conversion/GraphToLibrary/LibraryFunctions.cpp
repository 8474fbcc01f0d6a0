//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registry of library functions, and what loads them.
//
//===----------------------------------------------------------------------===//

#include "coil/Conversion/GraphToLibrary/LibraryFunctions.h"

#include "coil/Support/Error.h"
#include "coil/Support/Registration.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DynamicLibrary.h"

#include <cstdlib>
#include <mutex>

using namespace mlir;
using namespace coil;
using llvm::Error;

/// Never destroyed: plugins register at any time.
static NamedRegistry<LibraryFunction> &getRegistry() {
  static auto *registry =
      new NamedRegistry<LibraryFunction>("library function");
  return *registry;
}

static StringRef getLibrary(const LibraryFunction &function) {
  return StringRef(function.name).split("::").first;
}

void coil::registerLibraryFunction(LibraryFunction function) {
  StringRef library = getLibrary(function);
  if (library.empty() || library == function.name)
    return reportRegistrationError("library function '" + function.name +
                                   "': expected a name <library>::<function>");
  if (!function.match ||
      (!function.call && (function.files.empty() || function.symbol.empty())))
    return reportRegistrationError("library function '" + function.name +
                                   "' needs 'match', and either 'call' or "
                                   "'files' and 'symbol'");
  std::string name = function.name;
  getRegistry().add(name, std::move(function), __builtin_return_address(0));
}

std::vector<std::string> coil::getPluginLibraries(StringRef target) {
  std::vector<std::string> names;
  for (const auto &entry : getRegistry().getEntries()) {
    std::string library = getLibrary(entry.value).str();
    if ((target.empty() || entry.value.target == target) &&
        !llvm::is_contained(names, library))
      names.push_back(library);
  }
  return names;
}

std::vector<LibraryFunction>
coil::getLibraryFunctions(ArrayRef<StringRef> libraries) {
  std::vector<LibraryFunction> functions;
  for (const auto &entry : getRegistry().getEntries())
    if (llvm::is_contained(libraries, getLibrary(entry.value)))
      functions.push_back(entry.value);
  return functions;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// The function in the first of its files that can be loaded.
static llvm::Expected<coil_function_pointer>
findCall(const LibraryFunction &function) {
  if (function.call)
    return function.call;
  std::vector<std::string> files = function.files;
  if (!function.variable.empty())
    if (const char *file = std::getenv(function.variable.c_str()))
      files = {file};
  std::string reasons;
  for (const std::string &file : files) {
    std::string why;
    llvm::sys::DynamicLibrary library =
        llvm::sys::DynamicLibrary::getPermanentLibrary(file.c_str(), &why);
    if (!library.isValid()) {
      reasons += (reasons.empty() ? "" : "; ") + why;
      continue;
    }
    if (void *symbol = library.getAddressOfSymbol(function.symbol.c_str()))
      return reinterpret_cast<coil_function_pointer>(symbol);
    return makeError("the library '" + getLibrary(function) + "' ('" + file +
                     "') has no function '" + function.symbol + "'");
  }
  return makeError(
      "the library '" + getLibrary(function) +
      "' cannot be loaded: " + reasons +
      (function.variable.empty()
           ? std::string()
           : "; set " + function.variable + " to the path of its file"));
}

static Error addToRuntime(const std::string &name, int32_t deviceType,
                          uint32_t flags, coil_function_pointer call) {
  coil_function entry = {
      sizeof(coil_function), flags, name.c_str(), deviceType, 0, call, nullptr};
  if (coil_register_function(&entry) != COIL_OK)
    return makeError(coil_last_error());
  return Error::success();
}

Error coil::loadPluginLibrary(StringRef library) {
  static std::mutex mutex;
  static auto *loaded = new llvm::StringSet<>;
  std::lock_guard<std::mutex> lock(mutex);
  for (const LibraryFunction &function : getLibraryFunctions({library})) {
    if (loaded->contains(function.name))
      continue;
    llvm::Expected<coil_function_pointer> call = findCall(function);
    if (!call)
      return call.takeError();
    if (Error error = addToRuntime(function.name, function.deviceType,
                                   function.flags, *call))
      return error;
    if (function.reference)
      if (Error error =
              addToRuntime(function.name + ".reference",
                           /*deviceType=*/0, /*flags=*/0, function.reference))
        return error;
    loaded->insert(function.name);
  }
  return Error::success();
}
