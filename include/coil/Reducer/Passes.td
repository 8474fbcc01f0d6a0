//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes of coil-reduce.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_REDUCER_PASSES_TD
#define COIL_REDUCER_PASSES_TD

include "mlir/Pass/PassBase.td"

def ReduceOpsPass : Pass<"reduce-ops", "::mlir::ModuleOp"> {
  let summary = "erase and simplify operations while a script agrees";
  let description = [{
    Goes over the operations from the last to the first, and tries on a copy of
    the module to erase each one or to apply the reduction patterns of the
    dialects (`DialectReductionPatternInterface`) to it. A copy that verifies
    and that the script finds interesting (exit status 1) replaces the
    module. Ends when nothing more can be taken away.

    Upstream's `reduction-tree` erases whole ranges of operations, which suits
    a module of many functions; this pass works inside functions and kernels.

    Example: with a script that looks for `graph.exp`,
    ```mlir
    %0 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = graph.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = graph.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = graph.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"test", "test", "std::string", /*default=*/"",
           "Program that is run on a file and exits with 1 when it is "
           "interesting, with 0 when it is not">,
    ListOption<"testArgs", "test-arg", "std::string",
               "Arguments of the program, before the file">,
  ];
}

#endif // COIL_REDUCER_PASSES_TD
