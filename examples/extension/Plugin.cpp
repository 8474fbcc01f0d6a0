//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The toy dialect and passes as a plugin of coil-opt and mlir-opt.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "coil/InitAllDialects.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Toy", "1.0", [] {
            mlir::registerPass(toy::createToyExpandPass);
            mlir::registerPass(toy::createToyPlacePass);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Toy", "1.0",
          [](mlir::DialectRegistry *registry) {
            coil::registerAllDialects(*registry);
            toy::registerToy(*registry);
          }};
}
