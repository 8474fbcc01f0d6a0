#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Exports attention by PyTorch's kernel for GPUs, which also gives the lengths of the longest sequences, of fake tensors."""

import os
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode


class Cudnn(torch.nn.Module):
    def forward(self, q, k, v):
        return torch.ops.aten._scaled_dot_product_cudnn_attention(q, k, v, None, False, 0.0, True)[0]


os.makedirs(sys.argv[1], exist_ok=True)
with FakeTensorMode():
    inputs = tuple(torch.empty(2, 12, 512, 64, dtype=torch.bfloat16, device="cuda") for _ in range(3))
program = torch.export.export(Cudnn(), inputs)
program.example_inputs = None
torch.export.save(program, f"{sys.argv[1]}/cudnn.pt2")
