#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models in bf16 on an NVIDIA GPU: Coil, PyTorch eager and TorchInductor
(default mode, the same of the exported graph, and reduce-overhead) in one run.

The architectures are those of the transformers package with random weights.
For each model: time of a call (median of CUDA events, interleaved), host time
until a call returns, compile time, peak device memory, launches.

    PYTHONPATH=python python3 benchmarks/gpu_models.py --json out.json
"""
import argparse
import datetime
import gc
import json
import os
import statistics
import tempfile
import time

import torch
import transformers

import coil
from gpu_kernels import as_tuple, event_times, peak_bytes, wall


class Logits(torch.nn.Module):
    """The first output of a model, as the only one."""

    def __init__(self, model, **kwargs):
        super().__init__()
        self.model = model
        self.kwargs = kwargs

    def forward(self, x):
        return self.model(x, **self.kwargs)[0]


class Decode(torch.nn.Module):
    """One token of GPT-2 with a cache of keys and values, written out: the
    caches come in and go out as tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, token, position, keys, values):
        t = self.model.transformer
        x = t.wte(token) + t.wpe(position)
        new_keys, new_values = [], []
        for i, block in enumerate(t.h):
            h = block.ln_1(x)
            q, k, v = block.attn.c_attn(h).split(x.shape[-1], dim=-1)
            heads = block.attn.num_heads
            q, k, v = (y.view(y.shape[0], 1, heads, -1).transpose(1, 2) for y in (q, k, v))
            k, v = torch.cat((keys[i], k), 2), torch.cat((values[i], v), 2)
            new_keys.append(k)
            new_values.append(v)
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            x = x + block.attn.c_proj(y.transpose(1, 2).reshape(x.shape))
            x = x + block.mlp(block.ln_2(x))
        return (self.model.lm_head(t.ln_f(x)), *new_keys, *new_values)


def gpt2():
    config = transformers.GPT2Config(attn_implementation="sdpa", use_cache=False)
    return transformers.GPT2LMHeadModel(config)


def models():
    def tokens(batch, length, limit):
        return lambda d: (torch.randint(0, limit, (batch, length), device=d),)

    def images(batch):
        return lambda d: (torch.randn(batch, 3, 224, 224, device=d, dtype=torch.bfloat16),)

    def llama():
        config = transformers.LlamaConfig(
            vocab_size=32000, hidden_size=2048, intermediate_size=5632, num_hidden_layers=8,
            num_attention_heads=16, num_key_value_heads=4, attn_implementation="sdpa", use_cache=False)
        return Logits(transformers.LlamaForCausalLM(config), return_dict=False)

    def vit():
        return Logits(transformers.ViTForImageClassification(
            transformers.ViTConfig(num_labels=1000, attn_implementation="sdpa")), return_dict=False)

    def resnet():
        return Logits(transformers.ResNetForImageClassification(
            transformers.ResNetConfig(num_labels=1000)), return_dict=False)

    def cache(d):
        return [torch.randn(1, 12, 255, 64, device=d, dtype=torch.bfloat16) for _ in range(12)]

    yield "gpt2 forward 8x1024", lambda: Logits(gpt2(), return_dict=False), tokens(8, 1024, 50257)
    yield "gpt2 decode", lambda: Decode(gpt2()), lambda d: (
        torch.randint(0, 50257, (1, 1), device=d), torch.full((1, 1), 255, device=d), cache(d), cache(d))
    yield "llama 8 blocks 4x1024", llama, tokens(4, 1024, 32000)
    yield "vit-b/16 64", vit, images(64)
    yield "resnet-50 64", resnet, images(64)


def host_time(f, repeat=50):
    times = []
    for _ in range(repeat):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        f()
        times.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return statistics.median(times) * 1e6


