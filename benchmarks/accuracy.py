#!/usr/bin/env python3
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure the error of every scalar function against a reference of 200 bits.

  benchmarks/accuracy.py [--count=20000] [--seed=1] [--only=REGEX] [--dtypes=f32,f64,bf16,f16]
                         [--executors=vector,scalar,gpu] [--write=benchmarks/results/accuracy.md]

Each function is a program of torch.export, compiled by Coil for the CPU with vectors
(executor `vector`) and without (`scalar`), and for a GPU (`gpu`; on the simulated one
with COIL_CUDA_DRIVER=<build>/lib/coil-cuda-sim.so). Beside it is the error of PyTorch
eager on the CPU. Arguments are random over each domain, on uniform and logarithmic
scales, with the boundaries and special values; of a function of one argument of 16 bits
they are all there are. The reference is Arb's ball arithmetic (python-flint, see
benchmarks/accuracy-requirements.txt), whose precision grows until 120 bits are proven;
without it mpmath, which is slower and proves nothing.

The unit is one ulp: the distance of numbers of the type at the exact result. `relative to eager` is
the error divided by eager's, at least half an ulp, and the table is ordered by it, worst
first. Functions whose exact value is no float at a special argument (infinities, NaN)
are compared with eager there: `special` counts what is neither eager's result nor
that of eager in f64.

