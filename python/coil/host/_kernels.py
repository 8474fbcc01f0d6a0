# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for GPUs, and their arguments; partitions of programs."""

import ctypes
import functools

from coil._library import CompileOptions, InputError, check as _check_status, library
from coil.graphs import capture
from coil.host import _runs
from coil.host._runs import _call, _run
from coil.host._types import _TYPES, _address, _dtype, _i32, _i64


class Kernel:
    """A kernel of the module: called with inputs, outputs, values of symbols."""

    def __init__(self, name, text, device=None):
        self.name = name
        self.text = text
        self.device = device
        self._handle = None

    def __call__(self, *args):
        if _runs._observer is None:
            self._launch(*args)
        else:
            _runs._observer(self.name, lambda: self._launch(*args), self.device,
                            args[: self._buffers])

    def _launch(self, *args):
        count = self._buffers
        buffers = self._pointers(*[tensor.data_ptr() for tensor in args[:count]])
        error = ctypes.c_void_p()
        status = library.coil_kernel_launch(
            self._handle,
            _run(self.device),
            buffers,
            self._numbers(*args[count:]),
            ctypes.byref(error),
        )
        if status:
            _check_status(status, error)

    def _bind(self, kernels, handle):
        self._owner = kernels
        self._handle = library.coil_kernels_lookup(handle, self.name.encode())
        if not self._handle:
            return
        self._buffers = library.coil_kernel_num_buffers(self._handle)
        self._pointers = ctypes.c_void_p * self._buffers
        self._numbers = ctypes.c_int64 * library.coil_kernel_num_symbols(self._handle)


_TensorMapBytes = ctypes.c_uint8 * 128


class TensorMap:
    """The tensor map of a tensor, which kernels of users take by value. `box` is what one
    copy moves, in the order of the tensor's dimensions. The tensor has to be alive as long
    as kernels run that were given the map."""

    _INTERLEAVE = ("none", "b16", "b32")
    _SWIZZLE = ("none", "b32", "b64", "b128")
    _PROMOTION = ("none", "b64", "b128", "b256")
    _FILL = ("zero", "nan")

    def __init__(self, tensor, function, box, *, strides=None, interleave="none",
                 swizzle="none", promotion="none", fill="zero", where="", device=None):
        rank = tensor.dim()
        if not 1 <= rank <= 5 or len(box) != rank or len(strides or box) != rank:
            raise InputError(f"a tensor of {rank} dimensions has no tensor map of the box {box}")
        d = _TensorMap(
            dtype=_dtype(tensor),
            rank=rank,
            interleave=self._INTERLEAVE.index(interleave),
            swizzle=self._SWIZZLE.index(swizzle),
            promotion=self._PROMOTION.index(promotion),
            fill=self._FILL.index(fill),
            sizes=tuple(tensor.size()),
            strides=tuple(tensor.stride()),
            box=tuple(box),
            element_strides=tuple(strides or (1,) * rank),
            where=where.encode() or None,
        )
        made = ctypes.c_void_p()
        _call(function, d, _address(tensor), ctypes.addressof(made), device=device)
        # The run may end before the kernel is launched.
        self.bytes = _TensorMapBytes.from_buffer_copy(ctypes.string_at(made.value, 128))


class TensorMapOf:
    """What a tensor map is made of, but for the tensor."""

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs

    def __call__(self, tensor):
        return TensorMap(tensor, *self._args, **self._kwargs)

    def __repr__(self):
        """The same in every process: a part of the name that nodes have for a launch's kernel."""
        return f"TensorMapOf{self._args!r}{sorted(self._kwargs.items())!r}"


class CombinedKernel(Kernel):
    """Independent kernels that one launch runs where the device allows it: called with the inputs of all parts, the outputs of
    all, and the symbols of the combination. For each part, `symbols` says which of them are its own, `inputs` how many
    inputs it has."""

    def __init__(self, name, declaration, parts, symbols, inputs):
        # A text that stands by itself: each part once, and what combines them.
        super().__init__(name, "\n".join([*dict.fromkeys(part.text for part in parts), declaration]), parts[0].device)
        self.declaration = declaration
        self.parts, self.symbols, self.inputs = parts, symbols, inputs

    def _launch(self, *args):
        if self._handle:
            super()._launch(*args)
            return
        first, written = 0, sum(self.inputs)
        numbers = args[self._buffers :]
        for part, symbols, inputs in zip(self.parts, self.symbols, self.inputs):
            outputs = part._buffers - inputs
            part._launch(*args[first : first + inputs], *args[written : written + outputs], *[numbers[i] for i in symbols])
            first, written = first + inputs, written + outputs

    def _bind(self, kernels, handle):
        super()._bind(kernels, handle)
        if not self._handle:
            self._buffers = sum(part._buffers for part in self.parts)


