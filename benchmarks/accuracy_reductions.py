#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure the error of reductions, norms, scans and products against a wider type.

  benchmarks/accuracy_reductions.py [--elements=1,7,1009,65537,1048576] [--executors=vector,scalar,gpu]
                                    [--dtypes=float32,float64,bfloat16] [--trials=3] [--seed=1]
                                    [--only=REGEX] [--write=benchmarks/results/accuracy.md]

Each case is a program of torch.export, compiled by Coil without libraries: for the CPU with vectors (executor
`vector`) and without (`scalar`), and for a GPU (`gpu`; the simulated one with
COIL_CUDA_DRIVER=<build>/lib/coil-cuda-sim.so). Operands of f32 and bf16 are compared with the same operator in
f64, operands of f64 with numpy's 80-bit floats. Operands are rows, columns, the outer and inner dimension of
three, or all there is; values are random around zero, positive, equal, around one (so that it is their product whose
error is measured), or 1e3, 1e4 and 1e6 standard deviations from zero, or contain an outlier that comes first.

The unit is one ulp of the largest exact result: an error of 0.5 is what rounding the exact result costs. The
figures are the root of the mean square over all results and trials, and the largest. `relative to eager` is
the mean-square error divided by PyTorch eager's, at least half an ulp: on the CPU, and where PyTorch has a GPU, for
the executor `gpu` on that GPU, whose sums and products are other trees than the CPU's.

`special` counts results that are neither eager's nor the exact ones (those of f64, rounded) where operands hold
infinities, NaN, numbers whose squares or sums are out of range, zeros alone, or nothing: one is infinite or NaN, and
the other is not, or they are more than a thousandth apart, of the largest result of a row where there are many.

Needs PYTHONPATH=<build>/python and a Python with torch.
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import re
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

import coil

BEGIN, END = "<!-- reductions: begin -->", "<!-- reductions: end -->"
BITS = {torch.float32: 24, torch.float64: 53, torch.bfloat16: 8}
# Numbers that eager rounds exactly.
LEAST = 0.5
EXECUTORS = {"vector": "library=none", "scalar": "library=none vector-bits={bits}",
             "gpu": "target=cuda:sm_90a library=none"}
LAYOUTS = {"all": None, "rows": (1,), "columns": (0,), "outer and inner": (0, 2)}


def batch_norm(x, dims):
    return F.batch_norm(x, None, None, training=True)


def layer_norm(x, dims):
    return F.layer_norm(x, tuple(x.shape[d] for d in dims))


def rms_norm(x, dims):
    # By itself it would add another number for operands in f64.
    return F.rms_norm(x, tuple(x.shape[d] for d in dims), eps=1e-5)


def group_norm(x, dims):
    return F.group_norm(x, 2)


def dot(x, dims):
    return torch.dot(x, x + 0.5)


def matvec(x, dims):
    return x @ (0.5 + x[0])


def vecmat(x, dims):
    return (0.5 + x[:, 0]) @ x


def norm(order):
    return lambda x, d: torch.linalg.vector_norm(x, order, dim=d)


