# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""softmax, logsumexp and their kin of few long rows, whose sums are found in chunks, and of columns, with infinities and NaNs."""
import sys

import coil
import torch

INFINITY = float("inf")


class Module(torch.nn.Module):
    def __init__(self, function, dim):
        super().__init__()
        self.function, self.dim = function, dim

    def forward(self, x):
        return self.function(x, self.dim)


def wide(x):
    return x if x.dtype == torch.float64 else x.float()


def quotient(x, dim):
    e = torch.exp(wide(x) - x.amax((dim,), keepdim=True))
    return e / e.sum((dim,), keepdim=True)


FUNCTIONS = {
    "logsumexp": lambda x, dim: torch.logsumexp(wide(x), (dim,)),
    "softmax": lambda x, dim: torch.softmax(wide(x), dim),
    "log_softmax": lambda x, dim: torch.log_softmax(wide(x), dim),
    "sum below the maximum": lambda x, dim: torch.exp(wide(x) - x.amax((dim,), keepdim=True)).sum(dim),
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
rows = make(columns)
for dim, tensor in ((1, rows), (0, rows.T.repeat(1, 16).contiguous())):
    for dtype in (torch.float32, torch.bfloat16):
        x = tensor.to(dtype)
        for name, function in FUNCTIONS.items():
            torch.export.save(torch.export.export(Module(function, dim), (x,)), f"{folder}/program.pt2")
            result = coil.compile(f"{folder}/program.pt2", options=options)(x)
            actual = torch.from_dlpack(result[0] if isinstance(result, (tuple, list)) else result)
            expected = function(x.double(), dim).float()
            torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-6, equal_nan=True,
                                       msg=lambda text: f"{name} of {dtype} along {dim}: {text}")
print("all agree")
