//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows that lie next to each other in an order, apart from the other
// ops, so that most files do not depend on them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHSEGMENTOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHSEGMENTOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"

def Graph_SegmentReduceOp : Graph_Op<"segment_reduce", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "segmented reduction: sum of the rows of each range of positions";
  let description = [{
    Row v of the result is the sum of the rows of `input` at the positions from
    `lo[v]` to `hi[v]`, without the latter. Place k is row `positions[k]`, or
    row k where there are no positions. Sums are made in the order of the
    positions; where the input has 16-bit floats, in `f32`. They begin with row v
    of `init` where there is one.

    With the positions that a sort of keys gives, and ranges of equal keys, this
    is a sum at positions with duplicates (`index_put`, the gradient of an
    embedding) that reads each row once, writes each sum once, and is the same
    on every run (`graph-scatter-to-segment-sum`).

    Nothing is undefined: positions that do not exist take no part, an index that
    does not exist counts as the nearest that does, and where the input has no
    rows nothing is added.

    (C1) The kind is `sum`.
    (C2) `lo` and `hi` have rank one and the size of the result's rows.
    (C3) The result has the sizes of the input but for the first.
    (C4) The result has elements of `f32` for an input of `f16`, `bf16` or
         `f32`, and of `f64` for `f64`.
    (C5) The positions have rank one, and elements of `i32` or `i64`.
    (C6) `init` has the type of the result.

    Example:
    ```mlir
    %0 = graph.segment_reduce sum %x at %p from %lo to %hi : (tensor<64x16xbf16>, tensor<8xi64>, tensor<8xi64>, tensor<64xi64>) -> tensor<8x16xf32>
    %1 = graph.segment_reduce sum %y from %lo to %hi plus %0 : (tensor<9x16xf32>, tensor<8xi64>, tensor<8xi64>, tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKind:$kind, Graph_Tensor:$input,
                       Graph_TensorOf<[I64]>:$lo, Graph_TensorOf<[I64]>:$hi,
                       Optional<Graph_Tensor>:$positions,
                       Optional<Graph_Tensor>:$init);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $input (`at` $positions^)? `from` $lo `to` $hi (`plus` $init^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHSEGMENTOPS_TD
