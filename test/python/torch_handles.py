#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr takes nothing: the handle stays the caller's, who deletes it."""

import ctypes
import gc
import pathlib
import weakref
from ctypes import byref, c_int64, c_void_p

import torch

library = ctypes.CDLL(str(pathlib.Path(torch.__file__).parent / "lib/libtorch_cpu.so"))
library.aoti_torch_delete_tensor_object.argtypes = [c_void_p]
handle, size, stride = c_void_p(), c_int64(16), c_int64(1)
status = library.aoti_torch_empty_strided(c_int64(1), byref(size), byref(stride), library.aoti_torch_dtype_uint8(),
                                          library.aoti_torch_device_type_cpu(), 0, byref(handle))
assert status == 0
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]
tensor = torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr(new(handle, None, None))
tensor.fill_(7)
alive = weakref.ref(tensor)
del tensor
gc.collect()
print("the handle keeps the tensor:", alive() is not None and int(alive()[3]) == 7)
library.aoti_torch_delete_tensor_object(handle)
gc.collect()
print("without it, the tensor ends:", alive() is None)
