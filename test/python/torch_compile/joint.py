#===----------------------------------------------------------------------===//
#
# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Which clones a graph of a forward and a backward pass loses, and that what is given stays apart."""

import sys

import torch
import torch.nn.functional as F
from checks import check, check_gradients, main
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from coil.torch_compile import _joint


def count(function, *shapes):
    with FakeTensorMode():
        module = make_fx(function)(*[torch.empty(shape) for shape in shapes])
    return _joint.drop_clones(module)


def test_clones_that_lie_alike():
    assert count(lambda x: x.exp().clone() * 2, (3, 4)) == 1
    assert count(lambda x: x.exp().clone(memory_format=torch.contiguous_format).view(12) * 2, (3, 4)) == 1
    # A transposed tensor whose clone is contiguous lies otherwise; its transpose does not.
    assert count(lambda x: x.t().clone(memory_format=torch.contiguous_format) * 2, (3, 4)) == 0
    assert count(lambda x: x.exp().t().t().clone(memory_format=torch.contiguous_format) * 2, (3, 4)) == 1
    # Of an input, which may be written before the backward pass.
    assert count(lambda x: x.t().clone() * 2, (3, 4)) == 0


def test_what_is_given_is_a_clone():
    assert count(lambda x: (x.clone(), x * 2), (3, 4)) == 0
    assert count(lambda x: (x.exp(), x.exp().clone().t()), (3, 4)) == 0
    assert count(lambda x: (x.add_(1), x.clone() * 2), (3, 4)) == 0
    x = torch.randn(3, 4, requires_grad=True)
    check(lambda x: (lambda y: (y, y.clone()))(x * 2), x)


def test_training():
    linear = torch.nn.Linear(8, 8)

    def function(x):
        y = F.dropout(linear(x).view(2, 4, 2, 4).transpose(1, 2), 0.0, training=True)
        z = y.transpose(1, 2).contiguous().view(2, 4, 8)
        return F.dropout(z * z, 0.0, training=True).exp() * z

    check_gradients(function, torch.randn(2, 4, 8, requires_grad=True), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    sys.exit(main(globals()))
