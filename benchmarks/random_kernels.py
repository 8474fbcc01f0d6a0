#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random fusions: Coil beside PyTorch eager and TorchInductor in one run, on a GPU or the CPU.

    benchmarks/random_kernels.py --seed=7 --count=100 --worst=10 --json=random.json
    benchmarks/random_kernels.py --device=cpu --bytes=1M:256M --seed=7 --count=40
    benchmarks/random_kernels.py --check --seed=7 --count=200            # no timing: small sizes, results only
    benchmarks/random_kernels.py --compile=cuda:sm_80,cuda:sm_90a,cpu:x86-64-v3 --seed=7 --count=1000  # no device: compile only
    benchmarks/random_kernels.py --traffic=cuda:sm_90a --seed=7 --count=300 --jobs=2  # no device: kernels and the bytes that they move
    benchmarks/random_kernels.py --merge a.json b.json --write=benchmarks/results/random.md

The programs are those of `random_programs.py`: ten classes in turn, or those of --class; with --programs=chains those of
`random_chains.py`, which become several kernels each. Draw new seeds; a seed that a schedule was tuned for says nothing
about others.

* Results of Coil are compared with eager in double precision; they may err as much as their element type allows, or twice
  as much as eager itself. A program whose result is wrong, or that does not compile, counts as failed and is listed.
* Times are medians (with --least, the least) of calls that are interleaved with the others', after a call of each. On a GPU a buffer as large as the
  L2 cache is read before each call (cold), and the host's time is hidden behind a kernel that waits. --graphs captures calls
  in a row in one CUDA graph and times its replays (warm).
* The bound is the larger of the least bytes (see `random_programs.py`) over the bandwidth of a copy measured in the same run and
  the operations over the rate of the units that do them (each operator counts as its instructions on one lane, of which a GPU has 128
  in each multiprocessor; where the clock is not known, and on the CPU, only bytes count). What is read again after a reduction
  counts once more where a group does not fit in the shared memory of all multiprocessors, or in the CPU's last cache.
* --compile needs no memory for tensors: programs of full size are exported with fake ones and compiled for each target by
  coil-compile, in processes of their own. What does not compile is listed, and a status that is not 0 ends the script with 1.
* --traffic needs no device either: it counts the kernels of each program and the bytes that they move against the bound, as
  `random_traffic.py` says, and lists the programs whose kernels move most in excess of it.
* --profile times each kernel instead, as `random_profile.py` says, and lists those that lose most against the bytes that they move.
* --dynamic compiles each program once with symbolic sizes, Inductor with dynamic=True, and times both with the largest dimension at
  1/16, 1/4, 1, 4 and 16 times its length, as far as memory allows. Programs whose text names sizes are left out.
