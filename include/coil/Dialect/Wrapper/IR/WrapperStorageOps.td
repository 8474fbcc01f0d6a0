//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that change what storage a tensor of the caller
// has.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERSTORAGEOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERSTORAGEOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_ResizeStorageOp : Wrapper_Op<"resize_storage", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "give a tensor storage of another size";
  let description = [{
    The storage of `source` gets `bytes`, as `inductor.resize_storage_bytes_`
    does: what was in the first of them stays, the rest is unknown. The result
    is the buffer from here on; `source` and all views of it are dead, since the
    storage may lie elsewhere. With zero bytes the storage is gone, and the
    result is empty.

    An argument of the function stays the caller's, under its new size: in Python
    its tensor's storage is resized. Natively and in C++ a caller says how with
    `coil_run_set_input_resize`; without that the program stops, and the message
    names the input. What the program owns itself is allocated anew.

    (C1) `bytes` mentions symbols only, and is not negative where it is constant.
    (C2) Source and result have the same element type and device.
    (C3) The result takes no more than `bytes`, where both are known.
    (C4) The source is no view, and not carved from a pool.

    Example:
    ```mlir
    %1 = wrapper.resize_storage %0 to <s0 * 8> : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source, Sym_ExprAttr:$bytes);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = [{
    $source `to` $bytes attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
}

def Wrapper_SetStorageOp : Wrapper_Op<"set_storage", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "give a tensor of the caller the storage of another";
  let description = [{
    The caller's tensor `target` has the storage and the layout of `source` from
    here on, as `aten.set_.source_Tensor` does. `target` and its views are dead
    behind the op: `source` is what shows the elements. Whose storage `source`
    was, it now is the caller's: what the function owned is handed over.

    In Python the tensor's `set_` does it. Natively and in C++ a caller says how
    with `coil_run_set_input_resize`; without that the program stops, and the
    message names the input.

    (C1) The target is an argument of a public function that is no destination.
    (C2) Both have the same element type and device.
    (C3) The source is another argument of the function, and no view.

    Example:
    ```mlir
    wrapper.set_storage %x from %y : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[8], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$target, Wrapper_Buffer:$source);
  let assemblyFormat = [{
    $target `from` $source attr-dict `:` type($target) `,` type($source)
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERSTORAGEOPS_TD
