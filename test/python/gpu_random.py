# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers against PyTorch's on a GPU, bit for bit, from random seeds and
offsets. Needs PyTorch with CUDA; run by scripts/gpu_check.sh.

    PYTHONPATH=python python3 test/python/gpu_random.py
"""
import random
import sys
import tempfile

import torch
import torch.nn.functional as F

import coil

SIZES = [(1,), (2,), (5, 7), (6,), (255,), (1024, 3), (64, 96), (270336,), (270337,), (1081346,), (3, 1081349), (4096, 4096)]


class Dropout(torch.nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        return F.dropout(x, self.p, True)


class NativeDropout(Dropout):
    def forward(self, x):
        return torch.native_dropout(x, self.p, True)


class Rand(torch.nn.Module):
    def forward(self, x):
        return torch.rand_like(x)


class Several(torch.nn.Module):
    """The second and third begin where the first ended."""

    def forward(self, x):
        y = F.dropout(x, 0.3, True)
        return y, torch.rand_like(x), torch.randint(-3, 1000, x.shape, device=x.device), F.dropout(y, 0.5, True)


class Bernoulli(torch.nn.Module):
    def forward(self, x):
        return torch.bernoulli(x, 0.7)


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    torch.cuda.init()
    generator = torch.cuda.default_generators[0]
    checked = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
                modules = [Dropout(0.1), NativeDropout(0.75)]
                if dtype != torch.float64:
                    modules += [Rand(), Several(), Bernoulli()]
                for module in modules:
                    x = torch.randn(size, dtype=dtype)
                    path = f"{folder}/program.pt2"
                    with torch.no_grad():
                        torch.export.save(torch.export.export(module, (x,)), path)
                    program = coil.compile(path, options="target=cuda")
                    x = x.cuda()
                    seed, offset = rng.getrandbits(63), 4 * rng.randrange(1 << 20)
                    generator.manual_seed(seed)
                    generator.set_offset(offset)
                    with torch.no_grad():
                        expected = module(x)
                    if isinstance(expected, torch.Tensor):
                        expected = (expected,)
                    program.random_state = seed, offset
                    actual = [torch.from_dlpack(t) for t in program.run(x)]
                    same = all(torch.equal(a.view(torch.uint8) if a.dtype == torch.bool else a, e.view(torch.uint8) if e.dtype == torch.bool else e)
                               for a, e in zip(actual, expected, strict=True))
                    after = generator.get_offset()
                    same_offset = program.random_state == (seed, after)
                    checked += 1
                    if not (same and same_offset):
                        wrong += 1
                        print(f"FAILED {type(module).__name__} {dtype} {size} seed {seed} offset {offset}: "
                              f"values {'equal' if same else 'differ'}, offset {program.random_state[1]}, expected {after}")
    print(f"{checked} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
