#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions of f32 with and without TF32, by kernels of our own and by
libraries, against torch in f64. An element may be off by as much as rounding its factors
can make it, which follows from the magnitudes of its products, and no more; and with TF32
elements must be off by much more, all in all, than they are without.

    PYTHONPATH=<install>/python tf32.py [--paths loop,library]

Needs torch; data stays on the host, so one without CUDA does. Run by scripts/gpu_check.sh.
Exit status 0 and a last line that begins with "all agree" mean that everything is right.
"""
import argparse
import os
import sys
import tempfile

import torch
import torch.nn.functional as F

import coil

PATHS = {"loop": "library=none", "library": "library=cublaslt,cudnn"}
F32, TF32 = 2.0**-24, 2.0**-11


class Case:
    """A program, what it computes of f64, and the sums of its products' magnitudes, of how many terms each.
    Elements are off by at most `slope` times the sum's error."""

    def __init__(self, name, program, shapes, compute, terms, conv=False, slope=1.0):
        self.name, self.program, self.shapes, self.compute, self.terms = name, program, shapes, compute, terms
        self.conv, self.slope = conv, slope


def tensor(*sizes):
    return f"tensor<{'x'.join(map(str, sizes))}xf32>"


def product(m, n, k, left="n", right="n", batch=None):
    b = [] if batch is None else [batch]
    x, y = [*b, *((m, k) if left == "n" else (k, m))], [*b, *((k, n) if right == "n" else (n, k))]
    order = [*range(len(b)), len(b) + 1, len(b)]
    lines, names = [], ["%x", "%y"]
    for i, (turned, shape) in enumerate(((left == "t", x), (right == "t", y))):
        if turned:
            to = [shape[d] for d in order]
            lines.append(f"  %t{i} = graph.permute {names[i]} {order} : ({tensor(*shape)}) -> {tensor(*to)}")
            names[i] = f"%t{i}"
    a, c = [*b, m, k], [*b, k, n]
    program = f"""func.func @main(%x: {tensor(*x)}, %y: {tensor(*y)}) -> {tensor(*b, m, n)} {{
{chr(10).join(lines)}
  %0 = graph.matmul {names[0]}, {names[1]} : ({tensor(*a)}, {tensor(*c)}) -> {tensor(*b, m, n)}
  return %0 : {tensor(*b, m, n)}
}}
"""

    def compute(x, y, sum_of):
        return sum_of(torch.matmul, x.mT if left == "t" else x, y.mT if right == "t" else y)

    name = f"{left}{right} {'' if batch is None else f'{batch} of '}{m}x{k} by {n}"
    return Case(name, program, [x, y], compute, k)


def linear_gelu(m, n, k):
    program = f"""func.func @main(%x: {tensor(m, k)}, %w: {tensor(n, k)}, %b: {tensor(n)}) -> {tensor(m, n)} {{
  %0 = graph.permute %w [1, 0] : ({tensor(n, k)}) -> {tensor(k, n)}
  %1 = graph.matmul %x, %0 bias %b : ({tensor(m, k)}, {tensor(k, n)}, {tensor(n)}) -> {tensor(m, n)}
  %h = graph.full 5.000000e-01 : f32 -> tensor<f32>
  %r = graph.full 0.70710678118654752 : f32 -> tensor<f32>
  %o = graph.full 1.000000e+00 : f32 -> tensor<f32>
  %2 = graph.mul %1, %r : ({tensor(m, n)}, tensor<f32>) -> {tensor(m, n)}
  %3 = graph.erf %2 : ({tensor(m, n)}) -> {tensor(m, n)}
  %4 = graph.add %3, %o : ({tensor(m, n)}, tensor<f32>) -> {tensor(m, n)}
  %5 = graph.mul %1, %h : ({tensor(m, n)}, tensor<f32>) -> {tensor(m, n)}
  %6 = graph.mul %5, %4 : ({tensor(m, n)}, {tensor(m, n)}) -> {tensor(m, n)}
  return %6 : {tensor(m, n)}
}}
"""

    def compute(x, w, b, sum_of):
        y, magnitude = sum_of(torch.matmul, x, w.mT)
        return F.gelu(y + b), magnitude + b.abs()

    return Case(f"linear+bias+gelu {m}x{k} by {n}", program, [(m, k), (n, k), (n,)], compute, k, slope=1.13)


