# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that are threads of one process, without torch: results are those that one
computes by hand, and what goes wrong on one rank is an error on all."""

import array
import os
import sys

import coil

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from ranks import on_ranks

program = coil.compile(sys.argv[1])
SIZE = 3
inputs = [[float(10 * rank + i) for i in range(2 * SIZE)] for rank in range(SIZE)]


def in_groups(groups, body, ranks=None):
    """Runs `body` for each rank of `groups`."""

    def enter(rank):
        with groups.rank(rank):
            return body(rank)

    return on_ranks(SIZE, enter, ranks)


groups = coil.LocalGroups(SIZE, "ranks", time_limit=20)
for _ in range(3):
    results = in_groups(
        groups, lambda rank: [each.tolist() for each in program.run(array.array("f", inputs[rank]))])
    total = [sum(column) for column in zip(*inputs)]
    for rank, (summed, gathered, scattered, exchanged, sent) in enumerate(results):
        assert summed == total, summed
        assert gathered == [v for each in inputs for v in each], gathered
        assert scattered == total[2 * rank:2 * rank + 2], scattered
        assert exchanged == [v for each in inputs for v in each[2 * rank:2 * rank + 2]], exchanged
        assert sent == inputs[1], sent
print("three ranks agree")
# CHECK: three ranks agree

# A rank that never comes: an error in time, which says what, where and who.
late = coil.LocalGroups(SIZE, "ranks", time_limit=0.3)
results = in_groups(late, lambda rank: program.run(array.array("f", inputs[rank])), ranks=(0, 2))
for each in results:
    print(each)
# CHECK-NEXT: all_reduce of group 'ranks' ({{.*}}:[[LINE:[0-9]+]]): rank 1 did not come within 300 ms
# CHECK-NEXT: None
# CHECK-NEXT: all_reduce of group 'ranks' ({{.*}}:[[LINE]]): rank 1 did not come within 300 ms

# A group that nobody has registered.
try:
    program.run(array.array("f", inputs[0]))
except coil.RunError as error:
    print(error)
# CHECK-NEXT: the process group 'ranks' is not registered for cpu
