#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What schedules cost against the best that measuring finds, kernel by kernel.

    PYTHONPATH=build/python benchmarks/schedule_regret.py --seed=7 --count=40 --candidates=24 --json=regret.json

The programs are those of `random_programs.py`. Every kernel of a program with `#loop.gpu_schedule<...>` of the
strategies `tile` and `transpose` is timed as decided, by torch's profiler, and with candidates drawn at random from the
fields of the attribute: whole calls are timed, interleaved, with a cold L2 cache, and what a call becomes faster the
kernel does. What the verifiers refuse is no candidate. The results of a candidate have to be those of the decided
schedule. For each kernel: the bytes of its operands and results over
a copy's bandwidth (the bound), the time as decided, the best, and what the best is.

Regret is the decided schedule's time over the best one's; kernels under --least us count for nothing. With --graphs calls
are replayed a hundred at a time from CUDA graphs with warm caches, as `random_kernels.py --graphs` does, and every kernel's time is
the whole call's: what a small kernel costs beside its neighbours is all that can be told.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

import torch

import coil
import random_kernels
from gpu_schedules import SCHEDULE, parse, with_schedules
from random_programs import CLASSES, draw
from random_traffic import bytes_of

KERNEL = re.compile(r'loop\.kernel "[^"]*" \[([^\]]*)\] .*? schedule #loop\.gpu_schedule<((?:[^<>]|<[^<>]*>)*)>')
FUNCTION = re.compile(r"wrapper\.kernel @(\w+)\(")
LAUNCH = re.compile(r"wrapper\.launch @(\w+)\[")
DEFAULTS = {"strategy": "tile", "vector_width": "1", "threads_p": "1", "threads_r": "1", "items_p": "1", "items_r": "1", "cluster": "1"}
# Threads of a block, and elements of one thread: a thread has 255 registers.
MAX_THREADS, MAX_ELEMENTS = 1024, 256


def reduced_dims(kernel):
    """Dimensions that reductions of a kernel go over, not scans."""
    return sorted({int(d) for op, dims in re.findall(r"loop\.(reduce|welford|arg_reduce)\b[^\n]* over \[([\d, ]*)\]", kernel) for d in dims.split(",")})


def reduced_extent(kernel, width):
    """Vectors of so many elements of a row or column, None where sizes are not known."""
    dims = kernel["reduced"]
    if any(kernel["extents"][d] is None for d in dims):
        return None
    along = int(kernel["schedule"].get("vector_dim", -1))
    return math.prod(math.ceil(kernel["extents"][d] / width) if d == along else kernel["extents"][d] for d in dims)


def kernels_of(program):
    """Names, extents, schedules and bytes of the kernels of a host program, in the order of its text."""
    result = []
    for part in program.split("wrapper.kernel ")[1:]:
        found = KERNEL.search(part)
        if found:
            extents = [int(e) if e.strip().isdigit() else None for e in found[1].split(",")]
            result.append({"name": FUNCTION.match("wrapper.kernel " + part)[1], "extents": extents,
                           "schedule": parse(found[2]), "reduced": reduced_dims(part)})
    for kernel in result:
        kernel["bytes"] = 0
        for line in program.splitlines():
            launch = LAUNCH.search(line)
            if launch and launch[1] == kernel["name"]:
                kernel["bytes"] = sum(bytes_of(b, {}) for b in re.findall(r"!wrapper\.buffer<[^>]*>>?", line))
    return result


def without_defaults(schedule):
    return {name: value for name, value in schedule.items() if DEFAULTS.get(name) != value}


def mutate(kernel, rng):
    """Another schedule: some fields of the decided one changed."""
    s = {**DEFAULTS, **kernel["schedule"]}
    power = lambda low, high: str(2 ** rng.randint(low, high))
    if s["strategy"] == "tile" and rng.random() < 0.25 and len(kernel["extents"]) > 1:
        s["vector_dim"] = str(rng.randrange(len(kernel["extents"])))
        s.pop("align_to", None)
    if rng.random() < 0.5:
        s["vector_width"] = power(0, 4)
        s.pop("align_to", None)
    change = rng.random()
    if change < 0.8:
        s["threads_p"], s["items_p"] = power(0, 9), power(0, 3)
        if kernel["reduced"] or s["strategy"] == "transpose":
            s["threads_r"] = power(0, 9)
            s["items_r"] = power(0, 4)
    if kernel["reduced"] and s["strategy"] == "tile":
        s.pop("persistent", None)
        if rng.random() < 0.6:
            s["persistent"] = "true"
            longest = max((e or 1) for e in kernel["extents"])
            vector = int(s["vector_width"])
            choices = [math.ceil(e / v / int(s["threads_r"])) for e in kernel["extents"] + [longest] if e for v in (1, vector)]
            s["items_r"] = str(max(1, rng.choice(choices)))
    s.pop("min_blocks", None)
    if rng.random() < 0.5:
        s["min_blocks"] = power(0, 4)
    if rng.random() < 0.3:
        s.pop("prefetch", None)
    if int(s["threads_p"]) * int(s["threads_r"]) > MAX_THREADS or int(s["items_p"]) * int(s["items_r"]) * int(s["vector_width"]) > MAX_ELEMENTS:
        return None
    return without_defaults(s)


