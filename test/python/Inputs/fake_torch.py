# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of a stand-in for PyTorch on the simulated GPU: the test's library has the C functions
of libtorch that allocate, this file has tensors that the package reads and makes."""
import contextlib
import ctypes
import os
from ctypes import (POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)

from coil import _memory
from coil._library import call

library = ctypes.CDLL(os.environ["COIL_FAKE_TORCH"])
library.fake_torch_count.restype = c_int64
library.fake_torch_count.argtypes = [c_char_p]
library.fake_torch_pool.restype = library.fake_torch_stream.restype = c_int64
library.fake_torch_set_limit.argtypes = [c_int64]
library.fake_torch_use_stream.argtypes = [c_int32, c_void_p]
library.fake_torch_stream.argtypes = library.aoti_torch_delete_tensor_object.argtypes = [c_void_p]
driver = ctypes.CDLL(os.environ["COIL_CUDA_DRIVER"])
F32, CUDA = 6, 2


def count(name):
    return library.fake_torch_count(name.encode())


def drive(name, *arguments):
    """Calls the driver, in the context of GPU 0."""
    if not hasattr(drive, "context"):
        assert driver.cuInit(0) == 0
        drive.context = c_void_p()
        assert driver.cuDevicePrimaryCtxRetain(byref(drive.context), 0) == 0
    assert driver.cuCtxSetCurrent(drive.context) == 0
    result = getattr(driver, name)(*arguments)
    assert result == 0, f"{name}: {result}"


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("rank", c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", c_uint64)]


class Managed(ctypes.Structure):
    pass


Deleter = ctypes.CFUNCTYPE(None, POINTER(Managed))
Managed._fields_ = [("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", Deleter),
                    ("flags", c_uint64), ("tensor", DLTensor)]
FromObject = ctypes.PYFUNCTYPE(c_int32, c_void_p, POINTER(DLTensor))
ToObject = ctypes.PYFUNCTYPE(c_int32, POINTER(Managed), POINTER(c_void_p))
CurrentStream = ctypes.PYFUNCTYPE(c_int32, c_int32, c_int32, POINTER(c_void_p))


class Table(ctypes.Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("previous", c_void_p), ("allocate", c_void_p),
                ("managed_from_object", c_void_p), ("managed_to_object", ToObject), ("from_object", FromObject),
                ("current_stream", CurrentStream)]


class Tensor:
    """A tensor of f32 on GPU 0: `kind` is "own" for one of the allocator, "foreign" for memory that another
    library frees."""

    def __init__(self, kind, data, sizes, strides, end):
        self.kind, self.data, self.sizes, self.strides, self._end = kind, data, tuple(sizes), tuple(strides), end
        self._sizes = (c_int64 * max(len(sizes), 1))(*sizes)
        self._strides = (c_int64 * max(len(sizes), 1))(*strides)

    def __del__(self):
        self._end()

    @property
    def stream(self):
        """The stream that the allocator gave the memory on."""
        return library.fake_torch_stream(self.data)

    def tolist(self):
        values = (c_float * max(self.sizes[0] * (self.sizes[1] if len(self.sizes) > 1 else 1), 1))()
        drive("cuCtxSynchronize")
        drive("cuMemcpyDtoH_v2", values, c_void_p(self.data), c_size_t(ctypes.sizeof(values)))
        return list(values)


def wrap(capsule):
    """A tensor of its own for a handle, which stays the caller's."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    handle, mine = get(capsule, None), c_void_p()
    sizes, strides, data = (c_int64 * 8)(), (c_int64 * 8)(), c_void_p()
    library.fake_torch_describe(c_void_p(handle), sizes, strides, byref(data))
    rank = next((d for d in range(8) if sizes[d] == 0), 8)
    assert library.aoti_torch__alloc_from_pool(c_void_p(handle), c_int64(0), F32, c_int64(rank), sizes, strides, byref(mine)) == 0
    return of_handle(mine.value)


def of_handle(handle):
    sizes, strides, data = (c_int64 * 8)(), (c_int64 * 8)(), c_void_p()
    assert library.fake_torch_describe(c_void_p(handle), sizes, strides, byref(data)) == F32
    rank = next((d for d in range(8) if sizes[d] == 0), 8)
    return Tensor("own", data.value, sizes[:rank], strides[:rank],
                  lambda: library.aoti_torch_delete_tensor_object(handle))


def tensor(values, *sizes):
    """A new tensor on the current stream."""
    strides = [1] * len(sizes)
    for d in reversed(range(len(sizes) - 1)):
        strides[d] = strides[d + 1] * sizes[d + 1]
    base, made, rank = c_void_p(), c_void_p(), len(sizes)
    bytes_ = (c_int64 * 1)(4 * len(values))
    assert library.aoti_torch_empty_strided(c_int64(1), bytes_, (c_int64 * 1)(1), 0, 1, 0, byref(base)) == 0
    library.aoti_torch__alloc_from_pool(base, c_int64(0), F32, c_int64(rank), (c_int64 * rank)(*sizes),
                                        (c_int64 * rank)(*strides), byref(made))
    library.aoti_torch_delete_tensor_object(base)
    result = of_handle(made.value)
    write(result, values)
    return result


def write(target, values):
    drive("cuMemcpyHtoD_v2", c_void_p(target.data), (c_float * len(values))(*values), c_size_t(4 * len(values)))


def current_stream():
    """That of the thread, which the library keeps."""
    found = c_void_p()
    library.aoti_torch_get_current_cuda_stream(0, byref(found))
    return found.value


@FromObject
def _from_object(address, out):
    given = ctypes.cast(address, ctypes.py_object).value
    out[0] = DLTensor(given.data, CUDA, 0, len(given.sizes), 2, 32, 1, given._sizes, given._strides, 0)
    return 0


@ToObject
def _to_object(managed, out):
    made = managed.contents.tensor
    sizes, strides = made.sizes[:made.rank], made.strides[:made.rank]
    result = Tensor("foreign", made.data, sizes, strides, lambda: managed.contents.deleter(managed))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(result))
    out[0] = id(result)
    return 0


@CurrentStream
def _current_stream(device_type, device, out):
    out[0] = current_stream()
    return 0


_table = Table(1, 0, None, None, None, _to_object, _from_object, _current_stream)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
_name = b"dlpack_exchange_api"  # The capsule refers to it.
Tensor.__dlpack_c_exchange_api__ = _new(ctypes.addressof(_table), _name, None)


def clone(given):
    return tensor(given.tolist(), *given.sizes)


call.set_result_hooks(clone, lambda given, strides: given)


def make_stream():
    made = c_void_p()
    drive("cuStreamCreate", byref(made), 1)
    return made.value


@contextlib.contextmanager
def on_stream(stream):
    """Makes a stream the current one of the thread."""
    before = current_stream()
    library.fake_torch_use_stream(0, stream or None)
    try:
        yield
    finally:
        library.fake_torch_use_stream(0, before)


def install():
    _memory.use_torch(os.environ["COIL_FAKE_TORCH"], wrap, Tensor)
