#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What users train and simulate otherwise: generators, filters, clusters, point clouds, adapters, fields, automata."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from user_cases import case, ints, randn


class Residual(nn.Module):
    def __init__(self, enter, leave, time):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, enter), nn.Conv2d(enter, leave, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(4, leave), nn.Conv2d(leave, leave, 3, padding=1)
        self.time, self.skip = nn.Linear(time, 2 * leave), nn.Conv2d(enter, leave, 1) if enter != leave else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.time(F.silu(time))[:, :, None, None].chunk(2, 1)
        return self.skip(x) + self.conv2(F.silu(self.norm2(h) * (1 + scale) + shift))


class Denoiser(nn.Module):
    """A U of two levels with skip connections, told the time by sines."""

    def __init__(self, width=8):
        super().__init__()
        self.enter, self.leave = nn.Conv2d(3, width, 3, padding=1), nn.Conv2d(width, 3, 3, padding=1)
        self.down1, self.down2 = Residual(width, width, 16), Residual(width, 2 * width, 16)
        self.middle, self.up2, self.up1 = Residual(2 * width, 2 * width, 16), Residual(4 * width, width, 16), Residual(2 * width, width, 16)

    def forward(self, x, step):
        frequency = torch.exp(torch.arange(8, dtype=x.dtype, device=x.device) * (-math.log(10000.0) / 8))
        angle = step.to(x.dtype)[:, None] * frequency
        time = torch.cat([angle.sin(), angle.cos()], -1)
        first = self.down1(self.enter(x), time)
        second = self.down2(F.avg_pool2d(first, 2), time)
        h = self.middle(F.avg_pool2d(second, 2), time)
        h = self.up2(torch.cat([F.interpolate(h, scale_factor=2.0, mode="nearest"), second], 1), time)
        return self.leave(self.up1(torch.cat([F.interpolate(h, size=first.shape[-2:], mode="bilinear"), first], 1), time))


@case("denoiser", bf16=False)
def denoiser():
    return Denoiser(), [(randn(b, 3, 8, 8), ints(1000, b)) for b in (2, 3)]


class Adversaries(nn.Module):
    """Losses of a generator and of a critic with a spectral norm."""

    def __init__(self):
        super().__init__()
        self.make = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2), nn.Linear(16, 10), nn.Tanh())
        self.judge = nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(10, 16)), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, noise, real):
        made = self.make(noise)
        critic = F.softplus(-self.judge(real)).mean() + F.softplus(self.judge(made.detach())).mean()
        return critic, F.softplus(-self.judge(made)).mean()


@case("adversaries", bf16=False, tolerance=1e-3)
def adversaries():
    return Adversaries(), [(randn(b, 6), randn(b, 10)) for b in (4, 5, 7)]


class Kalman(nn.Module):
    """A filter of noisy observations: a loop over time, of small systems."""

    def __init__(self, state=4, seen=2):
        super().__init__()
        self.move = nn.Parameter(torch.eye(state) + 0.1 * torch.randn(state, state))
        self.see = nn.Parameter(torch.randn(seen, state))
        self.noise, self.error = nn.Parameter(torch.zeros(state)), nn.Parameter(torch.zeros(seen))

    def forward(self, observed):
        batch, length, _ = observed.shape
        mean = observed.new_zeros(batch, self.move.shape[0])
        spread = torch.eye(self.move.shape[0], dtype=observed.dtype).expand(batch, -1, -1)
        likelihood, means = 0.0, []
        for t in range(length):
            mean = mean @ self.move.T
            spread = self.move @ spread @ self.move.T + torch.diag(self.noise.exp())
            apart = observed[:, t] - mean @ self.see.T
            root = torch.linalg.cholesky(self.see @ spread @ self.see.T + torch.diag(self.error.exp()))
            gain = torch.cholesky_solve(self.see @ spread, root).mT
            white = torch.linalg.solve_triangular(root, apart.unsqueeze(-1), upper=False).squeeze(-1)
            likelihood = likelihood - 0.5 * white.square().sum(-1) - root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
            mean = mean + (gain @ apart.unsqueeze(-1)).squeeze(-1)
            spread = spread - gain @ self.see @ spread
            means.append(mean)
        return torch.stack(means, 1), likelihood


@case("Kalman filter", bf16=False, tolerance=1e-3)
def kalman():
    return Kalman(), [(randn(b, 5, 2),) for b in (2, 3)]


