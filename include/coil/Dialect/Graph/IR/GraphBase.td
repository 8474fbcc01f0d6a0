//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `graph` dialect: definition, base classes, types and enums.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD

include "coil/Dialect/Loop/IR/LoopEnums.td"
include "coil/Dialect/Sym/IR/SymAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::coil::graph";
  let summary = "tensor programs: named operators over values";
  let description = [{
    The level at which a program is a list of tensor operators. Tensors are
    values: nothing is mutated, nothing has an address, and there is no
    schedule. Sizes may be symbolic: the encoding of a tensor type
    (`#sym.shape`) gives every dimension an expression over the symbols that
    the enclosing function declares in `sym.symbols`.

    Decided above: which operators the model calls and with which attributes
    (`graph.aten` holds one as the framework spells it). Decided here: what each
    operator computes, type promotion (explicit `graph.convert`), decomposition
    of compound operators, algebraic identities. Not known here: loops, memory,
    layout, devices' instructions. `convert-graph-to-loop` consumes the level
    as a whole; no `graph` op is left after it.

    Element types: `i1` (bool), `i8`, `i16`, `i32`, `i64`, `ui8`, `ui16`,
    `ui32`, `ui64`, `f16`, `bf16`, `f32`, `f64`. Arithmetic on `f16` and `bf16`
    is done in `f32` and rounded once per operator, as the framework does.

    Function arguments carry `coil.name`; weights also `graph.weight` (the name
    that the archive has for them); `coil.strides` when not row-major
    contiguous.
  }];
  let dependentDialects = [
    "::coil::loop::LoopDialect", "::coil::sym::SymDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let hasConstantMaterializer = 1;
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Graph_Unsigned : AnyTypeOf<[UI8, UI16, UI32, UI64]>;
def Graph_SignedInt : AnyTypeOf<[I8, I16, I32, I64]>;
def Graph_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Graph_IntOrBool
    : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;
def Graph_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Graph_Number : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64, F16,
                              BF16, F32, F64]>;
def Graph_Element : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64,
                               F16, BF16, F32, F64]>;

def Graph_Tensor : RankedTensorOf<[Graph_Element]>;
def Graph_BoolTensor : RankedTensorOf<[I1]>;
def Graph_IntTensor : RankedTensorOf<[Graph_Int]>;
def Graph_SignedIntTensor : RankedTensorOf<[Graph_SignedInt]>;
def Graph_IntOrBoolTensor : RankedTensorOf<[Graph_IntOrBool]>;
def Graph_FloatTensor : RankedTensorOf<[Graph_Float]>;
def Graph_NumberTensor : RankedTensorOf<[Graph_Number]>;
def Graph_IndexTensor : RankedTensorOf<[I32, I64, UI8]>;

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

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

def Graph_PoolKind : I32EnumAttr<"PoolKind", "pooling", [
    I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Avg", 1, "avg">]> {
  let cppNamespace = "::coil::graph";
}

#endif // COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD
