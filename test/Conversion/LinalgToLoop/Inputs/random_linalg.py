# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random linalg programs, compared with upstream's own lowering.

Each program is a function over tensors: named and generic structured operations, reductions, contractions,
convolutions, pooling, and operations of `tensor`, with static and dynamic sizes. Upstream's side is
`mlir-opt` (bufferization, `convert-linalg-to-loops`, the LLVM dialect), `mlir-translate` and clang, one library for
a batch of programs. Coil's is `coil-run` on the same text; every second program runs without
`raise-linalg-to-graph`, so that both ways to a contraction are taken. Integers have to be equal, floats close.

    random_linalg.py --bin=build/bin --llvm=/usr/lib/llvm-22/bin --count=2000 --seed=0

A program that differs is kept in `--out` with its inputs, and its seed is printed.
"""
import argparse
import ctypes
import math
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "..", "Inputs"))
import tools  # noqa: E402

# Sizes by name: every use of one has the same value, and is dynamic or not everywhere.
SIZES = {"a": [1, 2, 3, 5], "b": [4, 7, 8], "c": [3, 6, 16, 17], "d": [1, 2, 9]}
FORMATS = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "i32": ("i", "<i4"), "i64": ("q", "<i8"), "i8": ("b", "|i1")}
BATCH = 40


class Value:
    def __init__(self, name, dims, element, exact):
        self.name, self.dims, self.element = name, tuple(dims), element
        # Whether the elements are those of an input, which comparisons and conversions do not amplify.
        self.exact = exact


class Program:
    """One function, as text, with its inputs."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.lines, self.oracle, self.values, self.inputs = [], [], [], []
        self.count = 0
        self.sizes = {name: self.random.choice(values) for name, values in SIZES.items()}
        self.dynamic = {name for name in SIZES if self.random.random() < 0.3}
        self.element = self.random.choice(["f32", "f32", "f64", "i32", "i64", "i8"])
        self.isFloat = self.element[0] == "f"
        for _ in range(self.random.randint(2, 3)):
            self.add_input(self.random_dims(self.random.randint(1, 3)), self.element)
        self.declare_sizes()
        for _ in range(self.random.randint(1, 6)):
            self.step()
        made = self.values[len(self.inputs):] or self.values
        self.results = made[-self.random.choice([1, 1, 2]):]

    # Text.

    def type(self, dims, element):
        sizes = "".join(("?" if d in self.dynamic else str(self.size(d))) + "x" for d in dims)
        return f"tensor<{sizes}{element}>"

    def size(self, dim):
        return self.sizes[dim] if isinstance(dim, str) else dim

    def type_of(self, value):
        return self.type(value.dims, value.element)

    def emit(self, line, oracle=None):
        self.lines.append(line)
        self.oracle.append(line if oracle is None else oracle)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def define(self, dims, element, text, oracle=None, exact=False):
        value = Value(self.name(), dims, element, exact)
        self.emit(f"{value.name} = {text}", oracle and f"{value.name} = {oracle}")
        self.values.append(value)
        return value

    def scalar(self, text):
        name = self.name()
        self.emit(f"{name} = {text}")
        return name

    def add_input(self, dims, element):
        value = Value(f"%arg{len(self.inputs)}", dims, element, True)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def declare_sizes(self):
        """A number for each dynamic size, from an input that has it; sizes that no input has are static."""
        self.numbers = {}
        for name in sorted(self.dynamic):
            for value in self.inputs:
                if name in value.dims:
                    self.numbers[name] = self.scalar(f"arith.constant {value.dims.index(name)} : index")
                    self.numbers[name] = self.scalar(
                        f"tensor.dim {value.name}, {self.numbers[name]} : {self.type_of(value)}")
                    break
            else:
                self.dynamic.discard(name)

    def random_dims(self, rank):
        return [self.random.choice(list(SIZES)) for _ in range(rank)]

    def empty(self, dims, element):
        name = self.name()
        numbers = ", ".join(self.numbers[d] for d in dims if d in self.dynamic)
        self.emit(f"{name} = tensor.empty({numbers}) : {self.type(dims, element)}")
        return name

    def constant(self, element, value):
        text = f"{value:.6e}" if element[0] == "f" else str(value)
        return self.scalar(f"arith.constant {text} : {element}")

    def filled(self, dims, element, value):
        scalar, empty, name = self.constant(element, value), self.empty(dims, element), self.name()
        t = self.type(dims, element)
        self.emit(f"{name} = linalg.fill ins({scalar} : {element}) outs({empty} : {t}) -> {t}")
        return name

    def pick(self, minimum=0, element=None):
        return self.random.choice([v for v in self.values if len(v.dims) >= minimum
                                   and (element is None or v.element == element)] or
                                  [self.values[0] if len(self.values[0].dims) >= minimum
                                   else self.add_constant(self.random_dims(minimum))])

    def add_constant(self, dims):
        """An operand of wanted sizes, whose elements depend on where they are."""
        body, empty = [], self.empty(dims, self.element)
        terms = []
        for d in range(len(dims)):
            body += [f"%i{d} = linalg.index {d} : index", f"%n{d} = arith.index_cast %i{d} : index to i64",
                     f"%k{d} = arith.constant {self.random.choice([1, 3, 5, 7])} : i64",
                     f"%m{d} = arith.muli %n{d}, %k{d} : i64"]
            terms.append(f"%m{d}")
        body.append("%c = arith.constant 1 : i64")
        last = "%c"
        for i, term in enumerate(terms):
            body.append(f"%s{i} = arith.addi {last}, {term} : i64")
            last = f"%s{i}"
        body += ["%r = arith.constant 11 : i64", f"%u = arith.remui {last}, %r : i64"]
        if self.isFloat:
            body += [f"%f = arith.sitofp %u : i64 to {self.element}",
                     f"%q = arith.constant 2.500000e-01 : {self.element}", f"%y = arith.mulf %f, %q : {self.element}"]
        elif self.element == "i64":
            body += ["%y = arith.addi %u, %u : i64"]
        else:
            body += [f"%y = arith.trunci %u : i64 to {self.element}"]
        return self.generic([], [], dims, empty, body, "%y", exact=True)

    def generic(self, inputs, maps, dims, out, body, result, iterators=None, outMap=None, loops=None, exact=False,
                element=None):
        element = element or self.element
        loops = len(dims) if loops is None else loops
        names = ", ".join(f"d{i}" for i in range(loops))
        outMap = outMap if outMap is not None else [f"d{i}" for i in range(len(dims))]
        texts = ", ".join(f"affine_map<({names}) -> ({', '.join(m)})>" for m in [*maps, outMap])
        kinds = ", ".join(f'"{kind}"' for kind in (iterators or ["parallel"] * loops))
        operands = ""
        if inputs:
            operands = f"ins({', '.join(v.name for v in inputs)} : {', '.join(self.type_of(v) for v in inputs)}) "
        args = ", ".join([f"%x{i}: {v.element}" for i, v in enumerate(inputs)] + [f"%out: {element}"])
        t = self.type(dims, element)
        lines = "\n      ".join([*body, f"linalg.yield {result} : {element}"])
        return self.define(dims, element, f"linalg.generic {{indexing_maps = [{texts}], iterator_types = [{kinds}]}} "
                           f"{operands}outs({out} : {t}) {{\n    ^bb0({args}):\n      {lines}\n    }} -> {t}",
                           exact=exact)

    # Operations.

    def step(self):
        steps = [self.elementwise] * 4 + [self.reduction] * 3 + [self.contraction] * 3 + [
            self.matmul, self.convolution, self.pooling, self.transpose, self.broadcast, self.slice, self.insert,
            self.pad, self.concat, self.reshape, self.gather, self.generate, self.arith]
        self.random.choice(steps)()

    def body(self, operands, length):
        """Scalar operations on named values; each keeps floats small."""
        lines, values = [], list(operands)
        t = self.element
        for i in range(length):
            x, y, r = self.random.choice(values), self.random.choice(values), f"%t{i}"
            if self.isFloat:
                op = self.random.choice(["addf", "subf", "maximumf", "minimumf", "mulf", "negf", "absf", "tanh", "exp",
                                         "sqrt", "divf", "select", "cast"])
                if op in ("addf", "subf", "maximumf", "minimumf"):
                    lines.append(f"{r} = arith.{op} {x}, {y} : {t}")
                elif op == "mulf":
                    lines += [f"{r}a = math.tanh {x} : {t}", f"{r} = arith.mulf {r}a, {y} : {t}"]
                elif op == "negf":
                    lines.append(f"{r} = arith.negf {x} : {t}")
                elif op in ("absf", "tanh"):
                    lines.append(f"{r} = math.{op} {x} : {t}")
                elif op == "exp":
                    lines += [f"{r}a = math.tanh {x} : {t}", f"{r} = math.exp {r}a : {t}"]
                elif op == "sqrt":
                    lines += [f"{r}a = math.absf {x} : {t}", f"{r}c = arith.constant 1.000000e+00 : {t}",
                              f"{r}b = arith.addf {r}a, {r}c : {t}", f"{r} = math.sqrt {r}b : {t}"]
                elif op == "divf":
                    lines += [f"{r}a = math.absf {y} : {t}", f"{r}c = arith.constant 5.000000e-01 : {t}",
                              f"{r}b = arith.addf {r}a, {r}c : {t}", f"{r} = arith.divf {x}, {r}b : {t}"]
                elif op == "select":
                    lines += [f"{r}a = arith.cmpf {self.random.choice(['olt', 'ogt', 'une', 'ule'])}, "
                              f"{operands[0]}, {operands[-1]} : {t}", f"{r} = arith.select {r}a, {x}, {y} : {t}"]
                    if not self.exactOperands:
                        lines[-2:] = [f"{r} = arith.addf {x}, {y} : {t}"]
                else:
                    other = "f64" if t == "f32" else "f32"
                    there, back = ("extf", "truncf") if t == "f32" else ("truncf", "extf")
                    lines += [f"{r}a = arith.{there} {x} : {t} to {other}",
                              f"{r} = arith.{back} {r}a : {other} to {t}"]
            else:
                op = self.random.choice(["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui",
                                         "minui", "divui", "remui", "shli", "shrsi", "shrui", "select", "cast"])
                if op in ("divui", "remui"):
                    lines += [f"{r}c = arith.constant 1 : {t}", f"{r}a = arith.ori {y}, {r}c : {t}",
                              f"{r} = arith.{op} {x}, {r}a : {t}"]
                elif op.startswith("sh"):
                    lines += [f"{r}c = arith.constant {self.random.randint(0, 7)} : {t}",
                              f"{r} = arith.{op} {x}, {r}c : {t}"]
                elif op == "select":
                    lines += [f"{r}a = arith.cmpi {self.random.choice(['eq', 'slt', 'ult', 'sge', 'ugt'])}, "
                              f"{x}, {y} : {t}", f"{r} = arith.select {r}a, {x}, {y} : {t}"]
                elif op == "cast":
                    if t == "i8":
                        lines += [f"{r}a = arith.{self.random.choice(['extsi', 'extui'])} {x} : i8 to i32",
                                  f"{r}b = arith.muli {r}a, {r}a : i32", f"{r} = arith.trunci {r}b : i32 to i8"]
                    else:
                        lines += [f"{r}a = arith.trunci {x} : {t} to i8",
                                  f"{r} = arith.{self.random.choice(['extsi', 'extui'])} {r}a : i8 to {t}"]
                else:
                    lines.append(f"{r} = arith.{op} {x}, {y} : {t}")
            values.append(r)
        return lines, values[-1]

    def elementwise(self):
        out = self.random_dims(self.random.randint(0, 3)) if self.random.random() < 0.3 else list(self.pick().dims)
        inputs, maps = [], []
        for value in self.random.sample(self.values, min(len(self.values), self.random.randint(1, 3))):
            # Any operand whose dimensions are loops, in any order.
            loops, index = list(range(len(out))), []
            self.random.shuffle(loops)
            for d in value.dims:
                found = [i for i in loops if out[i] == d]
                if not found:
                    break
                loops.remove(found[0])
                index.append(f"d{found[0]}")
            else:
                inputs.append(value)
                maps.append(index)
        operands = [f"%x{i}" for i in range(len(inputs))]
        prefix = []
        if not inputs or self.random.random() < 0.2:
            if out:
                d = self.random.randrange(len(out))
                prefix = [f"%i = linalg.index {d} : index", "%j = arith.index_cast %i : index to i64"]
                if self.isFloat:
                    prefix.append(f"%p = arith.sitofp %j : i64 to {self.element}")
                elif self.element == "i64":
                    prefix.append("%p = arith.muli %j, %j : i64")
                else:
                    prefix.append(f"%p = arith.trunci %j : i64 to {self.element}")
                operands.append("%p")
        initial = self.empty(out, self.element)
        if self.random.random() < 0.2 or not operands:
            initial = self.filled(out, self.element, self.random.randint(-3, 3))
            operands.append("%out")
        self.exactOperands = all(v.exact for v in inputs)
        body, result = self.body(operands, self.random.randint(1, 4))
        self.generic(inputs, maps, out, initial, prefix + body, result)

    def reduction(self):
        value = self.pick(1)
        rank = len(value.dims)
        reduced = [d for d in range(rank) if self.random.random() < 0.5] or [self.random.randrange(rank)]
        kept = [d for d in range(rank) if d not in reduced]
        self.random.shuffle(kept)
        kinds = {"addf": 0, "mulf": 1, "maximumf": -1e30, "minimumf": 1e30, "maxnumf": -1e30, "minnumf": 1e30,
                 "subf": 0} if self.isFloat else {
                     "addi": 0, "muli": 1, "maxsi": -100, "minsi": 100, "maxui": 0, "minui": -1, "andi": -1, "ori": 0,
                     "xori": 0, "subi": 0}
        kind = self.random.choice(list(kinds))
        start = kinds[kind] if self.random.random() < 0.7 else self.random.randint(-2, 2)
        dims = [value.dims[d] for d in kept]
        self.exactOperands = value.exact
        body, operand = self.body(["%x0"], self.random.randint(0, 2))
        if kind == "mulf":
            # Products stay in range.
            body += [f"%h = math.tanh {operand} : {self.element}", f"%o = arith.constant 1.500000e+00 : {self.element}",
                     f"%w = arith.mulf %h, %o : {self.element}"]
            operand = "%w"
        order = ("%out", operand) if "sub" in kind or self.random.random() < 0.5 else (operand, "%out")
        body.append(f"%z = arith.{kind} {order[0]}, {order[1]} : {self.element}")
        self.generic([value], [[f"d{i}" for i in range(rank)]], dims, self.filled(dims, self.element, start), body, "%z",
                     ["reduction" if d in reduced else "parallel" for d in range(rank)], [f"d{d}" for d in kept], rank)

    def contraction(self):
        """A generic sum of products over random loops."""
        loops = [self.random.choice(list(SIZES)) for _ in range(self.random.randint(2, 4))]
        roles = [self.random.choice(["m", "n", "k", "k", "b"]) for _ in loops]
        if "k" not in roles:
            roles[0] = "k"
        x = [i for i, r in enumerate(roles) if r in "mkb"]
        y = [i for i, r in enumerate(roles) if r in "nkb"]
        out = [i for i, r in enumerate(roles) if r in "mnb"]
        for each in (x, y, out):
            self.random.shuffle(each)
        operands = [self.add_constant([loops[i] for i in each]) for each in (x, y)]
        for i, each in enumerate((x, y)):
            same = [v for v in self.values if list(v.dims) == [loops[j] for j in each]]
            if same and self.random.random() < 0.7:
                operands[i] = self.random.choice(same)
        product, add = ("mulf", "addf") if self.isFloat else ("muli", "addi")
        order = self.random.choice([("%x0", "%x1"), ("%x1", "%x0")])
        body = [f"%p = arith.{product} {order[0]}, {order[1]} : {self.element}",
                f"%z = arith.{add} %out, %p : {self.element}"]
        dims = [loops[i] for i in out]
        start = 0 if self.random.random() < 0.7 else 2
        self.generic(operands, [[f"d{i}" for i in each] for each in (x, y)], dims,
                     self.filled(dims, self.element, start), body, "%z",
                     ["reduction" if r == "k" else "parallel" for r in roles], [f"d{i}" for i in out], len(loops))

    def named(self, op, operands, dims, attributes="", start=0):
        out, t = self.filled(dims, self.element, start), self.type(dims, self.element)
        names = ", ".join(v.name if isinstance(v, Value) else v[0] for v in operands)
        types = ", ".join(self.type_of(v) if isinstance(v, Value) else v[1] for v in operands)
        return self.define(dims, self.element, f"linalg.{op} {attributes}ins({names} : {types}) outs({out} : {t}) -> {t}")

    def matmul(self):
        m, n, k, b = (self.random.choice(list(SIZES)) for _ in range(4))
        op, x, y, out = self.random.choice([
            ("matmul", [m, k], [k, n], [m, n]), ("batch_matmul", [b, m, k], [b, k, n], [b, m, n]),
            ("matvec", [m, k], [k], [m]), ("vecmat", [k], [k, n], [n]), ("dot", [k], [k], []),
            ("batch_matvec", [b, m, k], [b, k], [b, m])])
        self.named(op, [self.operand(x), self.operand(y)], out, start=self.random.choice([0, 0, 1]))

    def operand(self, dims):
        same = [v for v in self.values if list(v.dims) == list(dims)]
        return self.random.choice(same) if same and self.random.random() < 0.6 else self.add_constant(dims)

    def convolution(self):
        n, c, f = (self.random.choice(list(SIZES)) for _ in range(3))
        kernel = [self.random.randint(1, 3) for _ in range(2)]
        stride = [self.random.randint(1, 2) for _ in range(2)]
        dilation = [self.random.randint(1, 2) for _ in range(2)]
        space = [self.random.randint(1, 4) for _ in range(2)]
        image = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(space, stride, kernel, dilation)]
        attributes = (f"{{strides = dense<[{stride[0]}, {stride[1]}]> : tensor<2xi64>, "
                      f"dilations = dense<[{dilation[0]}, {dilation[1]}]> : tensor<2xi64>}} ")
        op, x, w, y = self.random.choice([
            ("conv_2d_nhwc_hwcf", [n, *image, c], [*kernel, c, f], [n, *space, f]),
            ("conv_2d_nchw_fchw", [n, c, *image], [f, c, *kernel], [n, f, *space]),
            ("conv_2d_nhwc_fhwc", [n, *image, c], [f, *kernel, c], [n, *space, f]),
            ("depthwise_conv_2d_nhwc_hwc", [n, *image, c], [*kernel, c], [n, *space, c]),
            ("depthwise_conv_2d_nhwc_hwcm", [n, *image, c], [*kernel, c, f], [n, *space, c, f]),
            ("depthwise_conv_2d_nchw_chw", [n, c, *image], [c, *kernel], [n, c, *space])])
        self.named(op, [self.operand(x), self.operand(w)], y, attributes, self.random.choice([0, 0, 1]))

    def pooling(self):
        n, c = (self.random.choice(list(SIZES)) for _ in range(2))
        kernel = [self.random.randint(1, 3) for _ in range(2)]
        stride = [self.random.randint(1, 2) for _ in range(2)]
        space = [self.random.randint(1, 4) for _ in range(2)]
        image = [(o - 1) * s + k for o, s, k in zip(space, stride, kernel)]
        first = self.random.random() < 0.5
        kind = self.random.choice(["sum", "max"])
        op = f"pooling_{'nchw' if first else 'nhwc'}_{kind}"
        dims = [n, c, *space] if first else [n, *space, c]
        x = self.operand([n, c, *image] if first else [n, *image, c])
        window = (self.empty(kernel, self.element), self.type(kernel, self.element))
        attributes = (f"{{strides = dense<[{stride[0]}, {stride[1]}]> : tensor<2xi64>, "
                      "dilations = dense<1> : tensor<2xi64>} ")
        self.named(op, [x, window], dims, attributes, 0 if kind == "sum" else self.random.choice([-100, 0]))

    def transpose(self):
        value = self.pick(1)
        order = list(range(len(value.dims)))
        self.random.shuffle(order)
        dims = [value.dims[i] for i in order]
        out = self.empty(dims, value.element)
        self.define(dims, value.element, f"linalg.transpose ins({value.name} : {self.type_of(value)}) "
                    f"outs({out} : {self.type(dims, value.element)}) permutation = [{', '.join(map(str, order))}]",
                    exact=value.exact)

    def broadcast(self):
        value = self.pick()
        added = sorted(self.random.sample(range(len(value.dims) + 1), 1))
        dims = list(value.dims)
        for d in added:
            dims.insert(d, self.random.choice(list(SIZES)))
        if len(dims) > 4:
            return
        out = self.empty(dims, value.element)
        self.define(dims, value.element, f"linalg.broadcast ins({value.name} : {self.type_of(value)}) "
                    f"outs({out} : {self.type(dims, value.element)}) dimensions = [{', '.join(map(str, added))}]",
                    exact=value.exact)

    def region(self, value):
        """A random part of a tensor: its offsets, sizes and strides as text, and its dimensions. Those of size one
        are all dropped or all kept: upstream's lowering crashes on some of the mixtures."""
        offsets, sizes, strides, dims = [], [], [], []
        for d in value.dims:
            if d in self.dynamic or self.random.random() < 0.3:
                offsets.append("0"), strides.append("1")
                sizes.append(self.numbers[d] if d in self.dynamic else str(self.size(d)))
                dims.append(d)
                continue
            size = self.size(d)
            step = self.random.randint(1, 2)
            start = self.random.randrange(size)
            count = self.random.randint(1, (size - start + step - 1) // step)
            offsets.append(str(start)), sizes.append(str(count)), strides.append(str(step))
            dims.append(count)
        if self.random.random() < 0.5:
            dims = [d for d in dims if d in self.dynamic or self.size(d) != 1]
        return f"[{', '.join(offsets)}] [{', '.join(sizes)}] [{', '.join(strides)}]", dims

    def slice(self):
        value = self.pick(1)
        where, dims = self.region(value)
        self.define(dims, value.element, f"tensor.extract_slice {value.name}{where} : {self.type_of(value)} to "
                    f"{self.type(dims, value.element)}", exact=value.exact)

    def insert(self):
        value = self.pick(1, self.element)
        where, dims = self.region(value)
        source = self.operand(dims)
        self.define(value.dims, value.element, f"tensor.insert_slice {source.name} into {value.name}{where} : "
                    f"{self.type_of(source)} into {self.type_of(value)}", exact=value.exact and source.exact)

    def pad(self):
        value = self.pick(1)
        low = [0 if d in self.dynamic else self.random.randint(0, 2) for d in value.dims]
        high = [0 if d in self.dynamic else self.random.randint(0, 2) for d in value.dims]
        dims = [d if d in self.dynamic else self.size(d) + a + b for d, a, b in zip(value.dims, low, high)]
        fill = self.constant(value.element, self.random.randint(-2, 2))
        args = ", ".join(f"%p{i}: index" for i in range(len(dims)))
        self.define(dims, value.element, f"tensor.pad {value.name} low[{', '.join(map(str, low))}] "
                    f"high[{', '.join(map(str, high))}] {{\n    ^bb0({args}):\n      tensor.yield {fill} : "
                    f"{value.element}\n    }} : {self.type_of(value)} to {self.type(dims, value.element)}",
                    exact=value.exact)

    def concat(self):
        """Upstream's lowering has none of `tensor.concat`: its side inserts slices."""
        x = self.pick(1)
        static = [d for d in range(len(x.dims)) if x.dims[d] not in self.dynamic]
        if not static:
            return
        d = self.random.choice(static)
        other = list(x.dims)
        other[d] = self.random.choice([s for s in SIZES if s not in self.dynamic] or [2])
        y = self.operand(other) if x.element == self.element else None
        if y is None:
            return
        dims = list(x.dims)
        dims[d] = self.size(x.dims[d]) + self.size(other[d])
        empty = self.empty(dims, x.element)
        name = f"%v{self.count + 1}"
        types = [self.type_of(x), self.type_of(y), self.type(dims, x.element)]

        def insert(source, kind, into, start):
            offsets = ["0"] * len(dims)
            offsets[d] = str(start)
            sizes = [self.numbers[s] if s in self.dynamic else str(self.size(s)) for s in source.dims]
            return (f"tensor.insert_slice {source.name} into {into}[{', '.join(offsets)}] [{', '.join(sizes)}] "
                    f"[{', '.join('1' * len(dims))}] : {kind} into {types[2]}")

        first = insert(x, types[0], empty, 0)
        second = insert(y, types[1], f"{name}_a", self.size(x.dims[d]))
        value = self.define(dims, x.element, f"tensor.concat dim({d}) {x.name}, {y.name} : ({types[0]}, {types[1]}) -> "
                            f"{types[2]}", oracle=second, exact=x.exact and y.exact)
        self.oracle.insert(len(self.oracle) - 1, f"{name}_a = {first}")
        self.lines.insert(len(self.lines) - 1, "")
        assert value.name == name

    def reshape(self):
        value = self.pick(2)
        at = self.random.randrange(len(value.dims) - 1)
        pair = value.dims[at:at + 2]
        if any(d in self.dynamic for d in pair):
            return
        total = self.size(pair[0]) * self.size(pair[1])
        dims = [*value.dims[:at], total, *value.dims[at + 2:]]
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, len(value.dims))]
        flat = self.define(dims, value.element, f"tensor.collapse_shape {value.name} {groups} : {self.type_of(value)} "
                           f"into {self.type(dims, value.element)}", exact=value.exact)
        factor = self.random.choice([f for f in range(1, total + 1) if total % f == 0])
        split = [*dims[:at], factor, total // factor, *dims[at + 1:]]
        sizes = [self.numbers[d] if d in self.dynamic else str(self.size(d)) for d in split]
        self.define(split, value.element, f"tensor.expand_shape {flat.name} {groups} output_shape "
                    f"[{', '.join(sizes)}] : {self.type_of(flat)} into {self.type(split, value.element)}",
                    exact=value.exact)

    def gather(self):
        """Elements of a table at positions that a tensor has."""
        table = self.pick(1, self.element)
        if table.dims[0] in self.dynamic or len(table.dims) > 2:
            return
        rows = self.random.choice(list(SIZES))
        out = [rows, *table.dims[1:]]
        positions = self.positions([rows], self.size(table.dims[0]))
        body = ["%i = arith.index_cast %x0 : i64 to index"]
        at = "%i"
        if len(table.dims) == 2:
            body.append("%j = linalg.index 1 : index")
            at = "%i, %j"
        body.append(f"%e = tensor.extract {table.name}[{at}] : {self.type_of(table)}")
        self.generic([positions], [["d0"]], out, self.empty(out, self.element), body, "%e", exact=table.exact)

    def positions(self, dims, limit):
        empty = self.empty(dims, "i64")
        body = ["%i = linalg.index 0 : index", "%n = arith.index_cast %i : index to i64",
                f"%k = arith.constant {self.random.choice([1, 3, 7])} : i64", "%m = arith.muli %n, %k : i64",
                f"%l = arith.constant {limit} : i64", "%r = arith.remui %m, %l : i64"]
        value = self.generic([], [], dims, empty, body, "%r", exact=True, element="i64")
        self.values.remove(value)
        return value

    def generate(self):
        dims = self.random_dims(self.random.randint(1, 2))
        numbers = ", ".join(self.numbers[d] for d in dims if d in self.dynamic)
        args = ", ".join(f"%i{i}: index" for i in range(len(dims)))
        body = ["%n = arith.index_cast %i0 : index to i64"]
        if self.isFloat:
            body.append(f"%y = arith.sitofp %n : i64 to {self.element}")
        elif self.element == "i64":
            body.append("%y = arith.addi %n, %n : i64")
        else:
            body.append(f"%y = arith.trunci %n : i64 to {self.element}")
        lines = "\n      ".join([*body, f"tensor.yield %y : {self.element}"])
        self.define(dims, self.element, f"tensor.generate {numbers} {{\n    ^bb0({args}):\n      {lines}\n    }} : "
                    f"{self.type(dims, self.element)}", exact=True)

    def arith(self):
        """Operations on whole tensors."""
        x = self.pick(0, self.element)
        y = self.random.choice([v for v in self.values if v.dims == x.dims and v.element == x.element])
        op = self.random.choice(["addf", "subf", "maximumf"] if self.isFloat else ["addi", "muli", "xori", "minsi"])
        if op == "xori" and x is y:
            # Upstream folds it to a constant of a dynamic type, which its lowering refuses.
            op = "addi"
        self.define(x.dims, x.element, f"arith.{op} {x.name}, {y.name} : {self.type_of(x)}")

    # Data.

    def text(self, name, oracle=False, attributes=""):
        args = ", ".join(f"{v.name}: {self.type_of(v)}" for v in self.inputs)
        results = ", ".join(self.type_of(v) for v in self.results)
        lines = "\n  ".join(line for line in (self.oracle if oracle else self.lines) if line)
        names = ", ".join(v.name for v in self.results)
        return f"func.func @{name}({args}) -> ({results}){attributes} {{\n  {lines}\n  return {names} : {results}\n}}\n"

    def shape(self, value):
        return [self.size(d) for d in value.dims]

    def data(self, value):
        n = math.prod(self.shape(value))
        if value.element[0] == "f":
            return [self.random.randint(-16, 16) / 8 for _ in range(n)]
        return [self.random.randint(-100, 100) for _ in range(n)]


# The two sides.

def write_npy(path, shape, element, data):
    code, descr = FORMATS[element]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(data)}{code}", *data))


