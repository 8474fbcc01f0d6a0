# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model with a custom operator: exports it, and runs it with the operator in
Python, in C, or as a kernel.

    model.py model.pt2 [coil-custom-op.so | kernels.mlir]
"""

import sys
from typing import Optional

import torch

import coil


@torch.library.custom_op("mylib::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, weight: Optional[torch.Tensor] = None, eps: float = 1e-6) -> torch.Tensor:
    y = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return y if weight is None else y * weight


@rms_norm.register_fake
def _(x, weight=None, eps=1e-6):
    return torch.empty_like(x)


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(width) + 0.5)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        y = rms_norm(x, self.scale)
        return rms_norm(x + self.down(torch.nn.functional.gelu(self.up(y))))


if __name__ == "__main__":
    torch.manual_seed(0)
    model, x = Block(64).eval(), torch.randn(8, 64)
    rows = torch.export.Dim("rows", min=1, max=1024)
    torch.export.save(torch.export.export(model, (x,), dynamic_shapes=({0: rows},)), sys.argv[1])

    kernels = None
    if len(sys.argv) > 2 and sys.argv[2].endswith(".mlir"):
        kernels = sys.argv[2]  # Kernels, compiled with the model.
    elif len(sys.argv) > 2:
        coil.load_functions(sys.argv[2])  # The operator in C.
    else:
        coil.register_function("mylib::rms_norm")  # torch's own, by its name.
    program = coil.compile(sys.argv[1], user_kernels=kernels)
    for x in (x, torch.randn(100, 64)):
        (y,) = program.run(x)
        torch.testing.assert_close(torch.from_dlpack(y), model(x), rtol=1e-4, atol=1e-5)
    print(f"{program.run_stats['launches']} launches, {program.run_stats['library_calls']} calls: as torch")
