# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives in CUDA graphs: ranks that are threads, each with a simulated GPU, on a library
that looks like NCCL."""

import ctypes
import math
import os
import sys

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from gpu_memory import Memory, floats as device_floats
from ranks import on_ranks

SIZE = 2
FILE = sys.argv[1]


def floats(tensor):
    return list((ctypes.c_float * math.prod(tensor.shape)).from_address(tensor._data))


def view(values):
    return memoryview((ctypes.c_float * len(values))(*values)).cast("B").cast("f", (len(values) // 4, 4))


def make_groups(time_limit=20):
    unique = coil.NcclGroup.unique_id()
    made = on_ranks(SIZE, lambda rank: coil.NcclGroup("ranks", unique, rank, SIZE, time_limit=time_limit))
    assert all(isinstance(each, coil.NcclGroup) for each in made), made
    return made


def compile_all(options):
    return [coil.compile(FILE, options="target=cuda library=none " + options, cuda_graphs=4, device=rank)
            for rank in range(SIZE)]


def check(programs, groups, step, rows=3):
    """All ranks call; results are those that one computes by hand."""
    inputs = [[float((step * 7 + rank * 3 + k) % 5 - 2) for k in range(4 * rows)] for rank in range(SIZE)]

    def body(rank):
        with groups[rank]:
            return [floats(each) for each in programs[rank].run(view(inputs[rank]), device=rank)]

    results = on_ranks(SIZE, body)
    total = [2 * sum(column) for column in zip(*inputs)]
    moved = [each + (sum(total) > 0) for each in total]
    for rank, result in enumerate(results):
        assert not isinstance(result, str), result
        last, beside = result
        assert all(math.isclose(a, b - x, abs_tol=1e-5) for a, b, x in zip(last, moved, inputs[rank])), (step, rank)
        assert all(math.isclose(a, math.sin(x) * b, abs_tol=1e-4) for a, b, x in zip(beside, moved, inputs[rank]))


groups = make_groups()
# Without the option collectives are between graphs.
apart = compile_all("graph-collectives=false")
for step in range(4):
    check(apart, groups, step)
together = compile_all("graph-collectives=true")
for step in range(8):
    check(together, groups, step)
for step in range(4):
    check(together, groups, step, rows=5)
for name, programs in ("apart", apart), ("together", together):
    stats = [each.graph_stats["partitions"] for each in programs]
    print(name, *({key: each[key] for key in ("warmups", "recorded", "replayed", "plain")} for each in stats))
    print(*(each["failures"] for each in stats))
# CHECK: apart {'warmups': 0, 'recorded': 0, 'replayed': 0, 'plain': 0} {'warmups': 0, 'recorded': 0, 'replayed': 0, 'plain': 0}
# CHECK-NEXT: [] []
# The second partition is another one for each of the two elements.
# CHECK-NEXT: together {'warmups': 5, 'recorded': 5, 'replayed': 19, 'plain': 0} {'warmups': 5, 'recorded': 5, 'replayed': 19, 'plain': 0}
# CHECK-NEXT: [] []

# Another group under the name: graphs that have the first are made again.
groups = make_groups(time_limit=0.3)
for step in range(4):
    check(together, groups, step)
print("dropped", *(each.graph_stats["partitions"]["dropped"] for each in together))
# CHECK-NEXT: dropped {{[1-9]}} {{[1-9]}}

# A rank that does not come to a replay is an error, and so is what comes behind it.
def alone(rank):
    with groups[rank]:
        return together[rank].run(view([1.0] * 12), device=rank)


for _ in range(2):
    print(on_ranks(SIZE, alone, ranks=[0])[0])
# CHECK-NEXT: a graph with all_reduce of group 'ranks' ({{.*}}): a rank did not come within 300 ms
# CHECK-NEXT: a graph with collectives of group 'ranks' cannot be launched: a graph with all_reduce of group 'ranks' ({{.*}}): a rank did not come within 300 ms, in partition (main_partition0)

# Groups that do work of the host refuse, by their name; results are the same.
single = coil.compile(FILE, options="target=cuda library=none graph-collectives=true", cuda_graphs=4)
local = coil.LocalGroups(1, "ranks")
with local.rank(0, device="cuda"):
    for step in range(4):
        values = [float(k + step) for k in range(8)]
        last, _ = single.run(view(values))
        assert floats(last) == [x + 1 for x in values], floats(last)
stats = single.graph_stats["partitions"]
print(stats["recorded"], stats["replayed"], stats["plain"])
for each in stats["failures"]:
    print(each["partition"], each["reason"])
# CHECK-NEXT: 0 0 6
# CHECK-NEXT: main_partition0 the function 'coil::all_reduce' ({{.*}}) failed: all_reduce of group 'ranks' ({{.*}}): the process group 'ranks' does not allow that CUDA graphs hold its collectives
# CHECK-NEXT: main_partition1 the function 'coil::all_reduce' ({{.*}}) failed: all_reduce of group 'ranks' ({{.*}}): the process group 'ranks' does not allow that CUDA graphs hold its collectives

# A call that is bound is one graph, collectives and all; its group has to stay.
whole = coil.compile(sys.argv[2], options="target=cuda library=none")
x = Memory([float(i) for i in range(12)], (3, 4))
group = coil.NcclGroup("ranks", coil.NcclGroup.unique_id(), 0, 1).register()
bound = whole.bind(x.tensor)
for step in range(5):
    values = [float((i + step) % 7) for i in range(12)]
    x.write(values)
    assert device_floats(bound()[0]) == [2 * v + 1 for v in values], step
group.unregister()
group.close()
try:
    bound()
except coil.CoilError as error:
    print(error)
# CHECK-NEXT: the call was bound with another process group 'ranks' than is registered for cuda now, if there is one: bind it again
del bound
try:
    coil.NcclGroup("ranks", b"short", 0, 1)
except coil.InputError as error:
    print(error)
# CHECK-NEXT: expected 128 bytes of an id but got 5
