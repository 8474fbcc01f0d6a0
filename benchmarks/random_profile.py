"""Which kernels of random programs take longer than what they move and compute: times of each kernel in a whole call.

`random_kernels.py --profile` compiles each program, calls it a few times with the L2 cache emptied before each call, and reads the times of
kernels from PyTorch's profiler (CUPTI), by name. The bytes and operations of each step are those that its host program states
(`coil-compile --to=wrapper --costs`). A step of a library is none of the kernels and listed by the names of what it launches, without a cost.
"""
import collections
import math
import re
import statistics
import subprocess

import torch

from random_traffic import deciles, evaluate

STEP = re.compile(r"wrapper\.launch @(\w+).*#wrapper\.cost<bytes = <(.*?)>, flops = <(.*?)>>")


def read_steps(path, tool, target):
    """The kernels of a program in their order: name, bytes, operations."""
    command = [tool, path, f"--target={target}", "--to=wrapper", "--costs", "--partitions=off", "-o", "-"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    body = re.search(r"^  wrapper\.func @main\(.*?^  }", run.stdout, re.DOTALL | re.MULTILINE).group()
    found = [STEP.search(line) for line in body.splitlines()]
    return [(m.group(1), evaluate(m.group(2), {}), evaluate(m.group(3), {})) for m in found if m]


def profile(call, clear, repeat):
    """What a call launches, besides what `clear` does: pairs of a name and the median of its seconds, in order, a name once for each launch of a call."""
    call()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as watched:
        clear()
        torch.cuda.synchronize()
    cleared = {e.name() for e in watched.profiler.kineto_results.events()}
    times = collections.defaultdict(list)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA], acc_events=True) as watched:
        for _ in range(repeat):
            clear()
            torch.cuda.synchronize()
            call()
            torch.cuda.synchronize()
    events = [(e.start_ns(), e.name(), e.duration_ns() * 1e-9) for e in watched.profiler.kineto_results.events()
              if e.device_type() == torch.autograd.DeviceType.CUDA]
    order, before = [], 0
    for start, name, seconds in sorted(events):
        # A kernel that begins while the one before it ends has waited for it.
        end = start + round(seconds * 1e9)
        seconds, before = max(0, end - max(start, before)) * 1e-9, max(before, end)
        if name in cleared:
            continue
        if name not in times:
            order.append(name)
        times[name].append(seconds)
    launches = []
    for name in order:
        number = max(1, len(times[name]) // repeat)
        launches += [(name, statistics.median(times[name][k::number])) for k in range(number)]
    return launches


def join(launches, steps):
    """Records of the launches, with the cost of those that are kernels of the program."""
    costs = collections.defaultdict(list)
    for name, moved, operations in steps:
        costs[name].append((moved, operations))
    records = []
    for name, seconds in launches:
        record = {"kernel": name, "seconds": seconds}
        if costs[name]:
            record["bytes"], record["operations"] = costs[name].pop(0)
        records.append(record)
    return records


def summarise(records, bandwidth, worst):
    """The kernels that lose most against their bytes, as shares of their programs' times, as Markdown."""
    rows = []
    for r in records:
        kernels = r.get("kernels", [])
        whole = sum(k["seconds"] for k in kernels)
        rows += [(r["name"], k, k["seconds"] - k["bytes"] / bandwidth, whole) for k in kernels if "bytes" in k]
    if not rows:
        return "No kernel was timed."
    fractions = [k["bytes"] / bandwidth / k["seconds"] for _, k, _, _ in rows if k["seconds"] > 5e-6]
    lines = [f"{len(rows)} kernels of {len(records)} programs, of which {len(fractions)} take more than 5 us."]
    if fractions:
        mean = math.exp(sum(math.log(max(f, 1e-3)) for f in fractions) / len(fractions))
        lines += ["", f"Fraction of the copy's bandwidth: geometric mean {mean:.2f}, deciles {deciles(fractions)}"]
    lines += ["", "| program | kernel | us | us by bytes | lost, of the program's time |", "|---|---|---|---|---|"]
    for name, k, lost, whole in sorted(rows, key=lambda row: -row[2] / row[3])[:worst]:
        lines.append(f"| `{name}` | `{k['kernel']}` | {k['seconds'] * 1e6:.1f} | {k['bytes'] / bandwidth * 1e6:.1f} | {lost / whole:.2f} |")
    return "\n".join(lines)
