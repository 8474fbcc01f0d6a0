//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that show what a program does while it runs.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERDEBUGOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERDEBUGOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_DebugResource : Resource<"::coil::wrapper::DebugResource">;

class Wrapper_DebugOp<string mnemonic> : Wrapper_Op<mnemonic, [
    MemoryEffects<[MemWrite<Wrapper_DebugResource>]>]> {
  let hasVerifier = 1;
}

def Wrapper_DebugMarkOp : Wrapper_DebugOp<"debug_mark"> {
  let summary = "say that the program is here";
  let description = [{
    Writes a line to the standard error: the moment and the handle of a step.
    On a GPU this is when the step is queued, not when it runs.

    (C1) The step has a name without line feeds.

    Example:
    ```mlir
    wrapper.debug_mark before "relu_0:3"
    ```
  }];
  let arguments = (ins Wrapper_DebugMoment:$moment, StrAttr:$step);
  let assemblyFormat = "$moment $step attr-dict";
  let extraClassDeclaration = [{
    /// "before relu_0:3".
    std::string getLabel();
  }];
}

def Wrapper_DebugValueOp : Wrapper_DebugOp<"debug_value"> {
  let summary = "print, save or check a buffer";
  let description = [{
    `print` writes a line to the standard error: type and sizes, the number of
    elements and bytes, least, greatest, mean and standard deviation of the
    numbers among them, how many are NaN or infinite; and the elements, if they
    are at most 64. `save` writes a NumPy file into a directory that is found
    when the program runs: `COIL_DEBUG_VALUES_DIR`, or `coil-debug-values` where
    it runs. `nan` stops the program at a float that is NaN, `finite` also at one
    that is infinite: the message says which value, where in it and how many
    there are. All wait for a GPU to finish what is queued.

    (C1) Step and value have names without line feeds.

    Example:
    ```mlir
    wrapper.debug_value print after "relu_0:3" "out0" %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_DebugAction:$action,
                       Wrapper_DebugMoment:$moment, StrAttr:$step,
                       StrAttr:$name,
                       Arg<Wrapper_Buffer, "", [MemRead]>:$buffer);
  let assemblyFormat = [{
    $action $moment $step $name $buffer attr-dict `:` type($buffer)
  }];
  let extraClassDeclaration = [{
    /// "before relu_0:3 - in0": how the runtime calls the value.
    std::string getLabel();
  }];
}

def Wrapper_CheckLifetimeOp : Wrapper_DebugOp<"check_lifetime"> {
  let summary = "fail unless storage lives as the plan says";
  let description = [{
    Stops the program, with a message that names the step and a buffer, when the
    storage of an operand is not allocated; and, in mode `exact`, when storage
    that an earlier check of the function saw is allocated and no operand has
    it. `begin` forgets what earlier calls of the function saw. `wrapper-track-lifetimes` inserts it;
    it reads nothing of what the buffers hold.

    (C1) There is a name for each operand, without line feeds.
    (C2) The step has a name without line feeds.
    (C3) Operands are not carved from a pool: the pool is what is allocated.

    Example:
    ```mlir
    wrapper.check_lifetime exact "relu_0:3" ["b2"] (%2) : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_CheckMode:$mode, StrAttr:$step,
                       StrArrayAttr:$names,
                       Variadic<AnyTypeOf<[Wrapper_Buffer, Wrapper_Pool]>>:$storage);
  let assemblyFormat = [{
    $mode $step $names (`(` $storage^ `)` `:` type($storage))? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The names with line feeds between them, as the runtime takes them.
    std::string getNameList();
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERDEBUGOPS_TD