def flatten(inputs):
    return [t for x in inputs for t in (x if isinstance(x, (list, tuple)) else (x,))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--filter", default="")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--options", default="target=cuda")
    parser.add_argument("--json")
    args = parser.parse_args()
    torch.manual_seed(0)
    print(f"{datetime.date.today()}  {torch.cuda.get_device_name()}, torch {torch.__version__}, transformers {transformers.__version__}, Coil {coil.version()}")
    records = []
    for name, build, make in models():
        if args.filter not in name:
            continue
        record = {"model": name}
        with torch.no_grad():
            module = build().eval().to(torch.bfloat16)
            inputs = make("cpu")
            exported = torch.export.export(module, inputs)
            module = module.cuda()
            inputs = make("cuda")
            expected = as_tuple(module(*inputs))
            functions = {"eager": lambda: module(*inputs)}
            record["eager peak MB"] = peak_bytes(functions["eager"]) / 1e6
            if not args.no_inductor:
                for key, mode in (("inductor", "default"), ("reduce-overhead", "reduce-overhead")):
                    torch._dynamo.reset()
                    compiled = torch.compile(module, mode=mode)
                    with torch._inductor.utils.fresh_cache():
                        record[key + " compile s"] = wall(lambda: compiled(*inputs))[0]
                    for _ in range(3):
                        compiled(*inputs)
                    functions[key] = lambda compiled=compiled: compiled(*inputs)
                    if key == "inductor":
                        record["inductor peak MB"] = peak_bytes(functions[key]) / 1e6
                # The same work as Coil's: tracing eager code, Inductor may skip a
                # mask that an exported graph has.
                torch._dynamo.reset()
                try:
                    graph = torch.compile(torch.export.export(module, inputs).module())
                    with torch._inductor.utils.fresh_cache():
                        graph(*inputs)
                    functions["inductor of the export"] = lambda graph=graph: graph(*inputs)
                except Exception as error:  # Not all exported graphs are traced again.
                    record["inductor of the export"] = str(error).strip().splitlines()[:1]
            try:
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "model.pt2")
                    torch.export.save(exported, path)
                    seconds, program = wall(lambda: coil.compile(path, options=args.options))
                    replayed = coil.compile(path, options=args.options, cuda_graphs=4)
                record["coil compile s"] = seconds
                record["coil stages"] = program.compile_stats
                stream = torch.cuda.current_stream().cuda_stream
                flat = flatten(inputs)
                outputs = program.run(*flat, stream=stream, like=torch.Tensor)
                torch.cuda.synchronize()
                record["error"] = max(
                    ((a.float() - e.float()).norm() / e.float().norm()).item() for a, e in zip(outputs, expected))
                record["coil run"] = dict(program.run_stats)
                del outputs
                functions["coil"] = lambda: program.run(*flat, stream=stream, like=torch.Tensor)
                functions["coil replay"] = lambda: replayed.run(*flat, stream=stream, like=torch.Tensor)
                functions["coil bound"] = program.bind(*flat, stream=stream, like=torch.Tensor)
                record["bound error"] = max(
                    ((a.float() - e.float()).norm() / e.float().norm()).item()
                    for a, e in zip(functions["coil bound"](), expected))
            except coil.CoilError as error:
                record["failure"] = str(error).strip().splitlines()[:3]
            record.update({f"{k} ms": v for k, v in event_times(functions, args.repeat).items()})
            record.update({f"{k} host us": host_time(f) for k, f in functions.items()})
        records.append(record)
        print(json.dumps(record, indent=1), flush=True)
        module = exported = graph = program = replayed = functions = compiled = None
        gc.collect()
        torch.cuda.empty_cache()
    print("| model | Coil ms | as a CUDA graph ms | eager ms | Inductor ms | of the export ms | reduce-overhead ms | Coil host us | replay us | bound us | Inductor host us | reduce-overhead host us | Coil compile s | Inductor compile s | error |")
    print("|---|" + "---|" * 14)
    for r in records:
        def cell(key, form="{:.3f}"):
            return form.format(r[key]) if key in r else "-"
        print(f"| {r['model']} | {cell('coil ms')} | {cell('coil replay ms')} | {cell('eager ms')} | {cell('inductor ms')} | {cell('inductor of the export ms')} | {cell('reduce-overhead ms')} | {cell('coil host us', '{:.0f}')} | {cell('coil replay host us', '{:.0f}')} | {cell('coil bound host us', '{:.1f}')} | {cell('inductor host us', '{:.0f}')} | {cell('reduce-overhead host us', '{:.0f}')} | {cell('coil compile s')} | {cell('inductor compile s', '{:.1f}')} | {cell('error', '{:.1e}')} |")
    if args.json:
        with open(args.json, "w") as f:
            json.dump(records, f, indent=1)


if __name__ == "__main__":
    main()