class UserKernel(Kernel):
    """A kernel of a user's: called with the grid and what its parameters take, in
    their order. None is an address of zero; what the kernel was made for is not
    passed."""

    _TYPES = {"buffer": ctypes.c_void_p, "i32": _i32, "i64": _i64, "f32": ctypes.c_float,
              "f64": ctypes.c_double, "tensor_map": _TensorMapBytes}

    def __init__(self, name, parameters, text, device=None):
        super().__init__(name, text, device)
        self.parameter_types = parameters
        self._types = [self._TYPES[each] for each in parameters.split()]

    def __call__(self, grid, *args):
        if _runs._observer is None:
            self._launch(grid, *args)
        else:
            tensors = [arg for kind, arg in zip(self._types, args)
                       if kind is ctypes.c_void_p and arg is not None]
            _runs._observer(self.name, lambda: self._launch(grid, *args), self.device, tensors)

    def _launch(self, grid, *args):
        if len(args) != len(self._types):
            raise InputError(f"kernel '{self.name}' takes {len(self._types)} arguments, got {len(args)}")
        passed = []
        for kind, value in zip(self._types, args):
            if kind is _TensorMapBytes:  # Passed by value.
                passed.append(value.bytes)
                continue
            if kind is ctypes.c_void_p:
                value = None if value is None else value.data_ptr()
            elif kind in (_i32, _i64):
                value = int(value)
            passed.append(kind(value))
        places = (ctypes.c_void_p * len(passed))(*[ctypes.addressof(each) for each in passed])
        error = ctypes.c_void_p()
        status = library.coil_kernel_launch_user(
            self._handle, _run(self.device), places, (_i64 * 3)(*grid), ctypes.byref(error)
        )
        if status:
            _check_status(status, error)

    def _bind(self, kernels, handle):
        self._owner = kernels
        self._handle = library.coil_kernels_lookup(handle, self.name.encode())


def bind_arguments(kernel, places):
    """A function of buffers, then of a grid and of numbers, that launches a user's
    kernel. For each of its arguments `places` has "buffer" or "number", which stand
    for the next of these, "scalar" for a buffer's element, a `TensorMapOf` for its
    tensor map, or the argument."""

    def launch(*args):
        count = sum(isinstance(place, TensorMapOf) or place in ("buffer", "scalar")
                    for place in places)
        buffers, grid, numbers = iter(args[:count]), args[count : count + 3], iter(args[count + 3 :])
        values = []
        for place in places:
            if place == "buffer":
                values.append(next(buffers))
            elif place == "scalar":
                values.append(next(buffers).item())
            elif isinstance(place, TensorMapOf):
                values.append(place(next(buffers)))
            else:
                values.append(next(numbers) if place == "number" else place)
        kernel(grid, *values)

    return launch


class Kernels:
    """The kernels of a module, compiled together: those of each device with the
    options that make code for it."""

    def __init__(self, options="", object_cache=None, threads=0, opt_level=2):
        self._settings = CompileOptions()
        library.coil_compile_options_init(ctypes.byref(self._settings))
        self._settings.object_cache = object_cache.encode() if object_cache else None
        self._settings.threads = threads
        self._settings.opt_level = opt_level
        self._options = options
        self._kernels = []
        self._handles = []

    def add(self, name, text, device=None):
        """Adds a kernel, as text of the IR; returns what launches it."""
        self._kernels.append(Kernel(name, text, device))
        return self._kernels[-1]

    def add_user(self, name, parameters, text, device=None):
        """Adds a kernel of a user's, with what is passed to it: "buffer",
        "tensor_map", "i32", "i64", "f32" or "f64" for each."""
        self._kernels.append(UserKernel(name, parameters, text, device))
        return self._kernels[-1]

    def combine(self, name, declaration, parts, symbols, inputs):
        """Adds a `wrapper.combination` of kernels that were added; see `CombinedKernel`."""
        self._kernels.append(CombinedKernel(name, declaration, parts, symbols, inputs))
        return self._kernels[-1]

    def compile(self, target=None):
        """Compiles all kernels that were added, in one call for each kind of device.
        `target` replaces the one of the device's options: "cuda:sm_90"."""
        groups = {}
        for kernel in self._kernels:
            options = kernel.device.options if kernel.device else ""
            if target and options:
                options = "target=" + target
            groups.setdefault(options, []).append(kernel)
        for options, kernels in groups.items():
            text = "\n".join(getattr(kernel, "declaration", kernel.text) for kernel in kernels).encode()
            self._settings.pipeline_options = " ".join(
                each for each in (options, self._options) if each
            ).encode()
            error, handle = ctypes.c_void_p(), ctypes.c_void_p()
            status = library.coil_kernels_compile(
                text,
                len(text),
                ctypes.byref(self._settings),
                ctypes.byref(handle),
                ctypes.byref(error),
            )
            _check_status(status, error)
            self._handles.append(handle)
            for kernel in kernels:
                kernel._bind(self, handle)

    def __del__(self):
        for handle in self._handles:
            library.coil_kernels_destroy(handle)


class Runner:
    """The functions of a program that a device can keep as graphs.

    The program calls them through `partitions`, so whoever keeps graphs can put
    functions of its own in their places.
    """

    def __init__(self, partitions):
        self.partitions = list(partitions)

    def recursively_apply_fns(self, fns):
        """Replaces each partition by what the function at its place makes of it."""
        if len(fns) != len(self.partitions):
            raise InputError(f"expected {len(self.partitions)} functions but got {len(fns)}")
        self.partitions = [fn(partition) for fn, partition in zip(fns, self.partitions)]

    def capture(self, limit=16):
        """Keeps at most `limit` CUDA graphs of each partition; see `coil.graphs`."""
        self.recursively_apply_fns(
            [functools.partial(capture, limit=limit)] * len(self.partitions))


class _TensorMap(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "rank", "interleave", "swizzle", "promotion",
                                    "fill", "reserved")],
        *[(name, _i64 * 5) for name in ("sizes", "strides", "box", "element_strides")],
        ("where", ctypes.c_char_p),
    ]
