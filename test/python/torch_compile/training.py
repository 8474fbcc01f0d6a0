#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Training through torch.compile(backend="coil"), loss by loss against eager mode."""

import copy as copying
import sys

import coil
import torch
import torch.nn.functional as F
from checks import check_gradients, compile, equal, main
from torch import nn

STEPS = 60


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = dropout

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2)
                   for t in self.attend(self.norm_1(x)).split(width, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.dropout(self.project(y.transpose(1, 2).reshape(batch, length, width)), self.dropout, self.training)
        return x + self.down(F.gelu(self.up(self.norm_2(x))))


class GPT(nn.Module):
    def __init__(self, tokens=65, length=32, width=48, heads=4, layers=2, dropout=0.0):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


def train(model, batches, wrap, optimizer, compile_step=False, clip=None):
    """The losses of a training loop."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    call = wrap(model)
    step = optimizer.step
    if compile_step:
        step = compile(optimizer.step)
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = call(*batch)
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        step()
        losses.append(loss.item())
    return losses


def compare_losses(make, batches, make_optimizer, tolerance, **options):
    torch.manual_seed(1)
    ours = make()
    theirs = copying.deepcopy(ours)
    found = train(ours, batches, compile, make_optimizer(ours), **options)
    options.pop("compile_step", None)
    expected = train(theirs, batches, lambda model: model, make_optimizer(theirs), **options)
    for i, (a, b) in enumerate(zip(found, expected)):
        assert abs(a - b) <= tolerance * max(1, abs(b)), f"step {i}: loss {a} instead of {b}"
    assert found[-1] < found[0], "the model learns nothing"
    # Single elements may differ: Adam divides rounding errors of gradients that are zero,
    # such as those of the biases of keys, by their size.
    for a, b in zip(ours.parameters(), theirs.parameters()):
        assert (a - b).norm() <= 0.02 * b.norm() + 1e-3, f"{(a - b).norm()} of {b.norm()}"


def tokens(steps=STEPS, batch=4, length=32, count=65):
    """Text that can be learned: each token follows from the one before."""
    generator = torch.Generator().manual_seed(2)
    found = []
    for _ in range(steps):
        start = torch.randint(count, (batch, 1), generator=generator)
        text = (start + 3 * torch.arange(length + 1)) % count
        found.append((text[:, :-1].contiguous(), text[:, 1:].contiguous()))
    return found


def test_gpt():
    compare_losses(GPT, tokens(), lambda m: torch.optim.AdamW(m.parameters(), lr=1e-3, weight_decay=0.1), 1e-4)


def test_gpt_with_compiled_optimizer():
    compare_losses(GPT, tokens(), lambda m: torch.optim.AdamW(m.parameters(), lr=1e-3, foreach=True,
                                                              weight_decay=0.1),
                   1e-4, compile_step=True)


def test_gpt_with_dropout_and_clipping():
    before = coil.counters()
    compare_losses(lambda: GPT(dropout=0.2), tokens(steps=20), lambda m: torch.optim.AdamW(m.parameters(), lr=1e-3),
                   1e-4, clip=0.5)
    assert coil.counters()["draws"] > before["draws"] and coil.counters()["fallbacks"] == before["fallbacks"]


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2, groups=2), nn.GroupNorm(4, 16), nn.SiLU(), nn.AdaptiveAvgPool2d(2),
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(64, 5))

    def forward(self, images, labels):
        return F.cross_entropy(self.body(images), labels, label_smoothing=0.1)


def test_conv_net():
    generator = torch.Generator().manual_seed(3)
    batches = []
    for _ in range(STEPS):
        labels = torch.randint(5, (6,), generator=generator)
        batches.append((torch.randn(6, 3, 16, 16, generator=generator) + labels.view(-1, 1, 1, 1), labels))
    compare_losses(ConvNet, batches, lambda m: torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9), 2e-3)


def test_layers():
    x = torch.randn(3, 7, 12, requires_grad=True)
    w = torch.randn(12, requires_grad=True)
    check_gradients(lambda x, w: F.layer_norm(x, (12,), w, w), x, w)
    check_gradients(lambda x, w: F.rms_norm(x, (12,), w), x, w)
    check_gradients(lambda x, w: F.softmax(x, -1) * w, x, w)
    check_gradients(lambda x: F.dropout(x, 0.3), x)
    check_gradients(lambda x: (F.gelu(x, approximate="tanh"), F.silu(x), F.leaky_relu(x), F.mish(x), F.elu(x)), x)
    check_gradients(lambda x: F.max_pool1d(x, 2) + F.avg_pool1d(x, 2), x)
    check_gradients(lambda x: F.interpolate(x, scale_factor=2.0, mode="linear"), x)
    table, at = torch.randn(9, 4, requires_grad=True), torch.randint(9, (3, 5))
    check_gradients(lambda t, i: F.embedding(i, t, padding_idx=2), table, at)
    check_gradients(lambda t, i: F.embedding_bag(i, t), table, at)
    check_gradients(lambda t, i: t[i].sum(1) + t.index_select(0, i[:, 0]), table, at)
    a, b = torch.randn(5, 4, requires_grad=True), torch.randn(4, 6, requires_grad=True)
    check_gradients(lambda a, b: (a @ b, torch.einsum("ij,jk->ki", a, b)), a, b)
    check_gradients(lambda a: torch.linalg.inv(a[:4] + 5 * torch.eye(4)), a)
    lstm = nn.LSTM(12, 6)
    check_gradients(lambda x: lstm(x)[0], x)
    attention = nn.MultiheadAttention(12, 3, batch_first=True)
    check_gradients(lambda x: attention(x, x, x)[0], x)


def test_losses():
    x, t = torch.randn(6, 5, requires_grad=True), torch.randint(5, (6,))
    y = torch.rand(6, 5)
    check_gradients(lambda x, t: F.cross_entropy(x, t, ignore_index=2), x, t)
    check_gradients(lambda x, t: F.nll_loss(x.log_softmax(1), t, torch.ones(5)), x, t)
    check_gradients(lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.huber_loss(x, y)), x, y)
    check_gradients(lambda x, y: (F.binary_cross_entropy_with_logits(x, y), F.kl_div(x, y)), x, y)


def test_dynamic_batches():
    torch._dynamo.reset()
    torch.manual_seed(0)
    ours = GPT()
    theirs = copying.deepcopy(ours)
    compiled = compile(ours, dynamic=True)
    before = coil.counters()["graphs"]
    for batch, length in ((4, 16), (3, 9), (7, 31), (2, 5)):
        (text, targets), = tokens(1, batch, length)
        for model, call in (ours, compiled), (theirs, theirs):
            model.zero_grad()
            call(text, targets).backward()
        for a, b in zip(ours.parameters(), theirs.parameters()):
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-5)
    assert coil.counters()["graphs"] - before == 2, coil.counters()["graphs"] - before


def test_gradient_accumulation():
    torch.manual_seed(0)
    ours = GPT()
    theirs = copying.deepcopy(ours)
    torch._dynamo.reset()
    for model, call in (ours, compile(ours)), (theirs, theirs):
        for batch in tokens(3):
            call(*batch).backward()
    for a, b in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-5)


def test_checkpointing():
    from torch.utils.checkpoint import checkpoint
    block = Block(12, 3, 0.0)
    check_gradients(lambda x: checkpoint(block, x, use_reentrant=False), torch.randn(2, 5, 12, requires_grad=True))


def test_higher_gradients_are_refused_by_autograd():
    # AOTAutograd does not do second derivatives; the error is its own, and the next call works.
    torch._dynamo.reset()
    compiled = compile(lambda x: (x.sin() * x).sum())
    x = torch.rand(3, requires_grad=True)
    grad, = torch.autograd.grad(compiled(x), x, create_graph=True)
    try:
        torch.autograd.grad(grad.sum(), x)
    except RuntimeError:
        pass
    equal(compiled(x).detach(), (x.sin() * x).sum().detach())


if __name__ == "__main__":
    sys.exit(main(globals()))
