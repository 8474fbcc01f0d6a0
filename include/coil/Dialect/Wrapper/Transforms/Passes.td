//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on host programs, in alphabetical order; those that plan memory are in
// MemoryPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_TD
#define COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "coil/Dialect/Wrapper/Transforms/MemoryPasses.td"

def WrapperAnnotateCostsPass
    : Pass<"wrapper-annotate-costs", "::mlir::ModuleOp"> {
  let summary = "state what each step has to move and compute at least";
  let description = [{
    Gives each launch and each library call a `wrapper.cost`: bytes and
    operations, as expressions over the symbols of the function. Those of a
    launch are counted in the body of its kernel, which must therefore still be
    a value function; launches of kernels that were converted stay as they are.

    Bytes are the least that the step moves: every element of an operand that is
    read, and every element of a result, once. Where an address is computed from
    data (a gather), every point of the space counts as an element, up to the
    size of the operand. A buffer that a launch is given twice is read once.
    Operations are those of the body, each as often as there are points that it
    varies over; a matrix multiplication has `2 * m * n * k`, attention four for
    each visible pair of rows and column of the heads (half of them on either
    side), a convolution two for each element of the result and of its window.

    Nothing is computed from it but reports: `coil-run --per-kernel` runs this
    pass.

    Example:
    ```mlir
    wrapper.launch @add_0[s0] ins(%x, %y : !b, !c) outs(%0 : !b) {wrapper.cost = #wrapper.cost<bytes = <s0 * 8 + 4>, flops = <s0>>}
    ```
  }];
}

def WrapperApplyTuningRecordsPass
    : Pass<"wrapper-apply-tuning-records", "::mlir::ModuleOp"> {
  let summary = "give kernels the schedules that measuring found";
  let description = [{
    Reads a file of tuning records, which `coil-tune` writes, and replaces the
    schedule of each kernel whose hash is in it. A selector decides by a model of
    the chip; the record says what was faster on the chip itself. Runs behind the
    selection of schedules for all devices, as the hash covers the strides of
    buffers. A remark at each kernel says what was measured.

    Records of other targets and versions are passed over; one remark says how
    many. A file that cannot be read, or has a line that is no record, is an
    error, as is a record whose kernel cannot have its schedule:
    (C1) The schedule of a record is an attribute that can be parsed and is a schedule.
    (C2) It is of the same kind as the one that was selected.
    (C3) The kernel is valid with it.

    Before:
    ```mlir
    %0 = loop.kernel "exp" [4096] (%a = %x) : ... schedule<vector_width = 16, grain = 64> {
    ```
    After, with a record of the kernel:
    ```mlir
    %0 = loop.kernel "exp" [4096] (%a = %x) : ... schedule<vector_width = 16, unroll = 4, grain = 16> {
    ```
  }];
  let options = [
    Option<"fileName", "file", "std::string", /*default=*/"\"\"",
           "the file of tuning records">,
    Option<"codeOptions", "code-options", "std::string", /*default=*/"\"\"",
           "options that change the code of kernels: part of the target that "
           "records are for">];
  let dependentDialects = ["::coil::loop::LoopDialect",
                           "::coil::target::TargetDialect"];
}

