# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and ATen legalizations that are functions of Python.

    from coil import extend

    @extend.register_pass("count-adds", op="func.func")
    def count(function):
        ...

    @extend.register_aten_legalization("special_airy_ai")
    def legalize(call):
        ...

Both take part in everything that this process compiles: `coil.compile`, `torch.compile` and
pass managers. The library calls them on any thread; the GIL makes them take turns.
"""

import ctypes

from coil import _callbacks
from coil.ir import Context, InsertionPoint, Value
from coil.ir import _attributes
from coil.ir._capi import Legalize, RunPass, capi, checked, pointers
from coil.ir._scopes import Scope
from coil.ir._values import to_value

__all__ = ["AtenCall", "Refused", "register_aten_legalization", "register_pass", "register_pipeline_extension"]

# What was registered, by name, and what the library calls: both stay as long as the process.
_passes, _legalizations = {}, {}
_kept = []


class Refused(Exception):
    """Raised by a legalization for a call that it does not handle; the text is the reason that
    users read."""


def _name(function):
    return getattr(function, "__qualname__", repr(function))


# -- Passes --------------------------------------------------------------------------------


def _fail(operation, message):
    capi.mlirEmitError(capi.mlirOperationGetLocation(operation), message.encode())


def _run_pass(name, pointer):
    context = Context._borrow(capi.mlirOperationGetContext(pointer))
    scope = Scope(context, pointer)
    try:
        _passes[name](scope.operation(pointer).opview)
        return 0
    except BaseException as error:  # Whoever runs the pass raises it.
        _fail(pointer, f"Python pass '{name}' raised {_callbacks.keep(error)}")
        return 1
    finally:
        scope.end(f"the pass '{name}' has returned")


def register_pass(name, *, op=None, description=None, at=None, replace=False):
    """Makes a pass of the decorated function, which is given an operation and may change what
    is inside. Its handles end when it returns. An exception fails the pass, and reaches
    whoever runs it.

    Args:
      name: the name for textual pipelines, such as "count-adds".
      op: the name of the operations that it runs on, such as "func.func", at the same time
        for several; None for any.
      description: one line; the first one of the function's docstring by default.
      at: the name of an extension point ("after-fusion") at which every compilation runs it.
      replace: whether there may be a pass of Python's of this name, which is replaced.
    """

    def register(function):
        text = description if description is not None else (function.__doc__ or "").strip().split("\n")[0]
        if name in _passes and replace:
            _passes[name] = function
            return function
        run = RunPass(lambda pointer, _: _run_pass(name, pointer))
        checked(capi.coil_ir_pass_register, name.encode(), text.encode(), op.encode() if op else None, run, None)
        _kept.append(run)
        _passes[name] = function
        if at is not None:
            register_pipeline_extension(at, name, f"{op}({name})" if op not in (None, "builtin.module") else name)
        return function

    return register


def register_pipeline_extension(point, name, pipeline):
    """Runs a textual pipeline at an extension point ("after-fusion") of everything that is
    compiled from now on. `name` is that of the extension."""
    checked(capi.coil_ir_pipeline_extension_register, point.encode(), name.encode(), pipeline.encode())


# -- Legalizations -------------------------------------------------------------------------


class AtenCall:
    """A call of a framework operator, which a legalization replaces.

    Attributes:
      op: the `graph.aten` operation. New operations go before it by themselves.
      name: the operator with its overload, such as "aten.special_airy_ai.default".
    """

    def __init__(self, pointer, scope):
        self._ptr, self._scope = pointer, scope
        self.op = scope.operation(capi.coil_ir_aten_call_operation(pointer)).opview
        self.name = self.op.attributes["name"].value

    def _check(self):
        self._scope.check()
        return self._ptr

    def fail(self, reason):
        """Refuses the call: the reason becomes the error message of the compilation."""
        raise Refused(reason)

    def tensor(self, name):
        """The operand of a schema argument; None where it is absent."""
        found = capi.coil_ir_aten_call_get_tensor(self._check(), name.encode(), 0)
        return self._scope.value(found) if found else None

    def tensors(self, name):
        """The operands of a list of tensors."""
        pointer = self._check()
        return [self._scope.value(capi.coil_ir_aten_call_get_tensor(pointer, name.encode(), i))
                for i in range(capi.coil_ir_aten_call_num_tensors(pointer, name.encode()))]

    def operand(self, name, element_type):
        """A tensor or a number as a tensor of an element type; None where it is absent."""
        found = capi.coil_ir_aten_call_operand(self._check(), name.encode(), element_type._ptr)
        return self._scope.value(found) if found else None

    def argument(self, name):
        """What `graph.aten` holds for an argument that is no tensor, an Attribute; None where
        it is absent."""
        found = capi.coil_ir_aten_call_argument(self._check(), name.encode())
        return _attributes.Attribute._wrap(self._scope.context, found) if found else None

    def int(self, name, default=None):
        """A constant integer or bool; `default` where it is absent or not constant."""
        value = ctypes.c_int64()
        found = capi.coil_ir_aten_call_int(self._check(), name.encode(), ctypes.byref(value))
        return value.value if found else default

    def float(self, name, default=None):
        """A constant number; `default` where it is absent or not constant."""
        value = ctypes.c_double()
        found = capi.coil_ir_aten_call_float(self._check(), name.encode(), ctypes.byref(value))
        return value.value if found else default

    def ints(self, name, default=None):
        """A list of constant integers; `default` where it is absent or not constant."""
        size = capi.coil_ir_aten_call_ints(self._check(), name.encode(), None, 0)
        if size < 0:
            return default
        values = (ctypes.c_int64 * size)()
        capi.coil_ir_aten_call_ints(self._ptr, name.encode(), values, size)
        return list(values)

    @property
    def result_types(self):
        """The types of the results as the model declares them."""
        return [result.type for result in self.op.results]

    @property
    def result_type(self):
        """The type of the only result."""
        return self.op.operation.result.type


def _values(given):
    """The values that a legalization returned."""
    if isinstance(given, Value) or hasattr(given, "operation"):
        return [to_value(given)]
    if isinstance(given, (list, tuple)):
        return [None if each is None else to_value(each) for each in given]
    raise TypeError(f"a legalization returns values, got {given!r}, a {type(given).__name__}")


def _legalize(function, pointer):
    operation = capi.coil_ir_aten_call_operation(pointer)
    context = Context._borrow(capi.mlirOperationGetContext(operation))
    root = operation
    while outer := capi.mlirOperationGetParentOperation(root):
        root = outer
    scope = Scope(context, root, created=set())
    try:
        call = AtenCall(pointer, scope)
        point = InsertionPoint(call.op)
        point.location = call.op.location
        with point:
            values = _values(function(call))
        for value in values:
            if value is not None and value._scope is not scope:
                raise ValueError("a value of another module cannot replace the result")
        made = pointers([None if value is None else value._pointer() for value in values])
        return capi.coil_ir_aten_call_replace(pointer, made, len(values))
    except Refused as refusal:
        reason = str(refusal) or "its legalization gives no reason"
    except BaseException as error:  # Whoever compiles the program raises it.
        reason = f"the Python legalization '{_name(function)}' raised {_callbacks.keep(error)}"
    finally:
        scope.end("the legalization has returned")
    capi.coil_ir_aten_call_fail(pointer, reason.encode())
    return 1


def register_aten_legalization(names, *, replace=False):
    """Makes the decorated function the legalization of operators of `aten`: it is given an
    `AtenCall` and returns the value that stands for the result, or a list of them. It creates
    operations, and changes no others. It raises `Refused` (or calls `call.fail`) for what it
    cannot do; any other exception is an error of the compilation, and reaches its caller.

    Args:
      names: names with or without overload, "special_airy_ai" or "foo.Tensor foo.Scalar".
      replace: whether there may be a legalization of Python's, which is replaced. Coil's own
        are never replaced: a pass at the extension point "before-legalization" can rewrite the
        operator.
    """
    key = " ".join(names.split())

    def register(function):
        if key in _legalizations and replace:
            _legalizations[key] = function
            return function
        run = Legalize(lambda pointer, _: _legalize(_legalizations[key], pointer))
        checked(capi.coil_ir_aten_legalization_register, key.encode(), run, None)
        _kept.append(run)
        _legalizations[key] = function
        return function

    return register
