#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs all programs of the corpus in some emitters, where starting what runs them
costs more than they do.

    run_all.py --bin=<folder> --out=<folder> --emitter=python|fx --python=<file>
    run_all.py --bin=<folder> --out=<folder> --emitter=python|fx --python=<file> --device=cuda [--graphs]
    run_all.py --bin=<folder> --out=<folder> --emitter=python|native --device=toy
    run_all.py --bin=<folder> --out=<folder> --emitter=cpp --cxx=<compiler>
               --include=<folder> --lib=<folder> [--device=cuda|...] [program.mlir...]

Several emitters, separated by commas, share plans and what the interpreter gives.
Outputs are compared with those of the interpreter, as in corpus.py. `python`
and `fx` run all modules in one process of a Python that has torch. `cpp` compiles all
programs into one library, calls them through their C interface and looks at what
they leave behind; where sizes are constant, through the entry that takes arrays, too,
with storage on the stack. `--device=cuda` with `--python` is for a machine with a GPU, whose
torch runs the modules there; --graphs keeps partitions as graphs and runs each case four
times; --gpus=1 leaves out programs for two, and --capability=80 those for newer GPUs;
with --simulated torch has the simulated GPU (simulated.py). With --device, all buffers of
the programs that can be there are on it.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import subprocess
import sys

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(folder, "..", "..", "Inputs"))

import tools
from cases import (before_planning, is_for_gpu, needs_capability, needs_two, on_device,
                   read_cases)

parser = argparse.ArgumentParser()
for option in ("bin", "out", "emitter", "python", "cxx", "include", "lib", "device"):
    parser.add_argument("--" + option)
parser.add_argument("--link", action="append", default=[])
parser.add_argument("--graphs", action="store_true")
parser.add_argument("--simulated", action="store_true")
parser.add_argument("--gpus", type=int, default=2)
parser.add_argument("--capability", type=int, default=90)
parser.add_argument("programs", nargs="*")
args = parser.parse_args()
# What programs call that is not in them.
functions = os.path.join(os.path.dirname(args.bin), "lib", "coil-test-functions.so")
os.makedirs(args.out, exist_ok=True)


def need(tool, *arguments):
    tools.check(tools.run([os.path.join(args.bin, tool), *arguments]))


def start(*command, **options):
    return tools.check(subprocess.run(command, capture_output=True, text=True, **options))


def run_native(program, case):
    """Runs one case, which gives what the interpreter gave or fails as it says."""
    command = [os.path.join(args.bin, "coil-run"), program, "--functions=" + functions,
               "--object-cache=" + os.path.join(args.out, "objects"),
               *("--input=" + text for text in case["inputs"]),
               *("--expected-output=@" + f for f in case["expected"])]
    done = tools.run(command)
    text = done.stdout + done.stderr
    good = done.returncode == 0 if case["error"] is None else (
        done.returncode != 0 and case["error"] in text)
    if not good:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{text}")


def interpret(program):
    """Returns the cases of a program with what the interpreter gives; corpus.py has it
    give the same for every plan."""
    path = os.path.join(args.out, os.path.basename(program)[:-len(".mlir")])
    cases = read_cases(open(program).read())
    for number, case in enumerate(cases):
        case["expected"] = [f"{path}.{number}.{i}.npy" for i in range(len(case["outputs"]))]
        done = tools.run([os.path.join(args.bin, "coil-interpret"), program, "--function=main",
                          "--functions=" + functions,
                          *("--input=" + text for text in case["inputs"]),
                          *("--output=@" + f for f in case["expected"])])
        if case["error"] is None:
            tools.check(done)
    return cases


def plan(job):
    """Plans one program; returns what emitters take."""
    program, mode, cases = job
    name = os.path.basename(program)[:-len(".mlir")].replace("-", "_").lower()
    if mode != "reuse":
        name += "_" + mode
    path = lambda suffix: os.path.join(args.out, name + suffix)
    source = open(program).read()
    if "wrapper.workspace" in source or "wrapper.resize_storage" in source:
        need("coil-opt", program, "-o", path(".expanded.mlir"),
             "--pass-pipeline=builtin.module(wrapper.func(wrapper-expand-workspaces,wrapper-expand-resizes))")
        program = path(".expanded.mlir")
        source = open(program).read()
    before, arrays = "", False
    if args.device:
        open(path(".device.mlir"), "w").write(on_device(source, args.device))
        program = path(".device.mlir")
        before = before_planning(source, args.device)
    if mode == "part":
        before += ("wrapper-partition-graph{device=%s min-ops=1 whole=true collectives=true},"
                   "wrapper-outline-partitions," % (args.device or "cpu"))
    if mode == "stack":
        # Where all sizes are constant, with an entry that takes arrays.
        done = tools.run([os.path.join(args.bin, "coil-opt"), program, "-o", path(".0.mlir"),
                          "--wrapper-pass-destinations=suffix=_arrays array-entry"])
        arrays = done.returncode == 0
        reasons = ("cannot take arrays: ", "the caller cannot provide its memory")
        if not arrays and not any(reason in done.stderr for reason in reasons):
            sys.exit(f"{program}: {done.stderr}")
        need("coil-opt", path(".0.mlir") if arrays else program, "-o", path(".mlir"),
             "--pass-pipeline=builtin.module(wrapper-plan-memory{mode=pool},"
             "wrapper-promote-to-stack{limit=65536},wrapper-verify-memory)")
    else:
        plan = "reuse" if mode == "part" else mode
        need("coil-opt", program, "-o", path(".mlir"), f"--pass-pipeline=builtin.module({before}"
             f"wrapper-plan-memory{{mode={plan}}},wrapper-verify-memory)")
    return {"name": name, "cases": cases, "arrays": arrays}


