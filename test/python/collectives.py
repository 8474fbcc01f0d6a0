# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs with collectives, on processes of torch.distributed with gloo.

    collectives.py <folder> <number of ranks>

Every rank exports each model, compiles it, and compares with what torch computes.
"""
import os
import subprocess
import sys

import torch
# Imported later, its functions would have the group as their default, which keeps the
# threads of gloo until after the interpreter, where one can end the process.
import torch._dynamo  # noqa: F401
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

import coil

torch.manual_seed(0)


class Parallel(torch.nn.Module):
    """A layer whose columns, and then rows, are spread over the ranks."""

    def __init__(self, rank, size):
        super().__init__()
        first, second = torch.randn(16, 8 * size), torch.randn(8 * size, 16)
        self.first = torch.nn.Parameter(first[:, 8 * rank:8 * rank + 8].clone())
        self.second = torch.nn.Parameter(second[8 * rank:8 * rank + 8].clone())

    def forward(self, x):
        part = torch.relu(x @ self.first) @ self.second
        whole = funcol.all_reduce(part, "sum", dist.group.WORLD)
        return whole * 0.5 + x


class Kinds(torch.nn.Module):
    def forward(self, x):
        size = dist.get_world_size()
        gathered = funcol.all_gather_tensor(x * 2, 0, dist.group.WORLD)
        beside = torch.sin(x) + 1
        scattered = funcol.reduce_scatter_tensor(gathered + 1, "sum", 0, dist.group.WORLD)
        sent = funcol.broadcast(scattered * beside, 0, dist.group.WORLD)
        most = funcol.all_reduce(sent + dist.get_rank(), "max", dist.group.WORLD)
        mean = funcol.all_reduce(most * x, "avg", dist.group.WORLD)
        rows = [x.shape[0] // size] * size
        exchanged = funcol.all_to_all_single(mean, rows, rows, dist.group.WORLD)
        return gathered, scattered, sent, most, mean, exchanged


class Several(torch.nn.Module):
    """Two at a time, of which the first ends last; the target of one is not used."""

    def forward(self, x):
        a = funcol.all_reduce(x + 1, "sum", dist.group.WORLD)
        b = funcol.all_reduce_coalesced([x * 2, x * 3], "min", dist.group.WORLD)
        return b[0] + b[1], a * 2


def run(folder, rank, size):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size)
    coil.register_process_group("0", time_limit=60)
    x = torch.randn(2 * size, 16, generator=torch.Generator().manual_seed(rank))
    for model in (Parallel(rank, size), Kinds(), Several()):
        name = type(model).__name__
        # Rows that are exchanged are cut into pieces of a size that is known.
        shapes = ({0: torch.export.Dim("rows", max=64)},) if name != "Kinds" else None
        exported = torch.export.export(model, (x,), dynamic_shapes=shapes)
        file = f"{folder}/{name}{rank}.pt2"
        torch.export.save(exported, file)
        program = coil.compile(file)
        with torch.no_grad():
            expected = model(x)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for _ in range(3):
            results = [torch.from_dlpack(each) for each in program.run(x)]
            for result, want in zip(results, expected, strict=True):
                torch.testing.assert_close(result, torch.as_tensor(want))
        print(f"{name} agrees on rank {rank}", flush=True)
    coil.unregister_process_group("0")
    try:
        program.run(x)
    except coil.RunError as error:
        print(str(error).replace(folder, ""), flush=True)
    dist.barrier()
    dist.destroy_process_group()
    tasks = [open(f"/proc/self/task/{each}/comm").read() for each in os.listdir("/proc/self/task")]
    print(f"threads of gloo left: {sum('gloo' in each for each in tasks)}", flush=True)


if __name__ == "__main__":
    folder, size = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 3:
        run(folder, int(sys.argv[3]), size)
        sys.exit()
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(f"{folder}/store"):
        os.remove(f"{folder}/store")
    ranks = [subprocess.Popen([sys.executable, *sys.argv, str(rank)], stdout=subprocess.PIPE, text=True)
             for rank in range(size)]
    outputs = [each.communicate()[0] for each in ranks]
    print("".join(outputs), end="")
    sys.exit(any(each.returncode for each in ranks))
