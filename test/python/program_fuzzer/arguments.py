#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Arguments of calls, drawn by the types and names of schemas.

Nothing here knows what an operator does: what eager mode refuses is drawn again. Names of arguments
narrow the choice (`dim` is a dimension of the first tensor, `index` holds positions).
"""

import math
import re

import torch

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
COMPLEX = [torch.complex64, torch.complex128]
DTYPES = [torch.float32] * 8 + FLOATS * 2 + INTS * 2 + [torch.bool] * 2 + COMPLEX
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 5, 7, 8, 11, 13, 17]
STRINGS = {
    "reduce": ["sum", "prod", "mean", "amax", "amin", "add", "multiply"], "rounding_mode": ["floor", "trunc"],
    "ord": ["fro", "nuc"], "indexing": ["ij", "xy"], "side": ["left", "right"], "approximate": ["none", "tanh"],
    "mode": ["constant", "reflect", "replicate", "circular", "reduced", "complete", "r"], "UPLO": ["L", "U"],
    "padding_mode": ["constant", "reflect"], "norm": ["forward", "backward", "ortho"],
    "driver": ["gelsd"], "equation": ["ij,jk->ik", "ij->ji", "...i,...i->...", "ii->i", "bij,bjk->bik", "i,j->ij"],
    "padding": ["same", "valid"], "interpolation": ["linear", "lower", "higher", "midpoint", "nearest"],
}
DIMS = re.compile(r"^(dim|dims|axis|axes|dim0|dim1|dim2|axis0|axis1|start_dim|end_dim|source|destination|dims_self|dims_other|"
                  r"batch_dim|feature_dim|tensor_dim)$")
INDEX = re.compile(r"^(index|indices)$")
# Operators that write to positions: which value wins is not defined where one occurs twice.
WRITERS = re.compile(r"scatter|index_copy|index_put|index_fill|^put|index_reduce|masked_scatter")


def show(value):
    """A Python value as text that evaluates to it."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, complex):
        return f"complex({show(value.real)}, {show(value.imag)})"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(show, value)) + ("," if isinstance(value, tuple) and len(value) == 1 else "")
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, torch.device):
        return "DEVICE"
    if value is None or isinstance(value, (bool, int, float, str, slice, torch.dtype, torch.memory_format, torch.layout)) \
            or value is Ellipsis:
        return repr(value) if value is not Ellipsis else "..."
    raise ValueError(f"no text for {type(value)}")


