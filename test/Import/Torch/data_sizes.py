# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports programs with numbers and sizes that data gives, and compares what Coil
computes with PyTorch eager. Where eager raises an error, so has Coil.

    data_sizes.py OUT
"""

import os
import sys
import warnings

import coil
import torch

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
PROGRAMS = {}
T = torch.tensor
X = torch.arange(1.0, 9.0)


def program(*cases):
    """Exported with the first case and run on all."""

    def add(function):
        PROGRAMS[function.__name__] = (function, [c if isinstance(c, tuple) else (c,) for c in cases])
        return function

    return add


@program((X, T(3)), (X, T(0)), (X, T(8)), (X, T(9)), (X, T(-2)), (X, T(-20)))
def prefix(x, n):
    return x[:n.item()], x[n.item():], x[n.item()::3]


@program((X, T(3)), (X, T(-1)), (X, T(8)), (X, T(-9)))
def element(x, n):
    return x[n.item()] * 2


@program((X, T(3), T(2)), (X, T(0), T(8)), (X, T(1), T(8)))
def narrowed(x, start, length):
    return x.narrow(0, start.item(), length.item())


@program(T(4), T(2), T(1), T(9))
def checked(n):
    size = n.item()
    torch._check(size >= 2)
    torch._check(size <= 8)
    return torch.ones(size * 2 + 1), torch.arange(size // 2), torch.zeros(max(size, 3))


@program(torch.tensor([[1, 1, 2], [3, 3, 0]]), torch.tensor([[1, 2, 2], [3, 0, 0]]), torch.ones(2, 3, dtype=torch.int64))
def distinct(x):
    """Of which the exporter declares the first result with four dimensions, and two counts."""
    return torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=-1)


@program(T(3), T(0), T(-1))
def zeros(n):
    return torch.zeros(n.item(), 2)


@program((X, T(2.5)), (X, T(-0.0)), (X, T(float("nan"))), (X.to(torch.int32), T(2.5)))
def scaled(x, f):
    value = f.item()
    return x * value + 1, x / (value * value + 2.0), torch.full((2,), value)


@program((X, T(3, dtype=torch.uint8)), (X, T(-3, dtype=torch.int8).to(torch.uint8)))
def unsigned(x, n):
    return x * n.item()


@program((X, T(-3, dtype=torch.int8)), (X, T(100, dtype=torch.int8)))
def narrow_number(x, n):
    return x + n.item(), torch.full((3,), n.item())


@program((X, T(True)), (X, T(False)))
def bool_number(x, p):
    return x * p.item()


@program((X, T(2)), (X, T(3)), (X, T(5)))
def either(x, n):
    size = n.item()
    torch._check((size == 2) | (size == 5))
    return x * size


@program((X, T([2, 5])), (X, T([0, 0])), (X, T([7, 3])), (X, T([-3, 20])))
def split(x, at):
    return torch.tensor_split(x, at)


@program(T([1.0, -1, 2, 3, 4, 5]), T([1.0, -1, 2, 3, -4, 5]))
def known(x):
    y = x[x > 0]
    torch._check(y.shape[0] == 5)
    return y.view(5) + 1


@program((T([2, 0, 1, 2]), T([0.5, 0.25, 1.0, 2.0])), (T([0, 0, 0, 0]), torch.ones(4)), (T([1, -1, 0, 0]), torch.ones(4)))
def counts(x, w):
    return torch.bincount(x), torch.bincount(x, w, minlength=3) * 2


@program((torch.randn(4, 5, 3), torch.rand(4, 5) > 0.5, T([2, 0, 1])), (torch.randn(4, 5, 3), torch.zeros(4, 5) > 0, T([2, 0, 1])))
def mixed(x, mask, i):
    y = x.clone()
    y[mask] = x[mask].flip(1)
    y[:, 1, i] += 1
    y[:, mask[0]] *= 2
    return y, x[mask][:, i], x[mask.nonzero()[:, 0]]


@program((T([[3, 1], [3, 2], [3, 1], [0, 9]]),), (T([[1, 1], [1, 1], [1, 1], [1, 1]]),))
def rows(x):
    values, inverse, count = torch.unique(x, dim=0, return_inverse=True, return_counts=True)
    columns = torch.unique(x, dim=1)
    return values, inverse * 2, count, columns, torch.unique_consecutive(x, dim=0)


@program((torch.arange(40).reshape(4, 10) // 25,), (torch.zeros(4, 10, dtype=torch.int64),))
def wide_rows(x):
    return torch.unique(x, dim=0)


@program((torch.tensor([1.0, float("nan"), 2, float("nan"), 1]),))
def not_a_number(x):
    return torch.unique(x), x[x == x], x.nonzero()


def run(function, path):
    """The number of cases that agree."""
    cases = PROGRAMS[function.__name__][1]
    module = type(function.__name__, (torch.nn.Module,), {"forward": staticmethod(function)})()
    torch.export.save(torch.export.export(module, cases[0]), path)
    compiled = coil.compile(path, opt_level=1, threads=1)
    for case in cases:
        if any(a.dtype != b.dtype for a, b in zip(case, cases[0])):
            continue
        try:
            want = module(*[t.clone() for t in case])
        except (RuntimeError, IndexError, ValueError) as error:
            want = error
        try:
            got = [torch.from_dlpack(t) for t in compiled(*case)]
        except coil.CoilError as error:
            if not isinstance(want, Exception):
                print(f"{function.__name__}: {case}: {error}")
            else:
                print(f"{function.__name__}: {str(error).splitlines()[0]}")
            continue
        if isinstance(want, Exception):
            print(f"{function.__name__}: {case}: no error, but eager has: {want}")
            continue
        want = list(want) if isinstance(want, (tuple, list)) else [want]
        for number, (a, b) in enumerate(zip(got, want, strict=True)):
            if a.dtype != b.dtype or a.shape != b.shape or not torch.allclose(
                    a.double(), b.double(), equal_nan=True):
                print(f"{function.__name__}: {case}: result {number} is {a} instead of {b}")


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for function, _ in PROGRAMS.values():
        run(function, os.path.join(folder, function.__name__ + ".pt2"))
    print(f"{len(PROGRAMS)} programs")


main()
