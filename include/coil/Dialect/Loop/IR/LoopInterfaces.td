//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attribute interfaces of the `loop` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPINTERFACES_TD
#define COIL_DIALECT_LOOP_IR_LOOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def Loop_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::coil::loop";
  let description = [{
    How a kernel runs. Every device has its own attribute, as the decisions
    differ; what they share is that a library can take the kernel instead. The
    conversion for a device reads its own attribute and refuses others.

    Example: `#loop.schedule`, `#loop.gpu_schedule`.
  }];
  let methods = [
    InterfaceMethod<[{
      The library that computes the kernel instead, or null.
    }], "::mlir::StringAttr", "getLibrary">];
}

#endif // COIL_DIALECT_LOOP_IR_LOOPINTERFACES_TD
