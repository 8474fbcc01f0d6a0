# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives a torch without CUDA the simulated GPU, for emitted programs that the stand-in
for torch cannot run, such as torch.fx graphs.

Tensors are torch's own, on the host. Where a program asks for the address of one, the
simulator learns of its memory (as by cuMemHostRegister), so kernels and functions read
and write it there. Programs are read with "cpu" where they name tensors of a GPU; their
records of devices, kernels, streams and calls of functions are those of the GPU. The
simulator does work when it is given, so torch need not wait for it. Memory is kept to the
end of the process.
"""
import ctypes
import importlib.util
import os
import re

import torch

_spec = importlib.util.spec_from_file_location(
    "standin", os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin", "torch.py"))
_standin = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_standin)
_data_ptr, _known = torch.Tensor.data_ptr, {}


def data_ptr(tensor):
    """The address of a tensor, in memory that the simulator knows."""
    storage = tensor.untyped_storage()
    if storage.nbytes() and storage.data_ptr() not in _known:
        _known[storage.data_ptr()] = storage
        _standin.backends["cuda"].call(
            "cuMemHostRegister_v2", storage.data_ptr(), storage.nbytes(), ctypes.c_uint(0))
    return _data_ptr(tensor)


def install():
    torch.Tensor.data_ptr = data_ptr
    for name, value in vars(_standin.cuda).items():
        setattr(torch.cuda, name, value)


def read(path):
    """An emitted program whose tensors are where torch can have them."""
    return re.sub(r'"cuda:\d"', '"cpu"', open(path).read())
