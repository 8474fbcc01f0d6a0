#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The operators that op_coverage.py compares, with the inputs for each."""

import math
from dataclasses import dataclass
from typing import Callable, List, Sequence

import torch
import torch.nn.functional as F

BOOL = [torch.bool]
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
INTS = [torch.uint8] + SIGNED
HALF = [torch.float16, torch.bfloat16]
FLOATS8 = [torch.float8_e4m3fn, torch.float8_e5m2]
FLOATS = HALF + [torch.float32, torch.float64]
NUMBERS = INTS + FLOATS
ALL = BOOL + NUMBERS

# Ranks 0 to 4, with sizes 0, 1 and primes.
SHAPES = [(), (1,), (7,), (0,), (3, 0, 2), (5, 1, 13), (2, 3, 1, 7)]
PAIRS = [((), ()), ((7,), (7,)), ((3, 1), (5,)), ((2, 1, 7), (3, 1)),
         ((0, 5), (1, 5)), ((), (4, 3)), ((2, 3, 5, 7), (3, 1, 7))]
MATRICES = [(3, 5), (1, 1), (13, 2)]


@dataclass
class Operator:
    """`make(dtype, rng)` gives the lists of arguments to call `fn` with."""
    family: str
    name: str
    fn: Callable
    dtypes: Sequence[torch.dtype]
    make: Callable


OPERATORS: List[Operator] = []


class Inputs:
    """Random tensors with the values that matter."""

    def __init__(self, seed):
        self.rng = torch.Generator().manual_seed(seed)

    def tensor(self, shape, dtype, kind="special"):
        """`kind`: special (also NaN, infinities, extremes), plain (small
        numbers), positive, nonzero, unit (in [0, 1]) or shift (-1 to 9)."""
        n = math.prod(shape)
        if dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=self.rng).bool()
        if not dtype.is_floating_point:
            if kind == "shift":
                low, high = (0 if dtype == torch.uint8 else -1), 10
            else:
                low = 0 if dtype == torch.uint8 or kind in ("positive", "unit") else -9
                high = 2 if kind == "unit" else 10
            x = torch.randint(low, high, (n,), generator=self.rng)
            if kind in ("nonzero", "positive"):
                x[x == 0] = 3
                x[x == -1] = 2  # Eager mode traps on the least integer by -1.
            x = x.to(dtype)
            if kind == "special" and n >= 5:
                info = torch.iinfo(dtype)
                x[:2] = torch.tensor([info.min, info.max], dtype=dtype)
            return x.reshape(shape)
        x = torch.randn(n, generator=self.rng, dtype=torch.float64)
        if kind == "unit":
            x = torch.rand(n, generator=self.rng, dtype=torch.float64)
        if kind == "positive":
            x = x.abs() + 0.1
        if kind == "special":
            x = x * 3
            special = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.5]
            if n >= 13:
                at = torch.randperm(n, generator=self.rng)[:len(special)]
                x[at] = torch.tensor(special, dtype=torch.float64)
            elif n >= 5:
                x[0], x[1] = math.nan, -math.inf
        if kind == "nonzero":
            x[x == 0] = 1.0
        return x.to(dtype).reshape(shape)


def add(family, name, fn, dtypes, make):
    OPERATORS.append(Operator(family, name, fn, dtypes, make))


def unary(name, fn, dtypes=FLOATS, kind="special", shapes=SHAPES, family="unary"):
    add(family, name, fn, dtypes,
        lambda dtype, g: [(g.tensor(s, dtype, kind),) for s in shapes])


def binary(name, fn, dtypes=FLOATS, kinds=("special", "special"), pairs=PAIRS,
           family="binary"):
    add(family, name, fn, dtypes,
        lambda dtype, g: [(g.tensor(a, dtype, kinds[0]), g.tensor(b, dtype, kinds[1]))
                          for a, b in pairs])


def plain(family, name, fn, dtypes, *shapes, kind="plain"):
    """One call with tensors of the given shapes."""
    add(family, name, fn, dtypes,
        lambda dtype, g: [tuple(g.tensor(s, dtype, kind) for s in shapes)])


# --- Unary ------------------------------------------------------------------

for name in ("abs neg sign").split():
    unary(name, getattr(torch, name), NUMBERS)
for name in ("ceil floor trunc round").split():
    unary(name, getattr(torch, name), NUMBERS)
for name in ("sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan "
             "sinh cosh tanh asinh acosh atanh erf erfc rsqrt sigmoid").split():
    unary(name, getattr(torch, name), ALL if name != "rsqrt" else NUMBERS)
unary("reciprocal", torch.reciprocal, NUMBERS, "nonzero")
unary("frac", torch.frac)
unary("square", torch.square, NUMBERS)
unary("bitwise_not", torch.bitwise_not, BOOL + INTS)
unary("logical_not", torch.logical_not, ALL)
for name in ("isnan isinf isfinite isposinf isneginf signbit").split():
    unary(name, getattr(torch, name), ALL)
unary("deg2rad", torch.deg2rad, kind="plain")
unary("rad2deg", torch.rad2deg, kind="plain")
unary("sinc", torch.sinc)
unary("logit", torch.logit, kind="unit")
unary("logit(eps)", lambda x: torch.logit(x, 0.1), kind="unit")
unary("nan_to_num", torch.nan_to_num, FLOATS + SIGNED)
unary("nan_to_num(values)", lambda x: torch.nan_to_num(x, 1.0, 2.0, -3.0))
unary("round(decimals)", lambda x: torch.round(x, decimals=1),
      [torch.float32, torch.float64], "plain")
for name in ("lgamma digamma erfinv i0").split():
    unary(name, getattr(torch, name), FLOATS, "unit" if name == "erfinv" else "plain")
