#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Calls of PyTorch's operator database as patterns: their arguments with other tensors."""

import functools
import itertools
import random

import torch
from torch.utils import _pytree

import samples as db
from arguments import show
from schemas import SKIPPED

import re

# How many samples of an entry are looked at.
SAMPLES = 12
LEFT_OUT = re.compile(r"empty|sparse|resize|to_sparse|as_strided_partial|_local_scalar|item$|^normal|equal|allclose|"
                      r"unsafe_masked_index|torch_ops_aten__(flash|efficient|scaled_dot)")


class Entry:
    """One sample of an operator, under a name that text can use."""

    def __init__(self, name, path, sample):
        self.name, self.path = name, path
        self.leaves, self.spec = _pytree.tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))

    def text(self, drawn, exact):
        """The call as text, and names of what it writes to. Tensors are live values, or, with the
        probability `exact`, the sample's own."""
        made = {}

        def replace(leaf):
            if not isinstance(leaf, torch.Tensor):
                return Text(show(leaf))
            if id(leaf) not in made:
                made[id(leaf)] = Text(self.tensor(leaf.detach(), drawn, exact))
            return made[id(leaf)]
        first, args, kwargs = _pytree.tree_unflatten([replace(leaf) for leaf in self.leaves], self.spec)
        texts = [write(a) for a in (first, *args)] + [f"{k}={write(v)}" for k, v in kwargs.items()]
        return f"{self.path}({', '.join(texts)})", ()

    @staticmethod
    def tensor(leaf, drawn, exact):
        rng, shape = drawn.rng, list(leaf.shape)
        is_index = leaf.dtype in (torch.int64, torch.int32)
        if rng.random() >= exact and not is_index:
            found = drawn.fit(shape, leaf.dtype) if leaf.numel() else None
            return found or drawn.input(shape, leaf.dtype, None if leaf.dtype != torch.bool else "normal")
        if leaf.numel() > 400:
            return drawn.input(shape, leaf.dtype, "unit")
        return drawn.make(f"torch.tensor({show(leaf.resolve_conj().resolve_neg().flatten().tolist())}, dtype={leaf.dtype}, "
                          f"device=DEVICE).reshape({show(shape)})")


class Text(str):
    """Text of a Python expression, unlike a value that is a string."""


def write(value):
    if isinstance(value, Text):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {write(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(write, value)) + ("," if isinstance(value, tuple) and len(value) == 1 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, slice):
        return f"slice({write(value.start)}, {write(value.stop)}, {write(value.step)})"
    return show(value)


def path_of(op):
    """The name by which Python finds the function of an entry; None if there is none."""
    for path in (f"torch.{op.name}", f"torch.Tensor.{op.name}", f"torch.ops.aten.{op.aten_name}"):
        try:
            found = functools.reduce(getattr, path.split(".")[1:], torch)
        except AttributeError:
            continue
        # Variants may be other functions than the one whose name they have.
        if callable(found) and (not op.variant_test_name or found is op.op):
            return path
    return None


class Patterns:
    """Entries by name of the operator of ATen."""

    def __init__(self, device):
        self.device, self.entries, self.by_name = device, [], {}
        for name, op in db.operators().items():
            path = path_of(op)
            if path and not LEFT_OUT.search(name) and not any(re.search(p, op.aten_name or "") for p, _ in SKIPPED[:4]):
                self.entries.append((name, path, op))
                self.by_name.setdefault(op.aten_name or op.name, []).append(self.entries[-1])

    def draw(self, rng):
        return self.sample(rng.choice(self.entries), rng)

    def of_operator(self, name, rng):
        found = self.by_name.get(name) or self.by_name.get(name.removesuffix("_"))
        return self.sample(rng.choice(found), rng) if found else None

    def sample(self, entry, rng):
        name, path, op = entry
        types = sorted(op.supported_dtypes(self.device) & set(db.SHORT.values()), key=str)
        if not types:
            return None
        dtype = torch.float32 if torch.float32 in types and rng.random() < 0.4 else rng.choice(types)
        torch.manual_seed(0)
        random.seed(0)
        try:
            made = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), SAMPLES))
            return Entry(name, path, rng.choice(made)) if made else None
        except Exception:  # Samples that need what is not installed. # pylint: disable=broad-except
            return None
