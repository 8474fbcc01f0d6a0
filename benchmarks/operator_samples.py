# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of PyTorch's operator database, scaled up for `operators.py`.

The database's samples are small: sizes of 1 to 20, and arguments that have to fit. What may grow is found by trying: a
rule changes the sizes, small tensors of such sizes are made, and eager mode says whether the call is valid. The first rule
that holds for the largest sample (most elements of one tensor, then of all, then fewest other arguments; eight samples
are tried) is then taken as far as the largest tensor, argument or result, has the elements that are asked for.

Rules, in this order; those of a family go first:

* all sizes above 1 grow by one factor, so that equal sizes stay equal;
* the first size of the first tensor, and of those that begin with the same; only of the first tensor;
* the last size; then each size that occurs, alone.

Each is tried with sizes rounded to multiples of 16, then with whole factors, which keep what divides them; and with numbers
among the arguments left alone, with those grown that equal a size, with the first one, with all above 2.

Families:

* matrices (factorizations, systems, eigenvalues and the like): two cases, one matrix of 1,024 rows and 64 of 128. Other sizes of
  the matrix keep their ratio. Values are those of a well-conditioned matrix, symmetric or triangular where the sample's are;
* convolutions and windows: channels eight times, if the call stays valid, images of 4,096 elements (lines of 1,024), and the batch is what grows;
* operators without tensors: all numbers above 1 grow.