for name in ("i0e i1 i1e ndtr ndtri log_ndtr erfcx entr").split():
    kind = "unit" if name in ("ndtri", "entr") else "plain"
    unary("special." + name, getattr(torch.special, name),
          [torch.float32, torch.float64], kind)
# In f64 eager mode's have errors of 1e-8.
for name in ("bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai").split():
    unary("special." + name, getattr(torch.special, name), [torch.float32],
          "positive" if "_y" in name else "plain")
for name in ("modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 "
             "scaled_modified_bessel_k1 spherical_bessel_j0").split():
    unary("special." + name, getattr(torch.special, name), [torch.float32, torch.float64], "positive")
unary("polygamma(1)", lambda x: torch.polygamma(1, x), [torch.float32, torch.float64], "positive")
unary("polygamma(3)", lambda x: torch.polygamma(3, x), [torch.float32, torch.float64], "positive")

# --- Binary -----------------------------------------------------------------

binary("add", torch.add, ALL)
binary("add(alpha)", lambda x, y: torch.add(x, y, alpha=2), NUMBERS)
binary("sub", torch.sub, NUMBERS)
binary("sub(alpha)", lambda x, y: torch.sub(x, y, alpha=3), NUMBERS)
binary("mul", torch.mul, ALL)
binary("div", torch.div, ALL)
for mode in ("floor", "trunc"):
    binary(f"div({mode})", lambda x, y, m=mode: torch.div(x, y, rounding_mode=m),
           NUMBERS, ("special", "nonzero"))
binary("floor_divide", torch.floor_divide, NUMBERS, ("special", "nonzero"))
binary("fmod", torch.fmod, NUMBERS, ("special", "nonzero"))
binary("remainder", torch.remainder, NUMBERS, ("special", "nonzero"))
binary("pow", torch.pow, FLOATS)
binary("pow(integers)", torch.pow, INTS, ("special", "positive"))
binary("float_power", torch.float_power, NUMBERS, ("plain", "plain"))
binary("maximum", torch.maximum, ALL)
binary("minimum", torch.minimum, ALL)
binary("fmax", torch.fmax, ALL)
binary("fmin", torch.fmin, ALL)
binary("atan2", torch.atan2, ALL)
binary("copysign", torch.copysign, ALL)
binary("hypot", torch.hypot)
binary("ldexp", torch.ldexp, NUMBERS, ("plain", "plain"))
binary("logaddexp", torch.logaddexp)
binary("logaddexp2", torch.logaddexp2)
binary("xlogy", torch.xlogy, ALL)
binary("special.xlog1py", torch.special.xlog1py, NUMBERS)
binary("heaviside", torch.heaviside, ALL)
binary("nextafter", torch.nextafter, [torch.bfloat16, torch.float32, torch.float64])
binary("special.zeta", torch.special.zeta, [torch.float32, torch.float64],
       ("positive", "positive"))
binary("igamma", torch.igamma, [torch.float32, torch.float64], ("positive", "positive"))
binary("igammac", torch.igammac, [torch.float32, torch.float64], ("positive", "positive"))
for name in ("bitwise_and bitwise_or bitwise_xor").split():
    binary(name, getattr(torch, name), BOOL + INTS)
for name in ("bitwise_left_shift bitwise_right_shift").split():
    binary(name, getattr(torch, name), INTS, ("special", "shift"))
for name in ("logical_and logical_or logical_xor eq ne lt le gt ge").split():
    binary(name, getattr(torch, name), ALL)

for name, number in (("integer", 3), ("float", 2.5)):
    unary(f"add({name})", lambda x, n=number: x + n, ALL, family="with a number")
    unary(f"rsub({name})", lambda x, n=number: n - x, NUMBERS, family="with a number")
    unary(f"mul({name})", lambda x, n=number: x * n, ALL, family="with a number")
    unary(f"div({name})", lambda x, n=number: x / n, ALL, family="with a number")
    unary(f"floor_divide({name})", lambda x, n=number: x // n, NUMBERS,
          family="with a number")
    unary(f"remainder({name})", lambda x, n=number: x % n, NUMBERS,
          family="with a number")
    unary(f"lt({name})", lambda x, n=number: x < n, ALL, family="with a number")
    unary(f"eq({name})", lambda x, n=number: x == n, ALL, family="with a number")
    unary(f"maximum by clamp({name})", lambda x, n=number: x.clamp_min(n), NUMBERS,
          family="with a number")
for exponent in (0, 1, 2, 3, 5, 0.5, -0.5, -1, -2, 2.5):
    unary(f"pow({exponent})", lambda x, e=exponent: x ** e,
          NUMBERS if exponent in (0, 1, 2, 3, 5) else FLOATS, family="with a number")
unary("pow(2, x)", lambda x: torch.pow(2, x), FLOATS, family="with a number")
unary("bitwise_and(number)", lambda x: x & 6, INTS, family="with a number")
unary("shift(number)", lambda x: (x << 2) + (x >> 1), INTS, family="with a number")

# Operands of different element types.
for a, b in ((torch.int8, torch.uint8), (torch.int32, torch.float16),
             (torch.bool, torch.int16), (torch.bfloat16, torch.float16),
             (torch.float32, torch.float64), (torch.uint8, torch.int64)):
    tag = f"{str(a)[6:]}, {str(b)[6:]}"
    for name, fn in (("add", torch.add), ("lt", torch.lt), ("div", torch.div)):
        add("promotion", f"{name}({tag})", fn, [a],
            lambda dtype, g, b=b: [(g.tensor((5, 1), dtype), g.tensor((3,), b)),
                                   (g.tensor((3,), dtype), g.tensor((), b)),
                                   (g.tensor((), dtype), g.tensor((3,), b))])

# --- Three operands ---------------------------------------------------------

