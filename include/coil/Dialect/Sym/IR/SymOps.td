//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums and ops of the `sym` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYMOPS_TD
#define COIL_DIALECT_SYM_IR_SYMOPS_TD

include "coil/Dialect/Sym/IR/SymAttributes.td"

def Sym_ExprKind : I32EnumAttr<"ExprKind", "kind of an expression node", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Dim", 1, "dim">,
    I32EnumAttrCase<"Arg", 2, "arg">,
    I32EnumAttrCase<"Symbol", 3, "symbol">,
    I32EnumAttrCase<"FloorDiv", 4, "floordiv">,
    I32EnumAttrCase<"Mod", 5, "mod">,
    I32EnumAttrCase<"Min", 6, "min">,
    I32EnumAttrCase<"Max", 7, "max">,
    I32EnumAttrCase<"Mul", 8, "mul">,
    I32EnumAttrCase<"Add", 9, "add">]> {
  let cppNamespace = "::coil::sym";
}

def Sym_Predicate : I32EnumAttr<"Predicate", "comparison of two expressions", [
    I32EnumAttrCase<"Eq", 0, "eq">,
    I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Le", 2, "le">,
    I32EnumAttrCase<"Lt", 3, "lt">]> {
  let cppNamespace = "::coil::sym";
}

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
