#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles modules with a round trip through text and bytecode after each pass.

    round_trip.py --bin=<folder> --out=<folder> module.mlir...

Host programs of the corpus are planned and lowered, for the CPU and for sm_90a with all buffers there. Other modules go
from the stage that they are at to the stage native for both."""
import argparse
import os
import re
import sys

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(folder, "..", "..", "Inputs"))

import tools
from cases import before_planning, is_for_gpu, on_device

PLAN = "wrapper-plan-memory{mode=pool},wrapper-verify-memory"
TARGETS = {"cpu": "cpu", "cuda": "cuda:sm_90a"}


def list_commands(path, out, bin):
    """The tools and their arguments for a module, each after the one before."""
    source = open(path).read()
    base = os.path.join(out, os.path.basename(path))
    if "wrapper.func" not in source:
        for target in TARGETS.values():
            yield [[f"{bin}/coil-compile", path, f"--target={target}", "--to=native", "-o", "/dev/null"]]
        return
    for kind, target in TARGETS.items():
        text = source if kind == "cpu" and not is_for_gpu(source) else on_device(source, kind) if kind == "cuda" else None
        if text is None:
            continue
        placed, planned = f"{base}.{kind}.mlir", f"{base}.{kind}-planned.mlir"
        with open(placed, "w") as file:
            file.write(text)
        passes = "wrapper.func(wrapper-expand-workspaces,wrapper-expand-resizes)," + before_planning(source, kind)
        yield [[f"{bin}/coil-opt", placed, "-o", planned, f"--pass-pipeline=builtin.module({passes}{PLAN})"],
               [f"{bin}/coil-compile", planned, "--from=wrapper", f"--target={target}", "--to=native", "-o", "/dev/null"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("modules", nargs="+")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    bad, runs = [], 0
    for path in args.modules:
        for commands in list_commands(path, args.out, args.bin):
            for command in commands:
                runs += 1
                done = tools.run([*command, "--verify-roundtrip-each"])
                if done.returncode:
                    bad.append(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[:2000]}")
                    break
    if bad:
        sys.exit("\n".join([*bad[:10], f"{len(bad)} of {runs}"]))
    print(f"{len(args.modules)} modules, {runs} runs")


main()
