#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Models as users write them through torch.compile(backend="coil"), against eager mode: results, gradients and buffers, in
f32 and bf16, for several sizes of one program.

    user_models.py [--only REGEX] [--shard I/N] [--bf16]

A result is right where its distance from eager mode in double precision, as a norm over all elements, is at most FACTOR times eager mode's own
plus the tolerance of the model; of 16 bits, plus their rounding errors. A model of which more graphs are compiled again for later calls than
for any backend fails, too; so does one with a graph that would run eagerly.
"""

import argparse
import copy
import os
import re
import sys
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import torch
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch.utils import _pytree

import coil
import user_sequences  # noqa: F401, which adds to the cases, as the next one does.
import user_training  # noqa: F401
import user_vision  # noqa: F401
from checks import compile
from user_cases import CASES

FACTOR, ROUNDINGS = 4, 2e-2


def converted(value, dtype):
    return _pytree.tree_map(lambda t: t.to(dtype) if isinstance(t, torch.Tensor) and t.is_floating_point() else t, value)


def run(call, module, arguments, backward):
    """Results, gradients, and buffers behind a call."""
    if isinstance(module, torch.nn.Module):
        module.zero_grad()
    torch.manual_seed(1)
    with torch.set_grad_enabled(backward):
        results = [t for t in _pytree.tree_leaves(call(*arguments)) if isinstance(t, torch.Tensor)]
    gradients = []
    if backward:
        sum((t.double() * torch.linspace(-1, 2, t.numel(), dtype=torch.double).view(t.shape)).sum() for t in results if t.requires_grad).backward()
        gradients = [p.grad for p in module.parameters() if p.grad is not None]
    state = list(module.buffers()) if isinstance(module, torch.nn.Module) else []
    return [t.detach().clone() for t in results], [g.clone() for g in gradients], [b.clone() for b in state]


def distance(found, expected):
    """As a part of the norm of what is expected."""
    apart, size = 0.0, 0.0
    for a, b in zip(found, expected):
        assert a.shape == b.shape, f"{tuple(a.shape)} instead of {tuple(b.shape)}"
        apart += float((a.double() - b.double()).abs().square().sum())
        size += float(b.double().abs().square().sum())
    return (apart / max(size, 1e-30)) ** 0.5


def count_graphs(made, calls, dtype, entry):
    """How many graphs are compiled for later calls, whatever compiles them."""
    counts = [0]

    def count(graph, inputs):
        counts[-1] += 1
        return make_boxed_func(graph.forward)

    torch._dynamo.reset()
    model = copy.deepcopy(made).to(dtype) if isinstance(made, torch.nn.Module) else made
    compiled = torch.compile(model, backend=aot_autograd(fw_compiler=count), dynamic=True if entry.dynamic else None)
    for arguments in calls:
        run(compiled, model, converted(arguments, dtype), entry.backward)
        counts.append(0)
    return sum(counts[1:])


def check(entry, dtype):
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    coil.reset_counters()
    torch.manual_seed(0)
    made, calls = entry.make()
    is_module = isinstance(made, torch.nn.Module)
    models = {kind: copy.deepcopy(made).to(kind) if is_module else made for kind in (dtype, torch.double)}
    mine = copy.deepcopy(models[dtype])
    compiled = compile(mine, dynamic=True if entry.dynamic else None)
    graphs = []
    for arguments in calls:
        found = run(compiled, mine, converted(arguments, dtype), entry.backward)
        eager = run(models[dtype], models[dtype], converted(arguments, dtype), entry.backward)
        wide = run(models[torch.double], models[torch.double], converted(arguments, torch.double), entry.backward)
        for what, ours, theirs, exact in zip(("results", "gradients", "buffers"), found, eager, wide):
            assert len(ours) == len(theirs), f"{len(ours)} {what} instead of {len(theirs)}"
            for a, b in zip(ours, theirs):
                assert a.dtype == b.dtype, f"{what} of {a.dtype} instead of {b.dtype}"
            limit = FACTOR * distance(theirs, exact) + entry.tolerance + (ROUNDINGS if dtype == torch.bfloat16 else 0)
            assert distance(ours, exact) <= limit, f"{what} are {distance(ours, exact):.2g} off, {limit:.2g} is allowed, eager mode is {distance(theirs, exact):.2g} off"
        graphs.append(coil.counters()["graphs"])
    if graphs[-1] > graphs[0]:
        theirs = count_graphs(made, calls, dtype, entry)
        assert graphs[-1] - graphs[0] <= theirs, f"{graphs[-1] - graphs[0]} graphs are compiled again for other sizes, {theirs} without Coil"
    called = {name: sum(r.values()) for name, r in coil.counters()["fallbacks_by_operator"].items()}
    return f"{graphs[-1]} graphs" + (f", called: {', '.join(sorted(called))}" if called else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--bf16", action="store_true", help="in bf16, too")
    options = parser.parse_args()
    index, count = map(int, options.shard.split("/"))
    failed = 0
    for entry in [c for c in CASES if re.search(options.only, c.name)][index::count]:
        for dtype in (torch.float32, torch.bfloat16) if options.bf16 and entry.bf16 else (torch.float32,):
            name = f"{entry.name}, {'bf16' if dtype == torch.bfloat16 else 'f32'}"
            try:
                print(f"pass: {name}: {check(entry, dtype)}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                if not isinstance(error, AssertionError):
                    traceback.print_exc(limit=-3, file=sys.stdout)
                print(f"FAIL: {name}: {type(error).__name__}: {error}", flush=True)
                failed += 1
    print(f"{failed} models fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
