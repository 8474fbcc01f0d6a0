//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Control flow of the `wrapper` dialect: branches, loops, calls of functions.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERCONTROLOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERCONTROLOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperInterfaces.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Wrapper_Value : AnyTypeOf<[Wrapper_Buffer, I1, F64],
    "buffer, 'i1' or 'f64'">;
def Wrapper_Predicate : AnyTypeOf<[Wrapper_Buffer, I1], "buffer or 'i1'">;

def Wrapper_IfOp : Wrapper_Op<"if", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run one of two regions";
  let description = [{
    Runs the first region if the predicate holds, else the second, and gives
    what that one yields. The predicate is an `i1`, or a buffer of one bool that
    is read when the op begins.

    The regions use buffers from outside as they are. A buffer that a region
    yields changes its owner: the result owns the storage, whichever region ran, so
    that one name has one owner after the op. Storage from outside whose life
    ends in one region must end in the other, too (`wrapper-verify-memory`).

    The symbols of `defines` are bound after the op, to the values that the
    region which ran gives in `symbols` of its `wrapper.yield`. Results mention
    them where sizes differ by branch. What a region binds is visible in it only.

    (C1) A predicate that is a buffer has one element of type `i1`.
    (C2) Each region yields as many symbols as the op defines.
    (C3) Each region yields buffers of the results' types, in which the defined
         symbols stand for the yielded expressions, and other values of exactly
         the results' types.
    (C4) The regions have no arguments and end in `wrapper.yield`.

    Example:
    ```mlir
    %r = wrapper.if %p : i1 defines ["u0"] -> (!wrapper.buffer<[u0], f32, #wrapper.device<"cpu">>) {
      %0 = wrapper.alloc : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
      wrapper.launch @fill_4[] outs(%0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
      wrapper.yield %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> symbols [4]
    } else {
      %0 = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
      wrapper.copy %x to %0 : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
      wrapper.yield %0 : !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">> symbols [s0]
    }
    ```
  }];
  let arguments = (ins Wrapper_Predicate:$predicate,
                       OptionalAttr<StrArrayAttr>:$defines);
  let results = (outs Variadic<Wrapper_Value>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $predicate `:` type($predicate) (`defines` $defines^)?
    (`->` `(` type($results)^ `)`)? attr-dict-with-keyword
    $thenRegion `else` $elseRegion
  }];
  let hasRegionVerifier = 1;
}

