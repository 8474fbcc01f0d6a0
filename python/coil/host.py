# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emitted host programs call: kernels, libraries, checks, tensors.

`coil-compile --emit=python` writes modules that import this one. It works on
torch tensors, through what every tensor has: an address, sizes and strides.
"""

import base64
import contextlib
import ctypes
import functools
import math
import struct
import threading
import time
import weakref

import torch

from coil import _functions, _groups, _hooks, _objects, generators
from coil.graphs import capture
from coil._library import (
    CompileError,
    CompileOptions,
    CTensor,
    InputError,
    RunError,
    check as _check_status,
    library,
)

# The order of coil_dtype.
_NAMES = (
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32"
    " float64 float8_e4m3fn float8_e5m2"
).split()
_RUNTIME_NAMES = "bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 f8E4M3FN f8E5M2".split()
_NUMBERS = {getattr(torch, name): number for number, name in enumerate(_NAMES)}
_TYPES = {number: dtype for dtype, number in _NUMBERS.items()}
# Letters of `struct` for the types that constants are listed in.
_LETTERS = dict(zip(_NAMES, "?bBhHiIqQe fd"))

# ===------------------------------------------------------------------------===
# Runs
# ===------------------------------------------------------------------------===


_i32, _i64 = ctypes.c_int32, ctypes.c_int64

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
    make code for it, and the words of its registration. `bind`, `wait` and the
    first of `stream` are functions of the runtime; the second of `stream` gives the
    stream that the caller works on, and `synchronize` waits for the device."""

    def __init__(self, number, options="", bind=None, stream=(None, None), wait=None,
                 synchronize=None):
        self.options = options
        self._number, self._bind, self._wait = number, bind, wait
        self._set_stream, self._stream = stream
        self._synchronize = synchronize
        self._runs = threading.local()

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


# ===------------------------------------------------------------------------===
# Kernels
# ===------------------------------------------------------------------------===


class Kernel:
    """A kernel of the module: called with inputs, outputs, values of symbols."""

    def __init__(self, name, text, device=None):
        self.name = name
        self.text = text
        self.device = device
        self._handle = None

    def __call__(self, *args):
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


class UserKernel(Kernel):
    """A kernel of a user's: called with the grid and what its parameters take, in
    their order. None is an address of zero; what the kernel was made for is not
    passed."""

    _TYPES = {"buffer": ctypes.c_void_p, "i32": _i32, "i64": _i64, "f32": ctypes.c_float,
              "f64": ctypes.c_double, "tensor_map": _TensorMapBytes}

    def __init__(self, name, parameters, text, device=None):
        super().__init__(name, text, device)
        self._types = [self._TYPES[each] for each in parameters.split()]

    def __call__(self, grid, *args):
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
            text = "\n".join(kernel.text for kernel in kernels).encode()
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


# ===------------------------------------------------------------------------===
# Arguments and checks
# ===------------------------------------------------------------------------===


def unpack(args, count):
    """The arguments of a call, which the caller's list no longer holds: a
    function can then free what it consumes."""
    if len(args) != count:
        raise InputError(
            f"expected {count} {'input' if count == 1 else 'inputs'} but got {len(args)}"
        )
    values = tuple(args)
    args.clear()
    return values


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


def check(condition, message, lhs, rhs):
    """Fails with a message and two numbers unless a condition holds."""
    if not condition:
        raise RunError(f"{message} (got {lhs} and {rhs})")


def assert_range(value, lower, upper, what):
    """Fails unless a number is in its range; None is no bound."""
    if lower is not None and value < lower:
        raise RunError(f"{what} is below its lower bound (got {value} and {lower})")
    if upper is not None and value > upper:
        raise RunError(f"{what} is above its upper bound (got {value} and {upper})")


