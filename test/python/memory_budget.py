# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peaks of models under memory budgets: against eager mode, the plan and the lower bound.

Each model is planned without a budget, and in the least memory that the compiler reaches. Both give the same bits, the
run has allocated no more than the plan says, and eager mode needs more than the least.
"""
import argparse
import re
import weakref

import coil
import numpy
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

parser = argparse.ArgumentParser()
parser.add_argument("--options", default="library=none")
parser.add_argument("--folder", required=True)
arguments = parser.parse_args()


class EagerPeak(TorchDispatchMode):
    """The most bytes of storages that operators of eager mode made and that were alive at once; what an operator
    allocates and frees itself is not seen."""

    def __init__(self, inputs):
        super().__init__()
        self.live = self.peak = 0
        self.known = {t.untyped_storage().data_ptr() for t in inputs}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if not isinstance(tensor, torch.Tensor):
                continue
            storage = tensor.untyped_storage()
            address, size = storage.data_ptr(), storage.nbytes()
            if address not in self.known:
                self.known.add(address)
                self.live += size
                self.peak = max(self.peak, self.live)
                weakref.finalize(storage, self.end, address, size)
        return result

    def end(self, address, size):
        self.known.discard(address)
        self.live -= size


def loss(x, w1, w2, w3, mask):
    h = torch.nn.functional.gelu(x @ w1) * mask
    h = torch.nn.functional.gelu(h @ w2)
    return ((h @ w3) ** 2).mean()


def training_step(x, w1, w2, w3, mask):
    """Activations wait for the backward pass."""
    return torch.func.grad(loss, argnums=(1, 2, 3))(x, w1, w2, w3, mask)


def skip_connection(x, w1, w2, w3):
    """An activation waits for the decoder."""
    down = torch.relu(torch.nn.functional.conv2d(x, w1, padding=1))
    skip = torch.sigmoid(down)
    inner = torch.nn.functional.avg_pool2d(down, 2)
    for _ in range(2):
        inner = torch.relu(torch.nn.functional.conv2d(inner, w2, padding=1))
    return torch.nn.functional.conv2d(torch.nn.functional.interpolate(inner, scale_factor=2.0) * skip, w3, padding=1)


def masks(x, w, v):
    """Conversions and masks wait for a wide intermediate result."""
    keep = [(x.to(torch.float64) * (i + 1)).sin().to(torch.float32) @ w for i in range(3)]
    wide = torch.exp(-(x @ v) ** 2) @ v.t()
    for each in keep:
        wide = torch.tanh(wide @ w) + each
    return wide


generator = torch.Generator().manual_seed(0)


def random(*sizes):
    return torch.randn(*sizes, generator=generator)


MODELS = {
    training_step: (random(512, 64), random(64, 256), random(256, 256), random(256, 8), (random(512, 256) > 0).float()),
    skip_connection: (random(2, 3, 64, 64), random(16, 3, 3, 3), random(16, 16, 3, 3), random(4, 16, 3, 3)),
    masks: (random(128, 128), random(128, 128) / 11, random(128, 1024) / 11),
}


def run(file, inputs, options):
    program = coil.compile(file, options=f"{arguments.options} {options}")
    results = [numpy.array(result) for result in program(*[tensor.numpy() for tensor in inputs])]
    return results, program.run_stats


def least(file):
    """The least peak that the compiler reaches, and that of the plan that is asked for, from the error."""
    try:
        coil.compile(file, options=f"{arguments.options} memory-budget=1")
    except coil.CompileError as error:
        found = re.search(r"needs at least (\d+) bytes .*; planned as asked for it needs (\d+) bytes", str(error))
        return int(found[1]), int(found[2])
    raise SystemExit("a budget of one byte was met")


for function, inputs in MODELS.items():
    name = function.__name__
    graph = make_fx(function)(*inputs)
    file = f"{arguments.folder}/{name}.pt2"
    torch.export.save(torch.export.export(graph, inputs), file)
    mode = EagerPeak(inputs)
    with mode:
        expected = tree_leaves(graph(*inputs))
    reached, planned = least(file)
    plain, plain_stats = run(file, inputs, "")
    small, small_stats = run(file, inputs, f"memory-budget={reached}")
    for a, b, c in zip(plain, small, expected):
        assert a.tobytes() == b.tobytes(), f"{name}: other bits with a budget"
        numpy.testing.assert_allclose(a, c.numpy(), rtol=2e-3, atol=2e-3 * float(c.abs().max()))
    assert plain_stats["peak_bytes"] <= planned, f"{name}: {plain_stats['peak_bytes']} bytes, planned {planned}"
    assert small_stats["peak_bytes"] <= reached, f"{name}: {small_stats['peak_bytes']} bytes, budget {reached}"
    # The plan without a budget may keep what eager mode computes twice.
    assert planned <= 1.02 * mode.peak, f"{name}: {planned} bytes, eager mode {mode.peak}"
    assert reached < mode.peak, f"{name}: {reached} bytes, eager mode {mode.peak}"
    print(f"{name}: eager {mode.peak}, planned {planned}, least {reached}:",
          f"{'less' if reached < planned else 'the same'} with {small_stats['launches'] - plain_stats['launches']} more launches")
