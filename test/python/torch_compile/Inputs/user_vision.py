#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Models of images, graphs and sets as their users write them, and what training does around them."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations
from torch.utils.checkpoint import checkpoint

from user_cases import case, ints, randn


class Residual(nn.Module):
    def __init__(self, enter, leave, time):
        super().__init__()
        self.first, self.second = nn.GroupNorm(2, enter), nn.GroupNorm(2, leave)
        self.conv1, self.conv2 = nn.Conv2d(enter, leave, 3, padding=1), nn.Conv2d(leave, leave, 3, padding=1)
        self.time, self.skip = nn.Linear(time, 2 * leave), nn.Conv2d(enter, leave, 1) if enter != leave else nn.Identity()

    def forward(self, x, time):
        y = self.conv1(F.silu(self.first(x)))
        scale, shift = self.time(F.silu(time))[..., None, None].chunk(2, dim=1)
        return self.skip(x) + self.conv2(F.silu(self.second(y) * (1 + scale) + shift))


class Denoiser(nn.Module):
    """A U-Net with an embedding of the time step and attention in the middle."""

    def __init__(self, width=8):
        super().__init__()
        self.width, self.enter = width, nn.Conv2d(3, width, 3, padding=1)
        self.time = nn.Sequential(nn.Linear(width, 16), nn.SiLU(), nn.Linear(16, 16))
        self.down, self.middle, self.up = Residual(width, 16, 16), Residual(16, 16, 16), Residual(16 + width, width, 16)
        self.qkv, self.out = nn.Conv2d(16, 48, 1), nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, x, steps):
        frequency = torch.exp(-math.log(1e4) * torch.arange(self.width // 2) / (self.width // 2))
        angle = steps[:, None].float() * frequency
        time = self.time(torch.cat([angle.sin(), angle.cos()], 1).to(x.dtype))
        x = self.enter(x)
        y = self.middle(F.avg_pool2d(self.down(x, time), 2), time)
        q, k, v = self.qkv(y).flatten(2).transpose(1, 2).unsqueeze(1).chunk(3, dim=-1)
        y = y + F.scaled_dot_product_attention(q, k, v).squeeze(1).transpose(1, 2).view_as(y)
        return self.out(self.up(torch.cat([F.interpolate(y, scale_factor=2.0, mode="nearest"), x], 1), time))


@case("denoiser with time steps", tolerance=5e-4)
def denoiser():
    return Denoiser(), [(randn(b, 3, 8, 8), ints(1000, b)) for b in (2, 3, 5)]


class Deformable(nn.Module):
    """Offsets that a convolution predicts move the places that a window reads."""

    def __init__(self, width=4):
        super().__init__()
        self.offsets, self.mix = nn.Conv2d(3, 2 * width, 3, padding=1), nn.Conv2d(3 * width, 5, 1)
        self.width = width

    def forward(self, x):
        batch, _, height, width = x.shape
        offsets = 0.2 * torch.tanh(self.offsets(x)).view(batch * self.width, 2, height, width).permute(0, 2, 3, 1)
        rows, columns = torch.linspace(-1, 1, height, dtype=x.dtype), torch.linspace(-1, 1, width, dtype=x.dtype)
        grid = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), -1) + offsets
        taken = F.grid_sample(x.repeat_interleave(self.width, 0), grid, padding_mode="border", align_corners=True)
        return self.mix(taken.view(batch, -1, height, width)).amax((2, 3))


@case("deformable sampling", bf16=False)  # Places in 16 bits are others.
def deformable():
    return Deformable(), [(randn(b, 3, 6, 7),) for b in (2, 3, 5)]


