//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plugins that cannot be loaded: a macro says what is wrong.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Graph/Transforms/AtenRegistry.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Pipelines/Extensions.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Target/HostText.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <stdexcept>

using namespace coil;

#if defined(OTHER_VERSION)
extern "C" const char *coilGetPluginVersion() { return "0.0.1 (LLVM 1.0.0)"; }
#elif !defined(NO_VERSION)
COIL_PLUGIN_VERSION()
#endif

[[maybe_unused]] static void registerParts() {
#ifdef THROWS
  throw std::runtime_error("no such accelerator");
#endif
  [[maybe_unused]] auto nothing = [](mlir::OpPassManager &,
                                     const CompilePipelineOptions &) {};
#ifdef REGISTERS_TWICE
  registerPipelineExtension(ExtensionPoint::AfterFusion, "mine", nothing);
  registerPipelineExtension(ExtensionPoint::BeforeFusion, "mine", nothing);
  registerPipelineExtension(ExtensionPoint::AfterFusion, "mine", nothing);
#endif
#ifdef HAS_OURS
  graph::registerAtenLegalization(
      "add.Tensor", [](graph::AtenCall &call) { return call.fail("no"); });
  registerHostEmitter("cpp", "no",
                      [](mlir::ModuleOp, llvm::raw_ostream &, llvm::StringRef) {
                        return mlir::failure();
                      });
#endif
}

#ifndef NO_ENTRY
extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Bad", "1.0", &registerParts};
}
#endif

#ifdef HAS_DEVICE
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Bad", "1.0",
          [](mlir::DialectRegistry *registry) {
            registry->addExtension(
                +[](mlir::MLIRContext *, wrapper::WrapperDialect *dialect) {
                  wrapper::DeviceInfo device;
                  device.kind = "cuda";
                  dialect->registerDevice(std::move(device));
                });
          }};
}
#endif