def read_npy(path, element):
    with open(path, "rb") as file:
        raw = file.read()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    code = FORMATS[element][0]
    return list(struct.unpack(f"<{(len(raw) - begin) // struct.calcsize(code)}{code}", raw[begin:]))


def descriptor(rank):
    class Descriptor(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)] + (
            [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)] if rank else [])
    return Descriptor


PIPELINE = ["--convert-elementwise-to-linalg", "--convert-tensor-to-linalg", "--empty-tensor-to-alloc-tensor",
            "--one-shot-bufferize=bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map",
            "--convert-linalg-to-loops", "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf",
            "--arith-expand", "--convert-math-to-llvm", "--convert-math-to-libm", "--finalize-memref-to-llvm",
            "--convert-func-to-llvm", "--convert-cf-to-llvm", "--convert-arith-to-llvm", "--convert-index-to-llvm",
            "--reconcile-unrealized-casts"]


def build_oracle(programs, options, path):
    """One library with a function for each program."""
    with open(path + ".mlir", "w") as file:
        for program in programs:
            file.write(program.text(f"p{program.seed}", True, " attributes {llvm.emit_c_interface}"))
    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"upstream's lowering failed: {' '.join(command)}\n{done.stderr[:4000]}")
    run(f"{options.llvm}/mlir-opt", path + ".mlir", *PIPELINE, "-o", path + ".llvm.mlir")
    run(f"{options.llvm}/mlir-translate", "--mlir-to-llvmir", path + ".llvm.mlir", "-o", path + ".ll")
    run(f"{options.llvm}/clang", "-O1", "-shared", "-fPIC", "-w", path + ".ll", "-o", path + ".so", "-lm",
        f"{options.llvm}/../lib/libmlir_c_runner_utils.so", f"-Wl,-rpath,{options.llvm}/../lib")
    return ctypes.CDLL(path + ".so")


