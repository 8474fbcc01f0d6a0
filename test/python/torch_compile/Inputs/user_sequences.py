#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Models of sequences as their users write them: state spaces, attention, caches, search, transducers."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from user_cases import case, ints, randn


class Selective(nn.Module):
    """A state space whose step, input and output depend on the token; a loop over time."""

    def __init__(self, width=12, state=4, rank=3):
        super().__init__()
        self.enter, self.conv = nn.Linear(width, 2 * width), nn.Conv1d(width, width, 4, padding=3, groups=width)
        self.parts, self.step = nn.Linear(width, rank + 2 * state, bias=False), nn.Linear(rank, width)
        self.log_decay = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).repeat(width, 1))
        self.skip, self.leave = nn.Parameter(torch.ones(width)), nn.Linear(width, width)
        self.sizes = [rank, state, state]

    def forward(self, x):
        length = x.shape[1]
        x, gate = self.enter(x).chunk(2, dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :length].transpose(1, 2))
        step, enter, leave = self.parts(x).split(self.sizes, dim=-1)
        step = F.softplus(self.step(step))
        decay = torch.exp(step.unsqueeze(-1) * -torch.exp(self.log_decay))
        driven = step.unsqueeze(-1) * enter.unsqueeze(2) * x.unsqueeze(-1)
        state, outputs = torch.zeros_like(driven[:, 0]), []
        for t in range(length):
            state = decay[:, t] * state + driven[:, t]
            outputs.append(torch.einsum("bds,bs->bd", state, leave[:, t]))
        return self.leave((torch.stack(outputs, 1) + self.skip * x) * F.silu(gate))


@case("state space", tolerance=2e-4)
def state_space():
    return Selective(), [(randn(b, 9, 12),) for b in (2, 3, 5)]


def rotate(x, positions, base=10000.0, scaling=1.0, interleaved=False):
    width = x.shape[-1]
    frequency = base ** (-torch.arange(0, width, 2, dtype=torch.float32) / width) / scaling
    angle = positions[:, None].float() * frequency
    if interleaved:
        turned = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(angle), angle)
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)
    cos, sin = torch.cat([angle.cos()] * 2, -1).to(x.dtype), torch.cat([angle.sin()] * 2, -1).to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Rotary(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.project = heads, nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(3))

    def forward(self, x):
        batch, length, width = x.shape
        positions = torch.arange(length)
        for i, layer in enumerate(self.project):
            q, k, v = layer(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            kind = ({}, {"interleaved": True}, {"base": 500.0, "scaling": 2.0})[i]
            q, k = rotate(q, positions, **kind), rotate(k, positions, **kind)
            x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, width)
        return x


@case("rotary embeddings")
def rotary():
    return Rotary(), [(randn(b, 7 + b, 16),) for b in (2, 3, 5)]