"""
import argparse
import collections
import concurrent.futures
import datetime
import gc
import json
import logging
import math
import multiprocessing
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch._inductor import metrics

import random_chains
import random_profile
import random_programs
import random_traffic
from random_programs import Module
from random_traffic import deciles

PROGRAMS = {"kernels": random_programs, "chains": random_chains}
CLASSES = random_programs.CLASSES + random_chains.CLASSES

# Clock cycles for which a kernel waits, so that launches of a call are in the queue when it starts: about a millisecond.
WAIT_CYCLES = 2_000_000
# Calls of a CUDA graph: to launch a graph takes the host as long as some small kernels take the device.
GRAPH_CALLS = 100
SCALES = (1 / 16, 1 / 4, 1, 4, 16)
# Elements that a comparison may decide either way: operands that differ by less than their rounding errors, eight ulp
# of f32, are about 1e-6 of normal numbers.
DECIDED = 1e-6
# Relative errors by element type: four roundings of its significand.
RELATIVE = {torch.bfloat16: 4 * 2**-8, torch.float16: 4 * 2**-11, torch.float32: 1e-5, torch.float64: 1e-12}


def as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


class Device:
    """What differs between a GPU and the CPU."""

    def __init__(self, name, options, graphs, least=False):
        self.name = name
        self.summary = min if least else statistics.median
        self.graphs = graphs
        self.options = options or ("target=cuda" if name == "cuda" else "target=cpu")
        if name == "cuda":
            self.properties = torch.cuda.get_device_properties()
            self.multiprocessors = self.properties.multi_processor_count
            self.on_chip = self.multiprocessors * self.properties.shared_memory_per_block_optin
            clock = getattr(self.properties, "clock_rate", 0) * 1e3
            self.rate = self.multiprocessors * 128 * clock if clock else None
            self.flush = torch.empty(self.properties.L2_cache_size, device="cuda", dtype=torch.uint8)
            self.title = torch.cuda.get_device_name()
        else:
            self.multiprocessors = os.cpu_count()
            self.on_chip = last_cache()
            self.rate = None
            self.title = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
            self.title += f", {torch.get_num_threads()} threads"

    def synchronize(self):
        if self.name == "cuda":
            torch.cuda.synchronize()

    def bandwidth(self):
        """Bytes read and written in a second by a copy of 1 GiB, on the CPU of 64 MiB."""
        n = 1 << (28 if self.name == "cuda" else 24)
        source, target = torch.randn(n, device=self.name), torch.zeros(n, device=self.name)
        return 8 * n / self.times({"copy": self.capture(lambda: target.copy_(source))}, 21)["copy"]

    def times(self, functions, repeat):
        """Seconds of each function, interleaved."""
        samples = {name: [] for name in functions}
        for f in functions.values():
            f(), f()
        self.synchronize()
        for _ in range(repeat):
            for name, f in functions.items():
                if self.name == "cuda":
                    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
                    if self.graphs:
                        begin.record()
                        f()
                        end.record()
                    else:
                        self.flush.sum()
                        torch.cuda._sleep(WAIT_CYCLES)
                        begin.record()
                        result = f()
                        end.record()
                        del result
                    samples[name].append((begin, end))
                else:
                    f()
                    begin = time.perf_counter()
                    result = f()
                    samples[name].append(time.perf_counter() - begin)
                    del result
        self.synchronize()
        if self.name == "cuda":
            calls = GRAPH_CALLS if self.graphs else 1
            return {n: self.summary(b.elapsed_time(e) for b, e in s) / 1e3 / calls for n, s in samples.items()}
        return {n: self.summary(s) for n, s in samples.items()}

    def call(self, program, inputs):
        """A function that calls a program of Coil."""
        if self.name != "cuda":
            return lambda: program(*inputs)
        if self.graphs:
            return self.capture(lambda: program.run(*inputs, stream=torch.cuda.current_stream().cuda_stream, like=torch.Tensor))
        stream = torch.cuda.current_stream().cuda_stream
        return lambda: program.run(*inputs, stream=stream)

    def capture(self, function):
        """A function that replays calls of `function`, so many that the host's time for one graph is small beside them."""
        if not self.graphs:
            return function
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            function()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            for _ in range(GRAPH_CALLS):
                graph.result = function()

        def replay():
            graph.replay()
            return graph.result

        return replay


def last_cache():
    """Bytes of the largest cache that the system tells of."""
    sizes = [0]
    for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text().strip()
        sizes.append(int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[text[-1]])
    return max(sizes)


def empty_like(t):
    """A tensor with the layout and device of `t`, and as far behind the beginning of its storage. What an operator gives may differ by
    device: on a GPU a layer norm of bf16 has its mean in f32, on the CPU in bf16."""
    end = 1 + sum((n - 1) * stride for n, stride in zip(t.shape, t.stride())) if t.numel() else 0
    storage = torch.empty(t.storage_offset() + end, dtype=t.dtype, device=t.device)
    return storage.as_strided(t.shape, t.stride(), t.storage_offset())


