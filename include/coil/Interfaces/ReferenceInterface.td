//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interfaces through which operations say what they compute.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_INTERFACES_REFERENCEINTERFACE_TD
#define COIL_INTERFACES_REFERENCEINTERFACE_TD

include "mlir/IR/OpBase.td"

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::coil";
  let description = [{
    Reference semantics of an operation on tensors. The interpreter calls it
    with the operands' values; an implementation is written for clarity, apart
    from any lowering, so that it can serve as an oracle. A dialect attaches
    external models (`coil/Reference/Models.h`), so that its IR library does
    not depend on the interpreter.

    Example implementer: `graph.reshape` gives its operand under other sizes.
  }];
  let methods = [
    InterfaceMethod<[{
      Computes the results for these operands. `frame` evaluates symbols,
      accounts for memory and steps, and calls functions. A failure has been
      reported with a diagnostic.
    }], "::mlir::LogicalResult", "evaluate",
      (ins "::coil::reference::Frame &":$frame,
           "::llvm::ArrayRef<::coil::reference::Tensor>":$operands,
           "::llvm::SmallVectorImpl<::coil::reference::Tensor> &":$results)>
  ];
}

def ReferenceScalarOpInterface : OpInterface<"ReferenceScalarOpInterface"> {
  let cppNamespace = "::coil";
  let description = [{
    Reference semantics of an operation on scalars with one result and at most
    three operands, as the body of a `loop.kernel` holds them. The interpreter
    asks once for a function and calls it at every point.

    Example implementer: `arith.addf`.
  }];
  let methods = [
    InterfaceMethod<[{
      The function for this operation's types and attributes, or null when they
      are not supported.
    }], "::coil::reference::ScalarFunction", "getScalarFunction">
  ];
}

#endif // COIL_INTERFACES_REFERENCEINTERFACE_TD
