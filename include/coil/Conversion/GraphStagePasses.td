//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes at the end of the stage `graph`: what libraries of plugins compute, and
// the contract.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_GRAPHSTAGEPASSES_TD
#define COIL_CONVERSION_GRAPHSTAGEPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToLibraryPass
    : Pass<"convert-graph-to-library", "::mlir::func::FuncOp"> {
  let summary = "turn operators into calls of library functions of plugins";
  let description = [{
    Asks the registered functions of the libraries (`registerLibraryFunction`)
    for each op, in the order of their registration; the first that computes it
    is called instead. The pass runs before anything is fused, so a call is
    a boundary of fusion, and after decomposition, so a function sees the ops
    that the compiler would lower. The files of the libraries are loaded when the
    pass is initialized.

    Constraints:
    (C1) Each library is registered and can be loaded.

    Before:
    ```mlir
    %0 = graph.erf %x : (tensor<8xf32>) -> tensor<8xf32>
    ```
    After, with `library=accelmath`:
    ```mlir
    %0 = graph.custom_call "accelmath::erf"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let options = [
    Option<"library", "library", "std::string", "\"\"",
           "Libraries to call, separated by commas">
  ];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphVerifyStagePass
    : Pass<"graph-verify-stage", "::mlir::func::FuncOp"> {
  let summary = "report what does not belong to the stage 'graph'";
  let description = [{
    The contract of the stage `graph` as a full conversion: each op has to be one
    that a later stage takes, or the first of each kind that is not is an error
    at its location in the model, before anything is converted. Otherwise an op of
    another dialect would come through the whole stage unnoticed, and the error
    would be about what became of its neighbours.

    Ops that belong are those of `graph`, `loop` and `sym`, elementwise ops of
    any dialect (`ElementwiseOpInterface`), ops that a pattern of
    `convert-graph-to-loop` has as its root, those of plugins among them,
    literals, and what is inside of `loop.kernel`s, which have a verifier of
    their own. Framework operators are left to `graph-verify-contract`, which
    knows why they were not legalised.

    Constraints:
    (C1) Every op belongs to the stage `graph`.

    ```mlir
    %0 = arith.addf %a, %b : tensor<8xf32>
    ```
    is refused with
    ```
    error: 'arith.addf' op does not belong to the stage 'graph': it is neither an operator nor elementwise, and no lowering to loop kernels is registered for it
    ```
  }];
}

#endif // COIL_CONVERSION_GRAPHSTAGEPASSES_TD
