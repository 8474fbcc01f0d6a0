# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on two GPUs: exported with tensors that only say where they are, run on two
simulated GPUs, and compared with PyTorch on the host.

    F02_two_gpus.py OUT --bin=FOLDER --cuda-sim=DRIVER

test/gpu/two_gpus.py runs such programs on hardware.
"""

import argparse
import json
import os
import zipfile

import torch

import on_devices

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--bin", required=True)
parser.add_argument("--cuda-sim", required=True)
args = parser.parse_args()
os.makedirs(args.out, exist_ok=True)
runs = 0


class Stages(torch.nn.Module):
    """A stage on each, and a step back; h is needed on both."""

    def forward(self, x, w, v):
        h = torch.relu(x @ w)
        y = torch.softmax(h.to("cuda:1") @ v, 1)
        return y, y.to("cuda:0") + h[:, :3]


class Strided(torch.nn.Module):
    def forward(self, x, y):
        return x.t()[::2].to("cuda:1") * 2, y.permute(1, 0).to("cuda:0") + 1, (x[:, 1::3].to("cuda:1") + 1).t()


class Given(torch.nn.Module):
    """Inputs on both, and of the host; a sum on the second; results on all three."""

    def forward(self, x, y, z):
        return x.to("cuda:1") + y + z.to("cuda:1"), (y * 2).to("cuda:0") - x, y.sum(1).cpu()


class Constants(torch.nn.Module):
    """What is made of nothing is made where it is needed."""

    def forward(self, x, y):
        steps = torch.arange(4.0, device="cuda:1")
        return y + steps, x + torch.ones(4, device="cuda:0"), torch.full((3,), 2.5, device="cuda:1")


class Branch(torch.nn.Module):
    """A branch whose result is on the second."""

    def forward(self, x, y, p):
        return torch.cond(p, lambda a, b: a.to("cuda:1") + b, lambda a, b: b * 2, (x, y))


class Layers(torch.nn.Module):
    """Weights on both; `move` writes where what follows is."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.GELU(), torch.nn.Linear(16, 8))
        self.second = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.Linear(8, 4))

    def forward(self, x):
        y = self.second(torch.ops.aten._to_copy.default(self.first(x)))
        return y, torch.tanh(torch.ops.aten._to_copy.default(y))


def move(path):
    """Says of a program of the host's that its tensors are on GPUs: on the other one
    behind each `_to_copy`, and weights where their layer is."""
    with zipfile.ZipFile(path) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for info, data in files:
            if info.filename.endswith("models/model.json"):
                model = json.loads(data)
                graph, number = model["graph_module"]["graph"], 0
                for name, tensor in graph["tensor_values"].items():
                    tensor["device"] = {"type": "cuda", "index": 2 + int(name.startswith("p_second"))}
                for node in graph["nodes"]:
                    number ^= "_to_copy" in node["target"]
                    for output in node["outputs"]:
                        graph["tensor_values"][output["as_tensor"]["name"]]["device"]["index"] = 2 + number
                data = json.dumps(model).encode()
            archive.writestr(info, data)


def check(name, module, inputs, places=None):
    """Exports with fakes at `places`, and runs on what `inputs` are."""
    global runs
    path = os.path.join(args.out, name)
    on_devices.export(module, inputs, places or ["cpu"] * len(inputs), path + ".pt2")
    if not places:
        move(path + ".pt2")
    given = on_devices.save(path, module, inputs)
    for options in (["--target=cuda:sm_90", "--library=none", "--reference=interp"],
                    ["--target=cuda:sm_90", "--library=none", "--partitions=always", "--iterations=4", "--cuda-graphs=8"],
                    ["--target=cpu"]):
        on_devices.run([os.path.join(args.bin, "coil-run"), path + ".pt2", *options, *given], args.cuda_sim, devices=2)
        runs += 1


R = torch.randn
check("stages", Stages(), (R(6, 4), R(4, 8), R(8, 3)), ("cuda:0", "cuda:0", "cuda:1"))
check("strided", Strided(), (R(5, 7), R(3, 4)), ("cuda:0", "cuda:1"))
check("given", Given(), (R(3, 5), R(3, 5), R(3, 5)), ("cuda:0", "cuda:1", "cpu"))
check("constants", Constants(), (R(4), R(4)), ("cuda:0", "cuda:1"))
# Devices count from the lowest, wherever that is.
check("layers", Layers(), (R(5, 6),))
check("branch", Branch(), (R(4), R(4), torch.tensor(True)), ("cuda:0", "cuda:1", "cuda:0"))
print(f"{runs} runs agree")
