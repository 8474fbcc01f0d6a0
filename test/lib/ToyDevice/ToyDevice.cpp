//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin that registers a third device: all that the compiler and the
// emitters are told of it is here.
//
//===----------------------------------------------------------------------===//

#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Runtime/Runtime.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace coil;

static void registerToy(mlir::MLIRContext *, wrapper::WrapperDialect *dialect) {
  wrapper::DeviceInfo toy;
  toy.kind = "toy";
  // Tensors of the toy look like the host's to callers.
  toy.runtimeType = COIL_CPU;
  toy.codeDevice = "cpu";
  toy.allocFunction = "toy_alloc";
  toy.freeFunction = "toy_free";
  toy.launchFunction = "toy_launch";
  toy.contractionFunction = "toy_contraction";
  toy.convolutionFunction = "toy_convolution";
  toy.sortFunction = "toy_sort";
  toy.itemFunction = "toy_item";
  toy.debugFunction = "toy_debug_value";
  toy.copyFunction = "toy_copy";
  toy.fillFunction = "toy_fill";
  toy.constantFunction = "toy_constant";
  toy.guardFunction = "toy_bind";
  toy.streamFunction = "toy_set_stream";
  toy.synchronizeFunction = "toy_wait";
  toy.enterStreamFunction = "toy_enter_stream";
  toy.leaveStreamFunction = "toy_leave_stream";
  toy.recordEventFunction = "toy_record_event";
  toy.waitEventFunction = "toy_wait_event";
  toy.torchDevice = "toy";
  toy.python.import = "import toy_device";
  toy.python.guard = "toy_device.guard({})";
  toy.python.stream = "toy_device.current_stream({})";
  toy.python.synchronize = "toy_device.synchronize({})";
  toy.python.makeStream = "toy_device.Stream({})";
  toy.python.onStream = "{}.current()";
  toy.python.recordEvent = "toy_device.Event({})";
  toy.python.waitEvent = "toy_device.wait";
  toy.python.allocate = "toy_device.empty_strided";
  dialect->registerDevice(std::move(toy));
  // One that can do nothing and has no words.
  wrapper::DeviceInfo mute;
  mute.kind = "mute";
  dialect->registerDevice(mute);
  // One that can do nothing, but that programs in Python can name.
  mute.kind = "bare";
  mute.torchDevice = "bare";
  dialect->registerDevice(std::move(mute));
}

/// `--target=toy`: cores that run the host's instructions, in vectors of half
/// the width, and have caches of their own. A second kind states nothing, so
/// that the passes which need facts say so.
static void registerTargets() {
  target::TargetKind toy;
  toy.name = "toy";
  toy.form = target::KernelForm::Vectors;
  toy.describe = [](llvm::StringRef) -> llvm::Expected<target::ChipFacts> {
    target::ChipFacts facts;
    facts.facts = {
        {"vector_bits", 128}, {"l1_bytes", 16 << 10}, {"l2_bytes", 64 << 10}};
    facts.features = {"rings_a_bell"};
    return facts;
  };
  target::registerTargetKind(std::move(toy));
  target::TargetKind bare;
  bare.name = "bare";
  bare.describe = [](llvm::StringRef) { return target::ChipFacts(); };
  target::registerTargetKind(std::move(bare));
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ToyDevice", "1.0",
          [](mlir::DialectRegistry *registry) {
            registry->addExtension(&registerToy);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ToyDevice", "1.0", &registerTargets};
}

COIL_PLUGIN_VERSION()
