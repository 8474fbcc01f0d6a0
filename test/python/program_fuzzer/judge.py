#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Whether results of a program agree with eager mode.

Eager mode runs the program several times: again, since what differs from run to run is random; in
double precision; and, where results are not as near as op_db's rules have it, with
rounding errors added behind every operator that rounds (`Noise`); and with NaNs of either sign (`Signs`). An element agrees if it is as near to
one of these runs as the rules say, or no further from eager mode than FACTOR times the distance
that these runs have from it. Results whose elements differ by more than that are wrong. An element of
integers or bools that is another one in one of these runs does not say anything, nor do infinities and NaN among
complex numbers, which depend on the order of a sum: such results are unstable, counted by themselves, and no failures.
"""

import math
import re

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

import programs
import samples as db

WIDE = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
        torch.complex32: torch.complex128, torch.complex64: torch.complex128}
# How many times the distance of other runs in eager mode from the first a result may be off.
FACTOR = 8
RUNS = 6
# How often programs are drawn anew whose results are wrong, unless they are random.
DRAWS = 100
# How many times the error of an operator is where its bits are looked at: those of what is left of larger numbers.
BITS = 1024
# The part of the bytes of rounded numbers that may be zero in one run and not in another, by chance: one of 256, and then some.
BYTES = 1 / 64
# Operators that round nothing.
EXACT = re.compile(
    r"^(?:(?:_?to_copy|copy|clone|view|reshape|_unsafe_view|expand|permute|transpose|t|slice|select|unsqueeze|squeeze|alias|detach|"
    r"as_strided|unfold|diagonal|split|unbind|cat|stack|index|gather|scatter|take|flip|roll|repeat|tril|triu|where|masked_fill|"
    r"masked_select|masked_scatter|fill|zero|zeros|ones|full|empty|new|neg|abs|relu|sign|sgn|floor|ceil|round|trunc|max|min|"
    r"amax|amin|maximum|minimum|fmax|fmin|clamp|sort|topk|kthvalue|mode|median|nanmedian|isnan|isinf|eq|ne|lt|le|gt|ge|logical|"
    r"bitwise|constant_pad|pad|real|imag|conj|complex|_conj|resolve|lift|arange|nan_to_num|frexp|unique2?|nonzero|any|all|isin|"
    r"put|embedding(?!_bag)|pixel|channel|movedim|cummax|cummin|aminmax|hardtanh|nextafter|copysign|scalar_tensor|item|bernoulli|"
    r"normal|uniform|signbit|heaviside)(?![a-z0-9])|reflection|replication|max_pool|_local_scalar|rand|dropout)"
    r"(?![a-z]*_?(mean|add|reduce|prod|sum))")


# The error of some functions of double precision, see REFERENCES.
SINGLE = 1e-7
# Functions that oscillate: their errors do not get smaller where they are zero.
OSCILLATING = re.compile(r"bessel_[jy]|airy")
# Polynomials, which eager mode leaves open where an operand is NaN, and how often its loop runs where the degree is infinite.
POLYNOMIALS = re.compile(r"_polynomial_[a-z]+$")
# Operators that subtract what may be as large, before they return the difference: what is only its error may be zero.
DIFFERENCES = re.compile(r"cross$|gelu$")
# Distances that are computed as (x^2 - 2 x y + y^2)^(1/2): where they are small, nothing but errors of the squares may be left.
DISTANCES = re.compile(r"_euclidean_dist$")
# Operators that add a product, which eager mode rounds in between or not: their errors are those of the larger summand.
CONTRACTED = re.compile(r"^(lerp|addcmul|addcdiv|addr)$")
# Interpolations of up to sixteen elements, whose products and sums are rounded each.
INTERPOLATIONS = re.compile(r"^(_?upsample|grid_sampler)")
PRODUCTS = 16
# Products of matrices and windows: an element has rounding errors of what is added, however little is left of it.
MATRICES = re.compile(r"^(mm|bmm|addmm|baddbmm|addbmm|mv|addmv|dot|convolution|linear|_convolution)$")
# Operators that return one of several equal elements, or compute in an order that nothing says.
ORDERED = re.compile(r"^(topk|kthvalue|mode|median|nanmedian|prod)$")
# Searches, which eager mode leaves open where what they search is not sorted.
SEARCHES = {"searchsorted": 0, "bucketize": 1, "histogram": 1}
# Operators that look at the sign of a zero.
SIGNED = re.compile(r"copysign|signbit|atan2|arctan2|angle|reciprocal|special_|pow|div")
# Sums of many parts, which overflow, or make NaN of infinities, by the order of their parts; distances multiply infinities by zeros.
SUMS = re.compile(MATRICES.pattern + r"|avg_pool|sum|mean|norm|dist$|cumsum|einsum|attention")
# From where on the sum of some numbers of a type may be infinite, as a part of the largest.
HUGE = 1e-4
# Normalisations, which subtract a mean: of equal elements nothing but an error is left, as large as this many errors of the largest.
NORMS = re.compile(r"(batch|layer|group|instance)_norm")
NORM_ERRORS = 1e3
# Operators whose errors are those of the largest element.
NORMWISE = re.compile(programs.LIBRARY.pattern + r"|fft|stft|avg_pool")


def widen(text):
    return re.sub(r"torch\.(float16|bfloat16|float32|half|float)\b", "torch.float64",
                  re.sub(r"torch\.complex(32|64)\b", "torch.complex128", text))


def is_rounded(t):
    return isinstance(t, torch.Tensor) and (t.is_floating_point() or t.is_complex()) and t.numel() > 0


def get_written(function, args, out):
    """The tensors that an operator computed: none of a view; of one that returns nothing the operands that it writes to."""
    schema = function._schema
    if any(r.alias_info and not r.alias_info.is_write for r in schema.returns):
        return []
    written = [a for s, a in zip(schema.arguments, args) if s.alias_info is not None and s.alias_info.is_write]
    return _pytree.tree_leaves(written if out is None else out)


def degree_of(degree):
    """How many times an error of the angle, or of a step, is that of a polynomial of this degree: (n + 1) acos(x) has n errors of acos."""
    degree = torch.as_tensor(degree, dtype=torch.float64).abs()
    degree = degree[degree.isfinite()]
    return max(1.0, float(degree.max())) if degree.numel() else 1.0


def summands_of(name, function, args, kwargs):
    """What an operator adds, as large as it is, whatever its sign."""
    if MATRICES.search(name):
        size = _pytree.tree_map(lambda a: abs(a) if isinstance(a, (torch.Tensor, float)) else a, (args, kwargs))
        return function(*size[0], **size[1]).double().nan_to_num(0, 0, 0)
    size = [a.double().abs() if isinstance(a, torch.Tensor) else abs(a) for a in args]
    if name == "lerp":
        return size[0] + size[2] * (size[0] + size[1])
    factor = abs(kwargs.get("value", kwargs.get("alpha", 1)))
    if name == "addr":
        return abs(kwargs.get("beta", 1)) * size[0] + factor * torch.outer(size[1], size[2])
    return size[0] + factor * (size[1] * size[2] if name == "addcmul" else size[1] / size[2])


class Noise(TorchDispatchMode):
    """Adds errors of half a unit in the last place, or one, to what operators that round return; with a direction, one
    to each element. Decompositions, solutions and transforms have errors of the size of the largest element, and those of
    libraries compute exactly for operands with such errors."""

    def __init__(self, seed, direction=0, with_zeros=False, scale=1, is_whole=False):
        """`with_zeros`: zeros have the sign of the direction. `scale`: what errors are multiplied by. `is_whole`: what is an
        integer but for its error is that integer, of which a power of a negative number is no NaN."""
        super().__init__()
        self.is_whole = is_whole
        self.generator, self.direction = torch.Generator().manual_seed(seed), direction
        self.with_zeros, self.scale = with_zeros, scale

    def draw(self, t):
        if self.direction:
            return torch.full(t.shape, self.direction, dtype=torch.float64, device=t.device)
        return torch.rand(t.shape, generator=self.generator, dtype=torch.float64).to(t.device) * 2 - 1

    def disturb(self, t, is_normwise, eps, is_oscillating=False):
        """A tensor with errors."""
        exact = t.to(torch.complex128 if t.is_complex() else torch.float64)
        size = exact.abs()
        if is_oscillating:
            size = size.clamp(min=1)
        if is_normwise:
            size = torch.where(size.isfinite(), size, 0).amax()
        # Of a complex number each part has errors of the size of the whole.
        error = torch.complex(self.draw(t) * size, self.draw(t) * size) if t.is_complex() else self.draw(t) * size
        if self.is_whole and not t.is_complex():
            return torch.where((exact - exact.round()).abs() <= eps * size, exact.round(), exact).to(t.dtype)
        return (exact + eps * self.scale * error).to(t.dtype)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.split("::")[1].rstrip("_")
        is_distance = DISTANCES.search(name) is not None
        operands = [a.clone() for a in args if is_rounded(a)] if DIFFERENCES.search(name) or is_distance else []
        # What is written is no operand where it is `out`.
        has_operands = not function._schema.is_mutable or "out" in (kwargs or {})
        has_summands = CONTRACTED.search(name) or (MATRICES.search(name) and has_operands)
        has_summands = has_summands and all(a.is_floating_point() for a in args if isinstance(a, torch.Tensor))
        summands = summands_of(name, function, args, kwargs or {}) if has_summands else None
        if programs.LIBRARY.search(name) and not function._schema.is_mutable:
            args = _pytree.tree_map(lambda t: self.disturb(t, True, torch.finfo(t.dtype).eps) if is_rounded(t) else t, args)
        out = function(*args, **(kwargs or {}))
        if EXACT.match(name):
            return out
        for t in get_written(function, args, out):
            if is_rounded(t):
                # Some functions are no better than single precision.
                eps = max(torch.finfo(t.dtype).eps, SINGLE if name in db.REFERENCES else 0)
                is_polynomial = POLYNOMIALS.search(name) is not None
                if is_polynomial:
                    eps *= degree_of(args[1])
                if INTERPOLATIONS.search(name):
                    eps *= PRODUCTS
                if summands is not None and summands.shape == t.shape:
                    t.copy_(t.double() + eps * self.scale * summands * self.draw(t))
                if is_distance:
                    squares = sum(float(a.nan_to_num(0, 0, 0).square().sum(-1).amax()) for a in operands)
                    t.copy_((t.double().square() + eps * self.scale * squares * self.draw(t)).clamp(min=0).sqrt())
                t.copy_(self.disturb(t, NORMWISE.search(name) or name in db.REFERENCES, eps, is_polynomial or OSCILLATING.search(name)))
                if self.direction and DIFFERENCES.search(name):
                    size = math.prod(float(a.abs().amax()) for a in operands)
                    t.copy_(torch.where(t.abs() <= 4 * eps * size, eps * size if self.direction > 0 else 0, t))
                if self.direction and NORMS.search(name) and t.dim() > 1 and not t.is_complex():
                    size = float(args[0].nan_to_num(0, 0, 0).abs().amax()) if args[0].numel() else 0
                    left = NORM_ERRORS * eps * size
                    t.copy_(torch.where(t.abs() <= left, left if self.direction > 0 else 0, t))
                if self.with_zeros and not t.is_complex():
                    t.copy_(torch.where(t == 0, math.copysign(0.0, self.direction), t))
        return out


class Order(TorchDispatchMode):
    """Gives operators elements in the reverse order, where that changes nothing that anything says."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = function._schema
        if not ORDERED.search(schema.name.split("::")[1]) or not args[0].dim() or not args[0].numel():
            return function(*args, **kwargs)
        given = dict(zip((a.name for a in schema.arguments), args)) | kwargs
        if "dim" not in given and any(a.name == "dim" for a in schema.arguments):
            given["dim"] = -1
        dims = [given["dim"]] if "dim" in given else range(args[0].dim())
        rest = list(args[1:])
        for i, argument in enumerate(schema.arguments[1:]):
            if argument.name == "sorted" and given.get("sorted") is False:
                # Any order is one; that of the values, too.
                if i < len(rest):
                    rest[i] = True
                else:
                    kwargs = {**kwargs, "sorted": True}
        out = function(args[0].flip(*dims), *rest, **kwargs)
        if isinstance(out, (tuple, list)) and len(out) == 2:
            out[1].copy_(args[0].shape[given["dim"]] - 1 - out[1])
        return out


