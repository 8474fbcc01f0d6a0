# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random fusions: the programs that `random_kernels.py` measures.

`draw(seed, index, budget)` gives a `Program`, always the same one for the same arguments: a function of
one to four tensors as Python source, and for each input the expression that makes it. Nothing is drawn
while a program runs, so that its text is a reproducer.

Every program belongs to one of ten classes. Their weights are equal, and neither classes nor weights may
change together with a schedule: measurements of different versions would not be comparable.

| class | what it holds |
|---|---|
| `few-rows` | reductions over rows of which there are 1 to 8, whose elements are written, too |
| `permuted` | operands whose contiguous dimensions differ, up to three orders, also with reductions and permuted results |
| `short-inner` | contiguous dimensions of 2 to 64 elements, or of 14 x 14 |
| `strided` | slices with steps, interleaved halves, `stack` along the last dimension, RGB bytes |
| `stencil` | shifted products, short convolutions and pooling windows along one dimension |
| `conversion` | conversions, masks and index arithmetic that several consumers read |
| `rows-and-columns` | results for rows and sums over columns of the same data |
| `odd-offset` | rows of odd lengths, and operands that start some elements behind an aligned address |
| `tail` | as many rows as multiprocessors and a few more |
| `mixed` | any rank, operands, dtypes, reductions, scans, concatenations, pads, slices and gathers |

The bound of a program is stated by `Program.minimal_bytes`: the sectors of 32 bytes that hold elements it reads, each
once, those of its results, and once more what it reads in groups (rows under a reduction whose result
they meet again) that are larger than what fits on the chip.
"""
import dataclasses
import math
import random

import torch
import torch.nn.functional as F

CLASSES = (
    "few-rows",
    "permuted",
    "short-inner",
    "strided",
    "stencil",
    "conversion",
    "rows-and-columns",
    "odd-offset",
    "tail",
    "mixed",
)
SECTOR = 32
TYPES = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "f32": torch.float32,
    "f64": torch.float64,
    "u8": torch.uint8,
    "i32": torch.int32,
    "i64": torch.int64,
    "bool": torch.bool,
}
BYTES = {"bf16": 2, "f16": 2, "f32": 4, "f64": 8, "u8": 1, "i32": 4, "i64": 8, "bool": 1}
# Sizes of real models, and primes.
LENGTHS = (7, 14, 28, 49, 56, 64, 77, 80, 96, 112, 128, 196, 197, 224, 256, 320, 384, 512, 577, 640, 768, 960, 1000, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120, 8192, 11008, 14336, 32000, 50257)
PRIMES = (3, 5, 7, 11, 13, 17, 31, 61, 127, 257, 509, 1021, 2053, 4093, 8191, 16381)


class Module(torch.nn.Module):
    """A function as torch.export takes it."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


class Maker:
    """What the expressions of inputs are evaluated with."""

    def __init__(self, device, seed):
        self.device = device
        self.generator = torch.Generator(device).manual_seed(seed)

    def rand(self, dtype, *sizes):
        """Normal numbers, small integers, bytes or coin tosses."""
        kind = TYPES[dtype]
        if kind.is_floating_point:
            wide = torch.float64 if kind == torch.float64 else torch.float32
            return torch.randn(sizes, device=self.device, generator=self.generator, dtype=wide).to(kind)
        high = {"bool": 2, "u8": 256}.get(dtype, 100)
        return torch.randint(0, high, sizes, device=self.device, generator=self.generator).to(kind)

    def index(self, high, *sizes):
        return torch.randint(0, high, sizes, device=self.device, generator=self.generator)