add("ternary", "where", torch.where, ALL,
    lambda d, g: [(g.tensor(c, torch.bool), g.tensor(a, d), g.tensor(b, d))
                  for c, a, b in (((7,), (7,), (7,)), ((3, 1), (5,), (3, 5)),
                                  ((), (2, 3), ()), ((0,), (0,), (1,)))])
add("ternary", "where(number)", lambda c, x: torch.where(c, x, 2), ALL,
    lambda d, g: [(g.tensor((3, 5), torch.bool), g.tensor((5,), d))])
unary("clamp", lambda x: x.clamp(-1, 2), SIGNED + FLOATS, family="ternary")
plain("ternary", "clamp(tensors)", torch.clamp, NUMBERS, (3, 5), (5,), (3, 1))
unary("clamp_max", lambda x: x.clamp_max(2), NUMBERS, family="ternary")
plain("ternary", "lerp", torch.lerp, FLOATS, (3, 5), (5,), (3, 1))
plain("ternary", "lerp(number)", lambda a, b: torch.lerp(a, b, 0.3), FLOATS, (3, 5), (5,))
plain("ternary", "addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=2), NUMBERS,
      (3, 5), (5,), (3, 1))
plain("ternary", "addcdiv", lambda a, b, c: torch.addcdiv(a, b, c, value=2), FLOATS,
      (3, 5), (5,), (3, 1), kind="positive")
add("ternary", "masked_fill", lambda x, m: x.masked_fill(m, 3), ALL,
    lambda d, g: [(g.tensor((3, 5), d), g.tensor((5,), torch.bool))])

# --- Activations ------------------------------------------------------------

ACTIVATIONS = {
    "relu": F.relu, "relu6": F.relu6, "gelu": F.gelu,
    "gelu(tanh)": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
    "mish": F.mish, "elu": lambda x: F.elu(x, 1.5), "selu": F.selu,
    "celu": lambda x: F.celu(x, 1.5), "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "hardtanh": F.hardtanh, "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid,
    "softplus": lambda x: F.softplus(x, 2.0), "logsigmoid": F.logsigmoid,
    "tanhshrink": F.tanhshrink, "softshrink": F.softshrink,
    "hardshrink": F.hardshrink, "threshold": lambda x: F.threshold(x, 0.5, 7.0),
    "softsign": F.softsign,
}
for name, fn in ACTIVATIONS.items():
    # Eager mode's vector code gives NaN for an infinity, its scalar code does not.
    unary(name, fn, FLOATS, family="activation",
          kind="plain" if name in ("gelu", "mish", "softsign") else "special")
plain("activation", "prelu", F.prelu, FLOATS, (2, 3, 5), (3,))
plain("activation", "glu", lambda x: F.glu(x, 1), FLOATS, (2, 6, 5))

# --- Reductions -------------------------------------------------------------

REDUCED = [(7,), (3, 5), (2, 1, 7), (2, 3, 5, 7), ()]


def reduction(name, fn, dtypes, kind="plain", shapes=REDUCED):
    unary(name, fn, dtypes, kind, shapes, "reduction")


for name in ("sum", "prod", "mean", "amax", "amin", "any", "all", "argmax", "argmin"):
    dtypes = {"mean": FLOATS, "argmax": NUMBERS, "argmin": NUMBERS}.get(name, ALL)
    fn = getattr(torch, name)
    kind = "unit" if name == "prod" else "plain"
    empty = [(0,), (3, 0)] if name in ("sum", "prod", "mean", "any", "all") else []
    reduction(name, fn, dtypes, kind, REDUCED + empty)
    reduction(f"{name}(-1)", lambda x, f=fn: f(x, -1), dtypes, kind)
    reduction(f"{name}(0, keepdim)", lambda x, f=fn: f(x, 0, keepdim=True), dtypes, kind)
for name in ("sum", "mean", "amax", "var", "logsumexp"):
    reduction(f"{name}((0, 2))",
              lambda x, f=getattr(torch, name): f(x, (0, 2)),
              FLOATS, shapes=[(2, 3, 5), (3, 1, 4, 2)])
reduction("amax(NaN)", lambda x: torch.amax(x, -1), FLOATS, "special", [(3, 13)])
reduction("argmax(NaN)", lambda x: torch.argmax(x, -1), FLOATS, "special", [(3, 13)])
reduction("sum(dtype)", lambda x: torch.sum(x, 0, dtype=torch.float64), NUMBERS)
reduction("max(dim)", lambda x: torch.max(x, 0), NUMBERS)
reduction("min(dim)", lambda x: torch.min(x, -1, keepdim=True), NUMBERS)
reduction("max", torch.max, ALL)
reduction("min", torch.min, ALL)
reduction("aminmax", lambda x: torch.aminmax(x), NUMBERS)
reduction("var", lambda x: torch.var(x, -1), FLOATS, shapes=REDUCED[:4])
reduction("var(correction)", lambda x: torch.var(x, 0, correction=0, keepdim=True), FLOATS)
reduction("std", lambda x: torch.std(x), FLOATS, shapes=REDUCED[:4])
reduction("var_mean", lambda x: torch.var_mean(x, -1), FLOATS, shapes=REDUCED[:4])
reduction("std_mean", lambda x: torch.std_mean(x, 0, keepdim=True), FLOATS,
          shapes=REDUCED[:4])
for p in (0, 1, 2, 3, math.inf, -math.inf):
    reduction(f"vector_norm({p})",
              lambda x, p=p: torch.linalg.vector_norm(x, p, -1), FLOATS)
reduction("norm", lambda x: torch.norm(x), FLOATS)
reduction("logsumexp", lambda x: torch.logsumexp(x, -1), FLOATS, "special")
reduction("count_nonzero", lambda x: torch.count_nonzero(x), ALL)
reduction("count_nonzero(dim)", lambda x: torch.count_nonzero(x, 0), ALL,
          shapes=REDUCED[:4])
