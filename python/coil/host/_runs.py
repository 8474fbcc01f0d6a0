# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs: what the runtime knows of a thread's work; devices, random state, hooks."""

import ctypes
import pickle
import threading

from coil import _hooks, generators
from coil._library import RunError, library
from coil.host._types import _i32

# What `set_hook` was given.
_hook = None


def set_hook(function):
    """Sets what emitted programs call for each result of a step, if they were
    compiled with `debug-values=hook`: a function of the step's handle, the name of the
    value, its place in the model, and the tensor, which it must not write. None for
    nothing. An exception stops the program."""
    global _hook
    _hook = function


# What `set_generator` was given: None is the generator of the process.
_generator = None


class _ProcessOrTorch:
    """What runs draw from: the generator that is set, or that of the process."""

    def state(self):
        return _generator.state() if _generator else random_state()

    def set_state(self, seed, offset):
        (_generator.set_state if _generator else set_random_state)(seed, offset)


_show_to_hook = _hooks.make_hook(lambda *args: _hook and _hook(*args))
_torch_generator = _hooks.make_generator(_ProcessOrTorch())


def random_state():
    """Seed and offset of the generator of the process."""
    seed, offset = ctypes.c_uint64(), ctypes.c_uint64()
    library.coil_get_random_state(ctypes.byref(seed), ctypes.byref(offset))
    return seed.value, offset.value


def set_random_state(seed, offset=0):
    """Sets both; the offset is a multiple of 4."""
    _require(library.coil_set_random_state(ctypes.c_uint64(seed % 2**64), ctypes.c_uint64(offset)))


def set_generator(generator):
    """Makes emitted programs draw random numbers from a generator of torch, and move
    it: one of CUDA exactly as eager does; of one of the CPU each call draws a seed
    (`coil.generators`). None is the generator of the process."""
    global _generator
    _generator = None if generator is None else generators.wrap(generator)


class _Run:
    """What the runtime knows of a thread's work, on a device and its stream if
    there is more to know of them."""

    def __init__(self, bind=None, number=0, set_stream=None, stream=0):
        self.handle = ctypes.c_void_p()
        _require(library.coil_run_create(ctypes.byref(self.handle)))
        library.coil_run_set_hook(self.handle, _show_to_hook, None)
        library.coil_run_set_generator(self.handle, ctypes.byref(_torch_generator))
        if bind:
            _require(_function(bind)(self.handle, _i32(number)))
        if set_stream:
            _require(_function(set_stream)(self.handle, ctypes.c_void_p(stream)))

    def __del__(self):
        library.coil_run_destroy(self.handle)


_thread = threading.local()


def _require(status):
    if status:
        raise RunError(library.coil_last_error().decode())


def _function(name):
    """A function of the runtime, or of one that someone brought into the process."""
    function = getattr(library, name, None) or getattr(ctypes.CDLL(None), name)
    function.restype = _i32
    return function


def _run(device=None):
    if device is not None:
        return device.run()
    run = getattr(_thread, "run", None)
    if run is None:
        run = _thread.run = _Run()
    return run.handle


class Device:
    """A device whose work a run has to be bound to: its number, the options that
    make code for it, and the code templates of its registration. `bind`, `wait` and the
    first of `stream` are functions of the runtime; the second of `stream` gives the
    stream that the caller works on, and `synchronize` waits for the device. Both are
    expressions in Python after the statement `imports`, or functions: a device of
    functions cannot be pickled."""

    def __init__(self, number, options="", bind=None, stream=(None, None), wait=None,
                 synchronize=None, imports="import torch"):
        self.options = options
        self._number, self._bind, self._wait = number, bind, wait
        self._arguments = (number, options, bind, stream, wait, synchronize, imports)
        self._set_stream, self._stream = stream[0], self._read(stream[1], imports)
        self._synchronize = self._read(synchronize, imports)
        self._runs = threading.local()

    @staticmethod
    def _read(code, imports):
        """The function of an expression."""
        if not isinstance(code, str):
            return code
        names = {}
        exec(imports, names)
        return eval(f"lambda: {code}", names)

    def __repr__(self):
        """The same in every process, unless it has functions."""
        return f"Device{self._arguments!r}"

    def __reduce__(self):
        if any(callable(each) for each in (self._arguments[3][1], self._arguments[5])):
            raise pickle.PicklingError("a device that is described by functions of this process cannot be pickled")
        return Device, self._arguments

    def run(self):
        """This thread's run on the caller's stream."""
        stream = self._stream() if self._stream else 0
        runs = self._runs.__dict__.setdefault("runs", {})
        run = runs.get(stream)
        if run is None:
            run = runs[stream] = _Run(self._bind, self._number, self._set_stream, stream)
        return run.handle

    def synchronize(self):
        """Waits for the device, and reports what this thread's kernels found wrong."""
        if self._synchronize:
            self._synchronize()
        if self._wait:
            for run in self._runs.__dict__.get("runs", {}).values():
                _require(_function(self._wait)(run.handle))


# Told of each step while a program is profiled (`coil.host._profile`).
_observer = None


def _call(function, description, *addresses, device=None):
    """Calls a function of the runtime with a run, a description and tensors."""
    description.struct_size = ctypes.sizeof(description)
    pointers = [ctypes.c_void_p(address) for address in addresses]

    def call():
        _require(_function(function)(_run(device), ctypes.byref(description), *pointers))

    if _observer is None:
        call()
    else:
        _observer(function.removeprefix("coil_rt_"), call, device, None)
