#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of full size through torch.compile: Coil beside PyTorch eager and TorchInductor, forward and training step.

    benchmarks/compiled_models.py --json=models.json                       # the list below, on a GPU
    benchmarks/compiled_models.py --random=7 --count=20 --json=models.json  # architectures of timm that nobody chose
    benchmarks/compiled_models.py --device=cpu --dtype=f32 --jobs=1

Configurations are those of the libraries (transformers, timm, torchvision), weights are random, the element type is that of
--dtype for weights and inputs. A training step is the forward pass in training mode, the mean of the squares of the first result,
and the backward pass; gradients are dropped before each step. Dropout is off, so that results can be compared.

Each model has a process of its own. --jobs of them prepare at once (build, compile with both compilers, compare); none is timed
before all have ended to prepare, and then one after the other, so that the processors are free. The times to prepare are those of
busy processors therefore. What is not ready after --seconds is listed and not timed.

* Times are medians over rounds of CALLS calls in a row, the compilers in turn, from the first launch to the end of the last kernel:
  where the host is slower than the device, its time counts.
* With --profile, one more call of both compilers' is recorded by torch.profiler: device time in kernels of libraries (matrix products,
  convolutions, attention) and in all others. Inductor's own kernels are those of Triton.
* The error is the distance of the first result from that of eager mode in f32 as a fraction of its norm, eager mode's own beside it;
  for a training step, of the gradient of the parameter that errs most.
* Peak memory is that of PyTorch's allocator above what is held before a call, results included.
"""
import argparse
import copy
import datetime
import functools
import json
import math
import os
import pathlib
import random
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time

# Calls in a row, and rounds of them.
CALLS, ROUNDS = 5, 5
# Names of kernels of cuBLAS, cuDNN and PyTorch's attention; the rest of a profile is what compilers generate, and PyTorch's own operators.
LIBRARY_KERNELS = re.compile(r"gemm|gemv|cutlass|cudnn|xmma|nvjet|wgrad|dgrad|splitK|flash_|fmha|implicit_convolve|convolve|winograd")
MODELS = (
    "gpt2", "bert", "distilbert", "roberta", "electra", "albert", "deberta_v2", "t5", "bart", "opt", "llama", "qwen2", "gemma2",
    "bloom", "vit", "whisper", "wav2vec2", "clip_text", "timm.convnext_tiny", "timm.swin_tiny_patch4_window7_224", "timm.resnet50",
    "timm.efficientnet_b0", "timm.mobilenetv3_large_100", "timm.mixer_b16_224")


def make(name, is_cuda):
    """A module, its inputs, and the keywords of its call. Batches are those of a GPU, or of two threads of a CPU."""
    import torch
    batch, length = (8, 512) if is_cuda else (1, 128)
    if name.startswith("timm."):
        import timm
        model = timm.create_model(name[5:], pretrained=False)
        size = model.default_cfg["input_size"]
        return model, (torch.randn(32 if is_cuda else 2, *size),), {}
    import transformers as t

    def tokens(limit, length=length):
        return torch.randint(3, limit, (batch, length))

    narrow = {"hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 8 if is_cuda else 2, "num_attention_heads": 16,
              "num_key_value_heads": 4, "vocab_size": 32000, "use_cache": False}
    makers = {
        "gpt2": lambda: (t.GPT2LMHeadModel(t.GPT2Config(use_cache=False)), tokens(50257)),
        "bert": lambda: (t.BertForMaskedLM(t.BertConfig()), tokens(30000)),
        "distilbert": lambda: (t.DistilBertForMaskedLM(t.DistilBertConfig()), tokens(30000)),
        "roberta": lambda: (t.RobertaForMaskedLM(t.RobertaConfig(max_position_embeddings=600)), tokens(50000)),
        "electra": lambda: (t.ElectraForMaskedLM(t.ElectraConfig()), tokens(30000)),
        "albert": lambda: (t.AlbertForMaskedLM(t.AlbertConfig(hidden_size=768, num_attention_heads=12, intermediate_size=3072)), tokens(30000)),
        "deberta_v2": lambda: (t.DebertaV2ForMaskedLM(t.DebertaV2Config(hidden_size=768, num_hidden_layers=6, num_attention_heads=12,
                               intermediate_size=3072, relative_attention=True, position_buckets=256, pos_att_type=["p2c", "c2p"])), tokens(30000)),
        "t5": lambda: (t.T5ForConditionalGeneration(t.T5Config(use_cache=False)), tokens(32000), {"decoder_input_ids": tokens(32000, length // 4)}),
        "bart": lambda: (t.BartForConditionalGeneration(t.BartConfig(d_model=768, encoder_layers=6, decoder_layers=6, encoder_ffn_dim=3072,
                         decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12, use_cache=False)), tokens(50000)),
        "opt": lambda: (t.OPTForCausalLM(t.OPTConfig(use_cache=False)), tokens(50000)),
        "llama": lambda: (t.LlamaForCausalLM(t.LlamaConfig(**narrow)), tokens(32000)),
        "qwen2": lambda: (t.Qwen2ForCausalLM(t.Qwen2Config(**narrow)), tokens(32000)),
        "gemma2": lambda: (t.Gemma2ForCausalLM(t.Gemma2Config(**narrow, head_dim=128)), tokens(32000)),
        "bloom": lambda: (t.BloomForCausalLM(t.BloomConfig(hidden_size=1024, n_layer=8, n_head=16, vocab_size=50000, use_cache=False)), tokens(50000)),
        "vit": lambda: (t.ViTForImageClassification(t.ViTConfig(num_labels=1000)), torch.randn(32 if is_cuda else 1, 3, 224, 224)),
        "whisper": lambda: (t.WhisperModel(t.WhisperConfig(d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
                            decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, use_cache=False)), torch.randn(batch, 80, 3000),
                            {"decoder_input_ids": tokens(50000, 64)}),
        "wav2vec2": lambda: (t.Wav2Vec2ForCTC(t.Wav2Vec2Config(layerdrop=0.0, mask_time_prob=0.0)), torch.randn(batch, 48000 if is_cuda else 16000)),
        "clip_text": lambda: (t.CLIPTextModel(t.CLIPTextConfig()), tokens(49000, 77)),
    }
    model, first, *rest = makers[name]()
    return model, (first,), rest[0] if rest else {}


def get_first(result):
    """The first tensor of a model's result."""
    import torch
    if isinstance(result, torch.Tensor):
        return result
    return get_first(next(iter(result.values() if hasattr(result, "values") else result)))