reduction("nansum", lambda x: torch.nansum(x, -1), FLOATS, "special")
for mode in ("none", "mean", "sum"):
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        plain("loss", f"{name}({mode})",
              lambda a, b, f=getattr(F, name), mode=mode: f(a, b, reduction=mode),
              FLOATS, (3, 5), (3, 5))
    plain("loss", f"binary_cross_entropy({mode})",
          lambda a, b, mode=mode: F.binary_cross_entropy(a, b, reduction=mode),
          FLOATS, (3, 5), (3, 5), kind="unit")
plain("loss", "smooth_l1_loss(beta)", lambda a, b: F.smooth_l1_loss(a, b, beta=0.25), FLOATS,
      (3, 5), (3, 5))
plain("loss", "huber_loss(delta)", lambda a, b: F.huber_loss(a, b, delta=0.25), FLOATS,
      (3, 5), (3, 5))
plain("loss", "binary_cross_entropy(weight)",
      lambda a, b, w: torch.ops.aten.binary_cross_entropy(a, b, w), FLOATS,
      (3, 5), (3, 5), (3, 5), kind="unit")
plain("loss", "binary_cross_entropy_with_logits",
      lambda a, b, w, p: F.binary_cross_entropy_with_logits(a, b, weight=w, pos_weight=p),
      FLOATS, (3, 5), (3, 5), (3, 5), (5,), kind="unit")
plain("loss", "kl_div", lambda a, b: F.kl_div(a, b, reduction="batchmean"), FLOATS,
      (3, 5), (3, 5), kind="unit")
plain("loss", "kl_div(log_target)",
      lambda a, b: F.kl_div(a, b, reduction="sum", log_target=True), FLOATS, (3, 5), (3, 5))


def classes(*shape):
    """Scores, class indices (one of them ignored) and class weights."""
    def make(dtype, g):
        x = g.tensor(shape, dtype, "plain")
        c = shape[0] if len(shape) == 1 else shape[1]
        t = g.tensor(shape[:1] + shape[2:] if len(shape) > 1 else (), torch.int64,
                     "positive") % c
        if t.numel() > 2:
            t.view(-1)[1] = 1
        return x, t, g.tensor((c,), dtype, "unit")
    return make


for shape in ((7, 11), (13,), (2, 5, 3, 3)):
    for mode in ("none", "mean", "sum"):
        add("loss", f"cross_entropy({len(shape)}d,{mode})",
            lambda x, t, w, mode=mode: F.cross_entropy(x, t, w, reduction=mode),
            FLOATS[2:], lambda dtype, g, m=classes(*shape): [m(dtype, g)])
    add("loss", f"cross_entropy({len(shape)}d,ignore)",
        lambda x, t, w: F.cross_entropy(x, t, ignore_index=1, reduction="sum"),
        FLOATS, lambda dtype, g, m=classes(*shape): [m(dtype, g)])
    add("loss", f"cross_entropy({len(shape)}d,smoothing)",
        lambda x, t, w: F.cross_entropy(x, t, w, label_smoothing=0.1),
        FLOATS[2:], lambda dtype, g, m=classes(*shape): [m(dtype, g)])
    add("loss", f"nll_loss({len(shape)}d)",
        lambda x, t, w: F.nll_loss(x, t, w, ignore_index=1, reduction="sum"),
        FLOATS[2:], lambda dtype, g, m=classes(*shape): [m(dtype, g)])
plain("loss", "cross_entropy(probabilities)", F.cross_entropy, FLOATS[2:], (7, 11), (7, 11),
      kind="unit")
plain("loss", "cross_entropy(probabilities,smoothing)",
      lambda a, b: F.cross_entropy(a, b, label_smoothing=0.2, reduction="sum"),
      FLOATS[2:], (7, 11, 3), (7, 11, 3), kind="unit")

# --- Sorting ----------------------------------------------------------------

# Long enough for each way to sort, and not only along the last dimension.
SORTED = [(), (1,), (7,), (0,), (3, 0), (0, 3), (5, 1, 13), (2, 3, 5, 7), (2, 1031), (1031, 3)]
SELECTED = [(7,), (5, 13), (13, 1, 5), (5, 3, 5, 7), (2, 1031), (1031, 3)]


def sorting(name, fn, dtypes=ALL, kind="special", shapes=SORTED):
    unary(name, fn, dtypes, kind, shapes, "sort")


def selected(x, k, dim, **kwargs):
    """What is selected, and whether the positions are those of it: which of
    equal elements are taken is not defined."""
    values, indices = torch.topk(x, k, dim, **kwargs)
    if not kwargs.get("sorted", True):
        values = torch.sort(values, dim)[0]
        return values, torch.sort(torch.gather(x, dim, indices), dim)[0]
    return values, torch.gather(x, dim, indices)


def sorted_unstably(x, dim=-1, **kwargs):
    """Values, and those at the positions: the order of equal elements is not
    defined."""
    values, indices = torch.sort(x, dim, **kwargs)
    return values, torch.gather(x, dim, indices)


sorting("sort", sorted_unstably)
sorting("sort(descending)", lambda x: sorted_unstably(x, descending=True))
sorting("sort(0)", lambda x: sorted_unstably(x, 0))
sorting("sort(stable)", lambda x: torch.sort(x, dim=-1, stable=True))
sorting("sort(0, stable, descending)", lambda x: torch.sort(x, dim=0, stable=True, descending=True))
sorting("sort(transposed)", lambda x: torch.sort(x.transpose(0, -1), -1), ALL,
        shapes=[(5, 13), (3, 2, 7)])
sorting("argsort", lambda x: torch.gather(x, -1, torch.argsort(x, -1)))
sorting("argsort(0, stable, descending)",
        lambda x: torch.argsort(x, dim=0, stable=True, descending=True))