class Bounded(nn.Module):
    """Weights divided by their largest singular value, which a buffer of each call estimates."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(parametrizations.spectral_norm(nn.Linear(6, 10)), nn.LeakyReLU(0.2),
                                 parametrizations.weight_norm(nn.Linear(10, 4)), nn.LeakyReLU(0.2), nn.Linear(4, 1))

    def forward(self, x):
        return F.softplus(-self.net(x)).mean()


@case("spectral norm")
def bounded():
    return Bounded(), [(randn(b, 6),) for b in (2, 3, 5)]


class Quantizer(nn.Module):
    """The nearest of some vectors, gradients straight through, and the codebook's own losses."""

    def __init__(self, codes=9, width=4):
        super().__init__()
        self.enter, self.leave, self.codes = nn.Linear(6, width), nn.Linear(width, 6), nn.Embedding(codes, width)

    def forward(self, x):
        z = self.enter(x)
        flat = z.flatten(0, -2)
        distance = flat.square().sum(1, keepdim=True) - 2 * flat @ self.codes.weight.t() + self.codes.weight.square().sum(1)
        index = distance.argmin(1)
        q = self.codes(index).view_as(z)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
        use = torch.bincount(index, minlength=self.codes.num_embeddings).float() / index.numel()
        return self.leave(z + (q - z).detach()), loss, torch.exp(-(use * torch.log(use + 1e-9)).sum())


@case("vector quantizer", bf16=False)  # Roundings choose other vectors.
def quantizer():
    return Quantizer(), [(randn(b, 5, 6),) for b in (2, 3, 5)]


class LowRank(nn.Module):
    """A frozen layer, two small ones beside it, and a merged weight."""

    def __init__(self, width=12, rank=3):
        super().__init__()
        self.base, self.a, self.b = nn.Linear(width, width), nn.Linear(width, rank, bias=False), nn.Linear(rank, width, bias=False)
        self.base.requires_grad_(False)
        self.scale = 2.0 / rank

    def forward(self, x, merged):
        if merged:
            return F.linear(x, self.base.weight + self.scale * self.b.weight @ self.a.weight, self.base.bias).relu()
        return (self.base(x) + self.scale * self.b(self.a(x))).relu()


@case("low-rank adapters", dynamic=False)
def low_rank():
    return LowRank(), [(randn(3, 4, 12), merged) for merged in (False, True)]


class Round(torch.autograd.Function):
    """Rounded numbers, with the gradient of a scale as it is learned."""

    @staticmethod
    def forward(ctx, x, scale, low, high):
        ctx.save_for_backward(x, scale)
        ctx.ends = low, high
        return (x / scale).round().clamp(low, high) * scale

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        low, high = ctx.ends
        place = x / scale
        inside = (place >= low) & (place <= high)
        of_scale = torch.where(inside, place.round() - place, place.clamp(low, high))
        return grad * inside, (grad * of_scale).sum().view_as(scale) / math.sqrt(x.numel() * high), None, None


