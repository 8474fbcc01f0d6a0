#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operators that name a composition of others, fake quantization, bags of rows and selections, with their
gradients where autograd calls an operator for them."""

import torch
import torch.nn.functional as F

from gradients import WIDE, gradient
from operators import ALL, FLOATS, INTS, NUMBERS, add, plain, unary

aten = torch.ops.aten

# PyTorch has no rule of symbolic sizes for these.
STATIC = "fused operators of constant sizes"

# --- Fused ------------------------------------------------------------------

for name in ("_is_all_true", "_is_any_true"):
    add("fused", name, getattr(aten, name), [torch.bool], lambda d, g: [(g.tensor(s, d),) for s in ((), (0,), (3, 5))])
plain("fused", "_add_relu", lambda x, y: aten._add_relu(x, y, alpha=2), FLOATS, (3, 5), (5,))
unary("_aminmax", lambda x: tuple(aten._aminmax(x)), INTS + FLOATS, shapes=[(7,), (3, 5)], family=STATIC)
unary("_aminmax(dim)", lambda x: tuple(aten._aminmax(x, 1, True)), INTS + FLOATS, shapes=[(3, 5)], family=STATIC)
for name in "Byte Char Short Int Long Half Float Double".split():
    unary(f"_cast_{name}", getattr(aten, f"_cast_{name}"), NUMBERS, kind="unit", shapes=[(3, 5)], family="fused")
for kind, shape in ((0, (5, 5)), (1, (2, 5)), (2, (2, 3, 5, 5))):
    add(STATIC, f"_masked_softmax({kind})", lambda x, m, kind=kind: aten._masked_softmax(x, m, 3, kind), WIDE,
        lambda d, g, shape=shape: [(g.tensor((2, 3, 5, 5), d, "plain"), g.tensor(shape, torch.bool))])
plain("fused", "_stack", lambda x, y: aten._stack([x, y], 1), ALL, (3, 5), (3, 5))
plain("fused", "_reshape_copy", lambda x: aten._reshape_copy(x, [5, -1]), ALL, (3, 5))
plain("fused", "_dim_arange", lambda x: torch._dim_arange(x, 1), ALL, (3, 5))
plain(STATIC, "_transform_bias_rescale_qkv", lambda x, b: aten._transform_bias_rescale_qkv(x, b, 2), WIDE,
      (2, 3, 12), (12,))
plain("fused", "conv_tbc", lambda x, w, b: aten.conv_tbc(x, w, b, 1), WIDE, (7, 2, 3), (4, 3, 5), (5,))
add("fused", "_jagged_to_padded_dense_forward",
    lambda x, o: aten._jagged_to_padded_dense_forward(x, [o], [2], 1.5), WIDE,
    lambda d, g: [(g.tensor((5, 3), d, "plain"), torch.tensor([0, 3, 3, 5]))])
add("fused", "_padded_dense_to_jagged_forward",
    lambda x, o: aten._padded_dense_to_jagged_forward(x, [o], 5), WIDE,
    lambda d, g: [(g.tensor((3, 4, 2), d, "plain"), torch.tensor([0, 3, 3, 5]))])
for pad in (0, 1):
    gradient(f"conv_tbc_backward({pad})",
             lambda g, x, w, b, pad=pad: aten.conv_tbc_backward(g, x, w, b, pad), WIDE,
             lambda g, d, pad=pad: (g.tensor((4 + 2 * pad, 2, 5), d, "plain"), g.tensor((7, 2, 3), d, "plain"),
                                    g.tensor((4, 3, 5), d, "plain"), g.tensor((5,), d, "plain")))

# --- Fake quantization ------------------------------------------------------


def observed(x, *state, rows=False, symmetric=False):
    """The results, and what becomes of the state, which the operator updates in place."""
    state = [t.clone() for t in state]
    low, high = (-128, 127) if symmetric else (0, 255)
    y = torch.fused_moving_avg_obs_fake_quant(x, *state, 0.25, low, high, 0 if rows else -1, rows, symmetric)
    return (y, *state[2:])


for rows in (False, True):
    for symmetric in (False, True):
        for observes, rounds, bound in ((1, 1, 0.5), (1, 1, float("inf")), (0, 1, 2.0), (1, 0, 0.0), (1, 1, 1e-7)):
            def arguments(d, g, rows=rows, observes=observes, rounds=rounds, bound=bound):
                count = 3 if rows else 1
                scale = 1e-6 if bound == 1e-7 else 1.0  # Small ranges have a scale of their own.
                low, high = torch.full((count,), -bound), torch.full((count,), bound * 0.75)
                return [(g.tensor((3, 4, 5), d, "plain") * scale, torch.tensor([observes]), torch.tensor([rounds]),
                         low, high, torch.full((count,), 0.1), torch.zeros(count, dtype=torch.int32))]
            add("fake quantization", f"fused_moving_avg_obs_fake_quant({rows}, {symmetric}, {observes}{rounds}, {bound})",
                lambda *x, rows=rows, symmetric=symmetric: observed(*x, rows=rows, symmetric=symmetric),
                [torch.float32], arguments)
gradient("fake_quantize_per_tensor_affine_cachemask_backward",
         lambda g, m: aten.fake_quantize_per_tensor_affine_cachemask_backward(g, m), [torch.float32],
         lambda g, d: (g.tensor((3, 5), d, "plain"), g.tensor((3, 5), torch.bool)))
gradient("fake_quantize_per_channel_affine_cachemask_backward",
         lambda g, m: aten.fake_quantize_per_channel_affine_cachemask_backward(g, m), [torch.float32],
         lambda g, d: (g.tensor((3, 5), d, "plain"), g.tensor((3, 5), torch.bool)))
for zero in (0.0, 3.25):
    gradient(f"_fake_quantize_learnable_per_tensor_affine_backward({zero})",
             lambda g, x, s, z: aten._fake_quantize_learnable_per_tensor_affine_backward(g, x, s, z, -8, 7, 0.5),
             [torch.float32],
             lambda g, d, zero=zero: (g.tensor((3, 5, 7), d, "plain"), g.tensor((3, 5, 7), d, "plain") * 2,
                                      torch.tensor([0.25]), torch.tensor([zero])))
    gradient(f"_fake_quantize_learnable_per_channel_affine_backward({zero})",
             lambda g, x, s, z: aten._fake_quantize_learnable_per_channel_affine_backward(g, x, s, z, 1, -8, 7, 0.5),
             [torch.float32],
             lambda g, d, zero=zero: (g.tensor((3, 5, 7), d, "plain"), g.tensor((3, 5, 7), d, "plain") * 2,
                                      g.tensor((5,), d, "positive"), torch.full((5,), zero)))

# --- Bags of rows, selections -----------------------------------------------

INDICES = torch.tensor([[1, 4, 4, 0], [2, 2, 0, 1], [3, 1, 1, 3]])
for mode in ("sum", "mean", "max"):
    for padding in (None, 1):
        add("searches", f"embedding_bag({mode}, {padding})",
            lambda i, w, mode=mode, padding=padding: F.embedding_bag(i, w, mode=mode, padding_idx=padding), WIDE,
            lambda d, g: [(INDICES, g.tensor((5, 3), d, "plain"))])
    add("searches", f"embedding_bag({mode}, last offset)",
        lambda i, w, o, mode=mode: F.embedding_bag(i, w, o, mode=mode, include_last_offset=True), WIDE,
        lambda d, g: [(INDICES.flatten(), g.tensor((5, 3), d, "plain"), torch.tensor([0, 4, 12]))])
# What comes after the last offset belongs to no bag; other modes and types of eager mode count it in part.
add("searches", "embedding_bag(end)",
    lambda i, w, o: F.embedding_bag(i, w, o, mode="sum", include_last_offset=True), [torch.float32],
    lambda d, g: [(INDICES.flatten(), g.tensor((5, 3), d, "plain"), torch.tensor([0, 4, 9]))])
add("searches", "embedding_bag(samples)",
    lambda i, w, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s), WIDE,
    lambda d, g: [(INDICES, g.tensor((5, 3), d, "plain"), g.tensor((3, 4), d, "plain"))])
for k in (1, 6, 7, 8, 13):
    plain("searches", f"kthvalue({k})", lambda x, k=k: torch.kthvalue(x, k, 1).values, INTS + FLOATS, (3, 13, 2),
          kind="special")
unary("median(dim)", lambda x: torch.median(x, 1).values, INTS + FLOATS, shapes=[(3, 1), (3, 6), (2, 13, 3), (2, 1031)],
      family="searches")
# The first NaN, and elements that are all different.
add("searches", "median(position)", lambda x: torch.median(x, 0), FLOATS,
    lambda d, g: [(torch.tensor([[1, 2.5], [3, float("nan")], [-1, 4], [0, 0], [float("-inf"), float("nan")]], dtype=d),)])
