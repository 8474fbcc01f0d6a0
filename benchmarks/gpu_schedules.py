#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other schedules would give: the cases of `gpu_kernels.py` with attributes
of `#loop.gpu_schedule` changed by hand, beside the schedule that
`loop-select-gpu-schedule` decides for.

Each line of the file of variants is a case and the changes to try, separated by
semicolons; a change to another kernel than the first begins with its number and
a colon, and an attribute without a value is dropped:

    softmax 1024 bf16 = threads_p=4, items_r=2; min_blocks=8; 1: persistent

    PYTHONPATH=python:benchmarks python3 benchmarks/gpu_schedules.py variants.txt --tools bin
"""
import argparse
import os
import re
import subprocess
import tempfile

import torch

import coil
from gpu_cases import CASES
from gpu_kernels import as_tuple, close, copy_bandwidth, event_times, export

SCHEDULE = re.compile(r' schedule #loop\.gpu_schedule<((?:[^<>]|<[^<>]*>)*)>')


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parse(schedule):
    parts = re.findall(r"(\w+) = ((?:[^,<]|<[^<>]*>)+)", schedule)
    return {name: value.strip() for name, value in parts}


def change(schedule, text):
    result = dict(schedule)
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, value = part.partition("=")
        result.pop(name.strip(), None)
        if value:
            result[name.strip()] = value.strip()
    return result


def with_schedules(program, schedules):
    """The host program `program` with other schedules of its loop kernels."""
    left = iter(schedules)
    write = lambda s: " schedule #loop.gpu_schedule<" + ", ".join(f"{k} = {v}" for k, v in s.items()) + ">"
    return SCHEDULE.sub(lambda match: write(next(left)), program)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants")
    parser.add_argument("--tools", default="build/bin")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--options", default="target=cuda")
    args = parser.parse_args()
    torch.manual_seed(0)
    bandwidth = copy_bandwidth()
    print(f"{torch.cuda.get_device_name()}; copy {bandwidth / 1e9:.0f} GB/s")
    print("| case | change | us | share |")
    print("|---|---|---|---|")
    cases = {case.name: case for case in CASES}
    stream = torch.cuda.current_stream().cuda_stream
    for line in open(args.variants):
        name, _, changes = line.strip().partition(" = ")
        if not name:
            continue
        case = cases[name]
        inputs = case.make("cuda")
        expected = as_tuple(case.reference(inputs))
        bound = case.minimal_bytes(inputs, expected) / bandwidth * 1e3
        with tempfile.TemporaryDirectory() as folder:
            path = export(case, inputs, folder)
            decide = [os.path.join(args.tools, "coil-compile"), path, f"--target={args.options.split('=')[1]}", "--to=wrapper"]
            host = run(decide)
            decided = [parse(text) for text in SCHEDULE.findall(host)]
            programs, functions = {}, {}
            for text in [""] + [c.strip() for c in changes.split(";") if c.strip()]:
                number, _, rest = text.rpartition(":")
                schedules = [dict(s) for s in decided]
                schedules[int(number or 0)] = change(schedules[int(number or 0)], rest)
                label = text or "as decided: " + "; ".join(", ".join(f"{k}={v}" for k, v in s.items()) for s in decided)
                try:
                    path = os.path.join(folder, "case.mlir")
                    with open(path, "w") as f:
                        f.write(with_schedules(host, schedules))
                    program = coil.compile(path, options=args.options)
                    outputs = program.run(*inputs, stream=stream)
                    torch.cuda.synchronize()
                    close(case, [torch.from_dlpack(o) for o in outputs], expected)
                    del outputs
                    programs[label] = program
                except (coil.CoilError, AssertionError) as error:
                    print(f"| {name} | {label} | failed: {' / '.join(str(error).strip().splitlines()[:2])} | |", flush=True)
            for label, program in programs.items():
                functions[label] = lambda program=program: program.run(*inputs, stream=stream)
            if functions:
                times = event_times(functions, args.repeat, wait=True)
                for label, ms in times.items():
                    print(f"| {name} | {label} | {ms * 1e3:.1f} | {bound / ms:.2f} |", flush=True)
        del inputs, expected
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
