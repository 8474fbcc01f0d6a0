#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices on an NVIDIA GPU: Coil's own kernels (`loop`), Coil with
cuBLASLt (`library`), PyTorch eager (cuBLAS, cuDNN) and TorchInductor, in one run.

Large cases are in TFLOP/s, those with few rows in GB/s of their least traffic.
Every result is compared with eager before anything is timed. Times are medians
of CUDA events; the calls are interleaved, because clocks change under load. Cases of
tf32 are those of f32 with TF32 allowed for everybody; the others have it for nobody.

    PYTHONPATH=python python3 benchmarks/gpu_gemm.py --json out.json

With `--tiles` it times a few products with every tile of a list instead, which is
what the table of `loop-select-gpu-schedule` comes from.
"""
import argparse
import datetime
import gc
import json
import math
import os
import tempfile
from dataclasses import dataclass, replace
from typing import Callable

import torch
import torch.nn.functional as F

import coil
from gpu_kernels import as_tuple, compile_with_coil, event_times, wall

bf16, f16, f32, f64 = torch.bfloat16, torch.float16, torch.float32, torch.float64


@dataclass
class Case:
    name: str
    function: Callable
    shapes: list
    dtype: torch.dtype
    flops: float
    rtol: float
    # Memory-bound: judged by its traffic.
    skinny: bool = False
    inductor: bool = False
    # Factors of f32 are rounded to TF32, by everybody.
    tf32: bool = False

    def make(self, device):
        # Sums of about one, whatever their length.
        tensors = []
        for shape in self.shapes:
            t = torch.randn(shape, device=device, dtype=f32 if self.dtype != f64 else f64) / shape[-1] ** 0.25
            tensors.append(t.to(self.dtype))
        return tuple(tensors)


def tolerance(dtype):
    return {bf16: 2e-2, f16: 4e-3, f32: 1e-4, f64: 1e-10}[dtype]


def with_tf32(case):
    """The same case with TF32 allowed."""
    return replace(case, name=case.name.replace("float32", "tf32"), rtol=4e-3, tf32=True)


def set_tf32(allowed):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed


def nn(m, n, k, dtype, **more):
    name = f"nn {m}x{k} by {n}, {str(dtype)[6:]}"
    return Case(name, torch.matmul, [(m, k), (k, n)], dtype, 2.0 * m * n * k, tolerance(dtype), **more)


def nt(m, n, k, dtype, **more):
    name = f"nt {m}x{k} by {n}, {str(dtype)[6:]}"
    return Case(name, lambda x, w: x @ w.t(), [(m, k), (n, k)], dtype, 2.0 * m * n * k, tolerance(dtype), **more)


def batched(b, m, n, k, transposed, dtype):
    name = f"{'nt' if transposed else 'nn'} {b} of {m}x{k} by {n}, {str(dtype)[6:]}"
    function = (lambda x, y: x @ y.transpose(1, 2)) if transposed else torch.bmm
    return Case(name, function, [(b, m, k), (b, n, k) if transposed else (b, k, n)], dtype, 2.0 * b * m * n * k, tolerance(dtype))


def linear_gelu(m, n, k, dtype):
    name = f"linear+bias+gelu {m}x{k} by {n}, {str(dtype)[6:]}"
    return Case(name, lambda x, w, b: F.gelu(F.linear(x, w, b)), [(m, k), (n, k), (n,)], dtype, 2.0 * m * n * k, tolerance(dtype), inductor=True)


def conv(n, c, size, out, window, dtype, channels_last):
    def first(x, w):
        return F.conv2d(x, w, padding=window // 2)

    def last(x, w):
        return first(x.permute(0, 3, 1, 2), w.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)

    name = f"conv {n}x{c}x{size}x{size} to {out}, {window}x{window}, {'nhwc' if channels_last else 'nchw'}, {str(dtype)[6:]}"
    shapes = [(n, size, size, c), (out, window, window, c)] if channels_last else [(n, c, size, size), (out, c, window, window)]
    flops = 2.0 * n * size * size * out * c * window * window
    return Case(name, last if channels_last else first, shapes, dtype, flops, tolerance(dtype) * 4)


CASES = [
    nt(8192, 16384, 4096, bf16),
    nn(8192, 16384, 4096, bf16),
    nn(4096, 4096, 4096, f16),
    nn(4096, 4096, 4096, bf16),
    nt(4096, 4096, 4096, bf16),
    nn(4096, 4096, 4096, f32),
    nt(4096, 4096, 4096, f32),
    nn(2048, 2048, 2048, f64),
    nn(4095, 4097, 4099, bf16),
    batched(96, 1024, 1024, 64, True, bf16),
    batched(96, 1024, 64, 1024, False, bf16),
    # GPT-2 small, 1024 tokens.
    nn(1024, 2304, 768, bf16),
    nn(1024, 768, 768, bf16),
    nn(1024, 3072, 768, bf16),
    nn(1024, 768, 3072, bf16),
    nt(1024, 50257, 768, bf16),
    linear_gelu(8192, 16384, 4096, bf16),
    # One token, and a few.
    *[nt(m, n, k, bf16, skinny=True) for m in (1, 4, 8, 16) for n, k in ((14336, 4096), (50257, 768))],
    *[nn(m, n, k, bf16, skinny=True) for m in (1, 4, 8, 16) for n, k in ((2304, 768), (14336, 4096))],
    conv(32, 64, 56, 64, 3, bf16, True),
    conv(32, 256, 14, 256, 3, bf16, True),
    conv(32, 64, 56, 64, 3, bf16, False),
    conv(32, 64, 56, 64, 3, f32, False),
    *[with_tf32(case) for case in (
        nn(4096, 4096, 4096, f32, inductor=True),
        nt(4096, 4096, 4096, f32, inductor=True),
        nn(4095, 4097, 4099, f32),
        batched(96, 1024, 1024, 64, True, f32),
        nn(1024, 2304, 768, f32),
        linear_gelu(8192, 16384, 4096, f32),
        conv(32, 64, 56, 64, 3, f32, False),
        conv(32, 64, 56, 64, 3, f32, True),
        conv(32, 256, 14, 256, 3, f32, False),
    )],
]


# Tile, warps along each side, stages; and the instruction if it is another one.
TILES = [
    (128, 256, 64, 8, 1, 1, 3, "wgmma"),
    (128, 256, 64, 8, 1, 1, 4, "wgmma"),
    (128, 128, 64, 8, 1, 1, 3, "wgmma"),
    (64, 256, 64, 4, 1, 1, 2, "wgmma"),
    (64, 256, 64, 4, 1, 1, 4, "wgmma"),
    (128, 256, 64, 2, 4, 1, 3),
    (128, 256, 64, 2, 4, 1, 4),
    (128, 256, 32, 2, 4, 1, 4),
    (128, 256, 32, 2, 4, 1, 6),
    (256, 128, 64, 4, 2, 1, 4),
    (128, 128, 64, 2, 2, 1, 3),
    (128, 128, 32, 2, 2, 1, 4),
    (128, 128, 64, 2, 4, 1, 3),
    (128, 64, 64, 2, 2, 1, 4),
    (64, 128, 64, 2, 2, 1, 4),
    (64, 64, 64, 2, 2, 1, 4),
    (32, 64, 64, 1, 2, 2, 4),
    (16, 64, 64, 1, 1, 4, 4),
    (16, 64, 128, 1, 1, 4, 4),
    (16, 32, 128, 1, 1, 4, 4),
    (16, 16, 128, 1, 1, 4, 4),
]
# The same for f32 with TF32.
TF32_TILES = [
    (128, 256, 32, 2, 4, 1, 3),
    (128, 256, 32, 2, 4, 1, 4),
    (256, 128, 32, 4, 2, 1, 4),
    (128, 128, 32, 2, 2, 1, 3),
    (128, 128, 32, 2, 2, 1, 4),
    (128, 128, 32, 2, 4, 1, 3),
    (128, 128, 16, 2, 4, 1, 4),
    (128, 64, 32, 2, 2, 1, 4),
    (64, 128, 32, 2, 2, 1, 4),
    (64, 64, 32, 2, 2, 1, 4),
    (32, 64, 32, 1, 2, 2, 4),
    (16, 64, 32, 1, 1, 4, 4),
]
TILED = [
    (8192, 16384, 4096, "nt"),
    (8192, 16384, 4096, "nn"),
    (4096, 4096, 4096, "nt"),
    (1024, 2304, 768, "nn"),
    (1024, 768, 3072, "nn"),
    (16, 14336, 4096, "nt"),
    (16, 2304, 768, "nn"),
]
TF32_TILED = [
    (4096, 4096, 4096, "nt"),
    (4096, 4096, 4096, "nn"),
    (8192, 8192, 4096, "nt"),
    (1024, 2304, 768, "nn"),
]


def tiled_program(m, n, k, layout, tile, group=8, dtype=bf16):
    """The product of matrices of bf16, or of f32 with TF32, as a loop kernel with its schedule."""
    tm, tn, tk, warps_m, warps_n, warps_k, stages = tile[:7]
    is_half = dtype == bf16
    element, width = ("bf16", 8) if is_half else ("f32", 4)
    instruction = tile[7] if len(tile) > 7 else "m16n8k16" if is_half else "m16n8k8"
    w = f"tensor<{n}x{k}x{element}>" if layout == "nt" else f"tensor<{k}x{n}x{element}>"
    x, y = f"tensor<{m}x{k}x{element}>", f"tensor<{m}x{n}x{element}>"
    threads = warps_m * warps_n * warps_k * 32
    items = 1
    while items < 4 and items * 2 * threads * width <= tm * tn:
        items *= 2
    schedule = (
        f"strategy = mma, vector_dim = 1, vector_width = {width}, threads_p = {threads}, items_p = {items}, index_bits = 32, "
        f"mma = <instruction = {instruction}, m = {tm}, n = {tn}, k = {tk}, warps_m = {warps_m}, warps_n = {warps_n}, "
        f"warps_k = {warps_k}, stages = {stages}, async = true, group = {group}>"
    )
    body = f"""    %5 = arith.mulf %1, %2 : f32
    %6 = loop.reduce sum %5 over [2] tf32 : f32
    loop.store %6, 0[d0, d1] : f32
