//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op of the `wrapper` dialect for kernels that are launched together.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_WRAPPER_IR_WRAPPERCOMBINATIONOPS_TD
#define COIL_DIALECT_WRAPPER_IR_WRAPPERCOMBINATIONOPS_TD

include "coil/Dialect/Wrapper/IR/WrapperDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/SymbolInterfaces.td"

def Wrapper_CombinationOp : Wrapper_Op<"combination", [
    Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "kernels that one launch may run together";
  let description = [{
    Names independent kernels, its parts, of which `wrapper-combine-gpu-launches`
    makes one kernel with the name of the combination, where the device allows it.
    `symbols` has a list for each part: which symbols of the combination the
    part's symbols are. The combination's buffers are the inputs of all parts,
    then the outputs of all.

    A program for which no code is made yet says with the attribute
    `wrapper.combination` of consecutive launches, one for each part in their
    order, that they are one launch of a combination: emitters call it.

    (C1) There are two parts at least, and a list of symbols for each.
    (C2) Each part is a `wrapper.kernel` with as many symbols as its list has.
    (C3) The symbols are numbered from 0 without gaps, by their first uses.

    Example:
    ```mlir
    wrapper.combination @exp_0_with_sum_1 of [@exp_0, @sum_1] symbols [array<i64: 0>, array<i64: 0, 1>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypedArrayAttrBase<FlatSymbolRefAttr, "names of kernels">:$parts,
                       TypedArrayAttrBase<DenseI64ArrayAttr, "numbers of symbols">:$symbols);
  let assemblyFormat = "$sym_name `of` $parts `symbols` $symbols attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many symbols it has.
    int64_t getNumSymbols();
  }];
}

#endif // COIL_DIALECT_WRAPPER_IR_WRAPPERCOMBINATIONOPS_TD
