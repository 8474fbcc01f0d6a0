//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows, apart from the other ops, so that most files do not depend on
// them.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPROWOPS_TD
#define COIL_DIALECT_LOOP_IR_LOOPROWOPS_TD

include "coil/Dialect/Loop/IR/LoopDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Loop_SegmentSumOp : Op<Loop_Dialect, "segment_sum", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "segment sum: sum of elements of an operand at a range of positions";
  let description = [{
    The sum of the elements of `source` at `indices` for the positions k from `lo`
    to `hi`, without `hi`. In the indices `t0` is number k of `positions`, or k
    itself where there are none. The dimension that `t0` indexes is the summed
    one.

    It is a value of a point, like a load, and no reduction: each point has a
    range of its own, and none of the kernel's dimensions is the summed one. So
    a point costs what its range is long. Sums of floats are made one after the
    other, in `f32` or `f64`, in the order of the positions, onto `init` where
    there is one: sums of several ranges need not all be kept until they are
    added.

    Nothing is undefined: positions that do not exist (in `positions`, or else
    along the summed dimension) take no part, a position that does not exist
    counts as the nearest that does, and where the summed dimension has no
    element nothing is added.

    (C1) There is one index for each dimension of the source. One is `t0`, the
         others mention existing dimensions and symbols.
    (C2) The result is `f32` for elements of `f16`, `bf16` and `f32`, and `f64`
         for elements of `f64`; `init` has its type.
    (C3) The positions have rank one and elements of `i32` or `i64`.
    (C4) Source and positions are operands of the kernel.
    (C5) The kernel reduces, scans and scatters nothing, so that a point's sum
         is made once.

    Example:
    ```mlir
    %s = loop.segment_sum %x[t0, d1] at %p : tensor<64xi64> from %lo to %hi : tensor<64x16xbf16> -> f32
    %t = loop.segment_sum %c[t0, d1] from %first to %last plus %s : f32 : tensor<8x16xf32> -> f32
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Sym_ShapeAttr:$indices,
                       I64:$lo, I64:$hi, Optional<AnyRankedTensor>:$positions,
                       Optional<AnyTypeOf<[F32, F64]>>:$init);
  let results = (outs AnyTypeOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $source `` custom<ExprList>($indices) (`at` $positions^ `:`
    type($positions))? `from` $lo `to` $hi (`plus` $init^ `:` type($init))?
    attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The dimension of the source that `t0` indexes.
    unsigned getSummedDim();
    /// How many positions there are.
    ::coil::sym::ExprAttr getNumPlaces();
    /// Whether `hi` can be seen to be `lo` or the position after it.
    bool hasAtMostOnePlace();
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_LOOP_IR_LOOPROWOPS_TD