def export(program, inputs, other, folder):
    """The program as a file, for inputs like these, which begin where these begin; sizes that differ in `other` are symbols."""
    like = tuple(empty_like(t) for t in inputs)
    shapes = None
    if other:
        auto = torch.export.Dim.AUTO
        shapes = (tuple({d: auto for d in range(t.dim()) if t.shape[d] != o.shape[d]} for t, o in zip(inputs, other)),)
    path = os.path.join(folder, "program.pt2")
    torch.export.save(torch.export.export(Module(program.traced(like)), like, dynamic_shapes=shapes), path)
    return path


def errors(actual, exact, decided=0, floor=1e-30):
    """The largest error of an element over the size of the results around it, but for the part `decided` of the elements."""
    if actual.shape != exact.shape:
        return math.inf
    if not exact.dtype.is_floating_point:
        return float((actual != exact).double().mean()) if exact.numel() else 0.0
    actual = actual.double()
    if not torch.equal(torch.isfinite(actual), torch.isfinite(exact)):
        return math.inf
    scale = exact.abs() + exact.square().mean().sqrt() + floor
    if not exact.numel():
        return 0.0
    error = ((actual - exact).abs() / scale).nan_to_num(0.0).flatten()
    return float(error.topk(1 + int(decided * error.numel())).values[-1])


def compare(program, inputs, actual, expected, inductor=None):
    """What is wrong with results, or nothing. They may err as eager mode's, and as Inductor's where it is there: where the difference of
    two equal values is read, what a product without a rounding leaves of it is anything."""
    wide = tuple(t.double() if t.is_floating_point() else t for t in inputs)
    wrong = compare_with(program, as_tuple(program.function(wide=True)(*wide)), actual, expected, inductor)
    if wrong and any(t.is_cuda and t.dtype == torch.float64 for t in expected):
        # Some of eager mode's kernels have constants of less precision than f64 on GPUs: the sixth of hardswish.
        exact = program.function(wide=True)(*(t.cpu() for t in wide))
        wrong = compare_with(program, tuple(t.to(inputs[0].device) for t in as_tuple(exact)), actual, expected, inductor)
    return wrong


def compare_with(program, exact, actual, expected, inductor):
    """The same, where the exact results are known."""
    decided = program.decided or (DECIDED if "torch.where(" in program.source() else 0)
    for i, (a, e, x, other) in enumerate(zip(actual, expected, exact, inductor or expected)):
        if a.dtype != e.dtype:
            return f"result {i} is {a.dtype} instead of {e.dtype}"
        if not e.dtype.is_floating_point:
            # Quantised results may fall on either side of a rounding.
            wrong = float(((a.double() - e.double()).abs() > 1).double().mean()) if e.numel() else 0
            if wrong > 0:
                return f"result {i}: {wrong:.2%} of the elements are wrong"
            continue
        x = x.to(e.dtype).double()
        ours, theirs = errors(a, x, decided, program.floor), max(errors(t, x, 0, program.floor) for t in (e, other))
        if not ours <= max(program.factor * theirs, RELATIVE[e.dtype]):
            return f"result {i} is off by {ours:.2e}, eager by {theirs:.2e}"
    return None