def Wrapper_WhileOp : Wrapper_Op<"while", [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
        ["areTypesCompatible", "getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run a region while a condition holds";
  let description = [{
    Carries values from one iteration to the next. The condition region gets
    them and passes them on with `wrapper.condition`: to the body while the
    condition holds, and to the results when it does not. The body yields those
    of the next iteration. With a condition that fails at once, the results are
    the operands.

    The ownership of buffers is transferred at each of these steps. So an operand is dead after
    the op, a body frees what it does not yield, and the storage of a result is
    its own: a program that needs an operand again copies it before. Storage from
    outside can be used in the regions, but its life cannot end there.

    `symbols` are numbers that are carried the same way: each is bound in both
    regions to its value in this iteration, and after the op to the last one.
    They begin with the values of `from`, and the body's `wrapper.yield` gives
    the next ones. Carried buffers may mention them.

    (C1) There are as many expressions in `from` as symbols.
    (C2) Both regions have the results' types as arguments.
    (C3) Operands and what the body yields have these types, in which the
         symbols stand for the expressions of `from` or of the body's
         `wrapper.yield`. What the condition passes on has exactly these types.
    (C4) The first region ends in `wrapper.condition`, the second in
         `wrapper.yield` with as many expressions as symbols.

    Example:
    ```mlir
    %r = wrapper.while %x : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> symbols ["i"] from [0]
        -> (!wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) {
    ^bb0(%a: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>):
      %p = wrapper.compare <i> lt <10>
      wrapper.condition %p pass %a : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    } do {
    ^bb0(%a: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>):
      wrapper.launch @double[] ins(%a : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) outs(%a : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
      wrapper.yield %a : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> symbols [i + 1]
    }
    ```
  }];
  let arguments = (ins Variadic<Wrapper_Value>:$inits,
                       OptionalAttr<StrArrayAttr>:$symbols,
                       OptionalAttr<Sym_ShapeAttr>:$from);
  let results = (outs Variadic<Wrapper_Value>:$results);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    ($inits^ `:` type($inits))?
    (`symbols` $symbols^ `from` custom<ExprList>($from))?
    (`->` `(` type($results)^ `)`)? attr-dict-with-keyword
    $condition `do` $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Wrapper_YieldOp : Wrapper_Op<"yield", [
    Pure, Terminator, ParentOneOf<["KernelOp", "IfOp", "WhileOp", "PartitionOp",
                                   "DeviceScopeOp", "ProfileRangeOp", "StreamOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "what a region gives";
  let description = [{
    Ends the region of a `wrapper.if`, `wrapper.partition`,
    `wrapper.device_scope`, `wrapper.profile_range` or `wrapper.stream`, or the
    body of a `wrapper.while`: names
    what the op's results, or the values of the next iteration, receive, and in
    `symbols` the values of the symbols that the op binds. Storage is handed
    over. In a `wrapper.kernel` in value form, names the values that the kernel's
    outputs receive.

    (C1) The values of a kernel are tensors, and there are no symbols. The
         values of other regions are no tensors.
    (C2) The expressions mention symbols only.

    Example:
    ```mlir
    wrapper.yield %0 : tensor<4xf32>
    wrapper.yield %b : !wrapper.buffer<[n], f32, #wrapper.device<"cpu">> symbols [n + 1]
    ```
  }];
  let arguments = (ins
      Variadic<AnyTypeOf<[AnyRankedTensor, Wrapper_Buffer, I1, F64]>>:$values,
      OptionalAttr<Sym_ShapeAttr>:$symbols);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values),
      "build($_builder, $_state, values, ::coil::sym::ShapeAttr());">];
  let assemblyFormat = [{
    ($values^ `:` type($values))? (`symbols` custom<ExprList>($symbols)^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

def Wrapper_ConditionOp : Wrapper_Op<"condition", [
    Pure, Terminator, HasParent<"WhileOp">,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "go on with a loop or leave it";
  let description = [{
    Ends the condition of a `wrapper.while`. The values go to the body if the
    predicate holds, else to the results; the ownership of their storage is transferred. A
    predicate in a buffer is read by `wrapper.item` before, so that the buffer's
    life can end in the region.

    Example:
    ```mlir
    wrapper.condition %p pass %a : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins I1:$predicate, Variadic<Wrapper_Value>:$values);
  let assemblyFormat = [{
    $predicate (`pass` $values^ `:` type($values))? attr-dict
  }];
}

def Wrapper_InvokeOp : Wrapper_Op<"invoke", [
    Wrapper_GivesLayouts,
    DeclareOpInterfaceMethods<CallOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call a function of the module";
  let description = [{
    Runs another host program on buffers and gives its results, whose storage
    this function then owns. `consumes` lists the operands that are consumed:
    they are dead after the op, and the callee frees, reuses or returns their
    storage. Which these are is part of the callee (`wrapper.consumed` on its
    arguments), so that one plan of its memory fits all its calls.

    The callee binds its own symbols to what it is passed, and checks the rest,
    as at an entry point. Sizes of results that are not expressions over the
    caller's symbols are symbols that `wrapper.bind_symbol` binds after the
    call; `wrapper.assert_layout` checks the results.

    (C1) The callee is a `wrapper.func` of the module, private, and takes no
         symbols (`wrapper.param_symbols`).
    (C2) There are as many operands and results as the callee has.
    (C3) Ranks, element types and devices are those of the callee's signature.
    (C4) `consumes` lists exactly the operands whose arguments the callee
         consumes.

    Example:
    ```mlir
    %0 = wrapper.invoke @norm(%x, %y) consumes [1] : (!wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>, !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>) -> !wrapper.buffer<[s0], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Wrapper_Buffer>:$operands,
                       OptionalAttr<DenseI64ArrayAttr>:$consumes,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<Wrapper_Buffer>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` (`consumes` $consumes^)? attr-dict `:`
    functional-type($operands, $results)
  }];
  let extraClassDeclaration = [{
    /// Whether the storage of operand `i` is consumed.
    bool isConsumed(unsigned i);
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERCONTROLOPS_TD