@dataclasses.dataclass
class Program:
    name: str
    kind: str
    inputs: list  # expressions
    lines: list  # statements of the function
    results: list  # names
    # Groups of elements that are read again after a reduction over them: their number, or 0 where there are none.
    groups: int = 0
    operations: int = 1  # for each element of the largest tensor
    # How results are compared: elements that a comparison may decide either way, what errors of small elements are
    # compared with, and how many times eager mode's errors are allowed.
    decided = 0
    floor = 1e-30
    factor = 2

    def source(self, wide=False):
        """The function as text; with `wide` it computes in double precision."""
        names = ", ".join(f"x{i}" for i in range(len(self.inputs)))
        text = "".join(f"    {line}\n" for line in self.lines)
        if wide:
            text = text.replace(".float()", ".double()")
        return f"def f({names}):\n{text}    return {', '.join(self.results)}\n"

    def function(self, wide=False):
        scope = {"torch": torch, "F": F}
        exec(self.source(wide), scope)
        return scope["f"]

    def traced(self, inputs):
        """What is exported, and what Inductor compiles."""
        return self.function()

    def make(self, device, seed=0):
        maker = Maker(device, seed)
        scope = {"torch": torch, "rand": maker.rand, "index": maker.index}
        return tuple(eval(text, scope) for text in self.inputs)

    def reproducer(self):
        inputs = "".join(f"x{i} = {text}\n" for i, text in enumerate(self.inputs))
        return f"# {self.name}\n{self.source()}{inputs}"

    def minimal_bytes(self, inputs, outputs, on_chip):
        """The least bytes between memory and chip, and how it was found."""
        reads = sum(touched_bytes(t) for t in inputs)
        writes = sum(touched_bytes(t) for t in outputs)
        again = 0
        if self.groups and reads / self.groups > on_chip:
            again = reads - self.groups * on_chip
        return reads + writes + again


def touched_bytes(t):
    """Bytes of the sectors that hold elements of `t`, each counted once: dimensions from the one with the
    smallest stride on, as long as they are contiguous, make runs; runs that are nearer to each other than a sector
    share sectors."""
    dims = sorted((stride, size) for stride, size in zip(t.stride(), t.shape) if size > 1 and stride != 0)
    if t.numel() == 0:
        return 0
    size = t.element_size()
    run, count = size, 1
    for stride, length in dims:
        step = stride * size
        if step <= max(run, SECTOR) if count == 1 else step == run:
            run = step * (length - 1) + run
        else:
            count *= length
    return count * (run if run >= SECTOR and (count == 1 or run % SECTOR == 0) else math.ceil(run / SECTOR) * SECTOR)


