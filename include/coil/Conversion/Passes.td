//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between levels. Grouped by source, alphabetical inside a group.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_PASSES_TD
#define COIL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From graph
//===----------------------------------------------------------------------===//

def ConvertGraphToLoopPass
    : Pass<"convert-graph-to-loop", "::mlir::func::FuncOp"> {
  let summary = "turn tensor operators into loop kernels and views";
  let description = [{
    Every operator that computes becomes one `loop.kernel`; every operator that
    only says where elements come from becomes a `loop.view`; a literal that is
    not a splat becomes an `arith.constant`. The types of values do not change.
    Nothing is fused here: that is the business of the passes behind it, which
    see one kernel for each operator and all index expressions.

    `f16` and `bf16` are computed in `f32` and rounded where the operator ends.

    Constraints:
    (C1) Every operator has a lowering: compound ones were decomposed, framework
         operators legalised. The first that has none is an error naming it.

    Before:
    ```mlir
    %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
    After:
    ```mlir
    %0 = loop.kernel "add" [4, 8] (%x = %a, %y = %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
      %1 = loop.load %x[d0, d1] : tensor<4x8xf32> -> f32
      %2 = loop.load %y[d1] : tensor<8xf32> -> f32
      %3 = arith.addf %1, %2 : f32
      loop.store %3, 0[d0, d1] : f32
    }
    ```
  }];
  let dependentDialects = ["::coil::loop::LoopDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // COIL_CONVERSION_PASSES_TD
