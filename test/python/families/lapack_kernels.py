# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints whether OpenBLAS has kernels for this processor's vectors once a program has called LAPACK, and what is left of
the environment."""

import ctypes
import os
import tempfile

import coil
import torch


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.cholesky(x)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.pt2")
    torch.export.save(torch.export.export(Module(), (torch.eye(3),)), path)
    result, = coil.compile(path)(torch.eye(3) * 4)
    print("factor", torch.from_dlpack(result).diagonal().tolist())

openblas = ctypes.CDLL("libopenblas.so.0")
openblas.openblas_get_corename.restype = ctypes.c_char_p
core = openblas.openblas_get_corename().decode()
has_avx2 = " avx2 " in open("/proc/cpuinfo").read()
print("kernels", core if core == os.environ.get("OPENBLAS_CORETYPE") else
      "old" if has_avx2 and core in ("Prescott", "Core2", "Nehalem", "Barcelona", "Generic") else "good")
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
print("variable", libc.getenv(b"OPENBLAS_CORETYPE"))
