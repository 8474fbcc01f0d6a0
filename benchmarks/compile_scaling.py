#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time by program length: synthetic graphs (synthetic_graph.py) through
every stage to machine code, by `coil-run --random-inputs --time`. Time per
operator should not grow.

    python3 benchmarks/compile_scaling.py [--bin build/bin] [1000 10000 ...]
"""
import argparse
import datetime
import os
import re
import subprocess
import tempfile

from synthetic_graph import generate

STAGES = ["import", "graph", "loop", "wrapper", "native", "code", "link", "total"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("counts", nargs="*", type=int, default=[1000, 10000, 100000])
    args = parser.parse_args()
    print(f"{datetime.date.today()}, {os.cpu_count()} threads; ms by stage, us for each operator")
    print("| operators | " + " | ".join(STAGES) + " | us/op |")
    print("|---" * (len(STAGES) + 2) + "|")
    for count in args.counts:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(generate(count))
            file.flush()
            run = subprocess.run(
                [os.path.join(args.bin, "coil-run"), file.name, "--random-inputs", "--time"],
                capture_output=True, text=True, check=True,
            )
        times = {m[1]: float(m[2]) for m in re.finditer(r"^  (\w+) +([\d.]+) ms", run.stdout + run.stderr, re.M)}
        cells = " | ".join(f"{times.get(s, float('nan')):.0f}" for s in STAGES)
        print(f"| {count} | {cells} | {times['total'] * 1e3 / count:.0f} |", flush=True)


if __name__ == "__main__":
    main()
