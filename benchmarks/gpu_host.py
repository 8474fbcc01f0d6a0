#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call costs the host: calls of small programs on an NVIDIA GPU.

A program of n dependent kernels on few elements is timed from the call until it
returns, with the device far enough behind that it never waits: launch by launch
from C ("C", outputs allocated and freed) and from Python, as a CUDA graph, bound to its
memory ("bound", from C and from Python), and as n calls of cuLaunchKernel with the same
number of arguments, which is the floor. "above raw" is what a call adds to that for each
kernel; "raw overlapping" is the floor by cuLaunchKernelEx, as Coil launches most kernels;
"raw graph" is PyTorch's replay of as many kernels without any tensors. Times are medians of
many calls, all in one run. The loops in C (gpu_host.c) need a C compiler, `cc`.

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


class Loops:
    """The loops of gpu_host.c, built by the compiler that is at hand."""

    def __init__(self, finish, repeat):
        import shutil
        import subprocess

        compilers = [os.environ.get("CC"), "cc", "gcc", "clang", "clang-22"]
        compiler = next((c for c in compilers if c and shutil.which(c)), None)
        if not compiler:
            raise SystemExit("gpu_host.py: no C compiler; set CC to one")
        self.finish, self.repeat = finish, repeat
        here = os.path.dirname(os.path.abspath(__file__))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gpu_host.so")
            subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-I", os.path.join(here, "..", "include"),
                            os.path.join(here, "gpu_host.c"), "-o", path], check=True)
            self.functions = ctypes.CDLL(path)

    def median(self, name, *arguments):
        """Median microseconds of a loop, measured as `microseconds` does."""
        function = getattr(self.functions, name)
        function.restype = ctypes.c_double
        samples = []
        for i in range(self.repeat + 5):
            samples.append(function(*arguments))
            if i % 4 == 3:
                self.finish()
        self.finish()
        if min(samples) < 0:
            raise RuntimeError(f"'{name}' failed")
        return statistics.median(samples[5:])

    def call(self, coil, program, tensors):
        """Microseconds of a call through the C API, and of one that is bound."""
        library = coil._library.library
        pairs = [coil._tensor.to_c(tensor, 0, 0) for tensor in tensors]
        inputs = (coil._library.CTensor * len(pairs))(*(tensor for tensor, _ in pairs))

        def address(name):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p)

        init, count = address("coil_run_options_init"), ctypes.c_size_t(len(pairs))
        plain = self.median("call", address("coil_program_run_with"), init,
                            address("coil_result_destroy"), program._handle, inputs, count)
        bind = self.functions.bind_call
        bind.restype = ctypes.c_void_p
        bound = ctypes.c_void_p(bind(address("coil_program_bind"), init, program._handle, inputs, count))
        if not bound:
            raise RuntimeError("the call cannot be bound")
        launched = self.median("call_bound", address("coil_result_launch"), bound)
        library.coil_result_destroy(bound)
        return plain, launched


def raw_launches(driver, loops, counts):
    """Microseconds of n launches of an empty kernel with two pointers: by
    cuLaunchKernel, and by cuLaunchKernelEx in the way that lets them overlap."""
    ptx = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b) { ret; }
\0"""
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
    return {
        name: {n: loops.median(name, launch, function, n, pointers) for n in counts}
        for name, launch in (("launch", driver.cuLaunchKernel),
                             ("launch_overlapping", driver.cuLaunchKernelEx))
    }


def raw_replay(torch, kernels, repeat):
    """Microseconds of host time to replay a CUDA graph of so many kernels."""
    x = torch.zeros(1, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(kernels):
            x.add_(1)
    return microseconds(graph.replay, torch.cuda.synchronize, repeat)


def write_call(function, inputs, **options):
    """A call with its arguments one by one, as programs have it: `*inputs` costs more."""
    names = [f"x{i}" for i in range(len(inputs))]
    text = ", ".join(names + [f"{name}={name}" for name in options])
    return eval(f"lambda: function({text})", dict(zip(names, inputs), function=function, **options))


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
    loops = Loops(finish, args.repeat)
    raws = raw_launches(driver, loops, COUNTS)
    raw, overlapping = raws["launch"], raws["launch_overlapping"]

    def tensors(specs):
        if torch:
            return [torch.rand(s["sizes"], device="cuda") for s in specs]
        return [Memory(coil, driver, [int(x) for x in s["sizes"]]).tensor for s in specs]

    records = []
    titles = ("program", "kernels", "tensors", "raw us", "raw overlapping us", "C us", "above raw, us a kernel",
              "C bound us", "Python us", "above raw, us a kernel", "as a graph us", "bound us", "raw graph us")
    print("| " + " | ".join(titles) + " |")
    print("|---" * len(titles) + "|")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.mlir")
        programs = [("chain", chain(n), n) for n in COUNTS] + [("step", step(60), 60)]
        for name, text, _ in programs:
            with open(path, "w") as f:
                f.write(text)
            record = {"program": name}
            for way, graphs in (("plain", 0), ("graph", 4)):
                # What a launch costs is measured with many of them.
                program = coil.compile(path, options="target=cuda:sm_90 combine-launches=false", cuda_graphs=graphs)
                inputs = tensors(program.inputs)
                stream = torch.cuda.current_stream().cuda_stream if torch else 0
                kind = torch.Tensor if torch else None  # What a user of PyTorch wants.
                record[way] = microseconds(
                    write_call(program.run, inputs, stream=stream, like=kind), finish, args.repeat)
                if way == "plain":
                    record["bound"] = microseconds(
                        program.bind(*inputs, stream=stream, like=kind), finish, args.repeat)
                    record["C"], record["C bound"] = loops.call(coil, program, inputs)
                record["kernels"] = program.run_stats["launches"]
                record["tensors"] = len(program.inputs) + len(program.outputs)
            kernels = record["kernels"]
            nearest = min(raw, key=lambda n: abs(n - kernels))
            for key, launches in (("raw", raw), ("raw overlapping", overlapping)):
                record[key] = launches[nearest] * kernels / nearest
            record["raw graph"] = raw_replay(torch, kernels, args.repeat) if torch else float("nan")
            records.append(record)
            above = {way: (record[way] - record["raw"]) / kernels for way in ("C", "plain")}
            figures = (f"{record['raw']:.2f}", f"{record['raw overlapping']:.2f}", f"{record['C']:.2f}",
                       f"{above['C']:.2f}", f"{record['C bound']:.2f}", f"{record['plain']:.2f}",
                       f"{above['plain']:.2f}", f"{record['graph']:.2f}", f"{record['bound']:.2f}",
                       f"{record['raw graph']:.2f}")
            print("| " + " | ".join((name, str(kernels), str(record["tensors"])) + figures) + " |", flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"raw": raws, "records": records}, f, indent=1)


if __name__ == "__main__":
    main()
