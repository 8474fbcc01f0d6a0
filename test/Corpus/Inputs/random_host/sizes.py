# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes, storage and buffers of random host programs."""


class Size:
    """A sum of symbols with positive factors and a constant."""

    def __init__(self, const=0, terms=()):
        self.const = const
        self.terms = {name: factor for name, factor in dict(terms).items() if factor}

    @staticmethod
    def of(symbol):
        return Size(0, {symbol: 1})

    def __add__(self, other):
        other = other if isinstance(other, Size) else Size(other)
        names = [*self.terms, *(n for n in other.terms if n not in self.terms)]
        return Size(self.const + other.const,
                    {n: self.terms.get(n, 0) + other.terms.get(n, 0) for n in names})

    def __mul__(self, factor):
        return Size(self.const * factor, {n: f * factor for n, f in self.terms.items()})

    def __eq__(self, other):
        return isinstance(other, Size) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def key(self):
        return self.const, tuple(sorted(self.terms.items()))

    def is_constant(self):
        return not self.terms

    def divides(self, divisor):
        return self.const % divisor == 0 and all(f % divisor == 0 for f in self.terms.values())

    def half(self):
        return Size(self.const // 2, {n: f // 2 for n, f in self.terms.items()})

    def rename(self, names):
        out = Size(self.const)
        for name, factor in self.terms.items():
            new = names[name]
            out = out + (new if isinstance(new, Size) else Size.of(new)) * factor
        return out

    def __str__(self):
        parts = [n if f == 1 else f"{n} * {f}" for n, f in self.terms.items()]
        if self.const or not parts:
            parts.append(str(self.const))
        return " + ".join(parts)


def product(a, b):
    """The product of two sizes, one of which is a constant."""
    return b * a.const if a.is_constant() else a * b.const


def contiguous(dims):
    strides, step = [], Size(1)
    for size in reversed(dims):
        strides.insert(0, step)
        step = product(step, size) if step.is_constant() or size.is_constant() else None
    return tuple(strides)


def text_list(values):
    return "[" + ", ".join(map(str, values)) + "]"


class Storage:
    """What one allocation made: who owns it, and whether it lives."""

    def __init__(self, kind, block=None):
        self.kind = kind  # "arg", "const" or "own"
        self.block = block
        self.dead = False


class Type:
    def __init__(self, dims, dtype, strides=None, device="cpu"):
        self.dims = tuple(dims)
        self.strides = contiguous(self.dims) if strides is None else tuple(strides)
        self.dtype, self.device = dtype, device

    def key(self):
        return (tuple(d.key() for d in self.dims), tuple(s.key() for s in self.strides), self.dtype,
                self.device)

    def __eq__(self, other):
        return isinstance(other, Type) and self.key() == other.key()

    def is_contiguous(self):
        return self.strides == contiguous(self.dims)

    def symbols(self):
        return list(dict.fromkeys(n for size in (*self.dims, *self.strides) for n in size.terms))

    def rename(self, names):
        return Type([d.rename(names) for d in self.dims], self.dtype,
                    [s.rename(names) for s in self.strides], self.device)

    def __str__(self):
        strides = "" if self.is_contiguous() else f", strides = {text_list(self.strides)}"
        device, _, number = self.device.partition(":")
        number = f", {number}" if number else ""
        return (f"!wrapper.buffer<{text_list(self.dims)}{strides}, {self.dtype}, "
                f"#wrapper.device<\"{device}\"{number}>>")

    def tensor(self):
        shape = "".join((str(d) if d.is_constant() else "?") + "x" for d in self.dims)
        encoding = "" if all(d.is_constant() for d in self.dims) else (
            f", #sym.shape<{text_list(self.dims)}>")
        return f"tensor<{shape}{self.dtype}{encoding}>"


class Buffer:
    def __init__(self, name, type, storage, at_start=True):
        self.name, self.type, self.storage = name, type, storage
        # Whether it begins where its storage does: others cannot change their owner.
        self.at_start = at_start

    @property
    def dims(self):
        return self.type.dims

    @property
    def dtype(self):
        return self.type.dtype
