# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors in the memory of simulated GPUs, for tests without torch."""
import ctypes

from coil._library import library
from coil._tensor import CUDA, Tensor, _contiguous, _make


class Memory:
    """A tensor in the memory of a simulated GPU."""

    def __init__(self, values, sizes, dtype="f32", device=0):
        self.kind = (ctypes.c_float if dtype == "f32" else ctypes.c_int64) * len(values)
        self.run, self.data = ctypes.c_void_p(), ctypes.c_void_p()
        assert library.coil_run_create(ctypes.byref(self.run)) == 0
        assert library.coil_run_set_cuda_device(self.run, device) == 0
        size = ctypes.c_int64(ctypes.sizeof(self.kind))
        assert library.coil_rt_alloc_cuda(self.run, size, ctypes.byref(self.data)) == 0
        self.write(values)
        self.described = _make(self.data.value, dtype, sizes, _contiguous(sizes), CUDA, device)
        self.tensor = Tensor(ctypes.addressof(self.described), self)

    def write(self, values):
        size = ctypes.c_int64(ctypes.sizeof(self.kind))
        assert library.coil_rt_upload_cuda(self.run, self.data, self.kind(*values), size) == 0
        assert library.coil_run_synchronize(self.run) == 0

    def __del__(self):
        library.coil_run_destroy(self.run)


# To read the memory of each GPU with.
readers = {}


def floats(tensor):
    index = tensor.__dlpack_device__()[1]
    if index not in readers:
        readers[index] = Memory([0.0], (1,), device=index)
    reader, count = readers[index], 1
    for size in tensor.shape:
        count *= size
    result = (ctypes.c_float * count)()
    size = ctypes.c_int64(4 * count)
    assert library.coil_rt_download_cuda(reader.run, result, ctypes.c_void_p(tensor._data), size) == 0
    assert library.coil_run_synchronize(reader.run) == 0
    return list(result)


def refusal(call):
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip()}"
    return "no error"