class Transport(nn.Module):
    """An assignment by Sinkhorn's iterations in logarithms, and the loss of matched descriptors."""

    def __init__(self):
        super().__init__()
        self.embed, self.bin = nn.Linear(5, 8), nn.Parameter(torch.tensor(0.5))

    def forward(self, a, b):
        scores = torch.einsum("nid,njd->nij", self.embed(a), self.embed(b)) / 8 ** 0.5
        rows, columns = scores.shape[1:]
        scores = torch.cat([torch.cat([scores, self.bin.expand(len(a), rows, 1)], -1), self.bin.expand(len(a), 1, columns + 1)], 1)
        u, v = torch.zeros_like(scores[:, :, 0]), torch.zeros_like(scores[:, 0])
        for _ in range(6):
            u = -torch.logsumexp(scores + v.unsqueeze(1), 2)
            v = -torch.logsumexp(scores + u.unsqueeze(2), 1)
        plan = (scores + u.unsqueeze(2) + v.unsqueeze(1)).exp()
        return plan, plan[:, :-1, :-1].amax(-1)


@case("transport", bf16=False)
def transport():
    return Transport(), [(randn(b, 6, 5), randn(b, 7, 5)) for b in (2, 3, 5)]


class Attending(nn.Module):
    """Attention over the edges of a graph: a softmax by receiver, in segments."""

    def __init__(self, width=6, heads=2):
        super().__init__()
        self.heads, self.project = heads, nn.Linear(width, heads * width, bias=False)
        self.sender, self.receiver = nn.Parameter(torch.randn(heads, width)), nn.Parameter(torch.randn(heads, width))

    def forward(self, x, edges):
        count = x.shape[0]
        h = self.project(x).view(count, self.heads, -1)
        source, target = edges
        score = F.leaky_relu((h * self.sender).sum(-1)[source] + (h * self.receiver).sum(-1)[target], 0.2)
        index = target.unsqueeze(-1).expand_as(score)
        largest = score.new_full((count, self.heads), -math.inf).scatter_reduce(0, index, score, "amax")
        weight = (score - largest[target]).exp()
        total = torch.zeros_like(largest).scatter_add(0, index, weight)
        weight = weight / (total[target] + 1e-9)
        return F.elu(torch.zeros_like(h).index_add(0, target, h[source] * weight.unsqueeze(-1)).mean(1))


@case("graph attention")
def graph_attention():
    return Attending(), [(randn(n, 6), ints(n, 2, 3 * n)) for n in (5, 7, 9)]


class Points(nn.Module):
    """Features of point clouds: neighbours by distance, gathered and pooled."""

    def __init__(self):
        super().__init__()
        self.local, self.head = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 12)), nn.Linear(12, 4)

    def forward(self, points):
        apart = torch.cdist(points, points)
        near = apart.topk(4, dim=-1, largest=False).indices
        batch, count, _ = points.shape
        around = points.gather(1, near.reshape(batch, -1, 1).expand(-1, -1, 3)).view(batch, count, 4, 3)
        center = points.unsqueeze(2).expand_as(around)
        features = self.local(torch.cat([center, around - center], -1)).amax(2)
        return self.head(features.amax(1)), features


@case("point clouds", bf16=False)  # Roundings choose other neighbours.
def points():
    return Points(), [(randn(b, 9, 3),) for b in (2, 3)]