class Drawer:
    """Draws one program."""

    def __init__(self, seed, index, kind, budget, multiprocessors, scale):
        self.scale = scale
        self.rng = random.Random(f"{seed}/{index}/{kind}")
        self.kind = kind
        self.budget = budget
        self.multiprocessors = multiprocessors
        self.inputs = []
        self.lines = []
        self.results = []
        self.groups = 0
        self.operations = 1
        self.temporaries = 0
        self.dtype = self.rng.choices(("bf16", "f32", "f16", "f64"), (45, 36, 16, 3))[0]

    # What is drawn.

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def log_uniform(self, low, high):
        return max(low, min(high, round(math.exp(self.rng.uniform(math.log(low), math.log(high))))))

    def length(self, low, high):
        """A size: of a model, a prime, a power of two, or any."""
        low, high = max(1, low), max(1, high)
        known = [n for n in LENGTHS if low <= n <= high]
        primes = [n for n in PRIMES if low <= n <= high]
        powers = [1 << k for k in range(27) if low <= 1 << k <= high]
        groups = [g for g in (known, known, primes, powers) if g]
        if not groups or self.chance(0.25):
            return self.log_uniform(low, high)
        return self.rng.choice(self.rng.choice(groups))

    def elements(self, tensors):
        """Elements of each of `tensors` tensors in all that the budget allows."""
        return max(1, int(self.budget / (tensors * BYTES[self.dtype])))

    def shape(self, numel, rank, inner=None):
        """Sizes of about `numel` elements; the last ones are `inner`."""
        inner = list(inner or [])
        outer = rank - len(inner)
        left = max(1, numel // max(1, math.prod(inner)))
        if outer <= 0:
            return inner
        sizes = []
        for i in range(outer - 1):
            sizes.append(self.length(1 if self.chance(0.1) else 2, max(2, min(4096, round(left ** (1 / (outer - i)) * 4)))))
            left = max(1, left // sizes[-1])
        sizes.insert(self.rng.randrange(len(sizes) + 1) if sizes else 0, left)
        largest = max(range(outer), key=sizes.__getitem__)
        sizes[largest] = max(1, int(sizes[largest] * self.scale))
        return sizes + inner

    # Inputs.

    def add_input(self, text):
        self.inputs.append(text)
        return f"x{len(self.inputs) - 1}"

    def operand(self, shape, layout="plain", dtype=None):
        """An input of the given sizes, with one of the layouts."""
        dtype = dtype or self.dtype
        rank = len(shape)
        if layout == "permuted" and rank > 1:
            order = list(range(rank))
            while order == list(range(rank)):
                self.rng.shuffle(order)
            back = [order.index(d) for d in range(rank)]
            return self.add_input(f"rand('{dtype}', {commas(shape[d] for d in order)}).permute({commas(back)})")
        if layout == "sliced" and rank:
            d = self.rng.randrange(rank)
            start, more, step = self.pick(0, 1, 3), self.pick(0, 1, 5), self.pick(1, 1, 2)
            base = list(shape)
            base[d] = start + shape[d] * step + more
            slices = [":"] * rank
            slices[d] = f"{start}:{start + shape[d] * step}" + (f":{step}" if step > 1 else "")
            return self.add_input(f"rand('{dtype}', {commas(base)})[{', '.join(slices)}]")
        if layout == "offset":
            start = self.pick(1, 2, 3, 5, 7)
            return self.add_input(f"rand('{dtype}', {math.prod(shape) + start})[{start}:].view({commas(shape)})")
        if layout == "broadcast" and rank:
            sizes = [1 if self.chance(0.5) else n for n in shape]
            return self.add_input(f"rand('{dtype}', {commas(sizes)})")
        return self.add_input(f"rand('{dtype}', {commas(shape)})")

    def any_operand(self, shape):
        dtype = self.dtype
        if self.chance(0.12):
            dtype = self.pick("u8", "bool", "i32", "f32", "bf16", "i64")
        layout = self.rng.choices(("plain", "permuted", "sliced", "offset", "broadcast"), (40, 20, 12, 10, 18))[0]
        name = self.operand(shape, layout, dtype)
        return name if dtype in ("bf16", "f16", "f32", "f64") else self.let(f"{name}.float()")

    # Statements.

    def let(self, text):
        name = f"t{self.temporaries}"
        self.temporaries += 1
        self.lines.append(f"{name} = {text}")
        return name

    def unary(self, x):
        self.operations += 4
        return self.let(
            self.pick(
                f"torch.relu({x})",
                f"torch.sigmoid({x})",
                f"torch.tanh({x})",
                f"torch.abs({x})",
                f"-{x}",
                f"torch.exp(-torch.abs({x}))",
                f"torch.sqrt(torch.abs({x}) + 1)",
                f"torch.rsqrt({x} * {x} + 1)",
                f"F.silu({x})",
                f"F.gelu({x})",
                f"torch.sin({x})",
                f"{x} * 0.5",
                f"{x} + 1.25",
                f"torch.clamp({x}, -1, 1)",
                f"{x} * {x}",
                f"torch.where({x} > 0, {x}, 0.1 * {x})",
            )
        )

    def binary(self, x, y):
        self.operations += 2
        return self.let(
            self.pick(
                f"{x} + {y}",
                f"{x} - {y}",
                f"{x} * {y}",
                f"torch.maximum({x}, {y})" if self.chance(0.5) else f"{x} / (torch.abs({y}) + 1)",
                f"torch.where({x} > {y}, {x}, {y} * 0.5)",
            )
        )

    def chain(self, values, most=6):
        """One value of all of `values`, through some operators."""
        values = list(values)
        while len(values) > 1:
            y, x = values.pop(), values.pop()
            values.append(self.binary(self.unary(x) if self.chance(0.4) else x, y))
        x = values[0]
        # Something is computed: an input as it is would be no program.
        for _ in range(max(self.rng.randrange(most), x.startswith("x"))):
            x = self.unary(x)
        return x

    def reduce(self, x, dims, keep=True):
        self.operations += 2
        dims = f"({commas(dims)},)"
        keep = ", keepdim=True" if keep else ""
        return self.let(
            self.pick(
                f"{x}.float().sum({dims}{keep})",
                f"{x}.float().mean({dims}{keep})",
                f"{x}.amax({dims}{keep})",
                f"{x}.amin({dims}{keep})",
                f"torch.var({x}.float(), {dims}{keep})",
                f"torch.logsumexp({x}.float(), {dims}{keep})",
                f"{x}.float().pow(2).sum({dims}{keep})",
            )
        )

    def normalise(self, x, shape, dims):
        """An operator whose elements meet reductions over `dims`."""
        self.operations += 8
        self.groups = max(1, math.prod(n for d, n in enumerate(shape) if d not in dims))
        tuple_ = f"({commas(dims)},)"
        kind = self.pick("softmax", "layer", "rms", "max", "l2", "two")
        if kind == "softmax" and len(dims) == 1:
            return self.let(f"torch.{self.pick('softmax', 'log_softmax')}({x}, {dims[0]})")
        if kind == "layer" or kind == "softmax":
            self.lines.append(f"m = {x}.float().mean({tuple_}, keepdim=True)")
            self.lines.append(f"v = torch.var({x}.float(), {tuple_}, correction=0, keepdim=True)")
            return self.let(f"({x}.float() - m) * torch.rsqrt(v + 1e-5)")
        if kind == "rms":
            return self.let(f"{x}.float() * torch.rsqrt({x}.float().pow(2).mean({tuple_}, keepdim=True) + 1e-6)")
        if kind == "max":
            return self.let(f"{x} - {x}.amax({tuple_}, keepdim=True)")
        if kind == "l2":
            return self.let(f"{x}.float() / ({x}.float().pow(2).sum({tuple_}, keepdim=True).sqrt() + 1e-6)")
        e = self.let(f"torch.exp({x}.float() - {x}.amax({tuple_}, keepdim=True))")
        return self.let(f"{e} * ({e} / {e}.sum({tuple_}, keepdim=True)).amax({tuple_}, keepdim=True)")

    def result(self, x, narrow=True):
        """Returns `x`, often in the element type of the inputs."""
        if narrow and self.dtype in ("bf16", "f16") and self.chance(0.85):
            x = self.let(f"{x}.to(torch.{'bfloat16' if self.dtype == 'bf16' else 'float16'})")
        self.results.append(x)

    # The classes.

    def draw(self):
        getattr(self, "draw_" + self.kind.replace("-", "_"))()

    def draw_few_rows(self):
        numel = self.elements(2)
        rows = self.pick(1, 2, 3, 4, 6, 8)
        rank = self.pick(2, 2, 3, 4)
        shape = [rows] + self.shape(max(1, numel // rows), rank - 1)
        dims = list(range(1, rank))
        if self.chance(0.2):  # Everything is one row.
            dims = list(range(rank))
        x = self.operand(shape)
        values = [x]
        if self.chance(0.3):
            values.append(self.operand(shape, "broadcast"))
        x = self.chain(values, 3)
        y = self.normalise(x, shape, dims)
        if self.chance(0.3):
            y = self.unary(y)
        self.result(y)
        if self.chance(0.2):
            self.result(self.reduce(x, dims, keep=False), narrow=False)

    def draw_permuted(self):
        operands = self.pick(2, 2, 3, 4)
        rank = self.pick(2, 2, 3, 3, 4, 5)
        shape = self.shape(self.elements(operands + 1), rank)
        orders = [self.pick("plain", "permuted") for _ in range(operands - 1)] + ["permuted"]
        x = self.chain([self.operand(shape, order) for order in orders], 4)
        how = self.rng.random()
        if how < 0.45:
            if self.chance(0.5):
                order = self.rng.sample(range(rank), rank)
                x = self.let(f"({x}).permute({commas(order)}).contiguous()")
            self.result(x)
        elif how < 0.75:
            dims = sorted(self.rng.sample(range(rank), self.rng.randrange(1, rank)))
            self.result(self.reduce(x, dims, keep=self.chance(0.5)), narrow=False)
        else:
            self.result(self.normalise(x, shape, [self.rng.randrange(rank)]))

    def draw_short_inner(self):
        inner = self.pick([self.length(2, 64)], [self.length(2, 64)], [14, 14], [7, 7], [49], [28], [self.pick(3, 7, 12, 20), self.pick(2, 3, 5, 16)])
        rank = len(inner) + self.pick(1, 2, 2)
        operands = self.pick(1, 2, 3)
        shape = self.shape(self.elements(operands + 1), rank, inner)
        x = self.chain([self.operand(shape)] + [self.operand(shape, self.pick("plain", "broadcast")) for _ in range(operands - 1)], 4)
        last = list(range(rank - len(inner), rank))
        how = self.rng.random()
        if how < 0.35:
            self.result(self.normalise(x, shape, last))
        elif how < 0.6:
            self.result(self.reduce(x, last if self.chance(0.6) else [self.rng.randrange(rank)], keep=False), narrow=False)
        elif how < 0.8:
            self.result(self.normalise(x, shape, [rank - len(inner) - 1]))
        else:
            self.result(x)

    def draw_strided(self):
        kind = self.pick("step", "stack", "rotary", "pairs", "bytes")
        if kind == "bytes":
            batch, height, width = self.shape(self.budget // 8, 3)
            x = self.add_input(f"rand('u8', {commas((batch, height, width, 3))})")
            self.lines.append(f"y = {x}.float() / 255")
            y = self.let("(y - 0.45) / 0.225")
            self.results.append(self.let(f"{y}.permute(0, 3, 1, 2).contiguous()" if self.chance(0.7) else y))
            return
        rank = self.pick(2, 3, 4)
        last = 2 * self.length(8, 2048)
        shape = self.shape(self.elements(2), rank, [last])
        half = shape[:-1] + [last // 2]
        x = self.operand(shape)
        if kind == "step":
            step = self.pick(2, 3, 4)
            x = self.operand(shape[:-1] + [last * step])
            d = self.let(f"{x}[..., {self.pick(0, 1)}::{step}]")
            self.result(self.chain([d, self.operand(shape, self.pick("plain", "broadcast"))], 3))
        elif kind == "stack":
            self.inputs.pop()
            a, b = self.operand(half), self.operand(half)
            u, v = self.unary(a), self.binary(a, b)
            self.result(self.let(f"torch.stack([{u}, {v}], -1)" + (".flatten(-2)" if self.chance(0.7) else "")))
        elif kind == "rotary":
            c, s = self.operand([1] * (rank - 1) + [last]), self.operand([1] * (rank - 1) + [last])
            r = self.let(f"torch.cat([-{x}[..., {last // 2}:], {x}[..., :{last // 2}]], -1)")
            self.result(self.let(f"{x} * {c} + {r} * {s}"))
        else:
            c, s = self.operand([1] * (rank - 1) + [last // 2]), self.operand([1] * (rank - 1) + [last // 2])
            self.lines.append(f"a, b = {x}[..., ::2].float(), {x}[..., 1::2].float()")
            self.result(self.let(f"torch.stack([a * {c} - b * {s}, a * {s} + b * {c}], -1).flatten(-2)"))

    def draw_stencil(self):
        taps = self.pick(2, 3, 4, 5, 7)
        kind = self.pick("shift", "shift", "depthwise", "pool", "difference")
        rank = 3
        shape = self.shape(self.elements(2), rank, [self.length(64, 4096)] if self.chance(0.6) else None)
        shape = [max(n, taps + 1) if d else n for d, n in enumerate(shape)]
        x = self.operand(shape)
        if kind == "shift":
            d = self.pick(1, 2)
            w = self.add_input(f"rand('{self.dtype}', {taps}, {shape[2] if d == 1 else 1})")
            pad = f"({taps - 1}, 0)" if d == 2 else f"(0, 0, {taps - 1}, 0)"
            self.lines.append(f"p = F.pad({x}, {pad})")
            where = "p[:, {0}:{0} + " + str(shape[1]) + "]" if d == 1 else "p[:, :, {0}:{0} + " + str(shape[2]) + "]"
            self.operations += 2 * taps
            y = self.let(" + ".join(f"{where.format(k)} * {w}[{k}]" for k in range(taps)))
            self.result(self.unary(y) if self.chance(0.6) else y)
        elif kind == "depthwise":
            w = self.add_input(f"rand('{self.dtype}', {shape[1]}, 1, {taps})")
            self.operations += 2 * taps
            y = self.let(f"F.conv1d({x}, {w}, padding={taps // 2}, groups={shape[1]})")
            self.result(self.unary(y) if self.chance(0.6) else y)
        elif kind == "pool":
            stride = self.pick(1, 2)
            y = self.unary(x)
            self.result(self.let(f"F.{self.pick('avg_pool1d', 'max_pool1d')}({y}, {taps}, {stride})"))
        else:
            y = self.unary(x)
            d = self.pick(1, 2)
            cut = "[:, 1:] - {0}[:, :-1]" if d == 1 else "[..., 1:] - {0}[..., :-1]"
            self.result(self.let(f"{y}{cut.format(y)}"))

    def draw_conversion(self):
        rows_of = self.length(128, 65536)
        shape = self.shape(self.elements(2), 2, [rows_of])
        rows = shape[0]
        kind = self.pick("cross-entropy", "mask", "statistics", "position", "quantise")
        if kind == "cross-entropy":
            x = self.operand(shape)
            t = self.add_input(f"index({rows_of}, {rows})")
            self.results.append(self.let(f"F.cross_entropy({x}.float(), {t}, reduction='{self.pick('none', 'mean')}')"))
            return
        x = self.operand(shape, dtype=self.pick(self.dtype, "bf16", "u8"))
        y = self.let(f"{x}.float()")
        if kind == "mask":
            m = self.operand(shape, self.pick("plain", "broadcast"), "bool")
            z = self.let(f"torch.where({m}, {y}, -30.0)")
            self.result(self.let(f"torch.softmax({z}, -1)"))
            self.groups = rows
        elif kind == "statistics":
            self.results.append(self.let(f"{y}.mean(-1)"))
            self.results.append(self.let(f"({y} * {y}).sum(-1)"))
            if self.chance(0.5):
                self.results.append(self.let(f"{y}.sum(0)"))
        elif kind == "position":
            self.lines.append(f"i = torch.arange({rows_of}, device={x}.device)")
            self.lines.append(f"j = torch.arange({rows}, device={x}.device)[:, None]")
            self.result(self.normalise(self.let(f"torch.where(i <= j + {rows_of // 2}, {y}, -30.0)"), shape, [1]))
        else:
            s = self.let(f"{y}.abs().amax(-1, keepdim=True) / 127 + 1e-6")
            self.results.append(self.let(f"torch.clamp(torch.round({y} / {s}), -127, 127).to(torch.int8)"))
            self.results.append(s)
            self.groups = rows

    def draw_rows_and_columns(self):
        columns = self.length(64, 8192)
        rank = self.pick(2, 2, 3)
        shape = self.shape(self.elements(3), rank, [columns])
        x, g = self.operand(shape), self.operand(shape)
        outer = f"({commas(range(rank - 1))},)"
        if self.chance(0.5):  # The gradient of a norm.
            w = self.operand([columns])
            m = self.operand(shape[:-1] + [1], dtype="f32")
            self.lines.append(f"h = {x}.float() * {m}")
            self.lines.append(f"d = {g}.float() * {w}.float()")
            y = self.let(f"(d - h * (d * h).mean(-1, keepdim=True)) * {m}")
            self.result(y)
            self.results.append(self.let(f"({g}.float() * h).sum({outer})"))
            if self.chance(0.5):
                self.results.append(self.let(f"{g}.float().sum({outer})"))
            self.groups = math.prod(shape[:-1])
            return
        y = self.chain([x, g], 3)
        self.results.append(self.let(f"{y}.float().sum(-1)"))
        self.results.append(self.let(f"{y}.float().{self.pick('sum', 'mean', 'amax')}({outer})"))
        if self.chance(0.5):
            self.result(y)

    def draw_odd_offset(self):
        last = self.pick(4093, 50257, 1021, 8191, 2053, 127, 509, self.length(100, 10000) | 1)
        operands = self.pick(1, 2, 3)
        rank = self.pick(2, 2, 3)
        shape = self.shape(self.elements(operands + 1), rank, [last])
        names = [self.operand(shape, self.pick("offset", "plain", "offset")) for _ in range(operands)]
        x = self.chain(names, 4)
        how = self.rng.random()
        if how < 0.5:
            self.result(x)
        elif how < 0.75:
            self.result(self.normalise(x, shape, [rank - 1]))
        else:
            self.result(self.reduce(x, [self.rng.randrange(rank)], keep=False), narrow=False)

    def draw_tail(self):
        rows = self.multiprocessors * self.pick(1, 1, 2, 3, 4) + self.pick(0, 1, 2, 3, 17)
        operands = self.pick(1, 2)
        columns = max(1, self.elements(operands + 1) // rows)
        if self.chance(0.5):
            columns = max(1, columns // 32 * 32)
        columns = max(1, int(columns * self.scale))
        shape = [rows, columns]
        x = self.chain([self.operand(shape) for _ in range(operands)], 4)
        how = self.rng.random()
        if how < 0.3:
            self.result(x)
        elif how < 0.7:
            self.result(self.normalise(x, shape, [1]))
        else:
            self.result(self.reduce(x, [self.pick(0, 1)], keep=False), narrow=False)

    def draw_mixed(self):
        operands = self.pick(1, 2, 3, 4)
        rank = self.pick(1, 2, 2, 3, 3, 4, 5)
        shape = self.shape(self.elements(operands + 1), rank)
        first = self.operand(shape, self.pick("plain", "plain", "permuted", "sliced", "offset"))
        x = self.chain([first] + [self.any_operand(shape) for _ in range(operands - 1)], 8)
        kind = self.pick("pointwise", "reduce", "normalise", "meet", "scan", "cat", "pad", "gather", "several")
        d = self.rng.randrange(rank)
        dims = sorted(self.rng.sample(range(rank), self.rng.randrange(1, rank + 1)))
        if kind == "pointwise":
            self.result(x)
        elif kind == "reduce":
            self.result(self.reduce(x, dims, keep=False), narrow=False)
        elif kind == "normalise":
            self.result(self.normalise(x, shape, dims))
        elif kind == "meet":
            r = self.reduce(x, dims)
            self.groups = max(1, math.prod(n for i, n in enumerate(shape) if i not in dims))
            self.result(self.binary(self.let(f"{x}.float()"), self.unary(r)))
        elif kind == "scan":
            self.result(self.let(f"torch.cumsum({x}.float(), {d})"))
        elif kind == "cat":
            other = list(shape)
            other[d] = max(1, other[d] // 2)
            self.result(self.let(f"torch.cat([{x}, {self.unary(self.operand(other))}], {d})"))
        elif kind == "pad":
            before = [0, 0] * (rank - 1 - d) + [self.pick(0, 1, 2), self.pick(1, 3)]
            self.result(self.let(f"F.pad({x}, ({commas(before)}))"))
        elif kind == "gather":
            i = self.add_input(f"index({shape[d]}, {max(1, shape[d] // 2)})")
            self.result(self.unary(self.let(f"torch.index_select({x}, {d}, {i})")))
        else:
            self.result(x)
            self.result(self.unary(x))
            self.result(self.reduce(x, dims, keep=False), narrow=False)


def commas(values):
    return ", ".join(str(v) for v in values)


def draw(seed, index, low, high, kind=None, multiprocessors=132, scale=1):
    """Program `index` of a seed: its tensors have `low` to `high` bytes in all, log-uniformly, and its class follows
    from the index unless `kind` gives one. With `scale` its largest dimension is so many times as long, and
    everything else is the same."""
    kind = kind or CLASSES[index % len(CLASSES)]
    budget = math.exp(random.Random(f"{seed}/{index}/bytes").uniform(math.log(low), math.log(high)))
    drawer = Drawer(seed, index, kind, int(budget), multiprocessors, scale)
    drawer.draw()
    return Program(f"{kind}/{seed}/{index}", kind, drawer.inputs, drawer.lines, drawer.results, drawer.groups, drawer.operations)