Floats are drawn evenly between the sample's least and largest, integers, too, and further if eager mode accepts that
(indices of a dimension that grew); without repetition if the sample has none; in order if the sample's are.
"""

import dataclasses
import itertools
import math
import pathlib
import re
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "test/python/op_db"))
import samples as db  # noqa: E402

MATRICES = re.compile(
    r"^(linalg_(?!cross|vecdot|vector_norm|norm$|norm_subgradients|diagonal|vander|multi_dot).*|cholesky.*|lu|lu_solve|lu_unpack|svd|svd_lowrank"
    r"|pca_lowrank|qr|geqrf|ormqr|logdet|pinverse|triangular_solve|matrix_exp|norm_nuc|det|slogdet|inverse)$")
WINDOWS = re.compile(r"nn_functional_.*(conv|pool|unfold|interpolate|upsample|grid_sample|pixel|local_response|instance_norm|batch_norm|channel_shuffle)|native_batch_norm|grid_sampler")
# Operators whose numbers are the sizes of the results.
RESIZED = re.compile(r"interpolate|upsample|adaptive")
FOURIER = re.compile(r"^(fft_|stft|istft)")
MATRIX_CASES = {"1024": (1024, 1), "64x128": (128, 64)}


def relate_segments(tensors):
    """Lengths of segments add up to the size of what they are segments of."""
    data, lengths = tensors
    size, count = data.shape[lengths.dim() - 1], lengths.shape[-1]
    even = torch.full_like(lengths, size // count)
    even[..., -1] += size - size // count * count
    return [data, even]


def relate_pivots(tensors):
    """Pivots of what exchanges no rows."""
    pivots = tensors[1]
    rows = torch.arange(1, pivots.shape[-1] + 1, dtype=pivots.dtype, device=pivots.device)
    return [tensors[0], rows.expand_as(pivots).contiguous(), *tensors[2:]]


# What drawn tensors have to be to each other.
RELATED = {"linalg_ldl_solve": relate_pivots, "searchsorted": lambda t: t[:2] + [t[0].argsort(dim=-1)] if len(t) > 2 else t, "_segment_reduce_lengths": relate_segments}
# Samples that are tried, the largest first.
TRIED = 8
# Elements of an image, by its dimensions.
IMAGES = {1: 1024, 2: 64, 3: 16}


def family(name):
    return "matrices" if MATRICES.match(name) else "fourier" if FOURIER.match(name) else "general"


def cases(name):
    return list(MATRIX_CASES) if family(name) == "matrices" else [""]


def dtype_of(op):
    """f32, or the first of those that are supported."""
    supported = op.supported_dtypes("cpu")
    order = [torch.float32, *db.SHORT.values()]
    return next((t for t in order if t in supported), next(iter(sorted(supported, key=str)), None))


class Call(db.Sample):
    """A sample with other tensors and numbers."""

    def __init__(self, sample, tensors, leaves):  # pylint: disable=super-init-not-called
        self.op, self.spec, self.tensors, self.leaves = sample.op, sample.spec, tensors, leaves

    def copies(self, double=False):
        made = {}
        for tensor in self.tensors:
            if id(tensor) not in made:
                copy = tensor.clone()
                if double and db.is_float(copy):
                    copy = copy.to(torch.complex128 if copy.is_complex() else torch.float64)
                made[id(tensor)] = copy
        return [made[id(tensor)] for tensor in self.tensors]

    def on(self, device):
        """The same call whose arguments name a device."""
        leaves = [device if leaf == "cpu" or isinstance(leaf, torch.device) else leaf for leaf in self.leaves]
        return Call(self, self.tensors, leaves)


def round_size(size, factor, even):
    if not even:
        return size * max(1, round(factor))
    grown = size * factor
    step = 64 if grown >= 1024 else 16 if grown >= 64 else 8
    return max(step, round(grown / step) * step)


@dataclasses.dataclass
class Rule:
    """How sizes grow: a function of tensor, dimension, size and factor."""
    grow: object
    numbers: str = ""  # "", "same", "first" or "all"
    even: bool = True
    wide: bool = False
    matrix: bool = False

    def size(self, sample, i, d, factor):
        old = sample.tensors[i].shape[d]
        new = self.grow(sample, i, d, old, factor)
        return old if new is None else round_size(old, new, self.even) if new != 1 else old


def grow_all(sample, i, d, size, factor):
    return factor if size > 1 else None


def grow_leading(sample, i, d, size, factor):
    return factor if d == 0 and size == sample.tensors[0].shape[0] else None


def grow_first(sample, i, d, size, factor):
    return factor if d == 0 and i == 0 else None


def grow_last(sample, i, d, size, factor):
    t = sample.tensors[0]
    return factor if d == sample.tensors[i].dim() - 1 and t.dim() and size == t.shape[-1] and size > 1 else None


def grow_equal(which):
    return lambda sample, i, d, size, factor: factor if size == which else None


def grow_images(channels):
    """Batch, images and channels, by their places; kernels keep their sizes."""
    def grow(sample, i, d, size, factor):
        first = sample.tensors[0]
        batch, channel = ((0, 1) if first.dim() > 2 else (None, 0))
        if i == 0 and d == batch:
            return factor
        if i == 0 and d > channel:
            return max(1, IMAGES.get(first.dim() - channel - 1, 8) // size)
        return channels if d <= channel and (size > 1 or i == 0) else None
    return grow


def grow_rows(sample, i, d, size, factor):
    """Batch and images; all else keeps its size."""
    return grow_images(None)(sample, i, d, size, factor) if i == 0 else None


def rules(name, sample):
    first = next((t for t in sample.tensors if t.dim()), None)
    if first is None and not sample.tensors:
        return [Rule(grow_all, "all", even) for even in (True, False)]
    made = []
    if WINDOWS.search(name):
        numbers = ["all", ""] if RESIZED.search(name) else ["", "same", "all"]
        made += [(grow, n) for n in numbers for grow in (grow_images(8), grow_images(None), grow_rows)]
    sizes = sorted({s for t in sample.tensors for s in t.shape if s > 1}, reverse=True)
    for grow in (grow_all, grow_leading, grow_first, grow_last, *map(grow_equal, sizes)):
        made += [(grow, n) for n in ("", "same", "first", "all")]
    return [Rule(g, n, even, wide) for g, n in made for even in (True, False) for wide in (True, False)]


def scale_numbers(sample, rule, factor, ratios):
    """The arguments that are no tensors."""
    ratio = min(ratios.values(), default=factor)
    state = {"first": True}
    least = 1 if not sample.tensors else 2

    def change(leaf):
        if isinstance(leaf, torch.Size):
            return torch.Size(change(s) for s in leaf)
        if type(leaf) is not int or not rule.numbers:  # pylint: disable=unidiomatic-typecheck
            return leaf
        if rule.numbers == "same":
            return ratios[leaf] * leaf // 1 if leaf in ratios else leaf
        if rule.numbers == "first":
            if not state["first"] or leaf <= 1:
                return leaf
            state["first"] = False
        elif leaf <= least:
            return leaf
        return round_size(leaf, ratio, rule.even and not sample.tensors)
    return [int(made) if isinstance(made := change(leaf), float) and type(leaf) is int else made for leaf in sample.leaves]


def is_sorted(t):
    return t.dim() > 0 and t.shape[-1] > 2 and not t.is_complex() and bool((t.diff(dim=-1) >= 0).all()) and bool(t.diff(dim=-1).any())


def draw(old, sizes, rule, ratio, generator, is_data, device):
    """A tensor like a sample's with other sizes."""
    order = sorted(range(old.dim()), key=lambda d: old.stride(d), reverse=True)  # Stable: 0 before 1.
    shape = [sizes[d] for d in order]

    def uniform(low, high):
        return torch.rand(shape, generator=generator, device=device) * (high - low) + low

    flat = old.detach().flatten()
    if old.dtype == torch.bool:
        share = flat.double().mean().item() if flat.numel() else 0.5
        made = uniform(0, 1) < share
    elif db.is_float(old):
        real = torch.view_as_real(flat.resolve_conj()).double() if old.is_complex() else flat.double()
        finite = real[real.isfinite()]
        low, high = (finite.min().item(), finite.max().item()) if finite.numel() else (0.0, 1.0)
        made = torch.complex(uniform(low, high), uniform(low, high)) if old.is_complex() else uniform(low, high)
        made = made.to(old.dtype)
    else:
        low, high = (int(flat.min()), int(flat.max())) if flat.numel() else (0, 0)
        if rule.wide and not is_data and high > 0:
            high = max(high, int((high + 1) * ratio) - 1)
        count = math.prod(shape)
        if old.dim() == 1 and flat.unique().numel() == flat.numel() > 1 and count <= high - low + 1:
            made = (torch.randperm(high - low + 1, generator=generator, device=device)[:count] + low).to(old.dtype)
        else:
            made = torch.randint(low, high + 1, shape, generator=generator, device=device, dtype=torch.int64).to(old.dtype)
    made = made.permute([order.index(d) for d in range(old.dim())]) if old.dim() else made
    if old.dtype != torch.bool and old.element_size() > 1 and is_sorted(old):
        made = made.sort(dim=-1).values
        if not db.is_float(old):
            made[..., 0] = old[..., 0].flatten()[0].item()  # Where offsets begin.
    if rule.matrix and db.is_float(made) and made.dim() >= 2:
        made = condition(old, made)
    return made