def measure(program, device, args, others=None):
    """Figures of a program."""
    import coil

    record = {"name": program.name, "class": program.kind, "reproducer": program.reproducer(), "device": device.title}
    inputs = program.make(device.name, args.seed)
    function = program.traced(inputs)
    expected = as_tuple(function(*inputs))
    record["bytes"] = program.minimal_bytes(inputs, expected, device.on_chip)
    largest = max(t.numel() for t in inputs + expected)
    record["operations"] = largest * program.operations
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = export(program, inputs, others and others[1][1].make("cpu", args.seed), folder)
        except Exception as error:  # Whatever torch says.
            record["skipped"] = "torch.export: " + str(error).strip().splitlines()[0][:200]
            return [record]
        begin = time.perf_counter()
        try:
            compiled = coil.compile(path, options=device.options)
        except coil.CoilError as error:
            # Places in this repository as they are called there.
            text = str(error).replace(f"{pathlib.Path(__file__).resolve().parent.parent}/", "")
            record["failed"] = "compile: " + " / ".join(text.strip().splitlines()[:3])
            return [record]
        record["coil compile"] = time.perf_counter() - begin
        if args.profile:
            steps = random_profile.read_steps(path, compiler(), device.options.split("target=")[1].split()[0])
        tuned = None
        if args.tune and not args.check:
            begin = time.perf_counter()
            tuned = tune(path, device, args, record)
            record["tune"] = time.perf_counter() - begin
    inductor = theirs = None
    if not args.no_inductor and not args.check:
        torch._dynamo.reset()
        begin = time.perf_counter()
        metrics.reset()
        inductor = torch.compile(function, dynamic=bool(others))
        try:
            theirs = as_tuple(inductor(*inputs))
        except Exception as error:  # What Inductor cannot do is no matter of ours.
            record["inductor failed"] = str(error).strip().splitlines()[0][:200]
            inductor = None
        record["inductor compile"] = time.perf_counter() - begin
        record["inductor bytes"], record["inductor kernels"] = metrics.num_bytes_accessed, metrics.generated_kernel_count
    records = []
    for scale, variant in others or [(1, program)]:
        one = dict(record)
        if others:
            one["scale"] = scale
            inputs = expected = None
            try:
                inputs = variant.make(device.name, args.seed)
                expected = as_tuple(function(*inputs))
            except torch.OutOfMemoryError:
                continue
            one["bytes"] = variant.minimal_bytes(inputs, expected, device.on_chip)
        try:
            actual = device.call(compiled, inputs)()
            device.synchronize()
            actual = tuple(torch.from_dlpack(t) for t in as_tuple(actual))
            if args.damage:
                actual = tuple(t.logical_not() if t.dtype == torch.bool else t * 1.25 + 3 for t in actual)
            wrong = compare(variant, inputs, actual, expected, None if others else theirs)
            if args.schedules and not wrong:
                with tempfile.TemporaryDirectory() as folder:
                    path = export(variant, inputs, None, folder)
                    wrong = check_schedules(variant, path, inputs, expected, device, args, one)
        except coil.CoilError as error:
            wrong = "run: " + " / ".join(str(error).strip().splitlines()[:3])
        actual = None
        if wrong:
            one["failed"] = wrong
            records.append(one)
            continue
        if args.profile:
            launches = random_profile.profile(device.call(compiled, inputs), device.flush.sum, args.repeat)
            one["kernels"] = random_profile.join(launches, steps)
            if inductor is not None:
                one["inductor launches"] = random_profile.profile(lambda: inductor(*inputs), device.flush.sum, args.repeat)
        elif not args.check:
            functions = {"coil": device.call(compiled, inputs), "eager": device.capture(lambda: function(*inputs))}
            if inductor is not None:
                functions["inductor"] = device.capture(lambda: inductor(*inputs))
            if tuned:
                wrong = compare(variant, inputs, tuple(torch.from_dlpack(t) for t in as_tuple(device.call(tuned, inputs)())), expected)
                if wrong:
                    one["failed"] = f"tuned: {wrong}"
                    records.append(one)
                    continue
                functions["tuned"] = device.call(tuned, inputs)
            one.update(device.times(functions, args.repeat))
        records.append(one)
    return records


