#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure the error of reductions, norms and scans against a wider type.

  benchmarks/accuracy_reductions.py [--elements=4194304] [--trials=3] [--seed=1] [--only=REGEX]
                                    [--options="target=cpu"] [--write=benchmarks/results/accuracy.md]

Each case is a program of torch.export, compiled by Coil with library=none. Operands of f32 and bf16 are
compared with the same operator in f64, operands of f64 with numpy's 80-bit floats. Operands are rows, columns,
or the outer and inner dimension of three; values are random around zero, positive, equal, or a thousand and a
million standard deviations from zero, or contain an outlier that comes first.

The unit is one ulp of the largest exact result: an error of 0.5 is what rounding the exact result costs. The
figures are the root of the mean square over all results and trials, and the largest. `relative to eager` is
the mean-square error divided by PyTorch eager's, at least half an ulp; the table is ordered by it, worst first.

Needs PYTHONPATH=<build>/python and a Python with torch. A GPU is chosen by --options=target=cuda, or
target=cuda:sm_90a with COIL_CUDA_DRIVER=<build>/lib/coil-cuda-sim.so for the simulated one.
"""
import argparse
import datetime
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


def normalized(x, dims):
    if dims == (0,) and x.dim() > 1:
        return F.batch_norm(x, None, None, training=True)
    return F.layer_norm(x, tuple(x.shape[d] for d in dims))


# Operators as functions of an operand and the reduced dimensions.
OPERATORS = {
    "sum": lambda x, d: x.sum(d),
    "mean": lambda x, d: x.mean(d),
    "var": lambda x, d: x.var(d),
    "std": lambda x, d: x.std(d),
    "norm": lambda x, d: torch.linalg.vector_norm(x, dim=d),
    "dot": lambda x, d: (x * (x + 0.5)).sum(d),
    "logsumexp": lambda x, d: torch.logsumexp(x, d),
    "softmax": lambda x, d: torch.softmax(x, d[0]),
    "layer_norm": normalized,
    "cumsum": lambda x, d: x.cumsum(d[0]),
    "prod": lambda x, d: (1 + x * 2.0**-12).prod(d[0]),
}
LAYOUTS = {"all": None, "rows": (1,), "columns": (0,), "outer and inner": (0, 2)}
VALUES = {
    "around zero": lambda *s: torch.randn(*s, dtype=torch.float64),
    "positive": lambda *s: torch.rand(*s, dtype=torch.float64),
    "equal": lambda *s: torch.full(s, 0.1, dtype=torch.float64),
    "1e3 from zero": lambda *s: torch.randn(*s, dtype=torch.float64) + 1e3,
    "1e6 from zero": lambda *s: torch.randn(*s, dtype=torch.float64) + 1e6,
    "outlier first": lambda *s: torch.cat([torch.full((1, *s[1:]), 1e6, dtype=torch.float64),
                                           torch.randn(s[0] - 1, *s[1:], dtype=torch.float64)]),
}
# What says nothing: sums around zero cancel, softmax of a constant shift is the same.
PAIRS = {
    "sum": ["positive", "equal", "1e6 from zero"], "mean": ["positive", "1e3 from zero", "1e6 from zero"],
    "var": ["around zero", "1e3 from zero", "1e6 from zero", "outlier first"], "std": ["1e6 from zero"],
    "norm": ["around zero", "equal"], "dot": ["positive"], "logsumexp": ["around zero"],
    "softmax": ["around zero"], "layer_norm": ["around zero", "1e3 from zero"],
    "cumsum": ["positive"], "prod": ["around zero"],
}


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
        return (max(2, elements // (7 * 512)), 7, 512), (0, 2)
    long = max(2, elements // 16)
    return ((16, long), (1,)) if layout == "rows" else ((long, 16), (0,))


def get_reference(function, name, x, dims):
    if x.dtype != torch.float64:
        return function(x.double()).numpy().astype(np.longdouble)
    wide, axis = x.numpy().astype(np.longdouble), tuple(dims)
    n = math.prod(x.shape[d] for d in dims)
    mean = wide.mean(axis=axis, keepdims=True)
    return {"sum": lambda: wide.sum(axis=axis), "mean": lambda: wide.mean(axis=axis),
            "var": lambda: ((wide - mean) ** 2).sum(axis=axis) / (n - 1),
            "std": lambda: np.sqrt(((wide - mean) ** 2).sum(axis=axis) / (n - 1)),
            "norm": lambda: np.sqrt((wide * wide).sum(axis=axis)),
            "dot": lambda: (wide * (wide + np.longdouble(0.5))).sum(axis=axis),
            "cumsum": lambda: wide.cumsum(axis=dims[0])}.get(name, lambda: None)()


def measure(name, values, layout, dtype, args):
    shape, dims = get_shape(layout, args.elements)
    function = (lambda op: lambda x: op(x, dims))(OPERATORS[name])
    program, squares, worst, count = None, {"coil": 0.0, "eager": 0.0}, {"coil": 0.0, "eager": 0.0}, 0
    for trial in range(args.trials):
        torch.manual_seed(args.seed * 1000 + trial)
        x = VALUES[values](*shape).to(dtype)
        exact = get_reference(function, name, x, dims)
        if exact is None:
            return None
        program = program or compile_program(function, x, args.options)
        results = {"coil": torch.from_dlpack(program(x)[0]).cpu(), "eager": function(x)}
        scale = np.abs(exact).max()
        ulp = 2.0 ** (math.floor(math.log2(float(scale))) + 1 - BITS[dtype]) if scale > 0 else 1.0
        count += exact.size
        for who, result in results.items():
            errors = np.abs(result.double().numpy().astype(np.longdouble) - exact) / ulp
            errors = np.where(np.isfinite(errors), errors, np.inf)
            squares[who] += float((errors * errors).sum())
            worst[who] = max(worst[who], float(errors.max()))
    error, eager = (math.sqrt(squares[who] / count) for who in ("coil", "eager"))
    return {"name": name, "values": values, "layout": layout, "type": str(dtype).removeprefix("torch."),
            "shape": "x".join(map(str, shape)), "error": error, "worst": worst["coil"], "eager": eager,
            "eager_worst": worst["eager"], "ratio": error / max(eager, LEAST)}


def number(value):
    return f"{value:.2g}" if value < 1000 else f"{value:.1e}"


def write(path, rows, args, command):
    text = path.read_text() if path.exists() else "# Accuracy\n"
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    lines = [BEGIN, "", "## Reductions, norms and scans", "",
             f"Machine: {cpu[1] if cpu else platform.processor()}, {os.cpu_count()} threads; PyTorch {torch.__version__}. "
             f"{datetime.date.today().isoformat()}, seed {args.seed}.", "", f"    {command}", "",
             "In ulp of the largest exact result: root of the mean square over all results, and the largest. *Relative "
             "to eager* is the first divided by eager's, which counts as at least half an ulp.", "",
             "| operator | values | reduced | type | shape | error | largest | eager | eager's largest | relative to eager |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for r in sorted(rows, key=lambda r: -r["ratio"]):
        lines.append(f"| `{r['name']}` | {r['values']} | {r['layout']} | {r['type']} | {r['shape']} | {number(r['error'])} | "
                     f"{number(r['worst'])} | {number(r['eager'])} | {number(r['eager_worst'])} | {number(r['ratio'])} |")
    part = "\n".join(lines + ["", END])
    if BEGIN in text:
        text = text[:text.index(BEGIN)] + part + text[text.index(END) + len(END):]
    else:
        text = text.rstrip("\n") + "\n\n" + part + "\n"
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=1 << 22, help="of each operand")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression that names have to match wholly")
    parser.add_argument("--dtypes", default="float32,float64,bfloat16")
    parser.add_argument("--options", default="library=none", help="options of Coil's pipelines")
    parser.add_argument("--write", type=pathlib.Path, help="the file whose part for reductions is written")
    parser.add_argument("--limit", type=float, help="end with 1 when an error is more than so many of eager's")
    args = parser.parse_args()
    rows = []
    for name, choices in PAIRS.items():
        if args.only and not re.fullmatch(args.only, name):
            continue
        for values in choices:
            for layout in LAYOUTS:
                several = layout == "outer and inner"
                if several and name in ("softmax", "layer_norm", "cumsum", "prod"):
                    continue
                if layout == "columns" and name == "layer_norm" and args.elements < 32:
                    continue
                for dtype in args.dtypes.split(","):
                    if dtype == "bfloat16" and values not in ("around zero", "positive"):
                        continue  # Few of its numbers are so far from zero.
                    row = measure(name, values, layout, getattr(torch, dtype), args)
                    if row is None:
                        continue
                    rows.append(row)
                    print(f"{name} {values}, {layout} {dtype} {row['shape']}: {number(row['error'])} ulp (at most "
                          f"{number(row['worst'])}), eager {number(row['eager'])}, ratio {number(row['ratio'])}", flush=True)
    command = "benchmarks/accuracy_reductions.py " + " ".join(
        a if " " not in a else f'"{a}"' for a in sys.argv[1:])
    if args.write:
        write(args.write, rows, args, command.strip())
    bad = [r for r in rows if args.limit and not r["ratio"] <= args.limit]
    if args.limit:
        print(f"{len(rows)} rows, {len(bad)} above {args.limit:g} times eager's error")
        for r in bad:
            print(f"  {r['name']} {r['values']} {r['layout']} {r['type']}: {number(r['ratio'])}")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
