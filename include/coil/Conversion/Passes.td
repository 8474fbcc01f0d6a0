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

//===----------------------------------------------------------------------===//
// From loop
//===----------------------------------------------------------------------===//

def OutlineKernelsPass : Pass<"outline-kernels", "::mlir::ModuleOp"> {
  let summary = "turn functions of loop kernels into host programs";
  let description = [{
    Every `func.func` becomes a `wrapper.func` over buffers: tensors are given
    storage, a kernel becomes a launch of a `wrapper.kernel` symbol, and a
    kernel whose schedule names a library becomes a library call. Symbols are
    bound from the sizes and strides of the arguments, which are then checked.

    Kernels that are equal but for names and locations share one symbol.
    Results are row-major and contiguous. A view whose elements are evenly
    spaced becomes `wrapper.reinterpret`, any other one a kernel that copies.
    A result of the function has the layout that its attribute `coil.strides`
    gives, row-major if absent, and never refers to an argument's storage.
    Nothing is freed yet: that is `wrapper-plan-memory`.

    Constraints:
    (C1) The functions hold only `loop.kernel`, `loop.view`, `sym.assert`,
         constants and the terminator.
    (C2) Sizes and strides of the arguments determine every symbol that they
         mention.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = loop.kernel "neg" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {...}
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    wrapper.kernel @neg_0(%x: tensor<4xf32>) attributes {...} {
      %0 = loop.kernel "neg" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {...}
      wrapper.yield %0 : tensor<4xf32>
    }
    wrapper.func @main(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> {
      wrapper.assert_layout %x, "x" : ...
      %0 = wrapper.alloc : ...
      wrapper.launch @neg_0[] ins(%x : ...) outs(%0 : ...)
      wrapper.return %0 : ...
    }
    ```
  }];
  let options = [
    Option<"device", "device", "std::string", /*default=*/"\"cpu\"",
           "kind of device that holds the buffers and runs the kernels">];
  let dependentDialects = ["::coil::wrapper::WrapperDialect"];
}

#endif // COIL_CONVERSION_PASSES_TD
