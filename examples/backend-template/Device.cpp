//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device `accel`: what the compiler is told of it, and the target of that
// name. Its runtime, which programs call, is in Runtime.cpp.
//
//===----------------------------------------------------------------------===//

#include "Accel.h"

#include "coil/Dialect/Target/IR/TargetKind.h"
#include "coil/Dialect/Wrapper/IR/Device.h"
#include "coil/Dialect/Wrapper/IR/Wrapper.h"
#include "coil/Runtime/Runtime.h"

namespace target = coil::target;
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

/// `--target=accel`. Passes take these facts from the module, in whose
/// specification they are `#target.device<"accel">`.
void accel::registerTarget() {
  target::TargetKind kind;
  kind.name = "accel";
  // Its cores compute in vectors, as the host's do.
  kind.form = target::KernelForm::Vectors;
  kind.describe = [](llvm::StringRef) -> llvm::Expected<target::ChipFacts> {
    target::ChipFacts facts;
    facts.facts = {
        {"vector_bits", 256}, {"l1_bytes", 32 << 10}, {"l2_bytes", 256 << 10}};
    return facts;
  };
  target::registerTargetKind(std::move(kind));
}
