# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first call of torch.compile(backend="coil") costs with an empty cache and with a
full one, on a GPT-2 of 124 million parameters.

    warm_start.py [--layers 12] [--train] [--repetitions 3]

Each measurement is a process of its own. "aot_eager" traces as the backend does and compiles
nothing: what is beyond it is the backend's. Seconds are those of processors, so that a busy
machine matters less; "elapsed" is the first call by the clock.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def measure(backend, layers, train):
    """One process: processor seconds of `import torch` and of the first call, and seconds of the
    backend inside."""
    start = time.process_time()
    import torch
    import torch._dynamo

    imported = time.process_time()
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.c_fc, self.c_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = (each.view(batch, length, self.heads, -1).transpose(1, 2)
                       for each in self.c_attn(self.ln_1(x)).split(width, dim=2))
            attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.c_proj(attended.transpose(1, 2).reshape(batch, length, width))
            return x + self.c_out(nn.functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))

    class GPT2(nn.Module):
        def __init__(self, width=768, heads=12, vocabulary=50257, positions=1024):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
            self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
            self.ln_f = nn.LayerNorm(width)

        def forward(self, tokens):
            x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
            return self.ln_f(self.blocks(x)) @ self.wte.weight.T

    torch.manual_seed(0)
    model = GPT2()
    tokens = torch.randint(0, 50257, (1, 64))
    # The operators themselves cost at their first call, too.
    with torch.no_grad():
        model(tokens)
    compiled = torch.compile(model, backend=backend)
    begin, clock = time.process_time(), time.perf_counter()
    if train:
        compiled(tokens).logsumexp(-1).mean().backward()
    else:
        with torch.no_grad():
            compiled(tokens)
    seconds = {"import torch": imported - start, "first call": time.process_time() - begin,
               "elapsed": time.perf_counter() - clock}
    begin = time.process_time()
    with torch.no_grad():
        model(tokens)
    seconds["eager call"] = time.process_time() - begin
    result = {"seconds": seconds}
    if backend == "coil":
        import coil

        result["counters"] = coil.counters()
        seconds["of it compile_graph"] = result["counters"]["processor_seconds"]
    print(json.dumps(result))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--train", action="store_true", help="forward and backward; otherwise inference")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure, arguments.layers, arguments.train)
        return

    def run(backend, directory):
        command = [sys.executable, __file__, "--measure", backend, "--layers", str(arguments.layers)]
        done = subprocess.run(command + ["--train"] * arguments.train, check=True, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "COIL_CACHE": "1", "COIL_CACHE_DIR": directory})
        return json.loads(done.stdout.splitlines()[-1])

    for _ in range(arguments.repetitions):
        with tempfile.TemporaryDirectory() as directory:
            for name, backend in (("aot_eager", "aot_eager"), ("coil, cold", "coil"), ("coil, warm", "coil")):
                result = run(backend, directory)
                times = ", ".join(f"{what} {seconds:.3f}" for what, seconds in result["seconds"].items())
                cache = result.get("counters", {}).get("cache", {})
                print(f"{name}: {times}" + (f"; hits {cache['hits']}, misses {cache['misses']}" if cache else ""),
                      flush=True)


if __name__ == "__main__":
    main()
