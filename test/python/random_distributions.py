# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of distributions against a plain computation of them: Philox, and in
double precision what PyTorch's CUDA kernels make of its words. Then their
distributions, and models that draw.

    random_distributions.py [options of coil.compile]

A GPU is a simulated one here, whose approximate instructions are exact.
"""
import math
import os
import sys
import tempfile
import warnings

import numpy as np
import torch
import torch.nn.functional as F

import coil

warnings.filterwarnings("ignore")
OPTIONS = sys.argv[1] if len(sys.argv) > 1 else ""
IS_GPU = "cuda" in OPTIONS
failures = []


def check(name, holds, what=""):
    if not holds:
        failures.append(name)
        print(f"FAILED {name}: {what}")


class Lambda(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def export(function, *args, decompose=False, dynamic=None):
    """The program of a function of tensors."""
    with tempfile.TemporaryDirectory() as folder:
        module = function if isinstance(function, torch.nn.Module) else Lambda(function)
        shapes = (dynamic,) if dynamic and not isinstance(function, torch.nn.Module) else dynamic
        exported = torch.export.export(module, args, dynamic_shapes=shapes)
        if decompose:
            exported = exported.run_decompositions()
        path = os.path.join(folder, "program.pt2")
        torch.export.save(exported, path)
        return coil.compile(path, options=OPTIONS)


def run(program, *args, seed=None, offset=0):
    if seed is not None:
        program.random_state = seed, offset
    return [torch.from_dlpack(t, device="cpu") for t in program.run(*args)]


# --- The model of the generator -------------------------------------------------

M32 = np.uint64(0xFFFFFFFF)
S32 = np.uint64(32)


def philox(seed, counter, stream):
    """Philox 4x32-10: a row of four words for each stream."""
    stream = np.asarray(stream, np.uint64)
    counter = np.broadcast_to(np.asarray(counter, np.uint64), stream.shape)
    c = [counter & M32, counter >> S32, stream & M32, stream >> S32]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> S32) ^ c[1] ^ np.uint64(key[0]), p1 & M32, (p0 >> S32) ^ c[3] ^ np.uint64(key[1]), p0 & M32]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, -1)


class Generator:
    """What PyTorch's generator of an H100 draws."""

    def __init__(self, seed, offset):
        self.seed, self.offset = seed, offset

    def groups(self, n, each):
        """The group of words of each element, and its place there."""
        threads = 256 * min(1056, max(-(-n // 256), 1))
        e = np.arange(n)
        before = e // threads
        words = philox(self.seed, self.offset // 4 + before // each, e % threads)
        if n:
            self.offset += 4 * ((n - 1) // (threads * each) + 1)
        return words, before % each

    def uniform(self, n, dtype):
        """(0, 1], exact."""
        if dtype != torch.float64:
            words, place = self.groups(n, 4)
            return np.float32(words[np.arange(n), place]) * np.float32(2.0**-32) + np.float32(2.0**-33)
        words, place = self.groups(n, 2)
        z = words[np.arange(n), 2 * place] ^ words[np.arange(n), 2 * place + 1] << np.uint64(21)
        return np.float64(z) * 2.0**-53 + 2.0**-54

    def normal(self, n, dtype):
        rows = np.arange(n)
        if dtype != torch.float64:
            words, place = self.groups(n, 4)
            first = place // 2 * 2
            u = np.float32(words[rows, first]) * np.float32(2.0**-32) + np.float32(2.0**-33)
            # One rounding: the product is exact in double precision.
            step = np.float64(np.float32(2.0**-32) * np.float32(6.2831855))
            angle = np.float64(np.float32(np.float64(np.float32(words[rows, first + 1])) * step + step / 2))
            wave = np.where(place % 2 == 0, np.sin(angle), np.cos(angle))
            return np.sqrt(-2 * np.log(np.float64(u))) * wave
        words, place = self.groups(n, 2)
        u = np.float64(words[:, 0] ^ words[:, 1] << np.uint64(21)) * 2.0**-53 + 2.0**-54
        # sin(pi v) and cos(pi v), from an angle of at most a quarter of pi: taking off quarters of a turn is exact.
        v = np.float64(words[:, 2] ^ words[:, 3] << np.uint64(21)) * 2.0**-52 + 2.0**-53
        quarters = np.rint(2 * v)
        angle = np.longdouble(v - quarters / 2) * np.longdouble("3.14159265358979323846264338327950288")
        quarters = quarters.astype(np.int64) + place
        wave = np.where(quarters % 2 == 0, np.sin(angle), np.cos(angle)) * np.where(quarters % 4 < 2, 1, -1)
        return np.float64(np.sqrt(-2 * np.log(np.longdouble(u))) * wave)

    def bits(self, n):
        words, place = self.groups(n, 2)
        return words[np.arange(n), 2 * place] << S32 | words[np.arange(n), 2 * place + 1]


def real(dtype):
    return np.float64 if dtype == torch.float64 else np.float32


def log(u):
    return np.log(np.float64(u)) if u.dtype == np.float32 else np.float64(np.log(np.longdouble(u)))


def exponential(g, n, dtype, rate):
    u = g.uniform(n, dtype)
    epsilon = np.finfo(u.dtype).eps
    return np.where(u >= 1 - epsilon / 2, epsilon / 2, -log(u)) / rate


def cauchy(g, n, dtype, median, sigma):
    u = g.uniform(n, dtype)
    if dtype == torch.float64:
        return median + sigma * np.tan(np.pi * (u - 0.5))
    eps = np.finfo(np.float32).eps
    u = np.clip(u, eps, 1 - eps)
    return median + sigma * np.tan(np.float64(np.float32(np.pi) * (u - np.float32(0.5))))


def uniform(g, n, dtype, low, high):
    u = g.uniform(n, dtype)
    return np.float64(u) * (high - low) + low


# What PyTorch calls, and the same by the model. Errors are in units of the last
# place of the result, of its largest summand where it is a sum.
OPERATORS = {
    "randn": (lambda x: torch.randn_like(x), lambda g, n, t: g.normal(n, t), 4, 0),
    "normal_": (lambda x: torch.empty_like(x).normal_(1.5, 0.25), lambda g, n, t: 1.5 + 0.25 * g.normal(n, t), 3, 2),
    "uniform_": (lambda x: torch.empty_like(x).uniform_(-2, 3), lambda g, n, t: uniform(g, n, t, -2, 3), 2, 3),
    "exponential_": (lambda x: torch.empty_like(x).exponential_(2.5), lambda g, n, t: exponential(g, n, t, 2.5), 4, 0),
    "log_normal_": (lambda x: torch.empty_like(x).log_normal_(0.5, 0.25), lambda g, n, t: np.exp(0.5 + 0.25 * g.normal(n, t)), 8, 0),
    "cauchy_": (lambda x: torch.empty_like(x).cauchy_(0.5, 2.0), lambda g, n, t: cauchy(g, n, t, 0.5, 2.0), 8, 2),
    "bernoulli": (lambda x: torch.empty_like(x).bernoulli_(0.3), lambda g, n, t: np.float64(g.uniform(n, t) < real(t)(0.3)), 0, 0),
    "geometric_": (lambda x: torch.empty_like(x).geometric_(0.25), lambda g, n, t: np.ceil(log(g.uniform(n, t)) / np.log1p(-0.25)), 0, 0),
}
SIZES = [(0,), (1,), (7,), (3, 5, 17), (257,), (270337,)]
LONG = [(1081346,)]


def spacing(values, dtype):
    info = torch.finfo(dtype)
    magnitude = np.maximum(np.abs(values), info.tiny)
    return 2.0 ** np.floor(np.log2(magnitude)) * info.eps


def check_numbers():
    worst = {}
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        sizes = SIZES + (LONG if dtype == torch.float32 and not IS_GPU else [])
        if IS_GPU and dtype not in (torch.float32, torch.float64):
            sizes = sizes[:-1]  # A simulated one takes long.
        inputs = [torch.zeros(s, dtype=dtype) for s in sizes]
        program = export(lambda *xs: tuple(f(x) for f, *_ in OPERATORS.values() for x in xs), *inputs)
        # Offsets beyond 32 bits, too.
        seed, offset = 0xFEDCBA9876543210, 4 * ((1 << 34) + 77)
        results = iter(run(program, *inputs, seed=seed - (1 << 64), offset=offset))
        g = Generator(seed, offset)
        for name, (_, model, ulps, shift) in OPERATORS.items():
            for size in sizes:
                n = math.prod(size)
                expected = model(g, n, dtype)
                actual = next(results)
                check(f"{name} {dtype} {size}", tuple(actual.shape) == size and actual.dtype == dtype)
                actual = actual.double().numpy().ravel()
                if not n:
                    continue
                if name in ("bernoulli", "geometric_"):
                    # A number at the edge of a step may be on its other side.
                    differ = np.count_nonzero(actual != torch.from_numpy(expected).to(dtype).double().numpy())
                    check(f"{name} {dtype} {size}", differ <= n // 100000, f"{differ} differ")
                    continue
                unit = spacing(np.maximum(np.abs(expected), shift), dtype)
                # Where the type is narrow, the error is that of rounding.
                allowed = ulps if dtype in (torch.float32, torch.float64) else 1
                if name == "uniform_":
                    # The upper end becomes the lower one.
                    actual = np.where((actual == -2) & (expected > 2.9), 3, actual)
                most = torch.finfo(dtype).max
                check(f"{name} {dtype} {size}", np.array_equal(np.isinf(actual), np.abs(expected) > most), "infinities")
                errors = np.where(np.isinf(actual), 0, np.abs(actual - expected) / unit)
                worst[name, dtype] = max(worst.get((name, dtype), 0), errors.max())
                check(f"{name} {dtype} {size}", errors.max() <= allowed, f"error of {errors.max()} units in the last place at {errors.argmax()}")
        check(f"offset {dtype}", program.random_state[1] == g.offset, f"{program.random_state}, expected {g.offset}")
    if os.environ.get("COIL_SHOW_ERRORS"):
        for (name, dtype), error in worst.items():
            print(f"{name} {dtype} {error:.2f}")


def check_integers():
    def draw(x):
        i32, u8, b = x.int(), x.byte(), x.bool()
        return (torch.randint(-5, 10**15, (1000,)), torch.randint(-5, 12, (300,)), torch.empty_like(x).random_(),
                torch.empty_like(i32).random_(), torch.empty_like(u8).random_(), torch.empty_like(b).random_(),
                torch.empty_like(i32).random_(1000), torch.empty_like(x.float()).random_(), torch.empty_like(x.double()).random_())

    x = torch.zeros(1237, dtype=torch.int64)
    program = export(draw, x)
    g = Generator(5, 12)
    actual = run(program, x, seed=5, offset=12)
    n = len(x)

    def words(n):
        words, place = g.groups(n, 4)
        return words[np.arange(n), place]

    expected = [np.int64(g.bits(1000) % np.uint64(10**15 + 5)) - 5, np.int64(words(300) % np.uint64(17)) - 5,
                np.int64(g.bits(n) % np.uint64(1 << 63)), np.int32(words(n) % np.uint64(1 << 31)), np.uint8(words(n) % np.uint64(256)),
                np.bool_(words(n) % np.uint64(2)), np.int32(words(n) % np.uint64(1000)), np.float32(words(n) % np.uint64((1 << 24) + 1)),
                np.float64(g.bits(n) % np.uint64((1 << 53) + 1))]
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        check(f"integers {i}", np.array_equal(a.numpy(), e), f"{a[:5]} {e[:5]}")
    check("integers, offset", program.random_state[1] == g.offset, program.random_state)


def check_samples():
    """Samples by the model of their kernels."""
    torch.manual_seed(1)
    p = torch.rand(37, 19)
    p[:, 3] = 0
    p[:, 18] = 0

    def draw(p):
        return (torch.bernoulli(p), torch.multinomial(p, 1), torch.multinomial(p, 5), torch.multinomial(p, 200, replacement=True),
                torch.multinomial(p[0], 3, replacement=True), torch.normal(p, p + 1), torch.normal(2.0, p), torch.normal(p, 3.0))

    actual = run(export(draw, p), p, seed=9, offset=4)
    g = Generator(9, 4)
    n, dist = p.numel(), p.double().numpy()
    # Four neighbours are of a thread; the offset moves by ten, to groups.
    u = philox(9, 1, np.arange(-(-n // 4))).ravel()[:n].reshape(p.shape)
    u = np.float32(u) * np.float32(2.0**-32) + np.float32(2.0**-33)
    g.offset += 12
    expected = [np.float32(u <= p.numpy())]
    for k in (1, 5):
        q = exponential(g, n, torch.float32, 1).reshape(p.shape)
        expected.append(np.argsort(-dist / q, axis=1, kind="stable")[:, :k])
    for rows, k in ((p.shape[0], 200), (1, 3)):
        threads = -(-k // 128) * 128
        stream = np.arange(rows)[:, None] * threads + np.arange(k)
        u = np.float32(philox(9, g.offset // 4, stream)[..., 0]) * np.float32(2.0**-32) + np.float32(2.0**-33)
        g.offset += 4
        sums = np.cumsum(dist[:rows] / dist[:rows].sum(1, keepdims=True), axis=1)
        expected.append((sums[:, None, :] < u[..., None]).sum(2))
    expected[-1] = expected[-1][0]
    mean, std = dist, dist + 1
    for m, s in ((mean, std), (2, dist), (mean, 3)):
        expected.append(m + s * g.normal(n, torch.float32).reshape(p.shape))
    for i, (a, e) in enumerate(zip(actual, expected, strict=True)):
        same = np.allclose(a.numpy(), e, rtol=1e-5, atol=2e-6) if a.is_floating_point() else np.array_equal(a.numpy(), e)
        check(f"samples {i}", same, f"{a} {e}")
    check("samples are possible", all(not ((a == 3) | (a == 18)).any() for a in actual[1:5]))


def check_distributions():
    """Means, variances and Kolmogorov's distance of a million numbers."""
    n = 1 << 20
    x = torch.zeros(n)

    def normal_cdf(v):
        return torch.special.ndtr(v)

    cases = {
        "normal": (lambda x: torch.randn_like(x), 0, 1, normal_cdf),
        "uniform": (lambda x: torch.empty_like(x).uniform_(-1, 3), 1, 4 / 3 * 1, lambda v: (v + 1) / 4),
        "exponential": (lambda x: torch.empty_like(x).exponential_(2), 0.5, 0.25, lambda v: 1 - torch.exp(-2 * v)),
        "log_normal": (lambda x: torch.empty_like(x).log_normal_(0, 0.5), math.exp(0.125), (math.exp(0.25) - 1) * math.exp(0.25),
                       lambda v: normal_cdf(torch.log(v) / 0.5)),
        "cauchy": (lambda x: torch.empty_like(x).cauchy_(1, 2), None, None, lambda v: 0.5 + torch.atan((v - 1) / 2) / math.pi),
    }
    for dtype in (torch.float32, torch.float64):
        program = export(lambda x: tuple(f(x) for f, *_ in cases.values()), x.to(dtype))
        for (name, (_, mean, variance, cdf)), values in zip(cases.items(), run(program, x.to(dtype), seed=20, offset=0), strict=True):
            v = values.double()
            if mean is not None:
                # Six standard errors of the mean; the variance within 2 per cent.
                check(f"mean of {name} {dtype}", abs(v.mean() - mean) < 6 * math.sqrt(variance / n), v.mean())
                check(f"variance of {name} {dtype}", abs(v.var() / variance - 1) < 0.02, v.var())
            p = cdf(v.sort().values)
            at = torch.arange(n + 1) / n
            distance = max((p - at[:-1]).abs().max(), (p - at[1:]).abs().max())
            # Exceeded once in a thousand seeds; the seed is fixed.
            check(f"distribution of {name} {dtype}", distance < 1.95 / math.sqrt(n), distance)
            # Neighbours, and elements a grid apart, have nothing to do with each other.
            for lag in (1, 2, 270336):
                r = torch.corrcoef(torch.stack([p.new_tensor(cdf(v)[lag:]), cdf(v)[:-lag]]))[0, 1]
                check(f"correlation of {name} {dtype} at {lag}", abs(r) < 6 / math.sqrt(n - lag), r)
    program = export(lambda x: torch.empty_like(x).geometric_(0.25), x)
    v = run(program, x, seed=3)[0].double()
    check("geometric", v.min() == 1 and abs(v.mean() - 4) < 6 * math.sqrt(12 / n), v.mean())
    # A permutation: each number once, every number as often in each place.
    rows = 2000
    program = export(lambda x: (torch.randperm(100003), torch.randperm(0), torch.randperm(1), torch.randperm(5, dtype=torch.int32),
                                torch.stack([torch.randperm(4) for _ in range(32)])), x)
    long, empty, one, five, short = run(program, x, seed=8)
    check("permutation", torch.equal(long.sort().values, torch.arange(100003)) and not torch.equal(long, torch.arange(100003)))
    check("short permutations", len(empty) == 0 and one.tolist() == [0] and sorted(five.tolist()) == list(range(5)) and five.dtype == torch.int32)
    counts = torch.zeros(24)
    for i in range(rows // 32):
        short = run(program, x, seed=i, offset=4 * i)[4]
        for row in short:
            order, key = list(row.tolist()), 0
            for k in range(4):
                key = key * (4 - k) + sum(o < order[k] for o in order[k + 1:])
            counts[key] += 1
    expected = counts.sum() / 24
    chi = ((counts - expected) ** 2 / expected).sum()
    check("permutations are equally likely", chi < 49.7, chi)  # 23 degrees of freedom, one in a thousand
    # Samples have the frequencies of their probabilities.
    p = torch.tensor([1.0, 0, 2, 3, 4]).repeat(4096, 1)
    program = export(lambda p: (torch.multinomial(p, 1), torch.multinomial(p, 7, True), torch.multinomial(p, 2)), p)
    for i, sample in enumerate(run(program, p, seed=4)):
        first = sample[:, 0] if i == 2 else sample.ravel()
        counts = torch.bincount(first, minlength=5).double()
        expected = p[0].double() / 10 * len(first)
        chi = sum((counts[k] - expected[k]) ** 2 / expected[k] for k in (0, 2, 3, 4))
        check(f"frequencies {i}", counts[1] == 0 and chi < 16.3, counts)  # 3 degrees of freedom
        if i == 2:
            check("without replacement", bool((sample[:, 0] != sample[:, 1]).all()))


def check_rejection():
    """Distributions of numbers that are drawn by rejection, by Kolmogorov's distance."""
    n = 1 << 14
    bound = 1.95 / math.sqrt(n)  # Exceeded once in a thousand seeds; the seed is fixed.

    def distance(values, cdf, is_discrete):
        v, counts = values.double().unique(return_counts=True)
        above = counts.cumsum(0) / n
        p = cdf(v)
        return max((p - above).abs().max(), 0 if is_discrete else (p - above + counts / n).abs().max())

    def binomial_cdf(k, count, p):
        i = torch.arange(int(count) + 1, dtype=torch.float64)
        log = torch.lgamma(i.new_tensor(count + 1)) - torch.lgamma(i + 1) - torch.lgamma(count - i + 1) + i * math.log(p) + (count - i) * math.log1p(-p)
        return log.exp().cumsum(0)[k.long()]

    rates = torch.tensor([0.1, 3, 9.9, 10, 50, 1000], dtype=torch.float64)
    trials = torch.tensor([[1, 0.3], [5, 0.9], [40, 0.1], [40, 0.7], [1000, 0.01], [1000, 0.5]], dtype=torch.float64)
    shapes = torch.tensor([0.1, 0.5, 1, 2, 30], dtype=torch.float64)
    for dtype in (torch.float32, torch.float64):
        given = [t.to(dtype).repeat(n, 1) for t in (rates, trials[:, 0], trials[:, 1], shapes)]
        program = export(lambda r, c, p, s: (torch.poisson(r), torch.binomial(c, p), torch._standard_gamma(s), torch._sample_dirichlet(s)), *given)
        poisson, binomial, gamma, dirichlet = run(program, *given, seed=11, offset=4)
        # As far as the framework's kernels move it.
        check(f"offset of rejection {dtype}", program.random_state[1] == 4 + 20 + 44 + 12 + 12, program.random_state)
        for i, rate in enumerate(rates.to(dtype).double()):
            d = distance(poisson[:, i], lambda k: torch.special.gammaincc(k + 1, rate), True)
            check(f"poisson {dtype} {rate}", d < bound, d)
        for i, (count, p) in enumerate(trials.to(dtype).double()):
            d = distance(binomial[:, i], lambda k: binomial_cdf(k, count.item(), p.item()), True)
            check(f"binomial {dtype} {count} {p}", d < bound, d)
        for i, shape in enumerate(shapes.to(dtype).double()):
            d = distance(gamma[:, i], lambda v: torch.special.gammainc(shape, v), False)
            check(f"gamma {dtype} {shape}", d < bound, d)
        # A share has a beta distribution; of its mean and variance, six standard errors and 5 per cent.
        mean = shapes / shapes.sum()
        variance = mean * (1 - mean) / (1 + shapes.sum())
        check(f"dirichlet {dtype}", bool(((dirichlet.double().mean(0) - mean).abs() < 6 * (variance / n).sqrt()).all())
              and bool(((dirichlet.double().var(0) / variance - 1).abs() < 0.05).all()), dirichlet.mean(0))
        for lag in (1, 6):
            v = poisson.double()[:, 3]
            r = torch.corrcoef(torch.stack([v[lag:], v[:-lag]]))[0, 1]
            check(f"correlation of poisson {dtype} at {lag}", abs(r) < 6 / math.sqrt(n - lag), r)
        # Parameters at and beyond the ends; no element, and one.
        edges = torch.tensor([0, -1, math.nan, math.inf], dtype=dtype)
        half, ten = torch.full_like(edges, 0.5), torch.full_like(edges, 10)
        program = export(lambda e, h, t: (torch.poisson(e), torch.binomial(e, h), torch.binomial(t, e), torch.poisson(e[:0]), torch.poisson(t[0])),
                         edges, half, ten)
        results = [t.tolist() for t in run(program, edges, half, ten, seed=1)]
        same = [str(r) for r in results[:4]] == ["[0.0, nan, nan, inf]", "[0.0, 0.0, nan, nan]", "[0.0, 0.0, nan, 10.0]", "[]"]
        check(f"ends of rejection {dtype}", same, results)


class VAE(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = torch.nn.Linear(12, 8), torch.nn.Linear(4, 12)

    def forward(self, x):
        mean, log_variance = self.encode(x).chunk(2, -1)
        return self.decode(mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)), mean, log_variance


def initialise(x):
    w = torch.empty(x.shape[1], 5)
    torch.nn.init.kaiming_uniform_(w)
    v = torch.empty(5, 3)
    torch.nn.init.xavier_normal_(v)
    return x @ w @ v, w, v


def without_gradients(x):
    """A region of its own: a value that it changes in place, one that it hands through, a size."""
    noise = torch.zeros_like(x)
    with torch.no_grad():
        noise.normal_()
        same = noise
        width = x.shape[0] * x.mean(0)
    return x - width + noise, same, width


def check_models():
    rows = torch.export.Dim("rows", min=1, max=4096)
    for decompose in (False, True):
        x = torch.randn(6, 12)
        name = "decomposed" if decompose else "as exported"
        vae = VAE()
        program = export(vae, x, decompose=decompose, dynamic=({0: rows},))
        for n in (1, 6, 31):
            x = torch.randn(n, 12)
            y, mean, log_variance = run(program, x, seed=7, offset=8)
            noise = torch.from_numpy(Generator(7, 8).normal(4 * n, torch.float32).reshape(n, 4)).float()
            with torch.no_grad():
                expected = vae.decode(mean + noise * torch.exp(0.5 * log_variance))
            check(f"VAE {name} {n}", torch.allclose(y, expected, rtol=1e-4, atol=1e-5), y - expected)
        program = export(lambda x: F.gumbel_softmax(x, tau=0.5), torch.randn(6, 12), decompose=decompose)
        x = torch.randn(6, 12)
        q = torch.from_numpy(exponential(Generator(1, 0), 72, torch.float32, 1).reshape(6, 12))
        y = run(program, x, seed=1)[0]
        check(f"gumbel_softmax {name}", torch.allclose(y.double(), torch.softmax((x.double() - q.log()) / 0.5, -1), rtol=1e-3, atol=1e-5), y)
        hard = run(export(lambda x: F.gumbel_softmax(x, hard=True), x, decompose=decompose), x, seed=1)[0]
        check(f"hard gumbel_softmax {name}", torch.equal(hard.argmax(-1), (x.double() - q.log()).argmax(-1)), hard)
        y, w, v = run(export(initialise, x, decompose=decompose), x, seed=2)
        g = Generator(2, 0)
        bound = math.sqrt(6 / 5)
        check(f"initialisation {name}", np.allclose(w, uniform(g, 60, torch.float32, -bound, bound).reshape(12, 5), atol=1e-6)
              and np.allclose(v, 0.5 * g.normal(15, torch.float32).reshape(5, 3), atol=1e-6) and torch.allclose(y, x @ w @ v, atol=1e-4))
        program = export(without_gradients, x, decompose=decompose, dynamic=({0: rows},))
        for n in (2, 5):
            x = torch.randn(n, 12)
            y, same, width = run(program, x, seed=3, offset=4)
            noise = torch.from_numpy(Generator(3, 4).normal(12 * n, torch.float32).reshape(n, 12)).float()
            check(f"without gradients {name} {n}", torch.allclose(same, noise, atol=1e-5) and torch.allclose(width, n * x.mean(0), atol=1e-5)
                  and torch.allclose(y, x - width + noise, atol=1e-5), y)
        # A uniform number and an inverse error function.
        y = run(export(lambda x: torch.nn.init.trunc_normal_(torch.empty_like(x)), x, decompose=decompose), x, seed=3)[0]
        u = uniform(Generator(3, 0), x.numel(), torch.float32, -math.erf(math.sqrt(2)), math.erf(math.sqrt(2)))
        expected = torch.from_numpy(math.sqrt(2) * torch.erfinv(torch.from_numpy(u)).numpy()).reshape(x.shape)
        check(f"trunc_normal {name}", torch.allclose(y.double(), expected, rtol=1e-4, atol=1e-5), y - expected)
        if decompose:
            # What a model draws into its input is handed back.
            x = torch.zeros(9)
            y = run(export(lambda x: x.normal_() + 1, x, decompose=True), x, seed=3)[-1]
            check("drawn into an input", np.allclose(y, Generator(3, 0).normal(9, torch.float32) + 1, atol=1e-5), y)
        x = torch.randn(3, 4, 5, 5)
        y, z = run(export(lambda x: (F.dropout2d(x, 0.5), F.alpha_dropout(x, 0.25, True)), x, decompose=decompose), x, seed=6)
        g = Generator(6, 0)
        kept = torch.from_numpy(g.uniform(12, torch.float32) < np.float32(0.5)).reshape(3, 4, 1, 1)
        check(f"dropout2d {name}", torch.equal(y, torch.where(kept, x * 2, x * 0)))
        kept = torch.from_numpy(g.uniform(300, torch.float32) < np.float32(0.75)).reshape(x.shape)
        low = -1.7580993408473766
        a = 1 / math.sqrt((low * low * 0.25 + 1) * 0.75)
        check(f"alpha_dropout {name}", torch.allclose(z, a * torch.where(kept, x, low) - a * low * 0.25, atol=1e-5))
        x = torch.randn(300)
        y = run(export(lambda x: F.rrelu(x, 0.1, 0.4, True), x), x, seed=6)[0]
        slope = torch.from_numpy(uniform(Generator(6, 0), 300, torch.float32, 0.1, 0.4))
        check(f"rrelu {name}", torch.allclose(y.double(), torch.where(x <= 0, x * slope, x.double()), atol=1e-6))
    # Sizes that are known when the program runs.
    def dynamic(x):
        return torch.randn(x.shape), torch.multinomial(x.abs(), 2), torch.randperm(x.shape[0]), torch.empty(x.shape[0], dtype=torch.float64).exponential_()

    program = export(dynamic, torch.randn(6, 12), dynamic=({0: rows},))
    for n in (1, 7, 256, 257, 4096):
        x = torch.randn(n, 12)
        z, sample, order, e = run(program, x, seed=11, offset=4)
        g = Generator(11, 4)
        check(f"randn of {n}", np.allclose(z, g.normal(12 * n, torch.float32).reshape(n, 12), rtol=1e-5, atol=1e-5))
        q = exponential(g, 12 * n, torch.float32, 1).reshape(n, 12)
        expected = np.argsort(-x.abs().double().numpy() / q, axis=1)[:, :2]
        check(f"multinomial of {n}", (sample.numpy() == expected).mean() > 0.999)
        check(f"randperm of {n}", np.array_equal(order, np.argsort(np.int64(g.bits(n)), kind="stable")))
        check(f"exponential of {n}", np.allclose(e, exponential(g, n, torch.float64, 1), rtol=1e-12))
        check(f"offset of {n}", program.random_state == (11, g.offset), program.random_state)


check_numbers()
check_integers()
check_samples()
if not IS_GPU:  # These are the same numbers.
    check_distributions()
    check_rejection()
check_models()
# CHECK: all agree
print(f"{len(failures)} failed" if failures else "all agree")
