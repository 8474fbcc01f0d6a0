//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions from and to tensor dialects of other projects.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_BRIDGEPASSES_TD
#define COIL_CONVERSION_BRIDGEPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToLinalgPass
    : Pass<"convert-graph-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "turn operators into linalg for other compilers";
  let description = [{
    The way out: what Coil imported, legalised and decomposed (the stage `graph`)
    as a program of `linalg`, `tensor`, `arith` and `math` alone, with types that
    every compiler knows. Dynamic sizes lose their expressions, and are computed
    from sizes of arguments.

    Elementwise operators become `linalg.generic` of their scalar bodies, matrix
    contractions named operations where there are some, convolutions generic ones
    after a `tensor.pad`; `f16` and `bf16` are computed and summed in `f32` as
    the operators say. Reshapes, slices, padding and concatenation become
    operations of `tensor`. All else (sorts, scatters, indexing, scans, moments,
    pooling, attention, random numbers, branches, calls) is an error that names
    the operator; nothing of the function is converted then.

    Constraints:
    (C1) The function holds operators of `graph` only, in one block.
    (C2) Each symbol is the size of an argument along a dimension.
    (C3) Each operator has a form: it is one of those above, slices go forward,
         padding does not crop, and its scalar body needs no function of the
         runtime.

    Before:
    ```mlir
    func.func @main(%x: tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>> {
      %0 = graph.exp %x : (tensor<?x8xf32, #sym.shape<[s0, 8]>>) -> tensor<?x8xf32, #sym.shape<[s0, 8]>>
      return %0 : tensor<?x8xf32, #sym.shape<[s0, 8]>>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x8xf32>
      %e = tensor.empty(%n) : tensor<?x8xf32>
      %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
      ^bb0(%a: f32, %o: f32):
        %1 = math.exp %a : f32
        linalg.yield %1 : f32
      } -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertLinalgToLoopPass
    : Pass<"convert-linalg-to-loop", "::mlir::func::FuncOp"> {
  let summary = "turn tensor programs of linalg into loop kernels and views";
  let description = [{
    A structured operation, named or generic, is what a `loop.kernel` is: a
    space, index expressions, and a scalar body. Each becomes one kernel:
    indexing maps become index expressions, the region becomes the body, and a
    loop that a result does not walk becomes a dimension of `loop.reduce`. What
    a result is combined with at first stays where it is not the neutral
    element. `linalg.softmax` becomes one kernel, too. Operations of `tensor`
    that only say where elements come from become `loop.view`s, others kernels;
    scalar operations of `arith` and `math` on tensors become kernels of that
    operation. Scalars and index arithmetic outside of them move into the
    kernels and index expressions that use them.

    Arithmetic on `f16` and `bf16` is done in `f32` and rounded at each
    operation, sums in `f32` and rounded once; the terms of a sum are not
    rounded. Reductions have no order, as loops of the iterator type
    `reduction` have none.

    Two results of one reduced loop that are a minimum or maximum and its index become
    `loop.arg_reduce`. Where the body takes the value by `maximumf` and the position
    by an ordered comparison, the first NaN is the minimum or maximum, also for the index.

    Functions without operations of `linalg`, `tensor`, and tensor arithmetic
    are left as they are, and so is all of a function where one operation has
    no form.

    Constraints:
    (C1) Operations work on tensors, not on buffers.
    (C2) Dynamic sizes have expressions (`sym-name-dynamic-sizes`).
    (C3) Results are indexed by loops, each at most once, and walk all parallel
         loops; all that reduce do so over the same loops.
    (C4) What reduces is combined by sum, product, maximum, minimum, and, or,
         xor, or is a minimum or maximum with its index along one loop.
    (C5) Bodies hold scalar operations of `arith` and `math`, `linalg.index`,
         `tensor.extract`, `tensor.dim` and `affine.apply`.
    (C6) Elements are integers of 1, 8, 16, 32 or 64 bits, or floats of 8, 16,
         32 or 64 bits.
    (C7) Offsets of `tensor.insert_slice` and paddings come from sizes; strides
         of slices are constants.

    Before:
    ```mlir
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%zero : tensor<4xf32>) {
    ^bb0(%a: f32, %sum: f32):
      %e = math.exp %a : f32
      %s = arith.addf %sum, %e : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = loop.kernel "exp+reduce_sum" [4, 8] (%in = %x) : (tensor<4x8xf32>) -> tensor<4xf32> {
      %1 = loop.load %in[d0, d1] : tensor<4x8xf32> -> f32
      %2 = math.exp %1 : f32
      %3 = loop.reduce sum %2 over [1] : f32
      loop.store %3, 0[d0] : f32
    }
    ```
  }];
  let dependentDialects = ["::coil::loop::LoopDialect",
                           "::coil::sym::SymDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def ConvertTosaToGraphPass
    : Pass<"convert-tosa-to-graph", "::mlir::func::FuncOp"> {
  let summary = "turn operations of TOSA into operators";
  let description = [{
    What `graph` has an operator for, or a few: elementwise operations with
    broadcasting, conversions (to integers by rounding to even, and by the nearest
    there is), reductions, `argmax`, matrix multiplication with zero points,
    convolutions and pooling of floats, and all that moves elements. Uneven padding
    becomes an operator before the convolution. Zero points, shapes and padding
    have to be literals.

    What is left is quantized arithmetic: convolutions and means of integers,
    `rescale`, multiplications with a shift, tables of 16 bits, `resize`, `clz`, Fourier
    transforms, and minima and maxima that ignore NaN. Upstream's conversions to `linalg`
    define these bit by bit, so they take them (`coil-tosa-pipeline`), and
    `convert-linalg-to-loop` takes what they make.

    Constraints:
    (C1) Dynamic sizes have expressions, and elements are integers of 1, 8, 16, 32
         or 64 bits, or floats of 16, 32 or 64 bits; an operation on others stays.

    Before:
    ```mlir
    %0 = tosa.add %x, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    ```
    After:
    ```mlir
    %0 = graph.add %x, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::coil::sym::SymDialect"];
}

def RaiseLinalgToGraphPass
    : Pass<"raise-linalg-to-graph", "::mlir::func::FuncOp"> {
  let summary = "recognise contractions, convolutions and softmax";
  let description = [{
    What libraries and tensor cores compute becomes the operator of `graph` that
    has them, so that a program of linalg reaches the same code as one of a
    framework: precision, layouts and library calls are decided on that
    operator. All else stays for `convert-linalg-to-loop`.

    * A sum of multiplications of two operands is a contraction, whatever it is called:
      `linalg.matmul` with any indexing maps, `linalg.batch_matmul`,
      `linalg.matvec`, `linalg.dot`, `linalg.contract`, `linalg.mmt4d`, or
      `linalg.generic`. Loops of both factors and the result are batches, those
      that the result lacks are summed. Views bring the operands into the
      order `[batch..., rows, inner]` and `[batch..., inner, columns]`.
    * A convolution is one by `linalg::inferConvolutionDims`, with or without
      groups, channels first or last. Zeros that `tensor.pad` puts on both sides
      of the images are its padding.
    * `linalg.softmax` becomes reductions and elementwise operators.

    Factors that the body extends are extended before. An initial value that is
    not zero is added after. `f16` and `bf16` are summed in `f32`.

    Constraints:
    (C1) Dynamic sizes have expressions; an operation with one that has none
         stays.

    Before:
    ```mlir
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x3xf32>) outs(%zero : tensor<4x3xf32>) -> tensor<4x3xf32>
    ```
    After:
    ```mlir
    %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::coil::sym::SymDialect"];
}

#endif // COIL_CONVERSION_BRIDGEPASSES_TD
