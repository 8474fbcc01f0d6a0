//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `loop` dialect: definition and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD
#define COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD

include "coil/Dialect/Loop/IR/LoopEnums.td"
include "coil/Dialect/Loop/IR/LoopInterfaces.td"
include "coil/Dialect/Sym/IR/SymAttributes.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Loop_Dialect : Dialect {
  let name = "loop";
  let cppNamespace = "::coil::loop";
  let summary = "loop kernels: iteration spaces with flat scalar bodies";
  let description = [{
    A kernel is an iteration space and one flat body of scalar SSA, run once for
    each point. Arithmetic is upstream's `arith` and `math`, so folding and CSE
    come for free; only what talks about the space is ours: loads and stores at
    index expressions, reductions, positions. A value varies over the dimensions
    that its loads mention, and a reduction takes some away; a value that does
    not vary over a dimension is computed once for it. Fusion is therefore
    splicing bodies and merging equal loads.

    Decided above: which operators there are, their types, their rounding.
    Decided here: which operators share a kernel (fusion), how indices simplify,
    and, as the attribute `#loop.schedule`, how the space is cut into threads,
    blocks and vectors. Not known here: addresses, lifetimes, streams. Kernels
    have value semantics until `convert-loop-to-wrapper` turns the function into a host
    program over buffers.

    Scalars in a body are signless integers and floats. Unsigned element types
    are loaded as signless ones; the operations chosen know the signedness.
  }];
  let dependentDialects = ["::coil::sym::SymDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Loop_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Loop_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Loop_ScheduleAttr : Loop_Attr<"Schedule", "schedule",
    [Loop_ScheduleAttrInterface]> {
  let summary = "how the CPU cuts a kernel's space into threads and vectors";
  let description = [{
    Chosen by `loop-select-schedule`, applied by the conversion to the target;
    tests pin it and tuners rewrite it.

    * `library`: hand the kernel to a library instead (`"onednn"`); nothing else
      is read then.
    * `vector_dim`: the dimension whose points share a vector, -1 for none.
    * `vector_width`: elements of one vector.
    * `unroll`: vectors in flight in the innermost loop (independent
      accumulators in a reduction).
    * `block`: points of a vectorised parallel dimension that one task handles.
    * `grain`: tasks that a thread takes at a time.
    * `rows`: how a reduction along other dimensions than the vector's walks
      memory. 0: every step of vectors walks it for itself, accumulators in
      registers. Else a task walks whole rows of its block, so many at a time,
      accumulators in memory.
    * `keep`: for each result the number of the op of the body whose value the
      result's elements hold from the phase that first computes it until they
      are stored, -1 for none; later phases read the value instead of computing
      it again. Empty: no result holds any. For a result in `stream` the task
      keeps them, in 128 KiB of memory of its own at most.
    * `stream`: results whose full, aligned vectors are stored past the caches. A
      store to a line that no cache holds reads the line first; a result that is
      larger than the caches pays that for nothing.
    * `transpose_dim`, `transpose_block`: a second dimension of the tasks, along
      which operands lie in rows, -1 for none, and the points of it in one task.
      Tiles of `vector_width` by `vector_width` points of such an operand are
      loaded by vectors along `transpose_dim`, transposed in registers, and kept
      in the task's memory, from which the body reads vectors along
      `vector_dim`. Without it each element is gathered.

    (C1) `vector_dim` is -1 or more; the kernel checks that the dimension is one
         of its own.
    (C2) `vector_width` is 1 to 1024, `unroll` 1 to 256.
    (C3) `block`, `transpose_block` and `grain` are 1 to 2147483647, `rows` is
         0 to 16.
    (C4) With `transpose_dim`, `vector_width` is a power of two from 2 to 64, `unroll`
         is 1, and `rows` is 0.

    Example:
    ```mlir
    #loop.schedule<vector_dim = 1, vector_width = 16, unroll = 2, block = 4096, grain = 1>
    ```
    A softmax whose result holds the exponentials, op 3 of its body:
    ```mlir
    #loop.schedule<vector_dim = 1, vector_width = 16, unroll = 2, grain = 64, keep = [3]>
    ```
    A sum with an operand that lies in rows along dimension 0:
    ```mlir
    #loop.schedule<vector_dim = 1, vector_width = 16, block = 64, transpose_dim = 0, transpose_block = 64>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::StringAttr">:$library,
    DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
    DefaultValuedParameter<"int64_t", "1">:$vector_width,
    DefaultValuedParameter<"int64_t", "1">:$unroll,
    DefaultValuedParameter<"int64_t", "1">:$block,
    DefaultValuedParameter<"int64_t", "1">:$grain,
    DefaultValuedParameter<"int64_t", "0">:$rows,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$keep,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$stream,
    DefaultValuedParameter<"int64_t", "-1">:$transpose_dim,
    DefaultValuedParameter<"int64_t", "1">:$transpose_block);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Loop_MmaAttr : Loop_Attr<"Mma", "mma"> {
  let summary = "how a block of threads multiplies two matrices";
  let description = [{
    The part of a GPU's schedule that only contractions have: kernels that sum
    multiplications of two factors `a[batch, m, k]` and `b[batch, k, n]`, each of which
    varies over dimensions of the result that the other does not.

    * `instruction`: `m16n8k16` multiplies f16 or bf16 on tensor cores and sums in
      `f32`, `m8n8k4` doubles; `fma` multiplies any type by ordinary
      instructions. `wgmma` multiplies f16 or bf16, too, four warps together and
      straight from shared memory; only sm_90a has it. `m16n8k8` rounds factors
      of `f32` to TF32, to nearest and ties away from zero, and sums in `f32`;
      the sum has to allow it (`tf32`).
    * `m`, `n`, `k`: the tile of a block: results along the dimensions of `a` and
      of `b`, and summed points that lie in shared memory together.
    * `warps_m`, `warps_n`, `warps_k`: warps along each side of the tile. Those
      along `k` sum parts of each tile, which are added in the end.
    * `stages`: tiles of both factors in shared memory at a time.
    * `async`: factors that are loaded as they are go to shared memory by
      asynchronous copies, `stages - 1` tiles ahead. Others, and all without it,
      pass through registers, one tile ahead.
    * `group`: rows of tiles whose blocks run side by side, so that they find
      each other's factors in the cache.

    (C1) All sizes are positive, and powers of two but for `stages` and `group`.
    (C2) There are at least two stages.
    (C3) The part of the tile that is a warp's is a multiple of what the
         instruction multiplies: 16 x 16 x 16 for `m16n8k16`, 16 x 16 x 8 for
         `m16n8k8`, 8 x 8 x 4 for `m8n8k4`, and 4 x 8 results and a `k` of 4 for `fma`.
    (C4) `wgmma` takes tiles of 64 along `k` and 16 rows, 64 to 256 columns for
         each warp, four warps or a multiple along `m` and one along `k`.

    Example:
    ```mlir
    #loop.mma<instruction = m16n8k16, m = 128, n = 256, k = 64, warps_m = 2, warps_n = 4, stages = 3, async = true, group = 8>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::coil::loop::MmaInstruction",
                           "::coil::loop::MmaInstruction::Fma">:$instruction,
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    DefaultValuedParameter<"int64_t", "1">:$warps_m,
    DefaultValuedParameter<"int64_t", "1">:$warps_n,
    DefaultValuedParameter<"int64_t", "1">:$warps_k,
    DefaultValuedParameter<"int64_t", "2">:$stages,
    DefaultValuedParameter<"bool", "false">:$async,
    DefaultValuedParameter<"int64_t", "1">:$group);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumWarps() const {
      return getWarpsM() * getWarpsN() * getWarpsK();
    }
  }];
}

