//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions between levels. Grouped by source, alphabetical inside a group.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_CONVERSION_PASSES_TD
#define COIL_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From graph
//===----------------------------------------------------------------------===//

def ConvertGraphToLoopPass
    : Pass<"convert-graph-to-loop", "::mlir::func::FuncOp"> {
  let summary = "turn tensor operators into loop kernels and views";
  let description = [{
    Every operator that computes becomes one `loop.kernel`; every operator that
    only says where elements come from becomes a `loop.view`; a literal that is
    not a splat becomes an `arith.constant`. The types of values do not change.
    Nothing is fused here: that is the business of the passes after it, which
    see one kernel for each operator and all index expressions.

    `f16` and `bf16` are computed in `f32` and rounded where the operator ends.

    Constraints:
    (C1) Every operator has a lowering: compound ones were decomposed, framework
         operators legalised. The first that has none is an error naming it.

    Before:
    ```mlir
    %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
    After:
    ```mlir
    %0 = loop.kernel "add" [4, 8] (%x = %a, %y = %b) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
      %1 = loop.load %x[d0, d1] : tensor<4x8xf32> -> f32
      %2 = loop.load %y[d1] : tensor<8xf32> -> f32
      %3 = arith.addf %1, %2 : f32
      loop.store %3, 0[d0, d1] : f32
    }
    ```
  }];
  let dependentDialects = ["::coil::loop::LoopDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// From loop
//===----------------------------------------------------------------------===//

def ConvertLoopToWrapperPass : Pass<"convert-loop-to-wrapper", "::mlir::ModuleOp"> {
  let summary = "turn functions of loop kernels into host programs";
  let description = [{
    Every `func.func` becomes a `wrapper.func` over buffers: tensors are given
    storage, a kernel becomes a launch of a `wrapper.kernel` symbol, and a
    kernel whose schedule names a library becomes a library call. Symbols are
    bound from the sizes and strides of the arguments, which are then checked.

    Kernels that are equal but for names and locations share one symbol.
    Results are row-major and contiguous. A view whose elements are evenly
    spaced becomes `wrapper.reinterpret`, any other one a kernel that copies.
    A result of the function has the layout that its attribute `coil.strides`
    gives, row-major if absent, and never refers to an argument's storage.
    Nothing is freed yet: that is `wrapper-plan-memory`.

    Constraints:
    (C1) The functions hold only kernels and views of `loop`, its sorts and
         attentions by libraries, what of `graph` is for the host (`if`, `while`,
         `item`, `custom_call`, `to_device`), `sym.assert`, constants and the
         terminator.
    (C2) Sizes and strides of the arguments determine every symbol that they
         mention.

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = loop.kernel "neg" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {...}
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    wrapper.kernel @neg_0(%x: tensor<4xf32>) attributes {...} {
      %0 = loop.kernel "neg" [4] (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {...}
      wrapper.yield %0 : tensor<4xf32>
    }
    wrapper.func @main(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> {
      wrapper.assert_layout %x, "x" : ...
      %0 = wrapper.alloc : ...
      wrapper.launch @neg_0[] ins(%x : ...) outs(%0 : ...)
      wrapper.return %0 : ...
    }
    ```
  }];
  let options = [
    Option<"device", "device", "std::string", /*default=*/"\"cpu\"",
           "kind of device that holds the buffers and runs the kernels">];
  let dependentDialects = ["::coil::loop::LoopDialect", "::coil::wrapper::WrapperDialect"];
}

//===----------------------------------------------------------------------===//
// To CPU code
//===----------------------------------------------------------------------===//