def condition(old, made):
    """A well-conditioned matrix with the symmetry and the zeros of the sample's."""
    if min(old.shape[-2:]) < 2:
        return made
    made = made / made.abs().max().clamp_min(1e-3) / math.sqrt(max(made.shape[-2:]))
    if old.shape[-1] == old.shape[-2]:
        if torch.allclose(old, old.mH, 1e-5, 1e-5):
            made = (made + made.mH) / 2
        elif not old.triu(1).any():
            made = made.tril()
        elif not old.tril(-1).any():
            made = made.triu()
    made.diagonal(dim1=-2, dim2=-1).add_(2)
    return made


def matrix_rule(sample, case):
    rows, batch = MATRIX_CASES[case]
    first = max(sample.tensors, key=lambda t: t.dim())
    largest = max(s for t in sample.tensors for s in t.shape[-2:])

    def grow(sample, i, d, size, factor):
        t, n = sample.tensors[i], max(8, round(rows * factor))
        # What has one dimension less holds a vector for each matrix.
        inner = 1 if t.dim() < 2 or t.dim() < first.dim() and t.shape[:-1] == first.shape[:-2] else 2
        if size == 1:
            return None
        return max(1, round(size * n / largest)) / size if d >= t.dim() - inner else (batch if d == t.dim() - inner - 1 else 1) / size

    class Exact(Rule):
        def size(self, sample, i, d, factor):
            old = sample.tensors[i].shape[d]
            new = self.grow(sample, i, d, old, factor)
            return old if new is None else max(1, round(old * new))
    return [Exact(grow, n, True, wide, True) for n in ("", "same") for wide in (True, False)]


