# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with a dynamic size, called with 0, 1 and other sizes. Export takes for granted that the size is at least two, but
the module that torch makes of the exported program is called with any: where it gives a result of the sizes that the program
says, so has Coil, and the values are the same. Elsewhere Coil refuses the call, or gives a result without elements.

    small_sizes.py
"""

import warnings

import coil
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore")
columns = lambda x: x.t()[None]
PROGRAMS = {
    "arithmetic": lambda x: (x * 2 + 1).relu(),
    "product": lambda x: x @ x.t(),
    "inner": lambda x: x.t() @ x,
    "softmax": lambda x: x.softmax(0),
    "sums": lambda x: torch.stack([x.sum(0), x.mean(0), x.prod(0), x.norm(dim=0), x.logsumexp(0)]),
    "spread": lambda x: torch.stack([x.var(0), x.std(0)]),
    "scans": lambda x: x.cumsum(0) + x.logcumsumexp(0),
    "layer norm": lambda x: F.layer_norm(x, (4,)),
    "attention": lambda x: F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None], is_causal=True),
    "views": lambda x: x.flip(0).roll(1, 0).reshape(-1) * 2,
    "cat": lambda x: torch.cat([x, x + 1]),
    "outer": lambda x: x[:, None] - x[None],
    "sort": lambda x: x.sort(0)[0],
    "convolution": lambda x: F.conv1d(columns(x), torch.ones(3, 4, 1)),
    "table": lambda x: F.embedding(x.long().abs() % 5, torch.arange(10.).reshape(5, 2)),
    # What has no result of the sizes that the program says, for one of the sizes.
    "slice": lambda x: x[:2] * 1,
    "tail": lambda x: x[1:] * 1,
    "difference": lambda x: x.diff(dim=0),
    "element": lambda x: x[1] * 2,
    "last": lambda x: x[-1] * 2,
    "squeeze": lambda x: x.squeeze(0) * 2,
    "narrow": lambda x: x.narrow(0, 0, 2) * 1,
    "maximum": lambda x: x.amax(0),
    "position": lambda x: x.argmax(0),
    "both": lambda x: torch.aminmax(x, dim=0)[0],
    "values": lambda x: x.max(0)[0] + x.median(0)[0],
    "top": lambda x: x.topk(2, dim=0)[0],
    "split": lambda x: x.split(2)[0] * 1,
    "reflect": lambda x: F.pad(columns(x), (1, 1), mode="reflect"),
    "replicate": lambda x: F.pad(columns(x), (1, 1), mode="replicate"),
    "windows": lambda x: x.unfold(0, 2, 1) * 1,
    "pooling": lambda x: F.max_pool1d(columns(x), 2),
}


class Module(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.forward = function


def check(name, function, dim):
    try:
        exported = torch.export.export(Module(function), (torch.randn(5, 4),), dynamic_shapes=({0: dim},))
    except Exception:  # pylint: disable=broad-except
        return  # A named dimension whose range is not the program's.
    module, program = exported.module(), coil.compile(exported)
    refused = []
    for size in (0, 1, 2, 3, 7):
        x = torch.randn(size, 4)
        try:
            expected = module(x)
        except Exception:  # pylint: disable=broad-except
            expected = None
        try:
            result = program(x)
        except (RuntimeError, ValueError):
            if expected is not None:
                refused.append(size)
            continue
        if expected is None and not result.numel():
            continue  # Eager mode refuses some operators on nothing.
        assert expected is not None and result.shape == expected.shape, (name, size, result.shape)
        assert torch.allclose(result, expected, 1e-4, 1e-5, equal_nan=True), (name, size)
    assert not set(refused) - {0, 1}, (name, refused)
    if refused and dim is torch.export.Dim.AUTO:
        print(name, *refused)


for name, function in PROGRAMS.items():
    for dim in (torch.export.Dim.AUTO, torch.export.Dim("n")):
        check(name, function, dim)
print(f"{len(PROGRAMS)} programs")
