//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plugins: shared libraries that add to the compiler what Coil does not have.
//
// A plugin has the entry points of MLIR's plugins. What they register is all
// that there is: `mlirGetDialectPluginInfo` is given a `DialectRegistry` for
// dialects, interfaces and devices; `mlirGetPassPluginInfo` registers passes
// and calls the registration functions of Coil for the rest;
// `coil_register_functions` (coil/Runtime/Functions.h) registers host
// functions. One of the three is enough. `COIL_PLUGIN_VERSION` says which Coil
// the plugin was built against.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_PLUGINS_PLUGINS_H
#define COIL_PLUGINS_PLUGINS_H

#include "coil/Version.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
} // namespace mlir

/// What has to be the same in a plugin and in the process that loads it: C++
/// classes of Coil and of LLVM are passed between them.
#define COIL_PLUGIN_ABI COIL_VERSION_STRING " (LLVM " LLVM_VERSION_STRING ")"

/// Says in a plugin, once, which Coil it was built against. Coil loads no
/// plugin without.
#define COIL_PLUGIN_VERSION()                                                  \
  extern "C" __attribute__((visibility("default"))) const char *               \
  coilGetPluginVersion() {                                                     \
    return COIL_PLUGIN_ABI;                                                    \
  }

namespace coil {

/// A plugin that was loaded.
struct LoadedPlugin {
  std::string file;
  /// The names and versions that its entry points give.
  std::string name, version;
};

/// Whether LLVM and MLIR are inside of this library and seen by nobody else, as
/// in the wheel, which defines this. Plugins with dialects or passes cannot be
/// loaded then: they would bring another LLVM.
__attribute__((weak)) bool hidesLLVM();

/// Loads the plugins that the environment variable COIL_PLUGINS names, colons
/// between them, which have not been loaded, and runs their pass callbacks.
/// Fails for each one that cannot be loaded, has no entry point, was built
/// against another version, is named twice, or registers what is there already.
/// A failure stays: the process has half of a plugin.
llvm::Error loadPlugins();

/// The same for one file that a flag or a program names. A file of which
/// nothing was registered may be missing without consequences.
llvm::Error loadPlugin(llvm::StringRef file);

/// Adds to `registry` the dialects and extensions of all plugins that are
/// loaded; errors are kept (`checkRegistrations`).
void registerPluginDialects(mlir::DialectRegistry &registry);

/// What has been loaded, in that order.
std::vector<LoadedPlugin> getLoadedPlugins();

} // namespace coil

#endif // COIL_PLUGINS_PLUGINS_H
