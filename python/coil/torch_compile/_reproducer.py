# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a script that compiles a graph again."""

import os
import tempfile

import torch

_HEAD = """# Reproduces a failure of torch.compile(backend="coil"): run it with Coil on PYTHONPATH.
#
{error}
import torch
from torch import device, tensor, inf, nan

import coil
from coil.torch_compile import compile_module

"""

_TAIL = """

def make(sizes, strides, dtype, device):
    needed = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides)) if 0 not in sizes else 0
    storage = torch.ones(needed, dtype=dtype, device=device)
    return storage.as_strided(sizes, strides)


inputs = [
{inputs}
]
compile_module(Repro(), inputs)(*inputs)
"""


def _describe(value):
    if isinstance(value, torch.Tensor):
        def hint(number):
            if isinstance(number, int):
                return number
            return number.node.hint if number.node.has_hint() else 2
        sizes, strides = [hint(s) for s in value.shape], [hint(s) for s in value.stride()]
        return f"make({sizes}, {strides}, {value.dtype}, '{value.device}')"
    if hasattr(value, "node"):
        return repr(value.node.hint if value.node.has_hint() else 2)
    return repr(value)


def write(module, example_inputs, name, error):
    """Writes the script; returns its path, None if that is not possible."""
    from torch._dynamo.debug_utils import NNModuleToString

    try:
        text = NNModuleToString.convert(module)
        inputs = "\n".join(f"    {_describe(value)}," for value in example_inputs)
        said = "\n".join("# " + line for line in str(error).splitlines()[:20])
        folder = os.path.join(os.environ.get("COIL_REPRODUCERS", tempfile.gettempdir()))
        os.makedirs(folder, exist_ok=True)
        handle, path = tempfile.mkstemp(prefix=f"coil-{name}-", suffix=".py", dir=folder)
        with os.fdopen(handle, "w") as file:
            file.write(_HEAD.format(error=said) + text + _TAIL.format(inputs=inputs))
        return path
    except Exception:  # A failure here must not hide the one that is reported.
        return None
