//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that plan the memory of host programs and check it, in alphabetical
// order.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_TRANSFORMS_MEMORYPASSES_TD
#define COIL_DIALECT_WRAPPER_TRANSFORMS_MEMORYPASSES_TD

include "mlir/Pass/PassBase.td"

def WrapperDropInPlacePass
    : Pass<"wrapper-drop-in-place", "::mlir::ModuleOp"> {
  let summary = "forget where kernels could have worked in place";
  let description = [{
    Until memory is planned a kernel lists the inputs that an output may lie
    over. After that the pairs that no launch has the same storage for are
    dropped: a kernel that overwrites nothing may read memory around its
    elements, and its loads may be reordered with its stores.

    Constraints:
    (C1) A kernel that anything but launches refers to keeps its pairs.

    Before, if no launch of the kernel writes over input 1:
    ```mlir
    wrapper.kernel @add(...) attributes {in_place = array<i64: 0, 0, 1, 0>, ...}
    ```
    After:
    ```mlir
    wrapper.kernel @add(...) attributes {in_place = array<i64: 0, 0>, ...}
    ```
  }];
}

def WrapperExpandWorkspacesPass
    : Pass<"wrapper-expand-workspaces", "::coil::wrapper::FuncOp"> {
  let summary = "make allocations and fills of workspaces";
  let description = [{
    A `wrapper.workspace` becomes a `wrapper.alloc`, after which `wrapper.fill`
    writes zeros with `on_call`. Those of one name with `per_graph` become one
    allocation, filled once, before the op of the function's own block that
    the first of them is in: so a loop fills it once.

    Runs before planning, which decides where and how long memory lives.

    Constraints:
    (C1) Workspaces of one name have one type.
    (C2) The size of a workspace `per_graph` is known where it is allocated: it
         mentions no symbol that a region binds.
    (C3) Memory of the function is not planned.

    Before:
    ```mlir
    %0 = wrapper.workspace on_call : !b
    ```
    After:
    ```mlir
    %0 = wrapper.alloc : !b
    wrapper.fill %0 bytes 0 : !b
    ```
  }];
}

def WrapperFitMemoryPass : Pass<"wrapper-fit-memory", "::mlir::ModuleOp"> {
  let summary = "plan memory within a budget";
  let description = [{
    Plans as `wrapper-plan-memory` does, in the mode that is asked for. If the
    peak of a public function is above `budget`, tries the other means that need
    less: pools, then pools of the steps in another order
    (`wrapper-reorder-for-memory`), and then, since that costs time at run time,
    the same with steps that are repeated (`wrapper-recompute-for-memory`). What
    is tried, and the peak that it has, is a remark; the first that fits is kept.
    If none does, that is an error at each function above the budget, which names
    the least peak that was reached, how, the peak of the plan that was asked
    for, the step where most is in use, and the largest buffers there: nothing is
    run that is known not to fit.

    Peaks are bytes at the hints of the symbols, rounded to the alignment of the
    device, as `wrapper.memory` reports them. They count what the program
    allocates, results among it; inputs and weights are the caller's.

    Constraints:
    (C1) `budget` is positive, and `mode` is one of `wrapper-plan-memory`.
    (C2) Functions are not planned yet.

    Example, in a module with buffers of 1 MB:
    ```
    error: function 'main' needs at least 3145728 bytes (planned in pools), above the budget of 2000000 bytes; planned as asked for it needs 4194304 bytes
    note: most is in use here
    note: 1048576 bytes for this buffer
    ```
  }];
  let options = [
    Option<"budget", "budget", "int64_t", /*default=*/"0",
           "Bytes that a public function may have allocated at once">,
    Option<"mode", "mode", "std::string", /*default=*/"\"reuse\"",
           "The mode to try first, as in wrapper-plan-memory">];
}

