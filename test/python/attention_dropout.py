#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Attention with dropout and its gradients, as programs of GPUs have them: the forward operator saves the state
of the generator, and the backward operator drops the same probabilities. The oracle is autograd on the definition,
with a mask of the words of Philox that PyTorch's memory-efficient attention draws.

    attention_dropout.py [options of coil.compile]
    attention_dropout.py --cuda            # on a GPU, against PyTorch's kernels
"""

import math
import os
import sys
import tempfile

import numpy as np
import torch

import coil

aten = torch.ops.aten
OPTIONS = "" if "--cuda" in sys.argv else " ".join(sys.argv[1:])
DROPOUT = 0.3


def philox(seed, counter):
    """Philox 4x32-10 of stream 0: a row of four words for each counter."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    counter = np.asarray(counter, np.uint64)
    c = [counter & low, counter >> shift, np.zeros_like(counter), np.zeros_like(counter)]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> shift) ^ c[1] ^ np.uint64(key[0]), p1 & low, (p0 >> shift) ^ c[3] ^ np.uint64(key[1]), p0 & low]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, -1)


def make_factors(shape, seed, offset):
    """Zero for what is dropped: element number i has word number i of the stream."""
    count = math.prod(shape)
    words = philox(seed, offset // 4 + np.arange(-(-count // 4))).reshape(-1)[:count]
    uniform = words.astype(np.float32) * np.float32(2.0 ** -32) + np.float32(2.0 ** -33)
    return torch.from_numpy((uniform > np.float32(DROPOUT)).reshape(shape)) / (1 - DROPOUT)


def attend(q, k, v, bias, causal, factors):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if bias is not None:
        scores = scores + bias
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return scores.softmax(-1) * factors @ v


class Step(torch.nn.Module):
    """Forward and backward, and draws before and behind it."""

    def __init__(self, causal):
        super().__init__()
        self.causal = causal

    def forward(self, q, k, v, g, bias=None):
        before = torch.rand_like(q)
        out, sums, seed, offset = aten._scaled_dot_product_efficient_attention(q, k, v, bias, True, DROPOUT, self.causal)
        masks = [True, True, True, bias is not None]
        grads = aten._scaled_dot_product_efficient_attention_backward(
            g, q, k, v, bias, out, sums, seed, offset, DROPOUT, masks, self.causal)
        return before, out, seed, offset, torch.rand_like(q), *(grads if bias is not None else grads[:3])


def export(module, args, dynamic):
    with tempfile.TemporaryDirectory() as folder:
        shapes = tuple({0: torch.export.Dim.AUTO, 2: torch.export.Dim.AUTO} for _ in args) if dynamic else None
        path = os.path.join(folder, "program.pt2")
        torch.export.save(torch.export.export(module, args, dynamic_shapes=shapes), path)
        return coil.compile(path, options=OPTIONS)


def check(causal, with_bias, dtype, dynamic, rows, keys):
    generator = torch.Generator().manual_seed(3)
    draw = lambda *shape: torch.randn(shape, dtype=dtype, generator=generator)
    q, k, v, g = draw(2, 3, rows, 8), draw(2, 3, keys, 8), draw(2, 3, keys, 8), draw(2, 3, rows, 8)
    args = (q, k, v, g, draw(2, 3, rows, keys)) if with_bias else (q, k, v, g)
    program = export(Step(causal), args, dynamic)
    program.random_state = 7, 8
    before, out, seed, offset, after, *grads = [torch.from_dlpack(t, device="cpu") for t in program.run(*args)]
    used = 4 * -(-q.numel() // (256 * min(1056, -(-q.numel() // 256)) * 4))
    assert (int(seed), int(offset)) == (7, 8 + used), (seed, offset)
    assert program.random_state == (7, 8 + 2 * used + 4 * -(-2 * 3 * rows * keys // 4)), program.random_state
    assert not torch.equal(before, after)
    given = [x.double().requires_grad_() for x in (q, k, v, *args[4:])]
    factors = make_factors((2, 3, rows, keys), 7, int(offset)).double()
    expected = attend(*given[:3], given[3] if with_bias else None, causal, factors)
    expected.backward(g.double())
    tolerance = {torch.float32: 3e-6, torch.bfloat16: 3e-2, torch.float16: 4e-3}[dtype]
    for ours, theirs in zip([out, *grads], [expected.detach(), *(x.grad for x in given)], strict=True):
        error = (ours.double() - theirs).abs().max() / theirs.abs().max()
        assert error < tolerance, (causal, with_bias, dtype, dynamic, error)


def check_on_gpu():
    """What PyTorch's own kernels drop, and what theirs and Coil's gradients are."""
    for dtype in (torch.float32, torch.float16):
        for with_bias in (False, True):
            args = [torch.randn(2, 3, n, 8, device="cuda", dtype=dtype) for n in (16, 24, 24, 16)]
            args += [torch.randn(2, 3, 16, 24, device="cuda", dtype=dtype)] if with_bias else []
            results = []
            for call in Step(False), torch.compile(Step(False), backend="coil", options={"fallback": "error"}):
                torch.cuda.manual_seed(5)
                results.append(call(*args))
            for i, (a, b) in enumerate(zip(*results, strict=True)):
                print(dtype, with_bias, i, float((a.double() - b.double()).abs().max()), flush=True)


def main():
    if "--cuda" in sys.argv:
        return check_on_gpu()
    for causal, with_bias, dtype, dynamic, rows, keys in (
            (False, False, torch.float32, False, 7, 9), (True, False, torch.float32, False, 6, 6),
            (False, True, torch.float32, True, 5, 13), (False, False, torch.bfloat16, False, 16, 16),
            (False, True, torch.float16, False, 3, 64)):
        check(causal, with_bias, dtype, dynamic, rows, keys)
    print("attention drops what its gradients drop")


main()