def check_input(tensor, name, dtype, rank, device):
    """Fails unless a caller's tensor is of the kind that a program takes."""
    if tensor.dim() != rank:
        raise InputError(f"input '{name}' has rank {tensor.dim()}, expected {rank}")
    if tensor.dtype != dtype:
        given = _NUMBERS.get(tensor.dtype)
        given = "unknown" if given is None else _RUNTIME_NAMES[given]
        expected = _RUNTIME_NAMES[_NUMBERS[dtype]]
        raise InputError(f"input '{name}' has element type {given}, expected {expected}")
    if str(tensor.device) != device:
        raise InputError(f"input '{name}' is on device '{tensor.device}', expected '{device}'")


def aligned(tensor):
    """A tensor that begins where kernels of a GPU want it: a view that does not is
    copied."""
    if tensor.data_ptr() % 16 == 0:
        return tensor
    copy = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
    return copy.copy_(tensor)


def check_aligned(tensor, name):
    """Fails unless a tensor begins where kernels of a GPU want it."""
    if tensor.data_ptr() % 16 != 0:
        raise InputError(f"input '{name}' does not begin at a multiple of 16 bytes")


def assert_size_stride(tensor, sizes, strides, name):
    """Fails unless a tensor has a layout. Strides of dimensions with at most
    one element do not matter."""
    for dim, (given, expected) in enumerate(zip(tensor.size(), sizes)):
        if given != expected:
            raise RunError(
                f"input '{name}' has size {given} in dimension {dim}, expected {expected}"
            )
    if 0 in sizes:
        return
    for dim, (given, expected) in enumerate(zip(tensor.stride(), strides)):
        if sizes[dim] > 1 and given != expected:
            raise RunError(
                f"input '{name}' has stride {given} in dimension {dim}, expected {expected}"
            )


# ===------------------------------------------------------------------------===
# Tensors
# ===------------------------------------------------------------------------===


def reinterpret_tensor(tensor, sizes, strides, offset, dtype=None):
    """A view of a tensor's memory, `offset` elements after its first, under
    another layout and perhaps another element type."""
    if dtype is None or dtype == tensor.dtype:
        return tensor.as_strided(sizes, strides, tensor.storage_offset() + offset)
    view = torch.empty(0, dtype=dtype, device=tensor.device)
    first = tensor.storage_offset() * tensor.element_size() + offset * view.element_size()
    return view.set_(
        tensor.untyped_storage(), first // view.element_size(), tuple(sizes), tuple(strides)
    )


def carve(pool, offset, sizes, strides, dtype):
    """A tensor in a pool's memory, `offset` bytes after its first."""
    view = torch.empty(0, dtype=dtype, device=pool.device)
    first = (pool.storage_offset() + offset) // view.element_size()
    return view.set_(pool.untyped_storage(), first, tuple(sizes), tuple(strides))


def _contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides[::-1])


def _from_bytes(data, sizes, dtype, device):
    tensor = torch.empty_strided(sizes, _contiguous(sizes), dtype=dtype, device="cpu")
    ctypes.memmove(tensor.data_ptr(), data, len(data))
    return tensor if device == "cpu" else _move(tensor, device)


def _move(tensor, device):
    """A copy of a contiguous tensor on another device."""
    copy = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=device)
    copy.copy_(tensor)
    return copy


def constant(values, sizes, dtype, device):
    """A tensor of the given elements; one element stands for all."""
    count = math.prod(sizes)
    letter = _LETTERS[_NAMES[_NUMBERS[dtype]]]
    if len(values) == 1:
        return _from_bytes(struct.pack("<" + letter, values[0]) * count, sizes, dtype, device)
    return _from_bytes(struct.pack(f"<{count}{letter}", *values), sizes, dtype, device)


def constant_bytes(text, sizes, dtype, device):
    """A tensor of the elements whose bytes are given in base64."""
    return _from_bytes(base64.b64decode(text), sizes, dtype, device)


def divide(a, b):
    """Division of floats as machines do it."""
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


# ===------------------------------------------------------------------------===
# Libraries
# ===------------------------------------------------------------------------===

_POST = {"none": 0, "relu": 1, "gelu_erf": 2, "gelu_tanh": 3}


