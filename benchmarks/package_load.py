#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast packages load: the example models compiled from their .pt2 files, and
loaded from packages, in one process, medians.

    PYTHONPATH=build/python python3 benchmarks/package_load.py --tools build/bin
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import coil


def milliseconds(f, repeat):
    samples = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = f()
        samples.append(time.perf_counter() - begin)
        del result
    return statistics.median(samples) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="build/bin")
    parser.add_argument("--models", default="examples/models")
    parser.add_argument("--repeat", type=int, default=21)
    args = parser.parse_args()
    print("| model | file MB | package MB | compile ms | load ms | of it reading | of it linking |")
    print("|---|---|---|---|---|---|---|")
    for model in ("digits_cnn", "char_gpt"):
        source = os.path.join(args.models, model + ".pt2")
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, model + ".coilpkg")
            subprocess.run([os.path.join(args.tools, "coil-compile"), source, "-o", package], check=True)
            compiled = milliseconds(lambda: coil.compile(source), max(3, args.repeat // 4))
            loaded = milliseconds(lambda: coil.compile(package), args.repeat)
            seconds = coil.compile(package).compile_stats["seconds"]
            sizes = [os.path.getsize(path) / 1e6 for path in (source, package)]
        print(f"| {model} | {sizes[0]:.2f} | {sizes[1]:.2f} | {compiled:.1f} | {loaded:.2f} | {seconds['import'] * 1e3:.2f} | {(seconds['total'] - seconds['import']) * 1e3:.2f} |")


if __name__ == "__main__":
    main()
