//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Op interfaces of the `wrapper` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERINTERFACES_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERINTERFACES_TD

include "mlir/IR/OpBase.td"

def Wrapper_InPlaceOpInterface : OpInterface<"InPlaceOpInterface"> {
  let cppNamespace = "::coil::wrapper";
  let description = [{
    An op that can write a result over one of its operands. Ops without the
    interface cannot.

    Example: `wrapper.launch` of a pointwise kernel, whose every point reads
    the operand only where it then writes the result.
  }];
  let methods = [
    InterfaceMethod<[{
      Whether the buffer that is read through `read` may be the one that is
      written through `written`. Symbols are looked up in `tables`.
    }], "bool", "mayShareStorage", (ins
        "::mlir::OpOperand &":$read, "::mlir::OpOperand &":$written,
        "::mlir::SymbolTableCollection &":$tables)>];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERINTERFACES_TD
