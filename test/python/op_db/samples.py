#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Samples of PyTorch's operator database, and whether results agree with eager mode.

A `Sample` is one call: an operator, the tensors among its arguments, and
everything else, which the exported program holds as constants.

Rules of `judge`:

* A program is random if eager mode, running it, gives different results for some seeds. Its
  results agree with eager mode's in element types and sizes, and in distribution
  where enough of them can be drawn (two samples of Kolmogorov and Smirnov, with a
  false alarm in a million, and calls that are mixed are never as far apart). The database calls some operators with a seed of its
  own, of which the exported program knows nothing.
* Of `empty` and its relatives, only element types and sizes are compared.
* Integers and bools are equal. Of operators that order elements (UNSTABLE) eager mode does not
  say which of several equal ones it takes: positions agree if the elements there do.
* Floats are as near to eager mode's as TOLERANCES says, or that near to what eager
  mode computes in double precision. Where eager mode itself is further off, no
  element is further from the result in double precision than twice the
  largest error that eager mode makes in that result. At a pole, where eager mode has a large number that is
  a million times larger in double precision, an infinity agrees. Where eager mode has errors of 1e-8 in
  double precision (REFERENCES), mpmath says what is exact. Complex numbers are as near by their distance,
  and are NaN where a part is, as torch.isclose has it.
* Of results that are not unique (UNIQUE) what is made of them is compared: of decompositions their
  product, and that vectors are orthogonal; of complex logarithms of sums the angle.
