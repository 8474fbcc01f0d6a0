//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of the `wrapper` dialect that are known at run time only.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERNUMBEROPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERNUMBEROPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Sym/IR/SymEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_ItemOp : Wrapper_Op<"item", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read the one element of a buffer on the host";
  let description = [{
    Waits for the buffer's device, and gives the element to the host program. An
    integer binds a symbol, so that types can mention it; a bool binds 0 or 1 the
    same way. As a value, a bool is an `i1` and a float an `f64`: no type needs
    them.

    With `divide_by`, the symbol is the element divided by that number. The run
    fails when it does not divide, or when the symbol is outside its range. A
    symbol without a range is a size, at least zero.

    (C1) The buffer has one element: all sizes are 1.
    (C2) The op binds a symbol or has a result, not both.
    (C3) A symbol is read from an integer or a bool, an `i1` from a bool, and an
         `f64` from a float.
    (C4) `divide_by` is positive, and there with a symbol from an integer only.

    Example:
    ```mlir
    wrapper.item "u0" = %n divide_by 4 : !wrapper.buffer<[], i64, #wrapper.device<"cuda">>
    %p = wrapper.item %b : !wrapper.buffer<[], i1, #wrapper.device<"cpu">> -> i1
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$symbol, Wrapper_Buffer:$source,
                       OptionalAttr<I64Attr>:$divide_by);
  let results = (outs Optional<AnyTypeOf<[I1, F64]>>:$result);
  let assemblyFormat = [{
    ($symbol^ `=`)? $source (`divide_by` $divide_by^)? attr-dict `:`
    type($source) (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def Wrapper_BindSymbolOp : Wrapper_Op<"bind_symbol"> {
  let summary = "bind a symbol to what the result of a call says";
  let description = [{
    Follows a path of keys from the result of a call to a number: its size or
    stride along a dimension, then any number of divisions. The run fails when a
    division has a remainder, or when the symbol is outside its range. The type
    of the result mentions the symbol; that it is right everywhere is checked by
    `wrapper.assert_layout`.

    (C1) `source` is a result of `wrapper.invoke` or `wrapper.extern_call`.
    (C2) The path begins with the size or stride of an existing dimension.
    (C3) All other keys divide, by a positive number.

    Example:
    ```mlir
    wrapper.bind_symbol "u0" = [#wrapper.key<size, 0>, #wrapper.key<divide_by, 2>] of %r : !wrapper.buffer<[u0 * 2], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$symbol,
                       TypedArrayAttrBase<Wrapper_KeyAttr, "list of keys">:$path,
                       Wrapper_Buffer:$source);
  let assemblyFormat = [{
    $symbol `=` $path `of` $source attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

def Wrapper_CompareOp : Wrapper_Op<"compare", [Pure]> {
  let summary = "whether a relation between two expressions holds";
  let description = [{
    Makes a predicate of a relation between symbols, for `wrapper.if` and
    `wrapper.while`. Bools and floats are combined with `arith` operations.

    (C1) The expressions mention symbols only.

    Example:
    ```mlir
    %p = wrapper.compare <u0> lt <s0 * 2>
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$lhs, Sym_Predicate:$predicate,
                       Sym_ExprAttr:$rhs);
  let results = (outs I1:$result);
  let assemblyFormat = "$lhs $predicate $rhs attr-dict";
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERNUMBEROPS_TD
