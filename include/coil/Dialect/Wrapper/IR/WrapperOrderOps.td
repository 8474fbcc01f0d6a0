//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that has been started: collectives and their memory, streams, events.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERORDEROPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERORDEROPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperCallOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def Wrapper_CollectiveOp : Wrapper_CallOp<"collective", [
    DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface,
        ["getCallOutputs", "getCallResults"]>,
    DeclareOpInterfaceMethods<Wrapper_InPlaceOpInterface>]> {
  let summary = "start work that all ranks of a group do together";
  let description = [{
    Starts a collective of the process group that is registered under a name
    (`coil/Runtime/Collectives.h`), and goes on. The token stands for what has
    been started; `wrapper.wait` ends it. Until then `source` may be read and
    `target` written: nothing else may write the one, or touch the other.

    * `all_reduce`: `target` is the elements of all ranks' sources, combined.
    * `all_gather`: `target` has the sources of all ranks, one after another.
    * `reduce_scatter`: the sources are combined, and cut along the first
      dimension into one piece for each rank.
    * `all_to_all`: each rank cuts its source into one piece for each rank, and
      gets one from each. `splits` are the rows of these pieces, of the source and
      of the target; without, they are of one size.
    * `broadcast`: `target` is the source of the rank `root`.

    Every rank starts the same collectives of a group in the same order, so starts
    keep theirs. Nothing but data orders them with anything else.

    (C1) The group has a name without line feeds.
    (C2) `all_reduce` and `reduce_scatter` say how elements are combined, and no
         others; `broadcast` names a root, which is not negative, and no others;
         only `all_to_all` has splits.
    (C3) Both buffers are contiguous, on one device, and have one element type.
    (C4) The sizes of `all_reduce` and `broadcast` are equal; those of others are
         but for the first.
    (C5) There are as many splits of the source as of the target, at least one;
         they mention symbols only, and are not negative where they are constant.
    (C6) Bools are not combined; `avg` takes floats.

    Example:
    ```mlir
    %t = wrapper.collective all_reduce sum %x to %y group "0" : !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    %u = wrapper.collective all_to_all %a to %b splits [1, s0] to [2, 2] group "0" : !wrapper.buffer<[s0 + 1, 4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4, 4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_CollectiveKind:$kind,
                       OptionalAttr<Wrapper_CollectiveReduce>:$reduce,
                       Wrapper_Buffer:$source, Wrapper_Buffer:$target,
                       OptionalAttr<I64Attr>:$root,
                       OptionalAttr<Sym_ShapeAttr>:$source_splits,
                       OptionalAttr<Sym_ShapeAttr>:$target_splits,
                       StrAttr:$group);
  let results = (outs Wrapper_Token:$token);
  let assemblyFormat = [{
    $kind ($reduce^)? $source `to` $target (`root` $root^)?
    (`splits` custom<ExprList>($source_splits)^ `to`
    custom<ExprList>($target_splits))? `group` $group attr-dict
    `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    /// "all_reduce sum of group '0'".
    std::string describe();
  }];
}

