//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions, contractions, convolution, pooling and attention.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD

include "coil/Dialect/Graph/IR/GraphBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Graph_ReduceOp : Graph_Op<"reduce", [Pure]> {
  let summary = "reduction over dimensions";
  let description = [{
    Combines the elements along `dims`. A reduced dimension is dropped, or kept
    with size one under `keepdims`. An empty reduction gives the neutral
    element: 0 for `sum`, `xor` and `any`, 1 for `prod` and `all`, the least
    (greatest) value for `max` (`min`). `max` and `min` propagate NaN. `f16` and
    `bf16` accumulate in `f32`; integers wrap. Under `tf32` the factors of what
    is summed, if it is a multiplication, may be rounded to TF32, see `graph.matmul`.

    (C1) `dims` are distinct, sorted and inside the rank.
    (C2) The result has the shape that remains.
    (C3) `any` and `all` take and give bools; `xor` takes integers or bools;
         all others keep the element type and take numbers, `max` and `min`
         also bools.
    (C4) `tf32` goes with a `sum` of `f32`.

    Example:
    ```mlir
    %0 = graph.reduce sum, %x dims [1] keepdims : (tensor<4x8xf32>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Graph_ReduceKind:$kind, Graph_Tensor:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keepdims,
                       UnitAttr:$tf32);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind `,` $input `dims` $dims (`keepdims` $keepdims^)? (`tf32` $tf32^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$input,
                                 "::llvm::ArrayRef<int64_t>":$dims,
                                 CArg<"bool", "false">:$keepdims)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_ArgReduceOp : Graph_Op<"arg_reduce", [Pure]> {
  let summary = "argmin or argmax: index of the minimum or maximum";
  let description = [{
    The largest (`max`) or smallest (`min`) element along `dim`, and the
    position where it first occurs. A NaN counts as the minimum or maximum.

    (C1) `kind` is `max` or `min`, and `dim` is inside the rank.
    (C2) Both results have the shape that remains.
    (C3) The values have the element type of the input, the positions are `i64`.
    (C4) The size of `dim` is not statically zero.

    Example:
    ```mlir
    %v, %i = graph.arg_reduce max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi64>)
    ```
  }];
  let arguments = (ins Graph_ReduceKind:$kind, Graph_Tensor:$input,
                       I64Attr:$dim, UnitAttr:$keepdims);
  let results = (outs Graph_Tensor:$values, Graph_TensorOf<[I64]>:$positions);
  let assemblyFormat = [{
    $kind `,` $input `dim` $dim (`keepdims` $keepdims^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$input,
                                 "int64_t":$dim,
                                 CArg<"bool", "false">:$keepdims)>];
  let hasVerifier = 1;
}

def Graph_WelfordOp : Graph_Op<"welford", [
    Pure, AllTypesMatch<["mean", "m2"]>]> {
  let summary = "mean and sum of squared deviations from it";
  let description = [{
    Mean of the elements along `dims`, and the sum of the squares of their
    distances from it. A reduced dimension is dropped, or kept with size one
    under `keepdims`. One op, so that one pass over the elements makes both:
    variance is the sum over a number. If an element is not finite, mean and sum
    are NaN; of no element, the mean is NaN and the sum zero.

    (C1) `dims` are distinct, sorted and inside the rank.
    (C2) Both results have the shape that remains.
    (C3) All elements are of one type, `f32` or `f64`.

    Example:
    ```mlir
    %mean, %m2 = graph.welford %x dims [1] : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
  }];
  let arguments = (ins Graph_TensorOf<[F32, F64]>:$input,
                       DenseI64ArrayAttr:$dims, UnitAttr:$keepdims);
  let results = (outs Graph_TensorOf<[F32, F64]>:$mean,
                      Graph_TensorOf<[F32, F64]>:$m2);
  let assemblyFormat = [{
    $input `dims` $dims (`keepdims` $keepdims^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::llvm::ArrayRef<int64_t>":$dims,
                                 CArg<"bool", "false">:$keepdims)>];
  let hasVerifier = 1;
}

