//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over loop kernels, in pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_TRANSFORMS_PASSES_TD
#define COIL_DIALECT_LOOP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LoopFoldViewsPass : Pass<"loop-fold-views", "::mlir::func::FuncOp"> {
  let summary = "fold views into the index expressions of kernels";
  let description = [{
    Rewrites the loads of a kernel whose operand is a `loop.view` to load from
    the view's operand, with the indices composed. A view that only kernels
    read disappears.

    A contraction that a library can compute keeps a view that would make its
    accesses uneven: the view is then copied once instead of slowing down every
    access. A returned view of a kernel's result that memory could only be a
    copy of, such as a part or the reverse, becomes a kernel, "copy", which fusion
    has compute what it reads.

    Constraints:
    (C1) A load with checked indirect indices folds only when each of them stays
         an index by itself, of a dimension of the same size.

    Before:
    ```mlir
    %t = loop.view %x[d1, d0] : tensor<4x6xf32> -> tensor<6x4xf32>
    %y = loop.kernel "neg" [6, 4] (%a = %t) : (tensor<6x4xf32>) -> tensor<6x4xf32> {
      %v = loop.load %a[d0, d1] : tensor<6x4xf32> -> f32
      ...
    ```
    After:
    ```mlir
    %y = loop.kernel "neg" [6, 4] (%a = %x) : (tensor<4x6xf32>) -> tensor<6x4xf32> {
      %v = loop.load %a[d1, d0] : tensor<4x6xf32> -> f32
      ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LoopFusePass : Pass<"loop-fuse", "::mlir::func::FuncOp"> {
  let summary = "fuse kernels that share data";
  let description = [{
    Vertical fusion puts a producer's body into its consumer, so that the value
    between them stays a scalar: a pointwise producer at any index the consumer
    reads it at; a reduction where the consumer runs over the same space. A
    producer with further readers is merged and keeps its result as a second
    output, or is recomputed when that costs little: always where it is a conversion
    or the like of what is no wider than its result, and all readers are kernels
    that can take it in. Where kernels cannot be merged (they reduce over different
    dimensions, say, or the consumer is a long reduction to few results, which runs
    in chunks that store nothing else, `loop-split-reduction`), the consumer computes
    for itself what it reads of the producer, if that needs no reduction and moves
    fewer bytes than to write and to read it. On a GPU the times of the kernels are
    compared, of which each is that of its bytes or of its operations, whichever is
    longer, and of a launch (docs/concepts/FusionByTime.md).
    A long reduction is given, last, what follows for each of its results. A
    maximum and the sum of exponentials below it are one long reduction.
    Horizontal fusion merges kernels that run over the same
    space and read the same tensor.

    Refused, each with a remark (category `loop-fuse`) that says why: a cycle
    through a third kernel; a reduction that would be recomputed or lose its
    parallelism; an expensive producer that would be recomputed (on a processor
    also one that reads nothing, such as waves of positions: it is a table); an indirect
    read that the producer's operands do not have; a contraction that a library
    computes, unless what follows is an epilogue that the library has; more than
    three reductions that wait for one another; kernels over `max-ops`.

    Constraints:
    (C1) Reductions and scatters of the merged kernel are over one set of
         dimensions.
    (C2) No path leads from the producer to the consumer through a third
         kernel, when the producer's result is kept.
    (C3) A kernel that scatters is no producer, as its elements are not final
         before its end, and the target of a scatter stays an operand.
    (C4) A kernel that sums rows (`loop.segment_sum`) reduces nothing, each sum is
         made once, and the rows stay an operand.
    (C5) Where the consumer stores along some of the dimensions that the
         producer reduces, the others are not empty: it is computed in a loop
         over all of them.
    (C6) A producer that is read at an indirect index reads its own operands at
         that index alone, in dimensions of the same size, so that their bounds
         are checked as its own would be.
    (C7) A reduction is no part of a consumer with more results that a scatter,
         its only reader, can take: with a reduction it could not.

    Before:
    ```mlir
    %m = loop.kernel "reduce_max" [8, 16] (%a = %x) : (tensor<8x16xf32>) -> tensor<8xf32> {
      %v = loop.load %a[d0, d1] : tensor<8x16xf32> -> f32
      %r = loop.reduce max %v over [1] : f32
      loop.store %r, 0[d0] : f32
    }
    %y = loop.kernel "sub" [8, 16] (%a = %x, %b = %m) : (tensor<8x16xf32>, tensor<8xf32>) -> tensor<8x16xf32> {
      %v = loop.load %a[d0, d1] : tensor<8x16xf32> -> f32
      %r = loop.load %b[d0] : tensor<8xf32> -> f32
      %d = arith.subf %v, %r : f32
      loop.store %d, 0[d0, d1] : f32
    }
    ```
    After (and `cse`):
    ```mlir
    %y = loop.kernel "reduce_max_sub" [8, 16] (%a = %x) : (tensor<8x16xf32>) -> tensor<8x16xf32> {
      %v = loop.load %a[d0, d1] : tensor<8x16xf32> -> f32
      %r = loop.reduce max %v over [1] : f32
      %d = arith.subf %v, %r : f32
      loop.store %d, 0[d0, d1] : f32
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "Most ops in the body of a merged kernel (0: 1024 where the target "
           "runs blocks of threads, else 256)">,
    Option<"horizontal", "horizontal", "bool", "true",
           "Merge kernels that read the same tensor">,
    Option<"useLibrary", "use-library", "bool", "true",
           "Keep contractions in the form that a library computes">,
    Option<"library", "library", "std::string", "\"onednn\"",
           "The libraries whose form it is, separated by commas: onednn, "
           "cublaslt, cudnn, cub">,
    Option<"enoughResults", "enough-results", "int64_t", "0",
           "A long reduction to fewer results than this stays apart from its "
           "consumer, so that it can be split; 0: by the module's target">,
    Option<"rowPiece", "row-piece", "int64_t", "-1",
           "Results that share rows of operands and that one task takes: so "
           "many are one of `enough-results`; 0: each is; below: by the "
           "module's target">];
  let dependentDialects = ["::coil::target::TargetDialect"];
}

def LoopFuseRowsPass : Pass<"loop-fuse-rows", "::mlir::func::FuncOp"> {
  let summary = "reduce what a kernel makes, row by row, where it is made";
  let description = [{
    A reduction of everything, such as the mean of a loss, runs in chunks, and
    what it reduces is written before, where its producer makes other
    results, too, or reduces rows: to compute it twice costs more. This pass
    has the producer reduce each of its rows, so that the value between them
    stays a scalar, and a second, small kernel reduces one value for each row.
    A row is what the producer reduces, or so many of the last dimensions
    that they have 64 elements.

    Where there are no such rows and the reduction runs in chunks of one length
    (`loop-split-reduction`), it takes in a pointwise producer whose result others
    read, too, and stores that.

    It runs behind `loop-fuse`, on targets with multiprocessors, where it saves at least a
    tenth of the bytes of both kernels. Every decision is a remark (category
    `loop-fuse`).

    Constraints:
    (C1) The kernel is a long reduction to few results, of `loop.reduce`
         alone, none of which needs another; no library computes it.
    (C2) All of what it reads of the producer, it reads at the producer's points,
         it reduces all of a row and more, and there are at least four rows
         for each result that keeps the target busy.
    (C3) A number of chunks near the one that keeps the target busy divides a
         reduced dimension, where a long reduction stores its elements.

    Before:
    ```mlir
    %y, %z = loop.kernel "exp_mul" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192x512xf32>) {
      %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
      %e = math.exp %v : f32
      %m = arith.mulf %e, %v : f32
      loop.store %e, 0[d0, d1] : f32
      loop.store %m, 1[d0, d1] : f32
    }
    %s = loop.kernel "reduce_sum" [8192, 512] (%a = %z) : (tensor<8192x512xf32>) -> tensor<f32> {
      %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
      %r = loop.reduce sum %v over [0, 1] : f32
      loop.store %r, 0[] : f32
    }
    ```
    After, `%z` is not in memory:
    ```mlir
    %y, %p = loop.kernel "exp_mul_reduce_sum_rows" [8192, 512] (%a = %x) : (tensor<8192x512xf32>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
      %v = loop.load %a[d0, d1] : tensor<8192x512xf32> -> f32
      %e = math.exp %v : f32
      %m = arith.mulf %e, %v : f32
      loop.store %e, 0[d0, d1] : f32
      %r = loop.reduce sum %m over [1] : f32
      loop.store %r, 1[d0] : f32
    }
    %s = loop.kernel "reduce_sum" [8192] (%a = %p) : (tensor<8192xf32>) -> tensor<f32> {
      %v = loop.load %a[d0] : tensor<8192xf32> -> f32
      %r = loop.reduce sum %v over [0] : f32
      loop.store %r, 0[] : f32
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "Most ops in the body of a merged kernel (0: 1024 where the target "
           "runs blocks of threads, else 256)">,
    Option<"library", "library", "std::string", "\"onednn\"",
           "The libraries, separated by commas, that compute contractions and "
           "convolutions">];
}

def LoopRecomputePass : Pass<"loop-recompute", "::mlir::func::FuncOp"> {
  let summary = "compute again what costs more to be written and read";
  let description = [{
    Where kernels cannot be one, values go through memory between them: too
    many where fusion ended in the middle of a long expression, or of more
    bits than an operand a few ops before. For a kernel and a reader of its
    results this pass finds the cheapest set of values to be in memory: those
    at the edge of what the reader computes for itself, from other operands,
    from narrower values, from what reductions give for each row. Bytes that
    are written and read count, and the operations of what is computed again,
    as bytes that move in their time. The set is a minimum cut of the graph of
    the producer's ops: a value has a node that says whether the reader needs
    it, and one whether it computes it, with an edge between them that costs
    what it takes to have it in memory, and one to the sink that costs its
    operations.

    It runs behind `loop-fuse-rows`, on targets with multiprocessors, where it
    saves at least a fiftieth of the bytes of both kernels. Every decision is a
    remark (category `loop-fuse`).

    Constraints:
    (C1) Neither kernel is a library's, scatters or sums rows; the reader scans
         nothing, and is no long reduction, which runs in chunks.
    (C2) The reader loads the result at no indirect index, and the producer
         stores it at plain dimensions.
    (C3) A value that is to be stored varies over all dimensions, or over all
         that are not reduced.

    Before:
    ```mlir
    %p, %s = loop.kernel "softplus+norm" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> (tensor<8192x512xf32>, tensor<8192xf32>) {
      %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
      %w = arith.extf %v : bf16 to f32
      %q = arith.mulf %w, %w : f32
      %r = loop.reduce sum %q over [1] : f32
      loop.store %q, 0[d0, d1] : f32
      loop.store %r, 1[d0] : f32
    }
    %y = loop.kernel "columns" [512, 8192] (%a = %p) : (tensor<8192x512xf32>) -> tensor<512x8192xf32> {
      %v = loop.load %a[d1, d0] : tensor<8192x512xf32> -> f32
      loop.store %v, 0[d0, d1] : f32
    }
    ```
    After, the product is not in memory:
    ```mlir
    %s = loop.kernel "softplus+norm" [8192, 512] (%a = %x) : (tensor<8192x512xbf16>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x512xbf16> -> bf16
      %w = arith.extf %v : bf16 to f32
      %q = arith.mulf %w, %w : f32
      %r = loop.reduce sum %q over [1] : f32
      loop.store %r, 0[d0] : f32
    }
    %y = loop.kernel "softplus+norm+columns" [512, 8192] (%a = %x) : (tensor<8192x512xbf16>) -> tensor<512x8192xf32> {
      %v = loop.load %a[d1, d0] : tensor<8192x512xbf16> -> bf16
      %w = arith.extf %v : bf16 to f32
      %q = arith.mulf %w, %w : f32
      loop.store %q, 0[d0, d1] : f32
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "Most ops in the body of a merged kernel (0: 1024 where the target "
           "runs blocks of threads, else 256)">,
    Option<"library", "library", "std::string", "\"onednn\"",
           "The libraries, separated by commas, that compute contractions and "
           "convolutions">];
}

def LoopAssignLayoutsPass
    : Pass<"loop-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "assign memory layouts to tensors between kernels";
  let description = [{
    A kernel whose operands are contiguous along different dimensions has one
    dimension for neighbouring lanes. What is contiguous along another one costs
    a sector of 32 bytes for each element, unless nothing is reduced and a tile
    of the two dimensions passes through shared memory. For each kernel this pass
    counts, for each dimension of the lanes and each such tile, the bytes of all
    sectors that accesses touch (`docs/concepts/Layouts.md` states the model), and does
    what moves least:

    * A result that kernels read gets the order of dimensions in which its
      writer, its readers and the copies that returns need together ask for
      least.
    * An operand is copied before the kernel to the order that lanes want,
      and a result is copied after it, where that, both accesses of the copy
      and a launch included, moves at most 0.75 of the bytes. A copy serves
      all kernels of its block that want this order.
    * What a kernel reduces, a kernel of its own computes in tiles of several
      dimensions and stores with the reduced dimensions innermost, where that
      moves at most 0.75 of the bytes: several operands in different orders pass
      through one tensor instead of a copy each. CPUs have no such tiles.

    * The result of a pointwise kernel that only views read gets the order of an
      operand, where views are evenly spaced then that are copies otherwise: a
      library reads both orders of the rows of heads without a copy.

    Every change is a remark that says what it is estimated to save. On a CPU the
    lanes are those of a vector, and one more kernel costs what cores move in
    5 us. Decisions go by the hints of symbols.

    Constraints:
    (C1) A kernel that a library computes, that has a schedule, or that scatters,
         scans or sums rows stays as it is, and with it what it reads and writes.
    (C2) A result changes its order where all of its users are kernels that only
         load it, and returns of the function without gaps between elements, as
         it is or as a view that permutes its dimensions, or, for the sake of views,
         (C5); other views and an operator of a library keep it.
    (C3) A tensor moves where all of its indices are direct and sums of multiples
         of dimensions of the kernel or of quotients of these, no dimension is in
         two of them, and it has elements for at least one of 32 points, or is an
         operand of a kernel that reduces: what is read again and again is in
         caches, and others have tiles in shared memory.
    (C4) Copies of one kernel have at most half of the bytes of its tensors,
         unless as it is it keeps only a part of the SMs busy.
    (C5) For the sake of views a result changes its order where its kernel
         reduces nothing and stores the element of each point at that point, all
         of its users are views, and the kernel loads an operand that has no gaps
         in that order without a mask or an offset.

    Before:
    ```mlir
    func.func @f(%x: tensor<512x4096xf32>, %y: tensor<512x4096xf32> {coil.strides = #sym.shape<[1, 512]>}) -> tensor<512xf32> {
      %r = loop.kernel "sum" [512, 4096] (%a = %x, %b = %y) : (tensor<512x4096xf32>, tensor<512x4096xf32>) -> tensor<512xf32> {
        %v = loop.load %a[d0, d1] : tensor<512x4096xf32> -> f32
        %w = loop.load %b[d0, d1] : tensor<512x4096xf32> -> f32
        ...
    ```
    After:
    ```mlir
      %c = loop.kernel "copy" [512, 4096] (%a = %y) : (tensor<512x4096xf32>) -> tensor<512x4096xf32> {...}
      %r = loop.kernel "sum" [512, 4096] (%a = %x, %b = %c) : ...
    ```
    or, of three operands in three orders,
    ```mlir
      %e = loop.kernel "sum_elements" [512, 4096] (%a = %x, %b = %y, %c = %z) : ...
      %r = loop.kernel "sum" [512, 4096] (%a = %e) : ...
    ```
  }];
  let dependentDialects = ["::coil::target::TargetDialect"];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "Libraries that take kernels as they are">,
    Option<"launchBytes", "launch-bytes", "int64_t", "-1",
           "Bytes that memory moves in the time of a launch; -1: by the target's "
           "bandwidth">,
    Option<"always", "always", "bool", "false",
           "Take the best change that there is, were it worse than none: for "
           "tests">,
    Option<"takesApart", "takes-apart", "bool", "true",
           "Whether a kernel of its own may compute what a kernel reduces">];
}

def LoopHoistAssertionsPass
    : Pass<"loop-hoist-assertions", "::mlir::func::FuncOp"> {
  let summary = "check sizes before a kernel relies on them";
  let description = [{
    An assertion says what the operators after it rely on, for example that a slice ends
    inside of its tensor. Fusion moves kernels, and no value connects a kernel with an
    assertion, so that a kernel could run before the check that keeps it from reading
    memory of others. This pass moves each `sym.assert` to the beginning of its block or,
    if an op of the block binds one of its symbols (`graph.item`), directly after the
    last such op. Assertions keep their order. What is asserted in a branch stays there.

    Constraints:
    (C1) An assertion is not moved in front of an op that binds one of its symbols.
    (C2) It stays in its block.

    Before:
    ```mlir
    %0 = loop.kernel "relu" [s0] (%in = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
      ...
    }
    sym.assert <1> lt <s0>, "an index is inside its dimension"
    ```
    After:
    ```mlir
    sym.assert <1> lt <s0>, "an index is inside its dimension"
    %0 = loop.kernel "relu" [s0] (%in = %x) : (tensor<?xf32, #sym.shape<[s0]>>) -> tensor<?xf32, #sym.shape<[s0]>> {
      ...
    }
    ```
  }];
}

def LoopFoldPositionsPass
    : Pass<"loop-fold-positions", "::mlir::func::FuncOp"> {
  let summary = "make indices that are computed from positions part of addresses";
  let description = [{
    Operators that rearrange elements (`unfold`, paddings, `take_along_dim` of a
    range, advanced indexing with an `arange`) compute indices by arithmetic on
    positions, and their kernels load indirectly: element by element, with a test
    whether each index is in range. This pass evaluates integer arithmetic whose
    operands are positions, sizes and constants to one expression over dimensions
    and symbols, and puts it into the index of the loads that take it. What the
    ranges of dimensions decide (comparisons, selections, masks that always hold)
    is decided. Later passes see strides: they join dimensions, choose vectors,
    and fuse what was behind an indirect index.

    Constraints:
    (C1) An index that is tested becomes direct only where it is provably in
         range, at least at the points where the mask of the load holds; one
         that is clamped becomes a minimum and maximum.
    (C2) Arithmetic whose result may exceed 62 bits stays as it is.

    Before:
    ```mlir
    %i = loop.index <d0>
    %two = arith.constant 2 : i64
    %m = arith.muli %i, %two : i64
    %j = loop.index <d1>
    %at = arith.addi %m, %j : i64
    %v = loop.load %x[t0](%at) bounds wrap_check : tensor<64xf32> -> f32
    ```
    After:
    ```mlir
    %v = loop.load %x[2 * d0 + d1] : tensor<64xf32> -> f32
    ```
  }];
}

def LoopSimplifyIndexPass
    : Pass<"loop-simplify-index", "::mlir::func::FuncOp"> {
  let summary = "simplify the indices of kernels and merge their dimensions";
  let description = [{
    Simplifies index expressions under the ranges of dimensions and symbols,
    drops dimensions of size one, and joins two dimensions that every access
    walks as one in memory: fewer loops, longer vectors. Where elements are
    follows from `coil.strides` of arguments and results of the function, so
    the dimensions of tensors that are all transposed are joined in the order in
    which they lie there, and those of tensors of different layouts stay apart
    for a schedule to choose from.

    Constraints:
    (C1) Two dimensions are joined only when both are reduced or both are not,
         and every access and position is linear in them with the stride of the
         outer being that of the inner times the inner size. Reduced dimensions
         are joined in their order only. A kernel that scatters keeps the
         dimensions that it is not over.
    (C2) A kernel that accumulates columns keeps its dimensions, by which rows are
         counted.

    Before:
    ```mlir
    %y = loop.kernel "neg" [4, 6] (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %v = loop.load %a[d0, d1] : tensor<4x6xf32> -> f32
      %n = arith.negf %v : f32
      loop.store %n, 0[d0, d1] : f32
    }
    ```
    After:
    ```mlir
    %y = loop.kernel "neg" [24] (%a = %x) : (tensor<4x6xf32>) -> tensor<4x6xf32> {
      %v = loop.load %a[d0 floordiv 6, d0 mod 6] : tensor<4x6xf32> -> f32
      %n = arith.negf %v : f32
      loop.store %n, 0[d0 floordiv 6, d0 mod 6] : f32
    }
    ```
  }];
}

def LoopExtendVariancePrecisionPass : Pass<"loop-extend-variance-precision", "::mlir::func::FuncOp"> {
  let summary = "compute variances in f64 until they are rounded to f32 once";
  let description = [{
    A CPU accumulates the moments of `f32` values in `f64`. Rounded to `f32`,
    the sum of squared deviations of values beyond 1.8e19 is infinite and that
    of values below 1e-23 zero, where the standard deviation is neither. So the
    results of `loop.welford` are made `f64`, and so is what is computed from
    the deviations once for a row: the variance, its root, the inverse of that.
    What varies along the row takes the value rounded.

    Constraints:
    (C1) Only sums, differences, products, quotients, maxima and roots that do
         not vary over reduced dimensions are extended.

    Before:
    ```mlir
    %mean, %m2, %n = loop.welford %x, %zero, %one over [1] : f32
    %variance = arith.divf %m2, %c7 : f32
    %deviation = math.sqrt %variance : f32
    loop.store %deviation, 0[d0] : f32
    ```
    After:
    ```mlir
    %mean, %m2, %n = loop.welford %x, %zero, %one over [1] : f32 -> f64
    %variance = arith.divf %m2, %wide7 : f64
    %deviation = math.sqrt %variance : f64
    %rounded = arith.truncf %deviation : f64 to f32
    loop.store %rounded, 0[d0] : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LoopFoldRoundingsPass : Pass<"loop-fold-roundings", "::mlir::func::FuncOp"> {
  let summary = "drop roundings to a narrower float that change nothing";
  let description = [{
    Each operator of a program rounds its result to its own type, in a fused
    kernel, too: a chain on `bf16` extends, computes in `f32` and rounds, operator
    by operator. Where the result of an operator on such values is such a value
    again (an absolute value, a negation, a maximum, a selection, an integer),
    rounding it has no effect, and costs up to ten instructions on a CPU.

    Constraints:
    (C1) A value that is extended to another type than it was rounded from stays
         as it is.
    (C2) A rounding stays if the narrower type does not hold each value that may
         arrive, such as those of a sum, or of a product that may be subnormal.

    Before:
    ```mlir
    %0 = math.absf %x : f32            // %x is extended from bf16
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.addf %2, %one : f32
    ```
    After:
    ```mlir
    %0 = math.absf %x : f32
    %3 = arith.addf %0, %one : f32
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "Roundings that changed nothing">
  ];
}

def LoopRelaxRoundingsPass : Pass<"loop-relax-roundings", "::mlir::func::FuncOp"> {
  let summary = "keep intermediate results of 16-bit chains in f32";
  let description = [{
    Drops roundings of a kernel's values to `bf16` or `f16` that the kernel
    extends again: a chain of operators is computed in `f32` and rounded where it is
    stored. That is closer to the exact result than the framework, which rounds after each operator, and is
    not what the framework computes. `intermediate-rounding=fused` asks for it.

    Constraints:
    (C1) A value that is extended to another type than it was rounded from stays
         as it is.
    (C2) What a comparison, a step function, a remainder or a conversion to an
         integer is computed from keeps its roundings: an error of the last bit
         would be a whole one there.
    (C3) So does what is `coil.strict`, and what that is computed from.

    Before:
    ```mlir
    %0 = arith.mulf %x, %y : f32
    %1 = arith.truncf %0 : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.addf %2, %z : f32
    ```
    After:
    ```mlir
    %0 = arith.mulf %x, %y : f32
    %3 = arith.addf %0, %z : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numDropped", "dropped", "Roundings that were dropped">
  ];
}

def LoopMarkStrictPass : Pass<"loop-mark-strict", "::mlir::func::FuncOp"> {
  let summary = "mark what is computed exactly as the framework does";
  let description = [{
    Sets `coil.strict` on operators of `graph` with floats as results, and on
    ops of kernels that come from such operators. Strict are those at `places` of
    the source, and those that are marked already. Their roundings stay, and
    their functions are the exact ones.

    The mark is in locations, too, so that what an operator becomes has it: the
    pass runs before and after other passes rewrite operators, and puts it back.

    Constraints:
    (C1) A place is a file, `file:line` or `file:first-last`, or `*`, which is
         everywhere; places are separated by `+`. A file is the end of a path.

    ```mlir
    %0 = graph.exp %x : (!t) -> !t loc("model.py":7:0)
    ```
    becomes, with `places=model.py:5-9`,
    ```mlir
    %0 = graph.exp %x {coil.strict} : (!t) -> !t
    ```
  }];
  let options = [
    Option<"places", "places", "std::string", "\"\"",
           "Lines of the source, such as model.py:5-9+head.py, or *">
  ];
  let statistics = [
    Statistic<"numMarked", "marked", "Ops that are strict">
  ];
}

def LoopExtendProductPrecisionPass : Pass<"loop-extend-product-precision", "::mlir::func::FuncOp"> {
  let summary = "multiply f32 in f64 and round the product once";
  let description = [{
    Each multiplication of a long product reduction loses up to half a unit in the last
    place, wherever it is made, and products of numbers below one soon are
    subnormal, which processors multiply a hundred times slower. A CPU multiplies
    `f64` at half the rate of `f32`, which rows in memory do not notice: with 29
    digits and eight times the range more, both are gone.

    Constraints:
    (C1) Only product reductions and scans of `f32` are extended.
    (C2) One of which 16 bits or less are read stays as it is: digits that are cut
         off say nothing.

    Before:
    ```mlir
    %p = loop.reduce prod %x over [1] : f32
    ```
    After:
    ```mlir
    %factor = arith.extf %x : f32 to f64
    %all = loop.reduce prod %factor over [1] : f64
    %p = arith.truncf %all : f64 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LoopExplainFusionPass : Pass<"loop-explain-fusion", "::mlir::func::FuncOp"> {
  let summary = "say what the fusions that were not done would have saved";
  let description = [{
    Emits a remark (category `loop-explain-fusion`) for each two kernels of which
    one reads what the other computes, or which read the same memory: the bytes
    and the time that one kernel would save, the source lines of both, and why
    fusion does not make one of them. Remarks come in the order of the time, the
    greatest first. The program is not changed, and without somebody who
    listens to remarks the pass does nothing.

    Bytes are those of values that would no longer be written and read, and one
    of two reads of what both read. The time is that of both kernels by the
    cost model of fusion (docs/concepts/FusionByTime.md), a launch included, minus that of one
    kernel that computes all of it once. So it is what can be saved at most:
    what would be computed several times is part of the reason, not of the figure.

    The reasons are those of `loop-fuse` for the kernels that there are in the end.
    It runs behind all fusions.
  }];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "libraries that compute kernels">,
    Option<"maxPairs", "max-pairs", "uint64_t", "0",
           "most pairs that are reported; 0: all">];
}

def LoopFuseColumnsPass : Pass<"loop-fuse-columns", "::mlir::func::FuncOp"> {
  let summary = "one kernel for rows and columns of the same data";
  let description = [{
    Gradients of norms need, of the same elements, results of rows (`dx`, with
    means of each row) and results of columns (`dw`, `db`). A kernel reduces in
    one direction, so `loop-fuse` leaves two kernels, which read everything
    twice. Where a GPU runs the program, this pass makes one of them: the
    reduction over rows becomes `loop.accumulate` in the kernel that runs
    over rows, in chunks of rows, and a small kernel reduces the chunks. The
    kernel of the rows need not reduce anything: what is stored of each element
    and the sums of its columns are one pass, too. Where the columns are of
    what that kernel computes, they take the value, and what nobody else reads
    is not stored.

    Bytes decide: what both kernels read, and what is no longer written and read
    between them, against the chunks, which are written and read. There are as
    many chunks as blocks that run at a time, so that these are few; rows that are
    too few for half of the processors stay apart from columns. On CPUs the
    caches have what the other kernel read, and the pass does nothing.

    It runs after `loop-simplify-index`, when kernels over the same elements have
    the same dimensions, and before `loop-split-reduction`. Each pair that shares
    data and is refused has a remark (category `loop-fuse`).

    Constraints:
    (C1) The reductions over rows are combinations (`loop.reduce`), none needs
         another, and what varies along rows needs none of them.
    (C2) Both kernels run over the same dimensions, up to their order; the kernel of
         the rows reduces all columns or nothing, and neither scans, scatters,
         sums rows, nor is a contraction.
    (C3) What the columns read of the rows' results, they read at the point that
         computes it.
    (C4) Elements of a row lie beside one another, and a block has registers for
         them.
    (C5) Operands of both come before readers of either.

    Before:
    ```mlir
    %c = loop.kernel "dw" [8192, 4096] (%a = %x) : (tensor<8192x4096xf32>) -> tensor<4096xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x4096xf32> -> f32
      %s = loop.reduce sum %v over [0] : f32
      loop.store %s, 0[d1] : f32
    }
    %r = loop.kernel "mean" [8192, 4096] (%a = %x) : (tensor<8192x4096xf32>) -> tensor<8192xf32> {
      %v = loop.load %a[d0, d1] : tensor<8192x4096xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    ```
    After:
    ```mlir
    %p, %r = loop.kernel "dw+mean" [8192, 4096] (%a = %x) : (tensor<8192x4096xf32>) -> (tensor<256x4096xf32>, tensor<8192xf32>) {
      %v = loop.load %a[d0, d1] : tensor<8192x4096xf32> -> f32
      loop.accumulate sum %v, 0 columns [1] rows 32 : f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 1[d0] : f32
    }
    %c = loop.kernel "dw" [4096, 256] (%a = %p) : (tensor<256x4096xf32>) -> tensor<4096xf32> {
      %v = loop.load %a[d1, d0] : tensor<256x4096xf32> -> f32
      %s = loop.reduce sum %v over [1] : f32
      loop.store %s, 0[d0] : f32
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "Most ops in the body of a merged kernel (0: 1024 where the target "
           "runs blocks of threads, else 256)">,
    Option<"rowsOfChunk", "rows", "int64_t", "0",
           "Rows of a chunk; 0: as many as leave a chunk for each block that "
           "runs at a time">,
    Option<"always", "always", "bool", "false",
           "Merge whatever the bytes say, for tests">,
    Option<"library", "library", "std::string", "\"none\"",
           "Libraries that take kernels as they are">];
  let dependentDialects = ["::coil::target::TargetDialect"];
}

def LoopSplitReductionPass
    : Pass<"loop-split-reduction", "::mlir::func::FuncOp"> {
  let summary = "give long reductions with few results more parallelism";
  let description = [{
    A kernel that reduces many elements to few results keeps most threads idle.
    It is split into one that reduces chunks in parallel and one that reduces
    the chunks' results. Results that lie next to one another in rows of the
    operands (a sum of columns) count by the piece of a row that a thread takes,
    and few pieces get as many chunks as keep threads busy. Contractions that no
    library computes count by tiles, on a device that has them.

    With `interleave` a chunk takes every n-th point of the cut dimension, not
    neighbours, unless vectors go along it: all chunks go through memory together,
    from its beginning to its end, where the next kernel finds it in the cache.

    What the kernel stores of the elements that it reduces, the chunks store, if
    all of them have one length; else a kernel of its own does, and the chunks
    read what it has stored where that costs less than to compute it again.
    ```mlir
    // before, a kernel over [8, 1048576]
    loop.store %y, 0[d0, d1] : f32
    %m = loop.reduce max %y over [1] : f32
    loop.store %m, 1[d0] : f32
    // after, in the kernel of the chunks, over [8, 65536, 16]
    %mc = loop.reduce max %y over [1] : f32
    loop.store %mc, 0[d0, d2] : f32
    loop.store %y, 1[d0, d1 + d2 * 65536] : f32
    ```

    A sum of exponentials below a maximum over the same dimensions is found in
    chunks, too: each has its own maximum, and the second kernel scales the sums to
    the maximum of all.
    ```mlir
    // before
    %m = loop.reduce max %x over [0] : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %s = loop.reduce sum %e over [0] : f32
    // after, in the kernel that combines the chunks' maxima %mc and sums %sc
    %m = loop.reduce max %mc over [0] : f32
    %dc = arith.subf %mc, %m : f32
    %ec = math.exp %dc : f32
    %scaled = arith.mulf %sc, %ec : f32
    %s = loop.reduce sum %scaled over [0] : f32
    ```

    With `welford-in-f64` the moments of `f32` values are split in `f64`: the mean
    of a chunk, rounded to `f32`, would be off by more than the standard
    deviation where all values are far from zero.
    ```mlir
    // before
    %mean, %m2, %n = loop.welford %x, %zero, %one over [0] : f32
    // after, in the kernel of the chunks; the other merges their partial aggregates
    %mean, %m2, %n = loop.welford %x, %zero, %one over [0] : f32 -> f64
    ```
    Those of `f64` values have no wider type. They are measured from the first
    value of the row, which all chunks share, unless there may be none or the
    value is made by something other than loads and arithmetic: then the means
    of chunks are near zero, and rounding takes less from what they are apart.
    ```mlir
    // before
    %mean, %m2, %n = loop.welford %x, %zero, %one over [0] : f64
    // after, and then split
    %first = loop.load %in[0] : tensor<1048576xf64> -> f64
    %d = arith.subf %x, %first : f64
    %from, %m2, %n = loop.welford %d, %zero, %one over [0] : f64
    %mean = arith.addf %from, %first : f64
    ```

    Constraints:
    (C1) Every reduction of the kernel reduces a value that needs no other
         reduction, unless it is a sum of exponentials below a maximum whose terms
         nothing else needs; and no element that is stored needs a reduction.
    (C2) The extent of a reduced dimension is at least twice the number of
         chunks; of rows, 16 times. Chunks of contractions in tiles and chunks
         that store elements divide it.
    (C3) Nothing is accumulated: such a kernel has chunks of its own.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::coil::target::TargetDialect"];
  let options = [
    Option<"chunks", "chunks", "int64_t", "0",
           "Number of chunks that a long reduction is cut into; 0, here and "
           "below: by the module's target">,
    Option<"enoughResults", "enough-results", "int64_t", "0",
           "Kernels with at least as many results keep the SMs or cores busy">,
    Option<"rowPiece", "row-piece", "int64_t", "0",
           "Results that share a row of operands and that one task takes">,
    Option<"minElements", "min-elements", "int64_t", "0",
           "Fewest elements for each result that make a reduction long">,
    Option<"tileSide", "tile-side", "int64_t", "0",
           "Side of the tiles of results that contractions have; 0: none">,
    Option<"interleave", "interleave", "bool", "false",
           "Give a chunk points of the cut dimension that lie apart">,
    Option<"welfordInF64", "welford-in-f64", "bool", "false",
           "Keep the partial moments of f32 values in f64, and measure f64 "
           "values from their first">,
    Option<"library", "library", "std::string", "\"none\"",
           "Library that takes contractions as they are">];
}

def LoopSelectSchedulePass
    : Pass<"loop-select-schedule"> {
  let summary = "decide how each kernel runs on the CPU";
  let description = [{
    Attaches `#loop.schedule` to every kernel that has none: a library for
    contractions and convolutions that one computes; else the dimension to
    vectorise (the one that most accesses walk with stride one), the vector
    width (as many lanes as the widest common element type leaves room for), the
    number of vectors in flight (by what the length of a row leaves for masked
    vectors; a short row of a known length is a whole number of narrower ones), the block of a vectorised parallel dimension and the grain of the
    parallel loop. Where operands of a pointwise kernel lie in rows along another
    dimension, tiles of both are transposed. A long reduction along other dimensions
    than the vector's goes by rows, so that it reads memory in pieces of
    kilobytes. A value that several phases need and that is expensive to recompute (an
    exponential) is kept in a result, when that can hold it and the points of
    one task fit a cache. A result larger than the caches is streamed past
    them, and keeps nothing: it would have to be read before it is written.
    Decides only; `convert-loop-to-cpu` and
    `convert-loop-to-wrapper` apply. Kernels may be in functions, or outlined: what
    `convert-loop-to-wrapper` copies has none before.
  }];
  let dependentDialects = ["::coil::target::TargetDialect"];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256",
           "Width of vector registers in bits">,
    Option<"library", "library", "std::string", "\"onednn\"",
           "Libraries for contractions and convolutions, separated by commas: "
           "onednn, cublaslt, cudnn, cub; or none">,
    Option<"streamBytes", "stream-bytes", "int64_t", "33554432",
           "Size from which on a result is stored past the caches">,
    Option<"onlyLibrary", "only-library", "bool", "false",
           "Leave the other kernels to another device">];
}

#endif // COIL_DIALECT_LOOP_TRANSFORMS_PASSES_TD
