# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts each NAME.graph.mlir of a directory to linalg, lowers that with upstream's passes, and runs it with Coil."""
import argparse
import os
import struct
import subprocess
import sys

LOWERING = ["--convert-tensor-to-linalg", "--empty-tensor-to-alloc-tensor",
            "--one-shot-bufferize=bufferize-function-boundaries=1", "--convert-linalg-to-loops",
            "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf", "--convert-math-to-llvm",
            "--convert-math-to-libm", "--finalize-memref-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm",
            "--convert-arith-to-llvm", "--convert-index-to-llvm", "--reconcile-unrealized-casts"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{' '.join(command)}\n{done.stderr}")
        sys.exit(1)
    return done.stdout


def floats(path):
    with open(path, "rb") as file:
        raw = file.read()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    return struct.unpack(f"<{(len(raw) - begin) // 4}f", raw[begin:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("directory")
    options = parser.parse_args()
    for file in sorted(f for f in os.listdir(options.directory) if f.endswith(".graph.mlir")):
        path = os.path.join(options.directory, file)
        out = path + ".linalg.mlir"
        run(f"{options.bin}/coil-opt", path, "--convert-graph-to-linalg", "-o", out)
        lowered = run(f"{options.llvm}/mlir-opt", out, *LOWERING)
        # mlir-opt has no dialect of Coil's, so none was left before; and none of these is left behind.
        how = "lowered by upstream" if "unrealized" not in lowered and "llvm.func @main" in lowered else "not lowered"
        outputs = []
        for each in (path, out):
            with open(each) as text:
                symbols = ["--symbol=s0=5"] if "?" in text.read() else []
            run(f"{options.bin}/coil-run", each, "--random-inputs", *symbols, f"--output=@{each}.npy")
            outputs.append(floats(each + ".npy"))
        same = len(outputs[0]) == len(outputs[1]) and all(
            abs(x - y) <= 1e-5 * max(1, abs(x)) for x, y in zip(*outputs))
        print(f"{file[:-len('.graph.mlir')]}: {how}, results {'agree' if same else 'differ'}")


if __name__ == "__main__":
    main()