def check_schedules(program, path, inputs, expected, device, args, record):
    """Runs variants of a program whose kernels have schedules drawn at random; returns what is wrong, or None."""
    import coil

    def tool(name, *arguments):
        done = subprocess.run([os.path.join(args.bin, name), *arguments], capture_output=True, text=True)
        if done.returncode:
            raise coil.CoilError(done.stderr.strip())
        return done.stdout

    target = [f"--{option}" for option in device.options.split()]
    host = os.path.join(os.path.dirname(path), "host.mlir")
    other = os.path.join(os.path.dirname(path), "other.mlir")
    pathlib.Path(host).write_text(tool("coil-compile", path, "--to=wrapper", *target))
    for number in range(args.schedules):
        seed = f"{args.seed}{number:03}"
        pathlib.Path(other).write_text(tool("coil-opt", host, f"--test-coil-draw-schedules=seed={seed}"))
        try:
            compiled = coil.compile(other, options=device.options)
        except coil.CoilError as error:
            # A schedule that does not go with its kernel, which the lowering has to say.
            if all("'loop.kernel' op " in line for line in str(error).splitlines()):
                record["refused"] = record.get("refused", 0) + 1
                continue
            return f"schedules of seed {seed}: compile: {error}"
        record["scheduled"] = record.get("scheduled", 0) + 1
        try:
            actual = device.call(compiled, inputs)()
            device.synchronize()
            wrong = compare(program, inputs, tuple(torch.from_dlpack(t) for t in as_tuple(actual)), expected)
        except coil.CoilError as error:
            wrong = "run: " + " / ".join(str(error).strip().splitlines()[:3])
        if wrong:
            if args.keep:
                shutil.copy(other, os.path.join(args.keep, f"{program.name.replace('/', '-')}-{seed}.mlir"))
            return f"schedules of seed {seed}: {wrong}"
    return None


def tune(path, device, args, record):
    """Measures the kernels of a program (coil-tune), and compiles it with the records."""
    import coil

    command = [os.path.join(args.bin, "coil-tune"), path, f"--records={args.tune}", *(f"--{option}" for option in device.options.split())]
    done = subprocess.run(command, capture_output=True, text=True)
    record["tuning"] = done.stdout + done.stderr
    if done.returncode:
        raise RuntimeError(f"coil-tune: {done.stderr}")
    return coil.compile(path, options=f"{device.options} tuning-records={args.tune}")


def compiler():
    from coil._tools import find

    return find("coil-compile")


def compile_for(program, targets, args):
    """Compiles a program for targets, and returns what failed by target."""
    failures = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.pt2")
        try:
            random_traffic.export_fake(program, None, args.seed, path)
        except Exception as error:  # Whatever torch says.
            return {"export": str(error).strip().splitlines()[0][:200]}
        for target in targets:
            try:
                run = subprocess.run([compiler(), path, f"--target={target}", "-o", os.path.join(folder, "program.coilpkg")],
                                     capture_output=True, text=True, timeout=120, check=False)
            except subprocess.TimeoutExpired:
                failures[target] = "takes more than 120 s"
                continue
            if run.returncode:
                lines = [line for line in run.stderr.splitlines() if "error" in line] or run.stderr.splitlines()[-1:]
                failures[target] = f"status {run.returncode}: " + " / ".join(lines[:2])[:300]
    return failures


def compile_all(args):
    """Without a device: whether the programs compile."""
    targets, bad, skipped = args.compile.split(","), 0, 0
    for index in range(args.first, args.first + args.count):
        # An H100's multiprocessors.
        program = PROGRAMS[args.programs].draw(args.seed, index, *args.bytes, args.kind, 132)
        failures = compile_for(program, targets, args)
        skipped += "export" in failures
        bad += "export" not in failures and bool(failures)
        for target, what in failures.items():
            print(f"{program.name}: {target}: {what}", flush=True)
            if args.reproducers:
                print(program.reproducer(), flush=True)
    print(f"{args.count} programs, {skipped} not exported, {bad} do not compile for {', '.join(targets)}")
    return 1 if bad or skipped == args.count else 0


def count_traffic(args, index):
    """The figures of a program's kernels; with --dynamic its sizes are symbols."""
    # An H100's multiprocessors.
    program, other = (PROGRAMS[args.programs].draw(args.seed, index, *args.bytes, args.kind, 132, scale) for scale in (1, 1 / 4))
    if args.dynamic and other.lines != program.lines:
        return None
    return random_traffic.count_traffic(program, other if args.dynamic else None, compiler(), args.traffic, args.seed)


