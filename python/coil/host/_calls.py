# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the host that programs call."""

import ctypes
import math

import torch

from coil import _functions, _groups, _objects
from coil._library import CTensor, CompileError, RunError, library
from coil.host._runs import _function, _require, _run
from coil.host._types import _NUMBERS, _address, _dtype, _i32, _i64


def bound_object(name, class_name):
    """The object that is bound to a name, of a class (`coil.bind_object`)."""
    handle = ctypes.c_void_p()
    run = _run()
    _require(library.coil_rt_bound_object(run, name.encode(), class_name.encode(),
                                          ctypes.byref(handle)))
    found = _objects.Object(handle)
    _require(library.coil_rt_drop_object(run, handle))
    return found


class _CallSite(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("device_type", _i32),
        ("name", ctypes.c_char_p),
        ("where", ctypes.c_char_p),
        ("names", ctypes.POINTER(ctypes.c_char_p)),
        ("state", ctypes.c_void_p),
    ]


# Where programs call functions; the runtime remembers the function there.
_sites = {}


def _site(name, names, where, kind):
    key = name, names, where, kind
    if key not in _sites:
        array = (ctypes.c_char_p * len(names))(*[each.encode() for each in names]) if names else None
        _sites[key] = _CallSite(
            ctypes.sizeof(_CallSite), kind, name.encode(), where.encode() or None, array, None
        )
    return _sites[key]


def _number(value, kind):
    """A number, which a graph may hold as a tensor of rank zero."""
    return kind(value.item() if hasattr(value, "item") else value)


class _CallArguments:
    """The arguments of a call, as `kinds` has a letter for each: `t`ensor, one that
    is `m`utable, `n`one, `i`nt, `f`loat, `b`ool, `s`tring, `d`type, `o`bject, or a
    list in brackets."""

    def __init__(self, kinds, device_kind, device):
        self._kinds = iter(kinds)
        self._device_kind = device_kind
        # Tensors have the driver's numbers; runs count from the device of their own.
        self._first = device._number if device else 0
        self._kept = []

    def tensor(self, tensor):
        rank = tensor.dim()
        array = _i64 * max(rank, 1)
        view = CTensor(
            _address(tensor),
            array(*tensor.size()),
            array(*tensor.stride()),
            rank,
            _dtype(tensor),
            self._device_kind,
            int(str(tensor.device).partition(":")[2] or self._first) - self._first,
        )
        self._kept.append((view, tensor))
        return view

    def fill(self, argument, value, kind=None):
        kind = next(self._kinds) if kind is None else kind
        if kind in "tm":
            argument.kind, argument.is_mutable = _functions.TENSOR, kind == "m"
            argument.value.tensor = ctypes.pointer(self.tensor(value))
        elif kind == "i":
            argument.kind, argument.value.integer = _functions.INT, int(value)
        elif kind == "f":
            argument.kind, argument.value.number = _functions.FLOAT, _number(value, float)
        elif kind == "b":
            argument.kind, argument.value.integer = _functions.BOOL, _number(value, bool)
        elif kind == "s":
            argument.kind, argument.value.string = _functions.STRING, value.encode()
            self._kept.append(argument.value.string)
        elif kind == "o":
            argument.kind, argument.value.object = _functions.OBJECT, value.handle
            self._kept.append(value)
        elif kind == "d":
            argument.kind, argument.value.integer = _functions.DTYPE, _NUMBERS[value]
        elif kind == "[":
            elements = self.list(value)
            if next(self._kinds) != "]":
                raise RunError("a list of arguments has another length than its kinds")
            argument.kind, argument.count = _functions.LIST, len(value)
            argument.value.elements = elements
        else:
            argument.kind = _functions.NONE

    def list(self, values):
        array = (_functions.CArgument * max(len(values), 1))()
        for argument, value in zip(array, values):
            self.fill(argument, value)
        self._kept.append(array)
        return ctypes.cast(array, ctypes.POINTER(_functions.CArgument))


def require_functions(functions, kind=0):
    """Fails unless all functions, given with the places that call them, are
    registered for a kind of device (`coil.register_function`, `coil.load_functions`)."""
    for name, where in functions.items():
        if library.coil_find_function(name.encode(), kind, None):
            place = f" (called at {where})" if where else ""
            raise CompileError(library.coil_last_error().decode() + place)


def call(name, kinds, arguments, *, outs=(), results=(), names=(), where="", device=None,
         kind=0, place=("cpu", None, "coil_rt_free")):
    """Calls a host function. `kinds` says how to pass each argument (see
    `_CallArguments`); `outs` are tensors that receive results, and `results` the
    types and ranks of others, which come back as a tuple. On another device than the
    host, `kind` is the runtime's number of it, and `place` its name for tensors and
    the functions that copy and free its memory."""
    made = _CallArguments(kinds, kind, device)
    array = made.list(arguments)
    given = (CTensor * max(len(outs), 1))(*[made.tensor(each) for each in outs])
    back = (CTensor * max(len(results), 1))()
    for tensor, (dtype, rank) in zip(back, results):
        numbers = _i64 * max(rank, 1)
        tensor.sizes, tensor.strides = numbers(), numbers()
        tensor.rank, tensor.dtype, tensor.device_type = rank, _NUMBERS[dtype], kind
    entry = library.coil_rt_call
    entry.restype = _i32
    run = _run(device)
    if entry(
        run,
        ctypes.byref(_site(name, tuple(names), where, kind)),
        _i64(len(arguments)),
        array,
        _i64(len(outs)),
        given,
        _i64(len(results)),
        back,
    ):
        message = library.coil_last_error().decode()
        # The program ends here, and nothing will wait for what it has started.
        library.coil_run_abandon(run)
        raise RunError(message)
    tensors = []
    for tensor, (dtype, rank) in zip(back, results):
        sizes = tuple(tensor.sizes[:rank])
        where_to, copy, free = place
        result = torch.empty_strided(sizes, tuple(tensor.strides[:rank]), dtype=dtype, device=where_to)
        count = math.prod(sizes) * result.element_size()
        if copy is not None:
            _require(_function(copy)(run, ctypes.c_void_p(_address(result)),
                                     ctypes.c_void_p(tensor.data), _i64(count)))
        elif count:
            ctypes.memmove(_address(result), tensor.data, count)
        _require(_function(free)(run, ctypes.c_void_p(tensor.data)))
        tensors.append(result)
    return tuple(tensors)


def comm_empty_strided(group, kind, sizes, strides, *, dtype, device, allocate=None):
    """A tensor in memory that a process group communicates from, or in ordinary
    memory where the group has no other."""
    tensor = _groups.allocate(group, kind, sizes, strides, dtype, device)
    if tensor is None:
        tensor = (allocate or torch.empty_strided)(sizes, strides, dtype=dtype, device=device)
    return tensor


def flatten(value):
    """The tensors of an operator's result, in order, each with its elements row
    by row."""
    return tuple(tensor.contiguous() for tensor in _functions._flatten(value))


def copy_results(outs, value):
    """Copies what an operator gives to where the program wants it."""
    for out, each in zip(outs, flatten(value)):
        out.copy_(each)
