# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps on a device in graphs: what stands for the device is nothing that a node can
name, so the node has its number, and the text of the graph compiles."""
import torch

from coil import fx


class Device:
    """As host.Device: its repr is no Python."""


def add(tensor, number, device, where=""):
    calls.append((number, device, where))
    tensor.add_(number)


calls, devices = [], [Device(), Device()]
program = fx.Program()


def build():
    g = program.graph()
    x = g.placeholder("x", program.fake((2,), (1,), torch.float32, "cpu"))
    g.check(add, x, 1, device=devices[0], where="a")
    g.check(add, x, 2, device=devices[1])
    g.check(add, x, 4, device=devices[0])
    g.output(x)
    return g


main = program.compile(build)
assert main(torch.zeros(2)).tolist() == [7.0, 7.0]
assert calls == [(1, devices[0], "a"), (2, devices[1], ""), (4, devices[0], "")]
print("devices of nodes agree")
