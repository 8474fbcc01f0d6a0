//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `wrapper` dialect: functions, symbols and checks. Memory,
// computation, control flow and numbers have their own files.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPEROPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPEROPS_TD

include "coil/Dialect/Sym/IR/SymEnums.td"
include "coil/Dialect/Wrapper/IR/WrapperCallOps.td"
include "coil/Dialect/Wrapper/IR/WrapperComputeOps.td"
include "coil/Dialect/Wrapper/IR/WrapperControlOps.td"
include "coil/Dialect/Wrapper/IR/WrapperDebugOps.td"
include "coil/Dialect/Wrapper/IR/WrapperMemoryOps.td"
include "coil/Dialect/Wrapper/IR/WrapperNumberOps.td"
include "coil/Dialect/Wrapper/IR/WrapperOrderOps.td"
include "coil/Dialect/Wrapper/IR/WrapperPartitionOps.td"
include "coil/Dialect/Wrapper/IR/WrapperUserOps.td"
include "mlir/Interfaces/FunctionInterfaces.td"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def Wrapper_FuncOp : Wrapper_Op<"func", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock]> {
  let summary = "host program of one entry point";
  let description = [{
    Runs its ops in order. Arguments belong to the caller; results are handed
    to the caller. An argument with the attribute `wrapper.consumed` belongs to
    the function: it frees its storage, hands it over or returns it. One with the
    attribute `wrapper.destination` is memory of the caller that the function
    writes all elements of, in place of a result
    (`wrapper-pass-destinations`). It shares no byte with another argument. One
    with the attribute `wrapper.updated` is memory of the caller that the function
    reads and writes, and a public one returns (`wrapper-update-inputs`); it shares
    no byte with another argument either. The
    attribute `sym.symbols` gives the range of every symbol. On devices whose
    wide accesses must be aligned, an argument begins at a multiple of 16 bytes,
    or of as many as its attribute `coil.alignment` says; what begins elsewhere
    is copied when the program is called.

    A symbol is visible after the op that binds it, in the regions of ops there,
    too; one that is bound in a region is visible in that region only.

    (C1) Arguments and results are buffers.
    (C2) A symbol is bound before an op or a type of a result mentions it, and
         bound once where it is visible. The results of a call may mention
         symbols that are bound after it, before anything else uses them.
    (C3) Only private functions consume arguments.
    (C4) Only public functions have destinations.
    (C5) `coil.alignment` is a power of two from 1 to 16, and no destination,
         updated or consumed argument has it: these are written.
    (C6) What a function updates, it neither consumes nor has as a destination.

    Example:
    ```mlir
    wrapper.func @main(%x: !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>)
        -> !wrapper.buffer<[4], f32, #wrapper.device<"cpu">> {
      %0 = wrapper.alloc : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
      wrapper.copy %x to %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
      wrapper.return %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Whether the function owns the storage of argument `i`.
    bool isConsumed(unsigned i);
    /// Whether argument `i` is memory for a result.
    bool isDestination(unsigned i);
    /// Bytes that the address of argument `i` is a multiple of.
    int64_t getAlignment(unsigned i);
  }];
}

def Wrapper_ReturnOp : Wrapper_Op<"return", [
    Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "hand the results to the caller";
  let description = [{
    Ends the program. The caller owns the storage of the operands from here on.

    (C1) The operands have the types of the function's results.

    Example:
    ```mlir
    wrapper.return %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Variadic<Wrapper_Buffer>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Symbols and checks
//===----------------------------------------------------------------------===//

def Wrapper_InputSymbolOp : Wrapper_Op<"input_symbol"> {
  let summary = "bind a symbol to what an argument's size or stride says";
  let description = [{
    Solves the expression that the type of `source` gives for one of its sizes
    or strides for `symbol`, from the number that the caller passed. Fails at
    run time when the solution is outside the range of the symbol; that the
    solution is exact is checked by `wrapper.assert_layout`.

    (C1) `source` is an argument of the function and has that dimension.
    (C2) The expression is linear in the symbol.

    Example:
    ```mlir
    wrapper.input_symbol "s0" = size 0 of %x : !wrapper.buffer<[s0 * 2], f32, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins StrAttr:$symbol, Wrapper_Property:$property,
                       I64Attr:$dim, Wrapper_Buffer:$source);
  let assemblyFormat = [{
    $symbol `=` $property $dim `of` $source attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The size or stride in the type of the source.
    sym::ExprAttr getExpr();
  }];
}

def Wrapper_SymExprOp : Wrapper_Op<"sym_expr"> {
  let summary = "name the value of an expression";
  let description = [{
    Binds a new symbol to the value of an expression over symbols bound before.

    (C1) The expression mentions symbols only.

    Example:
    ```mlir
    wrapper.sym_expr "n" = <s0 * 4>
    ```
  }];
  let arguments = (ins StrAttr:$symbol, Sym_ExprAttr:$expr);
  let assemblyFormat = "$symbol `=` $expr attr-dict";
  let hasVerifier = 1;
}

def Wrapper_AssertOp : Wrapper_Op<"assert"> {
  let summary = "fail unless a relation between two expressions holds";
  let description = [{
    Stops the program with `message` when the relation does not hold. Never
    erased silently.

    (C1) The expressions mention symbols only.

    Example:
    ```mlir
    wrapper.assert <s0 mod 8> eq <0>, "the batch is a multiple of 8"
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$lhs, Sym_Predicate:$predicate,
                       Sym_ExprAttr:$rhs, StrAttr:$message);
  let assemblyFormat = "$lhs $predicate $rhs `,` $message attr-dict";
  let hasVerifier = 1;
}

def Wrapper_AssertLayoutOp : Wrapper_Op<"assert_layout"> {
  let summary = "give a buffer the layout that its type says, or fail";
  let description = [{
    Checks that every size of a buffer has the value that its type gives it. An
    argument of a public function that has other strides is copied into memory
    of the run, which the steps after this one read instead, and the
    statistics of the run count the copy: callers need not know which layout a
    program was compiled for. Strides of dimensions with at most one element do
    not matter. `name` is what the message calls the argument.

    It is an error where a copy cannot stand for the argument: for destinations,
    which the caller reads afterwards, and where elements of the expected layout
    share memory (stride 0), since those of the argument may differ. Arguments
    of private functions and results of calls are only checked.

    (C1) The operand is an argument of the function or the result of
         `wrapper.invoke` or `wrapper.extern_call`.

    Example:
    ```mlir
    wrapper.assert_layout %x, "tokens" : !wrapper.buffer<[s0, 4], i64, #wrapper.device<"cpu">>
    ```
  }];
  let arguments = (ins Wrapper_Buffer:$source, StrAttr:$name);
  let assemblyFormat = "$source `,` $name attr-dict `:` type($source)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether a buffer of other strides is copied, not refused.
    bool copiesOtherLayouts();
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPEROPS_TD