class Huge(TorchDispatchMode):
    """Looks for sums of numbers that overflow by the order of their parts, and distances of what is infinite: `found`."""

    found = False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.split("::")[1].rstrip("_")
        for t in _pytree.tree_leaves((args, kwargs)) if SUMS.search(name) else ():
            if is_rounded(t) and not t.is_complex() and isinstance(t, torch.Tensor):
                self.found |= bool((t.isfinite() & (t.abs() > torch.finfo(t.dtype).max * HUGE)).any())
                self.found |= DISTANCES.search(name) is not None and bool(t.isinf().any())
        return function(*args, **(kwargs or {}))


class Subnormals(TorchDispatchMode):
    """Takes subnormal numbers among bf16 operands of products for zeros, as processors' instructions for such products do,
    which eager mode uses for large ones, and Coil for any."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if MATRICES.search(function._schema.name.split("::")[1]):
            args = [torch.where(a.abs() < torch.finfo(a.dtype).smallest_normal, 0, a) if isinstance(a, torch.Tensor) and a.dtype == torch.bfloat16
                    else a for a in args]
        return function(*args, **(kwargs or {}))


class Places(TorchDispatchMode):
    """Samples 16-bit images at places in `f32`, where eager mode computes the places in 16 bits."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if not function._schema.name.split("::")[1].startswith("grid_sampler") or args[0].dtype not in (torch.bfloat16, torch.float16):
            return function(*args, **(kwargs or {}))
        given = [a.float() if isinstance(a, torch.Tensor) else a for a in args]
        return function(*given, **(kwargs or {})).to(args[0].dtype)