def WrapperPassDestinationsPass
    : Pass<"wrapper-pass-destinations", "::mlir::ModuleOp"> {
  let summary = "write results into memory of the caller";
  let description = [{
    Gives a function an argument for each of its results
    (`wrapper.destination`), named as the result is (`coil.name`) or `out0` and
    so on, and no results. What was allocated for a result is the argument then,
    so the step that made the result writes it to its destination: where an output
    lies is decided here, in the IR, and nothing is copied after. What has its
    storage elsewhere (a view, an argument, a result of a branch, a loop or a
    call, one buffer that is returned twice) is copied, with a remark.

    Destinations are contiguous, whatever the strides of the results.

    With `suffix` the function stays as it is, and a copy with this after its
    name is changed. With `array-entry` the function is marked for the C++
    emitter as one that takes arrays (`wrapper.array_entry`).

    Constraints:
    (C1) Functions are not planned yet; one that has `wrapper.memory` is an
         error.
    (C2) The module has the public function.
    (C3) Sizes of results are expressions over symbols of inputs: the caller must
         know them. Others are an error at the result.
    (C4) With `array-entry`, all sizes and strides of arguments and results are
         constants, arguments are contiguous, and all lies on the CPU.

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
    wrapper.func @main(%x: !b, %out0: !b {coil.name = "out0", wrapper.destination}) {
      wrapper.assert_layout %out0, "out0" : !b
      wrapper.launch @relu_0[] ins(%x : !b) outs(%out0 : !b)
      wrapper.return
    }
    ```
  }];
  let dependentDialects = ["::coil::loop::LoopDialect"];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"main\"",
           "The function to change">,
    Option<"suffix", "suffix", "std::string", /*default=*/"\"\"",
           "Change a copy with this after its name">,
    Option<"arrayEntry", "array-entry", "bool", /*default=*/"false",
           "Mark the function as one that takes arrays in C++">];
}

def WrapperPromoteToStackPass
    : Pass<"wrapper-promote-to-stack", "::mlir::ModuleOp"> {
  let summary = "put small storage on the stack of the host program";
  let description = [{
    An allocator costs more than a small kernel. Pools of constant size go to the
    stack (`wrapper.pool stack`), and so do single allocations of constant size
    whose life ends in their own block, as pools of one buffer: smaller ones
    first, `limit` bytes for each function in all. Each decision is a remark.
    The count of allocations in `wrapper.memory` follows.

    Only devices whose memory the stack of the host can be (`DeviceInfo`) have it.
    Functions that are called in turn each have their own limit. Storage that a
    region yields, that a function returns or that a call consumes is the
    business of others, and stays.

    Constraints:
    (C1) Functions that are not planned stay as they are.
    (C2) Functions with checks of lives (`wrapper.check_lifetime`) stay as they
         are: these count allocations.

    Before:
    ```mlir
    %0 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    wrapper.launch @sum_1[] ins(%0 : !b) outs(%1 : !c)
    wrapper.free %0 : !b
    ```
    After:
    ```mlir
    %p = wrapper.pool stack <256> : !p
    %0 = wrapper.pool_alloc %p at <0> : !p to !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    wrapper.launch @sum_1[] ins(%0 : !b) outs(%1 : !c)
    wrapper.pool_release %0 : !b
    wrapper.pool_free %p : !p
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"16384",
           "Bytes of each function's storage that may be on the stack">];
}

def WrapperPlanMemoryPass : Pass<"wrapper-plan-memory", "::mlir::ModuleOp"> {
  let summary = "plan memory: when storage is freed and reused";
  let description = [{
    Frees every buffer right after its last use, that of a view included. That is
    all in mode `none`. In the modes `reuse` and `pool` storage that is free
    becomes another buffer's, of the same device and the same symbolic number of
    bytes (so `s0 * 4` never stands for `s1 * 4`, even where the hints agree):

    * in place, when the op that writes the new buffer reads the old one for the
      last time and may write over it (`InPlaceOpInterface`);
    * later, when keeping the storage until then does not raise the peak.

    Between the two, mode `pool` carves buffers of any sizes from few allocations
    (`wrapper.pool`), at offsets that are expressions over the symbols. A pool
    lives from the allocation of its first buffer to the end of its last, so all
    of a program's buffers rarely have one; what would raise the peak gets a pool
    of its own or none. A buffer of a size that data says starts a pool after the
    op that binds the size.

    Arguments, literals and results of the function are never freed, reused
    or put into a pool, but for arguments that it consumes. Buffers that nothing
    uses are erased.

    Regions are planned each with a state of its own: storage is reused between
    buffers of one block, and pools are those of one block. What a region uses of
    the outside lives to the end of the op; where one region yields it, the other
    frees it. A function is planned after those that it calls, whose peaks are
    part of its own.

    The attribute `wrapper.memory` of the function reports, in bytes at the
    hints of the symbols, each buffer rounded up to the device's alignment: the
    planned `peak`, and the `lower_bound`, which is the largest sum of buffers
    that are alive at once, two counting as one where an op writes in place. It
    also counts `allocations` (calls of an allocator in the text), `pools` and
    `reuses`. A function that has the attribute was planned before and stays as
    it is. Each decision is a remark.

    Runs on the module, as it reads the kernels that the functions launch.

    Before:
    ```mlir
    %0 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%0 : !b) outs(%1 : !b)
    %2 = wrapper.alloc : !c
    wrapper.launch @sum_1[] ins(%1 : !b) outs(%2 : !c)
    wrapper.return %2 : !c
    ```
    After:
    ```mlir
    %0 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    %1 = wrapper.reuse %0 : !b to !b
    wrapper.launch @relu_0[] ins(%1 : !b) outs(%1 : !b)
    %2 = wrapper.alloc : !c
    wrapper.launch @sum_1[] ins(%1 : !b) outs(%2 : !c)
    wrapper.free %1 : !b
    wrapper.return %2 : !c
    ```
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"reuse\"",
           "'reuse', 'pool', or 'none' for frees only">];
}

def WrapperRecomputeForMemoryPass
    : Pass<"wrapper-recompute-for-memory", "::mlir::ModuleOp"> {
  let summary = "compute values again instead of keeping them";
  let description = [{
    Lowers the peak of each public function to `budget` bytes, as far as that is
    possible, by repeating steps. Where most memory is in use, it looks at the
    buffers that are alive and not used there, which one step wrote and a later
    step reads: a mask, a conversion, an activation that waits for the backward
    pass. The step is repeated directly before the next use, on a new
    buffer, and the old one ends with its last use before. The cheapest for each
    byte that it frees comes first; one that does not lower the peak is not
    taken. A step whose result nothing read before is moved and costs nothing.

    The cost of a step is the bytes that it moves, plus one for every ten
    operations on floats (every hundred of a matrix multiplication of 16-bit
    floats). Operands of the step that are not alive any more are kept for
    longer, if they are less than a quarter of what is freed, or computed again,
    too, in chains of up to eight steps.

    The same kernel or library call runs on the same values, so results are the
    same bits. The peak is the lower bound that `wrapper-plan-memory` reports,
    at the hints of the symbols. A remark states for each value what is freed and
    what it costs. Runs before memory is planned, on the module; functions that
    are called repeat where most is in use in them.

    Constraints. A step is repeated if
    (C1) it is a launch, a call of a library, a copy or a fill, in the block of
         the buffer, and the only one that writes it;
    (C2) no kernel that scatters: the order in which elements are combined may
         differ on a GPU;
    (C3) nothing writes its operands in the meantime, or takes them over.
    Functions with work on several streams stay as they are: events order each
    use. So do functions whose memory is planned.

    Before, with `%m` alive at the launch of `@wide`, and after:
    ```mlir
    wrapper.launch @mask[] ins(%x) outs(%m)      wrapper.launch @mask[] ins(%x) outs(%m)
    wrapper.launch @apply[] ins(%y, %m) ...      wrapper.launch @apply[] ins(%y, %m) ...
    wrapper.launch @wide[] ins(%y) outs(%w)      wrapper.launch @wide[] ins(%y) outs(%w)
    wrapper.launch @sum[] ins(%w) outs(%s)       wrapper.launch @sum[] ins(%w) outs(%s)
                                                 wrapper.launch @mask[] ins(%x) outs(%n)
    wrapper.launch @apply[] ins(%s, %m) ...      wrapper.launch @apply[] ins(%s, %n) ...
    ```
  }];
  let options = [
    Option<"budget", "budget", "int64_t", /*default=*/"0",
           "Bytes that a public function may need; 0: as few as possible">];
}

def WrapperReorderForMemoryPass
    : Pass<"wrapper-reorder-for-memory", "::mlir::ModuleOp"> {
  let summary = "find an order of the steps that needs less memory";
  let description = [{
    Tries three orders of each function and keeps the one with the lowest peak,
    which is the lower bound that `wrapper-plan-memory` reports for it; between
    equal peaks the first of

    * the order of the program;
    * smallest growth first: of the steps that can run, always the one whose
      allocations less what dies with it is least;
    * depth first from the steps that nothing needs, the largest operand first.

    Steps that touch the same storage keep their order unless all read. So do
    those that bind a symbol, and those that mention it. Whatever has an effect
    on anything else (checks, calls) stays where it is, and nothing passes it.
    Allocations, views, literals and scalars come right before the first step that
    needs them. Regions are ordered each by itself.

    A remark states the peaks of all three. Functions whose memory was planned
    stay as they are. Runs before `wrapper-plan-memory`, on the module, as it
    reads the kernels that the functions launch.

    Before, with two large buffers alive at once, and after, with one:
    ```mlir
    wrapper.launch @large[] outs(%0 : !l)       wrapper.launch @large[] outs(%0 : !l)
    wrapper.launch @large[] outs(%1 : !l)       wrapper.launch @sum[] ins(%0 : !l) outs(%2 : !s)
    wrapper.launch @sum[] ins(%0 : !l) ...      wrapper.launch @large[] outs(%1 : !l)
    wrapper.launch @sum[] ins(%1 : !l) ...      wrapper.launch @sum[] ins(%1 : !l) outs(%3 : !s)
    ```
  }];
}

def WrapperTrackLifetimesPass
    : Pass<"wrapper-track-lifetimes", "::mlir::ModuleOp"> {
  let summary = "check the memory plan while the program runs";
  let description = [{
    Inserts a `wrapper.check_lifetime` after each launch, library call, copy,
    call and branch, after the ends of lives that follow it: what the plan says
    is allocated there, and that nothing else is which the function had. So a
    later pass, an emitter or a runtime that frees too early, or never, is found
    at the step where that happens, and by the buffer's name, which is that of
    the memory report.

    In a region that ends the life of storage from outside, which other regions
    of the op may not, checks are not exact: they only say what is alive.

    Constraints:
    (C1) Functions that are not planned have no plan to check and stay as they
         are.

    For debugging: each check lists all that is alive. GPU programs with checks
    are not captured in CUDA graphs.

    Before:
    ```mlir
    %0 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    wrapper.return %0 : !b
    ```
    After:
    ```mlir
    wrapper.check_lifetime begin "begin" []
    %0 = wrapper.alloc : !b
    wrapper.launch @relu_0[] ins(%x : !b) outs(%0 : !b)
    wrapper.check_lifetime exact "relu_0:0" ["b0"] (%0) : !b
    wrapper.return %0 : !b
    ```
  }];
}

def WrapperUpdateInputsPass
    : Pass<"wrapper-update-inputs", "::mlir::ModuleOp"> {
  let summary = "compute the final values of inputs in their own memory";
  let description = [{
    A program that changes an input, a buffer or a parameter returns the value
    that this tensor has in the end (`coil.user_input_mutation`,
    `coil.buffer_mutation`, `coil.parameter_mutation`), and the caller copies the
    result to the tensor. For the cache of an attention layer that is two copies
    of the cache to change one row; for an optimizer step it is one more pass over
    all parameters and their state, and as much memory again. This pass lets the
    steps write to the argument itself, which is marked (`wrapper.updated`). The
    function still returns it, so a caller compares addresses: where the run had
    to give the function a copy of the argument, of another layout or because
    another argument shares its memory, the result is that copy, and is copied
    back as before.

    Runs before memory is planned, when each allocation still has one use, on
    the module, as it reads the kernels that the functions launch. A remark names
    each argument that is updated, or says why it is not.

    Constraints. An argument keeps its value, and the result its allocation, unless
    (C1) the result is an allocation of the function's own block; nothing else
         returns, frees or takes over its storage or the argument's;
    (C2) it has the bytes, element type and layout of the argument, whose
         elements lie without gaps and do not overlap;
    (C3) the argument has no alignment of its own (`coil.alignment`): kernels
         write results at a multiple of 16 bytes;
    (C4) no step reads the argument after the step that first writes the result.
         That step may read it if it may work in place on the two
         (`InPlaceOpInterface`);
    (C5) neither is used on a stream of its own, and the step that first writes
         the result is no collective. A collective that reads the argument ends
         before;
    (C6) memory of the function is not planned yet;
    (C7) without `weights`, the argument is no weight.

    Before:
    ```mlir
    wrapper.func @main(%cache: !b {coil.name = "cache"}, %new: !n) -> (!b {coil.user_input_mutation = "cache"}) {
      %0 = wrapper.alloc : !b
      wrapper.copy %cache to %0 : !b
      wrapper.launch @index_put_0[] ins(%0, %new : !b, !n) outs(%0 : !b)
      wrapper.return %0 : !b
    ```
    After:
    ```mlir
    wrapper.func @main(%cache: !b {coil.name = "cache", wrapper.updated}, %new: !n) -> (!b {coil.user_input_mutation = "cache"}) {
      wrapper.launch @index_put_0[] ins(%cache, %new : !b, !n) outs(%cache : !b)
      wrapper.return %cache : !b
    ```
  }];
  let options = [
    Option<"weights", "weights", "bool", /*default=*/"true",
           "Update buffers and parameters, too">];
}

def WrapperVerifyMemoryPass
    : Pass<"wrapper-verify-memory", "::mlir::ModuleOp"> {
  let summary = "check that the memory plan is right";
  let description = [{
    Follows the storage of every buffer through each function. It is an error
    (C1) to use a buffer after it was freed, dropped or its storage reused,
    (C2) to free or drop a buffer twice,
    (C3) to free or give away what the function does not own, or through a view,
    (C4) to leave a buffer neither freed, reused nor returned, in the block
         that defines it,
    (C5) to write to an argument that is neither a destination nor updated, or to
         a literal, or to return their storage, unless it is updated,
    (C6) to write a buffer through one operand of an op and to read or write it
         through another, unless `InPlaceOpInterface` allows it, or to hand
         storage over that another operand shows,
    (C7) to read or return a buffer that nothing has written on every path,
    (C8) to end the life of storage in one region of a `wrapper.if` only,
    (C9) to end the life of storage from outside in a loop,
    (C10) to carve bytes from a pool that another buffer, which is alive, has,
    (C11) to carve a buffer outside of its pool, or at an offset that is not a
          multiple of the device's alignment,
    (C12) to free a pool while a buffer that was carved from it is alive,
    (C13) to return or pass on a buffer that was carved from a pool, or belongs
         to a process group,
    (C14) to return before a destination was written on every path,
    (C15) to read what a collective may still write, or to write, free or hand
         over what it may still use,
    (C16) to wait twice for what was started, or in a loop for what was started
         outside,
    (C17) to start what a path of the block does not wait for,
    (C18) to use a buffer on a stream that no event orders after another
         stream's use of it, allocations and ends being those of the main stream,
    (C19) to end a block before the main stream has waited for what other streams
         do in it,
    (C20) to launch a kernel on a buffer of another device than its own, which is the
         host for a kernel that names none, and
    (C21) to give a library buffers of two devices.
    Offsets are expressions: what cannot be shown for all values of the symbols
    is an error of (C10) and (C11), too.

    Regions transfer the ownership of what they yield; arguments that the function consumes are
    its own.

    Runs on the module, as it reads the kernels that the functions launch.
  }];
}

#endif // COIL_DIALECT_WRAPPER_TRANSFORMS_MEMORYPASSES_TD
