# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs in the memory of a GPU that a program updates: plain calls, calls captured in CUDA graphs as a
whole and by partitions, at one address and at others.

    update_inputs_gpu.py MODEL
"""
import os
import sys

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from gpu_memory import Memory, floats

model, = sys.argv[1:]
SIZES = 64, 4


def check(options, graphs, stays):
    """`stays`: whether inputs are at one address."""
    program = coil.compile(model, options=f"target=cuda update-inputs=true {options}", cuda_graphs=graphs)
    assert ["updated" in spec for spec in program.inputs] == [True, True, False], program.inputs
    make = lambda: [Memory([float((i * k) % 7) for i in range(256)], SIZES) for k in (1, 2, 3)]
    memory = make()
    p, m, g = (floats(each.tensor) for each in memory)
    kept = []
    for step in range(6):
        if not stays and step:
            kept.append(memory)  # So that the addresses are others.
            memory = [Memory(values, SIZES) for values in (p, m, g)]
        outputs = program.run(*(each.tensor for each in memory))
        m = [a + b for a, b in zip(m, g)]
        p = [a + b for a, b in zip(p, m)]
        assert floats(memory[0].tensor) == p and floats(memory[1].tensor) == m, step
        assert floats(outputs[2]) == [a * b for a, b in zip(p, g)], step
        assert [o._data for o in outputs[:2]] == [each.tensor._data for each in memory[:2]]
        assert program.run_stats["allocations"] <= 1, program.run_stats
    return program


for stays in True, False:
    check("", 0, stays)
    whole = check("", 8, stays)
    assert whole.graph_stats["calls"]["replayed"] > 0, whole.graph_stats
    parts = check("partitions=always partition-steps=1", 8, stays)
    assert parts.graph_stats["partitions"]["replayed"] > 0, parts.graph_stats
print("updated in place")
# CHECK: updated in place

# Inputs that share memory, and inputs of the host, are copied: the results are the copies.
program = coil.compile(model, options="target=cuda update-inputs=true")
memory = Memory([float(i % 5) for i in range(256)], SIZES)
before = floats(memory.tensor)
outputs = program.run(memory.tensor, memory.tensor, memory.tensor)
assert floats(memory.tensor) == before
assert floats(outputs[1]) == [2 * a for a in before] and floats(outputs[0]) == [3 * a for a in before]
print("copied where memory is shared")
# CHECK: copied where memory is shared