def make_caller(compiler, backend, mode):
    """A function of a module and its inputs, compiled. Dynamo keeps what it compiles by the code of a function, so that
    each compiler has a function of its own; else each call would try the guards of the others' first."""
    import torch
    scope = {}
    exec(f"def call_{compiler}(module, inputs, keywords):\n    return module(*inputs, **keywords)", scope)
    call = scope[f"call_{compiler}"]
    return torch.compile(call, backend=backend, **mode) if backend else call


def prepare(name, args):
    """Compiles and compares; gives what is known so far, and functions to time by kind and compiler."""
    import torch
    is_cuda = args.device == "cuda"
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}[args.dtype]
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    module, inputs, keywords = make(name, is_cuda)
    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
        for field in ("dropout", "attention_dropout", "activation_dropout", "attn_dropout", "drop_prob"):
            if isinstance(getattr(part, field, None), float):
                setattr(part, field, 0.0)
    module = module.to(args.device)
    inputs = tuple(x.to(args.device) for x in inputs)
    keywords = {k: v.to(args.device) for k, v in keywords.items()}
    record = {"model": name, "parameters": sum(p.numel() for p in module.parameters())}
    reference = copy.deepcopy(module)

    def cast(x):
        return x.to(dtype) if x.is_floating_point() else x

    module = module.to(dtype)
    low = tuple(cast(x) for x in inputs)
    exact = tuple(x.to(dtype).float() if x.is_floating_point() else x for x in inputs)
    with torch.no_grad():
        for p, q in zip(reference.parameters(), module.parameters()):
            p.copy_(q)
    compilers = {"eager": None, "coil": "coil"} | ({} if args.no_inductor else {"inductor": "inductor"})
    functions = {}

    def forward(call, model, inputs):
        with torch.no_grad():
            return get_first(call(model, inputs, keywords))

    def step(call, model, inputs):
        for p in model.parameters():
            p.grad = None
        loss = get_first(call(model, inputs, keywords)).float().square().mean()
        loss.backward()
        return loss

    def distance(found, expected):
        return ((found.float() - expected).norm() / expected.norm().clamp_min(1e-30)).item()

    torch._dynamo.config.recompile_limit = 64  # Of frames behind graph breaks, which compilers share.
    for kind, run in (("forward", forward), ("step", step)):
        if kind not in args.kinds.split(","):
            continue
        reference.train(kind == "step")
        expected = run(make_caller("reference", None, {}), reference, exact)
        gradients = {n: p.grad for n, p in reference.named_parameters() if p.grad is not None} if kind == "step" else {}
        module.train(kind == "step")
        for compiler, backend in compilers.items():
            begin = time.perf_counter()
            try:
                call = make_caller(compiler, backend, {} if args.mode == "default" or not backend else {"mode": args.mode})
                result = run(call, module, low)
                if is_cuda:
                    torch.cuda.synchronize()
                record[f"{kind} {compiler} first s"] = time.perf_counter() - begin
                if kind == "forward":
                    record[f"{kind} {compiler} error"] = distance(result, expected)
                else:
                    record[f"{kind} {compiler} error"] = max(
                        [distance(p.grad, gradients[n]) for n, p in module.named_parameters()
                         if p.grad is not None and n in gradients and gradients[n].norm() > 1e-8], default=0.0)
                if is_cuda:
                    run(call, module, low)
                    torch.cuda.synchronize()
                    torch.cuda.reset_peak_memory_stats()
                    held = torch.cuda.memory_allocated()
                    result = run(call, module, low)
                    torch.cuda.synchronize()
                    record[f"{kind} {compiler} peak MB"] = (torch.cuda.max_memory_allocated() - held) / 1e6
                functions[kind, compiler] = functools.partial(run, call, module, low)
            except Exception as error:  # pylint: disable=broad-except
                record[f"{kind} {compiler} failure"] = f"{type(error).__name__}: {error}".strip()[:600]
            result = None
        if is_cuda:
            record[f"{kind} fallbacks"] = dict(torch._dynamo.utils.counters.get("coil", {}))
        reference.zero_grad()
        module.zero_grad()
    return record, module, functions