class Arguments:
    """Draws for one call: `new` inputs and `before` statements are what it needs beside live values."""

    def __init__(self, program, rng):
        self.program, self.rng = program, rng
        self.new, self.before, self.first, self.used = [], [], None, []

    # Tensors.

    def input(self, shape, dtype, kind=None):
        kind = kind or ("special" if self.rng.random() < self.program.specials else
                        self.rng.choice(["normal", "normal", "unit"]))
        more = "" if kind == "normal" else f", {kind!r}"
        return self.make(f"data({show(tuple(shape))}, {dtype}, {self.rng.randrange(1000)}{more}, device=DEVICE)")

    def make(self, expression):
        name = self.program.fresh("x")
        self.new.append((name, self.lay_out(expression)))
        return name

    def lay_out(self, expression):
        """The same values in another layout, sometimes."""
        match = re.match(r"data\(\(([\d, ]*)\), ", expression)
        shape = [int(s) for s in match.group(1).split(",") if s.strip()] if match else []
        what = self.rng.random()
        if len(shape) < 1 or what < 0.7:
            return expression
        replaced = lambda sizes: expression.replace(match.group(0), f"data({show(tuple(sizes))}, ", 1)
        if what < 0.82 and len(shape) > 1:
            order = list(range(len(shape)))
            self.rng.shuffle(order)
            return replaced([shape[d] for d in order]) + f".permute({show([order.index(d) for d in range(len(shape))])})"
        dim = self.rng.randrange(len(shape))
        wide = list(shape)
        if what < 0.9:
            wide[dim] = shape[dim] * 2
            return replaced(wide) + "[" + ":, " * dim + ("::2]" if self.rng.random() < 0.5 else "1::2]")
        wide[dim] += 3
        return replaced(wide) + f".narrow({dim}, {self.rng.randrange(4)}, {shape[dim]})"

    def shape(self):
        rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        shape = [self.rng.choice(SIZES) for _ in range(rank)]
        while math.prod(shape) > 2000:
            shape[shape.index(max(shape))] = 1
        return shape

    def live(self, accept=lambda t: True):
        """The name of a live value; None if there is none. Such with useful numbers are preferred."""
        names = [n for n in self.program.live if accept(self.program.values[n])]
        if not names:
            return None
        useful = [n for n in names if self.program.is_useful(n)]
        if useful and self.rng.random() < 0.8:
            names = useful
        # Later values more often, so that programs are deep.
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))]

    def value(self, name):
        if name in self.program.values:
            return self.program.values[name]
        expression = dict(self.new).get(name)
        return self.program.evaluate(expression) if expression else None

    def tensor(self, argument, operator):
        rng, name = self.rng, argument.name
        if self.first is None:
            found = self.live() if rng.random() < 0.9 or argument in operator.written else None
            self.first = found or self.input(self.shape(), rng.choice(DTYPES))
            return self.first
        x = self.value(self.first)
        if INDEX.match(name) and not (operator.name.startswith(("index", "unravel")) and rng.random() < 0.1):
            return self.index(x, WRITERS.search(operator.name) is not None)
        if name in ("mask", "condition", "where"):
            found = self.live(lambda t: t.dtype == torch.bool and t.shape == x.shape)
            return found if found and rng.random() < 0.7 else self.input(x.shape, torch.bool, "normal")
        what = rng.random()
        if what < 0.4:
            found = self.live(lambda t: t.shape == x.shape and (t.dtype == x.dtype or rng.random() < 0.3))
        elif what < 0.55:
            found = self.live(lambda t: broadcasts(t, x))
        elif what < 0.65:
            found = self.live()
        elif what < 0.8:
            found = self.fit(x.shape, x.dtype)
        else:
            found = None
        if found:
            return found
        shape = [s if rng.random() < 0.8 else 1 for s in x.shape]
        if rng.random() < 0.3:
            shape = shape[rng.randrange(len(shape) + 1):]
        if rng.random() < 0.15:
            shape = []
        return self.input(shape, x.dtype if rng.random() < 0.7 else rng.choice(DTYPES))

    def index(self, x, distinct):
        rng = self.rng
        dim = getattr(self, "dim", None)
        rank = x.dim()
        dim = dim % rank if isinstance(dim, int) and rank else 0
        size = x.shape[dim] if rank else 1
        if rng.random() < 0.5:
            shape = [min(size, rng.choice([1, 2, 3, size]))]
        else:
            shape = [rng.randint(0 if rng.random() < 0.1 else min(1, s), s) for s in x.shape]
        dtype = torch.int64 if rng.random() < 0.9 else torch.int32
        more = ", True" if distinct else ""
        more += ", dtype=torch.int32" if dtype == torch.int32 else ""
        return self.make(f"positions({show(tuple(shape))}, {size}, {rng.randrange(1000)}{more}, device=DEVICE)")

    def fit(self, shape, dtype, kind=None):
        """A live value, brought to a shape and element type by statements in front; None if there is none."""
        count = math.prod(shape)
        same = lambda t: t.dtype == dtype
        wide = lambda t: t.numel() and t.dtype.is_complex == dtype.is_complex and (
            t.dtype == dtype or dtype.is_floating_point or dtype.is_complex)
        found = self.live(lambda t: same(t) and list(t.shape) == list(shape))
        if found:
            return found
        found = self.live(lambda t: same(t) and t.numel() >= max(count, 1)) or self.live(wide)
        if not found:
            return None
        x = self.program.values[found]
        text = found if list(x.shape) == list(shape) else f"{found}.reshape([-1])"
        if x.numel() < count:
            text += f".repeat([{-(-count // x.numel())}])"
            if count % x.numel():
                text += f"[:{count}]"
        elif x.numel() > count:
            text += f"[:{count}]"
        if list(x.shape) != list(shape):
            text += f".reshape({show(list(shape))})"
        if x.dtype != dtype:
            text += f".to({dtype})"
        name = self.program.fresh("v")
        self.before.append(f"{name} = {text}")
        return name

    # Others.

    def dims(self, rank):
        order = list(range(-rank, 0) if self.rng.random() < 0.3 else range(rank))
        self.rng.shuffle(order)
        return order

    def number(self, name):
        rng = self.rng
        if rng.random() < 0.08 and self.program.specials and name != "correction":
            return rng.choice([math.nan, math.inf, -math.inf, 127, 255, 2**31 - 1, -2**31, 2**63 - 1, -2**63, 1e38, -0.0])
        if self.first is not None and self.value(self.first).dtype.is_complex and rng.random() < 0.3:
            return complex(rng.choice([0, 1, -1.5]), rng.choice([0, 2, 0.5]))
        return rng.choice([0, 1, 2, -1, 3, 5, 0.5, -1.5, 2.5, 0.1, 1.0, 2.0])

    def integer(self, name, operator):
        rng = self.rng
        x = self.value(self.first) if self.first else None
        rank = x.dim() if x is not None else 2
        size = x.shape[self.dim % rank] if x is not None and rank and isinstance(getattr(self, "dim", None), int) \
            and -rank <= self.dim < rank else (max(x.shape) if rank and x is not None else 3)
        if DIMS.match(name):
            extra = 1 if operator.name.startswith(("unsqueeze", "stack")) else 0
            self.dim = rng.randrange(-rank - extra, rank + extra) if rank + extra else rng.choice([0, -1])
            return self.dim
        ranges = {"k": (0, size), "index": (-size, size - 1), "start": (-size, size), "end": (-size, size + 2),
                  "length": (0, size), "step": (1, 3), "diagonal": (-3, 3), "offset": (-3, 3), "chunks": (1, 4),
                  "sections": (1, 4), "groups": (1, 3), "bins": (1, 9), "num_classes": (-1, 12), "n": (0, 6), "m": (1, 6),
                  "correction": (0, 2), "upscale_factor": (1, 3), "downscale_factor": (1, 3), "split_size": (1, max(size, 1)),
                  "size": (1, max(size, 1)), "num_groups": (1, 3), "minlength": (0, 12), "repeats": (0, 3),
                  "steps": (1, 9), "N": (0, 5), "storage_offset": (0, 3), "n_fft": (2, 8), "right": (0, 1), "reduction": (0, 2),
                  "normalization": (0, 2)}
        if name in ranges:
            low, high = ranges[name]
            return rng.randint(min(low, high), high)
        return rng.choice([0, 1, 1, 2, 2, 3, 5, -1])

    def integers(self, name, operator):
        rng = self.rng
        x = self.value(self.first) if self.first else None
        shape = list(x.shape) if x is not None else [2, 3]
        rank = len(shape)
        spatial = re.search(r"([123])d", operator.name)
        n = int(spatial.group(1)) if spatial else rng.choice([1, 2, max(rank, 1)])
        if DIMS.match(name):
            order = self.dims(rank)
            return order if rng.random() < 0.5 or "permute" in operator.name else order[:rng.randrange(rank + 1)]
        if name in ("size", "shape", "sizes"):
            if operator.name.startswith("as_strided"):
                return [rng.choice([0, 1, 2, 2, 3]) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
            return self.sizes(x) if x is not None else self.shape()
        if name == "stride" and operator.name.startswith("as_strided"):
            return [rng.choice([0, 1, 1, 2, 3, 4]) for _ in range(rng.choice([1, 2, 2, 3]))]
        if name == "normalized_shape":
            return shape[rng.randrange(rank):] if rank else []
        if name in ("split_sizes", "split_size"):
            left, parts = shape[0] if rank else 0, []
            while left > 0:
                parts.append(rng.randint(0 if rng.random() < 0.2 else 1, left))
                left -= parts[-1]
            return parts
        if name in ("pad", "padding") and ("pad" in operator.name):
            return [rng.choice([0, 1, 1, 2, -1]) for _ in range(2 * (n if spatial else rng.randint(1, max(rank, 1))))]
        if name in ("repeats", "dims") and "repeat" in operator.name or operator.name == "tile":
            return [rng.choice([0, 1, 1, 2, 3]) for _ in range(rank + rng.choice([0, 0, 1]))]
        if name == "shifts":
            return [rng.randint(-5, 5) for _ in range(rng.choice([1, max(rank, 1)]))]
        ranges = {"kernel_size": (1, 3), "stride": (1, 3), "dilation": (1, 2), "padding": (0, 1), "output_size": (1, 5),
                  "indices": (0, 5), "output_padding": (0, 1), "low": (0, 2), "high": (3, 5), "s": (1, 7)}
        low, high = ranges.get(name, (0, 3))
        return [rng.randint(low, high) for _ in range(n)]

    def sizes(self, x):
        """Sizes for as many elements, or an expansion."""
        rng, shape = self.rng, list(x.shape)
        kind = rng.random()
        if kind < 0.2:
            return [rng.choice([2, 3]) if s == 1 else s for s in shape]
        if kind < 0.35:
            return [rng.choice([1, 2, 3])] + shape
        if kind < 0.5 or not shape:
            return [-1]
        d = rng.randrange(len(shape))
        if kind < 0.65:
            return shape[:d] + [1] + shape[d:]
        if kind < 0.75:
            return shape[::-1]
        for factor in (2, 3, 5, 7):
            if shape[d] and shape[d] % factor == 0:
                return shape[:d] + [factor, shape[d] // factor] + shape[d + 1:]
        if len(shape) > 1:
            d = rng.randrange(len(shape) - 1)
            return shape[:d] + [shape[d] * shape[d + 1]] + shape[d + 2:]
        return shape

    def draw(self, argument, operator):
        """The text of an argument; None where its default is left."""
        rng, kind, name = self.rng, str(argument.type), argument.name
        if kind.startswith("Optional["):
            kind = kind[len("Optional["):-1]
            if name in ("layout", "generator", "pin_memory", "out_dtype") or kind == "Generator":
                return None
            if kind == "Device":
                return "DEVICE" if self.first is None else None
            if rng.random() < 0.5:
                return None if argument.has_default_value() else "None"
        elif argument.has_default_value() and rng.random() < 0.5:
            return None
        if kind == "Tensor":
            return self.tensor(argument, operator)
        if kind in ("List[Tensor]", "List[Optional[Tensor]]") and INDEX.match(name):
            return self.index_list(operator)
        if kind == "List[Tensor]":
            count = rng.choice([1, 2, 2, 3])
            names = [self.tensor(argument, operator) for _ in range(count)]
            return "[" + ", ".join(names) + "]"
        if kind == "List[Optional[Tensor]]":
            return "[" + ", ".join(rng.choice([self.tensor(argument, operator), "None"]) for _ in range(2)) + "]"
        if kind == "number":
            return show(self.number(name))
        if kind == "List[number]":
            return show([self.number(name) for _ in range(rng.choice([1, 2, 3]))])
        if name in ("dtype", "out_dtype", "target_dtype") or kind == "ScalarType":
            return str(rng.choice(DTYPES))
        if kind == "Device":
            return "DEVICE"
        if name == "memory_format":
            return rng.choice(["torch.contiguous_format", "torch.preserve_format", "torch.channels_last"])
        if kind in ("int", "SymInt"):
            return show(self.integer(name, operator))
        if kind in ("List[int]", "List[SymInt]"):
            return show(self.integers(name, operator))
        if kind == "float":
            return show(rng.choice([0.0, 0.5, 1.0, 1e-5, 2.0, 0.1, -1.0, 3.0]))
        if kind == "List[float]":
            return show([rng.choice([0.5, 1.0, 2.0]) for _ in range(rng.choice([1, 2, 3]))])
        if kind == "bool":
            return show(rng.random() < 0.5)
        if kind == "List[bool]":
            return show([rng.random() < 0.5 for _ in range(3)])
        if kind == "str":
            return repr(rng.choice(STRINGS.get(name, ["mean"])))
        if argument.has_default_value():
            return None
        raise ValueError(f"no value of type {kind}")

    def index_list(self, operator):
        rng, x = self.rng, self.value(self.first)
        writes = WRITERS.search(operator.name) is not None
        if rng.random() < 0.2 and x.dim():
            return "[" + self.input(x.shape, torch.bool, "normal") + "]"
        count = rng.choice([1, 2, 3])
        parts, is_first = [], True
        for size in x.shape[:rng.randrange(1, x.dim() + 1) if x.dim() else 0]:
            if rng.random() < 0.3 and "unsafe" not in operator.name:
                parts.append("None")
                continue
            distinct = writes and is_first
            number = min(count, size) if distinct else count
            count = number
            if distinct and number > 1 or not distinct:
                shape = [number]
            else:
                shape = [1]
            is_first = False
            parts.append(self.make(f"positions({show(tuple(shape))}, {size}, {rng.randrange(1000)}"
                                   f"{', True' if distinct else ''}, device=DEVICE)"))
        return "[" + ", ".join(parts) + "]"


def broadcasts(t, x):
    sizes = list(zip(reversed(t.shape), reversed(x.shape)))
    return t.dim() <= x.dim() and all(a == b or a == 1 for a, b in sizes)
