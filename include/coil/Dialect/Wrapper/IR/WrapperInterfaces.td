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
    A step that computes: a launch, a library call or that of a host function. Reports count these, and
    give each a handle (`CallHandles`) by which a line of a profile, of emitted
    text or of a message finds its way back to the source.

    Example: `wrapper.launch`, whose name is that of its kernel.
  }];
  let methods = [
    InterfaceMethod<[{
      What is computed: the name of the kernel, or that of the library with the
      operation after a dot.
    }], "std::string", "getComputeName", (ins), /*methodBody=*/"",
    /*defaultImplementation=*/[{
      return ($_op.getLibrary() + "." + $_op.getOperationName().split('.').second)
          .str();
    }]>];
}

def Wrapper_HostCallOpInterface : OpInterface<"HostCallOpInterface"> {
  let cppNamespace = "::coil::wrapper";
  let description = [{
    A call of a function that is registered by name: what interpreters and
    emitters need to make it, whichever op it is. The function's results are the
    buffers that it is given as outputs, then the results of the op.

    Example: `wrapper.extern_call`.
  }];
  let methods = [
    InterfaceMethod<"The name of the function.", "std::string",
                    "getFunctionName">,
    InterfaceMethod<[{
      The arguments as `coil/Dialect/Sym/IR/CallArguments.h` describes them;
      their placeholders are for `getCallOperands`.
    }], "::mlir::ArrayAttr", "getCallArguments">,
    InterfaceMethod<"The operands that are arguments, in order.",
                    "::mlir::OperandRange", "getCallOperands">,
    InterfaceMethod<"Whether the function may write an operand of the op.",
                    "bool", "mayWrite", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<"The buffers that the results are written to.",
                    "::mlir::OperandRange", "getCallOutputs", (ins), "",
                    [{ return $_op->getOperands().take_front(0); }]>,
    InterfaceMethod<"The results that the function gives.",
                    "::mlir::ResultRange", "getCallResults", (ins), "",
                    [{ return $_op->getResults(); }]>,
    InterfaceMethod<"The names of the arguments, or null.",
                    "::mlir::ArrayAttr", "getArgumentNames", (ins), "",
                    [{ return {}; }]>];
  let extraSharedClassDeclaration = [{
    /// The device that all buffers are on; the CPU if there is none.
    ::coil::wrapper::DeviceAttr getCallDevice() {
      return ::coil::wrapper::getCallDevice($_op);
    }
  }];
}

// Ops whose results have sizes and strides that are data-dependent, which
// `wrapper.bind_symbol` and `wrapper.assert_layout` require.
def Wrapper_GivesLayouts : NativeOpTrait<"GivesLayouts"> {
  let cppNamespace = "::coil::wrapper";
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERINTERFACES_TD