class Field(nn.Module):
    """A radiance field: positions as waves, and colours along rays."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3 + 3 * 2 * 4, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, origin, direction):
        depth = torch.linspace(1.0, 3.0, 8, dtype=origin.dtype)
        where = origin[:, None] + depth[:, None] * direction[:, None]
        waves = where[..., None] * (2.0 ** torch.arange(4, dtype=origin.dtype)) * math.pi
        code = torch.cat([where, waves.sin().flatten(-2), waves.cos().flatten(-2)], -1)
        colour, density = self.net(code).split([3, 1], -1)
        step = torch.cat([depth.diff(), depth.new_tensor([1e2])])
        opacity = 1 - torch.exp(-F.relu(density.squeeze(-1)) * step)
        left = torch.cumprod(torch.cat([torch.ones_like(opacity[:, :1]), 1 - opacity + 1e-6], -1), -1)[:, :-1]
        weight = opacity * left
        return (weight.unsqueeze(-1) * colour.sigmoid()).sum(1), (weight * depth).sum(-1)


@case("radiance field", bf16=False)
def field():
    return Field(), [(randn(n, 3), F.normalize(randn(n, 3), dim=-1)) for n in (3, 5)]


class Adapted(nn.Module):
    """Frozen weights with adapters of low rank, and weights that are quantized with a straight-through gradient."""

    def __init__(self, width=12, rank=2):
        super().__init__()
        self.base = nn.Linear(width, width).requires_grad_(False)
        self.down, self.up = nn.Parameter(torch.randn(rank, width) / 3), nn.Parameter(torch.randn(width, rank) / 3)
        self.quantized, self.scale = nn.Linear(width, width), nn.Parameter(torch.tensor(0.05))

    def forward(self, x):
        h = self.base(x) + F.dropout(x, 0.0) @ self.down.T @ self.up.T * 2.0
        weight = self.quantized.weight / self.scale
        weight = (weight + (weight.round().clamp(-8, 7) - weight).detach()) * self.scale
        return F.linear(F.gelu(h), weight, self.quantized.bias)


@case("adapters", bf16=False)  # Roundings choose other steps.
def adapters():
    return Adapted(), [(randn(b, 12),) for b in (2, 3, 5)]


class Spectral(nn.Module):
    """A Fourier layer: the lowest frequencies times complex weights, and a convolution."""

    def __init__(self, width=4, modes=3):
        super().__init__()
        self.modes, self.skip = modes, nn.Conv1d(width, width, 1)
        self.weight = nn.Parameter(torch.randn(width, width, modes, 2) / width)

    def forward(self, x):
        spectrum = torch.fft.rfft(x)
        low = torch.einsum("bim,iom->bom", spectrum[..., :self.modes], torch.view_as_complex(self.weight))
        kept = torch.zeros_like(spectrum)
        kept[..., :self.modes] = low
        return F.gelu(torch.fft.irfft(kept, n=x.shape[-1]) + self.skip(x))


@case("Fourier layer", bf16=False)
def spectral():
    return Spectral(), [(randn(b, 4, 16),) for b in (2, 3)]


class Wavelets(nn.Module):
    """Haar's transform by slices with a step, thresholds, and back by writes to slices."""

    def __init__(self):
        super().__init__()
        self.threshold = nn.Parameter(torch.full((3,), 0.1))

    def forward(self, x):
        details = []
        for level in range(3):
            even, odd = x[..., 0::2], x[..., 1::2]
            difference = (even - odd) / math.sqrt(2)
            details.append(difference.sign() * F.relu(difference.abs() - self.threshold[level]))
            x = (even + odd) / math.sqrt(2)
        for difference in reversed(details):
            y = x.new_zeros(*x.shape[:-1], 2 * x.shape[-1])
            y[..., 0::2], y[..., 1::2] = (x + difference) / math.sqrt(2), (x - difference) / math.sqrt(2)
            x = y
        return x


@case("wavelets")
def wavelets():
    return Wavelets(), [(randn(b, 16),) for b in (2, 3, 5)]


class Sorted(nn.Module):
    """A differentiable order of scores, and a choice by Gumbel's noise that is given."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x, noise):
        score = self.score(x).squeeze(-1)
        apart = (score.sort(dim=-1, descending=True).values.unsqueeze(-1) - score.unsqueeze(-2)).abs()
        order = (-apart / 0.5).softmax(-1)
        soft = ((score - (-noise.clamp(1e-4, 1 - 1e-4).log()).log()) / 0.7).softmax(-1)
        hard = F.one_hot(soft.argmax(-1), soft.shape[-1]).to(soft.dtype)
        return order @ x, ((hard - soft).detach() + soft).unsqueeze(-2) @ x


@case("soft orders", bf16=False)  # Roundings choose others.
def soft_orders():
    return Sorted(), [(randn(b, 6, 4), torch.rand(b, 6)) for b in (2, 3)]


class Contrast(nn.Module):
    """Contrastive and triplet losses, of samples within a batch."""

    def __init__(self):
        super().__init__()
        self.net, self.log_scale = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 8)), nn.Parameter(torch.tensor(1.0))

    def forward(self, x, y, label):
        a, b = F.normalize(self.net(x), dim=-1), F.normalize(self.net(y), dim=-1)
        scores = self.log_scale.exp() * a @ b.T
        target = torch.arange(len(x))
        clip = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
        apart = torch.cdist(a, b)
        same = label[:, None] == label[None]
        farthest, nearest = apart.masked_fill(~same, -1).amax(1), apart.masked_fill(same, math.inf).amin(1)
        return clip, F.relu(farthest - nearest.clamp(max=10.0) + 0.2).mean()


@case("contrasts", bf16=False)
def contrasts():
    return Contrast(), [(randn(b, 6), randn(b, 6), torch.arange(b) % 2) for b in (4, 6, 7)]


class Windows(nn.Module):
    """Forecasts of series in windows, with statistics of each."""

    def __init__(self):
        super().__init__()
        self.net, self.decay = nn.Linear(6, 2), nn.Parameter(torch.tensor(0.0))

    def forward(self, series):
        windows = series.unfold(-1, 6, 2)
        mean, deviation = windows.mean(-1, keepdim=True), windows.std(-1, keepdim=True) + 1e-4
        forecast = self.net((windows - mean) / deviation) * deviation + mean
        smooth, level = [], series[..., 0]
        alpha = self.decay.sigmoid()
        for value in series.unbind(-1):
            level = alpha * value + (1 - alpha) * level
            smooth.append(level)
        return forecast, torch.stack(smooth, -1)


@case("series in windows")
def windows():
    return Windows(), [(randn(b, 14),) for b in (2, 3)]


def life(board):
    """Conway's game."""
    padded = F.pad(board[None, None].float(), (1, 1, 1, 1), mode="circular")
    kernel = torch.ones(1, 1, 3, 3)
    kernel[..., 1, 1] = 0
    count = F.conv2d(padded, kernel)[0, 0]
    return ((count == 3) | ((count == 2) & (board == 1))).to(board.dtype)


