# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of programs: checks of inputs, views, constants, weights."""

import base64
import ctypes
import math
import struct

import torch

from coil._library import CTensor, InputError, RunError, check as _check_status, library
from coil.host._runs import _function, _require, _run
from coil.host._types import _LETTERS, _NAMES, _NUMBERS, _RUNTIME_NAMES, _TYPES, _address, _dtype, _i64


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


def aligned(tensor, alignment):
    """A tensor that begins where kernels of a GPU want it, at a multiple of `alignment`
    bytes: a view that does not is copied."""
    if tensor.data_ptr() % alignment == 0:
        return tensor
    copy = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=tensor.device)
    return copy.copy_(tensor)


def check_aligned(tensor, name, alignment):
    """Fails unless a tensor begins where kernels of a GPU want it, at a multiple of
    `alignment` bytes."""
    if tensor.data_ptr() % alignment != 0:
        raise InputError(f"input '{name}' does not begin at a multiple of {alignment} bytes")


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


def _are_distinct(sizes, strides):
    """Whether no two elements of a layout are in the same place."""
    reach = 0
    for stride, size in sorted((abs(t), s) for t, s in zip(strides, sizes) if s > 1):
        if stride <= reach:
            return False
        reach += (size - 1) * stride
    return True


def match_size_stride(tensor, sizes, strides, name):
    """A tensor in the layout that a program was compiled for: one that has other
    strides is copied, and `input_copies()` counts it. Fails for other sizes, and
    where elements of that layout share memory."""
    if tuple(tensor.size()) == tuple(sizes) and 0 not in sizes and any(
            given != expected and size > 1
            for given, expected, size in zip(tensor.stride(), strides, sizes)):
        if _are_distinct(sizes, strides):
            copy = torch.empty_strided(sizes, strides, dtype=tensor.dtype, device=tensor.device)
            global _input_copies
            _input_copies += 1
            return copy.copy_(tensor)
    assert_size_stride(tensor, sizes, strides, name)
    return tensor


_input_copies = 0


def input_copies():
    """How many inputs have been copied, because they came with other strides than
    their program was compiled for, since the process began."""
    return _input_copies


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


def item(function, tensor, device=None):
    """The first element of a tensor that the host cannot access, behind all that the
    run has started."""
    result = (_i64 * 1)()
    _require(_function(function)(_run(device), ctypes.c_void_p(_address(tensor)), _dtype(tensor), result))
    if _NAMES[_dtype(tensor)].startswith(("float", "bfloat")):
        return struct.unpack("<d", bytes(result))[0]
    return result[0] % 2**64 if _NAMES[_dtype(tensor)] == "uint64" else result[0]


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


def resize_storage(tensor, count, sizes, strides):
    """Gives a tensor's storage so many bytes, and a view of all of it."""
    if tensor.storage_offset() != 0:
        raise RunError("the storage of a tensor is resized that does not begin where it does")
    tensor.untyped_storage().resize_(count)
    return tensor.as_strided(sizes, strides, 0)


def set_storage(target, source):
    """Gives a tensor the storage and the layout of another one."""
    target.set_(source.untyped_storage(), source.storage_offset(), source.size(), source.stride())


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
