# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps as programs: joint graphs of torch.export.experimental, and steps that make_fx traced, with the operators
that autograd calls. Losses and gradients are compared with eager mode.

    joint.py FOLDER
"""

import os
import sys
import warnings

import coil
import torch
import torch.nn.functional as F
from torch.export.experimental import _export_forward_backward
from torch.fx.experimental.proxy_tensor import make_fx

warnings.filterwarnings("ignore")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


class Block(torch.nn.Module):
    """Layers of several kinds, with a loss of classes."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(11, 12)
        self.norm = torch.nn.LayerNorm(12)
        self.mix = torch.nn.Linear(12, 36)
        self.conv = torch.nn.Conv1d(12, 6, 3, padding=1)
        self.groups = torch.nn.GroupNorm(3, 6)
        self.last = torch.nn.Linear(6, 5)

    def scores(self, tokens):
        x = self.norm(self.table(tokens))
        heads = self.mix(x).unflatten(-1, (3, 3, 4)).transpose(1, 3)
        q, k, v = heads.unbind(2)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = F.gelu(self.groups(self.conv(x.mT)))
        return self.last(F.silu(F.max_pool1d(x, 2).mean(-1)))

    def forward(self, tokens, classes):
        scores = self.scores(tokens)
        return F.cross_entropy(scores, classes), scores.detach()


def compare(name, actual, expected):
    assert len(actual) == len(expected), (name, len(actual), len(expected))
    for i, (a, e) in enumerate(zip(actual, expected)):
        assert a.dtype == e.dtype and a.shape == e.shape, (name, i, a.dtype, a.shape, e.dtype, e.shape)
        assert torch.allclose(a, e, 1e-4, 1e-5), (name, i, (a - e).abs().max())
    print(name, len(actual))


torch.manual_seed(3)
model = Block()
tokens, classes = torch.randint(0, 11, (4, 7)), torch.randint(0, 5, (4,))
loss, scores = model(tokens, classes)
names = [name for name, _ in model.named_parameters()]
gradients = torch.autograd.grad(loss, list(model.parameters()))
expected = [loss.detach(), scores, *gradients]

# A joint graph: gradients are results that say what they are of.
joint = _export_forward_backward(torch.export.export(model, (tokens, classes)))
path = os.path.join(folder, "joint.pt2")
torch.export.save(joint, path)
program = coil.compile(path)
compare("joint", program.run(tokens, classes, like=torch.Tensor), expected)
assert [spec.get("gradient", {}).get("target") for spec in program.outputs] == [None, None, *names]
result = program.forward(tokens, classes)
compare("forward", [torch.as_tensor(r) for r in result], expected[:2])

# A step as a function of the parameters, in which the operators of autograd are what they are.
parameters = {name: p.detach() for name, p in model.named_parameters()}


def step(parameters, tokens, classes):
    def objective(parameters):
        return torch.func.functional_call(model, parameters, (tokens, classes))[0]
    grads, value = torch.func.grad_and_value(objective)(parameters)
    return [value, *grads.values()]


class Step(torch.nn.Module):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph

    def forward(self, parameters, tokens, classes):
        return self.graph(parameters, tokens, classes)


graph = make_fx(step)(parameters, tokens, classes)
used = {str(node.target) for node in graph.graph.nodes}
assert "aten.native_layer_norm_backward.default" in used, used
exported = torch.export.export(Step(graph), (parameters, tokens, classes))
compare("step", coil.compile(exported)(parameters, tokens, classes), [loss.detach(), *gradients])
