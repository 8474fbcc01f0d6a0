#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Gradients of many slices of one tensor, and writes to slices, against eager mode: drawn programs.

    slices.py [--seed N] [--count N]
"""

import argparse
import random

import torch

from checks import compile


def draw_slice(draw, sizes):
    """The text of an index of a tensor with the given sizes, and a text that says how the slice is used."""
    kind = draw.choice(["select", "slice", "step", "nested", "narrow", "transposed"])
    dim = draw.randrange(len(sizes))
    size = sizes[dim]
    before = ":, " * dim
    start = draw.randrange(size)
    end = draw.randint(start, size)
    if kind == "select":
        return f"x[{before}{draw.choice([start, start - size])}]"
    if kind == "slice":
        return f"x[{before}{start}:{end}]"
    if kind == "step":
        return f"x[{before}{start % 2}::{draw.randint(2, 3)}]"
    if kind == "nested":
        return f"x[{start if dim == 0 else draw.randrange(sizes[0])}, {draw.randrange(sizes[1])}]"
    if kind == "narrow":
        return f"x.narrow({dim}, {start}, {end - start})"
    return f"x.transpose(0, 1)[{draw.randrange(sizes[1])}]"


def draw_program(seed):
    draw = random.Random(seed)
    sizes = [draw.choice([1, 2, 5, 7, 16]), draw.choice([1, 3, 8, 13]), draw.choice([1, 4, 17])]
    lines, count = [], draw.randint(2, 9)
    shape = draw.random()
    if shape < 0.4:  # A loop over one dimension, in either order.
        dim = draw.randrange(3)
        order = f"reversed(range({sizes[dim]}))" if draw.random() < 0.5 else f"range({sizes[dim]})"
        width = draw.choice([1, 1, 2, 3])
        index = "t" if width == 1 and draw.random() < 0.5 else f"t:t + {width}"
        lines += [f"for t in {order}:", f"    total = total + (x[{':, ' * dim}{index}] * (t + 2)).sin().sum()"]
    elif shape < 0.6:  # Writes to slices, which are read.
        lines += ["y = torch.zeros_like(x)", f"for t in range({sizes[0]}):", "    y[t] = x[t] * (y[t - 1].clone() if t else 3)", "total = total + y.cos().sum()"]
    for i in range(count):
        lines.append(f"total = total + ({draw_slice(draw, sizes)} * {draw.randint(1, 9)}).sin().sum()")
    if draw.random() < 0.3:
        lines.append("total = total + x.cos().sum()")
    text = "def f(x):\n    total = x.sum() * 0\n    " + "\n    ".join(lines) + "\n    return total\n"
    scope = {"torch": torch}
    exec(text, scope)  # pylint: disable=exec-used
    return text, scope["f"], sizes, draw


def gradient(function, x):
    x = x.detach().clone().requires_grad_()
    total = function(x)
    total.backward()
    return total.detach(), x.grad


def check(seed):
    text, function, sizes, draw = draw_program(seed)
    dtype = draw.choice([torch.float32, torch.float32, torch.float64, torch.bfloat16])
    torch.manual_seed(seed)
    x = torch.randn(sizes).to(dtype)
    torch._dynamo.reset()
    ours, theirs = gradient(compile(function, dynamic=draw.choice([None, None, True])), x), gradient(function, x)
    tolerance = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 4e-2}[dtype]
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=20 * tolerance, msg=lambda m: f"seed {seed}, {dtype}, {sizes}:\n{text}{m}")


class Given(torch.autograd.Function):
    """Has the given gradient."""

    @staticmethod
    def forward(ctx, x, given):
        ctx.save_for_backward(given)
        return x.sum()

    @staticmethod
    def backward(ctx, grad):
        given, = ctx.saved_tensors
        return given.clone(), None


def check_zeros():
    """The signs of zeros, infinities and NaN are those of eager mode, where slices overlap, too."""
    numbers = torch.tensor([-0.0, 0.0, float("inf"), -float("inf"), float("nan"), 1.0])
    for slices in ([(0, 2), (2, 4), (4, 6)], [(0, 3), (2, 5)], [(1, 3), (1, 3)], [(0, 6), (2, 4)], [(0, 2), (0, 2), (3, 5)], [(0, 4), (1, 5), (3, 6), (0, 1)]):
        def function(x, *given):
            return sum(Given.apply(x[a:b], g) for (a, b), g in zip(slices, given))

        for _ in range(4):
            given = [numbers[torch.randint(6, (b - a,))] for a, b in slices]
            results = []
            for call in (function, compile(function)):
                x = torch.ones(6, requires_grad=True)
                call(x, *given).backward()
                results.append(x.grad)
            theirs, ours = results
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)
            numbered = ~theirs.isnan()
            assert torch.equal(ours.signbit()[numbered], theirs.signbit()[numbered]), (slices, given, ours, theirs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    options = parser.parse_args()
    check_zeros()
    for seed in range(options.seed, options.seed + options.count):
        check(seed)
    print(f"{options.count} programs agree")


if __name__ == "__main__":
    main()