def count_all_traffic(args):
    """Without a device: how many kernels each program becomes, and what they move."""
    indices = range(args.first, args.first + args.count)
    with concurrent.futures.ProcessPoolExecutor(max(1, args.jobs), multiprocessing.get_context("spawn")) as pool:
        records = [r for r in pool.map(count_traffic, [args] * args.count, indices) if r]
    print(random_traffic.summarise(records, args.worst, args.reproducers))
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"records": records}, indent=1))
    return 1 if any("failed" in r for r in records) else 0


def bound(record, bandwidth, rate):
    by_bytes = record["bytes"] / bandwidth
    return max(by_bytes, record["operations"] / rate) if rate else by_bytes


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summarise(run, worst):
    """The tables of a run as Markdown."""
    records = run["records"]
    timed = [r for r in records if "coil" in r]
    both = [r for r in timed if "inductor" in r]
    lines = [
        f"{run['date']}, {run['title']}, torch {run['torch']}, Coil {run['coil']}; copy {run['bandwidth'] / 1e9:.0f} GB/s. {len(records)} measurements, "
        f"{sum('failed' in r for r in records)} failed, {sum('skipped' in r for r in records)} not exported.",
        "",
        "    " + run["command"],
        "",
        "Times Inductor's speed, and fraction of the bound. Deciles go from the worst to the best.",
        "",
        "| class | programs | failed | vs Inductor (geometric mean) | below 0.95 | worst | fraction of bound, Coil | Inductor |",
        "|---|---|---|---|---|---|---|---|",
    ]

    def row(title, chosen):
        pairs = [r for r in chosen if "inductor" in r and "coil" in r]
        ratios = [r["inductor"] / r["coil"] for r in pairs]
        share = lambda key: geometric_mean([bound(r, run["bandwidth"], run["rate"]) / r[key] for r in chosen if key in r])
        return (
            f"| {title} | {len(chosen)} | {sum('failed' in r for r in chosen)} | {geometric_mean(ratios):.2f} | {sum(x < 0.95 for x in ratios)} "
            f"| {min(ratios, default=float('nan')):.2f} | {share('coil'):.2f} | {share('inductor'):.2f} |"
        )

    lines.append(row("all", records))
    lines += [row(f"`{c}`", [r for r in records if r["class"] == c]) for c in CLASSES if any(r["class"] == c for r in records)]
    if any("scale" in r for r in records):
        lines += [row(f"{s} x", [r for r in records if r.get("scale") == s]) for s in SCALES]
    lines += ["", "Deciles, times Inductor: " + deciles([r["inductor"] / r["coil"] for r in both]),
              "", "Deciles, fraction of the bound: " + deciles([bound(r, run["bandwidth"], run["rate"]) / r["coil"] for r in timed])]
    tuned = [r for r in timed if "tuned" in r]
    if tuned:
        gains = [r["coil"] / r["tuned"] for r in tuned]
        lines += ["", f"Tuned: {geometric_mean(gains):.3f} times the untuned speed in the geometric mean of {len(gains)}, below 0.97: "
                  f"{sum(g < 0.97 for g in gains)}; {sum(r['tune'] for r in tuned):.0f} s of tuning. Deciles: " + deciles(gains)]
    order = sorted(both, key=lambda r: r["inductor"] / r["coil"])[:worst]
    if order:
        lines += ["", "| worst | Coil us | Inductor us | bound us | times Inductor |", "|---|---|---|---|---|"]
        for r in order:
            lines.append(
                f"| `{r['name']}`{' at %g x' % r['scale'] if 'scale' in r else ''} | {r['coil'] * 1e6:.1f} | {r['inductor'] * 1e6:.1f} "
                f"| {bound(r, run['bandwidth'], run['rate']) * 1e6:.1f} | {r['inductor'] / r['coil']:.3f} |"
            )
    failed = [r for r in records if "failed" in r]
    if failed:
        lines += ["", "Failed:", ""] + [f"* `{r['name']}`: {r['failed']}" for r in failed[:40]]
    reasons = collections.Counter(r["skipped"] for r in records if "skipped" in r)
    if reasons:
        lines += ["", "Not exported:", ""] + [f"* {n} x {why}" for why, n in reasons.most_common(10)]
    return "\n".join(lines) + "\n", order + failed[:worst]


