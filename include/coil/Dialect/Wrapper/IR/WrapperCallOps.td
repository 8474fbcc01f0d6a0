//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of functions that Coil did not compile.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERCALLOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERCALLOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperControlOps.td"
include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Wrapper_CallOp<string mnemonic, list<Trait> traits = []>
    : Wrapper_Op<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<Wrapper_ComputeOpInterface,
            ["getComputeName"]>,
        DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface>], traits)> {
  let hasVerifier = 1;
}

def Wrapper_ExternCallOp : Wrapper_CallOp<"extern_call", [
    Wrapper_GivesLayouts,
    DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface,
        ["getArgumentNames"]>]> {
  let summary = "call a host function that allocates its results";
  let description = [{
    Calls the function that is registered under a name (`coil/Runtime/Functions.h`)
    for the device of the buffers, and gives its results, whose storage the
    program then owns. Arguments are operands, or values that need no op: `none`
    for an optional argument that is absent, integers as expressions in angle
    brackets, floats, bools, strings, element types, and lists of all of these.
    Optional elements of lists are like optional arguments. `names` are those of
    the arguments in the function's schema.

    The function reads its operands, and may write those of `mutates`, by their
    numbers. It may do anything else outside of the program, so that calls keep
    their order.

    A result's sizes may be known to the function only: they are then symbols
    that `wrapper.bind_symbol` binds after the call. `wrapper.assert_layout`
    checks the results. A function that gives a list or a tuple has a result for
    each tensor in it: their number is known, so there are no containers.

    (C1) The name is `namespace::name`.
    (C2) There is a `unit` among the arguments for each operand, and a name for
         each argument if there are names. Integers mention symbols only.
    (C3) All buffers are on one device.
    (C4) `mutates` lists buffers among the operands, in ascending order.

    Example:
    ```mlir
    %n = wrapper.extern_call "mylib::nonzero"(%x, <s0>, none) names ["x", "limit", "out"] : (!wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[u0, 1], i64, #wrapper.device<"cpu">>
    wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>] of %n : !wrapper.buffer<[u0, 1], i64, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$callee, ArrayAttr:$arguments,
                       Variadic<Wrapper_Value>:$inputs,
                       OptionalAttr<StrArrayAttr>:$names,
                       OptionalAttr<DenseI64ArrayAttr>:$mutates);
  let results = (outs Variadic<Wrapper_Buffer>:$results);
  let assemblyFormat = [{
    $callee `` custom<CallArguments>($arguments, $inputs) (`names` $names^)?
    (`mutates` $mutates^)? attr-dict `:` functional-type($inputs, $results)
  }];
}

def Wrapper_ExternCallOutOp : Wrapper_CallOp<"extern_call_out", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Wrapper_HostCallOpInterface,
        ["getArgumentNames", "getCallOutputs"]>,
    DeclareOpInterfaceMethods<Wrapper_InPlaceOpInterface>]> {
  let summary = "call a host function that writes its results into buffers";
  let description = [{
    As `wrapper.extern_call`, but the results go into buffers, which may be views
    of larger ones: planning decides where they are. The function writes all
    their elements. `in_place` lists pairs of an operand and an output, by their
    numbers, that may be the same storage: the function reads an element of the
    operand before it writes that of the output, or not at all.

    (C1) The name is `namespace::name`.
    (C2) There is a `unit` among the arguments for each operand, and a name for
         each argument if there are names. Integers mention symbols only.
    (C3) All buffers are on one device.
    (C4) `mutates` lists buffers among the operands, in ascending order.
    (C5) `in_place` is a list of pairs of an existing operand and output.

    Example:
    ```mlir
    wrapper.extern_call_out "mylib::scale"(%x, 2.0) outs(%y : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) in_place [0, 0] : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$callee, ArrayAttr:$arguments,
                       Variadic<Wrapper_Value>:$inputs,
                       Variadic<Wrapper_Buffer>:$outputs,
                       OptionalAttr<StrArrayAttr>:$names,
                       OptionalAttr<DenseI64ArrayAttr>:$mutates,
                       OptionalAttr<DenseI64ArrayAttr>:$in_place);
  let assemblyFormat = [{
    $callee `` custom<CallArguments>($arguments, $inputs)
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? (`names` $names^)?
    (`mutates` $mutates^)? (`in_place` $in_place^)? attr-dict
    (`:` type($inputs)^)?
  }];
}

def Wrapper_ScatterFallbackOp : Wrapper_CallOp<"scatter_fallback"> {
  let summary = "scatter into a buffer, in order";
  let description = [{
    Writes elements of `source`, or one value, to the elements of `target` that
    `index` gives along `dim`, and combines them with what is there by `reduce`.
    The order is that of the index, row by row: the last of several writes to an
    element counts, and sums are the same on every run. Without what is there
    before the op where `exclude_self` is given. All element types are taken.
    The runtime's function `coil::scatter` does it.

    (C1) There is either a source or a value.
    (C2) `target`, `index` and `source` have the same rank, and `dim` is inside
         it.
    (C3) `source` has the element type of `target`, and `index` is `i32` or
         `i64`.
    (C4) All buffers are on one device.

    Example:
    ```mlir
    wrapper.scatter_fallback %y dim 0 at %i from %x reduce amax : !wrapper.buffer<[4], bf16, #wrapper.device<"cpu">>, !wrapper.buffer<[s0], i64, #wrapper.device<"cpu">>, !wrapper.buffer<[s0], bf16, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$target, I64Attr:$dim,
                       Wrapper_Buffer:$index, Optional<Wrapper_Buffer>:$source,
                       OptionalAttr<AnyAttrOf<[F64Attr, I64Attr, BoolAttr]>>:$value,
                       Wrapper_ScatterReduce:$reduce, UnitAttr:$exclude_self);
  let assemblyFormat = [{
    $target `dim` $dim `at` $index (`from` $source^)? (`value` $value^)?
    `reduce` $reduce (`exclude_self` $exclude_self^)? attr-dict
    `:` type($target) `,` type($index) (`,` type($source)^)?
  }];
}

def Wrapper_IndexPutFallbackOp : Wrapper_CallOp<"index_put_fallback"> {
  let summary = "write to the elements that several indices select, in order";
  let description = [{
    Writes `values` to the elements of `target` that the indices select, or adds
    them there with `accumulate`. Each index is for a dimension, in order; `none`
    selects all of one, and a bool mask takes as many as it has. Indices
    broadcast together; what they select comes first unless they are next to each
    other, and values broadcast to it, as in PyTorch. Negative indices count from
    the end. The order is that of the selection, row by row. The runtime's
    function `coil::index_put` does it.

    (C1) There is a `unit` among the indices for each operand, and all others are
         `none`.
    (C2) There are no more indices than dimensions.
    (C3) `values` has the element type of `target`, and indices are `i32`, `i64`,
         `i1` or `ui8`.
    (C4) All buffers are on one device.

    Example:
    ```mlir
    wrapper.index_put_fallback %y(none, %i) values %v accumulate : !wrapper.buffer<[4, 8], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[4, s0], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[s0], i64, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$target, ArrayAttr:$positions,
                       Variadic<Wrapper_Buffer>:$indices,
                       Wrapper_Buffer:$values, UnitAttr:$accumulate);
  let assemblyFormat = [{
    $target `` custom<CallArguments>($positions, $indices) `values` $values
    (`accumulate` $accumulate^)? attr-dict
    `:` type($target) `,` type($values) (`,` type($indices)^)?
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERCALLOPS_TD
