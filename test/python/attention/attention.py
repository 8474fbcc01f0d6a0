#!/usr/bin/env python3
#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Checks that attention is recognised however it is spelled, and that what is recognised is right.

  attention.py --build build [--count 500] [--near 100] [--seed 0] [--jobs 2] [--verbose]
  attention.py --build build --only SEED [--near 1]

Each seed is one module of spellings.py, exported by torch.export. Of a spelling `graph-raise-attention` has to make
exactly one operator that leaves no exponential, and the program that is compiled with it, run on the CPU, has to be
as near to eager mode in double precision as test/models/running.py asks for. A near miss has to stay what it is,
and right. Modules are checked in processes that may crash; each failure is a line with its seed.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PASSES = ("builtin.module(func.func(graph-legalize-aten),canonicalize,cse,"
          "func.func(graph-raise-attention{always=true}))")
CHUNK = 10  # Modules for each process.


def count_operators(build, path, pattern):
    text = subprocess.run([f"{build}/bin/coil-import", path], capture_output=True, text=True, check=True).stdout
    text = subprocess.run([f"{build}/bin/coil-opt", f"--pass-pipeline={PASSES}"], input=text, capture_output=True,
                          text=True, check=True).stdout
    return [text.count(each) for each in pattern]


def evaluate_exactly(module, inputs):
    import torch
    exact = module.double()
    exact.wide = torch.float64
    return exact(*[x.double() if x.is_floating_point() else x for x in inputs])


def check(build, folder, seed, is_near):
    """None, or what is wrong."""
    import coil
    import running
    import spellings
    import torch
    module, inputs, text = (spellings.make_near_miss if is_near else spellings.make_spelling)(seed)
    path = f"{folder}/{seed}.pt2"
    dynamic = None
    if module.dynamic and not is_near:
        rows, columns = torch.export.Dim("rows", max=4096), torch.export.Dim("columns", min=2, max=4096)
        dynamic = ({2: rows}, {2: columns}, {2: columns}) + (None,) * (len(inputs) - 3)
        dynamic = (dynamic,)
    with torch.no_grad():
        program = torch.export.export(module, tuple(inputs), dynamic_shapes=dynamic)
        torch.export.save(program, path)
        eager = running.flatten(module(*inputs))
    found, exponentials, products = count_operators(build, path, ["graph.attention ", "graph.exp", "graph.matmul"])
    if is_near:
        if found:
            return text, f"{found} operators of attention"
    elif found != 1 or exponentials or products:
        return text, f"{found} operators of attention, {exponentials} exponentials and {products} products"
    try:
        results = coil.compile(path, options="raise-attention=always").run(*inputs, like=torch.Tensor)
    except coil.CoilError as error:
        return text, str(error)[-2000:]
    with torch.no_grad():
        exact = running.flatten(evaluate_exactly(module, inputs))
    why, *_ = running.judge(results, eager, exact)
    return text, why


def work(build, seeds, is_near):
    """In a process of its own: a line of JSON for each module."""
    sys.path[:0] = [f"{build}/python", str(HERE), str(HERE.parent.parent / "models")]
    import torch
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            print(json.dumps({"seed": seed, "begins": True}), flush=True)
            try:
                text, why = check(build, folder, seed, is_near)
            except Exception as error:  # pylint: disable=broad-except
                text, why = "", f"{type(error).__name__}: {error}"[-2000:]
            print(json.dumps({"seed": seed, "text": text, "why": why}), flush=True)


def run(build, seeds, is_near):
    """The failures among modules, checked in one process."""
    command = [sys.executable, __file__, "--build", build, "--work", ",".join(map(str, seeds))]
    process = subprocess.run(command + (["--is-near"] if is_near else []), capture_output=True, text=True, check=False)
    failures, begun = [], None
    for line in process.stdout.splitlines():
        entry = json.loads(line) if line.startswith("{") else {}
        if entry.get("begins"):
            begun = entry["seed"]
        elif entry:
            begun = None
            if entry["why"]:
                failures.append(entry)
    if begun is not None:
        failures.append({"seed": begun, "text": "", "why": f"the process ended: {process.stderr[-1000:]}"})
        rest = [seed for seed in seeds if seed > begun]
        failures += run(build, rest, is_near) if rest else []
    elif process.returncode:
        failures.append({"seed": seeds[0], "text": "", "why": f"the process ended: {process.stderr[-1000:]}"})
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--near", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--is-near", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.build, [int(seed) for seed in options.work.split(",")], options.is_near)
        return 0
    first, status = options.seed, 0
    counts = {False: options.count, True: options.near}
    if options.only is not None:
        first, counts = options.only, {False: int(options.near != 1), True: int(options.near == 1)}
    for is_near, count in counts.items():
        seeds = list(range(first, first + count))
        chunks = [seeds[i:i + CHUNK] for i in range(0, count, CHUNK)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            failures = [f for each in pool.map(lambda chunk: run(options.build, chunk, is_near), chunks) for f in each]
        for entry in failures:
            print(f"error: seed {entry['seed']}: {entry['why']}\n  {entry['text']}")
        what = "near misses stay what they are" if is_near else "spellings are recognised and agree"
        print(f"{count - len(failures)} of {count} {what}", flush=True)
        status |= bool(failures)
    return status


if __name__ == "__main__":
    sys.exit(main())
