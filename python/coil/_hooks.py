# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs call in Python: hooks and generators."""

import ctypes

from coil import _functions
from coil._library import CTensor, library

_i32, _u64, _vp = ctypes.c_int32, ctypes.c_uint64, ctypes.c_void_p


class _HookValue(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", _i32),
        ("step", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("where", ctypes.c_char_p),
        ("tensor", ctypes.POINTER(CTensor)),
        ("stream", _vp),
    ]


_Hook = ctypes.CFUNCTYPE(_i32, _vp, ctypes.POINTER(_HookValue))
_Get = ctypes.CFUNCTYPE(_i32, _vp, ctypes.POINTER(_u64), ctypes.POINTER(_u64))
_Set = ctypes.CFUNCTYPE(_i32, _vp, _u64, _u64)


class _Generator(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", _i32),
        ("get", _Get),
        ("set", _Set),
        ("user", _vp),
    ]


def _fails(function):
    """A function of the runtime's that Python implements: an exception is a status
    and a message."""

    def call(*args):
        try:
            function(*args)
            return 0
        except BaseException as error:  # Nothing passes through the runtime.
            text = f"{type(error).__name__}: {error}"
            return library.coil_rt_fail(None, 3, text.encode("utf-8", "replace"))

    return call


def make_hook(function):
    """A hook of runs: calls a function with the step's handle, the name of the value,
    its place in the model or "", and the tensor, which is the program's memory for
    the time of the call."""

    @_fails
    def call(user, value):
        value = value.contents
        arguments = _functions._Arguments()
        argument = _functions.CArgument(kind=_functions.TENSOR, is_mutable=0)
        argument.value.tensor = value.tensor
        where = value.where.decode() if value.where else ""
        try:
            function(value.step.decode(), value.name.decode(), where, arguments.value(argument))
            arguments.check()
        finally:
            for view in arguments.views:
                view._tensor = None

    return _Hook(call)


def make_generator(generator):
    """A generator of runs: an object with `state()` and `set_state(seed, offset)`."""

    @_fails
    def get(user, seed, offset):
        seed[0], offset[0] = generator.state()

    @_fails
    def put(user, seed, offset):
        generator.set_state(seed, offset)

    return _Generator(ctypes.sizeof(_Generator), 0, _Get(get), _Set(put), None)
