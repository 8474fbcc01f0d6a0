//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device `accel`: what the compiler is told of it. Its runtime, which
// programs call, is in Runtime.cpp.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Wrapper/IR/Device.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Runtime/Runtime.h"

namespace wrapper = coil::wrapper;

void accel::registerDevice(mlir::DialectRegistry &registry) {
  registry.addExtension(
      +[](mlir::MLIRContext *, wrapper::WrapperDialect *dialect) {
        wrapper::DeviceInfo info;
        info.kind = "accel";
        // Its memory is the host's, and it runs the host's instructions.
        info.runtimeType = COIL_CPU;
        info.codeDevice = "cpu";
        info.allocFunction = "accel_alloc";
        info.freeFunction = "accel_free";
        info.launchFunction = "accel_launch";
        dialect->registerDevice(std::move(info));
      });
}
