# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls programs as the models that they were exported from: nested and named
arguments and results, numbers among them, constants, and what is updated."""

import collections
import os
import sys
import warnings

import torch
import torch.nn as nn

import coil

warnings.filterwarnings("ignore")
torch.manual_seed(0)
os.makedirs(sys.argv[1], exist_ok=True)
Pair = collections.namedtuple("Pair", "a b")
torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="structures.Pair")
AUTO = torch.export.Dim.DYNAMIC


def compile(module, args, kwargs=None, dynamic=None):
    path = os.path.join(sys.argv[1], type(module).__name__ + ".pt2")
    torch.export.save(torch.export.export(module, args, kwargs, dynamic_shapes=dynamic), path)
    return coil.compile(path, opt_level=1)


def tensors(value):
    """The leaves, tensors where there are arrays."""
    return [torch.as_tensor(v) if hasattr(v, "__array__") else v for v in torch.utils._pytree.tree_leaves(value)]


def same(got, want):
    assert torch.utils._pytree.tree_structure(got) == torch.utils._pytree.tree_structure(want), (got, want)
    for a, b in zip(tensors(got), tensors(want)):
        assert type(a) is type(b), (a, b)
        # Sums whose terms cancel are rounded in another order.
        assert torch.allclose(a, b, atol=1e-6) if isinstance(a, torch.Tensor) else a == b, (a, b)


def refused(what, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except coil.InputError as error:
        assert what in str(error), error
        return
    raise AssertionError(f"expected an error: {what}")


class Nested(nn.Module):
    def forward(self, x, n, flag=True, *, opts, name="q", scale=2.5, nothing=None):
        y = x["a"] * n + opts[0].a
        return {"y": y, "z": (y.sum(), n, None, flag, scale, name), "p": Pair(y.shape[0], n * 2)}


module = Nested()
args = ({"a": torch.randn(3, 4)}, 5)
kwargs = {"opts": [Pair(torch.ones(4), 1)], "name": "zz"}
shapes = {"x": {"a": {0: AUTO}}, "n": AUTO, "opts": [Pair(None, None)], "name": None}
program = compile(module, args, kwargs, shapes)
for rows, n in ((3, 5), (7, 2), (2, 0)):
    args = ({"a": torch.randn(rows, 4)}, n)
    same(program.forward(*args, **kwargs), module(*args, **kwargs))
    same(program.forward(x=args[0], n=n, opts=kwargs["opts"]), module(*args, **kwargs))
assert program.structure.argument_names == ["x", "n", "opts", "name"]
refused("the argument 'name' is 'zz' in the program", program.forward, *args, **{**kwargs, "name": "q"})
refused("the argument 'opts_0_b' is 1 in the program", program.forward, *args, opts=[Pair(torch.ones(4), 1.0)])
refused("arguments[0][0]: expected a dictionary with the keys ['a']", program.forward, {"b": 1}, 2, **kwargs)
refused("the argument 'opts' is missing", program.forward, *args)
refused("there is no argument 'q'", program.forward, *args, q=1, **kwargs)
refused("the argument 'n' is given twice", program.forward, *args, n=1, **kwargs)
# The flat form is what it was.
assert len(program(args[0]["a"], 4, torch.ones(4))) == 7
print("nested")


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("cache", torch.zeros(5, 3))

    def forward(self, x, i):
        self.count += 1
        self.cache.index_copy_(0, i, x)
        x[:, 1:].mul_(2)
        return self.cache.sum(0) + self.count[0]


module = Counter()
program = compile(Counter(), (torch.randn(2, 3), torch.tensor([0, 1])))
assert [o.get("mutation", {}).get("target") for o in program.outputs] == ["count", "cache", "x", None], program.outputs
for step in range(3):
    x, i = torch.randn(2, 3), torch.tensor([step, step + 2])
    mine = x.clone()
    same(program.forward(mine, i), module(x, i))
    assert torch.equal(mine, x)
array = torch.randn(2, 3).numpy()
x = torch.from_numpy(array.copy())
same(program.forward(array, i), module(x, i))
assert (array == x.numpy()).all()
refused("cannot be written to", program.forward, memoryview(bytes(24)).cast("f", (2, 3)), i)
print("updated")


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.batch = nn.BatchNorm2d(3)
        self.instance = nn.InstanceNorm1d(3, affine=True, track_running_stats=True)
        self.small = nn.BatchNorm1d(3, momentum=0.5).bfloat16()

    def forward(self, x):
        y = self.instance(self.batch(x).flatten(2))
        return y, self.small(y.bfloat16())


module, mine = Norms().train(), Norms().train()
program = compile(mine, (torch.randn(2, 3, 4, 5),), None, ({0: AUTO},))
for samples in (2, 5, 3):
    x = torch.randn(samples, 3, 4, 5) * 3 + 7
    outputs = program(x)
    program.forward(x)
    with torch.no_grad():
        want = module(x)
    state = module.state_dict()
    for spec, value in zip(program.outputs, outputs):
        expected = state[spec["mutation"]["target"]] if "mutation" in spec else want[0 if spec["dtype"] == "f32" else 1]
        close = 5e-2 if expected.dtype == torch.bfloat16 else 1e-4
        assert torch.allclose(torch.from_dlpack(value) if not hasattr(value, "dtype") or isinstance(value, coil.Tensor)
                              else torch.as_tensor(value), expected.detach(), close, close), spec
print("statistics")


class Arange(nn.Module):
    def forward(self, x, n):
        torch._check(n == x.shape[0])
        return x + torch.arange(n), n


program = compile(Arange(), (torch.ones(3), 3), None, ({0: AUTO}, AUTO))
same(program.forward(torch.ones(5), 5), Arange()(torch.ones(5), 5))
try:
    program.forward(torch.ones(5), 4)
    raise AssertionError("a number that is no size is accepted")
except coil.CoilError as error:
    assert "the input 'n' is what the program was exported for" in str(error), error
print("sizes")
