//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that change what storage a tensor has.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERSTORAGEOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERSTORAGEOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_ResizeStorageOp : Wrapper_Op<"resize_storage", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "give a tensor storage of another size";
  let description = [{
    The storage of `source` gets the bytes that the result takes, as
    `inductor.resize_storage_bytes_` does: its first elements stay, as many as
    fit, and nothing is known of others. The result is the buffer from here on;
    `source` and its views are dead, since the storage may lie elsewhere.

    Storage that the program owns is allocated anew: `wrapper-expand-resizes`
    makes an allocation and a copy of the op, before memory is planned. An
    argument of a public function stays the caller's: in Python its tensor's
    storage is resized; natively and in C++ the run's caller says how with
    `coil_run_set_input_storage`, without which the program stops with an error
    that names the input.

    (C1) Source and result have the same element type and device.
    (C2) Both are contiguous.
    (C3) The source is no view, and not carved from a pool, and not memory of
         the caller of a private function or for a result.

    Example:
    ```mlir
    %1 = wrapper.resize_storage %x : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[0], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source);
  let results = (outs Wrapper_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Wrapper_SetStorageOp : Wrapper_Op<"set_storage", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "give a tensor of the caller the storage of another one";
  let description = [{
    The caller's tensor `target` has the storage and the layout of the caller's
    tensor `source` from here on, as `aten.set_.source_Tensor` does. In the
    program `target` and its views are dead: `source` shows the elements. In
    Python `Tensor.set_` does it; natively and in C++ the run's caller says how,
    as for `wrapper.resize_storage`.

    (C1) Both are arguments of a public function that are no destinations, and
         not the same one.
    (C2) Both have the same element type and device.

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