"""

import logging
import math
import random
import sys
import types
import unittest
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

# The database is part of PyTorch's tests, which derive a class from one of this
# package. Nothing here runs those tests.
if "expecttest" not in sys.modules:
    try:
        import expecttest  # noqa: F401
    except ImportError:
        stub = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stub

import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree  # noqa: E402

torch.set_num_threads(1)

SHORT = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16,
         "i32": torch.int32, "i64": torch.int64, "f16": torch.float16,
         "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
         "c64": torch.complex64, "c128": torch.complex128}
# How far results may be from eager mode's: relative, absolute.
TOLERANCES = {torch.float64: (1e-9, 1e-10), torch.float32: (2e-5, 2e-6),
              torch.float16: (2e-3, 1e-3), torch.bfloat16: (1.6e-2, 8e-3),
              torch.complex32: (2e-3, 1e-3), torch.complex64: (2e-5, 2e-6),
              torch.complex128: (1e-9, 1e-10)}
# Operators with positions of elements that may be equal.
UNSTABLE = {"topk", "mode", "kthvalue", "median", "nanmedian", "sort", "argsort"}
# Functions that make tensors that are unique of results that are not.
UNIQUE = {
    "svd": lambda u, s, v: of_singular(u, s, v.mH), "linalg_svd": lambda u, s, vh: of_singular(u, s, vh),
    "svd_lowrank": lambda u, s, v: of_singular(u, s, v.mH),
    "pca_lowrank": lambda u, s, v: of_singular(u, s, v.mH),
    "linalg_eigh": lambda w, v: [w, v @ (w.unsqueeze(-1) * v.mH), v.mH @ v],
    "linalg_eig": lambda w, v: [v @ (w.unsqueeze(-1) * torch.linalg.inv(v)),
                                torch.linalg.vector_norm(v, dim=-2)],
    "logcumsumexp": lambda x: [x.real, x.imag.sin(), x.imag.cos()] if x.is_complex() else [x],
}
# Functions of mpmath.
REFERENCES = {"special_bessel_j0": ("besselj", 0), "special_bessel_j1": ("besselj", 1),
              "special_bessel_y0": ("bessely", 0), "special_bessel_y1": ("bessely", 1),
              "special_airy_ai": ("airyai",)}
# A number that is as much larger in double precision, and itself as large, is a pole.
POLE = 1e6
# How far these may be apart, in rounding errors of the largest element for each row.
ROUNDINGS = 30
# Seeds of which some give different results if an operator is random.
SEEDS = 20
# Elements of a random operator's results that are worth a comparison of
# distributions, and calls to make for them.
DRAWN, CALLS = 4000, 400
# A random number of 16 bits went through a few operators that each round; eager mode rounds after each, Coil at the end.
DRAWN_ROUNDINGS = 2


def of_singular(u, s, vh):
    """What is unique of a singular value decomposition."""
    if not u.numel() or not vh.numel() or not u.any():
        return [s]
    count = s.shape[-1]
    return [s, (u[..., :count] * s.unsqueeze(-2)) @ vh[..., :count, :], u.mH @ u, vh @ vh.mH]


def find_unique(name, results):
    """What is unique of results, in double precision."""
    return UNIQUE[name](*(t.to(torch.complex128 if t.is_complex() else torch.float64) for t in results))


def have_same_unique(name, actual, expected):
    """Whether what is unique of results is nearly the same."""
    if name not in UNIQUE or not is_float(actual[0]):
        return False
    for a, e in zip(find_unique(name, actual), find_unique(name, expected)):
        size = max(e.abs().max().item(), 1) if e.numel() else 1
        error = ROUNDINGS * max(e.shape[-2:], default=1) * torch.finfo(actual[0].dtype).eps * size
        if not torch.allclose(a, e.to(a.dtype), 0, error, equal_nan=True):
            return False
    return True


def is_float(tensor):
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def name_of(op):
    return op.formatted_name


def operators():
    """The operators by name. A name that occurs twice gets a number."""
    found = {}
    for op in op_db:
        name, number = name_of(op), 2
        while name in found:
            name = f"{name_of(op)}_{number}"
            number += 1
        found[name] = op
    return found


class Sample:
    """One call of an operator."""

    def __init__(self, op, sample):
        self.op = op
        leaves, self.spec = _pytree.tree_flatten((sample.input, tuple(sample.args), sample.kwargs))
        self.tensors = [leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor)]
        # Tensor stands for the next tensor.
        self.leaves = [torch.Tensor if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def call(self, tensors):
        given = iter(tensors)
        leaves = [next(given) if leaf is torch.Tensor else leaf for leaf in self.leaves]
        first, args, kwargs = _pytree.tree_unflatten(leaves, self.spec)
        return self.op(first, *args, **kwargs)

    def copies(self, double=False):
        """The tensors again, in memory of their own that lies the same way."""
        made = {}
        for tensor in self.tensors:
            if id(tensor) not in made:
                storage = tensor.untyped_storage().clone()
                copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(
                    storage, tensor.storage_offset(), tensor.size(), tensor.stride())
                if double and is_float(copy):
                    copy = copy.to(torch.complex128 if copy.is_complex() else torch.float64)
                made[id(tensor)] = copy
        return [made[id(tensor)] for tensor in self.tensors]

    def describe(self):
        given = ", ".join(f"{str(t.dtype)[6:]}{list(t.shape)}" for t in self.tensors)
        others = ", ".join(repr(leaf)[:40] for leaf in self.leaves if leaf is not torch.Tensor)
        return f"{given}; {others}" if others else given


def has_ties(tensor):
    return tensor.dtype.is_floating_point and tensor.unique().numel() < tensor.numel()


class GradientSample(Sample):
    """The gradients of a call's results, for gradients of the results that are further tensors: a program of the
    operators that autograd calls. A sample without gradients has no results."""

    def __init__(self, sample):
        self.op, self.leaves, self.spec = sample.op, sample.leaves, sample.spec
        if name_of(self.op) in UNIQUE:
            raise NotImplementedError("what is unique of its results is not differentiated")
        if name_of(self.op) in UNSTABLE | {"msort"} and any(has_ties(t) for t in sample.tensors):
            raise NotImplementedError("which of equal elements has the gradient is not said")
        self.count = len(sample.tensors)
        with torch.no_grad():
            torch.manual_seed(1)
            results = flatten(sample.call(sample.copies()))
        generator = torch.Generator().manual_seed(2)
        self.tensors = sample.tensors + [self.draw(r, generator) for r in results if is_float(r)]

    @staticmethod
    def draw(result, generator):
        dtype = torch.complex128 if result.is_complex() else torch.float64
        return torch.randn(result.shape, generator=generator, dtype=dtype).to(result.dtype).to(result.device)

    def call(self, tensors):
        given = [t.detach().requires_grad_(is_float(t)) for t in tensors[:self.count]]
        with torch.enable_grad():
            results = [r for r in flatten(super().call(given)) if is_float(r)]
        pairs = [(r, g) for r, g in zip(results, tensors[self.count:]) if r.requires_grad]
        inputs = [t for t in given if t.requires_grad]
        if not pairs or not inputs:
            return []
        roots, seeds = zip(*pairs)
        grads = torch.autograd.grad(roots, inputs, seeds, allow_unused=True)
        return [g for g in grads if g is not None]


def trace(samples, tensors, dynamic):
    """The module of what calls of samples do, with the operators that autograd calls."""
    from torch.fx.experimental.proxy_tensor import make_fx
    return make_fx(lambda *given: Module(samples)(*given), tracing_mode="symbolic" if dynamic else "real")(*tensors)


def get_samples(op, dtype, device="cpu"):
    """The samples of an operator, the same in each process."""
    torch.manual_seed(0)
    random.seed(0)
    return [Sample(op, s) for s in op.sample_inputs(device, dtype, requires_grad=False)]


class Module(torch.nn.Module):
    """Calls of samples, one after the other."""

    def __init__(self, samples):
        super().__init__()
        self.samples = samples

    def forward(self, *tensors):
        results, first = [], 0
        for sample in self.samples:
            last = first + len(sample.tensors)
            # Named tuples cannot be saved.
            results += [r for r in _pytree.tree_leaves(sample.call(tensors[first:last]))
                        if isinstance(r, (torch.Tensor, torch.SymInt, bool, int, float))]
            first = last
        return results


def flatten(result):
    """Tensors and numbers among results, as tensors."""
    leaves = _pytree.tree_leaves(result)
    return [leaf if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in leaves
            if isinstance(leaf, (torch.Tensor, bool, int, float))]


class Expectation:
    """What eager mode gives for a sample."""

    def __init__(self, sample):
        self.sample = sample
        torch.manual_seed(1)
        self.inputs = sample.copies()
        with torch.no_grad():
            self.results = [r.clone() for r in flatten(sample.call(self.inputs))]
        self.is_random = False
        self.is_empty = "empty" in name_of(sample.op)

    @classmethod
    def of(cls, sample, results):
        """That of a sample without random numbers, whose results are at hand."""
        expectation = cls.__new__(cls)
        expectation.sample, expectation.results = sample, results
        expectation.inputs = sample.copies()
        expectation.is_random = expectation.is_empty = False
        return expectation

    def find_randomness(self, eager):
        """Whether the program, which `eager` runs in eager mode, draws numbers."""
        self.eager = eager
        drawn = []
        with torch.no_grad():
            for seed in range(SEEDS):
                torch.manual_seed(seed)
                drawn.append([r.clone() for r in eager()])
        self.is_random = any(not same(a, b) for other in drawn[1:] for a, b in zip(drawn[0], other))

    def exact(self):
        """Results in double precision; None where eager mode has none."""
        if name_of(self.sample.op) in REFERENCES:
            return [of_mpmath(REFERENCES[name_of(self.sample.op)], self.sample.tensors[0])]
        try:
            torch.set_default_dtype(torch.float64)  # What integers become.
            with torch.no_grad():
                torch.manual_seed(1)
                return flatten(self.sample.call(self.sample.copies(double=True)))
        except Exception:  # pylint: disable=broad-except
            return None
        finally:
            torch.set_default_dtype(torch.float32)

    def judge(self, results, again=None):
        """None, or how results differ. `again` runs the program once more."""
        if len(results) != len(self.results):
            return f"{len(results)} results instead of {len(self.results)}"
        # Numbers that eager mode has on the host are tensors of the program's device, and so is what a sample makes of
        # nothing: eager mode's default device is the host, a program's its target.
        of_nothing = not self.inputs
        results = [r.cpu() if e.device.type == "cpu" and (of_nothing or not e.dim()) else r
                   for r, e in zip(results, self.results)]
        for actual, expected in zip(results, self.results):
            if actual.dtype != expected.dtype:
                return f"element type {actual.dtype} instead of {expected.dtype}"
            if actual.shape != expected.shape:
                return f"sizes {list(actual.shape)} instead of {list(expected.shape)}"
            if actual.device != expected.device:
                return f"device {actual.device} instead of {expected.device}"
        if self.is_empty:
            return None
        if have_same_unique(name_of(self.sample.op), results, self.results):
            return None
        if self.is_random:
            return self.judge_distribution(results, again) if again else None
        exact = False
        for i, (actual, expected) in enumerate(zip(results, self.results)):
            error = difference(actual, expected)
            if error and name_of(self.sample.op) in UNSTABLE and i == len(results) - 1 \
                    and expected.dtype == torch.int64 \
                    and same_elements(self.sample.tensors[0], actual, expected):
                error = None
            if error and is_float(expected):
                if exact is False:
                    exact = self.exact()
                if exact and len(exact) > i and is_as_exact(actual, expected, exact[i]):
                    error = None
            if error:
                return error
        return None

    def judge_distribution(self, results, again):
        drawn = [[], []]
        size = sum(r.numel() for r in results)
        calls = min(CALLS, max(1, math.ceil(DRAWN / max(size, 1))))
        for number in range(calls):
            torch.manual_seed(1000 + number)
            drawn[0].append(again())
            with torch.no_grad():
                drawn[1].append(self.eager())
        name = name_of(self.sample.op)
        if name in UNIQUE:
            drawn = [[find_unique(name, r) for r in side] for side in drawn]
        for i in range(len(drawn[0][0])):
            calls = [[parts(r[i]).double().flatten() for r in side] for side in drawn]
            # Of few outcomes each is rounded its own way on both sides.
            dtype = drawn[1][0][i].dtype
            narrow = dtype in (torch.float16, torch.bfloat16)
            calls = join_roundings(calls, 0 if narrow else 1e-5)
            ours, eager = map(torch.cat, calls)
            # Those of 16 bits may be too near to each other: each is off by some roundings of the largest.
            finite = torch.cat([ours, eager])
            finite = finite[finite.isfinite()]
            slack = DRAWN_ROUNDINGS * torch.finfo(dtype).eps * float(finite.abs().max()) if narrow and len(finite) else 0
            if ours.isnan().any() != eager.isnan().any():
                return "one of both has NaN"
            distance, bound = kolmogorov_smirnov(ours, eager, slack)
            if distance > bound and not is_by_chance(*calls, distance, slack):
                return f"another distribution: distance {distance:.3g} of at most {bound:.3g}"
        return None


def parts(tensor):
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def join_roundings(calls, tolerance):
    """Values in calls of both sides, of which those nearer than a part of the largest are one."""
    values = torch.cat([torch.cat(side) for side in calls])
    values = values[values.isfinite()].sort().values
    if not tolerance or not len(values):
        return calls
    begins = torch.ones_like(values, dtype=torch.bool)
    begins[1:] = values.diff() > tolerance * values.abs().max()
    firsts = values[begins]
    snap = lambda x: torch.where(x.isfinite(), firsts[
        (torch.searchsorted(firsts, x, right=True) - 1).clamp(0, len(firsts) - 1)], x)
    return [[snap(x) for x in side] for side in calls]


def kolmogorov_smirnov(a, b, slack=0, alarm=1e-6):
    """The largest distance of two distributions of which each value may be off by `slack`, and what chance alone makes rarely."""
    a, b = a[~a.isnan()].sort().values, b[~b.isnan()].sort().values
    if not len(a) or not len(b):
        return 0, 1
    values = torch.cat([a, b])
    share = lambda x, limits: torch.searchsorted(x, limits, right=True).double() / len(x)
    bound = math.sqrt(-math.log(alarm / 2) / 2 * (len(a) + len(b)) / (len(a) * len(b)))
    excess = [(share(x, values - slack) - share(y, values)).max() for x, y in ((a, b), (b, a))]
    return max(0.0, *map(float, excess)), bound


def of_mpmath(reference, x):
    """A function of mpmath of the elements."""
    import mpmath  # pylint: disable=import-outside-toplevel
    name, *orders = reference
    evaluate = lambda v: float(mpmath.re(getattr(mpmath, name)(*orders, v))) if math.isfinite(v) else v
    return torch.tensor([evaluate(v) for v in x.double().flatten().tolist()],
                        dtype=torch.float64, device=x.device).reshape(x.shape)


def is_by_chance(ours, eager, distance, slack=0, tries=200):
    """Whether the calls of both sides, mixed, are as far apart: elements of one call need not be
    independent, such as those of a feature that is dropped."""
    calls, count, generator = ours + eager, len(ours), random.Random(0)
    for _ in range(tries):
        generator.shuffle(calls)
        if kolmogorov_smirnov(torch.cat(calls[:count]), torch.cat(calls[count:]), slack)[0] >= distance:
            return True
    return False


def same(a, b):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return bool(torch.all((a == b) | (a.isnan() & b.isnan()) if is_float(a) else a == b))


def same_elements(x, actual, expected):
    """Whether positions along a dimension name equal elements."""
    for dim in range(x.dim()):
        for lost in False, True:
            a, e = (p.unsqueeze(dim) if lost else p for p in (actual, expected))
            fits = a.dim() == x.dim() and all(p <= q for d, (p, q) in enumerate(zip(a.shape, x.shape))
                                              if d != dim)
            if fits and max(int(a.max()), int(e.max())) < x.shape[dim] and a.min() >= 0 \
                    and same(x.gather(dim, a), x.gather(dim, e)):
                return True
    return False


def difference(actual, expected):
    """None, or how values differ."""
    if not is_float(expected):
        wrong = (actual != expected).flatten()
    else:
        rtol, atol = TOLERANCES.get(expected.dtype, (0, 0))
        wide = torch.complex128 if expected.dtype.is_complex else torch.float64
        wrong = ~torch.isclose(actual.to(wide), expected.to(wide), rtol, atol, equal_nan=True).flatten()
    if not wrong.any():
        return None
    i = int(wrong.nonzero()[0])
    return (f"{int(wrong.sum())} of {len(wrong)} differ, first {actual.flatten()[i].item():.9g} "
            f"instead of {expected.flatten()[i].item():.9g}")


def is_as_exact(actual, expected, exact):
    if exact.shape != expected.shape or exact.dtype.is_complex != expected.dtype.is_complex \
            or not is_float(exact):
        return False
    dtype = expected.dtype
    if not difference(actual, exact.to(dtype)):
        return True
    wide = torch.complex128 if dtype.is_complex else torch.float64
    a, e, x = actual.to(wide), expected.to(wide), exact.to(dtype).to(wide)
    if not dtype.is_complex:
        e = torch.where(a.isinf() & (exact.abs() > POLE * e.abs()) & (e.abs() > POLE), a, e)
    finite = e.isfinite() & x.isfinite()
    if not bool(torch.all(finite | ((a == x) | (a.isnan() & x.isnan())) | ((a == e) | (a.isnan() & e.isnan())))):
        return False
    allowed = 2 * (e - x).abs()[finite].max() if finite.any() else 0
    return bool(torch.all((a - x).abs()[finite] <= allowed))