Needs PYTHONPATH=<build>/python and a Python with torch.
"""
import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import sys
import tempfile

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- scalar functions: begin -->", "<!-- scalar functions: end -->"
DTYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
# Bits of the significand and the exponent of the least normal number.
FORMATS = {"f32": (24, -126), "f64": (53, -1022), "bf16": (8, -126), "f16": (11, -14)}
EXECUTORS = {"vector": "library=none", "scalar": "library=none vector-bits={bits}",
             "gpu": "target=cuda:sm_90a library=none"}
# What a function may be off where eager is exact.
LEAST = 0.5


try:
    import flint
    REFERENCE = f"python-flint {flint.__version__}"
except ImportError:
    import accuracy_mpmath as flint
    REFERENCE = f"mpmath {flint.__version__}"


def arb(value):
    return flint.arb(value)


def _lgamma(x):
    if x > 0:
        return x.lgamma()
    if x.is_integer():
        raise ValueError
    pi = flint.arb.pi()
    return (pi / abs((pi * x).sin())).log() - (1 - x).lgamma()


def _asymptotic(ratio):
    """The sum of 1, ratio(1), ratio(1) * ratio(2) and so on, for ratios of a large argument."""
    total = term = arb(1)
    for k in range(1, 20):
        term *= ratio(k)
        total += term
    return total


def _log_ndtr(x):
    if x > -1e12:
        return ((-x / arb(2).sqrt()).erfc() / 2).log()
    # The exponential is out of Arb's range.
    series = _asymptotic(lambda k: -(2 * k - 1) / (x * x))
    return (series / (-x * (2 * flint.arb.pi()).sqrt())).log() - x * x / 2


def _bessel_scaled(order):
    def scaled(x):
        a = abs(x)
        if a < 1e12:
            result = a.bessel_i(order) * (-a).exp()
        else:
            result = _asymptotic(lambda k: ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * a)) \
                / (2 * flint.arb.pi() * a).sqrt()
        return -result if order and x < 0 else result
    return scaled


def _ndtri(p):
    return -arb(2).sqrt() * (2 * p).erfcinv() if p < arb(0.5) else arb(2).sqrt() * (2 * (1 - p)).erfcinv()


def _erf_gelu(x):
    return x / 2 * (-x / arb(2).sqrt()).erfc()


def _tanh_gelu(x):
    inner = (arb(2) / flint.arb.pi()).sqrt() * (x + arb("0.044715") * x * x * x)
    if x > 0:
        return x / (1 + (-2 * inner).exp())
    small = (2 * inner).exp()
    return x * small / (1 + small)


def _pow(x, y):
    if x > 0:
        return x ** y
    if not y.is_integer():
        raise ValueError
    return x ** y.unique_fmpz()


def _atan2(y, x):
    if y == 0:
        raise ValueError  # The signs of zeros decide.
    return flint.arb.atan2(y, x)


F = torch.nn.functional
S = torch.special
# What random arguments lie between, uniformly and with logarithms that are uniform.
EVERYTHING = [(-30, 30), (-1e30, 1e30, "log")]
# The operator of `graph`, what torch calls, the reference, and the domain.
UNARY = {
    "exp": (torch.exp, lambda x: x.exp(), [(-1, 1), (-87, 88), (-700, 700)]),
    "exp2": (torch.exp2, lambda x: arb(2) ** x, [(-1, 1), (-125, 127), (-1000, 1000)]),
    "expm1": (torch.expm1, lambda x: x.expm1(), [(-1, 1), (-80, 80), (-1, 1, "log")]),
    "log": (torch.log, lambda x: x.log(), [(0.5, 2), (0, 1e30, "log")]),
    "log2": (torch.log2, lambda x: x.log() / arb(2).log(), [(0.5, 2), (0, 1e30, "log")]),
    "log10": (torch.log10, lambda x: x.log() / arb(10).log(), [(0.5, 2), (0, 1e30, "log")]),
    "log1p": (torch.log1p, lambda x: x.log1p(), [(-0.9, 1), (0, 1e30, "log"), (-0.9, 0.9, "log")]),
    "sin": (torch.sin, lambda x: x.sin(), [(-10, 10), (-1e5, 1e5), (-1, 1, "log")]),
    "cos": (torch.cos, lambda x: x.cos(), [(-10, 10), (-1e5, 1e5), (-1, 1, "log")]),
    "tan": (torch.tan, lambda x: x.tan(), [(-10, 10), (-1e5, 1e5), (-1, 1, "log")]),
    "asin": (torch.asin, lambda x: x.asin(), [(-1, 1), (-1, 1, "log")]),
    "acos": (torch.acos, lambda x: x.acos(), [(-1, 1), (-1, 1, "log")]),
    "atan": (torch.atan, lambda x: x.atan(), [(-10, 10), *EVERYTHING]),
    "sinh": (torch.sinh, lambda x: x.sinh(), [(-1, 1), (-88, 88), (-1, 1, "log")]),
    "cosh": (torch.cosh, lambda x: x.cosh(), [(-1, 1), (-88, 88), (-1, 1, "log")]),
    "tanh": (torch.tanh, lambda x: x.tanh(), [(-1, 1), (-10, 10), (-1, 1, "log")]),
    "asinh": (torch.asinh, lambda x: x.asinh(), [(-1, 1), *EVERYTHING]),
    "acosh": (torch.acosh, lambda x: x.acosh(), [(1, 2), (1, 100), (1, 1e30, "log")]),
    "atanh": (torch.atanh, lambda x: x.atanh(), [(-1, 1), (-1, 1, "log")]),
    "erf": (torch.erf, lambda x: x.erf(), [(-1, 1), (-6, 6), (-1, 1, "log")]),
    "erfc": (torch.erfc, lambda x: x.erfc(), [(-1, 1), (-6, 10), (-1, 1, "log")]),
    "sqrt": (torch.sqrt, lambda x: x.sqrt(), [(0, 4), (0, 1e30, "log")]),
    "rsqrt": (torch.rsqrt, lambda x: x.rsqrt(), [(0, 4), (0, 1e30, "log")]),
    "reciprocal": (torch.reciprocal, lambda x: 1 / x, EVERYTHING),
    "sigmoid": (torch.sigmoid, lambda x: 1 / (1 + (-x).exp()), [(-1, 1), (-80, 30), (-700, 30)]),
    "lgamma": (torch.lgamma, _lgamma, [(0, 10), (0, 1e30, "log"), (-20, 0)]),
    "digamma": (torch.digamma, lambda x: x.digamma(), [(0, 10), (0, 1e30, "log"), (-20, 0)]),
    "erfinv": (S.erfinv, lambda x: x.erfinv(), [(-1, 1), (-1, 1, "log")]),
    "erfcx": (S.erfcx, lambda x: (x * x).exp() * x.erfc(), [(-5, 50), (0, 1e10, "log")]),
    "i0": (S.i0, lambda x: x.bessel_i(0), [(-10, 10), (-88, 88), (-700, 700)]),
    "i0e": (S.i0e, _bessel_scaled(0), [(-10, 10), (-1e4, 1e4)]),
    "i1": (S.i1, lambda x: x.bessel_i(1), [(-10, 10), (-88, 88), (-700, 700)]),
    "i1e": (S.i1e, _bessel_scaled(1), [(-10, 10), (-1e4, 1e4)]),
    "ndtri": (S.ndtri, _ndtri, [(0, 1), (0, 1, "log")]),
    "log_ndtr": (S.log_ndtr, _log_ndtr, [(-10, 10), (-1e3, 1)]),
    # Compositions that models use by name.
    "gelu": (F.gelu, _erf_gelu, [(-1, 1), (-12, 12)]),
    "gelu(tanh)": (lambda x: F.gelu(x, approximate="tanh"), _tanh_gelu, [(-1, 1), (-8, 8)]),
    "silu": (F.silu, lambda x: x / (1 + (-x).exp()), [(-1, 1), (-80, 30)]),
    "mish": (F.mish, lambda x: x * x.exp().log1p().tanh(), [(-1, 1), (-30, 30)]),
    "softplus": (F.softplus, lambda x: x.exp().log1p() if x <= 20 else x, [(-1, 1), (-30, 30)]),
    "log_sigmoid": (F.logsigmoid, lambda x: -(-x).exp().log1p(), [(-1, 1), (-80, 30)]),
    "elu": (F.elu, lambda x: x if x > 0 else x.expm1(), [(-1, 1), (-30, 30)]),
}
PAIRS = [((-10, 10), (-10, 10)), ((-1e15, 1e15, "log"), (-1e15, 1e15, "log"))]
BINARY = {
    "div": (torch.div, lambda x, y: x / y, PAIRS),
    "pow": (torch.pow, _pow, [((0, 4), (-10, 10)), ((0.9, 1.1), (-500, 500)), ((-9, 9), "integer")]),
    "atan2": (torch.atan2, _atan2, PAIRS),
    "hypot": (torch.hypot, lambda x, y: (x * x + y * y).sqrt(), PAIRS),
    "logaddexp": (torch.logaddexp, lambda x, y: (x.exp() + y.exp()).log(), [((-20, 20), (-20, 20))]),
    "igamma": (S.gammainc, lambda a, x: x.gamma_lower(a, regularized=1), [((0.05, 40), (0, 40))]),
    "igammac": (S.gammaincc, lambda a, x: x.gamma_upper(a, regularized=1), [((0.05, 40), (0, 40))]),
    "zeta": (S.zeta, lambda x, q: x.zeta(q), [((1.1, 40), (0.1, 40))]),
}
# Exact operators: any difference from the reference here is a defect.
EXACT = {
    "fmod": lambda x, y: math.fmod(x, y), "remainder": lambda x, y: _floor_mod(x, y),
    "trunc_div": None, "floor_div": None,
}


def _floor_mod(x, y):
    r = math.fmod(x, y)
    return r + y if r and (r < 0) != (y < 0) else r


def sample(domain, count, rng):
    lo, hi = domain[:2]
    if len(domain) == 2:
        return rng.uniform(lo, hi, count)
    least = -300 if hi > 1e20 else -38
    magnitude = np.exp(rng.uniform(math.log(10) * least / 8, math.log(max(abs(lo), hi)), count))
    if lo > 0:
        magnitude = np.exp(rng.uniform(math.log(lo), math.log(hi), count))
    return magnitude * (rng.choice([-1, 1], count) if lo < 0 else 1)


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-40, -1e-40,
           1e-310, 3.4e38, -3.4e38, 88.7, 89.0, -87.3, -104.0, 709.7, 710.0, -745.2, 1e300, 20.0, 9.0]


def get_inputs(name, dtype, count, rng):
    """Tensors of the arguments of a function."""
    if name in UNARY:
        if dtype.itemsize == 2:
            return (torch.arange(-2**15, 2**15, dtype=torch.int32).to(torch.int16).view(dtype),)
        domains = UNARY[name][2]
        parts = [sample(d, count // len(domains), rng) for d in domains]
        return (torch.from_numpy(np.concatenate([*parts, SPECIAL])).to(dtype),)
    domains = BINARY[name][2] if name in BINARY else PAIRS
    xs, ys = [], []
    for x, y in domains:
        n = count // len(domains)
        xs.append(sample(x, n, rng))
        ys.append(rng.integers(-9, 10, n).astype(float) if y == "integer" else sample(y, n, rng))
    if name in ("igamma", "igammac", "zeta"):
        return tuple(torch.from_numpy(np.concatenate(v)).to(dtype) for v in (xs, ys))
    grid = np.array(SPECIAL)
    xs.append(np.repeat(grid, len(grid)))
    ys.append(np.tile(grid, len(grid)))
    x, y = (torch.from_numpy(np.concatenate(v)).to(dtype) for v in (xs, ys))
    if name in EXACT:
        # Exact multiples, small ones and of as many digits as the type has, and what is an ulp next to them.
        integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
        half, quarter = count // 2, count // 4
        digits = {torch.bfloat16: 8, torch.float16: 11, torch.float32: 24, torch.float64: 53}[dtype]
        factors = rng.integers(-500, 500, half).astype(float)
        factors[:quarter] = np.rint(2.0 ** rng.uniform(0, digits + 2, quarter))
        near = (y[:half].double() * torch.from_numpy(factors)).to(dtype)
        move = torch.from_numpy(rng.integers(-1, 2, half)).to(integer)
        x[:half] = torch.where((near == 0) | ~near.isfinite(), near, (near.view(integer) + move).view(dtype))
    return x, y


def evaluate(function, arguments):
    """The exact value as two doubles and a scale for subnormal results, or None."""
    prec = 200
    while prec <= 12800:
        flint.ctx.prec = prec
        try:
            value = function(*(flint.arb(a) for a in arguments))
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if value.is_finite() and (value.is_zero() or value.rel_accuracy_bits() > 120):
            return value
        if value.is_finite() and abs(value) < arb(2) ** -100000:
            return arb(0)  # Too small for any type, and for Arb's exponents.
        if value.is_nan():
            return None
        prec *= 2
    return None


def get_reference(name, inputs, fmt):
    """For each element the exact value in ulp (of itself) as a pair of doubles, and the
    exponent of that ulp; NaN where there is none."""
    function = {**UNARY, **BINARY}[name][1]
    bits, least = FORMATS[fmt]
    most = {"f16": 65519.9, "bf16": 3.3953e38, "f32": 3.4028235677973364e38, "f64": 1.797e308}[fmt]
    his, los, exps = [], [], []
    for arguments in zip(*(t.double().tolist() for t in inputs)):
        value = None
        if all(math.isfinite(a) for a in arguments):
            value = evaluate(function, arguments)
        if value is None or not abs(value) < most:
            his.append(math.nan), los.append(0.0), exps.append(0)
            continue
        flint.ctx.prec = 200
        hi = float(value.mid())
        exponent = max(math.frexp(hi)[1] - 1, least) if hi else least
        unit = exponent - bits + 1
        scaled = value.mid() * arb(2) ** (-unit)
        whole = float(scaled)
        his.append(whole), los.append(float(scaled - arb(whole))), exps.append(unit)
    return np.array(his), np.array(los), np.array(exps)


def get_errors(result, reference):
    hi, lo, exponent = reference
    actual = result.double().numpy()
    with np.errstate(all="ignore"):
        # Exact but for subnormal numbers of f64, whose scale has two steps.
        scaled = np.ldexp(np.ldexp(actual, -exponent // 2), -exponent - (-exponent // 2))
        errors = np.abs((scaled - hi) - lo)
    errors[np.isnan(hi)] = 0
    errors[~np.isnan(hi) & ~np.isfinite(actual)] = np.inf
    return errors


def same(a, b):
    """Whether elements are the same, NaN and the sign of zero included."""
    return (a == b) & (torch.signbit(a) == torch.signbit(b)) | (a.isnan() & b.isnan())


def get_function(name):
    return {"fmod": torch.fmod, "remainder": torch.remainder,
            "trunc_div": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
            "floor_div": lambda x, y: torch.div(x, y, rounding_mode="floor")}.get(name) or \
        {**UNARY, **BINARY}[name][0]


def compile_and_run(function, inputs, options):
    import coil

    class Module(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "function.pt2")
        with torch.no_grad():
            torch.export.save(torch.export.export(Module(), inputs), path)
        result, = coil.compile(path, options=options).run(*inputs)
        return torch.from_dlpack(result).clone()


def get_exact(name, inputs):
    """What an exact operator gives, and where this is known. Quotients are of the type:
    rounded once, then truncated, as PyTorch defines them; those of 16 bits are exact,
    since f32 holds them."""
    x, y = (t.double() for t in inputs)
    known = x.isfinite() & y.isfinite() & (y != 0)
    dtype = inputs[0].dtype
    if name in ("fmod", "remainder"):
        exact = [EXACT[name](a, b) if k else 0.0 for a, b, k in zip(x.tolist(), y.tolist(), known.tolist())]
        return torch.tensor(exact, dtype=torch.float64).to(dtype), known
    if name == "floor_div":
        # As in Python: the quotient of what the remainder leaves.
        wide = inputs if dtype.itemsize > 2 else (inputs[0].float(), inputs[1].float())
        return torch.div(*wide, rounding_mode="floor").to(dtype), known
    wide = inputs if dtype.itemsize > 2 else (inputs[0].float(), inputs[1].float())
    return torch.trunc(wide[0] / wide[1]).to(dtype), known


def measure(name, fmt, executors, count, seed):
    """Rows of a table: a dictionary for each executor."""
    dtype = DTYPES[fmt]
    rng = np.random.default_rng([seed, sorted({**UNARY, **BINARY, **EXACT}).index(name), dtype.itemsize])
    inputs = get_inputs(name, dtype, count, rng)
    function = get_function(name)
    eager = function(*inputs)
    # Where eager asks oneDNN, as for gelu of f32 with AVX-512, that says NaN for infinity.
    wide = function(*(x.double() for x in inputs)).to(dtype)
    rows = []
    if name in EXACT:
        exact, known = get_exact(name, inputs)
    else:
        reference = get_reference(name, inputs, fmt)
        known = torch.from_numpy(~np.isnan(reference[0]))
        eager_errors = get_errors(eager, reference)
    for executor in executors:
        options = EXECUTORS[executor].format(bits=8 * dtype.itemsize if dtype.itemsize > 2 else 32)
        result = compile_and_run(function, inputs, options)
        row = {"name": name, "type": fmt, "executor": executor, "arguments": len(inputs[0]),
               "special": int((~same(result, eager) & ~same(result, wide) & ~known).sum())}
        if name in EXACT:
            wrong = ~(result == exact) & known & exact.isfinite()
            row.update(error=float(wrong.sum()), eager=0.0, at=[t[wrong][:1].tolist() for t in inputs],
                       mean=0.0, ratio=math.inf if wrong.any() else 0.0, unit="wrong")
        else:
            errors = get_errors(result, reference)
            worst = int(errors.argmax())
            # Where eager overflows before the exact result does, it sets no measure.
            row.update(error=float(errors[worst]),
                       eager=float(eager_errors[np.isfinite(eager_errors)].max()),
                       mean=float(errors[np.isfinite(errors)].mean()),
                       at=[float(t[worst]) for t in inputs], unit="ulp")
            row["ratio"] = row["error"] / max(row["eager"], LEAST)
        rows.append(row)
    return rows


def get_number(value):
    return "inf" if math.isinf(value) else f"{value:.3g}" if value < 1000 else f"{value:.1e}"


def get_table(rows):
    lines = ["| function | type | executor | largest error | at | mean | eager | relative to eager | special |",
             "|---|---|---|---|---|---|---|---|---|"]
    for r in sorted(rows, key=lambda r: (-r["ratio"], r["name"], r["type"], r["executor"])):
        at = ", ".join(str(a) if isinstance(a, list) else f"{a:.9g}" for a in r["at"])
        lines.append(f"| `{r['name']}` | {r['type']} | {r['executor']} | {get_number(r['error'])} {r['unit']} | {at} "
                     f"| {get_number(r['mean'])} | {get_number(r['eager'])} | {get_number(r['ratio'])} "
                     f"| {r['special']} |")
    return "\n".join(lines)


def get_processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        model = re.search(r"model name\s*: (.*)", text)[1]
        levels = [f for f in ("avx2", "avx512f", "avx512_bf16", "avx512_fp16") if f" {f}" in text]
        return f"{model} ({', '.join(levels)})"
    except (OSError, TypeError):
        return platform.processor()


def write(path, rows, args):
    text = path.read_text() if path.exists() else "# Accuracy\n"
    simulated = "simulated" if "sim" in os.environ.get("COIL_CUDA_DRIVER", "") else "a real one"
    part = "\n".join([
        BEGIN, "", "## Scalar functions", "",
        f"Machine: {get_processor()}; glibc {platform.libc_ver()[1]}, PyTorch {torch.__version__}, "
        f"{REFERENCE}; the GPU is {simulated}. "
        f"{datetime.date.today().isoformat()}, seed {args.seed}.", "",
        f"    benchmarks/accuracy.py --count={args.count} --seed={args.seed} --dtypes={args.dtypes} "
        f"--executors={args.executors} --write=benchmarks/results/accuracy.md", "",
        "The largest error over all arguments, in ulp of the exact result (200 bits), and where it is; *wrong* "
        "counts elements of exact operators. *Relative to eager* is the error divided by eager's, which counts "
        "as at least half an ulp. *Special* counts results that are eager's neither in the type nor in f64 where "
        "there is no finite exact value.", "", get_table(rows), "", END])
    if BEGIN in text:
        text = text[:text.index(BEGIN)] + part + text[text.index(END) + len(END):]
    else:
        text = text.rstrip("\n") + "\n\n" + part + "\n"
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20000, help="random arguments of each function")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a regular expression that names have to match wholly")
    parser.add_argument("--dtypes", default="f32,f64,bf16,f16")
    parser.add_argument("--executors", default="vector,scalar,gpu")
    parser.add_argument("--write", type=pathlib.Path, help="the file whose part for scalar functions is written")
    parser.add_argument("--limit", type=float, help="end with 1 when an error is more than so many of eager's, or a special result is another")
    args = parser.parse_args()
    rows = []
    for name in {**UNARY, **BINARY, **EXACT}:
        if args.only and not re.fullmatch(args.only, name):
            continue
        for fmt in args.dtypes.split(","):
            try:
                function = get_function(name)
                function(*(torch.ones(1, dtype=DTYPES[fmt]) for _ in range(1 if name in UNARY else 2)))
            except (RuntimeError, NotImplementedError):
                continue  # Eager has no kernel for the type.
            rows += measure(name, fmt, args.executors.split(","), args.count, args.seed)
            for row in rows[-len(args.executors.split(",")):]:
                print(f"{name} {fmt} {row['executor']}: {get_number(row['error'])} {row['unit']} at {row['at']}, "
                      f"eager {get_number(row['eager'])}, special {row['special']}", flush=True)
    if args.write:
        write(args.write, rows, args)
    bad = [r for r in rows if args.limit and (r["ratio"] > args.limit or not r["ratio"] >= 0)]
    special = [r for r in rows if args.limit and r["special"]]
    if args.limit:
        print(f"{len(rows)} rows, {len(bad)} above {args.limit:g} times eager's error, {len(special)} with other special results")
        for r in bad + special:
            print(f"  {r['name']} {r['type']} {r['executor']}: {get_number(r['error'])} {r['unit']}, {r['special']} special")
    return 1 if bad or special or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
