#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws random host programs and runs each in the interpreter and in every emitter.

    random_host.py --bin=<folder> --out=<folder> --seed=<n> --count=<n>

A program (random_host/draw.py) is verified and printed and read again, then interpreted as it is: that is what
all else has to give. It runs through wrapper passes in orders drawn at random (`draw_pipeline`), and what comes
out is interpreted, run natively, and emitted. Compared are

* the results, or that the run fails with the same message;
* what the program prints while it runs (`wrapper.debug_value`, `wrapper.debug_mark`), line by line: the order of its
  side effects up to the failure;
* the most bytes that it has allocated at once, between all executors of one plan. A graph of
  torch.fx has no ends of lives, so it is left out there.

`--executors` names the emitters: native, python (on the stand-in for torch), cpp, fx (with --python, a Python that
has torch), gpu (--cuda-sim, the driver of the simulated GPU: natively and as Python, with all buffers there).
Failures are listed with seed and pipeline; --only repeats one program and keeps its files.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import subprocess
import sys

folder = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(folder, "..", "..", "Inputs"), os.path.join(folder, "random_host")]

import tools
from cases import before_planning, on_device, read_cases
from draw import draw
from run_random import read_run

parser = argparse.ArgumentParser()
for option in ("bin", "out", "python", "cxx", "include", "lib", "cuda-sim"):
    parser.add_argument("--" + option)
parser.add_argument("--executors", default="none")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=20)
parser.add_argument("--plans", type=int, default=2)
parser.add_argument("--size", type=int, default=14)
parser.add_argument("--jobs", type=int, default=2)
parser.add_argument("--only", type=int)
parser.add_argument("--sabotage", action="store_true", help="remove one launch from each plan, and count how often that shows")
parser.add_argument("--max-failures", type=int, default=20)
args = parser.parse_args()
if args.only is not None:
    args.seed, args.count, args.max_failures = args.only, 1, 1000
executors = args.executors.split(",")
library = os.path.join(os.path.dirname(args.bin), "lib", "coil-test-functions.so")
has_library = os.path.exists("/usr/lib/x86_64-linux-gnu/libdnnl.so.2")
os.makedirs(args.out, exist_ok=True)


class Failure(Exception):
    pass


# ===------------------------------------------------------------------------===
# Tools
# ===------------------------------------------------------------------------===

def run(tool, *arguments, env=None):
    command = [os.path.join(args.bin, tool), *arguments]
    done = tools.run(command, env=env, timeout=120)
    if done.returncode < 0:
        raise Failure(f"{' '.join(command)}: killed by signal {-done.returncode}\n{done.stderr[-2000:]}")
    done.command = " ".join(command)
    return done


def need(tool, *arguments):
    done = run(tool, *arguments)
    if done.returncode != 0:
        raise Failure(f"{done.command}: status {done.returncode}\n{done.stdout}{done.stderr[-2000:]}")
    return done


def interpret(program, case, outputs):
    done = run("coil-interpret", program, "--function=main", "--peak-bytes", "--functions=" + library,
               *("--input=" + text for text in case["inputs"]), *("--output=@" + f for f in outputs))
    return read_run(done.returncode, done.stdout + done.stderr)


def run_native(program, case, env=None, options=()):
    done = run("coil-run", program, "--functions=" + library, "--opt-level=0", *options,
               *("--input=" + text for text in case["inputs"]),
               *("--expected-output=@" + f for f in case["expected"]), env=env)
    return read_run(done.returncode, done.stdout + done.stderr)


def agree(expected, given, scratch):
    """Whether peaks agree. Libraries have memory of their own in addition, from the run."""
    return given >= expected if scratch else given == expected


def compare(expected, given, what, peaks):
    """Fails unless two runs do the same."""
    if expected["error"] != given["error"]:
        raise Failure(f"{what}: expected {expected['error'] or 'no error'}, got {given['error'] or 'none'}\n{given['text'][-1500:]}")
    if expected["trace"] != given["trace"]:
        raise Failure(f"{what}: other prints: expected\n" + "\n".join(expected["trace"]) + "\ngot\n" + "\n".join(given["trace"]))
    if peaks and expected["error"] is None and not agree(expected["peak"], given["peak"], expected["scratch"]):
        raise Failure(f"{what}: the peak is {given['peak']} bytes, expected {expected['peak']}")


