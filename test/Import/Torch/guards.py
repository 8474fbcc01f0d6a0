# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports programs for which export assumes something of the sizes of inputs, and calls them with others: where the module
that torch makes of the exported program raises an error, so has Coil; elsewhere results are eager mode's.

    guards.py
"""

import math
import warnings

import coil
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
PROGRAMS = {
    "half": lambda x: x[:int(x.shape[0] * 0.5)],
    "root": lambda x: x[:int(x.shape[0]**0.5)],
    "even": lambda x: x + (1 if x.shape[0] % 2 == 0 else 2),
    "scale": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], scale=1 / x.shape[0]),
    "offset": lambda x: torch.diagonal(x @ x.T, x.shape[0] // 3),
    "pieces": lambda x: x.split(x.shape[0] // 2)[0],
    "strides": lambda x: x.T.reshape(-1) if x.T.is_contiguous() else x.reshape(-1),
    "power of two": lambda x: x + (1 if x.shape[0] & (x.shape[0] - 1) == 0 else 2),
    "distance": lambda x: x + (1 if abs(x.shape[0] - 13) < 3 else 2),
    "rounded": lambda x: x + (1 if round(x.shape[0] / 5) == 2 else 2),
    "free": lambda x: F.interpolate(x.T[None], scale_factor=0.7) * math.log(2),
}
NESTED = lambda many, *, last: many["A b"][0] + many["A b"][1][0] * (2 if last.shape[0] % 2 == 0 else 3)


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def check(name, function, make, sizes=(12, 14, 17, 16)):
    shapes = torch.utils._pytree.tree_map(lambda t: {0: torch.export.Dim.AUTO}, make(12))
    args, kwargs = make(12)
    names = dict(zip(("x",), shapes[0])) if not kwargs else {"many": shapes[0][0], **shapes[1]}
    exported = torch.export.export(Module(function), args, kwargs, dynamic_shapes=names, strict=False)
    compiled, module, fates = coil.compile(exported), exported.module(), []
    for size in sizes:
        args, kwargs = make(size)
        try:
            module(*args, **kwargs)
            is_expected = True
        except AssertionError:
            is_expected = False
        try:
            torch.testing.assert_close(compiled(*args, **kwargs), function(*args, **kwargs))
            fates.append("agrees")
        except coil.CoilError as error:
            fates.append(f"error ({error})")
        assert is_expected == (fates[-1] == "agrees"), (name, size, fates[-1])
    print(f"{name}: {'; '.join(fates)}")


for name, function in PROGRAMS.items():
    check(name, function, lambda n: ((torch.randn(n, 3),), {}))
check("nested", NESTED, lambda n: (({"A b": [torch.randn(n), (torch.randn(n),)]},), {"last": torch.randn(n + 2)}))