def count_inductor_bytes():
    """Lets Inductor count the bytes of its kernels, and say nothing."""
    from torch._inductor import compile_fx

    compile_fx.inductor_metrics_log.setLevel(logging.INFO)
    compile_fx.inductor_metrics_log.propagate = False


def warm_up(args, indices):
    """Compiles the programs of `indices` with Inductor in a process of its own, which fills its cache on disk."""
    for index in indices:
        program = PROGRAMS[args.programs].draw(args.seed, index, *args.bytes, args.kind, torch.cuda.get_device_properties().multi_processor_count)
        try:
            torch._dynamo.reset()
            inputs = program.make("cuda", args.seed)
            torch.compile(program.traced(inputs), dynamic=args.dynamic)(*inputs)
        except Exception:  # The measuring process meets it again and says so.
            pass
        gc.collect()
        torch.cuda.empty_cache()


def parse_bytes(text):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    low, high = (int(float(part.rstrip("KMG")) * unit.get(part[-1], 1)) for part in text.split(":"))
    return low, high


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time")
    parser.add_argument("--first", type=int, default=0, help="the first program's number")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--programs", choices=PROGRAMS, default="kernels", help="one fused operation each (the default), or chains of several kernels")
    parser.add_argument("--class", dest="kind", choices=CLASSES)
    parser.add_argument("--bytes", type=parse_bytes, help="all tensors of a program, as in 64M:1G (the default; with --check 2K:64K)")
    parser.add_argument("--dynamic", action="store_true", help="symbolic sizes, measured far from the example")
    parser.add_argument("--graphs", action="store_true", help="replays of CUDA graphs, warm caches")
    parser.add_argument("--check", action="store_true", help="compare results and time nothing")
    parser.add_argument("--compile", metavar="TARGETS", help="compile for targets, separated by commas, and run nothing")
    parser.add_argument("--traffic", metavar="TARGET", help="count the kernels of each program for a target and the bytes that they move, and run nothing")
    parser.add_argument("--profile", action="store_true", help="time each kernel of the programs instead of whole calls (a GPU)")
    parser.add_argument("--schedules", type=int, default=0, help="with --check: variants of each program with random schedules")
    parser.add_argument("--bin", default="build/bin", help="where the tools are, for --schedules and --tune (default: build/bin)")
    parser.add_argument("--keep", metavar="FOLDER", help="where host programs with schedules that fail go")
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--least", action="store_true", help="the least of the times in place of the median, where other processes run beside")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no program after this time")
    parser.add_argument("--jobs", type=int, default=0, help="processes that fill Inductor's cache before, or that compile for --traffic")
    parser.add_argument("--warm", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--damage", action="store_true", help="change each result of Coil, to see that --check notices")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--tune", metavar="RECORDS", help="also tune each program into this file, and time it with the records")
    parser.add_argument("--options", default="", help="pipeline options for Coil")
    parser.add_argument("--worst", type=int, default=10, help="how many of the slowest to list")
    parser.add_argument("--reproducers", action="store_true", help="print the text of those")
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--merge", nargs="+", metavar="FILE", help="summarise runs of one machine instead of measuring")
    parser.add_argument("--write", metavar="FILE", help="put the summary in front of this file's others")
    args = parser.parse_args()
    if args.kind and args.kind not in PROGRAMS[args.programs].CLASSES:
        parser.error(f"--programs={args.programs} has no class '{args.kind}' (it has {', '.join(PROGRAMS[args.programs].CLASSES)})")
    args.bytes = args.bytes or ((2 << 10, 64 << 10) if args.check else (64 << 20, 1 << 30))
    return args


