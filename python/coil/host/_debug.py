# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What shows a program at work: values, ranges, lifetimes, times."""

import contextlib
import ctypes
import weakref

import torch

from coil._library import RunError, library
from coil.host._runs import _function, _require, _run, _thread
from coil.host._types import _address, _dtype, _i64


def debug_mark(label):
    """Says on the standard error that the program is here."""
    library.coil_rt_debug_mark(_run(), label.encode())


def debug_value(function, action, label, tensor, device=None):
    """Prints, saves or checks a tensor, as `coil_rt_debug_value` does."""
    sizes = (_i64 * tensor.dim())(*tensor.size())
    strides = (_i64 * tensor.dim())(*tensor.stride())
    number = {"print": 0, "save": 1, "nan": 2, "finite": 3}[action]
    data = ctypes.c_void_p(_address(tensor))
    _require(_function(function)(_run(device), number, label.encode(), data, _dtype(tensor),
                                 tensor.dim(), sizes, strides))


def profile_range(name):
    """A context that profilers show under a name."""
    profiler = getattr(torch, "profiler", None)
    return profiler.record_function(name) if profiler else contextlib.nullcontext()


def begin_range(name):
    """The same in two calls, for graphs."""
    ranges = _thread.__dict__.setdefault("ranges", [])
    ranges.append(profile_range(name))
    ranges[-1].__enter__()


def end_range():
    """Ends what `begin_range` began last in this thread."""
    _thread.ranges.pop().__exit__(None, None, None)


def check_lifetime(mode, function, step, alive):
    """Fails, naming the step and a buffer, unless all of `alive`, functions that
    return tensors, by name, are there; with the mode "exact" also if a tensor
    that an earlier check of the function saw is there and is not among them."""
    seen = _thread.__dict__.setdefault("seen", {}).setdefault(function, {})
    if mode == "begin":
        seen.clear()
    now = {}
    for name, get in alive.items():
        try:
            tensor = get()
        except NameError:
            raise RunError(f"after '{step}' in '{function}': buffer '{name}' is not allocated any more")
        now[id(tensor)] = (name, weakref.ref(tensor))
    tensor = None
    if mode == "exact":
        for number, (name, reference) in seen.items():
            if number not in now and reference() is not None:
                raise RunError(f"after '{step}' in '{function}': buffer '{name}' is still allocated")
        seen.clear()
    seen.update(now)
