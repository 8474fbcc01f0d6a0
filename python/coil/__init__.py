# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile PyTorch programs with Coil and run them.

    import coil

    program = coil.compile("model.pt2")   # Or "model.coilpkg".
    logits, = program(images)             # NumPy arrays, or anything with DLPack

    model = coil.compile(module, args=(images,))   # Called as the module, with tensors.
    logits = model(images)

    model = torch.compile(model, backend="coil")   # See docs/howto/TorchCompile.md.

This is a thin layer over the C API; it needs neither PyTorch nor, unless it is
there, NumPy.
"""

from coil._functions import FallbackWarning, fallbacks, has_function, load_functions, register_function, torch_fallbacks
from coil._groups import LocalGroups, NcclGroup, register_process_group, unregister_process_group
from coil._model import Model
from coil._objects import bind_object, object_count, register_class
from coil._options import Option, options
from coil._precision import per_precision, torch_precision
from coil._program import Program, compile, load_plugin
from coil._library import CoilError, CompileError, InputError, RunError, version
from coil._complex import ComplexTensor
from coil._tensor import Tensor
from coil._triton import lower_triton
from coil._tuning import tune

__version__ = version()

__all__ = [
    "CoilError",
    "CompileError",
    "ComplexTensor",
    "FallbackWarning",
    "InputError",
    "LocalGroups",
    "Model",
    "NcclGroup",
    "Option",
    "Program",
    "RunError",
    "Tensor",
    "bind_object",
    "compile",
    "fallbacks",
    "has_function",
    "load_functions",
    "load_plugin",
    "lower_triton",
    "object_count",
    "options",
    "per_precision",
    "register_class",
    "register_function",
    "register_process_group",
    "torch_fallbacks",
    "torch_precision",
    "tune",
    "unregister_process_group",
    "version",
]

# Names of the backend of torch.compile, which needs PyTorch.
_OF_TORCH_COMPILE = ("counters", "explain", "reset_counters")


def __getattr__(name):
    if name in _OF_TORCH_COMPILE:
        from coil import torch_compile

        return getattr(torch_compile, name)
    raise AttributeError(f"module 'coil' has no attribute '{name}'")


def _register_backend():
    """Makes the backend "coil" known to Dynamo where it is imported already and does not
    know the entry point of this package, as when the path of Python changed since."""
    import sys

    registry = sys.modules.get("torch._dynamo.backends.registry")
    if registry is not None and "coil" not in registry._BACKENDS:
        from coil import torch_compile

        torch_compile.register()


_register_backend()
