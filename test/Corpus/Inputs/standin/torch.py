# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emitted host programs use of torch, for machines that do not have it.

Tensors are views of ctypes memory, or of a GPU's. Only what programs and coil.host call is
here, and it refuses what torch refuses: views outside of their storage, copies
between different shapes, items of several elements.
"""

import contextlib
import ctypes
import math
import os
import random
import struct
import types


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


class HostBackend:
    """Memory of a device: how it is had, read and written. This is the host's, at
    multiples of 64, as torch's allocator gives it."""

    def allocate(self, count):
        """An address, and what keeps the memory."""
        memory = (ctypes.c_char * (count + 64))()
        address = ctypes.addressof(memory)
        return address + -address % 64, memory

    def read(self, address, count):
        return ctypes.string_at(address, count)

    def write(self, address, data):
        ctypes.memmove(address, data, len(data))


class _Block:
    """Memory of a GPU, freed when nothing refers to it."""

    def __init__(self, backend, address):
        self._backend, self.address = backend, address

    def __del__(self):
        self._backend.call("cuCtxSynchronize")
        self._backend.call("cuMemFree_v2", self.address)


class CudaBackend:
    """Memory of a GPU, from the driver that COIL_CUDA_DRIVER names."""

    def __init__(self, number=0):
        self._driver, self._number, self._context = None, number, ctypes.c_void_p()

    def call(self, function, *arguments):
        if self._driver is None:
            self._driver = ctypes.CDLL(os.environ.get("COIL_CUDA_DRIVER", "libcuda.so.1"))
            self._driver.cuInit(0)
            if self._driver.cuDevicePrimaryCtxRetain(ctypes.byref(self._context), self._number):
                raise RuntimeError(f"there is no GPU {self._number}")
        self._driver.cuCtxSetCurrent(self._context)
        status = getattr(self._driver, function)(
            *[ctypes.c_uint64(a) if isinstance(a, int) else a for a in arguments])
        if status:
            raise RuntimeError(f"{function}: CUDA error {status}")

    def allocate(self, count):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), max(count, 1))
        return address.value, _Block(self, address.value)

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        self.call("cuMemcpyDtoH_v2", data, address, count)
        return data.raw

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", address, data, len(data))

    def synchronize(self, number=0):
        self.call("cuCtxSynchronize")


# By the names of devices. What brings a device adds its backend.
backends = {"cpu": HostBackend(), "cuda": CudaBackend(), "cuda:1": CudaBackend(1)}


class _Stream:
    """A stream of the GPU; the first is the one that is always there."""

    current = []

    def __init__(self, number=0, is_main=False):
        handle = ctypes.c_void_p()
        if not is_main:
            backends["cuda"].call("cuCtxGetCurrent", ctypes.byref(ctypes.c_void_p()))
            backends["cuda"].call("cuStreamCreate", ctypes.byref(handle), 1)
        self.cuda_stream = handle.value or 0

    def record_event(self):
        event = ctypes.c_void_p()
        backends["cuda"].call("cuEventCreate", ctypes.byref(event), 2)
        backends["cuda"].call("cuEventRecord", event, ctypes.c_void_p(self.cuda_stream))
        return event

    def wait_event(self, event):
        backends["cuda"].call("cuStreamWaitEvent", ctypes.c_void_p(self.cuda_stream), event, 0)


@contextlib.contextmanager
def _on_stream(stream):
    _Stream.current.append(stream)
    try:
        yield
    finally:
        _Stream.current.pop()


_main = _Stream(is_main=True)
cuda = types.SimpleNamespace(
    device=lambda number: contextlib.nullcontext(),
    Stream=_Stream,
    stream=_on_stream,
    current_stream=lambda number=0: (_Stream.current or [_main])[-1],
    synchronize=backends["cuda"].synchronize,
)


# Bytes that are allocated, and the most that were so at once, on all devices.
_allocated = {"live": 0, "peak": 0}


