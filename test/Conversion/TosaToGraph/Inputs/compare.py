# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each program of a directory as it is, and after upstream's conversion to linalg, and compares the outputs."""
import argparse
import os
import re
import struct
import subprocess
import sys

UPSTREAM = ("builtin.module(func.func(tosa-optional-decompositions,canonicalize,tosa-to-linalg-named,tosa-to-linalg,"
            "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,canonicalize))")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{' '.join(command)}\n{done.stderr}")
        sys.exit(1)


def numbers(path):
    with open(path, "rb") as file:
        raw = file.read()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    code = {"<f4": "f", "<i4": "i", "|i1": "b", "<i2": "h", "|b1": "?", "<i8": "q"}[
        re.search(rb"'descr': '([^']*)'", raw)[1].decode()]
    return list(struct.unpack(f"<{(len(raw) - begin) // struct.calcsize(code)}{code}", raw[begin:])), code == "f"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("directory")
    options = parser.parse_args()
    for file in sorted(f for f in os.listdir(options.directory) if f.endswith(".tosa.mlir")):
        name, path = file[:-len(".tosa.mlir")], os.path.join(options.directory, file)
        with open(path) as text:
            text = text.read()
        count = text.split("-> ", 1)[1].split("{", 1)[0].count("tensor")
        if "?" in text:
            # Upstream's conversion of dynamic sizes branches, which Coil does not take.
            run(f"{options.bin}/coil-run", path, "--random-inputs", "--symbol=s0=5", "--reference=interp")
            print(f"{name}: runs")
            continue
        run(f"{options.llvm}/mlir-opt", path, f"--pass-pipeline={UPSTREAM}", "-o", path + ".linalg.mlir")
        outputs = []
        for kind in (path, path + ".linalg.mlir"):
            files = [f"{kind}.{i}.npy" for i in range(count)]
            run(f"{options.bin}/coil-run", kind, "--random-inputs", *(f"--output=@{f}" for f in files))
            outputs.append([numbers(f) for f in files])
        same = all(len(x) == len(y) and all(abs(a - b) <= 1e-5 * max(1, abs(b)) if is_float else a == b
                                            for a, b in zip(x, y))
                   for (x, is_float), (y, _) in zip(*outputs))
        print(f"{name}: {'agrees' if same else 'differs'}")
        if not same:
            print(outputs)


if __name__ == "__main__":
    main()