def write(path, text):
    """Adds a summary below the first heading of a page, newest first."""
    path = pathlib.Path(path)
    page = path.read_text() if path.exists() else "# Random fusions\n"
    head, _, rest = page.partition("\n")
    path.write_text(f"{head}\n\n## {text.splitlines()[0].split('. ')[0]}\n\n{text}{rest}")


def main():
    args = parse()
    if args.compile:
        return compile_all(args)
    if args.traffic:
        return count_all_traffic(args)
    if args.merge:
        runs = [json.loads(pathlib.Path(f).read_text()) for f in args.merge]
        run = dict(runs[0], records=[r for one in runs for r in one["records"]])
        run["command"] = "; ".join(one["command"] for one in runs)
    else:
        begin = time.perf_counter()
        count_inductor_bytes()
        if args.warm is not None:
            warm_up(args, range(args.first + args.warm, args.first + args.count, args.jobs))
            return 0
        if args.jobs and not args.no_inductor:
            # The bytes that its kernels move are kept in its cache.
            command = [sys.executable, *sys.argv]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                list(pool.map(lambda k: subprocess.run(command + [f"--seed={args.seed}", f"--warm={k}"], check=False,
                                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), range(args.jobs)))
            print(f"Inductor's cache filled in {time.perf_counter() - begin:.0f} s", flush=True)
        import coil

        torch.manual_seed(args.seed)
        device = Device(args.device, args.options, args.graphs, args.least)
        run = {
            "date": str(datetime.date.today()),
            "title": device.title,
            "torch": torch.__version__,
            "coil": coil.version(),
            "bandwidth": 1.0 if args.check else device.bandwidth(),
            "rate": device.rate,
            "command": " ".join(["benchmarks/random_kernels.py", f"--seed={args.seed}", *(a for a in sys.argv[1:] if not a.startswith(("--seed", "--json", "--write")))]),
            "records": [],
        }
        for index in range(args.first, args.first + args.count):
            if time.perf_counter() - begin > args.seconds:
                print(f"stopped before program {index}: the time is up")
                break
            make = lambda scale=1: PROGRAMS[args.programs].draw(args.seed, index, *args.bytes, args.kind, device.multiprocessors, scale)
            program, others = make(), None
            if args.dynamic:
                others = [(scale, make(scale)) for scale in SCALES]
                if any(p.lines != program.lines for _, p in others):
                    continue
            try:
                records = measure(program, device, args, others)
            except torch.OutOfMemoryError as error:
                records = [{"name": program.name, "class": program.kind, "reproducer": program.reproducer(),
                            "skipped": "out of memory: " + str(error).splitlines()[0][:80]}]
            run["records"] += records
            for r in records:
                ratio = f"{r['inductor'] / r['coil']:.2f} x Inductor" if "inductor" in r and "coil" in r else ""
                what = r.get("failed") or r.get("skipped") or (f"{len(r['kernels'])} launches" if "kernels" in r else "agrees" if args.check else f"{r['coil'] * 1e6:.1f} us, {bound(r, run['bandwidth'], run['rate']) / r['coil']:.2f} of the bound")
                if "tuned" in r:
                    ratio += f", tuned {r['coil'] / r['tuned']:.2f} times as fast"
                print(f"{r['name']}: {what} {ratio}", flush=True)
            if args.json:
                pathlib.Path(args.json).write_text(json.dumps(run))
            gc.collect()
            if args.device == "cuda":
                torch.cuda.empty_cache()
    if args.profile and not args.merge:
        print(random_profile.summarise(run["records"], run["bandwidth"], args.worst))
        return 0
    text, order = summarise(run, args.worst)
    print(text)
    if args.schedules:
        print(f"{sum(r.get('scheduled', 0) for r in run['records'])} schedules ran, {sum(r.get('refused', 0) for r in run['records'])} refused")
    if args.reproducers:
        for r in order:
            print(r["reproducer"])
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(run, indent=1))
    if args.write:
        write(args.write, text)
    return 1 if args.check and any("failed" in r for r in run["records"]) else 0


if __name__ == "__main__":
    sys.exit(main())
