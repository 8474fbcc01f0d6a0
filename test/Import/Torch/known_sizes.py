#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Exports PyTorch's own kernels of attention, of fake tensors on a GPU. It writes no symbolic lengths among results."""

import os
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode


class Cudnn(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.ops.aten._scaled_dot_product_cudnn_attention(q, k, v, None, False, 0.0, True)[0]


class Flash(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v)[0]


os.makedirs(sys.argv[1], exist_ok=True)
for module in (Cudnn(), Flash()):
    with FakeTensorMode():
        inputs = tuple(torch.empty(2, 12, 512, 64, dtype=torch.bfloat16, device="cuda") for _ in range(3))
    program = torch.export.export(module, inputs)
    program.example_inputs = None
    torch.export.save(program, f"{sys.argv[1]}/{type(module).__name__}.pt2")
