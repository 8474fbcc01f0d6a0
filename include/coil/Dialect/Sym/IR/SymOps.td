//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of the `sym` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYMOPS_TD
#define COIL_DIALECT_SYM_IR_SYMOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"
include "coil/Dialect/Sym/IR/SymEnums.td"

def Sym_AssertOp : Op<Sym_Dialect, "assert", []> {
  let summary = "check a relation between two expressions at run time";
  let description = [{
    States a fact about symbols that the program below relies on. Lowering
    never specialises silently: whoever needs a fact that the ranges do not
    prove inserts this op, and the host program fails with `message` when the
    fact does not hold.

    (C1) Neither expression refers to a dimension or an indirect index.
    (C2) The relation is not provably false for constants.

    Example:
    ```mlir
    sym.assert <s0 mod 8> eq <0>, "the batch is a multiple of 8"
    ```
  }];
  let arguments = (ins Sym_ExprAttr:$lhs, Sym_Predicate:$predicate,
                       Sym_ExprAttr:$rhs, StrAttr:$message);
  let assemblyFormat = [{
    $lhs $predicate $rhs `,` $message attr-dict
  }];
  let hasVerifier = 1;
}

#endif // COIL_DIALECT_SYM_IR_SYMOPS_TD
