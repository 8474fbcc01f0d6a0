#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""When memory is free in training steps: what a forward saves ends with its last use in the
backward, and what others have stays as it is."""

import sys

import coil
import torch
from checks import compile, equal, main
from coil import _program
from coil.torch_compile import _piece
from torch.multiprocessing.reductions import StorageWeakRef

ROWS, WIDTH = 2048, 256  # A tensor has two megabytes.


def make_model(layers=3):
    torch.manual_seed(0)
    return torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU())
                                 for _ in range(layers)])


class _Watch:
    """Notes, at each end of an input that a call has consumed, how many of the large inputs of
    that call are free."""

    def __enter__(self):
        self.calls, self._refs = [], []
        self._empty = _program._empty

        def empty(tensor, stream):
            self._empty(tensor, stream)
            self.calls[-1].append(sum(ref.expired() for ref in self._refs))

        _program._empty, _Watch.current = empty, self
        return self

    def __exit__(self, *_):
        _program._empty, _Watch.current = self._empty, None

    current = None

    @staticmethod
    def make(piece, *args, **options):
        """Makes a piece whose calls are noted while there is a watch."""
        _make(piece, *args, **options)
        run = piece.function

        def call(*inputs, **options):
            if watch := _Watch.current:
                tensors = [each for each in inputs if isinstance(each, torch.Tensor) and each.numel() == ROWS * WIDTH]
                watch._refs = [StorageWeakRef(each.untyped_storage()) for each in tensors]
                watch.calls.append([])
            return run(*inputs, **options)

        piece.function = call


_make, _piece.CompiledPiece.__init__ = _piece.CompiledPiece.__init__, _Watch.make


def test_saved_tensors_are_free_behind_their_last_use():
    model = make_model()
    x = torch.randn(ROWS, WIDTH)
    torch._dynamo.reset()
    compiled = compile(model)
    compiled(x).sum().backward()
    with _Watch() as watch:
        compiled(x).sum().backward()
    forward, backward = watch.calls
    # Three results of linear layers, two of GELU, and the gradient, one by one. The input of the
    # model is the caller's.
    assert forward == [] and backward == [1, 2, 3, 4, 5, 6], watch.calls


def test_what_others_have_stays():
    model = make_model(2)

    def function(x):
        middle = model[0](x)
        return middle, model[1](middle)
    torch._dynamo.reset()
    compiled = compile(function)
    x = torch.randn(ROWS, WIDTH, requires_grad=True)
    found = []
    for call in compiled, function:
        middle, out = call(x)
        gradient = torch.ones_like(out)
        kept = middle.detach().clone()
        grads = torch.autograd.grad(out, [x, *model.parameters()], gradient)
        equal(middle.detach(), kept)
        equal(gradient, torch.ones_like(out))
        found.append(grads)
    equal(found[0], found[1], rtol=1e-4, atol=1e-3)


def test_graphs_that_are_retained():
    model = make_model(2)
    torch._dynamo.reset()
    compiled = compile(model)
    out = compiled(torch.randn(ROWS, WIDTH)).sum()
    parameters = list(model.parameters())
    first = torch.autograd.grad(out, parameters, retain_graph=True)
    equal(torch.autograd.grad(out, parameters), first)


def test_hooks_on_saved_tensors():
    """Whoever packs what is saved may keep it."""
    model, kept = make_model(2), []

    def pack(tensor):
        kept.append(tensor)
        return len(kept) - 1
    torch._dynamo.reset()
    compiled = compile(model)
    x = torch.randn(ROWS, WIDTH)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda number: kept[number]):
        out = compiled(x).sum()
    copies = [each.detach().clone() for each in kept]
    grads = torch.autograd.grad(out, list(model.parameters()))
    equal([each.detach() for each in kept], copies)
    equal(grads, torch.autograd.grad(model(x).sum(), list(model.parameters())), rtol=1e-4, atol=1e-3)


def test_values_between_pieces():
    """What one piece makes for another one ends with it."""
    def function(x):
        y = torch.ops.coil_memory.twice(x.sin())
        return torch.ops.coil_memory.twice(y.cos() + 1).exp()
    torch._dynamo.reset()
    compiled = compile(function)
    x = torch.rand(ROWS, WIDTH)
    compiled(x)
    with _Watch() as watch:
        equal(compiled(x), function(x))
    assert watch.calls == [[], [1], [1]], watch.calls


@torch.library.custom_op("coil_memory::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@twice.register_fake
def _(x):
    return torch.empty_like(x)


if __name__ == "__main__":
    sys.exit(main(globals()))
