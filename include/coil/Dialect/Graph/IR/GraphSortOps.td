//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting and selecting.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHSORTOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHSORTOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"

def Graph_SortableTensor : Graph_TensorOf<[AnyTypeOf<[I1, Graph_Number], "number or bool">]>;

def Graph_SortOp : Graph_Op<"sort", [Pure]> {
  let summary = "elements in order along a dimension";
  let description = [{
    The elements along `dim` in ascending order, or in descending order, and the
    position that each of them had. NaN counts as larger than every number, and
    0.0 and -0.0 are equal. `stable` asks that equal elements keep their order;
    every implementation of ours keeps it either way.

    It is an operator because no library sorts by parts: a network of
    comparisons would be slower than what each device has.

    `library` names the library that sorts; `graph-decompose` chooses it.

    (C1) `dim` is inside the rank.
    (C2) Both results have the shape of the operand.
    (C3) The values have the element type of the operand, the positions are
         `i64`.

    Example:
    ```mlir
    %v, %i = graph.sort %x dim 1 descending stable : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
    ```
  }];
  let arguments = (ins Graph_SortableTensor:$input, I64Attr:$dim,
                       UnitAttr:$descending, UnitAttr:$stable,
                       OptionalAttr<StrAttr>:$library);
  let results = (outs Graph_SortableTensor:$values,
                      Graph_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `dim` $dim (`descending` $descending^)? (`stable` $stable^)?
    (`library` $library^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$dim,
                                 "bool":$descending, "bool":$stable)>];
  let hasVerifier = 1;
}

def Graph_TopKOp : Graph_Op<"topk", [Pure]> {
  let summary = "largest or smallest elements along a dimension";
  let description = [{
    The `k` largest elements along `dim`, or without `largest` the smallest, and
    their positions. NaN counts as larger than every number. `sorted` asks that
    the first is the minimum or maximum, and so on; otherwise the last one is at
    its position in that order, and the others come in any order. Of equal
    elements the first ones are taken.

    `library` names the library that selects; `graph-decompose` chooses it.

    (C1) `dim` is inside the rank.
    (C2) `k` is an expression over symbols, is not negative, and is not larger
         than the size of `dim`, as far as both are constants.
    (C3) Both results have the shape of the operand, but `k` along `dim`.
    (C4) The values have the element type of the operand, the positions are
         `i64`.

    Example:
    ```mlir
    %v, %i = graph.topk %x k <3> dim 1 largest sorted : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
    ```
  }];
  let arguments = (ins Graph_SortableTensor:$input, Sym_ExprAttr:$k,
                       I64Attr:$dim, UnitAttr:$largest, UnitAttr:$sorted,
                       OptionalAttr<StrAttr>:$library);
  let results = (outs Graph_SortableTensor:$values,
                      Graph_TensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $input `k` $k `dim` $dim (`largest` $largest^)? (`sorted` $sorted^)?
    (`library` $library^)? attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::coil::sym::ExprAttr":$k, "int64_t":$dim,
                                 "bool":$largest, "bool":$sorted)>];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHSORTOPS_TD
