#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one program of the corpus through the interpreter and every emitter.

    corpus.py --bin=<folder> --out=<folder> [--cuda-sim=<driver>] program.mlir

Comments in the program say what is run and what comes out:

    // CASE: <input>; <input> -> <output>; <output>
    // CASE: <input> -> error: <text of the message>
    // GPU: no       not on the simulated GPU, which has none of the libraries
    // GPU: only     on the simulated GPU alone, as it stands
    // GPU: fallbacks  calls on the GPU work on copies on the host
    // HOST: 0       inputs that are on the host there
    // SECOND: 1     inputs that are on the second GPU

The emitted Python module is compared with the interpreter by run_python.py. What
all programs share the start of is run by run_all.py: torch, and the compiler of C++.

Inputs and outputs are written as for coil-run. Each case runs

* in the interpreter: the program as it is, planned, and reordered and planned;
* natively: planned in each mode, each compared with the interpreter, too; from
  objects that an earlier run stored; cut into parts of one step; and with all
  storage of constant size on the stack, whole and in parts;
* as an emitted Python module, planned in each mode, on a stand-in for torch
  (Inputs/standin);
* with all steps in partitions, that are functions, planned for reuse and for pools, or
  stay in place: in the interpreter, natively and in Python; and on the simulated GPU,
  where the third call replays their graphs;
* with checks at each step that storage lives as planned (F31), in the interpreter,
  natively and in Python;
* on the simulated GPU, all buffers there, planned for reuse and for pools, where
  --cuda-sim names the driver: natively and as an emitted Python module.
