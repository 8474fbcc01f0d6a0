# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emitted host programs use of torch, for machines that do not have it.

Tensors are views of ctypes memory. Only what programs and coil.host call is
here, and it refuses what torch refuses: views outside of their storage, copies
between different shapes, items of several elements.
"""

import ctypes
import math
import random
import struct


class dtype:
    def __init__(self, name, size, letter):
        self.name, self.itemsize, self.letter = name, size, letter

    def __repr__(self):
        return "torch." + self.name


for _text in (
    "bool:1:? int8:1:b uint8:1:B int16:2:h uint16:2:H int32:4:i uint32:4:I int64:8:q"
    " uint64:8:Q float16:2:e bfloat16:2: float32:4:f float64:8:d float8_e4m3fn:1:"
    " float8_e5m2:1:"
).split():
    _name, _size, _letter = _text.split(":")
    globals()[_name] = dtype(_name, int(_size), _letter)


def _decode(kind, raw):
    """The Python value of one element's bytes."""
    if kind.letter:
        return struct.unpack("<" + kind.letter, raw)[0]
    if kind.name == "bfloat16":
        return struct.unpack("<f", b"\0\0" + raw)[0]
    if kind.name == "float8_e5m2":
        return struct.unpack("<e", b"\0" + raw)[0]
    exponent, mantissa = raw[0] >> 3 & 15, raw[0] & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    value = mantissa * 2.0**-9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10)
    return -value if raw[0] & 0x80 else value


class _Storage:
    """Bytes at a multiple of 64, as torch's allocator gives them."""

    def __init__(self, count):
        self.count = count
        self._memory = (ctypes.c_char * (count + 64))()
        address = ctypes.addressof(self._memory)
        self.address = address + -address % 64
        ctypes.memset(self.address, 0xFF, count)  # A NaN in every float type.


def _span(sizes, strides):
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))


class Tensor:
    def __init__(self, storage, offset, sizes, strides, kind, device):
        sizes, strides = tuple(sizes), tuple(strides)
        if len(sizes) != len(strides) or min(sizes, default=0) < 0:
            raise RuntimeError(f"bad layout: sizes {sizes}, strides {strides}")
        if (offset + _span(sizes, strides)) * kind.itemsize > storage.count and 0 not in sizes:
            raise RuntimeError("the view is outside of its storage")
        self._storage, self._offset = storage, offset
        self._sizes, self._strides = sizes, strides
        self.dtype, self.device = kind, device

    def size(self, dim=None):
        return self._sizes if dim is None else self._sizes[dim]

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[dim]

    def dim(self):
        return len(self._sizes)

    def numel(self):
        return math.prod(self._sizes)

    def element_size(self):
        return self.dtype.itemsize

    def storage_offset(self):
        return self._offset

    def untyped_storage(self):
        return self._storage

    def data_ptr(self):
        if self.numel() == 0:
            return 0
        return self._storage.address + self._offset * self.dtype.itemsize

    def as_strided(self, sizes, strides, offset=None):
        offset = self._offset if offset is None else offset
        return Tensor(self._storage, offset, sizes, strides, self.dtype, self.device)

    def set_(self, storage, offset, sizes, strides):
        self.__init__(storage, offset, sizes, strides, self.dtype, self.device)
        return self

    def item(self):
        if self.numel() != 1:
            raise RuntimeError("a tensor with several elements has no item")
        return _decode(self.dtype, ctypes.string_at(self.data_ptr(), self.dtype.itemsize))

    def _is_contiguous(self):
        step = 1
        for size, stride in zip(reversed(self._sizes), reversed(self._strides)):
            if size != 1 and stride != step:
                return False
            step *= size
        return True

    def copy_(self, source):
        if source._sizes != self._sizes or source.dtype is not self.dtype:
            raise RuntimeError("expected a tensor of the same sizes and type")
        if not self._is_contiguous() or not source._is_contiguous():
            raise RuntimeError("expected contiguous tensors")
        count = self.numel() * self.dtype.itemsize
        if count:
            ctypes.memmove(self.data_ptr(), source.data_ptr(), count)
        return self

    def _fill(self, element):
        for i in range(self.numel()):
            raw = element()
            ctypes.memmove(self.data_ptr() + i * len(raw), raw, len(raw))
        return self

    def zero_(self):
        return self._fill(lambda: bytes(self.dtype.itemsize))

    def normal_(self):
        if self.dtype.name == "bfloat16":
            return self._fill(lambda: struct.pack("<f", random.gauss(0, 1))[2:])
        return self._fill(lambda: struct.pack("<" + self.dtype.letter, random.gauss(0, 1)))


def empty_strided(sizes, strides, *, dtype, device):
    if device != "cpu":
        raise RuntimeError(f"there is no device '{device}'")
    storage = _Storage(_span(sizes, strides) * dtype.itemsize)
    return Tensor(storage, 0, sizes, strides, dtype, device)


def empty(size, *, dtype, device):
    return empty_strided((size,), (1,), dtype=dtype, device=device)
