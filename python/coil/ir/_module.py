# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and tables of symbols."""

import ctypes
import os

from coil._library import CompileError
from coil.ir import _context
from coil.ir._capi import capi, checked
from coil.ir._context import MLIRError
from coil.ir._scopes import Scope


class Module:
    """A module: the root of a program. Owns all that is in it."""

    @classmethod
    def _own(cls, context, module):
        made = cls.__new__(cls)
        made._scope = Scope(context, capi.mlirModuleGetOperation(module), owned=True)
        return made

    @classmethod
    def create(cls, loc=None, context=None):
        """An empty module."""
        location = _context.resolve_location(loc, context)
        location.context._check_own()
        return cls._own(location.context, capi.mlirModuleCreateEmpty(location._ptr))

    @classmethod
    def parse(cls, asm, context=None, filename="<string>"):
        """Reads a module from text or bytecode. `filename` stands for it in locations.
        Raises MLIRError with all diagnostics for what is no valid module."""
        context = _context.resolve_context(context)
        data = asm.encode() if isinstance(asm, str) else bytes(asm)
        return cls._read(context, f"cannot parse '{filename}'", lambda made: checked(
            capi.coil_ir_module_parse, context._ptr, data, len(data), filename.encode(), made))

    @classmethod
    def parse_file(cls, path, context=None):
        """Reads a file: a module, or an exported program (.pt2), whose operators become
        `graph.aten`."""
        context = _context.resolve_context(context)
        return cls._read(context, f"cannot read '{os.fspath(path)}'", lambda made: checked(
            capi.coil_ir_module_load, context._ptr, os.fsencode(path), made))

    @classmethod
    def _read(cls, context, message, read):
        context._check_own()
        made = ctypes.c_void_p()
        problem = None
        with context._diagnostics() as found:
            try:
                read(ctypes.byref(made))
            except CompileError as error:
                problem = error
        if problem is not None:
            raise MLIRError(message if found.errors else f"{message}: {problem}", found.errors)
        return cls._own(context, made.value)

    def clone(self):
        """A copy."""
        return Module._own(self.context, capi.mlirModuleFromOperation(
            capi.mlirOperationClone(self.operation._pointer())))

    @property
    def context(self):
        return self._scope.context

    @property
    def operation(self):
        """The module as an operation."""
        return self._scope.operation(self._scope.root)

    @property
    def body(self):
        """The block of the module."""
        return self.operation.regions[0].blocks[0]

    @property
    def stage(self):
        """The stage of compilation that the module is at: "input", "graph", "loop",
        "wrapper" or "native"."""
        return capi.coil_ir_module_stage(self.operation._pointer()).decode()

    def walk(self, callback, **options):
        """Calls `callback` with each operation, as `Operation.walk` does."""
        return self.operation.walk(callback, **options)

    def verify(self):
        return self.operation.verify()

    def get_asm(self, **options):
        return self.operation.get_asm(**options)

    def print(self, file=None, **options):
        self.operation.print(file, **options)

    def __str__(self):
        return str(self.operation)


class SymbolTable:
    """The symbols directly in an operation, such as the functions of a module."""

    def __init__(self, operation):
        self._operation = operation.operation

    def _find(self, name):
        for region in self._operation.regions:
            for block in region.blocks:
                for each in block.operations:
                    symbol = each.attributes.get("sym_name")
                    if symbol is not None and symbol.value == name:
                        return each
        return None

    def __contains__(self, name):
        return self._find(name) is not None

    def __getitem__(self, name):
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found
