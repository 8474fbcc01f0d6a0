# Triton kernels in exported programs, run on the simulated GPU and compared with what the kernels
# mean, in PyTorch: sizes that a run decides, numbers, constants, several results, a kernel called twice.
import sys
import warnings

import numpy
import torch
import triton
import triton.language as tl
from torch.export import Dim
from torch.library import wrap_triton
from triton.backends.compiler import GPUTarget

import coil

warnings.simplefilter("ignore")


class Driver:
    """Export asks Triton which tensors a kernel changes, and Triton asks which GPU there is."""

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)


triton.runtime.driver.set_active(Driver())


@triton.jit
def axpy(x, y, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) * scale + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def rows(x, total, largest, d, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * d + i, mask=i < d, other=0.0)
    tl.store(total + row, tl.sum(v, 0))
    tl.store(largest + row, tl.max(tl.where(i < d, v, -float("inf")), 0))


@triton.jit
def add_to(x, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(counts + i, tl.load(counts + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=2)], key=["n"])
@triton.jit
def halve(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 0.5, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


class Axpy(torch.nn.Module):
    def forward(self, x, y):
        out = torch.empty_like(x)
        n = x.numel()
        wrap_triton(axpy)[(triton.cdiv(n, 128),)](x, y, out, n, 2.5, BLOCK=128)
        again = torch.empty_like(x)
        wrap_triton(axpy)[(triton.cdiv(n, 128),)](out.relu(), y, again, n, 2.5, BLOCK=128)
        return again + 1

    def eager(self, x, y):
        return (x * 2.5 + y).relu() * 2.5 + y + 1


class Rows(torch.nn.Module):
    def forward(self, x):
        x = x.exp()
        total, largest = x.new_empty(x.shape[0]), x.new_empty(x.shape[0])
        wrap_triton(rows)[(x.shape[0],)](x, total, largest, x.shape[1], BLOCK=64)
        return total / largest, largest

    def eager(self, x):
        x = x.exp()
        return x.sum(1) / x.amax(1), x.amax(1)


class AddTo(torch.nn.Module):
    """Reads what it changes, and what it was before is used afterwards."""

    def forward(self, x, y):
        counts = y * 3
        before = counts.sum()
        wrap_triton(add_to)[(triton.cdiv(x.numel(), 128),)](x, counts, x.numel(), BLOCK=128)
        return counts, before

    def eager(self, x, y):
        return y * 3 + x, (y * 3).sum()


class Halve(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        wrap_triton(halve)[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out

    def eager(self, x):
        return x * 0.5


class Tuned(torch.nn.Module):
    def forward(self, x):
        out = torch.empty_like(x)
        wrap_triton(tuned)[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out


class Transposed(torch.nn.Module):
    def forward(self, x):
        out = torch.empty(x.numel())
        wrap_triton(halve)[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x.t(), out, x.numel())
        return out


def export(model, inputs, dynamic=None):
    return torch.export.export(model, inputs, dynamic_shapes=dynamic, strict=False)


def check(model, sizes, make, dynamic):
    exported = export(model, make(sizes[0]), dynamic)
    program = coil.compile(exported, options="library=none", target="cuda:sm_90a")
    for size in sizes:
        inputs = make(size)
        expected = model.eager(*inputs)
        results = program(*inputs)
        results = results if isinstance(results, (tuple, list)) else (results,)
        for result, wanted in zip(results, expected if isinstance(expected, tuple) else (expected,), strict=True):
            torch.testing.assert_close(result, wanted)
    print(type(model).__name__, "agrees at", *sizes)


def refuse(model, inputs, target="cuda:sm_90a"):
    try:
        coil.compile(export(model, inputs), options="library=none", target=target)
    except coil.CompileError as error:
        print(error)


n, m = Dim("n", min=2, max=4096), Dim("m", min=2, max=64)


def pair(size):
    return torch.randn(size), torch.randn(size)


if sys.argv[1] == "save":  # For the tools: a program, its kernels, inputs and what it should give.
    folder = sys.argv[2]
    inputs = pair(1000)
    exported = export(Axpy(), pair(100), ({0: n}, {0: n}))
    exported = coil.lower_triton(exported, f"{folder}/kernels.mlir", target="cuda:sm_90a")
    torch.export.save(exported, f"{folder}/model.pt2")
    for name, tensor in zip(("x", "y", "out"), (*inputs, Axpy().eager(*inputs)), strict=True):
        numpy.save(f"{folder}/{name}.npy", tensor.numpy())
elif sys.argv[1] == "without":  # As if Triton were not installed.
    exported = export(Halve(), (torch.randn(100),))
    sys.modules["triton"] = None
    try:
        coil.compile(exported, target="cuda:sm_90a")
    except coil.CompileError as error:
        print(error)
else:
    check(Axpy(), [100, 128, 1000], pair, ({0: n}, {0: n}))
    both = {0: Dim("r", min=1, max=512), 1: m}
    check(Rows(), [(5, 33), (1, 64), (40, 2)], lambda size: (torch.randn(size),), (both,))
    check(AddTo(), [300, 128, 2], pair, ({0: n}, {0: n}))
    check(Halve(), [100, 3], lambda size: (torch.randn(size),), ({0: n},))
    refuse(Tuned(), (torch.randn(100),))
    refuse(Transposed(), (torch.randn(4, 25),))
    refuse(Halve(), (torch.randn(100),), target="cpu")