def run_oracle(library, program, data):
    arguments = []
    for value, elements in zip(program.inputs, data):
        shape = program.shape(value)
        array = struct.pack(f"<{len(elements)}{FORMATS[value.element][0]}", *elements)
        buffer = ctypes.create_string_buffer(array, max(1, len(array)))
        each = descriptor(len(shape))()
        each.allocated = each.aligned = ctypes.addressof(buffer)
        step = 1
        for d in reversed(range(len(shape))):
            each.sizes[d], each.strides[d] = shape[d], step
            step *= shape[d]
        arguments.append((each, buffer))

    class Results(ctypes.Structure):
        _fields_ = [(f"r{i}", descriptor(len(v.dims))) for i, v in enumerate(program.results)]
    results = Results()
    getattr(library, f"_mlir_ciface_p{program.seed}")(ctypes.byref(results),
                                                      *(ctypes.byref(each) for each, _ in arguments))
    outputs = []
    for i, value in enumerate(program.results):
        each = getattr(results, f"r{i}")
        code = FORMATS[value.element][0]
        if len(value.dims):
            assert list(each.sizes) == program.shape(value), (list(each.sizes), program.shape(value))
        # A result may be a view of an argument.
        width, shape = struct.calcsize(code), program.shape(value)
        offsets = [0]
        for d, size in enumerate(shape):
            offsets = [o + j * each.strides[d] for o in offsets for j in range(size)]
        outputs.append([struct.unpack(f"<{code}", ctypes.string_at(each.aligned + (each.offset + o) * width, width))[0]
                        for o in offsets])
    return outputs


