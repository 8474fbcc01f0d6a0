#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Programs: inputs and statements as Python text, drawn one after the other and tried in eager mode."""

import inspect
import itertools
import linecache
import math
import random
import re

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

import arguments
import schemas
import values
from arguments import Arguments, show

MAX_ELEMENTS, MAX_RANK = 4000, 6
TYPES = {torch.bool, *arguments.FLOATS, *arguments.INTS, *arguments.COMPLEX}
NAME = re.compile(r"\b[xv]\d+\b")
# Integer results that are no conversions of floating-point operands.
POSITIONS = re.compile(r"arg|sort|topk|max|min|mode|median|kthvalue|nonzero|searchsorted|bucketize|unique|cummax|cummin|frexp|"
                       r"multinomial|pool|embedding|view|signbit|is|bool|empty|like|new_|histogram|count|lu|pivot|ldl|lstsq|rank")
# In half of the draws the operator is one of these: what models use most.
COMMON = """
add sub mul div pow maximum minimum fmod remainder atan2 eq ne lt le gt ge logical_and logical_or logical_not bitwise_and bitwise_or
bitwise_xor bitwise_not where clamp neg abs sign relu gelu silu sigmoid tanh exp log log1p expm1 sqrt rsqrt sin cos erf floor ceil round
trunc reciprocal square sum mean prod amax amin max min argmax argmin any all var std var_mean logsumexp softmax log_softmax cumsum cumprod
norm cat stack slice select narrow view reshape permute transpose t expand unsqueeze squeeze flatten diagonal split chunk unbind unfold
as_strided movedim flip roll repeat tile tril triu gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill
index_put index masked_fill masked_scatter take take_along_dim sort topk argsort mm bmm matmul addmm mv dot outer layer_norm
add_ sub_ mul_ div_ copy_ fill_ zero_ masked_fill_ index_copy_ index_fill_ index_add_ scatter_ scatter_add_ index_put_ clamp_ relu_ neg_ tanh_
sigmoid_ abs_ t_ transpose_ squeeze_ unsqueeze_ bitwise_and_ logical_and_ eq_ lt_ addcmul_ addcdiv_ lerp_ lerp pow_ cumsum_ exp_ sqrt_ floor_
zeros_like ones_like full_like clone contiguous to detach alias expand_as view_as type_as nan_to_num isnan isinf isfinite
""".split()


# Operators that say nothing of which of several equal elements they take.
UNSTABLE = re.compile(r"\b(topk|kthvalue|median|nanmedian|mode|sort|argsort)\b(?!.*stable=True)")


# Functions of libraries, which say nothing of infinities and NaN.
LIBRARY = re.compile(r"linalg|\blu|lu\b|cholesky|inverse|pinv|svd|\bqr\b|geqrf|orgqr|ormqr|lstsq|triangular_solve|logdet|slogdet|"
                     r"\bdet\b|ldl|eig|matrix_exp|lobpcg|pca_lowrank")
# Results that are unique, of decompositions whose others are not.
UNIQUE = [(re.compile(r"\b(_linalg_eigh|linalg_eigh|linalg\.eigh)\b"), (0,)),
          # These factorize the matrix or its transpose, whichever lies in memory as the library wants it.
          (re.compile(r"\b(_linalg_det|_linalg_solve_ex)\b"), (0,)), (re.compile(r"\b_linalg_slogdet\b"), (0, 1)),
          (re.compile(r"\b(_linalg_svd|linalg_svd|linalg\.svd|svd|svd_lowrank|pca_lowrank)\b"), (1,)),
          (re.compile(r"\b(linalg_eig|linalg\.eig|linalg_eigvals|linalg\.eigvals|lobpcg|linalg_lstsq|linalg\.lstsq)\b"), ())]


class Undefined(Exception):
    """A draw whose result eager mode does not define."""


def tensors_of(*values):
    return [v for v in values if isinstance(v, torch.Tensor)]


def is_sorted(boundaries, *_):
    return boundaries.is_complex() or bool((boundaries.diff(dim=-1) >= 0).all()) if boundaries.dim() else True


def are_degrees(_, degree, *__):
    degree = torch.as_tensor(degree, dtype=torch.float64)
    return bool((degree.abs() < 2**63).all())


