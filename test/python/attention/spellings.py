#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Attention in randomly composed spellings, and what is almost attention.

`make_spelling(seed)` gives a module that computes attention, its inputs and a line that says how it is spelled.
`make_near_miss(seed)` gives one that differs from attention in one respect, which the line names.
"""

import math
import random

import torch
import torch.nn.functional as F

DTYPES = [torch.float32, torch.float32, torch.bfloat16, torch.float16, torch.float64]
NEAR = ["other softmax dimension", "returned probabilities", "returned scores", "mask behind the softmax", "sigmoid",
        "squares", "no shift", "factor of queries and keys", "sum over another dimension", "added identity",
        "scores replaced by a tensor", "batch of values", "two finite masks", "scores clamped", "dropout of a mask",
        "power of probabilities", "no division"]


class Attention(torch.nn.Module):
    """One spelling; `wide` is the type of softmax where it is computed in a wider one."""

    def __init__(self, choose, near=None):
        super().__init__()
        self.near = near
        self.wide = torch.float32
        pick = choose.choice
        self.dtype = pick(DTYPES)
        self.batch, self.groups, self.repeats = pick([1, 2, 3]), pick([1, 2, 3]), pick([1, 1, 2, 4])
        self.rows, self.columns = pick([1, 5, 8, 13, 16]), pick([3, 8, 13, 16])
        self.layout = pick(["bhld", "bhld", "blhd", "bld", "bwhld", "packed"])
        if self.layout == "bld":
            self.groups = self.repeats = 1
        if self.layout == "packed":
            # One column has no softmax.
            self.rows = max(self.rows, 5)
            self.columns, self.repeats = self.rows, 1
        self.width, self.value_width = pick([4, 8, 12, 17]), pick([4, 8, 8, 11])
        if self.layout == "packed":
            self.value_width = self.width
        self.causal = pick([None, None, "tril", "positions", "triu", "where"])
        if near:
            self.causal = None
        self.hide = pick(["inf", "lowest", "finite"])
        self.mask = pick([None, None, "padding", "bool", "added", "bias", "distance"])
        # A number that takes part in the softmax cannot replace scores beside another mask.
        takes_part = self.hide == "finite" or (self.hide == "lowest" and self.dtype == torch.float16)
        if self.mask in ("added", "bias", "distance") and self.causal and takes_part:
            self.hide = "inf"
        if self.mask in ("padding", "bool") and self.causal and takes_part:
            self.hide = "inf"
        self.scale = pick(["div", "mul", "query", "key", "both", "tensor", "none", "sqrt", "powers",
                           "negated"])
        if self.scale == "tensor" and self.dtype == torch.float16:
            self.scale = "mul"
        self.scale_last = pick([False, False, True]) and self.scale in ("div", "mul", "sqrt")
        self.cap = pick([None, None, None, None, 5.0, 30.0])
        self.softmax = pick(["functional", "method", "wide", "upcast", "written", "amax", "logarithm", "reciprocal",
                             "late", "exp2"])
        self.product = pick(["matmul", "einsum", "bmm", "swapped", "baddbmm"])
        self.second = pick(["matmul", "einsum", "bmm", "transposed"])
        self.repeat = pick(["interleave", "expand", "broadcast"])
        self.merge = pick([True, False])
        self.dropout = pick([True, False])
        self.dynamic = pick([False, False, False, True]) and self.layout == "bhld" and self.rows > 1 and \
            self.repeats == 1 and self.product != "bmm" and self.mask in (None, "distance")
        if self.dynamic:
            self.second = "matmul"
        self.register_buffer("factor", torch.tensor(0.3, dtype=self.dtype))
        heads = self.groups * self.repeats
        self.register_buffer("bias", torch.randn(heads, self.rows, self.columns, dtype=self.dtype))

    def describe(self):
        names = ("dtype", "batch", "groups", "repeats", "rows", "columns", "width", "value_width", "layout", "causal",
                 "hide", "mask", "scale", "scale_last", "cap", "softmax", "product", "second", "repeat", "merge",
                 "dropout", "dynamic")
        text = " ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{text} near={self.near}" if self.near else text

    def draw(self, generator):
        """Query, key, value and mask; rows of a bool mask may hide everything."""
        def randn(*sizes):
            return torch.randn(*sizes, generator=generator, dtype=torch.float64).to(self.dtype)

        b, g, h, rows, columns = self.batch, self.groups, self.groups * self.repeats, self.rows, self.columns
        e, f = self.width, self.value_width
        if self.layout == "packed":
            inputs = [randn(b, rows, 3 * h * e)]
        elif self.layout == "bld":
            inputs = [randn(b, rows, e), randn(b, columns, e), randn(b, columns, f)]
        elif self.layout == "blhd":
            inputs = [randn(b, rows, h, e), randn(b, columns, g, e), randn(b, columns, g, f)]
        elif self.layout == "bwhld":
            inputs = [randn(b, 2, h, rows, e), randn(b, 2, g, columns, e), randn(b, 2, g, columns, f)]
        else:
            inputs = [randn(b, h, rows, e), randn(b, g, columns, e), randn(b, g, columns, f)]
        if self.mask == "padding":
            keep = torch.rand(b, 1, 1, columns, generator=generator) < 0.7
            if generator.initial_seed() % 3:
                keep[..., 0] = True
            inputs.append(keep)
        elif self.mask == "bool":
            keep = torch.rand(rows, columns, generator=generator) < 0.7
            if generator.initial_seed() % 3:
                keep[:, 0] = True
            inputs.append(keep)
        elif self.mask == "added":
            inputs.append(randn(b, 1, rows, columns))
        return inputs

    def hidden(self, scores):
        if self.hide == "inf":
            return float("-inf")
        if self.hide == "lowest":
            return torch.finfo(self.dtype).min
        return -30000.0 if self.dtype == torch.float16 else -1e9

    def split(self, inputs):
        """Query, key and value as [b, h, l, d], or [b, w, h, l, d]."""
        if self.layout == "packed":
            x = inputs[0]
            heads = self.groups
            x = x.reshape(x.shape[0], x.shape[1], 3, heads, self.width).permute(2, 0, 3, 1, 4)
            return x[0], x[1], x[2]
        q, k, v = inputs[:3]
        if self.layout == "bld":
            return q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)
        if self.layout == "blhd":
            return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        return q, k, v

    def spread(self, x):
        """Repeats heads of key and value."""
        n = self.repeats
        if n == 1 or self.repeat == "broadcast":
            return x
        if self.repeat == "interleave":
            return x.repeat_interleave(n, dim=-3)
        sizes = list(x.shape)
        wide = x.unsqueeze(-3).expand(*sizes[:-2], n, *sizes[-2:])
        sizes[-3] *= n
        return wide.reshape(sizes)

    def multiply(self, q, k, scale):
        """Scores [..., h, l, s]."""
        n = self.repeats
        if n > 1 and self.repeat == "broadcast":
            sizes = list(q.shape)
            grouped = q.reshape(*sizes[:-3], self.groups, n, *sizes[-2:])
            scores = grouped @ k.unsqueeze(-3).transpose(-1, -2)
            return scores.reshape(*sizes[:-1], k.shape[-2]) * scale
        if self.product == "einsum":
            return torch.einsum("...ld,...sd->...ls", q, k) * scale
        if self.product == "bmm":
            sizes = q.shape[:-1]
            scores = torch.bmm(q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:]).transpose(1, 2))
            return scores.reshape(*sizes, k.shape[-2]) * scale
        if self.product == "swapped":
            return (k @ q.transpose(-1, -2)).transpose(-1, -2) * scale
        if self.product == "baddbmm" and scale != 1:
            sizes = q.shape[:-1]
            q, k = q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:])
            zeros = torch.zeros(1, dtype=q.dtype).expand(q.shape[0], q.shape[1], k.shape[1])
            scores = torch.baddbmm(zeros, q, k.transpose(1, 2), beta=0, alpha=scale)
            return scores.reshape(*sizes, k.shape[-2])
        return torch.matmul(q, k.transpose(-2, -1)) * scale if scale != 1 else torch.matmul(q, k.transpose(-2, -1))

    def get_scores(self, q, k):
        root = self.width ** 0.5
        late = 1
        if self.scale == "query":
            q = q / root
        elif self.scale == "key":
            k = k * (1 / root)
        elif self.scale == "both":
            q, k = q * root ** -0.5, k * root ** -0.5
        elif self.scale == "mul":
            late = 1 / root
        scores = self.multiply(q, k, 1 if self.scale_last or self.product != "baddbmm" else late)
        if self.scale == "tensor":
            scores = scores * self.factor
        if self.scale_last:
            return scores
        if self.scale == "div":
            scores = scores / math.sqrt(self.width)
        elif self.scale == "sqrt":
            scores = scores / torch.full((), self.width, dtype=scores.dtype).sqrt()
        elif self.scale == "negated":
            scores = -(scores / -root)
        elif self.scale == "powers":
            scores = scores * self.width ** -0.25 * self.width ** -0.25
        elif self.scale == "mul" and (self.product != "baddbmm"):
            scores = scores * late
        return scores

    def mask_scores(self, scores, inputs):
        rows, columns = scores.shape[-2], scores.shape[-1]
        hidden = self.hidden(scores)
        mask = inputs[-1]
        if self.layout == "bwhld" and self.mask in ("padding", "added"):
            mask = mask.unsqueeze(1)
        if self.mask == "added":
            scores = scores + mask
        elif self.mask == "bias":
            scores = scores + self.bias
        elif self.mask == "distance":
            distance = torch.arange(columns)[None, :] - torch.arange(rows)[:, None]
            scores = scores - 0.1 * distance.abs().to(scores.dtype)
        elif self.mask in ("padding", "bool"):
            if self.hide == "finite" or self.scale == "mul":
                scores = scores.masked_fill(~mask, hidden)
            elif self.scale == "div":
                scores = torch.where(mask, scores, torch.tensor(hidden, dtype=scores.dtype))
            else:
                scores = scores + torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask.logical_not(), hidden)
        if self.causal == "tril":
            keep = torch.tril(torch.ones(rows, columns))
            scores = scores.masked_fill(keep == 0, hidden)
        elif self.causal == "positions":
            keep = torch.arange(columns)[None, :] <= torch.arange(rows)[:, None]
            scores = scores.masked_fill(~keep, hidden)
        elif self.causal == "triu":
            scores = scores + torch.full((rows, columns), hidden, dtype=scores.dtype).triu(1)
        elif self.causal == "where":
            keep = torch.ones(rows, columns, dtype=torch.bool).tril()
            scores = torch.where(keep, scores, hidden)
        return scores

    def normalize(self, scores):
        """Probabilities, and what is left to divide by behind the product with values."""
        kind, dtype = self.softmax, scores.dtype
        if kind == "functional":
            return F.softmax(scores, dim=-1), None
        if kind == "method":
            return scores.softmax(scores.dim() - 1), None
        if kind == "wide":
            return torch.softmax(scores, -1, dtype=self.wide if dtype != torch.float64 else dtype).to(dtype), None
        if kind == "upcast":
            return (scores.to(self.wide) if dtype != torch.float64 else scores).softmax(-1).to(dtype), None
        if kind == "logarithm":
            return torch.log_softmax(scores, -1).exp(), None
        if kind == "exp2":
            scores = scores * math.log2(math.e)
            e = torch.exp2(scores - scores.amax(-1, keepdim=True))
            return e / e.sum(-1, keepdim=True), None
        largest = scores.amax(-1, keepdim=True) if kind == "amax" else scores.max(dim=-1, keepdim=True)[0]
        e = torch.exp(scores - largest)
        total = e.sum(-1, keepdim=True)
        if kind == "reciprocal":
            return e * (1 / total), None
        if kind == "late":
            return e, total
        return e / total, None

    def apply(self, p, v):
        n = self.repeats
        if n > 1 and self.repeat == "broadcast":
            sizes = list(p.shape)
            grouped = p.reshape(*sizes[:-3], self.groups, n, *sizes[-2:])
            return (grouped @ v.unsqueeze(-3)).reshape(*sizes[:-1], v.shape[-1])
        if self.second == "einsum":
            return torch.einsum("...ls,...sd->...ld", p, v)
        if self.second == "bmm":
            out = torch.bmm(p.reshape(-1, *p.shape[-2:]), v.reshape(-1, *v.shape[-2:]))
            return out.reshape(*p.shape[:-1], v.shape[-1])
        if self.second == "transposed":
            return (v.transpose(-1, -2) @ p.transpose(-1, -2)).transpose(-1, -2)
        return torch.matmul(p, v)

    def forward(self, *inputs):
        q, k, v = self.split(inputs)
        k, v = self.spread(k), self.spread(v)
        scores = self.mask_scores(self.get_scores(q, k), inputs)
        if self.scale_last:
            scores = scores / self.width ** 0.5
        if self.cap and self.mask is None and self.causal is None:
            scores = torch.tanh(scores / self.cap) * self.cap
        if self.near:
            return self.miss(scores, v)
        p, total = self.normalize(scores)
        if self.dropout:
            p = F.dropout(p, 0.1, training=False)
        out = self.apply(p, v)
        if total is not None:
            out = out / total
        return self.finish(out)

    def finish(self, out):
        if self.layout == "bld":
            return out.squeeze(1)
        if self.merge and self.layout != "bwhld":
            return out.transpose(1, 2).reshape(out.shape[0], out.shape[2], -1)
        return out

    def miss(self, scores, v):
        near, columns = self.near, scores.shape[-1]
        if near == "other softmax dimension":
            return scores.softmax(-2) @ v
        if near == "returned scores":
            return scores.softmax(-1) @ v, scores
        if near == "sigmoid":
            return scores.sigmoid() @ v
        if near == "squares":
            e = torch.exp(scores - scores.amax(-1, keepdim=True))
            return (e / (e * e).sum(-1, keepdim=True)) @ v
        if near == "no shift":
            e = scores.exp()
            return (e / e.sum(-1, keepdim=True)) @ v
        if near == "no division":
            return torch.exp(scores - scores.amax(-1, keepdim=True)) @ v
        if near == "factor of queries and keys":
            steps = torch.arange(scores.shape[-2] * columns, dtype=scores.dtype)
            scores = scores * (1 + steps.reshape(-1, columns) / 64)
        if near == "scores replaced by a tensor":
            scores = torch.where(scores > 0, scores, self.bias[0])
        if near == "two finite masks":
            scores = scores.masked_fill(self.bias[0] < -1, -9.0) + self.bias[0]
        if near == "scores clamped":
            scores = scores.clamp(-1, 1)
        p = scores.softmax(-1)
        if near == "returned probabilities":
            return p @ v, p
        if near == "mask behind the softmax":
            p = p * (self.bias[0] > 0).to(p.dtype)
        if near == "dropout of a mask":
            p = torch.where(self.bias > -1, p / 0.9, torch.zeros((), dtype=p.dtype))
        if near == "power of probabilities":
            p = p * p
        if near == "sum over another dimension":
            e = torch.exp(scores - scores.amax(-1, keepdim=True))
            p = e / e.sum(-2, keepdim=True)
        if near == "added identity":
            p = p + torch.eye(scores.shape[-2], columns, dtype=p.dtype)
        if near == "batch of values":
            return p.unsqueeze(0) @ torch.stack([v, 2 * v])
        return p @ v


def make_spelling(seed):
    choose = random.Random(seed)
    torch.manual_seed(seed)
    module = Attention(choose).eval()
    return module, module.draw(torch.Generator().manual_seed(seed)), module.describe()


def make_near_miss(seed):
    choose = random.Random(seed)
    torch.manual_seed(seed)
    near = NEAR[seed % len(NEAR)]
    while True:
        module = Attention(choose, near).eval()
        # A kind of mask may make something else of what is near, one column makes all probabilities one.
        if module.mask is None and module.cap is None and module.repeats == 1 and not module.scale_last and \
                module.rows > 1 and module.layout in ("bhld", "bwhld", "blhd"):
            return module, module.draw(torch.Generator().manual_seed(seed)), module.describe()