NEAR, FAR = ["around zero", "positive", "around one"], ["1e3 from zero", "1e4 from zero", "1e6 from zero"]
# Operators as functions of an operand and the reduced dimensions, the values that say something (sums around
# zero cancel, softmax of a constant shift is the same), and the layouts.
OPERATORS = {
    "sum": (lambda x, d: x.sum(d), ["positive", "equal", "1e6 from zero"], LAYOUTS),
    "mean": (lambda x, d: x.mean(d), ["positive", "equal", *FAR], LAYOUTS),
    "var": (lambda x, d: x.var(d), ["around zero", *FAR, "outlier first"], LAYOUTS),
    "std": (lambda x, d: x.std(d), ["around zero", "1e6 from zero"], LAYOUTS),
    "norm": (norm(2), ["around zero", "equal", "1e6 from zero"], LAYOUTS),
    "norm 1": (norm(1), ["around zero", "equal"], LAYOUTS),
    "norm 3": (norm(3), ["around zero"], LAYOUTS),
    "sum of products": (lambda x, d: (x * (x + 0.5)).sum(d), ["positive"], LAYOUTS),
    "dot": (dot, ["positive", "equal"], ["all"]),
    "matvec": (matvec, ["positive"], ["rows"]),
    "vecmat": (vecmat, ["positive"], ["columns"]),
    "matmul": (lambda x, d: x @ x.t(), ["around zero", "positive"], ["rows"]),
    "logsumexp": (lambda x, d: torch.logsumexp(x, d), ["around zero", "1e3 from zero"], LAYOUTS),
    "softmax": (lambda x, d: torch.softmax(x, d[0]), ["around zero", "1e3 from zero"], ["all", "rows", "columns"]),
    "log_softmax": (lambda x, d: torch.log_softmax(x, d[0]), ["around zero"], ["all", "rows", "columns"]),
    "layer_norm": (layer_norm, ["around zero", *FAR], ["all", "rows"]),
    "rms_norm": (rms_norm, ["around zero", "equal"], ["all", "rows"]),
    "batch_norm": (batch_norm, ["around zero", *FAR], ["columns", "outer and inner"]),
    "group_norm": (group_norm, ["around zero", *FAR], ["groups"]),
    "cumsum": (lambda x, d: x.cumsum(d[0]), ["positive", "equal"], ["all", "rows", "columns"]),
    "cumprod": (lambda x, d: x.cumprod(d[0]), ["around one"], ["all", "rows", "columns"]),
    "logcumsumexp": (lambda x, d: torch.logcumsumexp(x, d[0]), ["around zero"], ["all", "rows", "columns"]),
    "prod": (lambda x, d: x.prod(d[0]), ["around one"], ["all", "rows", "columns"]),
}
VALUES = {
    "around zero": lambda *s: torch.randn(*s, dtype=torch.float64),
    "positive": lambda *s: torch.rand(*s, dtype=torch.float64),
    "equal": lambda *s: torch.full(s, 0.1, dtype=torch.float64),
    # Products of many neither vanish nor leave the range.
    "around one": lambda *s: 1 + torch.randn(*s, dtype=torch.float64) * 2.0**-12,
    "1e3 from zero": lambda *s: torch.randn(*s, dtype=torch.float64) + 1e3,
    "1e4 from zero": lambda *s: torch.randn(*s, dtype=torch.float64) + 1e4,
    "1e6 from zero": lambda *s: torch.randn(*s, dtype=torch.float64) + 1e6,
    "outlier first": lambda *s: torch.cat([torch.full((1, *s[1:]), 1e6, dtype=torch.float64),
                                           torch.randn(s[0] - 1, *s[1:], dtype=torch.float64)]),
}
INF, NAN = math.inf, math.nan
# Rows of three whose results are not about rounding.
SPECIAL = [[INF, 1, 2], [1, -INF, 2], [INF, -INF, 0], [1, NAN, 2], [INF, NAN, 1], [0, 0, 0], [-0.0, -0.0, -0.0],
           [INF, INF, INF], [-INF, -INF, -INF], [1e30, 2e30, -1e30], [3e38, 3e38, 3e38], [3e38, -3e38, 1],
           [1e-30, 2e-30, 3e-30], [1e19, -2e19, 3e19], [100, 89, 88], [-1000, -1001, -1002], [5, 5, 5]]


