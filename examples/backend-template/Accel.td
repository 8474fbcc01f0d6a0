//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect `accel` and its operation.
//
//===----------------------------------------------------------------------===//

#ifndef ACCEL_TD
#define ACCEL_TD

include "coil/Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Accel_Dialect : Dialect {
  let name = "accel";
  let cppNamespace = "::accel";
}

def Accel_SiluOp : Op<Accel_Dialect, "silu", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<Graph_ElementwiseOpInterface>]> {
  let summary = "x * sigmoid(x), element by element";
  let description = [{
    An elementwise operator: all that Coil has to know is its scalar body
    (`buildScalar`). From it come code for CPUs and GPUs, fusion, and reference
    semantics.

    Example:
    ```mlir
    %1 = accel.silu %0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$input);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // ACCEL_TD
