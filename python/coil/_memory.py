# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which allocator has the memory of GPUs: PyTorch's, where it is in use."""

import os
import sys
import warnings

from coil._library import call


def use_torch(library="libtorch_cuda.so", wrap=None, tensor=None):
    """Makes PyTorch's caching allocator that of all programs on GPUs: the process has one pool. Returns
    whether it is.

    Runs that begin later use it. The environment variable COIL_TORCH_MEMORY=0 keeps Coil's own.

    Args:
      library: a library that the process has loaded, with the C functions of libtorch.
      wrap: makes a tensor of a handle; None is PyTorch's function.
      tensor: the type of these tensors; None is PyTorch's.
    """
    if os.environ.get("COIL_TORCH_MEMORY", "") == "0":
        return False
    try:
        if wrap is None:
            import torch

            tensor, wrap = torch.Tensor, torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr
        call.install_torch_memory(library, wrap, tensor)
    except (AttributeError, ImportError) as error:
        warnings.warn(f"programs on GPUs have memory of their own, not of PyTorch's allocator: {error}",
                      RuntimeWarning, stacklevel=3)
        return False
    return True


def _choose():
    """Before the first run on tensors of another library; returns whether there is nothing to choose any
    more."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "cuda") or not torch.cuda.is_initialized():
        return False
    if torch.version.cuda is not None:
        use_torch()
    return True


call.set_memory_hook(_choose)
