#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""What draws on the CPU has the numbers of eager mode, gradients included, and divides no piece: random
operators take nothing but sizes, and all that is computed with their numbers is compiled."""

import sys

import torch
import torch.nn.functional as F

from checks import main
from coil.torch_compile import _counters


def run(function, inputs, backend=None, **options):
    """Results, gradients, the generator's next number, and graphs."""
    torch._dynamo.reset()
    with _counters.recording() as graphs:
        call = torch.compile(function, backend=backend, **options) if backend else function
        inputs = [x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, torch.Tensor) else x for x in inputs]
        torch.manual_seed(11)
        result = call(*inputs)
        result = result if isinstance(result, tuple) else (result,)
        sum(x.double().square().sum() for x in result if x.requires_grad).backward()
        grads = [x.grad for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
        return [*result, *grads, torch.rand(3)], list(graphs)


def check(function, *inputs, draws, dynamic=False, tolerance=2e-5, reference=None):
    theirs, _ = run(function, inputs, reference)
    ours, graphs = run(function, inputs, "coil", dynamic=dynamic, options={"strict": True, "fallback": "error"})
    assert [len(graph.programs) for graph in graphs] == [1, 1], [graph.source for graph in graphs]
    assert sum(len(graph.draws) for graph in graphs) == draws, [graph.draws for graph in graphs]
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride(), (a, b)
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


def tensors(*shapes, dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, dtype=dtype, generator=generator).requires_grad_() for shape in shapes]


def attend(q, k, v, mask=None, causal=False, grouped=False):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.3, is_causal=causal, enable_gqa=grouped)


def test_attention():
    for dtype, tolerance in ((torch.float32, 2e-5), (torch.float64, 1e-10), (torch.bfloat16, 2e-2)):
        inputs = tensors((2, 3, 7, 8), (2, 3, 9, 8), (2, 3, 9, 5), dtype=dtype)
        check(attend, *inputs, draws=1, tolerance=tolerance)
    inputs = tensors((2, 3, 7, 8), (2, 3, 7, 8), (2, 3, 7, 8))
    check(lambda q, k, v: attend(q, k, v, causal=True), *inputs, draws=1)
    check(attend, *inputs, torch.randn(7, 7), draws=1)
    # Of some rows nothing is visible.
    check(attend, *inputs, torch.rand(2, 1, 7, 7) < 0.2, draws=1)
    check(lambda q, k, v: attend(q, k, v, grouped=True), *tensors((2, 4, 5, 8), (2, 2, 6, 8), (2, 2, 6, 8)), draws=1)


def test_attention_with_symbolic_sizes():
    check(attend, *tensors((2, 3, 7, 8), (2, 3, 9, 8), (2, 3, 9, 5)), draws=1, dynamic=True)


def test_layers_with_dropout():
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = torch.nn.MultiheadAttention(16, 4, dropout=0.1, batch_first=True)
            self.up, self.down = torch.nn.Linear(16, 32), torch.nn.Linear(32, 16)

        def forward(self, x):
            y, _ = self.attention(x, x, x, need_weights=False)
            x = x + F.dropout(y, 0.2)
            return x + F.dropout(self.down(F.dropout(F.gelu(self.up(x)), 0.1)), 0.2)

    torch.manual_seed(0)
    layer = Layer()
    for dynamic in (False, True):
        check(layer, *tensors((3, 6, 16)), draws=4, dynamic=dynamic)


def test_noise_behind_a_computation():
    def function(x):
        y = x.sin()
        return (y + 0.1 * torch.randn_like(y)) * torch.rand_like(y.t()).t() + torch.empty_like(y.detach()).uniform_(-1, 1)
    check(function, *tensors((5, 6)), draws=3)


def test_other_layouts():
    check(lambda x: F.dropout(x.sin().transpose(0, 2), 0.5), *tensors((5, 6, 7)), draws=1)
    check(lambda x: F.dropout(x.cos()[:, ::2], 0.5), *tensors((5, 6, 7)), draws=1)
    check(lambda x: F.dropout(x.contiguous(memory_format=torch.channels_last), 0.5), *tensors((2, 3, 4, 5)), draws=1)


def test_certain_dropout():
    # PyTorch's decomposition draws nothing where it has to draw nothing; eager mode does.
    check(lambda x: F.dropout(x.sin(), 1.0) + F.dropout(x, 0.0) + x, *tensors((5, 6)), draws=1, reference="aot_eager")


def test_numbers_that_depend_on_data_are_drawn_between_pieces():
    function = lambda x: torch.multinomial(x.detach().softmax(-1), 2) * x[:, :2]
    inputs = tensors((4, 5))
    theirs, _ = run(function, inputs)
    ours, graphs = run(function, inputs, "coil")
    torch.testing.assert_close(ours, theirs)
    assert [name for graph in graphs for name, _, _ in graph.fallbacks] == ["aten.multinomial.default"], graphs[0].fallbacks


if __name__ == "__main__":
    sys.exit(main(globals()))
