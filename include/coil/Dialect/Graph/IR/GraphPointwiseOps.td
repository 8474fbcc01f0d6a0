//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All elementwise operators; here comparison, selection and conversion.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHPOINTWISEOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHPOINTWISEOPS_TD

include "coil/Dialect/Graph/IR/GraphBinaryOps.td"
include "coil/Dialect/Graph/IR/GraphUnaryOps.td"

//===----------------------------------------------------------------------===//
// Compare, select, convert
//===----------------------------------------------------------------------===//

def Graph_CompareOp : Graph_ElementwiseOp<"compare",
    [{s.compare(getPredicate(), x, y)}], Graph_InfersResult> {
  let summary = "comparison";
  let description = [{
    Compares x with y. A comparison with NaN is false, except `ne`.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Both operands have one element type.

    Example:
    ```mlir
    %0 = graph.compare lt, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Graph_ComparePredicate:$predicate, Graph_Tensor:$lhs,
                       Graph_Tensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate `,` $lhs `,` $rhs attr-dict `:`
    custom<CompareTypes>(type($lhs), type($rhs), type($result))
  }];
}

def Graph_SelectOp : Graph_ElementwiseOp<"select", [{s.select(x, y, z)}],
                                         Graph_InfersResult> {
  let summary = "choice between two values";
  let description = [{
    Takes the second operand where the condition holds, else the third.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Both values and the result have one element type.

    Example:
    ```mlir
    %0 = graph.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$trueValue,
                       Graph_Tensor:$falseValue);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}

def Graph_ConvertOp : Graph_ElementwiseOp<"convert",
    [{s.convert(x, getElementTypeOrSelf(getResult().getType()))}]> {
  let summary = "conversion of the element type";
  let description = [{
    Converts each element. Floats round to nearest even; a float becomes an
    integer by truncation toward zero (out of range and NaN: an unspecified
    integer); integers wrap; anything not zero becomes the bool `true`.

    (C1) The operand's shape broadcasts to the result's shape.

    Example:
    ```mlir
    %0 = graph.convert %a : (tensor<4xf32>) -> tensor<4xbf16>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}

def Graph_BitcastOp : Graph_ElementwiseOp<"bitcast",
    [{s.bitcast(x, getElementTypeOrSelf(getResult().getType()))}]> {
  let summary = "same bits as another element type";
  let description = [{
    Reads the bits of each element as another type.

    (C1) The operand's shape broadcasts to the result's shape.
    (C2) Both element types have the same width, and neither is `i1`.

    Example:
    ```mlir
    %0 = graph.bitcast %a : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let hasFolder = 1;
}

def Graph_SpecialOp : Graph_ElementwiseOp<"special",
    [{s.special(getFunction(), args)}], Graph_InfersResult> {
  let summary = "special function";
  let description = [{
    Functions that no instruction computes: gamma, Bessel and error-function
    relatives. The runtime has a scalar implementation of each.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.
    (C3) The number of operands is that of the function: two for `nextafter`,
         `igamma`, `igammac` and `zeta`, else one.

    Example:
    ```mlir
    %0 = graph.special lgamma, %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Loop_SpecialFunction:$function,
                       Variadic<Graph_FloatTensor>:$inputs);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $function `,` operands attr-dict `:` functional-type(operands, results)
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHPOINTWISEOPS_TD
