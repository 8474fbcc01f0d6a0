#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serving without the compiler: how fast a fresh process that links libcoil_loader.so
alone loads packages and answers, and a server over HTTP under load while its weights
are exchanged. The server's exit status says whether any answer was wrong or missing.

    python3 benchmarks/serving_http.py --build build [--requests 100000] [--swaps 20]
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INPUTS = os.path.join(ROOT, "test", "Package", "Inputs")
# The package of each model, and an input: its type, an element, sizes.
MODELS = {"digits_cnn": ("f32", "0.5", "1", "1", "8", "8"), "char_gpt": ("i64", "1", "1", "16")}


def measure_start(loader, package, arguments, repeat):
    """Medians of what fresh processes print, in milliseconds."""
    samples = []
    for _ in range(repeat):
        text = subprocess.run([loader, package, *arguments], capture_output=True, text=True, check=True).stdout
        numbers = re.search(r"map (\S+) ms, load (\S+) ms beyond it, first call (\S+) ms, second (\S+) ms", text)
        samples.append([float(number) for number in numbers.groups()])
    return [statistics.median(column) for column in zip(*samples)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--requests", default="100000")
    parser.add_argument("--swaps", default="20")
    parser.add_argument("--sessions", default="2")
    parser.add_argument("--repeat", type=int, default=21)
    args = parser.parse_args()
    binaries, libraries = (os.path.abspath(os.path.join(args.build, each)) for each in ("bin", "lib"))
    models = os.path.join(ROOT, "examples", "models")
    with tempfile.TemporaryDirectory() as folder:
        loader = os.path.join(folder, "loader")
        subprocess.run([args.cc, "-std=gnu11", "-O2", "-I" + os.path.join(ROOT, "include"),
                        os.path.join(INPUTS, "loader.c"), "-o", loader, "-L" + libraries, "-lcoil_loader",
                        "-Wl,-rpath," + libraries], check=True)
        print("| model | package MB | map ms | load beyond it ms | first call ms | second ms |")
        print("|---|---|---|---|---|---|")
        packages = {}
        for model, arguments in MODELS.items():
            package = packages[model] = os.path.join(folder, model + ".coilpkg")
            subprocess.run([os.path.join(binaries, "coil-compile"), os.path.join(models, model + ".pt2"), "-o",
                            package], check=True)
            times = measure_start(loader, package, arguments, args.repeat)
            print(f"| {model} | {os.path.getsize(package) / 1e6:.2f} | " + " | ".join(f"{t:.2f}" for t in times) + " |")
        print()
        sys.stdout.flush()
        return subprocess.run([sys.executable, os.path.join(INPUTS, "serve_http.py"), binaries, packages["digits_cnn"],
                               os.path.join(models, "digits_images.npy"), args.requests, args.swaps, args.sessions],
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
