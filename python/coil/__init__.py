# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile PyTorch programs with Coil and run them.

    import coil

    program = coil.compile("model.pt2")   # Or "model.coilpkg".
    logits, = program(images)          # NumPy arrays, or anything with DLPack

This is a thin layer over the C API; it needs neither PyTorch nor, unless it is
there, NumPy.
"""

from coil._functions import has_function, load_functions, register_function
from coil._groups import LocalGroups, NcclGroup, register_process_group, unregister_process_group
from coil._objects import bind_object, object_count, register_class
from coil._precision import per_precision, torch_precision
from coil._program import Program, compile, load_plugin
from coil._library import CoilError, CompileError, InputError, RunError, version
from coil._complex import ComplexTensor
from coil._tensor import Tensor

__all__ = [
    "CoilError",
    "CompileError",
    "ComplexTensor",
    "InputError",
    "LocalGroups",
    "NcclGroup",
    "Program",
    "RunError",
    "Tensor",
    "bind_object",
    "compile",
    "has_function",
    "load_functions",
    "load_plugin",
    "object_count",
    "per_precision",
    "register_class",
    "register_function",
    "register_process_group",
    "torch_precision",
    "unregister_process_group",
    "version",
]
