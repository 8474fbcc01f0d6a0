# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the dialect `func`: functions and calls."""

from coil.dialects._func_ops_gen import *  # noqa: F403
from coil.dialects._func_ops_gen import FuncOp as _FuncOp
from coil.dialects._func_ops_gen import _Dialect
from coil.ir import FlatSymbolRefAttr, FunctionType, StringAttr, TypeAttr
from coil.ir._operations import register_operation


@register_operation(_Dialect, replace=True)
class FuncOp(_FuncOp):
    """A function: `FuncOp("f", ([inputs], [results]))`; `add_entry_block` gives it a body."""

    def __init__(self, name, type, *, visibility=None, loc=None, ip=None):
        if not isinstance(type, (FunctionType, TypeAttr)):
            inputs, results = type
            type = FunctionType.get(inputs, results)
        super().__init__(name, TypeAttr.get(type) if isinstance(type, FunctionType) else type,
                         sym_visibility=visibility, loc=loc, ip=ip)

    @property
    def name(self):
        """The name of the function, as an attribute."""
        return StringAttr(self.attributes["sym_name"])

    @property
    def type(self):
        return FunctionType(TypeAttr(self.attributes["function_type"]).value)

    @property
    def visibility(self):
        return self.attributes.get("sym_visibility")

    @property
    def is_external(self):
        """Whether the function has no body."""
        return len(self.regions[0]) == 0

    @property
    def body(self):
        return self.regions[0]

    @property
    def entry_block(self):
        if self.is_external:
            raise RuntimeError("an external function has no body")
        return self.regions[0].blocks[0]

    @property
    def arguments(self):
        return self.entry_block.arguments

    def add_entry_block(self, arg_locs=None):
        """Makes the body, with an argument for each input."""
        if not self.is_external:
            raise ValueError("the function has a body")
        return self.body.append_block(*self.type.inputs, arg_locs=arg_locs)


@register_operation(_Dialect, replace=True)
class CallOp(CallOp):  # noqa: F405
    """A call: `CallOp([results], "f", [arguments])`, or `CallOp(function, [arguments])`."""

    def __init__(self, results_or_function, arguments_or_callee, arguments=None, *, loc=None, ip=None):
        if isinstance(results_or_function, FuncOp):
            results, callee = results_or_function.type.results, results_or_function.name.value
            arguments = arguments_or_callee
        else:
            results, callee = results_or_function, arguments_or_callee
        if isinstance(callee, str):
            callee = FlatSymbolRefAttr.get(callee, results[0].context if results else None)
        super().__init__(list(results), callee, list(arguments or ()), loc=loc, ip=ip)
