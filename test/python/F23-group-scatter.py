# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""F23: sums of rows at positions, grouped by their positions, against PyTorch.

usage: F23-group-scatter.py FOLDER

Exported programs go through coil-import and graph-scatter-to-segment-sum, with bounds that let
small ones pass, in memory, too, and run on what COIL_CUDA_DRIVER and COIL_CUB_LIBRARY name.
"""
import os
import subprocess
import sys

import numpy
import torch

GROUP = ("--graph-scatter-to-segment-sum=sort=cub min-row-bytes=0 min-saved-bytes=-1000000000 "
         "max-extra-bytes=1000000000 chunk=")
PASSES = ["--graph-legalize-aten", "--canonicalize", "--cse"]


class Backward(torch.nn.Module):
    def __init__(self, rows, padding):
        super().__init__()
        self.rows, self.padding = rows, padding

    def forward(self, grad, index):
        return torch.ops.aten.embedding_dense_backward(grad, index, self.rows, self.padding, False)


class IndexAdd(torch.nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def forward(self, grad, index):
        return torch.zeros(self.rows, grad.shape[1], dtype=grad.dtype).index_add(0, index, grad)


class ScatterAdd(IndexAdd):
    def forward(self, grad, index):
        zeros = torch.zeros(self.rows, grad.shape[1], dtype=grad.dtype)
        return zeros.scatter_add(0, index.unsqueeze(1).expand(-1, grad.shape[1]), grad)


class IndexPut(IndexAdd):
    def forward(self, grad, index):
        zeros = torch.zeros(self.rows, grad.shape[1], dtype=grad.dtype)
        return zeros.index_put((index - self.rows,), grad, accumulate=True)


def words(count, rows):
    weights = 1 / torch.arange(1, rows + 1, dtype=torch.float32)
    return torch.multinomial(weights, count, replacement=True)


def cases():
    for dtype in (torch.float32, torch.float16, torch.float64):
        grad = lambda *sizes: torch.randn(*sizes).to(dtype)
        yield "random", Backward(37, -1), grad(211, 40), torch.randint(0, 37, (211,)), 4
        yield "words, padding", Backward(53, 1), grad(7, 31, 24), words(217, 53).reshape(7, 31), 8
        yield "one row", Backward(5, -1), grad(131, 16), torch.full((131,), 3), 4
        yield "padding alone", Backward(5, 3), grad(131, 16), torch.full((131,), 3), 4
        yield "one place", Backward(5, -1), grad(1, 17), torch.tensor([4]), 4
        yield "each once", Backward(97, -1), grad(97, 12), torch.randperm(97), 16
        yield "index_add", IndexAdd(11), grad(101, 13), torch.randint(0, 11, (101,)), 2
        yield "scatter_add", ScatterAdd(11), grad(101, 8), words(101, 11), 4
        yield "index_put", IndexPut(11), grad(101, 8), words(101, 11), 4


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    file = lambda name: os.path.join(folder, name)
    torch.manual_seed(23)
    agree = 0
    for name, module, grad, index, chunk in cases():
        torch.export.save(torch.export.export(module, (grad, index)), file("model.pt2"))
        run(["coil-import", file("model.pt2"), "-o", file("model.mlir")])
        grouped = run(["coil-opt", file("model.mlir"), *PASSES, f"{GROUP}{chunk}"])
        if "graph.segment_reduce" not in grouped:
            sys.exit(f"{name} of {grad.dtype}: nothing is grouped")
        with open(file("grouped.mlir"), "w") as out:
            out.write(grouped)
        numpy.save(file("grad.npy"), grad.numpy())
        numpy.save(file("index.npy"), index.numpy())
        # In the type that sums have, rounded once, as on a GPU.
        wide = grad if grad.dtype == torch.float64 else grad.float()
        expected = module(wide, index).to(grad.dtype)
        numpy.save(file("expected.npy"), expected.numpy())
        tolerance = {torch.float16: "2e-3", torch.float32: "1e-5", torch.float64: "1e-12"}[grad.dtype]
        run(["coil-run", file("grouped.mlir"), "--target=cuda:sm_90a", "--library=cub",
             f"--input=@{file('grad.npy')}", f"--input=@{file('index.npy')}",
             f"--expected-output=@{file('expected.npy')}", f"--atol={tolerance}", f"--rtol={tolerance}"])
        agree += 1
    print(agree, "programs agree")


main()
