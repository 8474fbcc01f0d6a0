# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR of Coil from Python: parse, build, walk, change, print and verify.

    from coil.ir import Context, Location, Module

    with Context(), Location.unknown():
        module = Module.parse(text)
        module.operation.walk(lambda op: print(op.name))

Names and meanings are those of MLIR's own Python bindings, as far as they go;
`coil.dialects` has the operations, `coil.passmanager` runs passes, and `coil.extend` makes
passes and legalizations of functions of Python. docs/howto/PythonIR.md explains it all.
"""

from coil.ir._attributes import (
    AffineMapAttr,
    ArrayAttr,
    AttrBuilder,
    Attribute,
    BoolAttr,
    DenseBoolArrayAttr,
    DenseElementsAttr,
    DenseF64ArrayAttr,
    DenseFPElementsAttr,
    DenseI32ArrayAttr,
    DenseI64ArrayAttr,
    DenseIntElementsAttr,
    DictAttr,
    FlatSymbolRefAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TypeAttr,
    UnitAttr,
    register_attribute_builder,
)
from coil.ir._blocks import Block, InsertionPoint, Region, RegionSequence
from coil.ir._context import (
    Context,
    DiagnosticInfo,
    DiagnosticSeverity,
    InvalidHandleError,
    Location,
    MLIRError,
)
from coil.ir._module import Module, SymbolTable
from coil.ir._operations import OpAttributeMap, OpView, Operation, WalkOrder, WalkResult
from coil.ir._types import (
    BF16Type,
    ComplexType,
    F16Type,
    F32Type,
    F64Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatType,
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    NoneType,
    RankedTensorType,
    ShapedType,
    TupleType,
    Type,
    UnrankedTensorType,
    VectorType,
)
from coil.ir._values import (
    BlockArgument,
    BlockArgumentList,
    OpOperand,
    OpOperandList,
    OpResult,
    OpResultList,
    Value,
)


class Dialect:
    """The base of what stands for dialects in `coil.dialects`."""

    DIALECT_NAMESPACE: str


__all__ = [
    "AffineMapAttr",
    "ArrayAttr",
    "AttrBuilder",
    "Attribute",
    "BF16Type",
    "Block",
    "BlockArgument",
    "BlockArgumentList",
    "BoolAttr",
    "ComplexType",
    "Context",
    "DenseBoolArrayAttr",
    "DenseElementsAttr",
    "DenseF64ArrayAttr",
    "DenseFPElementsAttr",
    "DenseI32ArrayAttr",
    "DenseI64ArrayAttr",
    "DenseIntElementsAttr",
    "DiagnosticInfo",
    "DiagnosticSeverity",
    "Dialect",
    "DictAttr",
    "F16Type",
    "F32Type",
    "F64Type",
    "FlatSymbolRefAttr",
    "Float8E4M3FNType",
    "Float8E5M2Type",
    "FloatAttr",
    "FloatType",
    "FunctionType",
    "IndexType",
    "InsertionPoint",
    "IntegerAttr",
    "IntegerType",
    "InvalidHandleError",
    "Location",
    "MLIRError",
    "MemRefType",
    "Module",
    "NoneType",
    "OpAttributeMap",
    "OpOperand",
    "OpOperandList",
    "OpResult",
    "OpResultList",
    "OpView",
    "Operation",
    "RankedTensorType",
    "Region",
    "RegionSequence",
    "ShapedType",
    "StringAttr",
    "SymbolRefAttr",
    "SymbolTable",
    "TupleType",
    "Type",
    "TypeAttr",
    "UnitAttr",
    "UnrankedTensorType",
    "Value",
    "VectorType",
    "WalkOrder",
    "WalkResult",
    "register_attribute_builder",
]