def emit(emitter, each):
    """Emits a planned program; returns what runs it."""
    path = lambda suffix: os.path.join(args.out, each["name"] + suffix)
    if emitter == "native":
        for case in each["cases"]:
            run_native(path(".mlir"), case)
    elif emitter == "cpp":
        target = ["--target=cuda:sm_90"] if args.device == "cuda" else []
        need("coil-compile", "--emit=cpp", *target, path(".mlir"), "-o", path(".cpp"))
    else:
        need("coil-translate", "--wrapper-to-" + emitter, path(".mlir"), "-o", path(f".{emitter}.py"))
        return dict(each, file=path(f".{emitter}.py"))
    return each


def run_python(todo):
    """Runs all modules in one process: of torch, or of the stand-in for it, which knows
    other devices."""
    python, environment = args.python, dict(base)
    if not python:
        python = sys.executable
        environment["PYTHONPATH"] += os.pathsep + os.path.join(folder, "standin")
    print(start(python, os.path.join(folder, "run_python.py"),
                *(["--device=simulated"] if args.simulated
                  else [f"--device={args.device}:0"] if args.device else []),
                *(["--graphs"] if args.graphs else []), "--all", todo, env=environment), end="")


def run_cpp(planned, todo):
    # One translation unit for all short ones: names begin with those of the
    # programs. Those of several files are compiled file by file.
    unit, library = (os.path.join(args.out, name) for name in ("all.cpp", "all.so"))
    files = []
    with open(unit, "w") as file:
        for each in planned:
            first = os.path.join(args.out, each["name"] + ".cpp")
            more = glob.glob(os.path.join(args.out, each["name"] + ".[0-9]*.cpp"))
            if more:
                files += [first, *more]
            else:
                file.write(f'#include "{first}"\n')
    for each in files:
        if len(open(each).readlines()) > 2000:
            sys.exit(f"{each} has more than 2,000 lines")
    if files:
        print(f"{len(files)} files")
    archives = [os.path.join(args.out, each["name"] + "_kernels.a") for each in planned]
    start(args.cxx, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
          "-I" + args.include, unit, *files, *filter(os.path.exists, archives), "-L" + args.lib,
          "-lcoil_runtime", "-lm", *args.link, "-Wl,--no-undefined", "-Wl,-rpath," + args.lib,
          "-o", library)
    path = os.pathsep.join([base["PYTHONPATH"], os.path.join(folder, "standin")])
    print(start(sys.executable, os.path.join(folder, "run_cpp.py"), library, todo,
                *([args.device] if args.device else []), env=dict(base, PYTHONPATH=path)), end="")


emitters = args.emitter.split(",")
base = dict(os.environ, PYTHONPATH=os.path.join(os.path.dirname(args.bin), "python"),
            PYTHONDONTWRITEBYTECODE="1", COIL_TEST_FUNCTIONS=functions)
programs = args.programs or sorted(glob.glob(os.path.join(folder, "..", "*.mlir")))
if args.device:
    programs = [p for p in programs if on_device(open(p).read(), args.device) is not None
                and (args.gpus > 1 or not needs_two(open(p).read()))
                and needs_capability(open(p).read()) <= args.capability]
    # Functions in Python get tensors of the GPU, which this torch has not.
    if args.simulated:
        programs = [p for p in programs if "wrapper.hook" not in open(p).read()]
else:
    programs = [p for p in programs if not is_for_gpu(open(p).read())]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    modes = ("reuse", "pool", "part") + (
        ("stack",) if args.emitter == "cpp" and not args.device else ())
    interpreted = list(pool.map(interpret, programs))
    jobs = [(program, mode, cases) for mode in modes
            for program, cases in zip(programs, interpreted)]
    planned = list(pool.map(plan, jobs))
    for emitter in emitters:
        emitted = list(pool.map(lambda each: emit(emitter, each), planned))
        todo = os.path.join(args.out, emitter + ".json")
        json.dump(emitted, open(todo, "w"))
        if emitter == "native":
            print(f"{len(emitted)} programs, {sum(len(each['cases']) for each in emitted)} cases")
        elif emitter == "cpp":
            run_cpp(emitted, todo)
        else:
            run_python(todo)