@case("automaton", backward=False, bf16=False)
def automaton():
    return life, [(ints(2, n, n),) for n in (5, 8, 11)]


def bodies(position, speed, mass):
    """Steps of bodies that attract each other."""
    for _ in range(3):
        apart = position[None] - position[:, None]
        distance = (apart.square().sum(-1) + 0.05).rsqrt()
        force = (apart * (distance ** 3 * mass)[..., None]).sum(1)
        speed = speed + 0.01 * force
        position = position + 0.01 * speed
    energy = 0.5 * (mass * speed.square().sum(-1)).sum() - 0.5 * (mass[:, None] * mass * distance).triu(1).sum()
    return position, speed, energy


@case("bodies", backward=False, bf16=False)
def n_bodies():
    return bodies, [(randn(n, 3), randn(n, 3), torch.rand(n)) for n in (4, 7)]


def cluster(x, centers):
    """Lloyd's steps."""
    for _ in range(4):
        label = torch.cdist(x, centers).argmin(1)
        chosen = F.one_hot(label, centers.shape[0]).to(x.dtype)
        centers = (chosen.T @ x) / chosen.sum(0).clamp(min=1)[:, None]
    return centers, torch.bincount(label, minlength=4)


@case("clusters", backward=False, bf16=False)
def clusters():
    return cluster, [(randn(n, 3), randn(4, 3)) for n in (9, 13)]


def rank(edges, count):
    """The weight of pages by the links to them."""
    weight = torch.zeros(count, count).index_put((edges[1], edges[0]), torch.ones(edges.shape[1]), accumulate=True)
    weight = weight / weight.sum(0).clamp(min=1)
    value = torch.full((count,), 1.0 / count)
    for _ in range(8):
        value = 0.15 / count + 0.85 * (weight @ value)
    return value / value.sum()


@case("ranks of pages", backward=False, bf16=False, dynamic=False)
def ranks():
    return rank, [(ints(n, 2, 3 * n), n) for n in (5, 9)]


class Packed(nn.Module):
    """A language model over sequences of different lengths, whose loss leaves out the padding."""

    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(11, 6), nn.LSTMCell(6, 8), nn.Linear(8, 11)

    def forward(self, tokens, lengths):
        state, hidden = None, []
        for x in self.embed(tokens).unbind(1):
            state = self.cell(x, state)
            hidden.append(state[0])
        logits = self.head(torch.stack(hidden, 1))
        mask = torch.arange(tokens.shape[1])[None] < lengths[:, None] - 1
        target = tokens.roll(-1, 1).masked_fill(~mask, -100)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100, label_smoothing=0.1), logits


@case("padded sequences", bf16=False)
def packed():
    return Packed(), [(ints(11, b, 6), ints(6, b, low=2)) for b in (2, 3)]


