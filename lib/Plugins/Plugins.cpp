//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading plugins.
//
//===----------------------------------------------------------------------===//

#include "coil/Plugins/Plugins.h"

#include "coil/Runtime/Runtime.h"
#include "coil/Support/Error.h"
#include "coil/Support/FatalErrors.h"
#include "coil/Support/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>

using namespace coil;
using llvm::Error;

namespace {

/// One plugin with its entry points.
struct Plugin {
  LoadedPlugin description;
  /// Where the file really is, so that two paths to it are one plugin.
  std::string realPath;
  std::optional<mlir::DialectPlugin> dialects;
  std::optional<mlir::PassPlugin> passes;
  /// Registers functions with the runtime.
  int32_t (*functions)() = nullptr;
};

struct Plugins {
  /// Callbacks may load dialects, which asks for plugins again.
  std::recursive_mutex mutex;
  std::vector<Plugin> loaded;
  /// Values of COIL_PLUGINS that were loaded.
  std::vector<std::string> environments;
};

} // namespace

/// Never destroyed: libraries stay loaded.
static Plugins &getPlugins() {
  static auto *plugins = new Plugins;
  return *plugins;
}

/// Runs code of a plugin. This file is compiled with exceptions, so that those
/// of a plugin end here.
template <typename Fn>
static void runPluginCode(llvm::StringRef file, Fn fn) {
  RegistrationScope scope(file);
  auto run = [&] {
    try {
      fn();
    } catch (const std::exception &error) {
      reportRegistrationError("plugin '" + file +
                              "' threw an exception: " + error.what());
    } catch (...) {
      reportRegistrationError("plugin '" + file + "' threw an exception");
    }
  };
  // Two passes of one name are a fatal error of MLIR's.
  std::string fatal;
  if (!runRecoverable(run, fatal))
    reportRegistrationError("plugin '" + file + "' cannot register: " + fatal);
}

/// Opens a library and looks for what it offers.
static llvm::Expected<Plugin> open(llvm::StringRef file) {
  auto refuse = [&](const llvm::Twine &why) {
    return makeError("cannot load plugin '" + file + "': " + why);
  };
  Plugin plugin;
  plugin.description.file = file.str();
  llvm::SmallString<256> real;
  if (std::error_code error = llvm::sys::fs::real_path(file, real))
    return refuse(error.message());
  plugin.realPath = std::string(real);
  std::string message;
  llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(real.c_str(), &message);
  bool isClosed = hidesLLVM && hidesLLVM();
  const char *closed =
      "this Coil keeps LLVM to itself, as that of the wheel does: plugins with "
      "dialects or passes need a Coil that was built with LLVM's shared "
      "libraries (docs/howto/Wheel.md)";
  if (!library.isValid())
    return refuse(isClosed ? message + "; " + closed : message);
  bool hasDialects = library.getAddressOfSymbol("mlirGetDialectPluginInfo");
  bool hasPasses = library.getAddressOfSymbol("mlirGetPassPluginInfo");
  plugin.functions = reinterpret_cast<int32_t (*)()>(
      library.getAddressOfSymbol("coil_register_functions"));
  if (isClosed && (hasDialects || hasPasses))
    return refuse(closed);
  if (!hasDialects && !hasPasses && !plugin.functions)
    return refuse("it has no entry point, expected 'mlirGetDialectPluginInfo', "
                  "'mlirGetPassPluginInfo' or 'coil_register_functions'");
  auto getVersion = reinterpret_cast<const char *(*)()>(
      library.getAddressOfSymbol("coilGetPluginVersion"));
  if (!getVersion)
    return refuse("it does not say which Coil it was built against; add "
                  "'COIL_PLUGIN_VERSION()' of coil/Plugins/Plugins.h to it");
  if (llvm::StringRef version = getVersion(); version != COIL_PLUGIN_ABI)
    return refuse("it was built against Coil " + version +
                  ", this is Coil " COIL_PLUGIN_ABI);
  auto describe = [&](llvm::StringRef name, llvm::StringRef version) {
    plugin.description.name = name.str();
    plugin.description.version = version.str();
  };
  if (hasDialects) {
    llvm::Expected<mlir::DialectPlugin> dialects =
        mlir::DialectPlugin::load(std::string(real));
    if (!dialects)
      return refuse(toString(dialects.takeError()));
    describe(dialects->getPluginName(), dialects->getPluginVersion());
    plugin.dialects = std::move(*dialects);
  }
  if (hasPasses) {
    llvm::Expected<mlir::PassPlugin> passes =
        mlir::PassPlugin::load(std::string(real));
    if (!passes)
      return refuse(toString(passes.takeError()));
    describe(passes->getPluginName(), passes->getPluginVersion());
    plugin.passes = std::move(*passes);
  }
  return plugin;
}