class GroupedAlibi(nn.Module):
    """More heads of queries than of keys, slopes, and what is padded is hidden."""

    def __init__(self, width=24, heads=6, groups=2):
        super().__init__()
        self.heads, self.groups = heads, groups
        self.q, self.kv, self.out = nn.Linear(width, width), nn.Linear(width, 2 * width * groups // heads), nn.Linear(width, width)
        self.register_buffer("slopes", 2.0 ** -torch.arange(1.0, heads + 1))

    def forward(self, x, lengths):
        batch, length, width = x.shape
        q = self.q(x).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = self.kv(x).view(batch, length, 2, self.groups, -1).permute(2, 0, 3, 1, 4)
        k, v = (t.repeat_interleave(self.heads // self.groups, dim=1) for t in (k, v))
        position = torch.arange(length, device=x.device)
        distance = (position[None] - position[:, None]).clamp(max=0)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + (self.slopes[:, None, None] * distance).to(q.dtype)
        hidden = (position[None, :] > position[:, None]) | (position >= lengths[:, None, None, None])
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


@case("grouped queries with slopes")
def grouped_alibi():
    return GroupedAlibi(), [(randn(b, 8, 24), torch.arange(b) + 3) for b in (2, 3, 5)]


class Cached(nn.Module):
    """One token at a time, in a cache that is a ring of the last `window` tokens."""

    def __init__(self, width=16, heads=2, window=4):
        super().__init__()
        self.heads, self.window, self.width = heads, window, width
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("keys", torch.zeros(3, heads, window, width // heads))
        self.register_buffer("values", torch.zeros(3, heads, window, width // heads))

    def forward(self, x, position):
        batch = x.shape[0]
        q, k, v = self.project(x).view(batch, 1, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        slot = position % self.window
        self.keys[:batch].index_copy_(2, slot, k.to(self.keys.dtype))
        self.values[:batch].index_copy_(2, slot, v.to(self.values.dtype))
        seen = torch.arange(self.window)[None] <= position
        result = F.scaled_dot_product_attention(q, self.keys[:batch], self.values[:batch], attn_mask=seen)
        return self.out(result.transpose(1, 2).reshape(batch, 1, self.width))


@case("cache with a sliding window", backward=False)
def cached():
    return Cached(), [(randn(3, 1, 16), torch.tensor([p])) for p in range(7)]


class Mixture(nn.Module):
    """Experts chosen by token, with a capacity, and the loss that balances them."""

    def __init__(self, width=12, experts=4, top=2):
        super().__init__()
        self.top, self.experts, self.router = top, experts, nn.Linear(width, experts, bias=False)
        self.up, self.down = nn.Parameter(torch.randn(experts, width, 24) / 4), nn.Parameter(torch.randn(experts, 24, width) / 5)

    def forward(self, x):
        shape, x = x.shape, x.flatten(0, -2)
        probability = self.router(x).float().softmax(-1)
        weight, chosen = probability.topk(self.top, dim=-1)
        weight = (weight / weight.sum(-1, keepdim=True)).to(x.dtype)
        token = torch.arange(x.shape[0], device=x.device).repeat_interleave(self.top)
        expert = chosen.flatten()
        order = expert.argsort(stable=True)
        token, expert = token[order], expert[order]
        hidden = F.silu(torch.einsum("td,tdh->th", x[token], self.up[expert]))
        made = torch.einsum("th,thd->td", hidden, self.down[expert]) * weight.flatten()[order].unsqueeze(1)
        result = torch.zeros_like(x).index_add(0, token, made)
        load = F.one_hot(chosen, self.experts).float().sum(1).mean(0)
        return result.view(shape), (load * probability.mean(0)).sum() * self.experts


@case("mixture of experts", bf16=False)  # Roundings choose other experts.
def mixture():
    return Mixture(), [(randn(b, 5, 12),) for b in (2, 3, 5)]


class Transducer(nn.Module):
    """A recurrent encoder and predictor, a joint network, and the loss over all alignments in logarithms."""

    def __init__(self, tokens=7, width=10):
        super().__init__()
        self.encoder, self.predictor = nn.LSTMCell(6, width), nn.GRUCell(width, width)
        self.embed, self.joint = nn.Embedding(tokens, width), nn.Linear(width, tokens)

    def forward(self, sound, text):
        state = (sound.new_zeros(sound.shape[0], self.joint.in_features),) * 2
        encoded, predicted = [], [state[0]]
        for part in sound.unbind(1):
            state = self.encoder(part, state)
            encoded.append(state[0])
        for part in self.embed(text).unbind(1):
            predicted.append(self.predictor(part, predicted[-1]))
        encoded, predicted = torch.stack(encoded, 1), torch.stack(predicted, 1)
        scores = self.joint(torch.tanh(encoded.unsqueeze(2) + predicted.unsqueeze(1))).float().log_softmax(-1)
        blank = scores[..., 0]
        emit = scores[:, :, :-1].gather(3, text[:, None, :, None].expand(-1, scores.shape[1], -1, 1)).squeeze(3)
        row = torch.cat([torch.zeros_like(blank[:, 0, :1]), emit[:, 0].cumsum(1)], 1)
        for t in range(1, scores.shape[1]):
            stay = row + blank[:, t - 1]
            cells = [stay[:, 0]]
            for u in range(1, scores.shape[2]):
                cells.append(torch.logaddexp(stay[:, u], cells[-1] + emit[:, t, u - 1]))
            row = torch.stack(cells, 1)
        return -(row[:, -1] + blank[:, -1, -1]).mean()


@case("transducer")
def transducer():
    return Transducer(), [(randn(b, 5, 6), ints(7, b, 3, low=1)) for b in (2, 3, 5)]


class Ctc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 5))

    def forward(self, x, targets, lengths, sizes):
        scores = self.net(x).float().log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(scores, targets, lengths, sizes, zero_infinity=True)


@case("connectionist temporal classification")
def ctc():
    return Ctc(), [(randn(b, 11, 6), ints(5, b, 4, low=1), torch.full((b,), 11), torch.arange(b) % 3 + 2) for b in (2, 3, 5)]


def extend(table, tokens, scores, ended, width):
    """The best sequences that are longer by a token."""
    following = table[tokens[:, -1]].log_softmax(-1)
    following = torch.where(ended[:, None], torch.full_like(following, -1e9).index_fill(1, torch.tensor([0]), 0.0), following)
    total = (scores[:, None] + following).flatten()
    scores, best = total.topk(min(width, total.shape[0]))
    beam, token = best // table.shape[1], best % table.shape[1]
    return torch.cat([tokens[beam], token[:, None]], 1), scores, ended[beam] | (token == 0)


def beam_search(table, start, width, limit):
    """Sequences of any length: each beam ends by itself, and the search once all have."""
    tokens = start.view(1, 1)
    scores, ended = torch.zeros(1), torch.zeros(1, dtype=torch.bool)
    for _ in range(limit):
        tokens, scores, ended = extend(table, tokens, scores, ended, width)
        if bool(ended.all()):
            break
    return tokens[: int((tokens[0] != 0).sum())], scores


@case("beam search", backward=False, bf16=False)
def search():
    return (lambda table, start: beam_search(table, start, 3, 6)), [(randn(6, 6), torch.tensor(s)) for s in (1, 4, 5)]


class Packed(nn.Module):
    """Sequences of several lengths in one vector, with means and attention by segment."""

    def __init__(self, width=12):
        super().__init__()
        self.embed, self.score, self.out = nn.Embedding(20, width, padding_idx=0), nn.Linear(width, 1), nn.Linear(2 * width, 5)

    def forward(self, tokens, segment, count):
        x = self.embed(tokens)
        size = torch.zeros(count.shape[0], dtype=x.dtype).index_add(0, segment, torch.ones_like(segment, dtype=x.dtype)).clamp(min=1)
        mean = torch.zeros(count.shape[0], x.shape[1], dtype=x.dtype).index_add(0, segment, x) / size[:, None]
        score = self.score(x).squeeze(1)
        highest = torch.full((count.shape[0],), -math.inf, dtype=x.dtype).scatter_reduce(0, segment, score, "amax")
        weight = torch.exp(score - highest.detach()[segment])
        weight = weight / torch.zeros_like(highest).index_add(0, segment, weight)[segment]
        read = torch.zeros_like(mean).index_add(0, segment, weight[:, None] * x)
        return self.out(torch.cat([mean, read], 1))


@case("segments of packed sequences")
def packed():
    return Packed(), [(ints(20, 4 * b + 1), torch.arange(4 * b + 1) // 4, torch.zeros(b + 1)) for b in (2, 3, 5)]


class Tied(nn.Module):
    """The embedding is the head, too; losses ignore padding and smooth labels."""

    def __init__(self, tokens=17, width=12):
        super().__init__()
        self.embed, self.norm, self.mix = nn.Embedding(tokens, width, padding_idx=0), nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, tokens, targets):
        x = self.norm(self.mix(self.embed(tokens)).cumsum(1) / torch.arange(1, tokens.shape[1] + 1)[:, None])
        scores = F.linear(x.to(self.embed.weight.dtype), self.embed.weight)
        return F.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=0, label_smoothing=0.1)


@case("tied embeddings")
def tied():
    return Tied(), [(ints(17, b, 6), ints(17, b, 6)) for b in (2, 3, 5)]


class Fourier(nn.Module):
    """Mixing by transforms along tokens and features, and a layer in the frequency domain."""

    def __init__(self, width=12, modes=3):
        super().__init__()
        self.modes, self.norm = modes, nn.LayerNorm(width)
        self.real, self.imag = nn.Parameter(torch.randn(modes, width, width) / 6), nn.Parameter(torch.randn(modes, width, width) / 6)

    def forward(self, x):
        x = self.norm(x + torch.fft.fft2(x.float(), norm="ortho").real.to(x.dtype))
        frequencies = torch.fft.rfft(x.float(), dim=1)
        low = torch.einsum("bmi,mio->bmo", frequencies[:, : self.modes], torch.complex(self.real.float(), self.imag.float()))
        full = F.pad(torch.view_as_real(low), (0, 0, 0, 0, 0, frequencies.shape[1] - self.modes))
        return x + torch.fft.irfft(torch.view_as_complex(full.contiguous()), n=x.shape[1], dim=1).to(x.dtype)


@case("mixing by Fourier transforms")
def fourier():
    return Fourier(), [(randn(b, 8, 12),) for b in (2, 3, 5)]
