# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a third device brings to Python: its memory, and the words that emitted
programs say to it. `calls` counts them."""

import collections
import contextlib

import torch

torch.backends["toy"] = torch.HostBackend()
calls = collections.Counter()


@contextlib.contextmanager
def guard(number):
    calls["guard"] += 1
    yield


def current_stream(number):
    calls["stream"] += 1
    return 0


def synchronize(number):
    calls["synchronize"] += 1


def empty_strided(sizes, strides, *, dtype, device):
    calls["allocate"] += 1
    return torch.empty_strided(sizes, strides, dtype=dtype, device=device)
