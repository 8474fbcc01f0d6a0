#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs the host: calls of small programs on an NVIDIA GPU.

A program of n dependent kernels on few elements is timed from the call until it
returns, with the device far enough behind that it never waits, in three ways:
launch by launch, as a CUDA graph, and as n calls of cuLaunchKernel with the same
number of arguments, which is the floor. "above raw" is what Coil adds for each
kernel; "bound" is a call that is bound to its memory; "raw graph" is PyTorch's replay of as many kernels
without any tensors. Times are medians of many calls, all in one run.

`--fake DRIVER` takes a stand-in for the driver (the tests' coil_fake_cuda with
FAKE_CUDA_ANY_KERNEL=1) and needs no GPU: then all that is measured is Coil.

    PYTHONPATH=python python3 benchmarks/gpu_host.py --json out.json
"""
import argparse
import ctypes
import json
import os
import statistics
import tempfile
import time

COUNTS = (1, 10, 60, 200)


def chain(kernels):
    """n kernels that fusion cannot join: each sums over all of the last."""
    lines = ["func.func @main(%x: tensor<256x4xf32>) -> tensor<256x4xf32> {"]
    value = "%x"
    for i in range((kernels + 1) // 2):
        lines += [
            f"  %s{i} = graph.reduce sum, {value} dims [0] keepdims : (tensor<256x4xf32>) -> tensor<1x4xf32>",
            f"  %y{i} = graph.sub {value}, %s{i} : (tensor<256x4xf32>, tensor<1x4xf32>) -> tensor<256x4xf32>",
        ]
        value = f"%y{i}"
    return "\n".join(lines + [f"  return {value} : tensor<256x4xf32>", "}"])


def step(tensors):
    """An optimizer step: n parameters of different sizes, four inputs and three
    outputs for each."""
    types = [f"tensor<{64 + i}xf32>" for i in range(tensors)]
    names = [[f"%{k}{i}" for i in range(tensors)] for k in "pgmv"]
    arguments = [f"{n}: {t}" for group in names for n, t in zip(group, types)]
    lines = [f"func.func @main({', '.join(arguments)}) -> ({', '.join(3 * types)}) {{"]
    for i, t in enumerate(types):
        lines += [
            f"  %a{i} = graph.add %m{i}, %g{i} : ({t}, {t}) -> {t}",
            f"  %b{i} = graph.mul %g{i}, %v{i} : ({t}, {t}) -> {t}",
            f"  %c{i} = graph.sub %p{i}, %a{i} : ({t}, {t}) -> {t}",
        ]
    results = [f"%{k}{i}" for k in "abc" for i in range(tensors)]
    return "\n".join(lines + [f"  return {', '.join(results)} : {', '.join(3 * types)}", "}"])


def microseconds(call, finish, repeat):
    """Host time of a call; the device catches up between the calls."""
    for _ in range(5):
        call()
    finish()
    samples = []
    for i in range(repeat):
        begin = time.perf_counter_ns()
        result = call()
        samples.append(time.perf_counter_ns() - begin)
        del result
        if i % 4 == 3:
            finish()
    finish()
    return statistics.median(samples) / 1e3


class Memory:
    """Device memory with DLPack, for runs without PyTorch's CUDA."""

    def __init__(self, coil, driver, sizes):
        count = 1
        for size in sizes:
            count *= size
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4 * count)) == 0
        shape = (ctypes.c_int64 * len(sizes))(*sizes)
        strides = (ctypes.c_int64 * len(sizes))()
        step = 1
        for d in reversed(range(len(sizes))):
            strides[d] = step
            step *= sizes[d]
        self.keep = shape, strides
        tensor = coil._library.CTensor(address.value, shape, strides, len(sizes), 11, 1, 0)
        self.tensor = coil._tensor.Tensor(ctypes.addressof(tensor), (tensor, self.keep))


def raw_launches(driver, counts, repeat):
    """Microseconds of n cuLaunchKernel of an empty kernel with two pointers, by
    a loop in C where a compiler is at hand, so that Python does not count."""
    source = r"""
    #include <stddef.h>
    #include <time.h>
    typedef int (*launch_t)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, unsigned, void *, void **, void **);
    double run(launch_t launch, void *function, int n, void **params) {
      struct timespec a, b;
      clock_gettime(CLOCK_MONOTONIC, &a);
      for (int i = 0; i < n; ++i)
        if (launch(function, 1, 1, 1, 32, 1, 1, 0, 0, params, 0)) return -1;
      clock_gettime(CLOCK_MONOTONIC, &b);
      return (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) * 1e-3;
    }
    """
    ptx = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b) { ret; }
