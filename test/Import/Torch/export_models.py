# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small programs with PyTorch, one .pt2 file each, into a folder.

Each program is there for one thing that exported graphs do. Those with a second
file `<name>.core.pt2` are also saved after run_decompositions().
"""

import os
import sys
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")
Dim = torch.export.Dim
r = torch.randn
PROGRAMS = {}


def program(*args, dynamic=None, core=False, **keywords):
    """Makes a program of a forward function or of a class."""

    def add(what):
        if isinstance(what, type):
            module = what()
        else:
            module = type(what.__name__, (nn.Module,), {"forward": staticmethod(what)})()
        PROGRAMS[what.__name__] = (module.eval(), args, keywords, dynamic, core)
        return what

    return add


@program(r(2, 3, 8, 8), dynamic=({0: Dim("b")},))
class residual(nn.Module):
    """In-place operators whose operands nobody else sees."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.conv(x))
        y += x
        return self.relu(y)


@program(r(6, 4), dynamic=({0: 2 * Dim("h", min=2, max=100)},))
def size_arithmetic(x):
    n = x.shape[0]
    return x.reshape(n // 2, 8), torch.arange(n * 2 + 1), F.pad(x, (1, n)), n


@program(r(6, 4), r(5, 4), dynamic=({0: Dim("a", min=4)}, {0: Dim("c")}))
def size_functions(x, y):
    return (torch.cat([x, y]).unfold(0, 2, 2), torch.ones(max(x.shape[0], 3)), x[:-1],
            F.max_pool1d(x[None], 3, stride=2, ceil_mode=True), *x.split(2, 1))


@program(r(2, 4), torch.tensor([True, False]), torch.tensor([1, 2], dtype=torch.uint8))
class element_types(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(r(4, 4).bfloat16())
        self.t = nn.Parameter(r(3, 4).t())  # Stored column by column.

    def forward(self, x, b, u):
        return (x.bfloat16() @ self.w).float(), x.double(), b & True, u + 1, x @ self.t, 2**x


@program(r(9)[1:7].view(2, 3), r(16)[8:14].view(2, 3), r(2, 4).half()[:, 1:], r(2, 3))
class offset_inputs(nn.Module):
    def forward(self, x, y, z, w):
        return x + y + z + w


@program(r(3), True, 3)
class structures(nn.Module):
    """Buffers that are not saved with the state, constants, nested results."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scratch", r(3), persistent=False)
        self.constant = r(3)

    def forward(self, x, flag=True, n=3):
        return {"a": x + self.scratch, "b": None, "c": [x * self.constant, x * n]}


@program(torch.tensor([1, 2]))
class tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 4)
        self.head = nn.Linear(4, 7, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, i):
        return self.head(self.embedding(i))


@program(r(2, 3, 8, 8).to(memory_format=torch.channels_last), dynamic=({0: Dim("b")},))
class channels_last(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)

    def forward(self, x):
        return self.conv(x)


@program(r(2, 5, 16), core=True, dynamic=({0: Dim("b"), 1: Dim("t")},))
class transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

    def forward(self, x):
        return self.layer(x)


@program(r(5, 5), torch.tensor([1, 2]))
def indexing(x, i):
    return x[i], x[:, i], x[::2, 1:], x[i, i], x.masked_fill(x > 0, float("-inf"))


@program(r(3), core=True)
class buffer_mutation(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(3))

    def forward(self, x):
        self.n.add_(x)
        return x * self.n


@program(r(3), core=True)
def input_mutation(x):
    x.add_(1)
    return x * 2


@program(r(3, 3), core=True)
def view_mutation(x):
    y = x * 2
    y[0].add_(1)
    return y


@program(r(4, 5, 6), dynamic=({0: Dim("b", min=2)},))
def results_with_gaps(x):
    return x[:, 1], x.transpose(1, 2)[..., ::2], x.diagonal(0, 1, 2), x[:, :1].expand(-1, 5, -1), x.unfold(2, 3, 1)


@program(r(8))
def data_dependent(x):
    return x.nonzero()


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    for name, (module, args, keywords, dynamic, core) in PROGRAMS.items():
        exported = torch.export.export(module, args, keywords, dynamic_shapes=dynamic)
        torch.export.save(exported, name + ".pt2")
        if core:
            torch.export.save(exported.run_decompositions(), name + ".core.pt2")


if __name__ == "__main__":
    main()
