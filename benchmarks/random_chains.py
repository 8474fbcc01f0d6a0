# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of several kernels: what `random_kernels.py --programs=chains` measures.

`draw(seed, index, low, high)` gives a `Program` as `random_programs.py` does. A program grows by one operator at a
time, each of values that were computed before, recent ones more often; what nothing reads is a result. The classes
have equal weights, and neither classes nor weights may change together with a decision of the compiler.

| class | what it holds |
|---|---|
| `chain` | 5 to 20 operators, one result or two |
| `long` | 20 to 60 operators, up to four results |
| `wide` | 8 to 30 operators whose operands are drawn from all values, and 3 to 6 results |
| `gradients` | a chain of 5 to 16 operators, its results and the gradients of all floating-point inputs |
| `contractions` | 6 to 20 operators, one to three matrix multiplications among them |
| `blocks` | 2 to 5 blocks of layers: norms, gates, softmax, rotations, residuals, quantisation |

Operators keep values of the order of one, and are continuous but for conversions, so that results can be compared
after sixty of them. The bound of a program counts its inputs and results alone.
"""
import dataclasses
import math
import random
import re

import torch
from torch._decomp import core_aten_decompositions
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx

import random_programs
from random_programs import BYTES, Drawer, Maker, Program, commas

CLASSES = ("chain", "long", "wide", "gradients", "contractions", "blocks")
FLOATS = ("bf16", "f16", "f32", "f64")
NAMES = {dtype: name for name, dtype in random_programs.TYPES.items()}
# What a program in double precision leaves out.
CONVERSION = re.compile(r"\.float\(\)|\.to\(torch\.(bfloat16|float16|float32)\)")
# Shares of intermediate tensors beside the inputs that the budget has to hold.
SHARE = 2


@dataclasses.dataclass
class Value:
    name: str
    shape: list
    dtype: str


class Chain(Program):
    """A program of several kernels."""

    # Elements that a comparison may decide either way: operands of `max` or `relu` that a rounding of bf16 makes equal.
    decided = 2**-8
    # Values are of the order of one: errors of smaller ones are compared with this. What one rounding that differs
    # becomes in a chain is chance, so that errors may be several times those of eager mode.
    floor = 1e-2
    factor = 4

    def source(self, wide=False):
        text = super().source()
        return CONVERSION.sub(".double()", text) if wide else text


class Gradients(Chain):
    """A program that returns the gradients of its inputs, too; `results` are those of the function itself."""

    def source(self, wide=False):
        names = [f"x{i}" for i in range(len(self.inputs))]
        floats = [n for n, text in zip(names, self.inputs) if text.startswith("rand(") and text.split("'")[1] in FLOATS]
        text = "".join(f"        {line}\n" for line in self.lines)
        if wide:
            text = CONVERSION.sub(".double()", text)
        return (
            f"def f({', '.join(names)}):\n    def g({', '.join(floats)}):\n{text}        return {', '.join(self.results)},\n"
            f"    r, pull = torch.func.vjp(g, {', '.join(floats)})\n"
            "    return (*r, *pull(tuple(torch.ones_like(t) for t in r)))\n"
        )

    def traced(self, inputs):
        """The function as a graph of core ATen operators: torch.export does not trace gradients."""
        fake = any(isinstance(t, FakeTensor) for t in inputs)
        return make_fx(self.function(), core_aten_decompositions(), "real" if fake else "fake")(*inputs)


class Meta(Maker):
    """Makes tensors without data."""

    def rand(self, dtype, *sizes):
        return torch.empty(sizes, device="meta", dtype=random_programs.TYPES[dtype])

    def index(self, high, *sizes):
        return torch.empty(sizes, device="meta", dtype=torch.int64)


class ChainDrawer(Drawer):
    """Draws one program of several kernels."""

    def __init__(self, seed, index, kind, budget, multiprocessors, scale):
        super().__init__(seed, index, kind, budget, multiprocessors, scale)
        self.values = []
        # Tensors without data: what shapes and element types are found with.
        maker = Meta("cpu", 0)
        self.scope = {"torch": torch, "F": torch.nn.functional, "rand": maker.rand, "index": maker.index}
        self.dtype = self.rng.choices(FLOATS, (50, 10, 38, 2))[0]
        rank = self.pick(2, 2, 3, 3, 4)
        inner = [self.length(64, 4096)] if self.chance(0.7) else [self.length(16, 256)]
        if kind == "contractions":
            inner = [self.pick(64, 128, 256, 384, 512, 768, 1024, 1000, 1536, 2048)]
        self.base = self.shape(self.elements(SHARE), rank, inner)

    # Values.

    def add_input(self, text):
        name = super().add_input(text)
        self.scope[name] = eval(text, dict(self.scope))
        return name

    def say(self, line):
        """Adds a statement, and executes it without data."""
        exec(line, self.scope)
        self.lines.append(line)

    def let(self, text):
        name = f"t{self.temporaries}"
        self.temporaries += 1
        self.say(f"{name} = {text}")
        return name

    def known(self, name):
        tensor = self.scope[name]
        value = Value(name, list(tensor.shape), NAMES[tensor.dtype])
        self.values.append(value)
        return value

    def new(self, text):
        return self.known(self.let(text))

    def input(self, shape, layout="plain", dtype=None):
        return self.known(self.operand(list(shape), layout, dtype or self.dtype))

    def value(self, want=lambda v: True):
        """A floating-point value, recent ones more often but for the class `wide`."""
        fit = [v for v in self.values if v.dtype in FLOATS and want(v)]
        if not fit:
            return None
        back = 0 if self.kind != "wide" and self.chance(0.7) else self.rng.randrange(len(fit))
        return fit[len(fit) - 1 - back]

    def partner(self, v):
        """A value that broadcasts with `v`: one that is there, or a new input."""
        n = len(v.shape)
        fits = lambda w: w is not v and len(w.shape) <= n and all(a in (1, b) for a, b in zip(w.shape[::-1], v.shape[::-1]))
        there = [w for w in self.values if w.dtype in FLOATS and fits(w)]
        if there and self.chance(0.75):
            return self.rng.choice(there[-6:] if self.kind != "wide" else there)
        how = self.rng.random()
        if how < 0.35:
            return self.input(v.shape[-1:])
        if how < 0.5:
            return self.input([m if self.chance(0.5) else 1 for m in v.shape])
        return self.input(v.shape, self.rng.choices(("plain", "permuted", "sliced"), (80, 12, 8))[0])

    # Operators. Some add nothing where no value fits.

    def step_unary(self):
        v = self.value()
        x = v.name
        text = self.pick(
            f"torch.relu({x})", f"torch.sigmoid({x})", f"torch.tanh({x})", f"-{x}", f"torch.exp(-torch.abs({x}))",
            f"torch.sqrt(torch.abs({x}) + 1)", f"torch.rsqrt({x} * {x} + 1)", f"F.silu({x})", f"F.gelu({x})",
            f"F.gelu({x}, approximate='tanh')", f"torch.sin({x})", f"{x} * 0.5", f"{x} + 0.25", f"torch.clamp({x}, -2, 2)",
            f"F.softplus({x})", f"F.leaky_relu({x}, 0.1)", f"F.elu({x})", f"1.0 / (1.0 + {x} * {x})", f"F.hardswish({x})",
            f"torch.log1p(torch.abs({x}))", f"torch.erf({x})", f"F.mish({x})", f"{x}.masked_fill({x} < -1.0, -1.0)",
        )
        self.new(text)

    def step_binary(self):
        v = self.value()
        w = self.partner(v)
        x, y = v.name, w.name
        text = self.pick(
            f"({x} + {y}) * 0.7", f"({x} - {y}) * 0.7", f"{x} * torch.sigmoid({y})", f"{x} * torch.tanh({y})",
            f"torch.maximum({x}, {y})", f"torch.minimum({x}, {y})", f"{x} / (torch.abs({y}) + 1)",
            f"torch.lerp({x}, {y}.to({x}.dtype), 0.3)", f"torch.hypot({x}, {y}.to({x}.dtype) + 0.5)", f"torch.addcmul({x}, {x}, {y}.to({x}.dtype), value=0.1)",
        )
        self.new(text)

    def wide(self, v):
        """The text of a value in f32 at least."""
        return f"{v.name}.float()" if v.dtype in ("bf16", "f16") else v.name

    def step_reduce(self):
        v = self.value(lambda v: math.prod(v.shape) >= 4)
        if not v:
            return
        rank = len(v.shape)
        how = self.rng.random()
        if how < 0.55:
            dims = [rank - 1]
        elif how < 0.75:
            dims = list(range(rank - 1)) or [0]
        else:
            dims = sorted(self.rng.sample(range(rank), self.rng.randrange(1, rank + 1)))
        x = self.wide(v)
        over = f"({commas(dims)},), keepdim=True"
        text = self.pick(f"{x}.mean({over})", f"{x}.mean({over})", f"{x}.amax({over})", f"torch.logsumexp({x}, {over}) * 0.1",
                         f"torch.sqrt({x}.pow(2).mean({over}) + 1e-6)", f"torch.var({x}, {over[:-len(', keepdim=True')]}, correction=0, keepdim=True)")
        self.new(text)

    def step_normalise(self):
        v = self.value(lambda v: v.shape and v.shape[-1] > 1)
        if not v:
            return
        x = self.wide(v)
        n = v.shape[-1]
        kind = self.pick("softmax", "log", "layer", "weighted", "rms", "l2", "group")
        if kind == "softmax":
            text = f"torch.softmax({v.name}, -1)"
        elif kind == "log":
            text = f"torch.log_softmax({x}, -1) * 0.1"
        elif kind == "layer":
            text = f"F.layer_norm({v.name}, ({n},))"
        elif kind == "weighted":
            w, b = self.input([n], dtype=v.dtype), self.input([n], dtype=v.dtype)
            text = f"F.layer_norm({v.name}, ({n},), {w.name}, {b.name})"
        elif kind == "rms":
            text = f"{x} * torch.rsqrt({x}.pow(2).mean(-1, keepdim=True) + 1e-6)"
        elif kind == "l2":
            text = f"F.normalize({v.name}, dim=-1)"
        else:
            groups = next((g for g in (8, 4, 2) if n % g == 0), None)
            if not groups:
                return
            y = self.let(f"{x}.unflatten(-1, ({groups}, {n // groups}))")
            text = f"({y} - {y}.mean(-1, keepdim=True)).flatten(-2)"
        self.new(text)

    def step_move(self):
        v = self.value()
        rank = len(v.shape)
        kind = self.pick("permute", "transpose", "reshape", "flip", "roll", "slice", "cat", "pad", "stack", "gather", "shift", "repeat")
        d = self.rng.randrange(rank)
        x, n = v.name, v.shape[d]
        if kind in ("permute", "transpose") and rank > 1:
            order = self.rng.sample(range(rank), rank)
            if kind == "transpose":
                order = list(range(rank))
                order[-1], order[-2] = order[-2], order[-1]
            text = f"{x}.permute({commas(order)})" + (".contiguous()" if self.chance(0.4) else "")
            self.new(text)
        elif kind == "reshape" and rank > 1:
            d = min(d, rank - 2)
            self.new(f"{x}.flatten({d}, {d + 1})")
        elif kind == "flip":
            self.new(f"{x}.flip({d})")
        elif kind == "roll":
            self.new(f"torch.roll({x}, 1, {d})")
        elif kind == "slice" and n >= 8:
            halves = self.chance(0.6) and n % 2 == 0
            if halves:
                self.say(f"{x}_a, {x}_b = {x}.chunk(2, {d})")
                self.new(f"{x}_a * torch.sigmoid({x}_b)")
            else:
                self.new(f"{x}.narrow({d}, 1, {n - 2})")
        elif kind == "cat" and math.prod(v.shape) * BYTES[v.dtype] * 2 <= self.budget:
            w = self.value(lambda w: len(w.shape) == rank and w.dtype == v.dtype and w.shape[:d] + w.shape[d + 1:] == v.shape[:d] + v.shape[d + 1:])
            self.new(f"torch.cat([{x}, {w.name}], {d})")
        elif kind == "pad" and n > 1:
            before = [0, 0] * (rank - 1 - d) + [1, 2]
            self.new(f"F.pad({x}, ({commas(before)}))")
        elif kind == "stack" and math.prod(v.shape) * BYTES[v.dtype] * 2 <= self.budget:
            self.new(f"torch.stack([{x}, -{x}], -1).flatten(-2)")
        elif kind == "gather" and n > 1:
            i = self.add_input(f"index({n}, {n})")
            self.new(f"torch.index_select({x}, {d}, {i})")
        elif kind == "shift" and n > 2:
            self.new(f"({x}.narrow({d}, 1, {n - 1}) - {x}.narrow({d}, 0, {n - 1})) * 0.7")
        elif kind == "repeat" and n == 1:
            self.new(f"{x}.expand({commas(v.shape[:d] + [3] + v.shape[d + 1:])})")

    def step_scan(self):
        v = self.value(lambda v: v.shape[-1] > 1)
        if v:
            x = self.wide(v)
            self.new(f"torch.cumsum({x}, {self.rng.randrange(len(v.shape))}) * 0.01")

    def step_convert(self):
        v = self.value()
        to = self.pick(*(t for t in ("bf16", "f32") if t != v.dtype))
        self.new(f"{v.name}.to(torch.{'bfloat16' if to == 'bf16' else 'float32'})")

    def step_mask(self):
        v = self.value(lambda v: len(v.shape) > 1)
        if not v:
            return
        kind = self.pick("causal", "given", "rows")
        if kind == "causal" and v.shape[-1] * v.shape[-2] <= 1 << 26:
            m = self.let(f"torch.ones({v.shape[-2]}, {v.shape[-1]}, dtype=torch.bool, device={v.name}.device).tril()")
        else:
            m = self.operand(v.shape if kind == "given" else v.shape[:-1] + [1], "plain", "bool")
        self.new(f"torch.where({m}, {v.name}, {self.pick('0.0', '-2.0')})")

    def step_matmul(self):
        v = self.value(lambda v: len(v.shape) > 1 and 16 <= v.shape[-1] <= 8192 and v.dtype != "f64")
        if not v:
            return
        k, n = v.shape[-1], self.pick(64, 128, 256, 512, 768, 1024, 1000, v.shape[-1])
        if math.prod(v.shape[:-1]) * n * BYTES[v.dtype] > self.budget:
            n = 64
        w = self.input([k, n], dtype=v.dtype)
        self.new(f"({v.name} @ {w.name}) * {k ** -0.5}")

    def step(self):
        kind = self.rng.choices(("unary", "binary", "reduce", "normalise", "move", "scan", "convert", "mask"), (30, 30, 9, 8, 14, 1, 4, 4))[0]
        getattr(self, "step_" + kind)()

    # Blocks of layers.

    def block_gate(self):
        v = self.value(lambda v: v.shape[-1] % 2 == 0 and v.shape[-1] > 1)
        if v:
            self.say(f"{v.name}_a, {v.name}_b = {v.name}.chunk(2, -1)")
            g = self.pick("F.silu", "F.gelu", "torch.sigmoid")
            self.new(f"torch.cat([{g}({v.name}_a) * {v.name}_b, {v.name}_b], -1)")

    def block_residual(self):
        v = self.value()
        r = self.input(v.shape, dtype=v.dtype)
        s = self.new(f"{v.name} + {r.name}")
        n = v.shape[-1]
        w = self.input([n], dtype=v.dtype)
        if n > 1:
            if self.chance(0.5):
                self.new(f"F.layer_norm({s.name}, ({n},), {w.name})")
            else:
                x = self.wide(s)
                y = self.let(f"{x} * torch.rsqrt({x}.pow(2).mean(-1, keepdim=True) + 1e-6)")
                self.new(f"{y}.to({s.name}.dtype) * {w.name}")

    def block_rotate(self):
        v = self.value(lambda v: v.shape[-1] % 2 == 0 and v.shape[-1] > 1 and len(v.shape) > 1)
        if v:
            n = v.shape[-1]
            c, s = (self.input(v.shape[-2:], dtype=v.dtype) for _ in range(2))
            r = self.let(f"torch.cat([-{v.name}[..., {n // 2}:], {v.name}[..., :{n // 2}]], -1)")
            self.new(f"({v.name} * {c.name} + {r} * {s.name}) * 0.5")

    def block_softmax(self):
        v = self.value(lambda v: len(v.shape) > 1 and v.shape[-1] > 1)
        if v:
            m = self.operand([1] * (len(v.shape) - 1) + v.shape[-1:], "plain", "bool")
            x = self.wide(v)
            y = self.let(f"torch.softmax(({x} * 0.25).masked_fill({m}, -30.0), -1)")
            self.new(f"{y}.to({v.name}.dtype)")

    def block_quantise(self):
        v = self.value(lambda v: v.shape[-1] > 1)
        if v:
            x = self.wide(v)
            s = self.let(f"{x}.abs().amax(-1, keepdim=True) / 127 + 1e-6")
            # Scaled and clamped, not rounded, which is not continuous.
            self.new(f"torch.clamp({x} / {s}, -100, 100) * {s}")

    def block_heads(self):
        v = self.value(lambda v: len(v.shape) >= 2 and any(v.shape[-1] % h == 0 and v.shape[-1] > h for h in (8, 4, 2)))
        if v:
            h = next(h for h in (8, 4, 2) if v.shape[-1] % h == 0 and v.shape[-1] > h)
            y = self.let(f"{v.name}.unflatten(-1, ({h}, {v.shape[-1] // h})).transpose(-2, -3).contiguous()")
            y = self.let(f"{y} * torch.rsqrt({y}.pow(2).mean(-1, keepdim=True) + 1e-3)")
            self.new(f"{y}.transpose(-2, -3).flatten(-2)")

    # The classes.

    def draw(self):
        self.input(self.base)
        if self.chance(0.4):
            self.input(self.base, self.pick("plain", "permuted"))
        count = {"chain": (5, 20), "long": (20, 60), "wide": (8, 30), "gradients": (5, 16), "contractions": (6, 20), "blocks": (2, 5)}[self.kind]
        count = self.rng.randint(*count)
        if self.kind == "blocks":
            for _ in range(count):
                getattr(self, "block_" + self.pick("gate", "residual", "rotate", "softmax", "quantise", "heads"))()
                for _ in range(self.rng.randrange(3)):
                    self.step()
        elif self.kind == "contractions":
            products = set(self.rng.sample(range(count), self.rng.randint(1, 3)))
            for i in range(count):
                self.step_matmul() if i in products else self.step()
        else:
            for _ in range(count):
                self.step()
        if not self.lines:
            self.step_unary()
        most = {"chain": 2, "long": 4, "wide": 6, "gradients": 2, "contractions": 2, "blocks": 3}[self.kind]
        text = "\n".join(line.split(" = ", 1)[1] for line in self.lines)
        loose = [v for v in self.values if v.name.startswith("t") and not re.search(rf"\b{v.name}\b", text)]
        self.results = [v.name for v in loose[-most:]]
        # What is left over is added up, so that nothing is dead: a sum of each in f32.
        if len(loose) > most:
            self.results.append(self.let(" + ".join(f"{v.name}.float().mean()" for v in loose[:-most])))


def draw(seed, index, low, high, kind=None, multiprocessors=132, scale=1):
    """Program `index` of a seed: its base tensors have `low` to `high` bytes in all, log-uniformly, and its class follows
    from the index unless `kind` gives one."""
    kind = kind or CLASSES[index % len(CLASSES)]
    budget = math.exp(random.Random(f"{seed}/{index}/bytes").uniform(math.log(low), math.log(high)))
    drawer = ChainDrawer(seed, index, kind, int(budget), multiprocessors, scale)
    drawer.draw()
    make = Gradients if kind == "gradients" else Chain
    return make(f"{kind}/{seed}/{index}", kind, drawer.inputs, drawer.lines, drawer.results, 0, 1)
