//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `graph` dialect: definition, base class and types.
//
//===----------------------------------------------------------------------===//

#ifndef COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD
#define COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD

include "coil/Dialect/Graph/IR/GraphEnums.td"
include "coil/Dialect/Loop/IR/LoopEnums.td"
include "coil/Dialect/Sym/IR/SymAttributes.td"
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
    as a whole; only control flow, whose regions it converts in place, is left
    after it.

    Element types: `i1` (bool), `i8`, `i16`, `i32`, `i64`, `ui8`, `ui16`,
    `ui32`, `ui64`, `f16`, `bf16`, `f32`, `f64`. Arithmetic on `f16` and `bf16`
    is done in `f32` and rounded once per operator, as the framework does.
    `f8E4M3FN` and `f8E5M2` are moved, compared and converted, no more; a value
    beyond the range becomes NaN in the first and an infinity in the second.

    Function arguments carry `coil.name`; the state of the random generator
    `graph.random_state` (how far a call moves its offset); weights also `graph.weight` (the name
    that the archive has for them); `coil.strides` when not row-major
    contiguous.
  }];
  let dependentDialects = [
    "::coil::loop::LoopDialect", "::coil::sym::SymDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def Graph_SignedInt : AnyTypeOf<[I8, I16, I32, I64], "signed integer">;
def Graph_Unsigned
    : AnyTypeOf<[UI8, UI16, UI32, UI64], "unsigned integer">;
def Graph_Int : AnyTypeOf<[Graph_SignedInt, Graph_Unsigned], "integer">;
def Graph_IntOrBool : AnyTypeOf<[I1, Graph_Int], "integer or bool">;
def Graph_Float : AnyTypeOf<[F16, BF16, F32, F64], "float">;
def Graph_Number : AnyTypeOf<[Graph_Int, Graph_Float], "number">;
def Graph_Float8 : AnyTypeOf<[F8E4M3FN, F8E5M2], "8-bit float">;
def Graph_Element : AnyTypeOf<[I1, Graph_Number, Graph_Float8], "number or bool">;
def Graph_Complex
    : AnyTypeOf<[Complex<F16>, Complex<F32>, Complex<F64>], "complex number">;
def Graph_Index : AnyTypeOf<[I32, I64, UI8], "index">;

/// A ranked tensor whose dynamic dimensions have size expressions.
class Graph_TensorOf<list<Type> elementTypes>
    : ConfinedType<RankedTensorOf<elementTypes>,
                   [CPred<"::coil::graph::hasSizes($_self)">],
                   "tensor of " # !head(elementTypes).summary #
                       " values with an expression for each dynamic size",
                   "::mlir::RankedTensorType">;

def Graph_Tensor : Graph_TensorOf<[Graph_Element]>;
/// What branches and loops carry: until graph-expand-complex has run, that may
/// be complex numbers of framework operators.
def Graph_CarriedTensor : Graph_TensorOf<[Graph_Element, Graph_Complex]>;
def Graph_BoolTensor : Graph_TensorOf<[I1]>;
def Graph_IntTensor : Graph_TensorOf<[Graph_Int]>;
def Graph_SignedIntTensor : Graph_TensorOf<[Graph_SignedInt]>;
def Graph_IntOrBoolTensor : Graph_TensorOf<[Graph_IntOrBool]>;
def Graph_FloatTensor : Graph_TensorOf<[Graph_Float]>;
def Graph_NumberTensor : Graph_TensorOf<[Graph_Number]>;
def Graph_IndexTensor : Graph_TensorOf<[Graph_Index]>;

#endif // COIL_DIALECT_GRAPH_IR_GRAPHBASE_TD
