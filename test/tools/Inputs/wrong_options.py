# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs tools with wrong options, and checks that each says what is wrong."""

import os
import subprocess
import sys
import tempfile

PROGRAM = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""

# Options that have values by name: a wrong value, and what the message has to
# suggest (nothing where no value is near).
CHOICES = [
    ("fast-math", "yes", ""),
    ("fast-math", "fsat", "fast"),
    ("fast-math", "defualt", "default"),
    ("fast-math", "on", ""),
    ("float32-matmul-precision", "hihg", "high"),
    ("float32-matmul-precision", "tf32", ""),
    ("float32-matmul-precision", "lowest", ""),
    ("float32-conv-precision", "Highest", "highest"),
    ("float32-conv-precision", "mediun", "medium"),
    ("plan", "foo", ""),
    ("plan", "resue", "reuse"),
    ("plan", "pools", "pool"),
    ("debug-values", "printf", "print"),
    ("debug-values", "inf", ""),
    ("debug-values", "nans", "nan"),
    ("profile-marks", "cals", "call"),
    ("profile-marks", "all", ""),
    ("random", "foo", ""),
    ("random", "stat", "state"),
    ("random", "generators", "generator"),
    ("library", "onedn", "onednn"),
    ("library", "cudn", "cudnn"),
    ("library", "mkl", ""),
    ("library", "cublas", "cublaslt"),
    ("library", "onednn,foo", ""),
]

# Numbers that are none, or out of range.
NUMBERS = [
    ("vector-bits", "7", "power of two"),
    ("vector-bits", "12", "power of two"),
    ("vector-bits", "-8", "power of two"),
    ("vector-bits", "1048576", "has vectors of"),
    ("vector-bits", "wide", "wide"),
    ("assert-alignment", "-1", "expected 0 or more"),
    ("assert-alignment", "x", "x"),
    ("fuse", "maybe", "maybe"),
    ("deterministic", "2", "2"),
]

# Of the pipelines alone.
PIPELINE = [
    ("partitions=sometimes", "'auto', 'always' or 'off'"),
    ("partitions=alwasy", "did you mean 'always'?"),
    ("stream-bytes=-1", "expected 0 or more"),
    ("memory-budget=-5", "expected 0 or more"),
    ("scatter-bytes=-5", "expected 0 or more"),
    ("stack-limit=-5", "expected 0 or more"),
    ("host-steps=many", "many"),
    ("partition-steps=-1", "-1"),
    ("tagret=cpu", "did you mean 'target'?"),
    ("vectorbits=256", "did you mean 'vector-bits'?"),
    ("libary=none", "did you mean 'library'?"),
    ("fastmath=off", "did you mean 'fast-math'?"),
    ("nonsense=1", "no such option nonsense"),
    ("insert-passes=foo:cse", "unknown extension point 'foo'"),
    ("insert-passes=cse", "expected <extension point>:<pipeline>"),
]

TARGETS = ["rocm", "cudaa", "cuda:", "cuda:sm_10", "cuda:90", "cuda:sm_foo", "cpu:", "gpu", "CPU", "cpu:foo", ""]

# Command lines of tools, and what the message has to have.
LINES = [
    ("coil-compile", ["--emit=pyhton"], "did you mean 'python'?"),
    ("coil-compile", ["--emit=java"], "expected mlir, python, fx or cpp"),
    ("coil-compile", ["--to=lop"], "lop"),
    ("coil-compile", ["--from=foo"], "unknown stage 'foo'"),
    ("coil-compile", ["--emit=cpp"], "-o <name>.cpp"),
    ("coil-compile", ["--emit=python", "--to=loop"], "goes with neither --to"),
    ("coil-compile", ["--torch-calls"], "--torch-calls is for"),
    ("coil-compile", ["--array-entry"], "--array-entry goes with"),
    ("coil-compile", ["--memory-report=x.txt"], "expected a file .html, .svg or .json"),
    ("coil-compile", ["--machine-code"], "--machine-code is for packages"),
    ("coil-compile", ["--target=cpu,cuda:sm_90"], "several targets"),
    ("coil-compile", ["--memory-budget=lots"], "expected a number of bytes"),
    ("coil-compile", ["--stack-limit=1X"], "expected a number of bytes"),
    ("coil-compile", ["--scatter-bytes=-1"], "expected a number of bytes"),
    ("coil-compile", ["--unknown-flag"], "Unknown command line argument"),
    ("coil-compile", ["--plna=pool"], "Did you mean '--plan=pool'"),
    ("coil-run", ["--random-inputs", "--unknown-flag"], "Unknown command line argument"),
    ("coil-run", ["--random-inputs", "--partitions=some"], "expected 'auto', 'always' or 'off'"),
    ("coil-run", ["--random-inputs", "--peak-flops=1"], "--per-kernel"),
    ("coil-run", ["--random-inputs", "--dump-ptx=x"], "is for GPUs"),
    ("coil-opt", ["--coil-cpu-pipline"], "Unknown command line argument"),
]


def main():
    tools = sys.argv[1]
    count = 0
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program.mlir")
        with open(program, "w") as file:
            file.write(PROGRAM)

        def check(tool, arguments, wanted):
            nonlocal count
            count += 1
            run = subprocess.run(
                [os.path.join(tools, tool), program, *arguments],
                capture_output=True,
                text=True,
                cwd=folder,
            )
            if run.returncode == 0 or run.returncode < 0 or wanted not in run.stderr:
                bad.append(f"{tool} {arguments}: {run.returncode}, wanted {wanted!r}: {run.stderr}")

        for option, value, nearest in CHOICES:
            wanted = f"did you mean '{nearest}'?" if nearest else value.split(",")[-1]
            check("coil-compile", [f"--{option}={value}"], wanted)
            check("coil-opt", [f"--coil-cpu-pipeline={option}={value}"], wanted)
        for option, value, wanted in NUMBERS:
            check("coil-compile", [f"--{option}={value}"], wanted)
            check("coil-opt", [f"--coil-cpu-pipeline={option}={value}"], wanted)
        for text, wanted in PIPELINE:
            for pipeline in ("graph", "cpu"):
                check("coil-opt", [f"--coil-{pipeline}-pipeline={text}"], wanted)
        for target in TARGETS:
            kind = target.split(":")[-1]
            check("coil-compile", [f"--target={target}"], kind)
            check("coil-run", [f"--target={target}", "--random-inputs"], kind)
            check("coil-opt", [f"--coil-cpu-pipeline=target={target}"], kind)
        for tool, arguments, wanted in LINES:
            check(tool, arguments, wanted)
    if bad:
        sys.exit("\n".join(bad))
    print(count, "command lines, each refused")


main()
