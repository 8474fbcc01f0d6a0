#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Which masks of attention hide nothing, whatever the sizes are, and are left out before AOTAutograd; and
which nodes of attention PyTorch computes on a GPU."""

import sys

import torch
import torch.nn.functional as F
from checks import check, check_gradients, main
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from coil.torch_compile import _masks, _support


def count(make_mask, dynamic=False):
    """How many of two masks are left out, and whether the graph is right without them."""
    counts = []

    def backend(module, inputs):
        counts.append(_masks.drop_visible_masks(module))
        return module.forward

    def function(q, k, v):
        mask = make_mask(q)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask) + F.scaled_dot_product_attention(k, q, v, mask)

    torch._dynamo.reset()
    q, k, v = torch.randn(3, 2, 4, 7, 8)
    compiled = torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)
    torch.testing.assert_close(compiled(q, k, v), function(q, k, v))
    if dynamic:
        q, k, v = torch.randn(3, 2, 4, 9, 8)
        torch.testing.assert_close(compiled(q, k, v), function(q, k, v))
        assert len(counts) == 1, counts
    return counts[0]


def encoder(q):
    rows = torch.arange(q.shape[2], device=q.device) + 0
    return (rows[None, None, :, None] >= 0).expand(q.shape[0], -1, q.shape[2], q.shape[2])


def test_masks_that_hide_nothing():
    for dynamic in (False, True):
        assert count(encoder, dynamic) == 2
    assert count(lambda q: torch.ones(7, 7, dtype=torch.bool)) == 2
    assert count(lambda q: torch.zeros(7, 7)) == 2
    assert count(lambda q: encoder(q) & ~(torch.arange(7) < 0)) == 2
    assert count(lambda q: torch.arange(3, 10).expand(7, 7) != 2) == 2
    assert count(lambda q: torch.full((7, 7), 3).to(torch.bool)) == 2


def test_masks_that_may_hide():
    assert count(lambda q: torch.arange(7)[:, None] >= torch.arange(7)) == 0
    assert count(lambda q: (torch.arange(7) - 1).expand(7, 7) >= 0) == 0
    assert count(lambda q: encoder(q) & (q[0, 0, :, :1] > -1e9)) == 0
    assert count(lambda q: torch.ones(7, 7)) == 0
    assert count(lambda q: (torch.arange(7) + (2**63 - 3)).expand(7, 7) >= 0) == 0

    def written(q):
        mask = torch.ones(7, 7, dtype=torch.bool)
        mask[2, 3] = False
        return mask

    def written_in_place(q):
        mask = torch.ones(7, 7, dtype=torch.bool)
        mask.logical_and_(torch.arange(7) > 2)
        return mask

    assert count(written) == 0
    assert count(written_in_place) == 0


def test_results():
    q = torch.randn(2, 4, 7, 8)
    check(lambda q: F.scaled_dot_product_attention(q, q + 1, q * 2, attn_mask=encoder(q)), q)
    check_gradients(lambda q: F.scaled_dot_product_attention(q, q + 1, q * 2, attn_mask=encoder(q)),
                    q.requires_grad_(), rtol=1e-4, atol=1e-4)


def reasons(function):
    with FakeTensorMode():
        q = torch.empty(2, 4, 64, 32, device="cuda", dtype=torch.bfloat16)
        graph = make_fx(function)(q).graph
    return [_support.reason_for_library(node) for node in graph.nodes if "attention" in str(node.target)]


def test_attention_with_gradients_is_the_librarys():
    attend = torch.ops.aten._scaled_dot_product_cudnn_attention
    assert reasons(lambda q: attend(q, q, q, None, False)[0]) == [None]
    forward, = reasons(lambda q: attend(q, q, q, None, True)[:2])
    assert "stores no scores" in forward
    attend = torch.ops.aten._scaled_dot_product_flash_attention
    backward = torch.ops.aten._scaled_dot_product_flash_attention_backward

    def both(q):
        out, log, of_queries, of_keys, max_q, max_k, seed, offset, _ = attend(q, q, q)
        return backward(out, q, q, q, out, log, of_queries, of_keys, max_q, max_k, 0.0, False, seed, offset)

    assert all("stores no scores" in reason for reason in reasons(both))


if __name__ == "__main__":
    sys.exit(main(globals()))
