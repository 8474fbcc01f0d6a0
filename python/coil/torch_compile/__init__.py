# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend "coil" of torch.compile; see docs/howto/TorchCompile.md.

    compiled = torch.compile(model, backend="coil")

Needs PyTorch. Nothing of this package is imported by `import coil` alone.
"""

from coil.torch_compile._backend import coil_backend, compile_module, register
from coil.torch_compile._compiler import CompiledGraph, FallbackError, GraphError
from coil.torch_compile._counters import counters, reset_counters
from coil.torch_compile._explain import Explanation, explain
from coil.torch_compile._options import MODES, OptionError, Options

__all__ = [
    "CompiledGraph",
    "Explanation",
    "FallbackError",
    "GraphError",
    "MODES",
    "OptionError",
    "Options",
    "coil_backend",
    "compile_module",
    "counters",
    "explain",
    "register",
    "reset_counters",
]
