#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""flex_attention through torch.compile(backend="coil") against eager mode, which computes all
scores: score and mask functions drawn at random, gradients, changing sizes, blocks of rows.

    flex_attention.py [--random COUNT] [--seed N] [TEST...]

With COIL_CUDA_DRIVER the compiled pieces run on a simulated GPU, with inputs of the host.
"""

import argparse
import os
import random
import sys
import warnings

import coil
import torch
import torch.nn.attention.flex_attention as module
from checks import compile, main
from coil.torch_compile import _compiler, _flex, _piece
from torch.nn.attention.flex_attention import AuxRequest, create_block_mask, flex_attention

warnings.simplefilter("ignore")
# PyTorch refuses gradients and largest scores on CPUs before anybody is asked; its operators
# have them.
module._validate_device = lambda *tensors: None
module._apply_kernel_options = lambda *arguments: {"OUTPUT_LOGSUMEXP": True, "OUTPUT_MAX": True}
OPTIONS = {"fallback": "error"}


class _OnSimulator(_piece.CompiledPiece):
    """A piece for a GPU that is called with tensors of the host."""

    def __init__(self, text, device, options, debug_dir, updates=None, consumes=False):
        self.program = coil._program.compile_text(text, options="target=cuda library=none", opt_level=1, cache=False)
        self.function, self.options = self._run_on_host, {}

    def _run_on_host(self, *inputs, strides, donate=()):
        results = self.program(*(each.detach().numpy() if isinstance(each, torch.Tensor) else each for each in inputs))
        strides, made = list(strides), []
        for each in results:
            result = torch.from_numpy(each.copy())
            made.append(_piece.fit(result, [strides.pop(0) for _ in range(result.dim())]))
        return made


if "COIL_CUDA_DRIVER" in os.environ:
    _compiler.CompiledPiece = _OnSimulator

# -- Functions ---------------------------------------------------------------


def draw_score(draw, heads, batches, rows, columns, captured):
    """A score function of some random steps. Appends the tensors that it captures."""

    def capture(*sizes):
        tensor = torch.randn(*sizes) * 0.5
        tensor.requires_grad_(draw.random() < 0.7)
        captured.append(tensor)
        return tensor

    def alibi():
        slopes = capture(heads)
        return lambda s, b, h, m, n: s + slopes[h] * (m - n) * 0.1

    def cap():
        # Literals: Dynamo gives up where a captured float is one that may change, and there are gradients.
        return draw.choice([lambda s, b, h, m, n: 2.0 * torch.tanh(s / 2.0), lambda s, b, h, m, n: 30 * torch.tanh(s / 30)])

    def relative():
        table = capture(heads, rows + columns)
        return lambda s, b, h, m, n: s + table[h, m - n + columns]

    def full_bias():
        bias = capture(heads, rows, columns)
        return lambda s, b, h, m, n: s + bias[h, m, n]

    def scaled():
        factors = capture(batches, columns)
        return lambda s, b, h, m, n: s * (1 + factors[b, n])

    def by_parity():
        return lambda s, b, h, m, n: torch.where((m + n) % 2 == 0, s, s * 0.5 - 0.25)

    def distance():
        return lambda s, b, h, m, n: s - torch.log1p((m - n).abs().float()) * (h + 1)

    steps = [draw.choice([alibi, cap, relative, full_bias, scaled, by_parity, distance])()
             for _ in range(draw.randint(0, 3))]

    def score(s, b, h, m, n):
        for step in steps:
            s = step(s, b, h, m, n)
        return s
    return score if steps else None


def draw_mask(draw, batches, rows, columns):
    """A mask function, or None."""

    def causal():
        return lambda b, h, m, n: m >= n

    def window():
        width = draw.randint(1, 40)
        return lambda b, h, m, n: (m - n).abs() <= width

    def documents():
        ids = torch.randint(0, 4, (max(rows, columns),)).sort().values
        return lambda b, h, m, n: ids[m] == ids[n]

    def prefix():
        lengths = torch.randint(0, columns + 1, (batches,))
        return lambda b, h, m, n: n < lengths[b]

    def strided():
        return lambda b, h, m, n: (m - n) % 3 == h % 3

    def combined():
        first, second = draw_one(), draw_one()
        if draw.random() < 0.5:
            return lambda b, h, m, n: first(b, h, m, n) & second(b, h, m, n)
        return lambda b, h, m, n: first(b, h, m, n) | second(b, h, m, n)

    def draw_one():
        return draw.choice([causal, window, documents, prefix, strided, combined])()

    return draw_one() if draw.random() < 0.8 else None


# -- Comparison --------------------------------------------------------------


def run(function, inputs, captured, with_gradients):
    wanted = [each for each in (*inputs, *captured) if each.requires_grad] if with_gradients else []
    with torch.set_grad_enabled(bool(wanted)):
        out, aux = function(*inputs)
        results = [out, aux.lse, aux.max_scores]
    if wanted:
        weight = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
        finite = torch.isfinite(aux.lse)
        loss = (out * weight).sum() + torch.where(finite, aux.lse, 0).sum() * 0.1
        results += torch.autograd.grad(loss, wanted, allow_unused=True)
    return results


def compare(ours, theirs, tolerance):
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a is None or b is None:
            assert a is None and b is None, f"result {i} is {a} instead of {b}"
            continue
        # PyTorch declares that logarithms and largest scores are f32, and gives f64 for f64.
        is_declared = a.dtype == b.dtype or i in (1, 2)
        assert a.shape == b.shape and is_declared and a.stride() == b.stride(), (i, a.stride(), b.stride())
        assert torch.equal(torch.isinf(a), torch.isinf(b)), f"result {i} has infinities elsewhere"
        a, b = a.detach().double(), b.detach().double()
        finite = torch.isfinite(b)
        largest = max(1.0, b[finite].abs().max().item() if finite.any() else 1.0)
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance * largest, equal_nan=True,
                                   msg=lambda text: f"result {i}: {text}")


def check_random(seed):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    # Each draws which functions there are, and sizes, by itself.
    heads = draw.choice([1, 2, 4, 6])
    key_heads = draw.choice([n for n in (1, 2, 3, 6) if heads % n == 0])
    batches, width, value_width = draw.randint(1, 3), draw.choice([4, 16, 24, 33]), draw.choice([4, 16, 40])
    rows, columns = draw.choice([1, 7, 33, 100, 150]), draw.choice([1, 5, 64, 101, 150])
    kinds = [torch.float32] if "COIL_CUDA_DRIVER" in os.environ else [torch.float32] * 4 + [torch.bfloat16, torch.float64]
    kind = draw.choice(kinds)
    captured = []
    score = draw_score(draw, heads, batches, rows, columns, captured)
    mask = draw_mask(draw, batches, rows, columns)
    key_batches = draw.choice([batches, 1]) if mask and draw.random() < 0.3 else batches
    # Dynamo gives up where the scale is a float that may change.
    is_dynamic = draw.choice([False, True])
    scale = None if is_dynamic else draw.choice([None, 0.3])
    with_gradients = draw.random() < 0.6
    _flex._BLOCK_BYTES["cpu"] = draw.choice([1, 40_000, 16 << 20])
    make = lambda *sizes: torch.randn(*sizes).to(kind).requires_grad_(with_gradients)
    inputs = (make(batches, heads, rows, width), make(key_batches, key_heads, columns, width),
              make(key_batches, key_heads, columns, value_width))
    if draw.random() < 0.3:  # As projections give them.
        inputs = tuple(each.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_(with_gradients)
                       for each in inputs)
    # Where blocks are smaller than the sizes, tiles that the mask hides are left out.
    _flex._TILE_BYTES["cpu"] = draw.choice([1, 30_000, 4 << 20])
    block_size = draw.choice([128, 16, (32, 48), (100, 24)])
    blocks = create_block_mask(mask, batches, heads, rows, columns, "cpu", block_size) if mask else None

    def function(query, key, value):
        return flex_attention(query, key, value, score_mod=score, block_mask=blocks, scale=scale,
                              enable_gqa=heads != key_heads, return_aux=AuxRequest(lse=True, max_scores=True))
    torch._dynamo.reset()
    theirs = run(function, inputs, captured, with_gradients)
    ours = run(compile(function, options=OPTIONS, dynamic=is_dynamic), inputs, captured, with_gradients)
    compare(ours, theirs, {torch.float32: 2e-5, torch.float64: 1e-5, torch.bfloat16: 3e-2}[kind])


# -- Tests -------------------------------------------------------------------


def test_random_functions():
    for seed in range(8):
        check_random(seed)


def test_sizes_change():
    """One compiled function for all sizes."""
    slopes = torch.rand(4)
    score = lambda s, b, h, m, n: s + slopes[h] * (n - m)
    _flex._BLOCK_BYTES["cpu"] = 100_000
    torch._dynamo.reset()
    function = lambda q, k, v: flex_attention(q, k, v, score_mod=score, return_aux=AuxRequest(lse=True, max_scores=True))
    compiled = compile(function, options=OPTIONS, dynamic=True)
    before = None
    for rows, columns in (33, 47), (100, 20), (257, 301), (5, 1030), (16, 16):
        inputs = torch.randn(2, 4, rows, 8), torch.randn(2, 4, columns, 8), torch.randn(2, 4, columns, 8)
        actual = run(compiled, inputs, [], False)
        graphs = coil.torch_compile.counters()["graphs"]
        assert before in (None, graphs), f"{graphs} graphs instead of {before}"
        before = graphs
        compare(actual, run(lambda *tensors: eager(*tensors, score), inputs, [], False), 2e-5)


def eager(query, key, value, score):
    """Without PyTorch's implementation, and without its compiler."""
    b, h, m, n = (torch.arange(size).view([-1] + [1] * (3 - i)) for i, size in
                  enumerate((*query.shape[:3], key.shape[2])))
    scores = score(query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5, b, h, m, n)
    aux = module.AuxOutput(lse=scores.logsumexp(-1), max_scores=scores.amax(-1))
    return scores.softmax(-1) @ value, aux