# ===------------------------------------------------------------------------===
# Pipelines
# ===------------------------------------------------------------------------===

def some(rng, passes):
    """A part of a list, in another order."""
    return rng.sample(passes, rng.randint(0, len(passes)))


def draw_pipeline(rng, device="cpu"):
    """Passes of the wrapper level in a legal order: those that work on what is not planned, planning, and those
    that need a plan. Between any two of them memory is verified where it is planned."""
    expand = "wrapper.func(wrapper-expand-workspaces,wrapper-expand-resizes)"
    before = some(rng, ["wrapper-reorder-for-memory", "wrapper-sink-waits", "wrapper-update-inputs", "canonicalize", "cse",
                        "wrapper-insert-profile-marks{calls=true}", "wrapper-use-generator",
                        f"wrapper-recompute-for-memory{{budget={rng.choice((0, 300, 2000))}}}"])
    before.insert(rng.randint(0, len(before)), expand)
    parts = "never"
    if rng.random() < 0.5:
        parts = rng.choice(("functions", "in place"))
        before.append(f"wrapper-partition-graph{{device={device} min-ops={rng.randint(1, 3)} max-ops={rng.choice((0, 2, 5))} "
                      f"whole={rng.choice(('true', 'false'))} peak-percent={rng.choice((0, 110, 200))} "
                      f"late-sizes={rng.choice(('true', 'false'))}}}")
        if parts == "functions":
            before.append("wrapper-outline-partitions")
    mode = rng.choice(("none", "reuse", "pool"))
    plan = (f"wrapper-fit-memory{{budget={rng.choice((20000, 100000))} mode={mode}}}"
            if mode != "none" and rng.random() < 0.1 else f"wrapper-plan-memory{{mode={mode}}}")
    after = some(rng, ["wrapper-drop-in-place", "wrapper-release-inputs", "canonicalize", "cse", "wrapper-annotate-costs",
                       "wrapper-track-lifetimes", "wrapper-hoist-device-guards", "wrapper-assert-alignment{alignment=4}",
                       "wrapper-promote-to-stack{limit=64}", "symbol-dce"])
    # Inputs are released after all that looks at them.
    after.sort(key=lambda step: step == "wrapper-release-inputs")
    verified = [each for step in after for each in (step, "wrapper-verify-memory")]
    return [*before, plan, "wrapper-verify-memory", *verified]


removed, noticed = [], []


def sabotage(rng, planned, cases, output):
    """Removes a launch from a planned program, and notes whether the interpreter shows it."""
    lines = open(planned).read().split("\n")
    launches = [i for i, line in enumerate(lines) if line.strip().startswith("wrapper.launch @")]
    if not launches:
        return
    del lines[rng.choice(launches)]
    open(planned, "w").write("\n".join(lines))
    removed.append(planned)
    for case in cases:
        outputs = [f"{output}.{i}.npy" for i in range(len(case["expected"]))]
        given = interpret(planned, case, outputs)
        same = given["error"] == case["run"]["error"] and given["trace"] == case["run"]["trace"]
        if not same or any(open(a, "rb").read() != open(b, "rb").read() for a, b in zip(case["expected"], outputs)):
            noticed.append(planned)
            return


# ===------------------------------------------------------------------------===
# Programs
# ===------------------------------------------------------------------------===