def ConvertLoopToCPUPass
    : Pass<"convert-loop-to-cpu", "::coil::wrapper::KernelOp"> {
  let summary = "apply a kernel's schedule as vector code for the CPU";
  let description = [{
    Replaces the loop kernel of a `wrapper.kernel` by an `llvm.func` that runs a
    range of its outer points on buffers:
    `(ptr buffers, ptr symbols, i64 begin, i64 end) -> i32`. Buffers are inputs,
    then outputs; symbols come in the order of the kernel's `symbols`. The
    result is zero, or one when an index was out of range. `total` and `grain`
    are set for the launch.

    The schedule was decided before; here it is applied. Dimensions that nothing
    reduces over are cut into tasks. For each point the body runs in phases, one
    loop over the reduced dimensions for each depth of reductions that need
    reductions. Values that vary over the vector dimension are vectors, in
    `unroll` copies; a remainder runs one masked vector at a time. Accesses with
    stride one along it are vector loads and stores, others gathers and
    scatters. A value that the schedule keeps is stored in the result that holds
    it by the phase that computes it first, and loaded by later ones. With
    `rows`, a phase walks rows of the block with accumulators in memory. Vectors
    of results that the schedule streams are stored past the caches where their
    address turns out to be a multiple of their size; a fence ends the function.

    Exponentials of `f32` vectors whose results only reach roundings to `bf16` or
    `f16`, by ways that do not magnify a relative error, get the flag `afn`, and
    divisions of a row's values by one value of the row that are then rounded so
    `arcp`, unless `approximate` is off.

    Constraints:
    (C1) The kernel is in value form.
    (C2) The schedule names no library.
    (C3) The schedule, if there is one, is a `#loop.schedule`.
    (C4) `keep` names, for each result, an op whose value the result can hold:
         of the result's type, varying over all its dimensions, with one element
         for each point of the space, needed by several phases, none of them
         after the one that stores the result.
    (C5) `rows` comes with a parallel vector dimension, a block that is a
         multiple of a step of vectors, reductions in one phase that all vary
         over the vector dimension, and no other values along the reduced
         dimensions after it; the accumulators of a block take at most 64 KiB.
    (C6) The vector dimension is none that a scatter is over, and of those that a
         scan is over only the last one; where the scan is for positions, the only
         one.
    (C7) `stream` names results that `loop.store` writes. One that keeps a value
         has a reduced vector dimension and takes, with the others, at most
         128 KiB for the values along the reduced dimensions.
    (C8) `transpose_dim` is a dimension of the kernel other than the vector
         dimension, which there is, and the kernel reduces, scans and scatters
         nothing.

    Before:
    ```mlir
    wrapper.kernel @neg(%x: tensor<64xf32>) attributes {...} {
      %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32>
          schedule<vector_dim = 0, vector_width = 16, unroll = 4, block = 4096> {...}
      wrapper.yield %0 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    wrapper.kernel @neg() attributes {total = #sym.expr<1>, grain = 1 : i64, ...} {
      llvm.func @neg(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
        scf.for %task = %begin to %end step %c1 : i64 {
          scf.for %i = ... step %c64 : i64 {
            %v = llvm.load %p : !llvm.ptr -> vector<16xf32>
            ...
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
  let options = [
    Option<"approximate", "approximate", "bool", "true",
           "Compute less exactly where results are rounded more coarsely">];
}

def ConvertCPUKernelToLLVMPass : Pass<"convert-cpu-kernel-to-llvm", "::coil::wrapper::KernelOp"> {
  let summary = "lower vector code of a kernel to the LLVM dialect";
  let description = [{
    Takes `scf`, `arith`, `math` and `vector` to the LLVM dialect. `math`
    functions without an instruction become calls: of vectors to glibc's libmvec
    (at most 4 ulp), of scalars to libm. Exponentials of `f32` with the flag `afn`
    become calls of `expf_narrow`, which the code generator defines: 17 bits. Remainders of vectors of `f32` become a
    loop in `f64`, which is exact and takes one step unless quotients are huge.

    Before:
    ```mlir
    %e = math.exp %v : vector<16xf32>
    ```
    After:
    ```mlir
    %e = llvm.call @_ZGVeN16v_expf(%v) : (vector<16xf32>) -> vector<16xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "256",
           "Width of the widest vector function in bits">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// To GPU code
//===----------------------------------------------------------------------===//

def LoopFlattenPointwisePass
    : Pass<"loop-flatten-pointwise", "::coil::wrapper::KernelOp"> {
  let summary = "give pointwise kernels of odd rows one dimension";
  let description = [{
    Threads of a GPU move vectors of 16 bytes. In rows of 5, 49 or 4093 elements
    few vectors begin at aligned addresses, and each row ends in the middle of
    one. Where the elements of a result lie next to each other in one order of
    all dimensions, the kernel gets one dimension in that order: vectors then go
    across the ends of rows, and all of them are aligned and whole. Positions in
    rows become quotients and remainders, which are linear in the lane up to the
    end of a row, one of which a vector may meet: an operand with an element for
    each row is two loads for a vector.

    The pass decides by the accesses that a thread makes for each point: in rows,
    with the schedule that `loop-select-gpu-schedule` would choose, and in one
    dimension.

    Constraints, else the kernel stays as it is:
    (C1) it computes each point by itself (no reduction, scan or scatter) and has
    no schedule;
    (C2) a store's elements lie next to each other over all dimensions of more
    than one point, and all extents but the outermost are constants;
    (C3) a thread would make at most 0.8 times the accesses for each point.

    Before:
    ```mlir
    loop.kernel "scale" [3, 1001] (%x = %a, %s = %b) : (tensor<3x1001xf16>, tensor<3xf16>) -> tensor<3x1001xf16> {
      %0 = loop.load %x[d0, d1] : tensor<3x1001xf16> -> f16
      %1 = loop.load %s[d0] : tensor<3xf16> -> f16
    ```
    After:
    ```mlir
    loop.kernel "scale" [3003] (%x = %a, %s = %b) : (tensor<3x1001xf16>, tensor<3xf16>) -> tensor<3x1001xf16> {
      %0 = loop.load %x[d0 floordiv 1001, d0 mod 1001] : tensor<3x1001xf16> -> f16
      %1 = loop.load %s[d0 floordiv 1001] : tensor<3xf16> -> f16
    ```
  }];
  let dependentDialects = ["::coil::target::TargetDialect"];
}

def LoopSelectGPUSchedulePass
    : Pass<"loop-select-gpu-schedule", "::coil::wrapper::KernelOp"> {
  let summary = "decide how a kernel runs on a GPU";
  let description = [{
    Attaches `#loop.gpu_schedule` to the loop kernel of a `wrapper.kernel` that
    has none, if its device runs blocks of threads. It runs on outlined kernels,
    as vectors need the strides of buffers. What depends on the chip is taken
    from the module's target (`#target.device`); without, kernels of the device
    `cuda` are scheduled for `sm_90`. Decides only; `convert-loop-to-gpu` applies.

    The vector dimension is the one along which most bytes are contiguous, the
    width 16 bytes of the widest common element where alignment can be proved,
    else less. Streams take one vector for each thread, and so do scatters, with
    atomic operations. Segment sums limit registers so that as many threads fit as a
    SM has, and walk through one range in each. Rows of up to 32768 elements are scanned by a warp or a
    block that keeps them in registers, longer ones, and columns, by a block for
    each tile. With `deterministic`, scatters that combine floats or
    write without combining go through their points in order instead: a few
    thousand threads, the `owners` of elements, read all indices, and each
    writes its own elements. Rows of up to 1024
    elements are reduced by a warp, up to 32768 by a block that keeps them in
    registers when they are needed again, longer ones in a loop. Columns are
    reduced by 32 threads side by side. Contractions of at least 8 rows and
    columns and 16 summed points get the tiles that would take the least time
    if all tiles had their usual speed.

    Before:
    ```mlir
    wrapper.kernel @neg(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, ...} {
      %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32> {...}
      wrapper.yield %0 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    wrapper.kernel @neg(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, ...} {
      %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32>
          schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 64, index_bits = 32> {...}
      wrapper.yield %0 : tensor<64xf32>
    }
    ```
  }];
  let options = [
    Option<"deterministic", "deterministic", "bool", "false",
           "Give scatters an order where their result depends on one">];
  let dependentDialects = ["::coil::target::TargetDialect"];
}

def WrapperOrderGPUBlocksPass : Pass<"wrapper-order-gpu-blocks", "::mlir::ModuleOp"> {
  let summary = "let a kernel begin where the one before it ended";
  let description = [{
    A kernel that reads a large buffer finds that part of it in the cache which
    the launch before it touched last: the end, if blocks go through points in
    their order. Where a launch reads what the launch before it read or wrote,
    and that one went upwards, its schedule becomes `descending`. Kernels of the
    strategy `tile` only; the first launch of a kernel decides for all of them,
    and steps that are no launches and write memory begin anew. Kernels that sum
    rows go upwards, as these come in an order of their own. Results do not
    depend on the order.

    Before:
    ```mlir
    wrapper.launch @chunks[] ins(%x : !b) outs(%0 : !small)
    wrapper.launch @normalize[] ins(%x, %0 : !b, !small) outs(%1 : !b)
    ```
    After: the same, and the loop kernel of `@normalize` has a schedule with
    `descending = true`.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", "16777216",
           "Size from which on a buffer counts">];
}

def WrapperBatchGPULaunchesPass : Pass<"wrapper-batch-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "make one launch of independent launches of one kernel";
  let description = [{
    Launches of one kernel with the same symbols, none of which needs what
    another wrote, become one launch of a kernel with the attribute `batch`. Its
    blocks find their number in the batch along the second dimension of the
    grid, and their buffers in a table that is passed by value: first the inputs
    of all launches, then their outputs. An optimizer step over many tensors is
    then a launch for each shape.

    A launch moves up to the first of its batch, over ops that do not write what
    it reads and do not use what it writes. So that buffers do not live much
    longer than the memory plan says, the outputs of a launch that moves are
    results of the program or known to be small. Kernels that check indices stay
    as they are, since a failed check names its launch. The table has at most
    4 KiB with the symbols, which all devices take.

    Before:
    ```mlir
    wrapper.launch @add[] ins(%a, %b : !b, !b) outs(%0 : !b)
    wrapper.launch @add[] ins(%c, %d : !b, !b) outs(%1 : !b)
    ```
    After:
    ```mlir
    wrapper.launch @add_x2[] ins(%a, %b, %c, %d : !b, !b, !b, !b) outs(%0, %1 : !b, !b)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
}

def WrapperCombineGPULaunchesPass
    : Pass<"wrapper-combine-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "make one launch of independent launches of different kernels";
  let description = [{
    Launches of different kernels, none of which fills the device and none of
    which needs what another wrote, become one launch of a kernel that has the
    code of all (a combo kernel). The first blocks do the work of the first kernel, the next
    those of the second, and so on: a block compares its number with expressions over
    the launch's symbols, so sizes may be known only at run time, and a part
    without points has no blocks. Buffers are in a table that is passed by value,
    as in batches (`wrapper-batch-gpu-launches`, which runs before; its batches are parts
    like others), so the kernel has the attribute `batch`, which is 1. Blocks have the
    threads and the shared memory of the part that needs most; barriers of parts with fewer
    threads name their number.

    A launch moves up to the first of its combination under the rules of
    `wrapper-batch-gpu-launches`, except that buffers are small if they are small at
    the hints of their sizes. It joins where the cost model says that time is saved: each launch costs
    1.2 us, and together blocks of different lengths wait for the longest
    (docs/rationale/ComboKernels.md).

    Blocks of branches and loops are looked at by themselves. Of a module without
    functions, the kernels of its `wrapper.combination`s are made.

    Kernels that check indices, share scratch memory between blocks or are
    user-defined stay as they are, and so do two kernels of which only one
    waits for the kernel before it. A remark says why.

    Before:
    ```mlir
    wrapper.launch @exp[s0] ins(%a : !b) outs(%0 : !b)
    wrapper.launch @sum[s1] ins(%c : !c) outs(%1 : !d)
    ```
    After:
    ```mlir
    wrapper.launch @exp_with_sum[s0, s1] ins(%a, %c : !b, !c) outs(%0, %1 : !b, !d)
    ```
  }];
  let options = [
    Option<"maxKernels", "max-kernels", "uint64_t", "16",
           "most kernels of a combination">,
    Option<"maxMovedBytes", "max-moved-bytes", "int64_t", "1048576",
           "buffers of up to so many bytes may live longer than planned">];
  let dependentDialects = ["::coil::sym::SymDialect",
                           "::coil::target::TargetDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertLoopToGPUPass
    : Pass<"convert-loop-to-gpu", "::coil::wrapper::KernelOp"> {
  let summary = "apply a kernel's schedule as code for a GPU";
  let description = [{
    Replaces the loop kernel of a `wrapper.kernel`, if its device runs blocks of
    threads, by a `gpu.module` with one kernel, both of its name, and sets `geometry`. The
    kernel takes pointers to the inputs, then to the outputs, then an `i64` for
    each symbol, and the run's error word if an index can be out of range.

    The schedule was decided before; here it is applied, see `#loop.gpu_schedule`
    and docs/gpu/Overview.md. Values that vary over the vector dimension are vectors,
    with one copy for each item of a thread. Reductions go over items and lanes
    first, then over the threads of a warp, then through shared memory.
    Contractions (strategy `mma`) multiply tiles that pass through shared memory.

    Functions of `f32` whose results only reach roundings to `bf16` or `f16`, by
    ways that do not magnify a relative error, get the flag `afn`, and divisions
    of a row's values by one value of the row `arcp`, unless `approximate` is off.

    Where the target has the feature `dependent_launch` (capability 9.0 on), a kernel
    that reads something begins with a wait for the kernels before it, so that it can be launched while those still run. What
    it reads is no constant then: arguments lack `readonly`, loads `invariant`.

    Constraints:
    (C1) The kernel is in value form.
    (C2) The loop kernel has a `#loop.gpu_schedule`.
    (C3) The schedule's dimensions exist.
    (C4) The tile of a persistent schedule covers all reduced points.
    (C5) A block takes at most the target's `static_shared_bytes`; for a
         contraction, a scan with `stages`, columns that it accumulates, and
         elements that threads keep, at most its `shared_bytes`.
    (C6) Only kernels that reduce have threads and items for it, unless the
         strategy is `transpose`.
    (C7) Kernels that scan, and no others, have the strategy `scan`; those that
         reduce as well do not split their tiles over blocks.
    (C8) The strategy `transpose` takes kernels that reduce and scatter nothing.
    (C9) Only kernels that scatter have owners, and no vectors along what they
         scatter over.
    (C10) The strategy `mma` takes kernels that are contractions of two factors and
          store what follows the sum; the factors have the types that its
          instruction multiplies, and `vector_dim` is the innermost dimension of
          the results' rows. Vectors cut no row where a block has parts of several.
    (C11) Only kernels that reduce have `prefetch`; where vectors go along
          reduced dimensions of which there are several, none is cut. With
          `persistent` it is for kernels that accumulate columns.
    (C12) `stages` is for targets with the feature `bulk_copies`, and for kernels
          with one scan of a value of up to 32 bits whose operand comes from one load,
          along the only dimension that is scanned over. Tiles begin at multiples of
          16 bytes, and there is a known bound for how many there are.
    (C13) Results of a Welford reduction are of its operands' type.
    (C14) A block and an SM of the target can hold the threads
          and for `min_blocks`.
    (C15) The target has the instruction of the strategy `mma`, and asynchronous
          copies where it has `async`.
    (C16) Kernels that accumulate columns have the strategy `tile`, `persistent`
          over these, with vectors along one of them, one item along `p`, and
          neither `align_to` nor `owners`. Their chunks have a multiple of
          `threads_p` rows.
    (C17) A `cluster` of more than one block is for targets with the feature
          `clusters` and for kernels that reduce, with vectors along a reduced
          dimension, and that accumulate no columns.

    Before:
    ```mlir
    wrapper.kernel @neg(%x: tensor<64xf32>) attributes {device = #wrapper.device<"cuda">, ...} {
      %0 = loop.kernel "neg" [64] (%a = %x) : (tensor<64xf32>) -> tensor<64xf32>
          schedule #loop.gpu_schedule<vector_dim = 0, vector_width = 4, threads_p = 16, index_bits = 32> {...}
      wrapper.yield %0 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    wrapper.kernel @neg() attributes {geometry = #wrapper.geometry<grid = [1, 1, 1], block = [16, 1, 1], shared = 0, errors = false>, ...} {
      gpu.module @neg {
        gpu.func @neg(%x: !llvm.ptr<1> {llvm.noalias, ...}, %y: !llvm.ptr<1> {...}) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
          llvm.inline_asm has_side_effects "griddepcontrol.wait;", "~{memory}" : () -> ()
          llvm.inline_asm has_side_effects "griddepcontrol.launch_dependents;", "~{memory}" : () -> ()
          %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
          ...
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::ROCDL::ROCDLDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::coil::target::TargetDialect"];
  let options = [
    Option<"approximate", "approximate", "bool", "true",
           "Compute less exactly where results are rounded more coarsely">];
}

//===----------------------------------------------------------------------===//
// To NVIDIA code
//===----------------------------------------------------------------------===//

def ConvertGPUKernelToNVVMPass
    : Pass<"convert-gpu-kernel-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower GPU kernels to the LLVM and NVVM dialects";
  let description = [{
    Takes `gpu`, `scf`, `arith`, `math`, `vector`, `memref` (of static shapes, in
    workgroup memory) and `loop.special` to the LLVM and NVVM dialects in one
    conversion, so that there is one width of `index`. The module says for which
    chips code is made.

    Functions without an instruction become calls of Coil's own device library,
    which is linked when code is made; nothing of a CUDA toolkit is needed.
    `fast-math` chooses between exact (at most 2 ulp in `f32`), default and
    approximate versions; an op with the flag `afn` takes the approximate one in
    any mode. In the modes `default` and `fast` multiplications and additions
    may be contracted.

    Constraints:
    (C1) The chip and the mode are known.
    (C2) Every op has code on the device. One without is an error: LLVM's back
         end would abort the process.

    Before:
    ```mlir
    gpu.module @k {
      gpu.func @k(%p: !llvm.ptr<1>) kernel {
        %x = llvm.load %p : !llvm.ptr<1> -> f32
        %y = math.exp %x : f32
        llvm.store %y, %p : f32, !llvm.ptr<1>
        gpu.return
      }
    }
    ```
    After:
    ```mlir
    gpu.module @k [#nvvm.target<O = 3, chip = "sm_90a", features = "+ptx81">] {
      llvm.func @coil_exp_default_f32(f32) -> f32 attributes {...}
      llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
        %x = llvm.load %p : !llvm.ptr<1> -> f32
        %y = llvm.call @coil_exp_default_f32(%x) : (f32) -> f32
        ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "chips that code is made for, joined by '+'; empty keeps the "
           "module's targets">,
    Option<"fastMath", "fast-math", "std::string", /*default=*/"\"default\"",
           "exactness of mathematics: off, default or fast">,
    Option<"indexBits", "index-bits", "unsigned", /*default=*/"0",
           "width of `index`; 0: by the module's data layout, 64 if it has "
           "none">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

//===----------------------------------------------------------------------===//
// To AMD code
//===----------------------------------------------------------------------===//

def ConvertGPUKernelToROCDLPass
    : Pass<"convert-gpu-kernel-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower GPU kernels to the LLVM and ROCDL dialects";
  let description = [{
    Takes the same kernels as `convert-gpu-kernel-to-nvvm`, which come from the same
    schedules, to the LLVM and ROCDL dialects, by upstream's conversions. The
    module says for which chip code is made; `coil-translate --kernels-to-amdgcn`
    makes it.

    Mathematics are what LLVM's back end has code for: of `f32` the exponentials
    and logarithms, roots, and what is an instruction. There is no device library
    of Coil's for these chips, and ROCm's is not needed. Multiplications and
    additions stay separate.

    Constraints:
    (C1) The chip is known.
    (C2) Every op has code. One without is an error.

    Before:
    ```mlir
    gpu.module @k {
      gpu.func @k(%p: !llvm.ptr<1>) kernel {
        %x = llvm.load %p : !llvm.ptr<1> -> f32
        %y = math.exp %x : f32
        llvm.store %y, %p : f32, !llvm.ptr<1>
        gpu.return
      }
    }
    ```
    After:
    ```mlir
    gpu.module @k [#rocdl.target<O = 3, chip = "gfx942">] {
      llvm.func @k(%p: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
        %x = llvm.load %p : !llvm.ptr<1> -> f32
        %y = llvm.intr.exp(%x) : (f32) -> f32
        ...
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"gfx942\"",
           "chip that code is made for">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::ROCDL::ROCDLDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

//===----------------------------------------------------------------------===//
// User kernels
//===----------------------------------------------------------------------===//

def WrapperLowerUserKernelPass
    : Pass<"wrapper-lower-user-kernel", "::coil::wrapper::KernelOp"> {
  let summary = "make a user's kernel launchable";
  let description = [{
    Compares a user's kernel with what is passed to it, and gives it the form
    that its device launches. For a GPU that is a `geometry` of one block, since
    each launch brings its grid. Where the CPU of the host runs the kernel, its
    function becomes part of one, under the kernel's name, that takes the
    addresses of what is passed and the sizes of the grid, and goes over the
    blocks that it is given. Other kernels stay as they are, and so do those of
    devices that another pipeline is for. A `reference` is erased.

    Constraints:
    (C1) The device is registered.
    (C2) A GPU runs PTX or a `gpu.module`, the CPU of the host a function.
    (C3) The text is PTX with the entry; the module has the function, marked as a
         kernel; the function has a body.
    (C4) The function takes what is passed, of the sizes and types that it has:
         addresses, then on the host three `i64`. It returns nothing.
    (C5) PTX is for a chip whose code all chips of the target run.
    (C6) A kernel of a GPU says of how many threads a block is.
    (C7) Parameters are tensor maps only where the device has them.
    (C8) The function takes them by value: 128 bytes that are aligned to 64, and
         that it does not change.

    Before:
    ```mlir
    wrapper.kernel @fill() attributes {parameters = [#wrapper.param<"y", write, f32>]} {
      func.func @fill(%y: !llvm.ptr, %i: i64, %j: i64, %k: i64) {
        %zero = arith.constant 0.0 : f32
        %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %zero, %p : f32, !llvm.ptr
        return
      }
    }
    ```
    After:
    ```mlir
    wrapper.kernel @fill() attributes {grain = 1, total = #sym.expr<1>, ...} {
      llvm.func internal @fill.block(%y: !llvm.ptr, %i: i64, %j: i64, %k: i64) { ... }
      llvm.func @fill(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64) -> i32 {
        ...
        scf.for %block = %begin to %end step %one : i64 {
          ...
          llvm.call @fill.block(%y, %x, %y, %z) : (!llvm.ptr, i64, i64, i64) -> ()
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"\"",
           "chips of the GPU that code is made for, joined by '+'; empty for "
           "the CPU of the host">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// From wrapper
//===----------------------------------------------------------------------===//

def ConvertWrapperToLLVMPass
    : Pass<"convert-wrapper-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn host programs into LLVM functions over the runtime";
  let description = [{
    Every `wrapper.func @f` becomes `llvm.func @coil_f(run, inputs, outputs)`,
    which returns a status (coil/Runtime/HostABI.h): it checks the inputs, binds
    the symbols, and calls the runtime for every step; the first call that
    fails ends it with its status. The run owns all memory, so that nothing
    leaks then. Sizes are computed once, where they are first needed; a size
    that overflows is an out-of-memory status.

    The function carries what a caller needs to know: `coil.signature`, its type
    over tensors, `coil.input_attrs`, the attributes of its arguments, and the
    attributes of the `wrapper.func`, `sym.symbols` among them.

    Regions become blocks that join with the addresses of buffers, bools, floats
    and the values of symbols as arguments. A private function that is called
    takes tensors as an entry point does; it trusts its caller for what the
    verifier has checked, and writes the sizes of its results where the caller
    says.

    A program of more than `max-steps` steps (inputs, operations, those in
    regions too, and results) is cut into parts of about equal length,
    `coil_f.part<i>(run, inputs, outputs, frame)`, since the time of some of
    LLVM's passes grows faster than the function. An operation with regions is
    never cut. `coil_f` calls them in turn, until one fails. What a later part
    needs goes through the frame: one slot of 8 bytes for each symbol, and for
    each value from the part that makes it to the last that uses it. Each part
    lies in a module of its own, marked `coil.host_part`, so that parts are
    compiled in parallel.

    Kernels stay in their `wrapper.kernel`, from now on under the symbol
    `<name>.module`, as those who launch a kernel declare its function under
    its own name.

    Constraints:
    (C1) Kernels were lowered for their device: `total` and `grain` are set.
    (C2) Devices are registered, and can do what the program asks of them.
    (C3) Operations are of the dialect, or `arith` on scalars.
    (C4) What is passed to a function on a device that wants its inputs aligned
         begins where its storage does.

    Before:
    ```mlir
    wrapper.func @main(%x: !b) -> !b {
      %0 = wrapper.alloc : !b
      wrapper.launch @neg_0[] ins(%x : !b) outs(%0 : !b)
      wrapper.return %0 : !b
    }
    ```
    After:
    ```mlir
    llvm.func @coil_main(%run: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) -> i32 {
      ...
      %status = llvm.call @coil_rt_alloc(%run, %bytes, %slot) : (!llvm.ptr, i64, !llvm.ptr) -> i32
      ...
    }
    ```
  }];
  let options = [
    Option<"maxSteps", "max-steps", "unsigned", /*default=*/"256",
           "Most steps in one function of a host program">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // COIL_CONVERSION_PASSES_TD
