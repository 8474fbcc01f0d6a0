#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peaks of the memory plans, program by program.

    benchmarks/memory.py --bin=build/bin [--out=benchmarks/results/memory.md]

Plans each program of test/Corpus and each example model in every mode. Ends with
1 where a peak in mode pool is above 1.02 of the lower bound or above that of mode
none, or where reuse is above none.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = ("none", "reuse", "pool")
MOST = 1.02

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=pathlib.Path)
parser.add_argument("--out", type=pathlib.Path)
args = parser.parse_args()


def plan(program, mode):
    """What the functions of a program report, by name."""
    if program.suffix == ".pt2":
        command = [args.bin / "coil-compile", program, "--to=wrapper", f"--plan={mode}", "-o", "-"]
    else:
        command = [args.bin / "coil-opt", program,
                   f"--pass-pipeline=builtin.module(wrapper-plan-memory{{mode={mode}}},wrapper-verify-memory)"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        name = re.search(r"wrapper\.func (?:private )?@(\w+)", line)
        memory = re.search(r"wrapper\.memory = \{(.*?)\}", line)
        if name and memory:
            found[name.group(1)] = {k: int(v) for k, v in re.findall(r"(\w+) = (\d+) : i64", memory.group(1))}
    return found


programs = sorted((ROOT / "examples/models").glob("*.pt2")) + sorted((ROOT / "test/Corpus").glob("*.mlir"))
rows, bad, worst = [], [], 0.0
same = 0
for program in programs:
    plans = {mode: plan(program, mode) for mode in MODES}
    if not plans["none"]:
        sys.exit(f"{program}: no plan")
    for function in plans["none"]:
        memory = {mode: plans[mode][function] for mode in MODES}
        bound = memory["pool"]["lower_bound"]
        peaks = [memory[mode]["peak"] for mode in MODES]
        ratio = peaks[2] / bound if bound else 1.0
        worst = max(worst, ratio)
        name = program.stem if function == "main" else f"{program.stem} ({function})"
        if ratio > MOST or peaks[2] > peaks[0] or peaks[1] > peaks[0]:
            bad.append(name)
        if len({*peaks, bound}) == 1 and len({memory[mode]["allocations"] for mode in MODES}) == 1:
            same += 1
            continue
        rows.append([name, *map(str, peaks), str(bound), f"{ratio:.3f}",
                     " / ".join(str(memory[mode]["allocations"]) for mode in MODES),
                     str(memory["pool"]["pools"])])

head = ["program", *MODES, "lower bound", "pool / bound", "allocations", "pools"]
lines = ["# Peaks of memory plans", "",
         "Written by `benchmarks/memory.py`. Bytes at the hints of the symbols, each buffer rounded up to the device's",
         "alignment; allocations are those in the text, in the three modes. What the modes are:",
         "[Memory planning](../../docs/concepts/MemoryPlanning.md).", "",
         f"{len(rows) + same} functions; for {same} of them, which are left out, all modes are the same, at the lower bound.",
         f"The worst quotient of mode `pool` and lower bound is {worst:.3f} (goal: {MOST}).", "",
         "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
lines += ["| " + " | ".join(row) + " |" for row in rows]
text = "\n".join(lines) + "\n"
if args.out:
    args.out.write_text(text)
else:
    print(text, end="")
if bad:
    sys.exit("above their bounds: " + ", ".join(bad))
