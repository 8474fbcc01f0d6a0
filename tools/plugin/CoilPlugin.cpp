//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coil's dialects and passes as a plugin of any program that is built on
// MlirOptMain, such as the mlir-opt of the LLVM that libCoil.so links.
//
//===----------------------------------------------------------------------===//

#include "coil/InitAllDialects.h"
#include "coil/InitAllPasses.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *pluginName = "Coil";
static constexpr const char *pluginVersion = "0.1.0";

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, pluginName, pluginVersion,
          [] { coil::registerAllPasses(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, pluginName, pluginVersion,
          [](mlir::DialectRegistry *registry) {
            coil::registerAllDialects(*registry);
          }};
}
