# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators AOTAutograd takes apart before the backend sees them.

Coil has lowerings for the forward operators of ATen, but for few of the backward ones, so
the table is PyTorch's core table, less what Coil has one lowering for, plus
backward operators that the core table leaves whole.
"""

import functools
import math

import torch

_aten = torch.ops.aten

# What Coil has a lowering for that is better than the parts. The part that attention for
# the CPU has in the core table gives other sums than its backward operator takes.
_KEPT = (
    _aten._scaled_dot_product_flash_attention_for_cpu,
)


def _attention_backward(grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask=None,
                        scale=None):
    """The gradients of attention, from its output and the logarithms of its sums."""
    if dropout_p != 0.0 or query.shape[1] != key.shape[1] or query.shape[1] != value.shape[1]:
        return NotImplemented
    dtype = query.dtype
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    q, k, v, g, o = (t.to(wide) for t in (query, key, value, grad_out, out))
    scores = torch.matmul(q, k.transpose(-2, -1)) * scale
    if is_causal:
        rows = torch.arange(query.shape[-2], device=query.device).unsqueeze(-1)
        columns = torch.arange(key.shape[-2], device=query.device)
        scores = torch.where(rows >= columns, scores, -math.inf)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = torch.where(attn_mask, scores, -math.inf)
        else:
            scores = scores + attn_mask.to(wide)
    # Rows in which nothing may be looked at have no probabilities.
    sums = logsumexp.to(wide).unsqueeze(-1)
    weights = torch.where(scores == -math.inf, 0.0, torch.exp(scores - sums))
    delta = (g * o).sum(-1, keepdim=True)
    grad_scores = weights * (torch.matmul(g, v.transpose(-2, -1)) - delta) * scale
    grads = (torch.matmul(grad_scores, k), torch.matmul(grad_scores.transpose(-2, -1), q),
             torch.matmul(weights.transpose(-2, -1), g))
    return tuple(_laid_out(grad.to(dtype)) for grad in grads)


def _laid_out(grad):
    """A gradient as the operator lays it out: positions before heads."""
    return grad.transpose(1, 2).contiguous().transpose(1, 2)


def _zeros(size, *, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.zeros(size, dtype=dtype, device=device)


def _of_transposed(operator):
    """Determinants factorise the transposed matrix where a real one lies row by row, and
    their backward takes that for granted. Coil factorises what it is given."""
    def decomposition(matrix):
        if matrix.is_complex() or not matrix.is_contiguous() or matrix.mT.is_contiguous():
            return NotImplemented
        return operator(matrix.mT)

    return decomposition


# Operators that the core table leaves whole.
_OWN = {
    _aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _attention_backward,
    _aten._efficientzerotensor.default: _zeros,
    _aten._linalg_det.default: _of_transposed(_aten._linalg_det.default),
    _aten._linalg_slogdet.default: _of_transposed(_aten._linalg_slogdet.default),
}


def _overloads(packets):
    for packet in packets:
        for name in packet.overloads():
            yield getattr(packet, name)


@functools.lru_cache(None)
def table():
    """The decompositions, by operator."""
    from torch._decomp import core_aten_decompositions

    decompositions = dict(core_aten_decompositions().items())
    for overload in _overloads(_KEPT):
        decompositions.pop(overload, None)
    decompositions.update(_OWN)
    return decompositions
