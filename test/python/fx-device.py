# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on a device in graphs: what stands for the device is nothing that a node can
name, so the node has its number, and the text of the graph compiles. What else a node
cannot hold is an error where the node is made."""
import operator

import torch

from coil import fx


class Device:
    """As host.Device: its repr is no Python."""


def add(tensor, number, device, where=""):
    calls.append((number, device, where))
    tensor.add_(number)


def double(number, device):
    """Gives something, without data, too."""
    assert device is devices[1]
    return number * 2


calls, devices = [], [Device(), Device()]
program = fx.Program()


def build():
    g = program.graph()
    x = g.placeholder("x", program.fake((2,), (1,), torch.float32, "cpu"))
    g.check(add, x, 1, device=devices[0], where="a")
    g.check(add, x, 2, device=devices[1])
    three = g.call(double, 2, device=devices[1])
    g.check(add, x, three, device=devices[0])
    g.output(x)
    return g


main = program.compile(build)
assert main(torch.zeros(2)).tolist() == [7.0, 7.0]
assert calls == [(1, devices[0], "a"), (2, devices[1], ""), (4, devices[0], "")]


def refuse(text, make):
    g = program.graph()
    x = g.placeholder("x", program.fake((2,), (1,), torch.float32, "cpu"))
    try:
        make(g, x)
    except TypeError as error:
        assert text in str(error), error
        assert len(g.graph.nodes) == 1, "the node was made"
        return
    raise SystemExit(f"no error: {text}")


other = program.graph().placeholder("other", program.fake((), (), torch.float32, "cpu"))
refuse("argument 1 of a node that calls 'add' holds tensor([1.]), a 'Tensor', which no node of this "
       "graph can hold", lambda g, x: g.call(operator.add, x, torch.ones(1)))
refuse("argument 1 of a node that calls 'add' holds <__main__.Device object",
       lambda g, x: g.check(add, x, [(Device(), 1)]))
refuse("argument where of a node that calls 'add' holds {1}, a 'set'",
       lambda g, x: g.check(add, x, 1, where={"a": slice(0, {1})}))
refuse("holds 1, a 'int'", lambda g, x: g.check(add, x, 1, where={1: 2}))
refuse("holds s", lambda g, x: g.check(add, x, program.symbol("s", 1, 9, 4)))
refuse("holds other, a node of another graph", lambda g, x: g.check(add, x, [1, (2, other)]))
refuse("argument 0 of a node that calls 'output' holds other", lambda g, x: g.output((x, other)))
refuse("argument arguments of a node that calls 'coil_launch' holds Ellipsis, a 'ellipsis'",
       lambda g, x: g.launch(add, (x,), (..., 1)))
refuse("a node cannot call '<lambda>', which has no name that Python finds",
       lambda g, x: g.check(lambda: None))
# All of this is fine, and written down.
g = program.graph()
x = g.placeholder("x", program.fake((2,), (1,), torch.float32, "cpu"))
g.check(print, x, None, True, 1, float("inf"), 1j, "a", torch.float32, torch.device("cpu"), torch.strided,
        torch.contiguous_format, torch.ops.aten.add.Tensor, [x, (x,)], {"a": x}, slice(1, None), range(3),
        torch.Size((1, 2)))
g.output(x)
compile(g.module().code, "graph", "exec")
print("devices of nodes agree")
