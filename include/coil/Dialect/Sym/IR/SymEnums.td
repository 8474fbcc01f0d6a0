//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums of the `sym` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_SYM_IR_SYMENUMS_TD
#define COIL_DIALECT_SYM_IR_SYMENUMS_TD

include "mlir/IR/EnumAttr.td"

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

#endif // COIL_DIALECT_SYM_IR_SYMENUMS_TD