\0"""
    import subprocess

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "raw.c")
        with open(path, "w") as f:
            f.write(source)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", path, "-o", path + ".so"], check=True)
        loop = ctypes.CDLL(path + ".so").run
        loop.restype = ctypes.c_double
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    def check(what, status):
        if status:
            raise RuntimeError(f"{what} failed with status {status}")

    context = ctypes.c_void_p()
    check("cuInit", driver.cuInit(0))
    check("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))
    check("cuModuleLoadDataEx", driver.cuModuleLoadDataEx(ctypes.byref(module), ptx, 0, None, None))
    check("cuModuleGetFunction", driver.cuModuleGetFunction(ctypes.byref(function), module, b"empty"))
    value = ctypes.c_uint64()
    pointers = (ctypes.c_void_p * 2)(ctypes.addressof(value), ctypes.addressof(value))
    result = {}
    for n in counts:
        samples = []
        for _ in range(repeat):
            samples.append(loop(driver.cuLaunchKernel, function, n, pointers))
            driver.cuStreamSynchronize(None)
        assert min(samples) >= 0
        result[n] = statistics.median(samples)
    return result


def raw_replay(torch, kernels, repeat):
    """Microseconds of host time to replay a CUDA graph of so many kernels."""
    x = torch.zeros(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(kernels):
            x.add_(1)
    return microseconds(graph.replay, torch.cuda.synchronize, repeat)


def begin(description):
    """What benchmarks of the host start with: options, torch (None on a stand-in for the
    driver), coil, the driver, and what waits for the GPU."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--fake", help="a stand-in for the driver; needs no GPU")
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    torch = None
    if args.fake:
        os.environ["COIL_CUDA_DRIVER"] = args.fake
    else:
        import torch

        torch.cuda.init()
    import coil

    driver = ctypes.CDLL(args.fake or "libcuda.so.1")

    def finish():
        if torch:
            torch.cuda.synchronize()
        else:
            driver.cuStreamSynchronize(None)

    return args, torch, coil, driver, finish


def main():
    args, torch, coil, driver, finish = begin(__doc__)
    raw = raw_launches(driver, COUNTS, args.repeat)

    def tensors(specs):
        if torch:
            return [torch.rand(s["sizes"], device="cuda") for s in specs]
        return [Memory(coil, driver, [int(x) for x in s["sizes"]]).tensor for s in specs]

    records = []
    print("| program | kernels | tensors | raw us | Coil us | above raw, us a kernel | as a graph us | bound us | raw graph us |")
    print("|---" * 9 + "|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        programs = [("chain", chain(n), n) for n in COUNTS] + [("step", step(60), 60)]
        for name, text, _ in programs:
            with open(path, "w") as f:
                f.write(text)
            record = {"program": name}
            for way, graphs in (("plain", 0), ("graph", 4)):
                program = coil.compile(path, options="target=cuda:sm_90", cuda_graphs=graphs)
                inputs = tensors(program.inputs)
                stream = torch.cuda.current_stream().cuda_stream if torch else 0
                kind = torch.Tensor if torch else None  # What a user of PyTorch wants.
                record[way] = microseconds(
                    lambda: program.run(*inputs, stream=stream, like=kind), finish, args.repeat)
                if way == "plain":
                    record["bound"] = microseconds(
                        program.bind(*inputs, stream=stream, like=kind), finish, args.repeat)
                record["kernels"] = program.run_stats["launches"]
                record["tensors"] = len(program.inputs) + len(program.outputs)
            kernels = record["kernels"]
            nearest = min(raw, key=lambda n: abs(n - kernels))
            record["raw"] = raw[nearest] * kernels / nearest
            record["raw graph"] = raw_replay(torch, kernels, args.repeat) if torch else float("nan")
            records.append(record)
            above = (record["plain"] - record["raw"]) / kernels
            print(f"| {name} | {kernels} | {record['tensors']} | {record['raw']:.1f} | {record['plain']:.1f} | {above:.2f} | {record['graph']:.1f} | {record['bound']:.1f} | {record['raw graph']:.1f} |", flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"raw": raw, "records": records}, f, indent=1)


if __name__ == "__main__":
    main()
