//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where tensors are, in programs on several devices of one kind.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHDEVICEOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHDEVICEOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"

def Graph_ToDeviceOp : Graph_Op<"to_device", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "the elements of a tensor on another device";
  let description = [{
    The same elements on the device `index` places after the first one of the
    program. What is computed from them is computed there. Where a program is
    compiled for a target that is one device, such as the CPU, nothing moves.

    Arguments are on the device that their attribute `coil.device_index` names,
    or on the first one. Nothing is fused across the op, since it is still there
    at the stage `loop`; it becomes a `wrapper.transfer`.

    (C1) `index` is not negative.

    Example:
    ```mlir
    %y = graph.to_device %x 1 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$index);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $index attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHDEVICEOPS_TD