class _Contraction(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("a_dtype", "b_dtype", "bias_dtype", "c_dtype")],
        *[(name, _i32) for name in ("batch_rank", "bias_axis", "post_op", "tf32", "reserved")],
        *[(name, _i64) for name in "mnk"],
        *[(name, _i64 * 2) for name in ("a_strides", "b_strides", "c_strides")],
        ("bias_stride", _i64),
        ("batch_sizes", _i64 * 4),
        *[(f"{name}_batch_strides", _i64 * 4) for name in "abc"],
        ("where", ctypes.c_char_p),
    ]


class _Convolution(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("x_dtype", "w_dtype", "bias_dtype", "y_dtype")],
        *[(name, _i32) for name in ("spatial_rank", "transposed", "post_op", "tf32", "reserved")],
        *[(name, _i64) for name in ("batch", "in_channels", "out_channels", "groups")],
        ("bias_stride", _i64),
        *[(name, _i64 * 3) for name in ("in_sizes", "kernel_sizes", "out_sizes")],
        *[(name, _i64 * 3) for name in ("strides", "padding_lo", "padding_hi", "dilations")],
        *[(f"{name}_strides", _i64 * 5) for name in "xwy"],
        ("where", ctypes.c_char_p),
    ]


class _Attention(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "causal", "reserved")],
        ("scale", ctypes.c_double),
        *[(name, _i64) for name in ("batch", "heads", "kv_heads", "queries", "keys", "width", "value_width")],
        *[(f"{name}_strides", _i64 * 4) for name in ("q", "k", "v", "mask", "o")],
        ("where", ctypes.c_char_p),
    ]


class _Sort(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "descending", "reserved")],
        *[(name, _i64) for name in ("outer", "size", "inner", "count")],
        ("where", ctypes.c_char_p),
    ]


class _TensorMap(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        *[(name, _i32) for name in ("dtype", "rank", "interleave", "swizzle", "promotion",
                                    "fill", "reserved")],
        *[(name, _i64 * 5) for name in ("sizes", "strides", "box", "element_strides")],
        ("where", ctypes.c_char_p),
    ]


def _call(function, description, *addresses, device=None):
    """Calls a function of the runtime with a run, a description and tensors."""
    description.struct_size = ctypes.sizeof(description)
    pointers = [ctypes.c_void_p(address) for address in addresses]
    _require(_function(function)(_run(device), ctypes.byref(description), *pointers))


def item(function, tensor, device=None):
    """The first element of a tensor that the host cannot access, behind all that the
    run has started."""
    result = (_i64 * 1)()
    _require(_function(function)(_run(device), ctypes.c_void_p(_address(tensor)), _dtype(tensor), result))
    if _NAMES[_dtype(tensor)].startswith(("float", "bfloat")):
        return struct.unpack("<d", bytes(result))[0]
    return result[0] % 2**64 if _NAMES[_dtype(tensor)] == "uint64" else result[0]


def debug_mark(label):
    """Says on the standard error that the program is here."""
    library.coil_rt_debug_mark(_run(), label.encode())


def fill(tensor, byte, function=None, device=None):
    """Sets all bytes of a contiguous tensor to one value, on a device whose memory
    the host cannot access by `function` of the runtime."""
    data = ctypes.c_void_p(_address(tensor))
    size = tensor.element_size()
    for dim in tensor.size():
        size *= dim
    if function is not None:
        _require(_function(function)(_run(device), data, byte, _i64(size)))
    elif size > 0:
        ctypes.memset(data, byte, size)


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


def bound_object(name, class_name):
    """The object that is bound to a name, of a class (`coil.bind_object`)."""
    handle = ctypes.c_void_p()
    run = _run()
    _require(library.coil_rt_bound_object(run, name.encode(), class_name.encode(),
                                          ctypes.byref(handle)))
    found = _objects.Object(handle)
    _require(library.coil_rt_drop_object(run, handle))
    return found