def convolution(n, c, size, out, window, stride=1, padding=0):
    x, w, s = (n, c, size, size), (out, c, window, window), (size + 2 * padding - window) // stride + 1
    y = (n, out, s, s)
    program = f"""func.func @main(%x: {tensor(*x)}, %w: {tensor(*w)}, %b: {tensor(out)}) -> {tensor(*y)} {{
  %0 = graph.conv %x, %w stride [{stride}, {stride}] padding [{padding}, {padding}] dilation [1, 1] groups 1 : ({tensor(*x)}, {tensor(*w)}) -> {tensor(*y)}
  %1 = graph.reshape %b : ({tensor(out)}) -> {tensor(out, 1, 1)}
  %2 = graph.add %0, %1 : ({tensor(*y)}, {tensor(out, 1, 1)}) -> {tensor(*y)}
  %3 = graph.relu %2 : ({tensor(*y)}) -> {tensor(*y)}
  return %3 : {tensor(*y)}
}}
"""

    def compute(x, w, b, sum_of):
        y, magnitude = sum_of(lambda x, w: F.conv2d(x, w, stride=stride, padding=padding), x, w)
        return F.relu(y + b[:, None, None]), magnitude + b.abs()[:, None, None]

    name = f"conv {n}x{c}x{size}x{size} to {out}, {window}x{window}, stride {stride}"
    return Case(name, program, [x, w, (out,)], compute, c * window * window, conv=True)


CASES = [
    *[product(192, 200, 160, left, right) for left in "nt" for right in "nt"],
    *[product(149, 211, 173, left, right) for left in "nt" for right in "nt"],
    product(128, 128, 96, "n", "t", batch=5),
    product(40, 136, 1024, "n", "t"),
    linear_gelu(192, 264, 128),
    convolution(2, 16, 24, 32, 3, padding=1),
    convolution(2, 24, 20, 40, 1),
    convolution(1, 3, 64, 96, 8, stride=8),
]


def run(case, folder, options, inputs):
    path = os.path.join(folder, "case.mlir")
    with open(path, "w") as f:
        f.write(case.program)
    result, = coil.compile(path, options=options)(*[t.numpy() for t in inputs])
    return torch.from_numpy(result).double()


def check(case, path, folder):
    torch.manual_seed(1)
    inputs = [torch.randn(shape) for shape in case.shapes]
    wide = [t.double() for t in inputs]
    exact, magnitude = case.compute(*wide, lambda f, a, b: (f(a, b), f(a.abs(), b.abs())))
    # The sum, what follows it, and the result are rounded.
    single = case.slope * magnitude * (case.terms + 8) * F32 + 4 * exact.abs() * F32
    # A library may cut bits off where our kernels round to nearest.
    unit = TF32 if path == "loop" else 2 * TF32
    rounded = single + case.slope * magnitude * (2 * unit + unit * unit)
    which = "conv" if case.conv else "matmul"
    problems, shown = [], []
    # Errors of f32, and of what is rounded to TF32, differ by three orders of magnitude.
    def spread(error):
        return error.square().mean().sqrt().item()

    usual = None
    for precision, bound in (("highest", single), ("high", rounded)):
        options = f"target=cuda {PATHS[path]} float32-{which}-precision={precision}"
        error = (run(case, folder, options, inputs) - exact).abs()
        worst = (error / bound).max().item()
        shown.append(f"{precision} {worst:.2f} of its bound")
        if not worst <= 1:
            problems.append(f"{precision}: an element is off by {worst:.3g} times what it may be")
        if usual is None:
            usual = spread(error)
        elif spread(error) < 8 * usual and not (case.conv and path == "library"):
            # cuDNN is free to take an engine without tensor cores for a small image.
            problems.append("high: nothing was rounded to TF32")
    # The other option has no say.
    other = "matmul" if case.conv else "conv"
    options = f"target=cuda {PATHS[path]} float32-{other}-precision=high"
    error = (run(case, folder, options, inputs) - exact).abs()
    if not (error <= single).all() or spread(error) > 2 * usual:
        problems.append(f"float32-{other}-precision=high rounds it, too")
    print(f"{path}: {case.name}: {', '.join(shown)}", flush=True)
    return [f"{path}: {case.name}: {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paths", default="loop,library", help="which of loop and library")
    parser.add_argument("--filter", default="", help="cases whose name holds this")
    args = parser.parse_args()
    problems, number = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.paths.split(","):
            for case in CASES:
                if args.filter in case.name:
                    problems += check(case, path, folder)
                    number += 1
    for problem in problems:
        print("wrong:", problem)
    if problems or not number:
        print(f"{len(problems)} problems in {number} cases")
        return 1
    print(f"all agree: {number} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