def make(sample, rule, factor, seed, device):
    """The call with tensors of a factor."""
    generator = torch.Generator(device).manual_seed(seed)
    ratios = {}
    for i, t in enumerate(sample.tensors):
        for d, old in enumerate(t.shape):
            new = rule.size(sample, i, d, factor)
            if new != old:
                ratios[old] = min(ratios.get(old, math.inf), new / old)
    ratio, tensors, made = min(ratios.values(), default=1), [], {}
    for i, t in enumerate(sample.tensors):
        if id(t) not in made:
            sizes = [rule.size(sample, i, d, factor) for d in range(t.dim())]
            made[id(t)] = draw(t, sizes, rule, ratio, generator, i == 0, device)
        tensors.append(made[id(t)])
    tensors = RELATED.get(db.name_of(sample.op), lambda t: t)(tensors)
    return Call(sample, tensors, scale_numbers(sample, rule, factor, ratios))


def largest(tensors):
    return max((t.numel() for t in tensors), default=0)


def attempt(sample, rule, factor):
    """Elements of the largest argument and result of a small call, if it is valid."""
    try:
        call = make(sample, rule, factor, 1, "cpu")
        torch.manual_seed(1)
        with torch.no_grad():
            results = db.flatten(call.call(call.copies()))
    except Exception:  # pylint: disable=broad-except
        return None
    return largest(call.tensors), largest(r for r in results if r.layout == torch.strided)


def find_factor(sample, rule, elements):
    """How far a rule can be taken; nothing if the call is not valid or does not grow."""
    one, two = (4.0, 8.0) if rule.even else (2, 4)
    first = attempt(sample, rule, one)
    second = first and attempt(sample, rule, two)
    if not second or max(second) <= max(first):
        return None
    # Results grow as a power of what the arguments do, or of the factor where there are none.
    grown = lambda factor: max((math.prod(rule.size(sample, i, d, factor) for d in range(t.dim())) for i, t in enumerate(sample.tensors)), default=0)
    measure = grown if grown(two) > grown(one) else lambda factor: factor
    power = math.log(max(second[1], 1) / max(first[1], 1)) / math.log(measure(two) / measure(one))
    size = lambda factor: max(grown(factor), second[1] * (measure(factor) / measure(two))**power)
    low, high = 1.0, 2.0
    while size(high) < elements and high < elements * 2:
        high *= 2
    while high - low > 1e-3 * low and (rule.even or high - low > 1):
        middle = (low + high) / 2
        low, high = (middle, high) if size(middle) <= elements else (low, middle)
    return low if rule.even else max(1, int(low))


def plans(name, op, case, elements):
    """Calls that are worth a try, as functions of seed and device."""
    dtype = dtype_of(op)
    if dtype is None:
        return
    found = db.get_samples(op, dtype)
    key = lambda s: (-largest(s.tensors), -sum(t.numel() for t in s.tensors), sum(leaf is not torch.Tensor for leaf in s.leaves))
    if not any(s.tensors for s in found):
        key = lambda s: -sum(leaf for leaf in s.leaves if type(leaf) is int)  # pylint: disable=unidiomatic-typecheck
    if case:
        dims = lambda s: max((t.dim() for t in s.tensors), default=0)
        found = [s for s in found if (dims(s) == 2 if case == "1024" else dims(s) >= 3)]
        square = lambda s: max(s.tensors, key=lambda t: t.dim()).shape[-1] == max(s.tensors, key=lambda t: t.dim()).shape[-2]
        key = lambda s, k=key: (dims(s), not square(s), k(s))
    tried = sorted((s for s in found if all(t.numel() and t.layout == torch.strided for t in s.tensors)), key=key)[:TRIED]
    for sample in tried:
        if case:
            for rule in matrix_rule(sample, case):
                if attempt(sample, rule, 16 / MATRIX_CASES[case][0]):
                    yield lambda seed, device, s=sample, r=rule: make(s, r, 1, seed, device)
                    break
            continue
        # The first rule with whole factors may keep a call valid in full where even sizes do not.
        for rule in itertools.islice((r for r in rules(name, sample)), 200):
            factor = find_factor(sample, rule, elements)
            if factor:
                yield lambda seed, device, s=sample, r=rule, f=factor: make(s, r, f, seed, device)
