//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operators with two operands.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHBINARYOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHBINARYOPS_TD

include "coil/Dialect/Graph/IR/GraphElementwiseBase.td"

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def Graph_AddOp : Graph_BinaryOp<"add", Graph_NumberTensor, [{s.add(x, y)}]> {
  let summary = "sum";
  let description = [{
    Computes x + y; integers wrap.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SubOp : Graph_BinaryOp<"sub", Graph_NumberTensor, [{s.sub(x, y)}]> {
  let summary = "difference";
  let description = [{
    Computes x - y; integers wrap.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sub %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_MulOp : Graph_BinaryOp<"mul", Graph_NumberTensor, [{s.mul(x, y)}]> {
  let summary = "elementwise multiplication";
  let description = [{
    Computes x * y; integers wrap.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_DivOp : Graph_BinaryOp<"div", Graph_FloatTensor, [{s.div(x, y)}]> {
  let summary = "quotient";
  let description = [{
    Computes x / y.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_TruncDivOp : Graph_BinaryOp<"trunc_div", Graph_NumberTensor, [{s.truncDiv(x, y)}]> {
  let summary = "quotient rounded toward zero";
  let description = [{
    Computes trunc(x / y). An integer divided by zero gives zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.trunc_div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_FloorDivOp : Graph_BinaryOp<"floor_div", Graph_NumberTensor, [{s.floorDiv(x, y)}]> {
  let summary = "quotient rounded toward minus infinity";
  let description = [{
    Computes floor(x / y) as Python does: of floats from the exact remainder. An integer divided by zero gives zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.floor_div %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_FmodOp : Graph_BinaryOp<"fmod", Graph_NumberTensor, [{s.fmod(x, y)}]> {
  let summary = "remainder with the sign of the dividend";
  let description = [{
    Computes x - trunc(x / y) * y exactly. An integer modulo zero gives zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.fmod %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_RemainderOp : Graph_BinaryOp<"remainder", Graph_NumberTensor, [{s.remainder(x, y)}]> {
  let summary = "remainder with the sign of the divisor";
  let description = [{
    Computes x - floor(x / y) * y, Python's `%`. An integer modulo zero gives zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.remainder %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_PowOp : Graph_BinaryOp<"pow", Graph_NumberTensor, [{s.pow(x, y)}]> {
  let summary = "power";
  let description = [{
    Computes x to the y-th. A negative integer exponent gives 0, except that 1 and -1 keep magnitude one.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.pow %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_MaximumOp : Graph_BinaryOp<"maximum", Graph_Tensor, [{s.maximum(x, y)}]> {
  let summary = "larger value";
  let description = [{
    Larger of both; NaN if either is. Of bools, their disjunction.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.maximum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_MinimumOp : Graph_BinaryOp<"minimum", Graph_Tensor, [{s.minimum(x, y)}]> {
  let summary = "smaller value";
  let description = [{
    Smaller of both; NaN if either is. Of bools, their conjunction.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.minimum %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_FmaxOp : Graph_BinaryOp<"fmax", Graph_FloatTensor, [{s.binary<::mlir::arith::MaxNumFOp>(x, y)}]> {
  let summary = "larger number";
  let description = [{
    Larger of both; a NaN loses against a number.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.fmax %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_FminOp : Graph_BinaryOp<"fmin", Graph_FloatTensor, [{s.binary<::mlir::arith::MinNumFOp>(x, y)}]> {
  let summary = "smaller number";
  let description = [{
    Smaller of both; a NaN loses against a number.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.fmin %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Atan2Op : Graph_BinaryOp<"atan2", Graph_FloatTensor, [{s.atan2(x, y)}]> {
  let summary = "angle of a point";
  let description = [{
    Computes the angle of the point (y, x) in radians.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.atan2 %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_CopysignOp : Graph_BinaryOp<"copysign", Graph_FloatTensor, [{s.binary<::mlir::math::CopySignOp>(x, y)}]> {
  let summary = "magnitude and sign";
  let description = [{
    Magnitude of x with the sign of y.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.copysign %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_HypotOp : Graph_BinaryOp<"hypot", Graph_FloatTensor, [{s.hypot(x, y)}]> {
  let summary = "length of a vector";
  let description = [{
    Computes sqrt(x * x + y * y) without overflow in between.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.hypot %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_BitwiseAndOp : Graph_BinaryOp<"bitwise_and", Graph_IntOrBoolTensor, [{s.binary<::mlir::arith::AndIOp>(x, y)}]> {
  let summary = "bitwise conjunction";
  let description = [{
    Computes x & y; of bools, their conjunction.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.bitwise_and %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

def Graph_BitwiseOrOp : Graph_BinaryOp<"bitwise_or", Graph_IntOrBoolTensor, [{s.binary<::mlir::arith::OrIOp>(x, y)}]> {
  let summary = "bitwise disjunction";
  let description = [{
    Computes x | y; of bools, their disjunction.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.bitwise_or %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

def Graph_BitwiseXorOp : Graph_BinaryOp<"bitwise_xor", Graph_IntOrBoolTensor, [{s.binary<::mlir::arith::XOrIOp>(x, y)}]> {
  let summary = "bitwise exclusive or";
  let description = [{
    Computes x ^ y; of bools, their inequality.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.bitwise_xor %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

def Graph_ShiftLeftOp : Graph_BinaryOp<"shift_left", Graph_IntTensor, [{s.shiftLeft(x, y)}]> {
  let summary = "left shift";
  let description = [{
    Computes x << y; an amount outside 0..width-1 gives zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.shift_left %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

def Graph_ShiftRightOp : Graph_BinaryOp<"shift_right", Graph_IntTensor, [{s.shiftRight(x, y)}]> {
  let summary = "arithmetic right shift";
  let description = [{
    Computes x >> y, copying the sign bit of signed integers; an amount outside 0..width-1 shifts all bits out.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.shift_right %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHBINARYOPS_TD
