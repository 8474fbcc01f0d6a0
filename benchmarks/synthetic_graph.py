#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a module of N pointwise and reduction operators over tensors of shape
[s0, 128] (f32): a long program whose structure does not change with its length.

Every operator reads the newest value and one of the eight before it; every
tenth is a row reduction, whose result is subtracted. The same seed gives the
same program.
"""
import argparse
import random
import sys


def generate(count, seed=0):
    rng = random.Random(seed)
    full = "tensor<?x128xf32, #sym.shape<[s0, 128]>>"
    row = "tensor<?x1xf32, #sym.shape<[s0, 1]>>"
    lines = [
        f"func.func @main(%x: {full} {{coil.name = \"x\"}}) -> {full} "
        "attributes {sym.symbols = {s0 = #sym.range<1, 4096, hint = 64>}} {"
    ]
    values = ["%x"]
    n = 0
    while n < count:
        newest, other = values[-1], rng.choice(values[-8:])
        if n % 10 == 9 and n + 2 <= count:
            lines.append(f"  %r{n} = graph.reduce max, {newest} dims [1] keepdims : ({full}) -> {row}")
            lines.append(f"  %v{n} = graph.sub {newest}, %r{n} : ({full}, {row}) -> {full}")
            n += 1
        elif rng.random() < 0.3:
            op = rng.choice(["tanh", "abs", "sigmoid", "relu"])
            lines.append(f"  %v{n} = graph.{op} {newest} : ({full}) -> {full}")
        else:
            op = rng.choice(["add", "mul", "sub", "maximum"])
            lines.append(f"  %v{n} = graph.{op} {newest}, {other} : ({full}, {full}) -> {full}")
        values.append(lines[-1].split()[0])
        n += 1
    lines.append(f"  return {values[-1]} : {full}")
    lines.append("}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, help="number of operators")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sys.stdout.write(generate(args.count, args.seed))