class Aware(nn.Module):
    """Weights and activations that are quantized while they are trained."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 12), nn.Linear(12, 3)
        self.scale_w, self.scale_x = nn.Parameter(torch.tensor(0.0512)), nn.Parameter(torch.tensor(0.2131))

    def forward(self, x):
        x = Round.apply(x, self.scale_x, -8, 7)
        x = F.linear(x, Round.apply(self.first.weight, self.scale_w, -8, 7), self.first.bias).relu()
        return self.second(torch.fake_quantize_per_tensor_affine(x, 0.05, 3, 0, 255))


@case("quantization-aware training", bf16=False)
def aware():
    return Aware(), [(randn(b, 6),) for b in (2, 3, 5)]


class Messages(nn.Module):
    """Attention over the edges of a graph, twice."""

    def __init__(self, width=8):
        super().__init__()
        self.node, self.edge, self.gate = nn.Linear(width, width), nn.Linear(2 * width + 2, 1), nn.GRUCell(width, width)

    def forward(self, x, edges, features):
        source, target = edges
        for _ in range(2):
            h = self.node(x)
            score = F.leaky_relu(self.edge(torch.cat([h[source], h[target], features], 1)), 0.2).squeeze(1)
            highest = torch.zeros(x.shape[0], dtype=x.dtype).index_reduce(0, target, score.detach(), "amax", include_self=False)
            weight = (score - highest[target]).exp()
            weight = weight / torch.zeros_like(highest).scatter_add(0, target, weight)[target].clamp(min=1e-6)
            x = self.gate(torch.zeros_like(h).index_add(0, target, weight[:, None] * h[source]), x)
        return x.sum(0)


@case("graph attention")
def messages():
    return Messages(), [(randn(n, 8), ints(n, 2, 3 * n), randn(3 * n, 2)) for n in (5, 7, 11)]


class Contrast(nn.Module):
    """Pairs of views, all others of the batch against them, and the hardest of those."""

    def __init__(self):
        super().__init__()
        self.net, self.temperature = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 5)), nn.Parameter(torch.tensor(0.5))

    def forward(self, x, y):
        a, b = F.normalize(self.net(x), dim=1), F.normalize(self.net(y), dim=1)
        scores = a @ b.t() / self.temperature.clamp(min=0.01)
        label = torch.arange(x.shape[0], device=x.device)
        loss = (F.cross_entropy(scores, label) + F.cross_entropy(scores.t(), label)) / 2
        positive = scores.gather(1, label[:, None])
        hardest = scores.masked_fill(torch.eye(x.shape[0], dtype=torch.bool), -1e4).topk(2, dim=1).values
        return loss + F.relu(hardest - positive + 0.2).mean()


@case("contrastive loss", tolerance=1e-3, bf16=False)
def contrast():
    return Contrast(), [(randn(b, 6), randn(b, 6)) for b in (4, 6, 9)]


class Buckets(nn.Module):
    """Numbers as buckets, bags of ids with weights, and products of pairs."""

    def __init__(self, width=6):
        super().__init__()
        self.register_buffer("edges", torch.linspace(-2, 2, 9))
        self.number, self.bag = nn.Embedding(10, width), nn.EmbeddingBag(30, width, mode="sum")
        self.out = nn.Linear(3 * width + 3, 1)

    def forward(self, numbers, ids, offsets, weights):
        x = self.number(torch.bucketize(numbers.float(), self.edges))
        bag = self.bag(ids, offsets, per_sample_weights=weights.to(self.bag.weight.dtype))
        parts = torch.cat([x, bag.unsqueeze(1)], 1)
        pairs = (parts @ parts.transpose(1, 2))[:, *torch.triu_indices(3, 3, 1)]
        return F.binary_cross_entropy_with_logits(self.out(torch.cat([parts.flatten(1), pairs], 1)).squeeze(1), numbers[:, 0].sigmoid())


@case("buckets and bags")
def buckets():
    return Buckets(), [(randn(b, 2), ints(30, 3 * b), torch.arange(b) * 3, torch.rand(3 * b)) for b in (2, 3, 5)]


def suppress(boxes, scores, limit=0.4):
    """Boxes that no better one overlaps, best first."""
    order = scores.argsort(descending=True)
    boxes = boxes[order]
    area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    inner = (torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:]) - torch.maximum(boxes[:, None, :2], boxes[None, :, :2])).clamp(min=0).prod(2)
    overlap = inner / (area[:, None] + area[None] - inner)
    keep = torch.ones(boxes.shape[0], dtype=torch.bool)
    for i in range(boxes.shape[0]):
        keep = keep & ~((overlap[i] > limit) & keep[i] & (torch.arange(boxes.shape[0]) > i))
    return order[keep], boxes * keep[:, None]


@case("suppression of boxes", backward=False, bf16=False, dynamic=False)
def boxes():
    def make(n):
        corner = torch.rand(n, 2) * 4
        return torch.cat([corner, corner + 1 + torch.rand(n, 2)], 1), torch.rand(n)
    return suppress, [make(8), make(8)]


class Checked(nn.Module):
    """Layers whose activations are computed again, under autocast."""

    def __init__(self, width=10):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(width, 3 * width), nn.GELU(), nn.Linear(3 * width, width)) for _ in range(3))
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(3))

    def forward(self, x):
        for norm, layer in zip(self.norms, self.layers):
            x = x + checkpoint(lambda y, norm=norm, layer=layer: layer(norm(y)), x, use_reentrant=False)
        return x


@case("checkpoints")
def checked():
    return Checked(), [(randn(b, 4, 10),) for b in (2, 3, 5)]


def functional(weight, bias, x, y):
    """Gradients of each sample, a product with a tangent, and second derivatives."""
    def loss(w, b, xi, yi):
        return F.mse_loss(torch.tanh(xi @ w + b), yi)
    each = torch.func.vmap(torch.func.grad(loss, (0, 1)), (None, None, 0, 0))(weight, bias, x, y)
    _, tangent = torch.func.jvp(lambda w: torch.tanh(x @ w + bias), (weight,), (torch.ones_like(weight),))
    second = torch.func.hessian(lambda b: loss(weight, b, x[0], y[0]))(bias)
    clipped = each[0] / each[0].flatten(1).norm(dim=1).clamp(min=0.1)[:, None, None]
    return clipped.mean(0), each[1], tangent, second


@case("functional transforms", backward=False, bf16=False, dynamic=False)
def transforms():
    return functional, [(randn(4, 3), randn(3), randn(b, 4), randn(b, 3)) for b in (5,)]




def adam(parameters, gradients, first, second, step):
    """AdamW written by hand over lists of tensors, and the norm that gradients are clipped to."""
    norm = torch.stack([g.norm() for g in gradients]).norm()
    gradients = torch._foreach_mul(gradients, (1.0 / (norm + 1e-6)).clamp(max=1.0))
    first = [m.lerp(g, 0.1) for m, g in zip(first, gradients)]
    second = [v * 0.99 + 0.01 * g * g for v, g in zip(second, gradients)]
    parameters = [p * 0.999 - 0.01 * (m / (1 - 0.9 ** step)) / ((v / (1 - 0.99 ** step)).sqrt() + 1e-8)
                  for p, m, v in zip(parameters, first, second)]
    return parameters, first, second, norm


@case("an optimizer by hand", backward=False, bf16=False)
def optimizer():
    def make(step):
        shapes = ((5, 3), (3,), (2, 3, 4))
        return [randn(*s) for s in shapes], [randn(*s) for s in shapes], [randn(*s) for s in shapes], [torch.rand(*s) for s in shapes], torch.tensor(step)
    return adam, [make(1.0), make(2.0)]


class Averaged(nn.Module):
    """A student, and a teacher that is its moving average, updated in the forward pass."""

    def __init__(self):
        super().__init__()
        self.student = nn.Sequential(nn.Conv1d(3, 6, 3, padding=1), nn.BatchNorm1d(6), nn.ReLU(), nn.Conv1d(6, 4, 1))
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    def forward(self, x):
        with torch.no_grad():
            for mine, theirs in zip(self.student.parameters(), self.teacher.parameters()):
                theirs.lerp_(mine, 0.1)
            target = self.teacher(x).float().softmax(1)
        return -(target * self.student(x.flip(2)).flip(2).float().log_softmax(1)).sum(1).mean()


@case("moving average of weights", tolerance=1e-3)
def averaged():
    return Averaged(), [(randn(b, 3, 7),) for b in (2, 3, 5)]


class Mixtures(nn.Module):
    """A density of several normal distributions, and a cholesky factor of a covariance."""

    def __init__(self, parts=3, width=2):
        super().__init__()
        self.parts, self.width = parts, width
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, parts * (1 + 2 * width + 1)))

    def forward(self, x, y):
        weight, mean, spread = self.net(x).view(x.shape[0], self.parts, -1).split([1, self.width, self.width + 1], dim=2)
        factor = torch.diag_embed(F.softplus(spread[..., :2]) + 0.1) + torch.tril(torch.ones(2, 2), -1) * spread[..., 2:, None]
        density = torch.distributions.MultivariateNormal(mean, scale_tril=factor, validate_args=False).log_prob(y[:, None])
        return -torch.logsumexp(weight.squeeze(2).log_softmax(1) + density, 1).mean()


@case("mixture densities", bf16=False)  # There are no triangular systems of 16 bits.
def mixtures():
    return Mixtures(), [(randn(b, 4), randn(b, 2)) for b in (2, 3, 5)]