def kernel_times(function, device, repeat):
    """Device seconds of each kernel of a call, by name, with a cold L2 cache."""
    from torch.profiler import ProfilerActivity, profile

    times = collections.defaultdict(list)
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        for _ in range(repeat):
            device.flush.sum()
            function()
        torch.cuda.synchronize()
    for event in prof.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name].append(event.device_time * 1e-6)
    return {name: statistics.median(t) for name, t in times.items()}


def reduction(kernel, rng):
    """Another schedule of a reduction: any shape of a block, rows or columns kept in registers or not."""
    s = {**DEFAULTS, **kernel["schedule"]}
    if s["strategy"] != "tile" or not kernel["reduced"] or "vector_dim" not in s or reduced_extent(kernel, 1) is None:
        return None
    is_row = int(s["vector_dim"]) in kernel["reduced"]
    shared = is_row and rng.random() < 0.3
    for name in ("min_blocks", "prefetch", "persistent", "cluster") + (() if shared else ("align_to",)):
        s.pop(name, None)
    width = int(s["vector_width"]) if "align_to" in s else 2 ** rng.randint(0, 3)
    vectors = reduced_extent(kernel, width)
    threads = 2 ** rng.randint(5, 10)
    threads_r = 2 ** rng.randint(0, 10)
    if threads_r > min(threads, 2 * vectors):
        return None
    items_p = 2 ** rng.randint(0, 2) if is_row else 1
    if shared:
        # Blocks that share a row.
        cluster = 2 ** rng.randint(1, 3)
        threads = threads_r = max(32, threads)
        items_r = math.ceil((vectors + 1) / threads / cluster)
        if items_r * width > 256 or items_r == 1 and cluster > 2:
            return None
        s.update(vector_width=str(width), threads_r=str(threads), threads_p="1", items_p="1", items_r=str(items_r), persistent="true", cluster=str(cluster))
        if rng.random() < 0.5:
            s["min_blocks"] = str(2 ** rng.randint(0, 3))
        return without_defaults(s)
    items_r = math.ceil(vectors / threads_r)
    if items_r * width * items_p <= 64 and rng.random() < 0.75:
        s["persistent"] = "true"
    else:
        items_r = 2 ** rng.randint(0, 3)
    if rng.random() < 0.3:
        s["min_blocks"] = str(2 ** rng.randint(0, 3))
    s.update(vector_width=str(width), threads_r=str(threads_r), threads_p=str(threads // threads_r), items_p=str(items_p), items_r=str(items_r))
    return without_defaults(s)


def another(kernel, rng):
    """Another schedule of a kernel."""
    return (reduction if kernel["reduced"] and rng.random() < 0.75 else mutate)(kernel, rng)


def measure(program, device, args, rng):
    inputs = program.make("cuda", args.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = random_kernels.export(program, inputs, None, folder)
        host = subprocess.run([args.compiler, path, "--target=cuda", "--to=wrapper"], check=True, capture_output=True, text=True).stdout
        kernels = kernels_of(host)
        decided = [parse(text) for text in SCHEDULE.findall(host)]
        labels = {"decided": decided}
        large = [i for i, k in enumerate(kernels) if k["bytes"] > args.least * 1e-6 * device.copy / 4 and
                 k["schedule"].get("strategy", "tile") in ("tile", "transpose")]
        for i in large:
            seen = set()
            for _ in range(args.candidates * 4):
                changed = another(kernels[i], rng)
                key = changed and json.dumps(changed, sort_keys=True)
                if changed and key not in seen and len(seen) < args.candidates:
                    seen.add(key)
                    labels[i, len(seen)] = [changed if j == i else s for j, s in enumerate(decided)]

        def compile_one(label):
            file = os.path.join(folder, f"{label if label == 'decided' else '-'.join(map(str, label))}.mlir")
            pathlib.Path(file).write_text(with_schedules(host, labels[label]))
            try:
                return label, coil.compile(file, options="target=cuda")
            except coil.CoilError:
                return label, None

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            compiled = {label: p for label, p in pool.map(compile_one, labels) if p}
    # Several reductions in other orders differ by roundings.
    def close(a, e):
        if not e.dtype.is_floating_point:
            return (a != e).double().mean().item() < 0.001
        e, a = e.double().nan_to_num(), a.double().nan_to_num()
        return ((a - e).abs() <= 0.05 * (e.abs() + e.square().mean().sqrt() + 1e-6)).all().item()

    functions, wrong = {}, []
    if "decided" not in compiled:
        raise AssertionError("the host program does not compile as it was printed")
    expected = [torch.from_dlpack(t) for t in random_kernels.as_tuple(compiled["decided"](*inputs))]
    for label, p in compiled.items():
        try:
            actual = [torch.from_dlpack(t) for t in random_kernels.as_tuple(p(*inputs))]
            torch.cuda.synchronize()
        except coil.CoilError:
            continue
        if not all(close(a, e) for a, e in zip(actual, expected)):
            wrong.append((label, labels[label][label[0]]))
            continue
        del actual
        functions[label] = device.call(p, inputs)
    del expected
    stream = torch.cuda.current_stream().cuda_stream
    times = kernel_times(lambda: compiled["decided"].run(*inputs, stream=stream), device, args.repeat)
    calls = device.times(functions, args.repeat)
    records = []
    for i, kernel in enumerate(kernels):
        name = kernel["name"]
        if name not in times:
            continue
        if args.graphs:
            times[name] = calls["decided"]
        record = {"program": program.name, "class": program.kind, "kernel": name, "extents": kernel["extents"], "bound": kernel["bytes"] / device.copy,
                  "schedule": kernel["schedule"], "decided": times[name], "candidates": 0,
                  "wrong": [w for w in wrong if w[0][0] == i]}
        launches = sum(launch == name for launch in LAUNCH.findall(host))
        others = [(max(1e-7, times[name] + (call - calls["decided"]) / (1 if args.graphs else launches)), labels[label][i])
                  for label, call in calls.items() if label != "decided" and label[0] == i]
        record["candidates"] = len(others)
        record["all"] = sorted(others, key=lambda x: x[0])
        records.append(record)
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--class", dest="kind", choices=CLASSES)
    parser.add_argument("--candidates", type=int, default=24, help="schedules for each kernel")
    parser.add_argument("--least", type=float, default=20, help="microseconds of a kernel that counts")
    parser.add_argument("--bytes", type=random_kernels.parse_bytes, default=(64 << 20, 1 << 30), help="all tensors of a program, as in 64M:1G (the default)")
    parser.add_argument("--graphs", action="store_true", help="replays of CUDA graphs, warm caches")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--compiler", default="build/bin/coil-compile")
    parser.add_argument("--json")
    args = parser.parse_args()
    begin = time.perf_counter()
    device = random_kernels.Device("cuda", "", False)
    device.copy = device.bandwidth()
    device.graphs = args.graphs
    rng = random.Random(args.seed)
    records = []
    for index in range(args.first, args.first + args.count):
        if time.perf_counter() - begin > args.seconds:
            print(f"stopped before program {index}: the time is up")
            break
        program = draw(args.seed, index, *args.bytes, args.kind, device.multiprocessors)
        try:
            found = measure(program, device, args, rng)
        except (coil.CoilError, subprocess.CalledProcessError, torch.OutOfMemoryError, AssertionError, RuntimeError, torch._dynamo.exc.TorchDynamoException) as error:
            print(f"{program.name}: {str(error).splitlines()[0][:150]}", flush=True)
            continue
        finally:
            torch.cuda.empty_cache()
        for r in found:
            best = min([r["decided"]] + [t for t, _ in r["all"]])
            print(f"{r['program']} {r['kernel'][:40]} {r['extents']}: {r['decided'] * 1e6:.1f} us, {r['bound'] / r['decided']:.2f} of the bound, "
                  f"regret {r['decided'] / best:.2f} of {r['candidates']}; {r['schedule']}" + (f" -> {r['all'][0][1]}" if best < 0.95 * r["decided"] else "")
                  + (f" WRONG {r['wrong'][:2]}" if r["wrong"] else ""), flush=True)
        records += found
        if args.json:
            pathlib.Path(args.json).write_text(json.dumps(records))
    counted = [r for r in records if r["decided"] * 1e6 >= args.least and r["candidates"]]
    regrets = sorted(r["decided"] / min([r["decided"]] + [t for t, _ in r["all"]]) for r in counted)
    if regrets:
        at = lambda q: regrets[min(len(regrets) - 1, int(q * len(regrets)))]
        print(f"{datetime.date.today()}, {device.title}, copy {device.copy / 1e9:.0f} GB/s: {len(regrets)} kernels, "
              f"{statistics.mean(r['candidates'] for r in counted):.0f} candidates each; regret median {at(0.5):.2f}, 95th percentile {at(0.95):.2f}, worst {regrets[-1]:.2f}")
        shares = [r["bound"] / r["decided"] for r in counted]
        print("fraction of the bound, deciles: " + random_kernels.deciles(shares))


if __name__ == "__main__":
    main()
