//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `loop` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPOPS_TD
#define COIL_DIALECT_LOOP_IR_LOOPOPS_TD

include "coil/Dialect/Loop/IR/LoopDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Loop_Op<string mnemonic, list<Trait> traits = []>
    : Op<Loop_Dialect, mnemonic, traits>;

def Loop_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, F16, BF16, F32, F64]>;
/// What memory holds: floats of 8 bits are loaded, converted and stored.
def Loop_Element : AnyTypeOf<[Loop_Scalar, F8E4M3FN, F8E5M2]>;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Loop_KernelOp : Loop_Op<"kernel", [
    IsolatedFromAbove, SingleBlock, NoTerminator, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "iteration space with a scalar body";
  let description = [{
    Runs the body for every point of the space `dims`. The body's arguments are
    the operands. Every result is written by exactly one `loop.store`,
    `loop.scatter` or `loop.accumulate`.

    `name` is what profilers and reports show. `conv` and `schedule` are
    described at their attributes. `schedule<...>` is short for
    `schedule #loop.schedule<...>`; any attribute with the interface
    `ScheduleAttrInterface` may stand there.

    (C1) The body has one argument for each operand, of the same type.
    (C2) The extents mention symbols only.
    (C3) Every result has exactly one `loop.store`, `loop.scatter` or
         `loop.accumulate`.
    (C4) All reductions, scans and scatters of a body are over the same
         dimensions.
    (C5) The body holds only ops of `loop`, `arith` and `math`.
    (C6) A `#loop.schedule` vectorises a dimension of the kernel.
    (C7) What the first and the last point of the kernel access is not outside
         of the tensor for all values of the symbols, unless a mask, an indirect
         index or a bounds policy decides. Kernels of no points have no such
         access.

    Example:
    ```mlir
    %y = loop.kernel "softmax" [s0, 1024] (%a = %x) : (tensor<?x1024xf32, #sym.shape<[s0, 1024]>>) -> tensor<?x1024xf32, #sym.shape<[s0, 1024]>> {
      %v = loop.load %a[d0, d1] : tensor<?x1024xf32, #sym.shape<[s0, 1024]>> -> f32
      %m = loop.reduce max %v over [1] : f32
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      %s = loop.reduce sum %e over [1] : f32
      %q = arith.divf %e, %s : f32
      loop.store %q, 0 [d0, d1] : f32
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Sym_ShapeAttr:$dims,
                       Variadic<AnyRankedTensor>:$inputs,
                       OptionalAttr<Loop_ConvAttr>:$conv,
                       OptionalAttr<Loop_ScheduleAttrInterface>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::llvm::ArrayRef<::coil::sym::ExprAttr>":$dims,
    "::mlir::ValueRange":$inputs, "::mlir::TypeRange":$outputs)>];
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    unsigned getNumDims() { return getDims().size(); }
    sym::ExprAttr getExtent(unsigned dim) { return getDims()[dim]; }
    /// The store that writes result `i`; null when a scatter or an accumulation
    /// does.
    StoreOp getStore(unsigned i);
    /// The dimensions that the body's reductions, scans and scatters run over,
    /// sorted; empty for a pointwise kernel.
    ::llvm::SmallVector<unsigned> getReducedDims();
    /// The dimensions along which accumulations have results of their own,
    /// sorted; empty where nothing is accumulated.
    ::llvm::SmallVector<unsigned> getColumnDims();
    /// Whether the points of the reduced dimensions have to run in order.
    bool isSequential();
  }];
}

def Loop_ViewOp : Loop_Op<"view", [Pure]> {
  let summary = "tensor whose elements are elements of another";
  let description = [{
    Element `[d0, d1, ...]` of the result is the element of the operand at
    `indices`. Reshapes, transposes, slices and broadcasts are views; kernels
    take them in by substitution.

    (C1) There is one index for each dimension of the operand.
    (C2) The indices mention the result's dimensions and symbols only.
    (C3) Operand and result have one element type.

    Example:
    ```mlir
    %0 = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Sym_ShapeAttr:$indices);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $input `` custom<ExprList>($indices) attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Library calls
//===----------------------------------------------------------------------===//

def Loop_AttentionOp : Loop_Op<"attention", [Pure]> {
  let summary = "scaled dot-product attention by a library";
  let description = [{
    `softmax(scale * q k^T + mask) v` for q `[b, h, l, e]`, k `[b, g, s, e]` and
    v `[b, g, s, f]`, where `h / g` neighbouring heads of q share one of k and
    v. `causal` lets row i see the columns 0..i. The result is `[b, l, h, f]`:
    the next operator reads the heads side by side. Rows that see nothing have
    no defined result. It is not a kernel, since no schedule of ours computes
    it; operands are views, which the library reads where they are.

    (C1) q, k, v and the result have rank four and one element type, `f16` or
         `bf16`; their sizes agree as above.
    (C2) `g` divides `h`, as far as both are constants.
    (C3) The mask is `[b, h, l, s]` of that element type, and a mask and `causal`
         exclude each other.

    Example:
    ```mlir
    %0 = loop.attention "cudnn" %q, %k, %v causal scale 1.250000e-01 : (tensor<2x8x64x64xbf16>, tensor<2x2x64x64xbf16>, tensor<2x2x64x64xbf16>) -> tensor<2x64x8x64xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$library, AnyRankedTensor:$query,
                       AnyRankedTensor:$key, AnyRankedTensor:$value,
                       Optional<AnyRankedTensor>:$mask, UnitAttr:$causal,
                       F64Attr:$scale);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $library $query `,` $key `,` $value (`mask` $mask^)? (`causal` $causal^)?
    `scale` $scale attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Loop_SortOp : Loop_Op<"sort", [Pure]> {
  let summary = "elements in order along a dimension, by a library";
  let description = [{
    The elements of the operand along `dim` in ascending or descending order, as
    far as the results can hold them, and their positions. NaN counts as
    larger than every number, 0.0 and -0.0 are equal, and equal elements keep
    their order. If `unordered` is set, only the last element of the results has
    to be at its position, and the others may come in any order, which a
    selection in linear time gives. It is not a kernel, since no schedule of ours computes it.

    (C1) `dim` is inside the rank.
    (C2) The results have the sizes of the operand but along `dim`, where they
         agree and are not known to be larger.
    (C3) The values have the element type of the operand, the positions are
         `i64`.

    Example:
    ```mlir
    %v, %i = loop.sort "runtime" %x dim 1 descending : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
    ```
  }];
  let arguments = (ins StrAttr:$library, AnyRankedTensor:$input, I64Attr:$dim,
                       UnitAttr:$descending, UnitAttr:$unordered);
  let results = (outs AnyRankedTensor:$values, RankedTensorOf<[I64]>:$indices);
  let assemblyFormat = [{
    $library $input `dim` $dim (`descending` $descending^)?
    (`unordered` $unordered^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Loop_LoadOp : Loop_Op<"load", [Pure, AttrSizedOperandSegments]> {
  let summary = "element of an operand at an index";
  let description = [{
    Reads the element at `indices`. `t0`, `t1`, ... in an index are the values
    of `args`; `bounds` says what to do when such an index is out of range:
    `trusted` (cannot happen), `check` (run-time error), `wrap_check` (negative
    counts from the end, then check), `clamp`. With a mask the element is read
    only where it holds and `other` taken elsewhere, so the index need only be
    valid where it holds.

    (C1) There is one index for each dimension of the tensor.
    (C2) The indices mention existing dimensions, arguments and symbols.
    (C3) The result is the signless element type of the tensor.
    (C4) Mask and other come together, and other has the result's type.
    (C5) An index with a bounds policy other than `trusted` is an indirect one
         (`t<i>`) as a whole.
    (C6) The tensor is an operand of the kernel.

    Example:
    ```mlir
    %v = loop.load %x[t0, d1](%i) bounds wrap_check : tensor<128x16xf32> -> f32
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Sym_ShapeAttr:$indices,
                       Variadic<I64>:$args, Optional<I1>:$mask,
                       Optional<Loop_Element>:$other,
                       DefaultValuedAttr<Loop_BoundsPolicy,
                         "::coil::loop::BoundsPolicy::Trusted">:$bounds);
  let results = (outs Loop_Element:$result);
  let assemblyFormat = [{
    $source `` custom<ExprList>($indices) (`(` $args^ `)`)?
    (`bounds` $bounds^)? (`mask` $mask^ `else` $other `:` type($other))? attr-dict `:`
    type($source) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
    "::llvm::ArrayRef<::coil::sym::ExprAttr>":$indices)>,
    OpBuilder<(ins "::mlir::Value":$source,
    "::llvm::ArrayRef<::coil::sym::ExprAttr>":$indices,
    "::mlir::ValueRange":$args, "::mlir::Value":$mask, "::mlir::Value":$other,
    "BoundsPolicy":$bounds)>];
  let hasVerifier = 1;
}

def Loop_StoreOp : Loop_Op<"store", []> {
  let summary = "write an element of a result";
  let description = [{
    Writes the element at `indices` of the kernel's result number `output`, once
    for each value of the dimensions in `indices`.

    (C1) The kernel has a result of that number, and its signless element type
         is that of the value.
    (C2) There is one index for each dimension of the result, and the indices
         mention existing dimensions and symbols.
    (C3) The value varies over no dimension that the indices do not mention.

    Example:
    ```mlir
    loop.store %q, 0 [d0, d1] : f32
    ```
  }];
  let arguments = (ins Loop_Element:$value, I64Attr:$output,
                       Sym_ShapeAttr:$indices);
  let assemblyFormat = [{
    $value `,` $output `` custom<ExprList>($indices) attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Loop_ScatterOp : Loop_Op<"scatter", [Loop_OverDimsOpInterface]> {
  let summary = "write or combine elements of a result at computed indices";
  let description = [{
    Result number `output` of the kernel starts as a copy of the operand
    `target`. At every point of the space the element at `indices` becomes
    `value`, or, with a kind, the combination of what it is and `value`.
    Indices are those of a load: `t0`, `t1`, ... are the values of `args`, and
    `bounds` says what to do when such an index is out of range; an access that
    is out of range does not happen.

    Points that differ only along `dims` may write one element. They run in
    order, the last dimension fastest: the last of them wins, and a combination
    of floats is the same on every run. Along all other dimensions points write
    different elements, which is why these can be cut into tasks. A device that
    combines in another order says so.

    The copy is the host program's. Where nothing else reads the target, it is
    written in place.

    (C1) The kernel has a result of that number with the type of the target, and
         the value has its signless element type.
    (C2) There is one index for each dimension of the target, and the indices
         mention existing dimensions, arguments and symbols.
    (C3) An index with a bounds policy other than `trusted` is an indirect one
         (`t<i>`) as a whole.
    (C4) `dims` are sorted, distinct and dimensions of the kernel.
    (C5) Every other dimension of the kernel is an index by itself, unless its
         extent is one.
    (C6) The target is an operand of the kernel.
    (C7) The kind fits the type: `or`, `and`, `xor`, `umax` and `umin` take
         integers; floats of 8 bits are not combined.

    Example:
    ```mlir
    loop.scatter sum %v into %x[t0, d1](%i) bounds wrap_check as 0 over [0] : f32, tensor<128x16xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Loop_ReduceKind>:$kind, Loop_Element:$value,
                       AnyRankedTensor:$target, Sym_ShapeAttr:$indices,
                       Variadic<I64>:$args, I64Attr:$output,
                       DenseI64ArrayAttr:$dims,
                       DefaultValuedAttr<Loop_BoundsPolicy,
                         "::coil::loop::BoundsPolicy::Trusted">:$bounds);
  let assemblyFormat = [{
    ($kind^)? $value `into` $target `` custom<ExprList>($indices)
    (`(` $args^ `)`)? (`bounds` $bounds^)? `as` $output `over` $dims attr-dict
    `:` type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

def Loop_AccumulateOp : Loop_Op<"accumulate", []> {
  let summary = "combination over columns of a kernel whose rows are walked";
  let description = [{
    A kernel reduces over one set of dimensions. Where the same elements are
    also needed summed over the other ones (`dx` of a norm has a mean of each
    row, `dw` a sum of each column), this op is the second direction, so that
    one pass over the data gives both.

    The dimensions of the kernel that are not in `columns` are counted as one, in
    row-major order: the number of a *row*. Rows are combined in chunks of
    `rows`, so that several processors can walk them: element `[c, d...]` of
    result number `output` is the combination of `value` over the rows from
    `c * rows` on, below `(c + 1) * rows`, at the position `d...` of the columns.
    It is made in the order of rows where one thread has them all; otherwise in
    an order that the schedule fixes. An ordinary reduction over the chunks, in a
    kernel after this one, gives the result, so nothing depends on how many
    blocks run at a time.

    (C1) The kernel has a result of that number, and its element type is that of
         the value.
    (C2) The columns are distinct dimensions of the kernel, at least one, and
         `rows` is positive.
    (C3) The result has as many elements as there are chunks along its first
         dimension, then those of the columns.
    (C4) The kind fits the type: `or`, `and`, `xor`, `umax` and `umin` take
         integers; floats of 8 bits are not combined.
    (C5) The kernel neither scans nor scatters nor sums rows, and what it reduces
         is reduced over all columns and nothing else.
    (C6) All accumulations of a kernel have the same columns, in one order, and
         the same `rows`.

    Example: means of rows and sums of columns of one matrix, in chunks of 32 rows.
    ```mlir
    %m, %c = loop.kernel "both" [128, 64] (%a = %x) : (tensor<128x64xf32>) -> (tensor<128xf32>, tensor<4x64xf32>) {
      %v = loop.load %a[d0, d1] : tensor<128x64xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
      loop.accumulate sum %v, 1 columns [1] rows 32 : f32
    }
    ```
  }];
  let arguments = (ins Loop_ReduceKind:$kind, Loop_Scalar:$value,
                       I64Attr:$output, DenseI64ArrayAttr:$columns,
                       I64Attr:$rows);
  let assemblyFormat = [{
    $kind $value `,` $output `columns` $columns `rows` $rows attr-dict `:`
    type($value)
  }];
  let extraClassDeclaration = [{
    /// Where the result has the element that a point is part of, as expressions
    /// over the kernel's dimensions.
    ::llvm::SmallVector<::coil::sym::ExprAttr> getResultIndices();
    /// The sizes of the result.
    ::llvm::SmallVector<::coil::sym::ExprAttr> getResultSizes();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Space
//===----------------------------------------------------------------------===//

def Loop_IndexOp : Loop_Op<"index", [Pure]> {
  let summary = "value of an index expression";
  let description = [{
    The value of an expression at the current point.

    (C1) The expression mentions existing dimensions and symbols only.

    Example:
    ```mlir
    %i = loop.index <d0 * 8 + d1>
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$expr);
  let results = (outs I64:$result);
  let assemblyFormat = "$expr attr-dict";
  let hasVerifier = 1;
}

def Loop_ReduceOp : Loop_Op<"reduce", [
    Pure, SameOperandsAndResultType, Loop_OverDimsOpInterface]> {
  let summary = "combination of a value over dimensions";
  let description = [{
    Combines the values at all points of `dims`, in an unspecified order. `max`
    and `min` of floats propagate NaN. Over no point at all the result is the
    neutral element of the kind.

    Under `tf32`, where the value is a multiplication, its factors may be rounded to TF32
    (`f32` with 10 bits of mantissa) before they are multiplied. Libraries and
    the instruction `m16n8k8` of GPUs do so, nothing else.

    (C1) `dims` are sorted, distinct and dimensions of the kernel.
    (C2) The kind fits the type: `or`, `and`, `xor`, `umax` and `umin` take
         integers.
    (C3) `tf32` goes with a `sum` of `f32`.

    Example:
    ```mlir
    %m = loop.reduce max %v over [1] : f32
    %s = loop.reduce sum %p over [2] tf32 : f32
    ```
  }];
  let arguments = (ins Loop_ReduceKind:$kind, Loop_Scalar:$value,
                       DenseI64ArrayAttr:$dims, UnitAttr:$tf32);
  let results = (outs Loop_Scalar:$result);
  let assemblyFormat = [{
    $kind $value `over` $dims (`tf32` $tf32^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Loop_ArgReduceOp : Loop_Op<"arg_reduce", [Pure, Loop_OverDimsOpInterface,
    AllTypesMatch<["value", "min_max"]>]> {
  let summary = "minimum or maximum with its index (argmin, argmax)";
  let description = [{
    The largest or smallest value over `dims` and the smallest `position` at
    which it occurs. A NaN counts as the minimum or maximum.

    (C1) `dims` are sorted, distinct and dimensions of the kernel.
    (C2) The kind is `max`, `min`, `umax` or `umin`.

    Example:
    ```mlir
    %v, %i = loop.arg_reduce max %x at %p over [1] : f32
    ```
  }];
  let arguments = (ins Loop_ReduceKind:$kind, Loop_Scalar:$value, I64:$position,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Loop_Scalar:$min_max, I64:$min_max_index);
  let assemblyFormat = [{
    $kind $value `at` $position `over` $dims attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Loop_WelfordOp : Loop_Op<"welford", [
    Pure, AllTypesMatch<["mean", "m2", "count"]>,
    AllTypesMatch<["total_mean", "total_m2", "total_count"]>,
    Loop_OverDimsOpInterface]> {
  let summary = "mean and sum of squared deviations over dimensions";
  let description = [{
    Merges partial aggregates over `dims` by Welford's method, in an unspecified
    order. A partial aggregate is `count`
    values whose mean is `mean` and whose squared deviations from it sum to
    `m2`; a single value x is the aggregate (x, 0, 1). The results are mean, sum of
    squared deviations and number of all values. One pass over the points gives
    what mean and variance take two for, and partial results merge the same way.
    Where a value is not finite, mean and sum are NaN. Over no value at all they
    are zero.

    Results may be wider than the operands: the mean of values far from zero,
    rounded to `f32`, may be off by more than their standard deviation, which
    matters where it is merged with others.

    (C1) `dims` are sorted, distinct and dimensions of the kernel.
    (C2) The results are of the operands' type or of a wider one.

    Example:
    ```mlir
    %mean, %m2, %n = loop.welford %x, %zero, %one over [1] : f32
    %wide, %wide_m2, %wide_n = loop.welford %x, %zero, %one over [1] : f32 -> f64
    ```
  }];
  let arguments = (ins AnyTypeOf<[F32, F64]>:$mean, AnyTypeOf<[F32, F64]>:$m2,
                       AnyTypeOf<[F32, F64]>:$count, DenseI64ArrayAttr:$dims);
  let results = (outs AnyTypeOf<[F32, F64]>:$total_mean,
                      AnyTypeOf<[F32, F64]>:$total_m2,
                      AnyTypeOf<[F32, F64]>:$total_count);
  let assemblyFormat = [{
    $mean `,` $m2 `,` $count `over` $dims attr-dict `:`
    custom<SampleTypes>(type($mean), type($total_mean))
  }];
  let extraClassDeclaration = [{
    /// Whether the aggregates are known to have no deviations.
    bool isFlat();
    /// Whether the aggregates are known to be of one value each.
    bool isOfOne();
  }];
  let hasVerifier = 1;
}

def Loop_ScanOp : Loop_Op<"scan", [
    Pure, SameOperandsAndResultType, Loop_OverDimsOpInterface]> {
  let summary = "running combination of a value along dimensions";
  let description = [{
    The combination of the values at this point and at all points before it
    along `dims`, in order, the last dimension fastest. So the result varies
    over `dims`, unlike that of `loop.reduce`. Sums and products of `f32` are
    kept in a wider type, or combined in a tree. `max` and `min` of floats
    propagate NaN; `logaddexp` is the logarithm of the running sum of
    exponentials.

    (C1) `dims` are sorted, distinct dimensions of the kernel, at least one.
    (C2) The kind fits the type: `umax` and `umin` take integers, `logaddexp`
         takes floats.

    Example:
    ```mlir
    %c = loop.scan sum %v over [1] : f32
    ```
  }];
  let arguments = (ins Loop_ScanKind:$kind, Loop_Scalar:$value,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Loop_Scalar:$result);
  let assemblyFormat = "$kind $value `over` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Loop_ArgScanOp : Loop_Op<"arg_scan", [Pure, Loop_OverDimsOpInterface,
    AllTypesMatch<["value", "min_max"]>]> {
  let summary = "running minimum or maximum with its index";
  let description = [{
    The largest or smallest value up to this point along `dims`, in order, and
    the `position` of the latest point at which it occurs. A NaN counts as the
    minimum or maximum.

    (C1) `dims` are sorted, distinct dimensions of the kernel, at least one.
    (C2) The kind is `max`, `min`, `umax` or `umin`.

    Example:
    ```mlir
    %v, %i = loop.arg_scan max %x at %p over [1] : f32
    ```
  }];
  let arguments = (ins Loop_ReduceKind:$kind, Loop_Scalar:$value, I64:$position,
                       DenseI64ArrayAttr:$dims);
  let results = (outs Loop_Scalar:$min_max, I64:$min_max_index);
  let assemblyFormat = [{
    $kind $value `at` $position `over` $dims attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Loop_PhiloxOp : Loop_Op<"philox", [Pure]> {
  let summary = "one random word";
  let description = [{
    Word `word` mod 4 of the four that Philox 4x32-10 makes of key `key`, counter
    `counter` (the low 64 bits) and stream `word` div 4 (the high ones). Neighbours
    that differ in the last two bits of `word` alone share their four words, so
    emitters ask `loop.index` operands for them.

    (C1) All operands are `i64` and the result is `i32`.

    Example:
    ```mlir
    %r = loop.philox %seed, %counter, %word
    ```
  }];
  let arguments = (ins I64:$key, I64:$counter, I64:$word);
  let results = (outs I32:$result);
  let assemblyFormat = "$key `,` $counter `,` $word attr-dict";
}

def Loop_SpecialOp : Loop_Op<"special", [Pure, SameOperandsAndResultType]> {
  let summary = "special function of scalars";
  let description = [{
    A function without an instruction or a `math` op; the runtime computes it.

    (C1) Operands and result have one type, `f32` or `f64`.
    (C2) There are as many operands as the function takes.

    Example:
    ```mlir
    %y = loop.special lgamma(%x) : f32
    ```
  }];
  let arguments = (ins Loop_SpecialFunction:$function,
                       Variadic<AnyTypeOf<[F32, F64]>>:$args);
  let results = (outs AnyTypeOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $function `(` $args `)` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_LOOP_IR_LOOPOPS_TD