def Loop_GPUScheduleAttr : Loop_Attr<"GPUSchedule", "gpu_schedule",
    [Loop_ScheduleAttrInterface]> {
  let summary = "how a GPU cuts a kernel's space into blocks and threads";
  let description = [{
    The tile of the iteration space that one block of threads computes, and who
    computes what in it. The dimensions that nothing reduces over are one
    flattened direction `p`, the reduced ones the other, `r`. Chosen by
    `loop-select-gpu-schedule`, applied by `convert-loop-to-gpu`; tests pin it
    and tuners rewrite it.

    * `strategy`: `tile`, or `transpose`, for kernels that reduce nothing: a tile
      of two dimensions, `vector_dim` instead of `p`, `transpose_dim` instead
      of `r`. What is contiguous along `transpose_dim` passes through
      shared memory. `scan` is for kernels with scans: the threads of a block
      take consecutive parts of `r`. `mma` is for contractions: tiles of the
      factors pass through shared memory, and the rest of the schedule describes
      what follows the sum: `threads_p` threads take vectors of the block's
      results.
      `box`, for kernels that reduce nothing, is a tile of any number of
      dimensions; what has another order in memory than the points of the block
      passes through shared memory.
    * `vector_dim`: the dimension whose neighbours go to neighbouring threads,
      -1 for none; `vector_width` consecutive points of it are one thread's.
    * `threads_p`, `threads_r`: threads of a block along each direction; the
      block has as many as their product.
    * `items_p`, `items_r`: vectors that a thread takes along each direction, a
      block's width apart.
    * `persistent`: the tile covers all of `r`, and a thread keeps its part in
      registers, so that every input is read once. Otherwise a block loops over
      `r`, once for each phase of reductions that need one another.
    * `min_blocks`: blocks that an SM must have registers for; 0
      leaves this to the assembler.
    * `index_bits`: 32 where every offset and point fits, else 64.
    * `owners`: how many threads share the points of `r` of each `p` in a kernel
      that scatters. Each goes through all of them in order and writes the
      elements that are its own, so that the result is that of the points in
      order. 0: all points are parallel, and elements change atomically.
    * `align_to`: the input (or output, counted after the inputs) at whose
      addresses vectors are cut, -1 for none. Rows of an odd length begin anywhere
      between two aligned addresses; vectors then begin at the last one before
      the row, and lanes outside of the row do nothing.
    * `split_r`: every tile of a scan along `r` is a block of its own, which
      waits for what the blocks before it combined.
    * `stages`: tiles of a scan with `split_r` that a block has in shared memory
      at a time. Copies that one thread starts bring them, and blocks stay: each
      takes one tile after the other. 0: a block is one tile, and its threads
      load it.
    * `blocks`: with `stages`, how many blocks stay.
    * `prefetch`: in a loop over `r`, the vectors of the next step are loaded into
      registers before those of this one are used; with `persistent`, those of
      the next row, where blocks walk the rows of a chunk.
    * `cluster`: blocks that share a row which they keep. Each has a part of it,
      reduces that, and writes what it has into the shared memory of all of
      them; so a row that is too long for the registers of one block is read
      once.
    * `box_dims`, `box`: with the strategy `box`, the dimensions of the tile in
      the order in which a block computes its points, the one whose neighbours
      are neighbouring threads first, and how many points of each it has.
    * `descending`: blocks begin at the last points. A kernel that reads what the
      one before it touched last finds that in the cache.

    (C1) Vector width, threads and items are positive powers of two, except
         `items_r`, which is positive.
    (C2) A block has at most 1024 threads.
    (C3) Without a vector dimension the vector width is one.
    (C4) `index_bits` is 32 or 64, and `min_blocks` is not negative.
    (C5) The strategy `transpose` names two different dimensions; `tile` has no
         `transpose_dim`.
    (C6) The `items_r` of the strategy `transpose` are a power of two.
    (C7) `owners` is 0 or a power of two. With owners one thread and one item go
         along `r`, nothing is persistent, and the strategy is not `transpose`.
    (C8) The strategy `scan` has one item along `p`, and only it has `split_r`,
         which goes with `persistent`: a block keeps its tile.
    (C9) The strategy `mma`, and no other, has the parameter `mma`; `threads_p`
         are its warps' threads, and nothing else is along `r`. A vector is at
         most as long as the tile's side `n`.
    (C10) `align_to` goes with the strategy `tile`, a vector and one item along
         `p`. The vector dimension is the only one that is reduced, and the buffer
         is accessed contiguously along it.
    (C11) `prefetch` goes with the strategy `tile`, without `owners`.
    (C12) `descending` goes with the strategy `tile`.
    (C13) `stages` is 0, or at least 2 with `split_r`, one thread along `p` and
          whole warps along `r`; `blocks` is positive with `stages` and 0 without.
    (C14) A thread has at most 4096 points (`vector_width`, `items_p` and
          `items_r` multiplied): code for each of them is emitted. `min_blocks`
          is at most 32, the thread blocks that a streaming multiprocessor holds;
          `stages` at most 64; `owners` at most 2^20; `blocks` at most 2^31 - 1,
          the size of a grid; dimensions and `align_to` are at least -1.

    (C15) The strategy `box`, and no other, has `box_dims`: different dimensions,
          of which `vector_dim` is the first, as many as `box` has sizes, which
          are positive. Its threads are whole warps along `p`, not necessarily a
          power of two; a vector is one point, and the points of a box are at
          most 16 for each thread.
    (C16) `cluster` is 1, 2, 4 or 8, the portable sizes of clusters of thread
          blocks (CUDA C++ Programming Guide, "Thread Block Clusters"). Above 1
          it goes with `persistent` and the strategy `tile`, whole warps along
          `r`, and one thread and one item along `p`.

    Example:
    ```mlir
    #loop.gpu_schedule<strategy = tile, vector_dim = 1, vector_width = 4, threads_p = 4, threads_r = 32, items_r = 8, persistent = true, index_bits = 32>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::coil::loop::GPUStrategy",
                           "::coil::loop::GPUStrategy::Tile">:$strategy,
    DefaultValuedParameter<"int64_t", "-1">:$vector_dim,
    DefaultValuedParameter<"int64_t", "1">:$vector_width,
    DefaultValuedParameter<"int64_t", "-1">:$transpose_dim,
    DefaultValuedParameter<"int64_t", "1">:$threads_p,
    DefaultValuedParameter<"int64_t", "1">:$threads_r,
    DefaultValuedParameter<"int64_t", "1">:$items_p,
    DefaultValuedParameter<"int64_t", "1">:$items_r,
    DefaultValuedParameter<"bool", "false">:$persistent,
    DefaultValuedParameter<"int64_t", "0">:$min_blocks,
    DefaultValuedParameter<"int64_t", "64">:$index_bits,
    DefaultValuedParameter<"int64_t", "0">:$owners,
    DefaultValuedParameter<"bool", "false">:$split_r,
    DefaultValuedParameter<"int64_t", "-1">:$align_to,
    DefaultValuedParameter<"bool", "false">:$prefetch,
    DefaultValuedParameter<"bool", "false">:$descending,
    DefaultValuedParameter<"int64_t", "0">:$stages,
    DefaultValuedParameter<"int64_t", "0">:$blocks,
    OptionalParameter<"::coil::loop::MmaAttr">:$mma,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$box_dims,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$box,
    DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The most points of a box for each thread.
    static constexpr int64_t kMaxBoxItems = 16;
    /// No library takes a kernel that has this schedule.
    ::mlir::StringAttr getLibrary() const { return {}; }
    int64_t getNumThreads() const { return getThreadsP() * getThreadsR(); }
  }];
}

def Loop_ConvAttr : Loop_Attr<"Conv", "conv"> {
  let summary = "the kernel is this convolution";
  let description = [{
    Says that the kernel computes a convolution of its first operand with its
    second (`graph.conv`), so that a scheduler can choose a library without
    recognising padded loads. The body stays the meaning; passes that change
    what the kernel computes drop the attribute. With `channels_last` the
    channels are the last dimension of both operands and of the result, not the
    second.

    (C1) `stride`, `padding` and `dilation` have one entry for each spatial
         dimension.
    (C2) Strides, dilations and groups are positive, padding is not negative.

    Example:
    ```mlir
    #loop.conv<stride = [1, 1], padding = [1, 1], dilation = [1, 1], groups = 1>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$stride, ArrayRefParameter<"int64_t">:$padding,
    ArrayRefParameter<"int64_t">:$dilation, "int64_t":$groups,
    DefaultValuedParameter<"bool", "false">:$channels_last);
  let assemblyFormat = [{
    `<` `stride` `=` `[` $stride `]` `,` `padding` `=` `[` $padding `]` `,`
    `dilation` `=` `[` $dilation `]` `,` `groups` `=` $groups
    (`,` `channels_last` `=` $channels_last^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // COIL_DIALECT_LOOP_IR_LOOPDIALECT_TD
