#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Backward operators, called as autograd calls them: with all results, parts of them
(`output_mask`), and without optional arguments."""

import itertools

import torch

from operators import FLOATS, add

aten = torch.ops.aten
WIDE = [torch.float32, torch.float64]


# Operators for which PyTorch has no rule of symbolic sizes.
STATIC = ("softshrink_backward", "hardshrink_backward", "fake_quantize", "_fake_quantize")


def gradient(name, fn, dtypes, *calls):
    """`calls` are functions of a generator and an element type that give the arguments."""
    family = "gradients of constant sizes" if name.startswith(STATIC) else "gradients"
    add(family, name, fn, dtypes, lambda d, g: [call(g, d) for call in calls])


# --- Activations ------------------------------------------------------------

SHAPES = [(), (1,), (7,), (0,), (3, 0, 2), (5, 1, 13)]
ACTIVATIONS = {
    "threshold_backward": lambda g, x: aten.threshold_backward(g, x, 0.5),
    "softplus_backward": lambda g, x: aten.softplus_backward(g, x, 2.0, 3.0),
    "gelu_backward": aten.gelu_backward,
    "gelu_backward(tanh)": lambda g, x: aten.gelu_backward(g, x, approximate="tanh"),
    "silu_backward": aten.silu_backward,
    "hardswish_backward": aten.hardswish_backward,
    "hardsigmoid_backward": aten.hardsigmoid_backward,
    "hardtanh_backward": lambda g, x: aten.hardtanh_backward(g, x, -0.5, 2.5),
    "elu_backward": lambda g, x: aten.elu_backward(g, 1.5, 1.25, 0.5, False, x),
    "elu_backward(result)": lambda g, x: aten.elu_backward(g, 1.5, 1.25, 0.5, True, x),
    "leaky_relu_backward": lambda g, x: aten.leaky_relu_backward(g, x, 0.1, False),
    "leaky_relu_backward(result)": lambda g, x: aten.leaky_relu_backward(g, x, 0.1, True),
    "mish_backward": aten.mish_backward,
    "hardshrink_backward": lambda g, x: aten.hardshrink_backward(g, x, 0.5),
    "softshrink_backward": lambda g, x: aten.softshrink_backward(g, x, 0.5),
    "sigmoid_backward": aten.sigmoid_backward,
    "tanh_backward": aten.tanh_backward,
    "logit_backward": aten.logit_backward,
    "logit_backward(eps)": lambda g, x: aten.logit_backward(g, x, 0.1),
    "log_sigmoid_backward": lambda g, x: aten.log_sigmoid_backward(g, x, torch.exp(-x.abs())),
}
for name, fn in ACTIVATIONS.items():
    # NaN and infinities come out as eager mode's vector or scalar code has them; ends are exact.
    kind = "unit" if name.startswith(("logit", "sigmoid", "tanh")) else "plain"
    gradient(name, fn, FLOATS,
             *[lambda g, d, s=s, k=kind: (g.tensor(s, d, "plain"), g.tensor(s, d, k)) for s in SHAPES],
             lambda g, d: (torch.ones(9, dtype=d), torch.tensor([-3, -2.5, -0.5, 0, 0.1, 0.5, 0.9, 1, 3], dtype=d)))
gradient("threshold_backward(special)", ACTIVATIONS["threshold_backward"], FLOATS,
         lambda g, d: (g.tensor((13,), d), g.tensor((13,), d)))
gradient("rrelu_with_noise_backward", lambda g, x, n: aten.rrelu_with_noise_backward(g, x, n, 0.1, 0.3, True, False),
         FLOATS, lambda g, d: (g.tensor((5, 7), d, "plain"), g.tensor((5, 7), d, "plain"), g.tensor((5, 7), d, "unit")))
gradient("rrelu_with_noise_backward(evaluation)",
         lambda g, x, n: aten.rrelu_with_noise_backward(g, x, n, 0.1, 0.3, False, False),
         FLOATS, lambda g, d: (g.tensor((5, 7), d, "plain"), g.tensor((5, 7), d, "plain"), g.tensor((5, 7), d, "unit")))
for dim in (0, 1, -1):
    def half(g, d, dim=dim):
        sizes = [4, 6, 2]
        x = g.tensor(sizes, d, "plain")
        sizes[dim] //= 2
        return g.tensor(sizes, d, "plain"), x
    gradient(f"glu_backward({dim})", lambda g, x, dim=dim: aten.glu_backward(g, x, dim), FLOATS, half)
gradient("_prelu_kernel_backward", aten._prelu_kernel_backward, FLOATS,
         lambda g, d: (g.tensor((3, 5, 2), d, "plain"), g.tensor((3, 5, 2), d, "plain"), g.tensor((1, 5, 1), d, "plain")),
         lambda g, d: (g.tensor((7,), d, "plain"), g.tensor((7,), d, "plain"), g.tensor((1,), d, "plain")))
for name in ("_softmax_backward_data", "_log_softmax_backward_data"):
    gradient(name, lambda g, x, f=getattr(aten, name): f(g, torch.softmax(x, 1), 1, x.dtype), FLOATS,
             lambda g, d: (g.tensor((3, 7, 2), d, "plain"), g.tensor((3, 7, 2), d, "plain")))

# --- Normalisations ---------------------------------------------------------


def masks(count):
    return [mask for mask in itertools.product((True, False), repeat=count) if any(mask)]


def layer_norm(mask, has_weight, shape):
    def fn(grad, x, w, b):
        w, b = (w, b) if has_weight else (None, None)
        _, mean, rstd = aten.native_layer_norm(x, shape, w, b, 1e-5)
        return aten.native_layer_norm_backward(grad, x, shape, mean, rstd, w, b, mask)
    return fn


def group_norm(mask, has_weight, groups):
    def fn(grad, x, w, b):
        w, b = (w, b) if has_weight else (None, None)
        n, c = x.shape[:2]
        rest = x.shape[2:].numel()
        _, mean, rstd = aten.native_group_norm(x, w, b, n, c, rest, groups, 1e-5)
        return aten.native_group_norm_backward(grad, x, mean, rstd, w, n, c, rest, groups, mask)
    return fn


def batch_norm(mask, has_weight, is_training):
    def fn(grad, x, w, mean, var):
        w = w if has_weight else None
        first = 0 if mask[0] else 1  # Programs are declared to have the first one in any case.
        if is_training:
            _, save_mean, save_rstd = aten._native_batch_norm_legit.no_stats(x, w, None, True, 0.1, 1e-5)
            return aten.native_batch_norm_backward(grad, x, w, mean, var, save_mean, save_rstd, True, 1e-5,
                                                   mask)[first:]
        empty = x.new_empty(0)
        return aten.native_batch_norm_backward(grad, x, w, mean, var, empty, empty, False, 1e-5, mask)[first:]
    return fn


def rms_norm(mask, has_weight, shape):
    def fn(grad, x, w):
        w = w if has_weight else None
        _, rstd = aten._fused_rms_norm(x, shape, w, 1e-5)
        return aten._fused_rms_norm_backward(grad, x, shape, rstd, w, mask)
    return fn


def named(mask):
    return "".join("01"[flag] for flag in mask)


for mask in masks(3):
    for has_weight in (True, False):
        if not has_weight and (mask[1] or mask[2]):
            continue
        tag = f"{named(mask)}{'' if has_weight else ', no weight'}"
        # Eager mode adds up the gradients of 16-bit weights in 16 bits.
        gradient(f"native_layer_norm_backward({tag})", layer_norm(mask, has_weight, [7]),
                 WIDE if mask[1] or mask[2] else FLOATS,
                 lambda g, d: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"),
                               g.tensor((7,), d, "plain"), g.tensor((7,), d, "plain")))
        gradient(f"native_group_norm_backward({tag})", group_norm(mask, has_weight, 3), FLOATS,
                 lambda g, d: (g.tensor((2, 6, 5, 3), d, "plain"), g.tensor((2, 6, 5, 3), d, "plain"),
                               g.tensor((6,), d, "plain"), g.tensor((6,), d, "plain")))
    for has_weight, is_training in itertools.product((True, False), repeat=2):
        tag = f"{named(mask)}{'' if has_weight else ', no weight'}{'' if is_training else ', evaluation'}"
        gradient(f"native_batch_norm_backward({tag})", batch_norm(mask, has_weight, is_training), WIDE,
                 lambda g, d: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"),
                               g.tensor((3,), d, "plain"), g.tensor((3,), d, "plain"), g.tensor((3,), d, "positive")))
gradient("native_layer_norm_backward(two dimensions)", layer_norm((True, True, True), True, [3, 7]), WIDE,
         lambda g, d: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"),
                       g.tensor((3, 7), d, "plain"), g.tensor((3, 7), d, "plain")))
gradient("native_layer_norm_backward(empty)", layer_norm((True, True, True), True, [7]), WIDE,
         lambda g, d: (g.tensor((0, 7), d, "plain"), g.tensor((0, 7), d, "plain"),
                       g.tensor((7,), d, "plain"), g.tensor((7,), d, "plain")))
for mask in masks(2):
    gradient(f"_fused_rms_norm_backward({named(mask)})", rms_norm(mask, True, [7]), FLOATS,
             lambda g, d: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"), g.tensor((7,), d, "plain")))
gradient("_fused_rms_norm_backward(no weight)", rms_norm((True, False), False, [3, 7]), FLOATS,
         lambda g, d: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"), g.tensor((7,), d, "plain")))
for dim in (0, 2):
    def weight_norm(grad, v, g, dim=dim):
        _, norms = aten._weight_norm_interface(v, g, dim)
        return aten._weight_norm_interface_backward(grad, v, g, norms, dim)
    gradient(f"_weight_norm_interface_backward({dim})", weight_norm, WIDE,
             lambda g, d, dim=dim: (g.tensor((5, 3, 7), d, "plain"), g.tensor((5, 3, 7), d, "plain"),
                                    g.tensor((5, 1, 1) if dim == 0 else (1, 1, 7), d, "plain")))

# --- Losses -----------------------------------------------------------------

LOSSES = {
    "mse_loss_backward": aten.mse_loss_backward,
    "smooth_l1_loss_backward": lambda g, x, t, r: aten.smooth_l1_loss_backward(g, x, t, r, 0.75),
    "huber_loss_backward": lambda g, x, t, r: aten.huber_loss_backward(g, x, t, r, 0.75),
    "soft_margin_loss_backward": aten.soft_margin_loss_backward,
    "binary_cross_entropy_backward": lambda g, x, t, r: aten.binary_cross_entropy_backward(g, x, t, None, r),
    "binary_cross_entropy_backward(weight)":
        lambda g, x, t, r: aten.binary_cross_entropy_backward(g, x, t, t + 0.5, r),
}
for name, fn in LOSSES.items():
    for reduction in range(3):
        kind = "unit" if name.startswith("binary") else "plain"
        gradient(f"{name}({reduction})", lambda g, x, t, f=fn, r=reduction: f(g, x, t, r), FLOATS,
                 *[lambda g, d, s=s, k=kind, r=reduction: (g.tensor(s if r == 0 else (), d, "plain"),
                                                          g.tensor(s, d, k), g.tensor(s, d, k))
                   for s in [(7,), (5, 1, 13), ()]])


def nll(reduction, has_weight, ignore):
    def fn(grad, x, w, target):
        w = w if has_weight else None
        name = "nll_loss2d" if x.dim() == 4 else "nll_loss"
        _, total = getattr(aten, name + "_forward")(x, target, w, reduction, ignore)
        return getattr(aten, name + "_backward")(grad, x, target, w, reduction, ignore, total)
    return fn


for reduction, has_weight, ignore in itertools.product(range(3), (True, False), (-100, 2)):
    tag = f"{reduction}{', weight' if has_weight else ''}{', ignored' if ignore == 2 else ''}"
    gradient(f"nll_loss_backward({tag})", nll(reduction, has_weight, ignore), WIDE,
             lambda g, d, r=reduction: (g.tensor((5,) if r == 0 else (), d, "plain"), g.tensor((5, 4), d, "plain"),
                                        g.tensor((4,), d, "positive"), torch.tensor([0, 2, 3, 2, 1])),
             lambda g, d: (g.tensor((), d, "plain"), g.tensor((4,), d, "plain"),
                           g.tensor((4,), d, "positive"), torch.tensor(3)))
    gradient(f"nll_loss2d_backward({tag})", nll(reduction, has_weight, ignore), WIDE,
             lambda g, d, r=reduction: (g.tensor((2, 3, 2) if r == 0 else (), d, "plain"),
                                        g.tensor((2, 4, 3, 2), d, "plain"), g.tensor((4,), d, "positive"),
                                        torch.arange(12).reshape(2, 3, 2) % 4))
for reduction, p, has_weight in itertools.product(range(3), (1, 2), (True, False)):
    tag = f"{reduction}, {p}{', weight' if has_weight else ''}"

    def multi_margin(grad, x, w, target, r=reduction, p=p, h=has_weight):
        return aten.multi_margin_loss_backward(grad, x, target, p, 1.25, w if h else None, r)
    gradient(f"multi_margin_loss_backward({tag})", multi_margin, WIDE,
             lambda g, d, r=reduction: (g.tensor((5,) if r == 0 else (), d, "plain"), g.tensor((5, 4), d, "plain"),
                                        g.tensor((4,), d, "positive"), torch.tensor([0, 2, 3, 2, 1])))
for reduction in range(3):
    def multilabel(grad, x, target, r=reduction):
        _, is_target = aten.multilabel_margin_loss_forward(x, target, r)
        return aten.multilabel_margin_loss_backward(grad, x, target, r, is_target)
    gradient(f"multilabel_margin_loss_backward({reduction})", multilabel, WIDE,
             lambda g, d, r=reduction: (g.tensor((3,) if r == 0 else (), d, "plain"), g.tensor((3, 4), d, "plain"),
                                        torch.tensor([[3, 0, -1, 1], [-1, 0, 1, 2], [2, 2, 1, -1]])))

# --- Views ------------------------------------------------------------------

for dim, index in ((0, 0), (1, 2), (-1, -1)):
    def select(grad, x, dim=dim, index=index):
        return aten.select_backward(grad, x.shape, dim, index)
    gradient(f"select_backward({dim}, {index})", select, FLOATS,
             lambda g, d, dim=dim: (g.tensor(torch.empty(5, 3, 7).select(dim, 0).shape, d), g.tensor((5, 3, 7), d)))
for dim, start, end, step in ((0, 1, 4, 1), (2, 0, 7, 3), (-1, 1, 2**63 - 1, 2), (1, -2, 3, 1), (0, 2, 2, 1)):
    def slice_(grad, x, a=(dim, start, end, step)):
        return aten.slice_backward(grad, x.shape, *a)
    gradient(f"slice_backward({dim}, {start}, {end}, {step})", slice_, FLOATS,
             lambda g, d, a=(dim, start, end, step):
             (g.tensor(aten.slice(torch.empty(5, 3, 7), *a).shape, d), g.tensor((5, 3, 7), d)))
for offset, first, second in ((0, 0, 1), (1, 1, 2), (-2, 0, 2), (2, 2, 0), (9, 0, 1)):
    def diagonal(grad, x, a=(offset, first, second)):
        return aten.diagonal_backward(grad, x.shape, *a)
    gradient(f"diagonal_backward({offset}, {first}, {second})", diagonal, FLOATS,
             lambda g, d, a=(offset, first, second):
             (g.tensor(torch.empty(5, 3, 7).diagonal(*a).shape, d), g.tensor((5, 3, 7), d)))
for dim, size, step in ((0, 3, 1), (1, 2, 2), (2, 3, 2), (2, 2, 3), (2, 7, 7)):
    def unfold(grad, x, a=(dim, size, step)):
        return aten.unfold_backward(grad, x.shape, *a)
    gradient(f"unfold_backward({dim}, {size}, {step})", unfold, FLOATS,
             lambda g, d, a=(dim, size, step):
             (g.tensor(torch.empty(5, 4, 7).unfold(*a).shape, d, "plain"), g.tensor((5, 4, 7), d)))
gradient("trace_backward", lambda g, x: aten.trace_backward(g, x.shape), WIDE,
         lambda g, d: (g.tensor((), d), g.tensor((5, 3), d)))
gradient("masked_scatter_backward", lambda g, x, m: aten.masked_scatter_backward(g, m, x.shape), FLOATS,
         lambda g, d: (g.tensor((5, 7), d), g.tensor((4, 10), d), g.tensor((5, 7), torch.bool)),
         lambda g, d: (g.tensor((3,), d), g.tensor((3,), d), torch.tensor([False, True, True])))

# --- Resampling -------------------------------------------------------------

NEAREST = {1: "upsample_nearest1d", 2: "upsample_nearest2d", 3: "upsample_nearest3d"}
LINEAR = {1: "upsample_linear1d", 2: "upsample_bilinear2d", 3: "upsample_trilinear3d"}
IN, OUT = (5, 4, 3), ((10, 8, 6), (7, 9, 2))
for dims, out in itertools.product((1, 2, 3), OUT):
    for name in (NEAREST[dims], NEAREST[dims].replace("upsample", "_upsample").replace("nearest", "nearest_exact")):
        def nearest(grad, x, f=getattr(aten, name + "_backward"), dims=dims, out=out):
            return f(grad, out[:dims], x.shape, *[None] * dims)
        gradient(f"{name}_backward({out[0]})", nearest, WIDE,
                 lambda g, d, dims=dims, out=out: (g.tensor((2, 3, *out[:dims]), d, "plain"), g.tensor((2, 3, *IN[:dims]), d)))
    for align in (True, False):
        def linear(grad, x, f=getattr(aten, LINEAR[dims] + "_backward"), dims=dims, out=out, align=align):
            return f(grad, out[:dims], x.shape, align, *[None] * dims)
        gradient(f"{LINEAR[dims]}_backward({out[0]}, {align})", linear, WIDE,
                 lambda g, d, dims=dims, out=out: (g.tensor((2, 3, *out[:dims]), d, "plain"), g.tensor((2, 3, *IN[:dims]), d)))
for name, out, align in itertools.product(("upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"),
                                          OUT, (True, False)):
    def plane(grad, x, f=getattr(aten, name + "_backward"), out=out, align=align):
        return f(grad, out[:2], x.shape, align, None, None)
    gradient(f"{name}_backward({out[0]}, {align})", plane, WIDE,
             lambda g, d, out=out: (g.tensor((2, 3, *out[:2]), d, "plain"), g.tensor((2, 3, *IN[:2]), d)))

# --- Bags, packed sequences and attention -----------------------------------


def bag(mode, scale, padding, has_samples):
    def fn(grad, weight, samples, indices, offsets):
        samples = samples if has_samples else None
        _, bags, sizes, positions = aten._embedding_bag(weight, indices, offsets, scale, mode, False, samples, False,
                                                        padding)
        return aten._embedding_bag_dense_backward(grad, indices, bags, sizes, positions, weight.shape[0], scale, mode,
                                                  samples, padding)
    return fn


for mode, scale, padding in itertools.product((1, 2), (False, True), (-1, 3)):
    if mode == 2 and scale:
        continue
    # Each row is named twice: where counts differ, eager mode takes those of other rows.
    gradient(f"_embedding_bag_dense_backward({mode}, {scale}, {padding})", bag(mode, scale, padding, False), WIDE,
             lambda g, d: (g.tensor((3, 4), d, "plain"), g.tensor((6, 4), d, "plain"), g.tensor((8,), d, "plain"),
                           torch.tensor([1, 3, 3, 0, 5, 1, 0, 5]), torch.tensor([0, 4, 4])))
gradient("_embedding_bag_dense_backward(samples)", bag(0, False, -1, True), WIDE,
         lambda g, d: (g.tensor((3, 4), d, "plain"), g.tensor((6, 4), d, "plain"), g.tensor((7,), d, "plain"),
                       torch.tensor([1, 3, 3, 0, 5, 1, 2]), torch.tensor([0, 4, 4])))
gradient("_embedding_bag_per_sample_weights_backward",
         lambda grad, w, i, o: aten._embedding_bag_per_sample_weights_backward(
             grad, w, i, o, torch.tensor([0, 0, 0, 0, 2, 2, 2]), 0), WIDE,
         lambda g, d: (g.tensor((3, 4), d, "plain"), g.tensor((6, 4), d, "plain"),
                       torch.tensor([1, 3, 3, 0, 5, 1, 2]), torch.tensor([0, 4, 4])))


def attention(is_causal, mask_kind, scale=None):
    def fn(grad, q, k, v, mask):
        mask = None if mask_kind is None else mask
        out, log = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, is_causal, attn_mask=mask, scale=scale)
        return (out, log.float()) + aten._scaled_dot_product_flash_attention_for_cpu_backward(
            grad, q, k, v, out, log, 0.0, is_causal, attn_mask=mask, scale=scale)
    return fn


for is_causal, mask_kind, scale in ((False, None, None), (True, None, 0.3), (False, "float", 0.7)):
    gradient(f"_scaled_dot_product_flash_attention_for_cpu_backward({is_causal}, {mask_kind})",
             attention(is_causal, mask_kind, scale), [torch.float32],
             lambda g, d: (g.tensor((2, 3, 5, 8), d, "plain"), g.tensor((2, 3, 5, 8), d, "plain"),
                           g.tensor((2, 3, 7, 8), d, "plain"), g.tensor((2, 3, 7, 8), d, "plain"),
                           g.tensor((5, 7), d, "plain")))