sorting("msort", torch.msort)
for k in (0, 1, 3, 5):
    sorting(f"topk({k})", lambda x, k=k: selected(x, k, -1), NUMBERS, shapes=SELECTED)
    sorting(f"topk({k}, 0, smallest)", lambda x, k=k: selected(x, k, 0, largest=False), NUMBERS,
            shapes=SELECTED)
sorting("topk(positions)", lambda x: torch.topk(x, 4, -1), FLOATS[2:], "plain", [(7,), (2, 1031)])
sorting("topk(unsorted)", lambda x: selected(x, 3, -1, sorted=False), NUMBERS, shapes=SELECTED)

# --- Views and copies -------------------------------------------------------

# Followed by an addition of one so that no output is an alias.
VIEWS = {
    "view": lambda x: x.view(10, 3), "reshape": lambda x: x.t().reshape(5, 6),
    "flatten": lambda x: x.unsqueeze(0).flatten(1), "unflatten": lambda x: x.unflatten(1, (2, 3)),
    "permute": lambda x: x.view(5, 2, 3).permute(2, 0, 1), "t": lambda x: x.t(),
    "transpose": lambda x: x.view(5, 2, 3).transpose(-1, 0),
    "movedim": lambda x: x.view(5, 2, 3).movedim(0, 2),
    "squeeze": lambda x: x.view(1, 30, 1).squeeze(), "unsqueeze": lambda x: x.unsqueeze(1),
    "expand": lambda x: x.unsqueeze(1).expand(5, 4, 6),
    "select": lambda x: x.select(1, -2), "slice": lambda x: x[1:-1, ::2],
    "narrow": lambda x: x.narrow(1, 2, 3), "split": lambda x: x.split(4, 1),
    "split(sizes)": lambda x: x.split((1, 2, 3), 1), "chunk": lambda x: x.chunk(2, 0),
    "unbind": lambda x: x.unbind(0), "flip": lambda x: x.flip(0, 1),
    "roll": lambda x: x.roll((1, -2), (0, 1)), "roll(flat)": lambda x: x.roll(7),
    "diff": lambda x: x.diff(), "diff(n)": lambda x: x.diff(2, 0),
    "diff(prepend)": lambda x: x.diff(dim=0, prepend=x[-1:], append=x[:2]),
    "repeat": lambda x: x.repeat(2, 1, 3), "tile": lambda x: x.tile(2),
    "repeat_interleave": lambda x: x.repeat_interleave(3, 1),
    "diagonal": lambda x: x.diagonal(1), "diagonal(dims)": lambda x: x.view(5, 2, 3).diagonal(-1, 2, 0),
    "clone": lambda x: x.clone(), "contiguous": lambda x: x.t().contiguous(),
    "tril": lambda x: x.tril(1), "triu": lambda x: x.triu(-1),
}
for name, fn in VIEWS.items():
    def copied(x, fn=fn):
        y = fn(x)
        one = 1 if x.dtype != torch.bool else True
        return tuple(v + one for v in y) if isinstance(y, (tuple, list)) else y + one
    plain("view", name, copied, ALL, (5, 6))

DATA = {
    "cat": (lambda x, y: torch.cat((x, y, x), 1), [(3, 5), (3, 2)]),
    "cat(empty)": (lambda x, y: torch.cat((x, y), 0), [(3, 5), (0, 5)]),
    "stack": (lambda x, y: torch.stack((x, y), -1), [(3, 5), (3, 5)]),
    "pad": (lambda x: F.pad(x, (1, 2, 0, 3)), [(3, 5)]),
    "pad(value, crop)": (lambda x: F.pad(x, (-1, 2), value=1), [(3, 5)]),
}
for name, (fn, shapes) in DATA.items():
    plain("data", name, fn, ALL, *shapes)


def indexed(name, fn, shape, *indices, dtypes=ALL):
    add("data", name, fn, dtypes,
        lambda d, g: [(g.tensor(shape, d, "plain"),) + tuple(torch.tensor(i) for i in indices)])


indexed("index", lambda x, i: x[i], (5, 6), [[0, -1], [4, 2]])
indexed("index(two)", lambda x, i, j: x[i, j], (5, 6), [0, 4, 2], [[1], [-1]])
indexed("index(gap)", lambda x, i, j: x[i, :, j], (5, 3, 6), [0, 4, 2], [1, -1, 0])
indexed("index(second)", lambda x, i: x[:, i], (5, 6), [5, 0, 0])
indexed("index_select", lambda x, i: x.index_select(1, i), (5, 6), [5, 0, 3])
indexed("gather", lambda x, i: x.gather(1, i), (3, 5), [[0, 4], [1, 1], [2, 0]])
indexed("take_along_dim", lambda x, i: x.take_along_dim(i, 1), (3, 5), [[0, 4]])
indexed("embedding", lambda x, i: F.embedding(i, x), (7, 3), [[0, 6], [2, 2]], dtypes=FLOATS)
add("data", "one_hot", lambda i: F.one_hot(i, 5), [torch.int64],
    lambda d, g: [(torch.tensor([[0, 4], [2, 1]]),)])

# --- Writes at positions ----------------------------------------------------

def writing(name, fn, dtypes, shape, values, *indices):
    """`fn(x, values, *indices)`; indices are lists, or tensors of bools."""
    add("scatter", name, fn, dtypes, lambda d, g: [
        (g.tensor(shape, d, "plain"), g.tensor(values, d, "plain")) +
        tuple(torch.tensor(i, dtype=torch.int64) if i == [] else torch.tensor(i)
              for i in indices)])


def put(accumulate, *at):
    """index_put with an index tensor for each True of `at`."""
    def fn(x, v, *indices):
        given = iter(indices)
        return torch.ops.aten.index_put(x, [next(given) if a else None for a in at], v, accumulate)
    return fn