def measure(record, module, functions, args):
    for kind in ("forward", "step"):
        module.train(kind == "step")
        measure_kind(record, {key: f for key, f in functions.items() if key[0] == kind}, args)


def measure_kind(record, functions, args):
    import torch
    is_cuda = args.device == "cuda"
    samples = {key: [] for key in functions}

    def synchronize():
        if is_cuda:
            torch.cuda.synchronize()

    for f in functions.values():
        f()
    calls = CALLS if is_cuda else 1
    for _ in range(ROUNDS):
        for key, f in functions.items():
            synchronize()
            begin = time.perf_counter()
            for _ in range(calls):
                f()
            synchronize()
            samples[key].append((time.perf_counter() - begin) / calls)
    for (kind, compiler), values in samples.items():
        record[f"{kind} {compiler} ms"] = statistics.median(values) * 1e3
    if args.profile and is_cuda:
        for (kind, compiler), f in functions.items():
            if compiler == "eager":
                continue
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
                f()
                torch.cuda.synchronize()
            library = rest = count = 0
            kernels = {}
            for event in profile.events():
                if event.device_type != torch.autograd.DeviceType.CUDA:
                    continue
                micros = event.device_time_total
                if LIBRARY_KERNELS.search(event.name) and not event.name.startswith("triton_"):
                    library += micros
                else:
                    rest += micros
                    count += 1
                name = event.name[:120]
                kernels[name] = [kernels.get(name, [0, 0])[0] + micros, kernels.get(name, [0, 0])[1] + 1]
            record[f"{kind} {compiler} library ms"] = library / 1e3
            record[f"{kind} {compiler} rest ms"] = rest / 1e3
            record[f"{kind} {compiler} rest kernels"] = count
            record[f"{kind} {compiler} kernels us"] = sorted(([n, *v] for n, v in kernels.items()), key=lambda v: -v[1])[:20]


