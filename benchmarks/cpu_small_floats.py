#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bf16 and f16 on the CPU: Coil beside PyTorch eager, in one process.

  benchmarks/cpu_small_floats.py [--seconds=0.7] [--threads=2] [--seed=1] [--only=REGEX] [--clock=wall|cpu] [--write=FILE]

For a processor without AVX-512, on one that has it:

  COIL_CPU=x86-64-v3 ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 benchmarks/cpu_small_floats.py

The shapes are those of a transformer block of GPT-2 (12 heads, width 768) and of ResNet-50's stages at batch one.
Times are the least of many calls in turn, in milliseconds, of the clock on the wall or, where others use the machine,
of the process with one thread; the error is the norm of the difference over that of
eager's result. Needs PYTHONPATH=<build>/python and a Python with torch.
"""
import argparse
import datetime
import os
import pathlib
import re
import tempfile
import time

import torch
import torch.nn.functional as F

import coil


BEGIN, END = "<!-- small floats: begin -->", "<!-- small floats: end -->"


class Case(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def get_cases(dtype):
    def r(*sizes):
        return torch.randn(*sizes).to(dtype)

    return [
        ("linear + GELU, 128 x 768 x 3072", lambda x, w, b: F.gelu(F.linear(x, w, b)), (r(128, 768), r(3072, 768), r(3072))),
        ("linear, 1 x 768 x 3072", F.linear, (r(1, 768), r(3072, 768), r(3072))),
        ("linear, 1 x 4096 x 4096", F.linear, (r(1, 4096), r(4096, 4096))),
        ("matmul, 512 x 512 x 512", torch.matmul, (r(512, 512), r(512, 512))),
        ("scores, 12 x 128 x 64 x 128", lambda q, k: q @ k.transpose(-1, -2), (r(12, 128, 64), r(12, 128, 64))),
        ("attention, 12 x 128 x 64", F.scaled_dot_product_attention, tuple(r(1, 12, 128, 64) for _ in range(3))),
        ("conv 3 x 3 + ReLU, 64 x 56 x 56", lambda x, w: F.relu(F.conv2d(x, w, padding=1)), (r(1, 64, 56, 56), r(64, 64, 3, 3))),
        ("conv 3 x 3, 256 x 14 x 14", lambda x, w: F.conv2d(x, w, padding=1), (r(1, 256, 14, 14), r(256, 256, 3, 3))),
        ("conv 1 x 1, 256 to 64, 56 x 56", F.conv2d, (r(1, 256, 56, 56), r(64, 256, 1, 1))),
        ("layer norm, 128 x 768", lambda x: F.layer_norm(x, (768,)), (r(128, 768),)),
        ("softmax, 1536 x 128", lambda x: torch.softmax(x, -1), (r(1536, 128),)),
        ("GELU, 1 Mi", F.gelu, (r(1 << 20),)),
        ("add, 1 Mi", torch.add, (r(1 << 20), r(1 << 20))),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.7, help="for each case and side")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression for a part of a case's name")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--write", type=pathlib.Path, help="the file whose part for bf16 and f16 is written")
    args = parser.parse_args()
    if args.clock == "cpu":
        args.threads = 1
    clock = time.perf_counter if args.clock == "wall" else time.process_time
    torch.set_num_threads(args.threads)
    # Coil's threads are as many as the processors it may run on.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:args.threads])
    torch.manual_seed(args.seed)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    variables = " ".join(f"{v}={os.environ[v]}" for v in ("COIL_CPU", "ONEDNN_MAX_CPU_ISA", "ATEN_CPU_CAPABILITY", "MKL_ENABLE_INSTRUCTIONS") if v in os.environ)
    lines = [f"{datetime.date.today().isoformat()}, {cpu[1] if cpu else 'unknown processor'}, {args.threads} threads ({args.clock} time), torch {torch.__version__}, "
             f"seed {args.seed}", "", f"    {variables} benchmarks/cpu_small_floats.py --seconds={args.seconds:g} --clock={args.clock}".replace("     ", "    "), "",
             "| type | case | Coil ms | eager ms | eager / Coil | error |", "|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for dtype in (torch.bfloat16, torch.float16):
        for name, function, inputs in get_cases(dtype):
            if not re.search(args.only, name):
                continue
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "case.pt2")
                torch.export.save(torch.export.export(Case(function), inputs), path)
                program = coil.compile(path)
            expected, actual = function(*inputs).double(), torch.from_dlpack(program(*inputs)[0]).double()
            error = ((actual - expected).norm() / expected.norm()).item()
            best = [float("inf"), float("inf")]
            end = time.perf_counter() + 2 * args.seconds
            while time.perf_counter() < end:
                for side, call in enumerate((lambda: program(*inputs), lambda: function(*inputs))):
                    begin = clock()
                    call()
                    best[side] = min(best[side], clock() - begin)
            lines.append(f"| {str(dtype)[6:]} | {name} | {best[0] * 1e3:.3f} | {best[1] * 1e3:.3f} | {best[1] / best[0]:.2f} | {error:.1e} |")
            print(lines[-1], flush=True)
    if args.write:
        text = args.write.read_text() if args.write.exists() else "# CPU\n"
        part = "\n".join([BEGIN, "", "## bf16 and f16", "", *lines, "", END])
        if BEGIN in text:
            text = text[:text.index(BEGIN)] + part + text[text.index(END) + len(END):]
        else:
            text = text.rstrip("\n") + "\n\n" + part + "\n"
        args.write.write_text(text)


if __name__ == "__main__":
    main()
