#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound fusions on the CPU: Coil, PyTorch eager and TorchInductor in one
run, against the bandwidth of a copy measured in the same run.

Inputs are 64 MB (f32) unless the case says otherwise. "share" is the time that
the minimal bytes take at copy bandwidth, over the time taken: 1.00 is the bound.
Calls of the three are interleaved with copies of 64 MB, so that a bandwidth that
others of the same host change from second to second is the case's own; medians
are reported. Each is called twice in a row and the second call is timed: what a call
leaves in the caches (a copy: up to the whole last-level cache of lines to write back)
is paid by its own kind, not by whoever comes next. Every result is compared with
eager before anything is timed.

    PYTHONPATH=build/python .venv/bin/python benchmarks/cpu_kernels.py
"""
import argparse
import datetime
import os
import platform
import statistics
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F

import coil

N = 16 * 1024 * 1024  # elements: 64 MB of f32


def rows(n, count=1):
    return [torch.randn(N // n, n) for _ in range(count)]


def cases():
    v = torch.randn(1024)
    w = torch.randn(1024)
    return {
        "add+relu": (lambda x, y: torch.relu(x + y), rows(1024, 2)),
        "gelu(x + bias)": (lambda x, b: F.gelu(x + b), rows(1024) + [v]),
        "silu(x) * y": (lambda x, y: F.silu(x) * y, rows(1024, 2)),
        "tanh chain": (lambda x: torch.tanh(x * 2 + 1) * 0.5 - 3, rows(1024)),
        "softmax 1024": (lambda x: torch.softmax(x, -1), rows(1024)),
        "softmax 32768": (lambda x: torch.softmax(x, -1), rows(32768)),
        "layer norm 1024": (lambda x, a, b: F.layer_norm(x, (1024,), a, b), rows(1024) + [v, w]),
        "rms norm + residual": (
            lambda x, y, a: (x + y) * torch.rsqrt((x + y).pow(2).mean(-1, keepdim=True) + 1e-6) * a,
            rows(1024, 2) + [v],
        ),
        "full sum": (lambda x: x.sum(), rows(1024)),
        "row sum 1024": (lambda x: x.sum(1), rows(1024)),
        "column sum": (lambda x: x.sum(0), rows(1024)),
        "row amax 32768": (lambda x: x.amax(1), rows(32768)),
        "argmax 32768": (lambda x: x.argmax(1), rows(32768)),
        "var/mean rows 1024": (lambda x: torch.var_mean(x, 1), rows(1024)),
    }


def minimal_bytes(inputs, outputs):
    return sum(t.numel() * t.element_size() for t in list(inputs) + list(outputs))


def as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def timed(f):
    begin = time.perf_counter()
    result = f()
    return time.perf_counter() - begin, result


class Case(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--filter", default="")
    parser.add_argument("--no-inductor", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    source, target = torch.randn(N), torch.zeros(N)
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    print(f"{datetime.date.today()}  {cpu}, {os.cpu_count()} threads; torch {torch.__version__}")
    print("| case | copy GB/s | bound ms | Coil ms | share | eager ms | share | Inductor ms | share | Coil compile ms | Inductor compile ms |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    shares, inductor_shares = [], []
    for name, (f, inputs) in cases().items():
        if args.filter not in name:
            continue
        expected = as_tuple(f(*inputs))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "case.pt2")
            torch.export.save(torch.export.export(Case(f), tuple(inputs)), path)
            compile_time, program = timed(lambda: coil.compile(path))
            arrays = [t.numpy() for t in inputs]
            actual = as_tuple(program(*arrays))
            for a, e in zip(actual, expected):
                torch.testing.assert_close(torch.from_numpy(np.array(a)), e, rtol=1e-4, atol=1e-3)
            inductor, inductor_compile = None, float("nan")
            if not args.no_inductor:
                torch._dynamo.reset()
                inductor = torch.compile(f)
                inductor_compile, _ = timed(lambda: inductor(*inputs))
            times = {"copy": [], "coil": [], "eager": [], "inductor": []}
            calls = {
                "copy": lambda: target.copy_(source),
                "coil": lambda: program(*arrays),
                "eager": lambda: f(*inputs),
            }
            if inductor:
                calls["inductor"] = lambda: inductor(*inputs)
            for _ in range(args.repeat):
                for column, call in calls.items():
                    call()
                    times[column].append(timed(call)[0])
        t = {k: statistics.median(v) if v else float("nan") for k, v in times.items()}
        bandwidth = 2 * N * 4 / t["copy"]
        bound = minimal_bytes(inputs, expected) / bandwidth
        shares.append(bound / t["coil"])
        inductor_shares.append(bound / t["inductor"])
        print(
            f"| {name} | {bandwidth / 1e9:.1f} | {bound * 1e3:.2f} | {t['coil'] * 1e3:.2f} | {bound / t['coil']:.2f} | {t['eager'] * 1e3:.2f} | {bound / t['eager']:.2f} "
            f"| {t['inductor'] * 1e3:.2f} | {bound / t['inductor']:.2f} | {compile_time * 1e3:.0f} | {inductor_compile * 1e3:.0f} |",
            flush=True,
        )
    print(f"geometric mean of shares: Coil {statistics.geometric_mean(shares):.2f}", end="")
    print("" if args.no_inductor else f", Inductor {statistics.geometric_mean(inductor_shares):.2f}")


if __name__ == "__main__":
    main()
