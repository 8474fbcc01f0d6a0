# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emitted programs called as the models that they were exported from: dictionaries, named tuples and lists as arguments and
results, numbers among them, what is updated, and calls of functions that give lists of results.

    F05-emitted-structures.py export model.pt2
    F05-emitted-structures.py python|fx module.py model.pt2
    F05-emitted-structures.py cpp library.so model.pt2
"""
import collections
import ctypes
import importlib.util
import sys
import types

import torch

import coil
from coil import host
from coil._library import CTensor
from coil.host._types import _NUMBERS, _TYPES

Pair = collections.namedtuple("Pair", "a b")
torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="structures.Pair")
AUTO = torch.export.Dim.DYNAMIC


@torch.library.custom_op("test::parts", mutates_args=())
def parts(x: torch.Tensor, n: int) -> list[torch.Tensor]:
    return [each.clone() for each in x.chunk(n)]


@parts.register_fake
def _(x, n):
    return [torch.empty_like(each) for each in x.chunk(n)]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.arange(4.0))
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x, n, flag=True, *, opts, scale=2.5, nothing=None):
        self.count += 1
        opts[0].b.add_(n)
        y = x["a"] * n + opts[0].a * self.weight
        first, second = torch.ops.test.parts(opts[0].a * 2, 2)
        return {"y": y, "z": (y.sum(), n, None, flag, scale, y.mean().item()), "p": Pair(y.shape[0], n * 2),
                "parts": [{"second": second}, first + 1], "count": self.count + n}


def arguments(rows, n):
    generator = torch.Generator().manual_seed(rows)
    return ({"a": torch.randn(rows, 4, generator=generator)}, n), {"opts": [Pair(torch.ones(4), torch.zeros(3))]}


def same(got, want):
    assert torch.utils._pytree.tree_structure(got) == torch.utils._pytree.tree_structure(want), (got, want)
    for a, b in zip(torch.utils._pytree.tree_leaves(got), torch.utils._pytree.tree_leaves(want)):
        assert type(a) is type(b), (a, b)
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_library(path):
    """A program in C++ as a module: its interface is flat, and says which inputs are weights, and which outputs update them."""
    library = ctypes.CDLL(path)

    def names(function, count):
        function.restype = ctypes.c_char_p
        return {i: name.decode() for i in range(count) if (name := function(ctypes.c_size_t(i)))}

    library.coil_last_error.restype = ctypes.c_char_p
    weights = names(library.model_main_input_weight, library.model_main_num_inputs())
    updates = {i: ("buffer" if name in weights.values() else "user_input", name)
               for i, name in names(library.model_main_output_update, library.model_main_num_outputs()).items()}
    assert "getitem_1" in names(library.model_main_output_name, library.model_main_num_outputs()).values()

    def main(inputs):
        count = library.model_main_num_outputs()
        given = (CTensor * len(inputs))(*map(to_c, inputs))
        outputs = (CTensor * count)()
        for each in outputs:
            each.sizes, each.strides = (ctypes.c_int64 * 8)(), (ctypes.c_int64 * 8)()
        run = ctypes.c_void_p()
        library.coil_run_create(ctypes.byref(run))
        if library.model_main(run, given, ctypes.c_size_t(len(inputs)), outputs, ctypes.c_size_t(count)):
            sys.exit(library.coil_last_error().decode())
        results = tuple(map(from_c, outputs))
        library.coil_run_destroy(run)
        return results

    return types.SimpleNamespace(main=main, WEIGHTS=weights, UPDATES=updates)


def to_c(tensor):
    numbers = ctypes.c_int64 * max(tensor.dim(), 1)
    return CTensor(tensor.data_ptr(), numbers(*tensor.size()), numbers(*tensor.stride()), tensor.dim(), _NUMBERS[tensor.dtype], 0, 0)


def from_c(tensor):
    result = torch.empty_strided(tensor.sizes[:tensor.rank], tensor.strides[:tensor.rank], dtype=_TYPES[tensor.dtype])
    ctypes.memmove(result.data_ptr(), tensor.data, result.untyped_storage().nbytes())
    return result


what, path, *file = sys.argv[1:]
if what == "export":
    args, kwargs = arguments(3, 5)
    shapes = {"x": {"a": {0: AUTO}}, "n": AUTO, "opts": [Pair(None, None)]}
    torch.export.save(torch.export.export(Model(), args, kwargs, dynamic_shapes=shapes), path)
    sys.exit()

coil.register_function("test::parts")
module = load_library(path) if what == "cpp" else load(path)
assert list(module.WEIGHTS.values()) == ["weight", "count"]
mine, model = host.Model(module, file[0]), Model()
for rows, n in ((3, 5), (7, 2), (2, 0), (1, 3)):
    (args, kwargs), (others, named) = arguments(rows, n), arguments(rows, n)
    same(mine(*args, **kwargs), model(*others, **named))
    # What the model writes to its arguments and buffers.
    assert torch.equal(kwargs["opts"][0].b, named["opts"][0].b) and torch.equal(mine.weights["count"], model.count)
print("as the model")
