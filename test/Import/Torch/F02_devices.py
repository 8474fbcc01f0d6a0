# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that work on a GPU and on the host: exported with tensors that only say
where they are, run on the simulated GPU, and compared with PyTorch on the host.

    F02_devices.py OUT --bin=FOLDER [--cuda-sim=DRIVER]

Without a driver of the simulated GPU, on the one that is there.
"""

import argparse
import os

import torch

import on_devices

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--bin", required=True)
parser.add_argument("--cuda-sim")
args = parser.parse_args()
os.makedirs(args.out, exist_ok=True)
runs = 0


class Scaled(torch.nn.Module):
    """A number, and an index, of the host."""

    def forward(self, x, scale, index):
        y = x[index.to(x.device)] * scale
        return y, y.sum(1).cpu(), index + 1


class Layouts(torch.nn.Module):
    """What goes back is not row by row."""

    def forward(self, x, y):
        z = (x.to("cuda", non_blocking=True) + y).t()
        return z.to("cpu"), z


class Prefix(torch.nn.Module):
    """The host reads a number that it has."""

    def forward(self, x, n):
        count = n.item()
        torch._check(count >= 1)
        torch._check(count <= 6)
        return x[:count] * 2


class Weights(torch.nn.Module):
    """A weight of the host goes to the GPU once, like all others."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.arange(8.0))

    def forward(self, x):
        return x + self.table.to(x.device)


def check(name, module, inputs, places):
    """Exports with fakes at `places`, and runs on what `inputs` are."""
    global runs
    path = os.path.join(args.out, name)
    on_devices.export(module, inputs, places, path + ".pt2")
    target = "--target=cuda:sm_90" if args.cuda_sim else "--target=cuda"
    on_devices.run([os.path.join(args.bin, "coil-run"), path + ".pt2", target, "--library=none", "--iterations=4",
                    "--cuda-graphs=8", "--reference=interp", *on_devices.save(path, module, inputs)], args.cuda_sim)
    runs += 1


R = torch.randn
check("scaled", Scaled(), (R(6, 4), torch.tensor(2.5), torch.tensor([0, 5, 2])), ("cuda", "cpu", "cpu"))
check("layouts", Layouts(), (R(3, 5), R(3, 5)), ("cpu", "cuda"))
check("prefix", Prefix(), (R(6, 2), torch.tensor(4)), ("cuda", "cpu"))
check("weights", Weights(), (R(8),), ("cuda",))
print(f"{runs} programs agree")