def test_captured_floats():
    """Dynamo hands on a float that may change as a tensor."""
    q = torch.randn(1, 2, 40, 8)
    _flex._BLOCK_BYTES["cpu"] = 1 << 20
    torch._dynamo.reset()

    def function(q, limit):
        return flex_attention(q, q, q, score_mod=lambda s, b, h, m, n: limit * torch.tanh(s / limit))
    compiled = compile(function, options=OPTIONS, dynamic=True)
    for limit in 2.5, 7.5:
        actual = compiled(q, limit)
        expected, _ = eager(q, q, q, lambda s, b, h, m, n: limit * torch.tanh(s / limit))
        torch.testing.assert_close(actual, expected, rtol=1e-5, atol=1e-5)


def test_remarks():
    """Where scores are computed in blocks, explain() says so."""
    q = torch.randn(1, 2, 300, 8)
    _flex._BLOCK_BYTES["cpu"] = 1 << 20
    assert "blocks" not in str(coil.explain(lambda q: flex_attention(q, q, q), q, options=OPTIONS))
    _flex._BLOCK_BYTES["cpu"] = 1 << 16
    torch._dynamo.reset()
    text = str(coil.explain(lambda q: flex_attention(q, q, q), q, options=OPTIONS))
    assert "'higher_order.flex_attention' runs in blocks of 25 rows of queries" in text, text


