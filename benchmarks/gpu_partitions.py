#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs whose program reads an element half-way.

n dependent kernels on few elements, then an element that the host reads, then n
kernels that depend on it. The element keeps the call from being one CUDA graph;
its halves are partitions. Timed from the call until it returns, which is behind
the first half, since the host waits for the element: without partitions, as
partitions that are launched step by step, as partitions that are replayed, and
the same with inputs at other addresses in each call, which graphs are told.
Times are medians of many calls, all in one run.

`--fake DRIVER` takes a stand-in for the driver (the tests' coil_fake_cuda with
FAKE_CUDA_ANY_KERNEL=1) and needs no GPU: then all that is measured is Coil.

    PYTHONPATH=python python3 benchmarks/gpu_partitions.py --json out.json
"""
import ctypes
import itertools
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gpu_host import Memory, begin, microseconds

COUNTS = (2, 10, 60, 200)
TYPE = "tensor<256x4xf32>"


def chain(lines, name, value, kernels):
    """Kernels that fusion cannot join: they sum over columns and over all of the
    last in turns."""
    for i in range(kernels):
        dims, sizes = ("0", "1x4") if i % 2 else ("0, 1", "1x1")
        lines += [
            f"  %{name}s{i} = graph.reduce sum, {value} dims [{dims}] keepdims : ({TYPE}) -> tensor<{sizes}xf32>",
            f"  %{name}y{i} = graph.sub {value}, %{name}s{i} : ({TYPE}, tensor<{sizes}xf32>) -> {TYPE}",
        ]
        value = f"%{name}y{i}"
    return value


def program(kernels):
    lines = [f"func.func @main(%x: {TYPE}) -> {TYPE}",
             "    attributes {sym.symbols = {u0 = #sym.range<0, 1>}} {"]
    first = chain(lines, "a", "%x", kernels)
    lines += [
        f"  %t = graph.reduce sum, {first} dims [0, 1] : ({TYPE}) -> tensor<f32>",
        "  %zero = graph.constant dense<0.0> : tensor<f32>",
        "  %p = graph.compare lt, %zero, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>",
        '  graph.item "u0" = %p : tensor<i1>',
        "  %e = graph.expr <u0> -> tensor<i64>",
        "  %f = graph.convert %e : (tensor<i64>) -> tensor<f32>",
        f"  %g = graph.add {first}, %f : ({TYPE}, tensor<f32>) -> {TYPE}",
    ]
    last = chain(lines, "b", "%g", kernels)
    return "\n".join(lines + [f"  return {last} : {TYPE}", "}"])


def main():
    args, torch, coil, driver, finish = begin(__doc__)

    def tensor():
        if torch:
            return torch.rand([256, 4], device="cuda")
        return Memory(coil, driver, [256, 4]).tensor

    ways = (("off", "partitions=off", 4, 1), ("plain", "partitions=auto", 0, 1),
            ("replayed", "partitions=auto", 4, 1), ("moving", "partitions=auto", 4, 8))
    records = []
    print("| kernels | without partitions us | partitions, launched us | replayed us | replayed, inputs move us | graphs |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        for count in COUNTS:
            with open(path, "w") as f:
                f.write(program(count))
            record = {}
            for way, option, graphs, places in ways:
                compiled = coil.compile(path, options=f"target=cuda:sm_90 {option}", cuda_graphs=graphs)
                if not torch:  # Compiling has made a context current for others.
                    context = ctypes.c_void_p()
                    driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
                    driver.cuCtxSetCurrent(context)
                inputs = itertools.cycle([tensor() for _ in range(places)])
                stream = torch.cuda.current_stream().cuda_stream if torch else 0
                kind = torch.Tensor if torch else None  # What a user of PyTorch wants.
                record[way] = microseconds(
                    lambda: compiled.run(next(inputs), stream=stream, like=kind), finish, args.repeat)
                record["kernels"] = compiled.run_stats["launches"]
                record[way + " stats"] = compiled.graph_stats["partitions"]
            stats = record["replayed stats"]
            if stats["replayed"] < args.repeat or stats["plain"] or stats["failures"]:
                sys.exit(f"the partitions were not replayed: {stats}")
            records.append(record)
            print(f"| {record['kernels']} | {record['off']:.1f} | {record['plain']:.1f} | "
                  f"{record['replayed']:.1f} | {record['moving']:.1f} | {stats['nodes']} |", flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"records": records}, f, indent=1)


if __name__ == "__main__":
    main()
