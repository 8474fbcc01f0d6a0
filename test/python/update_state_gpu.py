# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers that an exported program updates in the memory of a GPU, against PyTorch eager: with and without
CUDA graphs, read back, given anew, and kept when other weights are.

    update_state_gpu.py FILE
"""
import ctypes
import sys

import torch

import coil
from coil._library import Weight, check, library


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.linspace(1, 2, 8), requires_grad=False)
        self.register_buffer("cache", torch.zeros(4, 8))
        self.register_buffer("total", torch.zeros(8))

    def forward(self, x, row):
        self.cache.index_copy_(0, row, x * self.scale)
        self.total.add_(x[0])
        return self.cache.sum(1), self.total * 2


def read(program):
    """The weights by name, as the C API gives them."""
    weight, error, result = Weight(), ctypes.c_void_p(), {}
    for i in range(library.coil_program_num_weights(program._handle)):
        check(library.coil_program_get_weight(program._handle, i, ctypes.byref(weight), ctypes.byref(error)), error)
        data = (ctypes.c_float * (weight.num_bytes // 4)).from_address(weight.tensor.data)
        result[weight.name.decode()] = torch.tensor(list(data))
    return result



def step(program, eager, i):
    x, row = torch.arange(8.0).reshape(1, 8) + i, torch.tensor([i % 4])
    for actual, expected in zip(program.forward(x, row), eager(x, row)):
        torch.testing.assert_close(torch.as_tensor(actual), expected)


def compare(program, eager):
    found = read(program)
    for name in ("cache", "total"):
        torch.testing.assert_close(found[name].reshape(getattr(eager, name).shape), getattr(eager, name))


path = sys.argv[1]
torch.export.save(torch.export.export(Cache(), (torch.zeros(1, 8), torch.tensor([0]))), path)
for graphs in (0, 4):
    eager = Cache()
    program = coil.compile(path, options="target=cuda:sm_90 library=none update-inputs=true", cuda_graphs=graphs)
    assert sum("updated" in spec for spec in program.outputs) == 2, program.outputs
    for i in range(5):
        step(program, eager, i)
    # No set of weights was made: the state is in the memory of the first.
    print(graphs, program.weights_info, program.graph_stats["calls"]["replayed"] > 0)
    compare(program, eager)
    # Other weights leave it alone, and it goes on.
    program.update({"scale": torch.full((8,), 3.0)})
    program.swap()
    eager.scale.fill_(3.0)
    for i in range(4):
        step(program, eager, i)
    compare(program, eager)
    # State that is given begins anew.
    program.update({"cache": torch.ones(4, 8)})
    program.swap()
    eager.cache.fill_(1.0)
    for i in range(4):
        step(program, eager, i)
    compare(program, eager)
    print("state", program.weights_info["active"])
# CHECK: 0 {'active': 0, 'inactive': None, 'num_sets': 1} False
# CHECK-NEXT: state 2
# CHECK-NEXT: 4 {'active': 0, 'inactive': None, 'num_sets': 1} True
# CHECK-NEXT: state 2