class Exact(TorchDispatchMode):
    """Has mpmath compute the functions that eager mode computes with errors of single precision (REFERENCES). At its poles, a
    polygamma function is infinite, where eager mode has what is left of rounding errors."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function._schema.name.split("::")[1]
        if name.rstrip("_") in ("polygamma", "special_polygamma"):
            x = next(a for a in args if isinstance(a, torch.Tensor)).double()
            is_pole = (x <= 0) & (x == x.floor())
            out = function(*args, **(kwargs or {}))
            return out.masked_fill_(is_pole, math.inf)
        if name not in db.REFERENCES:
            return function(*args, **(kwargs or {}))
        given = args[0].clone()
        out = function(*args, **(kwargs or {}))
        out.copy_(db.of_mpmath(db.REFERENCES[name], given))
        return out


class Parts(TorchDispatchMode):
    """Adds and subtracts complex numbers part by part. Eager mode multiplies the second one by alpha, 1 + 0i, as complex numbers,
    which makes NaN of infinities."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function._schema.name.split("::")[1].rstrip("_")
        given = [a for a in args if isinstance(a, torch.Tensor)]
        if name not in ("add", "sub") or len(given) != 2 or not all(a.is_complex() for a in given) or kwargs.get("alpha", 1) != 1:
            return function(*args, **kwargs)
        parts = [torch.view_as_real(a.resolve_conj()).clone() for a in given]
        out = function(*args, **kwargs)
        sums = parts[0] + parts[1] if name == "add" else parts[0] - parts[1]
        for t in get_written(function, args, out):
            t.copy_(torch.view_as_complex(sums.broadcast_to(*t.shape, 2).contiguous()))
        return out


