#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and attention on an NVIDIA GPU, which libraries compute: Coil and
PyTorch eager in one run. Eager calls cuDNN for convolutions and its own flash
attention; both layouts of images are timed.

Every result is compared with eager's in f32 before anything is timed. Times are
medians of CUDA events, the calls interleaved.

    PYTHONPATH=python python3 benchmarks/gpu_library.py --json out.json
"""
import argparse
import dataclasses
import datetime
import json
import os
import tempfile
import traceback
from typing import Callable

import torch
import torch.nn.functional as F

import coil
from gpu_kernels import as_tuple, event_times, wall

bf16, f16, f32 = torch.bfloat16, torch.float16, torch.float32


@dataclasses.dataclass
class Case:
    name: str
    module: torch.nn.Module
    make: Callable  # device -> inputs
    flops: float
    rtol: float = 2e-2


class Conv(torch.nn.Module):
    def __init__(self, *args, relu=False, bias=False, dtype=bf16, **kwargs):
        super().__init__()
        self.conv = torch.nn.Conv2d(*args, bias=bias, **kwargs).to(dtype)
        self.relu = relu

    def forward(self, x):
        y = self.conv(x)
        return F.relu(y) if self.relu else y


class Bottleneck(torch.nn.Module):
    """A block of ResNet-50 in evaluation mode."""

    def __init__(self, channels, width):
        super().__init__()
        layers = []
        for i, o, k in ((channels, width, 1), (width, width, 3), (width, channels, 1)):
            layers += [torch.nn.Conv2d(i, o, k, padding=k // 2, bias=False), torch.nn.BatchNorm2d(o)]
            layers += [torch.nn.ReLU()] if o == width else []
        self.body = torch.nn.Sequential(*layers).to(bf16).eval()

    def forward(self, x):
        return F.relu(x + self.body(x))


class Attention(torch.nn.Module):
    def __init__(self, heads, kv_heads, width, causal=False):
        super().__init__()
        self.heads, self.kv_heads, self.width, self.causal = heads, kv_heads, width, causal

    def forward(self, q, k, v, *mask):
        def split(x, heads):
            return x.view(x.shape[0], x.shape[1], heads, self.width).transpose(1, 2)

        q, k, v = split(q, self.heads), split(k, self.kv_heads), split(v, self.kv_heads)
        if self.kv_heads != self.heads:
            # As models write it that repeat keys and values.
            k, v = (
                x[:, :, None].expand(-1, -1, self.heads // self.kv_heads, -1, -1).reshape(q.shape[:2] + x.shape[2:])
                for x in (k, v)
            )
        return self.attend(q, k, v, *mask).transpose(1, 2).flatten(2)

    def attend(self, q, k, v, mask=None):
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, attn_mask=mask)


class SpelledAttention(Attention):
    """As models spell it that do not call the operator."""

    def attend(self, q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / self.width**0.5
        if self.causal:
            seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
            scores = scores.masked_fill(~seen, torch.finfo(q.dtype).min)
        if mask is not None:
            scores = scores + mask if mask.dtype != torch.bool else scores.masked_fill(~mask, torch.finfo(q.dtype).min)
        return scores.softmax(-1, dtype=f32).to(q.dtype) @ v


def conv_case(name, batch, size, i, o, k, stride=1, dtype=bf16, channels_last=False, **kwargs):
    padding = kwargs.pop("padding", k // 2)
    module = Conv(i, o, k, stride=stride, padding=padding, dtype=dtype, **kwargs)

    def make(device):
        return (torch.randn(batch, i, size, size, device=device).to(dtype),)

    out = (size + 2 * padding - k) // stride + 1
    flops = 2.0 * batch * o * out * out * i // kwargs.get("groups", 1) * k * k
    return Case(name, module, make, flops, 1e-4 if dtype == f32 else 2e-2)


def attention_case(name, batch, length, heads, kv_heads, width, causal=False, mask=None, dtype=bf16, keys=None,
                   kind=Attention):
    keys = keys or length

    def make(device):
        inputs = [torch.randn(batch, length, heads * width, device=device).to(dtype)]
        inputs += [torch.randn(batch, keys, kv_heads * width, device=device).to(dtype) for _ in range(2)]
        if mask == "added":
            inputs.append(torch.randn(batch, 1, length, keys, device=device).to(dtype))
        elif mask == "bool":
            # Padding at the end; the first sequence sees nothing in one row.
            count = torch.randint(keys // 2, keys, (batch, 1, 1, 1), device=device)
            m = (torch.arange(keys, device=device) < count).expand(batch, 1, length, keys).clone()
            m[0, 0, 0] = False
            inputs.append(m)
        return tuple(inputs)

    flops = 4.0 * batch * heads * length * keys * width * (0.5 if causal else 1)
    return Case(name, kind(heads, kv_heads, width, causal), make, flops)


def cases():
    yield conv_case("conv 7x7/2 3-64 224", 64, 224, 3, 64, 7, 2)
    yield conv_case("conv 1x1 64-256 56", 64, 56, 64, 256, 1)
    yield conv_case("conv 3x3 64-64 56", 64, 56, 64, 64, 3)
    yield conv_case("conv 3x3/2 128-128 56", 64, 56, 128, 128, 3, 2)
    yield conv_case("conv 1x1/2 256-512 56", 64, 56, 256, 512, 1, 2)
    yield conv_case("conv 3x3 256-256 14", 64, 14, 256, 256, 3)
    yield conv_case("conv 3x3 512-512 7", 64, 7, 512, 512, 3)
    yield conv_case("conv 3x3 64-64 56, bias relu", 64, 56, 64, 64, 3, bias=True, relu=True)
    yield conv_case("conv 3x3 64-64 56, f16", 64, 56, 64, 64, 3, dtype=f16)
    yield conv_case("conv 3x3 64-64 56, f32", 16, 56, 64, 64, 3, dtype=f32)
    yield conv_case("conv 3x3 128-128 28, 4 groups", 64, 28, 128, 128, 3, groups=4)
    yield conv_case("conv 16x16/16 3-768 224", 64, 224, 3, 768, 16, 16, padding=0, bias=True)
    width = 64
    block = 2.0 * 64 * 56 * 56 * (256 * 64 + 64 * 64 * 9 + 64 * 256)
    yield Case("bottleneck 256 56", Bottleneck(256, width), lambda d: (
        torch.randn(64, 256, 56, 56, device=d).to(bf16),), block, 5e-2)
    for kind, what in (Attention, "attention"), (SpelledAttention, "spelled attention"):
        yield attention_case(f"{what} GPT-2 8x1024 causal", 8, 1024, 12, 12, 64, causal=True, kind=kind)
        yield attention_case(f"{what} Llama 4x1024 GQA causal", 4, 1024, 16, 4, 128, causal=True, kind=kind)
        yield attention_case(f"{what} ViT 64x197", 64, 197, 12, 12, 64, kind=kind)
        yield attention_case(f"{what} 4x512 f16", 4, 512, 12, 12, 64, dtype=f16, kind=kind)
        yield attention_case(f"{what} 4x512, added mask", 4, 512, 12, 12, 64, mask="added", kind=kind)
        yield attention_case(f"{what} 4x197, added mask", 4, 197, 12, 12, 64, mask="added", kind=kind)
        yield attention_case(f"{what} 4x512, bool mask", 4, 512, 12, 12, 64, mask="bool", kind=kind)
        yield attention_case(f"{what} decode 8x1 of 1024", 8, 1, 32, 8, 128, keys=1024, kind=kind)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--filter", default="", help="cases whose name holds this; several are separated by commas")
    parser.add_argument("--options", default="target=cuda", help="pipeline options for Coil")
    parser.add_argument("--json", help="file for all figures")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(
        f"{datetime.date.today()}  {torch.cuda.get_device_name()}, torch {torch.__version__}, "
        f"cuDNN {torch.backends.cudnn.version()}, Coil {coil.version()}"
    )
    print("| case | Coil us | TFLOP/s | eager us | eager, channels last us | faster than the better | first call ms | error |")
    print("|---|---|---|---|---|---|---|---|")
    records = []
    for case in cases():
        if not any(part in case.name for part in args.filter.split(",")):
            continue
        record = {"case": case.name}
        with torch.no_grad():
            like = case.make("cpu")
            exported = torch.export.export(case.module, like)
            module = case.module.cuda()
            inputs = case.make("cuda")
            wide = module.to(f32)
            expected = as_tuple(wide(*(t.float() if t.is_floating_point() else t for t in inputs)))
            module = wide.to(inputs[0].dtype)
            functions = {"eager": lambda: module(*inputs)}
            if inputs[0].dim() == 4:
                import copy
                last = copy.deepcopy(module).to(memory_format=torch.channels_last)
                images = inputs[0].to(memory_format=torch.channels_last)
                functions["last"] = lambda: last(images)
            try:
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "case.pt2")
                    torch.export.save(exported, path)
                    record["compile"], program = wall(lambda: coil.compile(path, options=args.options))
                stream = torch.cuda.current_stream().cuda_stream
                record["first"], outputs = wall(lambda: program.run(*inputs, stream=stream))
                record["first"] *= 1e3
                outputs = [torch.from_dlpack(o).float() for o in outputs]
                record["error"] = max(((a - e).norm() / e.norm()).item() for a, e in zip(outputs, expected))
                assert record["error"] <= case.rtol, f"relative error {record['error']}"
                del outputs
                functions["coil"] = lambda: program.run(*inputs, stream=stream)
            except Exception as error:  # One case must not end the table.
                record["failure"] = str(error).strip().splitlines()[:3]
                if not isinstance(error, (coil.CoilError, AssertionError)):
                    traceback.print_exc()
            record.update(event_times(functions, args.repeat))
        records.append(record)
        us = {k: record[k] * 1e3 for k in ("coil", "eager", "last") if k in record}
        best = min(v for k, v in us.items() if k != "coil")
        cells = [f"{us['coil']:.1f}", f"{case.flops / us['coil'] / 1e6:.0f}"] if "coil" in us else ["-", "-"]
        cells += [f"{us['eager']:.1f}", f"{us['last']:.1f}" if "last" in us else ""]
        cells += [f"{best / us['coil']:.2f}", f"{record['first']:.0f}", f"{record['error']:.1e}"] if "coil" in us else [str(record.get("failure"))]
        print(f"| {case.name} | " + " | ".join(cells) + " |", flush=True)
        module = wide = functions = program = exported = None
        torch.cuda.empty_cache()
    if args.json:
        with open(args.json, "w") as f:
            json.dump(records, f, indent=1)
    failed = [r["case"] for r in records if "failure" in r]
    if failed:
        raise SystemExit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
