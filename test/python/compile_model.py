# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules and exported programs without a file, and compares with eager mode."""

import os
import tempfile
from typing import NamedTuple

import torch

import coil

torch.manual_seed(0)
folder = tempfile.TemporaryDirectory()
tempfile.tempdir = folder.name


class Nested(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, *, pair, scale=2.0):
        self.calls += 1
        y = self.linear(x["a"]) * scale
        return {"y": y, "both": (pair[0] + pair[1], torch.complex(y, y))}, self.calls + 0


def arguments(rows=5):
    return ({"a": torch.randn(rows, 4)},), {"pair": [torch.randn(2), torch.ones(2)]}


def same(got, want):
    assert torch.utils._pytree.tree_structure(got) == torch.utils._pytree.tree_structure(want)
    torch.testing.assert_close(got, want)


class Selections(torch.nn.Module):
    def forward(self, x):
        return {"largest": x.max(1), "first": x.topk(2), "none": None}, x.sort()


class Pair(NamedTuple):
    first: torch.Tensor
    second: object


class Swap(torch.nn.Module):
    def forward(self, pair, *, scale, mode):
        return Pair(pair.second["y"] * scale, {"x": pair.first} if mode == "m" else None)


def refused(function):
    try:
        function()
    except coil.CoilError as error:
        print(str(error).splitlines()[0])
        return
    raise AssertionError("expected an error")


args, kwargs = arguments()
module = Nested()
model = coil.compile(module, args=args, kwargs=kwargs)
again = Nested()
again.load_state_dict(module.state_dict())
args, kwargs = arguments()
same(model(*args, **kwargs), again(*args, **kwargs))
same(model.forward(x=args[0], pair=kwargs["pair"]), again(args[0], **kwargs))
print("module")

x = torch.randn(3, 3, dtype=torch.bfloat16)
exported = torch.export.export(torch.nn.Softmax(-1), (x,))
same(coil.compile(exported, opt_level=1)(x), torch.softmax(x, -1))
assert exported.example_inputs[0][0] is x
print("exported")

# Results in containers that files have no form for.
x = torch.randn(3, 4)
exported = torch.export.export(Selections(), (x,))
spec = exported.call_spec.out_spec
got = coil.compile(exported)(x)
same(got, Selections()(x))
assert got[0]["largest"].values is got[0]["largest"][0] and exported.call_spec.out_spec == spec
pair = Pair(torch.randn(3), {"y": torch.randn(2)})
model_of_pairs = coil.compile(Swap(), args=(pair,), kwargs={"scale": torch.ones(2), "mode": "m"})
same(model_of_pairs(pair, mode="m", scale=torch.full((2,), 3.0)), Pair(pair.second["y"] * 3, {"x": pair.first}))
print("containers")

rows = torch.export.Dim("rows", max=100)
sized = coil.compile(torch.nn.Linear(4, 2), args=(torch.ones(3, 4),), dynamic_shapes=({0: rows},))
assert sized(torch.ones(7, 4)).shape == (7, 2)
print("sizes")

# The module keeps what it has; the compiled one counts for itself.
assert module.calls == 0 and int(model(*args, **kwargs)[1]) == 3
print("state")

refused(lambda: model_of_pairs(tuple(pair), mode="m", scale=torch.ones(2)))
refused(lambda: coil.compile(Nested()))
refused(lambda: coil.compile(Nested(), args=torch.ones(3)))
refused(lambda: coil.compile(exported, args=(x,)))
refused(lambda: coil.compile("model.pt2", args=(x,)))
refused(lambda: coil.compile(3))
refused(lambda: coil.compile(exported, weights="w.pt2"))
refused(lambda: sized(torch.ones(7, 4, requires_grad=True)))
refused(lambda: coil.compile(exported, colour="blue"))
with torch.no_grad():
    assert sized(torch.ones(7, 4, requires_grad=True)).shape == (7, 2)
assert not [name for name in os.listdir(folder.name) if name.startswith("coil")]
print("no file is left")
