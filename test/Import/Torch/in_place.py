# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports programs with updates in place, as they are, one .pt2 file each, into a
folder. test/python/in_place.py compares random ones with eager; these are there to
see what becomes of them, and what is refused.
"""

import os
import sys
import warnings

import torch
import torch.nn as nn

warnings.filterwarnings("ignore")
r = torch.randn
PROGRAMS = {}


def program(*args, dynamic=None, train=False):
    """Makes a program of a forward function or of a class."""

    def add(what):
        if isinstance(what, type):
            module = what()
        else:
            module = type(what.__name__, (nn.Module,), {"forward": staticmethod(what)})()
        PROGRAMS[what.__name__] = (module.train(train), args, dynamic)
        return what

    return add


@program(r(3, 4), r(3, 3))
def copy_to_slice(x, y):
    x[:, 1:].copy_(y)
    return x.sum()


@program(r(3, 4), dynamic=({0: torch.export.Dim("b")},))
def views_of_views(x):
    y = x * 2
    z = y.t()[1:].unsqueeze(0)
    z.add_(1)
    w = y.view(-1)
    z[0, 0] += w[0]
    return y, w


@program(r(4, 3))
def unread(x):
    y = x + 1
    part = y[1]
    y.mul_(2)
    y[0].zero_()
    y[0].fill_(7)
    return y


@program(torch.arange(6, dtype=torch.int32), r(6))
def types(i, x):
    i.add_(torch.arange(6))
    x.lt_(0)
    half = x.half()
    half.mul_(x)
    return half


@program(r(4), r(4))
def out_arguments(x, y):
    a, b = torch.empty(4, dtype=torch.float64), torch.empty(0)
    torch.add(x, y, out=a)
    torch.mul(x, 2, out=b)
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.sort(x, out=(values, indices))
    return a, b, indices


@program(r(2, 3, 4, 4), train=True)
class batch_norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return self.norm(x)


@program(r(2, 3, 4), train=True)
class instance_norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(3, track_running_stats=True)

    def forward(self, x):
        return self.norm(x)


@program(r(1, 2, 1, 4), torch.tensor([3]), torch.tensor([True, False, True, False, False]))
class caches(nn.Module):
    def __init__(self):
        super().__init__()
        for name in "abcd":
            self.register_buffer(name, torch.zeros(1, 2, 5, 4))

    def forward(self, k, i, m):
        self.a.index_copy_(2, i, k)
        self.b.scatter_(2, i.view(1, 1, 1, 1).expand(1, 2, 1, 4), k)
        self.c[:, :, 2:3] = k
        self.d[:, :, m] = 0.5
        return self.a + self.b


@program(r(3), r(3))
def lists(x, y):
    torch._foreach_mul_([x, y], [2.0, 3.0])
    return torch._foreach_add([x, y], 1)


@program(r(6))
def sizes(x):
    y = x.clone()
    y.resize_(2, 2)
    z = torch.zeros(2)
    z.resize_(3)
    z.copy_(x[:3])
    return y, z


@program(r(1, 3), r(2, 6))
def repeated(x, y):
    x.expand(4, 3)[2].add_(1)
    y.unfold(1, 2, 2).mul_(2)
    y.t().as_strided((2, 2), (1, 3), 1).zero_()
    return x


@program(r(4))
def same(x):
    y = x.clone()
    y.reshape(2, 2).add_(1)
    y.view(2, 2).t().reshape(4).add_(5)
    y.contiguous().mul_(2)
    return y


@program(r(3, 3).t())
def permuted(x):
    x.reshape(9).add_(1)
    x.as_strided((3,), (1,)).zero_()
    return x.sum()


@program(r(2, 4)[:, ::2])
def over_gaps(x):
    x.as_strided((2,), (4,)).zero_()
    return x.sum()


@program(r(2, 4)[:, ::2])
def refused_gaps(x):
    return x.as_strided((2,), (1,)) * 2


@program(r(3, 4), r(7, 2))
def diagonals(x, y):
    x.fill_diagonal_(1)
    return y.clone().fill_diagonal_(2, wrap=True)


@program(r(3, 4), train=True)
def dropout(x):
    y = x + 1
    return torch.dropout_(y, 0.5, True)


@program(r(3, 1, 4))
def metadata(x):
    y = x * 2
    part = y[1]
    y.squeeze_().t_().add_(1)
    return y, part


@program(r(3))
class tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(r(3), requires_grad=False)
        self.b = nn.Parameter(self.a.detach(), requires_grad=False)

    def forward(self, x):
        self.a.add_(x)
        return self.b * 2


@program(r(5), 4, dynamic=(None, torch.export.Dim.DYNAMIC))
def number(x, n):
    return torch.zeros(n) + x[0], n * 2, 2.5, True


@program(torch.tensor(True), r(3))
def branch(p, x):
    def yes(x):
        y = x.clone()
        y[1:].mul_(2)
        return y

    return torch.cond(p, yes, lambda x: x + 1, (x,))


@program(r(3))
class same_name(nn.Module):
    """A buffer and an argument of one name."""

    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(5))

    def forward(self, k):
        self.k.add_(k.sum())
        return k * 2


@program(r(3), r(3))
def refused_set(x, y):
    z = x.clone()
    z.set_(y)
    return z


@program(r(3, 1))
def refused_expand(x):
    return x.expand(3, 4).add_(1)


@program(r(3, 4))
def refused_transpose(x):
    return x.t_().clone()


@program(r(3, 4))
def refused_resize(x):
    return x.resize_(2, 2).clone()


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    for name, (module, args, dynamic) in PROGRAMS.items():
        exported = torch.export.export(module, args, dynamic_shapes=dynamic)
        torch.export.save(exported, name + ".pt2")
        if name == "same_name":
            torch.export.save(exported.run_decompositions(), "same_name_decomposed.pt2")


if __name__ == "__main__":
    main()