for accumulate in (False, True):
    suffix = ", accumulate" if accumulate else ""
    # Without accumulation the framework does not say which of two writes wins.
    twice = [3, 0, 3, -1, 3] if accumulate else [3, 0, -1, 2, 1]
    writing(f"index_put(rows{suffix})", put(accumulate, True), ALL, (5, 13), (5, 13), twice)
    writing(f"index_put(broadcast{suffix})", put(accumulate, True), ALL, (5, 7), (7,), twice)
    writing(f"index_put(one value{suffix})", put(accumulate, True), ALL, (5, 7), (), twice)
    writing(f"index_put(columns{suffix})", put(accumulate, False, True), ALL, (3, 5, 2), (3, 2, 2),
            [4, -5])
    writing(f"index_put(two{suffix})", put(accumulate, True, True), ALL, (5, 6), (2, 3),
            [[0], [4]], [5, -3, 1])
    writing(f"index_put(gap{suffix})", put(accumulate, True, False, True), ALL, (5, 3, 6), (3, 3),
            [0, 4, 2], [1, -1, 0])
    writing(f"index_put(empty index{suffix})", put(accumulate, True), ALL, (5, 3), (0, 3), [])
    writing(f"index_put(empty rows{suffix})", put(accumulate, True), ALL, (5, 0), (2, 0), [1, 4])
    writing(f"index_put(mask{suffix})", put(accumulate, True), ALL, (3, 5), (5,),
            [True, False, True])
    writing(f"index_put(whole mask{suffix})", put(accumulate, True), ALL, (2, 3), (),
            [[True, False, True], [False, False, True]])
    writing(f"put({suffix[2:]})", lambda x, v, i, a=accumulate: x.put(i, v, accumulate=a), ALL,
            (3, 5), (2, 2), [[0, -1], [14 if accumulate else 13, 7]])
ONCE = [[0, 4], [1, 3], [2, -1 + 5]]
TWICE = [[0, 0, 4, 0], [1, 3, 3, 1], [2, 2, 2, 2]]
writing("scatter", lambda x, v, i: x.scatter(1, i, v), ALL, (3, 5), (3, 5), ONCE)
writing("scatter(0)", lambda x, v, i: x.scatter(0, i, v), ALL, (7, 3), (2, 3), [[0, 6, 2], [1, 0, 5]])
writing("scatter(value)", lambda x, v, i: x.scatter(1, i, 3), ALL, (3, 5), (), TWICE)
writing("scatter(scalar)", lambda x, v, i: x.scatter(0, i, v), ALL, (), (), 0)
writing("scatter(empty)", lambda x, v, i: x.scatter(0, i, v), ALL, (3,), (0,), [])
writing("scatter(add)", lambda x, v, i: x.scatter(1, i, v, reduce="add"), NUMBERS, (3, 5), (3, 4), TWICE)
writing("scatter(multiply)", lambda x, v, i: x.scatter(1, i, v, reduce="multiply"), NUMBERS,
        (3, 5), (3, 4), TWICE)
writing("scatter_add", lambda x, v, i: x.scatter_add(1, i, v), ALL, (3, 5), (4, 7), TWICE)
writing("scatter_add(0)", lambda x, v, i: x.scatter_add(0, i, v), NUMBERS, (3, 5, 2), (4, 5, 2),
        [[[0, 1]] * 3, [[2, 1]] * 3, [[0, 1]] * 3, [[0, 0]] * 3])
for how in ("sum", "prod", "mean", "amax", "amin"):
    for own in (True, False):
        writing(f"scatter_reduce({how}{'' if own else ', without self'})",
                lambda x, v, i, h=how, o=own: x.scatter_reduce(1, i, v, h, include_self=o),
                ALL, (3, 5), (3, 4), TWICE)
        if how != "sum":
            writing(f"index_reduce({how}{'' if own else ', without self'})",
                    lambda x, v, i, h=how, o=own: x.index_reduce(0, i, v, h, include_self=o),
                    NUMBERS, (5, 3), (4, 3), [4, 0, 4, 2])
writing("index_add", lambda x, v, i: x.index_add(0, i, v), ALL, (5, 13), (4, 13), [4, 0, 4, 2])
writing("index_add(alpha)", lambda x, v, i: x.index_add(1, i, v, alpha=2), NUMBERS, (3, 5), (3, 4),
        [4, 0, 4, 2])
writing("index_copy", lambda x, v, i: x.index_copy(0, i, v), ALL, (5, 7), (3, 7), [4, 0, 2])
writing("index_fill", lambda x, v, i: x.index_fill(1, i, 2), ALL, (3, 5), (), [4, -5, 4])
writing("index_fill(tensor)", lambda x, v, i: x.index_fill(1, i, v), ALL, (3, 5), (), [4, 0])
writing("slice_scatter", lambda x, v: x.slice_scatter(v, 1, 1, -1), ALL, (3, 5), (3, 3))
writing("slice_scatter(all)", lambda x, v: x.slice_scatter(v), ALL, (3, 5), (3, 5))
writing("slice_scatter(step)", lambda x, v: x.slice_scatter(v, 0, 1, 7, 3), ALL, (7, 5), (2, 5))
writing("select_scatter", lambda x, v: x.select_scatter(v, 1, -2), ALL, (3, 5, 2), (3, 2))
writing("diagonal_scatter", lambda x, v: x.diagonal_scatter(v), ALL, (3, 5), (3,))
writing("diagonal_scatter(offset)", lambda x, v: x.diagonal_scatter(v, 1, 2, 0), ALL, (3, 4, 2), (4, 2))
for freq in (False, True):
    add("scatter", f"embedding_dense_backward{'(frequencies)' if freq else ''}",
        lambda g, i, f=freq: torch.ops.aten.embedding_dense_backward(g, i, 7, 3, f), FLOATS,
        lambda d, g: [(g.tensor((2, 4, 5), d, "plain"), torch.tensor([[0, 6, 3, 0], [2, 2, 2, 3]]))])