def close(have, want, element):
    if element[0] != "f":
        return have == want
    tolerance = 2e-4 if element == "f32" else 1e-9
    scale = max([abs(w) for w in want if math.isfinite(w)] + [1.0])
    return len(have) == len(want) and all(
        h == w or (math.isnan(h) and math.isnan(w)) or abs(h - w) <= tolerance * scale for h, w in zip(have, want))


def run_coil(program, options, path, data):
    with open(path, "w") as file:
        file.write(program.text("main"))
    command = [f"{options.bin}/coil-run", path]
    if program.seed % 2:
        done = tools.run([f"{options.bin}/coil-opt", path, "--sym-name-dynamic-sizes", "--convert-linalg-to-loop",
                          "-o", path + ".loop"])
        if done.returncode:
            return None, done.stderr
        command[1] = path + ".loop"
    for i, (value, elements) in enumerate(zip(program.inputs, data)):
        write_npy(f"{path}.{i}.npy", program.shape(value), value.element, elements)
        command.append(f"--input=@{path}.{i}.npy")
    command += [f"--output=@{path}.out{i}.npy" for i in range(len(program.results))]
    done = tools.run(command)
    if done.returncode:
        return None, done.stderr
    return [read_npy(f"{path}.out{i}.npy", v.element) for i, v in enumerate(program.results)], ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory of Coil's tools")
    parser.add_argument("--llvm", required=True, help="directory of LLVM's tools")
    parser.add_argument("--out", default="random-linalg", help="directory for programs")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    failed, steps = [], 0
    for begin in range(0, options.count, BATCH):
        seeds = range(options.seed + begin, options.seed + min(begin + BATCH, options.count))
        programs = [Program(seed) for seed in seeds]
        library = build_oracle(programs, options, os.path.join(options.out, f"batch{begin}"))
        for program in programs:
            steps += len(program.values) - len(program.inputs)
            data = [program.data(v) for v in program.inputs]
            want = run_oracle(library, program, data)
            path = os.path.join(options.out, f"p{program.seed}.mlir")
            have, error = run_coil(program, options, path, data)
            if have is None or not all(close(h, w, v.element) for h, w, v in zip(have, want, program.results)):
                failed.append(program.seed)
                print(f"seed {program.seed}: {'differs' if have is not None else error.strip()[:600]}")
                if have is not None:
                    for h, w in zip(have, want):
                        print(f"  have {h[:8]}\n  want {w[:8]}")
    print(f"{options.count} programs, {steps} operations on tensors, {len(failed)} differ")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