def reset_peak():
    """Forgets the peak; returns what is allocated now."""
    _allocated["peak"] = _allocated["live"]
    return _allocated["live"]


def peak_bytes():
    return _allocated["peak"]


class _Storage:
    """Bytes of a device. What a copy works with for its own time is not counted."""

    def __init__(self, count, device, is_counted=True):
        self.count, self._device, self._is_counted = count, device, is_counted
        self._count(count)
        self.backend = backends.get(device) or backends[device.partition(":")[0]]
        self.address, self._memory = self.backend.allocate(count)
        if count:
            self.backend.write(self.address, b"\xff" * count)  # A NaN in every float type.

    def _count(self, bytes):
        bytes *= self._is_counted
        _allocated["live"] += bytes
        _allocated["peak"] = max(_allocated.values())

    def __del__(self):
        self._count(-self.count)

    def resize_(self, count):
        other, kept = _Storage(count, self._device), min(count, self.count)
        if kept:
            other.backend.write(other.address, self.backend.read(self.address, kept))
        self._count(count - self.count)
        self.count, self.address, self._memory = other.count, other.address, other._memory


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
        return _decode(self.dtype, self._storage.backend.read(self.data_ptr(), self.dtype.itemsize))

    def cpu(self):
        """The same in the host's memory, in the same layout."""
        storage = _Storage(self._storage.count, "cpu")
        if storage.count:
            storage.backend.write(
                storage.address, self._storage.backend.read(self._storage.address, storage.count))
        return Tensor(storage, self._offset, self._sizes, self._strides, self.dtype, "cpu")

    def _is_contiguous(self):
        if 0 in self._sizes:
            return True
        step = 1
        for size, stride in zip(reversed(self._sizes), reversed(self._strides)):
            if size != 1 and stride != step:
                return False
            step *= size
        return True

    def copy_(self, source, non_blocking=False):
        if source._sizes != self._sizes or source.dtype is not self.dtype:
            raise RuntimeError("expected a tensor of the same sizes and type")
        if not self._is_contiguous():
            raise RuntimeError("expected a contiguous target")
        if not source._is_contiguous():
            if source.device == self.device:
                raise RuntimeError("copies within a device are of contiguous tensors")
            source = source._gather()
        count = self.numel() * self.dtype.itemsize
        if count:
            self._storage.backend.write(
                self.data_ptr(), source._storage.backend.read(source.data_ptr(), count))
        return self

    def _gather(self):
        """The same row by row."""
        width, steps = self.dtype.itemsize, [1]
        for size in reversed(self._sizes[1:]):
            steps.insert(0, steps[0] * size)
        dense = Tensor(_Storage(self.numel() * width, self.device, is_counted=False), 0, self._sizes, tuple(steps), self.dtype,
                       self.device)
        for i in range(self.numel()):
            at = sum(i // step % size * stride
                     for size, stride, step in zip(self._sizes, self._strides, steps))
            dense._storage.backend.write(
                dense.data_ptr() + i * width,
                self._storage.backend.read(self.data_ptr() + at * width, width))
        return dense

    def _fill(self, element):
        for i in range(self.numel()):
            raw = element()
            self._storage.backend.write(self.data_ptr() + i * len(raw), raw)
        return self

    def zero_(self):
        return self._fill(lambda: bytes(self.dtype.itemsize))

    def normal_(self):
        if self.dtype.name == "bfloat16":
            return self._fill(lambda: struct.pack("<f", random.gauss(0, 1))[2:])
        return self._fill(lambda: struct.pack("<" + self.dtype.letter, random.gauss(0, 1)))


def empty_strided(sizes, strides, *, dtype, device):
    if device.partition(":")[0] not in backends:
        raise RuntimeError(f"there is no device '{device}'")
    storage = _Storage(_span(sizes, strides) * dtype.itemsize, device)
    return Tensor(storage, 0, sizes, strides, dtype, device)


def empty(size, *, dtype, device):
    return empty_strided((size,), (1,), dtype=dtype, device=device)
