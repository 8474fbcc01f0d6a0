# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers against PyTorch's on a GPU, from random seeds and offsets: bit for
bit, and where functions of words are computed, in units in the last place. Needs
PyTorch with CUDA; run by scripts/gpu_check.sh.

    PYTHONPATH=python python3 test/python/gpu_random.py [seed]
"""
import random
import sys
import tempfile

import torch
import torch.nn.functional as F

import coil

SIZES = [(1,), (2,), (5, 7), (6,), (255,), (1024, 3), (64, 96), (270336,), (270337,), (1081346,), (3, 1081349), (4096, 4096)]
FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


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


class Integers(torch.nn.Module):
    """Of one word and of two."""

    def forward(self, x):
        i = torch.empty(x.shape, dtype=torch.int32, device=x.device)
        return (torch.randint(-5, 10**15, x.shape, device=x.device), torch.empty_like(i).random_(), torch.empty_like(x).random_(),
                torch.empty_like(i).random_(1000), torch.bernoulli(x.abs().clamp(max=1)))


class Draws(torch.nn.Module):
    """Distributions, one behind the other: each begins where the one before ended."""

    def __init__(self, functions):
        super().__init__()
        self.names, self.functions = list(functions), list(functions.values())

    def forward(self, x):
        return tuple(function(x) for function in self.functions)


# How many units in the last place results may be apart, for 16 bits, f32 and f64; and the magnitude of a
# summand, which counts where it is the largest. Narrow floats may round to a neighbour, and where they are
# multiplied and added to afterwards, so may the product and the sum.
# Both sides take the same approximate sine, cosine and logarithm of f32; roots, exact logarithms,
# exponentials and all of f64 are of different libraries.
DISTRIBUTIONS = {
    "randn": (torch.randn_like, 1, 4, 6, 0),
    "normal_": (lambda x: torch.empty_like(x).normal_(1.5, 0.25), 1, 4, 6, 1.5),
    "normal of tensors": (lambda x: torch.normal(x, x.abs()), 3, 4, 6, 4),
    "uniform_": (lambda x: torch.empty_like(x).uniform_(-2, 3), 1, 1, 1, 2),
    "exponential_": (lambda x: torch.empty_like(x).exponential_(2.5), 1, 2, 4, 0),
    "log_normal_": (lambda x: torch.empty_like(x).log_normal_(0.5, 0.25), 1, 12, 12, 0),
    "cauchy_": (lambda x: torch.empty_like(x).cauchy_(0.5, 2.0), 1, 8, 8, 0.5),
    "rrelu": (lambda x: F.rrelu(x, 0.1, 0.4, True), 1, 2, 2, 0),
    "alpha_dropout": (lambda x: F.alpha_dropout(x, 0.25, True), 1, 4, 4, 4),
}
# Steps of functions, and the largest of quotients: one in so many elements may be another one.
STEPS = {
    "geometric_": (lambda x: torch.empty_like(x).geometric_(0.25), 10000),
    "multinomial of one": (lambda x: torch.multinomial(x.abs() + 0.01, 1), 1000),
    "multinomial": (lambda x: torch.multinomial(x.abs() + 0.01, 1 if x.shape[-1] < 3 else 3), 1000),
    "multinomial with replacement": (lambda x: torch.multinomial(x.abs() + 0.01, 200, replacement=True), 1000),
}


def is_comparable(name, size, dtype):
    """Whether results are decided by more than rounding: quotients of narrow floats are equal to others, and a sum
    of many probabilities is off by as much as one of them is."""
    if not name.startswith("multinomial"):
        return True
    most = 256 if "replacement" in name and dtype == torch.float32 else 1 << 20
    return dtype in (torch.float32, torch.float64) and size[-1] <= most and size != (4096, 4096)


worst = {}


def bits(t):
    return t.view(torch.uint8) if t.dtype == torch.bool else t


def compare(name, a, e):
    """What is wrong with a result, or nothing; no name stands for the same bits."""
    if a.shape != e.shape or a.dtype != e.dtype:
        return f"is {tuple(a.shape)} {a.dtype}, expected {tuple(e.shape)} {e.dtype}"
    if name in DISTRIBUTIONS:
        kind = e.dtype
        _, narrow, single, double, shift = DISTRIBUTIONS[name]
        limit = {torch.float32: single, torch.float64: double}.get(kind, narrow)
        # Not by a logarithm, which may be less than 3 for 8.
        size = e.double().abs().clamp(min=max(shift, torch.finfo(kind).tiny))
        unit = torch.finfo(kind).eps * torch.ldexp(torch.ones_like(size), torch.frexp(size).exponent - 1)
        apart = torch.where(a == e, 0, (a.double() - e.double()).abs() / unit).ravel()
        if name == "uniform_":
            # The upper end becomes the lower one: a neighbour of it is far from that.
            apart = torch.where((a.ravel() - e.ravel()).abs() > 4.9, 0, apart)
        at = int(apart.argmax())
        worst[name, kind] = max(worst.get((name, kind), 0), float(apart[at]))
        if apart[at] <= limit:
            return None
        return f"is {float(apart[at])} units in the last place off at {at}: {a.ravel()[at]}, expected {e.ravel()[at]}; " \
               f"{int((apart > limit).sum())} of {e.numel()} are more than {limit} off"
    differ = (bits(a) != bits(e)).ravel()
    count = int(differ.sum())
    if count <= (1 + e.numel() // STEPS[name][1] if name in STEPS else 0):
        return None
    at = int(differ.nonzero()[0])
    return f"has {count} of {e.numel()} that differ, the first at {at}: {a.ravel()[at]}, expected {e.ravel()[at]}"


def compare_all(module, actual, expected):
    """What is wrong with results, or nothing."""
    names = module.names if isinstance(module, Draws) else [""] * len(expected)
    wrong = [f"{name or f'result {i}'} {why}" for i, (name, a, e) in enumerate(zip(names, actual, expected, strict=True))
             if (why := compare(name, a, e))]
    return "; ".join(wrong[:4]) + (f"; and {len(wrong) - 4} more" if len(wrong) > 4 else "")


def check(module, x, seed, offset, path):
    """What is wrong with a program, or nothing."""
    generator = torch.cuda.default_generators[0]
    with torch.no_grad():
        torch.export.save(torch.export.export(module, (x,)), path)
        program = coil.compile(path, options="target=cuda")
        x = x.cuda()
        generator.manual_seed(seed)
        generator.set_offset(offset)
        expected = module(x)
    if isinstance(expected, torch.Tensor):
        expected = (expected,)
    after = generator.get_offset()
    program.random_state = seed, offset
    actual = [torch.from_dlpack(t) for t in program.run(x)]
    if program.random_state != (seed, after):
        return f"the offset is {program.random_state[1]}, expected {after}"
    return compare_all(module, actual, expected)


def check_permutations(path):
    """These are not PyTorch's numbers: each number is there once, and the seed fixes their order."""
    module = Draws({"randperm": lambda x: torch.randperm(x.shape[0], device=x.device)})
    for n in (1, 2, 255, 270337):
        torch.export.save(torch.export.export(module, (torch.zeros(n),)), path)
        program = coil.compile(path, options="target=cuda")
        runs = []
        for seed in (3, 3, 4):
            program.random_state = seed, 0
            runs.append(torch.from_dlpack(program.run(torch.zeros(n, device="cuda"))[0]).clone())
        if not torch.equal(runs[0].sort().values, torch.arange(n, device="cuda")) or not torch.equal(runs[0], runs[1]) or (
                n > 2 and torch.equal(runs[0], runs[2])):
            return f"randperm of {n}: {runs}"
    return None


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    torch.cuda.init()
    checked = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/program.pt2"
        for size in SIZES:
            print(f"{checked} programs, {wrong} differ; {size}", flush=True)
            for dtype in FLOATS:
                modules = [Dropout(0.1), NativeDropout(0.75), Rand(), Several(), Bernoulli(), Integers()]
                functions = {name: function for name, (function, *_) in DISTRIBUTIONS.items()}
                functions |= {name: function for name, (function, _) in STEPS.items() if is_comparable(name, size, dtype)}
                modules.append(Draws(functions))
                for module in modules:
                    x = torch.randn(size, dtype=dtype).clamp(-4, 4)
                    seed, offset = rng.getrandbits(63), 4 * rng.randrange(1 << 20)
                    why = check(module, x, seed, offset, path)
                    checked += 1
                    if why:
                        wrong += 1
                        print(f"FAILED {type(module).__name__} {dtype} {size} seed {seed} offset {offset}: {why}", flush=True)
        why = check_permutations(path)
        if why:
            wrong += 1
            print(f"FAILED {why}")
    for (name, dtype), units in sorted(worst.items(), key=str):
        print(f"{name} {dtype}: at most {units:.2f} units in the last place from PyTorch's")
    print(f"{checked} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
