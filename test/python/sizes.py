# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the character GPT, compiled once, over its range of sizes, and compares
every result with PyTorch eager.

  PYTHONPATH=build/python python test/python/sizes.py examples/models [--full]

Without --full: the corners and some pairs. With it: every sequence length at
batch 1, every batch at several lengths, and random pairs.
"""
import argparse
import pathlib
import random
import sys
import time

import numpy as np
import torch

import coil

BATCHES = range(1, 65)
LENGTHS = range(2, 257)
TOLERANCE = 1e-3


def groups(full: bool) -> dict[str, list[tuple[int, int]]]:
    """The pairs of batch and length, by what they are for."""
    rng = random.Random(20261121)
    corners = [(b, s) for b in (1, 2, 64) for s in (2, 3, 256)]
    if not full:
        some = [(rng.choice(BATCHES), rng.randrange(2, 48)) for _ in range(6)]
        return {"corners": corners[:-1], "random pairs": some,
                "vector and block edges": [(1, s) for s in (15, 16, 17, 31, 32, 33, 255)]}
    return {
        "every length, batch 1": [(1, s) for s in LENGTHS],
        **{f"every batch, length {s}": [(b, s) for b in BATCHES] for s in (2, 31, 97, 256)},
        "corners": corners,
        "random pairs": [(rng.choice(BATCHES), rng.choice(LENGTHS)) for _ in range(300)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()

    path = args.models / "char_gpt.pt2"
    program = coil.compile(path)
    eager = torch.export.load(path).module()
    rng = np.random.default_rng(7)
    failed = 0
    total = 0
    print(f"{'pairs':24} {'count':>5} {'largest difference':>19} {'same argmax':>12} {'Coil s':>7} {'eager s':>8}")
    for name, pairs in groups(args.full).items():
        worst = 0.0
        same = 0
        positions = 0
        coil_s = eager_s = 0.0
        for batch, length in pairs:
            tokens = rng.integers(0, 128, (batch, length), dtype=np.int64)
            start = time.perf_counter()
            (got,) = program(tokens)
            middle = time.perf_counter()
            with torch.no_grad():
                expected = eager(torch.from_numpy(tokens)).numpy()
            eager_s += time.perf_counter() - middle
            coil_s += middle - start
            difference = float(np.abs(got - expected).max()) if got.shape == expected.shape else float("inf")
            # A NaN must fail, so the comparison is the other way round.
            if not difference <= TOLERANCE:
                failed += 1
                print(f"batch {batch}, length {length}: shape {got.shape}, difference {difference}")
            worst = max(worst, difference)
            same += int((got.argmax(-1) == expected.argmax(-1)).sum())
            positions += batch * length
        total += len(pairs)
        print(f"{name:24} {len(pairs):5} {worst:19.2e} {same / positions:12.6f} {coil_s:7.2f} {eager_s:8.2f}", flush=True)
    print(f"{total} pairs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
