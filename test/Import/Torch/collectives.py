# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports programs with collectives, as one of four ranks of which there is one: the
group is fake, so nothing is sent."""
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", rank=1, world_size=4, store=FakeStore())
group = dist.group.WORLD


class Kinds(torch.nn.Module):
    def forward(self, x):
        a = funcol.all_reduce(x * 2, "sum", group)
        b = funcol.all_gather_tensor(torch.relu(x), 0, group)
        c = funcol.reduce_scatter_tensor(b + 1, "avg", 0, group)
        d = funcol.all_to_all_single(c, None, None, group)
        e = funcol.broadcast(d, 2, group)
        f = funcol.all_reduce_coalesced([e, a], "max", group)
        return f[0] + f[1]


class Splits(torch.nn.Module):
    def forward(self, x):
        return funcol.all_to_all_single(x, [1, 2, 3, 2], [2, 2, 2, 2], group) * 2


class Bits(torch.nn.Module):
    def forward(self, x):
        return funcol.all_reduce(x, "bor", group)


class InPlace(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        torch.ops._c10d_functional.all_reduce_(y, "sum", group.group_name)
        return torch.ops._c10d_functional.wait_tensor(y)


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
rows = {"x": {0: torch.export.Dim("rows", max=64)}}
for model, example, shapes in (
    (Kinds(), torch.ones(8, 4), None),
    (Splits(), torch.ones(8, 4), None),
    (Bits(), torch.ones(4, dtype=torch.int32), None),
    (InPlace(), torch.ones(4), None),
):
    exported = torch.export.export(model, (example,), dynamic_shapes=shapes)
    torch.export.save(exported, f"{folder}/{type(model).__name__}.pt2")
