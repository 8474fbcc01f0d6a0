#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory-bound fusions on an NVIDIA GPU: Coil, PyTorch eager, TorchInductor and
(`--xla`, where JAX is installed) XLA in one run, against the bandwidth of a copy
measured in the same run.

The cases are in `gpu_cases.py`. "share" is the time that the least traffic of a
case takes at copy bandwidth, over the time taken: 1.00 is a copy. Inputs are
fresh random numbers and larger than the L2 cache. Every result is compared with
eager before anything is timed. Times are medians of CUDA events; the calls of
the three are interleaved. XLA has streams of its own, so that its time is that of
one call in a row of calls, of which the device works on one while the host
launches the next. Compile times are cold: no cache is read.

    PYTHONPATH=python python3 benchmarks/gpu_kernels.py --json out.json
"""
import argparse
import datetime
import gc
import json
import math
import os
import statistics
import tempfile
import time
import traceback

# JAX shares the GPU with PyTorch, which needs memory, too.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import torch

import coil
from gpu_cases import CASES


# About a millisecond.
WAIT_CYCLES = 2_000_000


def as_tuple(x):
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def wall(f):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    result = f()
    torch.cuda.synchronize()
    return time.perf_counter() - begin, result


def fill_cache(memory):
    """Reads more than the L2 cache holds, so that nobody finds there what the call
    before, which may be another compiler's, left of the inputs."""
    memory.sum()


def event_times(functions, repeat, wait=False):
    """Milliseconds of each function in `functions`, interleaved. With `wait` the
    cache is filled before each call, and a kernel that waits follows, so that
    the call's own launches are in the queue when it starts: the host's time is
    not counted, up to a millisecond of it."""
    other = torch.empty(torch.cuda.get_device_properties().L2_cache_size, device="cuda") if wait else None
    for f in functions.values():
        f(), f()
    samples = {name: [] for name in functions}
    for _ in range(repeat):
        for name, f in functions.items():
            if wait:
                fill_cache(other)
                torch.cuda._sleep(WAIT_CYCLES)
            begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
            begin.record()
            result = f()
            end.record()
            samples[name].append((begin, end))
            del result
    torch.cuda.synchronize()
    return {name: statistics.median(b.elapsed_time(e) for b, e in pairs) for name, pairs in samples.items()}


def row_time(function, calls):
    """Milliseconds of a call of `function`, the median over rows of `calls`."""
    samples = []
    for _ in range(7):
        function.wait(function())
        begin = time.perf_counter()
        for _ in range(calls):
            result = function()
        function.wait(result)
        samples.append((time.perf_counter() - begin) / calls * 1e3)
        del result
    return statistics.median(samples)


def time_xla(case, inputs, expected, calls):
    """Milliseconds of XLA's compilation and of a call, and what is wrong with its
    results, if anything is."""
    from gpu_cases_jax import Compiled

    torch.cuda.synchronize()
    seconds, function = wall(lambda: Compiled(case.name, inputs))
    result = function()
    function.wait(result)
    wrong = None
    try:
        close(case, [torch.from_dlpack(r) for r in result], expected)
    except AssertionError as error:
        wrong = str(error).strip().splitlines()[:3]
    del result
    return seconds * 1e3, row_time(function, calls), wrong