def prepare(job):
    """Draws, interprets, plans and runs one program; returns what emitters run."""
    seed, gpu = job
    name = f"p{seed}{'_gpu' if gpu else ''}"
    path = lambda suffix: os.path.join(args.out, name + suffix)
    source = draw(seed, size=args.size, gpu=gpu, library=has_library)
    open(path(".mlir"), "w").write(source)
    rng = random.Random(f"{seed} {gpu}")
    pipeline = None
    try:
        need("coil-opt", "--verify-roundtrip", path(".mlir"), "-o", path(".again.mlir"))
        cases = read_cases(source)
        scratch = any(each in source for each in ("wrapper.sort", "wrapper.contraction", "test::check"))
        for number, case in enumerate(cases):
            count = source.rstrip().split("\n")[-2].count("!wrapper.buffer")
            case["expected"] = [path(f".{number}.{i}.npy") for i in range(count)]
            case["run"] = interpret(path(".mlir"), case, case["expected"])
            status = case["run"]["status"]
            if status not in (0, 4):
                raise Failure(f"coil-interpret: status {status}\n{case['run']['text']}")
            case["error"] = case["run"]["error"]
            if case["error"]:
                case["expected"] = []
        todo = []
        for k in range(args.plans):
            plan = f"{name}_{k}"
            base, device = path(".mlir"), "cpu"
            if gpu:
                device = "cuda"
                base = path(".device.mlir")
                open(base, "w").write(on_device(source, "cuda"))
            steps = draw_pipeline(rng, device)
            moved = before_planning(source, "cuda") if gpu else ""
            pipeline = f"builtin.module({moved}{','.join(steps)})"
            planned = path(f"_{k}.mlir")
            need("coil-opt", base, "-o", planned, "--pass-pipeline=" + pipeline)
            if args.sabotage:
                sabotage(rng, planned, cases, path(f"_{k}.wrong.npy"))
                continue
            counts = "promote-to-stack" not in pipeline
            env = dict(os.environ, COIL_CUDA_CACHING="0", COIL_CUDA_DRIVER=args.cuda_sim) if gpu else None
            options = (["--target=cuda:sm_90", "--library=none"] if gpu else
                       ["--time", f"--host-steps={rng.choice((1, 3, 256, 256))}", "--object-cache=" + os.path.join(args.out, "objects")])
            for number, case in enumerate(cases):
                again = [path(f"_{k}.{number}.{i}.npy") for i in range(len(case["expected"]))]
                given = interpret(planned, case, again)
                case[f"peak{k}"] = given["peak"] if counts else None
                compare(case["run"], given, "interpreted after passes", peaks=False)
                for a, b in zip(case["expected"], again):
                    if open(a, "rb").read() != open(b, "rb").read():
                        raise Failure(f"interpreted after passes: {b} differs from {a}")
                if "native" in executors or gpu:
                    compare(dict(case["run"], peak=case[f"peak{k}"], scratch=scratch), run_native(planned, case, env, options), "native",
                            peaks=counts and not gpu)
            emitted = []
            for number, case in enumerate(cases):
                types = [npy_type(f) for f in case["expected"]]
                emitted.append({"inputs": case["inputs"], "expected": case["expected"], "outputs": types,
                                "error": case["error"], "host": [], "second": [],
                                "trace": case["run"]["trace"], "peak": case[f"peak{k}"], "scratch": scratch})
            each = {"name": plan, "seed": seed, "pipeline": pipeline, "cases": emitted, "arrays": False}
            for emitter in ("python", "fx"):
                if emitter in executors:
                    need("coil-translate", "--wrapper-to-" + emitter, planned, "-o", path(f"_{k}.{emitter}.py"))
                    each[emitter] = path(f"_{k}.{emitter}.py")
            if "cpp" in executors and k == 0 and not gpu:
                need("coil-compile", "--emit=cpp", planned, "-o", path(f"_{k}.cpp"))
                each["cpp"] = path(f"_{k}.cpp")
                # A long program has more than one file.
                each["more"] = sorted(glob.glob(path(f"_{k}.*.cpp")))
            todo.append(each)
        if args.only is None:
            for file in os.listdir(args.out):
                if file.startswith(name + ".again") or (file.startswith(name + "_") and re.search(r"_\d+\.\d+\.\d+\.npy$", file)):
                    os.unlink(os.path.join(args.out, file))
        return todo
    except (Failure, subprocess.TimeoutExpired) as error:
        return f"seed {seed}{' on the GPU' if gpu else ''}: {error}\n  pipeline: {pipeline}"


