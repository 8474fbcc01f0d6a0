//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enums of the `graph` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHENUMS_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHENUMS_TD

include "mlir/IR/EnumAttr.td"

def Graph_ComparePredicate
    : I32EnumAttr<"ComparePredicate", "ordering relation; with NaN only `ne` holds", [
    I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]> {
  let cppNamespace = "::coil::graph";
}

def Graph_ReduceKind : I32EnumAttr<"ReduceKind", "reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Any", 4, "any">, I32EnumAttrCase<"All", 5, "all">,
    I32EnumAttrCase<"Xor", 6, "xor">]> {
  let cppNamespace = "::coil::graph";
}

def Graph_ScanKind : I32EnumAttr<"ScanKind", "running combination", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"LogAddExp", 4, "logaddexp">]> {
  let cppNamespace = "::coil::graph";
}

def Graph_PoolKind : I32EnumAttr<"PoolKind", "pooling", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Avg", 1, "avg">]> {
  let cppNamespace = "::coil::graph";
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHENUMS_TD