class Signs(TorchDispatchMode):
    """Gives NaNs that operators return one sign and payload, and, of complex numbers, zeros that sign: eager mode's depend on how
    many elements fit into a vector. What eager mode leaves open is infinite with that sign, or zero and one. Polynomials of large degree
    subtract infinities from each other, where what is infinite or NaN depends on the recurrence."""

    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    def set(self, t):
        size = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}.get(t.dtype)
        if size is None:
            return t
        # All ones is a NaN, too.
        nan = torch.full_like(t, math.nan) if self.sign > 0 else torch.full_like(t, -1, dtype=size).view(t.dtype)
        return torch.where(t.isnan(), nan, t)

    def is_open(self, name, args):
        at = SEARCHES.get(name)
        return at is not None and isinstance(args[at], torch.Tensor) and not bool((args[at][..., 1:] >= args[at][..., :-1]).all())

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        # What it is called with may be written.
        operands = [a.clone() if isinstance(a, torch.Tensor) else a for a in args[:2]] if POLYNOMIALS.search(function._schema.name) else []
        is_open = self.is_open(function._schema.name.split("::")[1], args)
        out = function(*args, **(kwargs or {}))
        for t in get_written(function, args, out):
            if is_open:
                t.fill_(self.sign > 0)
            if not is_rounded(t):
                continue
            if POLYNOMIALS.search(function._schema.name):
                is_nan = torch.zeros(t.shape, dtype=torch.bool, device=t.device)
                for a in operands:
                    is_nan |= ~a.isfinite() if isinstance(a, torch.Tensor) else not math.isfinite(a)
                is_infinite = t.isinf()
                t.copy_(torch.where(is_nan | t.isnan(), self.sign * math.inf, t))
                t.copy_(torch.where(is_infinite & ~is_nan, math.nan if self.sign > 0 else -t, t))
            if t.is_complex():
                parts = torch.view_as_real(t.resolve_conj())
                parts = self.set(torch.where(parts == 0, math.copysign(0.0, self.sign), parts))
                t.copy_(torch.view_as_complex(parts.contiguous()))
            else:
                t.copy_(self.set(t))
        return out