def are_of_channels(x, *parameters):
    """Weights, biases, means and variances of a batch norm."""
    return all(t.dim() == 1 and t.numel() == x.shape[1] for t in tensors_of(*parameters[:4]))


def are_lengths(v, g, dim=0, *_):
    """Of the parts of a tensor along a dimension."""
    return dim == -1 or g.numel() == v.shape[dim]


def are_distances(grad, x1, x2, power, distances):
    return power >= 0 and grad.shape == distances.shape and grad.shape[-2:] == (x1.shape[-2], x2.shape[-2])


def are_modes(_, grid, interpolation, padding, *__):
    """Coordinates that an integer holds, and one of three kinds of interpolation and of padding; others write nothing."""
    return bool((grid.abs() < 1e6).all()) and 0 <= interpolation <= 2 and 0 <= padding <= 2


def are_bounds(x, bins=100, low=0, high=0, **_):
    """Equal bounds of a histogram are moved apart by one; of large numbers they stay equal, and positions are NaN."""
    if low == high and x.numel():
        low, high = float(x.min()), float(x.max())
    bound = torch.tensor(low, dtype=x.dtype)
    return low != high or bool(bound - 1 < bound) and bool(bound < bound + 1)


def are_halves(x, dims, _, size, *__):
    """Transforms of halves of spectra that have another size write beyond their result."""
    return not dims or x.shape[dims[-1]] == size // 2 + 1


def are_quotients(x, y, *_):
    """Remainders of numbers whose quotient the type cannot hold are NaN."""
    x, y = torch.as_tensor(x), torch.as_tensor(y)
    if not (x.is_floating_point() or y.is_floating_point()):
        return True
    quotient = x / y
    return not bool((quotient.isinf() & x.isfinite() & (y != 0)).any())


def is_vector_or_real(x, *_):
    """Of a complex number of rank zero only the real part counts, unlike that of a vector."""
    return x.dim() > 0 or not x.is_complex()


def lies_row_by_row(x, noise, *_):
    """It writes one element behind the other, whatever strides the noise has."""
    return noise.is_contiguous()


def have_squares(*operands):
    """Whether double precision holds the squares of all numbers. The norms of what is larger are infinite, and whether zero or NaN
    becomes of an element depends on how many fit into a vector. (For other types a run in double precision says that.)"""
    for t in tensors_of(*operands):
        if t.dtype in (torch.float64, torch.complex128) and t.numel():
            size = t.abs()
            if not bool(size[size.isfinite()].square().sum().isfinite()):
                return False
    return True


# What eager mode relies on and does not check, by the name of an operator: without it results are what happens to be in
# memory, what a search that expects an order finds, or what a processor makes of a number that no integer has.
RELIED_ON = [
    (re.compile(r"^bucketize"), lambda x, boundaries, *_: is_sorted(boundaries)),
    (re.compile(r"^searchsorted"), lambda boundaries, *rest: len(rest) > 4 or is_sorted(boundaries)),
    (re.compile(r"polynomial"), are_degrees),
    (re.compile(r"batch_norm"), are_of_channels),
    (re.compile(r"^grid_sampler"), are_modes),
    (re.compile(r"^histc"), are_bounds),
    (re.compile(r"^_fft_c2r"), are_halves),
    (re.compile(r"(layer|group|batch|instance|rms)_norm"), have_squares),
    (re.compile(r"^_cdist_backward"), are_distances),
    (re.compile(r"^(fmod|remainder)"), are_quotients),
    (re.compile(r"^linalg__powsum"), is_vector_or_real),
    (re.compile(r"^rrelu_with_noise"), lies_row_by_row),
    # It sorts by an order that NaN has no place in.
    (re.compile(r"^mode$"), lambda x, *_: not (x.is_floating_point() and bool(x.isnan().any()))),
    (re.compile(r"^_weight_norm"), are_lengths),
    # Factors of Cholesky have real diagonals.
    (re.compile(r"^cholesky_inverse"), lambda x, *_: not x.is_complex() or bool((x.diagonal(0, -2, -1).imag == 0).all())),
    (re.compile(r"^_cum(max|min)_helper"), lambda x, values, indices, *_: x.shape == values.shape == indices.shape),
    (re.compile(r"^_foreach_copy"), lambda x, y, *_: len(x) == len(y)),
]