def WrapperAssertAlignmentPass
    : Pass<"wrapper-assert-alignment", "::mlir::ModuleOp"> {
  let summary = "check where inputs and results of calls begin";
  let description = [{
    Puts a `wrapper.assert_aligned` for each input of a public function that is
    no weight after what checks its layout, and one for each result of a host
    function or method after the call.

    Constraints:
    (C1) The alignment is a power of two.

    Before:
    ```mlir
    wrapper.func @main(%x: !b {coil.name = "x"}) -> !b {
    ```
    After:
    ```mlir
    wrapper.func @main(%x: !b {coil.name = "x"}) -> !b {
      wrapper.assert_aligned %x to 64, "x" : !b
    ```
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", /*default=*/"64",
           "The bytes that addresses have to be a multiple of">];
}

def WrapperReleaseInputsPass
    : Pass<"wrapper-release-inputs", "::mlir::ModuleOp"> {
  let summary = "release inputs after their last use";
  let description = [{
    Puts a `wrapper.drop` after the last use of each input of a public function
    and of each bound object; before the first step for one that nothing
    uses, but for what binds symbols and checks layouts. In a branch or loop the
    last use is the whole of it; in a guard of a device or a range it is the op
    itself. Weights are kept by who loads them.

    Runs after planning, which adds uses.

    Before:
    ```mlir
    wrapper.func @main(%x: !b, %y: !b) -> !b {
      wrapper.assert_layout %x, "x" : !b
      wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
      wrapper.launch @exp_1[] ins(%0 : !b) outs(%1 : !b)
    ```
    After:
    ```mlir
    wrapper.func @main(%x: !b, %y: !b) -> !b {
      wrapper.assert_layout %x, "x" : !b
      wrapper.drop %y : !b
      wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
      wrapper.drop %x : !b
      wrapper.launch @exp_1[] ins(%0 : !b) outs(%1 : !b)
    ```
  }];
}

def WrapperExpandResizesPass
    : Pass<"wrapper-expand-resizes", "::coil::wrapper::FuncOp"> {
  let summary = "allocate storage that is resized anew";
  let description = [{
    A `wrapper.resize_storage` of storage that the function owns becomes an
    allocation and a copy of the elements that stay; planning ends the old one.
    Tensors of the caller are resized by who owns them.

    Constraints:
    (C1) Memory of the function is not planned.

    Before:
    ```mlir
    %1 = wrapper.resize_storage %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
    ```
    After:
    ```mlir
    %1 = wrapper.alloc : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
    %2 = wrapper.reinterpret %1 at <0> : !wrapper.buffer<[8], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    wrapper.copy %0 to %2 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
}

def WrapperHoistWeightsPass
    : Pass<"wrapper-hoist-weights", "::mlir::ModuleOp"> {
  let summary = "compute what depends on weights alone once";
  let description = [{
    A weight that is brought into another layout, converted or folded with
    another gives the same buffer at every run. The steps that make such buffers
    move from a function `@f` to a new one, `@f.prepare`, which takes the weights
    and returns the buffers; `@f` takes these as weights, named `f.prepare:0` and
    so on, in place of weights that nothing else reads. Who loads the program
    runs `@f.prepare` once for a set of weights (`CompiledProgram` does).

    A buffer moves when its size is a constant, one step writes it, that step
    has no other effect, reads only weights that the function does not change,
    literals and such buffers, and makes no more bytes than it reads, or at most 64 KiB. Each is a remark.

    Constraints:
    (C1) Functions are not planned yet; one that has `wrapper.memory` stays as
         it is.
    (C2) What a function returns, passes to a region or gives away is its own
         and stays where it is.

    Before:
    ```mlir
    wrapper.func @main(%x: !x, %w: !w {graph.weight = "w"}) -> !y {
      %0 = wrapper.alloc : !v
      wrapper.launch @transpose_0[] ins(%w : !w) outs(%0 : !v)
      %1 = wrapper.alloc : !y
      wrapper.launch @use_1[] ins(%x, %0 : !x, !v) outs(%1 : !y)
      wrapper.return %1 : !y
    }
    ```
    After:
    ```mlir
    wrapper.func @main(%x: !x, %v: !v {graph.weight = "main.prepare:0"}) -> !y {
      %0 = wrapper.alloc : !y
      wrapper.launch @use_1[] ins(%x, %v : !x, !v) outs(%0 : !y)
      wrapper.return %0 : !y
    }
    wrapper.func @main.prepare(%w: !w {graph.weight = "w"}) -> !v {
      %0 = wrapper.alloc : !v
      wrapper.launch @transpose_0[] ins(%w : !w) outs(%0 : !v)
      wrapper.return %0 : !v
    }
    ```
  }];
}

def WrapperInsertDebugValuesPass
    : Pass<"wrapper-insert-debug-values", "::mlir::ModuleOp"> {
  let summary = "show the values around steps";
  let description = [{
    Puts a `wrapper.debug_value` for what a launch or library call reads in front
    of it, and one for what it writes after it; and at the beginning of each
    public function one for every input that is not a weight. With
    `values=names` there are no values, only a `wrapper.debug_mark` before and
    after. With `values=nan` and `values=finite` there are only values of floats
    that are inputs or after a step, which stop the program; with the handle
    they name the location in the source. With `values=hook` there is a
    `wrapper.hook` after each step, for each buffer that it writes, and nothing
    else. Steps are called by their handles (`CallHandles`).

    With `ends` there are only the inputs of public functions and their results,
    before the return.

    `filter` restricts all of it but the inputs to the steps whose kernel or
    handle matches one of the patterns, which "+" separates: `softmax*+relu_0:3`.

    Values are shown by every emitter that can express the two ops, and by the
    interpreter. Nothing else of the program changes; GPU programs are not kept
    as graphs, and wait at each value.

    Constraints:
    (C1) `values` is `names`, `print`, `save`, `nan`, `finite` or `hook`.
    (C2) The patterns are well formed.
    (C3) `ends` is not for `names` and `hook`, which are about steps.

    Runs after planning, so that what is shown is what lies in the planned
    storage, before it is reused.

    Before:
    ```mlir
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    ```
    After:
    ```mlir
    wrapper.debug_value print before "relu_0:0" "in0" %x : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    wrapper.debug_value print after "relu_0:0" "out0" %0 : !b
    ```
  }];
  let options = [
    Option<"values", "values", "std::string", /*default=*/"\"print\"",
           "'print', 'save', 'nan', 'finite', 'hook', or 'names' for marks alone">,
    Option<"filter", "filter", "std::string", /*default=*/"\"\"",
           "Patterns of kernels and handles, separated by '+'; all if empty">,
    Option<"ends", "ends", "bool", /*default=*/"false",
           "Only inputs and results of the program">];
}

def WrapperInsertProfileMarksPass
    : Pass<"wrapper-insert-profile-marks", "::mlir::ModuleOp"> {
  let summary = "put ranges for profilers around calls";
  let description = [{
    Puts the body of each public function into one `wrapper.profile_range` with
    the function's name. With `calls` there is also one around each call of a
    library or of a host function, with its handle; kernels have names of their
    own in profiles.

    The last pass of the stage: an op with regions is never cut into parts, so a
    long program becomes one function.

    Before:
    ```mlir
    wrapper.func @main(%x: !b) -> !b {
      %0 = wrapper.alloc : !b
      wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
      wrapper.return %0 : !b
    }
    ```
    After:
    ```mlir
    wrapper.func @main(%x: !b) -> !b {
      %r = wrapper.profile_range "main" -> (!b) {
        %0 = wrapper.alloc : !b
        wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
        wrapper.yield %0 : !b
      }
      wrapper.return %r : !b
    }
    ```
  }];
  let options = [
    Option<"calls", "calls", "bool", /*default=*/"false",
           "Also ranges around calls of libraries and host functions">];
}

def WrapperLoadKernelsPass
    : Pass<"wrapper-load-kernels", "::mlir::ModuleOp"> {
  let summary = "read the PTX that user-defined kernels name";
  let description = [{
    Puts the text of the file that a kernel names with `wrapper.ptx_file` into
    the kernel. `coil-compile`, `coil-run` and the libraries do so when they
    load a program, where names begin at the program's own folder.

    Constraints:
    (C1) The file can be read.

    Before:
    ```mlir
    wrapper.kernel @axpb() attributes {wrapper.ptx_file = "axpb.ptx", ...} {}
    ```
    After:
    ```mlir
    wrapper.kernel @axpb() attributes {ptx = ".version 8.1\0A...", ...} {}
    ```
  }];
  let options = [
    Option<"folder", "folder", "std::string", /*default=*/"\".\"",
           "where names of files begin">];
}

def WrapperMapOperatorsPass
    : Pass<"wrapper-map-operators", "::mlir::ModuleOp"> {
  let summary = "substitute user-defined kernels for operators of a framework";
  let description = [{
    Reads a file of `wrapper.kernel`s, `wrapper.grid`s and private functions with
    the attribute `wrapper.operator`. A call of that operator becomes the steps of
    the function: tensors are its arguments in order (names agree where both have
    them), results the allocations that it returns. Its symbols are what the
    sizes of the call say; where their ranges are not known to hold, the program
    checks them. Integers of the call are symbols of the same names that the
    function binds with `wrapper.sym_expr`, floats replace arguments of launches
    that `wrapper.numbers` names (`{eps = 4 : i64}`); both have the value in the
    function where the call has none. `wrapper.when = {mode = "plain"}` restricts a
    function to calls with that value. Of several functions for an operator, on
    the device of the call, the first that fits is taken; if there are some and
    none fits, that is an error with the reason for each.

    Constraints, of the file:
    (C1) A function for an operator is private.
    (C2) It returns what it allocates, each once.
    (C3) It has no regions, calls and frees.
    (C4) `wrapper.numbers` names arguments of launches that are floats.

    Before:
    ```mlir
    wrapper.extern_call_out "mylib::scale"(%x, 3.0) outs(%y : !b) names ["x", "factor"] : !b
    ```
    After:
    ```mlir
    wrapper.launch_user @scale grid @scale_grid[s0] config {} arguments [unit, 3.0 : f32, unit, #sym.expr<s0>]
        ins(%x : !b) outs(%y : !b)
    ```
  }];
  let dependentDialects = ["::coil::graph::GraphDialect",
                           "::coil::wrapper::WrapperDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fileName", "file", "std::string", /*default=*/"\"\"",
           "The file: text or bytecode of MLIR">];
}

def WrapperMoveHostCallsPass
    : Pass<"wrapper-move-host-calls", "::mlir::ModuleOp"> {
  let summary = "call functions of the host on copies of a device's buffers";
  let description = [{
    A call of a function that is registered for the CPU alone works on buffers of
    the host: what it reads is copied there before, and what it writes back
    after it. That costs as much as the bytes, and the host waits for the
    device, so it is done for the functions that `functions` names, and nothing
    else; `all` stands for those that this process has not registered for the
    device. Each call that is moved has a warning with its bytes.

    Runs before planning, which decides about the copies' storage.

    Constraints:
    (C1) A buffer that the function writes is contiguous, and shares its storage
         with no other operand.
    (C2) Memory of the function is not planned.

    Before:
    ```mlir
    wrapper.extern_call_out "a::f"(%x) outs(%y : !g) : !g
    ```
    After:
    ```mlir
    %0 = wrapper.alloc : !h
    wrapper.transfer %x to %0 : !g to !h
    %1 = wrapper.alloc : !h
    wrapper.extern_call_out "a::f"(%0) outs(%1 : !h) : !h
    wrapper.transfer %1 to %y : !h to !g
    ```
  }];
  let dependentDialects = ["::coil::wrapper::WrapperDialect"];
  let options = [
    Option<"functions", "functions", "std::string", /*default=*/"\"\"",
           "Names of functions, with '+' between, or 'all'">];
}

def WrapperOutlinePartitionsPass
    : Pass<"wrapper-outline-partitions", "::mlir::ModuleOp"> {
  let summary = "make functions of partitions";
  let description = [{
    Each `wrapper.partition` becomes a private function and a
    `wrapper.partition_call`. The signature is that of the region: the storage
    that it uses, the symbols that it mentions, and no others. Storage that ends
    in the region is consumed; in a function whose memory is not planned, that
    is what the function owns, has in the same block and does not use after the
    region. Storage from outside that the region writes and that lives on is
    consumed and returned. Views, tensor maps and literals are made again
    inside.

    Constraints:
    (C1) Storage from outside that a region writes or ends is owned in the block
         of the region, and is not part of a pool. A region uses no pool from
         outside.

    Before:
    ```mlir
    %1 = wrapper.partition #wrapper.device<"cuda"> -> (!b) {
      %2 = wrapper.alloc : !b
      wrapper.launch @exp_0[s0] ins(%0 : !b) outs(%2 : !b)
      wrapper.yield %2 : !b
    }
    ```
    After:
    ```mlir
    %1 = wrapper.partition_call @main_partition0(%0) symbols [s0] consumes [0] : (!b) -> !b
    ...
    wrapper.func private @main_partition0(%0: !b {wrapper.consumed}) -> !b {
      wrapper.param_symbols ["s0"]
      ...
    ```
  }];
}

def WrapperPartitionGraphPass
    : Pass<"wrapper-partition-graph", "::mlir::ModuleOp"> {
  let summary = "find what a device can capture in graphs";
  let description = [{
    Colours the ops of each block: what works on buffers of one device of kind
    `device` and leaves the host nothing to decide can be captured. All else
    cannot, and a remark at the op says why. A run of ops that can becomes a
    `wrapper.partition` if it has at least `min-ops` launches, library calls and
    copies. A function all of whose steps can be captured stays as it is, since
    whoever runs it can keep the call as a whole, unless `whole` is set.

    First, ops of blocks whose memory is not planned are put into another order,
    if that leaves fewer runs and no more than `peak-percent` of the peak that
    planning expects of the order of the program: steps of one colour as long as
    there is one whose turn has come, then those of another. Data, symbols and
    checks keep ops in order; a check of symbols comes before what mentions one
    of them. Allocations and views go to their first uses.

    With `collectives`, a `wrapper.collective` is a step, too, and goes into a
    partition together with its `wrapper.wait`. This has to be asked for: a
    process group that cannot be recorded costs the whole partition its graph.

    Constraints:
    (C1) What uses a pool stays outside: partition first, then plan.
    (C2) What writes or ends storage from outside of a branch or a loop stays
         outside.
    (C3) A collective whose wait is not in the same run stays outside, and so
         does the wait.

    Before:
    ```mlir
    wrapper.launch @count_0[] ins(%x : !x) outs(%n : !n)
    wrapper.launch @exp_1[] ins(%x : !x) outs(%0 : !x)
    wrapper.item "u0" = %n : !n
    ```
    After:
    ```mlir
    %r:2 = wrapper.partition #wrapper.device<"cuda"> -> (!n, !x) {
      %n = wrapper.alloc : !n
      wrapper.launch @count_0[] ins(%x : !x) outs(%n : !n)
      %0 = wrapper.alloc : !x
      wrapper.launch @exp_1[] ins(%x : !x) outs(%0 : !x)
      wrapper.yield %n, %0 : !n, !x
    }
    wrapper.item "u0" = %r#0 : !n
    ```
  }];
  let options = [
    Option<"device", "device", "std::string", "\"cuda\"",
           "Kind of the devices that keep graphs">,
    Option<"minOps", "min-ops", "unsigned", "2",
           "Fewest launches, library calls and copies of a partition">,
    Option<"maxOps", "max-ops", "unsigned", "0",
           "Most launches, library calls and copies of a partition; 0: any "
           "number">,
    Option<"peakPercent", "peak-percent", "unsigned", "110",
           "Largest peak of another order, in percent of the program's; 0 keeps "
           "the order">,
    Option<"lateSizes", "late-sizes", "bool", "true",
           "Capture what mentions symbols that are read from elements">,
    Option<"whole", "whole", "bool", "false",
           "Make partitions of functions that can be captured as a whole, too">,
    Option<"collectives", "collectives", "bool", "false",
           "Capture collectives and their waits">];
}

def WrapperHoistDeviceGuardsPass
    : Pass<"wrapper-hoist-device-guards", "::mlir::ModuleOp"> {
  let summary = "hoist device guards: select the device of all steps once";
  let description = [{
    Puts the block of a function, from the first op that works on a device, into
    one `wrapper.device_scope`, so that calls need not each make the device
    current. Functions stay as they are that call no partition, or that work on
    several devices which have to be selected. One partition that is all there
    is on the device selects it itself.

    Before:
    ```mlir
    %0 = wrapper.partition_call @main_partition0(%x) : (!b) -> !b
    wrapper.item "u0" = %0 : !b
    %1 = wrapper.partition_call @main_partition1(%x) symbols [u0] : (!b) -> !c
    wrapper.return %1 : !c
    ```
    After:
    ```mlir
    %r = wrapper.device_scope #wrapper.device<"cuda"> -> (!c) {
      %0 = wrapper.partition_call @main_partition0(%x) : (!b) -> !b
      wrapper.item "u0" = %0 : !b
      %1 = wrapper.partition_call @main_partition1(%x) symbols [u0] : (!b) -> !c
      wrapper.yield %1 : !c
    }
    wrapper.return %r : !c
    ```
  }];
}

def WrapperSinkWaitsPass : Pass<"wrapper-sink-waits", "::mlir::ModuleOp"> {
  let summary = "overlap collectives with other work";
  let description = [{
    Moves each `wrapper.wait` down to the first op that needs what it waits for,
    or to the end of its block, and each `wrapper.collective` up to the last op
    that it needs, allocations of its target with it. Starts keep their order, and
    a start does not pass a wait for another collective, as what runs at a time
    should not grow without bounds.

    What is in use between the two lives longer. A move that would raise the peak
    of the function, which is the lower bound that `wrapper-plan-memory` reports,
    above `peak-percent` of what it was is not made; a remark at the op says so.
    Another says for each collective how many steps run concurrently with it.

    Functions whose memory was planned stay as they are. Runs before
    `wrapper-plan-memory`, on the module, as it reads the kernels that the
    functions launch. In the pipelines that build host programs.

    Before, and after, where the kernel runs concurrently with the collective:
    ```mlir
    %t = wrapper.collective all_reduce sum %x to %y ...    %t = wrapper.collective all_reduce sum %x to %y ...
    wrapper.wait %t of %x to %y ...                        wrapper.launch @other[] ins(%z) outs(%0) ...
    wrapper.launch @other[] ins(%z) outs(%0) ...           wrapper.wait %t of %x to %y ...
    wrapper.launch @use[] ins(%y) outs(%1) ...             wrapper.launch @use[] ins(%y) outs(%1) ...
    ```

    Constraints:
    (C1) `peak-percent` is not negative.
  }];
  let options = [
    Option<"peakPercent", "peak-percent", "int64_t", /*default=*/"110",
           "How much of the peak memory there may be afterwards, in percent">];
}

def WrapperSpecializeSizesPass
    : Pass<"wrapper-specialize-sizes", "::mlir::ModuleOp"> {
  let summary = "choose among schedules of a kernel by the sizes of a run";
  let description = [{
    A kernel's schedule is selected at the hints of its symbols. This pass selects
    two more, at a symbol's hint divided by `factor` and times `factor`, by running
    `scheduler` on copies of the kernel. A copy whose schedule is another one becomes a
    variant, and each launch of the kernel becomes a branch: a small variant
    up to the hint over the root of `factor`, a large one above the hint times
    it, and otherwise the kernel itself. The variants know the range of the sizes for which they
    run. Of a kernel with several symbols the first that gives a variant decides.

    It runs behind memory planning, since launches in branches are planned less
    well, and before the order of launches is used. Other launches stay as they are.

    Before:
    ```mlir
    wrapper.launch @sum[s0] ins(%x : !b) outs(%0 : !c)
    ```
    After:
    ```mlir
    %p = wrapper.compare <4096> lt <s0>
    wrapper.if %p : i1 {
      wrapper.launch @sum_large[s0] ins(%x : !b) outs(%0 : !c)
      wrapper.yield
    } else {
      wrapper.launch @sum[s0] ins(%x : !b) outs(%0 : !c)
      wrapper.yield
    }
    ```
  }];
  let options = [
    Option<"factor", "factor", "int64_t", "16",
           "how far from a hint the sizes of variants are">,
    Option<"scheduler", "scheduler", "std::string", "\"\"",
           "the passes that select a schedule for a kernel">];
}

def WrapperUseGeneratorPass
    : Pass<"wrapper-use-generator", "::mlir::ModuleOp"> {
  let summary = "draw random numbers from the run's generator";
  let description = [{
    A public function that is passed the state of the random generator
    (`graph.random_state`) reads it from the run's generator instead
    (`wrapper.rng_state`), and moves that by what it draws before it returns
    (`wrapper.rng_advance`). The argument is gone. Where branches and loops draw,
    the function gives the state that it ends with as a result; the generator is
    moved to that, and the result is gone, too.

    With `always=false` only functions that have such a result are changed.

    Runs before planning.

    Before:
    ```mlir
    wrapper.func @main(%x: !b, %s: !wrapper.buffer<[2], i64, #wrapper.device<"cpu">> {graph.random_state = #sym.expr<8>}) -> !b {
      wrapper.launch @dropout_0[] ins(%x, %s : ...) outs(%0 : !b)
      wrapper.return %0 : !b
    }
    ```
    After:
    ```mlir
    wrapper.func @main(%x: !b) -> !b {
      %s = wrapper.rng_state : !wrapper.buffer<[2], i64, #wrapper.device<"cpu">>
      wrapper.launch @dropout_0[] ins(%x, %s : ...) outs(%0 : !b)
      wrapper.rng_advance by <8>
      wrapper.return %0 : !b
    }
    ```
  }];
  let options = [
    Option<"always", "always", "bool", /*default=*/"true",
           "Also functions that say before they run how much they draw">];
}

#endif // COIL_DIALECT_WRAPPER_TRANSFORMS_PASSES_TD