class Program(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def compile_program(function, x, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.pt2")
        torch.export.save(torch.export.export(Program(function), (x,)), path)
        return coil.compile(path, options=options)


def get_shape(layout, elements):
    if layout == "all":
        return (elements,), (0,)
    if layout == "outer and inner":
        return (max(2, elements // (7 * 128)), 7, 128), (0, 2)
    if layout == "groups":
        return (2, 6, max(1, elements // 12)), (1, 2)
    long = max(2, elements // 16)
    return ((16, long), (1,)) if layout == "rows" else ((long, 16), (0,))


def add_up(values, axes, keepdims=False):
    """Sums, pairwise along all axes: numpy adds one after the other along those that are not contiguous."""
    rest = [d for d in range(values.ndim) if d not in axes]
    flat = np.ascontiguousarray(values.transpose(*rest, *axes)).reshape(*(values.shape[d] for d in rest), -1)
    shape = [1 if d in axes else n for d, n in enumerate(values.shape)]
    return flat.sum(axis=-1).reshape(shape) if keepdims else flat.sum(axis=-1)


def scan_up(values, combine, total, block=64):
    """Running sums or products along the last axis, in blocks of blocks."""
    n = values.shape[-1]
    if n <= block:
        return combine.accumulate(values, axis=-1)
    whole = n // block * block
    blocks = values[..., :whole].reshape(*values.shape[:-1], -1, block)
    ends = scan_up(total(blocks), combine, total, block)
    inner = combine.accumulate(blocks, axis=-1)
    inner[..., 1:, :] = combine(ends[..., :-1, None], inner[..., 1:, :])
    rest = combine(ends[..., -1:], combine.accumulate(values[..., whole:], axis=-1))
    return np.concatenate([inner.reshape(*values.shape[:-1], whole), rest], axis=-1)


def get_reference(function, name, x, dims):
    if x.dtype != torch.float64:
        return function(x.double()).numpy().astype(np.longdouble)
    wide, axis = x.numpy().astype(np.longdouble), tuple(dims)
    n = math.prod(x.shape[d] for d in dims)

    def mean(values, axes):
        return add_up(values, axes, keepdims=True) / math.prod(values.shape[d] for d in axes)

    def deviations():
        return add_up((wide - mean(wide, axis)) ** 2, axis) / (n - 1)

    def normalized(values, axes):
        centred = values - mean(values, axes)
        return centred / np.sqrt(mean(centred ** 2, axes) + np.longdouble(1e-5))

    def get_group_norm():
        groups = wide.reshape(2, 2, -1)
        return normalized(groups, (2,)).reshape(wide.shape)

    def get_softmax():
        power = np.exp(wide - wide.max(axis=axis, keepdims=True))
        return power / add_up(power, axis, keepdims=True)

    def get_logsumexp(keepdims=False):
        top = wide.max(axis=axis, keepdims=True)
        total = np.log(add_up(np.exp(wide - top), axis, keepdims=True)) + top
        return total if keepdims else np.squeeze(total, axis)

    def scan(combine, total):
        return np.moveaxis(scan_up(np.moveaxis(wide, dims[0], -1), combine, total), -1, dims[0])

    half = np.longdouble(0.5)
    return {"sum": lambda: add_up(wide, axis), "mean": lambda: add_up(wide, axis) / n,
            "var": deviations, "std": lambda: np.sqrt(deviations()),
            "norm": lambda: np.sqrt(add_up(wide * wide, axis)), "norm 1": lambda: add_up(np.abs(wide), axis),
            "norm 3": lambda: np.cbrt(add_up(np.abs(wide) ** 3, axis)),
            "sum of products": lambda: add_up(wide * (wide + half), axis),
            "dot": lambda: add_up(wide * (wide + half), axis),
            "matvec": lambda: add_up(wide * (wide[0] + half), (1,)),
            "vecmat": lambda: add_up((wide[:, :1] + half) * wide, (0,)), "matmul": lambda: wide @ wide.T,
            "logsumexp": get_logsumexp, "softmax": get_softmax, "log_softmax": lambda: wide - get_logsumexp(True),
            "layer_norm": lambda: normalized(wide, axis), "batch_norm": lambda: normalized(wide, axis),
            "group_norm": get_group_norm,
            "rms_norm": lambda: wide / np.sqrt(mean(wide * wide, axis) + np.longdouble(1e-5)),
            "cumsum": lambda: scan(np.add, lambda v: v.sum(axis=-1)),
            "cumprod": lambda: scan(np.multiply, lambda v: v.prod(axis=-1)),
            "prod": lambda: scan(np.multiply, lambda v: v.prod(axis=-1)).take(-1, axis=dims[0]),
            "logcumsumexp": lambda: np.logaddexp.accumulate(wide, axis=dims[0])}[name]()


def measure(name, values, layout, dtype, elements, executors, args):
    """Rows of the table: a dictionary for each executor."""
    shape, dims = get_shape(layout, elements)
    operator = OPERATORS[name][0]

    def function(x):
        return operator(x, dims)

    programs, squares, worst, count = {}, {}, {}, 0
    for trial in range(args.trials):
        torch.manual_seed(args.seed * 1000 + trial)
        x = VALUES[values](*shape).to(dtype)
        with np.errstate(all="ignore"):
            exact = get_reference(function, name, x, dims)
        if not np.isfinite(exact).all():
            return []  # The variance of one.
        results = {"eager": function(x)}
        if "gpu" in executors and torch.cuda.is_available():
            results["eager on the GPU"] = function(x.cuda()).cpu()
        for executor in executors:
            options = EXECUTORS[executor].format(bits=8 * max(dtype.itemsize, 4))
            if executor not in programs:
                programs[executor] = compile_program(function, x, options)
            results[executor] = torch.from_dlpack(programs[executor](x)[0]).cpu()
        scale = np.abs(exact).max()
        ulp = 2.0 ** (math.floor(math.log2(float(scale))) + 1 - BITS[dtype]) if scale > 0 else 1.0
        count += exact.size
        for who, result in results.items():
            errors = np.abs(result.double().numpy().astype(np.longdouble) - exact) / ulp
            errors = np.where(np.isfinite(errors), errors, np.inf)
            squares[who] = squares.get(who, 0.0) + float((errors * errors).sum())
            worst[who] = max(worst.get(who, 0.0), float(errors.max()))
    roots = {who: math.sqrt(s / count) for who, s in squares.items()}

    def get_eager(executor):
        return "eager on the GPU" if executor == "gpu" and "eager on the GPU" in roots else "eager"

    return [{"name": name, "values": values, "layout": layout, "type": str(dtype).removeprefix("torch."),
             "executor": executor, "shape": "x".join(map(str, shape)), "error": roots[executor],
             "worst": worst[executor], "eager": roots[get_eager(executor)],
             "eager_worst": worst[get_eager(executor)],
             "ratio": roots[executor] / max(roots[get_eager(executor)], LEAST)} for executor in executors]


def differs(result, expected, dims):
    """Elements that are not as expected, roundings aside. `dims` are those of a row that has many results."""
    a, b = result.double(), expected.double()
    same = (a == b) | (a.isnan() & b.isnan())
    finite = a.isfinite() & b.isfinite()
    tolerance = 2.0 ** (3 - BITS[result.dtype]) if result.dtype == torch.bfloat16 else 1e-3
    largest = torch.where(finite, b.abs(), 0)
    if dims:
        largest = largest.amax(dims, keepdim=True)
    return ~same & ~(finite & ((a - b).abs() <= tolerance * largest + 1e-37))


def count_special(name, dtype, executor):
    """Where results for rows that are not about rounding differ from eager's, as text."""
    operator, _, layouts = OPERATORS[name]
    found = []
    options = EXECUTORS[executor].format(bits=8 * max(dtype.itemsize, 4))
    # Rows of three, of nineteen (more than a vector), and of none.
    for length in (3, 19, 0):
        rows = torch.tensor([r[:1] * (length - 3) + r if length else [] for r in SPECIAL], dtype=torch.float64)
        if "groups" in layouts:
            if length < 3:
                continue
            x, dims = torch.stack([rows, rows[0].expand_as(rows)], 1)[:, [0, 0, 1, 1]].contiguous(), (1, 2)
        elif "rows" in layouts:
            x, dims = rows, (1,)
        elif "columns" in layouts:
            x, dims = rows.t().contiguous(), (0,)
        else:
            x, dims = rows.reshape(-1)[:3].contiguous(), (0,)
        x = x.to(dtype)
        try:
            eager, exact = operator(x, dims), operator(x.double(), dims).to(dtype)
        except (RuntimeError, ValueError, IndexError):
            continue  # Of nothing there is none.
        program = compile_program(lambda t: operator(t, dims), x, options)
        result = torch.from_dlpack(program(x)[0]).cpu()
        row = dims if result.shape == x.shape and x.numel() else ()
        for at in map(tuple, (differs(result, eager, row) & differs(result, exact, row)).nonzero().tolist()):
            found.append(f"{length}: {list(at)} {result[at].item():g} for {eager[at].item():g}, {exact[at].item():g}")
    return found


def number(value):
    return f"{value:.2g}" if value < 1000 else f"{value:.1e}"


def get_worst(rows):
    """Of rows that differ by layout and size alone, the worst."""
    best = {}
    for row in rows:
        key = row["name"], row["values"], row["type"], row["executor"]
        if key not in best or row["ratio"] > best[key]["ratio"]:
            best[key] = row
    return best.values()


def write(path, rows, special, command):
    text = path.read_text() if path.exists() else "# Accuracy\n"
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    simulated = "simulated" if "sim" in os.environ.get("COIL_CUDA_DRIVER", "") else "a real one"
    lines = [BEGIN, "", "## Reductions, norms and scans", "",
             f"Machine: {cpu[1] if cpu else platform.processor()}, {os.cpu_count()} threads; PyTorch {torch.__version__}; "
             f"the GPU is {simulated}. {datetime.date.today().isoformat()}.", "", *(f"    {c}" for c in command), "",
             "In ulp of the largest exact result: root of the mean square over all results, and the largest. *Relative "
             "to eager* is the first divided by eager's, which counts as at least half an ulp. Of all sizes and layouts "
             "each line shows the worst. *Special* counts results that are neither eager's nor exact for infinities, NaN, "
             "numbers near the limits of the type, and rows of no element.", "",
             "| operator | values | type | executor | reduced | shape | error | largest | eager | eager's largest | relative to eager | special |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in sorted(get_worst(rows), key=lambda r: (-r["ratio"], r["name"], r["type"], r["executor"])):
        lines.append(f"| `{r['name']}` | {r['values']} | {r['type']} | {r['executor']} | {r['layout']} | {r['shape']} | "
                     f"{number(r['error'])} | {number(r['worst'])} | {number(r['eager'])} | {number(r['eager_worst'])} | "
                     f"{number(r['ratio'])} | {len(special.get((r['name'], r['type'], r['executor']), []))} |")
    part = "\n".join(lines + ["", END])
    if BEGIN in text:
        text = text[:text.index(BEGIN)] + part + text[text.index(END) + len(END):]
    else:
        text = text.rstrip("\n") + "\n\n" + part + "\n"
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", default="1,7,1009,65537,1048576", help="of each operand, in turn")
    parser.add_argument("--gpu-elements", type=int, default=1 << 17, help="at most so many on a GPU, which may be simulated")
    parser.add_argument("--executors", default="vector,scalar,gpu")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression that names have to match wholly")
    parser.add_argument("--dtypes", default="float32,float64,bfloat16")
    parser.add_argument("--write", type=pathlib.Path, help="the file whose part for reductions is written")
    parser.add_argument("--rows", type=pathlib.Path, help="a file that keeps rows of several runs for --write")
    parser.add_argument("--limit", type=float, help="end with 1 when an error is more than so many of eager's")
    args = parser.parse_args()
    rows, special = [], {}
    for name, (_, choices, layouts) in OPERATORS.items():
        if args.only and not re.fullmatch(args.only, name):
            continue
        for dtype in args.dtypes.split(","):
            for executor in args.executors.split(","):
                found = count_special(name, getattr(torch, dtype), executor)
                special[name, dtype, executor] = found
                if found:
                    print(f"{name} {dtype} {executor}: {len(found)} special results differ: {'; '.join(found[:8])}", flush=True)
            for values, layout in ((v, l) for v in choices for l in layouts):
                if dtype == "bfloat16" and values not in NEAR:
                    continue  # Few of its numbers are so far from zero.
                for elements in map(int, args.elements.split(",")):
                    executors = [e for e in args.executors.split(",") if e != "gpu" or elements <= args.gpu_elements]
                    for row in measure(name, values, layout, getattr(torch, dtype), elements, executors, args) if executors else []:
                        rows.append(row)
                        print(f"{name} {values}, {layout} {dtype} {row['executor']} {row['shape']}: {number(row['error'])} ulp "
                              f"(at most {number(row['worst'])}), eager {number(row['eager'])}, ratio {number(row['ratio'])}",
                              flush=True)
    command = ["benchmarks/accuracy_reductions.py " + " ".join(a if " " not in a else f'"{a}"' for a in sys.argv[1:])]
    if args.rows:
        old = json.loads(args.rows.read_text()) if args.rows.exists() else [[], [], []]
        rows, command = old[0] + rows, old[2] + command
        special = {**{tuple(key): found for key, found in old[1]}, **special}
        args.rows.write_text(json.dumps([rows, list(special.items()), command]))
    if args.write:
        write(args.write, rows, special, command)
    bad = [r for r in get_worst(rows) if args.limit and not r["ratio"] <= args.limit]
    differing = [k for k, found in special.items() if found]
    if args.limit:
        print(f"{len(rows)} rows, {len(bad)} above {args.limit:g} times eager's error, {len(differing)} with other special results")
        for r in sorted(bad, key=lambda r: -r["ratio"]):
            print(f"  {r['name']} {r['values']} {r['layout']} {r['shape']} {r['type']} {r['executor']}: {number(r['ratio'])}")
    return 1 if args.limit and (bad or differing or not rows) else 0


if __name__ == "__main__":
    sys.exit(main())