def Wrapper_WaitOp : Wrapper_CallOp<"wait", [
    DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface,
        ["getCallOutputs"]>]> {
  let summary = "wait for a collective";
  let description = [{
    After this op the collective has read its source and written its target. It
    names both again, since they are in use up to here: so whatever knows what
    ops do to their operands knows how long a collective has its buffers.

    On a GPU this is an order of the device's work, and the host goes on.

    `wrapper-verify-memory` checks that every path from a collective comes to one
    `wrapper.wait` of its token, and that nothing in between disturbs it.

    (C1) The token is that of a `wrapper.collective` of these buffers.

    Example:
    ```mlir
    wrapper.wait %t of %x to %y : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  // The token comes last: the others are arguments of a call.
  let arguments = (ins Wrapper_Buffer:$source, Wrapper_Buffer:$target,
                       Wrapper_Token:$token);
  let assemblyFormat = [{
    $token `of` $source `to` $target attr-dict
    `:` type($source) `to` type($target)
  }];
  let extraClassDeclaration = [{
    /// What is waited for.
    CollectiveOp getCollective() {
      return getToken().getDefiningOp<CollectiveOp>();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Communication buffers
//===----------------------------------------------------------------------===//

def Wrapper_CommAllocOp : Wrapper_Op<"comm_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate memory that a process group communicates from";
  let description = [{
    Allocates a buffer in memory that a group is quicker with: `registered` with
    its transport, or `symmetric`, at the same offset on all ranks, each of which
    reaches that of the others. A group that has no such memory gives ordinary
    one. `wrapper.comm_free` ends its life, in the same block; it is never handed
    over, reused, or part of a pool.

    (C1) The group has a name without line feeds.
    (C2) The number of bytes is constant: it is the same on all ranks.
    (C3) The buffer is contiguous.

    Example:
    ```mlir
    %0 = wrapper.comm_alloc symmetric group "0" : !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins Wrapper_CommKind:$kind, StrAttr:$group);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "$kind `group` $group attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Wrapper_CommFreeOp : Wrapper_Op<"comm_free", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "free a communication buffer";
  let description = [{
    Gives a communication buffer back to its group.

    (C1) The operand is the result of `wrapper.comm_alloc`.

    Example:
    ```mlir
    wrapper.comm_free %0 : !wrapper.buffer<[64], f32, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    CommAllocOp getAllocation() {
      return getSource().getDefiningOp<CommAllocOp>();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

def Wrapper_StreamOp : Wrapper_Op<"stream", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "put work on another stream of a device";
  let description = [{
    What the region starts works on a side stream of the device, in the order of
    the region, concurrently with what is outside. The main stream of a program is the
    caller's. Only events order streams: nothing waits at the begin or at the end
    of the region.

    Storage is allocated and freed in the order of the main stream, outside of
    these regions. So a side stream waits for an event of the main one before it
    touches a buffer, and the main one for an event of the side stream before the
    buffer is freed or touched. `wrapper-verify-memory` checks this, and that the
    main stream has waited for all others at the end of each block.

    A device that has one stream runs the region where it is.

    (C1) The region has no arguments and ends in `wrapper.yield` of nothing.
    (C2) The number of the stream is from 1 to 31.
    (C3) Its ops are launches, library calls, collectives, copies, views,
         constants, events and debugging, on buffers of the device.

    Example:
    ```mlir
    %e = wrapper.record_event #wrapper.device<"cuda">
    wrapper.stream #wrapper.device<"cuda"> 1 {
      wrapper.wait_event %e
      wrapper.launch @double[s0] ins(%x : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>) outs(%y : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
      wrapper.yield
    }
    ```
  }];
  let arguments = (ins Wrapper_DeviceAttr:$device, I64Attr:$number);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    qualified($device) $number attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Wrapper_RecordEventOp : Wrapper_Op<"record_event", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "record an event in a stream";
  let description = [{
    The token stands for everything that a stream has been given before: the side
    stream `stream`, or else the current one, which is that of the
    `wrapper.stream` around the op, or the main one. One `wrapper.wait_event` uses
    it, on every path.

    (C1) A side stream that is named is one from 1 to 31, and the op is outside of
         `wrapper.stream`.

    Example:
    ```mlir
    %e = wrapper.record_event #wrapper.device<"cuda">
    %f = wrapper.record_event #wrapper.device<"cuda"> stream 1
    ```
  }];
  let arguments = (ins Wrapper_DeviceAttr:$device,
                       OptionalAttr<I64Attr>:$stream);
  let results = (outs Wrapper_Token:$token);
  let assemblyFormat = "qualified($device) (`stream` $stream^)? attr-dict";
  let hasVerifier = 1;
}

def Wrapper_WaitEventOp : Wrapper_Op<"wait_event", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "let a stream wait for an event of another";
  let description = [{
    What the current stream is given after this op begins when the event has
    happened. The host does not wait. `uses` names buffers that the work before
    the event has: they live up to here.

    (C1) The token is that of a `wrapper.record_event`.
    (C2) All buffers are on its device.

    Example:
    ```mlir
    wrapper.wait_event %e uses(%x : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
    ```
  }];
  let arguments = (ins Wrapper_Token:$token,
                       Variadic<Wrapper_Buffer>:$uses);
  let assemblyFormat = [{
    $token (`uses` `(` $uses^ `:` type($uses) `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    RecordEventOp getEvent() {
      return getToken().getDefiningOp<RecordEventOp>();
    }
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERORDEROPS_TD
