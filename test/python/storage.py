# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An emitted program that resizes and exchanges storage of its inputs.

    storage.py emitted.py
"""
import ctypes
import importlib.util
import struct
import sys

import torch

spec = importlib.util.spec_from_file_location("emitted", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def make(values):
    tensor = torch.empty_strided((len(values),), (1,), dtype=torch.float32, device="cpu")
    ctypes.memmove(tensor.data_ptr(), struct.pack(f"<{len(values)}f", *values), 4 * len(values))
    return tensor


x, y, z = make([1, 2, 3, 4]), make([5, 6, 7, 8]), make([9, 10])
result, = module.main([x, y, z])
print("result", list(struct.unpack("<4f", ctypes.string_at(result.data_ptr(), 16))))
storage = x.untyped_storage()
print("x has", storage.nbytes() if hasattr(storage, "nbytes") else storage.count, "bytes")
print("y is", tuple(y.size()), "at", "the same address as z" if y.data_ptr() == z.data_ptr() else "another")
