# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random fusions: how many steps they become, and which bytes these move. Needs no device.

`random_kernels.py --traffic=TARGET` compiles each program to its host program, with costs and without reuse of buffers
(`coil-compile --to=wrapper --costs --plan=none`), and reads from it:

* steps: launches of kernels, and calls of libraries, sorts, copies and host functions;
* moved bytes, the sum of the costs of the steps: the elements that a step reads or writes of each buffer, once;
* the bound: the sectors of the program's inputs and results, each once (`random_programs.touched_bytes`);
* excess bytes, which one kernel would not move: a buffer that is neither input nor result, once for each step that
  writes it and each that reads it; an input, once for each step that reads it after the first; a result, once for each
  step that reads it.

A factor says how much longer the steps take than one step that moves the bound would, if bandwidth and launches were all
that counts: (bound + excess + launch * steps) / (bound + launch), with `launch` the bytes that move in the time of a launch.
What a kernel reads again inside of itself, because its rows do not fit on the chip, is not counted.
"""
import collections
import dataclasses
import math
import os
import re
import subprocess
import tempfile

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from random_programs import Module, touched_bytes

# 1.2 us for a launch in a chain of kernels (benchmarks/results/gpu-design.md) at the 3.35 TB/s of an H100.
LAUNCH_BYTES = 4.0e6
ELEMENT_BITS = re.compile(r"\d+")
BUFFER = re.compile(r"!wrapper\.buffer<\[([^\]]*)\], (?:\w+ = (?:\[[^\]]*\]|[^,]*), )*(\w+(?:<\w+>)?)")
OPERANDS = re.compile(r" (\w+)\((%[^:)\[]*)")
# Operands and results of kernels, and of contractions.
READ, WRITTEN = ("ins", "a", "b", "bias"), ("outs", "c")
COST = re.compile(r"#wrapper\.cost<bytes = <(.*?)>, flops")


@dataclasses.dataclass
class Traffic:
    """What the steps of a host program move, in bytes."""

    kernels: list
    other_steps: int
    moved: float
    excess: float

    @property
    def steps(self):
        return len(self.kernels) + self.other_steps

    def factor(self, bound):
        return (bound + self.excess + LAUNCH_BYTES * max(1, self.steps)) / (bound + LAUNCH_BYTES)


def evaluate(text, symbols):
    """The value of an integer expression as the IR prints it."""
    return eval(text.replace("floordiv", "//").replace(" mod ", " % "), {"__builtins__": {}, "min": min, "max": max}, symbols)


def bytes_of(buffer_type, symbols):
    sizes, element = BUFFER.match(buffer_type).groups()
    count = 1
    for size in filter(None, sizes.split(", ")):
        count *= evaluate(size, symbols)
    return count * max(1, int(ELEMENT_BITS.search(element).group()) * (2 if element.startswith("complex") else 1) // 8)


def read_traffic(text, shapes):
    """What the function `main` of a host program moves, for inputs of these shapes."""
    body = re.search(r"^  wrapper\.func @main\(.*?^  }", text, re.DOTALL | re.MULTILINE).group().splitlines()
    head, symbols, sizes, alias = body[0].split(" -> ")[0], {}, {}, {}
    inputs = [(m.group(1), m.group(2)) for m in re.finditer(rf"(%arg\d+): ({BUFFER.pattern})", head)]
    for (name, kind), shape in zip(inputs, shapes):
        for size, value in zip(filter(None, BUFFER.match(kind).group(1).split(", ")), shape):
            if size.isidentifier():
                symbols[size] = value
    for name, kind in inputs:
        sizes[name] = bytes_of(kind, symbols)
    reads, writes, results, kernels, others, moved = collections.Counter(), collections.Counter(), set(), [], 0, 0
    for line in body[1:]:
        operation = re.search(r"wrapper\.(\w+)", line)
        if not operation:
            continue
        name = operation.group(1)
        defined = re.match(r" *(%\w+) = ", line)
        if cost := COST.search(line):
            moved += evaluate(cost.group(1), symbols)
        if name == "return":
            results = {alias.get(v, v) for v in re.findall(r"%\w+", line)}
        elif name == "alloc":
            sizes[defined.group(1)] = bytes_of(BUFFER.search(line).group(), symbols)
        elif (groups := OPERANDS.findall(line)) and all(group in READ + WRITTEN for group, _ in groups):
            kernel = re.search(r"wrapper\.launch @(\w+)", line)
            if kernel:
                kernels.append(kernel.group(1))
            else:
                others += 1
            for group, operands in groups:
                (writes if group in WRITTEN else reads).update({alias.get(v, v) for v in re.findall(r"%\w+", operands)})
        elif cost:
            raise ValueError(f"a step of unknown form: {line.strip()[:200]}")
        elif defined and BUFFER.search(line):
            source = re.search(r"%\w+", line.split(" = ", 1)[1]).group()
            alias[defined.group(1)] = alias.get(source, source)
    given = {name for name, _ in inputs}
    excess = 0
    for buffer, size in sizes.items():
        if buffer in given:
            excess += size * max(0, reads[buffer] - 1)
        elif buffer in results:
            excess += size * reads[buffer]
        else:
            excess += size * (reads[buffer] + writes[buffer])
    return Traffic(kernels, others, moved, excess)


def export_fake(program, other, seed, path):
    """Exports a program for inputs without elements, and returns these and its results. Sizes that differ from those of
    the program `other` are symbols."""
    with FakeTensorMode():
        inputs = program.make("cpu", seed)
        function = program.traced(inputs)
        results = function(*inputs)
        shapes = None
        if other:
            auto = torch.export.Dim.AUTO
            pairs = zip(inputs, other.make("cpu", seed))
            shapes = (tuple({d: auto for d in range(t.dim()) if t.shape[d] != o.shape[d]} for t, o in pairs),)
    exported = torch.export.export(Module(function), inputs, dynamic_shapes=shapes)
    exported.example_inputs = None  # They have no elements to be saved.
    torch.export.save(exported, path)
    return inputs, results if isinstance(results, (tuple, list)) else (results,)


def count_traffic(program, other, tool, target, seed):
    """The figures of a program; sizes that differ from those of the program `other` are symbols."""
    record = {"name": program.name, "class": program.kind, "reproducer": program.reproducer()}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.pt2")
        try:
            inputs, results = export_fake(program, other, seed, path)
        except Exception as error:  # Whatever torch says.
            return record | {"skipped": str(error).strip().splitlines()[0][:200]}
        command = [tool, path, f"--target={target}", "--to=wrapper", "--costs", "--plan=none", "--partitions=off", "-o", "-"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return record | {"failed": "takes more than 120 s"}
    if run.returncode:
        return record | {"failed": " / ".join(run.stderr.strip().splitlines()[:2])[:300]}
    try:
        traffic = read_traffic(run.stdout, [t.shape for t in inputs])
    except ValueError as error:
        return record | {"failed": str(error)}
    least = sum(touched_bytes(t) for t in (*inputs, *results))
    figures = {"steps": traffic.steps, "kernels": traffic.kernels, "moved": traffic.moved, "excess": traffic.excess}
    return record | figures | {"bound": least, "factor": traffic.factor(least)}


def deciles(values):
    values = sorted(values)
    return " ".join(f"{values[round(k * (len(values) - 1) / 10)]:.2f}" for k in range(11)) if values else "-"


def summarise(records, worst, reproducers):
    """The tables of a run as Markdown, and the texts of the worst programs."""
    counted = [r for r in records if "factor" in r]
    skipped, failed = (sum(key in r for r in records) for key in ("skipped", "failed"))
    lines = [f"{len(records)} programs, {skipped} not exported, {failed} failed."]
    lines += [f"* `{r['name']}`: {r['failed']}" for r in records if "failed" in r]
    if not counted:
        return "\n".join(lines)
    lines += ["", "| class | programs | kernels | of several | moved over bound | excess over bound | factor (geometric mean) | above 1.05 | worst |",
              "|---|---|---|---|---|---|---|---|---|"]
    for title in ("all", *sorted({r["class"] for r in counted})):
        rows = [r for r in counted if title in ("all", r["class"])]
        factors = [r["factor"] for r in rows]
        share = lambda key: sum(r[key] / r["bound"] for r in rows) / len(rows)
        mean = math.exp(sum(map(math.log, factors)) / len(rows))
        lines.append(f"| `{title}` | {len(rows)} | {sum(r['steps'] for r in rows) / len(rows):.2f} | {sum(r['steps'] > 1 for r in rows)} | {share('moved'):.3f} "
                     f"| {share('excess'):.3f} | {mean:.3f} | {sum(f > 1.05 for f in factors)} | {max(factors):.2f} |")
    order = sorted(counted, key=lambda r: -r["factor"])
    lines += ["", "Deciles of the factor: " + deciles([r["factor"] for r in counted]),
              "", "| worst | kernels | MB moved | MB in excess | MB bound | factor |", "|---|---|---|---|---|---|"]
    lines += [f"| `{r['name']}` | {r['steps']} | {r['moved'] / 1e6:.1f} | {r['excess'] / 1e6:.1f} | {r['bound'] / 1e6:.1f} | {r['factor']:.2f} |" for r in order[:worst]]
    if reproducers:
        lines += ["", *(f"{r['reproducer']}# {', '.join(r['kernels'])}\n" for r in order[:worst])]
    return "\n".join(lines)