def test_hidden_tiles_are_left_out():
    """What a block mask hides is not computed: a window takes as many steps as it has tiles, whatever the size is."""
    _flex._BLOCK_BYTES["cpu"], _flex._TILE_BYTES["cpu"] = 1 << 16, 4 * 2 * 64 * 64
    steps = []
    for size in 512, 1024:
        mask = create_block_mask(lambda b, h, m, n: (m >= n) & (m - n < 64), None, None, size, size, "cpu", 64)
        q = torch.randn(1, 2, size, 8)
        function = lambda q, mask: flex_attention(q, q, q, block_mask=mask)
        torch._dynamo.reset()
        explanation = coil.explain(function, q, mask, options=OPTIONS)
        assert "in tiles of 64 queries and 64 keys" in str(explanation), explanation
        program, = explanation.graphs[0].programs
        steps.append(program.run_stats["launches"] / size)
    assert abs(steps[0] / steps[1] - 1) < 0.1, steps


def test_scores_are_not_in_memory():
    """The memory of a call is that of the blocks."""
    q = torch.randn(1, 2, 1024, 8)
    _flex._BLOCK_BYTES["cpu"] = 1 << 18
    torch._dynamo.reset()
    explanation = coil.explain(lambda q: flex_attention(q, q, q), q, options=OPTIONS)
    program, = explanation.graphs[0].programs
    peak = program.run_stats["peak_bytes"]
    assert peak < 1 << 20 < 4 * 2 * 1024 * 1024, peak


def test_exported_programs():
    """torch.export writes a call of functions, which coil.compile resolves, with constant and with symbolic sizes."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("slopes", torch.rand(4))

        def forward(self, q, k, v):
            slopes = self.slopes
            return flex_attention(q, k, v, score_mod=lambda s, b, h, m, n: s + slopes[h] * (n - m))
    model, length = Model(), torch.export.Dim("length", min=2, max=500)
    for size in 1 << 24, 20_000:
        _flex._BLOCK_BYTES["cpu"] = size
        for shapes in None, ({2: length},) * 3:
            inputs = [torch.randn(2, 4, 33, 8) for _ in range(3)]
            compiled = coil.compile(model, args=tuple(inputs), dynamic_shapes=shapes)
            for rows in (33,) if shapes is None else (33, 77):
                inputs = [torch.randn(2, 4, rows, 8) for _ in range(3)]
                torch.testing.assert_close(compiled(*inputs), model(*inputs), rtol=1e-5, atol=1e-5)


def test_functions_that_cannot_be_vectorised_are_called():
    def score(s, b, h, m, n):
        return s * torch.ops.coil_flex.factor(m)
    torch._dynamo.reset()
    q = torch.randn(1, 1, 8, 4)
    explanation = coil.explain(lambda q: flex_attention(q, q, q, score_mod=score), q)
    (operator, reason, source), = explanation.fallbacks
    assert operator == "higher_order.flex_attention" and "'coil_flex.factor.default'" in reason, reason


@torch.library.custom_op("coil_flex::factor", mutates_args=())
def factor(x: torch.Tensor) -> torch.Tensor:
    return x.float() + 1


@factor.register_fake
def _(x):
    return x.new_empty(x.shape, dtype=torch.float32)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    sys.argv[1:] = given.tests
    if given.random is None:
        sys.exit(main(globals()))
    failed = 0
    for number in range(given.seed, given.seed + given.random):
        try:
            check_random(number)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"seed {number}: {type(error).__name__}: {str(error)[:400]}", flush=True)
    print(f"{failed} of {given.random} fail")
    sys.exit(failed != 0)
