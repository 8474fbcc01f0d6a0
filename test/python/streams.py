# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams of the driver as torch knows them, on a stand-in for its module."""
import sys
import types

torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(
    # As torch does: an address of zero makes a stream of its own.
    ExternalStream=lambda stream, device: (stream or "another", device),
    default_stream=lambda device: ("default", device))
sys.modules["torch"] = torch

from coil._tensor import torch_stream  # pylint: disable=wrong-import-position

assert torch_stream(None, 1) == ("default", 1)
assert torch_stream(0, 1) == ("default", 1)
assert torch_stream(0x7000, 1) == (0x7000, 1)
print("streams agree")
