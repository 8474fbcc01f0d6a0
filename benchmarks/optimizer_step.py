#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled optimizer step: eager mode, TorchInductor, Coil with copies and Coil in place.

    benchmarks/optimizer_step.py --threads=1 --rounds=21

`torch.compile(optimizer.step)` of AdamW (`foreach=True`) updates parameters, both moments and the counts of steps. With
`update_inputs` (the default) Coil computes them where they are; without, it makes new tensors and copies these.
Calls of all are interleaved. Prints the median and least time of a step in milliseconds, and how far the parameters are
from eager mode's after three steps.
"""

import argparse
import statistics
import time

import torch

#: 10.0 million parameters: square layers with biases, and an embedding.
SHAPES = [(1024, 1024)] * 8 + [(1024,)] * 8 + [(4096, 400)]
BACKENDS = {
    "eager mode": None,
    "Inductor": {"backend": "inductor"},
    "copied": {"backend": "coil", "options": {"strict": True, "update_inputs": False}},
    "updated in place": {"backend": "coil", "options": {"strict": True}},
}


def make(seed, device):
    torch.manual_seed(seed)
    parameters = [torch.nn.Parameter(torch.randn(shape, device=device)) for shape in SHAPES]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    return parameters, torch.optim.AdamW(parameters, lr=1e-3, foreach=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--no-inductor", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    steps = {}
    for name, options in BACKENDS.items():
        if name == "Inductor" and args.no_inductor:
            continue
        parameters, optimizer = make(args.seed, args.device)
        call = torch.compile(optimizer.step, **options) if options else optimizer.step
        for _ in range(3):
            call()
        steps[name] = (parameters, call)
    expected = steps["eager mode"][0]
    differences = {
        name: max((a - b).abs().max().item() for a, b in zip(parameters, expected))
        for name, (parameters, _) in steps.items()
    }
    synchronize = torch.cuda.synchronize if args.device.startswith("cuda") else lambda: None
    times = {name: [] for name in steps}
    for _ in range(args.rounds):
        for name, (_, call) in steps.items():
            synchronize()
            begin = time.perf_counter()
            call()
            synchronize()
            times[name].append((time.perf_counter() - begin) * 1e3)
    print(f"AdamW, {sum(p.numel() for p in expected) / 1e6:.1f} million parameters, {args.threads} threads, seed {args.seed}")
    print("| | milliseconds, median | least | differs by |\n|---|---|---|---|")
    for name, measured in times.items():
        print(f"| {name} | {statistics.median(measured):.1f} | {min(measured):.1f} | {differences[name]:.1e} |")


if __name__ == "__main__":
    main()
