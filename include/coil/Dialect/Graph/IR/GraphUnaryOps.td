//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operators with one operand.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHUNARYOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHUNARYOPS_TD

include "coil/Dialect/Graph/IR/GraphElementwiseBase.td"

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_NumberTensor, [{s.abs(x)}]> {
  let summary = "absolute value";
  let description = [{
    Computes |x|. The least signed integer stays itself.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_NegOp : Graph_UnaryOp<"neg", Graph_NumberTensor, [{s.neg(x)}]> {
  let summary = "negation";
  let description = [{
    Computes -x; integers wrap.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.neg %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SignOp : Graph_UnaryOp<"sign", Graph_NumberTensor, [{s.sign(x)}]> {
  let summary = "sign";
  let description = [{
    Computes -1, 0 or 1. NaN gives 0, as in the framework.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sign %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_CeilOp : Graph_UnaryOp<"ceil", Graph_FloatTensor, [{s.unary<::mlir::math::CeilOp>(x)}]> {
  let summary = "ceiling";
  let description = [{
    Rounds toward plus infinity.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.ceil %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_FloorOp : Graph_UnaryOp<"floor", Graph_FloatTensor, [{s.unary<::mlir::math::FloorOp>(x)}]> {
  let summary = "floor";
  let description = [{
    Rounds toward minus infinity.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.floor %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_TruncOp : Graph_UnaryOp<"trunc", Graph_FloatTensor, [{s.unary<::mlir::math::TruncOp>(x)}]> {
  let summary = "truncation";
  let description = [{
    Rounds toward zero.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.trunc %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_RoundOp : Graph_UnaryOp<"round", Graph_FloatTensor, [{s.unary<::mlir::math::RoundEvenOp>(x)}]> {
  let summary = "rounding, ties to even";
  let description = [{
    Rounds to the nearest integer, ties to even.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.round %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Graph_FloatTensor, [{s.unary<::mlir::math::SqrtOp>(x)}]> {
  let summary = "square root";
  let description = [{
    Computes the square root of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sqrt %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ExpOp : Graph_UnaryOp<"exp", Graph_FloatTensor, [{s.unary<::mlir::math::ExpOp>(x)}]> {
  let summary = "exponential";
  let description = [{
    Computes the exponential of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Exp2Op : Graph_UnaryOp<"exp2", Graph_FloatTensor, [{s.unary<::mlir::math::Exp2Op>(x)}]> {
  let summary = "power of two";
  let description = [{
    Computes the power of two of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.exp2 %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Expm1Op : Graph_UnaryOp<"expm1", Graph_FloatTensor, [{s.unary<::mlir::math::ExpM1Op>(x)}]> {
  let summary = "exponential minus one";
  let description = [{
    Computes the exponential minus one of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.expm1 %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_LogOp : Graph_UnaryOp<"log", Graph_FloatTensor, [{s.unary<::mlir::math::LogOp>(x)}]> {
  let summary = "natural logarithm";
  let description = [{
    Computes the natural logarithm of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.log %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Log2Op : Graph_UnaryOp<"log2", Graph_FloatTensor, [{s.unary<::mlir::math::Log2Op>(x)}]> {
  let summary = "logarithm to base two";
  let description = [{
    Computes the logarithm to base two of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.log2 %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Log10Op : Graph_UnaryOp<"log10", Graph_FloatTensor, [{s.unary<::mlir::math::Log10Op>(x)}]> {
  let summary = "logarithm to base ten";
  let description = [{
    Computes the logarithm to base ten of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.log10 %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_Log1pOp : Graph_UnaryOp<"log1p", Graph_FloatTensor, [{s.unary<::mlir::math::Log1pOp>(x)}]> {
  let summary = "natural logarithm of one plus x";
  let description = [{
    Computes the natural logarithm of one plus x of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.log1p %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_SinOp : Graph_UnaryOp<"sin", Graph_FloatTensor, [{s.unary<::mlir::math::SinOp>(x)}]> {
  let summary = "sine";
  let description = [{
    Computes the sine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sin %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_CosOp : Graph_UnaryOp<"cos", Graph_FloatTensor, [{s.unary<::mlir::math::CosOp>(x)}]> {
  let summary = "cosine";
  let description = [{
    Computes the cosine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.cos %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_TanOp : Graph_UnaryOp<"tan", Graph_FloatTensor, [{s.unary<::mlir::math::TanOp>(x)}]> {
  let summary = "tangent";
  let description = [{
    Computes the tangent of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.tan %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AsinOp : Graph_UnaryOp<"asin", Graph_FloatTensor, [{s.unary<::mlir::math::AsinOp>(x)}]> {
  let summary = "inverse sine";
  let description = [{
    Computes the inverse sine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.asin %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AcosOp : Graph_UnaryOp<"acos", Graph_FloatTensor, [{s.unary<::mlir::math::AcosOp>(x)}]> {
  let summary = "inverse cosine";
  let description = [{
    Computes the inverse cosine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.acos %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AtanOp : Graph_UnaryOp<"atan", Graph_FloatTensor, [{s.unary<::mlir::math::AtanOp>(x)}]> {
  let summary = "inverse tangent";
  let description = [{
    Computes the inverse tangent of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.atan %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_SinhOp : Graph_UnaryOp<"sinh", Graph_FloatTensor, [{s.unary<::mlir::math::SinhOp>(x)}]> {
  let summary = "hyperbolic sine";
  let description = [{
    Computes the hyperbolic sine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sinh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_CoshOp : Graph_UnaryOp<"cosh", Graph_FloatTensor, [{s.unary<::mlir::math::CoshOp>(x)}]> {
  let summary = "hyperbolic cosine";
  let description = [{
    Computes the hyperbolic cosine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.cosh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_TanhOp : Graph_UnaryOp<"tanh", Graph_FloatTensor, [{s.unary<::mlir::math::TanhOp>(x)}]> {
  let summary = "hyperbolic tangent";
  let description = [{
    Computes the hyperbolic tangent of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AsinhOp : Graph_UnaryOp<"asinh", Graph_FloatTensor, [{s.unary<::mlir::math::AsinhOp>(x)}]> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    Computes the inverse hyperbolic sine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.asinh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AcoshOp : Graph_UnaryOp<"acosh", Graph_FloatTensor, [{s.unary<::mlir::math::AcoshOp>(x)}]> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    Computes the inverse hyperbolic cosine of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.acosh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_AtanhOp : Graph_UnaryOp<"atanh", Graph_FloatTensor, [{s.unary<::mlir::math::AtanhOp>(x)}]> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    Computes the inverse hyperbolic tangent of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.atanh %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ErfOp : Graph_UnaryOp<"erf", Graph_FloatTensor, [{s.unary<::mlir::math::ErfOp>(x)}]> {
  let summary = "error function";
  let description = [{
    Computes the error function of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.erf %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ErfcOp : Graph_UnaryOp<"erfc", Graph_FloatTensor, [{s.unary<::mlir::math::ErfcOp>(x)}]> {
  let summary = "complementary error function";
  let description = [{
    Computes the complementary error function of each element.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.erfc %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", Graph_FloatTensor, [{s.div(s.one(), s.unary<::mlir::math::SqrtOp>(x))}]> {
  let summary = "reciprocal square root";
  let description = [{
    Computes 1 / sqrt(x), both correctly rounded.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.rsqrt %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ReciprocalOp : Graph_UnaryOp<"reciprocal", Graph_FloatTensor, [{s.div(s.one(), x)}]> {
  let summary = "reciprocal";
  let description = [{
    Computes 1 / x.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.reciprocal %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", Graph_FloatTensor, [{s.div(s.one(), s.add(s.one(), s.unary<::mlir::math::ExpOp>(s.neg(x))))}]> {
  let summary = "logistic function";
  let description = [{
    Computes 1 / (1 + exp(-x)).

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.sigmoid %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def Graph_ReluOp : Graph_UnaryOp<"relu", Graph_NumberTensor, [{s.maximum(x, s.zero())}]> {
  let summary = "rectified linear unit";
  let description = [{
    Computes max(x, 0); NaN stays NaN.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_BitwiseNotOp : Graph_UnaryOp<"bitwise_not", Graph_IntOrBoolTensor, [{s.bitwiseNot(x)}]> {
  let summary = "complement of all bits";
  let description = [{
    Complements all bits; of a bool, its negation.

    (C1) The operands' shapes broadcast to the result's shape.
    (C2) Operands and result have one element type.

    Example:
    ```mlir
    %0 = graph.bitwise_not %a : (tensor<4xi32>) -> tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_IsNanOp : Graph_UnaryPredicateOp<"isnan", Graph_FloatTensor, [{s.isNan(x)}]> {
  let summary = "test for NaN";
  let description = [{
    True where x is not a number.

    (C1) The operand's shape broadcasts to the result's shape.

    Example:
    ```mlir
    %0 = graph.isnan %a : (tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
}

def Graph_IsInfOp : Graph_UnaryPredicateOp<"isinf", Graph_FloatTensor, [{s.isInf(x)}]> {
  let summary = "test for infinity";
  let description = [{
    True where x is plus or minus infinity.

    (C1) The operand's shape broadcasts to the result's shape.

    Example:
    ```mlir
    %0 = graph.isinf %a : (tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
}

def Graph_SignBitOp : Graph_UnaryPredicateOp<"signbit", Graph_NumberTensor, [{s.signBit(x)}]> {
  let summary = "test of the sign bit";
  let description = [{
    True where the sign bit is set, also of -0.0 and NaN.

    (C1) The operand's shape broadcasts to the result's shape.

    Example:
    ```mlir
    %0 = graph.signbit %a : (tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHUNARYOPS_TD