def work(args):
    """The process of one model: prepares, says so, waits for a line, measures, and says what it found."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if args.threads:
        import torch
        torch.set_num_threads(args.threads)
    try:
        record, module, functions = prepare(args.work, args)
    except Exception as error:  # pylint: disable=broad-except
        record, functions = {"model": args.work, "failure": f"{type(error).__name__}: {error}".strip()[:600]}, {}
        module = None
    if args.device == "cuda":
        import torch
        torch.cuda.empty_cache()
    print("ready", file=out, flush=True)
    sys.stdin.readline()
    if functions:
        measure(record, module, functions, args)
    print(json.dumps(record), file=out, flush=True)


def get_end(log):
    """The last words of a process, in one line."""
    log.seek(0)
    return " ".join(log.read()[-300:].split())


def draw(seed, count):
    """Names of architectures of timm, by seed, whose default sizes fit."""
    import timm
    generator = random.Random(seed)
    names = sorted(timm.list_models())
    generator.shuffle(names)
    chosen = []
    for name in names:
        if len(chosen) == count:
            break
        size = (timm.get_pretrained_cfg(name, allow_unregistered=True) or timm.models.get_pretrained_cfg(name))
        if size and size.input_size[1] <= 256 and not re.search("giant|gigantic|huge|xlarge|_large|enormous", name):
            chosen.append(f"timm.{name}")
    return chosen


def summarise(records, args, out):
    kinds = [k for k in args.kinds.split(",") if any(f"{k} coil ms" in r for r in records)]
    for kind in kinds:
        print(f"\n### {kind}\n", file=out)
        print("| model | eager ms | Coil ms | Inductor ms | Inductor / Coil | rest: Coil ms (kernels) | Inductor ms (kernels) | libraries: Coil ms | Inductor ms"
              " | peak MB: Coil | Inductor | error: eager | Coil | first s: Coil | Inductor |", file=out)
        print("|---|" + "---|" * 14, file=out)
        ratios = []

        def cell(r, key, form="{:.2f}"):
            return form.format(r[f"{kind} {key}"]) if f"{kind} {key}" in r else "-"

        for r in sorted(records, key=lambda r: r.get(f"{kind} inductor ms", 0) / r.get(f"{kind} coil ms", 1)):
            ratio = ""
            if f"{kind} inductor ms" in r and f"{kind} coil ms" in r:
                ratios.append(r[f"{kind} inductor ms"] / r[f"{kind} coil ms"])
                ratio = f"{ratios[-1]:.2f}"
            print(f"| {r['model']} | {cell(r, 'eager ms')} | {cell(r, 'coil ms')} | {cell(r, 'inductor ms')} | {ratio}"
                  f" | {cell(r, 'coil rest ms')} ({cell(r, 'coil rest kernels', '{}')}) | {cell(r, 'inductor rest ms')} ({cell(r, 'inductor rest kernels', '{}')})"
                  f" | {cell(r, 'coil library ms')} | {cell(r, 'inductor library ms')} | {cell(r, 'coil peak MB', '{:.0f}')} | {cell(r, 'inductor peak MB', '{:.0f}')}"
                  f" | {cell(r, 'eager error', '{:.1e}')} | {cell(r, 'coil error', '{:.1e}')} | {cell(r, 'coil first s', '{:.1f}')} | {cell(r, 'inductor first s', '{:.1f}')} |", file=out)
        if ratios:
            print(f"\n{len(ratios)} models: geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, "
                  f"{sum(r < 1 for r in ratios)} below 1, worst {min(ratios):.2f}", file=out)
    for r in records:
        for key, value in r.items():
            if "failure" in key:
                print(f"* {r['model']}, {key}: {value.splitlines()[0][:200]}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--dtype", choices=("bf16", "f16", "f32"), default="bf16")
    parser.add_argument("--kinds", default="forward,step", help="of forward, step")
    parser.add_argument("--mode", choices=("default", "reduce-overhead"), default="default")
    parser.add_argument("--models", help="names, separated by commas: those of the list, or timm.NAME (default: the list)")
    parser.add_argument("--random", type=int, metavar="SEED", help="draw --count architectures of timm instead")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=8, help="processes that prepare at once")
    parser.add_argument("--threads", type=int, default=0, help="of a process (default: PyTorch's choice)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="time to prepare")
    parser.add_argument("--profile", action="store_true", help="also tell kernels of libraries and others apart")
    parser.add_argument("--no-inductor", action="store_true")
    parser.add_argument("--json", help="file for all figures")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        return work(args)
    names = draw(args.random, args.count) if args.random is not None else (args.models or ",".join(MODELS)).split(",")
    begin = time.time()
    waiting, running, ready, records, logs = list(names), {}, [], [], {}
    # Each process compiles with a few threads of its own.
    environment = dict(os.environ, TORCHINDUCTOR_COMPILE_THREADS=str(max(1, 2 * (os.cpu_count() or 1) // args.jobs)))
    while (waiting or running) and time.time() - begin < args.seconds:
        while waiting and len(running) < args.jobs:
            name = waiting.pop(0)
            logs[name] = tempfile.TemporaryFile("w+")
            process = subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--work", name], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=logs[name], text=True, env=environment)
            running[process.stdout] = name, process
        for stream in select.select(list(running), [], [], 1.0)[0]:
            name, process = running.pop(stream)
            if stream.readline().strip() == "ready":
                ready.append((name, process))
                print(f"{time.time() - begin:5.0f} s  {name} is ready", file=sys.stderr, flush=True)
            else:
                records.append({"model": name, "failure": f"the process ended: {get_end(logs[name])}"})
    for name, process in running.values():
        process.kill()
    records += [{"model": name, "failure": "not ready in time"} for name in [*(n for n, _ in running.values()), *waiting]]
    for name, process in ready:
        process.stdin.write("\n")
        process.stdin.flush()
        line = process.stdout.readline()
        records.append(json.loads(line) if line else {"model": name, "failure": f"the process ended while it was timed: {get_end(logs[name])}"})
        process.stdin.close()
        process.wait()
        if args.json:
            pathlib.Path(args.json).write_text(json.dumps(records, indent=1))
    import torch
    title = torch.cuda.get_device_name() if args.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{datetime.date.today()}, {title}, torch {torch.__version__}, {args.dtype}, mode {args.mode}: {' '.join(sys.argv[1:])}")
    summarise(records, args, sys.stdout)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(records, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