"""
import argparse
import functools
import importlib
import os
import re
import sys

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(folder, "..", "..", "Inputs"))

import tools
from cases import before_planning, is_for_gpu, on_device, read_cases

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("--cuda-sim")
parser.add_argument("program")
args = parser.parse_args()
os.makedirs(args.out, exist_ok=True)
runs = 0


def run(tool, *arguments, env=None):
    """Returns the exit status and both outputs."""
    global runs
    runs += 1
    command = [os.path.join(args.bin, tool), *arguments]
    done = tools.run(command, env=env)
    if done.returncode < 0:
        sys.exit(f"{' '.join(command)}: killed by signal {-done.returncode}\n{done.stderr}")
    return done.returncode, done.stdout + done.stderr, command


def need(tool, *arguments, env=None):
    status, text, command = run(tool, *arguments, env=env)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}\n{text}")


def expect(case, tool, *arguments, env=None):
    """Runs a case that must succeed, or fail with a message."""
    status, text, command = run(tool, *arguments, env=env)
    if case["error"] is None:
        if status != 0:
            sys.exit(f"{' '.join(command)}: status {status}\n{text}")
    elif status == 0:
        sys.exit(f"{' '.join(command)}: expected to fail with '{case['error']}'")
    elif case["error"] not in text:
        sys.exit(f"{' '.join(command)}: expected '{case['error']}' but got\n{text}")


def path(name):
    return os.path.join(args.out, name)


source = open(args.program).read()
# What programs call that is not in them.
library = os.path.join(os.path.dirname(args.bin), "lib", "coil-test-functions.so")
functions = ["--functions=" + library] if "test::" in source else []
cases = read_cases(source)
if not cases:
    sys.exit(f"{args.program}: no cases")

MODES = ("none", "reuse", "pool")
GPU_MODES = ("reuse", "pool")
isForGPU = is_for_gpu(source)
if isForGPU and not args.cuda_sim:
    print("0 cases: there is no simulated GPU")
    sys.exit()
if "wrapper.workspace" in source or "wrapper.resize_storage" in source:
    # The original is interpreted as it is, too.
    need("coil-opt", args.program, "-o", path("expanded.mlir"),
         "--pass-pipeline=builtin.module(wrapper.func(wrapper-expand-workspaces,wrapper-expand-resizes))")
    program = path("expanded.mlir")
    source = open(program).read()
else:
    program = args.program
for mode in MODES:
    need("coil-opt", program, "-o", path(mode + ".mlir"),
         f"--pass-pipeline=builtin.module(wrapper-plan-memory{{mode={mode}}},wrapper-verify-memory)")
# All steps in partitions: as functions, and in place.
PARTITIONS = {
    "part": "wrapper-partition-graph{device=cpu min-ops=1 whole=true collectives=true},wrapper-outline-partitions,"
            "wrapper-plan-memory{mode=reuse},wrapper-verify-memory,wrapper-hoist-device-guards",
    "part-pool": "wrapper-partition-graph{device=cpu min-ops=1 whole=true peak-percent=0},"
                 "wrapper-outline-partitions,wrapper-plan-memory{mode=pool},wrapper-verify-memory",
    "part-inline": "wrapper-partition-graph{device=cpu min-ops=1 whole=true collectives=true},"
                   "wrapper-plan-memory{mode=reuse},wrapper-verify-memory",
}
for mode, passes in PARTITIONS.items():
    need("coil-opt", program, "-o", path(mode + ".mlir"),
         f"--pass-pipeline=builtin.module({passes})")
TRACKED = ("reuse", "pool")
for mode in TRACKED:
    need("coil-opt", path(mode + ".mlir"), "-o", path(f"track-{mode}.mlir"), "--wrapper-track-lifetimes")
need("coil-opt", program, "-o", path("order.mlir"), "--pass-pipeline=builtin.module("
     "wrapper-reorder-for-memory,wrapper-plan-memory{mode=pool},wrapper-verify-memory)")
need("coil-opt", path("pool.mlir"), "-o", path("stack.mlir"), "--pass-pipeline="
     "builtin.module(wrapper-promote-to-stack{limit=1048576},wrapper-verify-memory)")
for mode, parts in (("reuse", "parts"), ("stack", "stack-parts")) if not isForGPU else ():
    need("coil-opt", path(mode + ".mlir"), "-o", path(parts + ".mlir"),
         "--coil-native-pipeline=host-steps=1")
gpu = None
text = on_device(source, "cuda")
if args.cuda_sim and text is not None:
    gpu = dict(os.environ, COIL_CUDA_CACHING="0", COIL_CUDA_DRIVER=args.cuda_sim,
               COIL_CUDA_SIM_DEVICES="2")
    open(path("cuda.mlir"), "w").write(text)
    for mode in GPU_MODES:
        need("coil-opt", path("cuda.mlir"), "-o", path(f"gpu-{mode}.mlir"),
             f"--pass-pipeline=builtin.module({before_planning(source, 'cuda')}"
             f"wrapper-plan-memory{{mode={mode}}},wrapper-verify-memory"
             + (",wrapper-track-lifetimes)" if mode == "pool" else ")"))
    need("coil-opt", path("cuda.mlir"), "-o", path("gpu-part.mlir"),
         f"--pass-pipeline=builtin.module({before_planning(source, 'cuda')}"
         "wrapper-partition-graph{min-ops=1 whole=true collectives=true},wrapper-outline-partitions,"
         "wrapper-plan-memory{mode=reuse},wrapper-verify-memory,wrapper-hoist-device-guards)")



def pick(variants, number):
    """What runs a case beside the plans themselves: every second variant, and the
    others the next case. All of them where there is one case."""
    return [each for i, each in enumerate(variants) if len(cases) == 1 or (i + number) % 2 == 0]


for number, case in enumerate(cases):
    inputs = ["--input=" + text for text in case["inputs"]]
    outputs = ["--expected-output=" + text for text in case["outputs"]]
    files = case["expected"] = [path(f"{number}-{i}.npy") for i in range(len(outputs))]
    others = pick([*PARTITIONS, "order", "track-pool", "stack"], number)
    for each in (args.program, *(path(mode + ".mlir") for mode in (*MODES, *others))):
        expect(case, "coil-interpret", each, "--function=main", *functions, *inputs,
               *("--output=@" + f for f in files))
    exact = ["--expected-output=@" + f for f in files]
    for mode in MODES if not isForGPU else ():
        expect(case, "coil-run", path(mode + ".mlir"), *functions, *inputs, *outputs,
               "--reference=interp", "--object-cache=" + path("objects"))
    native = ["reuse", "parts", "stack", "stack-parts", *PARTITIONS,
              *("track-" + mode for mode in TRACKED)]
    for each in pick(native, number) if not isForGPU else ():
        expect(case, "coil-run", path(each + ".mlir"), *functions, *inputs, *exact,
               "--object-cache=" + path("objects"))
    for mode in GPU_MODES if gpu else ():
        expect(case, "coil-run", path(f"gpu-{mode}.mlir"), *functions, *inputs, *outputs,
               "--reference=interp", "--target=cuda:sm_90", "--library=none", env=gpu)
    if gpu:
        expect(case, "coil-run", path("gpu-part.mlir"), *functions, *inputs, *outputs, "--iterations=4",
               "--cuda-graphs=16", "--target=cuda:sm_90", "--library=none", env=gpu)

@functools.cache
def modules_of_python():
    """What runs emitted modules, on the stand-in for torch. Imported once, before
    processes fork that run them."""
    sys.dont_write_bytecode = True
    sys.path[1:1] = [os.path.join(os.path.dirname(args.bin), "python"),
                     os.path.join(folder, "standin")]
    return importlib.import_module("run_python")


def run_python(programs, *options, env=os.environ):
    """Emits programs as Python, and runs the cases in what came out."""
    global runs
    modules = []
    for program in programs:
        modules.append(path(program + ".py"))
        need("coil-translate", "--wrapper-to-python", path(program + ".mlir"), "-o", modules[-1])
        # Text follows the order of the ops, and names the source of each (F17, F58).
        steps = [number for number, line in enumerate(open(path(program + ".mlir")), 1)
                 if re.search(r"^ *(%\S+ = )?wrapper\.(launch|launch_user|contraction|convolution|attention|sort|"
                              r"extern_call|extern_call_out|object_call|scatter_fallback|index_put_fallback|collective|wait) ", line)]
        named = [int(n) for n in re.findall(r"^ +# .*:(\d+)$", open(modules[-1]).read(), re.M)]
        if named != steps:
            sys.exit(f"{modules[-1]}: the steps are those of lines {named}, expected {steps}")
    runs += 1
    runner = modules_of_python()
    status, text = tools.call(lambda: runner.main([*options, *modules], cases),
                              dict(env, COIL_TEST_FUNCTIONS=library))
    if status != 0:
        sys.exit(f"{' '.join(modules)}: status {status}\n{text}")


if not isForGPU:
    run_python((*MODES, *PARTITIONS, "track-reuse"))
if gpu:
    run_python(["gpu-" + mode for mode in GPU_MODES], "--device=cuda:0", env=gpu)
print(f"{len(cases)} cases, {runs} runs")
