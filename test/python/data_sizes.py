# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs whose sizes data decides, against PyTorch eager.

    data_sizes.py FOLDER [--count N] [--seed S] [--options OPTIONS] [--only SEED] [--verbose]

A program draws inputs of odd sizes (0, 1, primes) and element types, static or
as symbols, applies an operator whose result has a size that only data knows
(nonzero, masks, unique, repeat_interleave, item as a size), and ordinary
operators to what that gives. It is exported and compiled once, and run with
several inputs, among them such that select nothing and everything. Prints a line
for each class of outcome, and exits with 1 if there is something wrong:

    same       everything agrees
    export     PyTorch does not export the program
    refused    an error of the importer or the compiler
    wrong      other values, sizes or types, or an error of the run
"""

import argparse
import collections
import os
import random
import sys
import traceback
import warnings

import torch

warnings.filterwarnings("ignore")

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
SIZES = [0, 1, 2, 3, 5, 7, 17]


class Program(torch.nn.Module):
    """A drawn program: how it begins, and what is done with the results."""

    def __init__(self, source, steps):
        super().__init__()
        self.source, self.steps = source, steps

    def forward(self, *tensors):
        values = list(self.source(*tensors))
        for step in self.steps:
            values.append(step(values))
        return tuple(values)


def draw_tensor(rng, generator, shape, dtype, kind):
    """Elements of few values, so that some are equal and some are zero. `kind`
    makes all of them zero, none of them, or leaves it."""
    if dtype == torch.bool:
        value = torch.randint(0, 2, shape, generator=generator).bool()
    else:
        value = torch.randint(0 if dtype == torch.uint8 else -2, 4, shape, generator=generator).to(dtype)
        if dtype.is_floating_point and kind == "mixed" and value.numel() > 3 and rng.random() < 0.3:
            value.view(-1)[rng.randrange(value.numel())] = float("nan")
    if kind == "none":
        value = torch.zeros_like(value)
    elif kind == "all":
        value = torch.where(value == 0, torch.ones_like(value), value)
    # Not as they are allocated.
    if len(shape) == 2 and rng.random() < 0.3:
        value = value.t().contiguous().t()
    return value


def isnt_zero(x):
    return x != 0


def draw_source(rng):
    """What gives sizes: a function of tensors, their ranks and element types."""
    dtype = rng.choice(FLOATS + INTS + [torch.bool, torch.float32, torch.int64])
    number = rng.choice(FLOATS + INTS[:1])
    rank = rng.choice([1, 1, 2, 2, 3])
    x = ("x", rank, dtype)
    # Numbers between 0 and 6.
    size = ("n", 0, rng.choice(INTS))
    small = rng.choice([torch.int64, torch.int32])
    return rng.choice([
        lambda: ([x], lambda x: [x.nonzero()]),
        lambda: ([x], lambda x: torch.nonzero(x, as_tuple=True)),
        lambda: ([x], lambda x: [torch.argwhere(x)]),
        lambda: ([x], lambda x: torch.where(isnt_zero(x))),
        lambda: ([x, ("x", rank, number)], lambda x, y: [torch.masked_select(y, isnt_zero(x))]),
        lambda: ([x], lambda x: [x[isnt_zero(x)]]),
        lambda: ([x, ("x", rank, number)], lambda x, y: [x[isnt_zero(x)], y[isnt_zero(x)]]),
        lambda: ([("x", 1, torch.bool), ("rows", 2, number)], lambda m, y: [y[m]]),
        lambda: ([("x", 1, torch.bool), ("columns", 2, number)], lambda m, y: [y[:, m]]),
        lambda: ([x, ("x", rank, number)], put_selected),
        lambda: ([x, ("x", rank, number)], add_selected),
        lambda: ([x, ("x", rank, number)], put_number),
        lambda: ([("x", 1, torch.bool), ("rows", 2, number)], put_rows),
        lambda: ([("x", rank, not_bool(dtype))], lambda x: [torch.unique(x)]),
        lambda: ([("x", rank, small)], lambda x: torch.unique(x, return_inverse=True, return_counts=True)),
        lambda: ([("x", rank, dtype)], lambda x: [torch.unique_consecutive(x)]),
        lambda: ([("x", rank, small)],
                 lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True)),
        lambda: ([("columns3", 2, small)], lambda x: [torch.unique(x, dim=0)]),
        lambda: ([("counts", 1, small)], lambda r: [torch.repeat_interleave(r)]),
        lambda: ([("counts", 1, torch.int64), ("rows", 2, number)],
                 lambda r, y: [torch.repeat_interleave(y, r, dim=0)]),
        lambda: ([("counts", 1, torch.int64)], lambda x: [torch.bincount(x)]),
        lambda: ([size], lambda n: [torch.ones(n.item())]),
        lambda: ([size], lambda n: [torch.arange(n.item())]),
        lambda: ([size, x], lambda n, x: [x[:n.item()]]),
        lambda: ([size, x], lambda n, x: [x[n.item():], x[:n.item() // 2]]),
        lambda: ([("signed", 0, torch.int64), x], lambda n, x: [x[n.item():]]),
        lambda: ([size, ("x", rank, number)], lambda n, x: [x * n.item()]),
        lambda: ([("n", 0, rng.choice(FLOATS)), ("x", rank, number)], lambda n, x: [x * n.item() + 1]),
        lambda: ([x], lambda x: [torch.nonzero_static(x, size=4)]),
    ])()


def not_bool(dtype):
    return torch.int64 if dtype == torch.bool else dtype


def put_selected(x, y):
    result, mask = y.clone(), isnt_zero(x)
    result[mask] = y[mask] * 2
    return [result]


def add_selected(x, y):
    result = y.clone()
    result[isnt_zero(x)] += 1
    return [result]


def put_number(x, y):
    result = y.clone()
    result[isnt_zero(x)] = 5
    return [result]


def put_rows(mask, y):
    result = y.clone()
    result[mask] = y[mask].flip(-1)
    return [result]


def draw_step(rng):
    """An ordinary operator on one of the values, whatever its rank and type."""
    def pick(values):
        return values[number % len(values)]
    number = rng.randrange(1000)
    k = rng.choice([1, 2, 3])

    def number_of(x):
        return x.to(torch.float32)

    return rng.choice([
        lambda v: pick(v).sum(),
        lambda v: number_of(pick(v)).sum(0) if pick(v).dim() else number_of(pick(v)),
        lambda v: pick(v) + pick(v),
        lambda v: torch.cat([pick(v), pick(v)]) if pick(v).dim() else pick(v) == 0,
        lambda v: torch.cat([pick(v).reshape(-1).float(), torch.zeros(k)]),
        lambda v: torch.where(pick(v) != 0, number_of(pick(v)), -1.0),
        lambda v: torch.sort(pick(v).reshape(-1)).values,
        lambda v: torch.cumsum(pick(v).reshape(-1).to(torch.float64), 0),
        lambda v: number_of(pick(v)).reshape(-1, 1) @ torch.ones(1, k),
        lambda v: torch.arange(pick(v).shape[0]) * 2 if pick(v).dim() else pick(v),
        lambda v: torch.zeros(pick(v).shape[0] * k + 1) if pick(v).dim() else pick(v),
        lambda v: pick(v).reshape(-1)[isnt_zero(pick(v).reshape(-1))],
        lambda v: pick(v).unsqueeze(0).expand(k, *pick(v).shape) * 1,
        lambda v: number_of(pick(v)).softmax(0) if pick(v).dim() else number_of(pick(v)).exp(),
        lambda v: torch.stack([pick(v).numel() * torch.ones(()), number_of(pick(v)).sum()]),
    ])


def draw_inputs(rng, generator, specs, shape, kind):
    """Tensors for specifications of one shape."""
    rows = shape[0] if shape else 0
    result = []
    for name, rank, dtype in specs:
        if name == "n":
            result.append(torch.tensor(rng.randrange(7)).to(dtype))
        elif name == "signed":
            result.append(torch.tensor(rng.randrange(-9, 9)))
        elif name == "counts":
            value = torch.randint(0, 4, (rows,), generator=generator).to(dtype)
            result.append(torch.zeros_like(value) if kind == "none" else value)
        elif name == "rows":
            result.append(draw_tensor(rng, generator, (rows, 3), dtype, "mixed"))
        elif name == "columns":
            result.append(draw_tensor(rng, generator, (3, rows), dtype, "mixed"))
        elif name == "columns3":
            result.append(draw_tensor(rng, generator, (rows, 3), dtype, kind))
        else:
            result.append(draw_tensor(rng, generator, shape[:rank], dtype, kind))
    return result


def is_same(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    tolerance = {torch.float64: 1e-9, torch.float32: 1e-5}.get(want.dtype, 2e-2)
    if want.dtype.is_floating_point:
        return torch.allclose(got.double(), want.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
    return torch.equal(got, want)


def check(seed, folder, options, coil):
    """What becomes of the program of a seed, and why."""
    rng = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    specs, source = draw_source(rng)
    program = Program(source, [draw_step(rng) for _ in range(rng.randrange(1, 4))])
    is_dynamic = rng.random() < 0.5
    shapes = [[rng.choice(SIZES) for _ in range(3)] for _ in range(3)]
    if is_dynamic:  # Export takes sizes of 0 and 1 for constants, and others for 2 at least.
        shapes = [[5, 3, 7]] + [[max(size, 2) for size in shape] for shape in shapes]
    else:
        shapes = [shapes[0]] * 3
    kinds = ["mixed", "none", "all", "mixed"]
    cases = [draw_inputs(rng, generator, specs, shape, kind) for shape, kind in zip(shapes, kinds)]
    path = os.path.join(folder, f"{seed}.pt2")
    try:
        dynamic = None
        if is_dynamic:
            auto = torch.export.Dim.AUTO
            dynamic = (tuple({d: auto for d in range(t.dim()) if t.shape[d] > 1} for t in cases[0]),)
            cases = [case for case in cases if all(
                d in dims or case[i].shape[d] == cases[0][i].shape[d]
                for i, dims in enumerate(dynamic[0]) for d in range(case[i].dim()))]
        with torch.no_grad():
            exported = torch.export.export(program, tuple(cases[0]), dynamic_shapes=dynamic)
            if rng.random() < 0.3:
                exported = exported.run_decompositions()
            torch.export.save(exported, path)
    except Exception as error:  # Whatever the exporter cannot do.
        return "export", str(error).strip().split("\n")[0][:200]
    try:
        compiled = coil.compile(path, options=options.options, opt_level=1, threads=2)
    except coil.CompileError as error:
        return "refused", str(error)[:300]
    finally:
        if options.only is None:
            os.unlink(path)
    for case in cases:
        try:
            want = program(*[t.clone() for t in case])
        except Exception:  # Eager has no result for these inputs.
            continue
        try:
            got = [torch.from_dlpack(t) for t in compiled(*case)]
        except coil.CoilError as error:
            return "wrong", f"the run fails: {str(error)[:200]}"
        for number, (a, b) in enumerate(zip(got, want)):
            if not is_same(a, b):
                return "wrong", f"result {number} is {a}, not {b}; inputs {case}"
        if len(got) != len(want):
            return "wrong", f"{len(got)} results instead of {len(want)}"
    return "same", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--options", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    torch.set_num_threads(1)
    import coil
    states = collections.Counter()
    seeds = [options.only] if options.only is not None else [
        options.seed * 100000 + i for i in range(options.count)]
    for seed in seeds:
        try:
            state, why = check(seed, options.folder, options, coil)
        except Exception:
            state, why = "wrong", traceback.format_exc()
        states[state] += 1
        if state in ("wrong", "refused") or (options.verbose and state != "same"):
            print(f"{state} {seed}: {why}", flush=True)
    for state, count in sorted(states.items()):
        print(f"{state}: {count}")
    bad = states["wrong"] + states["refused"]
    print("bad" if bad else "good")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
