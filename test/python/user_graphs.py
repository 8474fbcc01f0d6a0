# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of users in CUDA graphs on a simulated GPU: what they are passed follows inputs that
move, by address or by a tensor map."""

import os
import sys

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from gpu_memory import Memory, floats

# Each file as a whole, and with its steps in partitions.
PTX, PTX_PARTS, MAPS, MAPS_PARTS, PACKAGE = sys.argv[1:]
GPU = "target=cuda library=none"


def check_ptx(results, x, bias):
    """2 * x + bias, and 3 * x."""
    assert floats(results[0]) == [2 * a + b for a, b in zip(x, bias)], floats(results[0])
    assert floats(results[1]) == [3 * a for a in x], floats(results[1])


def check_maps(results, x, rows):
    """x, transposed."""
    columns = len(x) // rows
    assert floats(results[0]) == [x[i * columns + j] for j in range(columns) for i in range(rows)]


def values(count, step):
    return [float((7 * i + 3 * step) % 11) for i in range(count)]


def call_ptx(program, places, step, count=21):
    x, bias = values(count, step), values(count, step + 1)
    inputs = [Memory(each, (count,)) for each in (x, bias)]
    # Earlier inputs keep their memory, so these have other addresses.
    places.append(inputs)
    check_ptx(program.run(*(each.tensor for each in inputs)), x, bias)


def call_maps(program, places, step, rows=12, columns=20):
    x = values(rows * columns, step)
    places.append(Memory(x, (rows, columns)))
    check_maps(program.run(places[-1].tensor), x, rows)


for name, file, call in (("ptx", PTX, call_ptx), ("maps", MAPS, call_maps)):
    program, places = coil.compile(file, options=GPU, cuda_graphs=4), []
    for step in range(7):
        call(program, places, step)
    print(name, program.graph_stats["calls"])
# CHECK: ptx {'evicted': 0, 'patched': {{[1-9]}}, 'plain': 1, 'recorded': 1, 'refused': 0, 'replayed': 6}
# CHECK-NEXT: maps {'evicted': 0, 'patched': {{[1-9]}}, 'plain': 1, 'recorded': 1, 'refused': 0, 'replayed': 6}

for name, file, call in (("ptx", PTX_PARTS, call_ptx), ("maps", MAPS_PARTS, call_maps)):
    program, places = coil.compile(file, options=GPU, cuda_graphs=4), []
    for step in range(7):
        call(program, places, step)
    stats = program.graph_stats["partitions"]
    print(name, {key: stats[key] for key in ("warmups", "recorded", "replayed", "plain")}, stats["failures"])
# CHECK-NEXT: ptx {'warmups': 1, 'recorded': 1, 'replayed': 6, 'plain': 0} []
# CHECK-NEXT: maps {'warmups': 1, 'recorded': 1, 'replayed': 6, 'plain': 0} []

# Another size has other numbers, grids and maps: another graph.
program, places = coil.compile(MAPS_PARTS, options=GPU, cuda_graphs=4), []
for step in range(4):
    call_maps(program, places, step)
    call_maps(program, places, step, rows=4, columns=4)
print(program.graph_stats["partitions"]["recorded"])
# CHECK-NEXT: 2

# A call that is bound.
program = coil.compile(PTX, options=GPU)
x, bias = Memory([0.0] * 21, (21,)), Memory([0.0] * 21, (21,))
bound = program.bind(x.tensor, bias.tensor)
for step in range(4):
    x.write(values(21, step))
    bias.write(values(21, step + 1))
    check_ptx(bound(), values(21, step), values(21, step + 1))
program = coil.compile(MAPS, options=GPU)
x = Memory([0.0] * 240, (12, 20))
bound = program.bind(x.tensor)
for step in range(4):
    x.write(values(240, step))
    check_maps(bound(), values(240, step), 12)
print("bound calls agree")
# CHECK-NEXT: bound calls agree

# A package says what its kernels take.
program, places = coil.compile(PACKAGE, cuda_graphs=4), []
for step in range(5):
    call_ptx(program, places, step)
print(program.graph_stats["calls"]["recorded"], program.graph_stats["calls"]["replayed"])
# CHECK-NEXT: 1 4