/// Opens a plugin and runs its callbacks. Fails where that leaves nothing
/// behind; errors of callbacks are kept.
static Error load(Plugins &plugins, llvm::StringRef file) {
  llvm::Expected<Plugin> plugin = open(file);
  if (!plugin)
    return plugin.takeError();
  for (const Plugin &other : plugins.loaded)
    if (other.realPath == plugin->realPath)
      return makeError("plugin '" + file + "' is loaded twice" +
                       (other.description.file == file
                            ? std::string()
                            : ", before as '" + other.description.file + "'"));
  plugins.loaded.push_back(*plugin);
  noteRegistration();
  if (plugin->passes)
    runPluginCode(file,
                  [&] { plugin->passes->registerPassRegistryCallbacks(); });
  if (plugin->functions)
    runPluginCode(file, [&] {
      if (plugin->functions() != COIL_OK)
        reportRegistrationError(
            "plugin '" + file +
            "' cannot register its functions: " + coil_last_error());
    });
  return Error::success();
}

Error coil::loadPlugin(llvm::StringRef file) {
  Plugins &plugins = getPlugins();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  if (Error error = load(plugins, file))
    return error;
  return checkRegistrations();
}

Error coil::loadPlugins() {
  const char *variable = std::getenv("COIL_PLUGINS");
  if (!variable)
    return checkRegistrations();
  Plugins &plugins = getPlugins();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  if (!llvm::is_contained(plugins.environments, std::string(variable))) {
    // Files of an earlier value stay loaded.
    std::string value = variable;
    llvm::SmallVector<std::string> earlier;
    for (const std::string &before : plugins.environments)
      for (llvm::StringRef file : llvm::split(before, ':'))
        earlier.push_back(file.str());
    llvm::SmallVector<llvm::StringRef> files;
    llvm::SplitString(value, files, ":");
    // First, since callbacks may ask for plugins.
    plugins.environments.push_back(value);
    for (llvm::StringRef file : files)
      if (!llvm::is_contained(earlier, file))
        if (Error error = load(plugins, file))
          reportRegistrationError(toString(std::move(error)));
  }
  return checkRegistrations();
}

void coil::registerPluginDialects(mlir::DialectRegistry &registry) {
  // A plugin may register everything of ours first.
  static thread_local bool isInside = false;
  if (isInside)
    return;
  isInside = true;
  Plugins &plugins = getPlugins();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  for (const Plugin &plugin : plugins.loaded)
    if (plugin.dialects)
      runPluginCode(plugin.description.file, [&] {
        plugin.dialects->registerDialectRegistryCallbacks(registry);
      });
  isInside = false;
}

std::vector<LoadedPlugin> coil::getLoadedPlugins() {
  Plugins &plugins = getPlugins();
  std::lock_guard<std::recursive_mutex> lock(plugins.mutex);
  std::vector<LoadedPlugin> result;
  for (const Plugin &plugin : plugins.loaded)
    result.push_back(plugin.description);
  return result;
}