def resize_storage(tensor, count, sizes, strides):
    """Gives a tensor's storage so many bytes, and a view of all of it."""
    if tensor.storage_offset() != 0:
        raise RunError("the storage of a tensor is resized that does not begin where it does")
    tensor.untyped_storage().resize_(count)
    return tensor.as_strided(sizes, strides, 0)


def set_storage(target, source):
    """Gives a tensor the storage and the layout of another one."""
    target.set_(source.untyped_storage(), source.storage_offset(), source.size(), source.stride())


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
            raise RunError(f"behind '{step}' in '{function}': buffer '{name}' is not allocated any more")
        now[id(tensor)] = (name, weakref.ref(tensor))
    tensor = None
    if mode == "exact":
        for number, (name, reference) in seen.items():
            if number not in now and reference() is not None:
                raise RunError(f"behind '{step}' in '{function}': buffer '{name}' is still allocated")
        seen.clear()
    seen.update(now)


def _address(tensor, offset=0):
    if tensor is None:
        return None
    return tensor.data_ptr() + offset * tensor.element_size()


def _dtype(tensor):
    return 0 if tensor is None else _NUMBERS[tensor.dtype]


def contraction(
    function,
    *,
    dims,
    a,
    a_strides,
    b,
    b_strides,
    c,
    c_strides,
    bias=None,
    bias_strides=None,
    a_offset=0,
    b_offset=0,
    c_offset=0,
    bias_offset=0,
    post="none",
    tf32=False,
    where="",
    device=None,
):
    """`c = post(a @ b + bias)`, batched: sizes and strides along the batches, m,
    n and k, whatever the shapes of the tensors are. `tf32`: a GPU may round factors
    of f32 to TF32."""
    batch = len(dims) - 3
    m, n, k = batch, batch + 1, batch + 2
    along_m = bias is not None and bias_strides[m] != 0
    d = _Contraction(
        a_dtype=_dtype(a),
        b_dtype=_dtype(b),
        bias_dtype=_dtype(bias),
        c_dtype=_dtype(c),
        batch_rank=batch,
        bias_axis=1 if along_m else 0,
        post_op=_POST[post],
        tf32=tf32,
        m=dims[m],
        n=dims[n],
        k=dims[k],
        a_strides=(a_strides[m], a_strides[k]),
        b_strides=(b_strides[k], b_strides[n]),
        c_strides=(c_strides[m], c_strides[n]),
        bias_stride=0 if bias is None else bias_strides[m if along_m else n],
        batch_sizes=dims[:batch],
        a_batch_strides=a_strides[:batch],
        b_batch_strides=b_strides[:batch],
        c_batch_strides=c_strides[:batch],
        where=where.encode() or None,
    )
    _call(
        function,
        d,
        _address(a, a_offset),
        _address(b, b_offset),
        _address(bias, bias_offset),
        _address(c, c_offset),
        device=device,
    )


def convolution(function, x, w, bias, y, *, stride, padding, dilation, groups, post="none",
                tf32=False, where="", device=None):
    """`y = post(convolution of x with w, + bias)`. `tf32`: a GPU may round x and w of f32 to TF32."""
    d = _Convolution(
        x_dtype=_dtype(x),
        w_dtype=_dtype(w),
        bias_dtype=_dtype(bias),
        y_dtype=_dtype(y),
        spatial_rank=x.dim() - 2,
        transposed=0,
        post_op=_POST[post],
        tf32=tf32,
        batch=x.size(0),
        in_channels=x.size(1),
        out_channels=y.size(1),
        groups=groups,
        bias_stride=0 if bias is None else bias.stride(0),
        in_sizes=tuple(x.size())[2:],
        kernel_sizes=tuple(w.size())[2:],
        out_sizes=tuple(y.size())[2:],
        strides=stride,
        padding_lo=padding,
        padding_hi=padding,
        dilations=dilation,
        x_strides=tuple(x.stride()),
        w_strides=tuple(w.stride()),
        y_strides=tuple(y.stride()),
        where=where.encode() or None,
    )
    _call(function, d, _address(x), _address(w), _address(bias), _address(y), device=device)