def Graph_ScanOp : Graph_Op<"scan", [Pure, SameOperandsAndResultType]> {
  let summary = "running combination along a dimension";
  let description = [{
    Element i along `dim` is the combination of the elements up to i: `sum` and
    `prod` are cumulative sum and product, `max` and `min` the running minimum and maximum,
    which propagate NaN, `logaddexp` the logarithm of the cumulative sum of
    exponentials. `f16` and `bf16` accumulate in `f32`; integers wrap.

    (C1) `dim` is inside the rank.
    (C2) `sum` and `prod` take numbers, `logaddexp` floats, `max` and `min` also
         bools.

    Example:
    ```mlir
    %0 = graph.scan sum, %x dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_ScanKind:$kind, Graph_Tensor:$input, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind `,` $input `dim` $dim attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_ArgScanOp : Graph_Op<"arg_scan", [
    Pure, AllTypesMatch<["input", "values"]>]> {
  let summary = "running minimum or maximum and its index";
  let description = [{
    The largest (`max`) or smallest (`min`) element up to each position along
    `dim`, and the latest position where it occurs. A NaN counts as the
    minimum or maximum.

    (C1) `kind` is `max` or `min`, and `dim` is inside the rank.
    (C2) Both results have the shape of the input.
    (C3) The values have the element type of the input, the positions are `i64`.

    Example:
    ```mlir
    %v, %i = graph.arg_scan max, %x dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
    ```
  }];
  let arguments = (ins Graph_ReduceKind:$kind, Graph_Tensor:$input,
                       I64Attr:$dim);
  let results = (outs Graph_Tensor:$values, Graph_TensorOf<[I64]>:$positions);
  let assemblyFormat = [{
    $kind `,` $input `dim` $dim attr-dict `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$input,
                                 "int64_t":$dim)>];
  let hasVerifier = 1;
}

def Graph_MatmulOp : Graph_Op<"matmul", [Pure]> {
  let summary = "batched matrix multiplication";
  let description = [{
    Multiplies `[..., m, k]` by `[..., k, n]` to `[..., m, n]`. Leading
    dimensions are batch dimensions; a batch dimension of size one broadcasts.
    `f16` and `bf16` accumulate in `f32`; integers wrap. A `bias` `[n]` is added
    to every row before the result is rounded, as `torch.addmm` and
    `torch.nn.functional.linear` do: an addition of its own would round twice,
    and libraries have it as an epilogue. Of `f16` and `bf16` the result may be
    `f32`, for operators that follow to round once.

    Under `tf32` a device may round the factors to TF32, `f32` with 10 bits of
    mantissa in place of 23, before it multiplies them; products are still summed
    in `f32`. It allows this and does not require it: where nothing is faster that
    way, such as on a CPU, the factors stay as they are. `graph-set-precision`
    sets it.

    (C1) Both factors have the same rank, at least two.
    (C2) The contracted sizes are equal.
    (C3) Batch sizes are equal or one, and the result has the broadcast ones.
    (C4) The factors have one element type, and so do bias and result: the same, or
         `f32` where the factors are `f16` or `bf16`.
    (C5) The bias has rank one and the result's last size.
    (C6) `tf32` goes with elements of `f32`.

    Example:
    ```mlir
    %0 = graph.matmul %a, %b : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
    %2 = graph.matmul %a, %b tf32 : (tensor<2x4x8xf32>, tensor<1x8x3xf32>) -> tensor<2x4x3xf32>
    %1 = graph.matmul %x, %w bias %c : (tensor<4x8xbf16>, tensor<8x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
    %3 = graph.matmul %x, %w : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs,
                       Optional<Graph_NumberTensor>:$bias, UnitAttr:$tf32);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`bias` $bias^)? (`tf32` $tf32^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                                 CArg<"::mlir::Value", "{}">:$bias)>];
  let hasVerifier = 1;
}

def Graph_ConvOp : Graph_Op<"conv", [Pure]> {
  let summary = "convolution over one to three spatial dimensions";
  let description = [{
    Input `[n, c, spatial...]`, weight `[o, c / groups, kernel...]`, result
    `[n, o, spatial...]`. Padding is with zeros, `padding` elements on both
    sides. `f16` and `bf16` accumulate in `f32`. Under `channels_last` the
    channels are the last dimension of all three: input `[n, spatial..., c]`,
    weight `[o, kernel..., c / groups]`, result `[n, spatial..., o]`. Under
    `tf32` input and weight may be rounded to TF32, see `graph.matmul`. A `bias`
    `[o]` is added before the result is rounded, as there.

    (C1) Input, weight and result have the same rank, 3 to 5.
    (C2) `stride`, `padding` and `dilation` have one entry for each spatial
         dimension; strides and dilations are positive, paddings not negative.
    (C3) `groups` divides the channels of input and result, and the weight has
         `c / groups` input channels.
    (C4) The result sizes are
         `(in + 2 * padding - dilation * (kernel - 1) - 1) floordiv stride + 1`.
    (C5) Operands and result have one element type.
    (C6) `tf32` goes with elements of `f32`.
    (C7) The bias has rank one and one element for each channel of the result.

    Example:
    ```mlir
    %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x8x8xf32>
    %1 = graph.conv %y, %v, %b stride [1] padding [1] dilation [1] groups 1 : (tensor<2x3x8xbf16>, tensor<4x3x3xbf16>, tensor<4xbf16>) -> tensor<2x4x8xbf16>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$weight,
                       Optional<Graph_FloatTensor>:$bias,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       UnitAttr:$channels_last, UnitAttr:$tf32);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    operands `stride` $stride `padding` $padding `dilation` $dilation `groups`
    $groups (`channels_last` $channels_last^)? (`tf32` $tf32^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$weight,
    "::llvm::ArrayRef<int64_t>":$stride, "::llvm::ArrayRef<int64_t>":$padding,
    "::llvm::ArrayRef<int64_t>":$dilation, "int64_t":$groups,
    CArg<"bool", "false">:$channelsLast, CArg<"::mlir::Value", "{}">:$bias)>];
  let hasVerifier = 1;
}

