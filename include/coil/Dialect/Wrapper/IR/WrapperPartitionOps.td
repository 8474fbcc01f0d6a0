//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pieces of host programs that a device can keep as graphs, and guards.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERPARTITIONOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERPARTITIONOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Wrapper/IR/WrapperTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A region that runs once, in place; what it yields are the results.
class Wrapper_InPlaceRegionOp<string mnemonic> : Wrapper_Op<mnemonic, [
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Wrapper_DeviceAttr:$device);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    qualified($device) (`->` `(` type($results)^ `)`)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

def Wrapper_PartitionOp : Wrapper_InPlaceRegionOp<"partition"> {
  let summary = "a run of ops that a device can keep as a graph";
  let description = [{
    Runs its region in place. Everything in it works on one device and leaves
    the host nothing to decide, so that a device can record it once and replay
    it. `wrapper-partition-graph` makes partitions, and
    `wrapper-outline-partitions` functions of them; until then a partition means
    what its ops mean where they are.

    Buffers from outside are used as they are. Storage from outside may end in
    the region. A buffer that the region yields changes its owner: the result owns
    its storage.

    (C1) The region has no arguments, ends in `wrapper.yield` without symbols,
         and yields values of exactly the results' types.
    (C2) Its ops are launches, library calls, copies, constants, ops on memory,
         streams, events and debugging, on buffers of the device.

    Example:
    ```mlir
    %r = wrapper.partition #wrapper.device<"cuda"> -> (!wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>) {
      %0 = wrapper.alloc : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
      wrapper.launch @double[s0] ins(%x : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>) outs(%0 : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>)
      wrapper.yield %0 : !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
    }
    ```
  }];
  let results = (outs Variadic<Wrapper_Buffer>:$results);
}

def Wrapper_DeviceScopeOp : Wrapper_InPlaceRegionOp<"device_scope"> {
  let summary = "run a region with a device made current once";
  let description = [{
    Runs its region in place, with the device current: what works on it inside
    need not select it again. The device that was current before is so again
    after the op, also when the run fails.

    Symbols that ops of the region bind are visible after it.

    (C1) The region has no arguments, ends in `wrapper.yield` without symbols,
         and yields values of exactly the results' types.
    (C2) It is in no other scope, and in no branch or loop.

    Example:
    ```mlir
    %r = wrapper.device_scope #wrapper.device<"cuda"> -> (!wrapper.buffer<[4], f32, #wrapper.device<"cuda">>) {
      %0 = wrapper.partition_call @part0(%x) : (!wrapper.buffer<[4], f32, #wrapper.device<"cuda">>) -> !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
      wrapper.yield %0 : !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>
    }
    ```
  }];
  let results = (outs Variadic<AnyTypeOf<[Wrapper_Buffer, I1, F64]>>:$results);
}

def Wrapper_PartitionCallOp : Wrapper_Op<"partition_call", [
    DeclareOpInterfaceMethods<CallOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "run a partition that is a function";
  let description = [{
    Runs a function on buffers and symbols, and gives its results, whose storage
    this function then owns. What it does depends on its operands and on the
    values of `symbols` alone, so that a device may replay a recording of it.
    `consumes` lists the operands that are consumed, as in `wrapper.invoke`. An
    element of `arg_attrs` with `wrapper.updated` says that the function writes
    this operand, which this function keeps.

    The function binds the symbols with `wrapper.param_symbols`, under its own
    names. Unlike `wrapper.invoke`, nothing is checked again: types are equal.

    (C1) The callee is a `wrapper.func` of the module, and private.
    (C2) It binds as many symbols as are passed, which mention symbols only.
    (C3) Operands and results have exactly the callee's types, in which its
         symbols stand for the expressions that are passed.
    (C4) `consumes` lists exactly the operands whose arguments the callee
         consumes.
    (C5) `arg_attrs` says that an operand is updated where, and only where, the
         callee updates the argument.

    Example:
    ```mlir
    %0 = wrapper.partition_call @part0(%x, %y) symbols [s0] consumes [1] : (!wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>, !wrapper.buffer<[4], f32, #wrapper.device<"cuda">>) -> !wrapper.buffer<[s0], f32, #wrapper.device<"cuda">>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee,
                       Variadic<Wrapper_Buffer>:$operands,
                       OptionalAttr<Sym_ShapeAttr>:$symbols,
                       OptionalAttr<DenseI64ArrayAttr>:$consumes,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<Wrapper_Buffer>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` (`symbols` custom<ExprList>($symbols)^)?
    (`consumes` $consumes^)? attr-dict `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the storage of operand `i` is consumed.
    bool isConsumed(unsigned i);
    /// Whether nothing uses result `i` but partitions, launches and the like, reads
    /// of elements and the end of its life: then its storage may stay where a
    /// recording has it, since the program hands it to nobody.
    bool staysInPlace(unsigned i);
    llvm::ArrayRef<sym::ExprAttr> getSymbolExprs();
  }];
}

def Wrapper_ParamSymbolsOp : Wrapper_Op<"param_symbols"> {
  let summary = "bind symbols to what a call of a partition passes";
  let description = [{
    Binds symbols, in order, to the values that `wrapper.partition_call` passes
    in `symbols`. The caller has checked them.

    (C1) The op is the first of a private function, in its own block.

    Example:
    ```mlir
    wrapper.param_symbols ["s0", "u0"]
    ```
  }];
  let arguments = (ins StrArrayAttr:$symbols);
  let assemblyFormat = "$symbols attr-dict";
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERPARTITIONOPS_TD
