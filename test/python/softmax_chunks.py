# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax, logsumexp and their kin of few long rows, whose sums are found in chunks, with rows of infinities and NaNs."""
import sys

import coil
import torch

INFINITY = float("inf")


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def quotient(x):
    e = torch.exp(x.float() - x.amax((1,), keepdim=True))
    return e / e.sum((1,), keepdim=True)


FUNCTIONS = {
    "logsumexp": lambda x: torch.logsumexp(x.float(), (1,)),
    "softmax": lambda x: torch.softmax(x.float(), 1),
    "log_softmax": lambda x: torch.log_softmax(x.float(), 1),
    "sum below the maximum": lambda x: torch.exp(x.float() - x.amax((1,), keepdim=True)).sum(1),
    "quotient": quotient,
}


def make(columns):
    x = torch.randn(6, columns, generator=torch.Generator().manual_seed(1)) * 3
    x[0, : columns // 2] = -INFINITY  # Some chunks have nothing else.
    x[1] = -INFINITY
    x[2, columns // 3] = INFINITY
    x[3, 5] = float("nan")
    x[4] = -300
    x[4, -1] = 200
    x[4, :7] = -INFINITY
    return x


folder, options, columns = sys.argv[1], sys.argv[2], int(sys.argv[3])
for dtype in (torch.float32, torch.bfloat16):
    x = make(columns).to(dtype)
    for name, function in FUNCTIONS.items():
        torch.export.save(torch.export.export(Module(function), (x,)), f"{folder}/program.pt2")
        result = coil.compile(f"{folder}/program.pt2", options=options)(x)
        actual = torch.from_dlpack(result[0] if isinstance(result, (tuple, list)) else result)
        torch.testing.assert_close(actual, function(x), rtol=1e-4, atol=1e-6, equal_nan=True, msg=lambda text: f"{name} of {dtype}: {text}")
print("all agree")
