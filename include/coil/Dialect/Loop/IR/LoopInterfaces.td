//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces of the `loop` dialect.
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

def Loop_OverDimsOpInterface : OpInterface<"OverDimsOpInterface"> {
  let cppNamespace = "::coil::loop";
  let description = [{
    An op of a body that needs the points of `dims` together: a reduction
    combines them, a scan goes through them in order, a scatter may write one
    element at several of them. A kernel runs these dimensions inside of a
    task; all others can be cut.

    Example: `loop.reduce`, `loop.scan`, `loop.scatter`.
  }];
  let methods = [
    InterfaceMethod<"The dimensions, sorted.", "::llvm::ArrayRef<int64_t>",
                    "getDims">,
    InterfaceMethod<"Replaces the dimensions.", "void", "setDims",
                    (ins "::llvm::ArrayRef<int64_t>":$dims)>];
}

def Loop_SymbolBinderOpInterface : OpInterface<"SymbolBinderOpInterface"> {
  let cppNamespace = "::coil::loop";
  let description = [{
    An op between kernels that binds symbols, which are no SSA values: what
    mentions them has to stay after it.

    Example: `graph.item`, `graph.if`.
  }];
  let methods = [
    InterfaceMethod<"Names of the symbols.",
                    "::llvm::SmallVector<::llvm::StringRef>",
                    "getBoundSymbols">];
}

#endif // COIL_DIALECT_LOOP_IR_LOOPINTERFACES_TD
