# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that work on two GPUs, bound to their memory: one graph of both (F02)."""
import gc
import os
import sys

import coil
from coil._library import library

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from gpu_memory import Memory, floats

model, = sys.argv[1:]
for options in ("target=cuda library=none", "target=cuda library=none partitions=off"):
    program = coil.compile(model, options=options)
    x = Memory([float(i % 5) for i in range(28)], (7, 4))
    b = Memory([1.0, -2.0, 3.0, -4.0], (1, 4), device=1)
    bound = program.bind(x.tensor, b.tensor)
    outputs = bound.outputs
    # Nothing has run: the first launch makes the results, each where it belongs.
    expected = program.run(x.tensor, b.tensor)
    assert [floats(o) for o in outputs] != [floats(o) for o in expected]
    assert [o.__dlpack_device__()[1] for o in outputs] == [1, 0, 1]
    for step in range(5):
        x.write([float((i * 3 + step) % 7) for i in range(28)])
        b.write([float(i - step) for i in range(4)])
        assert bound() is outputs
        expected = program.run(x.tensor, b.tensor)
        assert [floats(o) for o in outputs] == [floats(o) for o in expected], step
    print("same outputs", [tuple(o.shape) for o in outputs])
# CHECK-COUNT-2: same outputs [(7, 4), (7, 4), (7, 1)]

# Two calls have memory of their own, on both GPUs.
y = Memory([float(i % 3) for i in range(8)], (2, 4))
other = program.bind(y.tensor, b.tensor)
before = [floats(o) for o in bound()]
other()
assert [floats(o) for o in bound.outputs] == before
assert [floats(o) for o in other.outputs] == [floats(o) for o in program.run(y.tensor, b.tensor)]

# Over and over: what is bound is freed again, on both.
for _ in range(200):
    program.bind(x.tensor, b.tensor)()
gc.collect()
print("done")
# CHECK: done
