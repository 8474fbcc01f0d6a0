# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares kernels and results of NAME.linalg.mlir and NAME.graph.mlir in a directory."""
import argparse
import os
import re
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def as_expressions(kernel):
    """A kernel with the operations that values are in the place of names, so that their order does not matter."""
    head, *lines = [line.strip() for line in kernel.splitlines()]
    operands = re.findall(r"(%[\w#]+) = %[\w#]+", head)
    values = {name: f"operand{i}" for i, name in enumerate(operands)}
    stores = []
    for line in lines:
        name, is_value, text = line.partition(" = ") if line.startswith("%") else ("", "", line)
        text = re.sub(r"%[\w#]+", lambda m: values[m[0]], text if is_value else line)
        if is_value:
            values[name] = f"({text})"
        else:
            stores.append(text)
    return [re.sub(r"%[\w#]+ = %[\w#]+", "", head), *stores]


def kernels(bin_dir, path):
    """The kernels of the stage 'loop' without names of kernels and values."""
    text = run(f"{bin_dir}/coil-compile", path, "--to=loop", "--library=onednn")
    found = re.findall(r'loop\.kernel "[^"]*" (.*?)\n    }', text, re.DOTALL)
    result = []
    for kernel in found:
        result.append(as_expressions(kernel))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("directory")
    options = parser.parse_args()
    for name in sorted(f[:-len(".linalg.mlir")] for f in os.listdir(options.directory) if f.endswith(".linalg.mlir")):
        path = os.path.join(options.directory, name)
        ours, twin = (kernels(options.bin, f"{path}.{kind}.mlir") for kind in ("linalg", "graph"))
        if ours != twin:
            print(f"{name}: kernels differ")
            for kernel in ours:
                print(f"  linalg: {kernel}")
            for kernel in twin:
                print(f"  graph:  {kernel}")
            continue
        with open(f"{path}.linalg.mlir") as file:
            symbols = ["--symbol=s0=5"] if "?" in file.read() else []
        outputs = []
        for kind in ("linalg", "graph"):
            output = f"{path}.{kind}.npy"
            run(f"{options.bin}/coil-run", f"{path}.{kind}.mlir", "--random-inputs", f"--output=@{output}",
                *symbols, "--reference=interp")
            with open(output, "rb") as file:
                outputs.append(file.read())
        same = "results agree" if outputs[0] == outputs[1] else "results differ"
        print(f"{name}: {len(ours)} kernels are those of its twin, {same}")


if __name__ == "__main__":
    main()
