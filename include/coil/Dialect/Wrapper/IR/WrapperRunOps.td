//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect that reach what a run has around the program:
// the caller's references, profilers, hooks.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERRUNOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERRUNOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_NoteResource : Resource<"::coil::wrapper::DebugResource">;
def Wrapper_OutsideResource : Resource<"::coil::wrapper::HostResource">;

def Wrapper_DropOp : Wrapper_Op<"drop", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "release a buffer or object that the program does not own";
  let description = [{
    Nothing after this op uses the argument or the object. Memory of the caller
    cannot be freed or reused here; but who holds it for the call alone can let
    go of it now: in Python the name ends, and with it the last reference if the
    caller has donated its list; natively and in C++ the run calls what the
    caller has set for that input (`coil_run_set_input_release`), and gives an
    object's reference back. On a GPU steps that use the input may still be
    queued: it is free in the order of the run's stream.

    `wrapper-release-inputs` puts it after the last use of each input, and in front
    of the first step for inputs that nothing uses.

    (C1) The operand is an object, or an argument of a public function that is
         no destination.

    That nothing uses the buffer after the op is for `wrapper-verify-memory`.

    Example:
    ```mlir
    wrapper.drop %x : !wrapper.buffer<[s0, 4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Wrapper_Buffer, Wrapper_Object]>:$source);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Wrapper_CommentOp : Wrapper_Op<"comment", [
    MemoryEffects<[MemWrite<Wrapper_NoteResource>]>]> {
  let summary = "a line for whoever reads the program";
  let description = [{
    Text emitters write it as a comment at its position. Nothing happens at run
    time, and graphs have none.

    (C1) The text is one line, and not empty.

    Example:
    ```mlir
    wrapper.comment "attention of layer 3"
    ```
  }];
  let arguments = (ins StrAttr:$text);
  let assemblyFormat = "$text attr-dict";
  let hasVerifier = 1;
}

def Wrapper_ProfileRangeOp : Wrapper_Op<"profile_range", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run a region under a name that profilers show";
  let description = [{
    Runs its region in place, in a range of this name: of NVTX where that is on
    and in traces of the run, natively and in C++; `record_function` in Python and in
    graphs. The range ends also when the region fails.

    Symbols that ops of the region bind are visible after it.

    (C1) The region has no arguments, ends in `wrapper.yield` without symbols,
         and yields values of exactly the results' types.
    (C2) The name is one line, and not empty.

    Example:
    ```mlir
    %r = wrapper.profile_range "encoder" -> (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
      %0 = wrapper.alloc : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
      wrapper.copy %x to %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
      wrapper.yield %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Variadic<AnyTypeOf<[Wrapper_Buffer, I1, F64]>>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`->` `(` type($results)^ `)`)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

/// A function of the runtime, called as host functions are.
class Wrapper_RuntimeCallOp<string mnemonic, list<Trait> traits = []>
    : Wrapper_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Wrapper_AssertAlignedOp : Wrapper_RuntimeCallOp<"assert_aligned"> {
  let summary = "fail unless a buffer begins at a multiple of some bytes";
  let description = [{
    Stops the program when the address of the buffer's first element is no
    multiple of `alignment`. `name` is what the message calls the buffer. The
    runtime's function `coil::assert_aligned` does it. Inputs that kernels need
    aligned are copied where they are not; this is for code that relies on more
    than that: functions that are called, and callers of the program.

    `wrapper-assert-alignment` checks inputs and the results of calls.

    (C1) The alignment is a power of two.
    (C2) The name is one line, and not empty.

    Example:
    ```mlir
    wrapper.assert_aligned %x to 64, "x" : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$buffer, I64Attr:$alignment,
                       StrAttr:$name);
  let assemblyFormat = [{
    $buffer `to` $alignment `,` $name attr-dict `:` type($buffer)
  }];
}

def Wrapper_HookOp : Wrapper_RuntimeCallOp<"hook"> {
  let summary = "show a buffer to whoever watches the run";
  let description = [{
    Calls the run's hook (`coil_run_set_hook`), if it has one, with the step's
    handle, the name of the value, the location in the model and the buffer, which
    the hook reads and does not write. A hook that fails stops the program. The
    runtime's function `coil::hook` does it.

    `wrapper-insert-debug-values{values=hook}` puts one after each step, for
    each buffer that it writes.

    (C1) Step and value have names without line feeds.

    Example:
    ```mlir
    wrapper.hook "relu_0:3" "out0" %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$step, StrAttr:$name, Wrapper_Buffer:$buffer);
  let assemblyFormat = "$step $name $buffer attr-dict `:` type($buffer)";
}

def Wrapper_DebugNumberOp : Wrapper_RuntimeCallOp<"debug_number"> {
  let summary = "print a number that a step is given";
  let description = [{
    Writes a line to the standard error: the moment, the step's handle, the name
    and the value, which is an expression over symbols, a bool or a float. The
    runtime's function `coil::debug_number` does it.

    `wrapper-insert-debug-values{values=print}` puts them before each step, for the
    symbols and scalars that it is given, and at the begin for the symbols of
    inputs.

    (C1) There is either an expression or a value.
    (C2) The expression mentions symbols only.
    (C3) Step and number have names without line feeds.

    Example:
    ```mlir
    wrapper.debug_number before "relu_0:3" "s0" = <s0 * 2>
    wrapper.debug_number before "mylib::scale:0" "f" of %f : f64
    ```
  }];
  let arguments = (ins Wrapper_DebugMoment:$moment, StrAttr:$step,
                       StrAttr:$name, OptionalAttr<Sym_ExprAttr>:$number,
                       Optional<AnyTypeOf<[I1, F64]>>:$value);
  let assemblyFormat = [{
    $moment $step $name (`=` $number^)? (`of` $value^ `:` type($value))? attr-dict
  }];
  let extraClassDeclaration = [{
    /// "before relu_0:3 - s0": how the runtime calls the number.
    std::string getLabel();
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERRUNOPS_TD
