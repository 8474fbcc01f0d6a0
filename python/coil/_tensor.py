# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that cross the C API, in and out, without copies."""

import ctypes
import functools
import math
import struct
import sys

from coil._library import CTensor, InputError, call

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


# Codes of element types in DLPack.
_DL_CODES = {"i": 0, "u": 1, "f": 2, "bf": 4, "c": 5, "bool": 6, "f8E4M3FN": 10, "f8E5M2": 12}
_DL_KINDS = {code: kind for kind, code in _DL_CODES.items()}
CPU, CUDA = 0, 1
# Kinds of memory: DLPack's number of each of ours, and back.
_DL_DEVICES = {CPU: 1, CUDA: 2}
_FROM_DL_DEVICE = {1: CPU, 2: CUDA, 3: CPU, 13: CUDA}


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
        return struct.unpack("<e", bytes((0, bits)))[0]
    exponent, mantissa = bits >> 3 & 15, bits & 7
    if exponent == 15 and mantissa == 7:
        return math.nan
    value = mantissa * 2.0**-9 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 10)
    return -value if bits & 0x80 else value


class _DLManaged(ctypes.Structure):
    pass


_DLDeleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManaged))
_DLManaged._fields_ = [
    ("tensor", _DLTensor),
    ("context", ctypes.c_void_p),
    ("deleter", _DLDeleter),
]
# What consumers of capsules hold, by address.
_exported = {}


@_DLDeleter
def _release(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy_capsule(capsule):
    # A consumer renames the capsule and then calls the deleter itself.
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), b"dltensor"):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype = ctypes.c_void_p
        _exported.pop(get(ctypes.c_void_p(capsule), b"dltensor"), None)


def _contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def _make(data, dtype, sizes, strides, device=CPU, index=0):
    rank = len(sizes)
    array = ctypes.c_int64 * max(rank, 1)
    return CTensor(
        data, array(*sizes), array(*strides), rank, DTYPES.index(dtype), device, index
    )


def _export(value, stream, index):
    """The capsule of a tensor on GPU `index`, whose producer makes `stream` of that GPU wait
    for its own. The protocol calls the legacy default stream 1."""
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):
        # PyTorch exports from the current GPU alone.
        with torch.cuda.device(index):
            return value.__dlpack__(stream=stream or 1)
    return value.__dlpack__(stream=stream or 1)


def _from_dlpack(value, stream, device):
    kind, index = value.__dlpack_device__() if hasattr(value, "__dlpack_device__") else (1, 0)
    if kind == 2:
        # Elsewhere a run works behind the legacy default stream.
        capsule = _export(value, stream if device in (None, index) else None, index)
    else:
        capsule = value.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    kind = _DL_KINDS.get(tensor.code)
    dtype = kind if kind in SIZES else f"{kind}{tensor.bits}"
    place = _FROM_DL_DEVICE.get(tensor.device_type)
    if place is None or tensor.lanes != 1 or dtype not in SIZES:
        raise InputError("expected a tensor of numbers in host memory or on a CUDA device")
    sizes = list(tensor.shape[: tensor.ndim])
    strides = list(tensor.strides[: tensor.ndim]) if tensor.strides else _contiguous(sizes)
    data = (tensor.data or 0) + tensor.byte_offset
    return _make(data, dtype, sizes, strides, place, tensor.device_id), capsule


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


def to_c(value, stream=None, device=None):
    """A CTensor over the memory of `value`, and what keeps that memory alive.

    Takes NumPy arrays, DLPack producers (PyTorch tensors), objects with the
    buffer protocol, Coil tensors, and Python numbers. `stream` is the CUDA
    stream that will read the memory, one of GPU `device`; None is that of the value.
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
        return value._tensor, value
    if hasattr(value, "__array_interface__"):
        return _from_array_interface(value)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, stream, device)
    try:
        return _from_buffer(value)
    except TypeError:
        raise InputError(f"expected a tensor but got '{type(value).__name__}'") from None


def read(value, stream, device):
    """The address of a `coil_tensor` for `value`, and what keeps both alive: for
    the extension, which reads by itself only tensors of libraries that have
    DLPack's table of C functions (PyTorch since 2.10)."""
    pair = to_c(value, stream, device)
    return ctypes.addressof(pair[0]), pair