def Graph_PoolOp : Graph_Op<"pool", [Pure]> {
  let summary = "pooling over one to three spatial dimensions";
  let description = [{
    Reduces windows of `[n, c, spatial...]`. `max` ignores padding and
    propagates NaN; `avg` divides the sum by the window's size, counting padded
    elements under `countPadding`, or by `divisor` when it is given. The result
    type says how many windows there are (which settles ceiling mode). Under
    `channels_last` the operand is `[n, spatial..., c]`, as is the result.

    (C1) Input and result have the same rank, 3 to 5, and the same batch size,
         channels and element type.
    (C2) `kernel`, `stride`, `padding` and `dilation` have one entry for each
         spatial dimension; kernels, strides and dilations are positive;
         paddings lie in 0..kernel/2.
    (C3) Every window starts inside the input or its left padding.
    (C4) `divisor` is not zero, and a value of the element type where that is an
         integer. It may be negative.

    Example:
    ```mlir
    %0 = graph.pool max, %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_PoolKind:$kind, Graph_NumberTensor:$input,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       UnitAttr:$countPadding, OptionalAttr<I64Attr>:$divisor,
                       UnitAttr:$channels_last);
  let results = (outs Graph_NumberTensor:$result);
  let assemblyFormat = [{
    $kind `,` $input `kernel` $kernel `stride` $stride `padding` $padding
    `dilation` $dilation (`count_padding` $countPadding^)?
    (`divisor` $divisor^)? (`channels_last` $channels_last^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Graph_AttentionOp : Graph_Op<"attention", [Pure]> {
  let summary = "scaled dot-product attention";
  let description = [{
    Computes `softmax(scale * q k^T + mask) v` for q `[..., l, e]`, k
    `[..., s, e]` and v `[..., s, f]`. `causal` lets row i see the columns
    0..i. A bool mask keeps the scores where it is true and replaces the others
    by `fill`, which is minus infinity by default; another mask is added. Under
    `softcap` c the scores are `c * tanh(scale * q k^T / c)` before they are
    masked.

    A row that sees nothing, whose scores are all minus infinity, gives zeros, as
    the framework's operator does, or NaN under `nan_rows`, which is what softmax
    gives. Finite scores never make such a row: where a finite `fill` hides all of
    a row, its result is the mean of the values.

    `library` names the library that computes it; otherwise it is decomposed.
    Under `tf32` the operands of both matrix multiplications may be rounded to TF32, see
    `graph.matmul`.

    (C1) q, k and v have the same rank, at least two, and equal batch sizes.
    (C2) q and k agree in `e`, k and v in `s`; the result is `[..., l, f]`.
    (C3) q, k, v and the result have one element type; the mask has it, too, or
         `f32` where that is wider, or `i1`, and broadcasts to `[..., l, s]`.
    (C4) `causal` and a mask exclude each other.
    (C5) `tf32` goes with elements of `f32`.
    (C6) `fill` goes with a bool mask and is not NaN.
    (C7) `nan_rows` goes with a mask, and not with a finite `fill`.
    (C8) `softcap` is positive and finite.

    Example:
    ```mlir
    %0 = graph.attention %q, %k, %v causal scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
    %1 = graph.attention %q, %k, %v mask %m fill -1.000000e+09 scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<8x8xi1>) -> tensor<2x4x8x64xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$query, Graph_FloatTensor:$key,
                       Graph_FloatTensor:$value, Optional<Graph_Tensor>:$mask,
                       UnitAttr:$causal, F64Attr:$scale,
                       OptionalAttr<StrAttr>:$library, UnitAttr:$tf32,
                       OptionalAttr<F64Attr>:$fill, UnitAttr:$nan_rows,
                       OptionalAttr<F64Attr>:$softcap);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`mask` $mask^ (`fill` $fill^)? (`nan_rows` $nan_rows^)?)?
    (`causal` $causal^)? `scale` $scale (`softcap` $softcap^)?
    (`library` $library^)? (`tf32` $tf32^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$query,
                                 "::mlir::Value":$key, "::mlir::Value":$value,
                                 "::mlir::Value":$mask, "bool":$causal,
                                 "double":$scale)>];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHREDUCTIONOPS_TD
