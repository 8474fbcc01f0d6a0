//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphLegalizeAtenPass
    : Pass<"graph-legalize-aten", "mlir::func::FuncOp"> {
  let summary = "rewrite framework operators to graph operators";
  let description = [{
    Replaces every `graph.aten` whose overload has an entry in the table of
    legalisations. Element types follow from the result types that the framework
    recorded; conversions become explicit. Computations that the framework does
    in a wider type and rounds once are spelled in that type.

    An overload without an entry, or one with arguments that the entry does not
    handle, stays; the attribute `graph.reason` says why.
    `graph-verify-contract` turns what is left into errors.

    ```mlir
    %0 = graph.aten "aten.add.Scalar"(%a) ["self"] {alpha = 1 : i64, other = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %c = graph.full 2.000000e+00 : f32 -> tensor<f32>
    %0 = graph.add %a, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::coil::target::TargetDialect"];
}

def GraphExpandComplexPass
    : Pass<"graph-expand-complex", "mlir::func::FuncOp"> {
  let summary = "replace tensors of complex numbers by tensors of their parts";
  let description = [{
    Rewrites framework operators of complex numbers to operators of real ones,
    before these are legalised. In a block a complex tensor is two tensors, its
    real and its imaginary part. At arguments and results of functions, branches
    and loops it is one, with the parts as its last dimension, which is how it
    lies in memory; arguments and results of the function have the attribute
    `coil.complex`, and strides (`coil.strides`) that count parts.

    Views, copies, sums and others that do the same to both parts are called for
    each of them; multiplications for each pair of parts; functions are spelled out. An
    operator that is none of these is an error.

    ```mlir
    func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
      %0 = graph.aten "aten.flip.default"(%x) ["self"] {dims = array<i64: 0>} : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
      %1 = graph.aten "aten.abs.default"(%0) ["self"] {} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4x2xf32> {coil.complex}) -> tensor<4xf32> {
      %re = ... // x[:, 0]
      %im = ... // x[:, 1]
      %0 = graph.aten "aten.flip.default"(%re) ["self"] {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = graph.aten "aten.flip.default"(%im) ["self"] {dims = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
      %2 = graph.hypot %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphRaiseAttentionPass
    : Pass<"graph-raise-attention", "mlir::func::FuncOp"> {
  let summary = "make one operator of attention that a program spells";
  let description = [{
    Programs spell attention as a matrix multiplication of queries and keys, a scale,
    masks, a softmax and a multiplication with values. As one operator a library computes it
    without storing the scores. The pass finds it by what it computes: the softmax
    is the anchor, tensors between the two are mapped to one set of axes, so
    that views, the order of dimensions and repeated heads do not matter, and each
    operator between the two is a scale, a soft cap or a mask.

    ```mlir
    %0 = graph.matmul %q, %k : (tensor<2x4x128x64xbf16>, tensor<2x4x64x128xbf16>) -> tensor<2x4x128x128xbf16>
    %1 = graph.div %0, %eight : ...
    %2 = graph.select %visible, %1, %minus_infinity : ...
    %3 = graph.convert %2 : (tensor<2x4x128x128xbf16>) -> tensor<2x4x128x128xf32>
    %4 = graph.reduce max, %3 dims [3] keepdims : ...
    %5 = graph.sub %3, %4 : ...
    %6 = graph.exp %5 : ...
    %7 = graph.reduce sum, %6 dims [3] keepdims : ...
    %8 = graph.div %6, %7 : ...
    %9 = graph.convert %8 : (tensor<2x4x128x128xf32>) -> tensor<2x4x128x128xbf16>
    %10 = graph.matmul %9, %v : (tensor<2x4x128x128xbf16>, tensor<2x4x128x64xbf16>) -> tensor<2x4x128x64xbf16>
    ```
    becomes
    ```mlir
    %t = graph.permute %k [0, 1, 3, 2] : ...
    %10 = graph.attention %q, %t, %v mask %visible nan_rows scale 1.250000e-01 : ...
    ```

    Scores are `f32` in the operator where the program may round them to a narrower
    type, and scales are joined; nothing else changes numbers. What the program
    gives for a row that sees nothing stays: NaN (`nan_rows`), zeros if it replaces
    them, or the mean of the values where a finite number hides scores (`fill`).
    Zero or a number of at most -1e36 that is added hides scores, as it absorbs
    them.

    A remark says what was found, and for a softmax between two matrix multiplications why it is
    not attention:

    (C1) The softmax is over the dimension of the keys, and the second matrix multiplication sums
         that dimension.
    (C2) Exponentials are of differences from the largest score of their row, and
         are divided by their sum before or after the second matrix multiplication.
    (C3) Scores and probabilities have no other user: it would compute them again.
    (C4) Probabilities reach the matrix multiplication as they are; dropout changes them.
    (C5) Scores are multiplied by numbers, or before they are masked by tensors that
         vary over rows or over columns alone; of `f16` only by numbers, since
         scaled rows of a query may overflow.
    (C6) Scores are replaced by one number, or all numbers that replace them are
         at most -1e36, so that one mask says it.
    (C7) Values vary over batches that scores have.
    (C8) Queries and keys are not of a wider type than probabilities and values.
    (C9) Unless `always`, a library of `library` has a kernel for it: elsewhere
         `graph-decompose` would spell it again.
  }];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "The libraries that there are, separated by commas">,
    Option<"always", "always", "bool", "false",
           "Make the operator where no library computes it, too">];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphSetPrecisionPass
    : Pass<"graph-set-precision", "mlir::func::FuncOp"> {
  let summary = "let contractions of f32 round their operands to TF32";
  let description = [{
    Sets `tf32` on contractions of `f32`: on `graph.matmul` and `graph.attention`
    where `matmul` is `high` or `medium`, on `graph.conv` where `conv` is. The
    names are those of `torch.set_float32_matmul_precision`; on GPUs PyTorch does
    the same for `high` and `medium`. It never removes `tf32`: what the program's
    author wrote stays.

    A matrix multiplication that is spelled as a multiplication and a `graph.reduce` stays
    exact, as it does in PyTorch.

    ```mlir
    %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    ```
    becomes, with `matmul=high`,
    ```mlir
    %0 = graph.matmul %a, %b tf32 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let options = [
    Option<"matmul", "matmul", "std::string", "\"highest\"",
           "Exactness of matrix multiplications: highest, high or medium">,
    Option<"conv", "conv", "std::string", "\"highest\"",
           "Exactness of convolutions: highest, high or medium">];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphDecomposePass
    : Pass<"graph-decompose", "mlir::func::FuncOp"> {
  let summary = "rewrite compound operators to simple ones";
  let description = [{
    `graph.attention` becomes a matrix multiplication, scale, mask, softmax and a second
    matrix multiplication, computed as the framework does: scores of 16-bit floats are `f32`
    and a row that sees nothing gives zeros. The result is stored as
    `[batch, l, heads, f]` and viewed as `[batch, heads, l, f]`, since the next
    operator reads it with the heads side by side.

    ```mlir
    %0 = graph.attention %q, %k, %v scale 1.250000e-01 : (tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>, tensor<2x4x8x64xf32>) -> tensor<2x4x8x64xf32>
    ```
    becomes
    ```mlir
    %t = graph.permute %k [0, 1, 3, 2] : ...
    %s = graph.matmul %q, %t : ...
    %m = graph.mul %s, %scale : ...
    ...
    %o = graph.matmul %p, %v : ...
    ```

    Under `tiles` a `graph.conv` whose windows are tiles of its input (the patch
    embedding of a vision transformer) becomes one matrix multiplication.

    A mask that says nothing but the position of its element is read: where it
    hides nothing it goes, and where it hides the keys after the query the
    attention becomes `causal`. Exported models compute such masks (comparisons
    of counted positions, `and`, views, zeros and minus infinities).

    Attention of 16-bit floats that a library has stays, and says so. Its mask
    is added there, so bools become zero and minus infinity; what the library
    computes for a row that sees nothing is replaced by zeros.
  }];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "The libraries that there are, separated by commas">,
    Option<"sort", "sort", "std::string", "\"runtime\"",
           "The library that sorts; empty where there is none">,
    Option<"tiles", "tiles", "bool", "false",
           "Make a matrix multiplication of a convolution whose windows are tiles">];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphChannelsLastPass
    : Pass<"graph-channels-last", "mlir::func::FuncOp"> {
  let summary = "store images with their channels innermost between convolutions";
  let description = [{
    Tensor cores multiply channels, so convolutions of 16-bit floats, and of
    `f32` that may be rounded to TF32, by cuDNN are far faster when the channels of a point are neighbours. Each becomes one
    with `channels_last` between permutations, and permutations then move down:
    through elementwise operators, reductions, pooling and concatenation, until
    they meet those before the next convolution and cancel. What is left is
    a change of layout at each end of a chain, and one of each weight.

    Only convolutions over two dimensions that cuDNN would compute take part. A
    bias of groups of one or two output channels becomes an addition of its own:
    cuDNN's kernel for them has none, and its others are far slower.

    ```mlir
    %0 = graph.conv %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : ...
    %1 = graph.relu %0 : ...
    ```
    becomes
    ```mlir
    %a = graph.permute %x [0, 2, 3, 1] : ...
    %b = graph.permute %w [0, 2, 3, 1] : ...
    %c = graph.conv %a, %b stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 channels_last : ...
    %d = graph.relu %c : ...
    %1 = graph.permute %d [0, 3, 1, 2] : ...
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphAlignMatmulsPass
    : Pass<"graph-align-matmuls", "mlir::func::FuncOp"> {
  let summary = "pad matrices whose rows begin anywhere, for a library";
  let description = [{
    Matrix units want rows that begin at whole vectors of 16 bytes. Where they do
    not, as for logits over a vocabulary of 50257 words, cuBLAS loads and stores
    elements one by one or two by two and takes three to six times as long
    (`benchmarks/results/gpu-gemm.md`). This pass pads the rows of such factors
    with zeros, multiplies, and takes the part of the result that was asked for.

    A factor that an elementwise operator computes is written with its padding. A
    part of a result is a view that kernels read in place; a part of rows has
    no gaps. So often nothing is copied but a weight. A result that has to be
    without gaps, since it is returned, is copied.

    Constraints:
    (C1) All sizes are constant, and the factors are of `f16` or `bf16`, or of
         `f32` with `tf32`.
    (C2) The copies that this takes move at most two thirds of the bytes that
         memory moves in the time saved, by the rates of an H200 and the target's
         bandwidth.
    (C3) The target has cuBLASLt and states its `bandwidth`.

    Before:
    ```mlir
    %t = graph.permute %w [1, 0] : (tensor<50257x768xbf16>) -> tensor<768x50257xbf16>
    %y = graph.matmul %x, %t : (tensor<4096x768xbf16>, tensor<768x50257xbf16>) -> tensor<4096x50257xbf16>
    ```
    After:
    ```mlir
    %p = graph.pad %w low [0, 0] high [7, 0] value 0.0 : bf16 : (tensor<50257x768xbf16>) -> tensor<50264x768xbf16>
    %t = graph.permute %p [1, 0] : (tensor<50264x768xbf16>) -> tensor<768x50264xbf16>
    %z = graph.matmul %x, %t : (tensor<4096x768xbf16>, tensor<768x50264xbf16>) -> tensor<4096x50264xbf16>
    %y = graph.slice %z starts <[0, 0]> steps [1, 1] : (tensor<4096x50264xbf16>) -> tensor<4096x50257xbf16>
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::coil::target::TargetDialect"];
  let options = [
    Option<"library", "library", "std::string", "\"none\"",
           "Libraries that multiply matrices">];
}

def GraphScatterToSegmentSumPass
    : Pass<"graph-scatter-to-segment-sum", "mlir::func::FuncOp"> {
  let summary = "turn scatter-additions of rows into segmented reductions";
  let description = [{
    Sums of rows at positions, many of which may be equal, are atomic additions on
    a GPU: a table of zeros in f32 is written, every row reads and writes its
    element, and what is rounded is read and written again. The order of additions
    differs from run to run.

    Where that moves much memory, this pass sorts the positions instead. Equal
    ones are neighbours then, and each row of the result is the sum of a range of
    positions, which one kernel computes: it reads every row of the source once, and
    writes every row of the result once, in the type that it is rounded to. Sums
    have one order.

    Positions are keys of 16 bits where these are enough. What is added to
    nothing (a `select` that replaces whole rows by zero) has a key after all
    rows; a position out of range has the one after that, and is the error that
    it was, as the write that marks where ranges begin and end is out of range
    then.

    A row at which all positions may be is not the work of one thread: positions
    form chunks, those that lie in one range as a whole are summed first, each by
    itself, and a range is its first position, its head, its chunks and its tail.
    The first position is separate because most ranges have few, and where it is in the
    source stands in a table by itself: its row is loaded without waiting for
    where the range begins.

    ```mlir
    %zero = graph.full 0.000000e+00 : f32 -> tensor<65536x2048xf32>
    %0 = graph.convert %grad : (tensor<65536x2048xbf16>) -> tensor<65536x2048xf32>
    %1 = graph.index_put sum %zero[%i], %0 dims [0] : (tensor<65536x2048xf32>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
    ```
    becomes, where `%begin` and the values after it are made of `%keys`, `%first` of `%positions`, too,
    ```mlir
    %keys, %positions = graph.sort %k dim 0 stable library "cub" : (tensor<65536xi32>) -> (tensor<65536xi32>, tensor<65536xi64>)
    %chunks = graph.segment_reduce sum %grad at %positions from %begin to %end : (tensor<65536x2048xbf16>, tensor<512xi64>, tensor<512xi64>, tensor<65536xi64>) -> tensor<512x2048xf32>
    %0 = graph.segment_reduce sum %grad at %first from %row to %row_or_next : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi32>) -> tensor<65536x2048xf32>
    %1 = graph.segment_reduce sum %grad at %positions from %second to %from plus %0 : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
    %2 = graph.segment_reduce sum %chunks from %first_chunk to %last_chunk plus %1 : (tensor<512x2048xf32>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
    %3 = graph.segment_reduce sum %grad at %positions from %after to %hi plus %2 : (tensor<65536x2048xbf16>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536xi64>, tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
    ```

    Constraints:
    (C1) It is a sum of `f32` or `f64` into zeros.
    (C2) One index chooses whole rows: it is along the first dimension, and the
         same for all elements of a row.
    (C3) All sizes are constants.
    (C4) A row has at least `min-row-bytes`.
    (C5) At least `min-saved-bytes` less are moved than by atomic additions.
    (C6) The peak of the program's memory does not rise: it needs no more memory
         than atomic additions do, and `max-extra-bytes`, or the program is sure
         to need more elsewhere.

    (C6) compares keys, positions, the workspace of the sort, ranges, sums of
    chunks, and a source that would be computed on the way, to the table of sums
    that is rounded, which atomic additions have and these do not. So sums that
    are rounded to 16 bits are grouped. Sums of `f32` that stay `f32` need memory
    where there was none; they are grouped if a contraction, a convolution, an
    attention, or the end of the function, is sure to have no less in memory than
    there may be at the sum. `library` and `release-inputs` say what is sure.

    ```mlir
    %p = graph.matmul %a, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
    %q = graph.matmul %p, %b : (tensor<16384x8192xf32>, tensor<8192x8192xf32>) -> tensor<16384x8192xf32>
    %r = graph.reduce sum, %q dims [0, 1] : (tensor<16384x8192xf32>) -> tensor<f32>
    ```

    has 1 GB in memory at the second matrix multiplication. After it, a sum to 256 MB is
    grouped; by itself it is not, and a remark says how many bytes it would need.
    Where results have to be the same on every run, atomic additions are made one
    after the other: the pipeline then allows any number of `max-extra-bytes`.
  }];
  let options = [
    Option<"sort", "sort", "std::string", "\"\"",
           "The library that sorts; empty where there is none, and nothing is "
           "done">,
    Option<"minRowBytes", "min-row-bytes", "int64_t", "512",
           "Fewest bytes of a row of the source">,
    Option<"minSavedBytes", "min-saved-bytes", "int64_t", "100000000",
           "Fewest bytes of memory that have to be saved">,
    Option<"maxExtraBytes", "max-extra-bytes", "int64_t", "0",
           "Bytes of memory that may be needed beyond what atomic additions "
           "need, even where the program's peak is">,
    Option<"library", "library", "std::string", "\"none\"",
           "The libraries that there are, separated by commas">,
    Option<"releaseInputs", "release-inputs", "bool", "false",
           "Whether inputs may end after their last use">,
    Option<"chunk", "chunk", "int64_t", "0",
           "Positions of a chunk, a power of two; 0: by the number of positions">];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphJoinSlicesPass
    : Pass<"graph-join-slices", "mlir::func::FuncOp"> {
  let summary = "put slices side by side in place of a sum of padded ones";
  let description = [{
    The gradient of a slice is a tensor of zeros with one slice that is not, and
    that of a tensor with many slices is their sum: of a loop over `T` time
    steps that was unrolled, `T` whole tensors. This pass puts the slices of a
    sum side by side. An operand of a sum is one of padded slices if it is a
    `graph.cat` with operands that are zero, or a `graph.pad` of one dimension
    with zero; slices along other dimensions are joined with each other, and
    slices in one place become one, a sum of its own, which may be one of slices
    along another dimension. Slices that overlap are in as few concatenations as
    hold them. Everything else stays an operand of the sum.

    ```mlir
    %0 = graph.cat %a, %zeros3 dim 0 : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    %1 = graph.cat %zeros1, %b, %zeros2 dim 0 : (tensor<1x8xf32>, tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    %2 = graph.add %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %0 = graph.cat %a, %b, %zeros2 dim 0 : (tensor<1x8xf32>, tensor<1x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
    %2 = graph.add %0, %zero : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```

    It takes a time that is linear in the operands but for sorting them, where
    sizes and positions are constants. Zero is added to what is joined, since the
    sum of minus zero and zero is zero; infinities and NaN stay what they are.
    The order of sums changes for elements that three or more operands have.

    Constraints:
    (C1) All additions are of one type, without a broadcast, nothing else reads
         the sums between them, and none is marked `coil.strict`. A sum of
         16-bit floats is computed in `f32` and rounded each time, and so
         are those that remain.
    (C2) Fewer operands are left.
    (C3) Each element is zero in one of the operands, or all have one slice in
         one place, so that it is known where minus zero may be.
    (C4) At symbolic positions it is known which slice is before the other, and
         there are at most 64.
  }];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphNarrowScatterPass
    : Pass<"graph-narrow-scatter", "mlir::func::FuncOp"> {
  let summary = "add 16-bit floats in their own type";
  let description = [{
    Sums at positions are legalised in f32, rounded once. Between threads of a
    GPU that is three passes: the operand extended to f32, the values added to
    it, and the result rounded, six bytes of memory for each two of the operand.
    A GPU adds packed 16-bit floats in its cache, eight to an instruction, each
    sum rounded: so do PyTorch's `scatter_add` and `index_add` and TorchInductor's
    `index_put`. This pass takes the conversions away where operand and result
    are of 16 bits. The operand of an embedding's gradient is not: it is zero in
    f32, many tokens are one row's, and its sum stays in f32.

    A sum in `f16` can overflow on its way to one that does not.

    It is for targets that have the instruction, and not for results that must
    be exact (`fast-math=off`) or always the same (`deterministic`).

    ```mlir
    %0 = graph.convert %x : (tensor<128x16xbf16>) -> tensor<128x16xf32>
    %1 = graph.convert %v : (tensor<3x16xbf16>) -> tensor<3x16xf32>
    %2 = graph.index_put sum %0[%i], %1 dims [0] : (tensor<128x16xf32>, tensor<3xi64>, tensor<3x16xf32>) -> tensor<128x16xf32>
    %3 = graph.convert %2 : (tensor<128x16xf32>) -> tensor<128x16xbf16>
    ```
    becomes
    ```mlir
    %3 = graph.index_put sum %x[%i], %v dims [0] : (tensor<128x16xbf16>, tensor<3xi64>, tensor<3x16xbf16>) -> tensor<128x16xbf16>
    ```

    Constraints:
    (C1) The sum in f32 has no other reader.
    (C2) The operand was extended from the result's type.
    (C3) The values' inner dimension is that of the operand: single elements
         have no packed form, and are no faster.
  }];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphPrivatizeScatterPass
    : Pass<"graph-privatize-scatter", "mlir::func::FuncOp"> {
  let summary = "sum many elements into few bins in several private copies";
  let description = [{
    Threads of a GPU that add to one bin wait for each other: millions of
    elements in the hundred bins of a histogram take thirty times as long as reading them.
    This pass gives the bins copies, adds element i to copy i modulo their number,
    and sums the copies. Copies of a bin are neighbours, so that threads of a
    warp that add to one bin add to one cache line.

    There are as many copies as `max-bytes` hold, from 32, one for each thread of a
    warp, to 1,024; and a bin of a copy for at least 8 elements, so that the
    sum of the copies is small work.

    Sums of floats have another order. It is not for results that must always
    be the same (`deterministic`), nor for CPUs, where one thread adds.

    ```mlir
    %0 = graph.index_put sum %x[%i], %v dims [0] : (tensor<100xi64>, tensor<1048576xi64>, tensor<1048576xi64>) -> tensor<100xi64>
    ```
    becomes, with `%c` counting up to 1,023 and from zero again,
    ```mlir
    %zeros = graph.full 0 : i64 -> tensor<100x1024xi64>
    %0 = graph.index_put sum %zeros[%i, %c], %v dims [0, 1] : (tensor<100x1024xi64>, tensor<1048576xi64>, tensor<1048576xi64>, tensor<1048576xi64>) -> tensor<100x1024xi64>
    %1 = graph.reduce sum, %0 dims [1] : (tensor<100x1024xi64>) -> tensor<100xi64>
    %2 = graph.add %x, %1 : (tensor<100xi64>, tensor<100xi64>) -> tensor<100xi64>
    ```

    Constraints:
    (C1) It is a sum of `f32`, `f64`, `i32` or `i64`.
    (C2) Positions choose single elements, and are vectors.
    (C3) 32 copies fit into `max-bytes`.
    (C4) There may be at least 256 elements for each bin.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"int64_t(1) << 20",
           "how large all copies of a tensor may be together">,
  ];
  let dependentDialects = ["::coil::graph::GraphDialect"];
}

def GraphVerifyContractPass
    : Pass<"graph-verify-contract", "mlir::func::FuncOp"> {
  let summary = "report what later stages cannot compile";
  let description = [{
    Fails with one error for each distinct `graph.aten` overload that is left,
    at its source location, with the reason that legalisation recorded:

    ```
    error: operator 'aten.poisson.default' is not supported: random numbers of its distribution are not drawn
    ```
  }];
}

#endif // COIL_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