def npy_type(path):
    """The type of an array as coil-run writes it."""
    header = open(path, "rb").read(256)
    descr = re.search(rb"'descr': '([^']*)'", header).group(1).decode()
    sizes = re.findall(r"\d+", re.search(rb"'shape': \(([^)]*)\)", header).group(1).decode())
    return "x".join([*sizes, {"<f4": "f32", "<i4": "i32", "<i8": "i64", "|b1": "i1"}[descr]])


def execute(emitter, programs, *command, env):
    """Runs emitted programs in one process; returns the failures that it lists."""
    if not programs:
        return []
    todo = os.path.join(args.out, emitter + ".json")
    json.dump([dict(each, file=each.get(emitter.partition("-")[0])) for each in programs], open(todo, "w"))
    done = subprocess.run([*command, "--todo=" + todo], capture_output=True, text=True, env=env)
    failures = [line for line in done.stdout.split("\n\0\n") if line.strip()]
    if done.returncode != 0:
        failures.append(f"{emitter}: status {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return failures


def compile_cpp(programs):
    unit, out = (os.path.join(args.out, each) for each in ("all.cpp", "all.so"))
    with open(unit, "w") as file:
        for each in programs:
            file.write(f'#include "{each["cpp"]}"\n')
    more = [path for each in programs for path in each["more"]]
    archives = [each["cpp"][:-4] + "_kernels.a" for each in programs]
    done = subprocess.run([args.cxx, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                           "-I" + args.include, unit, *more, *filter(os.path.exists, archives), "-L" + args.lib,
                           "-lcoil_runtime", "-lm", "-Wl,--no-undefined", "-Wl,-rpath," + args.lib, "-o", out],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return None, [f"c++: {done.stderr[:3000]}"]
    return out, []


def run_chunk(pool, seeds):
    """Runs some programs everywhere; returns how many, and failures."""
    jobs = [(seed, False) for seed in seeds]
    if "gpu" in executors:
        jobs += [(seed, True) for seed in seeds]
    failures, ready = [], []
    for result in pool.map(prepare, jobs):
        (failures.append if isinstance(result, str) else ready.extend)(result)
    on_gpu = [each for each in ready if "_gpu_" in each["name"]]
    on_host = [each for each in ready if "_gpu_" not in each["name"]]
    runner = os.path.join(folder, "run_random.py")
    paths = [os.path.join(os.path.dirname(args.bin), "python")]
    base = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", COIL_TEST_FUNCTIONS=library, PYTHONPATH=paths[0])
    stand_in = dict(base, PYTHONPATH=os.pathsep.join([*paths, os.path.join(folder, "standin")]))
    if "python" in executors:
        failures += execute("python", on_host, sys.executable, runner, env=stand_in)
        failures += execute("python-gpu", on_gpu, sys.executable, runner, "--device=cuda:0",
                            env=dict(stand_in, COIL_CUDA_CACHING="0", COIL_CUDA_DRIVER=args.cuda_sim or ""))
    if "fx" in executors:
        failures += execute("fx", on_host, args.python, runner, env=base)
    if "cpp" in executors:
        programs = [each for each in on_host if "cpp" in each]
        file, errors = compile_cpp(programs)
        failures += errors
        if file:
            failures += execute("cpp", programs, sys.executable, runner, "--library=" + file, env=stand_in)
    return ready, failures


failed, done, errors = 0, 0, 0
with concurrent.futures.ThreadPoolExecutor(args.jobs) as threads:
    for begin in range(args.seed, args.seed + args.count, 50):
        ready, failures = run_chunk(threads, range(begin, min(begin + 50, args.seed + args.count)))
        for text in failures:
            print("FAILED: " + text, flush=True)
        failed += len(failures)
        done += len(ready)
        errors += sum(case["error"] is not None for each in ready for case in each["cases"])
        if failed >= args.max_failures:
            break
        if args.count > 50:
            print(f"... {done} plans, {failed} failures", flush=True)
if args.sabotage:
    print(f"noticed {len(noticed)} of {len(removed)} removed launches")
print(f"{args.count} programs, {done} plans, {errors} runs that fail as they should, {failed} failures")
sys.exit(failed != 0)
