# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exported programs that update buffers and inputs in their own memory: values and memory.

    update_inputs.py FOLDER
"""
import copy
import os
import sys

import coil
import numpy
import torch

folder, = sys.argv[1:]
OPTIONS = "update-inputs=true"


class Decoder(torch.nn.Module):
    """Caches as buffers: one of each way to write a part, and a counter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(2, 64, 16))
        self.register_buffer("values", torch.zeros(2, 64, 16))
        self.register_buffer("seen", torch.zeros(4, 32))
        self.register_buffer("window", torch.zeros(8, 16))
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.project = torch.nn.Linear(16, 16)

    def forward(self, new, position, index):
        new = self.project(new)
        self.keys.index_copy_(1, position, new)
        self.values[:, position] = new * 2
        self.seen.scatter_(1, index, 1.0)
        self.window[2:4] = new[:, 0]
        self.steps.add_(1)
        scores = torch.einsum("bqd,bkd->bqk", new, self.keys)
        return torch.softmax(scores, -1) @ self.values + self.seen.sum() + self.window.sum()


class Cache(torch.nn.Module):
    """A cache that the caller has."""

    def forward(self, cache, position, new):
        cache.index_copy_(1, position, new)
        return cache.sum(1)


def save(module, args, name, decompose=False, **options):
    path = os.path.join(folder, name)
    with torch.no_grad():
        program = torch.export.export(module, args, strict=False, **options)
        torch.export.save(program.run_decompositions() if decompose else program, path)
    return path


def check_buffers(decompose):
    torch.manual_seed(0)
    module = Decoder().eval()
    eager = copy.deepcopy(module)
    draw = lambda: (torch.rand(2, 1, 16), torch.randint(64, (1,)), torch.randint(32, (4, 2)))
    program = coil.compile(save(module, draw(), "decoder.pt2", decompose), options=OPTIONS)
    names = [spec["mutation"]["target"] for spec in program.outputs if "updated" in spec]
    assert sorted(names) == ["keys", "seen", "steps", "values", "window"], names
    set_in_use = program.weights_info["active"]
    for step in range(4):
        given = draw()
        with torch.no_grad():
            expected = eager(*given)
        torch.testing.assert_close(torch.from_numpy(numpy.array(program.forward(*given))), expected)
        # Less than one of the caches: nothing is copied.
        assert program.run_stats["peak_bytes"] < 2 * 64 * 16 * 4, program.run_stats
        assert program.run_stats["input_copies"] == 0, program.run_stats
        if step == 1:  # Another set of weights goes on with the same caches.
            bias = torch.rand(16)
            eager.project.bias.data.copy_(bias)
            program.update({"project.bias": bias})
            program.swap()
            set_in_use += 1
    assert program.weights_info["active"] == set_in_use
    # A cache can be reset, and cannot be memory of the caller's.
    program.update({"keys": numpy.zeros((2, 64, 16), numpy.float32)})
    program.swap()
    eager.keys.zero_()
    given = draw()
    with torch.no_grad():
        expected = eager(*given)
    torch.testing.assert_close(torch.from_numpy(numpy.array(program.forward(*given))), expected)
    try:
        program.update({"keys": numpy.zeros((2, 64, 16), numpy.float32)}, copy=False)
    except coil.InputError as error:
        print(f"buffers: {error}")


check_buffers(decompose=False)
check_buffers(decompose=True)
# CHECK-COUNT-2: buffers: weight 'keys' cannot be used where it is: the program writes to it


def check_inputs(dynamic):
    args = torch.zeros(2, 32, 8), torch.tensor([3]), torch.rand(2, 1, 8)
    shapes = ({1: torch.export.Dim("length", min=4, max=512)}, None, None) if dynamic else None
    program = coil.compile(save(Cache(), args, "cache.pt2", dynamic_shapes=shapes), options=OPTIONS)
    assert ["updated" in spec for spec in program.inputs] == [True, False, False], program.inputs
    for length in (32, 100) if dynamic else (32,):
        cache, expected = torch.zeros(2, length, 8), torch.zeros(2, length, 8)
        for step in range(3):
            position, new = torch.tensor([step + 1]), torch.rand(2, 1, 8)
            result = program.forward(cache, position, new)
            torch.testing.assert_close(torch.from_numpy(numpy.array(result)), Cache()(expected, position, new))
            assert torch.equal(cache, expected)
            assert program.run_stats["peak_bytes"] <= 1024 and program.run_stats["input_copies"] == 0
        # Another layout: the program gets a copy, which is copied back.
        strided = torch.zeros(2, 8, length).transpose(1, 2)
        program.forward(strided, position, new)
        assert torch.equal(strided[:, 3], new[:, 0]) and program.run_stats["input_copies"] == 1
        # The new row lies in the cache.
        shared = torch.rand(2, length, 8)
        expected = shared.clone()
        program.forward(shared, position, shared[:, :1])
        Cache()(expected, position, expected[:, :1].clone())
        assert torch.equal(shared, expected)
    array = numpy.zeros((2, 32, 8), numpy.float32)
    program.forward(array, position, new)
    assert array[:, 3].any()
    array.flags.writeable = False
    try:
        program.forward(array, position, new)
    except coil.InputError as error:
        print(f"inputs: {error}")


check_inputs(dynamic=False)
check_inputs(dynamic=True)
# CHECK-COUNT-2: inputs: the program updates input 'cache', which is a read-only array

# Without the option nothing is written but by `forward`.
cache = torch.zeros(2, 32, 8)
program = coil.compile(os.path.join(folder, "cache.pt2"))
program.run(cache, torch.tensor([3]), torch.rand(2, 1, 8))
assert not cache.any() and not any("updated" in spec for spec in program.inputs)
print("done")
# CHECK: done