class Fill(TorchDispatchMode):
    """Fills memory that operators only allocate."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        if re.search(r"(^|_)empty(_|$)", function._schema.name.split("::")[1]):
            out.fill_(self.value)
        return out


class Run:
    """What eager mode returns, and what inputs hold afterwards: tensors by label."""

    def __init__(self, program, wide=False, mode=None, seed=1):
        module = program.module(widen if wide else lambda text: text)
        given = []
        for name, expression, is_buffer in program.inputs:
            tensor = program.evaluate(widen(expression) if wide else expression)
            tensor.copy_(program.evaluate(expression))
            if is_buffer:
                getattr(module, name).copy_(tensor)
                tensor = getattr(module, name)
            given.append(tensor)
        users = [t for t, (_, _, is_buffer) in zip(given, program.inputs) if not is_buffer]
        torch.manual_seed(seed)
        default = torch.get_default_dtype()
        try:
            if wide:
                torch.set_default_dtype(torch.float64)
            with torch.no_grad():
                if mode is None:
                    results = module(*users)
                else:
                    with mode:
                        results = module(*users)
        finally:
            torch.set_default_dtype(default)
        self.results = [t.clone() for t in results]
        self.after = {name: t.clone() for t, (name, _, _) in zip(given, program.inputs)}

    def tensors(self):
        return [*self.results, *self.after.values()]


def run_or_none(*args, **kwargs):
    try:
        return Run(*args, **kwargs).tensors()
    except Exception:  # Not every program has another element type. # pylint: disable=broad-except
        return None


# Puts moderate numbers in the place of huge finite ones, of which sums and products overflow or not by the order of their parts.
TAME = ("(lambda t: t.copy_(torch.where(t.isfinite() & (t.abs() > 1e4), 8 * t.sign(), t)) if t.is_floating_point() else t)({})")


def tame(program):
    """The program with inputs that do not overflow; None where it has none of those that do, or keeps state."""
    given = [t for t in program.make_inputs() if t.is_floating_point()]
    if any(is_buffer for _, _, is_buffer in program.inputs) or not any(bool((t.isfinite() & (t.abs() > 1e4)).any()) for t in given):
        return None
    return programs.Program([(name, TAME.format(text), is_buffer) for name, text, is_buffer in program.inputs],
                            program.statements, program.results)


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(torch.all((a == b) | (a.isnan() & b.isnan()) if db.is_float(a) else a == b)) if a.numel() else True


class Expectation:
    """What eager mode gives for a program."""

    def __init__(self, program, is_random):
        self.program = program
        self.is_random = is_random
        self.first = Run(program)
        self.expected = self.first.tensors()
        others = [Run(program, seed=seed).tensors() for seed in range(2, 2 + (db.SEEDS if is_random else 1))]
        self.drawn = others
        self.random = [any(not same(e, run[i]) for run in others) for i, e in enumerate(self.expected)]
        if any("empty" in s for s in program.statements):
            # What depends on memory that nobody wrote to says nothing, either.
            runs = [run_or_none(program, mode=Fill(value)) for value in (0, 1)]
            if None not in runs:
                self.random = [r or not same(a, b) for r, a, b in zip(self.random, *runs)]
        self.others = self.orders = None

    def labels(self):
        return [f"result {i} ({name})" for i, name in enumerate(self.program.results)] + \
            [f"input {name} behind the call" for name in self.first.after]

    def has_bits(self):
        return any(re.search(r"view\(torch\.|view(_copy)?\.dtype|view_as_real_copy", s) for s in self.program.statements)

    def runs(self):
        """The same results in double precision and with rounding errors."""
        if self.others is None:
            bits = self.has_bits()
            runs = [run_or_none(self.program, mode=Noise(0, scale=BITS))] if bits else [run_or_none(self.program, wide=True)]
            runs += [run_or_none(self.program, mode=Noise(seed)) for seed in range(RUNS)]
            zeros = bits or any(SIGNED.search(s) for s in self.program.statements)
            runs += [run_or_none(self.program, mode=Noise(0, direction, zeros)) for direction in (-1, 1)]
            runs += [run_or_none(self.program, mode=Signs(sign)) for sign in (-1, 1)]
            if any("pow" in s for s in self.program.statements):
                runs.append(run_or_none(self.program, mode=Noise(0, is_whole=True)))
            self.others = [r for r in runs if r is not None]
        return self.others

    def reordered(self):
        """The same results with elements in another order, with what processors take for zero, and exact. How far they are from the
        first ones is no measure of errors."""
        if self.orders is None:
            self.orders = [r for r in [run_or_none(self.program, mode=mode()) for mode in (Order, Subnormals, Exact, Parts, Places)] if r is not None]
        return self.orders

    def add_runs(self, exported, program):
        """Runs of an exported program with rounding errors."""
        for seed in range(RUNS):
            given = {name: program.evaluate(expression) for name, expression, _ in program.inputs}
            try:
                module = exported.module()
                with torch.no_grad(), Noise(seed):
                    results = module(*[given[name] for name, _, is_buffer in program.inputs if not is_buffer])
            except Exception:  # With other numbers it may fail. # pylint: disable=broad-except
                continue
            self.runs().append([*results, *[given[name] if not is_buffer else getattr(module, name, given[name])
                                            for name, _, is_buffer in program.inputs]])

    def judge(self, results, after):
        """(state, why): agree, unstable or wrong."""
        if len(results) != len(self.first.results):
            return "wrong", f"{len(results)} results instead of {len(self.first.results)}"
        actuals = [*results, *[after.get(name) for name in self.first.after]]
        unstable = None
        for i, (label, actual, expected) in enumerate(zip(self.labels(), actuals, self.expected)):
            if actual is None:
                continue
            if self.random[i] and actual.dim() == expected.dim() and any(run[i].shape != expected.shape for run in self.drawn):
                continue
            if actual.dtype != expected.dtype or actual.shape != expected.shape:
                return "wrong", (f"{label}: {actual.dtype} {list(actual.shape)} instead of {expected.dtype} "
                                 f"{list(expected.shape)}")
            if self.random[i] or not expected.numel():
                continue
            actual = actual.to(expected.device)
            error = db.difference(actual, expected)
            if error:
                state = self.judge_elements(actual, expected, i)
                if state == "wrong" and self.is_drawn(actual, expected, i):
                    continue
                if state == "wrong":
                    return "wrong", f"{label}: {error}"
                if state == "unstable":
                    unstable = f"{label}: {error}"
        return ("unstable", unstable) if unstable else ("agree", None)

    def is_drawn(self, actual, expected, i):
        """Whether a result that has been the same in all runs is random all the same: one of few outcomes."""
        if not self.is_random:
            return False
        runs = [run_or_none(self.program, seed=seed) for seed in range(1000, 1000 + DRAWS)]
        return any(run is not None and not same(expected, run[i]) for run in runs)

    def judge_elements(self, actual, expected, i):
        others = [run[i] for run in self.runs() if run[i].shape == expected.shape]
        orders = [run[i] for run in self.reordered() if run[i].shape == expected.shape]
        if not db.is_float(expected):
            differs = actual != expected
            moved = torch.zeros_like(differs)
            for other in others + orders:
                moved |= other.to(expected.dtype) != expected
            if self.has_bits() and bool(moved.any()) and int((differs & ~moved).sum()) <= BYTES * expected.numel():
                return "unstable"
            return "wrong" if bool((differs & ~moved).any()) else "unstable"
        wide = torch.complex128 if expected.dtype.is_complex else torch.float64
        a, e = actual.to(wide), expected.to(wide)
        rtol, atol = db.TOLERANCES.get(expected.dtype, (0, 0))
        fine = torch.isclose(a, e, rtol, atol, equal_nan=True)
        spread, near_other = torch.zeros_like(e.abs()), torch.zeros_like(fine)
        for other in orders:
            near_other |= torch.isclose(a, other.to(wide), rtol, atol, equal_nan=True)
        for other in others:
            # In double precision an element may be beyond what the type holds.
            o = other.to(expected.dtype).to(wide) if db.is_float(other) else other.to(wide)
            near_other |= torch.isclose(a, o, rtol, atol, equal_nan=True)
            spread = torch.maximum(spread, torch.nan_to_num((o - e).abs(), nan=0.0, posinf=torch.finfo(torch.float64).max))
        within = (a - e).abs() <= FACTOR * spread + rtol * e.abs() + atol
        bad = ~(fine | near_other | within)
        # What rounding errors change by half of it, or make infinite, says nothing.
        finite = torch.stack([o.to(wide).isfinite() for o in others] + [e.isfinite()])
        if others:
            lost = (spread > 0.5 * e.abs()) | (finite.any(0) & ~finite.all(0))
            if bool((bad & lost).any()) and not bool((bad & ~lost).any()):
                return "unstable"
        # Sums and products of infinities are NaN or not by the order of their parts; so are means of a batch (eager mode adds them on
        # the CPU, and moves a mean from one to the next on a GPU).
        order = bad & ~a.isfinite() & ~e.isfinite()
        either = bad & ~(a.isfinite() & e.isfinite())
        if bool(either.any()) and not bool((bad & ~either).any()):
            with_huge = Huge()
            run_or_none(self.program, mode=with_huge)
            if with_huge.found:
                return "unstable"
        # Padding of convolutions may be multiplied or left out.
        transforms = any(re.search(r"fft|stft|conv", s) for s in self.program.statements)
        if transforms:
            order = bad & ~(a.isfinite() & e.isfinite())
        if transforms or expected.dtype.is_complex or any(re.search("complex|batch_norm|instance_norm", s) for s in self.program.statements):
            if bool(order.any()) and not bool((bad & ~order).any()):
                return "unstable"
        return "wrong" if bool(bad.any()) else "agree"