# One kernel and one buffer: the target dies, and what is written is computed.
writing("index_put(fused)", lambda x, v, i: put(True, True)(x * 2, v * v, i + 1) + x, NUMBERS,
        (5, 13), (4, 13), [1, 0, 1, 2])
writing("index_put(reads its target)", lambda x, v, i: put(True, True)(x, x[i] + v, i), NUMBERS,
        (5, 13), (4, 13), [4, 0, 4, 2])

# --- Scans ------------------------------------------------------------------

SCANS = {
    "cumsum": (torch.cumsum, NUMBERS), "cumprod": (torch.cumprod, NUMBERS),
    "logcumsumexp": (torch.logcumsumexp, FLOATS),
    "cummax": (torch.cummax, ALL), "cummin": (torch.cummin, ALL),
}
for name, (fn, dtypes) in SCANS.items():
    for suffix, dim, shapes in (("", -1, [(), (1,), (7,), (0,), (5, 13), (3, 0), (2, 3, 1, 7)]),
                                ("(0)", 0, [(5, 13), (7, 3, 2), (3, 0, 2), (0, 5)]),
                                ("(middle)", 1, [(3, 5, 13), (2, 7, 3)])):
        unary(f"{name}{suffix}", lambda x, f=fn, d=dim: f(x, d), dtypes,
              "plain" if name in ("cumsum", "cumprod") else "special", shapes, "scan")
unary("cumsum(special)", lambda x: x.cumsum(0), FLOATS, "special", [(13,)], "scan")
unary("cumsum(dtype)", lambda x: x.cumsum(0, dtype=torch.float32), ALL, "plain", [(13,)], "scan")
unary("cumsum(bool)", lambda x: x.cumsum(0), BOOL, "plain", [(13,)], "scan")
unary("cumsum(softmax)", lambda x: F.softmax(x, -1).cumsum(-1) * 2, FLOATS, "plain", [(5, 13)], "scan")
unary("cumsum(sum of)", lambda x: (x * x).cumsum(1).sum(1), FLOATS, "plain", [(5, 13)], "scan")
unary("cumsum(twice)", lambda x: x.cumsum(1).cumsum(1) + x.cumprod(1), FLOATS, "plain", [(3, 7, 2)],
      "scan")

for source in ALL:
    unary(f"to({str(source)[6:]})", lambda x, s=source: x.to(s), ALL, "plain",
          [(), (7,), (2, 3)], "conversion")
# Every number of 16 bits, and what lies around the limits.
def all_floats16(dtype, g):
    return [(torch.arange(-0x8000, 0x8000).to(torch.int16).view(dtype),)]


def around_limits(dtype, g):
    near = [448, 464, 465, 480, 57344, 61440, 65536, 2 ** -9, 2 ** -10, 2 ** -16, 2 ** -17, 0, math.inf]
    x = torch.tensor(near, dtype=torch.float64)
    x = torch.cat((x, x * (1 + 2 ** -20), x * (1 - 2 ** -20), torch.tensor([math.nan])))
    return [(torch.cat((x, -x)).to(dtype),)]


for target in FLOATS8:
    name = str(target)[6:]
    unary(f"to({name})", lambda x, t=target: x.to(t), ALL, "special", [(), (7,), (2, 33), (0,)],
          "conversion")
    add("conversion", f"to({name}, all)", lambda x, t=target: x.to(t), HALF, all_floats16)
    add("conversion", f"to({name}, limits)", lambda x, t=target: x.to(t),
        [torch.float32, torch.float64], around_limits)
    add("conversion", f"to({name}, scaled)",
        lambda x, t=target: (x / x.abs().amax(-1, keepdim=True) * 448).to(t), FLOATS,
        lambda d, g: [(g.tensor((5, 33), d, "nonzero"),)])


def all_floats8(dtype, g):
    return [(torch.arange(256).to(torch.uint8).view(dtype).reshape(8, 32),)]


for source in ALL:
    add("conversion", f"float8 to({str(source)[6:]})",
        lambda x, s=source: torch.nan_to_num(x.to(torch.float32)).clamp(-100, 100).to(s)
        if not s.is_floating_point else x.to(s), FLOATS8, all_floats8)
for name, fn in {"transpose": lambda x: x.t().contiguous(), "cat": lambda x: torch.cat((x, x), 1),
                 "slice": lambda x: x[1:7:2, 3:].clone(), "index_select": lambda x: x[torch.arange(3) * 2],
                 "where": lambda x: torch.where(torch.arange(32) > 7, x, x[:1])}.items():
    add("conversion", f"float8 {name}", fn, FLOATS8, all_floats8)
unary("view(dtype)", lambda x: (x * 1).view(torch.int32), [torch.float32], "special",
      [(13,)], "conversion")

# --- Creation ---------------------------------------------------------------

CREATION = {
    "arange": lambda x: torch.arange(7) + x, "arange(step)": lambda x: torch.arange(2, 9, 3) + x,
    "arange(float)": lambda x: torch.arange(0.5, 3, 0.25) + x,
    "full": lambda x: torch.full((2, 3), 7) + x, "zeros": lambda x: torch.zeros(2, 3) + x,
    "ones_like": lambda x: torch.ones_like(x) + x, "full_like": lambda x: torch.full_like(x, 2) + x,
    "new_zeros": lambda x: x.new_zeros(3) + x, "scalar_tensor": lambda x: torch.scalar_tensor(3) + x,
    "linspace": lambda x: torch.linspace(-1, 2, 7) + x, "eye": lambda x: torch.eye(3, 4) + x,
}
for name, fn in CREATION.items():
    plain("creation", name, fn, [torch.int32, torch.bfloat16, torch.float32], ())

