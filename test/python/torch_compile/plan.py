#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""In which piece of a graph each node is computed, where PyTorch's dispatcher is called in between."""

import sys

import torch
from checks import check, main
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from coil.torch_compile._plan import Plan


@torch.library.custom_op("plan_test::attend", mutates_args=())
def attend(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


@attend.register_fake
def _(x):
    return torch.empty_like(x)


@torch.library.custom_op("plan_test::scale", mutates_args=("x",))
def scale(x: torch.Tensor) -> None:
    x.mul_(3)


def stages(function, count, consumable=True):
    """For each piece, the names of what it computes, of a function of `count` matrices that the caller gives away."""
    with FakeTensorMode():
        graph = make_fx(function)(*[torch.empty(512, 512) for _ in range(count)]).graph
    inputs = graph.find_nodes(op="placeholder") if consumable else ()
    plan = Plan(graph, {}, consumable=inputs)
    return [[node.name for node in piece.nodes] for piece in plan.pieces]


def test_what_is_needed_later_is_computed_later():
    assert stages(lambda x, g: attend(attend(x + 1) * 2) * torch.sigmoid(g), 2) == [["add"], ["mul"], ["sigmoid", "mul_1"]]
    # A chain of the same size goes as a whole, and what two pieces need goes to the first of them.
    assert stages(lambda x, g: attend(attend(x + 1) * g.exp().sin()) + g.exp().cos(), 2) == [
        ["add"], ["exp", "sin", "mul"], ["exp_1", "cos", "add_1"]]
    assert stages(lambda x, g: (lambda e: attend(attend(x + 1) * e) + e)(g.exp()), 2) == [["add"], ["exp", "mul"], ["add_1"]]


def test_what_keeps_more_memory_stays():
    # A sum of rows is less than what it sums, which nobody else keeps.
    assert stages(lambda x, g: attend(x + 1) * g.sum(0), 2) == [["add", "sum_1"], ["mul"]]
    # The caller keeps it.
    assert stages(lambda x, g: attend(x + 1) * g.sum(0), 2, consumable=False) == [["add"], ["sum_1", "mul"]]
    # Somebody else needs it later.
    assert stages(lambda x, g: attend(x + 1) * g.sum(0) + g, 2) == [["add"], ["sum_1", "mul", "add_1"]]


def test_what_is_given_stays():
    assert stages(lambda x, g: (attend(x + 1) * 2, g.exp()), 2) == [["add", "exp"], ["mul"]]


def test_writing_is_a_barrier():
    def function(x, g):
        e = g.exp()
        y = x + 1
        scale(g)
        return attend(y) * e
    found = stages(function, 2)
    assert "exp" in found[0] and "exp" not in sum(found[1:], []), found


def test_results():
    torch.manual_seed(5)
    x, g = torch.randn(64, 64), torch.randn(64, 64)
    # Sines of large angles, times sums.
    check(lambda x, g: attend(attend(x + 1) * g.exp()) * torch.sigmoid(g).sum(1, keepdim=True) + g.exp(), x, g,
          rtol=1e-3, atol=1e-3, options={"strict": False})
    check(lambda x, g: attend(attend(x + 1).topk(3).values) * g.max(1, keepdim=True).values, x, g,
          rtol=1e-3, atol=1e-3, options={"strict": False})


if __name__ == "__main__":
    sys.exit(main(globals()))