def attention(function, q, k, v, mask, o, *, causal, scale, where="", device=None):
    """`o = softmax(scale * q k^T + mask) v`; `mask` may be None."""
    d = _Attention(
        dtype=_dtype(o),
        causal=causal,
        scale=scale,
        batch=q.size(0),
        heads=q.size(1),
        kv_heads=k.size(1),
        queries=q.size(2),
        keys=k.size(2),
        width=q.size(3),
        value_width=v.size(3),
        q_strides=tuple(q.stride()),
        k_strides=tuple(k.stride()),
        v_strides=tuple(v.stride()),
        mask_strides=tuple((q if mask is None else mask).stride()),
        o_strides=tuple(o.stride()),
        where=where.encode() or None,
    )
    _call(function, d, *map(_address, (q, k, v, mask, o)), device=device)


def sort(function, x, dim, descending, values, indices, *, where="", device=None):
    """The elements of `x` along `dim` in order, as far as `values` and `indices`
    have room for them; either may be None."""
    sizes = tuple(x.size())
    result = indices if values is None else values
    d = _Sort(
        dtype=_dtype(x),
        descending=descending,
        outer=math.prod(sizes[:dim]),
        size=sizes[dim],
        inner=math.prod(sizes[dim + 1 :]),
        count=result.size(dim),
        where=where.encode() or None,
    )
    _call(function, d, _address(x), _address(values), _address(indices), device=device)


# ===------------------------------------------------------------------------===
# Host functions
# ===------------------------------------------------------------------------===


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


# ===------------------------------------------------------------------------===
# Weights and benchmarks
# ===------------------------------------------------------------------------===


def load_weights(path, names, device="cpu"):
    """Tensors of the weights of an exported program, on a device. `names` maps positions of
    arguments to names of weights, as WEIGHTS of an emitted module does; so does
    the result map positions to tensors."""
    handle, error = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.coil_weights_open(
        str(path).encode(), ctypes.byref(handle), ctypes.byref(error)
    )
    _check_status(status, error)
    try:
        tensors = {}
        for position, name in names.items():
            view = CTensor()
            status = library.coil_weights_get(
                handle, name.encode(), ctypes.byref(view), ctypes.byref(error)
            )
            _check_status(status, error)
            sizes, strides = view.sizes[: view.rank], view.strides[: view.rank]
            dtype = _TYPES[view.dtype]
            tensor = torch.empty_strided(tuple(sizes), tuple(strides), dtype=dtype, device="cpu")
            if 0 not in sizes:
                last = sum((size - 1) * stride for size, stride in zip(sizes, strides))
                bytes_ = (last + 1) * tensor.element_size()
                ctypes.memmove(tensor.data_ptr(), view.data, bytes_)
            tensors[position] = tensor if device == "cpu" else _move(tensor, device)
        return tensors
    finally:
        library.coil_weights_close(handle)


def rand_strided(sizes, strides, dtype, device):
    """A tensor for benchmarks: normally distributed floats, zeros of integers,
    which are valid indices, and of floats of 8 bits."""
    span = 0 if 0 in sizes else 1 + sum((size - 1) * step for size, step in zip(sizes, strides))
    tensor = torch.empty_strided((span,), (1,), dtype=dtype, device=device)
    if _NAMES[_NUMBERS[dtype]] in ("float16", "bfloat16", "float32", "float64"):
        tensor.normal_()
    else:
        tensor.zero_()
    return tensor.as_strided(sizes, strides, 0)


def print_performance(function, times=10, repeat=10, synchronize=lambda: None):
    """Calls a function `times` times, `repeat` times over, and waits for what that
    has started; prints the median of the time of one call and returns it in
    seconds."""
    function()
    synchronize()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(times):
            function()
        synchronize()
        seconds.append((time.perf_counter() - start) / times)
    seconds.sort()
    median = seconds[len(seconds) // 2]
    print(f"{median * 1e6:.3f} us for a call, median of {repeat} x {times}")
    return median