# --- Named dimensions, distances, diagonals ---------------------------------

plain("named dimensions", "einsum(batched)", lambda x, y: torch.einsum("bij,bjk->kbi", x, y),
      NUMBERS, (2, 3, 5), (2, 5, 7))
plain("named dimensions", "einsum(three)",
      lambda x, y, z: torch.einsum("ia,jb,ab->ij", x, y, z), FLOATS, (3, 5), (2, 7), (5, 7))
plain("named dimensions", "einsum(ellipsis)",
      lambda x, y: torch.einsum("...ij,...kj", x, y), FLOATS, (2, 1, 3, 5), (4, 7, 5))
plain("named dimensions", "einsum(diagonal)", lambda x: torch.einsum("iji->j", x), NUMBERS, (5, 3, 5))
plain("named dimensions", "tensordot", lambda x, y: torch.tensordot(x, y, ([0, 2], [1, 0])), FLOATS,
      (3, 2, 5), (5, 3, 7))
plain("named dimensions", "inner", torch.inner, FLOATS, (3, 7), (2, 7))
plain("named dimensions", "kron", torch.kron, NUMBERS, (3, 2), (5, 1, 7))
plain("named dimensions", "addr", lambda x, a, b: torch.addr(x, a, b, beta=2, alpha=3), NUMBERS,
      (3, 5), (3,), (5,))
plain("named dimensions", "addbmm", torch.addbmm, FLOATS, (3, 7), (2, 3, 5), (2, 5, 7))
for p in (0, 1, 2, 3.5, math.inf):
    plain("distances", f"cdist({p})", lambda x, y, p=p: torch.cdist(x, y, p),
          [torch.float32, torch.float64], (2, 7, 3), (5, 3))
plain("distances", "pdist", F.pdist, [torch.float32, torch.float64], (7, 3))
plain("distances", "cosine_similarity", F.cosine_similarity, FLOATS, (3, 7, 1), (1, 7, 5))
plain("distances", "cross", torch.linalg.cross, NUMBERS, (5, 3), (5, 3))
plain("distances", "renorm", lambda x: torch.renorm(x, 2, 1, 0.5), FLOATS, (3, 5, 7))
for offset in (-2, 0, 1):
    plain("diagonals", f"diag({offset})", lambda x, o=offset: torch.diag(x, o), ALL, (5, 7))
    plain("diagonals", f"diag_embed({offset})",
          lambda x, o=offset: torch.diag_embed(x, o, 0, 2), ALL, (3, 5))
    plain("diagonals", f"tril_indices({offset})",
          lambda x, o=offset: x + torch.tril_indices(7, 5, o).sum(), [torch.int64], (1,))
    plain("diagonals", f"triu_indices({offset})",
          lambda x, o=offset: x[torch.triu_indices(7, 5, o)[0]], [torch.int64], (7,))
plain("diagonals", "trace", torch.trace, NUMBERS, (5, 7))
plain("diagonals", "block_diag", lambda x, y, z: torch.block_diag(x, y, z), ALL, (2, 3), (), (5,))
plain("diagonals", "rot90", lambda x: torch.rot90(x, 3, (0, 2)), ALL, (3, 2, 5))

# --- Searches, histograms, selection ----------------------------------------

add("searches", "searchsorted", torch.searchsorted, INTS + FLOATS,
    lambda d, g: [(g.tensor((3, n), d).sort().values, g.tensor((3, 7), d)) for n in (1, 5, 16)])
add("searches", "bucketize", lambda x, s: torch.bucketize(x, s, right=True), INTS + FLOATS,
    lambda d, g: [(g.tensor((3, 7), d), g.tensor((n,), d).sort().values) for n in (1, 7, 13)])
plain("searches", "isin", torch.isin, NUMBERS, (3, 7), (5,))
plain("searches", "isin(many)", lambda x, y: torch.isin(x, y, invert=True), NUMBERS, (3, 7), (97,))
plain("searches", "histc", lambda x: torch.histc(x, 5, -1, 2), [torch.float32, torch.float64], (3, 37))
plain("searches", "histogram", lambda x, w: torch.histogram(x, 5, weight=w, density=True),
      [torch.float32, torch.float64], (37,), (37,), kind="positive")
unary("median", torch.median, INTS + FLOATS, shapes=[(7,), (3, 5), ()], family="searches")
unary("nanmedian", torch.nanmedian, INTS + FLOATS, shapes=[(7,), (3, 5), ()], family="searches")
plain("searches", "kthvalue", lambda x: torch.kthvalue(x, 3, 0), FLOATS, (13, 5))
plain("searches", "mode", lambda x: torch.mode(x, 1).values, INTS + FLOATS, (3, 13))
add("searches", "segment_reduce",
    lambda x, l: torch.segment_reduce(x, "mean", lengths=l), [torch.float32, torch.float64],
    lambda d, g: [(g.tensor((7, 3), d, "plain"), torch.tensor([2, 0, 5]))])
add("searches", "embedding_bag", lambda i, w, o: F.embedding_bag(i, w, o, mode="max"), FLOATS,
    lambda d, g: [(torch.tensor([1, 4, 4, 0, 2]), g.tensor((5, 3), d, "plain"),
                   torch.tensor([0, 2, 2]))])
add("searches", "repeat_interleave",
    lambda x, n: torch.repeat_interleave(x, n, 1, output_size=9), ALL,
    lambda d, g: [(g.tensor((2, 4), d), torch.tensor([3, 0, 1, 5]))])
plain("searches", "gcd", torch.gcd, INTS, (5, 13), (13,))
unary("frexp", torch.frexp, FLOATS, family="searches")
