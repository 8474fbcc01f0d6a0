//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that manage storage.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERMEMORYOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERMEMORYOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Wrapper_AllocOp : Wrapper_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate a buffer";
  let description = [{
    Allocates storage for the result on its device. Nothing is known of the
    elements until an op writes them.

    (C1) The strides of the result are not negative where they are constant.

    Example:
    ```mlir
    %0 = wrapper.alloc : !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Wrapper_ConstantOp : Wrapper_Op<"constant", [Pure]> {
  let summary = "buffer of literal elements";
  let description = [{
    A buffer whose elements are part of the program. It is never written, freed
    or reused.

    (C1) The result is contiguous, and has the sizes and the element type of
         the value.

    Example:
    ```mlir
    %0 = wrapper.constant dense<[1.0, 2.0]> : tensor<2xf32> to !wrapper.buffer<[2], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "$value attr-dict `to` type($result)";
  let hasVerifier = 1;
}

def Wrapper_FreeOp : Wrapper_Op<"free", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "free a buffer";
  let description = [{
    Ends the life of a buffer that `wrapper.alloc` or `wrapper.reuse` made.
    `wrapper-verify-memory` checks that this is right.

    (C1) The operand is not an argument of the function, unless that consumes it.
    (C2) The operand is not carved from a pool.
    (C3) The operand is no communication buffer.

    Example:
    ```mlir
    wrapper.free %0 : !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Wrapper_ReuseOp : Wrapper_Op<"reuse", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "hand the storage of a dead buffer to a new one";
  let description = [{
    The result occupies the storage of `source`, with its own sizes, strides
    and element type; `source` is dead after this op.

    (C1) `source` and the result are on the same device.
    (C2) `source` and the result take the same number of bytes.
    (C3) `source` is not an argument of the function, unless that consumes it.
    (C4) `source` is no communication buffer.

    Example:
    ```mlir
    %1 = wrapper.reuse %0 : !wrapper.buffer<[8, 4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[32], i32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Wrapper_ReinterpretOp : Wrapper_Op<"reinterpret", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "view of a buffer with other sizes and strides";
  let description = [{
    The result refers to the elements of `source` from element `offset` on. It
    does not own them: the storage lives as long as `source`'s.

    (C1) Element type and device stay the same.
    (C2) The offset mentions symbols only.
    (C3) Of an allocation, no element is beyond its end, where sizes, strides
         and offset are constants.

    Example:
    ```mlir
    %1 = wrapper.reinterpret %0 at <4> : !wrapper.buffer<[2, 4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source, Sym_ExprAttr:$offset);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = [{
    $source `at` $offset attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Wrapper_CopyOp : Wrapper_Op<"copy", [
    AllTypesMatch<["source", "target"]>,
    DeclareOpInterfaceMethods<Wrapper_InPlaceOpInterface>]> {
  let summary = "copy the elements of a buffer";
  let description = [{
    Copies all elements from one buffer to another of the same type. A copy
    that changes the layout is a kernel. Between two names of one storage there
    is nothing to copy.

    (C1) The buffers are contiguous.

    Example:
    ```mlir
    wrapper.copy %x to %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Arg<Wrapper_Buffer, "", [MemRead]>:$source,
                       Arg<Wrapper_Buffer, "", [MemWrite]>:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Wrapper_FillOp : Wrapper_Op<"fill"> {
  let summary = "set all bytes of a buffer";
  let description = [{
    Sets each byte of the buffer's storage to one value. With zero, every element
    of every type is zero or false.

    (C1) The buffer is contiguous.
    (C2) The value is from 0 to 255.

    Example:
    ```mlir
    wrapper.fill %0 bytes 0 : !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Arg<Wrapper_Buffer, "", [MemWrite]>:$target,
                       I64Attr:$value);
  let assemblyFormat = "$target `bytes` $value attr-dict `:` type($target)";
  let hasVerifier = 1;
}

def Wrapper_WorkspaceOp : Wrapper_Op<"workspace", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "workspace: memory that a step needs in addition to its operands";
  let description = [{
    Memory for a kernel or a library: counters, partial results. `zero` says what
    is in it:

    * `uninitialized`: anything;
    * `on_call`: zeros, each time that the op runs;
    * `per_graph`: zeros when the function begins, and whoever uses it leaves
      zeros after. All workspaces of a function with the same `name` are one.

    `wrapper-expand-workspaces` makes allocations and fills of it, before memory is
    planned; until then the op means the same. Planning and emission know no
    workspaces.

    (C1) The buffer is contiguous.
    (C2) With `per_graph` there is a name, otherwise there is none.

    Example:
    ```mlir
    %0 = wrapper.workspace on_call : !wrapper.buffer<[64], i32, #wrapper.device<"cuda">>
    %1 = wrapper.workspace per_graph "semaphores" : !wrapper.buffer<[64], i32, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins Wrapper_ZeroMode:$zero, OptionalAttr<StrAttr>:$name);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "$zero ($name^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

def Wrapper_PoolOp : Wrapper_Op<"pool", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate memory to carve buffers from";
  let description = [{
    Allocates `bytes` on the device of the result's type, in one call of the
    device's allocator. Ends with `wrapper.pool_free`, in the same block.

    With `stack` the memory is part of the frame of the function, and no
    allocator is called. `wrapper-promote-to-stack` decides this. It is a matter of
    where, not of what: an emitter whose language has no such memory allocates.

    (C1) `bytes` mentions symbols only.
    (C2) `bytes` is not negative where it is constant.
    (C3) On the stack, `bytes` is constant.

    Example:
    ```mlir
    %p = wrapper.pool <s0 * 256 + 64> : !wrapper.pool<#wrapper.device<"cpu">>
    %q = wrapper.pool stack <4096> : !wrapper.pool<#wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$bytes, UnitAttr:$on_stack);
  let results = (outs Wrapper_Pool:$result);
  let assemblyFormat = "(`stack` $on_stack^)? $bytes attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$type,
                                 "::coil::sym::ExprAttr":$bytes), [{
    build($_builder, $_state, type, bytes, /*on_stack=*/false);
  }]>];
  let hasVerifier = 1;
}

def Wrapper_PoolAllocOp : Wrapper_Op<"pool_alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "carve a buffer from a pool";
  let description = [{
    The result begins `offset` bytes after the pool does. It is a buffer like
    one that `wrapper.alloc` makes, and can be reused with `wrapper.reuse`,
    but it stays in its function and its block: `wrapper.pool_release` ends its
    life. Nothing is known of the elements until an op writes them.

    That the buffer is inside of the pool, on an address that suits the device,
    and shares no byte with another one that is alive, is what
    `wrapper-verify-memory` checks.

    (C1) `offset` mentions symbols only.
    (C2) The pool and the result are on the same device.
    (C3) The strides of the result are not negative where they are constant.

    Example:
    ```mlir
    %0 = wrapper.pool_alloc %p at <s0 * 256> : !wrapper.pool<#wrapper.device<"cpu">> to !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Pool:$pool, Sym_ExprAttr:$offset);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = [{
    $pool `at` $offset attr-dict `:` type($pool) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Wrapper_PoolReleaseOp : Wrapper_Op<"pool_release", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "end the life of a buffer that was carved from a pool";
  let description = [{
    From here on the buffer's bytes may be carved again. Nothing happens at run
    time.

    (C1) The operand is carved from a pool, or took over the storage of a buffer
         that was.

    Example:
    ```mlir
    wrapper.pool_release %0 : !wrapper.buffer<[16], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Wrapper_PoolFreeOp : Wrapper_Op<"pool_free", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "free a pool";
  let description = [{
    Gives the memory of a pool back. No buffer that was carved from it may be
    alive.

    Example:
    ```mlir
    wrapper.pool_free %p : !wrapper.pool<#wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Pool:$pool);
  let assemblyFormat = "$pool attr-dict `:` type($pool)";
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERMEMORYOPS_TD