class Tensor(call.Output):
    """An output. Shares the memory of the run that made it.

    NumPy reads one in host memory without a copy (`numpy.asarray`), except for
    bf16 and floats of 8 bits, which it does not have. PyTorch and others read
    it by DLPack (`torch.from_dlpack`), also on a GPU.
    """

    __slots__ = ("__weakref__",)

    @property
    def _tensor(self):
        return CTensor.from_address(self._address)

    @property
    def dtype(self):
        """The name of the element type, such as "f32"."""
        return DTYPES[self._tensor.dtype]

    @property
    def shape(self):
        """The sizes."""
        return tuple(self._tensor.sizes[: self._tensor.rank])

    @property
    def strides(self):
        """Elements from one position to the next, for each dimension."""
        return tuple(self._tensor.strides[: self._tensor.rank])

    @property
    def _data(self):
        return self._tensor.data or 0

    @property
    def _device(self):
        return self._tensor.device_type, self._tensor.device_index

    def __repr__(self):
        return f"coil.Tensor(shape={self.shape}, dtype={self.dtype}, device={self.device})"

    @property
    def device(self):
        """Where the elements are: "cpu", or "cuda:0"."""
        return "cpu" if self._device[0] == CPU else f"cuda:{self._device[1]}"

    def __dlpack_device__(self):
        return _DL_DEVICES[self._device[0]], self._device[1]

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule. The elements must be ready in the consumer's stream:
        they are complete, unless the run worked on a stream of the caller's."""
        if copy:
            raise BufferError("copies are the consumer's to make")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the elements are on {self.device}")
        kind = self.dtype
        if kind not in _DL_CODES:
            kind = kind.rstrip("0123456789")
        return self._capsule(self.shape, self.strides, kind, 8 * SIZES[self.dtype])

    def _capsule(self, sizes, strides, kind, bits, **_):
        """A DLPack capsule over the memory, of elements of another kind, too."""
        rank = len(sizes)
        array = ctypes.c_int64 * max(rank, 1)
        shape, strides = array(*sizes), array(*strides)
        managed = _DLManaged(
            _DLTensor(
                self._data,
                *self.__dlpack_device__(),
                rank,
                _DL_CODES[kind],
                bits,
                1,
                shape,
                strides,
                0,
            ),
            None,
            _release,
        )
        address = ctypes.addressof(managed)
        _exported[address] = (managed, shape, strides, self)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(address, b"dltensor", ctypes.cast(_destroy_capsule, ctypes.c_void_p))

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    @property
    def __array_interface__(self):
        if self.dtype in FOREIGN:
            raise AttributeError(f"NumPy has no {self.dtype}")
        if self._device[0] != CPU:
            raise AttributeError(f"the elements are on {self.device}")
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
        if self._device[0] != CPU:
            raise InputError(f"the elements are on {self.device}; torch.from_dlpack reads them")
        letter = {name: letter for letter, name in _FORMATS.items()}.get(self.dtype)
        size = SIZES[self.dtype]

        def element(address):
            raw = ctypes.string_at(address, size)
            if self.dtype == "bf16":
                return memoryview(b"\0\0" + raw).cast("f")[0]
            if self.dtype in FOREIGN:
                return _decode_float8(raw[0], self.dtype)
            if letter == "e":  # `memoryview` learned of halves late.
                return struct.unpack("<e", raw)[0]
            return memoryview(raw).cast(letter)[0]

        def rows(address, dim):
            if dim == len(self.shape):
                return element(address)
            step = self.strides[dim] * size
            return [rows(address + i * step, dim + 1) for i in range(self.shape[dim])]

        return rows(self._data, 0)


def write(target, value):
    """Copies the elements of a `Tensor` to the memory of an input: an array of NumPy,
    a tensor of torch or a `Tensor`. There is nothing to copy where the two are the same memory."""
    torch = sys.modules.get("torch")
    if torch and isinstance(target, torch.Tensor):
        source = torch.from_dlpack(value)
        if source.data_ptr() != target.data_ptr() or source.stride() != target.stride():
            with torch.no_grad():
                target.copy_(source)
        return
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(target, numpy.ndarray):
        source = numpy.asarray(value)
        if source.ctypes.data != target.ctypes.data or source.strides != target.strides:
            numpy.copyto(target, source)
        return
    raise InputError(f"the program updates an input of '{type(target).__name__}', which cannot be written to; "
                     "arrays of NumPy and tensors of torch can")


def check_writable(name, value):
    """Raises InputError for an array of NumPy that a program must not write to."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.ndarray) and not value.flags.writeable:
        raise InputError(f"the program updates input '{name}', which is a read-only array")


@functools.lru_cache(maxsize=64)
def torch_stream(stream, device):
    """Returns torch's object for a stream of the driver.

    torch takes an address of zero, the stream that everybody knows, for a wish for another
    stream, of its pool.

    Args:
        stream: The address, or None for zero.
        device: A `torch.device` of a GPU, or its number.
    """
    cuda = sys.modules["torch"].cuda
    return cuda.ExternalStream(stream, device=device) if stream else cuda.default_stream(device)
