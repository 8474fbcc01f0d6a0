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

#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Plugins/Plugins.h"
#include "coil/Runtime/Runtime.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

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

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "ToyDevice", "1.0",
          [](mlir::DialectRegistry *registry) {
            registry->addExtension(&registerToy);
          }};
}

COIL_PLUGIN_VERSION()
