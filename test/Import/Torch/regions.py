# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions that run once, as they are: exports programs with them, and compares what Coil computes with
PyTorch eager.

    regions.py OUT
"""

import logging
import os
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch._higher_order_ops.foreach_map import foreach_map
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.strict_mode import strict_mode

import coil

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
torch.manual_seed(0)
r = torch.randn
PROGRAMS = {}
BF16, F16 = torch.bfloat16, torch.float16


def program(*inputs, strict=False, refused=False):
    """Makes a program of a forward function or of a class."""

    def add(what):
        module = what() if isinstance(what, type) else \
            type(what.__name__, (nn.Module,), {"forward": staticmethod(what)})()
        PROGRAMS[what.__name__] = (module.eval().requires_grad_(False), inputs, strict, refused)
        return what

    return add


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm = nn.Linear(4, 5), nn.LayerNorm(5)
        self.conv = nn.Conv1d(3, 2, 3, padding="same")


@program(r(7, 4))
class lower(Layers):
    """Contractions are computed in bf16, what follows in what PyTorch has for it."""

    def forward(self, x):
        with torch.autocast("cpu", BF16):
            y = self.lin(x)
            z = self.norm(y).softmax(-1)
            # Sums, concatenations and elementwise operators have operands of both types.
            return y, z, y + x.sum(), torch.cat([y, x.sum(1, keepdim=True)], 1), torch.stack([y, y])


@program(r(2, 3, 8), r(2, 3, 8), r(2, 3, 8))
class half(Layers):
    def forward(self, q, k, v):
        with torch.autocast("cpu", F16):
            a = F.scaled_dot_product_attention(q, k, v)
            return a, self.conv(a), F.mse_loss(q.half(), v), torch.prod(q.half().abs() + 0.5, 1)


@program(r(3, 4), r(4, 4).double(), torch.arange(4))
def other_types(x, y, i):
    """Double precision and integers are as they are."""
    with torch.autocast("cpu", BF16):
        return y @ y, x @ x.t(), i.float() @ x.t(), (i * 2) @ i


@program(r(3, 4))
class off(Layers):
    def forward(self, x):
        with torch.autocast("cpu", BF16, enabled=False):
            y = self.lin(x)
        return y.relu()


@program(r(3, 4))
class nested(Layers):
    """A region in another, one for another device, and one without gradients."""

    def forward(self, x):
        with torch.autocast("cpu", BF16):
            y = self.lin(x)
            with torch.autocast("cpu", enabled=False):
                z = self.lin(x)
            with torch.autocast("cuda", enabled=False):
                q = self.lin(x)
            with torch.no_grad():
                s = q @ q.t()
            return y, z, q, s


@program(r(5, 2, 3))
def composite(x):
    """An operator that PyTorch makes of others, which are intercepted."""
    with torch.autocast("cpu", BF16):
        return torch.einsum("abc,abd->acd", x, x)


@program(r(3, 4), strict=True, refused="export does not write in strict mode")
class strict(Layers):
    def forward(self, x):
        with torch.autocast("cpu", BF16):
            return self.lin(x)


@program(r(3, 4))
def no_gradients(x):
    with torch.no_grad():
        y = x.sin()
        with torch.enable_grad():
            y += 1
        y = y * 2
    return y


@program(torch.randint(-9, 9, (3, 4), dtype=torch.int8), torch.randint(-9, 9, (4, 2), dtype=torch.int8))
def integers(a, b):
    aten = torch.ops.aten
    return out_dtype(aten.mm.default, torch.int32, a, b), out_dtype(aten.mul.Tensor, torch.int64, a, a), \
        out_dtype(aten.mul.Scalar, torch.int16, a, 30)


@program(r(3, 4))
def narrow(x):
    return out_dtype(torch.ops.aten.mul.Tensor, BF16, x, x)


@program(r(3, 4))
def hints(x):
    return hints_wrapper(lambda x: (x.sin() + 1, x), (x,), {}, hints={"fuse": True})


@program(r(3, 4))
def repeated(x):
    f = torch.compiler.nested_compile_region(lambda x: x.sin() + 1)
    return f(f(x))


@program(r(3, 4))
def checked(x):
    return strict_mode(lambda x: (x.sin() + 1,), (x,))


@program(r(3, 4), r(2), strict=True)
def each(x, y):
    return foreach_map(lambda x: x.sin() + 1, [x, y])


@program(r(3, 4), refused="a program has no effects but its results")
def printed(x):
    torch._higher_order_ops.print("x is {}", 3)
    return x + 1


def find_difference(actual, expected):
    if len(actual) != len(expected):
        return f"{len(actual)} results"
    for i, (a, e) in enumerate(zip(actual, expected)):
        if (a.dtype, a.shape) != (e.dtype, e.shape):
            return f"result {i} is {a.dtype} {list(a.shape)}, not {e.dtype} {list(e.shape)}"
        # One rounding of the type.
        tolerance = 4 * torch.finfo(a.dtype).eps if a.dtype.is_floating_point else 0
        if not torch.allclose(a.double(), e.double(), tolerance, tolerance):
            return f"result {i} differs by {(a.double() - e.double()).abs().max():g}"
    return None


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    failures = []
    for name, (module, inputs, is_strict, refused) in PROGRAMS.items():
        path = os.path.join(sys.argv[1], name + ".pt2")
        torch.export.save(torch.export.export(module, inputs, strict=is_strict), path)
        try:
            compiled = coil.compile(path)
        except coil.CompileError as error:
            if not refused or refused not in str(error):
                failures.append(f"{name}: {error}")
            continue
        if refused:
            failures.append(f"{name} is not refused")
            continue
        expected = torch.utils._pytree.tree_leaves(module(*[x.clone() for x in inputs]))
        difference = find_difference(compiled.run(*inputs, like=torch.Tensor), expected)
        if difference:
            failures.append(f"{name}: {difference}")
    print("\n".join(failures) or f"{len(PROGRAMS)} programs")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
