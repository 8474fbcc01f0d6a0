# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Sequence

from coil.dialects._func_ops_gen import CallIndirectOp as CallIndirectOp
from coil.dialects._func_ops_gen import ConstantOp as ConstantOp
from coil.dialects._func_ops_gen import ReturnOp as ReturnOp
from coil.dialects._func_ops_gen import constant as constant
from coil.dialects._func_ops_gen import return_ as return_
from coil.ir import Attribute, Block, BlockArgumentList, FlatSymbolRefAttr, FunctionType, InsertionPoint, Location
from coil.ir import Operation, OpView, Region, StringAttr, Type, TypeAttr, Value

class FuncOp(OpView):
    def __init__(self, name: str, type: FunctionType | TypeAttr | tuple[Sequence[Type], Sequence[Type]], *,
                 visibility: str | None = ..., loc: Location | None = ..., ip: InsertionPoint | None = ...) -> None: ...
    @property
    def name(self) -> StringAttr: ...
    @property
    def sym_name(self) -> StringAttr: ...
    @property
    def type(self) -> FunctionType: ...
    @property
    def visibility(self) -> Attribute | None: ...
    @property
    def is_external(self) -> bool: ...
    @property
    def body(self) -> Region: ...
    @property
    def entry_block(self) -> Block: ...
    @property
    def arguments(self) -> BlockArgumentList: ...
    def add_entry_block(self, arg_locs: Sequence[Location] | None = ...) -> Block: ...

class CallOp(OpView):
    def __init__(self, results_or_function: FuncOp | Sequence[Type],
                 arguments_or_callee: Sequence[Value | Operation | OpView] | str | FlatSymbolRefAttr,
                 arguments: Sequence[Value | Operation | OpView] | None = ..., *, loc: Location | None = ...,
                 ip: InsertionPoint | None = ...) -> None: ...
    @property
    def callee(self) -> FlatSymbolRefAttr: ...
