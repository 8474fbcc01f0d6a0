#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Operators that layers of neural networks consist of: contractions, convolutions, pooling, normalisation, softmax, attention,
padding and resampling."""

import torch
import torch.nn.functional as F

from operators import FLOATS, NUMBERS, add, plain

# --- Contractions -----------------------------------------------------------

REAL = FLOATS + [torch.int32, torch.int64]
plain("contraction", "mm", torch.mm, REAL, (3, 5), (5, 7))
plain("contraction", "mm(empty)", torch.mm, FLOATS, (3, 0), (0, 7))
plain("contraction", "bmm", torch.bmm, REAL, (2, 3, 5), (2, 5, 7))
plain("contraction", "mv", torch.mv, REAL, (3, 5), (5,))
plain("contraction", "dot", torch.dot, REAL, (5,), (5,))
plain("contraction", "outer", torch.outer, REAL, (5,), (3,))
for a, b in (((5,), (5,)), ((3, 5), (5,)), ((5,), (5, 3)), ((2, 3, 5), (5, 7)),
             ((2, 1, 3, 5), (4, 5, 2)), ((4, 3, 5), (5,)), ((5,), (4, 5, 3))):
    plain("contraction", f"matmul({len(a)}-d, {len(b)}-d)", torch.matmul, FLOATS, a, b)
plain("contraction", "addmm", lambda a, b, c: torch.addmm(a, b, c, beta=0.5, alpha=2),
      FLOATS, (7,), (3, 5), (5, 7))
plain("contraction", "baddbmm", torch.baddbmm, FLOATS, (2, 3, 7), (2, 3, 5), (2, 5, 7))
plain("contraction", "addmv", torch.addmv, FLOATS, (3,), (3, 5), (5,))
plain("contraction", "linear", F.linear, FLOATS, (2, 3, 5), (7, 5), (7,))
plain("contraction", "linear(vector)", F.linear, FLOATS, (5,), (7, 5))

plain("convolution", "conv1d", lambda x, w, b: F.conv1d(x, w, b, 2, 1), FLOATS,
      (2, 3, 11), (4, 3, 3), (4,))
plain("convolution", "conv2d", lambda x, w, b: F.conv2d(x, w, b, 1, (1, 0), (1, 2)), FLOATS,
      (2, 3, 7, 8), (4, 3, 3, 2), (4,))
plain("convolution", "conv2d(groups)", lambda x, w: F.conv2d(x, w, groups=2), FLOATS,
      (1, 4, 5, 5), (6, 2, 3, 3))
plain("convolution", "conv2d(depthwise)", lambda x, w: F.conv2d(x, w, padding=1, groups=3),
      FLOATS, (2, 3, 5, 5), (3, 1, 3, 3))
plain("convolution", "conv2d(unbatched)", F.conv2d, FLOATS, (3, 5, 5), (2, 3, 1, 1))
plain("convolution", "conv2d(same)", lambda x, w: F.conv2d(x, w, padding="same"), FLOATS,
      (1, 2, 5, 6), (3, 2, 4, 3))
plain("convolution", "conv3d", lambda x, w: F.conv3d(x, w, padding=1), FLOATS,
      (1, 2, 4, 5, 3), (3, 2, 3, 3, 3))

POOLS = {
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 11)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (2, 3, 7, 8)),
    "max_pool2d(ceil)": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), (2, 3, 8, 8)),
    "max_pool2d(dilation)": (lambda x: F.max_pool2d(x, 2, 1, 0, 2), (2, 3, 7, 8)),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2), (1, 2, 4, 5, 6)),
    "avg_pool1d": (lambda x: F.avg_pool1d(x, 3, 2, 1), (2, 3, 11)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), (2, 3, 7, 8)),
    "avg_pool2d(no padding counted)":
        (lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (2, 3, 7, 8)),
    "avg_pool2d(ceil)": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (2, 3, 8, 8)),
    "avg_pool2d(divisor)": (lambda x: F.avg_pool2d(x, 2, divisor_override=3), (3, 7, 8)),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2), (1, 2, 4, 5, 6)),
    "adaptive_avg_pool2d(1)": (lambda x: F.adaptive_avg_pool2d(x, 1), (2, 3, 7, 5)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (2, 3, 8, 6)),
    "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 4), (2, 3, 8)),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (2, 3)), (2, 3, 8, 6)),
}
for name, (fn, shape) in POOLS.items():
    plain("pooling", name, fn, FLOATS, shape)

# --- Normalisation, softmax, attention --------------------------------------

plain("normalisation", "batch_norm",
      lambda x, w, b: F.batch_norm(x, b.abs().float().to(x.dtype), w.abs() + 1, w, b),
      FLOATS, (2, 3, 5, 5), (3,), (3,))
plain("normalisation", "layer_norm", lambda x, w, b: F.layer_norm(x, (7,), w, b), FLOATS,
      (2, 5, 7), (7,), (7,))
plain("normalisation", "layer_norm(two)", lambda x: F.layer_norm(x, (5, 7)), FLOATS, (2, 5, 7))
plain("normalisation", "batch_norm(training)",
      lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), FLOATS,
      (5, 3, 7), (3,), (3,))
plain("normalisation", "group_norm", lambda x, w, b: F.group_norm(x, 3, w, b), FLOATS,
      (2, 6, 5), (6,), (6,))
plain("normalisation", "instance_norm", lambda x: F.instance_norm(x), FLOATS, (2, 3, 5, 4))
plain("normalisation", "rms_norm", lambda x, w: F.rms_norm(x, (7,), w, 1e-5), FLOATS,
      (2, 5, 7), (7,))
plain("normalisation", "rms_norm(default eps)", lambda x: F.rms_norm(x, (7,)), FLOATS, (2, 7))
plain("normalisation", "dropout in evaluation", lambda x: F.dropout(x, 0.5, False) * 2, FLOATS,
      (3, 5))
plain("softmax", "softmax", lambda x: F.softmax(x, -1), FLOATS, (3, 13))
plain("softmax", "softmax(0)", lambda x: F.softmax(x, 0), FLOATS, (3, 5, 2))
plain("softmax", "softmax(dtype)", lambda x: F.softmax(x, 1, dtype=torch.float32), NUMBERS,
      (3, 5))
plain("softmax", "softmax(scalar)", lambda x: F.softmax(x, 0), FLOATS, ())
plain("softmax", "log_softmax", lambda x: F.log_softmax(x, 1), FLOATS, (3, 13))

QKV = [(2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 4)]
plain("attention", "attention", F.scaled_dot_product_attention, FLOATS, *QKV)
plain("attention", "attention(causal)",
      lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), FLOATS,
      (2, 3, 5, 8), (2, 3, 5, 8), (2, 3, 5, 8))
plain("attention", "attention(scale)",
      lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), FLOATS,
      (3, 5, 8), (3, 7, 8), (3, 7, 4))
plain("attention", "attention(added mask)", F.scaled_dot_product_attention, FLOATS, *QKV, (5, 7))
add("attention", "attention(bool mask)", F.scaled_dot_product_attention, FLOATS,
    lambda d, g: [tuple(g.tensor(s, d, "plain") for s in QKV) +
                  (torch.cat((torch.zeros(1, 7), torch.ones(4, 7).tril(1))).bool(),)])
plain("attention", "attention(grouped query)",
      lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), FLOATS,
      (2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8))

# --- Windows, padding, resampling -------------------------------------------

WINDOWS = {
    "max_pool1d(positions)": (lambda x: F.max_pool1d(x, 3, 2, 1, return_indices=True), (2, 3, 11)),
    "max_pool2d(positions)":
        (lambda x: F.max_pool2d(x, (3, 2), 2, 1, ceil_mode=True, return_indices=True), (3, 7, 8)),
    "max_pool2d(positions, dilation)":
        (lambda x: F.max_pool2d(x, 3, 2, 1, 2, return_indices=True), (2, 3, 11, 7)),
    "max_pool3d(positions)":
        (lambda x: F.max_pool3d(x, 2, return_indices=True), (1, 2, 4, 5, 7)),
    "adaptive_avg_pool2d(uneven)": (lambda x: F.adaptive_avg_pool2d(x, (3, 5)), (2, 3, 7, 11)),
    "adaptive_avg_pool3d(larger)": (lambda x: F.adaptive_avg_pool3d(x, (3, 1, 7)), (2, 2, 2, 3, 5)),
    "adaptive_max_pool2d(positions)":
        (lambda x: F.adaptive_max_pool2d(x, (3, 5), return_indices=True), (2, 3, 7, 11)),
    "unfold": (lambda x: x.unfold(1, 3, 2), (3, 7, 5)),
    "im2col": (lambda x: F.unfold(x, (2, 3), (2, 1), (1, 0), (1, 2)), (2, 3, 5, 7)),
    "col2im": (lambda x: F.fold(x, (5, 7), (2, 3), padding=(1, 0)), (2, 18, 30)),
    "pad(reflect)": (lambda x: F.pad(x, (2, 1, 0, 3), "reflect"), (2, 3, 5, 7)),
    "pad(replicate)": (lambda x: F.pad(x, (4, 0, 1, 9), "replicate"), (2, 3, 1, 7)),
    "pad(circular)": (lambda x: F.pad(x, (2, 5, -1, 3), "circular"), (2, 3, 5, 7)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 3), (2, 18, 1, 5)),
    "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 3), (2, 6, 9)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 3), (2, 6, 1, 5)),
    "interpolate(nearest)": (lambda x: F.interpolate(x, (5, 3)), (2, 3, 2, 7)),
    "interpolate(nearest, factor)": (lambda x: F.interpolate(x, scale_factor=1.7), (2, 3, 7)),
    "interpolate(nearest-exact)":
        (lambda x: F.interpolate(x, (5, 3, 4), mode="nearest-exact"), (1, 2, 7, 2, 1)),
    "interpolate(linear)": (lambda x: F.interpolate(x, 13, mode="linear"), (2, 3, 5)),
    "interpolate(bilinear)":
        (lambda x: F.interpolate(x, (5, 9), mode="bilinear", align_corners=True), (2, 3, 7, 1)),
    "interpolate(bilinear, factor)":
        (lambda x: F.interpolate(x, scale_factor=(0.6, 2.3), mode="bilinear"), (2, 3, 7, 5)),
    "interpolate(trilinear)":
        (lambda x: F.interpolate(x, (3, 5, 2), mode="trilinear"), (1, 2, 2, 3, 5)),
    "interpolate(bicubic)": (lambda x: F.interpolate(x, (11, 3), mode="bicubic"), (2, 3, 5, 7)),
}
for name, (fn, shape) in WINDOWS.items():
    plain("windows", name, fn, FLOATS, shape)
for name in "bilinear bicubic".split():
    plain("windows", f"interpolate({name}, antialias)",
          lambda x, mode=name: F.interpolate(x, (3, 11), mode=mode, antialias=True),
          [torch.float32, torch.float64], (2, 3, 7, 5))
for mode in "bilinear nearest bicubic".split():
    for padding in "zeros border reflection".split():
        plain("windows", f"grid_sample({mode}, {padding})",
              lambda x, g, m=mode, p=padding: F.grid_sample(x, g, m, p, align_corners=m != "bicubic"),
              [torch.float32, torch.float64], (2, 3, 5, 7), (2, 3, 4, 2))
plain("windows", "grid_sample(volume)", lambda x, g: F.grid_sample(x, g, align_corners=False),
      [torch.float32, torch.float64], (2, 3, 5, 1, 7), (2, 3, 2, 4, 3))
plain("windows", "affine_grid", lambda t: F.affine_grid(t, (2, 3, 5, 1), align_corners=False),
      [torch.float32, torch.float64], (2, 2, 3))

TRANSPOSED = {
    "conv_transpose1d": (F.conv_transpose1d, (2, 4, 7), (4, 3, 3)),
    "conv_transpose1d(stride)":
        (lambda x, w: F.conv_transpose1d(x, w, stride=3, padding=1, output_padding=2),
         (2, 4, 7), (4, 3, 2)),
    "conv_transpose2d(groups)":
        (lambda x, w: F.conv_transpose2d(x, w, stride=(2, 1), padding=(3, 0), groups=2,
                                         dilation=(1, 2)), (4, 5, 7), (4, 3, 3, 2)),
    "conv_transpose2d(dilation)":
        (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=(3, 2), padding=(4, 1), dilation=(2, 3),
                                            output_padding=(1, 2)), (1, 2, 4, 3), (2, 3, 5, 2), (3,)),
    "conv_transpose3d": (lambda x, w: F.conv_transpose3d(x, w, stride=2), (1, 2, 3, 2, 4),
                         (2, 3, 2, 1, 3)),
}
for name, (fn, *shapes) in TRANSPOSED.items():
    plain("convolution", name, fn, FLOATS, *shapes)