"""
    if is_half:
        body = """    %3 = arith.extf %1 : bf16 to f32
    %4 = arith.extf %2 : bf16 to f32
    %5 = arith.mulf %3, %4 : f32
    %6 = loop.reduce sum %5 over [2] : f32
    %7 = arith.truncf %6 : f32 to bf16
    loop.store %7, 0[d0, d1] : bf16
"""
    return f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %0 = loop.kernel "matmul" [{m}, {n}, {k}] (%a = %x, %b = %w) : ({x}, {w}) -> {y} schedule #loop.gpu_schedule<{schedule}> {{
    %1 = loop.load %a[d0, d2] : {x} -> {element}
    %2 = loop.load %b[{"d1, d2" if layout == "nt" else "d2, d1"}] : {w} -> {element}
{body}  }}
  return %0 : {y}
}}
"""


def time_tiles(repeat, parts):
    print("| product | tile | warps | stages | group | TFLOP/s | of eager |")
    print("|---|---|---|---|---|---|---|")
    stream = torch.cuda.current_stream().cuda_stream
    for m, n, k, layout, dtype in [*((*each, bf16) for each in TILED), *((*each, f32) for each in TF32_TILED)]:
        case = (nt if layout == "nt" else nn)(m, n, k, dtype)
        if dtype == f32:
            case = with_tf32(case)
        if not any(part in case.name for part in parts):
            continue
        set_tf32(case.tf32)
        inputs = case.make("cuda")
        expected = case.function(*inputs)
        for tile in TF32_TILES if case.tf32 else TILES:
            # Tiles that most of would be empty, or too many small ones.
            if tile[0] > 2 * m or m * n > tile[0] * tile[1] * 132 * 300:
                continue
            for group in (8,) if m * n < 1 << 26 else (4, 8, 16):
                name = f"{case.name} | {'x'.join(map(str, tile[:3]))} | {'x'.join(map(str, tile[3:6]))} {' '.join(tile[7:])} | {tile[6]} | {group}"
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        path = os.path.join(folder, "case.mlir")
                        with open(path, "w") as f:
                            f.write(tiled_program(m, n, k, layout, tile, group, dtype))
                        program = coil.compile(path, options="target=cuda library=none")
                    actual = torch.from_dlpack(program.run(*inputs, stream=stream)[0])
                    torch.cuda.synchronize()
                    torch.testing.assert_close(actual.float(), expected.float(), rtol=2e-2, atol=2e-2 * expected.abs().max().item())
                    del actual
                    times = event_times({"eager": lambda: case.function(*inputs), "tile": lambda: program.run(*inputs, stream=stream)}, repeat)
                    print(f"| {name} | {case.flops / times['tile'] / 1e9:.1f} | {times['eager'] / times['tile']:.2f} |", flush=True)
                except (coil.CoilError, AssertionError) as error:
                    print(f"| {name} | failed: {' / '.join(str(error).strip().splitlines()[:2])} | |", flush=True)
        del inputs, expected
        torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--filter", default="", help="cases whose name holds this; several are separated by semicolons")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--no-library", action="store_true")
    parser.add_argument("--tiles", action="store_true", help="time tiles instead")
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    torch.manual_seed(0)
    paths = {"loop": "target=cuda library=none"}
    if not args.no_library:
        paths["library"] = "target=cuda"
    print(f"{datetime.date.today()}  {torch.cuda.get_device_name()}, torch {torch.__version__}, Coil {coil.version()}")
    if args.tiles:
        return time_tiles(args.repeat, args.filter.split(";"))
    print("| case | unit | loop | library | eager | Inductor | loop of eager | library of eager | loop compile ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    records, failures = [], []
    for case in CASES:
        if not any(part in case.name for part in args.filter.split(";")):
            continue
        record = {"case": case.name}
        set_tf32(case.tf32)
        try:
            inputs = case.make("cuda")
            expected = as_tuple(case.function(*inputs))
            functions = {"eager": lambda: case.function(*inputs)}
            if case.inductor and not args.no_inductor:
                torch._dynamo.reset()
                inductor = torch.compile(case.function)
                inductor(*inputs)
                functions["inductor"] = lambda: inductor(*inputs)
            stream = torch.cuda.current_stream().cuda_stream
            for path, options in paths.items():
                try:
                    with tempfile.TemporaryDirectory() as folder:
                        seconds, program = compile_with_coil(case, inputs, folder, f"{options} {coil.torch_precision()}")
                    record[f"{path} compile"] = seconds * 1e3
                    outputs = [torch.from_dlpack(o) for o in program.run(*inputs, stream=stream)]
                    torch.cuda.synchronize()
                    for a, e in zip(outputs, expected):
                        scale = e.abs().max().item()
                        torch.testing.assert_close(a.double(), e.double(), rtol=case.rtol, atol=case.rtol * scale)
                    del outputs, a, e
                    functions[path] = lambda program=program: program.run(*inputs, stream=stream)
                except (coil.CoilError, AssertionError) as error:  # One case must not end the table.
                    failures.append((f"{case.name}, {path}", str(error).strip().splitlines()[:4]))
            record.update(event_times(functions, args.repeat))
            amount = case.flops
            if case.skinny:
                amount = sum(t.numel() * t.element_size() for t in (*inputs, *expected))
        except torch.OutOfMemoryError as error:
            failures.append((case.name, [str(error)]))
            continue
        records.append(record)
        unit = 1e9 if case.skinny else 1e12

        def rate(key):
            return f"{amount / record[key] * 1e3 / unit:.4g}" if key in record else "-"

        def ratio(key):
            return f"{record['eager'] / record[key]:.2f}" if key in record else "-"

        compiled = f"{record['loop compile']:.0f}" if "loop compile" in record else "-"
        print(
            f"| {case.name} | {'GB/s' if case.skinny else 'TFLOP/s'} | {rate('loop')} | {rate('library')} | {rate('eager')} "
            f"| {rate('inductor')} | {ratio('loop')} | {ratio('library')} | {compiled} |",
            flush=True,
        )
        del inputs, expected, functions
        gc.collect()
        torch.cuda.empty_cache()
    ratios = [r["eager"] / r["loop"] for r in records if "loop" in r]
    if ratios:
        print(f"geometric mean, loop of eager: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")
    for name, lines in failures:
        print(f"failed: {name}: {' / '.join(lines)}")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "records": records, "failures": failures}, f, indent=1)


if __name__ == "__main__":
    main()