class Watch(TorchDispatchMode):
    """Refuses conversions from floating-point numbers to integers that cannot hold them, and operands that
    eager mode does not check."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.split("::")[1]
        for pattern, holds in RELIED_ON:
            if pattern.search(name) and not (kwargs or {}).get("sorter") and not holds(*args):
                raise Undefined(f"operands that {name} does not check")
        # It adds with the negative of the factor, which no integer holds.
        if re.match(r"r?sub", name) and (kwargs or {}).get("alpha") == -2**63:
            raise Undefined("the least integer as a factor of what is subtracted")
        out = function(*args, **(kwargs or {}))
        ints = [t for t in _pytree.tree_leaves(out) if isinstance(t, torch.Tensor) and t.dtype in arguments.INTS]
        if ints and not POSITIONS.search(function._schema.name.split("::")[1]):
            low = max(torch.iinfo(t.dtype).min for t in ints)
            high = min(torch.iinfo(t.dtype).max for t in ints)
            for t in _pytree.tree_leaves((args, kwargs)):
                if isinstance(t, torch.Tensor) and (t.is_floating_point() or t.is_complex()) and t.numel():
                    x = t.real if t.is_complex() else t
                    x = x.double()
                    if not bool(((x > low - 1) & (x < high)).all()):
                        raise Undefined("a conversion that the integers cannot hold")
        return out


def addresses(t):
    """The bytes that begin elements of a tensor."""
    place = torch.zeros([], dtype=torch.int64)
    for d, (size, stride) in enumerate(zip(t.shape, t.stride())):
        place = place + (torch.arange(size) * stride).reshape([-1] + [1] * (t.dim() - d - 1))
    return (place.flatten() * t.element_size() + t.data_ptr()).tolist()


def overlaps_itself(t):
    return 0 in t.stride() and t.numel() > 1 or len(set(addresses(t))) < t.numel()


def share(a, b):
    """Whether two tensors have memory in common."""
    if a.untyped_storage().data_ptr() != b.untyped_storage().data_ptr() or not a.numel() or not b.numel():
        return False
    return a.element_size() != b.element_size() or not set(addresses(a)).isdisjoint(addresses(b))


def is_same_view(a, b):
    return (a.data_ptr(), a.shape, a.stride(), a.dtype) == (b.data_ptr(), b.shape, b.stride(), b.dtype)


class Program:
    """Inputs (name, expression, whether it is a buffer), statements and names of results."""

    def __init__(self, inputs=(), statements=(), results=(), device="cpu"):
        self.inputs, self.statements, self.results = list(inputs), list(statements), list(results)
        self.device, self.specials, self.operators, self.tried = device, 0, [], []

    @staticmethod
    def load(form, device="cpu"):
        return Program([tuple(i) for i in form["inputs"]], form["statements"], form["results"], device)

    def save(self):
        return {"inputs": self.inputs, "statements": self.statements, "results": self.results}

    # Running.

    def scope(self):
        return {"torch": torch, "math": math, "data": values.data, "positions": values.positions,
                "DEVICE": torch.device(self.device)}

    def evaluate(self, expression):
        return eval(expression, self.scope())  # pylint: disable=eval-used

    def make_inputs(self, rewrite=lambda text: text):
        return [self.evaluate(rewrite(expression)) for _, expression, _ in self.inputs]

    def start(self):
        """Runs what there is, statement by statement: fills `values`."""
        self.values = self.scope()
        for name, expression, _ in self.inputs:
            self.values[name] = self.evaluate(expression)
        for statement in self.statements:
            exec(statement, self.values)  # pylint: disable=exec-used

    def source(self, class_name="Program"):
        """The class of the module."""
        lines = [f"class {class_name}(torch.nn.Module):"]
        buffers = [(name, expression) for name, expression, is_buffer in self.inputs if is_buffer]
        if buffers:
            lines += ["    def __init__(self):", "        super().__init__()"]
            lines += [f"        self.register_buffer({name!r}, {expression})" for name, expression in buffers]
            lines.append("")
        users = [name for name, _, is_buffer in self.inputs if not is_buffer]
        lines.append(f"    def forward({', '.join(['self', *users])}):")
        lines += [f"        {name} = self.{name}" for name, _ in buffers]
        lines += [f"        {statement}" for statement in self.statements]
        lines.append(f"        return [{', '.join(self.results)}]")
        return "\n".join(lines) + "\n"

    count = itertools.count()

    def module(self, rewrite=lambda text: text):
        text, file = rewrite(self.source()), f"program{next(Program.count)}.py"
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        scope = self.scope()
        exec(compile(text, file, "exec"), scope)  # pylint: disable=exec-used
        return scope["Program"]()

    def reproducer(self, options, dynamic, decompose, opt_level=1):
        """A program that exports, compiles and compares."""
        users = [(name, expression) for name, expression, is_buffer in self.inputs if not is_buffer]
        given = ", ".join(expression for _, expression in users)
        shapes = "tuple({d: torch.export.Dim.AUTO for d, s in enumerate(t.shape) if s > 1} for t in make())"
        return "\n".join([
            *self.preamble(given), "import coil",
            "with torch.no_grad():",
            f"    program = torch.export.export(Program(), make(), strict=False{', dynamic_shapes=' + shapes if dynamic else ''})",
            *(["    program = program.run_decompositions()"] if decompose else []),
            "torch.export.save(program, 'fuzzed.pt2')",
            f"compiled = coil.compile('fuzzed.pt2', options={options!r}, opt_level={opt_level})",
            "given = make()", "with torch.no_grad():", "    expected = Program()(*given)",
            "for spec, result in zip(compiled.outputs, compiled.run(*make(), like=torch.Tensor)):",
            "    print(spec, result)", "print('expected', expected, 'inputs', given)"])

    def preamble(self, given):
        """The lines of a reproducer that define the module and its inputs."""
        text = given + self.source()
        functions = [values.special, values.data] if "data(" in text else []
        functions += [values.positions] if "positions(" in text else []
        return ["import math", "import torch", "", *map(inspect.getsource, functions),
                f"DEVICE = torch.device({self.device!r})", "", "",
                self.source(), "", f"make = lambda: ({given}{',' if given else ''})"]

    def compiled_reproducer(self, dynamic):
        """A program that compares torch.compile with eager mode."""
        given = ", ".join(expression for _, expression, is_buffer in self.inputs if not is_buffer)
        return "\n".join([
            *self.preamble(given), "for backend in 'eager', 'aot_eager', 'coil':",
            "    inputs = make()", "    with torch.no_grad():",
            f"        results = torch.compile(Program(), backend=backend, dynamic={dynamic})(*inputs)",
            "    print(backend, results, 'inputs', inputs)"])


def is_float(t):
    return t.is_floating_point() or t.is_complex()


def text_updates_statistics(text):
    """Whether a call updates operands of which its schema does not say that."""
    return re.search(r"batch_norm|instance_norm", text) is not None


class Drawing(Program):
    """A program that is drawn from a seed."""

    def __init__(self, seed, table, patterns, device="cpu", size=None, only=None):
        """`only` is an operator, of which the program is one call."""
        super().__init__(device=device)
        self.rng = random.Random(seed)
        self.table, self.patterns = table, patterns
        self.names = list(table)
        self.numbers = itertools.count()
        rng = self.rng
        self.specials = rng.choice([0, 0, 0, 0, 0.3])
        self.live, self.terminal = [], []
        self.start()
        for _ in range(rng.choice([1, 2, 2, 3])):
            drawn = Arguments(self, rng)
            drawn.input(drawn.shape(), rng.choice(arguments.DTYPES))
            self.add_inputs(drawn.new)
        if only:
            self.operator(only, attempts=12)
            if only.full in self.operators:
                self.choose_results()
            return
        wanted = size or rng.randint(3, 25)
        for _ in range(wanted * 12):
            if self.count_operators() >= wanted:
                break
            self.step()
        self.choose_results()

    def count_operators(self):
        return len(self.statements)

    def fresh(self, letter):
        return f"{letter}{next(self.numbers)}"

    def is_useful(self, name):
        t = self.values[name]
        if not t.numel():
            return False
        return not (t.is_floating_point() or t.is_complex()) or bool(t.isfinite().any())

    def add_inputs(self, new):
        for name, expression in new:
            self.inputs.append((name, expression, self.rng.random() < 0.15))
            self.values[name] = self.evaluate(expression)
            if not expression.startswith("positions"):
                self.live.append(name)

    def choose_results(self):
        rng = self.rng
        defined = [n for s in self.statements for n in NAME.findall(definition(s)) if n in self.live + self.terminal]
        text = "\n".join(self.statements)
        defined = [n for n in defined if len(re.findall(rf"\b{n}\b", text)) > 1 or f"{n} = torch.empty(" not in text]
        uses = [n for s in self.statements for n in NAME.findall(s[len(definition(s)):])]
        unused = [n for n in dict.fromkeys(defined) if n not in uses]
        rng.shuffle(unused)
        others = [n for n in dict.fromkeys(defined) if n in uses]
        chosen = unused[:12] + rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2])))
        if rng.random() < 0.05 and self.live:
            chosen.append(rng.choice(self.live))
        # Also what is a part of another: results that share memory.
        self.results = chosen or self.live[:1]

    # Statements.

    def step(self):
        rng, what = self.rng, self.rng.random()
        if what < 0.2:
            return self.idiom()
        if what < 0.42 and self.patterns:
            return self.pattern(self.patterns.draw(rng))
        name = rng.choice(COMMON) if what < 0.68 else rng.choice(self.names)
        if name not in self.table:
            return False
        return self.operator(rng.choice(self.table[name]))

    def operator(self, operator, attempts=4):
        """Draws a call of an overload."""
        error = None
        for _ in range(attempts):
            try:
                if self.call(operator):
                    self.operators.append(operator.full)
                    return True
            except Exception as caught:  # Whatever eager mode says. # pylint: disable=broad-except
                error = caught
        self.tried.append((operator.full, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"))
        entry = self.patterns.of_operator(operator.name, self.rng) if self.patterns and self.rng.random() < 0.5 else None
        return bool(entry) and self.pattern(entry)

    def call(self, operator):
        drawn = Arguments(self, self.rng)
        positional, keyword = [], []
        is_positional = True
        for argument in operator.arguments:
            if operator.is_out and argument in operator.written:
                continue
            text = drawn.draw(argument, operator)
            if text is None:
                is_positional = False
            elif argument.kwarg_only or not is_positional:
                keyword.append((argument.name, text))
            else:
                positional.append(text)
        if operator.is_out:
            keyword += self.outs(operator, drawn, positional, keyword)
        text = f"{operator.text}({', '.join(positional + [f'{k}={v}' for k, v in keyword])})"
        written = []
        if operator.written:
            names = dict(zip((a.name for a in operator.arguments), positional)) | dict(keyword)
            written = [n for a in operator.written for n in NAME.findall(names.get(a.name, ""))]
        return self.commit(drawn, text, written, operator, len(operator.schema.returns))

    def outs(self, operator, drawn, positional, keyword):
        """The arguments behind `out`: their sizes are what eager mode makes of empty ones."""
        rng = self.rng
        scope = dict(self.values)
        for name, expression in drawn.new:
            scope[name] = self.evaluate(expression)
        for statement in drawn.before:
            exec(statement, scope)  # pylint: disable=exec-used
        error = None
        x = drawn.value(drawn.first) if drawn.first else None
        for dtype in dict.fromkeys([x.dtype if x is not None else torch.float32, torch.float32, torch.int64, torch.bool]):
            lists = any("List" in str(a.type) for a in operator.written)
            if lists:
                raise ValueError("lists of out arguments")
            made = {a.name: torch.empty([0], dtype=dtype if i == 0 else rng.choice([dtype, torch.int64]), device=self.device)
                    for i, a in enumerate(operator.written)}
            text = f"{operator.text}({', '.join(positional + [f'{k}={v}' for k, v in keyword + [(n, n) for n in made]])})"
            try:
                eval(text, {**scope, **made})  # pylint: disable=eval-used
            except Exception as caught:  # pylint: disable=broad-except
                error = caught
                continue
            is_resized = self.resizes(text, scope, made)
            result = []
            for name, t in made.items():
                found = self.live_out(t) if rng.random() < 0.6 else None
                if not found:
                    found = self.fresh("v")
                    kind = rng.choice(["zeros", "empty"])
                    size = [0] if is_resized and rng.random() < 0.15 else list(t.shape)
                    drawn.before.append(f"{found} = torch.{kind}({show(size)}, dtype={t.dtype}, device=DEVICE)")
                result.append((name, found))
            return result
        raise error

    @staticmethod
    def resizes(text, scope, made):
        """Whether eager mode computes the same for `out` arguments that it resizes, which it has just done with `made`. (Some
        operators reduce what they have not resized yet.)"""
        before = [t.clone() for t in made.values()]
        full = {name: torch.zeros_like(t) for name, t in made.items()}
        eval(text, {**scope, **full})  # pylint: disable=eval-used
        return all(torch.equal(a.nan_to_num(), b.nan_to_num()) and torch.equal(a.isnan(), b.isnan()) for a, b in zip(before, full.values()))

    def live_out(self, like):
        names = [n for n in self.live if self.values[n].shape == like.shape and self.values[n].dtype == like.dtype]
        return self.rng.choice(names) if names else None

    def commit(self, drawn, text, written=(), operator=None, returns=1):
        """Tries a statement; keeps it with the inputs and statements that it needs."""
        scope = dict(self.values)
        for name, expression in drawn.new:
            scope[name] = self.evaluate(expression)
        used = [n for n in NAME.findall(text)]
        layouts = [(n, scope[n].shape, scope[n].stride()) for n in self.values if NAME.fullmatch(n)]
        try:
            with torch.no_grad(), Watch():
                for statement in drawn.before:
                    exec(statement, scope)  # pylint: disable=exec-used
                self.check_writes(scope, written, used, operator, text)
                if re.match(r"[\w\[\]:, .*()'=]+ [+*|&-]?= ", text):  # An assignment to a part.
                    exec(text, scope)  # pylint: disable=exec-used
                    results, statement = [], text
                else:
                    result = eval(text, scope)  # pylint: disable=eval-used
                    leaves = result if isinstance(result, (list, tuple)) else [result]
                    if any(isinstance(leaf, (list, tuple)) for leaf in leaves):
                        raise ValueError("nested results")
                    results = [(self.fresh("v"), leaf) for leaf in leaves if leaf is not None]
                    if not all(isinstance(t, torch.Tensor) for _, t in results) or len(results) > 12:
                        raise ValueError("no tensors, or many")
                    names = ", ".join(name for name, _ in results)
                    comma = "," if isinstance(result, (list, tuple)) and len(results) == 1 else ""
                    statement = f"{names}{comma} = {text}" if results else text
            self.check_bools(scope)
            if "as_strided" in text:
                self.check_memory(scope, [t for _, t in results])
            hidden = self.undefined_positions(text, scope, used, results, written)
            for name, t in results:
                if t.numel() > MAX_ELEMENTS or t.dim() > MAX_RANK or t.layout != torch.strided or t.dtype not in TYPES:
                    raise ValueError("a result that is too large, or of another type")
            for name, shape, stride in layouts:
                t = scope[name]
                if (t.shape, t.stride()) != (shape, stride) and (name[0] == "x" or name not in written or operator is None
                                                                  or operator.is_out):
                    raise ValueError("another layout of a tensor")
        except BaseException:
            if written or "_(" in text or re.search(r"\] [+*-]?= ", text):
                self.start()  # It may have written a part.
            raise
        self.add_inputs(drawn.new)
        for name, _, is_buffer in self.inputs[-len(drawn.new):] if drawn.new else []:
            self.values[name] = scope[name]
        for before in drawn.before:
            self.statements.append(before)
            name = NAME.match(before).group(0)
            self.values[name] = scope[name]
            if "torch.empty" not in before or name in written:
                self.live.append(name)
        self.statements.append(statement)
        for name, t in results:
            self.values[name] = t
            if name in hidden:
                continue
            if operator is not None and (operator.has_data_size and self.rng.random() < 0.7 or operator.is_random):
                self.terminal.append(name)
            else:
                self.live.append(name)
        return True

    @staticmethod
    def check_bools(scope):
        """Numbers that are written to the memory of bools are neither true nor false."""
        for name, t in scope.items():
            if NAME.fullmatch(name) and isinstance(t, torch.Tensor) and t.dtype == torch.bool and bool((t.view(torch.uint8) > 1).any()):
                raise Undefined("bools of other bits than those of true and false")

    @staticmethod
    def check_memory(scope, results):
        """Inputs are their elements; what lies between these is memory that a program is not given."""
        for t in results:
            held = set()
            for name, other in scope.items():
                if NAME.fullmatch(name) and other.untyped_storage().data_ptr() == t.untyped_storage().data_ptr():
                    held.update(addresses(other))
            if other_bytes := set(addresses(t)) - held:
                raise Undefined(f"{len(other_bytes)} places in memory that no tensor has")

    @staticmethod
    def undefined_positions(text, scope, used, results, written):
        """Names of results that eager mode may give in another way: positions of elements which occur
        several times, vectors of decompositions."""
        for pattern, unique in UNIQUE:
            if pattern.search(text):
                if written:
                    raise Undefined("results that are not unique")
                return [name for i, (name, _) in enumerate(results) if i not in unique]
        # A logarithm has many angles; which one comes out of a scan depends on its order.
        if "logcumsumexp" in text and used and scope[used[0]].is_complex():
            if written:
                raise Undefined("an angle that depends on an order")
            return [name for name, _ in results]
        if re.search(r"\btopk\b.*(sorted=False|, False\)|, False, values=)", text):  # In any order.
            if written:
                raise Undefined("values in any order")
            return [name for name, _ in results]
        is_order = "argsort" in text
        if not UNSTABLE.search(text) or not used or len(results) < 2 and not is_order:
            return ()
        x = scope[used[0]]
        if x.unique().numel() == x.numel() and not (x.is_floating_point() and x.isnan().any()):
            return ()
        if written:
            raise Undefined("positions of elements that occur several times")
        return [name for name, t in results[0 if is_order else 1:] if t.dtype == torch.int64]

    @staticmethod
    def check_writes(scope, written, used, operator, text):
        pointwise = operator is None or torch.Tag.pointwise in operator.tags
        if LIBRARY.search(text) and any(is_float(scope[n]) and not bool(scope[n].isfinite().all()) for n in used):
            raise Undefined("a decomposition of what is not finite")
        if text_updates_statistics(text) and any(share(scope[a], scope[b]) for i, a in enumerate(used) for b in used[:i]):
            raise Undefined("statistics in the memory of another operand")
        for name in written:
            t = scope[name]
            if not isinstance(t, torch.Tensor):
                continue
            if overlaps_itself(t):
                raise Undefined("a write to memory that occurs twice")
            seen_itself = False
            for other in used:
                if other == name and not seen_itself:
                    seen_itself = True
                    continue
                if share(t, scope[other]) and not (pointwise and is_same_view(t, scope[other])):
                    raise Undefined("a write to a part of another operand")

    def pattern(self, entry):
        """A call of PyTorch's operator database, with live values where they fit."""
        if entry is None:
            return False
        for exact in (0.3, 1.0):
            try:
                drawn = Arguments(self, self.rng)
                text, written = entry.text(drawn, exact)
                if self.commit(drawn, text, written):
                    self.operators.append(entry.name)
                    return True
            except Exception as caught:  # pylint: disable=broad-except
                error = caught
        self.tried.append((entry.name, f"{type(error).__name__}: {error}"))
        return False

    def idiom(self):
        drawn = Arguments(self, self.rng)
        try:
            return self.write_idiom(drawn, self.live and drawn.live())
        except Exception:  # pylint: disable=broad-except
            return False

    def write_idiom(self, drawn, x):
        rng = self.rng
        t = self.values[x]
        kind = rng.choice(["get", "get", "set", "set", "augment", "augment", "infix", "infix", "number", "where", "to", "matmul", "cat",
                           "method", "mask"])
        drawn.first = x
        other = lambda: drawn.fit(t.shape, t.dtype) or drawn.input(t.shape, t.dtype)
        number = lambda: show(drawn.number("other"))
        written, text = (), None
        if kind == "get":
            text = f"{x}[{self.key(drawn, t, False)}]"
        elif kind in ("set", "augment"):
            key, written = self.key(drawn, t, True), (x,)
            value = number() if rng.random() < 0.5 else drawn.live(lambda o: o.dim() <= t.dim()) or number()
            text = f"{x}[{key}] {'=' if kind == 'set' else rng.choice(['+=', '*=', '-='])} {value}"
        elif kind == "mask":
            written, text = (x,), f"{x}[{x} {rng.choice(['>', '<', '!='])} {number()}] = {number()}"
        elif kind == "infix":
            text = f"{x} {rng.choice(['+', '-', '*', '/', '**', '//', '%', '<', '>=', '==', '&', '|', '^', '@'])} {other()}"
        elif kind == "number":
            sides = [x, number()]
            rng.shuffle(sides)
            text = f"{sides[0]} {rng.choice(['+', '-', '*', '/', '**', '//', '%', '<', '>=', '==', '&', '|'])} {sides[1]}"
        elif kind == "where":
            text = f"torch.where({x} {rng.choice(['>', '<', '==', '!='])} {number()}, {rng.choice([x, other()])}, {rng.choice([other(), number()])})"
        elif kind == "to":
            text = f"{x}.{rng.choice(['to', 'to', 'to', 'view'])}({rng.choice(arguments.DTYPES)})"
        elif kind == "matmul":
            inner, columns = (t.shape[-1] if t.dim() else 1), rng.choice([1, 2, 3, 5, 7])
            shape = [inner, columns] if rng.random() < 0.5 else [*t.shape[:-2], inner, columns]
            second = drawn.fit(shape, t.dtype) or drawn.input(shape, t.dtype)
            text = f"{x} @ {second}" if rng.random() < 0.7 or len(shape) != 2 else f"torch.nn.functional.linear({x}, {second}.t())"
        elif kind == "cat":
            dim = rng.randrange(-t.dim(), t.dim()) if t.dim() else 0
            text = f"torch.{rng.choice(['cat', 'stack', 'cat'])}([{x}, {other()}, {drawn.live(lambda o: o.dim() == t.dim()) or x}], {dim})"
        else:
            name = rng.choice(["sum", "mean", "amax", "softmax", "cumsum", "var", "argmax", "any", "prod", "sort", "median", "std"])
            dim = rng.randrange(-t.dim(), t.dim()) if t.dim() else 0
            text = f"{x}.{name}({dim}{', keepdim=True' if rng.random() < 0.4 and name not in ('softmax', 'cumsum', 'sort') else ''})"
        self.commit(drawn, text, written)
        self.operators.append(f"idiom.{kind}")
        return True

    def key(self, drawn, t, writes):
        """What stands in brackets behind a tensor."""
        rng, parts, indexed = self.rng, [], False
        for size in t.shape[:rng.randrange(t.dim() + 1)]:
            what = rng.random()
            bound = lambda: rng.choice(["", str(rng.randint(-size - 1, size + 1))])
            if what < 0.5:
                parts.append(f"{bound()}:{bound()}" + rng.choice(["", "", ":2", ":3"]))
            elif what < 0.7 and size:
                parts.append(str(rng.randrange(-size, size)))
            elif what < 0.85 and size and not indexed:
                indexed = True
                count = rng.randint(1, size)
                parts.append(drawn.make(f"positions(({count},), {size}, {rng.randrange(1000)}, {writes}, device=DEVICE)"))
            elif what < 0.9:
                parts.append("None")
                parts.append(":")
            else:
                parts.append(":")
        if rng.random() < 0.2 or not parts:
            parts.insert(rng.choice([0, len(parts)]), "...")
        if rng.random() < 0.05:
            parts = [drawn.input(t.shape, torch.bool, "normal")]
        return ", ".join(parts)


def definition(statement):
    """The part of a statement that names what it defines."""
    match = re.match(r"[v\d, ]+ = ", statement)
    return match.group(0) if match else ""


def draw(seed, table, patterns, device="cpu", size=None, only=None):
    return Drawing(seed, table, patterns, device, size, only)


def read_table():
    return schemas.read_table()
