//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of the plugin.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Plugins/Plugins.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

COIL_PLUGIN_VERSION()

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "accel", "1.0",
          [](mlir::DialectRegistry *registry) {
            registry->insert<accel::AccelDialect>();
            accel::registerDevice(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "accel", "1.0", [] {
            accel::registerTarget();
            accel::registerPasses();
            accel::registerOperators();
            accel::registerLibrary();
            accel::registerSchedules();
            accel::registerEmitters();
          }};
}
