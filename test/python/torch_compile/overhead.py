#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints what a call of a tiny graph costs in the code that the backend makes, without Dynamo
and AOTAutograd, and what eager mode takes for the same; then what a call through torch.compile costs
above one of a function that computes nothing, which has Dynamo's guards. The bounds are ten times the
figures of a quiet machine (docs/howto/TorchCompile.md)."""

import sys
import timeit

import torch
from coil.torch_compile import compile_module

BOUND_US = 40
WHOLE_BOUND_US = 100


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
    compiled = torch.compile(lambda x, y: (x * y + 1, x - y), backend="coil")
    nothing = torch.compile(lambda x, y: (x, y), backend="eager")
    with torch.no_grad():
        whole, guards = measure(lambda: compiled(x, y)), measure(lambda: nothing(x, y))
    print(f"through torch.compile {whole:.2f} us, of which guards {guards:.2f} us")
    print("the whole is below the bound" if whole - guards < WHOLE_BOUND_US else f"above the bound of {WHOLE_BOUND_US} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
