# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a third device brings to Python: its memory, and the words that emitted
programs say to it. `calls` counts them."""

import collections
import contextlib
import ctypes
import os

import torch

# The functions that programs call on the device: its runtime lies beside its plugin.
if os.environ.get("COIL_PLUGINS"):
    ctypes.CDLL(os.path.join(os.path.dirname(os.environ["COIL_PLUGINS"]), "libcoil-toy-runtime.so"),
                mode=ctypes.RTLD_GLOBAL)
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


class Stream:
    """A side stream; all work is in order anyway."""

    open = []

    def __init__(self, number):
        calls["make stream"] += 1

    @contextlib.contextmanager
    def current(self):
        calls["side stream"] += 1
        self.open.append(self)
        yield
        self.open.pop()


class Event:
    def __init__(self, number):
        calls["event"] += 1
        self.is_used = False


def wait(event):
    calls["wait"] += 1
    assert not event.is_used, "one wait uses an event up"
    event.is_used = True


def empty_strided(sizes, strides, *, dtype, device):
    calls["allocate"] += 1
    return torch.empty_strided(sizes, strides, dtype=dtype, device=device)