def peak_bytes(function):
    """What PyTorch's allocator gives out for a call at most, its results included."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = function()
    torch.cuda.synchronize()
    peak = torch.cuda.max_memory_allocated() - before
    del result
    return peak


def copy_bandwidth():
    """Bytes read and written in a second by a copy of 1 GiB."""
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    copy = event_times({"copy": lambda: target.copy_(source)}, 30)["copy"]
    return 2 * source.numel() * 4 / copy * 1e3


class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


def export(case, inputs, folder):
    """The case as a file in `folder`, for inputs of these types and sizes."""
    # Only these matter to the export; the CPU's tensors stay unwritten.
    like = tuple(torch.empty(t.shape, dtype=t.dtype) for t in inputs)
    path = os.path.join(folder, "case.pt2")
    torch.export.save(torch.export.export(Model(case.function), like), path)
    return path


def compile_with_coil(case, inputs, folder, options):
    path = export(case, inputs, folder)
    return wall(lambda: coil.compile(path, options=options))


def close(case, actual, expected):
    for a, e in zip(actual, expected):
        if case.name.startswith("dropout"):
            kept = (a != 0).float().mean().item()
            assert abs(kept - (e != 0).float().mean().item()) < 1e-3, f"kept {kept}"
        elif case.name.startswith("argmax"):
            assert torch.equal(a, e)
        else:
            torch.testing.assert_close(a.float(), e.float(), rtol=case.rtol, atol=case.atol)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def print_ratios(records):
    """How much faster Coil is than others, kernels and compilation."""
    for other, goal in (("inductor", 10), ("xla", 2)):
        for key, least in (("{}", 1), ("{} compile", goal)):
            ratios = {
                r["case"]: r[key.format(other)] / r[key.format("coil")]
                for r in records
                if key.format(other) in r and key.format("coil") in r
            }
            if ratios:
                below = sorted((v, k) for k, v in ratios.items() if v < least)
                print(
                    f"{key.format(other)}: {geometric_mean(list(ratios.values())):.2f} times Coil's in the geometric mean, "
                    f"at least {least} in {len(ratios) - len(below)} of {len(ratios)}; below: "
                    + (", ".join(f"{k} {v:.3f}" for v, k in below) or "none")
                )


def print_stages(records):
    """Where Coil's compile time went: the median over the cases, in milliseconds.
    Code for the host is made beside that for the GPU and its loading."""
    stages = {}
    for record in records:
        for name, value in record.get("coil stages", {}).items():
            stages.setdefault(name, []).append(value)
    if stages:
        print("Coil's stages, median ms: " + ", ".join(f"{k} {statistics.median(v):.1f}" for k, v in stages.items()))


def print_memory(records):
    """Device memory of a call beside its inputs, at its peak."""
    both = {r["case"]: (r["coil peak"], r["inductor peak"]) for r in records if "coil peak" in r and "inductor peak" in r}
    if both:
        above = sorted(name for name, (coil_peak, peak) in both.items() if coil_peak > peak)
        print(
            f"peak memory of a call: at most Inductor's in {len(both) - len(above)} of {len(both)}; above: "
            + (", ".join(f"{name} ({both[name][0] / 1e6:.3f} MB, Inductor {both[name][1] / 1e6:.3f})" for name in above) or "none")
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--filter", default="", help="cases whose name holds this; several are separated by commas")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--xla", action="store_true", help="time XLA, too, through JAX")
    parser.add_argument("--compile-only", action="store_true", help="compile and compare, without timing calls")
    parser.add_argument("--options", default="target=cuda", help="pipeline options for Coil")
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    torch.manual_seed(0)
    bandwidth = copy_bandwidth()
    print(
        f"{datetime.date.today()}  {torch.cuda.get_device_name()}, torch {torch.__version__}, "
        f"Coil {coil.version()}; copy {bandwidth / 1e9:.0f} GB/s"
    )
    print(
        "| case | bound us | Coil us | share | eager us | share | Inductor us | share | vs Inductor "
        "| Coil compile ms | Inductor compile ms |" + (" XLA us | share | XLA compile ms |" if args.xla else "")
    )
    print("|---" * (14 if args.xla else 11) + "|")
    records, failures = [], []
    for case in CASES:
        if not any(part in case.name for part in args.filter.split(",")):
            continue
        record = {"case": case.name, "goal": case.share}
        try:
            inputs = case.make("cuda")
            expected = as_tuple(case.reference(inputs))
            record["bound"] = case.minimal_bytes(inputs, expected) / bandwidth * 1e3
            functions = {"eager": lambda: case.function(*inputs)}
            if not args.no_inductor:
                torch._dynamo.reset()
                inductor = torch.compile(case.function)
                with torch._inductor.utils.fresh_cache():
                    record["inductor compile"] = wall(lambda: inductor(*inputs))[0] * 1e3
                record["inductor peak"] = peak_bytes(lambda: inductor(*inputs))
                functions["inductor"] = lambda: inductor(*inputs)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    seconds, program = compile_with_coil(case, inputs, folder, args.options)
                record["coil compile"] = seconds * 1e3
                record["coil stages"] = {k: v * 1e3 for k, v in program.compile_stats["seconds"].items()}
                stream = torch.cuda.current_stream().cuda_stream
                outputs = program.run(*inputs, stream=stream)
                torch.cuda.synchronize()
                close(case, [torch.from_dlpack(o) for o in outputs], expected)
                record["coil peak"] = program.run_stats["peak_bytes"]
                del outputs
                functions["coil"] = lambda: program.run(*inputs, stream=stream)
            except Exception as error:  # One case must not end the table.
                failures.append((case.name, str(error).strip().splitlines()[:3]))
                if not isinstance(error, (coil.CoilError, AssertionError)):
                    traceback.print_exc()
            if not args.compile_only:
                record.update(event_times(functions, args.repeat, wait=True))
            if args.xla:
                try:
                    record["xla compile"], record["xla"], wrong = time_xla(case, inputs, expected, 1 if args.compile_only else 10)
                    if wrong:
                        failures.append((case.name + " (XLA)", wrong))
                except Exception as error:  # JAX has no type of its own for these.
                    failures.append((case.name + " (XLA)", str(error).strip().splitlines()[:3]))
        except torch.OutOfMemoryError as error:
            failures.append((case.name, [str(error)]))
            continue
        records.append(record)

        def cell(key, form):
            return form.format(record[key]) if key in record else "-"

        def share(key):
            return f"{record['bound'] / record[key]:.2f}" if key in record else "-"

        ratio = f"{record['inductor'] / record['coil']:.2f}" if "inductor" in record and "coil" in record else "-"
        print(
            f"| {case.name} | {record['bound'] * 1e3:.1f} "
            + "".join(f"| {cell(k, '{:.4f}') if k not in record else f'{record[k] * 1e3:.1f}'} | {share(k)} " for k in ("coil", "eager", "inductor"))
            + f"| {ratio} | {cell('coil compile', '{:.0f}')} | {cell('inductor compile', '{:.0f}')} |"
            + (
                f" {record['xla'] * 1e3:.1f} | {share('xla')} | {record['xla compile']:.0f} |"
                if "xla" in record
                else " - | - | - |" if args.xla else ""
            ),
            flush=True,
        )
        del inputs, expected, functions
        gc.collect()
        torch.cuda.empty_cache()

    def mean(key):
        return geometric_mean([r["bound"] / r[key] for r in records if key in r])

    means = [f"{name} {mean(key):.2f}" for name, key in (("Coil", "coil"), ("eager", "eager"), ("Inductor", "inductor"))]
    if args.xla:
        means.append(f"XLA {mean('xla'):.2f}")
    if not args.compile_only:
        print(f"geometric mean of shares: {', '.join(means)}")
    print_ratios(records)
    print_stages(records)
    print_memory(records)
    below = [r["case"] for r in records if "coil" in r and r["bound"] / r["coil"] < r["goal"]]
    print(f"below their goal: {', '.join(below) or 'none'}")
    for name, lines in failures:
        print(f"failed: {name}: {' / '.join(lines)}")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"bandwidth": bandwidth, "device": torch.cuda.get_device_name(), "torch": torch.__version__, "records": records, "failures": failures}, f, indent=1)


if __name__ == "__main__":
    main()
