//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that move elements from one device to another.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERTRANSFEROPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERTRANSFEROPS_TD

include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_TransferOp : Wrapper_Op<"transfer"> {
  let summary = "copy the elements of a buffer to another device";
  let description = [{
    Copies all elements of `source` to `target`, which is on another device.
    After the op the source may be written and freed, and a target on the host
    be read: who runs a program orders the copy with what the devices do. A copy
    to a device makes nobody wait, nor does one from a GPU to another; one to the
    host waits for the device.

    With `non_blocking` host memory may be read until the run is
    synchronised, so a source of the caller's must not change before: this is
    what a framework's option of that name promises. Without, the elements are
    taken before the op ends.

    Within a device there is `wrapper.copy`, which graphs can hold; they never
    hold a transfer.

    (C1) Both buffers have the same sizes and element type.
    (C2) The buffers are on different devices.
    (C3) The target is contiguous.
    (C4) With `non_blocking`, the target is not on the CPU: nobody would know
         when it may be read.

    Example:
    ```mlir
    wrapper.transfer %x to %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> to !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins Arg<Wrapper_Buffer, "", [MemRead]>:$source,
                       Arg<Wrapper_Buffer, "", [MemWrite]>:$target,
                       UnitAttr:$non_blocking);
  let assemblyFormat = [{
    $source `to` $target (`non_blocking` $non_blocking^)? attr-dict
    `:` type($source) `to` type($target)
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERTRANSFEROPS_TD
