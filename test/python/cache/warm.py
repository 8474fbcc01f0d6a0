# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward, backward, symbolic sizes and fallbacks through torch.compile: what the cache on
disk had of them."""

import torch

import coil

torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(8), torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
        self.weight, self.bias = torch.nn.Parameter(torch.randn(3, 8, 8)), torch.nn.Parameter(torch.randn(8))

    def forward(self, x, y):
        z = torch.cat([self.norm(x), y.expand(y.shape[0], 8)])
        # The compiler has no rule for this operator, which has no gradient.
        z = z + torch._addmm_activation(self.bias.detach(), z.detach(), self.weight[0].detach())
        return self.down(torch.relu(self.up(z))).square().sum()


net = Net()
x, y = torch.randn(5, 8, requires_grad=True), torch.randn(7, 1)
loss = torch.compile(net, backend="coil", dynamic=True)(x, y)
loss.backward()
gradient, x.grad = x.grad, None
net(x, y).backward()
torch.testing.assert_close(gradient, x.grad)
counters = coil.counters()
cache = counters["cache"]
print(f"graphs {counters['graphs']}, failed {counters['failed_graphs']}; found {cache['hits'] > 0}, "
      f"compiled {cache['misses'] > 0}, refusals {cache['refusals']}, stored {cache['stores'] > 0}")
with torch.no_grad():
    explanation = coil.explain(net, x, y)
print(explanation.cache_hits == sum(len(graph.programs) for graph in explanation.graphs))
