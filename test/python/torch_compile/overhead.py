#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints what a call of a tiny graph costs in the code that the backend makes, without Dynamo
and AOTAutograd, and what eager mode takes for the same. The bound is ten times the
figure of a quiet machine (docs/howto/TorchCompile.md)."""

import sys
import timeit

import torch
from coil.torch_compile import compile_module

BOUND_US = 40


class Tiny(torch.nn.Module):
    def forward(self, x, y):
        return (x * y + 1, x - y)


def measure(function, count=2000):
    function()
    return min(timeit.repeat(function, number=count, repeat=7)) / count * 1e6


def main():
    torch.set_num_threads(1)
    x, y = torch.rand(8), torch.rand(8)
    call = compile_module(Tiny(), [x, y]).__closure__[0].cell_contents
    ours = measure(lambda: call([x, y]))
    eager = measure(lambda: Tiny.forward(None, x, y))
    print(f"compiled {ours:.2f} us, eager {eager:.2f} us")
    print("below the bound" if ours < BOUND_US else f"above the bound of {BOUND_US} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
