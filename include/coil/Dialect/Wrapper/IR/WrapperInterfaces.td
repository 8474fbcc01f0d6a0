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

def Wrapper_ComputeOpInterface : OpInterface<"ComputeOpInterface"> {
  let cppNamespace = "::coil::wrapper";
  let description = [{
    A step that computes: a launch or a library call. Reports count these, and
    give each a handle (`CallHandles`) by which a line of a profile, of emitted
    text or of a message finds its way back to the source.

    Example: `wrapper.launch`, whose name is that of its kernel.
  }];
  let methods = [
    InterfaceMethod<[{
      What is computed: the name of the kernel, or that of the library with the
      operation behind a dot.
    }], "std::string", "getComputeName", (ins), /*methodBody=*/"",
    /*defaultImplementation=*/[{
      return ($_op.getLibrary() + "." + $_op.getOperationName().split('.').second)
          .str();
    }]>];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERINTERFACES_TD
