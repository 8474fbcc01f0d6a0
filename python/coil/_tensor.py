# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that cross the C API, in and out, without copies."""

import ctypes
import math

from coil._library import CTensor, InputError

# The order of coil_dtype.
DTYPES = "bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 f8E4M3FN f8E5M2".split()
SIZES = dict(zip(DTYPES, (1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1)))
_TYPESTR = dict(
    zip(DTYPES, "|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 None <f4 <f8 None None".split())
)
# Element types that NumPy does not have.
FOREIGN = ("bf16", "f8E4M3FN", "f8E5M2")
_FROM_TYPESTR = {text: name for name, text in _TYPESTR.items() if name not in FOREIGN}
# Letters of the buffer protocol.
_FORMATS = {"?": "bool", "e": "f16", "f": "f32", "d": "f64"}
for _letter in "bhilq":
    _size = ctypes.sizeof(
        {
            "b": ctypes.c_int8,
            "h": ctypes.c_short,
            "i": ctypes.c_int,
            "l": ctypes.c_long,
            "q": ctypes.c_longlong,
        }[_letter]
    )
    _FORMATS[_letter] = f"i{8 * _size}"
    _FORMATS[_letter.upper()] = f"u{8 * _size}"


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


def _decode_float8(bits, dtype):
    """The value of a float of 8 bits."""
    if dtype == "f8E5M2":  # The upper byte of a half.
        return memoryview(bytes((0, bits))).cast("e")[0]
    exponent, mantissa = bits >> 3 & 15, bits & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    value = mantissa * 2.0**-9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10)
    return -value if bits & 0x80 else value


def _contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def _make(data, dtype, sizes, strides):
    rank = len(sizes)
    array = ctypes.c_int64 * max(rank, 1)
    return CTensor(
        data, array(*sizes), array(*strides), rank, DTYPES.index(dtype), 0, 0
    )


def _from_dlpack(value):
    capsule = value.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    kind = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool", 10: "f8E4M3FN", 12: "f8E5M2"}.get(
        tensor.code
    )
    dtype = kind if kind in SIZES else f"{kind}{tensor.bits}"
    if tensor.device_type != 1 or tensor.lanes != 1 or dtype not in SIZES:
        raise InputError("expected a tensor of numbers in host memory")
    sizes = list(tensor.shape[: tensor.ndim])
    strides = list(tensor.strides[: tensor.ndim]) if tensor.strides else _contiguous(sizes)
    data = (tensor.data or 0) + tensor.byte_offset
    return _make(data, dtype, sizes, strides), capsule


def _from_array_interface(value):
    interface = value.__array_interface__
    dtype = _FROM_TYPESTR.get(interface["typestr"])
    if dtype is None:
        raise InputError(f"unsupported element type '{interface['typestr']}'")
    sizes = interface["shape"]
    strides = interface.get("strides")
    if strides is None:
        strides = _contiguous(sizes)
    elif any(stride % SIZES[dtype] for stride in strides):
        raise InputError("strides are not a multiple of the element size")
    else:
        strides = [stride // SIZES[dtype] for stride in strides]
    return _make(interface["data"][0], dtype, sizes, strides), value


def _from_buffer(value):
    view = memoryview(value)
    dtype = _FORMATS.get(view.format.lstrip("@=<"))
    if dtype is None or not view.c_contiguous:
        raise InputError(f"expected a contiguous buffer of numbers, got format '{view.format}'")
    try:
        memory = (ctypes.c_char * view.nbytes).from_buffer(view)
    except TypeError:  # Read-only memory has no address to ctypes.
        memory = ctypes.create_string_buffer(view.tobytes(), max(view.nbytes, 1))
    return _make(ctypes.addressof(memory), dtype, view.shape, _contiguous(view.shape)), memory


def to_c(value):
    """A CTensor over the memory of `value`, and what keeps that memory alive.

    Takes NumPy arrays, DLPack producers (PyTorch tensors), objects with the
    buffer protocol, Coil tensors, and Python numbers.
    """
    if isinstance(value, bool):
        cell = ctypes.c_bool(value)
        return _make(ctypes.addressof(cell), "bool", (), ()), cell
    if isinstance(value, int):
        cell = ctypes.c_int64(value)
        return _make(ctypes.addressof(cell), "i64", (), ()), cell
    if isinstance(value, float):
        cell = ctypes.c_float(value)
        return _make(ctypes.addressof(cell), "f32", (), ()), cell
    if isinstance(value, Tensor):
        return _make(value._data, value.dtype, value.shape, value.strides), value
    if hasattr(value, "__array_interface__"):
        return _from_array_interface(value)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value)
    try:
        return _from_buffer(value)
    except TypeError:
        raise InputError(f"expected a tensor but got '{type(value).__name__}'") from None


class Tensor:
    """An output. Shares the memory of the run that made it.

    NumPy reads it without a copy (`numpy.asarray`), except for bf16 and the
    floats of 8 bits, which NumPy does not have.
    """

    def __init__(self, tensor, owner):
        self.dtype = DTYPES[tensor.dtype]
        self.shape = tuple(tensor.sizes[: tensor.rank])
        self.strides = tuple(tensor.strides[: tensor.rank])
        self._data = tensor.data or 0
        self._owner = owner

    def __repr__(self):
        return f"coil.Tensor(shape={self.shape}, dtype={self.dtype})"

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    @property
    def __array_interface__(self):
        if self.dtype in FOREIGN:
            raise AttributeError(f"NumPy has no {self.dtype}")
        size = SIZES[self.dtype]
        return {
            "version": 3,
            "typestr": _TYPESTR[self.dtype],
            "shape": self.shape,
            "strides": tuple(stride * size for stride in self.strides),
            "data": (self._data, False),
        }

    def tolist(self):
        """The elements as nested lists."""
        letter = {name: letter for letter, name in _FORMATS.items()}.get(self.dtype)
        size = SIZES[self.dtype]

        def element(address):
            raw = ctypes.string_at(address, size)
            if self.dtype == "bf16":
                return memoryview(b"\0\0" + raw).cast("f")[0]
            if self.dtype in FOREIGN:
                return _decode_float8(raw[0], self.dtype)
            return memoryview(raw).cast(letter)[0]

        def rows(address, dim):
            if dim == len(self.shape):
                return element(address)
            step = self.strides[dim] * size
            return [rows(address + i * step, dim + 1) for i in range(self.shape[dim])]

        return rows(self._data, 0)