class Recognizer(nn.Module):
    """Frames to labels without an alignment."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 6))

    def forward(self, frames, labels, frame_counts, label_counts):
        scores = self.net(frames).log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(scores, labels, frame_counts, label_counts, zero_infinity=True), scores


@case("labels without alignment", bf16=False, dynamic=False)
def recognizer():
    return Recognizer(), [(randn(b, 9, 5), ints(6, b, 3, low=1), ints(10, b, low=7), ints(4, b, low=1)) for b in (2, 3)]


class Encoder(nn.Module):
    """A variational encoder whose noise is given, and a mixture of densities."""

    def __init__(self):
        super().__init__()
        self.enter, self.leave = nn.Linear(8, 12), nn.Linear(6, 8)
        self.mix = nn.Linear(6, 9)

    def forward(self, x, noise):
        mean, log_variance = self.enter(x).chunk(2, -1)
        code = mean + torch.exp(0.5 * log_variance) * noise
        divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(-1)
        weight, place, width = self.mix(code).chunk(3, -1)
        density = torch.distributions.MixtureSameFamily(
            torch.distributions.Categorical(logits=weight), torch.distributions.Normal(place, F.softplus(width) + 1e-2), validate_args=False)
        return F.binary_cross_entropy_with_logits(self.leave(code), x.sigmoid(), reduction="none").sum(-1) + divergence, density.log_prob(x[:, 0])


@case("variational encoder", bf16=False)
def encoder():
    return Encoder(), [(randn(b, 8), randn(b, 6)) for b in (2, 3, 5)]


class Clipped(torch.autograd.Function):
    """A step whose gradient is that of the identity within limits."""

    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (x.abs() <= ctx.limit), None


class Binary(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.scale, self.norm = nn.Parameter(torch.randn(8, 6)), nn.Parameter(torch.ones(8)), nn.BatchNorm1d(8)

    def forward(self, x):
        h = self.norm(F.linear(Clipped.apply(x, 1.0), Clipped.apply(self.weight, 1.5)) * self.scale)
        return torch.utils.checkpoint.checkpoint(lambda v: F.hardtanh(v).square() - v.softmax(-1), h, use_reentrant=False)


@case("binary weights", bf16=False)
def binary():
    return Binary(), [(randn(b, 6),) for b in (4, 5, 7)]


class Histogram(nn.Module):
    """The distance of soft histograms of colours."""

    def __init__(self):
        super().__init__()
        self.gain, self.shift = nn.Parameter(torch.ones(3, 1, 1)), nn.Parameter(torch.zeros(3, 1, 1))

    def forward(self, image, target):
        center = torch.linspace(0, 1, 8, dtype=image.dtype)
        def count(x):
            soft = torch.exp(-0.5 * ((x.flatten(2).unsqueeze(-1) - center) / 0.1).square())
            return soft.sum(2) / soft.sum((2, 3))[..., None]
        made = (image * self.gain + self.shift).clamp(0, 1)
        return (count(made).cumsum(-1) - count(target).cumsum(-1)).abs().sum(-1), made


@case("histograms", bf16=False)
def histograms():
    return Histogram(), [(torch.rand(b, 3, 5, 5), torch.rand(b, 3, 6, 6)) for b in (2, 3)]


def augment(image, angle, flip, order):
    """Images turned, flipped, cropped and with other colours."""
    cos, sin = angle.cos(), angle.sin()
    turn = torch.stack([torch.stack([cos, -sin, torch.zeros_like(cos)], -1), torch.stack([sin, cos, torch.zeros_like(cos)], -1)], 1)
    grid = F.affine_grid(turn, list(image.shape), align_corners=False)
    image = F.grid_sample(image, grid, mode="bilinear", padding_mode="reflection", align_corners=False)
    image = torch.where(flip[:, None, None, None], image.flip(-1), image)
    gray = (image * image.new_tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)).sum(1, keepdim=True)
    image = (0.6 * image + 0.4 * gray)[:, order]
    image = F.interpolate(image[..., 1:-1, 1:-1], size=image.shape[-2:], mode="bicubic", align_corners=False)
    return ((image - image.mean((2, 3), keepdim=True)) / (image.std((2, 3), keepdim=True) + 1e-3)).clamp(-3, 3)


@case("augmentation", backward=False, bf16=False)
def augmentation():
    return augment, [(torch.rand(b, 3, 8, 8), torch.rand(b), torch.rand(b) > 0.5, torch.randperm(3)) for b in (2, 3)]


def beam(scores, kept, tokens, table):
    """A step of a search that keeps the best few."""
    total = kept.unsqueeze(-1) + (scores + table[tokens[..., -1]]).log_softmax(-1)
    total = total.masked_fill((tokens[..., -1] == 0).unsqueeze(-1), -1e9)
    best, place = total.flatten(1).topk(kept.shape[1], -1)
    parent, token = place // total.shape[-1], place % total.shape[-1]
    tokens = torch.cat([tokens.gather(1, parent.unsqueeze(-1).expand_as(tokens)), token.unsqueeze(-1)], -1)
    return best, tokens, (token == 0).all(1)


@case("beams", backward=False, bf16=False)
def beams():
    return beam, [(randn(b, 3, 7), randn(b, 3), ints(7, b, 3, 4, low=1), randn(7, 7)) for b in (2, 3)]


def curvature(weights, x, y):
    """A product with the Hessian, gradients of each sample, and the Jacobian of a small network."""
    def predict(w, v):
        return torch.tanh(v @ w["a"]) @ w["b"]

    def loss(w, v, t):
        return (predict(w, v) - t).square().mean()
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(weights, x, y)
    _, product = torch.func.jvp(lambda w: torch.func.grad(loss)(w, x, y), (weights,), (weights,))
    return each, product, torch.func.jacrev(lambda v: predict(weights, v))(x[0])


@case("curvature", backward=False, bf16=False)
def curvatures():
    return curvature, [({"a": randn(4, 5), "b": randn(5, 2)}, randn(n, 4), randn(n, 2)) for n in (3, 6)]


class Averaged(nn.Module):
    """A teacher that follows its student, and the loss between the two."""

    def __init__(self):
        super().__init__()
        self.student, self.teacher = nn.Linear(5, 6), nn.Linear(5, 6).requires_grad_(False)
        self.register_buffer("center", torch.zeros(6))

    def forward(self, a, b):
        with torch.no_grad():
            for mine, theirs in zip(self.teacher.parameters(), self.student.parameters()):
                mine.lerp_(theirs, 0.1)
            seen = self.teacher(b)
            target = ((seen - self.center) / 0.2).softmax(-1)
            self.center.mul_(0.9).add_(seen.mean(0), alpha=0.1)
        return -(target * (self.student(a) / 0.5).log_softmax(-1)).sum(-1)


@case("teacher", bf16=False)
def teacher():
    return Averaged(), [(randn(b, 5), randn(b, 5)) for b in (2, 3)]


class Codes(nn.Module):
    """Vectors replaced by the closest of a table."""

    def __init__(self):
        super().__init__()
        self.enter, self.table, self.leave = nn.Linear(6, 4), nn.Embedding(9, 4), nn.Linear(4, 6)

    def forward(self, x):
        h = self.enter(x)
        flat = h.reshape(-1, 4)
        apart = flat.square().sum(1, keepdim=True) - 2 * flat @ self.table.weight.T + self.table.weight.square().sum(1)
        index = apart.argmin(1)
        found = self.table(index).view_as(h)
        loss = F.mse_loss(found, h.detach()) + 0.25 * F.mse_loss(h, found.detach())
        used = F.one_hot(index, 9).to(x.dtype).mean(0)
        return self.leave(h + (found - h).detach()), loss, torch.exp(-(used * (used + 1e-10).log()).sum())


@case("codes", bf16=False)
def codes():
    return Codes(), [(randn(b, 5, 6),) for b in (2, 3)]


class Rational(nn.Module):
    """Splines with learned knots, and polynomials of Chebyshev."""

    def __init__(self):
        super().__init__()
        self.knots, self.values = nn.Parameter(torch.randn(5).abs() + 0.2), nn.Parameter(torch.randn(6))
        self.weights = nn.Parameter(torch.randn(5, 3, 4) / 3)

    def forward(self, x):
        place = torch.cat([self.knots.new_zeros(1), self.knots.cumsum(0)]) / self.knots.sum()
        at = x.sigmoid().contiguous()
        index = torch.searchsorted(place.detach(), at).clamp(1, 5)
        low, high = place[index - 1], place[index]
        part = (at - low) / (high - low)
        spline = self.values[index - 1] * (1 - part) + self.values[index] * part
        terms = [torch.ones_like(at), 2 * at - 1]
        for _ in range(3):
            terms.append(2 * (2 * at - 1) * terms[-1] - terms[-2])
        return spline, torch.einsum("nbi,nio->bo", torch.stack(terms), self.weights)


@case("splines", bf16=False)
def splines():
    return Rational(), [(randn(b, 3),) for b in (2, 3, 5)]
